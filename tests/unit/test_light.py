"""What is loaded when: before the window is painted next to nothing, before something is asked
nothing heavy.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

LATER = (
    "asyncio",
    "dataclasses",
    "duckdb",
    "httpx",
    "importlib.resources",
    "json",
    "pydantic",
    "PySide6.QtSvg",
    "qasync",
)
UNASKED = (
    "cryptography",
    "duckdb",
    "httpx2",
    "jsonschema",
    "mcp",
    "numpy",
    "pandas",
    "plotly",
    "pypdf",
    "python_calamine",
    "statsmodels",
    "ziamath",
)


@pytest.mark.parametrize(
    ("code", "absent"),
    [
        ("from app.cli.window import paint_window; paint_window()", LATER),
        ("import app.bootstrap, app.ui.main.session, app.ui.main.actions", UNASKED),
    ],
    ids=["painted", "idle"],
)
@pytest.mark.usefixtures("home")
def test_what_is_not_needed_is_not_loaded(code: str, absent: tuple[str, ...]) -> None:
    told = f"{code}\nimport sys\nprint([name for name in {absent!r} if name in sys.modules])"
    made = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert made.stdout.strip() == "[]"


@pytest.mark.usefixtures("home")
def test_the_names_of_qt_that_take_longest_are_loaded_after_the_first_paint() -> None:
    """All of `Qt` is made with the first of its names, or with a class that has one: 13 ms."""
    code = "from app.cli.window import paint_window; paint_window(); import sys"
    told = (
        f"{code}\nprint('Qt' in vars(sys.modules['PySide6.QtCore']), 'QScreen' in"
        " vars(sys.modules['PySide6.QtGui']))"
    )
    made = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert made.stdout.split() == ["False", "False"]


@pytest.mark.usefixtures("home")
def test_no_source_is_read_for_spellings_that_nobody_uses() -> None:
    here = Path(__file__).parents[2]
    using = re.compile(r"^from __feature__", re.MULTILINE)
    assert not [
        path for path in (here / "app").rglob("*.py") if using.search(path.read_text("utf-8"))
    ]
    code = (
        "from app.cli.window import paint_window; paint_window(); import app.ui.main.session,"
        " linecache"
    )
    told = (
        f"{code}\nprint([name for name in linecache.cache if"
        f" name.startswith({str(here / 'app')!r})])"
    )
    made = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert made.stdout.strip() == "[]"


def test_what_was_never_looked_through_is_given_back_at_the_end() -> None:
    code = (
        "from app.ui.main.startup import all_stays\n"
        "with all_stays():\n    import duckdb\n    kept = duckdb.connect()\n"
    )
    made = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "leaked" not in made.stderr
