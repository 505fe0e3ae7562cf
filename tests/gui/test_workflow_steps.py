"""Workflows in the window: steps read, changed, refused, run again, kept; the library's page; all
by keyboard.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QMessageBox, QPushButton

from app.domain.events import Artifact, CallResult, Status
from app.services.library.designer import DesignProgress
from app.services.library.workflows import AnswerPlace
from app.ui.chat.lines import detail_of
from app.ui.dashboard.chart_tiles import figure_of
from app.ui.theme.tokens import DARK, HIGH_DARK, HIGH_LIGHT, LIGHT
from app.ui.workflows.dialogs import KeepWindow, ValuesWindow
from app.ui.workflows.form import Several
from app.ui.workflows.window import StepsWindow
from backends.data.workflow.step import Workflow
from tests.gui.living import in_window, press_link_when_there, until
from tests.unit.app.services.library.chooser import Chooser
from tests.unit.app.services.library.conftest import made_tables

if TYPE_CHECKING:
    from app.domain.conversation import Turn
    from app.ui.main.session import WindowSession
    from app.ui.main.window import MainWindow
    from app.ui.workflows.library import LibraryPage

pytestmark = pytest.mark.usefixtures("served")
TOLD = ("Sales of North?", "Sales of a shop")


def press(button: QPushButton) -> None:
    button.setFocus()
    QTest.keyClick(button, Qt.Key.Key_Space)


def type_in(line: Any, text: str) -> None:
    line.setFocus()
    line.selectAll()
    QTest.keyClicks(line, text)
    QTest.keyClick(line, Qt.Key.Key_Return)


def flow(uid: str, **more: Any) -> Workflow:
    read = {
        "source": uid,
        "time": ["day"],
        "columns": ["sold"],
        "by": "shop",
        "entities": ["North"],
        "start": "2024-03-01",
    }
    steps = [
        {"id": "a", "interface": "read_series", "arguments": read | more},
        {
            "id": "b",
            "interface": "returns",
            "arguments": {"data": "a", "value": "sold", "by": "shop"},
        },
        {"id": "c", "interface": "show_table", "arguments": {"data": "b", "title": "sold"}},
    ]
    return Workflow.model_validate({"steps": steps})


@pytest.fixture
def sales(tmp_path: Path) -> Path:
    path = tmp_path / "sales.csv"
    rows = [
        f"2024-{m:02}-15,{s},{m * n}" for m in range(1, 13) for s, n in (("North", 3), ("South", 5))
    ]
    path.write_text("\n".join(["day,shop,sold", *rows]) + "\n", "utf-8")
    return path


def rename_column(sales: Path) -> None:
    sales.write_text(sales.read_text("utf-8").replace("day,shop,sold", "day,shop,units"), "utf-8")


async def answered(window: MainWindow, session: WindowSession, sales: Path) -> Turn:
    """Show an answer that a workflow gave."""
    workflows, history = session.deskpilot.workflows, session.deskpilot.history
    uid = (await session.deskpilot.widgets.add_file(sales)).uuid
    result, seconds = await workflows.run(flow(uid))
    begun = await history.begin("Sales of North?")
    turn = await workflows.answer(
        AnswerPlace(begun.id, None, "Sales of North?", "As asked."),
        flow(uid),
        result,
        seconds,
        "en",
    )
    session.open_chat(begun.id)
    await until(lambda: session.turns and session.turns[-1].id == turn.id)
    return session.turns[-1]


def texts(window: MainWindow, kind: str) -> list[str]:
    """Return what the pieces of a kind say in the last answer."""
    entry = window.view.flow.entry(len(window.view.flow.turns) - 1)
    return [
        p.document.toPlainText() for p in entry.pieces if p.kind == kind and p.document is not None
    ]


def place_of(turn: Turn) -> int:
    return next(n for n, item in enumerate(turn.items) if isinstance(item, CallResult))


def test_steps_under_an_answer_are_read_and_its_table_stands_once(qapp: Any, sales: Path) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        turn = await answered(window, session, sales)
        await until(lambda: len(texts(window, "table")) == 1)
        assert (
            "| day | shop | sold |" in turn.answer()
        )  # the words keep it, for who has nothing else
        (table,) = texts(window, "table")
        assert "33.33" in table
        assert "33.3333" not in table
        box = next(b for b in window.view._seen() if b.piece.kind == "table")
        at = box.piece.document.find("33.33").selectionStart()
        rect = window.view._rect_of(replace(box.place, character=at))
        assert rect is not None
        whole = window.view.whole_at(QPointF(rect.center()))
        assert whole.startswith("33.333333333")
        artifact = next(item for item in turn.items if isinstance(item, Artifact))
        assert repr(artifact.content[1]["cumulative return %"]) == whole
        number = window.view.flow.entry(0).pieces.index(box.piece)
        assert whole in window.view.table(turn, number)[2]
        await press_link_when_there(window.view, f"step:{place_of(turn)}")
        await until(
            lambda: (
                "First" in "".join(texts(window, "step"))
                or "10 rows" in "".join(texts(window, "step"))
            )
        )
        told = "".join(texts(window, "step"))
        assert "Read over time" in told
        assert (
            "table sales · time day · columns sold · by shop · of North · from 2024-03-01" in told
        )
        assert "10 rows × 3 columns" in told
        assert "2024-12-15" in told

    in_window(work)


def test_a_step_is_changed_a_bad_value_refused_and_the_answer_stands_beside_the_first(
    qapp: Any, sales: Path
) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        turn = await answered(window, session, sales)
        await press_link_when_there(window.view, "act:steps")
        await until(lambda: window.findChild(StepsWindow))
        steps = window.findChild(StepsWindow)
        line = steps.form.editors[("start",)].control
        assert isinstance(line, QLineEdit)
        type_in(line, "2024-02-30")
        assert (
            steps.form.editors[("start",)].problem.text()
            == "2024-02-30 is not a date. Write it like 2024-03-31."
        )
        press(steps.run)
        await until(lambda: "Fix the marked fields" in steps.told.text())
        assert steps.workflow.steps[0].arguments["start"] == "2024-03-01"
        type_in(line, "2024-07-01")
        await until(lambda: steps.workflow.steps[0].arguments["start"] == "2024-07-01")
        await until(lambda: "from 2024-03-01 → 2024-07-01" in steps.told.text())
        several = steps.form.editors[("entities",)].control
        assert isinstance(several, Several)
        assert [a.text() for a in several.choices.actions()] == ["North", "South"]
        several.choices.actions()[1].trigger()
        several.choices.aboutToHide.emit()
        await until(lambda: steps.workflow.steps[0].arguments["entities"] == ["North", "South"])
        press(steps.run)
        await until(lambda: len(session.chat.turns) == 2)
        made = session.turns[-1]
        assert session.chat.place(made) == (2, 2)
        note = made.items[0]
        assert isinstance(note, Status)
        assert (
            note.message
            == "Steps you changed, run without a model: step 1: of North → North, South,"
            " from 2024-03-01 → 2024-07-01"
        )
        await until(lambda: any("2024-07-15" in table for table in texts(window, "table")))
        assert (turn.items[-1], made.question) == (session.chat.turns[0].items[-1], turn.question)
        steps.close()

    in_window(work)


def test_a_step_that_fails_is_gone_to_and_no_answer_is_made(qapp: Any, sales: Path) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        await answered(window, session, sales)
        await press_link_when_there(window.view, "act:steps")
        steps = window.findChild(StepsWindow)
        type_in(steps.form.editors[("start",)].control, "2030-01-01")
        await until(lambda: steps.workflow.steps[0].arguments["start"] == "2030-01-01")
        press(steps.run)
        await until(lambda: "A step failed" in steps.told.text())
        assert "(failed)" in steps.list.item(0).text() or "(changed)" in steps.list.item(0).text()
        assert "No row meets these conditions." in steps.came.text()
        assert len(session.chat.turns) == 1
        steps.close()

    in_window(work)


async def kept(window: MainWindow, session: WindowSession, sales: Path) -> LibraryPage:
    """Keep the workflow of an answer by its window, and show the library."""
    await answered(window, session, sales)
    await press_link_when_there(window.view, "act:steps")
    steps = window.findChild(StepsWindow)
    press(steps.keep)
    await until(lambda: steps.findChild(KeepWindow))
    dialog = steps.findChild(KeepWindow)
    dialog.name.setText("Shop sales")
    box, line, _ = next(row for row in dialog.rows if row[2] == "a.entities.0")
    press(box)
    type_in(line, "shop")
    press(dialog.save)
    await until(lambda: "cannot be used as a name" in dialog.problem.text())
    dialog.name.setText("shop_sales")
    press(dialog.save)
    await until(lambda: "Saved as shop_sales" in steps.told.text())
    steps.close()
    page = session.preferences.open("library").library
    await until(lambda: len(page.rows) == 1)
    return page


def test_a_workflow_is_kept_read_run_with_other_values_tried_out_and_removed(
    qapp: Any, sales: Path
) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        page = await kept(window, session, sales)
        row = page.rows[0]
        assert row.status.text().startswith("validated · version 1 · saved by you")
        press(row.read)
        assert "1  Read over time: table sales" in row.steps.text()
        assert "of ‹shop›" in row.steps.text()
        press(row.run)
        await until(lambda: page.window().findChild(ValuesWindow))
        asking = page.window().findChild(ValuesWindow)
        type_in(asking.lines["shop"], "South")
        press(asking.run)
        await until(lambda: len(session.chat.turns) == 2)
        assert (
            "version 1 from the library, run without a model" in session.turns[-1].items[0].message
        )  # type: ignore[union-attr]
        await until(lambda: "South" in "".join(texts(window, "table")))
        await until(lambda: page.rows[0].test.isEnabled())
        press(page.rows[0].test)
        await until(lambda: "it ran twice with the same result" in page.told.text())
        await until(lambda: page.rows[0].entry.version == 2 and page.rows[0].remove.isEnabled())
        press(page.rows[0].remove)
        box = page.window().findChild(QMessageBox)
        press(next(b for b in box.findChildren(QPushButton) if b.text() == "Remove"))
        await until(lambda: not page.rows and not page.undo.isHidden())
        press(page.undo)
        await until(lambda: [row.entry.name for row in page.rows] == ["shop_sales"])
        page.window().close()

    in_window(work)


def test_a_changed_workflow_becomes_a_new_version_and_a_stale_one_says_why(
    qapp: Any, sales: Path
) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        page = await kept(window, session, sales)
        press(page.rows[0].edit)
        await until(lambda: page.window().findChild(StepsWindow))
        steps = page.window().findChild(StepsWindow)
        assert isinstance(steps.form.editors[("start",)].control, QLineEdit)
        type_in(steps.form.editors[("start",)].control, "2024-06-01")
        await until(lambda: "2024-06-01" in steps.told.text())
        press(steps.run)
        await until(lambda: "7 rows" in steps.came.text())
        press(steps.keep)
        await until(lambda: steps.findChild(KeepWindow))
        dialog = steps.findChild(KeepWindow)
        assert dialog.name.isReadOnly()
        assert [line.text() for box, line, _ in dialog.rows if box.isChecked()] == ["shop"]
        press(dialog.save)
        await until(lambda: page.rows[0].entry.version == 2)
        steps.close()
        rename_column(sales)
        session.preferences.open("library")
        await until(lambda: page.rows[0].entry.status == "stale")
        assert "sold was removed; units was added" in page.rows[0].reason.text()
        assert not page.rows[0].run.isEnabled()
        press(page.rows[0].edit)
        await until(lambda: any(w.isVisible() for w in page.window().findChildren(StepsWindow)))
        steps = next(w for w in page.window().findChildren(StepsWindow) if w.isVisible())
        several = steps.form.editors[("columns",)].control
        assert "units" in [a.text() for a in several.choices.actions()]  # type: ignore[attr-defined]
        steps.close()
        page.window().close()

    in_window(work)


def test_a_design_is_started_stopped_gone_on_with_and_joins_the_library(
    qapp: Any, tmp_path: Path
) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        chooser = Chooser(stop_at=9)
        designer = session.deskpilot.workflows.designer
        designer._manage = chooser
        gdp = await session.deskpilot.widgets.add_file(made_tables(tmp_path)[0])
        page = session.preferences.open("library").library
        panel = page.design
        above = [page.column.itemAt(n).widget() for n in range(3)]
        assert above[2] is panel  # above the list, however long that is
        await until(lambda: "gdp" in [a.text() for a in panel.tables.choices.actions()])
        for action in panel.tables.choices.actions():
            if action.isChecked() != (action.text() == "gdp"):
                action.trigger()
        assert panel.tables.value == [gdp.path]
        assert not panel.on.isVisible()
        press(panel.begin)
        await until(lambda: len(chooser.asked) == 9)
        assert "Collecting questions, 8 of 60" in panel.told.text()
        assert panel.stop.isVisible()
        assert 0 < panel.bar.value() < 100
        press(panel.stop)
        await until(lambda: panel.on.isVisible())
        assert chooser.cancelled
        assert panel.told.text() == "Stopped. Progress is saved."
        assert panel.begin.text() == "Start a new design"
        designer._manage = Chooser()
        press(panel.on)
        await until(lambda: panel.told.text().startswith("Designed ") and page.rows)
        assert any(row.entry.origin.made_by == "design" for row in page.rows)
        row = next(row for row in page.rows if row.entry.status == "validated")
        assert "designed by chooser" in row.status.text()
        panel.show_step(
            DesignProgress(
                "validating", 2, 9, "gdp_line", "failed", "It does not answer any of its requests."
            )
        )
        assert (
            panel.told.text()
            == "Validating, 2 of 9: gdp_line · failed · It does not answer any of its requests."
        )
        panel.show_tables({}, [])
        assert panel.none.isVisible()
        assert not panel.tables.isVisible()
        assert not panel.begin.isEnabled()
        press(row.read)
        assert row.steps.isVisible()
        page.window().close()

    in_window(work)


def test_a_plan_is_told_by_its_tasks() -> None:
    tasks = [{"kind": "acquisition", "instruction": "Get sold"}, {"instruction": "Show a table"}]
    assert detail_of({"plan": tasks, "steps": [{"id": "a"}]}) == "1  Get sold\n2  Show a table"


def test_a_chart_of_steps_has_the_colours_of_the_theme_and_says_its_title_once() -> None:
    chart = {
        "chartType": "plotly",
        "data": [
            {"type": "candlestick", "name": "close", "x": ["2024-01-02"], "close": [1.0]},
            {"type": "bar", "name": "volume", "y": [5]},
            {
                "type": "scatter",
                "mode": "lines",
                "name": "own",
                "y": [1],
                "line": {"color": "#123456"},
            },
        ],
        "layout": {
            "title": {"text": "Ostara"},
            "margin": {"t": 28},
            "yaxis2": {"title": {"text": "volume"}},
        },
    }
    for tokens in (LIGHT, DARK, HIGH_LIGHT, HIGH_DARK):
        figure = figure_of(Artifact("chart", "Ostara", [], chart), tokens)
        assert figure is not None
        candles, bars, line = figure["data"]
        assert candles["increasing"]["line"]["color"] == tokens.accent
        assert bars["marker"]["color"] == tokens.faint
        assert line["line"]["color"] == "#123456"
        layout = figure["layout"]
        assert layout["colorway"][0] == tokens.accent
        assert "title" not in layout
        assert layout["yaxis2"]["title"]["text"] == "volume"
        assert all(contrast(colour, tokens.card) > 3 for colour in layout["colorway"])
    other = figure_of(Artifact("chart", "Another name", [], chart), LIGHT)
    assert other is not None
    assert other["layout"]["title"]["text"] == "Ostara"
    assert chart["layout"]["margin"] == {"t": 28}  # type: ignore[index]


def contrast(one: str, other: str) -> float:
    """Return how far two colours are apart, as WCAG counts it."""

    def light(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((light(one), light(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)
