"""A stranger's server: `python -m llama_cpp.server` with the starter model, on loopback."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from backends.catalog import Catalog
from backends.flexai.entities import ModelType, UserPromptMessage
from backends.flexai.errors import CredentialsValidateFailedError, InvokeBadRequestError
from tests.contract.conftest import registry
from tests.contract.stranger import serving

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.starter
SCHEMA = json.dumps(
    {"type": "object", "properties": {"colour": {"enum": ["red", "blue"]}}, "required": ["colour"]}
)
SKY = [UserPromptMessage(content="The sky is blue. Which colour is the sky?")]


@pytest.fixture(scope="module")
def stranger() -> Iterator[dict[str, str]]:
    """Start the server and return the credentials it is reached with."""
    found = Catalog().installed("smollm2-135m")
    assert found is not None, "the starter model is missing: run packaging/dev.py"
    with serving(found.credentials["model_path"], "smol", "--n_ctx", "1024") as told:
        yield told | {"context_size": "1024"}


def llm() -> Any:
    return registry().model("openai_compatible", ModelType.LLM)


def test_provider_and_model_are_checked(stranger: dict[str, str]) -> None:
    provider = registry().provider("openai_compatible")
    provider.validate_provider_credentials(stranger)
    llm().validate_credentials("smol", stranger)
    with pytest.raises(CredentialsValidateFailedError, match="refused the key") as caught:
        provider.validate_provider_credentials(stranger | {"api_key": "wrong"})
    assert caught.value.remedy


def test_a_stream_is_the_whole_answer_with_usage_in_its_last_chunk(
    stranger: dict[str, str],
) -> None:
    greedy = {"temperature": 0.0, "max_tokens": 12}
    chunks = list(llm().invoke("smol", stranger, SKY, greedy))
    whole = llm().invoke("smol", stranger, SKY, greedy, stream=False)
    assert "".join(c.delta.message.text() for c in chunks) == whole.message.text()
    assert all(c.delta.usage is None and c.delta.finish_reason is None for c in chunks[:-1])
    usage = chunks[-1].delta.usage
    assert chunks[-1].delta.finish_reason in ("stop", "length")
    assert usage.prompt_tokens >= 11
    assert 1 <= usage.completion_tokens <= 14  # counted by its tokenizer: this server tells none


def test_tokens_are_counted_by_its_tokenizer(stranger: dict[str, str]) -> None:
    one = llm().get_num_tokens("smol", stranger, [UserPromptMessage(content="one")])
    five = llm().get_num_tokens(
        "smol", stranger, [UserPromptMessage(content="one two three four five")]
    )
    assert five - one == 4


def test_a_schema_binds_the_answer(stranger: dict[str, str]) -> None:
    bound = {"json_schema": SCHEMA, "max_tokens": 60, "temperature": 0.0}
    result = llm().invoke("smol", stranger, SKY, bound, stream=False)
    assert json.loads(result.message.text())["colour"] in ("red", "blue")


def test_a_stop_text_ends_the_answer_and_is_not_in_it(stranger: dict[str, str]) -> None:
    greedy = {"temperature": 0.0, "max_tokens": 20}
    full = llm().invoke("smol", stranger, SKY, greedy, stream=False).message.text()
    stop = full.split()[2]
    cut = llm().invoke("smol", stranger, SKY, greedy, stop=[stop], stream=False).message.text()
    assert stop not in cut
    assert full.startswith(cut)


def test_a_prompt_that_does_not_fit_is_a_bad_request(stranger: dict[str, str]) -> None:
    long = [UserPromptMessage(content="word " * 3000)]
    with pytest.raises(InvokeBadRequestError, match="the model accepts 1024") as caught:
        llm().invoke("smol", stranger, long, stream=False)  # its stream ends without a word
    assert caught.value.remedy


def test_an_answer_left_early_does_not_keep_the_next_one_waiting(stranger: dict[str, str]) -> None:
    chunks = llm().invoke("smol", stranger, SKY, {"max_tokens": 900, "temperature": 0.0})
    next(chunks)
    chunks.close()
    result = llm().invoke("smol", stranger, SKY, {"max_tokens": 2}, stream=False)
    assert result.usage.total_tokens > 0


def test_a_completion_goes_on_with_the_text(stranger: dict[str, str]) -> None:
    credentials = stranger | {"mode": "completion"}
    said = [UserPromptMessage(content="One, two, three,")]
    result = llm().invoke(
        "smol", credentials, said, {"max_tokens": 3, "temperature": 0.0}, stream=False
    )
    assert result.message.text().strip()
