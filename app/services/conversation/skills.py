"""The skills: saved, proposed and offered to copilots."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from app.domain.copilot import (
    MOST,
    SLUG,
    Instructions,
    Skill,
    called_in,
    slug_of,
)
from app.domain.errors import UnknownSkill

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.domain.copilot import Copilot, RequestOffer
    from app.services.ports import FilePort

MANY = 200


class Skills:
    """The skills of one data folder. They are read again each time, because commands in the shell
    can change them while a window is open.
    """

    def __init__(self, file: FilePort) -> None:
        self._file = file
        self._listeners: list[Callable[[Skill], None]] = []

    def subscribe(self, listener: Callable[[Skill], None]) -> None:
        """Call `listener` with each skill that a copilot proposes."""
        self._listeners.append(listener)

    async def all(self, *, proposed: bool = False) -> list[Skill]:
        """Return the saved or the proposed skills by name.

        Raises: SetupError.
        """
        kept = [read(slug, fields) for slug, fields in (await self._file.read()).items()]
        found = [skill for skill in kept if skill is not None and skill.proposed == proposed]
        return sorted(found, key=lambda skill: skill.slug)

    async def get(self, slug: str) -> Skill:
        """Return a skill, or the proposed skill if there is no other with its name.

        Raises: UnknownSkill, SetupError.
        """
        known = [*await self.all(), *await self.all(proposed=True)]
        for skill in known:
            if skill.slug == slug:
                return skill
        names = ", ".join(skill.slug for skill in known)
        remedy = f"Available: {names}." if names else "Add one: deskpilot skills add FILE."
        raise UnknownSkill(f"There is no skill {slug!r}.", remedy)

    async def put(
        self, name: str, description: str, content: str, *, proposed: bool = False
    ) -> Skill:
        """Save a skill, which replaces one with the same name. A proposal replaces only another
        proposal.

        Raises: UnknownSkill for a name or a text that cannot be stored, SetupError.
        """
        slug = name if SLUG.fullmatch(name) else slug_of(name)
        if not slug:
            raise UnknownSkill(
                f"{name!r} is not a valid skill name.", "Use letters, digits and hyphens."
            )
        if not content.strip() or len(content) > MOST:
            raise UnknownSkill(
                "A skill must contain some text.", f"Write up to {MOST:,} characters of Markdown."
            )
        now = dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
        made = Skill(slug, description.strip()[:500] or first_line(content), content, now, proposed)

        def change(kept: dict[str, Any]) -> dict[str, Any]:
            old = kept.get(slug)
            if proposed and isinstance(old, dict) and not old.get("proposed"):
                raise UnknownSkill(
                    f"A skill named {slug} already exists.", "Propose it under another name."
                )
            if old is None and len(kept) >= MANY:
                raise UnknownSkill(
                    f"There are {MANY} skills.", "Remove some: deskpilot skills remove NAME."
                )
            return kept | {slug: written(made)}

        await self._file.change(change)
        return made

    async def propose(self, name: str, description: str, content: str) -> Skill:
        """Show a copilot's skill to the user as a proposal.

        Raises: UnknownSkill, SetupError.
        """
        made = await self.put(name, description, content, proposed=True)
        for listener in self._listeners:
            listener(made)
        return made

    async def accept(self, slug: str) -> None:
        """Accept a proposed skill.

        Raises: UnknownSkill, SetupError.
        """
        skill = await self.get(slug)
        await self._file.change(lambda kept: kept | {slug: written(replace(skill, proposed=False))})

    async def remove(self, slug: str) -> None:
        """Remove a skill.

        Raises: UnknownSkill, SetupError.
        """
        await self.get(slug)
        await self._file.change(lambda kept: {k: v for k, v in kept.items() if k != slug})

    async def offered(self, offer: RequestOffer, copilot: Copilot, question: str) -> RequestOffer:
        """Return a question's attachments with the called skill and the names of the others.

        The names are sent only to copilots that are allowed to see everything. The called skill is
        sent to every copilot. Raises: UnknownSkill, SetupError.
        """
        known, called = await self.all(), called_in(question)
        if called and called not in {skill.slug for skill in known}:
            # raises an error that lists the skills, unless this one is only proposed
            await self.get(called)
            raise UnknownSkill(
                f"The skill {called} was proposed by a copilot and is not saved yet.",
                f"Save it: deskpilot skills accept {called}",
            )
        chosen = [
            Instructions(skill.slug, skill.content, skill.description)
            for skill in known
            if skill.slug == called
        ]
        listed = (
            known if copilot.sees_all and not copilot.is_ours and copilot.dialect == "today" else []
        )
        return replace(offer, skills=listed, selected=[*offer.selected, *chosen])


def written(skill: Skill) -> dict[str, Any]:
    """Return a skill in its stored form."""
    return {k: v for k, v in skill.__dict__.items() if k != "slug"}


def read(slug: str, fields: object) -> Skill | None:
    """Restore a skill from its stored form. Return None for anything else."""
    if not isinstance(fields, dict) or not isinstance(fields.get("content"), str):
        return None
    return Skill(
        slug,
        str(fields.get("description") or slug),
        fields["content"],
        str(fields.get("updated") or ""),
        fields.get("proposed") is True,
    )


def first_line(content: str) -> str:
    """Return the first line without heading marks."""
    return next(
        (line.lstrip("# ").strip() for line in content.splitlines() if line.strip("# ")), ""
    )[:200]
