"""Let a model solve a task with code: it writes a block, the terminal runs it, the model reads the
result.
"""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING, Any, cast

from backends.copilot.code.blocks import CodeBlock, find, parameters_of, settled
from backends.copilot.code.intent import FENCE, wants_code
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

TOOL = "run_code"
COMPUTER = "deskpilot-computer"  # the option by which a program asks for this
ROUNDS = 6  # rounds of code in one turn
HISTORY, SHOWN, TOKENS = 12, 2000, 1024
EARLIER = 800  # characters kept of the output in an earlier turn
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
    """Return whether to answer a turn with code: the terminal can run it, and the question needs
    it.
    """
    offered = any((tool.server_id, tool.name) == (SERVER, TOOL) for tool in query.tools)
    if not offered:
        return False
    begun = any(is_ours(called) for called, _ in turn.pairs)
    return begun or await wants_code(turn.question, models, query.model)


def is_computer(query: CopilotRequest) -> bool:
    """Return whether the request comes from a program that lets its model use the computer. Code
    that the model writes is then run, whatever the question says.
    """
    offered = any((tool.server_id, tool.name) == (SERVER, TOOL) for tool in query.tools)
    return offered and query.options.get(COMPUTER) == "true"


async def work(
    query: CopilotRequest, turn: OpenTurn, models: CopilotModels
) -> AsyncGenerator[Event, None]:
    """Write the next code of a turn, or report its results."""
    ran = [(called, texts_of(result.texts)) for called, result in turn.pairs if is_ours(called)]
    given = find(turn.question, ended=True) if FENCE.search(turn.question) else None
    if given is not None:  # a person wrote the code, so no model is needed
        yield MessageChunk(ran[-1][1].split("\n", 1)[0]) if ran else call(given)
        return
    if len(ran) >= ROUNDS:
        yield MessageChunk(
            f"I have run code {len(ran)} times and stop here; the last result stands above."
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
    """Yield the model's text as it arrives, up to the first complete block; the rest is
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
    """Return the model's messages: the task, the code it wrote, and the results of that code."""
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
    """Return the earlier conversation, with the code that was run and its output: a question may be
    about either. Roles alternate.
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
    """Append a message, or extend the last one if it has the same role: many templates reject two
    messages in a row with the same role.
    """
    if made and made[-1]["role"] == one["role"]:
        made[-1] = one | {"content": f"{made[-1]['content']}\n\n{one['content']}"}
    else:
        made.append(one)


def head_and_tail(text: str, most: int) -> str:
    """Return the start and end of a text."""
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
    """Return the name of a table in code; the terminal forms it in the same way."""
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
    """Return whether a call was made to run code."""
    return called.function == "execute_agent_tool" and called.arguments.get("tool_name") == TOOL


def told_in(called: RequestedCall) -> dict[str, Any]:
    """Return the parameters of a call."""
    told = called.arguments.get("parameters")
    return cast("dict[str, Any]", told) if isinstance(told, dict) else {}


def code_in(called: RequestedCall) -> str:
    """Return the code of a call."""
    return str(told_in(called).get("code") or "").strip()


def language_in(called: RequestedCall) -> str:
    """Return the language of a call."""
    return str(told_in(called).get("language") or "python")


def texts_of(texts: list[str]) -> str:
    """Return the terminal's report of a run, which may be JSON."""
    return "\n".join(texts) or "It told nothing."
