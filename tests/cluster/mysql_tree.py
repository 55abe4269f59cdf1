"""MySQL's server and client, unpacked from Debian sid into a cache folder, without root and without touching the system.

Debian 12 has no MySQL server. A private apt state (own sources, status and cache) fetches sid's packages and their
libraries, which are unpacked and started by their own dynamic loader. The tree is found as
<cache>/mysql-<version>; it is made once, by one process at a time, and appears only when it is complete.
"""
from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

PACKAGES = ["mysql-server-core", "mysql-client-core"]
PROGRAMS = {"mysqld": "usr/sbin/mysqld", "mysql": "usr/bin/mysql", "mysqldump": "usr/bin/mysqldump"}
FETCH_SECONDS_MAX = 900


def cache_dir() -> Path:
    named = os.environ.get("SHARDWAY_CACHE")
    if not named:
        named = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "shardway")
    path = Path(named).absolute()
    path.mkdir(parents=True, exist_ok=True)
    return path


class Lock:
    """One process at a time; the lock goes with the process that holds it."""

    def __init__(self, path: Path):
        self.path = path

    def __enter__(self) -> "Lock":
        self.file = open(self.path, "w")
        fcntl.flock(self.file, fcntl.LOCK_EX)
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()


def version_key(path: Path) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", path.name)]


def find_tree() -> Path | None:
    trees = [path for path in cache_dir().glob("mysql-[0-9]*") if (path / "bin" / "mysqld").exists()]
    return max(trees, key=version_key) if trees else None


def mysql_tree() -> Path:
    """The tree's folder; bin/mysqld, bin/mysql and bin/mysqldump in it can be run from anywhere."""
    tree = find_tree()
    if tree:
        return tree
    with Lock(cache_dir() / "mysql.lock"):
        return find_tree() or fetch()


def fetch() -> Path:
    work = Path(tempfile.mkdtemp(prefix=".fetching-mysql-", dir=cache_dir()))
    try:
        return fetch_into(work)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def fetch_into(work: Path) -> Path:
    apt = work / "apt"
    for folder in ("etc/apt.conf.d", "etc/preferences.d", "state/lists/partial", "cache/archives/partial"):
        (apt / folder).mkdir(parents=True)
    (apt / "status").touch()
    keyring = "/usr/share/keyrings/debian-archive-keyring.gpg"
    (apt / "etc/sources.list").write_text(f"deb [signed-by={keyring}] {system_mirror()} sid main\n")
    (apt / "apt.conf").write_text(apt_settings(apt))
    environment = dict(os.environ, APT_CONFIG=str(apt / "apt.conf"), DEBIAN_FRONTEND="noninteractive")
    run(["apt-get", "-qq", "update"], environment)
    run(["apt-get", "-qq", "-y", "--download-only", "-o", "Debug::NoLocking=1", "install", *PACKAGES], environment)

    tree = work / "tree"
    root = tree / "root"
    root.mkdir(parents=True)
    version = ""
    for package in sorted((apt / "cache/archives").glob("*.deb")):
        run(["dpkg-deb", "-x", str(package), str(root)], environment)
        named = re.match(r"mysql-server-core_([0-9.]+)", package.name)
        version = named.group(1) if named else version
    if not version:
        raise RuntimeError("sid's mysql-server-core was not among the packages that apt fetched")
    for unneeded in ("usr/share/doc", "usr/share/man", "usr/share/locale"):
        shutil.rmtree(root / unneeded, ignore_errors=True)

    final = cache_dir() / f"mysql-{version}"
    write_wrappers(tree)
    if final.exists():  # the rest of a tree that someone took programs out of
        shutil.rmtree(final)
    tree.rename(final)
    return final


def write_wrappers(tree: Path) -> None:
    """Programs of the tree start by the tree's own loader and libraries. The loader needs the program's full path as
    argv[0], since the server finds itself by it; `exec` keeps the process id the caller knows."""
    loaders = [*tree.glob("root/usr/lib64/ld-linux-*.so.*"), *tree.glob("root/usr/lib/ld-linux-*.so.*"),
               *tree.glob("root/usr/lib/*/ld-linux-*.so.*")]
    if not loaders:
        raise RuntimeError("no dynamic loader among the unpacked packages")
    loader = loaders[0].relative_to(tree / "root")
    libraries = [path.parent for path in tree.glob("root/usr/lib/*/libc.so.6")][0].relative_to(tree / "root")
    options = {"mysqld": "--no-defaults --secure-file-priv=NULL --basedir=$R/usr --plugin-dir=$R/usr/lib/mysql/plugin "
                         "--lc-messages-dir=$R/usr/share/mysql --character-sets-dir=$R/usr/share/mysql/charsets",
               "mysql": "--no-defaults --plugin-dir=$R/usr/lib/mysql/plugin "
                        "--character-sets-dir=$R/usr/share/mysql/charsets",
               "mysqldump": "--no-defaults --plugin-dir=$R/usr/lib/mysql/plugin"}
    (tree / "bin").mkdir()
    for name, program in PROGRAMS.items():
        if not (tree / "root" / program).exists():
            continue
        wrapper = tree / "bin" / name
        wrapper.write_text(
            "#!/bin/sh\n"
            'R=$(dirname "$(dirname "$(readlink -f "$0")")")/root\n'
            f'exec "$R/{loader}" --argv0 "$R/{program}" --library-path "$R/{libraries}:$R/usr/lib/mysql/private" \\\n'
            f'    "$R/{program}" {quoted(options[name])} "$@"\n')
        wrapper.chmod(0o755)


def quoted(options: str) -> str:
    return " ".join(f'"{option}"' for option in options.split())


def system_mirror() -> str:
    """The Debian mirror this machine's own apt uses, from sources.list or *.sources."""
    uris: list[str] = []
    sources = Path("/etc/apt")
    for file in [sources / "sources.list", *sorted((sources / "sources.list.d").glob("*.list"))]:
        if file.exists():
            uris += re.findall(r"^\s*deb\s+(?:\[[^\]]*\]\s+)?(\S+)", file.read_text(), re.M)
    for file in sorted((sources / "sources.list.d").glob("*.sources")):
        for line in re.findall(r"^URIs:(.*)$", file.read_text(), re.M | re.I):
            uris += line.split()
    for uri in uris:
        if re.search(r"/debian/?$", uri):
            return uri
    raise RuntimeError("no Debian mirror (an address that ends in /debian) in /etc/apt/sources.list or "
                       "/etc/apt/sources.list.d, so MySQL's packages cannot be fetched")


def apt_settings(apt: Path) -> str:
    """Ways to the network (proxies, certificates, time-outs) are the system's; the state is ours alone."""
    dump = subprocess.run(["apt-config", "dump"], capture_output=True, text=True, check=True).stdout
    inherited = [line for line in dump.splitlines()
                 if line.startswith("Acquire::") and not line.startswith("Acquire::Languages")]
    ours = [f'Dir::Etc "{apt}/etc";', 'Dir::Etc::netrc "/etc/apt/auth.conf";',
            'Dir::Etc::netrcparts "/etc/apt/auth.conf.d";', f'Dir::State "{apt}/state";',
            f'Dir::State::status "{apt}/status";', f'Dir::Cache "{apt}/cache";', 'APT::Sandbox::User "";',
            'APT::Install-Recommends "false";', 'Acquire::Languages "none";', 'Acquire::Check-Valid-Until "false";',
            'Acquire::Retries "3";', 'APT::Keep-Downloaded-Packages "true";']
    return "\n".join(inherited + ours) + "\n"


def run(command: list[str], environment: dict[str, str]) -> None:
    done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=FETCH_SECONDS_MAX)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} failed ({done.returncode}):\n{done.stdout}")
