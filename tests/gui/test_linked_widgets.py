"""Widgets that share a parameter, cells that do something when pressed, several files in one
tile.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import shiboken6
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QMenu

from app.domain.events import QuoteBox
from app.services.dashboard.placement import place_app
from app.ui.dashboard.bodies.files import FilesBody
from app.ui.dashboard.bodies.pdf_pages import PdfBody
from app.ui.dashboard.bodies.picture import PictureBody
from app.ui.dashboard.bodies.text import WordsBody
from app.ui.dashboard.params import Form, FormButton, ParamBar
from tests.gui.living import in_window, until
from tests.gui.test_backend_widgets import place
from tests.widget_backend import Server

if TYPE_CHECKING:
    from app.ui.main.session import WindowSession
    from app.ui.main.window import MainWindow

pytestmark = pytest.mark.usefixtures("served")


def press(window: MainWindow, uid: str, row: int, column: str) -> None:
    body = window.dashboard.table(uid)
    assert body is not None
    index = body.table().index(row, body.table().names().index(column))
    body.scrollTo(index)
    QTest.mouseClick(
        body.viewport(), Qt.MouseButton.LeftButton, pos=body.visualRect(index).center()
    )


def test_a_pressed_cell_sets_the_others_asks_or_opens(qapp: Any, server: Server) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        live, pane = session.deskpilot.live, window.dashboard
        await live.backends.add(server.url)
        await place_app(session.deskpilot.dashboard, live, server.url, 1)
        session.board.show()
        ids = {w.widget_id: w.uuid for w in session.deskpilot.widgets.all()}
        await until(
            lambda: pane.table(ids["watch"]) is not None and pane.table(ids["watch"]).pressable
        )
        press(window, ids["watch"], 1, "symbol")
        await until(lambda: server.last("quote") == {"symbol": "KLM"} == server.last("story"))
        bar = pane.cards[ids["story"]].params
        assert isinstance(bar, ParamBar)
        field = bar.fields["symbol"]
        await until(lambda: isinstance(field.part, QLineEdit) and field.part.text() == "KLM")
        assert field.part.toolTip() == "Shared with Quote"
        press(window, ids["watch"], 0, "ask")
        assert (
            window.composer.editor.toPlainText() == "Why did ORB move 0.25?"
        )  # it is not sent by itself
        links: list[str] = []
        session.board.live.linked.disconnect()
        session.board.live.linked.connect(links.append)
        body = pane.table(ids["watch"])
        assert body is not None
        body.setCurrentIndex(body.table().index(2, body.table().names().index("page")))
        QTest.keyClick(body, Qt.Key.Key_Return)
        assert links == ["https://example.org/ZED"]

    in_window(work)


def test_a_person_shares_parameters_and_parts_them(qapp: Any, server: Server) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        one, two = await place(session, server, "quote"), await place(session, server, "story")
        sharing, shared = session.deskpilot.live.sharing, session.board.live._shared

        def actions(uid: str) -> dict[str, Any]:
            menu = QMenu(window)
            shared.offer(uid, "symbol", menu)
            return {action.text(): action for action in menu.actions()}

        actions(one.uuid)["Share with Story"].trigger()
        await until(lambda: sharing.of(one.uuid, "symbol"))
        bar = window.dashboard.cards[one.uuid].params
        assert isinstance(bar, ParamBar)
        await until(lambda: bar.fields["symbol"].part.toolTip() == "Shared with Story")
        field = bar.fields["symbol"].part
        assert isinstance(field, QLineEdit)
        field.selectAll()
        QTest.keyClicks(field, "BOX")
        QTest.keyClick(field, Qt.Key.Key_Return)
        await until(lambda: server.last("story") == {"symbol": "BOX"})
        actions(two.uuid)["Stop sharing"].trigger()
        await until(lambda: not sharing.of(one.uuid, "symbol"))
        assert list(actions(one.uuid)) == ["Share with Story"]

    in_window(work)


def test_files_of_different_kinds_are_shown_as_what_they_are(qapp: Any, server: Server) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        made = await place(session, server, "files")
        await session.deskpilot.live.set_value(
            made.uuid, "files", ["report.pdf", "picture.png", "notes.md"]
        )
        pane = window.dashboard

        def body() -> Any:
            return pane.cards[made.uuid].body

        await until(lambda: isinstance(body(), FilesBody) and body().chooser.count() == 3)
        assert isinstance(body().shown, PdfBody)
        body().chooser.setCurrentIndex(1)
        assert isinstance(body().shown, PictureBody)
        body().chooser.setCurrentIndex(2)
        assert isinstance(body().shown, WordsBody)
        quote = QuoteBox(1, 60, 70, 200, 95)
        assert session.board.live.show_quotes(made.uuid, [[quote]])
        assert isinstance(body().shown, PdfBody)
        assert [mark.quote for mark in body().shown.pages.marks] == [True]

    in_window(work)


@pytest.mark.qt_log_ignore("grabbing the keyboard", r"raise\(\)", extend=True)
def test_a_form_that_is_refused_stays_open_and_one_that_is_taken_refreshes(
    qapp: Any, server: Server
) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        made = await place(session, server, "trades")
        bar = window.dashboard.cards[made.uuid].params
        assert isinstance(bar, ParamBar)
        bar.findChild(FormButton).click()
        (form,) = bar.findChildren(Form)
        rows = form.findChildren(QLineEdit)[1]
        rows.setText("13")
        form.buttons[0].click()
        await until(lambda: "Thirteen brings bad luck" in form.told.text())
        assert (rows.text(), form.buttons[0].isEnabled()) == ("13", True)
        rows.setText("7")
        form.buttons[0].click()
        await until(lambda: server.trades)
        assert server.trades == [{"symbol": "ORB", "limit": 7, "buy": True, "widget_id": "trades"}]
        words = window.dashboard.cards[made.uuid]
        await until(
            lambda: isinstance(words.body, WordsBody) and "1 trades" in words.body.toPlainText()
        )
        await until(lambda: not shiboken6.isValid(form) or not form.isVisible())

    in_window(work)
