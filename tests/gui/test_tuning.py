"""Parameters, presets and speeds in the page of models: chosen by hand, kept, told when they are
wrong.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import replace
from typing import Any

from PySide6.QtWidgets import QLineEdit

from app.domain.errors import ModelServiceError
from app.services.models.models import ModelCatalog
from app.ui.controls.fields import Chooser
from app.ui.main.session import WindowSession
from app.ui.main.window import MainWindow
from app.ui.models.model_dialog import TuneModel
from app.ui.models.row import facts_of
from app.ui.settings.preferences import Preferences
from tests.gui.living import in_window, until

RULES = [
    {"name": "temperature", "label": {"en_US": "Temperature"}, "type": "float", "min": 0, "max": 2, "default": 0.2, "options": [], "help": None},
    {"name": "mirror", "label": {"en_US": "Mirror"}, "type": "boolean", "min": None, "max": None, "default": None, "options": [], "help": None},
]  # fmt: skip
FIELDS = [
    {
        "variable": "n_ctx",
        "label": {"en_US": "Context"},
        "type": "text-input",
        "required": False,
        "default": "4096",
    }
]


class Service:
    """A model service with one language model; keeps what is chosen for it."""

    def __init__(self) -> None:
        self.parameters: dict[str, str] = {"temperature": "0.7"}
        self.settings = {"n_ctx": "4096"}
        self.own: dict[str, dict[str, str]] = {}
        self.measured: dict[str, Any] | None = None
        self.fails = False

    def tuning(self) -> dict[str, Any]:
        presets = {"precise": {"temperature": "0"}} | self.own
        chosen = {"parameters": self.parameters, "settings": self.settings}
        return {
            "rules": RULES,
            "fields": FIELDS,
            "presets": presets,
            "own": sorted(self.own),
        } | chosen

    async def get(self, path: str) -> dict[str, Any]:
        if "tuning" in path:
            assert path.endswith("?id=smol")
            return self.tuning()
        model = {
            "id": "smol", "name": "SmolLM2", "type": "llm", "provider": "p", "model": "smol", "licence": "MIT", "languages": [],
            "good_for": "", "size_bytes": 9, "download_bytes": 9, "takes_bytes": 9, "here": True, "measured": self.measured,
        }  # fmt: skip
        return {"models": [model] if "catalogue" in path else [], "packs": [], "loaded": []}

    async def send(
        self, method: str, path: str, body: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        if self.fails:
            raise ModelServiceError(
                "The parameter temperature must be at most 2.", "Choose another value."
            )
        if path.endswith("/measure"):
            self.measured = {"prompt": 310.5, "answer": 84.2, "device": "cpu"}
            return self.measured
        if method == "DELETE":
            self.own.pop(path.partition("=")[2])
            return {}
        assert body is not None
        assert body["id"] == "smol"
        if path.endswith("/presets"):
            self.own[body["name"]] = body["parameters"]
        else:
            self.parameters, self.settings = body["parameters"], body["settings"]
        return self.tuning()

    async def events(self, path: str, body: dict[str, Any]) -> AsyncGenerator[dict[str, Any], None]:
        raise AssertionError(path)
        yield {}


def line(dialog: TuneModel, name: str) -> QLineEdit:
    found = (dialog.parameters.controls | dialog.settings.controls)[name]
    assert isinstance(found, QLineEdit)
    return found


def pick(chooser: Chooser, label: str) -> None:
    next(a for a in chooser.choices.actions() if a.text() == label).trigger()


def test_parameters_presets_and_speed_of_a_model_are_set_in_the_window(qapp: Any) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        service, other = Service(), MainWindow()
        deskpilot = replace(session.deskpilot, models=ModelCatalog(service, service))
        preferences = Preferences(other, deskpilot, session.do, lambda _: None)
        page = preferences.open("models").models
        await until(lambda: page.rows)
        page.rows["smol", "llm"].measure.click()
        await until(lambda: page.rows["smol", "llm"].model.speed)
        assert "reads 310.5 and writes 84.2 tokens a second here" in facts_of(
            page.rows["smol", "llm"].model, fits=True
        )
        await until(lambda: page.rows["smol", "llm"].measure.isEnabled())
        tuner = preferences.tuner
        assert tuner is not None
        page.rows["smol", "llm"].tune.click()
        await until(lambda: tuner.dialog)
        dialog = tuner.dialog
        assert dialog is not None
        assert line(dialog, "temperature").text() == "0.7"
        line(dialog, "temperature").clear()
        assert line(dialog, "temperature").placeholderText() == "0.2  (0 – 2)"
        line(dialog, "temperature").setText("9")
        service.fails = True
        dialog.save.click()
        await until(lambda: "at most 2" in dialog.told.text())
        service.fails = False
        pick(dialog.preset, "Precise")
        assert line(dialog, "temperature").text() == "0"
        assert dialog.forget.isHidden()
        mirror = dialog.parameters.controls["mirror"]
        assert isinstance(mirror, Chooser)
        pick(mirror, "true")
        dialog.name.setText("mine")
        dialog.keep.click()
        await until(lambda: dialog.preset.value == "mine")
        assert service.own == {"mine": {"temperature": "0", "mirror": "true"}}
        dialog.forget.click()
        await until(lambda: dialog.preset.value == "")
        assert service.own == {}
        line(dialog, "n_ctx").setText("1024")
        dialog.save.click()
        await until(lambda: tuner.dialog is None)
        assert service.parameters == {"temperature": "0", "mirror": "true"}
        assert service.settings == {"n_ctx": "1024"}
        service.fails = True
        page.rows["smol", "llm"].measure.click()
        await until(lambda: "at most 2" in page.rows["smol", "llm"].told.text())
        other.close()
        other.deleteLater()

    in_window(work)
