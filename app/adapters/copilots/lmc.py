"""Open Interpreter servers, which receive a list of LMC messages and return LMC chunks, one JSON
object per line.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, get_args

from app.adapters.copilots.client import BodySize, posted
from app.adapters.copilots.client import refuse_unless_ok as check
from app.adapters.copilots.sse import OversizedEvent
from app.domain.code import head_and_tail
from app.domain.copilot import without_skill
from app.domain.errors import BrokenOff
from app.domain.events import RUN_CODE, CallResult, CopilotCall, Item, Status
from app.domain.stream import Chunk, Message, Role, Type

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    import httpx

    from app.domain.conversation import Caps, Turn
    from app.domain.copilot import Copilot, RequestOffer

ROLES, TYPES = get_args(Role), get_args(Type)
LINE_BYTES = 16 * 1024 * 1024


class LineReader:
    """Turns chunks of bytes, which may be split at any point, into lines."""

    def __init__(self, limit_bytes: int = LINE_BYTES) -> None:
        self._limit = limit_bytes
        self._line = bytearray()

    def feed(self, chunk: bytes) -> list[str]:
        """Add the next bytes, and return the lines that they complete.

        Raises: OversizedEvent.
        """
        first, *others = chunk.split(b"\n")  # the bytes before contain no line end
        self._line += first
        if len(self._line) > self._limit:
            raise OversizedEvent(f"a line of more than {self._limit} bytes")
        if not others:
            return []
        lines = [bytes(self._line), *others[:-1]]
        self._line = bytearray(others[-1])
        return [line.decode("utf-8", "replace") for line in lines]

    def rest(self) -> str:
        """Return the bytes after the last line end."""
        return self._line.decode("utf-8", "replace")


async def ask_lmc(
    client: httpx.AsyncClient,
    copilot: Copilot,
    turns: list[Turn],
    caps: Caps,
    offer: RequestOffer,
) -> AsyncGenerator[Item, None]:
    """Yield the answer of an LMC server. If it wants to run code, the connection is closed and the
    call is yielded last, because this terminal itself runs the code once the user allows it.

    Continuing to read would let the server run the code. Raises: Unreachable, CopilotRefusal,
    CopilotStalled, BrokenOff, CapReached.
    """
    if offer.widgets and not turns[-1].items:
        yield Status(
            "WARNING", f"{copilot.name} cannot receive attached tables; it gets only the question."
        )
    skills = [one.content for one in offer.selected]
    body = {"messages": lmc_messages(turns, caps.history_characters, skills)}
    async with posted(
        client, copilot, body, caps, "application/x-ndjson, application/json"
    ) as sent:
        await check(sent.answer, copilot)
        reader, size = LineReader(), BodySize(caps.stream_bytes)
        async for piece in sent.answer.aiter_bytes():
            size.add(piece)
            for line in reader.feed(piece):
                if (chunk := read_chunk(line)) is None:
                    continue
                sent.begun = True
                if chunk.get("type") == "confirmation":
                    yield confirmation(chunk, line)
                    return
                if is_end(chunk):
                    return
                if (item := item_of(chunk)) is not None:
                    yield item
        rest = reader.rest()  # the last line may have no line end
        chunk = read_chunk(rest)
        if rest.strip() and chunk is None:
            raise BrokenOff("The answer ended in the middle of a line.", "Send the question again.")
        if chunk is None or is_end(chunk):
            return
        if chunk.get("type") == "confirmation":
            yield confirmation(chunk, rest)
        elif (item := item_of(chunk)) is not None:
            yield item


def read_chunk(line: str) -> dict[str, Any] | None:
    """Return the chunk in a line, which may be the data of an event; None if it is not a JSON
    object.

    An unpaired surrogate becomes `?`, and NaN becomes null: otherwise, they could not be stored or
    forwarded.
    """
    try:
        value = json.loads(line.strip().removeprefix("data:"), parse_constant=lambda _: None)
        if "\\ud" in line.lower():
            value = json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def is_end(chunk: dict[str, Any]) -> bool:
    """Return whether a server reports that it has finished."""
    return (chunk.get("type"), chunk.get("content")) == ("status", "complete")


def confirmation(chunk: dict[str, Any], line: str) -> CopilotCall:
    """Return the call for a request to run code; both of the content formats in use are
    supported.
    """
    told = chunk.get("content")
    content: dict[str, Any] = told if isinstance(told, dict) else {}
    code = content.get("code", content.get("content"))
    language = content.get("language", content.get("format"))
    arguments = {
        "language": str(language or "python"),
        "code": code if isinstance(code, str) else "",
    }
    return CopilotCall(RUN_CODE, arguments, line.strip())


def item_of(chunk: dict[str, Any]) -> Item | None:
    """Return a chunk as one of our items; None for chunks that are not shown, namely flags of an
    unknown type and content in an unknown format.
    """
    role: Any = chunk.get("role")
    kind: Any = chunk.get("type")
    content = chunk.get("content")
    if kind == "error":
        return Status("ERROR", str(content)[:2000])
    if role not in ROLES or kind not in TYPES:
        return None
    form = chunk.get("format")
    form = form if isinstance(form, str) else None
    recipient = chunk.get("recipient")
    recipient = recipient if recipient in ("user", "assistant") else None
    if chunk.get("start") or chunk.get("end"):
        return Chunk(
            role,
            kind,
            None,
            form,
            recipient,
            start=bool(chunk.get("start")),
            end=not chunk.get("start"),
        )
    if form == "active_line":
        return Chunk(role, kind, "" if content is None else str(content), form, recipient)
    return (
        Chunk(role, kind, content, form, recipient)
        if isinstance(content, str) and content
        else None
    )


def lmc_messages(turns: list[Turn], characters: int, skills: list[str]) -> list[dict[str, Any]]:
    """Return a branch as LMC messages. If the branch is too long, only its newest turns are
    included. Calls that use other protocols are left out.

    skills: texts placed before the question, because these servers do not support skills in any
    other way.
    """
    kept: list[list[dict[str, Any]]] = []
    for turn in reversed(turns):
        made = [
            {"role": "user", "type": "message", "content": without_skill(turn.question)},
            *map(message, told(turn)),
        ]
        characters -= sum(len(str(m["content"])) for m in made)
        if characters < 0 and kept:
            break
        kept.append(made)
    kept[0][0]["content"] = "\n\n".join([*skills, kept[0][0]["content"]])
    return [m for made in reversed(kept) for m in made]


def told(turn: Turn) -> list[Message]:
    """Return a turn as messages for an LMC server, with the reason why refused code did not run.

    Long output is shortened to its beginning and end. If there are many pictures, only the first
    one and the last two are sent.
    """
    found: list[Message] = []
    ran = False
    for item in turn.items:
        if isinstance(item, Message) and (item.role, item.type) == ("user", "message"):
            continue  # in an imported conversation, this is the question itself
        if isinstance(item, Message):
            ran = ran or item.role == "computer"
            console = item.type == "console" and isinstance(item.content, str)
            if item.content or console:
                found.append(
                    replace(item, content=head_and_tail(item.content)) if console else item
                )
        elif isinstance(item, CopilotCall):
            ran = False
        elif isinstance(item, CallResult) and item.function == RUN_CODE and not ran:
            found.append(Message("computer", "console", item.content, "output"))
    pictures = [item for item in found if item.type == "image"]
    left_out = pictures[1:-2]
    return [item for item in found if not any(item is one for one in left_out)]


def message(item: Message) -> dict[str, Any]:
    """Return a message in the protocol's format, without the fields that only this terminal
    uses.
    """
    return {k: v for k, v in item.as_dict().items() if k not in ("id", "created_at")}
