"""The demo in containers: an image of Shardway built from source, four MySQL servers, by docker compose v1 or v2."""
from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import time
from pathlib import Path

import pymysql

import data
from ports import ADMIN_FIRST, ADMIN_LAST, HOST, chosen, first_free
from steps import Failed, Step, Steps, run_logged

ROOT = Path(__file__).resolve().parent.parent.parent
COMPOSE_FILE = ROOT / "docker" / "compose.yaml"
PROJECT = "shardway-demo"
IMAGE = "shardway:demo"
BUILD_STAGE = "org.shardway.stage=build"  # label of what the image was built in
UP_SECONDS_MAX = 300
LOOK_SECONDS = 1.0
DOWN_TRIES_MAX = 3
FILLED = "demo_filled"                    # the row of t_setting that says the data was loaded to its end


def run(arguments: argparse.Namespace) -> int:
    demo = ComposeDemo(arguments)
    if arguments.remove:
        return demo.remove()
    steps = Steps(2, 4)
    demo.build(steps)
    try:
        demo.up(steps)
        demo.fill(steps)
        demo.invite()
        demo.watch()
    except (KeyboardInterrupt, SystemExit):
        print("\nstopping and removing the containers", flush=True)
    finally:
        demo.down()
    print("all stopped; the data stays in docker volumes for the next run. docker/demo --compose --remove takes them and the "
          "image away too")
    return 0


class ComposeDemo:
    def __init__(self, arguments: argparse.Namespace):
        self.arguments = arguments
        self.image = arguments.image or IMAGE
        self.logs = Path(arguments.folder).absolute() / "logs"
        self.logs.mkdir(parents=True, exist_ok=True)
        self.compose = find_compose()
        self.port = self.admin_port = 0

    def environment(self) -> dict[str, str]:
        return {**os.environ, "SHARDWAY_IMAGE": self.image, "SHARDWAY_PORT": str(self.port or 3306),
                "SHARDWAY_ADMIN_PORT": str(self.admin_port or 9306)}

    def command(self, *arguments: str) -> list[str]:
        return [*self.compose, "-p", PROJECT, "-f", str(COMPOSE_FILE), *arguments]

    def answer(self, *arguments: str) -> str:
        done = subprocess.run(self.command(*arguments), env=self.environment(), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        return done.stdout

    # ---- the steps --------------------------------------------------------------------------------------------------

    def build(self, steps: Steps) -> None:
        log = self.logs / "image"
        if self.arguments.image:
            steps.number += 1
            return
        with steps.step("image", f"{IMAGE} from source, by docker build (some minutes, the first time)") as step:
            build_image(log, step)
            step.note = f"{image_megabytes()} MB"

    def up(self, steps: Steps) -> None:
        image = os.environ.get("SHARDWAY_MYSQL_IMAGE") or "mysql:8.4"
        self.down()  # what a run that was killed left behind
        self.port, self.admin_port = chosen(self.arguments.port), first_free(ADMIN_FIRST, ADMIN_LAST)
        if self.arguments.fresh:
            self.down("-v")
        with steps.step("up", f"four {image} servers, the schema by shardway apply, Shardway before them") as step:
            # Compose v1 asks before it starts an image that it finds changed; v2 has no such question.
            run_logged(self.command("up", "-d", "--no-build"), self.logs / "up", "docker compose could not start it",
                       f"read the lines above; SHARDWAY_MYSQL_IMAGE names another image than {image}, such as one this "
                       "machine has", env=self.environment())
            self.await_health(step)

    def await_health(self, step: Step) -> None:
        until = time.monotonic() + UP_SECONDS_MAX
        while True:
            states = self.states()
            healthy = [name for name, state in states.items() if state == "healthy"]
            step.progress(len(healthy), 5, "healthy")
            if len(healthy) == 5:
                return
            ended = [name for name, state in states.items() if state.startswith(("exited", "dead")) and state != "exited 0"]
            if ended or time.monotonic() > until:
                (self.logs / "containers").write_text(self.answer("logs", "--no-color", "--tail", "40"))
                what = ", ".join(f"{name} is {state}" for name, state in sorted(states.items()) if name not in healthy)
                raise Failed(f"not all containers are healthy: {what}", "read what they said; "
                             "docker/demo --compose --remove, and then again, starts with empty servers",
                             self.logs / "containers")
            time.sleep(LOOK_SECONDS)

    def states(self) -> dict[str, str]:
        """Service → healthy, running, "exited 1", …"""
        containers = self.answer("ps", "-a", "-q").split() or self.answer("ps", "-q").split()
        if not containers:
            return {}
        said = subprocess.run(["docker", "inspect", *containers], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        found = {}
        for container in json.loads(said.stdout or "[]"):
            state = container["State"]
            name = container["Config"]["Labels"].get("com.docker.compose.service", container["Name"])
            if state["Status"] == "running":
                found[name] = state.get("Health", {}).get("Status", "running")
            else:
                found[name] = f"{state['Status']} {state['ExitCode']}"
        return found

    def fill(self, steps: Steps) -> None:
        with steps.step("load", f"{data.USERS:,} users and {data.ORDERS:,} orders with their items, through Shardway") as step:
            filled = self.filled()
            if filled == data.VERSION:
                step.note = "they are there from the run before"
                return
            try:
                if filled is not None:
                    raise Failed("the volumes hold data of a run that did not come to its end, or of an older demo",
                                 "docker/demo --compose --fresh starts with empty servers")
                self.tell(f"INSERT INTO shop.t_setting VALUES ('{FILLED}', 'not yet')")
                data.load(self.client, lambda done, total: step.progress(done, total, "orders"))
                self.tell(f"UPDATE shop.t_setting SET value = '{data.VERSION}' WHERE name = '{FILLED}'")
            except pymysql.err.MySQLError as problem:
                raise Failed(f"an INSERT was refused: {problem}", "run the demo again with --fresh; if it fails again, this is "
                             "a bug worth reporting") from None

    def client(self) -> pymysql.connections.Connection:
        return pymysql.connect(host=HOST, port=self.port, user="app", password="app", database="shop", charset="utf8mb4",
                               autocommit=True, ssl={"check_hostname": False}, read_timeout=data.STATEMENT_SECONDS_MAX)

    def tell(self, statement: str) -> list[tuple]:
        with self.client() as connection, connection.cursor() as cursor:
            cursor.execute(statement)
            return list(cursor.fetchall())

    def filled(self) -> str | None:
        rows = self.tell(f"SELECT value FROM shop.t_setting WHERE name = '{FILLED}'")
        return rows[0][0] if rows else None

    def invite(self) -> None:
        print(f"\nShardway listens on {HOST}:{self.port}, database shop, user app, password app. Try it with any MySQL client:\n")
        print(f"  mysql -h{HOST} -P{self.port} -uapp -papp shop")
        data.print_try()
        print(f"\nMetrics: /metrics on port {self.admin_port}. Ctrl-C ends all of it.", flush=True)

    def watch(self) -> None:
        while True:
            time.sleep(LOOK_SECONDS * 2)
            state = self.states().get("shardway", "gone")
            if state.startswith(("exited", "dead", "gone")):
                (self.logs / "containers").write_text(self.answer("logs", "--no-color", "--tail", "40"))
                raise Failed(f"the container of Shardway is {state}", "read what it said; this is a bug worth reporting",
                             self.logs / "containers")

    # ---- the end ----------------------------------------------------------------------------------------------------

    def down(self, *more: str) -> None:
        log = self.logs / "down"
        for _ in range(DOWN_TRIES_MAX):  # the daemon of a busy machine may say "cannot stop container", and then has
            with open(log, "w") as file:
                # A session of its own: Ctrl-C, and Ctrl-C once more, must not stop this half-way.
                done = subprocess.run(self.command("down", "--remove-orphans", *more), env=self.environment(), stdout=file,
                                      stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT, start_new_session=True)
            if done.returncode == 0:
                return
        raise Failed(f"docker compose could not end it ({done.returncode})",
                     f"docker ps shows what runs; {' '.join(self.command('down'))} ends it", log)

    def remove(self) -> int:
        self.down("-v")
        subprocess.run(["docker", "image", "rm", "-f", IMAGE], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        subprocess.run(["docker", "image", "prune", "-f", "--filter", f"label={BUILD_STAGE}"], stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        print("removed: containers, network, volumes, the image and what it was built in")
        return 0


def find_compose() -> list[str]:
    advice = "on Debian: apt-get install docker.io docker-compose, and start the daemon"
    if not shutil.which("docker"):
        raise Failed("docker is not installed", advice)
    asked = subprocess.run(["docker", "info", "--format", "{{.ServerVersion}}"], capture_output=True, text=True)
    if asked.returncode != 0 or not asked.stdout.strip():
        raise Failed(f"the docker daemon does not answer: {(asked.stderr or asked.stdout).strip()}",
                     "start it (systemctl start docker), and be root or in the group docker")
    for command in (["docker", "compose"], ["docker-compose"]):
        try:
            said = subprocess.run([*command, "version", "--short"], capture_output=True, text=True)
        except FileNotFoundError:
            continue
        if said.returncode == 0:
            return command
    raise Failed("neither `docker compose` nor `docker-compose` is there", advice)


def build_image(log: Path, step: Step) -> None:
    with open(log, "w") as file:
        docker = subprocess.Popen(["docker", "build", "-t", IMAGE, "-f", str(ROOT / "docker" / "Dockerfile"), str(ROOT)],
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  errors="replace")
        try:
            for line in docker.stdout:
                file.write(line)
                # "Step 3/17" of the classic builder, "[5/40] Building" of ninja inside it or of BuildKit.
                if found := re.search(r"^Step (\d+)/(\d+)|(?:^|\s)\[(\d+)/(\d+)\] (?:Building|Linking)", line):
                    done, total = [int(part) for part in found.groups() if part]
                    step.progress(done, total, "steps" if found.group(1) else "files")
        finally:
            if docker.poll() is None:
                docker.terminate()
                docker.wait()
    if docker.returncode != 0:
        raise Failed("the image could not be built", "read the lines above: the build needs the network (a base image, Debian's "
                     "packages) and 2 GB of memory. The next run goes on where this one ended", log)


def image_megabytes() -> int:
    said = subprocess.run(["docker", "image", "inspect", "--format", "{{.Size}}", IMAGE], capture_output=True, text=True)
    return int(said.stdout or 0) // 1_000_000
