"""The model hub is searched from the window: what was found is shown with size, licence and fit, and
brought from there.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.domain.errors import ModelServiceError
from app.domain.model import HubResult, Shelf
from app.domain.settings import MODEL
from app.services.models.models import ModelCatalog, read_found, read_model
from tests.gui.living import in_window, until

if TYPE_CHECKING:
    from app.ui.main.session import WindowSession
    from app.ui.main.window import MainWindow
    from app.ui.models.hub import HubDialog

pytestmark = pytest.mark.usefixtures("served")
GB = 10**9


def raw(name: str, kind: str, gigabytes: float) -> dict[str, Any]:
    amount = int(gigabytes * GB)
    return {
        "id": name.lower(), "name": name, "type": "llm", "provider": "llama_cpp", "model": name,
        "licence": "apache-2.0", "languages": [], "good_for": "From some/Model-GGUF.",
        "size_bytes": amount, "download_bytes": amount, "takes_bytes": amount, "here": False,
        "measured": None, "kind": kind,
        "place": {"repo": "some/Model-GGUF", "revision": "e" * 40, "path": f"{name}.gguf"},
    }  # fmt: skip


class Hub:
    """A model service that finds one repository with three sizes of a model."""

    def __init__(self) -> None:
        self.here: list[dict[str, Any]] = []
        self.words: list[str] = []
        self.pulled: list[dict[str, Any]] = []
        self.problem = ""
        self.models = [
            raw("Model-Q4_K_M", "Q4_K_M", 2.0),
            raw("Model-Q8_0", "Q8_0", 4.0),
            raw("Model-F32", "F32", 40.0),
        ]

    async def get(self, path: str) -> dict[str, Any]:
        if "/hub" in path:
            if self.problem:
                raise ModelServiceError(self.problem, "Check the network.")
            self.words += parse_qs(urlsplit(path).query)["words"]
            found = {
                "repo": "some/Model-GGUF",
                "licence": "apache-2.0",
                "downloads": 1_234_567,
                "gated": False,
                "models": self.models,
            }
            return {"host": "hub.example", "models": [found]}
        if "catalogue" in path:
            measured = raw("Smol", "", 0.1) | {"here": True, "answering": 84.0}
            return {"models": [measured, *self.here], "packs": []}
        return {"models": [], "loaded": [], "budget": {"bytes": 12 * GB}}

    async def send(self, method: str, path: str, body: dict[str, Any]) -> dict[str, Any]:
        raise AssertionError((method, path, body))

    async def events(self, path: str, body: dict[str, Any]) -> AsyncGenerator[dict[str, Any], None]:
        assert path.endswith("/hub/pull")
        self.pulled.append(body)
        yield {"what": "downloading", "done": GB, "total": 2 * GB}
        self.here = [self.models[0] | {"here": True}]
        yield {"here": "model-q4_k_m"}


async def opened(window: MainWindow, session: WindowSession, hub: Hub) -> HubDialog:
    await until(window.topbar.model.text)
    session.preferences._deskpilot = replace(session.deskpilot, models=ModelCatalog(hub, hub))
    window.topbar.model.search_wanted.emit()
    found = session.preferences.hub
    assert found is not None
    assert found.dialog is not None
    return found.dialog


def test_the_usual_size_is_offered_if_it_fits_else_the_largest_that_does() -> None:
    told = {"repo": "r", "licence": "", "downloads": 1, "gated": False, "models": Hub().models}
    found: HubResult = read_found(told)
    own = tuple(read_model(one, {}) for one in Hub().models)
    assert found.suggested(Shelf(own, 12 * GB)).id == "model-q4_k_m"
    assert found.suggested(Shelf(own, GB)).id == "model-q4_k_m"  # none fits: the smallest
    without = replace(found, kinds=("Q2_K", "Q8_0", "F32"))
    assert without.suggested(Shelf(own, 12 * GB)).id == "model-q8_0"


@pytest.mark.qt_log_ignore("grabbing the keyboard", "raise\\(\\)", extend=True)
def test_a_model_is_searched_sized_brought_and_used(qapp: Any) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        hub = Hub()
        dialog = await opened(window, session, hub)
        texts = [action.text() for action in window.topbar.model.choices.actions()]
        assert "Search for models …" in texts
        assert not dialog.go.isEnabled()
        QTest.keyClicks(dialog.words, "model 7b")
        QTest.keyClick(dialog.words, Qt.Key.Key_Return)
        await until(lambda: dialog.rows)
        assert hub.words == ["model 7b"]
        assert dialog.about.text().startswith("hub.example")
        (row,) = dialog.rows
        assert [label for _, label in row.kind.offered] == [
            "Q4_K_M · 2.0 GB",
            "Q8_0 · 4.0 GB",
            "F32 · 40.0 GB",
        ]
        facts = row.row.facts.text()
        assert "about 4.2 tokens/s" in facts  # 84 tokens/s at a twentieth of the size
        assert "apache-2.0" in facts
        row.kind.choices.actions()[2].trigger()
        assert "more than the memory limit" in row.row.facts.text()
        row.kind.choices.actions()[0].trigger()
        QTest.mouseClick(row.row.download, Qt.MouseButton.LeftButton)
        await until(lambda: row.row.talk.isVisible())
        assert hub.pulled == [hub.models[0]["place"]]
        QTest.mouseClick(row.row.talk, Qt.MouseButton.LeftButton)
        await until(lambda: not row.row.talk.isVisible())
        assert await session.deskpilot.settings.get(MODEL) == "model-q4_k_m"
        dialog.reject()
        await until(lambda: session.preferences.hub and session.preferences.hub.dialog is None)

    in_window(work, opened=False)


@pytest.mark.qt_log_ignore("raise\\(\\)", extend=True)
def test_a_hub_that_is_away_is_told_and_offline_it_is_not_asked(qapp: Any) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        hub = Hub()
        hub.problem = "hub.example cannot be reached."
        dialog = await opened(window, session, hub)
        dialog.words.setText("model")
        QTest.mouseClick(dialog.go, Qt.MouseButton.LeftButton)
        await until(dialog.told.isVisible)
        assert dialog.told.text() == "hub.example cannot be reached. Check the network."
        assert dialog.go.isEnabled()  # it may be tried again
        dialog.set_offline(True)
        assert not dialog.go.isEnabled()
        assert dialog.about.text() == "Offline mode is on: the model hub can't be searched."
        dialog.set_offline(False)
        assert dialog.go.isEnabled()

    in_window(work, opened=False)
