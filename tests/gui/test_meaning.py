"""Chats found by what they mean, in the window, with a real embedder; and without one."""

from __future__ import annotations

import shutil
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from app.domain.conversation import FoundTurn, Turn
from app.domain.copilot import Copilot, RequestOffer
from app.domain.events import Item
from app.domain.stream import Chunk
from app.services.conversation import semantic_search as at_once
from app.services.conversation.semantic_search import SemanticMatches
from app.ui.main.chat_list import EXCERPT, TURN
from app.ui.main.search_note import SearchNote
from app.ui.main.session import WindowSession
from app.ui.main.window import MainWindow
from backends.catalog import Catalog
from tests.gui.living import in_window, until
from tests.models.retrieval import EMBEDDER

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


class Echo:
    """A copilot that says a sentence."""

    async def ask(
        self, copilot: Copilot, turns: list[Turn], offer: RequestOffer
    ) -> AsyncGenerator[Item, None]:
        yield Chunk("assistant", "message", "That depends.")


@pytest.fixture
def embedder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of models that holds a tiny embedder only; what is new is read at once."""
    folder = tmp_path / "models"
    monkeypatch.setenv("DESKPILOT_MODELS", str(folder))
    monkeypatch.setattr(at_once, "CALM_SECONDS", 0.0)
    monkeypatch.setattr(at_once, "FIRST_SECONDS", 0.0)
    copied = tmp_path / "tiny embedder"
    shutil.copytree(EMBEDDER["model_path"], copied)
    Catalog(folder).add(copied, "tiny-embedder", link=True)
    return folder


async def ask(window: MainWindow, session: WindowSession, text: str) -> None:
    count = len(session.turns)
    session.submit(text)
    await until(lambda: len(session.turns) == count + 1 and session.turns[-1].state != "running")


@pytest.mark.usefixtures("embedder")
def test_a_chat_is_found_by_other_words_that_mean_the_same_and_opened_by_key(qapp: Any) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        session.deskpilot.turns._copilots = Echo()  # pyright: ignore[reportPrivateUsage]
        await ask(window, session, "Where does a puppy sleep?")
        session.new_chat()
        await ask(window, session, "How is a loaf made?")
        session.new_temporary_chat()
        await ask(window, session, "What does a secret hound eat?")
        session.new_chat()
        meaning = session.deskpilot.meaning
        await meaning.read_new()
        assert ((meant := await meaning.search("dog")).read, meant.of) == (2, 2)
        window.activateWindow()
        QTest.keyClick(window, Qt.Key.Key_F, CONTROL | SHIFT)
        QTest.keyClicks(window.sidebar.search, "dog")
        rows, note = window.sidebar.list, window.sidebar.note
        await until(lambda: rows.count() > 1 and rows.item(1).text() == "Where does a puppy sleep")
        assert rows.item(1).data(EXCERPT).startswith("≈ Where does a puppy sleep?")
        assert rows.item(1).toolTip().startswith("Found by meaning: ")
        assert not any("hound" in rows.item(n).text() for n in range(rows.count()))
        await until(lambda: "similar in meaning" in note.label.text())
        assert not note.get.isVisibleTo(note)
        QTest.keyClick(window.sidebar.search, Qt.Key.Key_Return)
        QTest.keyClick(rows, Qt.Key.Key_Return)
        await until(
            lambda: [turn.question for turn in session.turns] == ["Where does a puppy sleep?"]
        )
        QTest.keyClick(rows, Qt.Key.Key_Up)
        window.sidebar.search.selectAll()
        QTest.keyClicks(window.sidebar.search, "loaf")
        await until(lambda: rows.item(1).text() == "How is a loaf made")
        await until(
            lambda: rows.item(1).data(TURN) == "" or not rows.item(1).data(EXCERPT).startswith("≈")
        )
        window.sidebar.search.setFocus()
        QTest.keyClick(window.sidebar.search, Qt.Key.Key_Escape)
        await until(lambda: not note.isVisible() and len(rows.ids()) == 2)

    in_window(work, opened=False)


def test_without_an_embedder_words_are_found_and_it_says_how_to_get_one(
    qapp: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DESKPILOT_MODELS", str(tmp_path / "models"))

    async def work(window: MainWindow, session: WindowSession) -> None:
        session.deskpilot.turns._copilots = Echo()  # pyright: ignore[reportPrivateUsage]
        await ask(window, session, "Where does a puppy sleep?")
        QTest.keyClicks(window.sidebar.search, "puppy")
        rows, note = window.sidebar.list, window.sidebar.note
        await until(lambda: note.isVisible())
        assert rows.ids() == [session.conversation_id]  # its title and its question are one chat
        assert rows.item(1).data(TURN)  # and it opens where the words are
        assert "Found by keyword only." in note.label.text()
        note.get.setFocus()
        QTest.keyClick(note.get, Qt.Key.Key_Space)
        await until(lambda: session.preferences.settings is not None)
        assert session.preferences.settings is not None
        page = session.preferences.settings.models
        await until(lambda: {model_type for _, model_type in page.rows} == {"text-embedding"})
        session.preferences.settings.close()

    in_window(work, opened=False)


def test_the_sign_of_what_was_found_by_meaning_is_explained_where_it_is_shown(qapp: Any) -> None:
    parent = QWidget()
    note, both = SearchNote(parent), FoundTurn("c", "t", "Dogs", "A dog sleeps.", "both")
    meant = SemanticMatches([both], "tiny", 1, 1)
    note.show_meant(meant, marked=False)
    assert note.isHidden()
    note.show_meant(meant, marked=True)
    assert note.label.text().startswith("≈")
