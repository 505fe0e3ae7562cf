"""The page of who answers, and how long it may take."""

from __future__ import annotations

from app.domain.settings.definition import Page, Setting

MODEL = Setting[str](
    key="chat.model",
    kind="model",
    default="",
    label="Model that talks",
    help=(
        "Writes the words where no table answers. A model of a provider gets your questions,"
        " wherever it runs."
    ),
    of="llm",
)
SECONDS = Setting[float](
    key="chat.seconds",
    kind="number",
    default=900.0,
    label="Longest answer",
    help=(
        "An answer that takes longer is ended, and what was said is kept. Counts from the next"
        " start."
    ),
    level="developer",
    low=10,
    high=86_400,
    unit="seconds",
)
OFFER = Setting[bool](
    key="chat.offer",
    kind="switch",
    default=True,
    label="Offer better models",
    help="On the page before the first question, until you say no.",
)
INSTRUCTIONS = Setting[str](
    key="chat.instructions",
    kind="text",
    default="",
    label="Custom instructions",
    help=(
        "Go along with every question, to whichever copilot answers it. Each chat can have its own"
        " beside them."
    ),
    high=8_000,
)
PAGE = Page("chat", "Chat", (MODEL, INSTRUCTIONS, OFFER, SECONDS))
