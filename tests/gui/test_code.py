"""Code in the window: shown before it runs, edited, denied; its line marked, its pictures and pages
shown.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.domain.events import CallResult, CopilotCall
from app.domain.stream import Chunk, Message
from app.ui.chat.turn import TurnEntry
from app.ui.controls.actions import action_of
from app.ui.dashboard import web_views as sandbox
from app.ui.theme.tokens import DARK
from tests.gui.living import in_window, until
from tests.unit.app.services.scripted import Scripted, found

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from app.domain.conversation import Turn
    from app.domain.events import Item
    from app.ui.chat.code import CodeCard
    from app.ui.main.session import WindowSession
    from app.ui.main.window import MainWindow

pytestmark = pytest.mark.usefixtures("served")


def asks_for(session: WindowSession, *codes: tuple[str, str]) -> None:
    """Let the copilot want each code run once, then say that it is done."""

    async def script(turns: list[Turn]) -> AsyncGenerator[Item, None]:
        done = sum(isinstance(i, CallResult) for i in turns[-1].items)
        if done < len(codes):
            language, code = codes[done]
            yield CopilotCall(
                "run_code", {"language": language, "code": code}, '{"type": "confirmation"}'
            )
        else:
            yield Chunk("assistant", "message", "Done.")

    session.deskpilot.turns._copilots = Scripted(script)  # type: ignore[assignment]
    session.copilots.find = lambda: found  # type: ignore[assignment, method-assign, return-value]


def card_of(session: WindowSession) -> CodeCard | None:
    made = session.allowing.__dict__.get("card")
    return made if made is not None and made.isVisible() else None


def is_there(home: Path, name: str) -> bool:
    return any(home.rglob(name))


def computer_messages(turn: Turn) -> list[Message]:
    return [i for i in turn.items if isinstance(i, Message) and i.role == "computer"]


def steps_of(window: MainWindow) -> str:
    """Return what the steps of the first turn say by now."""
    return "\n".join(p.source for p in window.view.flow.entry(0).pieces if p.kind == "step")


def test_code_is_shown_and_runs_as_it_was_edited_once_run_is_pressed(qapp: Any, home: Path) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        asks_for(session, ("shell", "touch sentinel"), ("shell", "touch never"))
        session.submit("Make a file")
        await until(lambda: card_of(session))
        card = session.allowing.card
        assert card.title.text() == "Run this shell code?"
        assert card.code.toPlainText() == "touch sentinel"
        assert card.code.isReadOnly()
        assert not card.always.isChecked()
        assert "Limits: 300 s" in card.about.text()
        QTest.mouseClick(card.edit, Qt.MouseButton.LeftButton)
        assert not card.code.isReadOnly()
        card.code.setPlainText("touch edited\necho it ran")
        assert not is_there(home, "sentinel")
        QTest.mouseClick(card.run, Qt.MouseButton.LeftButton)
        await until(lambda: card_of(session) and card.code.toPlainText() == "touch never")
        turn = session.turns[-1]
        assert [m.content for m in computer_messages(turn)] == ["it ran\n"]
        QTest.mouseClick(card.deny, Qt.MouseButton.LeftButton)
        await until(lambda: session.running is None)
        assert card_of(session) is None
        assert is_there(home, "edited")
        assert not is_there(home, "sentinel")
        assert not is_there(home, "never")
        results = [i for i in turn.items if isinstance(i, CallResult)]
        assert [r.failed for r in results] == [False, True]
        for word in ("Ran", "Refused"):
            await until(lambda word=word: word in steps_of(window))

    in_window(work)


def test_a_stop_takes_the_question_away_and_nothing_runs(qapp: Any, home: Path) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        asks_for(session, ("shell", "touch sentinel"))
        session.submit("Make a file")
        await until(lambda: card_of(session))
        session.stop()
        await until(lambda: session.running is None)
        assert card_of(session) is None
        assert session.turns[-1].state == "stopped"
        assert not is_there(home, "sentinel")

    in_window(work)


def test_python_knows_the_attached_table_and_shows_a_picture_and_a_page(
    qapp: Any, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # the page's tile shows its words: the web engine would end the process with the next window
    monkeypatch.setattr(sandbox, "sandboxed", lambda: False)
    code = (
        "import base64\nfrom IPython.display import HTML, Image,"
        " display\nprint(us_macro.unemp.max())\ndisplay(Image(base64.b64decode('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==')))\ndisplay(HTML('<b>as"
        " a page</b>'))"
    )

    async def work(window: MainWindow, session: WindowSession) -> None:
        asks_for(session, ("python", code))
        marked: list[int | None] = []
        window.view.mark_line = lambda _, line: marked.append(line)  # type: ignore[method-assign, assignment]
        session.submit("Plot it")
        await until(lambda: card_of(session))
        assert session.allowing.card.title.text() == "Run this Python code?"
        QTest.mouseClick(session.allowing.card.run, Qt.MouseButton.LeftButton)
        await until(lambda: session.running is None)
        turn = session.turns[-1]
        assert [(m.type, m.format) for m in computer_messages(turn)] == [
            ("console", "output"), ("image", "base64.png"), ("code", "html"),
        ]  # fmt: skip
        assert (
            computer_messages(turn)[0].content == "10.8\n"
            or "." in computer_messages(turn)[0].content
        )
        assert marked[0] is not None
        assert marked[-1] is None
        entry = window.view.flow.entry(0)
        await until(lambda: any(p.kind == "image" for p in entry.pieces))
        (picture,) = [p for p in entry.pieces if p.kind == "image"]
        picture.lay_out(400, DARK)
        assert picture.height > 0
        page = next(p for p in entry.pieces if "page:" in p.source)
        link = next(
            part.split("'")[0]
            for part in page.source.split("href='")[1:]
            if part.startswith("page:")
        )
        before = len(session.deskpilot.widgets.all())
        session.follow(turn, action_of(link))
        await until(lambda: len(session.deskpilot.widgets.all()) > before)
        assert session.deskpilot.widgets.all()[-1].type == "html"

    in_window(work)


def test_a_page_that_stands_in_an_answer_is_put_on_the_dashboard(
    qapp: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox, "sandboxed", lambda: False)

    made: list[Any] = []

    async def work(window: MainWindow, session: WindowSession) -> None:
        async def script(turns: list[Turn]) -> AsyncGenerator[Item, None]:
            yield Chunk("assistant", "message", "```html\n<h1>Sale</h1>\n```\n\nHere it is.")

        session.deskpilot.turns._copilots = Scripted(script)  # type: ignore[assignment]
        session.copilots.find = lambda: found  # type: ignore[assignment, method-assign, return-value]
        session.submit("Make a page")
        await until(lambda: session.turns and session.running is None)
        await until(lambda: "page:" in steps_of(window))
        line = steps_of(window)
        before = len(session.deskpilot.widgets.all())
        session.follow(session.turns[-1], action_of(line.split("href='")[1].split("'")[0]))
        await until(lambda: len(session.deskpilot.widgets.all()) > before)
        made.extend(session.deskpilot.widgets.all()[before:])

    in_window(work)
    assert [one.type for one in made] == ["html"]
    assert Path(made[0].path).read_text("utf-8") == "<h1>Sale</h1>"


def test_the_running_line_is_marked_in_the_newest_code_and_nowhere_else(qapp: Any) -> None:
    from app.domain.conversation import Turn
    from app.ui.chat.code import RunningLine
    from app.ui.theme.tokens import LIGHT

    items: list[Any] = [
        Message("assistant", "code", "a = 1", "python"),
        Message("computer", "console", "x", "output"),
        Message("assistant", "code", "b = 1\nb = 2", "python"),
        Message("computer", "console", "y", "output"),
    ]
    turn = Turn("t", "c", None, "q", "running", 0.0, items)
    entry = TurnEntry(turn, set(), LIGHT)
    entry.rebuild()
    for piece in entry.pieces:
        piece.lay_out(400, LIGHT)
    running = RunningLine(turn, 2)
    marks = [len(running.marks_of(place, entry)) for place in range(len(entry.pieces))]
    assert sum(marks) == 1
    at = marks.index(1)
    assert entry.pieces[at].source.startswith("```python\nb = 1")
    assert running.marks_of(at, entry)[0].cursor.block().text() == "b = 2"
    assert not RunningLine().marks_of(at, entry)
    assert not RunningLine(turn, 99).marks_of(at, entry)
