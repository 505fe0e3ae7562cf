"""Language models on a server."""

from __future__ import annotations

import json
from contextlib import closing
from typing import TYPE_CHECKING, Any

import jsonschema

from backends.flexai.entities import (
    LLMResult,
    PromptMessage,
    PromptMessageTool,
    UserPromptMessage,
)
from backends.flexai.errors import InvokeBadRequestError, InvokeConnectionError, InvokeError
from backends.flexai.models import CallClock, LargeLanguageModel
from backends.flexai.models.ai_model import estimate_tokens
from backends.flexai.models.large_language_model import Chunks, make_chunk, make_place, whole
from backends.flexai.thoughts import AnswerPiece
from backends.providers.openai_compatible.chat import (
    ChatAnswer,
    chat_body,
    is_bare,
    message_dict,
    rules,
    taken_out,
)
from backends.providers.openai_compatible.connection import Peer, Remote
from backends.providers.openai_compatible.failures import number
from backends.providers.openai_compatible.settings import ServerSettings

if TYPE_CHECKING:
    from collections.abc import Generator

FRAME_TOKENS = 4  # approximate number of tokens that a chat template adds to a message


class RemoteLLM(Remote, LargeLanguageModel):
    """Answers over HTTP. The answer is always streamed, so that a stalled server can be
    distinguished from one that is thinking.
    """

    def try_out(self, model: str, credentials: dict[str, Any]) -> None:
        """Request a single token."""
        said = [UserPromptMessage(content="Hi")]
        self.invoke(model, credentials, list(said), {"max_tokens": 1}, stream=False)

    def described(self, settings: ServerSettings) -> dict[str, Any]:
        """Return the model's features, context size and parameters."""
        features = ["tool-call", "multi-tool-call", "stream-tool-call"] if settings.tools else []
        features += ["vision"] if settings.vision else []
        return {
            "features": [*features, "structured-output"],
            "model_properties": {"mode": settings.mode, "context_size": settings.context_size},
            "parameter_rules": rules(settings),
        }

    def get_num_tokens(
        self,
        model: str,
        credentials: dict[str, Any],
        prompt_messages: list[PromptMessage],
        tools: list[PromptMessageTool] | None = None,
    ) -> int:
        """Return how many tokens the prompt has. The server counts them if it has a route for that;
        otherwise the number is estimated.
        """
        settings = self.settings(credentials)
        text = "\n".join(
            [m.text() for m in prompt_messages] + [json.dumps(t.model_dump()) for t in tools or []]
        )
        counter = settings.kind.counter
        if counter is not None and not counter.text_field:
            body: dict[str, Any] = {"model": settings.name_of(model)}
            body["messages"] = [message_dict(m, vision=settings.vision) for m in prompt_messages]
            body["tools"] = [
                {"type": "function", "function": t.model_dump()} for t in tools or []
            ] or None
            with self.mapped_errors():
                return self._asked(settings, body)
        return self._count(settings, model, text) + FRAME_TOKENS * len(prompt_messages)

    def _count(self, settings: ServerSettings, model: str, text: str) -> int:
        counter = settings.kind.counter
        if counter is None:
            return estimate_tokens(text)
        field = counter.text_field or "prompt"
        with self.mapped_errors():
            return self._asked(settings, {"model": settings.name_of(model), field: text})

    def _check_room(
        self,
        settings: ServerSettings,
        model: str,
        credentials: dict[str, Any],
        messages: list[PromptMessage],
    ) -> None:
        """Check that the prompt is not too long. This is called after a stream has ended without
        text, because llama-cpp-python does not report prompts that are too long.

        Raises: InvokeBadRequestError if the prompt is too long.
        """
        if settings.kind.counter is None:
            return
        tokens = self.get_num_tokens(model, credentials, messages)
        if tokens > settings.context_size:
            raise InvokeBadRequestError(
                f"The conversation has {tokens} tokens, but the model accepts "
                f"{settings.context_size}.",
                "Start a new conversation or attach less.",
            )

    def _asked(self, settings: ServerSettings, body: dict[str, Any]) -> int:
        assert settings.kind.counter is not None
        peer, counter = Peer(settings), settings.kind.counter
        told = peer.post(
            counter.path, {k: v for k, v in body.items() if v is not None}, root=True
        ).get(counter.answer)
        count = len(told) if isinstance(told, list) else number(told)
        if count is None:
            raise peer.strange("it counted no tokens")
        return count

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
        settings = self.settings(credentials)
        body = chat_body(settings, model, prompt_messages, model_parameters, tools, stop, user)
        schema = model_parameters.get("json_schema")
        chunks = self._stream(model, credentials, prompt_messages, body, schema)
        return chunks if stream else whole(chunks, model, prompt_messages)

    def _stream(
        self,
        model: str,
        credentials: dict[str, Any],
        messages: list[PromptMessage],
        body: dict[str, Any],
        schema: str | None,
    ) -> Chunks:
        clock, settings = CallClock(), self.settings(credentials)
        check_schema(schema)
        bare = schema is not None and is_bare(json.loads(schema))
        answer, said = ChatAnswer(), list[AnswerPiece]()
        path = "/completions" if settings.mode == "completion" else "/chat/completions"
        with closing(settled(Peer(settings).events(path, body, answer.close), answer)) as events:
            for event in events:
                if (place := number(event.get("place"))) is not None and settings.kind.places:
                    yield make_place(model, messages, place)
                    continue
                piece = answer.feed(event)
                if any(piece):
                    said.append(piece)
                shown = AnswerPiece(reasoning=piece.reasoning) if bare else piece
                if any(shown):
                    yield make_chunk(model, messages, len(said), shown)
        rest = answer.rest()
        if any(rest):
            said.append(rest)
        if bare and said:
            said = [AnswerPiece(taken_out("".join(piece.text for piece in said)))]
            rest = said[0]
        if any(rest):
            yield make_chunk(model, messages, len(said), rest)
        if answer.is_empty:
            self._check_room(settings, model, credentials, messages)
        reason, calls = answer.end(settings.host)
        if schema and not calls and reason != "length":  # "length" means that it is incomplete
            check_answer("".join(piece.text for piece in said), schema)
        if calls:
            yield make_chunk(model, messages, len(said) + 1, AnswerPiece(), calls=calls)
        prompt, made = answer.prompt_tokens, answer.completion_tokens
        if prompt is None:
            prompt = self.get_num_tokens(model, credentials, messages)
        if made is None:
            made = self._count(settings, model, "".join(map("".join, said))) if said else 0
        usage = self._calc_response_usage(model, credentials, prompt, made, clock)
        last: dict[str, Any] = {
            "usage": usage,
            "finish_reason": reason,
            "fingerprint": answer.fingerprint,
        }
        yield make_chunk(model, messages, len(said) + 2, AnswerPiece(), **last)


def settled(events: Generator[dict[str, Any]], answer: ChatAnswer) -> Generator[dict[str, Any]]:
    """Yield the events; errors after the last text are ignored.

    Raises: InvokeError.
    """
    try:
        with closing(events):
            yield from events
    except InvokeConnectionError:
        if not answer.has_ended:
            raise


def check_schema(schema_text: str | None) -> None:
    """Check that a schema is valid before anything is sent to the server.

    Raises: InvokeBadRequestError.
    """
    try:
        if schema_text:
            jsonschema.Draft202012Validator.check_schema(json.loads(schema_text))
    except (ValueError, jsonschema.SchemaError) as error:
        raise InvokeBadRequestError(
            f"json_schema is not a JSON schema: {error}", "Correct the schema."
        ) from error


def check_answer(text: str, schema_text: str) -> None:
    """Check an answer against the schema, because many servers accept a schema but do not enforce
    it.

    Raises: InvokeError.
    """
    try:
        jsonschema.validate(json.loads(text), json.loads(schema_text))
    except (ValueError, jsonschema.ValidationError) as error:
        first = str(error).partition("\n")[0]
        raise InvokeError(
            f"The answer does not match the schema: {first}",
            "Allow more tokens, or use a server that enforces schemas.",
        ) from error
