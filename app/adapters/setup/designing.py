"""The design job over this data folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.adapters.setup.alone import alone
from app.adapters.setup.json_file import JsonFile
from app.services.design.designer import Designer
from backends.paths import design_file

if TYPE_CHECKING:
    from app.data.library.shelf import Library
    from app.services.providers.ports import ManagePort
    from app.services.tasks import Tasks


def designer(manage: ManagePort, tasks: Tasks, library: Library) -> Designer:
    """Return what designs interfaces into a library; one process does so at a time."""
    file = design_file()
    lock = file.with_name("design.running")
    return Designer(JsonFile(file), library, manage, tasks, lambda: alone(lock, "A design"))
