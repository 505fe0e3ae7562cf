"""The copilot has the terminal run what a model writes, shows the model what came of it, and
ends.
"""

from __future__ import annotations

import datetime as dt
import json
from typing import TYPE_CHECKING, Any

import numpy as np

from backends.copilot import answer
from backends.copilot.code import ROUNDS
from backends.protocol.events import FunctionCall, MessageChunk
from backends.protocol.parser import parse_request
from backends.query.propose import Ability

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from backends.protocol.events import Event

TOOL = {
    "server_id": "deskpilot",
    "name": "run_code",
    "url": "deskpilot:code",
    "description": "",
    "input_schema": {},
}
QUESTION = "Use Python to add 1 and 2"


class Writing:
    """A model that writes texts one after the other, three letters at a time."""

    def __init__(self, *texts: str) -> None:
        self.texts, self.asked = list(texts), list[list[dict[str, str]]]()

    def speaks(self, model: str | None, language: str) -> bool:
        return True

    def ability(self, model: str | None) -> Ability:
        return Ability(right=0)

    async def learn(self, model: str | None, *, agreed: bool) -> None: ...

    def has_embedder(self) -> bool:
        return False

    async def embed(self, texts: list[str]) -> np.ndarray:
        raise AssertionError(texts)

    async def chat(
        self, messages: list[dict[str, str]], *, model: str | None, parameters: dict[str, Any]
    ) -> AsyncGenerator[str, None]:
        self.asked.append(messages)
        text = self.texts.pop(0)
        for at in range(0, len(text), 3):
            yield text[at : at + 3]


def ran(code: str, told: str, language: str = "python") -> list[dict[str, Any]]:
    """Return a call that was made before, and its result."""
    parameters = {"language": language, "code": code}
    arguments = {"server_id": "deskpilot", "tool_name": "run_code", "parameters": parameters}
    wire = json.dumps({"function": "execute_agent_tool", "input_arguments": arguments})
    result = {"role": "tool", "function": "execute_agent_tool", "input_arguments": arguments}
    return [{"role": "ai", "content": wire}, result | {"data": [{"items": [{"content": told}]}]}]


async def ask(
    model: Writing, *more: dict[str, Any], question: str = QUESTION, tools: Any = (TOOL,)
) -> list[Event]:
    widget = {
        "uuid": "u", "origin": "deskpilot", "widget_id": "u", "name": "US macro", "description": "", "params": [],
        "metadata": {"profile": {"rows": 203, "columns": [{"name": "unemp"}]}},
    }  # fmt: skip
    body = {"messages": [{"role": "human", "content": question}, *more], "tools": list(tools)}
    body["widgets"] = {"primary": [widget], "secondary": [], "extra": []}
    return [e async for e in answer(parse_request(body), model, today=dt.date(2026, 11, 21))]  # type: ignore[arg-type]


def words(events: list[Event]) -> str:
    return "".join(e.delta for e in events if isinstance(e, MessageChunk))


async def test_a_block_becomes_a_call_and_the_model_is_cut_off_behind_it() -> None:
    model = Writing("I add them.\n```python\nprint(1 + 2)\n```\nIt printed 7.")
    events = await ask(model)
    assert words(events) == "I add them.\n"
    (call,) = [e for e in events if isinstance(e, FunctionCall)]
    assert call.arguments["parameters"] == {"language": "python", "code": "print(1 + 2)"}
    system = model.asked[0][0]["content"]
    assert "us_macro (203 rows; unemp)" in system


async def test_it_is_told_what_came_of_it_and_says_so() -> None:
    model = Writing("The sum is 3. The task is done.")
    events = await ask(model, *ran("print(1 + 2)", "The code ran.\nIt printed:\n3"))
    assert words(events) == "The sum is 3. The task is done."
    assert not [e for e in events if isinstance(e, FunctionCall)]
    assert model.asked[0][-2]["content"] == "```python\nprint(1 + 2)\n```"
    assert "It printed:\n3" in model.asked[0][-1]["content"]


async def test_a_later_question_may_be_about_code_that_ran_before() -> None:
    model = Writing("It printed 3.")
    long = "The code ran.\nIt printed:\n" + "3\n" * 2000
    said = {"role": "ai", "content": "It came to 3."}
    later = {"role": "human", "content": "Run code that doubles what it printed."}
    await ask(model, *ran("print(1 + 2)", long), said, later)
    _, first, code, printed, words_of_it, asked = model.asked[0]
    assert first["content"] == QUESTION
    assert code == {"role": "assistant", "content": "```python\nprint(1 + 2)\n```"}
    assert printed["role"] == "user"
    assert printed["content"].startswith("The code ran.\nIt printed:\n3\n")
    assert len(printed["content"]) < 1000
    assert words_of_it == {"role": "assistant", "content": "It came to 3."}
    assert asked["content"] == later["content"]


async def test_roles_take_turns_where_nothing_was_said_of_code() -> None:
    model = Writing("It printed 3.")
    later = {"role": "human", "content": "Run code that doubles what it printed."}
    await ask(model, *ran("print(1 + 2)", "The code ran.\nIt printed:\n3"), later)
    roles = [one["role"] for one in model.asked[0]]
    assert roles == ["system", "user", "assistant", "user"]
    assert model.asked[0][-1]["content"].endswith(later["content"])


async def test_the_same_code_again_and_code_without_end_are_not_run() -> None:
    events = await ask(
        Writing("```python\nprint(1 + 2)\n```"), *ran("print(1 + 2)", "The code ran.")
    )
    assert words(events) == "The same code again would change nothing."
    before = [message for n in range(ROUNDS) for message in ran(f"print({n})", "The code ran.")]
    events = await ask(Writing(), *before)
    assert words(events).startswith(f"I have run code {ROUNDS} times and am stopping here")


async def test_behind_a_closing_phrase_nothing_is_run() -> None:
    events = await ask(Writing("The task is done.\n```python\nprint('example')\n```\n"))
    assert not [e for e in events if isinstance(e, FunctionCall)]
    assert "example" in words(events)


async def test_code_the_person_wrote_runs_as_it_is_without_the_model() -> None:
    question = "Run this:\n```bash\necho hi\n```"
    events = await ask(Writing(), question=question)
    (call,) = [e for e in events if isinstance(e, FunctionCall)]
    assert call.arguments["parameters"] == {"language": "shell", "code": "echo hi"}
    events = await ask(
        Writing(), *ran("echo hi", "The code ran.\nIt printed:\nhi", "shell"), question=question
    )
    assert words(events) == "The code ran."


async def test_where_the_terminal_runs_no_code_words_are_all_there_is() -> None:
    model = Writing("```python\nprint(3)\n```")
    events = await ask(
        model, tools=[], question="Use Python to greet me, please: ```python\nprint(3)\n```"
    )
    assert not [
        e for e in events if isinstance(e, FunctionCall) and e.function == "execute_agent_tool"
    ]


async def test_text_about_code_is_no_code() -> None:
    events = await ask(
        Writing("Like so:\n```python\n[x for x in y]\n```\n"),
        question="What is a list comprehension in Python?",
        tools=[TOOL],
    )
    assert not [
        e
        for e in events
        if isinstance(e, FunctionCall) and e.arguments.get("tool_name") == "run_code"
    ]
