"""Diagnostics: versions, settings, models, and the processing steps of the last questions, without
any content.
"""

from __future__ import annotations

import json
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from app.domain.errors import DeskpilotError
from app.domain.settings import PAGES
from backends import offline
from backends.trace import read_notes

if TYPE_CHECKING:
    from app.services.conversation.copilots import Copilots
    from app.services.conversation.history import History
    from app.services.models.models import ModelCatalog
    from app.services.models.providers import Providers
    from app.services.settings import Settings

PACKAGES = (
    "deskpilot",
    "PySide6",
    "qasync",
    "httpx",
    "duckdb",
    "fastapi",
    "uvicorn",
    "llama-cpp-python",
    "onnxruntime",
    "faster-whisper",
    "piper-tts",
    "torch",
    "sentence-transformers",
)
FREE = ("names", "model", "device", "text")  # kinds of settings that contain the user's own words


class Diagnostics:
    """Collects the diagnostics. If a part cannot be read, the diagnostics contain the name of the
    error instead.
    """

    def __init__(
        self,
        settings: Settings,
        models: ModelCatalog,
        copilots: Copilots,
        providers: Providers,
        history: History,
    ) -> None:
        self._settings, self._shelf = settings, models
        self._copilots, self._providers, self._history = copilots, providers, history

    async def text(self) -> str:
        """Return the diagnostics as JSON, in the form used to copy and save them."""
        return json.dumps(await self.gathered(), indent=2, ensure_ascii=False)

    async def gathered(self) -> dict[str, Any]:
        """Return the diagnostics, which contain no question, answer, table, file name, address or
        key.
        """
        return {
            "system": {
                "os": platform.platform(),
                "python": sys.version.split()[0],
                "machine": platform.machine(),
            },
            "packages": {name: found for name in PACKAGES if (found := installed(name))},
            "offline": offline.is_on(),
            "settings": await self._chosen(),
            "models": await self._models(),
            "added": await self._counts(),
            "traces": read_notes(),
        }

    async def _chosen(self) -> dict[str, Any]:
        """Return the settings that were changed. For settings with free text, return only the fact
        that they were changed.
        """
        found: dict[str, Any] = {}
        for setting in (setting for page in PAGES for setting in page.settings):
            try:
                value = await self._settings.get(setting)
            except DeskpilotError as error:
                value = type(error).__name__
            if value != setting.default:
                found[setting.key] = "(chosen)" if setting.kind in FREE else value
        return found

    async def _models(self) -> Any:
        try:
            shelf = await self._shelf.shelf()
        except DeskpilotError as error:
            return type(error).__name__
        found: dict[str, list[str]] = {}
        for model in shelf.models:
            if model.place in ("loaded", "here"):
                found.setdefault(model.place, []).append(
                    f"{model.type}, {model.memory_bytes >> 20} MB"
                )
        return {"budget_mb": shelf.budget_bytes >> 20, **found}

    async def _counts(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        try:
            found["copilots"] = [added.copilot.dialect for added in await self._copilots.all()]
            found["providers"] = [added.provider for added in await self._providers.added()]
            found["conversations"] = len(await self._history.conversations())
        except DeskpilotError as error:
            found["error"] = type(error).__name__
        return found


def installed(package: str) -> str:
    """Return the version of a package, or an empty string if it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
