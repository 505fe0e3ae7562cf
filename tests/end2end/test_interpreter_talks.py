"""Conversations as Open Interpreter's own tests and guides have them, from `Interpreter` through
terminal, service and copilot to a model that follows a script, and back.
"""

from __future__ import annotations

import json
import re
import time
from typing import TYPE_CHECKING, Any

import pytest

from app import Interpreter
from app.domain.code import REFUSED
from tests.end2end.scripted_model import Messages, ScriptedModel, said_last, scripted

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.slow

CODE = {
    "Use Python": "38023*40334",
    "34/24": "34/24",
    "pause": "import time\nprint('first')\ntime.sleep(0.8)\nprint('second')",
    "Washington": "with open('file.txt', 'w') as f:\n    n = f.write('Washington')",
    "Read file.txt": "print(open('file.txt').read())",
    "long": "import time\nfor n in range(50):\n    print('step', n, flush=True)\n"
    "    print(n, file=open('n.txt', 'a'), flush=True)\n    time.sleep(0.2)",
}
MARKDOWN = "# A heading\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> quoted, **bold**\n\n- one\n- two"
NESTED = (
    "for i in range(2):\n\n    for j in range(2):\n\n\n        print(i, j)",
    "for i in 1 2; do for j in a b; do echo $i$j; done; done",
)


def script(messages: Messages) -> str:
    """Answer as an able model does."""
    said, all_of_it = said_last(messages), json.dumps(messages)
    if said.startswith("The code was not run"):
        return "I did not run it."
    if (printed := re.search(r"It printed:\n(.*?)\n\n", said, re.DOTALL)) is not None:
        if "Nested" in all_of_it and "```shell" not in all_of_it:
            return f"```shell\n{NESTED[1]}\n```"
        return f"It came to {printed[1].strip()}."
    if said.startswith("The code "):
        return "Done."
    if "Nested" in said:
        return f"```python\n{NESTED[0]}\n```"
    if (found := next((code for word, code in CODE.items() if word in said), None)) is not None:
        return f"```python\n{found}\n```"
    if "markdown" in said:
        return MARKDOWN
    if "Who am I" in said or "the word" in said:
        known = re.findall(r"(?:My name is|The word is) (\w+)", all_of_it)
        return f"It is {known[-1]}." if known else "I do not know."
    if "file exist" in said:
        return "No." if "/nowhere/image.png" in said else "Which file?"
    return "Hello, World!" if "Hello" in said else f"You said: {said[:30]}"


@pytest.fixture(scope="module")
def model() -> Iterator[ScriptedModel]:
    with scripted(script) as made:
        yield made


@pytest.fixture(scope="module")
def lasting(
    model: ScriptedModel, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Interpreter]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DESKPILOT_HOME", str(tmp_path_factory.mktemp("home")))
        with named(model) as agent:
            agent.chat("What's 34/24?")  # service and Python run from here on
            yield agent


@pytest.fixture
def agent(lasting: Interpreter) -> Interpreter:
    lasting.messages, lasting.approve = [], lambda *_: True
    return lasting


def named(model: ScriptedModel) -> Interpreter:
    agent = Interpreter(approve=lambda *_: True)
    agent.llm.model, agent.llm.api_base, agent.llm.api_key = "scripted", model.url, "k"
    return agent


def kinds(messages: list[dict[str, Any]]) -> list[tuple[str, str, Any]]:
    return [(m["role"], m["type"], m["content"]) for m in messages]


def test_words_are_answered_in_words(agent: Interpreter) -> None:
    assert agent.chat("Reply with just: Hello, World!") == [
        {"role": "assistant", "type": "message", "content": "Hello, World!"}
    ]


@pytest.mark.parametrize(
    ("question", "code", "value"),
    [
        ("What's 38023*40334? Use Python. No plan, just the code, then the answer.", "Use Python", "1533619682"),
        ("What's 34/24?", "34/24", "1.4166666666666667"),
    ],
)  # fmt: skip
def test_a_stream_has_each_flag_once_and_tells_the_lines_that_run(
    agent: Interpreter, question: str, code: str, value: str
) -> None:
    chunks = list(agent.chat(question, stream=True))
    for flag in ("start", "end"):
        for base in (
            {"role": "assistant", "type": "code", "format": "python"},
            {"role": "computer", "type": "console"},
            {"role": "assistant", "type": "message"},
        ):
            assert chunks.count(base | {flag: True}) == 1
    confirmation = {"type": "code", "format": "python", "content": CODE[code]}
    assert {
        "role": "computer", "type": "confirmation", "format": "execution", "content": confirmation,
    } in chunks  # fmt: skip
    lines = [c["content"] for c in chunks if c.get("format") == "active_line"]
    assert lines[-1] is None
    assert lines[0] == "1"
    assert all("content" in c or c.get("start") or c.get("end") for c in chunks)
    assert kinds(agent.messages)[1:] == [
        ("assistant", "code", CODE[code]),
        ("computer", "console", f"{value}\n"),
        ("assistant", "message", f"It came to {value}."),
    ]


def test_code_that_waits_prints_as_it_goes(agent: Interpreter) -> None:
    seen: list[tuple[float, str]] = []
    for chunk in agent.chat("One block that prints, makes a pause, and prints.", stream=True):
        if chunk.get("format") == "output":
            seen.append((time.monotonic(), chunk["content"]))
    (begun, _), *_, (ended, last) = seen
    assert "second" in last
    assert ended - begun >= 0.4


def test_a_task_may_take_blocks_of_several_languages(agent: Interpreter) -> None:
    made = agent.chat("Nested loops in python and in shell: run both.")
    assert [(m["type"], m.get("format")) for m in made] == [
        ("code", "python"), ("console", "output"), ("code", "shell"), ("console", "output"),
        ("message", None),
    ]  # fmt: skip
    assert made[1]["content"] == "0 0\n0 1\n1 0\n1 1\n"
    assert made[3]["content"] == "1a\n1b\n2a\n2b\n"


def test_a_file_that_was_written_is_read_in_a_new_conversation(agent: Interpreter) -> None:
    agent.chat("Write the word Washington to a .txt file called file.txt. Run it now, and save!")
    agent.messages = []
    made = agent.chat("Read file.txt in the current directory and tell me what's in it.")
    assert made[-1]["content"] == "It came to Washington."
    assert agent.folder is not None
    assert (agent.folder / "file.txt").read_text() == "Washington"


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("10+12executeexecute\n", "22"),
        ('{   \n "language": "python",   \n "code": "10+12"   \n}', "22"),
        ('functions.execute({   \n "language": "python", \n "code": "10+12" \n})', "22"),
        ('{language: "python", code: "print(\'hello\')" }', "hello"),
        ("print({'code': 1})", "{'code': 1}"),
    ],
)
def test_code_at_the_end_of_a_list_runs_without_what_models_put_around_it(
    agent: Interpreter, code: str, value: str
) -> None:
    asked: list[str] = []
    agent.approve = lambda _, code: asked.append(code) is None
    made = agent.chat([{"role": "assistant", "type": "code", "format": "python", "content": code}])
    assert kinds(made)[0] == ("computer", "console", f"{value}\n")
    assert "execute" not in asked[0]  # what is asked about is what runs


def test_leaving_the_stream_ends_the_code(agent: Interpreter) -> None:
    stream = agent.chat("Something long, please.", stream=True)
    for chunk in stream:
        if "step 2" in str(chunk.get("content")) and chunk.get("format") == "output":
            break
    stream.close()
    assert agent.chat("Read file.txt")  # waits until what was stopped has ended
    assert agent.folder is not None
    assert 3 <= len((agent.folder / "n.txt").read_text().splitlines()) < 50
    assert "step 2" in next(m["content"] for m in agent.messages if m["type"] == "console")


def test_a_file_that_is_named_beside_a_question_reaches_the_model(agent: Interpreter) -> None:
    told = [
        {"role": "user", "type": "message", "content": "Does this file exist?"},
        {"role": "user", "type": "file", "format": "path", "content": "/nowhere/image.png"},
    ]
    assert kinds(agent.chat(told)) == [("assistant", "message", "No.")]


def test_a_list_of_messages_is_a_conversation_that_goes_on(agent: Interpreter) -> None:
    for word in ("crunk", "barloney"):
        told = [
            {"role": "user", "type": "message", "content": f"The word is {word}."},
            {"role": "assistant", "type": "message", "content": "Understood."},
            {"role": "user", "type": "message", "content": "What is the word?"},
        ]
        assert agent.chat(told)[-1]["content"] == f"It is {word}."


def test_code_that_nobody_allows_waits_at_the_end_and_goes_on_once_somebody_does(
    agent: Interpreter,
) -> None:
    agent.approve = None
    made = agent.chat("What's 38023*40334? Use Python.")
    assert made[-1]["type"] == "code"
    assert "1533619682" not in str(made)
    agent.approve = lambda *_: False
    denied = agent.chat(list(agent.messages))
    assert kinds(denied) == [
        ("computer", "console", REFUSED),
        ("assistant", "message", "I did not run it."),
    ]
    agent.messages = agent.messages[: -len(denied)]
    agent.approve = lambda *_: True
    assert agent.chat(list(agent.messages))[-1]["content"] == "It came to 1533619682."


def test_a_chat_is_forgotten_when_it_is_reset_and_known_when_it_is_restored(
    model: ScriptedModel,
) -> None:
    with named(model) as agent:
        agent.chat("My name is Killian.")
        kept = list(agent.messages)
        agent.reset()
        assert agent.messages == []
        assert agent.chat("Who am I?")[-1]["content"] == "I do not know."
        agent.messages = kept
        assert agent.chat("Who am I?")[-1]["content"] == "It is Killian."


def test_markdown_arrives_as_it_was_written(agent: Interpreter) -> None:
    assert agent.chat("Try some markdown, raw.")[-1]["content"] == MARKDOWN


def test_a_question_longer_than_the_window_of_a_model_is_sent_with_fewer_tokens_to_answer(
    agent: Interpreter,
) -> None:
    agent.llm.context_window = 300
    try:
        assert agent.chat("ALKI" * 20_000 + " Hello?")[-1]["content"] == "Hello, World!"
    finally:
        agent.llm.context_window = None


def test_two_of_them_talk_with_each_other(agent: Interpreter) -> None:
    told: list[dict[str, Any]] = [{"role": "user", "type": "message", "content": "Hi there"}]
    for _ in range(3):
        told = [m | {"role": "user"} for m in agent.chat(told)]
    assert told[0]["content"] == "You said: You said: You said: Hi there"
