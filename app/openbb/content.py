"""The content of a widget, read from a backend's answer or from a file.

The content of a widget as text, for copilots.
"""

from __future__ import annotations

import base64
import binascii
import io
import json
import logging
import re
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any, NamedTuple

from app.domain.errors import BackendError
from app.openbb.charts import (
    figure_of_highcharts,
    figure_of_vegalite,
    rows_of_highcharts,
    rows_of_vegalite,
)
from app.openbb.widgets import HIGHCHARTS, TYPES, VEGALITE
from app.openbb.wire import as_dict

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.openbb.widgets import Spec


HOLDERS = frozenset(  # keys under which backends put the list of rows
    (
        "data",
        "result",
        "results",
        "rows",
        "rowdata",
        "items",
        "records",
        "values",
        "entries",
        "list",
    )
)
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
    """A backend's response. url: the address it came from, after redirects. kind: its media type,
    as in HTTP.
    """

    url: str
    kind: str
    body: bytes


@dataclass(frozen=True)
class Access:
    """How to reach a backend. origins: other servers that the user added; requests are sent only to
    these and to `url`.
    """

    url: str
    headers: dict[str, str]
    query: dict[str, str]
    origins: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Content:
    """The content of a widget. value, by type:

    table: rows. markdown, html: text. plotly: a figure. metric, newsfeed: objects. pdf, image: a
    list of {filename, content in base64}, or of {filename, url} if they have not been fetched yet.
    files: the same, each with its kind. candles: bars, each {time, open, high, low, close, volume}.
    raw: any JSON. total: the number of rows on the server, if it has more rows than these.
    """

    type: str
    value: Any
    total: int = 0


def read_content(spec: Spec, reply: Reply) -> Content:
    """Return the content of a widget of this kind, read from a response.

    Raises: BackendError if the response has an unexpected format.
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
    if spec.type in ("table", "plotly", "metric", "newsfeed") and (said := complaint(value)):
        stop = "" if said.endswith((".", "!", "?", "。")) else "."
        raise BackendError(
            f"{spec.name}: {said}{stop}", "Change the parameters, or try again later."
        )
    return shaped(spec, spec.type, value)


# keys under which backends report that there is no data, and why
COMPLAINTS = ("error", "detail", "message")
BESIDE = frozenset(("code", "message", "ok", "status", "status_code", "success"))


def complaint(value: Any) -> str:
    """Return the message that a response contains instead of data, which is a sentence under
    `error` with nothing useful beside it, or only a sentence. Return an empty string if the
    response contains data.
    """
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, str):
        said = value if " " in value.strip() and value.lstrip()[:1] not in ("{", "[", "<") else ""
        return " ".join(said.split())[:300]
    if not isinstance(value, dict):
        return ""
    name = next((key for key in COMPLAINTS if isinstance(value.get(key), str)), "")
    said = " ".join(str(value.get(name, "")).split())[:300]
    rest = {k: v for k, v in value.items() if k != name and v}
    only = not rest or (name == "error" and rest.keys() <= BESIDE)
    return said if said and only and (name == "error" or " " in said) else ""


class TextFile(NamedTuple):
    """How text is stored in a file: its type in the protocol, and the file name's suffix."""

    type: str
    ending: str


@dataclass(frozen=True)
class WidgetKind:
    """A kind of widget, as it is used in every layer except the window.

    names: its names in the protocol. parse: a function that reads a backend's response. words: a
    function that returns its text for a copilot. height: the height of its tile, in rows of the
    grid; None for the usual height. tabular: whether it can hold rows. passages: whether it is
    searched for passages. text: how it is stored in a file, if it is text.
    """

    name: str
    names: tuple[str, ...] = ()
    parse: Callable[[Spec, Any], Content] = lambda _, value: Content("raw", value)
    words: Callable[[Content], str] = lambda content: readable(content.value)
    height: int | None = None
    tabular: bool = False
    passages: bool = False
    text: TextFile | None = None


RAW = WidgetKind("raw")
KINDS: dict[str, WidgetKind] = {RAW.name: RAW}


def register(kind: WidgetKind) -> None:
    """Register a kind, so that its widgets can be read, described to copilots and shown."""
    KINDS[kind.name] = kind
    TYPES.update(dict.fromkeys(kind.names, kind.name))


def kind_of(name: str) -> WidgetKind:
    """Return the kind with this name; `raw` for a kind without a view of its own."""
    return KINDS.get(name, RAW)


def shaped(spec: Spec, kind: str, value: Any) -> Content:
    """Return a value in the format used to show its widget type."""
    return kind_of(kind).parse(spec, value)


def table(spec: Spec, value: Any) -> Content:
    """Return the rows of a response."""
    return Content("table", rows_of(spec, value))


# keys under which an object holds the text of a widget
TEXTS = ("content", "markdown", "text", "md")


def markdown(_: Spec, value: Any) -> Content:
    """Return text, or the text of an object that holds nothing else or has it under a usual key;
    other data is returned as JSON.
    """
    told = as_dict(value)
    held = [told[name] for name in TEXTS if isinstance(told.get(name), str)]
    if not held and len(told) == 1:
        held = [one for one in told.values() if isinstance(one, str)]
    text = held[0] if held else value
    return Content("markdown", text if isinstance(text, str) else readable(text))


# other names that backends use for the parts of a metric
PARTS = {"label": ("label", "name", "title", "metric"), "delta": ("delta", "change")}


def metrics(spec: Spec, value: Any) -> Content:
    """Return metrics, with their parts under the protocol's names.

    Raises: BackendError if there are no metrics.
    """
    content = objects("metric", spec, value)
    for one in content.value:
        for part, names in PARTS.items():
            told = next((one[name] for name in names if one.get(name) is not None), None)
            if told is not None:
                one[part] = told
    return content


def chart(spec: Spec, value: Any) -> Content:
    """Return a chart, regardless of which library it is written for."""
    if spec.kind in (*HIGHCHARTS, *VEGALITE):
        return foreign_chart(spec, value)
    return figure(spec, value)


def objects(kind: str, spec: Spec, value: Any) -> Content:
    """Return a list of objects.

    Raises: BackendError if there are no objects.
    """
    found = value if isinstance(value, list) else [value]
    made = [one for one in found if isinstance(one, dict)]
    if not made:
        raise wrong(spec, "a list of objects")
    return Content(kind, made)


def files_of_answer(kind: str, spec: Spec, value: Any) -> Content:
    """Return the files of a response.

    Raises: BackendError if there are no files.
    """
    found = value if isinstance(value, list) else [value]
    if not found:
        picks = any(param.picks_files for param in spec.params)
        raise BackendError(
            f"{spec.name}: {'no file is selected' if picks else 'there are no files'}.",
            "Select one above the widget." if picks else "Change the parameters.",
        )
    return files(kind, [file_of(spec, one) for one in found])


def rows_of(spec: Spec, value: Any) -> list[dict[str, Any]]:
    """Return the rows of a response, from its data key or from the only list in it.

    Raises: BackendError.
    """
    for part in spec.data_key.split(".") if spec.data_key else []:
        value = value[part] if isinstance(value, dict) and part in value else value
    if isinstance(value, dict):
        lists = [v for k, v in value.items() if isinstance(v, list) and may_hold_rows(k, v)]
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


def may_hold_rows(key: str, found: list[Any]) -> bool:
    """Return whether a list can hold the rows. Its first entry must be a row; for an empty list,
    its key decides, because it may also be a cell in a response that is a single row.
    """
    return isinstance(found[0], dict) if found else key.lower() in HOLDERS


def figure(spec: Spec, value: Any) -> Content:
    """Return a Plotly figure; rows, which some backends send instead, are shown as a table."""
    if isinstance(value, str):  # some backends send figures as text
        value = parsed(value)
    if isinstance(value, list) and value and all(isinstance(row, dict) for row in value):
        return Content("table", value)
    if not isinstance(value, dict) or not isinstance(value.get("data"), list):
        raise wrong(spec, "a Plotly figure")
    return Content("plotly", {"data": value["data"], "layout": as_dict(value.get("layout"))})


def foreign_chart(spec: Spec, value: Any) -> Content:
    """Return a chart written for another library: as a figure if possible, otherwise as a table of
    its numbers, otherwise as it was received.
    """
    told = parsed(value) if isinstance(value, str) else value
    if isinstance(told, list):
        return figure(spec, told)
    options = as_dict(told)
    if isinstance(options.get("data"), list):  # some backends send a Plotly figure anyway
        return figure(spec, options)
    high = spec.kind in HIGHCHARTS
    drawn = figure_of_highcharts(options) if high else figure_of_vegalite(options)
    if drawn is not None:
        return Content("plotly", drawn)
    rows = rows_of_highcharts(options) if high else rows_of_vegalite(options)
    return Content("table", rows) if rows else Content("raw", value)


def omni(spec: Spec, value: Any) -> Content:
    """Return the content of a response that specifies its own kind: text, table, chart or HTML."""
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
    """Return files in the format used to show them: pages, a picture, or a choice of several
    files.
    """
    kinds = {file.get("kind", kind) for file in found}
    if kinds <= {"pdf"} or (kinds == {"image"} and len(found) == 1):
        return Content(kinds.pop() if kinds else kind, found)
    return Content("files", [{"kind": kind, **file} for file in found])


def kind_of_file(form: dict[str, Any]) -> dict[str, str]:
    """Return the kind of a file, if its format reveals it."""
    told = str(form.get("data_type") or "").lower()
    kind = "image" if told in IMAGES else FILES.get(told)
    return {"kind": kind} if kind else {}


def file_of(spec: Spec, raw: Any) -> dict[str, str]:
    """Return one file of a response: its name, and its content or address.

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
    """Return the content of a file.

    Raises: BackendError if it is not base64.
    """
    try:
        return base64.b64decode(file.get("content", ""), validate=False)
    except (binascii.Error, ValueError) as error:
        raise BackendError(
            f"{file.get('filename')} is damaged.", "Ask the backend's maker."
        ) from error


def json_of(reply: Reply) -> Any:
    """Return a response's JSON, or its text if it is not JSON.

    Raises: BackendError for an HTML page.
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
    """Return the JSON value of a text, or the text unchanged if it is not JSON."""
    try:
        return json.loads(text, parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        return text


def text_of(reply: Reply) -> str:
    """Return a response as text."""
    return reply.body.decode("utf-8", "replace")


def readable(value: Any) -> str:
    """Return JSON as readable text; deeply nested JSON stays on one line."""
    try:
        return json.dumps(value, ensure_ascii=False, indent=2, default=str)
    except RecursionError:
        return json.dumps(value, ensure_ascii=False, default=str)


def wrong(spec: Spec, wanted: str) -> BackendError:
    """Return the error for a response with an unexpected format."""
    return BackendError(f"{spec.name}: the backend did not answer with {wanted}.", "Ask its maker.")


WORDS = 50_000  # maximum number of characters sent to a copilot


def words_of(content: Content) -> str:
    """Return the text of a widget's content."""
    return kind_of(content.type).words(content)


def page_words(content: Content) -> str:
    """Return the text of a web page without its markup."""
    reader = Words()
    reader.feed(content.value)
    return re.sub(r"\n{3,}", "\n\n", "".join(reader.found)).strip()


def own_words(content: Content) -> str:
    """Return content that is already text."""
    return str(content.value)


def indexed_words(content: Content) -> str:
    """Return a note that explains how to get the text of documents from the index."""
    return f"{content.value['name']}: search it with a query."


def chart_words(content: Content) -> str:
    """Return the data of a chart, without its style."""
    traces = content.value.get("data", [])
    return readable([drawn(trace) for trace in traces if isinstance(trace, dict)])


def pdf_words(content: Content) -> str:
    """Return the text of PDF files, page by page."""
    return "\n\n".join(f"# {file['filename']}\n\n{pages_of(file)}" for file in content.value)


def files_words(content: Content) -> str:
    """Return the text of several files."""
    return "\n\n".join(f"# {file['filename']}\n\n{words_of_file(file)}" for file in content.value)


def picture_words(content: Content) -> str:
    """Return the names of pictures, because a copilot cannot see the pictures themselves."""
    names = ", ".join(str(file.get("filename")) for file in content.value)
    return f"{names}: a picture. This terminal cannot tell what it shows."


def words_of_file(file: dict[str, str]) -> str:
    """Return the text of one of several files."""
    kind = file["kind"]
    if kind == "pdf":
        return pages_of(file)
    if kind == "image":
        return words_of(Content("image", [file]))
    return words_of(Content(kind, bytes_of(file).decode("utf-8", "replace")))


def pages_of(file: dict[str, str]) -> str:
    """Return the text of a PDF file, page by page; if there is no text, return the reason."""
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    logging.getLogger("pypdf").setLevel(
        logging.CRITICAL
    )  # because the error says what is wrong with the file
    made, size = [], 0
    try:
        for number, page in enumerate(PdfReader(io.BytesIO(bytes_of(file))).pages, 1):
            made.append(f"(page {number})\n{page.extract_text().strip()}")
            size += len(made[-1])
            if size > WORDS:
                break
    except (
        PyPdfError,
        BackendError,
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        RecursionError,
    ) as error:
        return f"(The file cannot be read: {error})"
    return "\n\n".join(made)


def drawn(trace: dict[str, Any]) -> dict[str, Any]:
    """Return the data of a chart's trace without its style."""
    return {k: trace[k] for k in ("name", "type", "x", "y", "z", "labels", "values") if k in trace}


class Words(HTMLParser):
    """Collects the text of a page, without scripts and styles."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Start a new line at each block element."""
        self._hidden += tag in ("script", "style")
        if tag in ("p", "div", "br", "li", "tr", "h1", "h2", "h3"):
            self.found.append("\n")

    def handle_endtag(self, tag: str) -> None:
        """Handle the end of a script or style element."""
        if tag in ("script", "style") and self._hidden:
            self._hidden -= 1

    def handle_data(self, data: str) -> None:
        """Collect visible text."""
        if not self._hidden:
            self.found.append(data)
