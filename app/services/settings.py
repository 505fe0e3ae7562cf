"""The settings, and the time zone of this machine."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from app.domain.errors import SetupError
from app.domain.settings import IDLE, LIMIT, TEXT_SIZE, TEXT_SIZES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from app.domain.settings import Setting
    from app.services.ports import FilePort


ETC = Path("/etc")


def time_zone(etc: Path = ETC) -> str:
    """Return this machine's time zone as an IANA name, or UTC if the system does not state it.

    The environment variable TZ is used first, then the target of /etc/localtime, then the name in
    /etc/timezone.
    """
    link, file = etc / "localtime", etc / "timezone"
    parts = link.resolve().parts if link.is_symlink() else ()
    told = [
        os.environ.get("TZ", "").lstrip(":"),
        "/".join(parts[parts.index("zoneinfo") + 1 :]) if "zoneinfo" in parts else "",
        file.read_text("utf-8", "replace").strip() if file.is_file() else "",
    ]
    return next((name for name in told if name and is_zone(name)), "UTC")


def is_zone(name: str) -> bool:
    """Return whether this is the name of a time zone."""
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True


T = TypeVar("T", str, bool, float, "list[str]")


class Settings:
    """Stores the settings that were changed. All others have their defaults."""

    def __init__(self, file: FilePort) -> None:
        self._file = file
        self._listeners: list[Callable[[Setting[Any], Any], None]] = []

    def subscribe(self, listener: Callable[[Setting[Any], Any], None]) -> None:
        """Call `listener` with a setting and its value after each change made here."""
        self._listeners.append(listener)

    async def get(self, setting: Setting[T]) -> T:
        """Return a setting's value.

        Raises: SetupError if the stored value is invalid or cannot be read, since using the default
        instead would do something that the user did not ask for.
        """
        kept = await self._file.read()
        if setting.key not in kept:
            return setting.default
        try:
            return setting.checked(kept[setting.key])
        except SetupError as error:
            raise SetupError(
                error.text, f"{error.remedy} Reset it: deskpilot settings reset {setting.key}"
            ) from error

    async def each(self, settings: Iterable[Setting[T]]) -> dict[str, T]:
        """Return the values of several settings, by key.

        Raises: the same errors as `get`.
        """
        kept = await self._file.read()
        return {s.key: s.checked(kept[s.key]) if s.key in kept else s.default for s in settings}

    async def put(self, setting: Setting[T], value: T) -> None:
        """Change a setting.

        Raises: SetupError if the value is not allowed.
        """
        value = setting.checked(value)
        await self._file.change(lambda kept: kept | {setting.key: value})
        self._tell(setting, value)

    async def reset(self, setting: Setting[Any]) -> None:
        """Reset a setting to its default. Raises: SetupError."""
        await self._file.change(lambda kept: {k: v for k, v in kept.items() if k != setting.key})
        self._tell(setting, setting.default)

    def _tell(self, setting: Setting[Any], value: Any) -> None:
        for listener in self._listeners:
            listener(setting, value)


async def step_text(settings: Settings, by: int) -> None:
    """Change the text size by one step. 0 resets it to the default.

    Raises: SetupError.
    """
    present = await settings.get(TEXT_SIZE) if by else TEXT_SIZE.default
    place = TEXT_SIZES.index(present) + by
    await settings.put(TEXT_SIZE, TEXT_SIZES[max(0, min(place, len(TEXT_SIZES) - 1))])


async def limits(settings: Settings) -> dict[str, str]:
    """Return the environment variables for the service. Settings with default values are left out.

    Raises: SetupError.
    """
    memory, idle = await settings.get(LIMIT), await settings.get(IDLE)
    told = {"DESKPILOT_MEMORY": f"{memory:g}GB"} if memory else {}
    return told | ({"DESKPILOT_IDLE": f"{idle:g}"} if idle != IDLE.default else {})
