"""Several conversations in one context of llama.cpp: each says what it says alone."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any

import pytest

from backends.flexai.entities import (
    AssistantPromptMessage,
    ImagePromptMessageContent,
    LLMResult,
    PromptMessageTool,
    SystemPromptMessage,
    TextPromptMessageContent,
    UserPromptMessage,
)
from backends.flexai.errors import InvokeCancelledError, InvokeServerUnavailableError
from backends.flexai.models.ai_model import cancellable
from backends.providers.llama_cpp.engine import engine_for
from backends.providers.llama_cpp.llm import LlamaCppLLM, sampling
from tests.models.llama import SEEING, SetAfter, picture

MODEL = LlamaCppLLM("llama_cpp")
FOUR = SEEING | {"n_parallel": "4"}
PARIS = "The capital of France is Paris."
SCHEMA = {
    "type": "object",
    "properties": {"city": {"enum": ["Paris", "Rome"]}},
    "required": ["city"],
}
TOOL = PromptMessageTool(name="look_up", description="Looks up.", parameters={"type": "object"})
SEEN = UserPromptMessage(
    content=[
        ImagePromptMessageContent(data=picture("red")),
        TextPromptMessageContent(data="What do you see?"),
    ]
)
CALLS: dict[str, dict[str, Any]] = {
    "words": {"prompt_messages": [UserPromptMessage(content="France?")]},
    "long": {"prompt_messages": [UserPromptMessage(content="so " * 700 + "count")]},
    "thought": {"prompt_messages": [UserPromptMessage(content="Please think: is seven prime?")]},
    "picture": {"prompt_messages": [SEEN]},
    "call": {"prompt_messages": [UserPromptMessage(content="weather?")], "tools": [TOOL]},
    "schema": {
        "prompt_messages": [UserPromptMessage(content="Capital of France?")],
        "model_parameters": {"json_schema": json.dumps(SCHEMA), "temperature": 0.0},
    },
    "stop": {"prompt_messages": [UserPromptMessage(content="count")], "stop": ["seven"]},
    "seed": {
        "prompt_messages": [UserPromptMessage(content="Toss a coin")],
        "model_parameters": {"temperature": 0.5, "max_tokens": 12, "seed": 7},
    },
}


def ask(credentials: dict[str, Any] = FOUR, **arguments: Any) -> LLMResult:
    arguments = {"model_parameters": {"temperature": 0.0}} | arguments
    return MODEL.invoke("m", credentials, stream=False, **arguments)  # type: ignore[return-value]


def told(result: LLMResult) -> tuple[Any, ...]:
    calls = [(c.function.name, c.function.arguments) for c in result.message.tool_calls]
    return result.message.text(), result.message.reasoning, calls, result.usage.completion_tokens


def reused(messages: list[Any], credentials: dict[str, Any] = FOUR) -> tuple[int, int, str]:
    """Return how many tokens of a prompt were kept, how many it has, and the answer."""
    chunks = list(MODEL.invoke("m", credentials, messages, {"temperature": 0.0, "max_tokens": 12}))
    last = chunks[-1]
    text = "".join(chunk.delta.message.text() for chunk in chunks)  # type: ignore[union-attr]
    kept = int(last.system_fingerprint.removeprefix("reused="))  # type: ignore[union-attr]
    return kept, last.delta.usage.prompt_tokens, text  # type: ignore[union-attr]


@pytest.fixture(autouse=True)
def _nothing_kept() -> None:
    engine_for(FOUR).context.forget()


def test_eight_callers_on_four_sequences_get_what_each_gets_alone() -> None:
    alone = {name: told(ask(**call)) for name, call in CALLS.items()}
    for _ in range(3):
        start = threading.Barrier(len(CALLS))

        def run(name: str, start: threading.Barrier = start) -> tuple[Any, ...]:
            start.wait()
            return told(ask(**CALLS[name]))

        with ThreadPoolExecutor(len(CALLS)) as pool:
            together = dict(zip(CALLS, pool.map(run, CALLS), strict=True))
        assert together == alone


def test_answers_are_written_in_the_same_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    context, sizes = engine_for(FOUR).context, list[int]()
    decode = context._context.decode

    def counted(batch: Any) -> None:
        sizes.append(batch.n_tokens())
        decode(batch)

    monkeypatch.setattr(context._context, "decode", counted)
    start = threading.Barrier(4)

    def run(_: int) -> None:
        start.wait()
        free = {"temperature": 0.0, "max_tokens": 200}
        ask(prompt_messages=[UserPromptMessage(content="forever")], model_parameters=free)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(run, range(4)))
    assert len(sizes) < 700  # 800 tokens: alone each step makes one
    assert 4 in sizes[10:]


def test_conversations_that_alternate_each_keep_their_prefix() -> None:
    talks: list[list[Any]] = [
        [UserPromptMessage(content=f"{name} " + "rivers and hills " * 30)] for name in "abcd"
    ]
    for turn in range(3):
        for talk in talks:
            kept, whole, text = reused(talk)
            if turn:
                assert whole - kept <= 40
            talk += [
                AssistantPromptMessage(content=text),
                UserPromptMessage(content=f"And {turn}?"),
            ]


def test_a_new_conversation_begins_with_instructions_another_one_has_read() -> None:
    rules = SystemPromptMessage(content="Be brief and friendly to everyone. " * 20)
    france = UserPromptMessage(content="so " * 30 + "France?")
    first, _, _ = reused([rules, france])
    second, _, _ = reused([rules, UserPromptMessage(content="and Japan, where you count " * 9)])
    assert first == 0
    assert second > 100
    kept, whole, text = reused([rules, france])
    assert (whole - kept, text) == (1, PARIS)  # the first conversation is still there


def test_a_stop_ends_one_answer_and_no_other() -> None:
    flag, said = threading.Event(), dict[str, Any]()
    forever = [UserPromptMessage(content="forever")]
    begun = threading.Barrier(3)

    def stopped() -> None:
        with cancellable(flag), pytest.raises(InvokeCancelledError):
            for at, _ in enumerate(MODEL.invoke("m", FOUR, forever)):
                if at == 0:
                    begun.wait()
                    flag.set()

    def other(name: str) -> None:
        free = {"temperature": 0.0, "max_tokens": 300}
        chunks = MODEL.invoke("m", FOUR, [UserPromptMessage(content="forever")], free)
        text = next(chunks).delta.message.text()  # type: ignore[union-attr, arg-type]
        begun.wait()
        said[name] = text + "".join(c.delta.message.text() for c in chunks)  # type: ignore[union-attr]

    threads = [threading.Thread(target=stopped)]
    threads += [threading.Thread(target=other, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert said["a"] == said["b"]
    assert len(said["a"].split()) > 200
    assert not engine_for(FOUR).busy


def test_a_stop_in_a_prompt_keeps_the_prompts_beside_it_whole() -> None:
    call = CALLS["long"]
    alone = told(ask(**call))
    engine_for(FOUR).context.forget()
    for looks in (0, 3, 12, 25, 60):
        flag = SetAfter(looks)

        def stopped(flag: threading.Event = flag, looks: int = looks) -> None:
            long = [UserPromptMessage(content=f"{looks} " + "word " * 400)]
            with cancellable(flag), pytest.raises(InvokeCancelledError):
                list(MODEL.invoke("m", FOUR, long, {"max_tokens": 400}))

        with ThreadPoolExecutor(2) as pool:
            first, second = pool.submit(stopped), pool.submit(lambda: told(ask(**call)))
            first.result()
            assert second.result() == alone


def test_who_waits_for_a_sequence_can_be_stopped() -> None:
    one = SEEING | {"n_parallel": "2", "n_ctx": "1024"}
    engine, flag = engine_for(one), threading.Event()
    with (
        engine.context.sequence([1], flag),
        engine.context.sequence([2], flag),
        ThreadPoolExecutor(1) as pool,
    ):
        waiting = threading.Event()

        def wait() -> None:
            with cancellable(waiting), pytest.raises(InvokeCancelledError):
                ask(one, prompt_messages=[UserPromptMessage(content="France?")])

        waiter = pool.submit(wait)
        waiting.set()
        waiter.result(timeout=10)
    assert told(ask(one, prompt_messages=[UserPromptMessage(content="France?")]))[0] == PARIS


def test_a_step_that_fails_ends_its_answers_in_words_and_the_next_ones_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    context = engine_for(FOUR).context

    def fails(_: Any) -> None:
        raise RuntimeError("llama_decode returned -3")

    with monkeypatch.context() as patch:
        patch.setattr(context._context, "decode", fails)
        with pytest.raises(InvokeServerUnavailableError, match="-3") as caught:
            ask(**CALLS["words"])
        assert caught.value.remedy
    assert told(ask(**CALLS["words"]))[0] == PARIS


def test_an_answer_ends_where_its_context_is_full_and_another_goes_on() -> None:
    small = SEEING | {"n_parallel": "2", "n_ctx": "256"}
    engine, flag = engine_for(small), threading.Event()
    prompt = engine.render([{"role": "user", "content": "forever"}], None)
    with (
        engine.context.sequence(prompt, flag) as sequence,
        closing(engine.generate(sequence, prompt, sampling({"temperature": 0.0}), None, flag)) as t,
    ):
        assert len(list(t)) == engine.context_size - len(prompt) + 1
    assert engine.context_size == 256
    assert told(ask(small, prompt_messages=[UserPromptMessage(content="France?")]))[0] == PARIS
