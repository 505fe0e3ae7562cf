"""What one turn may cost before the terminal ends it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Caps:
    """Each ends the turn with a `Capped` that names it; what was said so far is kept.

    calls: functions run. steps: statuses, calls, results, artifacts and the like that are told.
    characters: of the answer. seconds: from the question to the end, the search for the copilot
    included. idle_seconds: without a byte from the copilot; a minute of silence is usual, a ping
    counts as life. connect_seconds: until it takes the connection. stream_bytes: of one response.
    history_turns, history_characters: of what was said before, the newest, that goes along with a
    question; what is left out is told to the copilot and ends nothing.
    """

    calls: int = 8
    steps: int = 500
    characters: int = 400_000
    seconds: float = 900
    idle_seconds: float = 180
    connect_seconds: float = 10
    stream_bytes: int = 64 * 1024 * 1024
    history_turns: int = 200
    history_characters: int = 400_000
