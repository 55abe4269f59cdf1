"""What integration tests share: the Context each test gets, and checks that say what they saw.

A test file is <name>_test.py. Its functions test_* take the Context and fail by an exception. It may say
    RULES = {"regular expression": "replacement"}   changes to the model's rules for its Shardway
    SCHEMA = "CREATE TABLE …"                        a schema of its own instead of the model's
    FRESH_SERVERS = True                             it stops or breaks servers: they are started anew for it
    def prepare(context)                             runs once, when Shardway serves
"""
from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Callable, Iterator

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cluster"))

import pymysql  # noqa: E402

from cluster import Cluster  # noqa: E402


class Skipped(Exception):
    """The test cannot run here, for the reason given. Never raised in CI."""


class Context:
    """One test file's view: the cluster with Shardway serving before it."""

    def __init__(self, cluster: Cluster, binary: Path):
        self.cluster = cluster
        self.binary = binary
        self.kind = cluster.kind.name

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


# Statements that bring a backend connection into a session's state; not counted as the statement's own.
UPKEEP = re.compile(r"(?i)\s*(SET\s|SELECT\s+@@|SHOW\s+VARIABLES|KILL\s)")


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
