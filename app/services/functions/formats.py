"""Documents in the protocol's data formats: PDF files and pictures as they are, texts under their
names.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from app.domain.widget import Widget
    from app.domain.widget_content import Content

MOST = 8_000_000  # characters of base64 in the answer to one call; what is larger is sent in words
BASE64 = (
    "pdf",
    "png",
    "jpg",
    "jpeg",
)  # kinds that travel as files; other pictures have no name in the protocol
TEXTS = {"markdown": ("md", ".md"), "text": ("txt", ".txt"), "html": ("html", ".html")}


def files_of(content: Content) -> list[dict[str, Any]]:
    """Return the files of a widget as items of a result; none if it holds no file the protocol
    knows.
    """
    if content.type not in ("pdf", "image", "files"):
        return []
    made: list[dict[str, Any]] = []
    for file in content.value:
        name = str(file.get("filename") or "file")
        is_pdf = "pdf" in (content.type, file.get("kind"))
        kind = "pdf" if is_pdf else PurePath(name).suffix.lower().removeprefix(".")
        if kind not in BASE64 or not file.get("content"):
            return []
        made.append(
            {"content": file["content"], "data_format": {"data_type": kind, "filename": name}}
        )
    return made if sum(len(item["content"]) for item in made) <= MOST else []


def text_item(widget: Widget, content: Content, text: str) -> list[dict[str, Any]]:
    """Return a text as an item that says what kind of text it is; none for what has no such
    name.
    """
    if content.type not in TEXTS:
        return []
    kind, ending = TEXTS[content.type]
    name = (
        PurePath(widget.path).name
        if widget.path and not widget.backend
        else f"{widget.name}{ending}"
    )
    return [
        {"content": text, "data_format": {"data_type": kind, "filename": name, "parse_as": "text"}}
    ]
