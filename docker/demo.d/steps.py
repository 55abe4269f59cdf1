"""What the demo says while it works: numbered steps with their time, a progress bar, and what to do when one fails."""
from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path

BAR_WIDTH = 30
TAIL_LINES = 25
REDRAW_SECONDS = 0.1      # of a bar on a terminal
LINE_PERCENT = 20         # elsewhere a line each so many percent


class Failed(Exception):
    """A step failed. `advice` says what the user can do; `log` is a file whose end tells why."""

    def __init__(self, text: str, advice: str, log: Path | None = None):
        super().__init__(text)
        self.advice = advice
        self.log = log


class Steps:
    """The steps of one run. `first` is the number the next step gets, `count` that of the last."""

    def __init__(self, first: int, count: int):
        self.number = first - 1
        self.count = count

    def step(self, name: str, what: str) -> "Step":
        self.number += 1
        return Step(f"[{self.number}/{self.count}] {name:<9} {what}")


class Step:
    """One step: `with steps.step("build", "…") as step: step.progress(3, 10)`. Its line ends with how long it took."""

    def __init__(self, title: str):
        self.title = title
        self.note = ""
        self.terminal = sys.stdout.isatty()
        self.drawn = 0.0
        self.percent = 0
        self.bar = ""

    def __enter__(self) -> "Step":
        self.begin = time.monotonic()
        print(self.title, end="" if self.terminal else "\n", flush=True)
        return self

    def progress(self, done: int, total: int, what: str = "") -> None:
        now = time.monotonic()
        percent = 100 * done // max(total, 1)
        filled = BAR_WIDTH * done // max(total, 1)
        self.bar = f"[{'#' * filled}{'.' * (BAR_WIDTH - filled)}] {percent:3d} % {what}".rstrip()
        if self.terminal:
            if now - self.drawn >= REDRAW_SECONDS or done >= total:
                self.drawn = now
                width = shutil.get_terminal_size().columns - 1
                print("\r\x1b[K" + f"{self.title} {self.bar}"[:width], end="", flush=True)
        elif percent >= self.percent + LINE_PERCENT or (done >= total and self.percent < 100):
            self.percent = percent // LINE_PERCENT * LINE_PERCENT
            print(f"      {self.bar} after {now - self.begin:.0f} s", flush=True)

    def __exit__(self, kind: object, *_: object) -> None:
        seconds = f"{time.monotonic() - self.begin:.1f} s"
        outcome = "done" if kind is None else "stopped" if kind in (KeyboardInterrupt, SystemExit) else "FAILED"
        note = f"; {self.note}" if self.note and kind is None else ""
        if self.terminal:
            print(f"\r\x1b[K{self.title}: {outcome} after {seconds}{note}", flush=True)
        else:
            print(f"      {outcome} after {seconds}{note}", flush=True)


def tail(file: Path, lines: int = TAIL_LINES) -> str:
    try:
        return "\n".join(file.read_text(errors="replace").splitlines()[-lines:])
    except OSError:
        return ""


def complain(problem: Failed) -> None:
    print(f"\ndemo: {problem}", file=sys.stderr)
    if problem.log and tail(problem.log):
        print(f"\nThe end of {problem.log}:\n{tail(problem.log)}", file=sys.stderr)
    print(f"\nWhat to do: {problem.advice}", file=sys.stderr)


def run_logged(command: list[str], log: Path, problem: str, advice: str, **options: object) -> None:
    """Runs a command whose output goes to `log`, to its end."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with open(log, "w") as file:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT, **options)
    if done.returncode != 0:
        raise Failed(f"{problem} ({command[0]} ended with {done.returncode})", advice, log)
