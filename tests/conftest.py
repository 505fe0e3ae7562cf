"""What holds for every test: a home of its own, no unexpected warning, nothing left behind."""

from __future__ import annotations

import faulthandler
import json
import logging
import os
import re
import shutil
import signal
import sys
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest
from hypothesis import settings

from tests.memory_keyring import MemoryKeyring
from tests.virtual_sound import sound_card, tiny_models, virtual

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TextIO

__all__ = ["sound_card", "tiny_models", "virtual"]  # fixtures: one sound card for all tests

# Before any Qt module is imported: tests draw off screen unless they open an Xvfb of their own.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

# How long something takes is measured in tests/bench; in a test it would say how busy the machine
# is.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

REPOSITORY = Path(__file__).resolve().parent.parent


def pytest_configure(config: pytest.Config) -> None:
    """Declare the markers of this file; fix where the starter models are, whatever home a test
    pretends.
    """
    from backends.paths import models_folder

    config.addinivalue_line(
        "markers", "expects_log(pattern): warnings whose text matches are part of the test"
    )
    os.environ["DESKPILOT_MODELS"] = str(models_folder())
    # A shell that starts us in the background, and what runs our files two at a time, ignore
    # Ctrl+C; what we start would too.
    signal.signal(signal.SIGINT, signal.default_int_handler)


# The folder in which each process of a run writes where it crashed.
CRASHES = "DESKPILOT_TEST_CRASHES"
_crashes = pytest.StashKey[Path]()  # that folder, of the process that made it
_crash_log: TextIO | None = None  # open for as long as the process runs


def pytest_sessionstart(session: pytest.Session) -> None:
    """Let a process that runs files for another one write where it crashes into a file: what it
    prints then is lost among the dots.
    """
    global _crash_log
    if hasattr(session.config, "workerinput"):
        worker = os.environ["PYTEST_XDIST_WORKER"]
        _crash_log = (Path(os.environ[CRASHES]) / f"{worker}.txt").open("w", encoding="utf-8")
        faulthandler.enable(_crash_log)
    else:  # also a run that a test starts in such a process
        folder = tempfile.mkdtemp(prefix="deskpilot-crashes-")
        os.environ[CRASHES] = folder
        session.config.stash[_crashes] = Path(folder)


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Tell where processes crashed, below the results."""
    folder = config.stash[_crashes]
    told = {file.stem: file.read_text("utf-8", "replace") for file in sorted(folder.iterdir())}
    shutil.rmtree(folder)
    for worker, said in told.items():
        if said:
            terminalreporter.section(f"{worker} crashed")
            terminalreporter.write_line(said[:6000])  # of the first threads


@pytest.fixture
def repository() -> Path:
    """Return the root of the checkout."""
    return REPOSITORY


@pytest.fixture
def macro_csv() -> Path:
    """Return the sample table: US macro data, 203 quarters, 14 columns."""
    return REPOSITORY / "resources" / "samples" / "us_macro.csv"


@pytest.fixture
def aapl(repository: Path, tmp_path: Path) -> Path:
    """Return the rows of AAPL that the seed shows, as a file."""
    seed = json.loads(
        (repository / "tests" / "data" / "seed_conversation_2024.json").read_text("utf-8")
    )
    table = tmp_path / "Historical_Stock_Price_AAPL.json"
    table.write_text(seed["requests"][1]["messages"][2]["data"]["content"], "utf-8")
    return table


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give every test an empty home, so that none sees another's store or service."""
    folder = tmp_path / "deskpilot-home"
    folder.mkdir()
    monkeypatch.setenv("DESKPILOT_HOME", str(folder))
    return folder


@pytest.fixture
def keyring_in_memory() -> Iterator[MemoryKeyring]:
    """Keep secrets in memory; without this, a test has the keyring of the machine it runs on, if
    any.
    """
    import keyring

    before, made = keyring.get_keyring(), MemoryKeyring()
    keyring.set_keyring(made)
    yield made
    keyring.set_keyring(before)


@pytest.fixture(autouse=True)
def no_unexpected_warning(
    request: pytest.FixtureRequest, caplog: pytest.LogCaptureFixture
) -> Iterator[None]:
    """Fail a test in which something logged a warning it did not announce."""
    yield
    allowed = [str(mark.args[0]) for mark in request.node.iter_markers("expects_log")]
    loud = [
        record.getMessage()
        for record in caplog.get_records("call")
        if record.levelno >= logging.WARNING
        and not any(re.search(p, record.getMessage()) for p in allowed)
    ]
    assert not loud, f"logged without being expected: {loud}"


@pytest.fixture(autouse=True)
def nothing_left_behind() -> Iterator[None]:
    """Fail a test that leaves a thread, a child process or a window behind."""
    threads = set(threading.enumerate())
    children = {child.pid for child in psutil.Process().children()}
    yield
    left = [t for t in threading.enumerate() if t not in threads and not t.daemon]
    for thread in left:
        thread.join(timeout=5)
    assert not [t.name for t in left if t.is_alive()]
    new = [child for child in psutil.Process().children() if child.pid not in children]
    _, alive = psutil.wait_procs(new, timeout=5)
    assert not alive, f"child processes left: {alive}"
    assert not visible_windows(), "windows left open"


def visible_windows() -> list[str]:
    """Name the top-level widgets still shown; empty without Qt."""
    widgets = sys.modules.get("PySide6.QtWidgets")
    if widgets is None or widgets.QApplication.instance() is None:
        return []
    return [type(w).__name__ for w in widgets.QApplication.topLevelWidgets() if w.isVisible()]
