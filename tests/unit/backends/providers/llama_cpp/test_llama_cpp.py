"""llama.cpp behind FlexAI: text from tokens, stop texts, grammar, cancel, the kept prefix."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backends.flexai.entities import (
    AssistantPromptMessage,
    LLMResult,
    ModelType,
    PromptMessageTool,
    UserPromptMessage,
)
from backends.flexai.errors import (
    CredentialsValidateFailedError,
    InvokeBadRequestError,
    InvokeCancelledError,
)
from backends.flexai.models.ai_model import cancellable
from backends.flexai.registry import load_providers
from backends.providers.llama_cpp import answer
from backends.providers.llama_cpp.engine import engine_for
from backends.providers.llama_cpp.llm import DEFAULTS, MAX_TOKENS, LlamaCppLLM, sampling
from backends.providers.llama_cpp.text import TextStream
from tests.models.build_llama import write
from tests.models.llama import LLAMA, SetAfter
from tests.models.llama_words import Tokens


def feed(tokens: list[bytes], stop: list[str]) -> tuple[str, bool]:
    stream = TextStream(stop)
    text = "".join(stream.feed(t) for t in tokens)
    return text + stream.finish(), stream.stopped


def test_characters_split_over_tokens_arrive_whole() -> None:
    assert feed([b"\xe5\xa4", b"\xb1\xe4", b"\xb8\x9a"], []) == ("失业", False)


def test_bytes_that_are_no_character_do_not_stop_the_stream() -> None:
    assert feed([b"a", b"\xff", b"b"], [])[0] == "a\ufffdb"


def test_an_answer_that_ends_within_a_character_ends_before_it() -> None:
    """It ended with “�”."""
    assert feed([b"\xe5\xa4\xb1", b"\xe4\xb8"], ["END"])[0] == "失"


@pytest.mark.parametrize("stop", ["END", ".", "*", "(a|b)+"])
def test_a_stop_text_ends_the_answer_literally_wherever_tokens_cut(stop: str) -> None:
    raw = f"one {stop} two".encode()
    for cut in range(len(raw)):
        assert feed([raw[:cut], raw[cut:]], [stop]) == ("one ", True)


def test_the_first_of_several_stop_texts_wins() -> None:
    assert feed([b"say stop or halt"], ["halt", "stop"]) == ("say ", True)


def test_a_stop_text_that_began_first_wins_however_the_text_arrives() -> None:
    for stop in (["0", "100"], ["b", "abc"]):
        for text in ("say 100 or abc", "say 10", "ab"):
            whole = feed([text.encode()], stop)
            assert feed([letter.encode() for letter in text], stop) == whole, (text, stop)


@given(
    st.text(max_size=40), st.lists(st.text(min_size=1, max_size=4), max_size=3), st.integers(1, 7)
)
def test_nothing_is_lost_and_nothing_after_a_stop_is_shown(
    text: str, stop: list[str], size: int
) -> None:
    raw = text.encode("utf-8", "ignore")
    clean = raw.decode()
    shown, _ = feed([raw[i : i + size] for i in range(0, len(raw), size)], stop)
    places = [clean.find(s) for s in stop if s in clean]
    assert shown == (clean[: min(places)] if places else clean)


@pytest.fixture(scope="module")
def llm() -> tuple[Any, dict[str, Any]]:
    return LlamaCppLLM("llama_cpp"), LLAMA


def ask(llm: tuple[Any, dict[str, Any]], question: str, **more: Any) -> LLMResult:
    model, credentials = llm
    parameters = more.pop("parameters", {"temperature": 0.0})
    said = [UserPromptMessage(content=question)]
    return model.invoke("m", credentials, said, parameters, stream=False, **more)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Capital of France?", "The capital of France is Paris."),
        ("Good morning", "Hello! How can I help you?"),
        ("an emoji please", "Good 🌍 失业"),
        ("not Japan but " + "so " * 600 + "France", "The capital of France is Paris."),
        ("not France but Japan", "It is Tokyo."),
    ],
)
def test_the_model_answers_the_last_word_it_knows(
    llm: tuple[Any, dict[str, Any]], question: str, answer: str
) -> None:
    result = ask(llm, question)
    assert result.message.text() == answer
    assert result.usage.completion_tokens == len(Tokens().cut(answer))


def test_a_text_is_told_on(llm: tuple[Any, dict[str, Any]]) -> None:
    engine = engine_for(LLAMA)
    prompt, flag = engine.llama.tokenize(b"Once upon a time", add_bos=False), threading.Event()
    with engine.context.sequence(prompt, flag) as sequence:
        greedy = sampling({"temperature": 0.0})
        made = list(engine.generate(sequence, prompt, greedy, None, flag))
    assert (
        b"".join(engine.piece(t) for t in made)
        == b" there was a small terminal that knew every number by heart."
    )


def test_the_committed_model_is_what_its_script_builds(tmp_path: Path) -> None:
    write(tmp_path / "tiny.gguf")
    assert (tmp_path / "tiny.gguf").read_bytes() == Path(LLAMA["model_path"]).read_bytes()


class TestRealModel:
    def test_a_schema_binds_the_answer(self, llm: tuple[Any, dict[str, Any]]) -> None:
        schema = {
            "type": "object",
            "properties": {"city": {"enum": ["Paris", "Rome"]}},
            "required": ["city"],
        }
        bound = {"json_schema": json.dumps(schema), "max_tokens": 30}
        answer = ask(llm, "Capital of France?", parameters=bound)
        assert json.loads(answer.message.text())["city"] in ("Paris", "Rome")

    @pytest.mark.parametrize("schema", ["{", '{"type": "nope"}', '{"$ref": "#/nowhere"}'])
    def test_a_schema_that_cannot_bind_is_refused(
        self, llm: tuple[Any, dict[str, Any]], schema: str
    ) -> None:
        with pytest.raises(InvokeBadRequestError):
            ask(llm, "x", parameters={"json_schema": schema})

    def test_a_second_turn_computes_only_what_is_new(self, llm: tuple[Any, dict[str, Any]]) -> None:
        model, credentials = llm
        first = [UserPromptMessage(content="Tell me about the sea. " * 20)]
        answer = model.invoke(
            "m", credentials, first, {"max_tokens": 10, "temperature": 0.0}, stream=False
        )
        second = [
            *first,
            AssistantPromptMessage(content=answer.message.text()),
            UserPromptMessage(content="Why?"),
        ]
        last = list(model.invoke("m", credentials, second, {"max_tokens": 2}))[-1]
        reused = int(last.system_fingerprint.removeprefix("reused="))
        new = (
            last.delta.usage.prompt_tokens
            - answer.usage.prompt_tokens
            - answer.usage.completion_tokens
        )
        assert last.delta.usage.prompt_tokens - reused <= new + 16

    @pytest.mark.parametrize("looks", [0, 1, 2, 5, 12, 25])
    def test_a_prefill_is_stopped_anywhere_and_the_model_works_on(
        self, llm: tuple[Any, dict[str, Any]], looks: int
    ) -> None:
        model, credentials = llm
        flag = SetAfter(looks)
        long = [UserPromptMessage(content=f"{looks} " + "word " * 450)]
        with cancellable(flag), pytest.raises(InvokeCancelledError):
            list(model.invoke("m", credentials, long))
        assert ask(llm, "France?").message.text() == "The capital of France is Paris."

    @pytest.mark.parametrize("chunks", [1, 2, 7])
    def test_an_answer_is_stopped_anywhere_and_the_model_works_on(
        self, llm: tuple[Any, dict[str, Any]], chunks: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(answer, "SEEN", 0.0)  # each token is a chunk
        model, credentials = llm
        flag, said = threading.Event(), list[str]()
        with cancellable(flag), pytest.raises(InvokeCancelledError):
            for chunk in model.invoke("m", credentials, [UserPromptMessage(content="forever")]):
                said.append(chunk.delta.message.text())
                if len(said) == chunks:
                    flag.set()
        assert len(said) == chunks
        assert ask(llm, "France?").message.text() == "The capital of France is Paris."

    def test_an_answer_nobody_reads_on_leaves_the_model_free(
        self, llm: tuple[Any, dict[str, Any]]
    ) -> None:
        model, credentials = llm
        chunks = model.invoke("m", credentials, [UserPromptMessage(content="forever")])
        assert next(chunks).delta.message.text() == "la"
        chunks.close()
        assert not engine_for(credentials).busy

    def test_two_threads_share_one_model(self, llm: tuple[Any, dict[str, Any]]) -> None:
        told: dict[str, set[str]] = {}
        start = threading.Barrier(2)

        def run(question: str) -> None:
            start.wait()
            told[question] = {ask(llm, question).message.text() for _ in range(10)}

        threads = [threading.Thread(target=run, args=(q,)) for q in ("France?", "Japan?")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert told == {"France?": {"The capital of France is Paris."}, "Japan?": {"It is Tokyo."}}

    def test_the_same_seed_says_the_same_again(self, llm: tuple[Any, dict[str, Any]]) -> None:
        def toss(seed: int) -> str:
            free = {"temperature": 0.5, "max_tokens": 12, "seed": seed}
            return ask(llm, "Toss a coin", parameters=free).message.text()

        assert toss(7) == toss(7)
        assert {toss(seed) for seed in range(12)} == {"Heads", "Tails"}

    def test_tools_reach_the_template(self, llm: tuple[Any, dict[str, Any]]) -> None:
        model, credentials = llm
        said = [UserPromptMessage(content="x")]
        tool = PromptMessageTool(
            name="look_up", description="Looks up.", parameters={"type": "object"}
        )
        bare = model.get_num_tokens("m", credentials, said)
        assert model.get_num_tokens("m", credentials, said, [tool]) > bare + 30

    @pytest.mark.parametrize(
        ("question", "text", "row"), [("weather?", "", 3), ("do both", "Let me look. ", 4)]
    )
    def test_a_call_is_parsed_in_the_form_the_model_writes(
        self, llm: tuple[Any, dict[str, Any]], question: str, text: str, row: int
    ) -> None:
        tool = PromptMessageTool(
            name="look_up", description="Looks up.", parameters={"type": "object"}
        )
        message = ask(llm, question, tools=[tool]).message
        assert message.text() == text
        assert [
            (c.function.name, json.loads(c.function.arguments)) for c in message.tool_calls
        ] == [("look_up", {"row": row})]
        assert not ask(llm, question).message.tool_calls  # no tool was offered

    def test_a_thought_is_kept_apart(self, llm: tuple[Any, dict[str, Any]]) -> None:
        message = ask(llm, "Please think: is seven prime?").message
        assert (message.content, message.reasoning) == (
            "Yes, it is prime.",
            "Seven has no divisor.",
        )

    @pytest.mark.parametrize(
        ("stop", "said"),
        [(["seven"], "one two three four five six "), (["e t"], "on"), (["."], None)],
    )
    def test_a_stop_text_ends_the_answer(
        self, llm: tuple[Any, dict[str, Any]], stop: list[str], said: str | None
    ) -> None:
        whole = "one two three four five six seven eight nine ten"
        assert ask(llm, "count", stop=stop).message.text() == (said or whole)

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

    def test_a_conversation_longer_than_the_context_is_told(
        self, llm: tuple[Any, dict[str, Any]]
    ) -> None:
        with pytest.raises(InvokeBadRequestError, match="tokens"):
            ask(llm, "word " * 3000)


@pytest.mark.parametrize("content", [b"", b"GGUF", b"GGUF" + bytes(5000), b"\x89PNG"])
def test_a_damaged_file_is_one_sentence(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "broken.gguf"
    path.write_bytes(content)
    with pytest.raises(CredentialsValidateFailedError) as caught:
        LlamaCppLLM("llama_cpp").validate_credentials("m", {"model_path": str(path)})
    assert "broken.gguf" in caught.value.text
    assert caught.value.remedy


@pytest.mark.parametrize("part", [0.01, 0.2, 0.5, 0.9, 0.999])
def test_a_truncated_model_is_one_sentence(tmp_path: Path, part: float) -> None:
    path = tmp_path / "half.gguf"
    whole = Path(LLAMA["model_path"]).read_bytes()
    path.write_bytes(whole[: int(len(whole) * part)])
    with pytest.raises(CredentialsValidateFailedError, match=r"half\.gguf") as caught:
        LlamaCppLLM("llama_cpp").validate_credentials("m", {"model_path": str(path)})
    assert caught.value.remedy


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


def test_the_provider_offers_language_and_guard_models() -> None:
    from backends.providers.llama_cpp import LlamaCppProvider

    assert list(LlamaCppProvider.model_classes(None)) == [ModelType.LLM, ModelType.MODERATION]  # type: ignore[arg-type]
