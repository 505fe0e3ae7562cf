"""Marks of citations: chips where there is something to show, words everywhere else; and where what
is spoken ends.
"""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF

from app.domain.conversation import Turn
from app.domain.events import Citations
from app.domain.stream import Message
from app.ui.chat.places import find
from app.ui.chat.view import ConversationView
from app.ui.markdown.builder import set_markdown
from app.ui.markdown.document import BlockDocument
from app.ui.theme.style import text_font
from app.ui.theme.tokens import LIGHT
from tests.gui.conftest import make_turn

TABLE = "| a | b |\n|---|---|\n| x[2] | 9 [1] |\n"


def chips(view: ConversationView, row: int = 0) -> list[str]:
    """Return where the links of a turn's words and tables lead that are marks."""
    view.flow.measure(row)
    shown = [
        p.document
        for p in view.flow.entry(row).pieces
        if p.kind in ("text", "table") and p.document
    ]
    return [
        link.href
        for document in shown
        for link in document.links()
        if link.href.startswith("cite:")
    ]


def shown_text(view: ConversationView) -> str:
    view.selection.all(1)
    return view.selected_text()


def test_a_number_in_brackets_without_a_citation_is_words(view: ConversationView) -> None:
    view.set_turns([make_turn(1, "It was 9.6 [1], see a[0], b[2] and [12].")])
    assert chips(view) == ["cite:1"]
    assert "It was 9.6 [1], see a[0], b[2] and [12]." in shown_text(view)


def test_cells_of_a_table_keep_what_is_no_mark_when_they_are_copied(view: ConversationView) -> None:
    turn = make_turn(1, TABLE)
    view.set_turns([turn])
    assert chips(view) == ["cite:1"]
    number = next(n for n, p in enumerate(view.flow.entry(0).pieces) if p.kind == "table")
    assert view.table(turn, number) == [["a", "b"], ["x[2]", "9"]]


def test_marks_become_chips_once_their_citations_have_come(view: ConversationView) -> None:
    whole = make_turn(1, f"It was 9.6 [1] and 7 [2].\n\n{TABLE}")
    cited = next(item for item in whole.items if isinstance(item, Citations))
    before = [item for item in whole.items if isinstance(item, Message)]
    turn = Turn("t1", "c", None, "Q?", "running", 1.0, list(before))
    view.set_turns([turn])
    assert chips(view) == []
    turn.items.append(cited)
    view.flow.rebuild(0)
    assert chips(view) == ["cite:1", "cite:1"]
    turn.state = "done"
    again = ConversationView()
    again.resize(800, 600)
    again.set_turns([turn])
    assert shown_text(again) == shown_text(view)
    again.deleteLater()


def test_no_mark_can_be_pressed_in_an_answer_that_cites_nothing(view: ConversationView) -> None:
    turn = make_turn(1, "As said in [2].")
    turn.items = [item for item in turn.items if not isinstance(item, Citations)]
    view.set_turns([turn])
    points = (QPointF(x, y) for y in range(0, 600, 6) for x in range(0, 800, 6))
    assert not any(view.place_at(point)[1].startswith("cite") for point in points)


@pytest.mark.parametrize(
    ("source", "spoken", "marked"),
    [
        ("Dear [Team Name],\n\nThank you.", "Dear [Team Name],", "Dear [Team Name],"),
        ("So. [Team Name], thank you.", "[Team Name], thank you.", "[Team Name], thank you."),
        ('He said "Yes." Then no.', 'He said "Yes."', 'He said "Yes."'),
        ("他说：「好。」然后走了。", "他说：「好。」", "他说：「好。」"),
        (
            "See [the page](https://example.com/a).",
            "See [the page](https://example.com/a).",
            "See the page.",
        ),
    ],
)
def test_what_is_spoken_is_marked_with_its_brackets(source: str, spoken: str, marked: str) -> None:
    document = BlockDocument(text_font(14))
    set_markdown(document, source, LIGHT)
    at = source.index(spoken)
    span = find(shown := document.toPlainText(), source, at, at + len(spoken))
    assert span is not None
    assert shown[span[0] : span[1]] == marked
