"""The page of how Deskpilot looks."""

from __future__ import annotations

from app.domain.settings.definition import Page, Setting

THEME = Setting[str](
    key="appearance.theme",
    kind="choice",
    default="system",
    label="Theme",
    help="Light or dark; as the system has it unless you choose.",
    options=(("system", "As the system"), ("light", "Light"), ("dark", "Dark")),
)
PAGE = Page("appearance", "Appearance", (THEME,))
