"""Microphones and loudspeakers through miniaudio, for PulseAudio, ALSA, WASAPI and Core Audio.

Everything that may block runs on one thread, because the sound systems require a device to be used
from the thread that opened it.
"""

from __future__ import annotations

import asyncio
import ctypes
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from app.domain.errors import SoundError
from app.domain.sound import EAR_RATE, RATE, SAMPLE_BYTES, Device

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Generator


KINDS = {"microphone": "get_captures", "loudspeaker": "get_playbacks"}


class SoundCard:
    """Lists and opens devices."""

    def __init__(self) -> None:
        self._thread: ThreadPoolExecutor | None = None

    async def microphones(self) -> list[Device]:
        """Return the microphones, not including monitors of loudspeakers.

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
        """Open a microphone; None stands for the system's default.

        Raises: SoundError.
        """
        loop = asyncio.get_running_loop()
        opening = self.submit(lambda: Microphone(lambda: chosen("microphone", device), loop))
        try:
            yield await asyncio.shield(asyncio.wrap_future(opening))
        finally:  # this also applies if the caller gives up while it is being opened
            await asyncio.shield(self.run(lambda: opening.exception() or opening.result().close()))

    def loudspeaker(self, device: str | None) -> Loudspeaker:
        """Return a loudspeaker, which is opened when it receives its first sound; None stands for
        the system's default.
        """
        return Loudspeaker(lambda: chosen("loudspeaker", device), self.submit)

    async def run(self, work: Callable[[], Any]) -> Any:
        """Run work on the devices' thread."""
        return await asyncio.wrap_future(self.submit(work))

    def submit(self, work: Callable[[], Any]) -> Any:
        """Start work on the devices' thread; return its future."""
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, "sound card")
        return self._thread.submit(work)

    async def aclose(self) -> None:
        """End the thread."""
        if self._thread is not None:
            await asyncio.to_thread(self._thread.shutdown)


def listed(kind: str) -> list[SoundDevice]:
    """Return the devices of a kind that are currently connected.

    Raises: SoundError.
    """
    import miniaudio

    class Devices(miniaudio.Devices):
        def _get_info(self, device_type: Any, device_info: Any) -> dict[str, Any]:
            # no other properties are requested, because the library crashes if the device is
            # disconnected before the answer arrives
            return {"default": bool(device_info.isDefault)}

    try:
        devices = Devices()
        backend = backend_of(devices)
        there = [] if devices.backend == "Null" else getattr(devices, KINDS[kind])()
    except miniaudio.MiniaudioError as error:
        raise SoundError(
            "This machine's sound system does not respond.",
            "Check whether sound works in other programs.",
        ) from error
    found = [SoundDevice(told["name"], told["id"], backend, told["default"]) for told in there]
    if devices.backend == "PulseAudio":
        found = [one for one in found if not pulse_name(one.id).endswith(b".monitor")]
    elif denied():
        raise refused("use sound")
    elif devices.backend == "ALSA" and not any(Path("/proc/asound").glob("card[0-9]*")):
        found = []  # because ALSA lists its plugins, which cannot play without a device
    seen: dict[str, int] = {}
    for index, name in enumerate([one.name for one in found]):
        seen[name] = seen.get(name, 0) + 1
        if seen[name] > 1:  # for example, two headsets of the same model
            found[index] = found[index]._replace(name=f"{name} ({seen[name]})")
    return found


def backend_of(devices: Any) -> Any:
    """Return miniaudio's name for the sound system of a device."""
    import miniaudio

    names = {miniaudio.lib.ma_get_backend_name(one.value): one for one in miniaudio.Backend}
    return {miniaudio.ffi.string(name).decode(): one for name, one in names.items()}[
        devices.backend
    ]


def pulse_name(system_id: Any) -> bytes:
    """Return the name of a device in PulseAudio."""
    import miniaudio

    return miniaudio.ffi.string(miniaudio.ffi.cast("char *", system_id))


def chosen(kind: str, name: str | None) -> SoundDevice:
    """Return the device to open; None as a loudspeaker's id stands for the system's default.

    A microphone is opened by its id, because the system would otherwise switch to another
    microphone when this one is unplugged.

    Raises: SoundError.
    """
    found = listed(kind)
    if not found:
        raise SoundError(f"There is no {kind} on this machine.", f"Connect a {kind} and try again.")
    if name is None and kind == "microphone":
        return next((one for one in found if one.default), found[0])
    if name is None:
        return SoundDevice(
            found[0].name if len(found) == 1 else f"the system's {kind}", None, found[0].backend
        )
    for one in found:
        if one.name == name:
            return one
    raise SoundError(f"The {kind} {name!r} is not connected.", REMEDY)


NO_AUTOSPAWN, REFUSED = 1, 1  # values from PulseAudio's pa_context_flags and error codes
READY, FAILED, ENDED = 4, 5, 6  # values from its pa_context_state


def denied() -> bool:
    """Return whether the sound server is running but denies us access. This check does not start
    the server.
    """
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


REMEDY = "Connect it again, or choose another one."
ALLOW = {  # named like the systems' own settings pages
    "linux": (
        "Allow it in the system's settings, under Privacy; without a desktop, join the group audio."
    ),
    "darwin": (
        "Allow it in System Settings under Privacy & Security, Microphone, and start Deskpilot"
        " again."
    ),
    "win32": "Allow desktop apps to use it in Settings under Privacy & security, Microphone.",
}


class SoundDevice(NamedTuple):
    """A device: its name, its system id (None for the default), and its sound system.

    default: whether it is the system's default.
    """

    name: str
    id: Any
    backend: Any
    default: bool = False


def opened(
    make: str,
    find: Callable[[], SoundDevice],
    rate: int,
    period_ms: int,
    feed: Generator[Any, Any, None],
    remedy: str,
) -> tuple[str, Any]:
    """Open the device that `find` returns and start it; return its name, and the argument for
    `release`.

    make: PlaybackDevice or CaptureDevice. feed: a generator that has been advanced to its first
    yield. Raises: SoundError with the remedy or, if the device was disconnected in the meantime,
    with the message that it is gone.
    """
    import miniaudio

    found = find()
    device = None
    try:
        # only the sound system that knows the id is used; the last one in the list would play
        # nothing
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
    )  # because the library would leave it open until the process exits


def refused(what: str) -> SoundError:
    """Return the error for a system that denies us access to sound."""
    return SoundError(
        f"The system does not let Deskpilot {what}.", ALLOW.get(sys.platform, ALLOW["linux"])
    )


def gone(name: str) -> SoundError:
    """Return the error for a device that has been disconnected."""
    return SoundError(f"{capital(name)} is no longer available.", REMEDY)


def capital(name: str) -> str:
    """Return a device's name with a capital first letter, for use at the beginning of a
    sentence.
    """
    return name[:1].upper() + name[1:]


PERIOD_MS = 20
HELD = int(0.3 * RATE) * SAMPLE_BYTES  # bytes that it accepts before it makes the caller wait
TAIL_SECONDS = 0.15  # sound in the system's own buffers when the last of ours is handed over
SPEAKER_GONE_SECONDS = 1.5  # time without a request for more samples


class Loudspeaker:
    """Plays samples. played: the number of bytes handed to the system. starved: how often it ran
    out of samples during an answer.

    find: a function that returns the device. It is called on the devices' thread, on which `submit`
    starts work.
    """

    def __init__(
        self, find: Callable[[], SoundDevice], submit: Callable[[Callable[[], Any]], Any]
    ) -> None:
        self._find, self._submit = find, submit
        self._lock = threading.Lock()
        self._held = bytearray()
        self._device: Any = None
        self._name = ""
        self._silent = self._playing = self._ending = False
        self._asked = asyncio.Event()  # set when the system requests more samples
        self._loop = asyncio.get_running_loop()
        self.played = 0
        self.starved = 0

    async def play(self, sound: bytes) -> None:
        """Add samples; return when there is room for more.

        Raises: SoundError if the loudspeaker cannot be opened or has been disconnected.
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
        """Return when everything has been played and the device has been closed.

        Raises: SoundError.
        """
        self._ending = True
        while self._held and not self._silent:
            await self._taken()
        if self._device is not None and not self._silent:
            await asyncio.sleep(TAIL_SECONDS)
        self.silence()

    def silence(self) -> None:
        """Stop the sound at once and close the device."""
        with self._lock:
            self._held.clear()
        first, self._silent = not self._silent, True
        if first:
            self._submit(self._close)

    async def _taken(self) -> None:
        self._asked.clear()
        try:
            async with asyncio.timeout(SPEAKER_GONE_SECONDS):
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
        """Supply samples on the system's thread, or silence if there are none."""
        wanted = yield b""
        while True:
            size = wanted * SAMPLE_BYTES
            with self._lock:
                given = bytes(self._held[:size])
                del self._held[:size]
            self.played += len(given)
            self.starved += self._playing and not given and not self._ending
            self._playing = bool(given)
            with suppress(RuntimeError):  # because the event loop has ended
                self._loop.call_soon_threadsafe(self._asked.set)
            wanted = yield given + bytes(size - len(given))


FRAME_MS = 20
NOT_HEARD_REMEDY = (
    "Let Deskpilot use the microphone in the system's settings, or choose another one."
)
GONE_SECONDS = 1.5  # time without samples; an open microphone delivers them even in silence


class Microphone:
    """Samples from the system, which are kept until they are read.

    The object is created and closed on the devices' thread. Raises: SoundError.
    """

    def __init__(self, find: Callable[[], SoundDevice], loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._frames: asyncio.Queue[bytes] = asyncio.Queue()
        self.waiting = 0  # bytes that have been recorded but not read yet
        taking = self._taking()
        next(taking)
        self.name, self._device = opened(
            "CaptureDevice", find, EAR_RATE, FRAME_MS, taking, NOT_HEARD_REMEDY
        )

    async def frames(self) -> AsyncGenerator[bytes, None]:
        """Yield samples, about 20 ms at a time.

        Raises: SoundError when no more samples arrive.
        """
        while True:
            try:
                async with asyncio.timeout(GONE_SECONDS):
                    frame = await self._frames.get()
            except TimeoutError as error:
                raise gone(self.name) from error
            self.waiting -= len(frame)
            yield frame

    def close(self) -> None:
        """Close the microphone."""
        release(self._device)

    def _taking(self) -> Generator[None, Any, None]:
        """Receive samples on the system's thread."""
        while True:
            frame = bytes((yield))
            self.waiting += len(frame)
            with suppress(RuntimeError):  # because the event loop has ended
                self._loop.call_soon_threadsafe(self._frames.put_nowait, frame)
