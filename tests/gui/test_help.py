"""Help is opened, searched and read by keyboard, in every language, and its pictures are there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.domain.actions import ACTIONS
from app.ui.main.help import HelpWindow, found_in, read_pages
from app.ui.main.session import WindowSession
from app.ui.main.window import MainWindow
from tests.gui.living import in_window, until

FOLDER = Path(__file__).resolve().parents[2] / "resources" / "help"


@pytest.mark.usefixtures("served")
def test_help_is_opened_searched_and_read_by_keyboard(qapp: Any) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        window.activateWindow()
        QTest.keyClick(window, Qt.Key.Key_F1)
        await until(lambda: window.findChild(HelpWindow))
        shown = window.findChild(HelpWindow)
        assert shown is not None
        assert shown.list.count() == 5
        QTest.keyClicks(shown.search, "offline network")
        assert [page.name for page in shown.shown] == ["4-private"]
        assert shown.page.textCursor().selectedText().lower() == "offline"
        QTest.keyClicks(shown.search, "zzz")
        assert shown.page.toPlainText() == "Nothing found"
        shown.search.clear()
        QTest.keyClick(shown.search, Qt.Key.Key_Return)
        QTest.keyClick(shown.list, Qt.Key.Key_Down)
        assert shown.page.toPlainText().startswith("Speak and listen")
        shown.close()

    in_window(work)


def test_every_language_has_the_same_pages_with_pictures_that_are_there(qapp: Any) -> None:
    names = {lang: [page.name for page in read_pages(lang)] for lang in ("en", "zh", "ja")}
    assert names["en"]
    assert names["en"] == names["zh"] == names["ja"]
    for language in names:
        for page in read_pages(language):
            assert page.title
            for picture in re.findall(r"!\[[^\]]+\]\(([^)]+)\)", page.text):
                assert (page.folder / picture).is_file()
                assert page.folder == (FOLDER if language == "en" else FOLDER / language)


def test_the_keys_that_help_names_are_those_of_the_window() -> None:
    known = {action.key for action in ACTIONS} | {
        "Esc",
        "Tab",
        "Enter",
        "Shift+Enter",
        "Alt+Enter",
        "F1",
        "Ctrl+Shift+V",  # of the composer: long text as text
    }
    for language in ("en", "zh", "ja"):
        for page in read_pages(language):
            assert (
                set(re.findall(r"(?:Ctrl|Alt)\+(?:Shift\+)?(?:\w+|/|,(?!\s))", page.text)) <= known
            ), page.name


def test_a_search_wants_all_its_words() -> None:
    pages = read_pages("en")
    assert found_in(pages, "") == pages
    assert not found_in(pages, "microphone zzz")
    assert [page.name for page in found_in(pages, "MICROPHONE conversation")] == ["2-voice"]
