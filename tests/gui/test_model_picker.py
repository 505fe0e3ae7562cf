"""The button in the top bar says which model writes, how large and how quick it is, and what others
would be.
"""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.domain.conversation import Turn
from app.domain.events import Ended
from app.domain.model import Shelf
from app.domain.settings import MODEL
from app.services.models.models import ModelCatalog, read_model
from app.ui.models.picker import ModelPicking, facts_of, why_of
from tests.gui.living import in_window, until

if TYPE_CHECKING:
    from app.ui.main.session import WindowSession
    from app.ui.main.window import MainWindow

pytestmark = pytest.mark.usefixtures("served")
GB = 10**9


def raw(name: str, size: float, *, here: bool = False, answering: float = 0.0) -> dict[str, Any]:
    amount = int(size * GB)
    return {
        "id": name.lower(), "name": name, "type": "llm", "provider": "p", "model": name, "licence": "MIT", "languages": [],
        "good_for": "", "size_bytes": amount, "download_bytes": amount, "takes_bytes": amount, "here": here, "measured": None,
        "answering": answering, "context": None,
    }  # fmt: skip


class Service:
    """A model service with a model here and three that can be fetched."""

    def __init__(self) -> None:
        self.models = [
            raw("Smol", 0.1, here=True, answering=84.0),
            raw("Other", 0.2, here=True),
            raw("Middle", 1.0),
            raw("Large", 3.0),
            raw("Huge", 40.0),
        ]

    async def get(self, path: str) -> dict[str, Any]:
        models = self.models if "catalogue" in path else []
        return {"models": models, "packs": [], "loaded": [], "budget": {"bytes": 12 * GB}}

    async def send(
        self, method: str, path: str, body: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        raise AssertionError(path)

    async def events(self, path: str, body: dict[str, Any]) -> AsyncGenerator[dict[str, Any], None]:
        raise AssertionError(path)
        yield {}


def shelf() -> Shelf:
    return Shelf(tuple(read_model(one, {}) for one in Service().models), 12 * GB)


async def picking(window: MainWindow, session: WindowSession, service: Service) -> ModelPicking:
    """Let the window's button speak of another service."""
    await until(window.topbar.model.text)  # what is really there was read
    models = ModelCatalog(service, service)
    session.preferences._deskpilot = replace(session.deskpilot, models=models)
    session.models._models = models
    return session.models


def texts(window: MainWindow) -> list[str]:
    return [a.text() for a in window.topbar.model.choices.actions() if a.text()]


def test_a_speed_is_expected_of_a_larger_model_by_its_size() -> None:
    every = shelf()
    small, _, middle, large, huge = every.models
    assert facts_of(every, small) == "100 MB · 84 tokens/s"
    assert facts_of(every, middle) == "1.0 GB · about 8.4 tokens/s"
    assert facts_of(every, huge) == "40.0 GB · too large for this machine"
    assert every.recommended() is large  # leaves seven tenths for the rest
    assert "Smol writes 84 tokens a second here" in why_of(every, middle)
    nobody = Shelf((replace(small, answering=0.0), middle), 12 * GB)
    assert facts_of(nobody, middle) == "1.0 GB"  # nothing is claimed
    assert "second" not in why_of(nobody, middle)


@pytest.mark.qt_log_ignore("grabbing the keyboard", "raise\\(\\)", extend=True)
def test_the_button_names_the_model_and_its_menu_chooses_by_key(qapp: Any) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        picked, button = await picking(window, session, Service()), window.topbar.model
        picked.read()
        await until(lambda: button.text() == "Smol")
        assert button.isVisible()
        assert "84 tokens/s" in button.toolTip()
        shown = texts(window)
        assert "Smol  ✓\t100 MB · 84 tokens/s" in shown
        assert "Large  · recommended\t3.0 GB · about 2.8 tokens/s" in shown
        assert not button.choices.isVisible()
        menu = button.choices
        menu.popup(button.mapToGlobal(button.rect().bottomLeft()))
        await until(menu.isVisible)
        QTest.keyClick(menu, Qt.Key.Key_Down)
        while menu.activeAction().data() != "other":
            QTest.keyClick(menu, Qt.Key.Key_Down)
        QTest.keyClick(menu, Qt.Key.Key_Return)
        await until(lambda: button.text() == "Other")
        assert await session.deskpilot.settings.get(MODEL) == "other"

    in_window(work, opened=False)


def test_the_button_names_a_model_that_came_meanwhile(qapp: Any) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        service = Service()
        models, service.models = service.models, []
        picked, button = await picking(window, session, service), window.topbar.model
        picked.read()
        await until(lambda: button.text() == "No model")
        service.models = models
        session.deskpilot.models._tell()  # as after any download
        await until(lambda: button.text() == "Smol")

    in_window(work, opened=False)


def test_a_model_that_is_to_be_fetched_is_shown_with_its_download(qapp: Any) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        picked, button = await picking(window, session, Service()), window.topbar.model
        picked.read()
        await until(lambda: button.text() == "Smol")
        next(a for a in button.choices.actions() if a.data() == "large").trigger()
        await until(lambda: session.preferences.settings is not None)
        settings = session.preferences.settings
        assert settings is not None
        page = settings.models
        await until(lambda: ("large", "llm") in page.rows)
        row = page.rows["large", "llm"]
        await until(row.download.hasFocus)
        assert row.facts.text().startswith("recommended · about 2.8 tokens/s")
        assert "Smol writes 84" in row.facts.toolTip()
        settings.close()

    in_window(work, opened=False)


def test_the_context_is_that_of_the_last_answer_of_this_chat(qapp: Any) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        service = Service()
        picked, meter = await picking(window, session, service), window.topbar.context
        assert not meter.isVisible()
        turn = Turn("t", "c", None, "Hi", "done", time.time(), [Ended("done")])
        service.models[0]["context"] = {"used": 1024, "room": 4096, "at": turn.created_at + 1}
        picked.on_ended(turn)
        await until(meter.isVisible)
        assert (meter.share.text(), meter.bar.value()) == ("25 %", 25)
        assert "1,024 of the 4,096 tokens" in meter.toolTip()
        session.new_chat()
        assert not meter.isVisible()
        computed = replace(turn, created_at=turn.created_at + 60)  # no model wrote that answer
        picked.on_ended(computed)
        await until(lambda: not session.deskpilot.tasks.running("window read models"))
        assert not meter.isVisible()
        picked.set_ours(False)
        assert not window.topbar.model.isVisible()  # another copilot has models of its own
        picked.set_ours(True)
        assert window.topbar.model.isVisible()

    in_window(work, opened=False)


def test_a_long_name_gives_way_in_a_narrow_window(qapp: Any) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        service = Service()
        service.models[0]["name"] = "Qwen2.5-Coder-7B-Instruct-Q4_K_M"
        picked, bar = await picking(window, session, service), window.topbar
        turn = Turn("t", "c", None, "Hi", "done", time.time(), [Ended("done")])
        service.models[0]["context"] = {"used": 1, "room": 2, "at": turn.created_at + 1}
        picked.on_ended(turn)
        await until(bar.context.isVisible)
        window.set_host("models.example.org")
        assert bar.context.bar.isVisible()
        window.resize(window.minimumWidth(), 700)
        await until(lambda: not bar.context.bar.isVisible())
        assert bar.context.share.isVisible()
        await until(lambda: bar.minimumSizeHint().width() <= window.minimumWidth(), 5)
        assert bar.buttons["panel"].geometry().right() < window.width()
        assert "Q4_K_M" in bar.model.toolTip()

    in_window(work, opened=False)
