"""What turns get besides copilots: something that runs code, and the model of the profile that was named."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from app.services.lmc.profile import PROFILE, find_profile
from app.services.lmc.talking import Talking
from backends.paths import profiles_folder

if TYPE_CHECKING:
    from app.services.coding.coder import Coder
    from app.services.lmc.talking import ManagePort
    from app.services.turns import Turns


def equip(turns: Turns, coder: Coder, manage: ManagePort) -> None:
    """Let turns run code, and talk with the model of the profile in use.

    Raises: SetupError.
    """
    turns.run_code_with(coder)
    if name := os.environ.get(PROFILE):
        turns.talk_with(Talking(find_profile(name, profiles_folder()).llm, manage))
