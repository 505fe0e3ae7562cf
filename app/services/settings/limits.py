"""What the settings allow the models of the service, as it takes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.domain.settings.memory import IDLE, LIMIT

if TYPE_CHECKING:
    from app.services.settings.settings import Settings


async def limits(settings: Settings) -> dict[str, str]:
    """Return the variables a service is started with; none for what has its default.

    Raises: SetupError.
    """
    memory, idle = await settings.get(LIMIT), await settings.get(IDLE)
    told = {"DESKPILOT_MEMORY": f"{memory:g}GB"} if memory else {}
    return told | ({"DESKPILOT_IDLE": f"{idle:g}"} if idle != IDLE.default else {})
