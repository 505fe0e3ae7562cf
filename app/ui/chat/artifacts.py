"""Tables, charts and texts made by a copilot, as pieces of an answer. They are untrusted, so they
are never treated as markup and never run.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal

from app.domain.events import Artifact, Status
from app.ui.chat.charts import source_of
from app.ui.controls.actions import OpenArtifact, TakeArtifact, Way
from app.ui.controls.labels import GAP, grey, link
from app.ui.theme.i18n import tr

if TYPE_CHECKING:
    from app.domain.conversation import Turn
    from app.ui.theme.tokens import Tokens

    Made = tuple[Literal["step", "text", "table", "chart", "code"], str]

# the most rows and columns of a table in an answer, and characters in a cell
ROWS, COLUMNS, CELL = 500, 12, 60
TEXT = 20_000
FORMS: tuple[Way, ...] = ("png", "svg")  # file formats of a saved chart
LANGUAGES = {"html": "html", "snowflake_query": "sql", "snowflake_python": "python", "code": ""}
SPECIAL = str.maketrans({c: f"\\{c}" for c in "\\`*_{}[]<>#|~$&:"} | {"\n": " ", "\r": " "})


def pieces_of(artifact: Artifact, chart: OpenArtifact, tokens: Tokens) -> list[Made]:
    """Return an artifact as pieces: its name and its content. chart: the action that opens the
    artifact, if it is a chart.
    """
    name = artifact.name or artifact.type
    head: Made = ("step", heading(artifact, name, chart, tokens))
    rows = artifact.content
    if artifact.type == "chart" and artifact.chart is not None:
        return [head, ("chart", source_of(artifact))]
    if isinstance(rows, list) and rows and all(isinstance(row, dict) for row in rows):
        return [head, ("table", table(rows)), *more(rows, tokens)]
    if artifact.type in ("text", "table") and isinstance(rows, str):
        return [head, ("text", rows[:TEXT])]
    text = rows if isinstance(rows, str) else json.dumps(rows, ensure_ascii=False, indent=1)
    mark = "`" * 3 if "```" not in text else "~" * 5
    return [head, ("code", f"{mark}{LANGUAGES.get(artifact.type, 'json')}\n{text[:TEXT]}\n{mark}")]


def artifact_at(turn: Turn, place: OpenArtifact | TakeArtifact) -> Artifact | None:
    """Return the artifact that an action refers to; None if it no longer exists."""
    item = turn.items[place.item] if place.item < len(turn.items) else None
    number = place.number
    if isinstance(item, Status) and number is not None and number < len(item.artifacts):
        return item.artifacts[number]
    return item if isinstance(item, Artifact) else None


def heading(artifact: Artifact, name: str, chart: OpenArtifact, tokens: Tokens) -> str:
    """Return the line above an artifact, with the artifact's title and actions."""
    about = GAP + grey(artifact.description, tokens.muted) if artifact.description else ""
    quiet = f"color:{tokens.muted}"

    def take(way: Way, text: str) -> str:
        return GAP + link(TakeArtifact(way, chart.item, chart.number), text, quiet)

    about += take("pin", tr("Pin to dashboard"))
    if isinstance(artifact.content, list) and artifact.content:
        about += take("csv", "CSV")
    if artifact.type == "chart" and artifact.chart is not None:
        about += take("image", tr("Copy"))
        about += "".join(take(form, form.upper()) for form in FORMS)
        return link(chart, tr("Chart: {name}", name=name), f"color:{tokens.accent}") + about
    return grey(name, tokens.text) + about


def table(rows: list[dict[str, Any]]) -> str:
    """Return the first rows as a Markdown table."""
    columns = list(dict.fromkeys(key for row in rows[:ROWS] for key in row))[:COLUMNS]
    lines = [
        columns,
        ["---"] * len(columns),
        *([row.get(c) for c in columns] for row in rows[:ROWS]),
    ]
    made = [
        "| " + " | ".join("---" if n == 1 else cell(v) for v in line) + " |"
        for n, line in enumerate(lines)
    ]
    return "\n".join(made)


def more(rows: list[dict[str, Any]], tokens: Tokens) -> list[Made]:
    """Return a line that says how many of a table's rows and columns are hidden."""
    width = len(dict.fromkeys(key for row in rows[:ROWS] for key in row))
    left = [tr("%n more rows", "", len(rows) - ROWS)] if len(rows) > ROWS else []
    left += [tr("%n more columns", "", width - COLUMNS)] if width > COLUMNS else []
    return [("step", grey(", ".join(left), tokens.faint))] if left else []


def cell(value: Any) -> str:
    """Return a value as the text of a table cell."""
    text = (
        ""
        if value is None
        else value
        if isinstance(value, str)
        else json.dumps(value, ensure_ascii=False)
    )
    text = text if len(text) <= CELL else f"{text[: CELL - 1]}…"
    return text.translate(SPECIAL)
