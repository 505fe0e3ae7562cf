"""Parts that can be built without the rest of the terminal: the design job, databases and tools."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from app.adapters.databases.client import Postgres
from app.adapters.gateway.address import gateway_address
from app.adapters.system.json_file import JsonFile, alone
from app.adapters.system.secrets import Keyring
from app.data.library.library_file import Library
from app.services.consents import Consents
from app.services.dashboard.databases import Databases
from app.services.deskpilot import Tools
from app.services.library.designer import Designer
from app.services.tools.assistants import Assistants
from app.services.tools.gallery import Gallery, TodoSample
from app.services.tools.mcp import McpServers
from app.services.tools.plugins import Plugins
from app.services.tools.toolbox import Answers, Toolbox
from app.tools.web import Web
from backends.paths import (
    assistants_file,
    data_folder,
    databases_file,
    databases_folder,
    design_file,
    library_file,
    mcp_file,
    plugins_file,
)

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from app.services.ports import ModelsPort
    from app.services.tasks import Tasks


def designer(manage: ModelsPort, tasks: Tasks, library: Library) -> Designer:
    """Return the design job of a library; only one process runs it at a time."""
    file = design_file()
    lock = file.with_name("design.running")
    return Designer(JsonFile(file), library, manage, tasks, lambda: alone(lock, "A design"))


def build_databases() -> Databases:
    """Return the databases for this data folder."""
    library = Library(JsonFile(library_file()))
    return Databases(
        Postgres(),
        JsonFile(databases_file()),
        Keyring(),
        databases_folder(),
        lambda: [note.path for note in library.notes().values()],
    )


@asynccontextmanager
async def build_belt(consents: Consents | None = None) -> AsyncGenerator[Tools]:
    """Build the tools; leaving the block closes all their servers.

    consents: asks the user for consent; without it, nothing is allowed. The tools can also be built
    while a window is open. Raises: SetupError.
    """
    web, folder = Web(), data_folder()
    box = Toolbox(consents or Consents(), Answers(folder / "answers"))
    plugins = Plugins(web, JsonFile(plugins_file()), Keyring(), box, folder / "plugins")
    mcp = McpServers(JsonFile(mcp_file()), Keyring(), box, folder / "mcp")
    gallery = Gallery(plugins, mcp, TodoSample())
    assistants = Assistants(JsonFile(assistants_file()), box, gateway_address)
    try:
        await plugins.restore()
        await mcp.restore()
        box.before_offering(gallery.restore)
        yield Tools(box, plugins, mcp, assistants, gallery)
    finally:
        await box.aclose()
        await gallery.aclose()
        await web.aclose()
