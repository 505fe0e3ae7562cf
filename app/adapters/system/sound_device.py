"""One device of miniaudio: how it is opened, what it needs at its end, who refuses it; a
loudspeaker, opened for its first sound.
"""

from __future__ import annotations

import asyncio
import ctypes
import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from app.domain.errors import SoundError
from app.domain.sound import RATE, SAMPLE_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable, Generator


NO_AUTOSPAWN, REFUSED = 1, 1  # of PulseAudio's pa_context_flags and error codes
READY, FAILED, ENDED = 4, 5, 6  # of its pa_context_state


def denied() -> bool:
    """Tell whether the sound server is there and lets us do nothing; it is not started for that."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        pulse: Any = ctypes.CDLL("libpulse.so.0")
    except OSError:
        return False
    pulse.pa_mainloop_new.restype = pulse.pa_mainloop_get_api.restype = ctypes.c_void_p
    pulse.pa_context_new.restype = ctypes.c_void_p
    loop = ctypes.c_void_p(pulse.pa_mainloop_new())
    api = ctypes.c_void_p(pulse.pa_mainloop_get_api(loop))
    context = ctypes.c_void_p(pulse.pa_context_new(api, b"Deskpilot"))
    try:
        pulse.pa_context_connect(context, None, NO_AUTOSPAWN, None)
        while pulse.pa_context_get_state(context) not in (READY, FAILED, ENDED):
            if pulse.pa_mainloop_iterate(loop, 1, None) < 0:
                return False
        return bool(pulse.pa_context_errno(context) == REFUSED)
    finally:
        pulse.pa_context_disconnect(context)
        pulse.pa_context_unref(context)
        pulse.pa_mainloop_free(loop)


REMEDY = "Plug it in again, or choose another one."
ALLOW = {  # by the names of the systems' own pages
    "linux": (
        "Allow it in the system's settings, under Privacy; without a desktop, join the group audio."
    ),
    "darwin": (
        "Allow it in System Settings under Privacy & Security, Microphone, and start Deskpilot"
        " again."
    ),
    "win32": "Allow desktop apps to use it in Settings under Privacy & security, Microphone.",
}


class Found(NamedTuple):
    """A device: its name, the system's own id of it (None for the default), and the sound system
    that told it.

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


PERIOD_MS = 20
HELD = int(0.3 * RATE) * SAMPLE_BYTES  # bytes it takes before it asks to wait
TAIL_SECONDS = 0.15  # in the system's own buffers, when the last of ours is given
GONE_SECONDS = 1.5  # without a question for more


class Loudspeaker:
    """Plays what it is given. played: bytes handed to the system; starved: how often there were
    none amid an answer.

    find: gives the device, on the thread of the devices, which `submit` begins work on.
    """

    def __init__(
        self, find: Callable[[], Found], submit: Callable[[Callable[[], Any]], Any]
    ) -> None:
        self._find, self._submit = find, submit
        self._lock = threading.Lock()
        self._held = bytearray()
        self._device: Any = None
        self._name = ""
        self._silent = self._playing = self._ending = False
        self._asked = asyncio.Event()  # by the system, for more
        self._loop = asyncio.get_running_loop()
        self.played = 0
        self.starved = 0

    async def play(self, sound: bytes) -> None:
        """Take samples; return when there is room for more.

        Raises: SoundError if it cannot be opened, or is unplugged.
        """
        if self._silent:
            return
        with self._lock:
            self._held += sound
        if self._device is None:
            await asyncio.shield(asyncio.wrap_future(self._submit(self._open)))
        while len(self._held) > HELD:
            await self._taken()

    async def drained(self) -> None:
        """Return when all has been heard; the device is closed then.

        Raises: SoundError.
        """
        self._ending = True
        while self._held and not self._silent:
            await self._taken()
        if self._device is not None and not self._silent:
            await asyncio.sleep(TAIL_SECONDS)
        self.silence()

    def silence(self) -> None:
        """Be silent at once, and for good; the device is closed behind it."""
        with self._lock:
            self._held.clear()
        first, self._silent = not self._silent, True
        if first:
            self._submit(self._close)

    async def _taken(self) -> None:
        self._asked.clear()
        try:
            async with asyncio.timeout(GONE_SECONDS):
                await self._asked.wait()
        except TimeoutError as error:
            raise gone(self._name) from error

    def _open(self) -> None:
        giving = self._giving()
        next(giving)
        self._name, self._device = opened(
            "PlaybackDevice", self._find, RATE, PERIOD_MS, giving, "Choose another one."
        )

    def _close(self) -> None:
        if self._device is not None:
            release(self._device)

    def _giving(self) -> Generator[bytes, int, None]:
        """Give samples on the system's thread, silence where there are none."""
        wanted = yield b""
        while True:
            size = wanted * SAMPLE_BYTES
            with self._lock:
                given = bytes(self._held[:size])
                del self._held[:size]
            self.played += len(given)
            self.starved += self._playing and not given and not self._ending
            self._playing = bool(given)
            with suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._asked.set)
            wanted = yield given + bytes(size - len(given))
