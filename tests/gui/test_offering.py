"""The first page offers a better model and a voice, by size and memory, until one says no."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from app.domain.conversation import Turn
from app.domain.errors import ModelServiceError
from app.domain.events import CallResult, Ended, Status, read_reading
from app.domain.model import DownloadStep, Model, Shelf
from app.domain.settings import MODEL, OFFER
from app.domain.stream import Message
from app.services.models.models import ModelCatalog
from app.ui.main.session import WindowSession
from app.ui.main.window import MainWindow
from app.ui.models.offers import missing_starters, offers
from tests.gui.living import in_window, press_link, until

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


READER = replace(chat("reader", 2 * GB), reads_questions=True, in_wheels=True)


def test_the_model_that_reads_questions_is_offered_first_where_four_gigabytes_are_free() -> None:
    models = (READER, STARTER, chat("small", GB), chat("middle", 4 * GB), VOICE)
    assert [m.id for m in offers(Shelf(models, 20 * GB), "en")] == ["reader", "middle", "voice-en"]
    three = 3 * 4 * GB // 4 + GB // 2  # the models' share of a machine with somewhat more than 4 GB
    assert [m.id for m in offers(Shelf(models, three), "en")] == ["reader", "small", "voice-en"]
    assert [m.id for m in offers(Shelf(models, 2 * GB), "en")] == ["voice-en"]
    here = (replace(READER, place="here"), *models[1:])
    assert [m.id for m in offers(Shelf(here, 20 * GB), "en")] == ["middle", "voice-en"]


def test_what_is_here_already_is_not_offered() -> None:
    spoken = Model("piper-en-joe", "Joe", "tts", "here")
    models = (STARTER, chat("mine", 3 * GB, "here"), chat("middle", 4 * GB), VOICE, spoken)
    assert offers(Shelf(models, 20 * GB), "en") == []


def test_it_is_seen_fetched_and_declined_by_keyboard(
    qapp: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    better, go, full = chat("qwen", 4 * GB), asyncio.Event(), asyncio.Event()

    async def shelf(self: ModelCatalog) -> Shelf:
        return Shelf((STARTER, better, VOICE), 20 * GB)

    async def pull(self: ModelCatalog, model: Model) -> AsyncGenerator[DownloadStep, None]:
        yield DownloadStep(model.name, GB, 2 * GB)
        await (full if model.id == "voice-en" else go).wait()
        if model.id == "voice-en":
            raise ModelServiceError("The disk is full.", "Make room.")

    async def work(window: MainWindow, session: WindowSession) -> None:
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
        full.set()
        await until(lambda: "disk is full" in card._steps["voice-en"].text())  # pyright: ignore
        card.buttons["qwen"].setFocus()
        go.set()
        await until(lambda: card._steps["qwen"].text() == "Ready.")  # pyright: ignore
        assert window.focusWidget() is window.composer.editor  # the button is gone
        assert await get(MODEL) == "qwen"
        assert card.buttons["voice-en"].isEnabled()
        card.no.setFocus()
        QTest.keyClick(card.no, Qt.Key.Key_Space)
        await until(lambda: offering.card is None)
        assert window.focusWidget() is window.composer.editor
        assert await get(OFFER) is False

    monkeypatch.setattr(ModelCatalog, "shelf", shelf)
    monkeypatch.setattr(ModelCatalog, "pull", pull)
    in_window(work)


def test_without_models_one_page_fetches_the_starters_while_the_window_works(
    qapp: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It said "Ready", and then answered with a command of the shell."""
    monkeypatch.setenv("DESKPILOT_MODELS", str(tmp_path / "models"))
    path, go, pulled = tmp_path / "sold.csv", asyncio.Event(), list[str]()
    path.write_text("customer;sold\nAnn;1\nBen;2\n")
    real = ModelCatalog.shelf

    async def shelf(self: ModelCatalog) -> Shelf:
        found = await real(self)
        done = [replace(m, place="here") if m.id in pulled else m for m in found.models]
        return replace(found, models=tuple(done))

    async def pull(self: ModelCatalog, model: Model) -> AsyncGenerator[DownloadStep, None]:
        yield DownloadStep("downloading", model.download_bytes // 2, model.download_bytes)
        await go.wait()
        pulled.append(model.id)
        yield DownloadStep("unpacking", 1, 1)

    async def work(window: MainWindow, session: WindowSession) -> None:
        offering, welcome = session.preferences.offering, window.welcome
        await until(lambda: offering.starters)
        card = offering.starters
        assert card is not None
        assert offering.card is None
        assert welcome.head.text() == "Almost ready"
        assert not any(button.isVisible() for button in welcome.examples)
        assert card.isVisible()
        assert card.button.text().startswith("Download (")
        assert card.told.height() >= card.told.heightForWidth(card.told.width())  # no line is cut
        session.submit("explain RSI")
        await until(lambda: session.turns and session.turns[-1].state == "failed")
        pieces = window.view.flow.entry(0).pieces
        await until(lambda: pieces[-1].kind == "state")
        shown = "\n".join(piece.source for piece in pieces)
        assert "deskpilot" not in shown
        assert card.isVisible()  # it stands above the text field now
        session.submit("explain MACD")
        await until(lambda: len(session.turns) == 2 and session.turns[1].state == "failed")
        below = window.composer.mapTo(window, QPoint(0, 0)).y()
        await until(lambda: card.mapTo(window, QPoint(0, card.height())).y() <= below)
        press_link(window.view, "act:settings.starters")
        await until(lambda: card.bar.isVisible() and 0 < card.bar.value() < 500)
        assert card.step.text().startswith("Downloading: ")
        await session.board.add([str(path)])  # the window works meanwhile
        assert any(w.path == str(path) for w in session.deskpilot.widgets.all())
        QTest.keyClick(card.button, Qt.Key.Key_Space)
        await until(lambda: card.step.text() == "Paused.")
        assert card.button.text() == "Resume"
        QTest.keyClick(card.button, Qt.Key.Key_Space)
        card.button.setFocus()
        go.set()
        await until(lambda: offering.starters is None and offering.card)
        assert window.focusWidget() is window.composer.editor  # what one types is a question
        session.new_chat()
        await until(welcome.isVisible)
        assert welcome.head.text() == "Ready. Ask something."

    monkeypatch.setattr(ModelCatalog, "shelf", shelf)
    monkeypatch.setattr(ModelCatalog, "pull", pull)
    in_window(work)


def test_a_starter_that_something_here_takes_over_is_not_missing() -> None:
    embedder = Model("minilm", "MiniLM", "text-embedding", "available", starter=True)
    starter = replace(STARTER, place="available", starter=True)
    assert missing_starters(Shelf((starter, embedder), GB)) == [starter, embedder]
    assert missing_starters(Shelf((starter, embedder, chat("mine", GB, "here")), GB)) == [embedder]


def talk(number: int, *items: Any) -> Turn:
    told = Message("assistant", "message", "RSI is an index.")
    return Turn(f"t{number}", "c", None, "explain RSI", "done", 0.0, [*items, told, Ended("done")])


def test_general_talk_with_the_starter_offers_a_larger_model_once(
    qapp: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    larger, here = chat("qwen", 4 * GB), list[Model]()

    async def shelf(self: ModelCatalog) -> Shelf:
        return Shelf((replace(STARTER, starter=True), larger, VOICE, *here), 20 * GB)

    async def work(window: MainWindow, session: WindowSession) -> None:
        offering = session.preferences.offering
        computed = talk(1, CallResult("execute_agent_tool", "{}", False, 0.1))
        await offering.offer_larger([computed])
        assert offering.larger is None
        await offering.offer_larger([computed, talk(2)])
        assert offering.larger is not None
        await until(offering.larger.isVisible)
        assert list(offering.larger.buttons) == ["qwen"]
        QTest.keyClick(offering.larger.no, Qt.Key.Key_Space)
        assert offering.larger is None
        await offering.offer_larger([computed, talk(2), talk(3)])
        assert offering.larger is None  # once in a conversation
        await until(lambda: not session.deskpilot.tasks.running("window decline"))
        await offering.offer_larger([talk(5)])
        assert offering.larger is None  # nor in another one: it was declined
        await session.deskpilot.settings.put(OFFER, True)
        here.append(chat("mine", 3 * GB, "here"))
        await offering.offer_larger([talk(4)])
        assert offering.larger is None

    monkeypatch.setattr(ModelCatalog, "shelf", shelf)
    in_window(work)


def read(number: int, decision: str) -> Turn:
    """Return an answered question about data, with how sure the copilot was of it."""
    reading = read_reading({"words": ["sum", "sold"], "decision": decision})
    return talk(number, Status("INFO", "sum · sold", [], reading=reading))


def test_a_question_about_data_that_was_not_understood_offers_the_model_that_reads_them_once(
    qapp: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    models = [READER, replace(STARTER, starter=True), chat("qwen", 4 * GB), VOICE]

    async def shelf(self: ModelCatalog) -> Shelf:
        return Shelf(tuple(models), 20 * GB)

    async def work(window: MainWindow, session: WindowSession) -> None:
        offering = session.preferences.offering
        await offering.offer_larger([read(1, "answer")], with_data=True)
        assert offering.larger is None  # it was sure
        told = Status("INFO", "About Deskpilot", [{"about": "deskpilot"}], hidden=True)
        await offering.offer_larger([talk(1, told)], with_data=True)
        assert offering.larger is None  # what Deskpilot can do was understood
        for number, last in enumerate((read(1, "ask"), read(2, "confirm"), talk(3))):
            offering.leave()
            await offering.offer_larger([read(0, "answer"), last], with_data=True)
            assert offering.larger is not None, number
            await until(offering.larger.isVisible)
            assert list(offering.larger.buttons) == ["reader"]
            assert "in your own words" in offering.larger.told.text()
            facts = offering.larger._steps["reader"].text()  # pyright: ignore
            assert "1.0 GB download" in facts
            assert "needs no model hub" in facts
        offering.leave()
        await offering.offer_larger([read(1, "ask"), read(2, "ask")], with_data=True)
        assert offering.larger is None  # once in a conversation
        models[0] = replace(READER, place="here")
        await offering.offer_larger([read(1, "ask")], with_data=True)
        assert offering.larger is None
        del models[0]
        await offering.offer_larger([read(1, "ask")], with_data=True)
        assert offering.larger is None  # a larger model for talk reads no better

    monkeypatch.setattr(ModelCatalog, "shelf", shelf)
    in_window(work)
