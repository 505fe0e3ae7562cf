"""Export conversations as text and as LMC."""

from __future__ import annotations

import asyncio
import base64
import html
import json
import time
import uuid
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal, TypeGuard, get_args

from app.domain.code import NOT_RUN, head_and_tail
from app.domain.conversation import TEMPORARY, Turn, as_words
from app.domain.errors import ExchangeError
from app.domain.events import (
    RUN_CODE,
    Artifact,
    Call,
    CallResult,
    Citations,
    Ended,
    Event,
    as_dict,
    name_of,
)
from app.domain.stream import Message, Role, Type
from app.domain.tool import TERMINAL
from app.services.conversation import chat_import

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from app.domain.conversation import Conversation, Thread
    from app.services.conversation.history import History
    from app.services.ports import StorePort

    Place = tuple[str, int]  # of an item: the id of its turn, and its number
    Pictures = Mapping[Place, bytes]

VERSION = 1
CHART_PX = 620  # the width of a chart, which fits between the margins of A4
BAR = str.maketrans({"|": "\\|", "\n": " ", "\r": " "})
PAGE = """<!doctype html>
<html><head><meta charset="utf-8"><title>{title}</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<style>
body {{ font: 15px/1.55 system-ui, sans-serif; color: #1c1c1a; }}
@media screen {{ body {{ max-width: 680px; margin: 40px auto; padding: 0 20px; background: #fbfbfa; }} }}
h1 {{ font-size: 22px; }} img {{ max-width: 100%; height: auto; }} .day {{ color: #6c6c66; font-size: 12px; }}
.question {{ background: #eef0ee; border-radius: 12px; padding: 10px 14px; margin: 32px 0 12px 18%; white-space: pre-wrap; }}
table {{ border-collapse: collapse; width: 100%; }} th, td {{ border-bottom: 1px solid #e3e3df; padding: 5px 8px; text-align: left; }}
th {{ color: #6c6c66; font-weight: 400; }} pre {{ background: #f3f3f0; border-radius: 8px; padding: 10px 14px; white-space: pre-wrap; }}
code {{ font: 13px ui-monospace, monospace; }} a {{ color: #0f766e; }} blockquote {{ color: #6c6c66; border-left: 3px solid #e3e3df; margin-left: 0; padding-left: 14px; }}
</style></head><body>
<h1>{title}</h1><p class="day">{day}</p>
{body}
</body></html>
"""


def as_markdown(conversation: Conversation, thread: Thread) -> str:
    """Return the displayed branch as Markdown: questions as headings, answers as received, sources
    below.
    """
    parts = [f"# {line(conversation.title)}", f"*{day_of(conversation)}*"]
    for turn in thread.path:
        parts += [
            f"## {line(turn.question)}" if "\n" not in turn.question else quoted(turn),
            answer_of(turn),
        ]
    return "\n\n".join(part for part in parts if part) + "\n"


def as_html(conversation: Conversation, thread: Thread, pictures: Pictures) -> str:
    """Return the displayed branch as one static page that loads no resources and runs no scripts.

    pictures: of charts; one without is a table of its numbers.
    """
    from markdown_it import MarkdownIt

    reader = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    reader.add_render_rule(
        "image", lambda _, tokens, at, *__: html.escape(f"[{tokens[at].content}]")
    )

    def answer(turn: Turn) -> str:
        return "\n".join(
            figure(pictures[turn.id, number], turn.items[number])
            if (turn.id, number) in pictures
            else reader.render(text)
            for number, text in parts_of(turn)
        )

    body = "\n".join(
        f'<div class="question">{html.escape(turn.question)}</div>\n{answer(turn)}'
        for turn in thread.path
    )
    return PAGE.format(title=html.escape(conversation.title), day=day_of(conversation), body=body)


def as_json(conversations: list[tuple[Conversation, Thread]]) -> str:
    """Return conversations with all their branches, steps and citations; Deskpilot reads them back
    as they were.
    """
    made = [
        {
            "title": one.title,
            "created_at": one.created_at,
            "pinned": one.pinned,
            "folder": one.folder,
            "shown": thread.path[-1].id if thread.path else None,
            "turns": [turn_as_dict(turn) for turn in thread.turns],
        }
        for one, thread in conversations
    ]
    return json.dumps({"deskpilot": VERSION, "conversations": made}, ensure_ascii=False, indent=1)


def turn_as_dict(turn: Turn) -> dict[str, Any]:
    """Return a turn as JSON values."""
    items = [item_as_dict(item) for item in turn.items]
    left_out = ("items", "is_read", "conversation_id")
    return {k: v for k, v in asdict(turn).items() if k not in left_out} | {"items": items}


def item_as_dict(item: Message | Event) -> dict[str, Any]:
    """Return an item: its kind, and its fields."""
    if isinstance(item, Message):
        return {"kind": "message"} | item.as_dict()
    return {"kind": name_of(item), "fields": as_dict(item)}


def as_lmc(thread: Thread) -> str:
    """Return the displayed branch as a list of LMC messages; parts that LMC cannot express are left
    out.
    """
    made: list[dict[str, Any]] = []
    for turn in thread.path:
        told = [item for item in turn.items if isinstance(item, Message)]
        came = told and (told[0].role, told[0].type, told[0].content) == (
            "user",
            "message",
            turn.question,
        )
        if not came and turn.question:  # one that was imported goes out as it came
            asked = Message(
                "user", "message", turn.question, id=turn.id, created_at=turn.created_at
            )
            told.insert(0, asked)
        made += [item.as_dict() for item in told]
    return json.dumps(made, ensure_ascii=False, indent=1)


def answer_of(turn: Turn) -> str:
    """Return an answer as Markdown: words, code, tables, citations, and how it ended."""
    return "\n\n".join(text for _, text in parts_of(turn))


def parts_of(turn: Turn) -> Iterator[tuple[int, str]]:
    """Yield the parts of an answer as Markdown, each with the number of its item."""
    for number, item in enumerate(turn.items):
        text = ""
        if isinstance(item, Message):
            text = as_words(item).strip()
        elif isinstance(item, Artifact):
            text = artifact_of(item)
        elif isinstance(item, Citations):
            text = "\n".join(f"- {source}" for source in sources_of(item))
        elif isinstance(item, Ended) and item.state != "done":
            text = f"*{line(f'{item.text} {item.remedy}')}*"
        if text:
            yield number, text


def figure(picture: bytes, item: Message | Event) -> str:
    """Return a chart as HTML that holds its picture. picture: as PNG."""
    name = html.escape(item.name if isinstance(item, Artifact) else "")
    data = base64.b64encode(picture).decode()
    return (
        f"<p><strong>{name}</strong></p>\n"
        f'<p><img width="{CHART_PX}" alt="{name}" src="data:image/png;base64,{data}"></p>'
    )


def sources_of(citations: Citations) -> list[str]:
    """Return a line for each citation."""
    return [
        line(f"[{number}] {one.words()}{f', {one.url}' if one.url and one.name else ''}")
        for number, one in enumerate(citations.citations, 1)
    ]


def artifact_of(artifact: Artifact) -> str:
    """Return a table, chart or text of an answer; of a chart, its numbers."""
    name, rows = f"**{line(artifact.name or artifact.type)}**", artifact.content
    if isinstance(rows, list) and rows and all(isinstance(row, dict) for row in rows):
        columns = list(dict.fromkeys(str(key) for row in rows for key in row))
        lines = [[str(c).translate(BAR) for c in columns], ["---"] * len(columns)]
        lines += [[cell(row.get(c)) for c in columns] for row in rows]
        return f"{name}\n\n" + "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
    text = rows if isinstance(rows, str) else json.dumps(rows, ensure_ascii=False, indent=1)
    if artifact.type == "text":
        return f"{name}\n\n{text}"
    mark = "```" if "```" not in text else "~~~~~"
    return f"{name}\n\n{mark}\n{text}\n{mark}"


def cell(value: Any) -> str:
    """Return a value as it is in a table."""
    if value is None:
        return ""
    return (value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)).translate(
        BAR
    )


def quoted(turn: Turn) -> str:
    """Return a question of several lines: its first as a heading, all of it quoted."""
    first = next((text for text in turn.question.splitlines() if text.strip()), "Question")
    return f"## {line(first)}\n\n" + "\n".join(f"> {text}" for text in turn.question.splitlines())


def line(text: str) -> str:
    """Return text on one line."""
    return " ".join(text.split())


def day_of(conversation: Conversation) -> str:
    """Return the creation time of a conversation, in UTC."""
    return datetime.fromtimestamp(conversation.created_at, UTC).strftime("%Y-%m-%d %H:%M UTC")


ROLES, TYPES = get_args(Role), get_args(Type)
MOST = 2000  # messages of one list
RUN_IT = "Run this code."  # the question of a list that holds none
REMEDY = 'Send {"messages": [{"role": "user", "type": "message", "content": "…"}]}.'


def turns_of(told: object, conversation: str) -> list[Turn]:
    """Return the turns of a list of messages; the last one is running. They are not stored. Code at
    the end waits to be run.

    Raises: ExchangeError if it is not a list of messages, or if its last message needs no answer.
    """
    if not isinstance(told, list) or not told:
        raise ExchangeError("There are no messages.", REMEDY)
    if len(told) > MOST:
        raise ExchangeError(f"There are more than {MOST} messages.", "Send the newest ones.")
    made: list[Turn] = []
    for raw in told:
        message = read_message(raw)
        if message is None:
            continue
        if (message.role, message.type) == ("user", "message"):
            parent = made[-1].id if made else None
            uid = TEMPORARY + uuid.uuid4().hex
            made.append(Turn(uid, conversation, parent, str(message.content), "done", time.time()))
            continue
        if not made and is_code(message):  # a list may be nothing but code to be run
            uid = TEMPORARY + uuid.uuid4().hex
            made.append(Turn(uid, conversation, None, RUN_IT, "done", time.time()))
        if made:
            made[-1].items.append(message)
    if not made:
        raise ExchangeError("None of the messages is a question.", REMEDY)
    last = made[-1].items[-1] if made[-1].items else None
    if isinstance(last, Message) and last.role == "assistant" and not is_code(last):
        raise ExchangeError(
            "The last message is the assistant's.", "Append what the computer or the user says."
        )
    made[-1].state = "running"
    for turn in made:
        turn.items = with_calls(turn.items)
    return made


def read_message(raw: Any) -> Message | None:
    """Return a message as it was sent; None for a confirmation, which is never part of a
    conversation.

    Raises: ExchangeError for anything else that is no message.
    """
    if not isinstance(raw, dict) or raw.get("role") not in ROLES or raw.get("type") not in TYPES:
        raise ExchangeError(f"This is no LMC message: {str(raw)[:100]}", REMEDY)
    if raw["type"] == "confirmation" or raw.get("format") == "active_line":
        return None
    content = raw.get("content")
    if not isinstance(content, str):
        raise ExchangeError(f"The content of a {raw['type']} is not text.", REMEDY)
    form, recipient = raw.get("format"), raw.get("recipient")
    return Message(
        raw["role"],
        raw["type"],
        content,
        form if isinstance(form, str) else None,
        recipient if recipient in ("user", "assistant") else None,
    )


def with_calls(items: list[Message | Event]) -> list[Message | Event]:
    """Return items in which code that was run is a call with its result, as copilots know it."""
    made: list[Message | Event] = []
    at = 0
    while at < len(items):
        item, at = items[at], at + 1
        ran: list[Message] = []
        while is_code(item) and at < len(items) and is_computers(answer := items[at]):
            ran.append(answer)
            at += 1
        if not ran or not isinstance(item, Message):
            made += [item, *ran]
            continue
        printed = "".join(m.content for m in ran if m.type == "console").strip()
        told = (
            f"The code ran.\nIt printed:\n{head_and_tail(printed)}"
            if printed
            else "The code ran.\nIt printed nothing."
        )
        never = printed.startswith(NOT_RUN)
        call = call_of(item)
        result = CallResult(call.function, printed if never else told, never, 0.0)
        made += [call, item, *ran, result]
    return made


def is_code(item: Message | Event) -> bool:
    """Return whether an item is code of the assistant."""
    return isinstance(item, Message) and (item.role, item.type) == ("assistant", "code")


def waiting(turn: Turn) -> Call | None:
    """Return the call of code that is at the end of a turn and was neither run nor refused; None
    without any.
    """
    last = turn.items[-1] if turn.items else None
    return call_of(last) if isinstance(last, Message) and is_code(last) else None


def is_computers(item: Message | Event) -> TypeGuard[Message]:
    """Return whether an item is a message of the computer."""
    return isinstance(item, Message) and item.role == "computer"


def call_of(code: Message) -> Call:
    """Return the call that code was."""
    parameters = {"language": code.format or "python", "code": code.content}
    arguments: dict[str, Any] = {
        "server_id": TERMINAL,
        "tool_name": RUN_CODE,
        "parameters": parameters,
    }
    wire = json.dumps({"function": "execute_agent_tool", "input_arguments": arguments})
    return Call("execute_agent_tool", arguments, wire)


Form = Literal["md", "html", "json", "lmc"]
FORMS: dict[str, Form] = {"md": "md", "html": "html", "json": "json", "lmc": "lmc"}


class Exchange:
    """Writes and reads the files of conversations."""

    def __init__(self, store: StorePort, history: History) -> None:
        self._store, self._history = store, history

    async def charts(self, conversation_id: str) -> dict[Place, Artifact]:
        """Return the charts of the displayed branch.

        Raises: NoConversation.
        """
        _, thread = await self._whole(conversation_id)
        return {
            (turn.id, number): item
            for turn in thread.path
            for number, item in enumerate(turn.items)
            if isinstance(item, Artifact) and item.chart is not None
        }

    async def text(self, conversation_id: str, form: Form, pictures: Pictures | None = None) -> str:
        """Return a conversation in a form. pictures: of its charts, as PNG; HTML shows them.

        Raises: NoConversation.
        """
        one, thread = await self._whole(conversation_id)
        return await asyncio.to_thread(written_in, form, one, thread, pictures or {})

    async def write(
        self, conversation_id: str, form: Form, path: Path, pictures: Pictures | None = None
    ) -> None:
        """Write a conversation into a file; see `text`.

        Raises: NoConversation, ExchangeError.
        """
        text = await self.text(conversation_id, form, pictures)
        await asyncio.to_thread(write_text, path, text)

    async def write_all(self, path: Path) -> int:
        """Write all conversations that are not in the trash into one JSON file; return how many.

        Raises: ExchangeError.
        """
        every = [await self._whole(one.id) for one in await self._history.conversations()]
        await asyncio.to_thread(lambda: write_text(path, as_json(every)))
        return len(every)

    async def read(self, path: Path) -> list[Conversation]:
        """Import the conversations of a file; return them.

        Raises: ExchangeError, StoreError.
        """
        made: list[Conversation] = []
        for one in await asyncio.to_thread(chat_import.read_file, path):
            kept = await self._store.add_conversation(one.title, one.created_at, one.turns)
            changes = {"pinned": one.pinned, "folder": one.folder}
            shown = {"shown": one.shown} if one.shown is not None else {}
            await self._store.change_conversation(kept.id, **changes, **shown)
            made.append(kept)
        return made

    async def _whole(self, conversation_id: str) -> tuple[Conversation, Thread]:
        one, thread = (
            await self._history.get(conversation_id),
            await self._history.thread(conversation_id),
        )
        await self._store.read(thread.turns)
        return one, thread


def written_in(form: Form, one: Conversation, thread: Thread, pictures: Pictures) -> str:
    """Return a conversation in a form."""
    if form == "md":
        return as_markdown(one, thread)
    if form == "html":
        return as_html(one, thread, pictures)
    return as_lmc(thread) if form == "lmc" else as_json([(one, thread)])


def write_text(path: Path, text: str) -> None:
    """Write a file.

    Raises: ExchangeError.
    """
    try:
        path.write_text(text, "utf-8", errors="replace")
    except OSError as error:
        raise ExchangeError(
            f"{path} cannot be written: {error.strerror or error}.",
            "Choose a folder that can be written and has room.",
        ) from error
