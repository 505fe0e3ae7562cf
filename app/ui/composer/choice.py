"""One item of the picker: a widget after #, a copilot after @, a command or skill after /."""

from __future__ import annotations

from typing import NamedTuple

COMMAND = "command:"  # before the id of one; no slug of a skill has a colon


class PickerItem(NamedTuple):
    """An item. key: reported when it is picked. behind: a word after its name, coloured while it is
    in use.
    """

    key: str
    name: str
    behind: str = ""
    in_use: bool = False
