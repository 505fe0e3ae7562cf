"""All settings, page by page."""

from __future__ import annotations

from typing import Any

from app.domain.errors import SetupError
from app.domain.settings import appearance, chat, keys, memory, moderation, network, voice
from app.domain.settings.definition import Page, Setting

PAGES: tuple[Page, ...] = (
    appearance.PAGE,
    chat.PAGE,
    keys.PAGE,
    voice.PAGE,
    memory.PAGE,
    network.PAGE,
    moderation.PAGE,
)


def find(key: str) -> Setting[Any]:
    """Return the setting of a key.

    Raises: SetupError.
    """
    for page in PAGES:
        for setting in page.settings:
            if setting.key == key:
                return setting
    keys = ", ".join(setting.key for page in PAGES for setting in page.settings)
    raise SetupError(f"There is no setting {key!r}.", f"There are: {keys}.")
