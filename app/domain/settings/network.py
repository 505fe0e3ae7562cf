"""The page of what may be reached from this machine."""

from __future__ import annotations

from app.domain.settings.definition import Page, Setting

OFFLINE = Setting[bool](
    key="network.offline",
    kind="switch",
    default=False,
    label="Offline",
    help=(
        "Every connection to another machine is refused, in the window, the model service and its"
        " models. The service is started anew; an answer that is coming breaks off."
    ),
)
PAGE = Page("network", "Network", (OFFLINE,))
