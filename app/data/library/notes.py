"""What a person said of a table: what it holds, what its columns mean, when its day is over."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

if TYPE_CHECKING:
    from backends.data.values import Profile


class Note(BaseModel):
    """What a person said of a table. meanings: of columns, by name. closes: when its day is over, HH:MM."""

    model_config = ConfigDict(extra="forbid")

    path: str
    about: str = ""
    meanings: dict[str, str] = {}
    closes: str = ""


def noted(profile: Profile, note: Note | None) -> Profile:
    """Return a profile with what a person said of the table."""
    if note is None:
        return profile
    columns = [
        c.model_copy(update={"meaning": note.meanings.get(c.name, c.meaning)})
        for c in profile.columns
    ]
    told = {
        "description": note.about or profile.description,
        "closes": note.closes,
        "columns": columns,
    }
    return profile.model_copy(update=told)
