"""The page of what the models may take of the memory."""

from __future__ import annotations

from app.domain.settings.definition import Page, Setting

LIMIT = Setting[float](
    key="memory.limit",
    kind="number",
    default=0.0,
    label="Memory for all models together",
    help=(
        "What nobody uses makes room for what is needed; a model that cannot fit is refused with a"
        " smaller one. Counts from the next start."
    ),
    low=0,
    high=4096,
    decimals=1,
    unit="GB",
    unset="As the machine allows",
)
IDLE = Setting[float](
    key="memory.idle",
    kind="number",
    default=10.0,
    label="Free a model that nobody used for",
    help="It is loaded again when it is needed. Counts from the next start.",
    level="developer",
    low=0,
    high=10_080,
    unit="minutes",
    unset="Never",
)
PAGE = Page("memory", "Memory", (LIMIT, IDLE))
