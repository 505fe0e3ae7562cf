"""Skills: instructions in Markdown that a question can call by name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
CALLED = re.compile(r"^\s*/skill:([a-z0-9-]+)(?:\s+|$)")
MOST = 50_000  # characters of one skill
LONGEST = 60  # characters of a slug


@dataclass(frozen=True)
class Skill:
    """A skill. slug: its name in calls. content: Markdown. updated: time in ISO format. proposed:
    by a copilot and not accepted by the user yet; such a skill is not described to any copilot.
    """

    slug: str
    description: str
    content: str
    updated: str
    proposed: bool = False

    def listed(self) -> dict[str, Any]:
        """Return the skill's entry in the list sent to a copilot."""
        return {"slug": self.slug, "description": self.description, "updatedAt": self.updated}

    def told(self, source: str) -> dict[str, Any]:
        """Return the skill in the protocol's format. source: forced_slash if the user called it,
        model_selected if the copilot did.
        """
        about = {"slug": self.slug, "description": self.description}
        return about | {"contentMarkdown": self.content, "source": source}


@dataclass(frozen=True)
class Instructions:
    """Markdown that is sent in full with a question: a skill that it calls, custom instructions for
    all questions or for a chat, or the prompt of an assistant. name: a skill's slug.
    """

    name: str
    content: str
    description: str = ""


def slug_of(name: str) -> str:
    """Return the slug of a name; empty if it has no ASCII letter or digit."""
    return "-".join(re.findall(r"[a-z0-9]+", name.lower()))[:LONGEST].strip("-")


def called_in(question: str) -> str:
    """Return the slug that a question calls with /skill:slug; empty if it calls none."""
    found = CALLED.match(question)
    return found[1] if found else ""


def without_skill(question: str) -> str:
    """Return a question without its skill call; if there is nothing else, return a request to apply
    the skill.
    """
    found = CALLED.match(question)
    return (question[found.end() :] or f"Use the skill {found[1]}.") if found else question
