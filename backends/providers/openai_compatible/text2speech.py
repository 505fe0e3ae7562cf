"""Text-to-speech on a server."""

from __future__ import annotations

import struct
from contextlib import closing
from typing import Any, ClassVar

from backends.flexai.errors import InvokeBadRequestError
from backends.flexai.models import Text2SpeechModel
from backends.flexai.models.text2speech_model import Sound
from backends.providers.openai_compatible.connection import Peer
from backends.providers.openai_compatible.remote import Remote
from backends.providers.openai_compatible.settings import ServerSettings

HEADER = 44
MOST = 1_000_000_000  # maximum bytes of sound


class RemoteText2Speech(Remote, Text2SpeechModel):
    """Speaks over HTTP: returns WAV, or 16-bit samples at 24 kHz if `audio_format` is "pcm"."""

    extensions: ClassVar[frozenset[str]] = frozenset({"voice", "speed", "audio_format"})

    def try_out(self, model: str, credentials: dict[str, Any]) -> None:
        """Request the start of a word."""
        sound = self.invoke(model, credentials, "ok", streaming=True)
        assert not isinstance(sound, bytes)
        with closing(sound):
            next(sound)

    def described(self, settings: ServerSettings) -> dict[str, Any]:
        """Return the voices listed in the settings."""
        voices = [{"mode": name, "name": name, "language": []} for name in settings.voices]
        first = settings.default_voice or (settings.voices[0] if settings.voices else "")
        return {"model_properties": {"voices": voices, "default_voice": first, "audio_type": "wav"}}

    def get_tts_model_voices(
        self, model: str, credentials: dict[str, Any], language: str | None = None
    ) -> list[dict[str, str]]:
        """Return the voices listed in the settings, for every language: the API does not say which
        languages they speak.
        """
        return [{"name": name, "value": name} for name in self.settings(credentials).voices]

    def _invoke(
        self,
        model: str,
        credentials: dict[str, Any],
        content_text: str,
        streaming: bool,
        user: str | None = None,
        *,
        voice: str | None = None,
        speed: float = 1.0,
        audio_format: str = "wav",
    ) -> bytes | Sound:
        if audio_format not in ("wav", "pcm"):
            raise InvokeBadRequestError(
                f"{audio_format} cannot be asked for.", "Ask for wav or pcm."
            )
        settings = self.settings(credentials)
        body: dict[str, Any] = {"model": settings.name_of(model), "input": content_text}
        body |= {"response_format": audio_format, "speed": speed}
        chosen = (
            voice or settings.default_voice or (settings.voices[0] if settings.voices else None)
        )
        if chosen:
            body["voice"] = chosen
        pieces = bounded(Peer(settings), body)
        return pieces if streaming else measured(b"".join(pieces))


def bounded(peer: Peer, body: dict[str, Any]) -> Sound:
    """Yield the sound.

    Raises: InvokeServerUnavailableError if there is none, or if it is endless.
    """
    size = 0
    with closing(peer.sound("/audio/speech", body)) as pieces:
        for piece in pieces:
            size += len(piece)
            if size > MOST:
                raise peer.strange("its sound does not end")
            yield piece
    if not size:
        raise peer.strange("it sent no sound")


def measured(sound: bytes) -> bytes:
    """Return a complete WAV whose header states its length, which a stream's header cannot."""
    if len(sound) < HEADER or sound[:4] != b"RIFF" or sound[36:40] != b"data":
        return sound
    sizes = struct.pack("<I", len(sound) - 8), struct.pack("<I", len(sound) - HEADER)
    return sound[:4] + sizes[0] + sound[8:40] + sizes[1] + sound[HEADER:]
