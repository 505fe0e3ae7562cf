"""llama.cpp behind FlexAI: text from tokens, stop texts, grammar, cancel, the kept prefix."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backends.catalog import Catalog
from backends.flexai.cancellation import cancellable
from backends.flexai.entities import (
    AssistantPromptMessage,
    ModelType,
    PromptMessageTool,
    UserPromptMessage,
)
from backends.flexai.errors import CredentialsValidateFailedError, InvokeBadRequestError, InvokeCancelledError
from backends.flexai.registry import load_providers
from backends.providers.llama_cpp.llm import DEFAULTS, MAX_TOKENS
from backends.providers.llama_cpp.loaded import engine_for
from backends.providers.llama_cpp.text import TextStream

if TYPE_CHECKING:
    from pathlib import Path


def feed(tokens: list[bytes], stop: list[str]) -> tuple[str, bool]:
    stream = TextStream(stop)
    text = "".join(stream.feed(t) for t in tokens)
    return text + stream.finish(), stream.stopped


def test_characters_split_over_tokens_arrive_whole() -> None:
    assert feed([b"\xe5\xa4", b"\xb1\xe4", b"\xb8\x9a"], []) == ("失业", False)


def test_bytes_that_are_no_character_do_not_stop_the_stream() -> None:
    assert feed([b"a", b"\xff", b"b"], [])[0] == "a\ufffdb"


@pytest.mark.parametrize("stop", ["END", ".", "*", "(a|b)+"])
def test_a_stop_text_ends_the_answer_literally_wherever_tokens_cut(stop: str) -> None:
    raw = f"one {stop} two".encode()
    for cut in range(len(raw)):
        assert feed([raw[:cut], raw[cut:]], [stop]) == ("one ", True)


def test_the_first_of_several_stop_texts_wins() -> None:
    assert feed([b"say stop or halt"], ["halt", "stop"]) == ("say ", True)


@given(st.text(max_size=40), st.lists(st.text(min_size=1, max_size=4), max_size=3), st.integers(1, 7))
def test_nothing_is_lost_and_nothing_after_a_stop_is_shown(text: str, stop: list[str], size: int) -> None:
    raw = text.encode("utf-8", "ignore")
    clean = raw.decode()
    shown, _ = feed([raw[i : i + size] for i in range(0, len(raw), size)], stop)
    places = [clean.find(s) for s in stop if s in clean]
    assert shown == (clean[: min(places)] if places else clean)


@pytest.fixture(scope="module")
def llm() -> tuple[Any, dict[str, Any]]:
    from backends.providers.llama_cpp.llm import LlamaCppLLM

    found = Catalog().installed("smollm2-135m")
    assert found is not None, "the starter model is missing: run packaging/dev.py"
    return LlamaCppLLM("llama_cpp"), found.credentials | {"n_ctx": "2048"}


@pytest.mark.starter
class TestRealModel:
    def test_a_schema_binds_the_answer(self, llm: tuple[Any, dict[str, Any]]) -> None:
        model, credentials = llm
        schema = {"type": "object", "properties": {"city": {"enum": ["Paris", "Rome"]}}, "required": ["city"]}
        said = [UserPromptMessage(content="Capital of France?")]
        answer = model.invoke(
            "m", credentials, said, {"json_schema": json.dumps(schema), "max_tokens": 30}, stream=False
        )
        assert json.loads(answer.message.text())["city"] in ("Paris", "Rome")

    @pytest.mark.parametrize("schema", ["{", '{"type": "nope"}', '{"$ref": "#/nowhere"}'])
    def test_a_schema_that_cannot_bind_is_refused(self, llm: tuple[Any, dict[str, Any]], schema: str) -> None:
        model, credentials = llm
        with pytest.raises(InvokeBadRequestError):
            model.invoke(
                "m", credentials, [UserPromptMessage(content="x")], {"json_schema": schema}, stream=False
            )

    def test_a_second_turn_computes_only_what_is_new(self, llm: tuple[Any, dict[str, Any]]) -> None:
        model, credentials = llm
        first = [UserPromptMessage(content="Tell me about the sea. " * 20)]
        answer = model.invoke("m", credentials, first, {"max_tokens": 10, "temperature": 0.0}, stream=False)
        second = [
            *first,
            AssistantPromptMessage(content=answer.message.text()),
            UserPromptMessage(content="Why?"),
        ]
        last = list(model.invoke("m", credentials, second, {"max_tokens": 2}))[-1]
        reused = int(last.system_fingerprint.removeprefix("reused="))
        new = last.delta.usage.prompt_tokens - answer.usage.prompt_tokens - answer.usage.completion_tokens
        assert last.delta.usage.prompt_tokens - reused <= new + 16

    def test_a_prefill_is_stopped_and_the_model_works_on(self, llm: tuple[Any, dict[str, Any]]) -> None:
        model, credentials = llm
        flag = threading.Event()
        timer = threading.Timer(0.2, flag.set)
        timer.start()
        long = [UserPromptMessage(content="word " * 1900)]
        with cancellable(flag), pytest.raises(InvokeCancelledError):
            list(model.invoke("m", credentials, long))
        timer.join()
        short = model.invoke(
            "m", credentials, [UserPromptMessage(content="Hi")], {"max_tokens": 3}, stream=False
        )
        assert short.message.text()

    def test_the_same_seed_says_the_same_again(self, llm: tuple[Any, dict[str, Any]]) -> None:
        model, credentials = llm
        said = [UserPromptMessage(content="Tell me a story")]

        def tell(seed: int) -> str:
            free = {"temperature": 1.5, "max_tokens": 12, "seed": seed}
            return model.invoke("m", credentials, said, free, stream=False).message.text()

        assert tell(7) == tell(7)
        assert len({tell(seed) for seed in range(4)}) > 1

    def test_tools_reach_a_model_whose_template_knows_none(self, llm: tuple[Any, dict[str, Any]]) -> None:
        model, credentials = llm
        said = [UserPromptMessage(content="x")]
        tool = PromptMessageTool(name="look_up", description="Looks up.", parameters={"type": "object"})
        bare = model.get_num_tokens("m", credentials, said)
        assert model.get_num_tokens("m", credentials, said, [tool]) > bare + 30

    def test_another_file_under_the_same_name_is_noticed(
        self, llm: tuple[Any, dict[str, Any]], tmp_path: Path
    ) -> None:
        model, credentials = llm
        swapped = tmp_path / "model.gguf"
        swapped.symlink_to(credentials["model_path"])
        here = credentials | {"model_path": str(swapped)}
        said = [UserPromptMessage(content="Hi")]
        assert model.get_num_tokens("m", here, said)
        swapped.unlink()
        swapped.write_bytes(b"\x89PNG of no use")
        with pytest.raises(InvokeBadRequestError, match="not a GGUF"):
            model.get_num_tokens("m", here, said)

    def test_a_conversation_longer_than_the_context_is_told(self, llm: tuple[Any, dict[str, Any]]) -> None:
        model, credentials = llm
        with pytest.raises(InvokeBadRequestError, match="tokens"):
            list(model.invoke("m", credentials, [UserPromptMessage(content="word " * 3000)]))


@pytest.mark.parametrize("content", [b"", b"GGUF", b"GGUF" + bytes(5000), b"\x89PNG"])
def test_a_damaged_file_is_one_sentence(tmp_path: Path, content: bytes) -> None:
    from backends.providers.llama_cpp.llm import LlamaCppLLM

    path = tmp_path / "broken.gguf"
    path.write_bytes(content)
    with pytest.raises(CredentialsValidateFailedError) as caught:
        LlamaCppLLM("llama_cpp").validate_credentials("m", {"model_path": str(path)})
    assert "broken.gguf" in caught.value.text
    assert caught.value.remedy


@pytest.mark.starter
def test_a_truncated_model_is_one_sentence(tmp_path: Path) -> None:
    from backends.providers.llama_cpp.llm import LlamaCppLLM

    found = Catalog().installed("smollm2-135m")
    assert found is not None
    path = tmp_path / "half.gguf"
    with open(found.credentials["model_path"], "rb") as whole:  # noqa: PTH123
        path.write_bytes(whole.read(40_000_000))
    with pytest.raises(CredentialsValidateFailedError, match=r"half\.gguf"):
        LlamaCppLLM("llama_cpp").validate_credentials("m", {"model_path": str(path)})


@pytest.mark.parametrize(
    "wrong",
    [
        {"n_ctx": "-5"},
        {"n_ctx": "900000000"},
        {"n_threads": "0"},
        {"n_gpu_layers": "many"},
        {"flash_attn": "perhaps"},
    ],
)
def test_a_setting_that_makes_no_sense_is_named(wrong: dict[str, str]) -> None:
    with pytest.raises(InvokeBadRequestError, match=next(iter(wrong))) as caught:
        engine_for({"model_path": "x.gguf"} | wrong)
    assert caught.value.remedy


def test_any_other_gguf_has_the_same_rules_as_the_one_described() -> None:
    model = load_providers().model("llama_cpp", ModelType.LLM)
    known, other = model.get_model_schema("smollm2-135m"), model.get_model_schema("mine-7b")
    assert known is not None
    assert other is not None
    assert (other.model, other.fetch_from) == ("mine-7b", "customizable-model")
    assert other.parameter_rules == known.parameter_rules
    with pytest.raises(InvokeBadRequestError, match="temperature"):
        model.invoke("mine-7b", {}, [UserPromptMessage(content="x")], {"temperature": "hot"})


def test_the_defaults_people_read_are_the_ones_in_use() -> None:
    schema = load_providers().model("llama_cpp", ModelType.LLM).get_model_schema("smollm2-135m")
    assert schema is not None
    told = {rule.name: rule.default for rule in schema.parameter_rules if rule.default is not None}
    assert told == DEFAULTS | {"max_tokens": MAX_TOKENS}


def test_the_provider_offers_language_models_and_nothing_else() -> None:
    from backends.providers.llama_cpp import LlamaCppProvider

    assert list(LlamaCppProvider.model_classes(None)) == [ModelType.LLM]  # type: ignore[arg-type]
