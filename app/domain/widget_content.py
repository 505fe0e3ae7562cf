"""What a widget shows, whatever it came from: read from a backend's answer, or from a file."""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from app.domain.errors import BackendError
from app.domain.widget_backend import as_dict

if TYPE_CHECKING:
    from app.domain.widget_backend import Spec

IMAGES = ("png", "jpg", "jpeg", "gif", "webp", "bmp")
FILES = {
    "pdf": "pdf",
    "md": "markdown",
    "txt": "text",
    "html": "html",
    "csv": "text",
    "json": "text",
}


@dataclass(frozen=True)
class Reply:
    """What a backend answered. url: where from in the end. kind: of the content, as HTTP names
    it.
    """

    url: str
    kind: str
    body: bytes


@dataclass(frozen=True)
class Access:
    """How a backend is asked. origins: other servers the person added; none but they and `url` are
    asked.
    """

    url: str
    headers: dict[str, str]
    query: dict[str, str]
    origins: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Content:
    """What stands in a widget. value, by type:

    table: rows. markdown, html: text. plotly: a figure. metric, newsfeed: objects. pdf, image: a
    list of {filename, content in base64} or {filename, url} yet to be fetched. files: the same,
    each with its kind.
    candles: bars, each {time, open, high, low, close, volume}. raw: any JSON. total: how many rows
    there are where the server has more than these.
    """

    type: str
    value: Any
    total: int = 0


def read_content(spec: Spec, reply: Reply) -> Content:
    """Return what a widget of this kind shows of an answer.

    Raises: BackendError if the answer is of another shape.
    """
    if spec.type == "html":
        return Content("html", text_of(reply))
    if reply.kind == "application/pdf" or reply.kind.startswith("image/"):
        kind = "pdf" if reply.kind == "application/pdf" else "image"
        name = f"{spec.name}.{reply.kind.partition('/')[2]}"
        return Content(kind, [{"filename": name, "content": base64.b64encode(reply.body).decode()}])
    value = json_of(reply) if spec.type != "raw" else parsed(text_of(reply))
    if spec.type == "omni":
        return omni(spec, value)
    return shaped(spec, spec.type, value)


def shaped(spec: Spec, kind: str, value: Any) -> Content:
    """Return a value as what a widget of a type shows."""
    if kind == "table":
        return Content("table", rows_of(spec, value))
    if kind == "markdown":
        text = value if isinstance(value, str) else as_dict(value).get("content", value)
        return Content("markdown", text if isinstance(text, str) else readable(text))
    if kind == "plotly":
        return figure(spec, value)
    if kind in ("metric", "newsfeed"):
        found = value if isinstance(value, list) else [value]
        objects = [one for one in found if isinstance(one, dict)]
        if not objects:
            raise wrong(spec, "a list of objects")
        return Content(kind, objects)
    if kind in ("pdf", "image"):
        return files(
            kind, [file_of(spec, one) for one in (value if isinstance(value, list) else [value])]
        )
    return Content("raw", value)


def rows_of(spec: Spec, value: Any) -> list[dict[str, Any]]:
    """Return the rows of an answer, under its data key or the one list there is.

    Raises: BackendError.
    """
    for part in spec.data_key.split(".") if spec.data_key else []:
        value = value[part] if isinstance(value, dict) and part in value else value
    if isinstance(value, dict):
        lists = [v for v in value.values() if isinstance(v, list) and holds_objects(v)]
        value = (
            value["rowData"]
            if isinstance(value.get("rowData"), list)
            else lists[0]
            if len(lists) == 1
            else [value]
        )
    rows = [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []
    if not rows:
        if isinstance(value, list) and not value:
            raise BackendError(
                f"{spec.name}: there are no rows for these parameters.", "Change the parameters."
            )
        raise wrong(spec, "a list of rows")
    return rows


def holds_objects(found: list[Any]) -> bool:
    """Tell whether a list may be that of the rows: its first entry is one, or it has none."""
    return not found or isinstance(found[0], dict)


def figure(spec: Spec, value: Any) -> Content:
    """Return a Plotly figure; rows, which some answer instead, are shown as a table."""
    if isinstance(value, str):  # figures are sent as text, too
        value = parsed(value)
    if isinstance(value, list) and value and all(isinstance(row, dict) for row in value):
        return Content("table", value)
    if not isinstance(value, dict) or not isinstance(value.get("data"), list):
        raise wrong(spec, "a Plotly figure")
    return Content("plotly", {"data": value["data"], "layout": as_dict(value.get("layout"))})


def omni(spec: Spec, value: Any) -> Content:
    """Return what an answer says it is itself: text, a table, a chart, HTML."""
    told = as_dict(value)
    shown, form = told.get("content"), as_dict(told.get("data_format"))
    kind = {"table": "table", "chart": "plotly", "html": "html"}.get(
        str(form.get("parse_as", "text")), "markdown"
    )
    if form.get("data_type") == "pdf":
        return Content("pdf", [file_of(spec, value)])
    if kind in ("table", "plotly") and isinstance(shown, str):
        shown = parsed(shown)
    if kind == "html":
        return Content("html", str(shown))
    return shaped(spec, kind, shown)


def files(kind: str, found: list[dict[str, str]]) -> Content:
    """Return files as what shows them: pages, a picture, or whichever of several is picked."""
    kinds = {file.get("kind", kind) for file in found}
    if kinds <= {"pdf"} or (kinds == {"image"} and len(found) == 1):
        return Content(kinds.pop() if kinds else kind, found)
    return Content("files", [{"kind": kind, **file} for file in found])


def kind_of_file(form: dict[str, Any]) -> dict[str, str]:
    """Return what kind of file one is, as far as its format tells."""
    told = str(form.get("data_type") or "").lower()
    kind = "image" if told in IMAGES else FILES.get(told)
    return {"kind": kind} if kind else {}


def file_of(spec: Spec, raw: Any) -> dict[str, str]:
    """Return one file of an answer: its name, and what it holds or where it lies.

    Raises: BackendError.
    """
    told = as_dict(raw)
    form = as_dict(told.get("data_format"))
    name = str(form.get("filename") or told.get("filename") or spec.name)
    url = told.get("url") or told.get("file_reference")
    if isinstance(url, str) and url:
        return {"filename": name, "url": url} | kind_of_file(form)
    held = told.get("content", raw if isinstance(raw, str) else None)
    if not isinstance(held, str):
        raise wrong(spec, "a file")
    return {"filename": name, "content": held.rpartition("base64,")[2]} | kind_of_file(form)


def bytes_of(file: dict[str, str]) -> bytes:
    """Return what a file holds.

    Raises: BackendError for what is no base64.
    """
    try:
        return base64.b64decode(file.get("content", ""), validate=False)
    except (binascii.Error, ValueError) as error:
        raise BackendError(
            f"{file.get('filename')} is damaged.", "Ask the backend's maker."
        ) from error


def json_of(reply: Reply) -> Any:
    """Return an answer's JSON; its text if it is none.

    Raises: BackendError for a page of HTML.
    """
    text = text_of(reply)
    try:
        return json.loads(text, parse_constant=lambda _: None)
    except (ValueError, RecursionError) as error:
        if reply.kind == "text/html" or text.lstrip().startswith("<"):
            raise BackendError(
                "The backend answered with a web page, not with data.", "Check its address."
            ) from error
        return text


def parsed(text: str) -> Any:
    """Return text as JSON, or as it is."""
    try:
        return json.loads(text, parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        return text


def text_of(reply: Reply) -> str:
    """Return an answer as text."""
    return reply.body.decode("utf-8", "replace")


def readable(value: Any) -> str:
    """Return any JSON as one reads it; what is nested without sense in one line."""
    try:
        return json.dumps(value, ensure_ascii=False, indent=2, default=str)
    except RecursionError:
        return json.dumps(value, ensure_ascii=False, default=str)


def wrong(spec: Spec, wanted: str) -> BackendError:
    """Return the error of an answer of another shape."""
    return BackendError(f"{spec.name}: the backend did not answer with {wanted}.", "Ask its maker.")
