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
LANGUAGE = Setting[str](
    key="appearance.language",
    kind="choice",
    default="system",
    label="Language",
    help="Of the window. Counts from the next start.",
    options=(("system", "As the system"), ("en", "English"), ("zh", "简体中文"), ("ja", "日本語")),
)
CONTRAST = Setting[str](
    key="appearance.contrast",
    kind="choice",
    default="system",
    label="Contrast",
    help="High: black on white or white on black, thick frames around what has the focus.",
    options=(("system", "As the system"), ("normal", "Normal"), ("high", "High")),
)
TRAY = Setting[str](
    key="appearance.tray",
    kind="choice",
    default="icon",
    label="Icon in the tray",
    help="Where the system has a tray. Closed into it, Deskpilot stays ready.",
    options=(("off", "None"), ("icon", "Shown"), ("stay", "Shown, and the window closes into it")),
)
PAGE = Page("appearance", "Appearance", (THEME, CONTRAST, LANGUAGE, TRAY))
