"""The window over the real services: ask, cite, attach, stop, restart."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QMimeData, QRect, Qt, QUrl
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QWidget

from app.domain.dashboard import Widget
from app.domain.events import Ended
from app.openbb.content import Content
from app.ui.composer.composer import Composer
from app.ui.controls.actions import action_of
from app.ui.controls.labels import ElidedLabel
from app.ui.dashboard import web_views as sandbox
from app.ui.dashboard.bodies.registry import body_of
from app.ui.dashboard.bodies.text import WordsBody
from app.ui.dashboard.card import Problem
from app.ui.dashboard.table.view import TableBody
from app.ui.main.session import WindowSession
from app.ui.main.window import MainWindow
from app.ui.theme.tokens import LIGHT
from tests.gui.living import in_window, tables_shown, until

if TYPE_CHECKING:
    from pathlib import Path

QUESTION = "What was the unemployment rate in the third quarter of 2009?"

pytestmark = pytest.mark.usefixtures("served")


def table_of(window: MainWindow) -> TableBody:
    found = window.dashboard.findChildren(TableBody)
    assert found
    return found[0]


@pytest.mark.starter
def test_a_typed_question_is_answered_and_its_cell_flashes(qapp: Any) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        QTest.keyClicks(window.composer.editor, QUESTION)
        QTest.keyClick(window.composer.editor, Qt.Key.Key_Return)
        await until(lambda: session.turns and session.turns[0].state == "done")
        assert "9.6" in session.turns[0].answer()
        await until(lambda: table_of(window).model()._lit == (202, 10))  # type: ignore[attr-defined]
        session.follow(session.turns[0], action_of("alt:0"))
        await until(lambda: len(session.turns) == 2 and session.turns[1].state == "done")
        assert "2009" in session.turns[1].answer()
        assert session.turns[1].answer() != session.turns[0].answer()
        before = [turn.id for turn in session.turns]
        session.follow(session.turns[0], action_of("alt:0"))
        await until(lambda: len(session.turns) == 3 and session.turns[2].state == "done")
        assert [turn.id for turn in session.turns[:2]] == before  # no later answer is hidden

    in_window(work)


@pytest.mark.starter
def test_a_restart_keeps_conversation_and_widgets(qapp: Any) -> None:
    async def first(window: MainWindow, session: WindowSession) -> None:
        session.submit(QUESTION)
        await until(lambda: session.turns and session.turns[0].state == "done")

    async def second(window: MainWindow, session: WindowSession) -> None:
        await until(lambda: session.turns)
        assert "9.6" in session.turns[0].answer()
        await until(lambda: len(window.sidebar.list.ids()) == 1)
        assert table_of(window).model().rowCount() == 203

    in_window(first)
    in_window(second)


@pytest.mark.starter
def test_escape_stops_the_answer_and_keeps_its_words(qapp: Any) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        for widget in session.deskpilot.widgets.all():
            await session.deskpilot.widgets.attach(widget.uuid, attached=False)
        session.submit("Write a very long story about the sea.")
        await until(lambda: session.running is not None and session.running.answer())
        QTest.keyClick(window, Qt.Key.Key_Escape)
        await until(lambda: session.running is None, seconds=1)
        turn = session.turns[0]
        assert turn.state == "stopped"
        kept = (await session.deskpilot.history.open(turn.conversation_id))[0]
        assert kept.state == "stopped"
        assert kept.answer() == turn.answer() != ""

    in_window(work)


@pytest.mark.starter
def test_a_question_that_is_still_on_its_way_can_be_stopped(qapp: Any) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        session.submit("Write a very long story about the sea.")
        session.stop()  # at once: nothing was sent yet
        await until(lambda: session.turns and session.turns[0].state == "stopped", seconds=10)
        await until(lambda: session.running is None)

    in_window(work)


@pytest.mark.starter
def test_what_is_typed_while_an_answer_comes_waits_its_turn(qapp: Any) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        session.submit(QUESTION)
        session.submit("And in the second quarter of 2009?")
        await until(lambda: len(session.turns) == 2 and session.turns[1].state == "done")
        assert "9.2" in session.turns[1].answer()

    in_window(work)


def test_the_context_button_takes_a_widget_out_and_back(qapp: Any) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        (uid, card), *_ = window.dashboard.cards.items()
        card.bar.set_hot(True)  # the mouse is over it before it presses
        QTest.mouseClick(card.context, Qt.MouseButton.LeftButton)
        await until(lambda: card.context.text() == "Add as context")
        assert not session.deskpilot.widgets.attached()
        QTest.mouseClick(card.context, Qt.MouseButton.LeftButton)
        await until(lambda: [w.uuid for w in session.deskpilot.widgets.attached()] == [uid])

    in_window(work)


def test_a_table_that_went_away_says_so_and_is_read_again(qapp: Any, tmp_path: Path) -> None:
    path = tmp_path / "prices.csv"
    path.write_text("day,close\n1,2.5\n", "utf-8")

    async def add(window: MainWindow, session: WindowSession) -> None:
        session.attach_files([str(path)])
        await until(lambda: tables_shown(window) == 2)
        path.unlink()

    async def mend(window: MainWindow, session: WindowSession) -> None:
        await until(lambda: window.dashboard.findChildren(Problem))
        path.write_text("day,close\n1,2.5\n", "utf-8")
        QTest.mouseClick(window.dashboard.findChildren(Problem)[0].retry, Qt.MouseButton.LeftButton)
        await until(lambda: tables_shown(window) == 2)
        assert not session.deskpilot.widgets.errors

    in_window(add)
    in_window(mend)


def test_a_file_that_is_no_table_any_more_ends_the_question_in_words_and_the_next_one_goes(
    qapp: Any, tmp_path: Path
) -> None:
    path = tmp_path / "prices.csv"
    path.write_text("day,close\n1,2.5\n", "utf-8")

    async def work(window: MainWindow, session: WindowSession) -> None:
        session.attach_files([str(path)])
        await until(lambda: tables_shown(window) == 2)
        path.write_bytes(b"\x89PNG\r\n\x1a\n\x00")
        session.submit("What is the average close?")
        await until(lambda: bool(session.turns) and session.turns[0].state == "failed")
        ended = session.turns[0].items[-1]
        assert isinstance(ended, Ended)
        assert "prices.csv is not a text file" in ended.text
        path.write_text("day,close\n1,4.5\n", "utf-8")
        session.submit("What is the average close?")
        await until(lambda: len(session.turns) == 2 and session.turns[1].state == "done")
        assert "4.5" in session.turns[1].answer()

    in_window(work)


def test_every_control_has_a_name_for_those_who_do_not_see_it(qapp: Any) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        from PySide6.QtWidgets import QAbstractButton, QLineEdit

        for kind in (QAbstractButton, QLineEdit):
            for control in window.findChildren(kind):
                if control.isVisibleTo(window) and not control.objectName().startswith("qt_"):
                    named = control.accessibleName() or getattr(control, "text", str)()
                    assert named, control.objectName()

    in_window(work)


def test_a_chart_is_drawn_by_plotly_and_its_page_reaches_nothing(repository: Path) -> None:
    command = [sys.executable, "-m", "tests.gui.chart_window"]
    environment = os.environ | {"QTWEBENGINE_CHROMIUM_FLAGS": "--no-sandbox --disable-gpu"}
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=repository, env=environment
    )
    assert done.returncode == 0, done.stderr[-2000:]  # the end is clean too
    told = json.loads(done.stdout)
    hostile = told.pop("hostile")
    assert told == {"before": [], "after": ["http://127.0.0.1:9/elsewhere"]}
    assert hostile["chart"] == "drawn"  # its title holds a script
    assert (hostile["png"][1:4], hostile["svg"]) == ("PNG", "<svg ")
    assert hostile["widths"] == [700, 380]  # it follows its tile
    assert hostile["page"].split() == ["Hello", "Quarterly", "report"]
    assert hostile["title"] != "owned"
    assert hostile["blocked"] == ["http://127.0.0.1:9/"]  # it wanted to go there by itself


def test_a_chart_is_drawn_whoever_runs_it_also_as_root(repository: Path) -> None:
    environment = os.environ | {"QTWEBENGINE_CHROMIUM_FLAGS": "--disable-gpu"}
    command = [sys.executable, "-m", "tests.gui.chart_window"]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=repository, env=environment
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert json.loads(done.stdout)["hostile"]["chart"] == "drawn"


def test_without_a_sandbox_only_the_words_of_a_page_of_others_are_shown(
    qtbot: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox, "sandboxed", lambda: False)
    page = "<title>t</title><script>document.title='owned'</script><p>Quarterly <b>report</b></p>"
    body = body_of(Content("html", page), "Report")
    qtbot.addWidget(body)
    assert isinstance(body, WordsBody)
    told, _, words = body.toPlainText().partition("\n\n")
    assert told.startswith("Only the text of this page is shown")
    assert words.strip() == "Quarterly report"


class TestComposer:
    @pytest.fixture
    def composer(self, qtbot: Any) -> Composer:
        made = Composer()
        qtbot.addWidget(made)
        made.set_tokens(LIGHT)
        made.show()
        return made

    def test_enter_sends_and_shift_enter_breaks(self, composer: Composer, qtbot: Any) -> None:
        sent: list[str] = []
        composer.submitted.connect(sent.append)
        QTest.keyClicks(composer.editor, "one")
        QTest.keyClick(composer.editor, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
        QTest.keyClicks(composer.editor, "two")
        QTest.keyClick(composer.editor, Qt.Key.Key_Return)
        assert sent == ["one\ntwo"]
        assert composer.editor.toPlainText() == ""

    def test_enter_does_not_send_what_an_input_method_composes(self, composer: Composer) -> None:
        sent: list[str] = []
        composer.submitted.connect(sent.append)
        QTest.keyClicks(composer.editor, "x")
        QApplication.sendEvent(composer.editor, QInputMethodEvent("shi", []))
        QTest.keyClick(composer.editor, Qt.Key.Key_Return)
        assert sent == []

    def test_a_hash_offers_widgets_and_enter_attaches_one(self, composer: Composer) -> None:
        sent: list[str] = []
        picked: list[str] = []
        composer.submitted.connect(sent.append)
        composer.attached.connect(picked.append)
        composer.set_widgets(
            [Widget("1", "Prices", ""), Widget("2", "GDP", ""), Widget("3", "Profits", "")]
        )
        QTest.keyClicks(composer.editor, "compare #pr")
        assert [composer.picker.item(i).text() for i in range(composer.picker.count())] == [
            "Prices",
            "Profits",
        ]
        QTest.keyClick(composer.editor, Qt.Key.Key_Down)
        QTest.keyClick(composer.editor, Qt.Key.Key_Return)
        assert (picked, sent, composer.editor.toPlainText()) == (["3"], [], "compare ")
        assert not composer.picker.isVisible()

    def test_escape_closes_the_offer_and_enter_sends_again(self, composer: Composer) -> None:
        sent: list[str] = []
        composer.submitted.connect(sent.append)
        composer.set_widgets([Widget("1", "Prices", "")])
        QTest.keyClicks(composer.editor, "#p")
        QTest.keyClick(composer.editor, Qt.Key.Key_Escape)
        QTest.keyClick(composer.editor, Qt.Key.Key_Return)
        assert sent == ["#p"]

    def test_a_pasted_file_is_attached_not_written(self, composer: Composer) -> None:
        files: list[list[str]] = []
        composer.files.connect(files.append)
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile("/tmp/a.csv")])
        composer.editor.insertFromMimeData(data)
        assert files == [["/tmp/a.csv"]]
        assert composer.editor.toPlainText() == ""

    def test_nothing_is_not_sent(self, composer: Composer) -> None:
        sent: list[str] = []
        composer.submitted.connect(sent.append)
        QTest.keyClicks(composer.editor, "  ")
        QTest.keyClick(composer.editor, Qt.Key.Key_Return)
        assert sent == []


def test_pyside_does_not_lose_references_to_none(qapp: Any) -> None:
    """6.12.0 on CPython 3.11 loses one a void call and aborts after a few thousand."""
    label = QLabel()
    before = sys.getrefcount(None)
    for n in range(2000):
        label.setText(str(n))
    assert abs(sys.getrefcount(None) - before) < 100
    label.deleteLater()


def test_no_async_def_stands_in_a_widget() -> None:
    import inspect

    from app.ui.chat import view
    from app.ui.composer import composer
    from app.ui.dashboard import (
        card,
        grid,
        pane,
        title_bar,
        web_views,
    )
    from app.ui.dashboard.bodies import figures, lines
    from app.ui.main import sidebar, topbar, window

    shown = (card, web_views, pane, figures, lines, grid, grid, title_bar)
    for module in (sidebar, topbar, window, composer, view, *shown):
        for _, cls in inspect.getmembers(module, inspect.isclass):
            if issubclass(cls, QWidget) and cls.__module__ == module.__name__:
                assert not [n for n, f in vars(cls).items() if inspect.iscoroutinefunction(f)]


def test_events_are_delivered_without_nested_loops() -> None:
    """`exec()` on a dialog and `processEvents` break the shared loop: neither stands in the
    window's code.
    """
    from pathlib import Path

    import app.ui

    code = "".join(p.read_text("utf-8") for p in Path(next(iter(app.ui.__path__))).rglob("*.py"))
    assert "class DashboardPane" in code
    assert ".exec(" not in code
    assert "processEvents" not in code


@pytest.mark.starter
def test_a_question_that_waits_is_told_and_stop_gives_it_back(qapp: Any) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        editor = window.composer.editor
        session.submit("Write a long story about the sea, the wind and a small boat.")
        await until(lambda: session.running is not None)
        session.submit(QUESTION)
        session.submit("And in 2010?")
        waiting = window.composer.waiting

        def told() -> list[str]:
            return [
                label.text() for label in waiting.findChildren(ElidedLabel) if label.isVisible()
            ]

        await until(lambda: told() == [QUESTION, "And in 2010?"])
        session.stop()
        assert editor.toPlainText() == f"{QUESTION}\nAnd in 2010?"
        assert not waiting.isVisible()
        await until(lambda: session.running is None)
        assert len(session.turns) == 1

    in_window(work)


@pytest.mark.starter
def test_a_hidden_dashboard_stays_hidden_until_a_citation_is_pressed(qapp: Any) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        window.topbar.dashboard_wanted.emit()
        session.submit(QUESTION)
        await until(lambda: session.turns and session.turns[0].state == "done")
        assert not window.dashboard.isVisible()
        session.follow(session.turns[0], action_of("cite:1"))
        assert window.dashboard.isVisible()

    in_window(work)


def test_the_examples_are_offered_only_with_the_table_they_ask_about(qapp: Any) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        assert all(button.isVisible() for button in window.welcome.examples)
        (sample,) = [w for w in session.deskpilot.widgets.attached() if w.type == "table"]
        session.board.set_context(sample.uuid, False)
        await until(lambda: not any(button.isVisible() for button in window.welcome.examples))
        assert "on the dashboard" in window.welcome.told.text()

    in_window(work)


@pytest.mark.parametrize(
    ("width", "height", "size"), [(1366, 768, (1360, 728)), (1920, 1080, (1360, 850))]
)
def test_the_window_is_no_larger_than_the_screen(
    qapp: Any, width: int, height: int, size: tuple[int, int]
) -> None:
    window = MainWindow()
    window.fit(QRect(0, 0, width, height))
    assert (window.width(), window.height()) == size
    window.deleteLater()


def test_in_900_by_600_the_dashboard_gives_way_and_comes_back(qapp: Any) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        body = window.centralWidget()
        assert body is not None
        window.resize(900, 600)
        await until(window.dashboard.isHidden)
        assert (window.width(), window.height()) == (900, 600)
        await until(lambda: body.minimumSizeHint().width() <= 900)
        window.topbar.dashboard_wanted.emit()
        await until(window.dashboard.isVisible)
        assert window.sidebar.isHidden()
        await until(lambda: body.minimumSizeHint().width() <= 900)
        window.topbar.sidebar_wanted.emit()
        await until(window.sidebar.isVisible)
        assert window.dashboard.isHidden()
        window.resize(1200, 700)
        await until(window.dashboard.isVisible)
        assert window.sidebar.isVisible()

    in_window(work)


def test_a_window_that_begins_narrow_begins_without_the_dashboard(qapp: Any) -> None:
    window = MainWindow()
    window.resize(900, 600)
    window.show()
    assert window.dashboard.isHidden()
    window.resize(1200, 700)
    assert window.dashboard.isVisible()
    assert window.dashboard.width() > 0
    window.close()
    window.deleteLater()
