"""The demo on this machine: builds Shardway, starts four servers, lays the shop out, fills it, serves until Ctrl-C.

Everything it writes lies in the build folder (build/demo unless told otherwise) and in the cache of tests/cluster, whose
servers these are."""
from __future__ import annotations

import argparse
import contextlib
import fcntl
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "cluster"))

import pymysql  # noqa: E402

import data  # noqa: E402
from cluster import Cluster, sweep  # noqa: E402
from ports import ADMIN_FIRST, ADMIN_LAST, chosen, first_free  # noqa: E402
from servers import HOST, PASSWORD, USER, ClusterError, Node, copy_tree, end, template  # noqa: E402
from steps import Failed, Step, Steps, run_logged  # noqa: E402

NODES = 4
SOCKET_PATH_MAX = 100           # the kernel takes 107 bytes
MEMORY_PER_JOB = 1_500_000_000  # bytes a compiler may need
NODE_STOP_SECONDS_MAX = 20
SCHEMA = ROOT / "tests" / "model" / "orders.sql"
KIND_NAMES = {"mariadb": "MariaDB", "mysql": "MySQL"}


def run(arguments: argparse.Namespace) -> int:
    folder = Path(arguments.folder).absolute()
    folder.mkdir(parents=True, exist_ok=True)
    with only_demo_in(folder):
        steps = Steps(2, 6)
        binary = Path(arguments.shardway).absolute() if arguments.shardway else build(steps, folder)
        if arguments.shardway:
            steps.number += 1
        link(folder / "shardway", binary)
        demo = Demo(arguments, folder, binary)
        with demo:
            demo.lay_out(steps)
            demo.serve(steps)
            demo.invite()
            try:
                demo.watch()
            except (KeyboardInterrupt, SystemExit):
                print("\nstopping Shardway, then the servers", flush=True)
                demo.leaving = True
    if demo.leaving:
        print(f"all stopped; the data stays in {folder} for the next run (--fresh starts anew)")
    return 0


@contextlib.contextmanager
def only_demo_in(folder: Path):
    with open(folder / "lock", "a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            raise Failed(f"another demo runs in {folder} (process {lock.read().strip() or 'unknown'})",
                         "use that one, end it with Ctrl-C, or give this one a folder of its own with --folder DIR") from None
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        yield


def build(steps: Steps, folder: Path) -> Path:
    target, log = folder / "build", folder / "logs" / "build"
    log.parent.mkdir(exist_ok=True)
    with steps.step("build", f"Shardway from source, into {shown(target)}") as step:
        if not (target / "build.ninja").exists():
            run_logged(["cmake", "-S", str(ROOT), "-B", str(target), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                        "-DSHARDWAY_UNITY=ON", "-DSHARDWAY_TESTS=OFF"], log, "cmake could not configure the build",
                       f"read the lines above; remove {target} if it comes from another checkout, and run the demo again")
        compile_all(target, log, step)
        step.note = f"{megabytes(target)} MB"
    return target / "shardway"


def compile_all(target: Path, log: Path, step: Step) -> None:
    jobs = max(1, min(os.cpu_count() or 1, memory_bytes() // MEMORY_PER_JOB))
    with open(log, "w") as file:
        ninja = subprocess.Popen(["cmake", "--build", str(target), "--target", "shardway", "-j", str(jobs)],
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                 errors="replace")
        try:
            for line in ninja.stdout:
                file.write(line)
                if found := re.match(r"\[(\d+)/(\d+)\]", line):
                    step.progress(int(found.group(1)), int(found.group(2)), "files")
        finally:
            if ninja.poll() is None:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    ninja.wait(1)
            if ninja.poll() is None:
                ninja.terminate()
                ninja.wait()
    if ninja.returncode != 0:
        raise Failed("the build failed", "read the compiler's lines above; 'Killed' means too little memory: give the machine "
                     "2 GB or more. The next run goes on where this one ended", log)


class Demo(Cluster):
    """The cluster of the tests in a folder that stays: data is kept from one run to the next."""

    def __init__(self, arguments: argparse.Namespace, folder: Path, binary: Path):
        super().__init__(arguments.kind, NODES, shardway=binary, keep=True)
        self.port, self.admin_port = chosen(arguments.port), first_free(ADMIN_FIRST, ADMIN_LAST)
        self.home = folder
        self.folder = folder / f"store-{arguments.kind}"
        self.logs = folder / "logs"
        self.fresh = arguments.fresh
        self.sockets: Path | None = None
        self.leaving = False

    @property
    def output(self) -> Path:
        return self.logs / "shardway"

    @property
    def filled(self) -> Path:
        """Says that the store was loaded to its end, and by which layout and version of servers."""
        return self.folder / "filled"

    def start(self) -> None:
        """The servers are started by lay_out, as a step; entering only takes the signals."""
        sweep(Path(tempfile.gettempdir()))
        self.logs.mkdir(exist_ok=True)
        if len(str(self.folder / "node0" / "socket")) > SOCKET_PATH_MAX:
            self.sockets = Path(tempfile.mkdtemp(prefix="shardway-demo-"))

    def state(self) -> str:
        return f"{data.VERSION} {self.kind.version()}\n"

    def lay_out(self, steps: Steps) -> None:
        name = KIND_NAMES[self.kind.name]
        with steps.step("servers", f"{NODES} {name} servers"
                        + (" (the first time some 65 MB are fetched)" if self.kind.name == "mysql" else "")) as step:
            kept = self.filled.exists() and self.filled.read_text() == self.state() and not self.fresh
            with advice(f"read what the server said; enough memory ({NODES} x 150 MB) and disk (2 GB) must be free. "
                        "--fresh starts with new servers"):
                self.start_servers(kept)
            step.note = f"{name} {self.kind.version()}" + (", with the data of the run before" if kept else "")
        with steps.step("schema", "databases and tables on all nodes, by shardway apply"), advice(
                "--fresh starts with new servers; if it fails again, this is a bug worth reporting"):
            self.write_rules((ROOT / "docker" / "shardway.yaml").read_text(),
                             {r"^  user: root": f"  user: {USER}", r"^  password: \w+": f"  password: {PASSWORD}"})
            self.apply(SCHEMA)
        self.kept = kept

    def start_servers(self, kept: bool) -> None:
        if not kept:
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder.mkdir(parents=True)
            made = template(self.kind)
        for index in range(NODES):
            node = DemoNode(self.kind, self.folder / f"node{index}", f"node{index}", index, sockets=self.sockets)
            if not kept:
                node.folder.mkdir()
                copy_tree(made, node.folder / "data")
            node.output.unlink(missing_ok=True)
            self.nodes.append(node)
        self.start_nodes(self.nodes)

    def serve(self, steps: Steps) -> None:
        self.output.unlink(missing_ok=True)
        with steps.step("serve", "Shardway before them"), advice(
                f"read what it said (all of it is in {self.output}); --port N takes another port"):
            self.start_shardway()
        with steps.step("load", f"{data.USERS:,} users and {data.ORDERS:,} orders with their items, through Shardway") as step:
            if self.kept:
                step.note = "they are there from the run before"
                return
            try:
                data.load(self.client, lambda done, total: step.progress(done, total, "orders"))
            except pymysql.err.MySQLError as problem:
                raise Failed(f"an INSERT was refused: {problem}", "run the demo again with --fresh; if it fails again, this is "
                             "a bug worth reporting", self.output) from None
            self.filled.write_text(self.state())
            step.note = f"{megabytes(self.folder)} MB on disk"

    def client(self) -> pymysql.connections.Connection:
        return self.connect(autocommit=True, ssl={"check_hostname": False}, read_timeout=data.STATEMENT_SECONDS_MAX)

    def invite(self) -> None:
        print(f"\nShardway listens on {HOST}:{self.port}, database shop, user app, password app. Try it with any MySQL client:\n")
        print(f"  mariadb -h{HOST} -P{self.port} -uapp -papp shop")
        data.print_try()
        print(f"\nMetrics: /metrics on port {self.admin_port}. Rules, data and logs: {shown(self.home)}. "
              "Ctrl-C ends all of it.", flush=True)

    def watch(self) -> None:
        """Until Ctrl-C; or something ends that should not."""
        while True:
            time.sleep(0.5)
            if self.proxy.poll() is not None:
                raise Failed(f"Shardway ended by itself ({self.proxy.returncode})",
                             "read what it said; this is a bug worth reporting", self.output)
            for node in self.nodes:
                if not node.running():
                    raise Failed(f"{node.name} ended by itself", "run the demo again; a server that is killed is usually one "
                                 "too many for the machine's memory", node.output)

    def close(self) -> None:
        held = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            self.stop_shardway()
            with ThreadPoolExecutor(NODES) as pool:
                list(pool.map(lambda node: end(node.process, signal.SIGTERM, NODE_STOP_SECONDS_MAX)
                              if node.process else None, self.nodes))
            if self.sockets:
                shutil.rmtree(self.sockets, ignore_errors=True)
        finally:
            signal.signal(signal.SIGINT, held)
            for number, handler in getattr(self, "handlers", {}).items():
                signal.signal(number, handler)


class DemoNode(Node):
    """A server whose socket lies elsewhere when the folder's path is too long for one."""

    def __init__(self, *arguments: object, sockets: Path | None):
        super().__init__(*arguments)
        self.sockets = sockets

    @property
    def socket(self) -> Path:
        return self.sockets / self.name if self.sockets else self.folder / "socket"


def link(name: Path, binary: Path) -> None:
    """One place to find the binary at, wherever it was built."""
    name.unlink(missing_ok=True)
    name.symlink_to(os.path.relpath(binary, name.parent) if binary.is_relative_to(name.parent) else binary)


@contextlib.contextmanager
def advice(text: str):
    try:
        yield
    except (ClusterError, RuntimeError, OSError, subprocess.SubprocessError) as problem:
        raise Failed(str(problem), text) from None


def memory_bytes() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def megabytes(folder: Path) -> int:
    said = subprocess.run(["du", "-sm", str(folder)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    return int(said.split()[0]) if said.strip() else 0


def shown(path: Path) -> str:
    """Relative to the project where it lies in it."""
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)
