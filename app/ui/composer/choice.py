"""An item of the picker: a widget after #, a copilot after @, a command or skill after /."""

from __future__ import annotations

from typing import NamedTuple

COMMAND = "command:"  # prefix of a command's id; the slug of a skill never contains a colon


class PickerItem(NamedTuple):
    """An item of the picker.

    key: the value reported when the item is picked. behind: the text after its name, which is
    coloured while the item is in use.
    """

    key: str
    name: str
    behind: str = ""
    in_use: bool = False
