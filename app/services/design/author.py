"""The language model of a design: it chooses among what is possible, bound to the numbers of a list.

A bare number is one token: whatever else a model is made to write around it takes as long again for each token, and
many times as long where others use the processor.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from app.domain.errors import ModelServiceError

if TYPE_CHECKING:
    from app.services.providers.ports import ManagePort

ROUTE = "/v1/chat/completions"
SYSTEM = "You are a helpful AI assistant."  # the wording small models were trained with
WARM = 0.8
TOKENS = 4  # of a number
MOST = 9  # choices, so that none is the beginning of another
OTHER = "Choose another model."


class Author:
    """Asks the model service's chat model, every answer bound by a schema. model: which one answered last."""

    def __init__(self, manage: ManagePort) -> None:
        self._manage = manage
        self.model = ""

    async def choose(self, prompt: str, choices: list[str], seed: int) -> str:
        """Return one of up to 9 choices; a single one without asking. Cancelled, the model stops. What prompts begin with
        alike is read once.

        Raises: ModelServiceError, also for an answer that is none of them; ServiceError.
        """
        if len(choices) == 1:
            return choices[0]
        numbers = list(range(1, min(len(choices), MOST) + 1))
        listed = "\n".join(f"{n}. {choice}" for n, choice in zip(numbers, choices, strict=False))
        told = await self._manage.send(
            "POST",
            ROUTE,
            {
                "messages": [
                    {"role": "system", "content": SYSTEM},
                    {"role": "user", "content": f"{prompt}\n{listed}"},
                ],
                "max_tokens": TOKENS,
                "temperature": WARM,
                "seed": seed,
                "response_format": {
                    "type": "json_schema",
                    "json_schema": {"name": "answer", "schema": {"enum": numbers}},
                },
            },
        )
        self.model = str(told.get("model", ""))
        try:
            return choices[numbers.index(json.loads(told["choices"][0]["message"]["content"]))]
        except (ValueError, KeyError, TypeError, IndexError) as error:
            raise ModelServiceError("The model chose what was not offered.", OTHER) from error
