"""The services of the terminal, together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.services.dashboard.tiles import Boards
from app.services.library.pages import Pages
from app.services.settings.diagnostics import Diagnostics
from app.services.settings.permissions import Givers, Permissions

if TYPE_CHECKING:
    from app.services.conversation.attachments import Attachments
    from app.services.conversation.choices import Choice, Corrections
    from app.services.conversation.copilots import Copilots, ServicePort
    from app.services.conversation.exchange import Exchange
    from app.services.conversation.history import History
    from app.services.conversation.meaning import Meaning
    from app.services.conversation.turns import Turns
    from app.services.dashboard.databases import Databases
    from app.services.dashboard.live import Live
    from app.services.dashboard.tiles import Dashboard
    from app.services.dashboard.widgets import Widgets
    from app.services.documents import Documents
    from app.services.library.skills import Skills
    from app.services.library.workflows import Workflows
    from app.services.models.models import Models
    from app.services.models.providers import Providers
    from app.services.ports import SoundPort
    from app.services.settings.network import Network
    from app.services.settings.settings import Settings
    from app.services.tasks import Tasks
    from app.services.tools.toolbox import Belt
    from app.services.voice.speech import Speech
    from app.services.voice.talk import LiveVoice


@dataclass(frozen=True)
class Deskpilot:
    """What a window or a command works with."""

    turns: Turns
    history: History
    exchange: Exchange
    widgets: Widgets
    attachments: Attachments
    dashboard: Dashboard
    live: Live
    copilots: Copilots
    choice: Choice
    corrections: Corrections
    skills: Skills
    providers: Providers
    settings: Settings
    models: Models
    network: Network
    service: ServicePort
    tasks: Tasks
    sound: SoundPort
    speech: Speech
    voice: LiveVoice
    belt: Belt
    databases: Databases
    meaning: Meaning
    workflows: Workflows
    documents: Documents

    async def clean(self) -> None:
        """Remove what was fetched or copied for widgets that are gone; call it once all widgets are
        known.

        Raises: SetupError.
        """
        await self.live.clean()
        await self.databases.clean([widget.path for widget in self.widgets.all()])

    @property
    def pages(self) -> Pages:
        """Pages of the web, fetched when the person says so."""
        return Pages(self.live, self.widgets)

    @property
    def boards(self) -> Boards:
        """The dashboards, for who changes them on a copilot's behalf."""
        return Boards(self.dashboard, self.live)

    @property
    def permissions(self) -> Permissions:
        """What the person allowed, in one list."""
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
        """What helps to find out what is wrong."""
        return Diagnostics(self.settings, self.models, self.copilots, self.providers, self.history)
