"""Code is found in what models write, in every shape they write it in; words about code are
words.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backends.copilot.code import (
    SCHEMA,
    CodeBlock,
    find,
    settled,
    wants_code,
)
from backends.query.propose import Ability
from tests.unembedded import Unembedded

CALL = '{"name": "execute", "arguments": {"language": "python", "code": "print(1)"}}'
SHAPES = [
    ("Sure:\n```python\nprint(1)\n```\nDone.", CodeBlock("python", "print(1)", "Sure:\n")),
    ("```\nprint(1)\n```", CodeBlock("python", "print(1)", "")),
    ("```bash\nls -l\n```", CodeBlock("shell", "ls -l", "")),
    ("~~~js\nconsole.log(1)\n~~~", CodeBlock("javascript", "console.log(1)", "")),
    ("````python\ns = '''\n```\n'''\n````", CodeBlock("python", "s = '''\n```\n'''", "")),
    ("```python\ns = '''\n```\n'''\nprint(s)\n```", CodeBlock("python", "s = '''\n```\n'''\nprint(s)", "")),
    ("  ```Python\nx = 1\n  ```", CodeBlock("python", "x = 1", "")),
    ("```python print(1)```", CodeBlock("python", "print(1)", "")),
    ("```python\nprint('never closed')", CodeBlock("python", "print('never closed')", "")),
    ("```text\nno code\n```\n```sh\nls\n```", CodeBlock("shell", "ls", "```text\nno code\n```\n")),
    ("```r\nprint(rownames(r))\n```\n```python\npython = 'python'\n```", CodeBlock("r", "print(rownames(r))", "")),
    (CALL, CodeBlock("python", "print(1)", "")),
    (f"I will run it.\n{CALL}", CodeBlock("python", "print(1)", "I will run it.\n")),
    ('{"language": "shell", "code": "ls"}', CodeBlock("shell", "ls", "")),
    ('{language: "shell", code: "ls"}', CodeBlock("shell", "ls", "")),
    ('functions.execute({"language": "python", "code": "print(1)"})', CodeBlock("python", "print(1)", "")),
    ('`\n{"language": "python", "code": "a = {1: 2}\\nprint(a)"}executeexecute', CodeBlock("python", "a = {1: 2}\nprint(a)", "")),
    (f"<tool_call>\n{CALL}\n</tool_call>", CodeBlock("python", "print(1)", "")),
    ('{"name": "python", "arguments": {"code": "print(1)"}}', CodeBlock("python", "print(1)", "")),
    ('{"function": {"name": "run_code", "arguments": "{\\"code\\": \\"print(1)\\"}"}}', CodeBlock("python", "print(1)", "")),
]  # fmt: skip
NO_CODE = [
    "Use `print` to print.",
    "A list comprehension is written [x for x in y].",
    "```text\nplain\n```",
    '```json\n{"a": 1}\n```',
    '```\n{"a": 1}\n```',
    '{"name": "weather", "arguments": {"city": "Paris"}}',
    '{"a": "functions.run( is a name"}',
    "The task is done.",
    "",
]


@pytest.mark.parametrize(("text", "block"), SHAPES, ids=range(len(SHAPES)))
def test_code_is_found_in_every_shape(text: str, block: CodeBlock) -> None:
    found = find(text, ended=True)
    assert found is not None
    assert (found.language, found.code) == (block.language, block.code)
    assert found.before.strip("` \n") == block.before.strip("` \n")


@pytest.mark.parametrize("text", NO_CODE)
def test_words_are_words(text: str) -> None:
    assert find(text, ended=True) is None


@given(st.sampled_from([text for text, _ in SHAPES]), st.integers(0, 400))
def test_what_is_told_while_it_comes_is_never_code(text: str, cut: int) -> None:
    whole = find(text, ended=True)
    assert whole is not None
    begun = settled(text[:cut])
    assert text.startswith(begun)
    assert len(begun) <= len(whole.before) or not whole.before.strip()
    early = find(text[:cut], ended=False)
    assert early is None or whole.code.startswith(early.code)


@pytest.mark.parametrize(
    "question",
    [
        "Use Python to count the primes below 100",
        "Plot unemployment over time with matplotlib",
        "Run this: ```python\nprint(1)\n```",
        "Execute a shell command that lists the files here",
        "Please run the following code\n```js\n1\n```",
        "```python\nprint(6*7)\n```\nRun this.",
        "Write and run a script that renames my files",
        "Compute the correlation in pandas",
        "What's 38023*40334? Use Python",
        "Write the word 'Washington' to a .txt file called file.txt",
        "用 Python 画出失业率",
    ],
)
async def test_this_is_to_be_done_with_code(question: str) -> None:
    assert await wants_code(question)


@pytest.mark.parametrize(
    "question",
    [
        "What is a list comprehension in Python?",
        "Explain this code: ```python\nprint(1)\n```",
        "How do I read a file in Python?",
        "What was the unemployment rate in 2009?",
        "Is Python faster than JavaScript?",
        "How would I run a shell script?",
        "Show real GDP over time since 1990",
        "What does this print?\n```python\nprint(1)\n```",
        "什么是 Python 的列表？",
    ],
)
async def test_this_is_not(question: str) -> None:
    assert not await wants_code(question)


class Decided(Unembedded):
    """A model that answers a schema with its own opinion. asked: the schemas it was given."""

    def __init__(self, text: str, *, right: int) -> None:
        self.text, self.right, self.asked = text, right, list[Any]()

    def ability(self, model: str | None) -> Ability:
        return Ability(right=self.right)

    async def chat(
        self, messages: list[dict[str, str]], *, model: str | None, parameters: dict[str, Any]
    ) -> AsyncGenerator[str, None]:
        self.asked.append(parameters.get("json_schema"))
        yield self.text


@pytest.mark.parametrize("run", [True, False])
@pytest.mark.parametrize(
    ("question", "by_rule"),
    [
        ("Use Python to count the primes below 100", True),
        ("I wonder what the file notes.txt of the script is for", False),
    ],
)
async def test_an_able_model_decides_under_a_grammar_and_another_is_not_asked(
    question: str, *, by_rule: bool, run: bool
) -> None:
    able = Decided(json.dumps({"run": run}), right=12)
    assert await wants_code(question, able, None) is run
    assert able.asked == [SCHEMA]
    starter = Decided(json.dumps({"run": not by_rule}), right=9)
    assert await wants_code(question, starter, None) is by_rule
    assert starter.asked == []


async def test_where_an_able_model_answers_nothing_usable_rules_decide() -> None:
    assert await wants_code("Use Python to count to 9", Decided("yes", right=12), None)
