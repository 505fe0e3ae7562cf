"""The page of who answers, and how long it may take."""

from __future__ import annotations

from app.domain.settings.definition import Page, Setting

MODEL = Setting[str](
    key="chat.model",
    kind="model",
    default="",
    label="Model that talks",
    help="Writes the words where no table answers. A model of a provider gets your questions, wherever it runs.",
    of="llm",
)
SECONDS = Setting[float](
    key="chat.seconds",
    kind="number",
    default=900.0,
    label="Longest answer",
    help="An answer that takes longer is ended, and what was said is kept. Counts from the next start.",
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
PAGE = Page("chat", "Chat", (MODEL, OFFER, SECONDS))
