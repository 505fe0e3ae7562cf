"""Call the tool that is requested, ask for missing arguments, and report the tool's answer
unchanged.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from backends.copilot.actions.choice import ToolChoice, choose
from backends.copilot.actions.model_choice import decided, decided_by_able
from backends.copilot.actions.slots import in_words, properties_of
from backends.copilot.actions.words import step_after, step_before
from backends.copilot.present import failed
from backends.copilot.tables import SERVER
from backends.protocol.events import FunctionCall, MessageChunk, StatusUpdate
from backends.query.lexicon import language_of
from backends.sentences import joined, say

if TYPE_CHECKING:
    import datetime as dt

    from backends.copilot.models import CopilotModels
    from backends.copilot.turn import OpenTurn
    from backends.protocol.events import Event
    from backends.protocol.request import CopilotRequest, OfferedTool
    from backends.query.lexicon import Language


LINES, LETTERS = 40, 1500
SHOWN = 3  # maximum number of words that one question asks about
WORDS = {
    "en": {
        "what": "What is “{name}”?",
        "about": " ({about})",
        "again": "Ask again, and include that.",
        "unplaced": "Nothing was sent. I don’t know what {words} means for: {about}.",
        "parts": "Rephrase it, or name each part: {parts}.",
        "from": "{name}:",
        "failed": "{name}: that did not work. {error}",
        "empty": "{name} returned an empty answer.",
    },
    "zh": {
        "what": "“{name}”应该是什么？",
        "about": "（{about}）",
        "again": "请把它和要做的事放在一句话里再说一遍。",
        "unplaced": "没有发送任何内容。我不明白{words}在这里的意思：{about}。",
        "parts": "请换一种说法，或逐项说明：{parts}。",
        "from": "{name}：",
        "failed": "{name}：没有成功。{error}",
        "empty": "{name} 没有返回内容。",
    },
    "ja": {
        "what": "「{name}」は何にしますか？",
        "about": "（{about}）",
        "again": "それを含めて、もう一度一文で言ってください。",
        "unplaced": "何も送信していません。{words}が何を指すか分かりません：{about}。",
        "parts": "言い換えるか、項目ごとに指定してください：{parts}。",
        "from": "{name}：",
        "failed": "{name}：うまくいきませんでした。{error}",
        "empty": "{name} から返された内容はありません。",
    },
}


def tools_of(query: CopilotRequest) -> list[OfferedTool]:
    """Return the tools offered with a query that do more than compute from tables."""
    return [tool for tool in query.tools if tool.server_id and tool.server_id != SERVER]


async def meant(
    query: CopilotRequest, turn: OpenTurn, models: CopilotModels, today: dt.date
) -> ToolChoice | None:
    """Return the tool that a question asks for, or None if it asks for none, or if a tool has
    already been called.
    """
    tools = tools_of(query)
    if not tools or turn.pairs:
        return None
    by_able = await decided_by_able(turn.question, tools, models, query.model, today=today)
    if by_able is not None:
        return by_able.choice
    return await choose(turn.question, tools, models.embed if models.has_embedder() else None)


async def completed(
    choice: ToolChoice | None,
    query: CopilotRequest,
    turn: OpenTurn,
    models: CopilotModels,
    today: dt.date,
) -> list[Event]:
    """Return the tool call for a question that is not about a table; empty if the question asks for
    no tool.

    It is the tool that the code chose, with missing arguments filled in by a model that is
    constrained by a grammar; if the code chose none, it is the model's own choice.
    """
    tools = tools_of(query)
    if not tools or turn.pairs:
        return []
    made = await decided(turn.question, tools, choice, models, query.model, today=today)
    if made.choice is None:
        return []
    return [
        *(StatusUpdate("WARNING", note) for note in made.notes),
        *acting(made.choice, turn.question),
    ]


def goes_first(choice: ToolChoice | None, *, with_tables: bool) -> bool:
    """Return whether to try a tool before the tables are queried.

    This is the case if there are no tables, or if the request changes something, because tables are
    never changed.
    """
    if choice is None or not choice.sure:
        return False
    return not with_tables or choice.action != "show"


def acting(choice: ToolChoice, question: str) -> list[Event]:
    """Return the call, or a question that asks for a missing argument or about words that are not
    understood.
    """
    tool, filled = choice.tool, choice.filled
    if filled.missing:
        return [MessageChunk(ask_back(tool, filled.missing[0], question))]
    if choice.unplaced:
        return [MessageChunk(ask_about(tool, choice.unplaced, question))]
    arguments = {"server_id": tool.server_id, "tool_name": tool.name, "parameters": filled.values}
    state = {"tool": {"question": question[:500]}}
    return [
        StatusUpdate("INFO", step_before(tool, filled.values)),
        FunctionCall("execute_agent_tool", arguments, state),
    ]


def ask_back(tool: OfferedTool, name: str, question: str) -> str:
    """Return the question that asks the user for a parameter."""
    told = (tool.schema.get("properties") or {}).get(name) or {}
    choices = [str(v) for v in told.get("enum") or [] if v is not None]
    words, about = WORDS[language_of(question)], str(told.get("description") or "").strip()
    head = words["what"].format(name=in_words(name)) + (
        words["about"].format(about=about) if about else ""
    )
    blank = [""] if language_of(question) == "en" else []
    return "\n".join([head, *(f"- {c}" for c in choices), *blank, words["again"]])


def ask_about(tool: OfferedTool, unplaced: tuple[str, ...], question: str) -> str:
    """Return the question about words in a request that a write would ignore."""
    language = language_of(question)
    words = WORDS[language]
    said = listed([f"“{one}”" for one in unplaced[:SHOWN]], language)
    parts = listed([in_words(name) for name in properties_of(tool)], language)
    about = tool.description.strip().rstrip(".") or in_words(tool.name)
    named = words["parts"].format(parts=parts) if parts else ""
    return joined(words["unplaced"].format(words=said, about=about), named)


def listed(parts: list[str], language: Language) -> str:
    """Return the items of a list as a phrase."""
    return ("、" if language != "en" else ", ").join(parts)


def acted(query: CopilotRequest, turn: OpenTurn) -> list[Event] | None:
    """Return the events for the result of the last tool call, or None if the last step was not a
    tool call.
    """
    if not turn.pairs:
        return None
    called, returned = turn.pairs[-1]
    server = called.arguments.get("server_id")
    if called.function != "execute_agent_tool" or not server or server == SERVER:
        return None
    text = returned.texts[0] if returned.texts else ""
    called_name = (server, called.arguments.get("tool_name"))
    tool = next((t for t in query.tools if (t.server_id, t.name) == called_name), None)
    step = step_after(tool, text) if tool is not None else ""
    said = MessageChunk(words_of(text, language_of(turn.question)))
    return [StatusUpdate("INFO", step), said] if step else [said]


def words_of(text: str, language: Language) -> str:
    """Return a tool's answer as text: its content and nothing more. A failure counts as an answer,
    too.
    """
    words = WORDS[language]
    try:
        told: Any = json.loads(text)
    except (ValueError, RecursionError):
        return quoted(text)
    if not isinstance(told, dict) or "from" not in told:
        error = told.get("error") if isinstance(told, dict) else None
        if isinstance(error, str):
            remedy = str(told.get("remedy") or "").replace("Do not ask for it again.", "").strip()
            return failed(error.replace("Do not ask for it again.", "").strip(), remedy, language)
        return quoted(text)
    name, answer = str(told["from"]), told.get("answer")
    body = as_words(answer)
    if isinstance(told.get("error"), str):
        head = words["failed"].format(name=name, error=say(told["error"], language))
        return f"{head}\n\n{body}".strip()
    if not body:
        return joined(
            words["empty"].format(name=name), say(str(told.get("remark") or ""), language)
        )
    lines = [words["from"].format(name=name), "", body]
    lines += ["", f"*{say(str(told['remark']), language)}*"] if told.get("remark") else []
    lines += ["", f"*{say(str(told['left_out']), language)}*"] if told.get("left_out") else []
    return "\n".join(lines)


def as_words(value: Any, depth: int = 0) -> str:
    """Return a value in the form in which users see it: texts are quoted, and lists and fields are
    shown one per line.
    """
    if value in (None, "", [], {}):
        return ""
    if isinstance(value, dict):
        if len(value) == 1 and not depth:
            return as_words(next(iter(value.values())), depth)
        made = [
            f"{'  ' * depth}- {escaped(str(k))}: {inner(v, depth)}"
            for k, v in list(value.items())[:LINES]
        ]
        return "\n".join(made)
    if isinstance(value, list):
        return "\n".join(f"{'  ' * depth}- {inner(one, depth)}" for one in value[:LINES])
    return quoted(str(value)) if not depth else escaped(str(value))


def inner(value: Any, depth: int) -> str:
    """Return a value that is shown within a line of another value."""
    if isinstance(value, dict | list) and value and depth < 3:
        return "\n" + as_words(value, depth + 1)
    return escaped(
        json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else str(value)
    )


def quoted(text: str) -> str:
    """Return an untrusted text as a quotation without markup."""
    return "\n".join(f"> {escaped(line)}" for line in text[:LETTERS].splitlines()[:LINES])


def escaped(text: str) -> str:
    """Return a text with its markup escaped."""
    return re.sub(r"([\\`*_{}\[\]<>#|!~$])", r"\\\1", text[:LETTERS].replace("\n", " "))
