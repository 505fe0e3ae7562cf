"""Skills for copilots: read them and propose new ones. Only the user saves them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from app.domain.errors import UnknownSkill
from app.services.functions.context import CallContext, FunctionReply

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from app.services.functions.context import CallContext

    Function = Callable[[CallContext, dict[str, Any]], Awaitable[FunctionReply]]


async def get_skill_content(desk: CallContext, arguments: dict[str, Any]) -> FunctionReply:
    """Return a skill that was described to the copilot.

    Raises: UnknownSkill.
    """
    slug = str(arguments.get("slug"))
    skill = desk.skills.get(slug)
    if skill is None:
        names = ", ".join(desk.skills) or "none"
        raise UnknownSkill(f"There is no skill {slug!r}.", f"Available: {names}.")
    return FunctionReply(json.dumps({"skill": skill.told("model_selected")}, ensure_ascii=False))


async def save_skill(desk: CallContext, arguments: dict[str, Any]) -> FunctionReply:
    """Show a proposed skill to the user instead of saving it, since a saved skill affects all later
    conversations.

    Raises: UnknownSkill if it has no text; SetupError.
    """
    if desk.propose is None:
        raise UnknownSkill("Skills cannot be saved here.", "Answer in words.")
    text = str(arguments.get("instructions") or arguments.get("content") or "")
    name = str(arguments.get("name") or "") or text[:40]
    skill = await desk.propose(name, str(arguments.get("description") or ""), text)
    told = f"The skill {skill.slug} was proposed; the person decides whether it is kept."
    return FunctionReply(json.dumps({"message": told, "slug": skill.slug}, ensure_ascii=False))
