"""Answers are rated where their copilot wants to know: praised at once, found wanting in a window
of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastapi import FastAPI, Request
from fastapi.responses import StreamingResponse
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from app.domain.copilot import OTHER
from app.ui.controls.actions import action_of
from app.ui.copilots.dialog import RateAnswer
from tests.end2end.strangers import serving, sse
from tests.gui.living import in_window, until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from app.ui.main.session import WindowSession
    from app.ui.main.window import MainWindow


def wants_to_know() -> FastAPI:
    made = FastAPI()
    made.state.told = []

    @made.get("/agents.json")
    def agents() -> Any:
        endpoints = {"query": "/v1/query", "feedback": "/v1/feedback"}
        return {"r": {"name": "Rated", "endpoints": endpoints, "features": {"feedback": True}}}

    @made.post("/v1/query")
    async def query() -> StreamingResponse:
        async def stream() -> AsyncIterator[bytes]:
            yield sse("copilotMessageChunk", {"delta": "It is 5."})

        return StreamingResponse(stream(), media_type="text/event-stream")

    @made.post("/v1/feedback")
    async def feedback(request: Request) -> Any:
        made.state.told.append(await request.json())
        return {"status": "ok"}

    return made


def test_an_answer_is_praised_and_found_wanting(qapp: Any) -> None:
    made = wants_to_know()

    def actions(window: MainWindow) -> str:
        return window.view.flow.entry(0).pieces[-1].source

    async def work(window: MainWindow, session: WindowSession) -> None:
        await session.deskpilot.copilots.add(address, name="rated")
        await session.copilots._choose("rated")
        session.submit("How many?")
        await until(lambda: session.turns and session.turns[-1].state == "done")
        await until(lambda: "Good answer" in actions(window))
        assert "Good answer ✓" not in actions(window)
        session.follow(session.turns[-1], action_of("rate:thumbs_up"))
        await until(lambda: "Good answer ✓" in actions(window))
        assert made.state.told[0]["vote"] == "thumbs_up"
        session.follow(session.turns[-1], action_of("rate:thumbs_down"))
        dialog = window.findChild(RateAnswer)
        assert dialog
        told = " ".join(label.text() for label in dialog.findChildren(QLabel))
        assert "Sent to Rated at 127.0.0.1: the question, its answer, and your comment." in told
        dialog.tags[OTHER].click()
        dialog.comment.setPlainText("Six.")
        QTest.mouseClick(dialog.send, Qt.MouseButton.LeftButton)
        await until(lambda: "Poor answer ✓" in actions(window))
        assert "Good answer ✓" not in actions(window)
        last = made.state.told[1]
        assert (last["vote"], last["tags"], last["user_comment"]) == (
            "thumbs_down",
            [OTHER],
            "Six.",
        )
        assert (last["user_prompt"], last["ai_response"]) == ("How many?", "It is 5.")

    with serving(made) as address:
        in_window(work)
