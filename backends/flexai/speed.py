"""How quick a language model is where it runs: tokens a second of a prompt it has not seen, and of
its answer.
"""

from __future__ import annotations

import time
import uuid
from typing import TYPE_CHECKING, Any, cast

from backends.flexai.entities import UserPromptMessage
from backends.flexai.errors import InvokeError

if TYPE_CHECKING:
    from backends.flexai.models.large_language_model import Chunks, LargeLanguageModel

LINES = 12  # of the prompt, about fifteen tokens each
ANSWER_TOKENS = 64
ASKED = "Above are entries of a log. Tell a long story about the terminal that wrote them."


def measure(
    language_model: LargeLanguageModel, model: str, credentials: dict[str, Any]
) -> dict[str, Any]:
    """Return {prompt_tokens, prompt_seconds, answer_tokens, answer_seconds}, measured where this is
    called.

    The model is loaded first, which does not count. answer_seconds go from the first token to the
    last, answer_tokens are those after the first.
    Raises: InvokeError and its kinds; also if the answer is too short to be measured.
    """
    for _ in ask(language_model, model, credentials, "Hello", 1):
        pass
    begun = time.perf_counter()
    first, usage = 0.0, None
    for chunk in ask(language_model, model, credentials, unseen(), ANSWER_TOKENS):
        first = first or time.perf_counter()
        usage = chunk.delta.usage or usage
    ended = time.perf_counter()
    if usage is None or usage.completion_tokens < 2:
        raise InvokeError(
            f"{model} answered with too few words to be measured.", "Measure it again."
        )
    return {
        "prompt_tokens": usage.prompt_tokens,
        "prompt_seconds": first - begun,
        "answer_tokens": usage.completion_tokens - 1,
        "answer_seconds": ended - first,
    }


def ask(
    language_model: LargeLanguageModel,
    model: str,
    credentials: dict[str, Any],
    text: str,
    tokens: int,
) -> Chunks:
    """Yield the chunks of an answer."""
    said = [UserPromptMessage(content=text)]
    parameters = {"max_tokens": tokens, "temperature": 0.0}
    yield from cast("Chunks", language_model.invoke(model, credentials, [*said], parameters))


def unseen() -> str:
    """Return a prompt no context holds already."""
    lines = [f"Entry {uuid.uuid4().hex[:8]} was written by the terminal." for _ in range(LINES)]
    return "\n".join([*lines, ASKED])
