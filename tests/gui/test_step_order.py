"""Steps in the window put in, moved, taken out and brought back, by keyboard; values looked up
beside the window.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.data.workflow_editor.fields import EditContext
from app.domain.events import Status
from app.services.library.workflows import AnswerPlace
from app.ui.workflows.step_list import AddWindow
from app.ui.workflows.window import StepsWindow
from backends.data.workflow.step import Workflow
from tests.gui.living import in_window, press_link_when_there, until
from tests.gui.test_workflow_steps import press, type_in

if TYPE_CHECKING:
    from pathlib import Path

    from app.ui.main.session import WindowSession
    from app.ui.main.window import MainWindow

pytestmark = pytest.mark.usefixtures("served")
ALT = Qt.KeyboardModifier.AltModifier


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    rows = [f"Person {n},{n % 9}" for n in range(400)]
    path.write_text("\n".join(["name,score", *rows]) + "\n", "utf-8")
    return path


async def opened(window: MainWindow, session: WindowSession, path: Path) -> StepsWindow:
    """Show the steps of an answer: rows read, a table shown."""
    uid = (await session.deskpilot.widgets.add_file(path)).uuid
    where = [{"column": "name", "op": "=", "value": "Person 7"}]
    steps = [
        {"id": "a", "interface": "read_rows", "arguments": {"source": uid, "where": where}},
        {"id": "b", "interface": "show_table", "arguments": {"data": "a"}},
    ]
    flow = Workflow.model_validate({"steps": steps})
    result, seconds = await session.deskpilot.workflows.run(flow)
    begun = await session.deskpilot.history.begin("Score of Person 7?")
    place = AnswerPlace(begun.id, None, "Score of Person 7?", "As asked.")
    turn = await session.deskpilot.workflows.answer(place, flow, result, seconds, "en")
    session.open_chat(begun.id)
    await until(lambda: session.turns and session.turns[-1].id == turn.id)
    await press_link_when_there(window.view, "act:steps")
    await until(lambda: window.findChild(StepsWindow))
    return window.findChild(StepsWindow)


def rows(steps: StepsWindow) -> list[str]:
    return [steps.list.item(n).text() for n in range(steps.list.count())]


async def put_in(steps: StepsWindow, words: str) -> None:
    """Add a step behind the one that is chosen, found by words."""
    QTest.keyClick(steps.list, Qt.Key.Key_Insert)
    await until(lambda: steps.findChild(AddWindow))
    adding = steps.findChild(AddWindow)
    QTest.keyClicks(adding.field, words)
    QTest.keyClick(adding.field, Qt.Key.Key_Return)
    await until(lambda: not steps.findChild(AddWindow))


def test_a_step_is_put_in_by_words_filled_in_run_and_told_of(qapp: Any, people: Path) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        steps = await opened(window, session, people)
        await put_in(steps, "mean and median")
        assert rows(steps) == ["1  Read rows", "2  Mean and median (new)", "3  Show a table"]
        assert (
            steps.form.editors[("column",)].control.text().startswith("score")
        )  # the only one of numbers
        await until(
            lambda: steps.told.text() == "Changed, not run yet: step 2: new: Mean and median"
        )
        steps.list.setCurrentRow(2)
        data = steps.form.editors[("data",)].control
        data.choices.actions()[1].trigger()  # type: ignore[attr-defined]
        await until(lambda: steps.workflow.steps[2].arguments["data"] == "added1")
        press(steps.run)
        await until(lambda: len(session.chat.turns) == 2)
        note = session.turns[-1].items[0]
        assert isinstance(note, Status)
        assert (
            note.message == "Steps you changed, run without a model: step 2: new: Mean and median;"
            " step 3: rows of step 1 → step 2"
        )
        assert rows(steps) == ["1  Read rows", "2  Mean and median", "3  Show a table"]
        assert "median" in steps.came.text()
        steps.close()

    in_window(work)


def test_what_a_step_takes_is_computed_before_its_columns_are_chosen(
    qapp: Any, people: Path
) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        steps = await opened(window, session, people)
        assert not steps.part.isVisible()
        await put_in(steps, "SORTS rows")
        await put_in(steps, "pivot table")
        assert rows(steps)[1:3] == ["2  Rank (new)", "3  Turn values into columns (new)"]
        assert steps.part.isVisible()
        press(steps.run)
        await until(lambda: steps.told.text() == "Fix the marked fields first.")
        assert steps.row == 1
        await until(lambda: steps.focusWidget() is steps.form.editors[("by",)].control)
        by = steps.form.editors[("by",)].control
        next(a for a in by.choices.actions() if a.text() == "score").trigger()  # type: ignore[attr-defined]
        await until(lambda: steps.workflow.steps[1].arguments.get("by") == "score")
        steps.list.setCurrentRow(2)
        press(steps.part)
        await until(lambda: not steps.part.isVisible())
        offered = [a.text() for a in steps.form.editors[("rows",)].control.choices.actions()]  # type: ignore[attr-defined]
        assert offered == ["choose …", "name", "score"]
        assert len(session.chat.turns) == 1
        steps.close()

    in_window(work)


def test_steps_are_moved_and_taken_out_by_key_and_brought_back(qapp: Any, people: Path) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        steps = await opened(window, session, people)
        await put_in(steps, "rank")
        steps.list.setFocus()
        QTest.keyClick(steps.list, Qt.Key.Key_Up, ALT)
        told = (
            "Step 2 (Rank) uses the result of step 1 (Read rows), so it must come after that step."
        )
        assert steps.told.text() == told
        QTest.keyClick(steps.list, Qt.Key.Key_Down, ALT)
        assert rows(steps) == ["1  Read rows", "2  Show a table", "3  Rank (new)"]
        press(steps.side.up)
        assert rows(steps) == ["1  Read rows", "2  Rank (new)", "3  Show a table"]
        steps.list.setCurrentRow(0)
        QTest.keyClick(steps.list, Qt.Key.Key_Delete)
        assert (
            "uses the result of step 1 (Read rows). First change the input of step 2"
            in steps.told.text()
        )
        steps.list.setCurrentRow(2)
        press(steps.side.remove)
        assert rows(steps) == ["1  Read rows", "2  Rank (new)"]
        assert "without Show a table" in steps.told.text()
        assert steps.row == 1
        press(steps.side.undo)
        assert rows(steps)[2] == "3  Show a table"
        for _ in range(3):
            QTest.keyClick(steps.list, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
        assert rows(steps) == ["1  Read rows", "2  Show a table"]
        assert steps.workflow == steps.before
        assert not steps.side.undo.isVisible()
        steps.close()

    in_window(work)


def test_a_step_that_cannot_stand_there_says_what_it_lacks(qapp: Any, people: Path) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        steps = await opened(window, session, people)
        press(steps.side.add)
        await until(lambda: steps.findChild(AddWindow))
        adding = steps.findChild(AddWindow)
        QTest.keyClicks(adding.field, "several charts")
        assert adding.told.text() == "It needs two earlier charts."
        assert not adding.add.isEnabled()
        QTest.keyClick(adding.field, Qt.Key.Key_Return)
        assert adding.isVisible()
        adding.field.setText("zzz")
        assert adding.told.text() == "No matching step."
        adding.field.setText("macd")
        assert adding.told.text() == "MACD, KDJ, RSI, Bollinger bands or CCI of a price."
        adding.reject()
        steps.close()

    in_window(work)


def test_a_value_is_looked_up_beside_the_window_and_left_with_the_next_key(
    qapp: Any, people: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on, threads = threading.Event(), threading.Event(), list[str]()
    plain = EditContext.holds

    def held(ground: EditContext, uid: str, column: str, value: Any) -> Any:
        threads.append(threading.current_thread().name)
        begun.set()
        assert go_on.wait(60)
        return plain(ground, uid, column, value)

    monkeypatch.setattr(EditContext, "holds", held)

    async def work(window: MainWindow, session: WindowSession) -> None:
        steps = await opened(window, session, people)
        path = ("where", 0, "value")
        line = steps.form.editors[path].control
        type_in(line, "Person 3")
        await until(begun.is_set)
        assert steps.form.editors[path].problem.text() == "Searching the table …"
        assert not steps.form.problems
        running = next(
            name for name in session.deskpilot.tasks._tasks if name.startswith("look up for")
        )
        QTest.keyClicks(line, "0")
        await until(lambda: not session.deskpilot.tasks.running(running))
        assert steps.form.editors[path].problem.text() == ""
        go_on.set()
        assert steps.workflow.steps[0].arguments["where"][0]["value"] == "Person 7"
        line.selectAll()
        QTest.keyClicks(line, "person 30")
        press(steps.run)  # what was typed last is looked up first, then the steps run
        await until(lambda: len(session.chat.turns) == 2)
        assert steps.workflow.steps[0].arguments["where"][0]["value"] == "Person 30"
        assert "Person 30" in steps.came.text()
        assert threading.current_thread().name not in threads
        type_in(steps.form.editors[path].control, "Nobody")
        await until(
            lambda: "name does not contain Nobody." in steps.form.editors[path].problem.text()
        )
        steps.close()

    in_window(work)
