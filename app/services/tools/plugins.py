"""The plugins that the user added: they are saved in a file, with their secrets in the keyring."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from app.domain.errors import ToolError
from app.domain.tool import TERMINAL, InstalledPlugin, read_installed
from app.tools.plugins import oauth
from app.tools.plugins.discovery import find, logo_of
from app.tools.plugins.plugin import Plugin

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from app.services.ports import FilePort, SecretsPort
    from app.services.tools.toolbox import Toolbox
    from app.tools.plugins.discovery import FoundPlugin
    from app.tools.plugins.manifest import Auth
    from app.tools.web import Web


class Plugins:
    """The plugins, by id. The file contains no secrets, and shell commands can change it while a
    window is open.

    problems: why some added plugins can no longer be used, in words.
    """

    def __init__(
        self, web: Web, file: FilePort, secrets: SecretsPort, toolbox: Toolbox, pictures: Path
    ) -> None:
        self._web, self._file, self._secrets = web, file, secrets
        self._toolbox, self._pictures = toolbox, pictures
        self._plugins: dict[str, Plugin] = {}
        self.problems: list[str] = []
        toolbox.before_offering(self.restore)

    async def restore(self) -> None:
        """Offer the plugins that were added here or with a shell command. Unusable ones are listed
        in `problems`.

        Raises: SetupError.
        """
        kept, wrong = await self._file.read(), list[str]()
        for name in [name for name in self._plugins if name not in kept]:
            self._forget(name)
        for name, fields in kept.items():
            try:
                installed = read_installed(fields)
                if name not in self._plugins or self._plugins[name].installed != installed:
                    self._offer(Plugin(installed, self._web, self._secret, self._keep))
            except (TypeError, KeyError, AttributeError, ToolError) as error:
                wrong.append(f"The plugin {name} cannot be used: {error}")
        self.problems = wrong

    def all(self) -> list[Plugin]:
        """Return the plugins in the order in which they were added."""
        return list(self._plugins.values())

    def get(self, plugin_id: str) -> Plugin:
        """Return a plugin.

        Raises: ToolError.
        """
        found = self._plugins.get(plugin_id)
        if found is None:
            names = ", ".join(self._plugins)
            remedy = f"Available: {names}." if names else "Add one: deskpilot plugins add URL."
            raise ToolError(f"There is no plugin {plugin_id!r}.", remedy)
        return found

    async def look(self, url: str) -> FoundPlugin:
        """Return the plugin at an address, so that it can be shown to the user before it is added.

        Raises: PluginRefused, ToolError.
        """
        return await find(self._web, url)

    async def add(self, found: FoundPlugin, token: str = "") -> Plugin:
        """Add a plugin that the user agreed to. It replaces one with the same id from the same
        address.

        token: the user's token, if the plugin needs one. Raises: ToolError, SecretsError,
        SetupError.
        """
        await self.restore()
        name = found.manifest.id
        known = self._plugins.get(name)
        if known is not None and known.installed.url != found.url:
            raise ToolError(
                f"A plugin named {name} already exists, from {known.installed.url}.",
                f"Remove it first: deskpilot plugins remove {name}.",
            )
        others = {server.id for server in self._toolbox.servers()} - set(self._plugins)
        if name in others | {TERMINAL}:
            raise ToolError(f"{name} is already used by other tools.", "Remove those first.")
        if token:
            await self._secrets.put(secret_name(name), {"token": token})
        installed = InstalledPlugin(name, found.url, found.published, found.origins)
        plugin = Plugin(installed, self._web, self._secret, self._keep)
        await self._file.change(lambda kept: kept | {name: installed.as_dict()})
        picture = await logo_of(self._web, found)
        path = self._picture(name)
        if picture:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(picture)
        else:
            path.unlink(missing_ok=True)
        self._offer(plugin)
        return plugin

    async def accept(self, plugin_id: str) -> None:
        """Accept the new version of a plugin whose origins or operations changed.

        The plugin is fetched again, so that nothing is accepted that was not shown. Raises:
        ToolError, SetupError.
        """
        plugin = self.get(plugin_id)
        waiting = plugin.installed.waiting
        if waiting is None:
            raise ToolError(f"{plugin.name} has not changed.", "There is nothing to approve.")
        found = await self.look(plugin.installed.url)
        if (found.published.manifest, found.published.spec) != (waiting.manifest, waiting.spec):
            raise ToolError(f"{plugin.name} has changed again in the meantime.", "Check it again.")
        made = replace(
            plugin.installed, published=found.published, origins=found.origins, waiting=None, why=()
        )
        self._offer(Plugin(made, self._web, self._secret, self._keep))
        await self._keep(made)

    async def sign_in(
        self, plugin_id: str, client: dict[str, str], open_page: Callable[[str], object]
    ) -> None:
        """Let the user sign in to a plugin in the browser.

        Raises: ToolError, SecretsError.
        """
        plugin = self.get(plugin_id)
        kept = await oauth.sign_in(
            self._web, plugin.manifest.auth, plugin.installed.origins, client, open_page
        )
        await self._secrets.put(secret_name(plugin_id), kept)

    async def tell(self, plugin_id: str, token: str) -> None:
        """Store the token by which a plugin identifies the user.

        Raises: ToolError, SecretsError.
        """
        self.get(plugin_id)
        await self._secrets.put(secret_name(plugin_id), {"token": token} if token else {})

    async def remove(self, plugin_id: str) -> None:
        """Remove a plugin, its picture and its secrets.

        Raises: ToolError, SecretsError, SetupError.
        """
        plugin = self.get(plugin_id)
        if plugin.manifest.auth.way != "none":
            await self._secrets.put(secret_name(plugin_id), {})
        await self._file.change(lambda kept: {k: v for k, v in kept.items() if k != plugin_id})
        self._picture(plugin_id).unlink(missing_ok=True)
        self._forget(plugin_id)

    def picture(self, plugin_id: str) -> bytes:
        """Return a plugin's logo, or empty bytes if it has none."""
        path = self._picture(plugin_id)
        return path.read_bytes() if path.is_file() else b""

    def _offer(self, plugin: Plugin) -> None:
        self._plugins[plugin.id] = plugin
        self._toolbox.put(plugin)

    def _forget(self, plugin_id: str) -> None:
        self._plugins.pop(plugin_id, None)
        self._toolbox.drop(plugin_id)

    def _picture(self, plugin_id: str) -> Path:
        return self._pictures / f"{plugin_id}.picture"

    async def _keep(self, installed: InstalledPlugin) -> None:
        """Save the operations of a plugin, unless it was removed in the meantime."""
        await self._file.change(
            lambda kept: (
                kept | {installed.id: installed.as_dict()} if installed.id in kept else kept
            )
        )

    async def _secret(self, plugin_id: str, auth: Auth) -> dict[str, str]:
        """Return the header by which a plugin identifies the caller.

        Raises: ToolError, SecretsError.
        """
        if auth.way == "none":
            return {}
        kept = await self._secrets.get(secret_name(plugin_id))
        fresh = await oauth.renewed(self._web, auth, self.get(plugin_id).installed.origins, kept)
        if fresh is not None:
            await self._secrets.put(secret_name(plugin_id), fresh)
        return oauth.headers_of(auth, fresh or kept)


def secret_name(plugin_id: str) -> str:
    """Return the keyring name of a plugin's secrets."""
    return f"plugin:{plugin_id}"
