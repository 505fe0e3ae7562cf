"""One item of the picker: a widget behind #, a copilot behind @, a command or skill behind /."""

from __future__ import annotations

from typing import NamedTuple

COMMAND = "command:"  # before the id of one; no slug of a skill has a colon


class PickerItem(NamedTuple):
    """key: what is told when it is picked. behind: a word after its name, in accent while it is in
    use.
    """

    key: str
    name: str
    behind: str = ""
    in_use: bool = False
