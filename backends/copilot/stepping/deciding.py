"""Have a model choose the next step, bound to the few that are possible; asked twice, in both
orders.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from backends.copilot.acting.bound.forms import as_text
from backends.copilot.models import NoModel, Thought
from backends.flexai.errors import FlexAIError
from backends.planning.choosing.choice import SYSTEM, prompt, read_choice, schema_of

if TYPE_CHECKING:
    from backends.copilot.models import Models
    from backends.planning.choosing.choice import Option
    from backends.planning.choosing.ground import Ground

TOKENS = 200  # of one choice


@dataclass(frozen=True)
class Decision:
    """picks: what was chosen in each order, without repetition, `done` for nothing more. seconds:
    it took. Sure if both orders came to the same step.
    """

    picks: tuple[Option | str, ...]
    answered: int
    seconds: float

    @property
    def sure(self) -> Option | None:
        """Return the step both orders came to; None for any other outcome."""
        only = self.picks[0] if len(self.picks) == 1 and self.answered == 2 else None
        return None if only is None or isinstance(only, str) else only

    @property
    def options(self) -> list[Option]:
        """Return the steps that were chosen, sure or not."""
        return [pick for pick in self.picks if not isinstance(pick, str)]


async def decided(
    ground: Ground,
    options: list[Option],
    models: Models,
    model: str | None,
    *,
    seconds: float,
    error: str = "",
) -> Decision:
    """Return what a model chooses of a few steps. seconds: it may take; error: why the step before
    failed.

    Nothing is chosen where there is no model, none that can be bound, none that is quick enough, or
    where what it says is no choice.
    """
    began = time.monotonic()
    picks: list[Option | str] = []
    try:
        async with asyncio.timeout(seconds):
            for order in (options, options[::-1]):
                said = await answered(prompt(ground, order, error), schema_of(order), models, model)
                if (pick := read_choice(said, order)) is None:
                    break
                picks.append(pick)
    except (FlexAIError, NoModel, TimeoutError):
        pass
    found = {pick if isinstance(pick, str) else pick.key: pick for pick in picks}
    return Decision(tuple(found.values()), len(picks), time.monotonic() - began)


async def answered(asked: str, schema: dict[str, Any], models: Models, model: str | None) -> str:
    """Return a model's answer under a schema.

    Raises: FlexAIError, NoModel.
    """
    messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": asked}]
    parameters = {"json_schema": as_text(schema), "temperature": 0.0, "max_tokens": TOKENS}
    text = ""
    async with aclosing(models.chat(messages, model=model, parameters=parameters)) as pieces:
        async for piece in pieces:
            text += "" if isinstance(piece, Thought) else piece
    return text
