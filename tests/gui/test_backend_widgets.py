"""Widgets of a backend in the window: every kind and parameter, tabs, what goes wrong; nothing
hostile gets through.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCheckBox, QLabel, QLineEdit, QPushButton, QWidget

from app.domain.dashboard import TilePlace
from app.domain.events import CellRef, Citation, Citations, QuoteBox
from app.openbb.content import Content
from app.ui.dashboard.add_dialog import name_of_kind
from app.ui.dashboard.bodies.metric import MetricBody
from app.ui.dashboard.bodies.news import NewsBody
from app.ui.dashboard.bodies.note import NoteBody
from app.ui.dashboard.bodies.pdf_pages import PdfBody
from app.ui.dashboard.bodies.picture import PictureBody
from app.ui.dashboard.bodies.raw import RawBody
from app.ui.dashboard.bodies.text import WordsBody
from app.ui.dashboard.card import Larger, Problem, ReadingNotice
from app.ui.dashboard.params import ChoiceButton, DayButton, Form, ParamBar
from app.ui.dashboard.table.view import HeaderOrder, TableBody
from app.ui.main.theme_switch import ThemeSwitch
from app.ui.theme.tokens import DARK, LIGHT
from tests.gui.conftest import make_turn
from tests.gui.living import in_window, until
from tests.widget_backend import MARKDOWN, PARAMS, Server, pdf, png, running

if TYPE_CHECKING:
    from pathlib import Path

    from app.domain.dashboard import Widget
    from app.ui.main.session import WindowSession
    from app.ui.main.window import MainWindow

pytestmark = pytest.mark.usefixtures("served")


async def place(session: WindowSession, server: Server, widget_id: str) -> Widget:
    """Put a widget on the dashboard and wait until it shows something."""
    live, pane = session.deskpilot.live, session.window.dashboard
    if not live.backends.all():
        await live.backends.add(server.url)
    made = live.make(server.url, widget_id)
    session.deskpilot.dashboard.reserve(made.uuid, TilePlace(made.uuid, 0, -1, 12, 8))
    await live.begin(made)
    await until(lambda: made.uuid in pane.cards and live.state(made.uuid).run is None)
    await until(
        lambda: (
            type(pane.cards[made.uuid].body) not in (ReadingNotice, QLabel) or widget_id == "run"
        )
    )
    return made


def test_every_kind_has_its_view_and_hostile_ones_say_why_they_have_none(
    qapp: Any, server: Server
) -> None:
    kinds: dict[str, type[QWidget]] = {
        "table": TableBody,
        "markdown": WordsBody,
        "news/today": NewsBody,
        "metric": MetricBody,
        "pdf": PdfBody,
        "image": PictureBody,
        "omni": TableBody,
        "strange": RawBody,
        "broken": Problem,
        "away": Problem,
        "elsewhere": Problem,
        "empty": Problem,
    }

    async def work(window: MainWindow, session: WindowSession) -> None:
        pane = window.dashboard
        session.board.tabs.add()
        for widget_id, kind in kinds.items():
            made = await place(session, server, widget_id)
            await until(lambda uid=made.uuid, kind=kind: isinstance(pane.cards[uid].body, kind))
            if widget_id == "markdown":  # what it would run or fetch is told
                told = pane.cards[made.uuid].bar.caption.text()
                assert told.startswith("left out: 2 scripts, 1 external address")
            if widget_id == "pdf":
                assert "Page 1 of 2" in [
                    label.text() for label in pane.cards[made.uuid].findChildren(QLabel)
                ]
        window.set_tokens(DARK)
        window.grab()
        problem = next(
            p for p in pane.findChildren(Problem) if "No such company" in p.findChild(QLabel).text()
        )
        asked = len(server.asked)
        problem.retry.click()
        await until(lambda: len(server.asked) > asked)

    in_window(work)
    assert not [
        path for _, path, _, _ in server.asked if path in ("pixel.png", "stolen", "private")
    ]


@pytest.mark.qt_log_ignore(
    "grabbing the keyboard", r"raise\(\)", extend=True
)  # what off-screen windows cannot
def test_parameters_are_fields_and_change_what_is_fetched(qapp: Any, server: Server) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        made = await place(session, server, "table")
        card = window.dashboard.cards[made.uuid]

        def fields() -> Any:
            assert isinstance(card.params, ParamBar)
            return {name: field.part for name, field in card.params.fields.items()}

        assert set(fields()) == {
            "symbol",
            "limit",
            "adjusted",
            "start",
            "note",
            "region",
            "city",
            "fields",
        }
        kinds = {name: type(part) for name, part in fields().items()}
        assert (kinds["adjusted"], kinds["start"], kinds["city"]) == (
            QCheckBox,
            DayButton,
            ChoiceButton,
        )
        limit = fields()["limit"]
        limit.selectAll()
        QTest.keyClicks(limit, "3")
        QTest.keyClick(limit, Qt.Key.Key_Return)
        await until(
            lambda: server.last("companies").get("limit") == "3" and len_of(window, made) == 3
        )
        fields()["adjusted"].click()
        await until(lambda: server.last("companies")["adjusted"] == "false")
        fields()["start"].choose("2024-05-01")
        await until(lambda: server.last("companies")["start"] == "2024-05-01")
        button = fields()["fields"]
        button.click()
        button.list._pick(button.list.rows.item(1))
        await until(lambda: server.last("companies")["fields"] == "open,close,high")
        button.list._pick(button.list.rows.item(0))  # it stays open for more
        await until(lambda: server.last("companies")["fields"] == "close,high")
        button.list.close()
        fields()["region"].chosen.emit("asia")
        await until(lambda: server.last("companies")["region"] == "asia")
        fields()["region"].chosen.emit("eu")
        await until(lambda: server.last("companies")["region"] == "eu")
        city = fields()["city"]
        city.click()
        await until(lambda: city.list.rows.count() == 2)
        QTest.keyClick(city.list.rows, Qt.Key.Key_Down)
        QTest.keyClick(city.list, Qt.Key.Key_Return)
        await until(lambda: server.last("companies").get("city") in ("paris", "rome"))
        assert city.list is None

    in_window(work)


def len_of(window: MainWindow, widget: Widget) -> int:
    table = window.dashboard.table(widget.uuid)
    return table.table().rowCount() if table is not None else -1


def test_a_question_can_be_asked_of_a_fetched_table_and_a_failed_refresh_is_marked(
    qapp: Any, server: Server
) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        made = await place(session, server, "table")
        bar = window.dashboard.cards[made.uuid].bar
        assert "6 rows · " in bar.caption.text()
        server.failing = True
        bar.refresh.click()
        await until(lambda: bar.stale.isVisibleTo(bar) and bar.stale.text() == "Not refreshed")
        assert "asleep" in bar.stale.toolTip()
        assert len_of(window, made) == 6  # what came last stays, and can be asked
        server.failing = False
        bar.stale.click()
        state = session.deskpilot.live.state(made.uuid)
        await until(
            lambda: state.run is None and state.error is None and not bar.stale.isVisibleTo(bar)
        )
        state.at = 1e9
        window.dashboard.seen.emit()
        assert (bar.stale.isVisibleTo(bar), bar.stale.text()) == (True, "Old")
        session.board.set_context(made.uuid, True)
        await until(lambda: made.uuid in [w.uuid for w in session.deskpilot.widgets.attached()])
        await until(lambda: "Companies · 6 rows" in " ".join(chips(window)))

    in_window(work)


def chips(window: MainWindow) -> list[str]:
    layout = window.composer.chips
    parts = [layout.itemAt(n).widget() for n in range(layout.count())]
    return [part.text() for part in parts if part is not None]  # pyright: ignore


def test_a_run_button_fetches(qapp: Any, server: Server) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        made = await place(session, server, "run")
        card = window.dashboard.cards[made.uuid]
        assert isinstance(card.params, ParamBar)
        assert card.params.run is not None
        card.params.run.click()
        await until(lambda: isinstance(card.body, WordsBody))

    in_window(work)


def test_dashboards_are_tabs_and_a_closed_one_comes_back(qapp: Any, server: Server) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        pane, tabs = window.dashboard, window.dashboard.tabs
        first = set(pane.cards)
        tabs.added.emit()
        field = tabs.findChild(QLineEdit)
        field.setText("Mine & yours")
        QTest.keyClick(field, Qt.Key.Key_Return)
        await until(lambda: tabs.bar.tabText(1) == "Mine && yours")
        assert not any(pane.grid.frames[uid].isVisible() for uid in first)
        tabs.note_wanted.emit()
        await until(lambda: pane.findChildren(NoteBody))
        pane.findChild(NoteBody).setPlainText("remember")
        pane.findChild(NoteBody).keep()
        await until(
            lambda: (
                [w.text for w in session.deskpilot.widgets.all() if w.type == "note"]
                == ["remember"]
            )
        )
        QTest.keyClick(tabs.bar, Qt.Key.Key_Delete)
        await until(lambda: tabs.bar.count() == 1 and not pane.findChildren(NoteBody))
        await until(lambda: all(pane.grid.frames[uid].isVisible() for uid in first))
        pane.notice.undo.click()
        await until(lambda: tabs.bar.count() == 2 and pane.findChildren(NoteBody))
        assert tabs.bar.currentIndex() == 1
        assert pane.findChild(NoteBody).toPlainText() == "remember"

    async def again(window: MainWindow, session: WindowSession) -> None:
        tabs = window.dashboard.tabs
        assert [tabs.bar.tabText(n) for n in range(tabs.bar.count())] == [
            "Dashboard",
            "Mine && yours",
        ]
        await until(lambda: window.dashboard.findChildren(NoteBody))
        assert window.dashboard.findChild(NoteBody).toPlainText() == "remember"

    in_window(work)
    in_window(again, cards=1)


def test_the_dialog_adds_a_backend_and_its_dashboard(qapp: Any, server: Server) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        adder, pane = session.board.adder, window.dashboard
        pane.tabs.widget_wanted.emit()
        dialog = adder.dialog
        assert dialog is not None
        dialog.form.url.setText("http://127.0.0.1:9")
        dialog.form.add.click()
        await until(lambda: "cannot be reached" in dialog.form.told.text())
        dialog.form.url.setText(server.url)
        dialog.form.add.click()
        await until(lambda: dialog.tree.topLevelItemCount() == 1)
        dialog.field.setText("desk")
        top = dialog.tree.topLevelItem(0)
        shown = [top.child(n) for n in range(top.childCount()) if not top.child(n).isHidden()]
        assert [item.text(0) for item in shown] == ["Desk  ·  dashboard, 3 widgets"]
        dialog.tree.itemActivated.emit(shown[0], 0)
        await until(lambda: pane.tabs.bar.count() == 3 and pane.findChildren(NewsBody))
        assert adder.dialog is None
        news = pane.findChild(NewsBody)
        news.items[0].head.click()
        assert "Hello" in news.items[0].findChild(WordsBody).toPlainText()

    in_window(work)


def test_documents_are_widgets_too(qapp: Any, tmp_path: Path) -> None:
    (tmp_path / "read me.md").write_text(MARKDOWN, "utf-8")
    (tmp_path / "notes.txt").write_text("One line, then\nanother one\n\nthe end", "utf-8")
    (tmp_path / "report.pdf").write_bytes(pdf())
    (tmp_path / "picture.png").write_bytes(png())
    (tmp_path / "damaged.pdf").write_bytes(b"%PDF-1.4 no")
    paths = [str(p) for p in sorted(tmp_path.glob("*.*"))]

    async def work(window: MainWindow, session: WindowSession) -> None:
        pane = window.dashboard
        await session.board.add(paths)
        await until(
            lambda: (
                pane.findChildren(PdfBody)
                and pane.findChildren(PictureBody)
                and pane.findChildren(Problem)
            )
        )
        assert {w.toPlainText().split()[0] for w in pane.findChildren(WordsBody)} == {
            "Hello",
            "One",
        }
        assert "can't be shown as a PDF" in pane.findChild(Problem).findChild(QLabel).text()
        uid = next(uid for uid, card in pane.cards.items() if isinstance(card.body, PdfBody))
        pane.larger_wanted.emit(uid)
        (larger,) = pane.findChildren(Larger)
        assert isinstance(larger.body, PdfBody)
        larger.close()
        text = session.deskpilot.widgets.sources.as_text(uid)
        assert "Brontosaurus" in text
        body = pane.cards[uid].body
        assert isinstance(body, PdfBody)
        turn = make_turn(1, "It is there [1].")
        quote = [QuoteBox(1, 60, 70, 200, 95, "Brontosaurus")]
        turn.items[3] = Citations(
            [Citation(uid, "report", None, quotes=[quote, [replace(quote[0], page=0)]])]
        )
        session.board.tabs.add()
        session.links.reveal(turn, 1)  # it stands on another dashboard
        assert [(m.page, m.quote) for m in body.pages.marks] == [(1, True), (0, True)]
        assert pane.grid.frames[uid].isVisible()
        # a copilot that says page and words, but not where they stand, as `cite` with details does
        told = [{"Page": 2, "Quote": "Brontosaurus"}]
        turn.items[3] = Citations(
            [
                Citation(uid, "report", None, details=told),
                Citation("", "gone", None, widget_id="gone"),
            ]
        )
        for mark in list(body.pages.marks):
            body.pages.marks.remove(mark)
        session.board.tabs.add()
        session.links.reveal(turn, 1)
        await until(lambda: [(m.page, m.quote) for m in body.pages.marks] == [(1, True)])
        assert pane.grid.frames[uid].isVisible()
        assert body.pages.marks[0].box.width() > 20
        session.links.reveal(turn, 2)  # never a control that does nothing
        await until(lambda: "not on a dashboard" in said(window))

    in_window(work)


def said(window: MainWindow) -> str:
    """Return all that labels of a window say."""
    return " ".join(label.text() for label in window.findChildren(QLabel))


def test_a_pdf_is_searched_and_quotes_are_boxed(qtbot: Any) -> None:
    import base64

    body = PdfBody([{"filename": "r.pdf", "content": base64.b64encode(pdf()).decode()}], "Report")
    qtbot.addWidget(body)
    body.resize(400, 500)
    body.set_tokens(LIGHT)
    body.show()
    body.field.setText("Brontosaurus")
    qtbot.waitUntil(lambda: body.told.text() == "1 of 1")
    assert body.pages.current == 1
    (mark,) = body.pages.marks
    assert (mark.page, mark.quote) == (1, False)
    body.field.clear()
    assert body.show_quotes([QuoteBox(1, 60, 70, 200, 95)])
    (quote,) = body.pages.marks
    assert (quote.page, quote.quote, quote.box.width()) == (0, True, 140)
    assert body.pages.current == 0
    shot = body.pages.viewport().grab().toImage()
    assert not body.show_quotes([QuoteBox(9, 1, 1, 2, 2)])
    assert shot != body.pages.viewport().grab().toImage()


def test_a_form_is_sent_as_a_whole(qtbot: Any) -> None:
    from app.openbb.parameters import read_params

    (form,) = read_params(
        [
            {
                "paramName": "add",
                "label": "Add a trade",
                "type": "form",
                "endpoint": "trades",
                "inputParams": [
                    *PARAMS[:2],
                    {"paramName": "buy", "type": "button", "label": "Buy"},
                ],
            }
        ]
    )
    parent = QWidget()
    qtbot.addWidget(parent)
    dialog = Form(form, parent)
    sent: list[Any] = []
    dialog.submitted.connect(sent.append)
    dialog.show()
    QTest.keyClicks(dialog.findChildren(QLineEdit)[1], "7")
    (buy,) = [b for b in dialog.findChildren(QPushButton) if b.text() == "Buy"]
    buy.click()
    # no more than 40 rows may be asked for
    assert sent == [{"symbol": "ORB", "limit": 40, "buy": True}]


def test_pictures_that_lie_in_a_text_are_shown_and_no_others(qtbot: Any) -> None:
    import base64

    held = base64.b64encode(png()).decode()
    text = (
        f"# Chart\n\n![here](data:image/png;base64,{held})\n\n![bad](data:image/png;base64,{'A' * 40})"
        " ![far](http://127.0.0.1:9/x.png)"
    )
    body = WordsBody(text, "Chart")
    qtbot.addWidget(body)
    body.set_tokens(DARK)
    assert body.toPlainText().split() == ["Chart", "\ufffc", "[bad]", "[far]"]
    body.resize(400, 400)
    body.show()
    colours = {body.grab().toImage().pixelColor(x, 120).name() for x in (60, 200)}
    assert len(colours) == 1  # the picture is as wide as both


def test_markdown_of_a_backend_fetches_nothing_and_links_are_only_told(qtbot: Any) -> None:
    from app.ui.dashboard.bodies.registry import body_of

    body = body_of(Content("markdown", MARKDOWN), "Summary")
    qtbot.addWidget(body)
    assert isinstance(body, WordsBody)
    body.resize(300, 300)
    body.show()
    assert "<script>" in body.toPlainText()  # shown as the words it is
    assert "javascript:" not in body.document().toHtml().replace("[bad](javascript:alert(1))", "")
    followed: list[str] = []
    body.linked.connect(followed.append)
    for href in ("javascript:alert(1)", "file:///etc/passwd", "https://example.org"):
        body.anchorClicked.emit(QUrl(href))
    assert followed == ["https://example.org"]


def test_a_table_looks_as_its_backend_says_and_is_sorted_and_filtered(
    qapp: Any, server: Server
) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        made = await place(session, server, "table")
        uid = made.uuid
        body = window.dashboard.table(uid)
        assert body is not None
        model = body.table()
        await until(lambda: model.dress is not None)
        names = model.names()
        change, about = names.index("change"), names.index("about")
        assert model.data(model.index(0, change)) == "0.01 %"
        ink = model.data(model.index(1, change), Qt.ItemDataRole.ForegroundRole)
        assert ink.name() == window.tokens.danger
        assert model.headerData(change, Qt.Orientation.Horizontal) == "Change"
        assert body.isColumnHidden(names.index("internal"))
        founded, ground = names.index("founded"), Qt.ItemDataRole.BackgroundRole
        assert model.data(model.index(3, founded)) == "1993"
        lit = [model.data(model.index(row, founded), ground) is not None for row in range(6)]
        assert lit == [row * 3 % 11 > 7 for row in range(6)]  # coloured by another column
        told = window.dashboard.cards[uid].bar.toolTip()
        assert "Companies and how they do" in told
        assert "Source: Tests" in told
        tip = model.data(model.index(0, about), Qt.ItemDataRole.ToolTipRole)
        assert "Note 0 written by hand" in tip
        assert model.data(model.index(0, names.index("trend")), Qt.ItemDataRole.UserRole) == [
            1,
            3,
            2,
            5,
            4,
        ]
        header = body.horizontalHeader()
        header.sectionClicked.emit(change)
        header.sectionClicked.emit(change)
        await until(lambda: model.order.descending)
        assert (
            model.data(model.index(0, 0)) == "DAY" or model.data(model.index(0, change)) == "0.06 %"
        )
        assert model.headerData(change, Qt.Orientation.Horizontal) == "Change ▼"
        ordering = body.findChild(HeaderOrder)
        ordering.filter(names.index("symbol"), "O")
        await until(lambda: model.rowCount() == 2)
        assert window.dashboard.cards[uid].bar.caption.text().startswith("2 of 6 rows · ")
        assert {model.data(model.index(row, 0)) for row in range(2)} == {"ORB", "BOX"}
        source_hash = session.deskpilot.widgets.profile(uid).hash
        assert session.board.reveal(
            uid, CellRef(source_hash, 0, "symbol")
        )  # a cited cell is found in any order
        assert model.lit is not None
        assert model.data(model.index(*model.lit)) == "ORB"
        assert session.board.reveal(
            uid, CellRef(source_hash, 1, "symbol")
        )  # and shown although a filter hid it
        await until(lambda: model.rowCount() == 6)
        window.grab()

    in_window(work)


def test_chips_say_what_they_cost_and_take_as_many_lines_as_they_need(
    qapp: Any, tmp_path: Path
) -> None:
    paths = [str(tmp_path / f"a table with a long name {n}.csv") for n in range(5)]
    for n, path in enumerate(paths):
        with open(path, "w", encoding="utf-8") as file:  # noqa: PTH123
            file.write("day,close\n" + "2024-01-01,2.5\n" * (n + 1))

    async def work(window: MainWindow, session: WindowSession) -> None:
        low = window.composer.height()
        await session.board.add(paths)
        await until(lambda: sum("tokens" in text for text in chips(window)) == 5)
        assert "a table with a long name 1 · 2 rows · ~" in chips(window)[1]
        await until(lambda: window.composer.height() > low)
        boxes = [window.composer.chips.itemAt(n).geometry() for n in range(5)]
        room = window.composer.rect()
        assert all(room.contains(box) for box in boxes)
        assert len({box.y() for box in boxes}) > 1

    in_window(work)


def test_a_backend_is_told_the_theme_that_is_worn(qapp: Any, server: Server) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        live = session.deskpilot.live
        await live.backends.add(server.url)
        deskpilot = session.deskpilot
        switch = ThemeSwitch(qapp, window, "system")
        await switch.follow(deskpilot.settings, deskpilot.live, deskpilot.tasks)
        worn = "dark" if window.tokens.dark else "light"
        await live.read_widget(server.url, "chart", {})
        assert server.last("chart")["theme"] == worn
        window.topbar.theme_wanted.emit()
        await until(lambda: window.tokens.dark == (worn == "light"))
        await live.read_widget(server.url, "chart", {})
        assert server.last("chart")["theme"] != worn

    in_window(work)


def test_a_file_on_another_server_is_shown_after_a_press(qapp: Any, server: Server) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        with running() as other:
            server.store = other.url
            widget = await place(session, server, "stored")
            body = window.dashboard.cards[widget.uuid].body
            assert isinstance(body, Problem)
            assert body.allow.text() == f"Allow {other.url}"
            QTest.mouseClick(body.allow, Qt.MouseButton.LeftButton)
            await until(lambda: isinstance(window.dashboard.cards[widget.uuid].body, PdfBody))
            assert [path for _, path, _, _ in other.asked] == ["report.pdf"]

    in_window(work)


def test_kinds_of_widgets_are_told_in_words_not_by_their_names_in_the_protocol() -> None:
    told = {
        "table": "Table",
        "ssrm_table": "Table",
        "chart-highcharts": "Chart",
        "advanced_charting": "Candlestick chart",
        "multi_file_viewer": "PDF",
        "metric": "Key figures",
        "note": "Note",
        "omni": "",
        "hologram": "",
    }
    assert {kind: name_of_kind(kind) for kind in told} == told
