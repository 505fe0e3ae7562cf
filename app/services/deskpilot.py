"""All services of the terminal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.services.dashboard.tiles import Boards
from app.services.dashboard.web_pages import WidgetPages
from app.services.diagnostics import Diagnostics
from app.services.permissions import Givers, Permissions

if TYPE_CHECKING:
    from app.domain.errors import DeskpilotError
    from app.services.conversation.attachments import Attachments
    from app.services.conversation.copilots import CopilotChoice, Copilots, Corrections
    from app.services.conversation.exchange import Exchange
    from app.services.conversation.history import History
    from app.services.conversation.semantic_search import SemanticSearch
    from app.services.conversation.skills import Skills
    from app.services.conversation.turns import Turns
    from app.services.dashboard.databases import Databases
    from app.services.dashboard.live import Live
    from app.services.dashboard.tiles import Dashboard
    from app.services.dashboard.widgets import Widgets
    from app.services.documents import Documents
    from app.services.library.workflows import Workflows
    from app.services.models.models import ModelCatalog
    from app.services.models.providers import Providers
    from app.services.network import Network
    from app.services.ports import ServicePort, SoundPort
    from app.services.settings import Settings
    from app.services.tasks import Tasks
    from app.services.tools.assistants import Assistants
    from app.services.tools.gallery import Gallery
    from app.services.tools.mcp import McpServers
    from app.services.tools.plugins import Plugins
    from app.services.tools.toolbox import Toolbox
    from app.services.voice.speech import Speech
    from app.services.voice.talk import LiveVoice


@dataclass(frozen=True)
class Deskpilot:
    """The services of a window or a command. note: a message to show when the window opens."""

    turns: Turns
    history: History
    exchange: Exchange
    widgets: Widgets
    attachments: Attachments
    dashboard: Dashboard
    live: Live
    copilots: Copilots
    choice: CopilotChoice
    corrections: Corrections
    skills: Skills
    providers: Providers
    settings: Settings
    models: ModelCatalog
    network: Network
    service: ServicePort
    tasks: Tasks
    sound: SoundPort
    speech: Speech
    voice: LiveVoice
    belt: Tools
    databases: Databases
    meaning: SemanticSearch
    workflows: Workflows
    documents: Documents
    note: DeskpilotError | None = None

    async def clean(self) -> None:
        """Remove the fetched or copied data of widgets that are gone. Call this once all widgets
        are loaded.

        Raises: SetupError.
        """
        await self.live.clean()
        await self.databases.clean([widget.path for widget in self.widgets.all()])

    @property
    def pages(self) -> WidgetPages:
        """Web pages, which are fetched when the user allows it."""
        return WidgetPages(self.live, self.widgets)

    @property
    def boards(self) -> Boards:
        """The dashboards, for changes on behalf of a copilot."""
        return Boards(self.dashboard, self.live)

    @property
    def permissions(self) -> Permissions:
        """Return all permissions that the user granted."""
        return Permissions(
            Givers(
                self.copilots,
                self.providers,
                self.live.backends,
                self.belt.plugins,
                self.skills,
                self.dashboard.consents,
                self.history,
            )
        )

    @property
    def diagnostics(self) -> Diagnostics:
        """Return the diagnostics."""
        return Diagnostics(self.settings, self.models, self.copilots, self.providers, self.history)


@dataclass(frozen=True)
class Tools:
    """The tools. box: the tools that are offered, and all calls to them. plugins: the plugins that
    the user added. mcp: the servers that the user added.

    assistants: the user's combinations of models, tools and tables. gallery: the tools that are
    shipped with Deskpilot.
    """

    box: Toolbox
    plugins: Plugins
    mcp: McpServers
    assistants: Assistants
    gallery: Gallery
