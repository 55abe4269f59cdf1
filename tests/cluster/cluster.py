"""A cluster for tests, the demo and benchmarks: N servers, and Shardway before them, in one temporary folder.

    with Cluster("mysql", nodes=4, shardway="build/shardway") as cluster:
        cluster.apply()                     # the model schema
        cluster.start_shardway()
        with cluster.connect() as client: …

Whatever way the block is left, by an exception or Ctrl-C too, the processes end and the folder goes. A process that is
killed outright takes its servers along; its folder goes when the next cluster starts.
"""
from __future__ import annotations

import fcntl
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pymysql

from servers import (HOST, KINDS, PASSWORD, READY_SECONDS_MAX, USER, ClusterError, Node, copy_tree, end, free_port,
                     spawn, tail, template)

MODEL = Path(__file__).resolve().parent.parent / "model"
START_TRIES_MAX = 4
PREFIX = "shardway-cluster-"


class Cluster:
    def __init__(self, kind: str, nodes: int = 4, *, shardway: str | os.PathLike | None = None, durable: bool = False,
                 general_log: bool = False, keep: bool = False, options: list[str] | None = None,
                 tls: str = "preferred", folder: str | None = None):
        """`options` are further options of every server; `tls` is the listener's mode; the temporary folder is made
        in `folder` (else $TMPDIR)."""
        if kind not in KINDS:
            raise ClusterError(f"kind is '{kind}'; it can be {' or '.join(KINDS)}")
        self.kind = KINDS[kind]
        self.keep = keep
        self.tls = tls
        self.binary = Path(shardway).absolute() if shardway else None
        if self.binary and not self.binary.exists():
            raise ClusterError(f"{self.binary} does not exist")
        self.wanted = dict(count=nodes, durable=durable, general_log=general_log, options=options or [])
        self.parent = folder or tempfile.gettempdir()
        self.nodes: list[Node] = []
        self.folder: Path | None = None
        self.proxy: subprocess.Popen | None = None
        self.port = 0
        self.admin_port = 0

    # ---- life -------------------------------------------------------------------------------------------------------

    def __enter__(self) -> "Cluster":
        self.handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
        for number in self.handlers:
            signal.signal(number, leave)
        try:
            self.start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(self) -> None:
        sweep(Path(self.parent))
        data = template(self.kind)
        self.folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=self.parent))
        self.lock = open(self.folder / "lock", "w")  # held as long as we live: sweep() of others leaves the folder alone
        fcntl.flock(self.lock, fcntl.LOCK_EX)
        for index in range(self.wanted["count"]):
            node = Node(self.kind, self.folder / f"node{index}", f"node{index}", index, self.wanted["durable"],
                        self.wanted["general_log"], options=self.wanted["options"])
            node.folder.mkdir()
            copy_tree(data, node.folder / "data")
            self.nodes.append(node)
        self.start_nodes(self.nodes)

    def start_nodes(self, nodes: list[Node]) -> None:
        for node in nodes:
            node.start()
        with ThreadPoolExecutor(max(len(nodes), 1)) as pool:
            list(pool.map(self.settle, nodes))

    @staticmethod
    def settle(node: Node) -> None:
        for attempt in range(START_TRIES_MAX):
            try:
                return node.wait_ready()
            except ClusterError as error:
                # Another run was quicker with the port: take another.
                taken = re.search(r"[Aa]ddress already in use|Do you already have another", str(error))
                if not taken or node.running() or attempt + 1 == START_TRIES_MAX:
                    raise
                node.port = 0
                node.output.write_text("")
                node.start()

    def close(self) -> None:
        """Ends what was started, Shardway first. Ctrl-C meanwhile does not stop it half-way."""
        held = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            self.stop_shardway()
            for node in self.nodes:
                if self.keep:
                    node.stop()
                else:
                    node.kill()
            if self.folder:
                if self.keep:
                    (self.folder / "lock").unlink(missing_ok=True)
                else:
                    shutil.rmtree(self.folder, ignore_errors=True)
                self.lock.close()
        finally:
            signal.signal(signal.SIGINT, held)
            for number, handler in getattr(self, "handlers", {}).items():
                signal.signal(number, handler)

    # ---- Shardway ---------------------------------------------------------------------------------------------------

    @property
    def rules_file(self) -> Path:
        return self.folder / "shardway.yaml"

    @property
    def output(self) -> Path:
        """What Shardway said: standard output and error of every start."""
        return self.folder / "shardway.output"

    def write_rules(self, text: str | None = None, replace: dict[str, str] | None = None,
                    addresses: list[str] | None = None) -> Path:
        """Writes the rules file: the model's, or `text`, with this cluster's addresses, or with `addresses` that lead
        to its nodes. Each key of `replace` is a regular expression (multi-line) that must match, and gives way to its
        value."""
        self.port = self.port or free_port()
        self.admin_port = self.admin_port or free_port()
        text = rules_for(text or (MODEL / "shardway.yaml").read_text(), addresses or [node.address for node in self.nodes],
                         f"{HOST}:{self.port}", f"{HOST}:{self.admin_port}", self.tls)
        for pattern, value in (replace or {}).items():
            text, count = re.subn(pattern, lambda _, value=value: value, text, flags=re.M)
            if count == 0:
                raise ClusterError(f"nothing in the rules matches '{pattern}'")
        self.rules_file.write_text(text)
        return self.rules_file

    def run(self, *arguments: str, check: bool = True, **options: object) -> subprocess.CompletedProcess:
        """One command of the shardway binary, to its end: run("check", "--config", …)."""
        done = subprocess.run([str(self.binary), *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, errors="backslashreplace", timeout=300,
                              cwd=self.folder, **options)
        if check and done.returncode != 0:
            raise ClusterError(f"shardway {shlex.join(arguments)} failed ({done.returncode}):\n{done.stdout}{done.stderr}")
        return done

    def apply(self, schema: str | os.PathLike | None = None, *more: str) -> str:
        if not self.rules_file.exists():
            self.write_rules()
        return self.run("apply", "--config", str(self.rules_file), "--schema", str(schema or MODEL / "orders.sql"),
                        *more).stdout

    def start_shardway(self, environment: dict[str, str] | None = None, arguments: list[str] | None = None) -> None:
        """Starts `shardway serve` and waits until it greets. `environment` is added to ours (failpoints)."""
        if not self.rules_file.exists():
            self.write_rules()
        before = self.output.stat().st_size if self.output.exists() else 0
        self.proxy = spawn([str(self.binary), "serve", "--config", str(self.rules_file), *(arguments or [])],
                           self.output, cwd=self.folder, env={**os.environ, **(environment or {})})
        until = time.monotonic() + READY_SECONDS_MAX
        while not greets(self.port):
            if self.proxy.poll() is not None:
                raise ClusterError(f"shardway ended ({self.proxy.returncode}) while it started:\n"
                                   f"{self.said_since(before)}")
            if time.monotonic() > until:
                raise ClusterError(f"shardway did not greet within {READY_SECONDS_MAX} s:\n{self.said_since(before)}")
            time.sleep(0.02)

    def said_since(self, offset: int) -> str:
        return self.output.read_bytes()[offset:].decode("utf-8", "replace") if self.output.exists() else ""

    def stop_shardway(self, how: int = signal.SIGTERM) -> int | None:
        """Its exit status; negative when a signal ended it."""
        if self.proxy is None:
            return None
        end(self.proxy, how, 20)
        status, self.proxy = self.proxy.returncode, None
        return status

    def connect(self, **options: object) -> pymysql.connections.Connection:
        """A client of Shardway: the rules' user app, database shop. PyMySQL's own defaults else (autocommit off)."""
        return pymysql.connect(**{"host": HOST, "port": self.port, "user": "app", "password": "app",
                                  "database": "shop", "charset": "utf8mb4", **options})

    # ---- the general logs -------------------------------------------------------------------------------------------

    def mark(self) -> list[int]:
        """Where all nodes' logs end now."""
        return [node.log_mark() for node in self.nodes]

    def statements_since(self, marks: list[int]) -> dict[str, list[str]]:
        """Node name → what it was told since the mark, in its order; nodes that heard nothing are left out."""
        heard = {node.name: node.statements_since(mark) for node, mark in zip(self.nodes, marks)}
        return {name: statements for name, statements in heard.items() if statements}

    def environment(self) -> dict[str, str]:
        """How a command run before this cluster finds it."""
        found = {
            "SHARDWAY_TEST_KIND": self.kind.name,
            "SHARDWAY_TEST_NODES": ",".join(node.address for node in self.nodes),
            "SHARDWAY_TEST_SOCKETS": ",".join(str(node.socket) for node in self.nodes),
            "SHARDWAY_TEST_USER": USER,
            "SHARDWAY_TEST_PASSWORD": PASSWORD,
            "SHARDWAY_TEST_CLIENT": self.kind.client(),
            "SHARDWAY_TEST_DIR": str(self.folder),
            "SHARDWAY_TEST_RULES": str(self.rules_file),
        }
        if self.port:
            found["SHARDWAY_TEST_ADDRESS"] = f"{HOST}:{self.port}"
            found["SHARDWAY_TEST_ADMIN"] = f"{HOST}:{self.admin_port}"
        return found


def rules_for(text: str, nodes: list[str], mysql: str, admin: str, tls: str = "preferred") -> str:
    """The rules `text`, written for four nodes as the model is, for these nodes: addresses are replaced, `place` lines
    share the slots out evenly, and a node that does not exist here gives way to one that does."""
    lines: list[str] = []
    in_nodes = False
    for line in text.splitlines():
        if re.match(r"nodes:", line):
            in_nodes = True
            lines.append("nodes:")
            lines += [f"  node{index}: {{primary: {address}}}" for index, address in enumerate(nodes)]
            continue
        if in_nodes and re.match(r"\s+\S", line):
            continue
        in_nodes = False
        line = re.sub(r"^(\s+mysql:\s+)[^\s#]+", lambda found: found.group(1) + mysql, line)
        line = re.sub(r"^(\s+admin:\s+)[^\s#{]+:\d+", lambda found: found.group(1) + admin, line)
        line = re.sub(r"^(\s+tls: \{mode: )\w+(\})", lambda found: found.group(1) + tls + found.group(2), line)
        place = re.match(r"(\s+place: )\{(node0: 0-.*?(\d+))\}(.*)", line)
        if place:
            slots = int(place.group(3)) + 1
            line = f"{place.group(1)}{{{even_place(len(nodes), slots)}}}{place.group(4)}"
        else:
            line = re.sub(r"\bnode(\d+)\b", lambda found: f"node{int(found.group(1)) % len(nodes)}", line)
        lines.append(line)
    return "\n".join(lines) + "\n"


def even_place(nodes: int, slots: int, shards: int = 16) -> str:
    """Whole shards of slots / 16 for each node, as even as may be."""
    per_shard = max(slots // shards, 1)
    count = slots // per_shard
    starts = [count * index // nodes * per_shard for index in range(nodes)] + [slots]
    return ", ".join(f"node{index}: {starts[index]}-{starts[index + 1] - 1}" for index in range(nodes)
                     if starts[index] < starts[index + 1])


def greets(port: int) -> bool:
    """A MySQL server speaks first: a length, sequence number 0, protocol version 10."""
    try:
        with socket.create_connection((HOST, port), 1) as connection:
            connection.settimeout(2)
            greeting = connection.recv(5)
            return len(greeting) == 5 and greeting[3:] == b"\x00\x0a"
    except OSError:
        return False


def leave(number: int, _: object) -> None:
    raise SystemExit(128 + number)


def sweep(parent: Path) -> None:
    """Takes away folders of clusters whose process was killed: nobody holds their lock any more."""
    for folder in parent.glob(PREFIX + "*"):
        try:
            with open(folder / "lock") as lock:
                if time.time() - os.fstat(lock.fileno()).st_mtime < 60:
                    continue  # perhaps just made, and not yet locked
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            continue
