"""What stands on the dashboard or in an answer is saved as a file, or pinned."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any

import pypdfium2
import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QFileDialog

from app.data.views import RowOrder
from app.domain.conversation import Conversation, Thread, Turn
from app.domain.events import Artifact
from app.domain.stream import Message
from app.services.conversation.exchange import as_html
from app.ui.chat import pdf
from app.ui.chat.artifacts import pieces_of
from app.ui.chat.pdf import write_pdf
from app.ui.controls.actions import OpenArtifact, action_of
from app.ui.dashboard.bodies.figures import Figures
from app.ui.dashboard.bodies.lines import LineChart
from app.ui.dashboard.exports import forms_of
from app.ui.dashboard.table.view import HeaderOrder, TableBody
from app.ui.theme.tokens import LIGHT
from tests.gui.conftest import make_turn
from tests.gui.living import in_window, until

if TYPE_CHECKING:
    from pathlib import Path

    from app.ui.main.session import WindowSession
    from app.ui.main.window import MainWindow

ROWS = [{"year": 2000, "share": 1.5, "what": {"a": 1}}, {"year": 2001, "share": None}]

pytestmark = pytest.mark.usefixtures("served")


def read(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def test_a_table_is_saved_as_it_stands_and_drawings_as_pictures(qapp: Any, tmp_path: Path) -> None:
    table, line, boxes = tmp_path / "t.csv", tmp_path / "l.svg", tmp_path / "f.png"

    async def work(window: MainWindow, session: WindowSession) -> None:
        pane, exports = window.dashboard, session.board.exports
        await until(lambda: pane.findChildren(LineChart) and pane.findChildren(Figures))
        by_kind = {type(card.body): uid for uid, card in pane.cards.items()}
        body = pane.table(by_kind[TableBody])
        assert body is not None
        body.findChild(HeaderOrder).apply(
            RowOrder("unemp", descending=True, filters={"unemp": "> 9.5"})
        )
        await until(lambda: body.table().rowCount() < 203)
        exports.save(by_kind[TableBody], "CSV", table)
        exports.save(by_kind[LineChart], "SVG", line)
        exports.save(by_kind[Figures], "PNG", boxes)
        await until(lambda: table.exists() and len(read(table)) > 1)
        assert [forms_of(pane.cards[by_kind[k]].body) for k in (TableBody, LineChart, Figures)] == [
            ["CSV"],
            ["PNG", "SVG"],
            ["PNG"],
        ]

    in_window(work)
    head, *rows = read(table)
    unemp = [float(row[head.index("unemp")]) for row in rows]
    assert unemp == sorted(unemp, reverse=True)
    assert min(unemp) > 9.5
    assert "<svg" in line.read_text("utf-8")
    assert not QImage(str(boxes)).isNull()


def test_a_table_of_an_answer_is_pinned_and_saved(qapp: Any, tmp_path: Path) -> None:
    artifact = Artifact("table", "Shares: a/b", ROWS, description="made up")
    turn = make_turn(1, "Here.")
    turn.items.insert(3, artifact)

    async def work(window: MainWindow, session: WindowSession) -> None:
        session.follow(turn, action_of("pin:3"))
        await until(
            lambda: "Shares: a/b" in [c.bar.name.text() for c in window.dashboard.cards.values()]
        )
        made = next(w for w in session.deskpilot.widgets.all() if w.name == "Shares: a/b")
        await until(lambda: window.dashboard.table(made.uuid) is not None)
        result = session.deskpilot.widgets.sources.run(
            "sum", {"source": made.uuid, "column": "share"}
        )
        assert result.value == 1.5  # it can be asked
        session.follow(turn, action_of("csv:3"))
        dialog = window.findChild(QFileDialog)
        assert dialog.selectedFiles()[0].endswith("Shares- a-b.csv")
        dialog.fileSelected.emit(str(tmp_path / "a.csv"))
        dialog.close()
        await until(lambda: (tmp_path / "a.csv").exists())
        session.follow(turn, action_of("pin:99"))  # no such item: nothing happens

    in_window(work)
    assert read(tmp_path / "a.csv") == [
        ["year", "share", "what"],
        ["2000", "1.5", '{"a": 1}'],
        ["2001", "", ""],
    ]
    in_window(again, cards=4)


async def again(window: MainWindow, session: WindowSession) -> None:
    names = [card.bar.name.text() for card in window.dashboard.cards.values()]
    assert "Shares: a/b" in names  # pinned means kept


def test_an_answer_offers_to_pin_and_save() -> None:
    (_, head), *_ = pieces_of(Artifact("table", "T", ROWS), OpenArtifact(3), LIGHT)
    assert "href='pin:3'" in head
    assert "href='csv:3'" in head
    (_, head), *_ = pieces_of(Artifact("text", "T", "words"), OpenArtifact(3, 1), LIGHT)
    assert "href='pin:3.1'" in head
    assert "csv" not in head


def test_no_question_stands_alone_at_the_foot_of_a_page(
    qapp: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its answer was on the next one."""

    def stands_alone(lines: int) -> bool:
        before = Message("assistant", "message", "\n\n".join(f"Line {n}." for n in range(lines)))
        after = Message("assistant", "message", "The answer to it.")
        turns = [
            Turn("a", "c", None, "First?", "done", 1.0, [before]),
            Turn("b", "c", "a", "The second question?", "done", 1.0, [after]),
        ]
        write_pdf(as_html(Conversation("c", "Two", 1.0, 1.0), Thread(turns), {}), path)
        document = pypdfium2.PdfDocument(path)
        texts = ["".join(sheet.get_textpage().get_text_range().split()) for sheet in document]
        document.close()
        return not any("secondquestion" in text and "answertoit" in text for text in texts)

    path = tmp_path / "chat.pdf"
    lengths = range(18, 40)  # the second question slides over the foot of the page
    assert not [lines for lines in lengths if stands_alone(lines)]
    monkeypatch.setattr(pdf, "keep_together", lambda *_: None)
    assert [lines for lines in lengths if stands_alone(lines)]
