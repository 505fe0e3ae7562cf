"""Skills: instructions in Markdown that a question can call by name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
CALLED = re.compile(r"^\s*/skill:([a-z0-9-]+)(?:\s+|$)")
MOST = 50_000  # characters of one
LONGEST = 60  # characters of a slug


@dataclass(frozen=True)
class Skill:
    """One skill. slug: what it is called by. content: Markdown. updated: ISO time. proposed: by a
    copilot, and not
    kept by the person yet: nobody is told of it.
    """

    slug: str
    description: str
    content: str
    updated: str
    proposed: bool = False

    def listed(self) -> dict[str, Any]:
        """Return it as a copilot is reported that it is there."""
        return {"slug": self.slug, "description": self.description, "updatedAt": self.updated}

    def told(self, source: str) -> dict[str, Any]:
        """Return all of it. source: forced_slash if the person called it, model_selected if the
        copilot did.
        """
        about = {"slug": self.slug, "description": self.description}
        return about | {"contentMarkdown": self.content, "source": source}


@dataclass(frozen=True)
class Instructions:
    """Markdown that goes along with a question in full: a skill it calls, what one set for all
    questions or for a chat, the prompt of an assistant. name: of a skill, its slug.
    """

    name: str
    content: str
    description: str = ""


def slug_of(name: str) -> str:
    """Return the slug of a name; empty if it holds no letter and no digit of ASCII."""
    return "-".join(re.findall(r"[a-z0-9]+", name.lower()))[:LONGEST].strip("-")


def called_in(question: str) -> str:
    """Return the slug that a question calls with /skill:slug; empty if it calls none."""
    found = CALLED.match(question)
    return found[1] if found else ""


def without_skill(question: str) -> str:
    """Return a question without its skill call; a call alone asks to apply the skill."""
    found = CALLED.match(question)
    return (question[found.end() :] or f"Use the skill {found[1]}.") if found else question
