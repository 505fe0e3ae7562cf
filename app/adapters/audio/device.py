"""One device of miniaudio: what it is found as, how it is opened, what it needs at its end."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from app.domain.errors import SoundError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

REMEDY = "Plug it in again, or choose another one."
ALLOW = {  # by the names of the systems' own pages
    "linux": "Allow it in the system's settings, under Privacy; without a desktop, join the group audio.",
    "darwin": "Allow it in System Settings under Privacy & Security, Microphone, and start Deskpilot again.",
    "win32": "Allow desktop apps to use it in Settings under Privacy & security, Microphone.",
}


class Found(NamedTuple):
    """A device: its name, the system's own id of it (None for the default), and the sound system that told it.

    default: whether the system would choose it.
    """

    name: str
    id: Any
    backend: Any
    default: bool = False


def opened(
    make: str,
    find: Callable[[], Found],
    rate: int,
    period_ms: int,
    feed: Generator[Any, Any, None],
    remedy: str,
) -> tuple[str, Any]:
    """Open the device that `find` gives and start it; return its name, and what `release` takes.

    make: PlaybackDevice or CaptureDevice. feed: a generator that stands at its first yield.
    Raises: SoundError with the remedy, or that the device is gone if it was pulled out meanwhile.
    """
    import miniaudio

    found = find()
    device = None
    try:
        # the sound system that knows the id, and no other: the last of all plays into nothing
        device = getattr(miniaudio, make)(
            miniaudio.SampleFormat.SIGNED16,
            1,
            rate,
            period_ms,
            found.id,
            backends=[found.backend],
            app_name="Deskpilot",
        )
        device.start(feed)
    except miniaudio.MiniaudioError as error:
        if device is not None:
            release(device)
        try:
            find()
        except SoundError:
            raise gone(found.name) from error
        if error.args[1:] == (miniaudio.lib.MA_ACCESS_DENIED,):
            raise refused(f"use {found.name}") from error
        raise SoundError(
            f"{capital(found.name)} cannot be opened: {error.args[0]}.", remedy
        ) from error
    return found.name, device


def release(device: Any) -> None:
    """Close a device, and the connection to the sound system that was opened for it."""
    import miniaudio

    device.close()
    miniaudio.lib.ma_context_uninit(
        device._context
    )  # the library leaves it open until the process ends


def refused(what: str) -> SoundError:
    """Return the error of a system that does not let us do something with sound."""
    return SoundError(
        f"The system does not let Deskpilot {what}.", ALLOW.get(sys.platform, ALLOW["linux"])
    )


def gone(name: str) -> SoundError:
    """Return the error of a device that was there and is not any more."""
    return SoundError(f"{capital(name)} is gone.", REMEDY)


def capital(name: str) -> str:
    """Return a device's name as it begins a sentence."""
    return name[:1].upper() + name[1:]
