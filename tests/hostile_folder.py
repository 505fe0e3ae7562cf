"""A folder of downloads whose modules have the names of ours, of libraries and of Python's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

MODULES = ("yaml", "json", "psutil", "typer", "PySide6", "adbc_driver_postgresql", "pip", "numpy")
PACKAGES = ("backends", "app", "resources", "tests")
RAN = "ran.txt"


def spoil(folder: Path) -> None:
    """Make the folder; each of its modules writes its name down when it is run, and fails."""
    folder.mkdir()
    code = (
        f"open({str(folder / RAN)!r}, 'a').write(__file__ + '\\n')\nraise ImportError('hostile')\n"
    )
    for name in MODULES:
        (folder / f"{name}.py").write_text(code)
    for name in PACKAGES:
        (folder / name).mkdir()
        (folder / name / "__init__.py").write_text(code)


def victims(folder: Path) -> list[str]:
    """Return the modules that were run."""
    ran = folder / RAN
    return ran.read_text().splitlines() if ran.exists() else []
