"""Count what a turn costs and end one that goes round in circles."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from app.domain.errors import Capped, DeskpilotError

if TYPE_CHECKING:
    from app.domain.conversation import Caps
    from app.domain.events import Call


class Guard:
    """The counts of one turn against its caps."""

    def __init__(self, caps: Caps) -> None:
        self._caps = caps
        self._times: dict[str, int] = {}
        self._calls = 0
        self._steps = 0
        self._characters = 0

    def call(self, call: Call) -> DeskpilotError | None:
        """Count a call. Return what to answer in its place when it repeats one of this turn; else
        None.

        A model that is told so once often recovers; one that repeats itself again does not.
        Raises: Capped for too many calls, or the same one a third time.
        """
        self._calls += 1
        key = f"{call.function} {json.dumps(call.arguments, sort_keys=True)}"
        times = self._times[key] = self._times.get(key, 0) + 1
        if times > 2:
            raise Capped(
                "The copilot asked for the same data again and again.",
                "Use another copilot.",
                cap="repeats",
            )
        if self._calls > self._caps.calls:
            raise Capped(
                f"The copilot made more than {self._caps.calls} calls for one question.",
                "Ask for less.",
                cap="calls",
            )
        if times == 2:
            return DeskpilotError(
                "This call was made before in this turn; its result stands above.",
                "Answer with it, or ask for something else.",
            )
        return None

    def step(self) -> None:
        """Count a step.

        Raises: Capped.
        """
        self._steps += 1
        if self._steps > self._caps.steps:
            raise Capped(
                f"The copilot told of more than {self._caps.steps} steps for one question.",
                "Use another copilot.",
                cap="steps",
            )

    def words(self, characters: int) -> None:
        """Count characters of the answer.

        Raises: Capped.
        """
        self._characters += characters
        if self._characters > self._caps.characters:
            raise Capped(
                "The answer grew without end and was closed.",
                "Use another copilot.",
                cap="characters",
            )
