"""Parse a request of any protocol generation.

Generations differ in `widgets` (a list in 2024, lists by priority today) and in tool results. All
four known forms of results are accepted: `data: {content}`, top-level `content`, a flat list of
`{content}`, and a list of `{items}`.
"""

from __future__ import annotations

import asyncio
import base64
import io
import json
import re
import sys
import zipfile
from dataclasses import replace
from typing import Any, cast
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree

from backends import children
from backends.protocol.request import (
    BadRequest,
    ContentPart,
    ContextData,
    CopilotMessage,
    CopilotRequest,
    Dialect,
    FunctionResult,
    Human,
    Message,
    OfferedTool,
    RequestedCall,
    RequestWidget,
)

FILES = {"pdf", "docx", "xlsx", "xls", "png", "jpg", "jpeg"}  # sent as base64
WORDS = {"csv", "txt", "md", "html"}  # sent as plain text or base64
LINKS = ("url", "file_reference")
# the fields of an object that contains only text
SAYING = [["text"], ["content"], ["markdown"], ["body"]]
LINK = re.compile(r"https?://\S+")
PDF = "JVBERi0"  # the start of every PDF in base64
PACKED = re.compile(r"[A-Za-z0-9+/]+={0,2}")
SHORTEST = 16  # number of base64 characters; a shorter text is plain text
TODAY = {
    "tools",
    "timezone",
    "workspace_options",
    "workspace_state",
    "api_keys",
    "urls",
    "force_web_search",
}


def parse_request(body: Any) -> CopilotRequest:
    """Return the query in a request body.

    Raises: BadRequest, which names the invalid field.
    """
    if not isinstance(body, dict):
        raise BadRequest("The request is not a JSON object.", 'Send {"messages": [...]}.')
    fields = cast("dict[str, Any]", body)
    messages = fields.get("messages")
    if not isinstance(messages, list) or not messages:
        raise BadRequest("messages list cannot be empty", "Send at least one message.")
    widgets: Any = fields.get("widgets")
    groups: dict[str, Any] = widgets if isinstance(widgets, dict) else {"primary": widgets or []}
    options: Any = fields.get("workspace_options")
    model: Any = fields.get("model")
    urls: Any = fields.get("urls")
    return CopilotRequest(
        messages=[
            parse_message(m, f"messages[{i}]") for i, m in enumerate(cast("list[Any]", messages))
        ],
        primary=parse_widgets(groups.get("primary"), "widgets.primary"),
        secondary=parse_widgets(groups.get("secondary"), "widgets.secondary"),
        extra=parse_widgets(groups.get("extra"), "widgets.extra"),
        context=parse_context(fields.get("context")),
        tools=[
            parse_tool(t, f"tools[{i}]")
            for i, t in enumerate(as_list(fields.get("tools"), "tools"))
        ],
        options=cast("dict[str, Any]", options) if isinstance(options, dict) else {},
        timezone=str(fields.get("timezone") or "UTC"),
        skills=parse_skills(fields.get("selected_skills")),
        model=model if isinstance(model, str) else None,
        dialect=dialect_of(fields),
        urls=[url for url in cast("list[Any]", urls) if isinstance(url, str) and url]
        if isinstance(urls, list)
        else [],
    )


def dialect_of(fields: dict[str, Any]) -> Dialect:
    """Return which generation of the protocol a request uses, judging by the form of `widgets` or
    else by newer fields.
    """
    widgets = fields.get("widgets")
    if isinstance(widgets, dict):
        return "today"
    if isinstance(widgets, list):
        return "2024"
    return "today" if TODAY & set(fields) else "2024"


def parse_message(value: Any, place: str) -> Message:
    """Parse one message.

    Raises: BadRequest.
    """
    message = as_object(value, place)
    role = message.get("role")
    if role == "human":
        return Human(as_text(message.get("content"), f"{place}.content"))
    if role == "ai":
        return parse_said(message.get("content"), place)
    if role == "tool":
        return parse_returned(message, place)
    raise BadRequest(f"{place}.role is {role!r}.", "It is human, ai or tool.")


def parse_said(content: Any, place: str) -> CopilotMessage | RequestedCall:
    """Parse a copilot's message, which is text or a call (an object, or JSON encoded once or
    twice)."""
    value: Any = content
    for _ in range(2):
        if isinstance(value, str):
            try:
                value = json.loads(value)
            except (ValueError, RecursionError):  # JSON nested too deeply is treated as text
                break
    if isinstance(value, dict) and "function" in value and "input_arguments" in value:
        call = cast("dict[str, Any]", value)
        extra = {k: v for k, v in call.items() if k not in ("function", "input_arguments")}
        state = call.get("extra_state")
        return RequestedCall(
            str(call["function"]),
            as_object(call["input_arguments"] or {}, f"{place}.content.input_arguments"),
            cast("dict[str, Any]", state) if isinstance(state, dict) else extra,
        )
    return CopilotMessage(as_text(content, f"{place}.content"))


def parse_returned(message: dict[str, Any], place: str) -> FunctionResult:
    """Parse a tool's result, in any of the four forms."""
    function = as_text(message.get("function"), f"{place}.function")
    data = message.get("data")
    parts: list[ContentPart] = []
    failed = False
    entries: list[Any] = data if isinstance(data, list) else [data] if data is not None else []
    for at, entry in enumerate(entries):
        found, wrong = entry_parts(entry, f"{place}.data")
        parts += [replace(part, entry=at) for part in found]
        failed = failed or wrong
    if not parts and "content" in message:
        parts = parts_of({"content": message["content"]})
    if not parts and not entries:
        raise BadRequest(
            f"{place} has neither data nor content.", "Send what the function returned."
        )
    state = message.get("extra_state")
    return FunctionResult(
        function,
        as_object(message.get("input_arguments") or {}, f"{place}.input_arguments"),
        texts_of(parts),
        failed,
        cast("dict[str, Any]", state) if isinstance(state, dict) else {},
        parts,
    )


def texts_of(parts: list[ContentPart]) -> list[str]:
    """Return the texts in parts, without files and URLs."""
    return [part.text for part in parts if part.is_text]


def entry_parts(entry: Any, place: str) -> tuple[list[ContentPart], bool]:
    """Return the parts of one entry of a result, and whether it reports a failure."""
    value = as_object(entry, place)
    if isinstance(value.get("items"), list):
        items = [as_object(item, f"{place}.items") for item in cast("list[Any]", value["items"])]
        return [part for item in items for part in parts_of(item)], False
    if "error_type" in value:
        return [
            ContentPart(as_content(value.get("content") or value["error_type"]), failed=True)
        ], True
    if "status" in value:
        text = as_content(value.get("message") or value["status"])
        failed = value["status"] == "error"
        return [ContentPart(text, failed=failed)], failed
    return parts_of(value), False


def parts_of(item: dict[str, Any]) -> list[ContentPart]:
    """Return the parts of a data item: text, a file or a URL. Empty if it has none.

    A file widget returns a list of such items inside its content.
    """
    form: Any = item.get("data_format")
    form = cast("dict[str, Any]", form) if isinstance(form, dict) else {}
    kind, name = str(form.get("data_type") or "").lower(), str(form.get("filename") or "")
    url = next((u for key in LINKS if isinstance(u := item.get(key), str) and u), "")
    if "content" not in item:
        return (
            [ContentPart(kind=kind or kind_of(url), name=name or last_of(url), url=url)]
            if url
            else []
        )
    content: Any = item["content"]
    if isinstance(content, dict) and list(cast("dict[str, Any]", content)) in SAYING:
        (content,) = cast("dict[str, Any]", content).values()
    if inside := files_in(content):
        return [part for one in inside for part in parts_of(one)]
    text = as_content(content)
    bare = text.strip().strip('"')
    if LINK.fullmatch(bare):
        return [ContentPart(kind=kind or kind_of(bare), name=name or last_of(bare), url=bare)]
    if (kind in FILES and text) or text.startswith(PDF):
        return [ContentPart(kind=kind if kind in FILES else "pdf", name=name, data=text)]
    if kind in WORDS:
        return [ContentPart(unpacked(text), kind, name)]
    return [ContentPart(text, "" if kind == "object" else kind, name)]


def files_in(content: Any) -> list[dict[str, Any]]:
    """Return the file items in content, or an empty list if it is not a file or a list of files."""
    value: Any = content
    if isinstance(content, str) and content.lstrip()[:1] in ("{", "["):
        try:
            value = json.loads(content)
        except (ValueError, RecursionError):
            return []
    rows = cast("list[Any]", value if isinstance(value, list) else [value])
    told = [cast("dict[str, Any]", row) for row in rows if isinstance(row, dict)]
    if not told or len(told) != len(rows):
        return []
    formed = all(isinstance(row.get("data_format"), dict) for row in told)
    linked = all(set(row) <= {*LINKS, "filename", "name"} and set(row) & {*LINKS} for row in told)
    return told if formed or linked else []


def kind_of(url: str) -> str:
    """Return the file type that a URL ends with, or an empty string for a page."""
    name = last_of(url)
    return name.rpartition(".")[2].lower() if "." in name else ""


def last_of(url: str) -> str:
    """Return the file name that a URL ends with."""
    return unquote(urlsplit(url).path.rpartition("/")[2])


def unpacked(text: str) -> str:
    """Return the text of a base64-encoded text file, or any other text unchanged."""
    packed = "".join(text.split())
    if len(packed) < SHORTEST or not PACKED.fullmatch(packed):
        return text
    try:
        made = base64.b64decode(packed, validate=True).decode("utf-8-sig")
    except ValueError:
        return text
    return made if all(letter.isprintable() or letter in "\r\n\t\f" for letter in made) else text


def parse_widgets(value: Any, place: str) -> list[RequestWidget]:
    """Parse a list of widgets.

    Raises: BadRequest.
    """
    widgets: list[RequestWidget] = []
    for i, raw in enumerate(as_list(value, place)):
        one = as_object(raw, f"{place}[{i}]")
        metadata, params = one.get("metadata"), one.get("params")
        widgets.append(
            RequestWidget(
                uuid=str(one.get("uuid") or ""),
                name=str(one.get("name") or ""),
                description=str(one.get("description") or ""),
                origin=str(one.get("origin") or ""),
                widget_id=str(one.get("widget_id") or ""),
                params=cast("list[dict[str, Any]]", params) if isinstance(params, list) else [],
                metadata=cast("dict[str, Any]", metadata) if isinstance(metadata, dict) else {},
            )
        )
    return widgets


def parse_context(value: Any) -> list[ContextData]:
    """Parse the context in all forms that terminals send: a text, one item, or a list of items,
    each with its name.

    An item's data is text, rows, `{content}`, `{items}` or a list of these.
    """
    found: list[ContextData] = []
    things = [value] if isinstance(value, str | dict) else as_list(value, "context")
    for i, raw in enumerate(things):
        if isinstance(raw, str):
            if raw:
                found.append(ContextData("context", "", [raw], "", [ContentPart(raw)]))
            continue
        one = as_object(raw, f"context[{i}]")
        parts = context_parts(one, f"context[{i}].data")
        found.append(
            ContextData(
                str(one.get("name") or ""),
                str(one.get("description") or ""),
                texts_of(parts),
                str(one.get("uuid") or ""),
                parts,
            )
        )
    return found


def context_parts(one: dict[str, Any], place: str) -> list[ContentPart]:
    """Return the parts of a context item, in any of its forms."""
    data = one.get("data")
    if data is None:
        return parts_of({key: one[key] for key in (*LINKS, "content", "data_format") if key in one})
    if isinstance(data, dict):
        fields = cast("dict[str, Any]", data)
        told = {"items", "content", "error_type", *LINKS} & fields.keys()
        return entry_parts(fields, place)[0] if told else [ContentPart(as_content(fields))]
    entries = cast("list[Any]", data) if isinstance(data, list) else []
    if entries and all(is_entry(entry) for entry in entries):
        return [part for entry in entries for part in entry_parts(entry, place)[0]]
    return parts_of({"content": data})


def is_entry(value: Any) -> bool:
    """Return whether a value is a data entry and not a row that happens to have a column with such
    a name.
    """
    return isinstance(value, dict) and (
        "items" in value
        or set(cast("dict[str, Any]", value)) <= {"content", "data_format", "citable", *LINKS}
    )


def parse_skills(value: Any) -> list[str]:
    """Parse the texts of the skills that a question uses."""
    told = [
        as_object(raw, f"selected_skills[{i}]")
        for i, raw in enumerate(as_list(value, "selected_skills"))
    ]
    return [text for one in told if isinstance(text := one.get("contentMarkdown"), str) and text]


def parse_tool(value: Any, place: str) -> OfferedTool:
    """Parse one tool.

    Raises: BadRequest.
    """
    one = as_object(value, place)
    schema, prompt = one.get("input_schema"), one.get("prompt")
    notes = one.get("annotations")
    return OfferedTool(
        name=as_text(one.get("name"), f"{place}.name"),
        server_id=str(one.get("server_id") or ""),
        description=str(one.get("description") or ""),
        schema=cast("dict[str, Any]", schema) if isinstance(schema, dict) else {},
        prompt={k: v for k, v in prompt.items() if isinstance(v, str)}
        if isinstance(prompt, dict)
        else {},
        writes=isinstance(notes, dict) and notes.get("readOnlyHint") is False,
    )


def as_list(value: Any, place: str) -> list[Any]:
    """Return a value as a list, which is empty for null.

    Raises: BadRequest.
    """
    if value is None:
        return []
    if not isinstance(value, list):
        raise BadRequest(f"{place} is not a list.", "Send a list.")
    return cast("list[Any]", value)


def as_object(value: Any, place: str) -> dict[str, Any]:
    """Return a value as an object.

    Raises: BadRequest.
    """
    if not isinstance(value, dict):
        raise BadRequest(f"{place} is not an object.", "Send an object.")
    return cast("dict[str, Any]", value)


def as_text(value: Any, place: str) -> str:
    """Return a value as a string.

    Raises: BadRequest.
    """
    if not isinstance(value, str):
        raise BadRequest(f"{place} is not text.", "Send a string.")
    return value


def as_content(value: Any) -> str:
    """Return content as text. Values other than text are returned as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


READABLE = frozenset({"pdf", "docx", "xlsx", "xls"})
SECONDS = 30.0
MOST_BYTES = 50_000_000
MOST_PAGES = 2_000
MOST_ROWS = 100_000
WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


async def read(part: ContentPart) -> list[ContentPart]:
    """Return the texts of a file, or the part itself if it cannot be read or has no text."""
    try:
        body = base64.b64decode(re.sub(r"\s+|^data:[^,]*,", "", part.data), validate=True)
    except ValueError:
        return [part]
    if part.kind not in READABLE or not body or len(body) > MOST_BYTES:
        return [part]
    pipe = asyncio.subprocess.PIPE
    quiet = asyncio.subprocess.DEVNULL
    process = await children.start(
        "-m", "backends.protocol.parser", part.kind, stdin=pipe, stdout=pipe, stderr=quiet
    )
    try:
        async with asyncio.timeout(SECONDS):
            told, _ = await process.communicate(body)
    except TimeoutError:
        return [part]
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    texts = [text for text in json.loads(told or b"[]") if text.strip()]
    return [replace(part, text=text, data="") for text in texts] or [part]


def texts_in(kind: str, body: bytes) -> list[str]:
    """Return the texts in a file. Libraries raise many kinds of errors for damaged files."""
    if kind == "pdf":
        import pypdfium2 as pdfium

        with pdfium.PdfDocument(body) as document:
            pages = [document[n].get_textpage() for n in range(min(len(document), MOST_PAGES))]
            return ["\n\n".join(page.get_text_bounded() for page in pages)]
    if kind == "docx":
        with zipfile.ZipFile(io.BytesIO(body)) as parts:
            if parts.getinfo("word/document.xml").file_size > MOST_BYTES:
                return []
            root = ElementTree.fromstring(parts.read("word/document.xml"))
        paragraphs = (
            "".join(t.text or "" for t in p.iter(f"{WORD}t")) for p in root.iter(f"{WORD}p")
        )
        return ["\n\n".join(text for text in paragraphs if text)]
    return sheets(body)


def sheets(body: bytes) -> list[str]:
    """Return the sheets of a workbook as rows. The first row contains the column names."""
    from python_calamine import CalamineWorkbook

    made: list[str] = []
    with CalamineWorkbook.from_filelike(io.BytesIO(body)) as book:
        for name in book.sheet_names:
            head, *rows = book.get_sheet_by_name(name).to_python(nrows=MOST_ROWS) or [[]]
            columns = [str(cell) or f"column {at}" for at, cell in enumerate(head, 1)]
            if columns and rows:
                listed = [dict(zip(columns, row, strict=False)) for row in rows]
                made.append(json.dumps(listed, ensure_ascii=False, default=str))
    return made


if __name__ == "__main__":
    sys.stdout.write(json.dumps(texts_in(sys.argv[1], sys.stdin.buffer.read())))
