"""The two kinds of server and one running server of either kind, a Node."""
from __future__ import annotations

import ctypes
import datetime
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import pymysql

from mysql_tree import Lock, cache_dir, mysql_tree

HOST = "127.0.0.1"
USER = "shardway"      # the backend user: all rights, from any host
PASSWORD = "shardway"
READY_SECONDS_MAX = 90
LOG_TAIL_LINES = 40
TEMPLATE_LAYOUT = 3    # part of the name of a template; raise it when what goes into one changes


class ClusterError(Exception):
    """A server or Shardway did not do what was expected; the text holds what it said."""


def free_port() -> int:
    """A port nobody has now, from below the range the kernel gives to outgoing connections: a node that is down for a
    while finds its port free when it returns. Two runs may still pick the same; who loses starts again with another."""
    try:
        low = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    except OSError:
        low = 0
    for _ in range(200):
        port = random.randrange(12000, low) if low > 13000 else 0
        with socket.socket() as probe:
            try:
                probe.bind((HOST, port))
            except OSError:
                continue
            return probe.getsockname()[1]
    raise ClusterError("no free port was found")


_libc = ctypes.CDLL(None, use_errno=True)


def end_with_parent() -> None:
    """Runs in the child: it ends when we do, even when we are killed."""
    PR_SET_PDEATHSIG = 1
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def spawn(command: list[str], output: Path, **options: object) -> subprocess.Popen:
    """Starts a child in a group of its own, so that Ctrl-C reaches us alone and we end our children in order. Call it
    on the main thread: end_with_parent goes by the thread that started the child."""
    with open(output, "ab") as file:
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT,
                                start_new_session=True, preexec_fn=end_with_parent, **options)


def tail(file: Path, lines: int = LOG_TAIL_LINES) -> str:
    try:
        return "\n".join(file.read_text(errors="replace").splitlines()[-lines:])
    except OSError:
        return "(it said nothing)"


def end(process: subprocess.Popen, how: int, seconds: float) -> None:
    if process.poll() is not None:
        return
    process.send_signal(how)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


class MariaDb:
    name = "mariadb"

    def version(self) -> str:
        if not shutil.which("mariadbd", path=self.path()):
            raise ClusterError("mariadbd is not installed (package mariadb-server-core)")
        said = subprocess.run([self.program("mariadbd"), "--version"], capture_output=True, text=True).stdout
        return re.search(r"Ver (\S+?)-MariaDB", said).group(1)

    @staticmethod
    def path() -> str:
        return os.environ.get("PATH", "") + ":/usr/sbin:/usr/bin"

    def program(self, name: str) -> str:
        return shutil.which(name, path=self.path()) or name

    def initialise(self, data: Path, output: Path) -> None:
        initialise([self.program("mariadb-install-db"), "--no-defaults", f"--datadir={data}",
                    "--auth-root-authentication-method=normal", "--skip-test-db", *as_root("mysql_user")], output)

    def server(self) -> list[str]:
        return [self.program("mariadbd"), "--no-defaults", *as_root("user"), "--innodb-log-file-size=16M",
                "--plugin-maturity=unknown"]

    def client(self) -> str:
        """The command line client that belongs to this kind of server."""
        return self.program("mariadb")


class MySql:
    name = "mysql"

    def version(self) -> str:
        return mysql_tree().name.split("-", 1)[1]

    def program(self, name: str) -> str:
        return str(mysql_tree() / "bin" / name)

    def initialise(self, data: Path, output: Path) -> None:
        initialise([self.program("mysqld"), "--initialize-insecure", f"--datadir={data}", *as_root("user"),
                    "--innodb-redo-log-capacity=32M"], output)

    def server(self) -> list[str]:
        return [self.program("mysqld"), *as_root("user"), "--mysqlx=0", "--performance-schema=OFF",
                "--innodb-redo-log-capacity=32M", "--gtid-mode=ON", "--enforce-gtid-consistency=ON"]

    def client(self) -> str:
        return self.program("mysql")


KINDS = {"mariadb": MariaDb(), "mysql": MySql()}


def as_root(option: str) -> list[str]:
    if os.geteuid() != 0:
        return []
    return [f"--{option.replace('mysql_user', 'user')}=root"]


def initialise(command: list[str], output: Path) -> None:
    with open(output, "ab") as file:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        raise ClusterError(f"{command[0]} failed ({done.returncode}):\n{tail(output)}")


@dataclass
class LoggedStatement:
    thread: int      # the server's connection id
    command: str     # Query, Connect, Init DB, Prepare, Execute, Quit, …
    text: str


@dataclass
class Node:
    """One server in a folder of its own. Started, stopped, killed and started again any number of times."""
    kind: MariaDb | MySql
    folder: Path
    name: str
    index: int
    durable: bool = False
    general_log: bool = False
    port: int = 0
    options: list[str] = field(default_factory=list)
    process: subprocess.Popen | None = None

    @property
    def address(self) -> str:
        return f"{HOST}:{self.port}"

    @property
    def socket(self) -> Path:
        return self.folder / "socket"

    @property
    def output(self) -> Path:
        return self.folder / "output"

    def start(self) -> None:
        """Starts the process; wait_ready() must follow. A port once taken is kept."""
        self.port = self.port or free_port()
        relaxed = [] if self.durable else [
            # 2, not 0: what is committed is with the kernel, and so survives kill().
            "--innodb-flush-log-at-trx-commit=2", "--sync-binlog=0", "--innodb-doublewrite=OFF",
            "--innodb-flush-method=nosync"]
        command = [*self.kind.server(), f"--datadir={self.folder / 'data'}", f"--socket={self.socket}",
                   f"--port={self.port}", f"--bind-address={HOST}", f"--pid-file={self.folder / 'pid'}",
                   f"--tmpdir={self.folder}", "--skip-name-resolve", "--innodb-buffer-pool-size=64M",
                   "--max-connections=600", f"--server-id={self.index + 1}", "--log-bin=binlog",
                   "--binlog-format=ROW", "--general-log-file=general.log",
                   f"--general-log={int(self.general_log)}", "--log-output=FILE", *relaxed, *self.options]
        self.process = spawn(command, self.output, cwd=self.folder)

    def wait_ready(self) -> None:
        until = time.monotonic() + READY_SECONDS_MAX
        while True:
            if self.process is None or self.process.poll() is not None:
                raise ClusterError(f"{self.name} ({self.kind.name}) ended while it started:\n{tail(self.output)}")
            try:
                with self.connect(connect_timeout=2):
                    return
            except (pymysql.err.OperationalError, OSError) as error:
                if time.monotonic() > until:
                    raise ClusterError(f"{self.name} ({self.kind.name}) was not ready after {READY_SECONDS_MAX} s: "
                                       f"{error}; it said:\n{tail(self.output)}") from None
            time.sleep(0.05)

    def connect(self, **options: object) -> pymysql.connections.Connection:
        """A connection as the backend user, past Shardway. By the unix socket, where full authentication needs no
        TLS; autocommit is on."""
        return pymysql.connect(**{"unix_socket": str(self.socket), "user": USER, "password": PASSWORD,
                                  "charset": "utf8mb4", "autocommit": True, **options})

    def query(self, statement: str, *parameters: object) -> list[tuple]:
        with self.connect() as connection, connection.cursor() as cursor:
            cursor.execute(statement, parameters or None)
            return list(cursor.fetchall())

    def running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def stop(self) -> None:
        """A clean end, as an operator's."""
        if self.process:
            end(self.process, signal.SIGTERM, 60)

    def kill(self) -> None:
        """As a crash ends it."""
        if self.process:
            end(self.process, signal.SIGKILL, 10)

    def restart(self) -> None:
        """Starts it again, on the same port, and waits until it serves."""
        self.start()
        self.wait_ready()

    # The general log: what the server was told, in its order.

    def log_mark(self) -> int:
        """Where the log ends now; statements_since() reads on from here. The log must be on (general_log=True)."""
        file = self.folder / "data" / "general.log"
        return file.stat().st_size if file.exists() else 0

    def logged_since(self, mark: int) -> list[LoggedStatement]:
        file = self.folder / "data" / "general.log"
        if not file.exists():
            return []
        with open(file, "rb") as log:
            log.seek(mark)
            return parse_general_log(log.read().decode("utf-8", "replace"))

    def statements_since(self, mark: int) -> list[str]:
        """The statements since the mark (Query and Execute), one by one: MariaDB logs a command of several whole."""
        return [text for entry in self.logged_since(mark) if entry.command in ("Query", "Execute")
                for text in split_statements(entry.text)]


# MySQL: "2026-11-30T20:00:00.123456Z\t    8 Query\tSELECT 1"; MariaDB: "261130 20:00:00\t     8 Query\tSELECT 1", and
# "\t\t     8 Query\t…" within the same second. Other lines belong to the statement above.
LOG_ENTRY = re.compile(r"^(?:\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)\t|\d{6} [ \d]\d:\d\d:\d\d\t|\t\t) *(\d+) "
                       r"([A-Z][A-Za-z]+(?: [A-Za-z]+)*)(?:\t|$)", re.M)


def parse_general_log(text: str) -> list[LoggedStatement]:
    entries = list(LOG_ENTRY.finditer(text))
    ends = [entry.start() for entry in entries[1:]] + [len(text)]
    return [LoggedStatement(int(entry.group(1)), entry.group(2), text[entry.end():until].rstrip("\n"))
            for entry, until in zip(entries, ends)]


STATEMENT_PART = re.compile(r"""'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*"|`[^`]*`|/\*.*?\*/|[^;'"`/]+|[/'"`]""", re.S)


def split_statements(text: str) -> list[str]:
    """At each `;` that stands outside of strings, names and comments."""
    statements, at = [""], 0
    while at < len(text):
        part = STATEMENT_PART.match(text, at)
        if part:
            statements[-1] += part.group()
            at = part.end()
        else:
            statements.append("")
            at += 1
    return [statement.strip() for statement in statements if statement.strip()]


# Templates: a data directory with the users made, so that a start is a copy.

USERS_SQL = [
    f"CREATE USER '{USER}'@'%' IDENTIFIED BY '{PASSWORD}'",
    f"GRANT ALL PRIVILEGES ON *.* TO '{USER}'@'%' WITH GRANT OPTION",
]


def template(kind: MariaDb | MySql) -> Path:
    folder = cache_dir() / f"data-{kind.name}-{kind.version()}-{os.geteuid()}-{TEMPLATE_LAYOUT}"
    if folder.exists():
        return folder
    with Lock(cache_dir() / f"data-{kind.name}.lock"):
        if not folder.exists():
            make_template(kind, folder)
    return folder


def make_template(kind: MariaDb | MySql, folder: Path) -> None:
    work = Path(tempfile.mkdtemp(prefix="shardway-template-"))
    node = Node(kind, work, "template", 0)
    try:
        kind.initialise(work / "data", work / "output")
        node.start()
        until = time.monotonic() + READY_SECONDS_MAX
        while True:
            try:
                root = node.connect(user="root", password="")
                break
            except (pymysql.err.OperationalError, OSError) as error:
                if not node.running() or time.monotonic() > until:
                    raise ClusterError(f"{kind.name} did not start ({error}):\n{tail(node.output)}") from None
                time.sleep(0.05)
        with root, root.cursor() as cursor:
            # Anonymous users would take the logins of every other user from this host.
            cursor.execute("SELECT host FROM mysql.user WHERE user = ''")
            for (host,) in cursor.fetchall():
                cursor.execute(f"DROP USER ''@'{host}'")
            for statement in USERS_SQL:
                cursor.execute(statement)
        node.stop()
        for file in [*(work / "data").glob("binlog.*"), *(work / "data").glob("auto.cnf"),
                     *(work / "data").glob("general.log"), *(work / "data").glob("*.err")]:
            file.unlink()
        unfinished = folder.with_name(f".{folder.name}.{os.getpid()}")
        shutil.rmtree(unfinished, ignore_errors=True)
        copy_tree(work / "data", unfinished)
        unfinished.rename(folder)
    finally:
        node.kill()
        shutil.rmtree(work, ignore_errors=True)


def copy_tree(source: Path, target: Path) -> None:
    subprocess.run(["cp", "-a", "--reflink=auto", "--sparse=always", str(source), str(target)], check=True)


def now() -> str:
    return datetime.datetime.now().strftime("%H:%M:%S")
