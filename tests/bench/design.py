"""The whole line of interface design, from an empty library: python -m tests.bench.design [--chance
N] [--requests N].

The starter model asks itself requests over the project's own sample tables; the job is killed with
SIGKILL among them and again among its trials, and gone on with. Then a question that nobody asked
before is put to an empty library and to the one that was made; truth is computed here. Each claim
that does not hold is named, and the exit status is 1.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from app.data.design.definition import State
from app.data.library.entry import LibraryEntry

if TYPE_CHECKING:
    from app.data.design.definition import Definition

SAMPLES = ("us_macro.csv", "tables/gdp.csv", "tables/cpi.csv", "tables/shares.csv")
OTHER = "Cedar"  # a company no request of a design is about
REQUESTS, INTERFACES = 50, 10
SHAPES = ("drawdown", "longest_rise")  # whose truth is computed here
PHASES = {
    "Asking": "asks itself",
    "Defining": "defines",
    "Merging": "merges",
    "Trying": "tries out",
}


class Run:
    """A design in a data folder of its own, by the installed command. seconds: of each phase, by
    its first word.
    """

    def __init__(self, home: Path) -> None:
        self.home = home
        self.seconds = dict.fromkeys(PHASES, 0.0)
        self.started = 0.0  # seconds until a process told its first step, all together

    def go(self, *arguments: str, until: str = "") -> None:
        """Design until a line is told, then kill; to the end if none is named."""
        command = [sys.executable, "-m", "app", "data", "design", *arguments]
        environment = os.environ | {"DESKPILOT_HOME": str(self.home)}
        told, last, first = "", time.perf_counter(), True
        with subprocess.Popen(
            command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, env=environment
        ) as process:
            assert process.stderr is not None
            for line in process.stderr:
                now, word = time.perf_counter(), line.split()[0] if line.strip() else ""
                if word in PHASES and first:
                    self.started, first = self.started + now - last, False
                elif word in PHASES:
                    self.seconds[word] += now - last
                last, told = now, line
                if until and line.startswith(until):
                    process.kill()
                    return
        if process.returncode or until:
            raise SystemExit(f"The design ended with {process.returncode}: {told}")

    def state(self) -> State:
        """Return how far it came."""
        return State.model_validate_json((self.home / "design.json").read_text("utf-8"))

    def library(self) -> dict[str, list[LibraryEntry]]:
        """Return every version of each interface."""
        held = json.loads((self.home / "library.json").read_text("utf-8"))["entries"]
        return {
            name: [LibraryEntry.model_validate(raw) for raw in versions]
            for name, versions in held.items()
        }


def largest_fall(values: list[float]) -> float:
    """Return how far a value lies below the highest before it at most, in percent."""
    return min(100 * (value / max(values[: n + 1]) - 1) for n, value in enumerate(values))


def longest_rise(values: list[float]) -> int:
    """Return how many rises come in a row at most."""
    best = run = 0
    for before, value in pairwise(values):
        run = run + 1 if value > before else 0
        best = max(best, run)
    return best


def truth(path: Path, column: str, shape: str) -> str:
    """Return what a designed interface has to find in a file, as it is written."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = [
            row
            for row in csv.DictReader(file)
            if row.get("company", OTHER) == OTHER and row[column]
        ]
    values = [float(row[column]) for row in rows]
    return str(longest_rise(values)) if shape == "longest_rise" else f"{largest_fall(values):.2f}"


def answer(home: Path, question: str, path: Path) -> str:
    """Return what `deskpilot ask` says of a table, with the library of a data folder."""
    command = [sys.executable, "-m", "app", "ask", question, "--widget", str(path)]
    environment = os.environ | {"DESKPILOT_HOME": str(home)}
    return subprocess.run(
        command, capture_output=True, text=True, env=environment, check=True
    ).stdout


def asked(run: Run, made: Definition, empty: Path) -> list[tuple[str, bool]]:
    """Ask for something a SELECT of the library answers, of an empty one and of it; return the
    claims of that.
    """
    _, uid, column = made.made_of[-1].split(":")
    covers = [c.request for c in run.library()[made.name][-1].covers if c.language == "en"]
    question = next(text for text in covers if made.labels[-1] in text).replace("Alder", OTHER)
    path = Path(run.state().tables[uid].path)
    found, alone = truth(path, column, made.shape), answer(empty, question, path)
    words = answer(run.home, question, path)
    print(
        f"\n{question}\n-- with an empty library\n{alone}-- with the designed one (truth:"
        f" {found})\n{words}"
    )
    return [
        (
            f"an empty library does not answer {made.shape}",
            "|" not in alone and found not in alone.split(),
        ),
        (
            f"{made.name} answers {made.shape} rightly",
            f" {found} |" in words and f"`{made.name}`" in words,
        ),
    ]


def main() -> None:
    """Run the whole line once; print its figures and what does not hold."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--requests", type=int, default=60)
    parser.add_argument("--chance", type=int, default=1)
    options = parser.parse_args()
    samples = Path(__file__).parents[2] / "resources" / "samples"
    paths = [samples / name for name in SAMPLES]
    before = [hashlib.sha256(path.read_bytes()).hexdigest() for path in paths]
    wanted, third = options.requests, options.requests // 3
    with tempfile.TemporaryDirectory() as folder:
        run, began = Run(Path(folder, "home")), time.perf_counter()
        run.home.mkdir()
        run.go(
            *map(str, paths),
            "--requests",
            str(wanted),
            "--chance",
            str(options.chance),
            until=f"Collecting questions {third}/",
        )
        half = run.state()
        run.go(until="Validating 9/")
        tried = run.library()
        run.go()
        whole = time.perf_counter() - began
        state, library = run.state(), run.library()
        first = [(r.request, r.asked_at) for r in state.requests[: len(half.requests)]]
        well = {one.name for one in state.validated}
        both = [d.name for d in state.merged if {"gdp", "cpi"} <= set(d.labels) and d.name in well]
        claims = [
            (f"{REQUESTS} distinct requests", len({r.request for r in state.requests}) >= REQUESTS),
            (f"{INTERFACES} validated interfaces", len(well) >= INTERFACES),
            ("GDP and CPI under a selector", bool(both)),
            ("nothing is asked again", third <= len(half.requests) < wanted and first == [(r.request, r.asked_at) for r in half.requests]),
            ("nothing is tried again", len(tried) >= 9 and all(library[n] == v for n, v in tried.items()) and {len(v) for v in library.values()} == {1}),
            ("no file is another", [hashlib.sha256(path.read_bytes()).hexdigest() for path in paths] == before),
        ]  # fmt: skip
        able = [d for d in state.interfaces if d.name in well and d.shape in SHAPES]
        claims += [("something the kernel cannot answer was designed", bool(able))]
        for made in able[:1] + able[1:][-1:]:
            claims += asked(run, made, Path(folder, "empty"))
    print(
        f"{state.model}: {len(state.requests)} requests, {len(state.definitions)} definitions,"
        f" {len(state.merged)} merged"
    )
    print(f"{len(well)} of {len(state.kept)} validated; GDP and CPI in {', '.join(both)}")
    phases = ", ".join(f"{PHASES[word]} {seconds:.0f} s" for word, seconds in run.seconds.items())
    print(f"{whole:.0f} s in three processes: start {run.started:.0f} s, {phases}")
    for claim, holds in claims:
        print(f"{'holds' if holds else 'FAILS'}: {claim}")
    raise SystemExit(not all(holds for _, holds in claims))


if __name__ == "__main__":
    main()
