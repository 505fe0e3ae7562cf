"""The last data of each widget, saved on disk for offline use."""

from __future__ import annotations

import json
import re
import shutil
from typing import TYPE_CHECKING, Any

from app.domain.errors import BackendError

if TYPE_CHECKING:
    from pathlib import Path

    from app.openbb.content import Content

FOLDER = re.compile(r"^[0-9a-f]{32}$")


def file_name(name: str) -> str:
    """Return a file name that is valid on every system and is also used as the table's name."""
    return re.sub(r'[\x00-\x1f<>:"/\\|?*_]+', " ", name)[:60].strip(" .") or "widget"


def beside(path: Path) -> Path:
    """Return the path of the record of the parameters with which a widget's data was fetched."""
    return path.with_name("parameters.json")


def keep_if_fits(path: Path, values: dict[str, Any]) -> bool:
    """Return whether data was fetched with these parameters. Data for a different request is
    removed.
    """
    try:
        if json.loads(beside(path).read_text("utf-8")) == json.loads(json.dumps(values)):
            return True
    except (OSError, ValueError):
        pass
    path.unlink(missing_ok=True)
    return False


def write(path: Path, content: Content, values: dict[str, Any]) -> None:
    """Write fetched data completely or not at all, so that a reader never sees a partial file.

    Raises: BackendError.
    """
    value = (
        content.value if content.type == "table" else {"type": content.type, "value": content.value}
    )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        made = path.with_suffix(".part")
        made.write_text(as_json(value), "utf-8", errors="replace")
        beside(path).write_text(json.dumps(values), "utf-8")
        made.replace(path)
    except OSError as error:
        raise BackendError(
            f"The download cannot be saved: {error.strerror or error}.",
            "Check the disk's free space.",
        ) from error


def as_json(value: Any) -> str:
    """Return a value as JSON.

    Raises: BackendError if it is nested too deeply.
    """
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError as error:
        raise BackendError(
            "The answer is nested too deeply to be shown.", "Ask the backend's maker."
        ) from error


def remove_others(folder: Path, kept: set[str]) -> None:
    """Remove only the folders of widgets that no longer exist."""
    for place in folder.iterdir() if folder.is_dir() else []:
        if FOLDER.match(place.name) and place.name not in kept and place.is_dir():
            shutil.rmtree(
                place, ignore_errors=True
            )  # removal of such a folder is tried again next time


def write_bytes(path: Path, held: bytes) -> Path:
    """Write a file and return its path.

    Raises: BackendError.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(held)
    except OSError as error:
        raise BackendError(
            f"{path.name} cannot be written: {error.strerror or error}.",
            "Check the disk's free space.",
        ) from error
    return path


def write_text(path: Path, text: str) -> Path:
    """Write text to a file and return its path.

    Raises: BackendError.
    """
    return write_bytes(path, text.encode("utf-8", "replace"))
