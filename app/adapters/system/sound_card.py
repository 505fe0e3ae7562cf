"""The microphones and loudspeakers of this machine, by miniaudio: PulseAudio, ALSA, WASAPI, Core
Audio.

Everything that may block runs on one thread of its own: the systems want a device to be used from
where it was opened.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.adapters.system.microphone import Microphone
from app.adapters.system.sound_device import REMEDY, Found, Loudspeaker, denied, refused
from app.domain.errors import SoundError
from app.domain.sound import Device

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

KINDS = {"microphone": "get_captures", "loudspeaker": "get_playbacks"}


class SoundCard:
    """Lists and opens devices."""

    def __init__(self) -> None:
        self._thread: ThreadPoolExecutor | None = None

    async def microphones(self) -> list[Device]:
        """Return the microphones; what only listens to a loudspeaker is none.

        Raises: SoundError.
        """
        return [Device(found.name) for found in await self.run(lambda: listed("microphone"))]

    async def loudspeakers(self) -> list[Device]:
        """Return the loudspeakers.

        Raises: SoundError.
        """
        return [Device(found.name) for found in await self.run(lambda: listed("loudspeaker"))]

    @asynccontextmanager
    async def microphone(self, device: str | None) -> AsyncGenerator[Microphone]:
        """Open a microphone; None is the system's default.

        Raises: SoundError.
        """
        loop = asyncio.get_running_loop()
        opening = self.submit(lambda: Microphone(lambda: chosen("microphone", device), loop))
        try:
            yield await asyncio.shield(asyncio.wrap_future(opening))
        finally:  # given up while it is being opened, too
            await asyncio.shield(self.run(lambda: opening.exception() or opening.result().close()))

    def loudspeaker(self, device: str | None) -> Loudspeaker:
        """Return a loudspeaker, which is opened when it gets its first sound; None is the system's
        default.
        """
        return Loudspeaker(lambda: chosen("loudspeaker", device), self.submit)

    async def run(self, work: Callable[[], Any]) -> Any:
        """Run work on the thread of the devices."""
        return await asyncio.wrap_future(self.submit(work))

    def submit(self, work: Callable[[], Any]) -> Any:
        """Begin work on the thread of the devices; return its future."""
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, "sound card")
        return self._thread.submit(work)

    async def aclose(self) -> None:
        """End the thread."""
        if self._thread is not None:
            await asyncio.to_thread(self._thread.shutdown)


def listed(kind: str) -> list[Found]:
    """Return the devices of a kind as they are plugged in now.

    Raises: SoundError.
    """
    import miniaudio

    class Devices(miniaudio.Devices):
        def _get_info(self, device_type: Any, device_info: Any) -> dict[str, Any]:
            # no more is asked for: the library crashes if the device is pulled out before the
            # answer
            return {"default": bool(device_info.isDefault)}

    try:
        devices = Devices()
        backend = backend_of(devices)
        there = [] if devices.backend == "Null" else getattr(devices, KINDS[kind])()
    except miniaudio.MiniaudioError as error:
        raise SoundError(
            "The sound system of this machine does not answer.",
            "Look whether sound works elsewhere.",
        ) from error
    found = [Found(told["name"], told["id"], backend, told["default"]) for told in there]
    if devices.backend == "PulseAudio":
        found = [one for one in found if not pulse_name(one.id).endswith(b".monitor")]
    elif denied():
        raise refused("use sound")
    elif devices.backend == "ALSA" and not any(Path("/proc/asound").glob("card[0-9]*")):
        found = []  # it tells of its plugins, which have nothing to play on
    seen: dict[str, int] = {}
    for index, name in enumerate([one.name for one in found]):
        seen[name] = seen.get(name, 0) + 1
        if seen[name] > 1:  # two headsets of one make
            found[index] = found[index]._replace(name=f"{name} ({seen[name]})")
    return found


def backend_of(devices: Any) -> Any:
    """Return the sound system that was asked, as an open device wants to be told it."""
    import miniaudio

    names = {miniaudio.lib.ma_get_backend_name(one.value): one for one in miniaudio.Backend}
    return {miniaudio.ffi.string(name).decode(): one for name, one in names.items()}[
        devices.backend
    ]


def pulse_name(system_id: Any) -> bytes:
    """Return what PulseAudio calls a device."""
    import miniaudio

    return miniaudio.ffi.string(miniaudio.ffi.cast("char *", system_id))


def chosen(kind: str, name: str | None) -> Found:
    """Return the device to open; the id of a loudspeaker is None for the system's default.

    A microphone is opened as the one it is: the system would move us to another one once it is
    unplugged, and what that hears would be taken for what was said.

    Raises: SoundError.
    """
    found = listed(kind)
    if not found:
        raise SoundError(
            f"There is no {kind} on this machine.", f"Plug a {kind} in, and try again."
        )
    if name is None and kind == "microphone":
        return next((one for one in found if one.default), found[0])
    if name is None:
        return Found(
            found[0].name if len(found) == 1 else f"the system's {kind}", None, found[0].backend
        )
    for one in found:
        if one.name == name:
            return one
    raise SoundError(f"The {kind} {name!r} is not plugged in.", REMEDY)
