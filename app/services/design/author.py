"""The language model of a design: it chooses among what is possible, bound to the letters of a list."""

from __future__ import annotations

import json
import string
from typing import TYPE_CHECKING

from app.domain.errors import ModelServiceError

if TYPE_CHECKING:
    from app.services.providers.ports import ManagePort

ROUTE = "/v1/chat/completions"
SYSTEM = "You are a helpful AI assistant."  # the wording small models were trained with
WARM = 0.8
TOKENS = 16  # of a letter in JSON
OTHER = "Choose another model."


class Author:
    """Asks the model service's chat model, every answer bound by a schema. model: which one answered last."""

    def __init__(self, manage: ManagePort) -> None:
        self._manage = manage
        self.model = ""

    async def choose(self, prompt: str, choices: list[str], seed: int) -> str:
        """Return one of up to 26 choices. Cancelled, the model stops. What prompts begin with alike is read once.

        Raises: ModelServiceError, also for an answer that is none of them; ServiceError.
        """
        letters = string.ascii_uppercase[: len(choices)]
        listed = "\n".join(f"{letter}. {choice}" for letter, choice in zip(letters, choices, strict=True))
        schema = {
            "type": "object",
            "properties": {"answer": {"type": "string", "enum": list(letters)}},
            "required": ["answer"],
            "additionalProperties": False,
        }
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
                    "json_schema": {"name": "answer", "schema": schema},
                },
            },
        )
        self.model = str(told.get("model", ""))
        try:
            answer = str(json.loads(told["choices"][0]["message"]["content"])["answer"])
            return choices[letters.index(answer)]
        except (ValueError, KeyError, TypeError, IndexError) as error:
            raise ModelServiceError("The model chose what was not offered.", OTHER) from error
