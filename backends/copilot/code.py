"""Let a model carry out a task with code.

This module decides whether a task needs code, lets the model write a block of code, has the
terminal run it, and gives the model the result.
"""

from __future__ import annotations

import json
import re
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from backends.copilot.models import NoModel, ThoughtPiece
from backends.copilot.tables import SERVER
from backends.copilot.turn import as_chat
from backends.flexai.errors import FlexAIError
from backends.protocol.events import FunctionCall, MessageChunk, StatusUpdate
from backends.protocol.request import FunctionResult, RequestedCall

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from backends.copilot.models import CopilotModels
    from backends.copilot.turn import OpenTurn
    from backends.protocol.events import Event
    from backends.protocol.request import CopilotRequest, Message


OPTION = "deskpilot-llm"


def parameters_of(query: CopilotRequest, **ours: Any) -> dict[str, Any]:
    """Return our parameters, some of which the request may override."""
    raw = query.options.get(OPTION)
    try:
        told: Any = json.loads(raw) if isinstance(raw, str) else None
    except (ValueError, RecursionError):
        told = None
    if not isinstance(told, dict):
        return ours
    kinds = {"temperature": (int, float), "max_tokens": (int,)}
    given = {name: told[name] for name, kind in kinds.items() if isinstance(told.get(name), kind)}
    return ours | {name: value for name, value in given.items() if not isinstance(value, bool)}


LANGUAGES = {
    "": "python",
    "python": "python",
    "python3": "python",
    "py": "python",
    "ipython": "python",
    "tool_code": "python",
    "shell": "shell",
    "bash": "shell",
    "sh": "shell",
    "zsh": "shell",
    "console": "shell",
    "javascript": "javascript",
    "js": "javascript",
    "node": "javascript",
    "nodejs": "javascript",
    "r": "r",
    "rscript": "r",
}
OPEN = re.compile(
    r"^[ \t]{0,3}(?P<mark>`{3,}|~{3,})[ \t]*(?P<name>[\w+#.-]*)[^\n`]*\n", re.MULTILINE
)
INLINE = re.compile(
    r"^[ \t]{0,3}```(?P<name>[a-z0-9]+)[ \t]+(?P<code>[^\n`]+)```[ \t]*$", re.MULTILINE
)
CALL = re.compile(
    r"<tool_call>|functions\.\w+\(|^\s*`?\s*(?=\{\s*[\"']?(?:name|language|function|code)[\"']?\s*:)",
    re.MULTILINE,
)
KEY = re.compile(r"([{,]\s*)(\w+)(\s*:)")
NAMES = ("run_code", "execute", "python", "code", "run", "execute_code", "interpreter")


@dataclass(frozen=True)
class CodeBlock:
    """A complete block of code. before: the text before the block."""

    language: str
    code: str
    before: str


def settled(text: str) -> str:
    """Return the part of an unfinished text that is certainly not code. Anything that could be the
    start of a fence or a call is held back.
    """
    found = [m.start() for m in (OPEN.search(text), CALL.search(text), INLINE.search(text)) if m]
    if found:
        return text[: min(found)]
    last = text.rfind("\n") + 1
    tail = text[last:].lstrip()
    held = (
        tail[:1] in ("`", "~", "{", "<")
        or "functions." in tail
        or tail.startswith(tuple("functions."[:n] for n in range(4, 11)))
    )
    return text[:last] if held else text


def find(text: str, *, ended: bool) -> CodeBlock | None:
    """Return the first block of code in a text, once it is complete. ended: whether no more text
    will follow, so that an open fence counts as complete.
    """
    found = [
        block
        for block in (fenced(text, ended), inlined(text), called(text, ended))
        if block is not None
    ]
    return min(found, key=lambda block: len(block.before)) if found else None


def inlined(text: str) -> CodeBlock | None:
    """Return the code of a fence that starts and ends on the same line."""
    if (match := INLINE.search(text)) is None or match["name"] not in LANGUAGES:
        return None
    return CodeBlock(LANGUAGES[match["name"]], match["code"].strip(), text[: match.start()])


def fenced(text: str, ended: bool) -> CodeBlock | None:
    """Return the code of the first fence whose language can be run."""
    at = 0
    while (opening := OPEN.search(text, at)) is not None:
        code, end = body(text, opening, ended)
        if code is None:
            return None
        language = LANGUAGES.get(opening["name"].lower())
        if language is not None and code.strip() and not is_data(opening["name"], code):
            return CodeBlock(language, code.strip("\n"), text[: opening.start()])
        at = end
    return None


def is_data(name: str, code: str) -> bool:
    """Return whether a fence without a language contains JSON, as opposed to a program."""
    return not name and code.lstrip()[:1] in "{[" and as_object(code) is not None


def body(text: str, opening: re.Match[str], ended: bool) -> tuple[str | None, int]:
    """Return the content of a fence and the position at which it ends; the content is None while
    the fence is open. A fence inside a string of the code does not end it.
    """
    start, mark = opening.end(), opening["mark"]
    for closing in re.finditer(
        rf"^[ \t]{{0,3}}{re.escape(mark[0])}{{{len(mark)},}}[ \t]*$", text[start:], re.MULTILINE
    ):
        code = text[start : start + closing.start()]
        if closing.end() + start == len(text) and not ended and not text.endswith("\n"):
            return (code, len(text)) if not in_string(code) else (None, len(text))
        if not in_string(code):
            return code, start + closing.end()
    if not ended:
        return None, len(text)
    return text[start:].removesuffix(mark[:1]).rstrip("`~ "), len(text)


def in_string(code: str) -> bool:
    """Return whether code ends inside a multi-line string."""
    return any(code.count(mark) % 2 for mark in ('"""', "'''"))


def called(text: str, ended: bool) -> CodeBlock | None:
    """Return the code of a call that the model wrote as text, instead of making the call."""
    if (match := CALL.search(text)) is None:
        return None
    opened = text.find("{", match.start())
    close = closing_of(text, opened) if opened >= 0 else -1
    if close < 0:
        return None
    value = as_object(text[opened : close + 1])
    told = arguments_of(value) if value is not None else None
    if told is None or (not ended and close == len(text) - 1 and "<tool_call>" in text):
        return None
    language = LANGUAGES.get(str(told.get("language") or "python").lower())
    code = told.get("code")
    if language is None or not isinstance(code, str) or not code.strip():
        return None
    return CodeBlock(language, code, text[: match.start()])


def arguments_of(value: dict[str, Any]) -> dict[str, Any] | None:
    """Return the arguments if a value is a call for running code; otherwise None."""
    if isinstance(value.get("code"), str):
        return value
    inner = value.get("function")
    if isinstance(inner, dict):
        value = cast("dict[str, Any]", inner)
    name, told = str(value.get("name") or ""), value.get("arguments", value.get("parameters"))
    if isinstance(told, str):
        told = as_object(told)
    if name not in NAMES or not isinstance(told, dict):
        return None
    made = cast("dict[str, Any]", told)
    return {"language": "python"} | made if name == "python" else made


def closing_of(text: str, start: int) -> int:
    """Return the position of the brace that closes the one at `start`, or -1 while it is open."""
    depth, quoted, at = 0, "", start
    while at < len(text):
        letter = text[at]
        if quoted:
            if letter == "\\":
                at += 1
            elif letter == quoted:
                quoted = ""
        elif letter == '"':
            quoted = letter
        elif letter in "{}":
            depth += 1 if letter == "{" else -1
            if depth == 0:
                return at
        at += 1
    return -1


def as_object(text: str) -> dict[str, Any] | None:
    """Return the JSON object in a text. Keys without quotes, and unescaped line breaks, are
    accepted.
    """
    for tried in (text, KEY.sub(r'\1"\2"\3', text)):
        try:
            value: Any = json.loads(tried, strict=False)
        except (ValueError, RecursionError):
            continue
        return cast("dict[str, Any]", value) if isinstance(value, dict) else None
    return None


LANGUAGE = (
    r"(?:python|pandas|matplotlib|plotly|javascript|node(?:\.?js)?|bash|shell|terminal"
    r"|(?-i:R)(?![&'\w]))"
)
# Requests for tasks to be done with code: "plot it with matplotlib", "use Python to …", "run this",
# "write and run a script"
DOING = re.compile(
    rf"\b(?:with|using|use|in|via|by)\s+(?:a\s+|some\s+|the\s+)?(?:{LANGUAGE}|code|a?\s*(?:script|program))\b"
    rf"|\b(?:run|execute|launch)\s+(?:this|that|it|the|a|an|some|my|following|{LANGUAGE})\b"
    r"|\b(?:write|make|create)\s+and\s+(?:run|execute)\b"
    rf"|\b(?:run|execute)\b.{{0,40}}\b(?:code|script|program|command|{LANGUAGE})\b",
    re.IGNORECASE,
)
DOING_ZH = re.compile(
    r"(?:用|使用|以)\s*(?:Python|代码|脚本|matplotlib|pandas|JavaScript|shell)|(?:运行|执行)(?:这|以下|代码|脚本|命令)",
    re.IGNORECASE,
)
# Questions about code: "what is a list in Python?", "explain this code", "how do I … in Python"
TELLING = re.compile(
    r"^\s*(?:what|why|who|when|which|explain|describe|how"
    r" (?:do|does|can|could|would|to|is|are)|is|are|does|do|can you explain|"
    r"tell me about|compare|should)\b|什么是|解释|怎么|如何",
    re.IGNORECASE,
)
FENCE = re.compile(r"^\s*(?:```|~~~)", re.MULTILINE)
BLOCK = re.compile(r"^\s*(```|~~~).*?(?:^\s*\1[^\n]*$|\Z)", re.MULTILINE | re.DOTALL)
ORDER = re.compile(r"\b(?:run|execute|try|launch|start)\b|运行|执行", re.IGNORECASE)


# Requests to create or change files: "write the word X to a .txt file", "rename a.csv to b.csv"
FILE = re.compile(
    r"^\s*(?:please\s+)?(?:write|save|create|make|append|add|rename|delete|remove|copy|move|convert|unzip|zip)\b"
    r".*(?:\bfiles?\b|\bfolder\b|\b[\w-]+\.(?:txt|csv|json|md|py|log|xlsx?|pdf|png|jpe?g|html?|zip)\b)",
    re.IGNORECASE,
)
NAMED = re.compile(
    rf"\b{LANGUAGE}\b|\b(?:code|script|program|file|folder|director(?:y|ies))\b|代码|脚本|文件|程序",
    re.IGNORECASE,
)
CLAUSES = re.compile(r"(?<=[.?!;。？！；])\s+|\n+")
INTENT_PROMPT = (
    "You decide whether a request is to be done by running code on the person's computer now. "
    "Computing with a program, working with files and using a named tool are; "
    "explaining, discussing or showing code is not."
)
SCHEMA = (
    '{"type": "object", "properties": {"run": {"type": "boolean"}}, '
    '"required": ["run"], "additionalProperties": false}'
)
SURE = 0.8  # a model is asked only if it is right at least this often
INTENT_TOKENS = 12


async def wants_code(
    question: str, models: CopilotModels | None = None, model: str | None = None
) -> bool:
    """Return whether a question asks for code to be run, as opposed to a question about code.

    If code, a language or a file is named, a capable model decides; otherwise, or without such a
    model, rules do.
    """
    words = " ".join(BLOCK.sub("\n", question).split("\n")).strip()
    if FENCE.search(question):
        return bool(ORDER.search(words)) and not TELLING.search(words)
    if not NAMED.search(words) and not FILE.search(words):
        return False
    if models is not None and models.ability(model).reliability >= SURE:
        said = await decided(words, models, model)
        if said is not None:
            return said
    return reads_as_order(words)


def reads_as_order(words: str) -> bool:
    """Return whether the words of a sentence ask for something to be done with code."""
    if FILE.search(words):
        return True
    for clause in CLAUSES.split(words):
        if not TELLING.search(clause) and (DOING.search(clause) or DOING_ZH.search(clause)):
            return True
    return False


async def decided(words: str, models: CopilotModels, model: str | None) -> bool | None:
    """Return a model's decision, which is constrained by a grammar, or None if there is no
    decision.
    """
    messages = [{"role": "system", "content": INTENT_PROMPT}, {"role": "user", "content": words}]
    parameters = {"json_schema": SCHEMA, "temperature": 0.0, "max_tokens": INTENT_TOKENS}
    text = ""
    try:
        async with aclosing(models.chat(messages, model=model, parameters=parameters)) as pieces:
            async for piece in pieces:
                text += "" if isinstance(piece, ThoughtPiece) else piece
        return bool(json.loads(text)["run"])
    except (FlexAIError, NoModel, ValueError, KeyError, TypeError):
        return None


TOOL = "run_code"
COMPUTER = "deskpilot-computer"  # the option with which a program asks for this
ROUNDS = 6  # maximum number of times that code is run in one turn
HISTORY, SHOWN, TOKENS = 12, 2000, 1024
EARLIER = 800  # characters of output kept from an earlier turn
CLOSING = (
    "The task is done.",
    "The task is impossible.",
    "Let me know what you'd like to do next.",
    "Please provide more information.",
)
SYSTEM = """You do tasks by writing code that runs on the user's computer. Write ONE block:
```python
code
```
and stop; you are then shown what it printed. bash, javascript and r blocks run, too. Variables are kept. There is no network.{tables}
When the task is done, say in a sentence what came of it, without a block. If it cannot be done, say: The task is impossible."""  # noqa: E501 - a prompt: its lines are what the model reads
NO_CODE = "If no code is needed, just answer."
FURTHER = (
    "{told}\n\nIf that does the task, say in one sentence what came of it. Else write the next"
    " block."
)


async def may_code(query: CopilotRequest, turn: OpenTurn, models: CopilotModels) -> bool:
    """Return whether to answer a turn with code: the terminal must be able to run it, and the
    question must need it.
    """
    offered = any((tool.server_id, tool.name) == (SERVER, TOOL) for tool in query.tools)
    if not offered:
        return False
    begun = any(is_ours(called) for called, _ in turn.pairs)
    return begun or await wants_code(turn.question, models, query.model)


def is_computer(query: CopilotRequest) -> bool:
    """Return whether the request comes from a program that lets its model use the computer. The
    code that the model writes is then run, whatever the question says.
    """
    offered = any((tool.server_id, tool.name) == (SERVER, TOOL) for tool in query.tools)
    return offered and query.options.get(COMPUTER) == "true"


async def work(
    query: CopilotRequest, turn: OpenTurn, models: CopilotModels
) -> AsyncGenerator[Event, None]:
    """Write the next block of code in a turn, or report the results."""
    ran = [(called, texts_of(result.texts)) for called, result in turn.pairs if is_ours(called)]
    given = find(turn.question, ended=True) if FENCE.search(turn.question) else None
    if given is not None:  # the user wrote the code, so no model is needed
        yield MessageChunk(ran[-1][1].split("\n", 1)[0]) if ran else call(given)
        return
    if len(ran) >= ROUNDS:
        yield MessageChunk(
            f"I have run code {len(ran)} times and am stopping here; the last result is above."
        )
        return
    before = [code_in(called) for called, _ in ran]
    try:
        async with aclosing(written(query, turn, ran, models)) as events:
            async for event in events:
                if isinstance(event, CodeBlock):
                    repeated = event.code.strip() in before
                    yield (
                        MessageChunk("The same code again would change nothing.")
                        if repeated
                        else call(event)
                    )
                else:
                    yield event
    except (FlexAIError, NoModel) as error:
        yield StatusUpdate("ERROR", f"{error.text} {error.remedy}".strip())


async def written(
    query: CopilotRequest,
    turn: OpenTurn,
    ran: list[tuple[RequestedCall, str]],
    models: CopilotModels,
) -> AsyncGenerator[Event | CodeBlock, None]:
    """Yield the model's text as it arrives, up to the end of the first complete block. The rest is
    discarded.
    """
    text, told = "", 0
    parameters = parameters_of(query, max_tokens=TOKENS, temperature=0.0)
    asking = models.chat(messages_for(query, turn, ran), model=query.model, parameters=parameters)
    async with aclosing(asking) as pieces:
        async for piece in pieces:
            if isinstance(piece, ThoughtPiece):
                continue  # thoughts are neither shown nor run
            text += piece
            words = settled(text)
            if len(words) > told:
                yield MessageChunk(words[told:])
                told = len(words)
            if (block := find(text, ended=False)) is not None:
                break
        else:
            block = find(text, ended=True)
    if block is not None and not any(phrase in block.before for phrase in CLOSING):
        if len(block.before) > told:
            yield MessageChunk(block.before[told:])
        yield block
    elif len(text) > told:
        yield MessageChunk(text[told:])


def messages_for(
    query: CopilotRequest, turn: OpenTurn, ran: list[tuple[RequestedCall, str]]
) -> list[dict[str, str]]:
    """Return the messages for the model: the task, the code that it has written, and the results of
    this code.
    """
    task = SYSTEM.format(tables=tables_of(query))
    task += f"\n{NO_CODE}" if is_computer(query) else ""
    system = "\n\n".join([task, *query.skills])
    made = [{"role": "system", "content": system}, *history(turn.before)[-HISTORY:]]
    add(made, {"role": "user", "content": turn.question})
    for called, result in ran:
        code = code_in(called)
        made.append({"role": "assistant", "content": f"```{language_in(called)}\n{code}\n```"})
        made.append({"role": "user", "content": FURTHER.format(told=result[:SHOWN])})
    return made


def history(messages: list[Message]) -> list[dict[str, str]]:
    """Return the earlier conversation, with the code that was run and its output, because a
    question may be about either. The roles alternate.
    """
    made: list[dict[str, str]] = []
    ran = False
    for message in messages:
        told: list[dict[str, str]] = []
        if isinstance(message, RequestedCall):
            if ran := is_ours(message):
                code = f"```{language_in(message)}\n{code_in(message)}\n```"
                told = [{"role": "assistant", "content": code}]
        elif isinstance(message, FunctionResult):
            if ran:
                said = head_and_tail(texts_of(message.texts), EARLIER)
                told, ran = [{"role": "user", "content": said}], False
        else:
            told = as_chat([message])
        for one in told:
            add(made, one)
    return made


def add(made: list[dict[str, str]], one: dict[str, str]) -> None:
    """Append a message. If the last message has the same role, extend it instead, because many
    templates refuse two consecutive messages with the same role.
    """
    if made and made[-1]["role"] == one["role"]:
        made[-1] = one | {"content": f"{made[-1]['content']}\n\n{one['content']}"}
    else:
        made.append(one)


def head_and_tail(text: str, most: int) -> str:
    """Return a text; if it is too long, only its start and end."""
    return text if len(text) <= most else f"{text[: most // 2]}\n…\n{text[-most // 2 :]}"


def tables_of(query: CopilotRequest) -> str:
    """Return the description of the attached tables for a model."""
    told: list[str] = []
    for widget in query.primary:
        profile = widget.metadata.get("profile")
        if isinstance(profile, dict):
            fields = cast("dict[str, Any]", profile)
            columns = [
                str(c.get("name")) for c in fields.get("columns") or [] if isinstance(c, dict)
            ][:30]
            told.append(
                f"{name_for(widget.name)} ({fields.get('rows')} rows; {', '.join(columns)})"
            )
    return f"\nThese pandas DataFrames are there already: {'; '.join(told)}." if told else ""


def name_for(title: str) -> str:
    """Return the name that a table has in code. The terminal forms it in the same way."""
    name = (
        "_".join("".join(c if c.isalnum() or c == "_" else " " for c in title).split())
        .strip("_")
        .lower()
    )
    return f"table_{name}" if not name or name[0].isdigit() else name


def call(block: CodeBlock) -> FunctionCall:
    """Return the call that makes the terminal run a block."""
    parameters = {"language": block.language, "code": block.code}
    return FunctionCall(
        "execute_agent_tool", {"server_id": SERVER, "tool_name": TOOL, "parameters": parameters}, {}
    )


def is_ours(called: RequestedCall) -> bool:
    """Return whether the purpose of a call was to run code."""
    return called.function == "execute_agent_tool" and called.arguments.get("tool_name") == TOOL


def told_in(called: RequestedCall) -> dict[str, Any]:
    """Return the parameters of a call."""
    told = called.arguments.get("parameters")
    return cast("dict[str, Any]", told) if isinstance(told, dict) else {}


def code_in(called: RequestedCall) -> str:
    """Return the code in a call."""
    return str(told_in(called).get("code") or "").strip()


def language_in(called: RequestedCall) -> str:
    """Return the language of the code in a call."""
    return str(told_in(called).get("language") or "python")


def texts_of(texts: list[str]) -> str:
    """Return the terminal's report on a run, which may be JSON."""
    return "\n".join(texts) or "It told nothing."
