"""Put the tools together with the files and the keyring they are kept in."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from app.adapters.gateway.place import gateway_address
from app.adapters.secrets import Keyring
from app.adapters.setup.json_file import JsonFile
from app.services.consents import Consents
from app.services.tools.answers import Answers
from app.services.tools.assistants import Assistants
from app.services.tools.belt import Belt
from app.services.tools.mcp import McpServers
from app.services.tools.plugins import Plugins
from app.services.tools.toolbox import Toolbox
from app.tools.web.asking import Web
from backends.paths import assistants_file, data_folder, mcp_file, plugins_file

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator


@asynccontextmanager
async def build_belt(consents: Consents | None = None) -> AsyncGenerator[Belt]:
    """Build the tools; leaving the block ends every server of them.

    consents: where a person is asked; without, nothing is allowed. It works while a window is open, too.
    Raises: SetupError.
    """
    web, folder = Web(), data_folder()
    box = Toolbox(consents or Consents(), Answers(folder / "answers"))
    plugins = Plugins(web, JsonFile(plugins_file()), Keyring(), box, folder / "plugins")
    mcp = McpServers(JsonFile(mcp_file()), Keyring(), box, folder / "mcp")
    try:
        await plugins.restore()
        await mcp.restore()
        yield Belt(box, plugins, mcp, Assistants(JsonFile(assistants_file()), box, gateway_address))
    finally:
        await box.aclose()
        await web.aclose()
