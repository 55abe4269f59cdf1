#!/usr/bin/python3
"""Prints a folder that, as DOCKER_CONFIG, gives `docker compose` v2: Debian 12 has v1 only, so the plugin is taken out of
sid's docker-compose package, by the private apt state that tests/cluster fetches MySQL with, into the cache."""
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "cluster"))

from mysql_tree import Lock, apt_settings, cache_dir, run, system_mirror  # noqa: E402


def fetch(folder: Path) -> None:
    work = Path(tempfile.mkdtemp(prefix=".fetching-compose-", dir=cache_dir()))
    try:
        apt = work / "apt"
        for name in ("etc/apt.conf.d", "etc/preferences.d", "state/lists/partial", "cache/archives/partial"):
            (apt / name).mkdir(parents=True)
        shutil.copy("/var/lib/dpkg/status", apt / "status")  # what is installed need not be fetched
        keyring = "/usr/share/keyrings/debian-archive-keyring.gpg"
        (apt / "etc/sources.list").write_text(f"deb [signed-by={keyring}] {system_mirror()} sid main\n")
        (apt / "apt.conf").write_text(apt_settings(apt))
        environment = dict(os.environ, APT_CONFIG=str(apt / "apt.conf"))
        run(["apt-get", "-qq", "update"], environment)
        os.chdir(work)
        run(["apt-get", "-qq", "download", "docker-compose"], environment)
        [package] = work.glob("docker-compose_*.deb")
        run(["dpkg-deb", "-x", str(package), str(work / "root")], environment)
        found = [path for path in (work / "root").rglob("docker-compose") if re.search(r"cli-plugins", str(path))]
        plugins = work / "config" / "cli-plugins"
        plugins.mkdir(parents=True)
        shutil.copy(found[0], plugins / "docker-compose")
        (work / "config").rename(folder)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def main() -> None:
    folder = cache_dir() / "compose-v2"
    with Lock(cache_dir() / "compose-v2.lock"):
        if not folder.exists():
            fetch(folder)
    print(folder)


if __name__ == "__main__":
    main()
