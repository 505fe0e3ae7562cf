"""PySide's own spellings of Qt's names: none is used here, so no module is searched for one.

For `from __feature__ import …` PySide reads the source of every module that is imported after it, and Python keeps what
was read: 25 MB and a tenth of a second for nothing. Where a version of PySide does otherwise, this changes nothing.
"""

from __future__ import annotations

import sys

import PySide6  # noqa: F401 - what searches comes with it  # pyright: ignore[reportUnusedImport]


def search_none() -> None:
    """Let no module be searched for PySide's spellings."""
    searching = sys.modules.get("shibokensupport.feature")
    if hasattr(searching, "_mod_uses_pyside"):
        searching.__dict__["_mod_uses_pyside"] = lambda _: False
