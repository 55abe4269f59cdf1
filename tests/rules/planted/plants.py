"""What a planted fault is, how `shardway check` is asked about it, and when it counts as found."""
from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

CLEAN, FINDINGS, WRONG = 0, 1, 2  # what check exits with


@dataclass
class Plant:
    clause: str
    name: str
    words: list[str]       # each must be in one and the same finding, whatever the case; "a|b" wants either
    work: Callable         # static: (Model) -> None; live: a generator (Fleet) -> damage, yield, mend
    in_notes: bool = False


@dataclass
class Verdict:
    """What check said: by --json, and in plain text."""
    status: int
    findings: list[str]
    notes: list[str]
    hollow: list[str]      # findings that don't say what is expected
    output: str

    def has(self, plant: Plant) -> str | None:
        """The first finding that holds all of the plant's words."""
        for line in self.notes if plant.in_notes else self.findings:
            if all(any(form.lower() in line.lower() for form in word.split("|")) for word in plant.words):
                return line
        return None


def check(binary: Path, folder: Path, rules: Path, *options: str) -> Verdict:
    """Runs check twice, for programs and for people; both must agree."""
    def run(*more: str) -> subprocess.CompletedProcess:
        return subprocess.run([str(binary), "check", "--config", str(rules), *options, *more], cwd=folder, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)

    done, plain = run("--json"), run()
    output = done.stdout + done.stderr
    if plain.returncode != done.returncode:
        output += f"\nwith --json it exits with {done.returncode}, without with {plain.returncode}: {plain.stdout}{plain.stderr}"
        return Verdict(-1, [], [], [], output)
    try:
        said = json.loads(done.stdout)
    except ValueError:
        return Verdict(done.returncode, [], [], [], output)
    findings = [text_of(entry) for entry in said["findings"] + said["schema_problems"]]
    if said["clean"] != (not findings) or said["clean"] != (done.returncode == CLEAN):
        return Verdict(-1, [], [], [], f"clean is {said['clean']}, the exit status {done.returncode}: {output}")
    hollow = [text_of(entry) for entry in said["findings"] if not entry.get("expected")]
    return Verdict(done.returncode, findings, said["notes"], hollow, output)


def text_of(entry: object) -> str:
    if isinstance(entry, str):
        return entry
    return "; ".join(str(value) for value in entry.values())


class Table:
    """Prints what became of each plant, and counts."""

    def __init__(self) -> None:
        self.found = self.missed = 0

    def row(self, plant: Plant, verdict: Verdict) -> None:
        line = verdict.has(plant)
        good = line is not None and (plant.in_notes or verdict.status == FINDINGS) and not verdict.hollow
        self.found += good
        self.missed += not good
        others = len(verdict.notes if plant.in_notes else verdict.findings) - 1
        beside = f"  (and {others} more)" if good and others else ""
        print(f"{'found ' if good else 'MISSED'}  {plant.clause:26} {plant.name}{beside}", flush=True)
        if verdict.hollow:
            print("        without what to do: " + "\n        ".join(verdict.hollow))
        if not good:
            print(f"        wanted {plant.words}, got {verdict.status}: {verdict.output.strip()[:3000]}")

    def fact(self, what: str, holds: bool, said: str = "") -> None:
        """Something beside the plants that must hold."""
        self.found += holds
        self.missed += not holds
        print(f"{'ok    ' if holds else 'FAILED'}  {what}" + ("" if holds else f"\n        {said.strip()[:3000]}"), flush=True)
