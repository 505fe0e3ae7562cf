"""The seed's signatures, and upstream's defects that are absent here."""

from __future__ import annotations

import inspect
import threading
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from backends.flexai.entities import (
    AssistantPromptMessage,
    ImagePromptMessageContent,
    LLMResult,
    ModelType,
    PromptMessage,
    PromptMessageContent,
    RerankDocument,
    TextPromptMessageContent,
    UserPromptMessage,
)
from backends.flexai.errors import (
    CredentialsValidateFailedError,
    InvokeBadRequestError,
    InvokeConnectionError,
    InvokeError,
    InvokeRateLimitError,
)
from backends.flexai.models import (
    LargeLanguageModel,
    ModerationModel,
    RerankModel,
    Speech2TextModel,
    Text2SpeechModel,
    TextEmbeddingModel,
)
from backends.flexai.models.text_models import select
from backends.flexai.registry import Registry
from backends.flexai.schema import (
    fill_template,
    load_provider,
    validate_credentials,
    validate_parameters,
)

ECHO = Registry({"echo": "tests.echo_provider"})


def model(kind: ModelType) -> Any:
    return ECHO.model("echo", kind)


def said(text: str) -> list[PromptMessage]:
    return [UserPromptMessage(content=text)]


@pytest.mark.parametrize(
    ("cls", "parameters"),
    [
        (
            LargeLanguageModel,
            "model credentials prompt_messages model_parameters tools stop stream user",
        ),
        (TextEmbeddingModel, "model credentials texts user"),
        (RerankModel, "model credentials query docs score_threshold top_n user"),
        (Speech2TextModel, "model credentials file user"),
        (Text2SpeechModel, "model credentials content_text streaming user"),
        (ModerationModel, "model credentials text user"),
    ],
)
def test_invoke_takes_what_the_seed_says_in_its_order(cls: type, parameters: str) -> None:
    assert list(inspect.signature(cls._invoke).parameters)[1:] == parameters.split()


def test_defaults_are_the_seeds() -> None:
    parameters = inspect.signature(LargeLanguageModel._invoke).parameters
    assert parameters["stream"].default is True
    assert (
        inspect.signature(Text2SpeechModel._invoke).parameters["streaming"].default
        is inspect.Parameter.empty
    )


def test_base_messages_cannot_be_made() -> None:
    with pytest.raises(TypeError):
        PromptMessage(role="user")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        PromptMessageContent(type="text", data="x")  # type: ignore[arg-type]


def test_images_are_low_detail_unless_said() -> None:
    message = UserPromptMessage(
        content=[TextPromptMessageContent(data="what?"), ImagePromptMessageContent(data="aGk=")]
    )
    again = UserPromptMessage.model_validate(message.model_dump(mode="json"))
    assert again.content == message.content
    assert again.text() == "what?"


def test_only_the_last_chunk_has_usage_and_reason() -> None:
    chunks = list(model(ModelType.LLM).invoke("echo", {}, said("a b c")))
    assert all(c.delta.usage is None and c.delta.finish_reason is None for c in chunks[:-1])
    assert chunks[-1].delta.usage.total_price > 0
    assert chunks[-1].delta.finish_reason == "stop"


def test_a_whole_result_is_asked_for_as_one() -> None:
    result = model(ModelType.LLM).invoke("echo", {}, said("hello you"), stream=False)
    assert isinstance(result, LLMResult)
    assert result.message == AssistantPromptMessage(content="hello you ")


@pytest.mark.parametrize(
    ("word", "error"),
    [("OFFLINE", InvokeConnectionError), ("REFUSED", InvokeRateLimitError), ("BUG", InvokeError)],
)
@pytest.mark.parametrize("stream", [True, False])
def test_errors_in_mid_stream_are_ours(word: str, error: type[Exception], stream: bool) -> None:
    with pytest.raises(error) as caught:
        list(model(ModelType.LLM).invoke("echo", {}, said(f"first {word}"), stream=stream))
    assert "echo" in str(caught.value)  # the provider is named by the registry, not by a module


def test_the_most_derived_exception_decides() -> None:
    """ConnectionRefusedError is an OSError too; the closer row wins, whatever the order of rows."""
    with pytest.raises(InvokeRateLimitError):
        model(ModelType.LLM).invoke("echo", {}, said("REFUSED"), stream=False)


def test_neither_messages_nor_stop_are_changed() -> None:
    messages, stop = said("a b"), ["x"]
    list(model(ModelType.LLM).invoke("echo", {}, messages, {"format": "json"}, stop=stop))
    assert (messages, stop) == (said("a b"), ["x"])


def test_two_threads_share_a_model_and_have_their_own_latency() -> None:
    shared = model(ModelType.LLM)
    latencies: list[float] = []

    def run() -> None:
        for _ in range(50):
            latencies.append(shared.invoke("echo", {}, said("a"), stream=False).usage.latency)

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(latencies) == 200
    assert all(0 <= latency < 1 for latency in latencies)


def test_counting_without_a_tokenizer_needs_no_network() -> None:
    assert model(ModelType.LLM)._get_num_tokens_by_gpt2("hello world") == 3
    assert model(ModelType.LLM)._get_num_tokens_by_gpt2("失业率") == 3


class TestParameters:
    RULES = model(ModelType.LLM).get_model_schema("echo").parameter_rules

    def test_a_template_is_overridden_even_by_zero(self) -> None:
        assert (
            fill_template({"name": "temperature", "use_template": "temperature", "max": 0}).max == 0
        )

    def test_an_unknown_template_is_an_error(self) -> None:
        with pytest.raises(ValueError, match="no parameter template"):
            fill_template({"name": "x", "use_template": "nope"})

    def test_the_template_name_is_accepted_for_the_parameter(self) -> None:
        assert validate_parameters(self.RULES, {"max_tokens": 5}) == {
            "num_predict": 5,
            "loud": False,
        }

    def test_unknown_parameters_are_dropped_and_only_required_defaults_filled(self) -> None:
        assert validate_parameters(self.RULES, {"nope": 1}) == {"loud": False}

    @pytest.mark.parametrize(
        "given",
        [
            {"temperature": 3},
            {"temperature": True},
            {"temperature": float("nan")},
            {"temperature": 0.333},
            {"num_predict": True},
            {"num_predict": 1.5},
            {"num_predict": 0},
            {"format": "xml"},
            {"loud": "yes"},
        ],
    )
    def test_wrong_values_are_refused_by_name(self, given: dict[str, Any]) -> None:
        with pytest.raises(InvokeBadRequestError) as caught:
            validate_parameters(self.RULES, given)
        assert next(iter(given)) in caught.value.text
        assert isinstance(caught.value, ValueError)


class TestCredentials:
    SCHEMA = load_provider(Path(__file__).parents[3] / "echo_provider").provider_credential_schema
    assert SCHEMA
    FIELDS = SCHEMA.credential_form_schemas

    def test_a_field_that_is_not_shown_is_left_out(self) -> None:
        assert validate_credentials(self.FIELDS, {"kind": "local", "api_key": "k"}) == {
            "kind": "local",
            "loud": False,
        }

    @pytest.mark.parametrize(
        "given",
        [
            {"kind": "remote"},
            {"kind": "else"},
            {"kind": "remote", "api_key": "far too long"},
            {"loud": "maybe"},
        ],
    )
    def test_wrong_ones_are_refused(self, given: dict[str, str]) -> None:
        with pytest.raises(CredentialsValidateFailedError):
            validate_credentials(self.FIELDS, given)


@pytest.mark.parametrize(
    ("threshold", "top_n", "kept"),
    [(None, 0, [1, 0, 2]), (None, 2, [1, 0]), (0.5, -1, [1, 0]), (0.9, 5, [1])],
)
def test_rerank_sorts_then_cuts_at_the_score_then_counts(
    threshold: float | None, top_n: int, kept: list[int]
) -> None:
    docs = [RerankDocument(index=i, text="", score=s) for i, s in enumerate([0.5, 0.9, 0.1])]
    assert [d.index for d in select(docs, threshold, top_n)] == kept


def test_an_unknown_provider_or_type_is_told() -> None:
    with pytest.raises(CredentialsValidateFailedError, match="no provider"):
        ECHO.provider("nope")


def test_a_result_needs_its_usage() -> None:
    with pytest.raises(ValidationError):
        LLMResult(model="m", prompt_messages=[], message=AssistantPromptMessage(content=""))  # type: ignore[call-arg]
