"""A conversation as Markdown, HTML, JSON or a list of LMC messages."""

from __future__ import annotations

import html
import json
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from app.domain.conversation import as_words
from app.domain.events import Artifact, Citations, Ended, Event, as_dict, name_of
from app.domain.stream import Message

if TYPE_CHECKING:
    from app.domain.conversation import Conversation, Thread, Turn

VERSION = 1
BAR = str.maketrans({"|": "\\|", "\n": " ", "\r": " "})
PAGE = """<!doctype html>
<html><head><meta charset="utf-8"><title>{title}</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>
body {{ max-width: 680px; margin: 40px auto; padding: 0 20px; font: 15px/1.55 system-ui, sans-serif; color: #1c1c1a; background: #fbfbfa; }}
h1 {{ font-size: 22px; }} .day {{ color: #6c6c66; font-size: 12px; }}
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
    """Return the branch that is shown as Markdown: questions as headings, answers as they came,
    sources below.
    """
    parts = [f"# {line(conversation.title)}", f"*{day_of(conversation)}*"]
    for turn in thread.path:
        parts += [
            f"## {line(turn.question)}" if "\n" not in turn.question else quoted(turn),
            answer_of(turn),
        ]
    return "\n\n".join(part for part in parts if part) + "\n"


def as_html(conversation: Conversation, thread: Thread) -> str:
    """Return the branch that is shown as one page that loads and runs nothing."""
    from markdown_it import MarkdownIt

    reader = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    reader.add_render_rule(
        "image", lambda _, tokens, at, *__: html.escape(f"[{tokens[at].content}]")
    )
    body = "\n".join(
        "<div"
        f' class="question">{html.escape(turn.question)}</div>\n{reader.render(answer_of(turn))}'
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
    return {k: v for k, v in asdict(turn).items() if k not in ("items", "conversation_id")} | {
        "items": items
    }


def item_as_dict(item: Message | Event) -> dict[str, Any]:
    """Return an item: its kind, and its fields."""
    if isinstance(item, Message):
        return {"kind": "message"} | item.as_dict()
    return {"kind": name_of(item), "fields": as_dict(item)}


def as_lmc(thread: Thread) -> str:
    """Return the branch that is shown as a list of LMC messages; what LMC cannot say is left
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
    """Return what came of a question as Markdown: words, code, tables, where numbers come from, how
    it ended.
    """
    parts: list[str] = []
    for item in turn.items:
        if isinstance(item, Message):
            parts.append(as_words(item).strip())
        elif isinstance(item, Artifact):
            parts.append(artifact_of(item))
        elif isinstance(item, Citations):
            parts.append("\n".join(f"- {text}" for text in sources_of(item)))
        elif isinstance(item, Ended) and item.state != "done":
            parts.append(f"*{line(f'{item.text} {item.remedy}')}*")
    return "\n\n".join(part for part in parts if part)


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
    """Return a value as it stands in a table."""
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
    """Return when a conversation was begun, in UTC."""
    return datetime.fromtimestamp(conversation.created_at, UTC).strftime("%Y-%m-%d %H:%M UTC")
