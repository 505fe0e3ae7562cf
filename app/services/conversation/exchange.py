"""Export conversations as text and as LMC."""

from __future__ import annotations

import asyncio
import base64
import html
import json
import re
import time
import uuid
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal, TypeGuard, get_args

from app.domain.code import NOT_RUN, head_and_tail
from app.domain.conversation import TEMPORARY, Turn, as_words
from app.domain.errors import ExchangeError
from app.domain.events import (
    RUN_CODE,
    Artifact,
    CallResult,
    Citation,
    Citations,
    CopilotCall,
    Ended,
    Event,
    Status,
    as_dict,
    name_of,
)
from app.domain.stream import Message, Role, Type
from app.domain.tool import TERMINAL
from app.services.conversation import chat_import
from backends.data.presentation import cells_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from app.domain.conversation import Conversation, Thread
    from app.services.conversation.history import History
    from app.services.ports import StorePort

    Place = tuple[str, int]  # the key of an item: the id of its turn, and the item's number
    Pictures = Mapping[Place, bytes]

VERSION = 1
CHART_PX = 620  # the width of a chart, chosen to fit between the margins of an A4 page
BAR = str.maketrans({"|": "\\|", "\n": " ", "\r": " "})
PAGE = """<!doctype html>
<html><head><meta charset="utf-8"><title>{title}</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<style>
body {{ font: 15px/1.55 system-ui, sans-serif; color: #1c1c1a; }}
@media screen {{ body {{ max-width: 680px; margin: 40px auto; padding: 0 20px; background: #fbfbfa; }} }}
h1 {{ font-size: 22px; }} img {{ max-width: 100%; height: auto; }} .day {{ color: #6c6c66; font-size: 12px; }}
.question {{ background: #eef0ee; padding: 10px 14px; margin: 32px 0 12px 0; white-space: pre-wrap; font-weight: 600; }}
@media screen {{ .question {{ border-radius: 12px; margin-left: 18%; font-weight: 400; }} }}
table {{ border-collapse: collapse; width: 100%; }} th, td {{ border-bottom: 1px solid #e3e3df; padding: 5px 8px; text-align: left; }}
th {{ color: #6c6c66; font-weight: 400; }} pre {{ background: #f3f3f0; border-radius: 8px; padding: 10px 14px; white-space: pre-wrap; }}
code {{ font: 13px ui-monospace, monospace; }} a {{ color: #0f766e; }} blockquote {{ font-style: italic; border-left: 3px solid #e3e3df; margin: 12px 0 12px 14px; padding-left: 14px; }}
</style></head><body>
<h1>{title}</h1><p class="day">{day}</p>
{body}
</body></html>
"""


def day_of(seconds: float) -> str:
    """Return the date of a time, in UTC. seconds: the time in seconds since 1970."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")


@dataclass(frozen=True)
class Phrasing:
    """The texts that surround the content of a conversation, in one language.

    day: returns the date of a time in seconds since 1970. cite: returns the text of a citation.
    understood: how a question was understood, with `{}` for its words.
    """

    day: Callable[[float], str] = day_of
    cite: Callable[[Citation], str] = Citation.words
    understood: str = "Understood: {}"


ENGLISH = Phrasing()


def as_markdown(conversation: Conversation, thread: Thread, phrasing: Phrasing = ENGLISH) -> str:
    """Return the displayed branch as Markdown: with the questions as headings, the answers as
    received, and the sources below them.
    """
    parts = [f"# {line(conversation.title)}", f"*{phrasing.day(conversation.created_at)}*"]
    for turn in thread.path:
        parts += [
            f"## {line(turn.question)}" if "\n" not in turn.question else quoted(turn),
            answer_of(turn, phrasing),
        ]
    return "\n\n".join(part for part in parts if part) + "\n"


def as_html(
    conversation: Conversation,
    thread: Thread,
    pictures: Pictures,
    phrasing: Phrasing = ENGLISH,
) -> str:
    """Return the displayed branch as a single static page that loads no resources and runs no
    scripts.

    pictures: the pictures of charts. A chart without a picture becomes a table of its numbers.
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
            for number, text in parts_of(turn, phrasing)
        )

    body = "\n".join(
        f'<div class="question">{html.escape(turn.question)}</div>\n{answer(turn)}'
        for turn in thread.path
    )
    day = html.escape(phrasing.day(conversation.created_at))
    return PAGE.format(title=html.escape(conversation.title), day=day, body=body)


def as_json(conversations: list[tuple[Conversation, Thread]]) -> str:
    """Return conversations with all their branches, steps and citations, in a form that Deskpilot
    can import without loss.
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
    """Return an item as its kind and its fields."""
    if isinstance(item, Message):
        return {"kind": "message"} | item.as_dict()
    return {"kind": name_of(item), "fields": as_dict(item)}


def as_lmc(thread: Thread) -> str:
    """Return the displayed branch as a list of LMC messages, without the parts that LMC cannot
    express.
    """
    made: list[dict[str, Any]] = []
    for turn in thread.path:
        told = [item for item in turn.items if isinstance(item, Message)]
        came = told and (told[0].role, told[0].type, told[0].content) == (
            "user",
            "message",
            turn.question,
        )
        if not came and turn.question:  # an imported question is exported as it was imported
            asked = Message(
                "user", "message", turn.question, id=turn.id, created_at=turn.created_at
            )
            told.insert(0, asked)
        made += [item.as_dict() for item in told]
    return json.dumps(made, ensure_ascii=False, indent=1)


def answer_of(turn: Turn, phrasing: Phrasing = ENGLISH) -> str:
    """Return an answer as Markdown: how the question was understood, its text, code, tables and
    citations, and how it ended.
    """
    return "\n\n".join(text for _, text in parts_of(turn, phrasing))


def parts_of(turn: Turn, phrasing: Phrasing = ENGLISH) -> Iterator[tuple[int, str]]:
    """Yield the parts of an answer as Markdown, each with the number of its item.

    A table is included only once: the version in the text or, if that has only the first rows, the
    complete one.
    """
    whole = tables_of(turn)
    told = {
        head
        for item in turn.items
        if isinstance(item, Message)
        for head, rows in tables_in(item.content)
        if rows == whole.get(head)
    }
    for number, item in enumerate(turn.items):
        text = ""
        if isinstance(item, Message):
            text = without_tables(as_words(item), whole.keys() - told).strip()
        elif isinstance(item, Status) and item.reading is not None and not item.reading.asks:
            understood = line(" · ".join(item.reading.words))
            text = f"*{phrasing.understood.format(understood)}*" if understood else ""
        elif isinstance(item, Artifact) and artifact_head(item) not in told:
            text = artifact_of(item)
        elif isinstance(item, Citations):
            text = "\n".join(f"- {source}" for source in sources_of(item, phrasing))
        elif isinstance(item, Ended) and item.state != "done":
            text = f"*{line(f'{item.text} {item.remedy}')}*"
        if text:
            yield number, text


def artifact_head(artifact: Artifact) -> tuple[str, ...]:
    """Return the columns of a table that was sent separately from the text, or an empty tuple for
    anything else.
    """
    rows = artifact.content
    if artifact.type != "table" or not isinstance(rows, list) or not rows:
        return ()
    return tuple(map(str, rows[0])) if isinstance(rows[0], dict) else ()


def tables_of(turn: Turn) -> dict[tuple[str, ...], int]:
    """Return the row counts, by columns, of the tables that were sent separately from the text of
    an answer.
    """
    made = [item for item in turn.items if isinstance(item, Artifact)]
    return {head: len(item.content) for item in made if (head := artifact_head(item))}


def head_of(block: str) -> tuple[str, ...]:
    """Return the column names in the header of a Markdown table."""
    first = block.strip().split("\n", 1)[0].strip().strip("|")
    return tuple(cell.replace("\\|", "|").strip() for cell in re.split(r"(?<!\\)\|", first))


def tables_in(text: str) -> Iterator[tuple[tuple[str, ...], int]]:
    """Yield the tables in a Markdown text, with their columns and row counts."""
    for block in text.split("\n\n"):
        lines = block.strip().split("\n")
        if len(lines) > 2 and all(one.lstrip().startswith("|") for one in lines):
            yield head_of(block), len(lines) - 2


def without_tables(text: str, heads: set[tuple[str, ...]]) -> str:
    """Return a Markdown text without the tables that have certain columns."""
    blocks = text.split("\n\n")
    return "\n\n".join(b for b in blocks if not ("|" in b and head_of(b) in heads))


def figure(picture: bytes, item: Message | Event) -> str:
    """Return a chart as HTML that contains its picture. picture: the picture as PNG."""
    name = html.escape(item.name if isinstance(item, Artifact) else "")
    data = base64.b64encode(picture).decode()
    return (
        f"<p><strong>{name}</strong></p>\n"
        f'<p><img width="{CHART_PX}" alt="{name}" src="data:image/png;base64,{data}"></p>'
    )


def sources_of(citations: Citations, phrasing: Phrasing = ENGLISH) -> list[str]:
    """Return one line for each citation."""
    return [
        line(f"[{number}] {phrasing.cite(one)}{f', {one.url}' if one.url and one.name else ''}")
        for number, one in enumerate(citations.citations, 1)
    ]


def artifact_of(artifact: Artifact) -> str:
    """Return a table, chart or text from an answer. A chart is represented by its numbers."""
    name, rows = f"**{line(artifact.name or artifact.type)}**", artifact.content
    if isinstance(rows, list) and rows and all(isinstance(row, dict) for row in rows):
        names = list(dict.fromkeys(str(key) for row in rows for key in row))
        columns = [column_of([row.get(name) for row in rows]) for name in names]
        lines = [[name.translate(BAR) for name in names], [rule for rule, _ in columns]]
        lines += map(list, zip(*(cells for _, cells in columns), strict=True))
        return f"{name}\n\n" + "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
    text = rows if isinstance(rows, str) else json.dumps(rows, ensure_ascii=False, indent=1)
    if artifact.type == "text":
        return f"{name}\n\n{text}"
    mark = "```" if "```" not in text else "~~~~~"
    return f"{name}\n\n{mark}\n{text}\n{mark}"


def column_of(values: list[Any]) -> tuple[str, list[str]]:
    """Return a column of a table: the alignment of its cells in Markdown, and the cells themselves,
    whose numbers are formatted as in the window.
    """
    full = [value for value in values if value is not None]
    if full and all(isinstance(v, int | float) and not isinstance(v, bool) for v in full):
        shown = cells_of(values, computed=False)
        return "---:", ["" if v is None else c for v, c in zip(values, shown, strict=True)]
    return "---", [cell(value) for value in values]


def cell(value: Any) -> str:
    """Return a value as a table cell."""
    if value is None:
        return ""
    return (value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)).translate(
        BAR
    )


def quoted(turn: Turn) -> str:
    """Return a question that has several lines, with the first line as a heading and the whole
    question as a quotation."""
    first = next((text for text in turn.question.splitlines() if text.strip()), "Question")
    return f"## {line(first)}\n\n" + "\n".join(f"> {text}" for text in turn.question.splitlines())


def line(text: str) -> str:
    """Return a text on a single line."""
    return " ".join(text.split())


ROLES, TYPES = get_args(Role), get_args(Type)
MOST = 2000  # maximum number of messages in one list
RUN_IT = "Run this code."  # the question that is used for a list without any question
REMEDY = 'Send {"messages": [{"role": "user", "type": "message", "content": "…"}]}.'


def turns_of(told: object, conversation: str) -> list[Turn]:
    """Return the turns in a list of messages, the last of which is running. They are not stored.
    Code at the end of the list waits to be run.

    Raises: ExchangeError if the value is not a list of messages, or if its last message needs no
    answer.
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
        if not made and is_code(message):  # a list may consist only of code to be run
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
    """Return a message as it was sent, or None for a confirmation, which is never part of a
    conversation.

    Raises: ExchangeError if it is not a message.
    """
    if not isinstance(raw, dict) or raw.get("role") not in ROLES or raw.get("type") not in TYPES:
        raise ExchangeError(f"This is not an LMC message: {str(raw)[:100]}", REMEDY)
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
    """Convert code that was run into a call with its result, which is the form that copilots
    expect, and return the items.
    """
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
    """Return whether an item is code written by the assistant."""
    return isinstance(item, Message) and (item.role, item.type) == ("assistant", "code")


def waiting(turn: Turn) -> CopilotCall | None:
    """Return the call for code that is at the end of a turn and has been neither run nor refused,
    or None if there is no such code.
    """
    last = turn.items[-1] if turn.items else None
    return call_of(last) if isinstance(last, Message) and is_code(last) else None


def is_computers(item: Message | Event) -> TypeGuard[Message]:
    """Return whether an item is a message from the computer."""
    return isinstance(item, Message) and item.role == "computer"


def call_of(code: Message) -> CopilotCall:
    """Return the call that an item with code stands for."""
    parameters = {"language": code.format or "python", "code": code.content}
    arguments: dict[str, Any] = {
        "server_id": TERMINAL,
        "tool_name": RUN_CODE,
        "parameters": parameters,
    }
    wire = json.dumps({"function": "execute_agent_tool", "input_arguments": arguments})
    return CopilotCall("execute_agent_tool", arguments, wire)


Form = Literal["md", "html", "json", "lmc"]
FORMS: dict[str, Form] = {"md": "md", "html": "html", "json": "json", "lmc": "lmc"}


class Exchange:
    """Writes conversations to files, and reads them from files."""

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

    async def text(
        self,
        conversation_id: str,
        form: Form,
        pictures: Pictures | None = None,
        phrasing: Phrasing = ENGLISH,
    ) -> str:
        """Return a conversation in a given format. pictures: its charts as PNG, which are used for
        HTML.

        Raises: NoConversation.
        """
        one, thread = await self._whole(conversation_id)
        return await asyncio.to_thread(written_in, form, one, thread, pictures or {}, phrasing)

    async def write(
        self,
        conversation_id: str,
        form: Form,
        path: Path,
        pictures: Pictures | None = None,
        phrasing: Phrasing = ENGLISH,
    ) -> None:
        """Write a conversation to a file. See `text`.

        Raises: NoConversation, ExchangeError.
        """
        text = await self.text(conversation_id, form, pictures, phrasing)
        await asyncio.to_thread(write_text, path, text)

    async def write_all(self, path: Path) -> int:
        """Write all conversations that are not in the trash to one JSON file, and return how many
        there are.

        Raises: ExchangeError.
        """
        every = [await self._whole(one.id) for one in await self._history.conversations()]
        await asyncio.to_thread(lambda: write_text(path, as_json(every)))
        return len(every)

    async def read(self, path: Path) -> list[Conversation]:
        """Import the conversations in a file, and return them.

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


def written_in(
    form: Form, one: Conversation, thread: Thread, pictures: Pictures, phrasing: Phrasing
) -> str:
    """Return a conversation in a given format."""
    if form == "md":
        return as_markdown(one, thread, phrasing)
    if form == "html":
        return as_html(one, thread, pictures, phrasing)
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
            "Choose a writable folder with enough free space.",
        ) from error
