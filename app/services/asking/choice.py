"""Which copilot the person chose to ask, kept over restarts."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
