"""A word of 400,000 letters stops no window: it is broken anywhere, for which no end of it is
looked for.
"""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QMimeData
from PySide6.QtWidgets import QLabel

from app.ui.chat.piece import Piece
from app.ui.composer.editor import LONG, TextEditor
from app.ui.controls.labels import ANYWHERE, AT_WORDS, LONGEST, is_endless
from app.ui.dashboard.bodies.news import NewsBody
from app.ui.dashboard.bodies.note import NoteBody
from app.ui.dashboard.bodies.text import WordsBody
from app.ui.dashboard.table.model import TableModel
from app.ui.theme.tokens import LIGHT

WORD = "a" * 400_000


def test_widgets_show_a_word_without_end(qtbot: Any) -> None:
    for made in (WordsBody(WORD, "x"), WordsBody(WORD, "x", plain=True), NoteBody(WORD, "x")):
        qtbot.addWidget(made)
        assert made.wordWrapMode() == ANYWHERE
        made.resize(500, 400)
        made.show()
        made.grab()
    short = WordsBody("Some words.", "x")
    qtbot.addWidget(short)
    assert short.wordWrapMode() == AT_WORDS


def test_what_is_pasted_and_taken_out_again_is_wrapped_as_it_is(qtbot: Any) -> None:
    pasted = QMimeData()
    for made, length in ((TextEditor(), LONG), (NoteBody("", "x"), len(WORD))):
        pasted.setText(WORD[:length])  # what is longer becomes an attachment of the composer
        qtbot.addWidget(made)
        made.show()
        made.insertFromMimeData(pasted)
        assert made.wordWrapMode() == ANYWHERE
        made.setPlainText("Some words.")
        assert made.wordWrapMode() == AT_WORDS


def test_an_answer_that_grows_into_such_a_word_is_laid_out(qtbot: Any) -> None:
    piece = Piece("text", "Some words " + "a" * 1000)
    piece.lay_out(600, LIGHT)
    assert piece.document is not None
    assert piece.document.defaultTextOption().wrapMode() == AT_WORDS
    piece.update(piece.source + WORD, LIGHT)
    piece.lay_out(600, LIGHT)
    assert piece.document is not None
    assert piece.document.defaultTextOption().wrapMode() == ANYWHERE
    assert piece.height > 10_000


def test_cells_and_headlines_are_cut(qtbot: Any) -> None:
    model = TableModel([("a", False)], 1, lambda offset, limit: [(WORD,)])
    assert len(model.data(model.index(0, 0))) == 501
    news = NewsBody([dict.fromkeys(("title", "excerpt", "body", "author", "date"), WORD)], "x")
    qtbot.addWidget(news)
    assert max(len(label.text()) for label in news.findChildren(QLabel)) == 400


def test_only_words_without_end_are_broken_anywhere() -> None:
    assert is_endless("a" * 2000)
    assert not is_endless("word " * 2000)
    assert not is_endless("统计局" * 2000)  # broken between any two letters as it is


def test_a_word_without_end_is_found_wherever_it_stands() -> None:
    for before in ("", "a b\n", "x" * 10 + " ", "漢字", "字 "):
        assert is_endless(f"{before}{'a' * LONGEST} b")
        assert not is_endless(f"{before}{'a' * (LONGEST - 1)} {'b' * 20}")
    assert not is_endless("字" * 5_000)
