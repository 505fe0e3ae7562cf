"""A sound card without hardware: PulseAudio with a microphone to speak into and a loudspeaker that
is recorded.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import psutil
import pytest

RATE = 24000  # of the recording
MICROPHONE, LOUDSPEAKER = "Test microphone", "Test loudspeaker"
REMAP = "module-remap-source", "master=heard.monitor", "source_name=mic"
NAMED = "source_properties=device.description='Test\\ microphone'"


class VirtualSound:
    """What a test says into the microphone and hears from the loudspeaker."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._processes: list[subprocess.Popen[bytes]] = []
        self._spoken: list[subprocess.Popen[bytes]] = []
        self._recording = folder / "recording.raw"
        self._recorder = ""

    def start(self) -> None:
        """Start the server and wait until sound runs through it."""
        socket = self._folder / "native"
        own = {"HOME": str(self._folder), "XDG_RUNTIME_DIR": str(self._folder)}
        command = ["pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no"]
        modules = [
            f"module-native-protocol-unix socket={socket} auth-anonymous=1",
            "module-null-sink sink_name=heard rate=48000",
            (
                "module-null-sink sink_name=out rate=48000"
                " sink_properties=device.description='Test\\ loudspeaker'"
            ),
        ]
        with (self._folder / "log").open("wb") as log:
            self._run(
                [*command, *(f"--load={m}" for m in modules)], env=os.environ | own, stderr=log
            )
            os.environ["PULSE_SERVER"] = f"unix:{socket}"
            wait_for(
                lambda: (
                    subprocess.run(["pactl", "info"], capture_output=True, check=False).returncode
                    == 0
                )
            )
            self.plug_in()
            pactl("set-default-sink", "out")
            raw = ["--raw", "--format=s16le", f"--rate={RATE}", "--channels=1", "--latency-msec=10"]
            # a null sink sleeps two seconds until somebody who is in a hurry listens to it
            self._run(["parec", "-d", "heard.monitor", *raw], stdout=subprocess.DEVNULL)
            wait_for(lambda: len(listeners()) == 2)  # it, and the microphone that is made of it
            with self._recording.open("wb") as recording:
                self._run(["parec", "-d", "out.monitor", *raw], stdout=recording)
        wait_for(lambda: self._recording.stat().st_size > 0)
        self._recorder = listeners()[-1]

    def plug_in(self) -> None:
        """Plug the microphone in.

        While it was out, the recorded loudspeaker was the default source, and what listens to that
        is moved to
        the next default: the recorder would hear the microphone from now on.
        """
        self._module = pactl("load-module", *REMAP, NAMED)
        pactl("set-default-source", "mic")
        if self._recorder:
            pactl("move-source-output", self._recorder, "out.monitor")

    def unplug(self) -> None:
        """Pull the microphone out."""
        pactl("unload-module", self._module)

    def say(self, *parts: np.ndarray | str | float, rate: int = 22050) -> subprocess.Popen[bytes]:
        """Speak into the microphone; numbers are seconds of silence. The process ends when all was
        said.
        """
        from tests.models.speech import spoken, wav

        samples = [
            (
                spoken(p)[0] * 0.7
                if isinstance(p, str)
                else np.zeros(int(p * rate))
                if isinstance(p, float)
                else p
            )
            for p in parts
        ]
        file = self._folder / f"said{len(self._spoken)}.wav"
        file.write_bytes(wav(np.concatenate(samples), rate).getvalue())
        # a quarter of a second in hand: on a busy machine less would put gaps into words
        process = subprocess.Popen(["paplay", "-d", "heard", "--latency-msec=250", str(file)])
        hasten(process)
        self._spoken.append(process)
        return process

    def now(self) -> int:
        """Return how many samples have been recorded."""
        return self._recording.stat().st_size // 2

    def heard(self, since: int = 0) -> np.ndarray:
        """Return what came out of the loudspeaker, -1 to 1, `RATE` samples a second."""
        with self._recording.open("rb") as recording:
            recording.seek(since * 2)
            data = recording.read()
        return np.frombuffer(data[: len(data) // 2 * 2], "<i2").astype(np.float32) / 32768

    def hush(self) -> None:
        """End what is still being said."""
        for process in self._spoken:
            process.kill()
            process.wait()
        self._spoken.clear()

    def stop(self) -> None:
        """End everything."""
        self.hush()
        for process in reversed(self._processes):
            process.kill()
            process.wait()

    def _run(self, command: list[str], **options: object) -> None:
        self._processes.append(subprocess.Popen(command, **options))  # type: ignore[call-overload]
        hasten(self._processes[-1])


def hasten(process: subprocess.Popen[bytes]) -> None:
    """Let a process go before others, as sound does on a desktop, where one may say so."""
    with suppress(psutil.AccessDenied, psutil.NoSuchProcess):
        psutil.Process(process.pid).nice(-11)


def pactl(*arguments: str) -> str:
    done = subprocess.run(["pactl", *arguments], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def listeners() -> list[str]:
    """Return the numbers of all that listens, in the order it began to."""
    return [line.split()[0] for line in pactl("list", "short", "source-outputs").splitlines()]


def wait_for(condition: Callable[[], object], seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "the virtual sound card does not work"
        time.sleep(0.01)


@pytest.fixture(scope="session")
def sound_card() -> Iterator[VirtualSound]:
    """One server for all tests; `virtual` is what tests use."""
    if sys.platform != "linux":
        pytest.skip("a virtual microphone is made with PulseAudio, which is on Linux only")
    assert shutil.which("pulseaudio"), (
        "pulseaudio is missing: python3 packaging/dev.py test installs it"
    )
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("PULSE_SERVER", "")
        made = VirtualSound(Path(folder))
        try:
            made.start()
            yield made
        finally:
            made.stop()


@pytest.fixture
def virtual(sound_card: VirtualSound) -> Iterator[VirtualSound]:
    """The sound card, nothing being said."""
    yield sound_card
    sound_card.hush()


@pytest.fixture
def tiny_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The starter models and the tiny speech models, in a folder of their own."""
    from backends.catalog import Catalog
    from tests.models.speech import PIPER, WHISPER

    starter, folder = Path(os.environ["DESKPILOT_MODELS"]), tmp_path / "models"
    monkeypatch.setenv("DESKPILOT_MODELS", str(folder))
    catalog = Catalog(folder)
    catalog.add(Path(WHISPER["model_path"]), "tiny-whisper", link=True)
    catalog.add(Path(PIPER["model_path"]), "tiny-voice", link=True)
    for name in ("smollm2-135m", "minilm-l6"):
        if (starter / name).exists():
            (folder / name).symlink_to(starter / name, target_is_directory=True)
    return folder
