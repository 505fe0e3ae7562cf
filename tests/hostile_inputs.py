"""Input of strangers, made to be wrong in ways that fit its format, and what must hold of it.

`TARGETS` has one entry for each thing that reads what others wrote. A target draws bytes or values
by their structure (a header of GGUF, a tree of JSON, the members of a zip archive), spoils them, and
checks what reads them: it answers, or raises the error that its callers expect. The suite looks at
a few of each (`tests/unit/test_hostile_inputs.py`), `tests/bench/fuzz.py` at as many as time allows.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import io
import json
import re
import struct
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

from hypothesis import strategies as st

from app.adapters.copilots.client import read, whole
from app.adapters.copilots.lmc import LineReader, confirmation, is_end, item_of, read_chunk
from app.adapters.copilots.sse import EventReader, OversizedEvent
from app.adapters.copilots.wire_events import translate
from app.data.readers import reader_of
from app.documents.formats import read_document
from app.domain.errors import (
    BackendError,
    DocumentError,
    ExchangeError,
    PluginRefused,
    SourceError,
    ToolError,
)
from app.domain.foreign_content import left_out
from app.openbb.content import Reply, read_content
from app.openbb.parameters import filled, query_of
from app.openbb.widgets import Backend, by_id, prompts_for, read_apps
from app.services.conversation.chat_import import read_file
from app.services.dashboard.fetches import is_old, wait_for
from app.services.voice.languages import ClauseSplitter
from app.services.voice.script import abbreviations
from app.tools.plugins.call import request_of
from app.tools.plugins.manifest import read_manifest
from app.tools.plugins.operations import read_specification
from backends.data.errors import KernelError
from backends.gguf import NotGguf, need_whole, read_gguf
from backends.protocol.parser import parse_request
from backends.protocol.request import BadRequest
from tests.workbooks import Sheet, write_xlsx

NOW = dt.datetime(2026, 11, 25, 12, tzinfo=dt.UTC)
DAMAGED = (ValueError, TypeError, LookupError, ArithmeticError, RecursionError, MemoryError)
"""What the process that reads documents takes for a damaged file."""

SCRAPS = st.sampled_from(
    [
        *(
            "",
            " ",
            "\x00",
            "\r",
            "\r\n",
            "\u2028",
            "\ufeff",
            "\ud800",
            "é",
            "中文",
            "😀",
            "a" * 3000,
        ),
        *("{}", "[]", "null", "NaN", "-1", "1e999", "0x10", "9" * 5000, "true", "$currentDate-1M"),
        *("../../etc/passwd", "..\\..\\x", "/etc/passwd", "C:\\x", "file:///etc/passwd", "%2e%2e/"),
        *(
            "http://127.0.0.1:1/",
            "http://169.254.169.254/",
            "http://[::1]:1/x",
            "http://a@b:99999/",
        ),
        *("javascript:alert(1)", "<script>alert(1)</script>", "<img src=http://a/b onerror=x>"),
        *("* * 30 2 *", "@every", "*/0 * * * *", "1 2 3", "{0}", "%s%n", "${x}", "=1+1", '"', "'"),
    ]
)
TEXT = SCRAPS | st.text(max_size=40)
NUMBERS = st.sampled_from(
    [0, 1, -1, 2**31, 2**63, 2**64, -(2**70), 10**30, 1.5, 1e308, float("inf"), float("nan")]
) | st.integers(-5, 5000)
SCALARS = st.none() | st.booleans() | NUMBERS | TEXT
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=8,
)


@st.composite
def spoiled(draw: st.DrawFn, valid: Any, others: st.SearchStrategy[Any] = JSON) -> Any:
    """Return a copy of a JSON value in which some places hold something else, or nothing."""
    value = json.loads(json.dumps(valid))
    for _ in range(draw(st.integers(0, 4))):
        places = list(places_of(value))
        if not places:
            return draw(others)
        holder, key = draw(st.sampled_from(places))
        how = draw(st.sampled_from(["put", "drop", "wrap", "double", "swap", "deep"]))
        if how == "put":
            holder[key] = draw(others)
        elif how == "wrap":
            holder[key] = [holder[key]]
        elif how == "swap":
            other, there = draw(st.sampled_from(places))
            holder[key] = json.loads(json.dumps(other[there]))
        elif how == "double" and isinstance(holder, list):
            holder.append(json.loads(json.dumps(holder[key])))
        elif how == "deep":
            for _ in range(draw(st.sampled_from([3, 70, 150]))):
                holder[key] = {"a": holder[key]} if draw(st.booleans()) else [holder[key]]
                if len(json.dumps(holder[key])) > 2000:
                    break
        else:
            del holder[key]
    return value


def places_of(value: Any) -> Any:
    """Yield each place of a value as its holder and key."""
    inside: Any = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, one in list(inside):
        yield value, key
        yield from places_of(one)


@st.composite
def broken(draw: st.DrawFn, valid: bytes) -> bytes:
    """Return bytes of which some are cut off, changed, doubled or put in."""
    made = bytearray(valid)
    for _ in range(draw(st.integers(0, 5))):
        at = draw(st.integers(0, max(0, len(made) - 1)))
        end = min(len(made), at + draw(st.sampled_from([1, 2, 4, 8, 64, 4096])))
        how = draw(st.sampled_from(["set", "cut", "drop", "double", "put", "text"]))
        if how == "set" and made:
            made[at] = draw(st.sampled_from([0, 1, 0x7F, 0x80, 0xFF, 10, 13, 34, 44, 60]))
        elif how == "cut":
            del made[at:]
        elif how == "drop":
            del made[at:end]
        elif how == "double":
            made[at:at] = made[at:end] * draw(st.sampled_from([1, 2, 50]))
        elif how == "put":
            made[at:at] = draw(st.binary(max_size=16))
        else:
            made[at:at] = draw(TEXT).encode("utf-8", "surrogatepass")
    return bytes(made)


@st.composite
def archive(draw: st.DrawFn, valid: bytes) -> bytes:
    """Return a zip archive whose members are spoiled, called otherwise, or missing; or its bytes
    are.
    """
    if draw(st.integers(0, 3)) == 0:
        return draw(broken(valid))
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(valid)) as source, zipfile.ZipFile(made, "w") as target:
        for name in source.namelist():
            choice = draw(st.sampled_from(["keep", "keep", "keep", "break", "drop", "rename"]))
            data = source.read(name)
            if choice == "break":
                data = draw(broken(data))
            if choice == "rename":
                name = draw(st.sampled_from(["../" + name, "/" + name, name.upper()]))
            if choice != "drop":
                target.writestr(name, data)
    return made.getvalue()


@dataclass(frozen=True)
class Target:
    """inputs: what is drawn. check: reads it; what it raises is a find."""

    inputs: st.SearchStrategy[Any]
    check: Callable[[Any], None]


def as_json(value: Any) -> bytes:
    """Return a value as JSON, as strangers write it: NaN and halves of pairs included."""
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")


# --- server-sent events and LMC ------------------------------------------------------------------

EVENTS = [
    ("copilotMessageChunk", {"delta": "Words [1]"}),
    (
        "copilotFunctionCall",
        {"function": "get_widget_data", "input_arguments": {"data_sources": []}},
    ),
    (
        "copilotStatusUpdate",
        {
            "eventType": "INFO",
            "message": "step",
            "group": "reasoning",
            "details": [{"interpretation": {"words": ["a"], "ignored": []}, "alternatives": [{}]}],
            "artifacts": [{"type": "table", "content": [{"a": 1}], "chart_params": {"xKey": "a"}}],
        },
    ),
    (
        "copilotCitationCollection",
        {
            "citations": [
                {
                    "source_info": {"uuid": "u", "name": "n", "metadata": {"input_args": {"a": 1}}},
                    "details": [{"row": 1, "column": "a", "last_row": 4, "cells": 3, "where": []}],
                    "quote_bounding_boxes": [
                        [{"page": 1, "x0": 0, "top": 0, "x1": 1, "bottom": 1}]
                    ],
                }
            ]
        },
    ),
    (
        "copilotMessageArtifact",
        {
            "type": "chart",
            "name": "c",
            "content": "[]",
            "chart_params": {"data": [{}], "layout": {}},
        },
    ),
    ("copilotPromptSuggestions", {"suggestions": ["a"]}),
]


@st.composite
def event_streams(draw: st.DrawFn) -> bytes:
    """Return a stream of events with lines that end in any way."""
    made = b""
    for _ in range(draw(st.integers(0, 4))):
        name, data = draw(st.sampled_from(EVENTS))
        end = draw(st.sampled_from([b"\n", b"\r\n", b"\r", b"\n\n"]))
        dumps = draw(st.sampled_from([as_json, lambda value: json.dumps(value).encode()]))
        body = dumps(draw(spoiled(data)))
        field = draw(st.sampled_from([b"data:", b"data: ", b"data", b":", b"event:", b"id: "]))
        made += b"event: " + name.encode() + end + field + body + end + end
    return draw(broken(made))


def check_events(stream: bytes) -> None:
    """A stream cut anywhere gives the same events, and all of them can be kept."""
    at_once = EventReader().feed(stream)
    for cut in {0, len(stream) // 3, len(stream) // 2, max(0, len(stream) - 1)}:
        reader = EventReader()
        assert reader.feed(stream[:cut]) + reader.feed(b"") + reader.feed(stream[cut:]) == at_once
    for event in at_once:
        made = read(event)
        item = translate(made) if made is not None else None
        if item is not None:
            json.dumps(asdict(item), ensure_ascii=False).encode()
    with contextlib.suppress(OversizedEvent):
        small = EventReader(limit_bytes=1000)
        for _ in range(200):
            small.feed(stream)
            assert held(small) <= 1000 + len(stream)
    for found in whole(stream.decode("utf-8", "replace")):
        translate(found)


def held(reader: EventReader) -> int:
    """Return how much a reader holds: characters, and lines."""
    return len(reader._line) + len(reader._name) + sum(len(d) + 1 for d in reader._data)


LMC = [
    {"role": "assistant", "type": "message", "content": "Words", "start": True},
    {"role": "assistant", "type": "code", "format": "python", "content": "print(1)", "end": True},
    {"role": "computer", "type": "console", "format": "active_line", "content": 3},
    {"role": "computer", "type": "confirmation", "content": {"type": "code", "code": "x"}},
    {"role": "server", "type": "status", "content": "complete"},
]


@st.composite
def lmc_streams(draw: st.DrawFn) -> bytes:
    """Return lines of LMC chunks."""
    chunks = draw(st.lists(st.sampled_from(LMC).flatmap(spoiled), max_size=5))
    start = draw(st.sampled_from([b"", b"data: ", b" "]))
    dumps = draw(st.sampled_from([as_json, lambda value: json.dumps(value).encode()]))
    return draw(broken(b"".join(start + dumps(chunk) + b"\n" for chunk in chunks)))


def check_lmc(stream: bytes) -> None:
    """Lines cut anywhere are the same, each chunk is one of ours or nothing."""
    reader = LineReader()
    lines = [*reader.feed(stream), reader.rest()]
    cut = LineReader()
    again = [
        *cut.feed(stream[: len(stream) // 2]),
        *cut.feed(stream[len(stream) // 2 :]),
        cut.rest(),
    ]
    assert lines == again
    for line in lines:
        chunk = read_chunk(line)
        if chunk is None:
            continue
        is_end(chunk)
        confirmation(chunk, line)
        item = item_of(chunk)
        if item is not None:
            json.dumps(asdict(item), ensure_ascii=False, default=str).encode()


CHATS = [
    [{"role": "user", "type": "message", "content": "Q"}, LMC[0]],
    {
        "title": "t",
        "mapping": {
            "a": {"id": "a", "parent": None, "children": ["b"], "message": None},
            "b": {
                "id": "b",
                "parent": "a",
                "children": [],
                "message": {
                    "id": "m",
                    "author": {"role": "user"},
                    "create_time": 1.0,
                    "content": {"content_type": "text", "parts": ["Q"]},
                },
            },
        },
        "current_node": "b",
    },
]


def check_import(value: Any) -> None:
    """A file of conversations is read, or refused."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "chats.json"
        file.write_bytes(as_json(value))
        with contextlib.suppress(ExchangeError):
            for one in read_file(file):
                for turn in one.turns:
                    json.dumps(turn.question, ensure_ascii=False)


REQUEST = {
    "messages": [
        {"role": "human", "content": "Q"},
        {"role": "ai", "content": {"function": "get_widget_data", "input_arguments": {}}},
        {
            "role": "tool",
            "function": "get_widget_data",
            "input_arguments": {},
            "data": [{"items": [{"content": '[{"a":1}]', "data_format": {"data_type": "object"}}]}],
        },
    ],
    "widgets": {
        "primary": [{"uuid": "u", "name": "n", "params": [{"name": "p"}]}],
        "secondary": [],
    },
    "context": [{"uuid": "c", "name": "n", "data": {"items": [{"content": "x"}]}}],
    "tools": [{"server_id": "s", "name": "t", "url": "u", "input_schema": {}}],
    "urls": ["http://a"],
}


def check_request(value: Any) -> None:
    """A request of a stranger's terminal is read, or refused."""
    with contextlib.suppress(BadRequest):
        parse_request(json.loads(as_json(value).decode("utf-8", "replace")))


# --- widgets.json, apps.json and what backends answer --------------------------------------------

WIDGETS = {
    "prices": {
        "name": "Prices",
        "description": "d",
        "endpoint": "prices",
        "type": "table",
        "gridData": {"w": 20, "h": 9},
        "refetchInterval": 60000,
        "staleTime": 1000,
        "dataUpdateDisplay": "0 9 * * 1-5",
        "source": ["a", "b"],
        "data": {
            "dataKey": "rows.x",
            "wsRowIdColumn": "id",
            "table": {"columnsDefs": [{"field": "a", "cellDataType": "number", "pinned": "left"}]},
        },
        "params": [
            {"paramName": "d", "type": "date", "value": "$currentDate-1y", "label": "D"},
            {"paramName": "s", "type": "text", "options": [{"label": "A", "value": "a"}]},
            {"paramName": "n", "type": "number", "value": 3, "minValue": 1, "maxValue": 9},
            {
                "paramName": "e",
                "type": "endpoint",
                "optionsEndpoint": "/o?x=$s",
                "multiSelect": True,
            },
            {"paramName": "b", "type": "boolean", "value": True, "show": False},
        ],
    },
    "note": {
        "name": "Note",
        "endpoint": "/n",
        "type": "markdown",
        "refetchInterval": "*/5 * * * *",
    },
    "bars": {
        "name": "B",
        "endpoint": "udf",
        "type": "advanced_charting",
        "data": {"defaultSymbol": "A"},
    },
    "omni": {"name": "O", "endpoint": "o", "type": "omni", "wsEndpoint": "ws"},
    "page": {"name": "H", "endpoint": "h", "type": "html"},
    "fig": {"name": "F", "endpoint": "f", "type": "chart"},
    "pdf": {"name": "P", "endpoint": "p", "type": "multi_file_viewer"},
    "metric": {"name": "M", "endpoint": "m", "type": "metric"},
}
APPS = [
    {
        "name": "App",
        "tabs": {
            "t": {
                "name": "T",
                "layout": [
                    {
                        "i": "prices",
                        "x": 0,
                        "y": 0,
                        "w": 20,
                        "h": 9,
                        "groups": ["G"],
                        "state": {"params": {"s": "a"}, "columnState": {}},
                    }
                ],
            }
        },
        "groups": [{"name": "G", "type": "param", "paramName": "s", "widgetIds": ["prices"]}],
        "prompts": ["What of @[id:prices]?"],
    }
]
ANSWERS = [
    [{"a": 1, "b": "x"}, {"a": None}],
    {"rows": {"x": [{"a": 1}]}},
    {"content": "text", "data_format": {"data_type": "object", "parse_as": "table"}},
    {"data": [{"type": "bar", "x": [1], "y": [2]}], "layout": {"title": {"text": "t"}}},
    [{"label": "l", "value": "1", "delta": "2"}],
    {"content": "JVBERi0=", "data_format": {"data_type": "pdf", "filename": "a.pdf"}},
    [{"url": "http://a/b.pdf", "data_format": {"data_type": "md", "filename": "../b"}}],
]


@st.composite
def published(draw: st.DrawFn) -> tuple[Any, Any, bytes, str]:
    """Return widgets.json, apps.json, and what one of them answers as which media type."""
    answer = draw(st.sampled_from(ANSWERS).flatmap(spoiled))
    kind = draw(
        st.sampled_from(["application/json", "text/html", "application/pdf", "image/png", ""])
    )
    body = draw(broken(as_json(answer)))
    return draw(spoiled(WIDGETS)), draw(spoiled(APPS)), body, kind


def check_published(told: tuple[Any, Any, bytes, str]) -> None:
    """Whatever a backend publishes is read; what it answers is content, or a sentence."""
    raw, apps, body, kind = (
        json.loads(as_json(told[0]).decode("utf-8", "replace"), parse_constant=lambda _: None),
        json.loads(as_json(told[1]).decode("utf-8", "replace"), parse_constant=lambda _: None),
        told[2],
        told[3],
    )
    specs = Backend("b", "http://127.0.0.1:1", "B", by_id(raw)).specs()
    for spec in specs:
        sent = filled(spec.params, {}, NOW)
        query_of(sent)
        is_old(spec, NOW.timestamp() - 100, NOW)
        wait = wait_for(spec, NOW.timestamp() - 100, NOW, failed=False)
        assert wait is None or 0 <= wait < float("inf")
        with contextlib.suppress(BackendError):
            content = read_content(spec, Reply("http://127.0.0.1:1/x", kind, body))
            left_out(content.type, content.value)
    found = read_apps(apps)
    prompts_for(found, {spec.id: spec.name for spec in specs})
    for app in found:
        for _, placed in app.tabs:
            for one in placed:
                for group in app.groups:
                    if specs:
                        group.param_of(one, specs[0])


# --- plugins -------------------------------------------------------------------------------------

MANIFEST = {
    "schema_version": "v1",
    "name_for_model": "todo",
    "name_for_human": "Todo",
    "description_for_model": "Keeps a list",
    "description_for_human": "Keeps a list",
    "auth": {"type": "service_http", "authorization_type": "bearer"},
    "api": {"type": "openapi", "url": "openapi.yaml"},
    "logo_url": "logo.png",
}
SPECIFICATION = {
    "openapi": "3.0.1",
    "info": {"title": "Todo", "version": "1"},
    "servers": [{"url": "/v1"}],
    "paths": {
        "/todos/{user}": {
            "parameters": [
                {"name": "user", "in": "path", "required": True, "schema": {"type": "string"}}
            ],
            "get": {
                "operationId": "list",
                "parameters": [
                    {"name": "q", "in": "query", "schema": {"$ref": "#/components/schemas/Q"}},
                    {
                        "name": "f",
                        "in": "query",
                        "style": "deepObject",
                        "schema": {"type": "object"},
                    },
                    {"name": "X-A", "in": "header", "schema": {"type": "array"}},
                    {"name": "c", "in": "cookie", "schema": {"type": "integer"}},
                ],
                "responses": {
                    "200": {"content": {"application/json": {"schema": {"type": "array"}}}}
                },
            },
            "post": {
                "operationId": "add",
                "requestBody": {
                    "required": True,
                    "content": {
                        "application/json": {
                            "schema": {
                                "type": "object",
                                "required": ["text"],
                                "properties": {
                                    "text": {"type": "string"},
                                    "n": {"type": "integer"},
                                },
                            }
                        }
                    },
                },
                "responses": {"200": {"description": "ok"}},
            },
        }
    },
    "components": {
        "schemas": {
            "Q": {"allOf": [{"$ref": "#/components/schemas/R"}, {"enum": ["a", "b"]}]},
            "R": {"type": "string", "properties": {"self": {"$ref": "#/components/schemas/R"}}},
        }
    },
}


@st.composite
def plugins(draw: st.DrawFn) -> tuple[bytes, bytes, dict[str, Any]]:
    """Return a manifest, a specification and the arguments of a call."""
    manifest, specification = (
        as_json(draw(spoiled(MANIFEST))),
        as_json(draw(spoiled(SPECIFICATION))),
    )
    names = st.sampled_from(["user", "q", "f", "X-A", "c", "text", "n", "body", "x_a"])
    given = draw(st.dictionaries(names, JSON, max_size=6))
    return draw(broken(manifest)), draw(broken(specification)), given


def check_plugin(told: tuple[bytes, bytes, dict[str, Any]]) -> None:
    """A plugin's papers are read or refused; a call goes to the host it named, and nowhere else."""
    base = "http://127.0.0.1:7780/"
    with contextlib.suppress(PluginRefused):
        read_manifest(told[0], base + "ai-plugin.json")
    manifest = read_manifest(as_json(MANIFEST), base + "ai-plugin.json")
    with contextlib.suppress(PluginRefused):
        for operation in read_specification(told[1], base + "openapi.yaml", manifest).operations:
            json.dumps(operation.input_schema)
            with contextlib.suppress(ToolError):
                url, headers, _ = request_of(operation, told[2])
                before = re.match(r"[^/]*//[^/?#]*", operation.url)
                assert before is None or url.startswith(before[0])
                dots = {".", ".."} & set(re.split("[/?#]", url))
                assert dots <= set(re.split("[/?#]", operation.url))
                assert not any("\n" in v or "\r" in v for v in headers.values())


# --- files ---------------------------------------------------------------------------------------


@st.composite
def gguf_files(draw: st.DrawFn) -> bytes:
    """Return the head of a GGUF, of which some numbers are not what they should be."""

    def text(value: str) -> bytes:
        raw = value.encode("utf-8", "surrogatepass")
        length = draw(st.sampled_from([len(raw)] * 12 + [0, 2**63, 2**32]))
        return struct.pack("<Q", length) + raw

    def value(depth: int) -> bytes:
        kind = draw(st.sampled_from([4, 4, 4, 5, 6, 7, 8, 8, 9, 9, 10, 12, 0, 1, 2, 3, 11, 13]))
        return struct.pack("<I", kind) + body(kind, depth)

    def body(kind: int, depth: int) -> bytes:
        if kind == 8:
            return text(draw(TEXT))
        if kind == 9:
            inner = draw(st.sampled_from([4, 5, 6, 8, 9, 10, 99]))
            count = draw(st.integers(0, 3))
            told = draw(st.sampled_from([count] * 8 + [2**20, 2**40, 2**63]))
            inside = b"".join(body(inner, depth + 1) for _ in range(count if depth < 4 else 0))
            return struct.pack("<IQ", inner, told) + inside
        forms = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 7: "<?", 10: "<Q", 11: "<q"}
        if kind in (6, 12):
            return struct.pack("<f" if kind == 6 else "<d", draw(st.floats(width=32)))
        size = struct.calcsize(forms.get(kind, "<I"))
        return draw(st.sampled_from([b"\x00", b"\x01", b"\xff", b"\x7f", b"\x08"])) * size

    keys = [
        "general.architecture",
        *(f"llama.{name}" for name in ("block_count", "attention.head_count", "context_length")),
        *(f"llama.attention.{name}" for name in ("head_count_kv", "key_length", "value_length")),
        *("llama.embedding_length", "general.alignment", "general.name"),
    ]
    made = text("general.architecture") + struct.pack("<I", 8) + text("llama")
    chosen = draw(st.lists(st.sampled_from(keys), max_size=8))
    for key in chosen:
        made += text(key) + value(0)
    dimensions = draw(st.sampled_from([1, 2, 4, 60_000]))
    tensor = (
        text("t") + struct.pack("<I", dimensions) + struct.pack("<Q", 2**63) * min(dimensions, 4)
    )
    tensor += struct.pack("<IQ", draw(st.sampled_from([0, 1, 2, 99])), 0)
    counts = struct.pack("<QQ", draw(st.sampled_from([1, 0, 2**40])), 1 + len(chosen))
    magic = draw(st.sampled_from([b"GGUF"] * 9 + [b"FUGG"]))
    head = magic + struct.pack("<I", draw(st.sampled_from([3, 3, 2, 1, 9])))
    return draw(broken(head + counts + made + tensor + bytes(64)))


def check_gguf(data: bytes) -> None:
    """A file is described, or is no GGUF."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.gguf"
        file.write_bytes(data)
        with contextlib.suppress(NotGguf):
            made = read_gguf(file)
            json.dumps(asdict(made), allow_nan=False)
        with contextlib.suppress(NotGguf):
            need_whole(file)


CSV = (
    'name;amount;day\nAnna;1.234,50;2026-01-05\n"B ""x""\nC";-3;5.1.26\nZoë;;\na,b\n1,2\n3\n\t\t\n'
)
CSVS = st.sampled_from([CSV, CSV.replace(";", ","), CSV.replace(";", "\t"), "a\n1\n"])


@st.composite
def csv_files(draw: st.DrawFn) -> bytes:
    """Return a file of delimited text in some encoding, spoiled."""
    encoding = draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "cp1252", "gb18030"]))
    return draw(broken(draw(CSVS).encode(encoding, "replace")))


def check_table(suffix: str) -> Callable[[bytes], None]:
    """Return a check that a file is a table of as many columns as it says, or is refused."""

    def check(data: bytes) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / f"table{suffix}"
            file.write_bytes(data)
            with contextlib.suppress(SourceError, KernelError):
                table = reader_of(file)(file, "u", "h")
                names = [column.name for column in table.columns]
                assert len({name.lower() for name in names}) == len(names)
                rows = table.connection.execute(
                    f"SELECT * FROM {table.relation} LIMIT 20"
                ).fetchall()
                assert all(len(row) >= len(names) for row in rows)

    return check


def workbook() -> bytes:
    """Return a small workbook."""
    with tempfile.TemporaryDirectory() as folder:
        rows = [["name", "amount", "day"], ["Anna", 1.5, dt.date(2026, 1, 5)], ["B", None, None]]
        return write_xlsx(
            Path(folder) / "a.xlsx", Sheet("One", rows), Sheet("Two", [])
        ).read_bytes()


MARKDOWN = (
    "# Title\n\nText with **bold**, `code`, [1], [link](https://a.b/c) and ![p](http://a/b.png).\n\n"
    "| a | b |\n|---|--:|\n| 1 | 2 |\n\n```python\nprint(1)\n```\n\n- one\n  1. two\n     > three\n\n"
    "$$\\frac{1}{2}$$ and \\(x^2\\) <script>alert(1)</script> <https://x.y> javascript:alert(1)\n\n---\n"
)


@st.composite
def markdown_texts(draw: st.DrawFn) -> str:
    """Return Markdown, spoiled, or of scraps that mean something to it."""
    scraps = st.sampled_from(
        [
            *("[", "](", ")", "![", "<", ">", "*", "**", "_", "~~", "`", "```", "|", "\n", "\n\n"),
            *(
                "- ",
                "1. ",
                "> ",
                "# ",
                "    ",
                "$$",
                "\\(",
                "\\)",
                "javascript:",
                "data:text/html,",
            ),
            *("https://a", "<script>", "&#106;avascript:", "[1]", "\t", "\\", "999999999. ", "---"),
        ]
    )
    if draw(st.booleans()):
        return draw(broken(MARKDOWN.encode())).decode("utf-8", "replace")
    return "".join(draw(st.lists(scraps | TEXT, max_size=40)))


LINK = re.compile(r'(?:href|src)="([^"]*)"')


def check_markdown(text: str) -> None:
    """An exported page runs and loads nothing, and a text is spoken whatever it holds."""
    from markdown_it import MarkdownIt

    from app.ui.markdown.builder import parser

    for token in parser().parse(text):
        for part in [token, *(token.children or [])]:
            assert part.type not in ("html_block", "html_inline")
            if part.type == "link_open":
                assert (
                    not str(part.attrGet("href")).lower().startswith(("javascript:", "vbscript:"))
                )
    page = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).render(text)
    assert "<script" not in page.lower()
    left_out("markdown", text)
    at_once, piecemeal = ClauseSplitter(abbreviations()), ClauseSplitter(abbreviations())
    spoken = [*at_once.feed(text), *at_once.flush()]
    again = [c for letter in text for c in piecemeal.feed(letter)] + piecemeal.flush()
    assert "".join(spoken) == text
    assert spoken == again


def pdf(words: str = "Notice must be given in June.") -> bytes:
    """Return a PDF file of one page, as small as it can be."""
    content = f"BT /F1 12 Tf 72 720 Td ({words}) Tj ET".encode()
    parts = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R"
        b"/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(content), content),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    made, starts = b"%PDF-1.4\n", list[int]()
    for number, one in enumerate(parts, 1):
        starts.append(len(made))
        made += b"%d 0 obj%s endobj\n" % (number, one)
    table = b"".join(b"%010d 00000 n \n" % start for start in starts)
    end = b"xref\n0 6\n0000000000 65535 f \n%strailer<</Size 6/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF"
    return made + end % (table, len(made))


def zipped(parts: dict[str, str]) -> bytes:
    """Return a zip archive."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as target:
        for name, text in parts.items():
            target.writestr(name, text)
    return made.getvalue()


WORD_FILE = zipped(
    {
        "word/document.xml": (
            '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
            "<w:body><w:p><w:pPr><w:pStyle w:val='Heading1'/></w:pPr><w:r><w:t>Head</w:t></w:r></w:p>"
            "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>cell</w:t></w:r></w:p></w:tc></w:tr></w:tbl>"
            "</w:body></w:document>"
        )
    }
)
BOOK = zipped(
    {
        "META-INF/container.xml": '<c><rootfiles><rootfile full-path="o/p.opf"/></rootfiles></c>',
        "o/p.opf": (
            '<package xmlns="http://www.idpf.org/2007/opf"><manifest><item id="a" href="a.html"/>'
            '</manifest><spine><itemref idref="a"/></spine></package>'
        ),
        "o/a.html": "<html><head><title>T</title></head><body><h1>One</h1><p>Text</p></body></html>",
    }
)
HTML = (
    b"<!DOCTYPE html><html><head><title>T</title><style>x</style></head><body><h1>A</h1><p>b<br>c"
    b"<script>alert(1)</script><table><tr><td>1<td>2</table><!-- c --><svg><text>s</text></svg></body>"
)
MAIL = (
    b"From: a@b.c\r\nSubject: =?utf-8?q?S=C3=A9?=\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n"
    b"--x\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<p>Words</p>\r\n--x\r\n"
    b'Content-Disposition: attachment; filename="a.txt"\r\n\r\nz\r\n--x--\r\n'
)


def check_document(suffix: str) -> Callable[[bytes], None]:
    """Return a check that a document is read, or is damaged."""

    def check(data: bytes) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / f"paper{suffix}"
            file.write_bytes(data)
            with contextlib.suppress(DocumentError, *DAMAGED):
                document = read_document(file)
                assert all(page.number >= 1 for page in document.pages)
                for page in document.pages:
                    assert all(0 <= at <= len(page.text) for at, _ in page.headings)

    return check


TARGETS: dict[str, Target] = {
    "events": Target(event_streams(), check_events),
    "lmc": Target(lmc_streams(), check_lmc),
    "import": Target(st.sampled_from(CHATS).flatmap(spoiled), check_import),
    "request": Target(spoiled(cast("Any", REQUEST)), check_request),
    "widgets": Target(published(), check_published),
    "plugin": Target(plugins(), check_plugin),
    "gguf": Target(gguf_files(), check_gguf),
    "csv": Target(csv_files(), check_table(".csv")),
    "json": Target(st.sampled_from(ANSWERS).flatmap(spoiled).map(as_json), check_table(".json")),
    "xlsx": Target(archive(workbook()), check_table(".xlsx")),
    "markdown": Target(markdown_texts(), check_markdown),
    "pdf": Target(broken(pdf()), check_document(".pdf")),
    "docx": Target(archive(WORD_FILE), check_document(".docx")),
    "epub": Target(archive(BOOK), check_document(".epub")),
    "html": Target(broken(HTML), check_document(".html")),
    "mail": Target(broken(MAIL), check_document(".eml")),
}
