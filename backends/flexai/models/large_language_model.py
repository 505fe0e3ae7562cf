"""Language models."""

from __future__ import annotations

import json
import time
import uuid
from abc import abstractmethod
from collections.abc import Callable, Generator
from functools import partial
from typing import Any, ClassVar, NamedTuple, cast

from backends.flexai.entities import (
    AssistantPromptMessage,
    LLMResult,
    LLMResultChunk,
    LLMResultChunkDelta,
    LLMUsage,
    ModelType,
    PromptMessage,
    PromptMessageTool,
    UserPromptMessage,
)
from backends.flexai.errors import InvokeBadRequestError, InvokeError
from backends.flexai.models.ai_model import AIModel, CallClock, estimate_tokens
from backends.flexai.thoughts import AnswerPiece

Chunks = Generator[LLMResultChunk, None, None]


class LargeLanguageModel(AIModel):
    """A model that answers messages with text or tool calls."""

    model_type: ClassVar[ModelType] = ModelType.LLM

    @abstractmethod
    def _invoke(
        self,
        model: str,
        credentials: dict[str, Any],
        prompt_messages: list[PromptMessage],
        model_parameters: dict[str, Any],
        tools: list[PromptMessageTool] | None = None,
        stop: list[str] | None = None,
        stream: bool = True,
        user: str | None = None,
    ) -> LLMResult | Chunks:
        """Return the answer: a generator of chunks if `stream` is set, otherwise a complete
        result.
        """

    @abstractmethod
    def get_num_tokens(
        self,
        model: str,
        credentials: dict[str, Any],
        prompt_messages: list[PromptMessage],
        tools: list[PromptMessageTool] | None = None,
    ) -> int:
        """Return how many tokens the messages have for this model."""

    def invoke(
        self,
        model: str,
        credentials: dict[str, Any],
        prompt_messages: list[PromptMessage],
        model_parameters: dict[str, Any] | None = None,
        tools: list[PromptMessageTool] | None = None,
        stop: list[str] | None = None,
        stream: bool = True,
        user: str | None = None,
    ) -> LLMResult | Chunks:
        """Answer the messages.

        stop: texts that end the answer; they are not part of it. Neither the messages nor the stop
        texts are changed. Returns: chunks if `stream` is set; only the last one has `usage` and
        `finish_reason`. Raises: InvokeError or a subclass, immediately or while the chunks are
        read.
        """
        if not prompt_messages:
            raise InvokeBadRequestError(
                "There is no message to answer.", "Send at least one message."
            )
        parameters = self.checked_parameters(model, credentials, model_parameters or {})
        answer = partial(
            self._invoke,
            model,
            credentials,
            list(prompt_messages),
            parameters,
            tools,
            list(stop or []),
        )
        if stream:
            return self._checked_chunks(partial(answer, True, user))
        with self.mapped_errors():
            result = answer(False, user)
            return (
                result if isinstance(result, LLMResult) else whole(result, model, prompt_messages)
            )

    def measure(self, model: str, credentials: dict[str, Any]) -> dict[str, Any]:
        """Return the model's speed on this machine, measured by the function `measure`.

        Raises: InvokeError or a subclass.
        """

        return measure(self, model, credentials)

    def _checked_chunks(self, answer: Callable[[], LLMResult | Chunks]) -> Chunks:
        held: LLMResultChunk | None = None
        with self.mapped_errors():
            chunks = answer()
            if isinstance(chunks, LLMResult):
                raise InvokeError(f"{self.provider} did not stream although it was asked to.")
            try:
                for chunk in chunks:
                    if held is not None:
                        raise InvokeError(f"{self.provider} kept sending after its last chunk.")
                    if chunk.delta.finish_reason is None and chunk.delta.usage is None:
                        yield chunk
                    else:
                        held = chunk
            finally:
                chunks.close()
        if held is None or held.delta.usage is None or held.delta.finish_reason is None:
            raise InvokeError(f"{self.provider} stopped without giving a reason.", "Try again.")
        yield held

    def _calc_response_usage(
        self,
        model: str,
        credentials: dict[str, Any],
        prompt_tokens: int,
        completion_tokens: int,
        clock: CallClock,
    ) -> LLMUsage:
        price_in, unit_in, cost_in, currency = self.get_price(
            model, credentials, "input", prompt_tokens
        )
        price_out, unit_out, cost_out, _ = self.get_price(
            model, credentials, "output", completion_tokens
        )
        return LLMUsage(
            prompt_tokens=prompt_tokens,
            prompt_unit_price=price_in,
            prompt_price_unit=unit_in,
            prompt_price=cost_in,
            completion_tokens=completion_tokens,
            completion_unit_price=price_out,
            completion_price_unit=unit_out,
            completion_price=cost_out,
            total_tokens=prompt_tokens + completion_tokens,
            total_price=cost_in + cost_out,
            currency=currency,
            latency=clock.seconds(),
        )

    def _get_num_tokens_by_gpt2(self, text: str) -> int:
        """Return an estimate. The name comes from the original SDK, but nothing is downloaded."""
        return estimate_tokens(text)

    def _wrap_thinking_by_reasoning_content(
        self, delta: dict[str, Any], is_reasoning: bool
    ) -> tuple[str, bool]:
        """Return a delta in OpenAI's format as text, with its reasoning between think tags, and
        whether a think tag is still open.

        The name comes from Dify. The service treats text between the tags as a thought.
        """
        content = str(delta.get("content") or "")
        reasoning = delta.get("reasoning_content") or delta.get("reasoning")
        if reasoning:
            return f"{'' if is_reasoning else '<think>' + chr(10)}{reasoning}", True
        if is_reasoning and content:
            return f"\n</think>{content}", False
        return content, is_reasoning


def whole(chunks: Chunks, model: str, prompt_messages: list[PromptMessage]) -> LLMResult:
    """Join chunks into one result.

    Raises: InvokeError if the chunks end without usage or finish_reason.
    """
    text: list[str] = []
    thought: list[str] = []
    calls = Calls()
    usage: LLMUsage | None = None
    reason: str | None = None
    for chunk in chunks:
        text.append(chunk.delta.message.text())
        thought.append(chunk.delta.message.reasoning)
        calls.take(chunk.delta.message.tool_calls)
        usage = chunk.delta.usage or usage
        reason = chunk.delta.finish_reason or reason
    if usage is None or reason is None:
        raise InvokeError("The model stopped without giving a reason.", "Try again.")
    message = AssistantPromptMessage(
        content="".join(text), tool_calls=calls.all, reasoning="".join(thought)
    )
    return LLMResult(model=model, prompt_messages=prompt_messages, message=message, usage=usage)


class CallPiece(NamedTuple):
    """Part of a tool call in a chunk. place: the index of the call in the answer, starting at 0.
    begins: whether this is the start of the call.
    """

    place: int
    call: AssistantPromptMessage.ToolCall
    begins: bool


class Calls:
    """Assembles the tool calls of an answer from pieces. A piece may be a complete call or a
    fragment; a call's pieces may come in one chunk or in many.

    A fragment with an id belongs to the call that has this id; a fragment without an id belongs to
    the previous call. all: the calls so far, in order.
    """

    def __init__(self) -> None:
        self.all: list[AssistantPromptMessage.ToolCall] = []

    def take(self, pieces: list[AssistantPromptMessage.ToolCall]) -> list[CallPiece]:
        """Add the calls of a chunk, and return each with its index; `call.id` is the id of the
        complete call.
        """
        return [self._take(piece) for piece in pieces]

    def _take(self, piece: AssistantPromptMessage.ToolCall) -> CallPiece:
        said = piece.function
        place = self._place(piece)
        if place is None:
            # a call that used another call's id would mix up their results
            used = not piece.id or any(call.id == piece.id for call in self.all)
            made = piece.model_copy(
                update={
                    "id": f"call_{uuid.uuid4().hex[:24]}" if used else piece.id,
                    "function": said.model_copy(),
                }
            )
            self.all.append(made)
            return CallPiece(len(self.all) - 1, made.model_copy(deep=True), begins=True)
        call = self.all[place]
        # some servers repeat the name in each piece
        more = "" if said.name == call.function.name else said.name
        call.function.name += more
        call.function.arguments += said.arguments
        told = said.model_copy(update={"name": more})
        return CallPiece(
            place, piece.model_copy(update={"id": call.id, "function": told}), begins=False
        )

    def _place(self, piece: AssistantPromptMessage.ToolCall) -> int | None:
        """Return the index of the call that a piece continues, or None if it starts a new call."""
        ids = [call.id for call in self.all]
        if (
            not self.all
            or (piece.id and piece.id not in ids)
            or (piece.function.name and not piece.id)
        ):
            return None
        place = len(ids) - 1 - ids[::-1].index(piece.id) if piece.id else len(ids) - 1
        anew = piece.function.name or piece.function.arguments.lstrip().startswith("{")
        return None if anew and is_whole(self.all[place].function.arguments) else place


def is_whole(arguments: str) -> bool:
    """Return whether the arguments of a call so far form a complete object."""
    try:
        return isinstance(json.loads(arguments), dict)
    except (ValueError, RecursionError):
        return False


def make_chunk(
    model: str,
    messages: list[PromptMessage],
    index: int,
    said: AnswerPiece,
    fingerprint: str | None = None,
    **last: Any,
) -> LLMResultChunk:
    """Create a chunk. Our own data is not validated, because this runs once for each token.

    last: `usage` and `finish_reason`, for the last chunk; `calls`, the tools that the model calls.
    """
    told = {
        "content": said.text,
        "reasoning": said.reasoning,
        "tool_calls": last.get("calls") or [],
    }
    message = EMPTY.delta.message.model_copy(update=told)
    ends = {"usage": last.get("usage"), "finish_reason": last.get("finish_reason")}
    delta = EMPTY.delta.model_copy(update={"index": index, "message": message, **ends})
    shared = {"model": model, "prompt_messages": messages, "system_fingerprint": fingerprint}
    return EMPTY.model_copy(update={"delta": delta, **shared})


PLACE = "place="  # starts the fingerprint of a chunk that only reports a queue position


def make_place(model: str, messages: list[PromptMessage], place: int) -> LLMResultChunk:
    """Create a chunk without text that reports the position of a request in its server's queue; 1
    is next.
    """
    return make_chunk(model, messages, 0, AnswerPiece(), f"{PLACE}{place}")


def place_of(chunk: LLMResultChunk) -> int | None:
    """Return the queue position that a chunk reports, or None if it is a chunk of the answer."""
    told = chunk.system_fingerprint or ""
    place = told.removeprefix(PLACE)
    return int(place) if told.startswith(PLACE) and place.isdecimal() else None


# copying takes a third less time than creating a chunk, and also skips validation
EMPTY = LLMResultChunk(
    model="",
    prompt_messages=[],
    delta=LLMResultChunkDelta(index=0, message=AssistantPromptMessage()),
)


LINES = 12  # lines in the prompt, about fifteen tokens each
ANSWER_TOKENS = 64
ASKED = "Above are entries of a log. Tell a long story about the terminal that wrote them."


def measure(
    language_model: LargeLanguageModel, model: str, credentials: dict[str, Any]
) -> dict[str, Any]:
    """Measure prompt and answer: {prompt_tokens, prompt_seconds, answer_tokens, answer_seconds}.

    The model is loaded beforehand; the loading time is not measured. answer_seconds is the time
    from the first token to the last, and answer_tokens is the number of tokens after the first.
    Raises: InvokeError or a subclass, also if the answer is too short to be measured.
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
    """Yield the chunks of an answer to a text."""
    said = [UserPromptMessage(content=text)]
    parameters = {"max_tokens": tokens, "temperature": 0.0}
    yield from cast("Chunks", language_model.invoke(model, credentials, [*said], parameters))


def unseen() -> str:
    """Return a prompt that cannot be in any cache."""
    lines = [f"Entry {uuid.uuid4().hex[:8]} was written by the terminal." for _ in range(LINES)]
    return "\n".join([*lines, ASKED])
