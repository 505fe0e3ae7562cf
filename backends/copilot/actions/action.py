"""Act: call the tool that is meant, ask for missing arguments, and report the tool's answer
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
SHOWN = 3  # words that are asked about at once
WORDS = {
    "en": {
        "what": "What is “{name}”?",
        "about": " ({about})",
        "again": "Say it once more with that in it.",
        "unplaced": "Nothing was sent. I don’t know what {words} means for: {about}.",
        "parts": "Say it in other words, or name each part: {parts}.",
        "from": "{name}:",
        "failed": "{name}: that did not work. {error}",
        "empty": "{name} answered, without any words.",
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
    """Return the tools of a query that do something else than compute from tables."""
    return [tool for tool in query.tools if tool.server_id and tool.server_id != SERVER]


async def meant(
    query: CopilotRequest, turn: OpenTurn, models: CopilotModels, today: dt.date
) -> ToolChoice | None:
    """Return the tool the question means; None if it means none, or one was called already."""
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
    """Return the tool call for a question that concerns no table: the one the code chose, with
    missing arguments filled in by a model under a grammar, or else the model's own choice. Return
    an empty list if no tool is meant.
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
    """Return whether a tool is tried before tables: if there are no tables, or if something is to
    be changed, as tables never are.
    """
    if choice is None or not choice.sure:
        return False
    return not with_tables or choice.action != "show"


def acting(choice: ToolChoice, question: str) -> list[Event]:
    """Return the call, or the question for missing arguments."""
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
    """Return the question for a parameter."""
    told = (tool.schema.get("properties") or {}).get(name) or {}
    choices = [str(v) for v in told.get("enum") or [] if v is not None]
    words, about = WORDS[language_of(question)], str(told.get("description") or "").strip()
    head = words["what"].format(name=in_words(name)) + (
        words["about"].format(about=about) if about else ""
    )
    blank = [""] if language_of(question) == "en" else []
    return "\n".join([head, *(f"- {c}" for c in choices), *blank, words["again"]])


def ask_about(tool: OfferedTool, unplaced: tuple[str, ...], question: str) -> str:
    """Return the question about words of a request that have no place in a write."""
    language = language_of(question)
    words = WORDS[language]
    said = listed([f"“{one}”" for one in unplaced[:SHOWN]], language)
    parts = listed([in_words(name) for name in properties_of(tool)], language)
    about = tool.description.strip().rstrip(".") or in_words(tool.name)
    named = words["parts"].format(parts=parts) if parts else ""
    return joined(words["unplaced"].format(words=said, about=about), named)


def listed(parts: list[str], language: Language) -> str:
    """Return an enumeration."""
    return ("、" if language != "en" else ", ").join(parts)


def acted(query: CopilotRequest, turn: OpenTurn) -> list[Event] | None:
    """Return the events for the result of the last tool call; None if no tool was called last."""
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
    """Return a tool's answer in words: its content, and no more; a failure is one, too."""
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
    """Return a value for people: texts quoted, lists and fields a line each."""
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
    """Return a value that is in a line of another."""
    if isinstance(value, dict | list) and value and depth < 3:
        return "\n" + as_words(value, depth + 1)
    return escaped(
        json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else str(value)
    )


def quoted(text: str) -> str:
    """Return a text of a stranger as a quotation, in which nothing is markup."""
    return "\n".join(f"> {escaped(line)}" for line in text[:LETTERS].splitlines()[:LINES])


def escaped(text: str) -> str:
    """Return a text in which nothing is markup."""
    return re.sub(r"([\\`*_{}\[\]<>#|!~$])", r"\\\1", text[:LETTERS].replace("\n", " "))
