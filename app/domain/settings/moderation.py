"""The page of what a guard model must not find in questions and answers."""

from __future__ import annotations

from app.domain.settings.definition import Page, Setting

CHECK = Setting[bool](
    key="moderation.check",
    kind="switch",
    default=False,
    label="Check questions and answers",
    help=(
        "A guard model reads each question before it is sent, and each answer before it is shown or"
        " spoken. What it finds harmful is held back; what it cannot check is held back, too."
    ),
)
PASS = Setting[list[str]](
    key="moderation.pass",
    kind="names",
    default=[],
    label="Kinds of harm that may pass",
    help=(
        "As the guard model names them, with commas between, such as: Specialized Advice,"
        " Elections."
    ),
)
MODEL = Setting[str](
    key="moderation.model",
    kind="model",
    default="",
    label="Guard model",
    help="A model of a provider gets everything you ask and everything that is answered.",
    of="moderation",
)
PAGE = Page("moderation", "Moderation", (CHECK, PASS, MODEL))
