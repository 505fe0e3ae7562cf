"""Feed what reads strangers' input as long as one likes: `python -m tests.bench.fuzz --minutes 60`.

Each target of `tests/hostile_inputs.py` runs in a process of its own, with a limit on memory and on
the time of one input; a crash, an endless loop or an unexpected exception is a find, made as small
as Hypothesis can. Finds and how far each target is lie in a folder, so that a run goes on where the
one before ended; `--report` prints them. Hypothesis keeps what failed, and tries it first.
"""

from __future__ import annotations

import argparse
import faulthandler
import hashlib
import json
import os
import resource
import signal
import subprocess
import sys
import time
import traceback
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.database import DirectoryBasedExampleDatabase
from hypothesis.errors import Flaky

from tests.hostile_inputs import TARGETS

ROUND = 400  # inputs that one process looks at
INPUT_SECONDS = 8  # of processor time, for one input
ROUND_SECONDS = 900
MEMORY = 4 * 1024**3
FOLDER = Path.home() / ".cache" / "deskpilot-fuzz"


class TooSlow(BaseException):
    """One input took longer than any should; no code that is tried may catch it."""


def too_slow(*_: object) -> None:
    """Say that an input takes too long."""
    raise TooSlow(f"one input took over {INPUT_SECONDS} s of processor time")


def child(name: str, number: int, folder: Path) -> int:
    """Look at some inputs of a target; print a find as JSON."""
    faulthandler.enable()
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGVTALRM, too_slow)
    target, looked = TARGETS[name], 0

    @settings(
        max_examples=ROUND,
        deadline=None,
        database=DirectoryBasedExampleDatabase(folder / "examples"),
        phases=[Phase.reuse, Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
        print_blob=False,
    )
    @seed(number)
    @given(target.inputs)
    def look(value: Any) -> None:
        nonlocal looked
        looked += 1
        signal.setitimer(signal.ITIMER_VIRTUAL, INPUT_SECONDS)
        (folder / f"{name}.last").write_text(repr(value)[:200_000], "utf-8", "backslashreplace")
        try:
            target.check(value)
        except TooSlow as error:  # to make it smaller would take as long for each try
            found = find_of(name, number, error, False)
            print(json.dumps(found | {"notes": [repr(value)[:20_000]]}))
            print(json.dumps({"looked": looked}), flush=True)
            os._exit(0)
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)

    try:
        look()
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt | SystemExit):
            raise
        shown = error.exceptions[0] if isinstance(error, BaseExceptionGroup) else error
        print(json.dumps(find_of(name, number, shown, isinstance(error, Flaky))))
    print(json.dumps({"looked": looked}))
    return 0


def find_of(name: str, number: int, error: BaseException, flaky: bool) -> dict[str, Any]:
    """Return a find: which exception, where in our code, with what input."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [f for f in frames if "/app/" in f.filename or "/backends/" in f.filename]
    last = (ours or frames)[-1]
    text = "".join(traceback.format_exception(error))
    where = f"{Path(last.filename).name}:{last.lineno} {last.name}"
    said = f"{type(error).__name__}: {str(error)[:200]}"
    return {
        "target": name,
        "seed": number,
        "where": where,
        "said": said,
        "flaky": flaky,
        "notes": list(getattr(error, "__notes__", []))[:3],
        "traceback": text[-6000:],
    }


def run_round(name: str, number: int, folder: Path) -> tuple[int, dict[str, Any] | None]:
    """Run a process for a target; return how many inputs it looked at, and what it found."""
    command = [sys.executable, "-m", "tests.bench.fuzz", "--child", name, "--number", str(number)]
    try:
        done = subprocess.run(
            [*command, "--folder", str(folder)],
            capture_output=True,
            text=True,
            check=False,
            timeout=ROUND_SECONDS,
        )
        out, status, said = done.stdout, done.returncode, done.stderr
    except subprocess.TimeoutExpired:
        out, status, said = "", -1, f"the round took over {ROUND_SECONDS} s"
    told = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
    looked = sum(one.get("looked", 0) for one in told)
    found = next((one for one in told if "where" in one), None)
    if status and found is None:
        last = folder / f"{name}.last"
        kept = folder / f"{name}-{number}.input"
        kept.write_bytes(last.read_bytes() if last.exists() else b"")
        found = {
            "target": name,
            "seed": number,
            "where": f"the process ended with {status}",
            "said": said.strip().splitlines()[-1][:200] if said.strip() else "",
            "traceback": said[-6000:],
            "input": str(kept),
        }
    return looked, found


def read_state(folder: Path) -> dict[str, Any]:
    """Return how far a folder is: rounds and inputs by target, seconds."""
    file = folder / "state.json"
    if not file.exists():
        return {"rounds": {}, "looked": {}, "seconds": 0.0}
    return dict(json.loads(file.read_text("utf-8")))


def report(folder: Path) -> None:
    """Print how far a folder is, and what was found."""
    state = read_state(folder)
    print(f"{state['seconds'] / 3600:.2f} h")
    for name in TARGETS:
        print(f"{name:10} {state['looked'].get(name, 0):>9,} inputs")
    for file in sorted(folder.glob("find-*.json")):
        one = json.loads(file.read_text("utf-8"))
        print(f"find {one['target']}: {one['where']}: {one['said']}  ({file.name})")


def main() -> int:
    """Read the arguments and run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--only", default="", help="names of targets, with commas")
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--child", default="", help=argparse.SUPPRESS)
    parser.add_argument("--number", type=int, default=0, help=argparse.SUPPRESS)
    given_ = parser.parse_args()
    given_.folder.mkdir(parents=True, exist_ok=True)
    if given_.child:
        return child(given_.child, given_.number, given_.folder)
    if given_.report:
        report(given_.folder)
        return 0
    names = given_.only.split(",") if given_.only else list(TARGETS)
    state, begun, found_any = read_state(given_.folder), time.monotonic(), 0
    before = float(state["seconds"])
    while time.monotonic() - begun < given_.minutes * 60:
        name = min(names, key=lambda n: state["rounds"].get(n, 0))
        number = state["rounds"].get(name, 0)
        looked, found = run_round(name, number, given_.folder)
        state["rounds"][name] = number + 1
        state["looked"][name] = state["looked"].get(name, 0) + looked
        state["seconds"] = before + time.monotonic() - begun
        (given_.folder / "state.json").write_text(json.dumps(state), "utf-8")
        if found is not None:
            kind = hashlib.sha256(f"{name} {found['where']}".encode()).hexdigest()[:10]
            file = given_.folder / f"find-{name}-{kind}.json"
            if not file.exists():
                found_any += 1
                file.write_text(json.dumps(found, indent=1), "utf-8")
                print(f"find {name}: {found['where']}: {found['said']}", flush=True)
    report(given_.folder)
    return 1 if found_any else 0


if __name__ == "__main__":
    sys.exit(main())
