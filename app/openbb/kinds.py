"""The kinds of widgets. The views that show them are in `app/ui/dashboard/bodies`."""

from __future__ import annotations

from functools import partial

from app.openbb import content
from app.openbb.content import (
    RAW,
    TextFile,
    WidgetKind,
    chart,
    files_of_answer,
    markdown,
    metrics,
    objects,
    register,
    table,
)
from app.openbb.widgets import HIGHCHARTS, VEGALITE

TABLE = WidgetKind(
    "table",
    ("", "table", "live_grid", "ssrm_table", "table_ssrm", "ssrm_advanced"),
    table,
)
MARKDOWN = WidgetKind(
    "markdown",
    ("markdown", "note"),
    markdown,
    content.own_words,
    passages=True,
    text=TextFile("md", ".md"),
)
TEXT = WidgetKind("text", words=content.own_words, passages=True, text=TextFile("txt", ".txt"))
NOTE = WidgetKind("note", words=content.own_words, height=5)
DOCUMENT = WidgetKind("document", words=content.indexed_words, passages=True)
LIBRARY = WidgetKind("library", words=content.indexed_words, passages=True)
PLOTLY = WidgetKind(
    "plotly", ("chart", *HIGHCHARTS, *VEGALITE), chart, content.chart_words, tabular=True
)
CANDLES = WidgetKind(
    "candles",
    ("advanced_charting", "advanced-charting", "advanced-chart", "advanced_chart"),
    tabular=True,
)
METRIC = WidgetKind("metric", ("metric",), metrics, height=4, tabular=True)
NEWSFEED = WidgetKind("newsfeed", ("newsfeed",), partial(objects, "newsfeed"))
PDF = WidgetKind(
    "pdf",
    ("pdf", "multi_file_viewer", "file_viewer"),
    partial(files_of_answer, "pdf"),
    content.pdf_words,
    passages=True,
)
IMAGE = WidgetKind("image", ("image",), partial(files_of_answer, "image"), content.picture_words)
FILES = WidgetKind("files", words=content.files_words)
HTML = WidgetKind(
    "html", ("html",), words=content.page_words, passages=True, text=TextFile("html", ".html")
)
OMNI = WidgetKind("omni", ("omni",))  # each response specifies its own kind
BUILT_IN = (
    TABLE,
    MARKDOWN,
    TEXT,
    NOTE,
    DOCUMENT,
    LIBRARY,
    PLOTLY,
    CANDLES,
    METRIC,
    NEWSFEED,
    PDF,
    IMAGE,
    FILES,
    HTML,
    OMNI,
    RAW,
)

for kind in BUILT_IN:
    register(kind)
