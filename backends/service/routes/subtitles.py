"""A transcript as subtitles: SRT and WebVTT."""

from __future__ import annotations

from typing import TYPE_CHECKING

from backends.flexai.errors import InvokeBadRequestError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from backends.flexai.entities import Transcript


def srt(transcript: Transcript) -> str:
    """Return a transcript as SubRip.

    Raises: InvokeBadRequestError if it has no times.
    """
    return "".join(
        f"{number}\n{clock(start, ',')} --> {clock(end, ',')}\n{text}\n\n"
        for number, (start, end, text) in enumerate(cues(transcript), 1)
    )


def vtt(transcript: Transcript) -> str:
    """Return a transcript as WebVTT.

    Raises: InvokeBadRequestError if it has no times.
    """
    return "WEBVTT\n\n" + "".join(
        f"{clock(start, '.')} --> {clock(end, '.')}\n{text}\n\n"
        for start, end, text in cues(transcript)
    )


def cues(transcript: Transcript) -> Iterator[tuple[float, float, str]]:
    """Yield start, end and text of each cue; a text is one line, and no arrow of the format's own."""
    for segment in transcript.segments:
        if segment.start is None or segment.end is None:
            raise InvokeBadRequestError(
                "This model tells no times, so there are no subtitles.", "Ask for text or json."
            )
        text = " ".join(segment.text.split()).replace("-->", "→")
        if text:
            yield segment.start, segment.end, text


def clock(seconds: float, mark: str) -> str:
    """Return a time as hours, minutes, seconds and milliseconds."""
    whole, milliseconds = divmod(round(seconds * 1000), 1000)
    minutes, second = divmod(whole, 60)
    hour, minute = divmod(minutes, 60)
    return f"{hour:02}:{minute:02}:{second:02}{mark}{milliseconds:03}"
