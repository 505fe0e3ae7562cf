"""A function for copilots that a newcomer adds: how many widgets go along with a question."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from app.domain.errors import UnknownWidget
from app.services.functions.context import FunctionReply

if TYPE_CHECKING:
    from app.services.functions.context import CallContext


async def count_widgets(desk: CallContext, arguments: dict[str, Any]) -> FunctionReply:
    """Return how many widgets of a backend are offered.

    Raises: UnknownWidget for a backend that none of them is from.
    """
    wanted = str(arguments.get("origin"))
    count = sum(one.origin == wanted for one in desk.offered.values())
    if not count:
        raise UnknownWidget(f"No widget is from {wanted!r}.", "Name another backend.")
    return FunctionReply(json.dumps({"origin": wanted, "count": count}))
