"""`deskpilot --profile NAME`: choose the model for one run."""

from __future__ import annotations

import os
import sys

import typer

from app.domain.errors import SetupError
from app.services.models.profiles import PROFILE, find_profile
from backends.installation import installation
from backends.paths import profiles_folder


def use_profile(name: str) -> None:
    """Use a profile in this process and those it starts; a faulty one ends the command with a
    message.
    """
    try:
        found = find_profile(name, profiles_folder())
    except SetupError as error:
        print(installation().typed(str(error)), file=sys.stderr)
        raise typer.Exit(1) from error
    if found.left_out:
        print(f"Ignored in the profile: {', '.join(found.left_out)}.", file=sys.stderr)
    os.environ[PROFILE] = name
