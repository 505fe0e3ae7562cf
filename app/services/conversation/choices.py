"""What a person chose that later questions follow: the copilot, and readings instead of the
copilot's.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from app.services.ports import StorePort


SETTING = "copilot"


class Choice:
    """The copilot that was chosen last."""

    def __init__(self, store: StorePort) -> None:
        self._store = store

    async def name(self) -> str:
        """Return the name of an added copilot; empty for our own."""
        return await self._store.setting(SETTING) or ""

    async def choose(self, name: str) -> None:
        """Keep a choice; empty for our own."""
        await self._store.save_setting(SETTING, name)


CORRECTIONS = "corrections"
LIMIT = 50


class Corrections:
    """What the person corrected, the newest first, at most 50.

    Only our own copilot is told: the words of past questions are nobody else's.
    """

    def __init__(self, store: StorePort) -> None:
        self._store = store
        self._chosen: list[dict[str, Any]] | None = None

    async def learn(self, reading: dict[str, Any]) -> None:
        """Keep a reading that was chosen; it takes the place of one for the same words."""
        if not reading.get("template"):
            return
        kept = [r for r in await self.chosen() if r["template"] != reading["template"]]
        shape = {k: v for k, v in reading["arguments"].items() if k not in ("source", "where")}
        new = {
            "template": reading["template"],
            "interface": reading["interface"],
            "arguments": shape,
            "words": [],
        }
        self._chosen = [new, *kept][:LIMIT]
        await self._store.save_setting(CORRECTIONS, json.dumps(self._chosen, ensure_ascii=False))

    async def chosen(self) -> list[dict[str, Any]]:
        """Return what was chosen."""
        chosen = self._chosen
        if chosen is None:
            chosen = self._chosen = json.loads(await self._store.setting(CORRECTIONS) or "[]")
        return chosen

    async def options(self) -> dict[str, object]:
        """Return what a request carries of them."""
        chosen = await self.chosen()
        return {"deskpilot-templates": json.dumps(chosen, ensure_ascii=False)} if chosen else {}
