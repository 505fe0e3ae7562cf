"""The program espeak-ng: which voices it has, and the sound of one piece of text."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from backends.flexai.errors import InvokeBadRequestError, InvokeServerUnavailableError
from backends.providers.spoken import at_full_strength

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME = "espeak-ng"
RATE = 22050  # Hz, of all its voices
HEADER = 44  # bytes of the WAV it writes before the samples
WORDS_A_MINUTE = 175  # its usual speed
SECONDS = 30.0  # for one piece, of which it makes hours of sound in a second
GET = "Install it: sudo apt install espeak-ng (Debian, Ubuntu), brew install espeak-ng (macOS)."
VOICE = re.compile(r"\s*\d+\s+(?P<tag>\S+)\s+\S+\s+(?P<name>\S+)\s+\S+\s*(?P<others>.*)")
OTHER = re.compile(r"\((\S+) \d+\)")


@dataclass(frozen=True)
class Spoken:
    """A voice. tag: its language, such as en-us. name: what people call it. others: tags it answers
    to as well.
    """

    tag: str
    name: str
    others: frozenset[str]

    def speaks(self, language: str) -> bool:
        """Tell whether it speaks a language, `en`, `en-us` or `en_US`."""
        wanted = language.lower().replace("_", "-")
        return wanted in (self.tag, *self.others) or self.tag.startswith(f"{wanted}-")


def program() -> str | None:
    """Return where espeak-ng is; None where it is not installed."""
    return shutil.which(NAME)


def spoken() -> list[Spoken]:
    """Return its voices.

    Raises: InvokeBadRequestError where it is not installed, InvokeServerUnavailableError where it
    fails.
    """
    lines = run(["--voices"], "").decode("utf-8", "replace").splitlines()[1:]
    found = [line for line in map(VOICE.fullmatch, lines) if line is not None]
    return [
        Spoken(
            line["tag"].lower(),
            line["name"].replace("_", " "),
            frozenset(tag.lower() for tag in OTHER.findall(line["others"])),
        )
        for line in found
    ]


def say(pieces: Iterator[str], tag: str, speed: float) -> Iterator[np.ndarray]:
    """Yield 16-bit samples, mono, of one piece after another. tag: of a voice. speed: 1 is its
    usual one.
    """
    pace = str(round(WORDS_A_MINUTE * speed))
    options = ["--stdout", "--stdin", "-b", "1", "-v", tag, "-s", pace]
    made = (run(options, piece)[HEADER:] for piece in pieces)
    yield from at_full_strength(
        np.frombuffer(wav[: len(wav) // 2 * 2], "<i2").astype(np.float32) for wav in made
    )


def run(options: list[str], text: str) -> bytes:
    """Return what espeak-ng writes for a text.

    Raises: InvokeBadRequestError, InvokeServerUnavailableError.
    """
    place = program()
    if place is None:
        raise InvokeBadRequestError("espeak-ng is not installed on this machine.", GET)
    try:
        done = subprocess.run(
            [place, *options], input=text.encode(), capture_output=True, check=True, timeout=SECONDS
        )
    except subprocess.CalledProcessError as error:
        told = (
            error.stderr.decode("utf-8", "replace").strip() or f"it ended with {error.returncode}"
        )
        raise InvokeServerUnavailableError(
            f"espeak-ng failed: {told}", "Install it again."
        ) from error
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InvokeServerUnavailableError(
            f"espeak-ng failed: {error}", "Install it again."
        ) from error
    return done.stdout
