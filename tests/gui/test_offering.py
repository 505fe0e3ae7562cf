"""The first page offers a better model and a voice, by size and memory, until one says no."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.domain.errors import ModelServiceError
from app.domain.settings.chat import MODEL, OFFER
from app.domain.shelf.model import Model, Shelf, Step
from app.services.shelf.shelf import Models
from app.ui.models.offering import offers
from app.ui.session import Session
from app.ui.window import Window
from tests.gui.living import in_window, until

GB = 10**9
STARTER = Model("smollm2-135m", "SmolLM2", "llm", "here", takes_bytes=GB // 2)


def chat(name: str, takes: int, place: Any = "available") -> Model:
    return Model(name, name, "llm", place, takes_bytes=takes, download_bytes=takes // 2)


VOICE = Model(
    "voice-en", "Voice in English", "pack", "available", download_bytes=GB // 8, members=("a", "b")
)


def test_the_largest_that_leaves_room_is_offered_and_the_voice_of_the_language() -> None:
    chinese = Model("voice-zh", "Voice in Chinese", "pack", "available", members=("c",))
    models = (
        STARTER,
        chat("small", GB),
        chat("middle", 4 * GB),
        chat("large", 7 * GB),
        VOICE,
        chinese,
    )
    assert [m.id for m in offers(Shelf(models, 20 * GB), "en")] == ["middle", "voice-en"]
    assert [m.id for m in offers(Shelf(models, 4 * GB), "zh")] == ["small", "voice-zh"]
    assert [m.id for m in offers(Shelf(models, GB // 2), "ja")] == ["voice-en"]


def test_what_is_here_already_is_not_offered() -> None:
    spoken = Model("piper-en-joe", "Joe", "tts", "here")
    models = (STARTER, chat("mine", 3 * GB, "here"), chat("middle", 4 * GB), VOICE, spoken)
    assert offers(Shelf(models, 20 * GB), "en") == []


def test_it_is_seen_fetched_and_declined_by_keyboard(
    qapp: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    better, go = chat("qwen", 4 * GB), asyncio.Event()

    async def shelf(self: Models) -> Shelf:
        return Shelf((STARTER, better, VOICE), 20 * GB)

    async def pull(self: Models, model: Model) -> AsyncGenerator[Step, None]:
        yield Step(model.name, GB, 2 * GB)
        await go.wait()
        if model.id == "voice-en":
            raise ModelServiceError("The disk is full.", "Make room.")

    async def work(window: Window, session: Session) -> None:
        offering, get = session.preferences.offering, session.deskpilot.settings.get
        await until(lambda: offering.card)
        card = offering.card
        assert card is not None
        assert card.told.height() >= card.told.heightForWidth(card.told.width())  # no line is cut
        QTest.keyClick(card.see, Qt.Key.Key_Space)
        await until(lambda: len(card.buttons) == 2)
        await until(
            lambda: card.told.height() >= card.told.heightForWidth(card.told.width())
        )  # no line is cut
        QTest.keyClick(card.buttons["qwen"], Qt.Key.Key_Space)
        await until(lambda: card._steps["qwen"].text() == "qwen: 1.0 GB of 2.0 GB")  # pyright: ignore
        QTest.keyClick(card.buttons["qwen"], Qt.Key.Key_Space)
        await until(lambda: card._steps["qwen"].text() == "Paused.")  # pyright: ignore
        assert card.buttons["qwen"].accessibleName() == "Resume: qwen"
        QTest.keyClick(card.buttons["qwen"], Qt.Key.Key_Space)
        await until(lambda: card._steps["qwen"].text() == "qwen: 1.0 GB of 2.0 GB")  # pyright: ignore
        assert card.buttons["qwen"].text() == "Pause"
        QTest.keyClick(card.buttons["voice-en"], Qt.Key.Key_Space)
        go.set()
        await until(lambda: "disk is full" in card._steps["voice-en"].text())  # pyright: ignore
        await until(lambda: card._steps["qwen"].text() == "Ready.")  # pyright: ignore
        assert await get(MODEL) == "qwen"
        assert card.buttons["voice-en"].isEnabled()
        QTest.keyClick(card.no, Qt.Key.Key_Space)
        await until(lambda: offering.card is None)
        assert await get(OFFER) is False

    monkeypatch.setattr(Models, "shelf", shelf)
    monkeypatch.setattr(Models, "pull", pull)
    in_window(work)
