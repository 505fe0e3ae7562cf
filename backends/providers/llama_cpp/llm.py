"""Language models on llama.cpp behind the FlexAI interface."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

from backends.flexai.entities import (
    AIModelEntity,
    I18nObject,
    LLMResult,
    PromptMessage,
    PromptMessageTool,
)
from backends.flexai.errors import (
    ContextLengthError,
    InvokeBadRequestError,
    InvokeError,
    InvokeServerUnavailableError,
)
from backends.flexai.models import CallClock, LargeLanguageModel, validating
from backends.flexai.models.ai_model import flag_of_call
from backends.flexai.models.large_language_model import Chunks, make_chunk, whole
from backends.flexai.thoughts import AnswerPiece
from backends.providers.llama_cpp.answer import AnswerDecoder, TokenAnswer
from backends.providers.llama_cpp.engine import LlamaEngine, engine_for
from backends.providers.llama_cpp.grammar import check_answer, chosen_tools, forced, grammar_for
from backends.providers.llama_cpp.hardware import cards, usable
from backends.providers.llama_cpp.messages import as_tools

if TYPE_CHECKING:
    from llama_cpp import LlamaGrammar

DEFAULTS: dict[str, Any] = {
    "temperature": 0.2,
    "top_p": 0.95,
    "top_k": 40,
    "min_p": 0.05,
    "repeat_penalty": 1.1,
    "presence_penalty": 0.0,
    "frequency_penalty": 0.0,
}
MAX_TOKENS = 512
ERRORS: dict[type[InvokeError], list[type[Exception]]] = {
    InvokeBadRequestError: [ValueError, TypeError, KeyError],
    InvokeServerUnavailableError: [RuntimeError, MemoryError, OSError],
}


class LlamaCppLLM(LargeLanguageModel):
    """Answers with a GGUF model, either in text or with calls of the tools offered.

    With `json_schema`, the answer conforms to the schema and is never a call. If `tool_choice` is
    "required" or a tool's name, the answer is a call.
    """

    def devices(self) -> list[str]:
        """Return the devices of llama.cpp, best first."""
        return usable(cards())

    def validate_credentials(self, model: str, credentials: dict[str, Any]) -> None:
        """Check that the file can be loaded."""
        with validating():
            engine_for(credentials)

    @property
    def _invoke_error_mapping(self) -> dict[type[InvokeError], list[type[Exception]]]:
        return ERRORS

    def get_customizable_model_schema(
        self, model: str, credentials: dict[str, Any]
    ) -> AIModelEntity | None:
        """Return the schema of any GGUF model that no YAML file describes. The parameter rules are
        the same for all, because llama.cpp samples all models in the same way.
        """
        known = next(iter(self.schemas), None)
        if known is None:
            return None
        changes = {
            "model": model,
            "label": I18nObject(en_US=model),
            "fetch_from": "customizable-model",
        }
        mode = credentials.get("mode") or "chat"
        tools = ["tool-call", "multi-tool-call", "stream-tool-call"] if mode == "chat" else []
        sees = ["vision"] if credentials.get("projector_path") else []
        described = {
            "model_properties": {
                "mode": mode,
                "context_size": int(credentials.get("n_ctx") or 4096),
            },
            "features": ["structured-output", *tools, *sees],
        }
        return known.model_copy(update=changes | described)

    def get_num_tokens(
        self,
        model: str,
        credentials: dict[str, Any],
        prompt_messages: list[PromptMessage],
        tools: list[PromptMessageTool] | None = None,
    ) -> int:
        """Return how many tokens the prompt has when the model's own template renders it."""
        with self.mapped_errors():
            engine = engine_for(credentials)
            with engine.in_use(), engine.read(prompt_messages, as_tools(tools)) as prompt:
                return len(prompt.tokens)

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
        chunks = self._stream(model, credentials, prompt_messages, model_parameters, tools, stop)
        return chunks if stream else whole(chunks, model, prompt_messages)

    def _stream(
        self,
        model: str,
        credentials: dict[str, Any],
        messages: list[PromptMessage],
        parameters: dict[str, Any],
        tools: list[PromptMessageTool] | None,
        stop: list[str] | None,
    ) -> Chunks:
        clock, schema = CallClock(), parameters.get("json_schema")
        engine = engine_for(credentials)
        choice = parameters.get("tool_choice") or "auto"
        grammar, offered = bound_to(schema, tools or [], choice, harmony=engine.harmony)
        flag = flag_of_call()
        with (
            engine.in_use(),
            engine.read(messages, as_tools(tools)) as scene,
            engine.context.sequence(scene.tokens, flag) as sequence,
        ):
            limit = min(
                parameters.get("max_tokens") or MAX_TOKENS, check_room(engine, len(scene.tokens))
            )
            # if constrained from its first letter, the answer cannot start with a thought, even if
            # the template opens one
            free = grammar is None or (engine.harmony and bool(offered))
            ends = [token for token in scene.tokens[-8:] if token >= 0] if free else []
            prompt_end = b"".join(engine.piece(token) for token in ends)
            reading = AnswerDecoder(stop or [], {tool.name for tool in offered}, prompt_end)
            answer = TokenAnswer(
                engine,
                sequence,
                scene,
                reading,
                sampling(parameters),
                limit,
                flag,
                parameters.get("seed"),
            )
            said = ""
            with closing(answer.write(grammar, offered if grammar is None else [])) as pieces:
                for shown in pieces:
                    said += shown.text if schema else ""
                    yield make_chunk(model, messages, answer.made, shown)
            rest, found = reading.finish()
            cut = answer.reason == "length"  # tells the caller that the answer is incomplete
            if schema and not cut:
                check_answer(said + rest.text, schema)
            if grammar is not None and offered and not found:
                if not cut:
                    raise InvokeError(
                        f"The call was interrupted: {rest.text}", "Allow more tokens."
                    )
                rest = AnswerPiece()  # an incomplete call is not part of the answer's text
            if found:
                yield make_chunk(model, messages, answer.made + 1, AnswerPiece(), calls=found)
            usage = self._calc_response_usage(
                model, credentials, len(scene.tokens), answer.made, clock
            )
            yield make_chunk(
                model,
                messages,
                answer.made + 2,
                rest,
                f"reused={answer.reused}",
                usage=usage,
                finish_reason="tool_calls" if found else answer.reason,
            )


def bound_to(
    schema: str | None, tools: list[PromptMessageTool], choice: str, *, harmony: bool
) -> tuple[LlamaGrammar | None, list[PromptMessageTool]]:
    """Return the grammar that constrains an answer from its first letter, if there is one, and the
    tools that the answer may call.

    harmony: whether the model writes calls in the format of gpt-oss.
    Raises: InvokeBadRequestError.
    """
    if schema:
        return grammar_for(schema), []
    if choice == "none":
        return None, []
    if choice == "auto":
        return None, tools
    wanted = chosen_tools(tools, choice)
    return forced(wanted, harmony=harmony), wanted


def check_room(engine: LlamaEngine, prompt_tokens: int) -> int:
    """Return the maximum number of tokens that the answer can have.

    Raises: ContextLengthError if the prompt fills the context.
    """
    room = engine.context_size - prompt_tokens
    if room < 1:
        raise ContextLengthError(
            f"The conversation has {prompt_tokens} tokens, but the model accepts "
            f"{engine.context_size}.",
            "Start a new conversation or attach less.",
        )
    return room


def sampling(parameters: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments for `Llama.generate`, in which the temperature is called `temp`."""
    values = DEFAULTS | {k: v for k, v in parameters.items() if k in DEFAULTS}
    values["temp"] = values.pop("temperature")
    return values
