"""What integration tests share: the Context each test gets, and checks that say what they saw.

A test file is <name>_test.py. Its functions test_* take the Context and fail by an exception. It may say
    RULES = {"regular expression": "replacement"}   changes to the model's rules for its Shardway
    SCHEMA = "CREATE TABLE …"                        a schema of its own instead of the model's
    RULES_TEXT = "version: 1 …"                       rules of its own instead of the model's
    RELAYS = True                                    a Relay before each node: context.relays
    def prepare(context)                             runs once, when Shardway serves
"""
from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Callable, Iterator

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cluster"))

import pymysql  # noqa: E402

from cluster import MODEL, Cluster  # noqa: E402,F401
from mysql_tree import Lock, cache_dir, mysql_tree  # noqa: E402


class Skipped(Exception):
    """The test cannot run here, for the reason given. Never raised in CI."""


class Context:
    """One test file's view: the cluster with Shardway serving before it."""

    def __init__(self, cluster: Cluster, binary: Path, relays: list):
        self.cluster = cluster
        self.relays = relays
        self.binary = binary
        self.kind = cluster.kind.name
        self.direct = cluster.binary is None  # no Shardway: the test itself is tried on one server

    @property
    def nodes(self):
        return self.cluster.nodes

    @property
    def port(self) -> int:
        return self.cluster.port

    def connect(self, **options: object) -> pymysql.connections.Connection:
        return self.cluster.connect(**options)

    @contextlib.contextmanager
    def client(self, **options: object) -> Iterator["Client"]:
        connection = self.connect(**{"autocommit": True, **options})
        try:
            yield Client(connection)
        finally:
            with contextlib.suppress(Exception):
                connection.close()

    def query(self, statement: str, **options: object) -> list[tuple]:
        with self.client(**options) as client:
            return client.query(statement)

    # Where the model's rules put a user: 256 slots, 16 shards, four nodes.
    @staticmethod
    def slot_of(user: int) -> int:
        return zlib.crc32(str(user).encode()) % 256

    def shard_of(self, user: int) -> str:
        return f"shop_{self.slot_of(user) // 16:02}"

    def node_of(self, user: int) -> str:
        return f"node{self.slot_of(user) // 64}"

    def users_on(self, node: str, count: int, start: int = 1) -> list[int]:
        """The first users from `start` on that live on this node."""
        found: list[int] = []
        while len(found) < count:
            if self.node_of(start) == node:
                found.append(start)
            start += 1
        return found

    def sent(self, work: Callable[[], object]) -> dict[str, list[str]]:
        """What each node was told while `work` ran; nodes that heard nothing are left out, and so is the upkeep of
        connections (logins, session state)."""
        marks = self.cluster.mark()
        work()
        heard = self.cluster.statements_since(marks)
        kept = {name: [text for text in texts if not UPKEEP.match(text)] for name, texts in heard.items()}
        return {name: texts for name, texts in kept.items() if texts}

    def cli(self, program: str, *arguments: str, statement: str = "", check: bool = True) -> subprocess.CompletedProcess:
        """A command line client against Shardway, as user app in database shop unless the arguments say otherwise."""
        command = [program, "-h127.0.0.1", f"-P{self.port}", *arguments]
        if program.endswith("mariadb"):
            command.insert(1, "--no-defaults")
        if statement:
            command += ["-e", statement]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        if check and done.returncode != 0:
            raise AssertionError(f"{' '.join(command)} failed ({done.returncode}):\n{done.stdout}{done.stderr}")
        return done

    @staticmethod
    def mysql_client() -> str:
        """MySQL's own command line client, of the unpacked tree."""
        return str(mysql_tree() / "bin" / "mysql")

    @staticmethod
    def build_go(name: str) -> str:
        """The program tests/clients/go as an executable; built once per run of the sources."""
        go = shutil.which("go") or shutil.which("/usr/lib/go/bin/go")
        if not go or not Path("/usr/share/gocode/src/github.com/go-sql-driver/mysql").exists():
            raise Skipped("go or golang-github-go-sql-driver-mysql-dev is not installed")
        source = HERE.parent / "clients" / "go" / "main.go"
        folder = cache_dir() / "go"
        folder.mkdir(exist_ok=True)
        program = folder / f"{name}-{zlib.crc32(source.read_bytes()):08x}"
        with Lock(folder / "lock"):
            if not program.exists():
                environment = {**os.environ, "GO111MODULE": "off", "GOPATH": "/usr/share/gocode", "GOFLAGS": "",
                               "GOCACHE": str(folder / "build")}
                done = subprocess.run([go, "build", "-o", f"{program}.new", str(source)], capture_output=True, text=True,
                                      env=environment, timeout=300, cwd=folder)
                if done.returncode != 0:
                    raise AssertionError(f"go build failed:\n{done.stdout}{done.stderr}")
                os.rename(f"{program}.new", program)
        return str(program)


# Statements that bring a backend connection into a session's state; not counted as the statement's own.
UPKEEP = re.compile(r"(?i)\s*(SET\s|USE\s|SELECT\s+@@|SHOW\s+VARIABLES|KILL\s)")


class Client:
    """One connection, with the checks tests need."""

    def __init__(self, connection: pymysql.connections.Connection):
        self.connection = connection
        self.affected = 0
        self.last_id = 0

    def query(self, statement: str, *parameters: object) -> list[tuple]:
        with self.connection.cursor() as cursor:
            self.affected = cursor.execute(statement, parameters or None)
            self.last_id = cursor.lastrowid
            return list(cursor.fetchall())

    def one(self, statement: str, *parameters: object) -> object:
        rows = self.query(statement, *parameters)
        equal(len(rows), 1, f"rows of {statement}")
        return rows[0][0]

    def error(self, statement: str, *parameters: object) -> tuple[int, str]:
        return error_of(lambda: self.query(statement, *parameters), statement)


def error_of(work: Callable[[], object], what: str = "it") -> tuple[int, str]:
    """Number and text of the error `work` must end with."""
    try:
        answer = work()
    except pymysql.err.MySQLError as error:
        return error.args[0], error.args[1] if len(error.args) > 1 else ""
    raise AssertionError(f"{what} was answered with {answer!r}, where an error was expected")


def equal(seen: object, expected: object, what: str = "the value") -> None:
    if seen != expected:
        raise AssertionError(f"{what} is\n  {seen!r}\nexpected\n  {expected!r}")


def holds(condition: object, what: str) -> None:
    if not condition:
        raise AssertionError(what)


def contains(text: str, part: str) -> None:
    if part not in text:
        raise AssertionError(f"{text!r} does not contain {part!r}")


def in_ci() -> bool:
    return bool(os.environ.get("CI"))
