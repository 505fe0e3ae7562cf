"""What the page of assistants does: joins it to the services. Not a widget, so it may await."""

from __future__ import annotations

from typing import TYPE_CHECKING

import shiboken6
from PySide6.QtCore import QObject

from app.domain.errors import DeskpilotError
from app.ui.copilots.assistants import AssistantWindow
from app.ui.copilots.publication import PublishWindow
from app.ui.main import boxes
from app.ui.words import told, tr

if TYPE_CHECKING:
    from app.domain.assistant import Assistant
    from app.services.models.models import Models
    from app.services.tasks import Do, Work
    from app.services.tools.toolbox import Belt
    from app.ui.copilots.assistants import AssistantsPage


class Assembling(QObject):
    """Reads the assistants anew each time they are shown: the shell may have changed them."""

    def __init__(self, page: AssistantsPage, belt: Belt, models: Models, do: Do) -> None:
        super().__init__(page)
        self._page, self._belt, self._models, self._do = page, belt, models, do
        kept = belt.assistants
        page.write_wanted.connect(lambda one: do("write assistant", self._write(one)))
        page.publish_wanted.connect(self._publish)
        page.unpublish_wanted.connect(
            lambda name: self._change("unpublish", lambda: kept.revoke(name))
        )
        page.take_back_wanted.connect(
            lambda name, server, tool: self._change(
                "revoke", lambda: kept.revoke(name, (server, tool))
            )
        )
        page.remove_wanted.connect(self._ask_to_remove)

    def read(self) -> None:
        """Show the assistants there are now."""
        self._do("read assistants", self._read())

    async def _read(self) -> None:
        try:
            known, problem = await self._belt.assistants.all(), ""
        except DeskpilotError as error:
            known, problem = [], told(error)
        if shiboken6.isValid(self._page):
            self._page.tell(problem)
            self._page.show_assistants(known, self._belt.assistants.address())

    def _change(self, name: str, work: Work) -> None:
        async def changed() -> None:
            try:
                await work()
            except DeskpilotError as error:
                self._page.tell(told(error))
                return
            await self._read()

        self._do(name, changed())

    def _ask_to_remove(self, name: str) -> None:
        text = tr("Remove the assistant {name}? Who asks it is not answered any more.", name=name)
        gone = self._belt.assistants
        boxes.ask_first(
            self._page.window(),
            text,
            tr("Remove"),
            lambda: self._change(f"remove assistant {name}", lambda: gone.remove(name)),
        )

    async def _write(self, one: Assistant | None) -> None:
        try:
            shelf = await self._models.shelf()
            models = [(model.id, model.name) for model in shelf.of_type("llm")]
        except DeskpilotError as error:
            models = []
            self._page.tell(told(error))
        servers = [(server.id, server.name) for server in self._belt.box.servers()]
        window = AssistantWindow(one, models, servers, self._page.window())
        window.written.connect(
            lambda made: self._do("keep assistant", self._put(window, made, is_new=one is None))
        )
        window.open()

    async def _put(self, window: AssistantWindow, made: Assistant, *, is_new: bool) -> None:
        kept = self._belt.assistants
        try:
            if is_new and made.name in {one.name for one in await kept.all()}:
                problem = tr("There is an assistant {name} already.", name=made.name)
            else:
                await (kept.create(made) if is_new else kept.edit(made))
                problem = ""
        except DeskpilotError as error:
            problem = told(error)
        if shiboken6.isValid(window):
            if problem:
                window.fail(problem)
                return
            window.accept()
        await self._read()

    def _publish(self, one: Assistant) -> None:
        tools = [
            tool
            for server in self._belt.box.servers()
            if server.id in one.servers
            for tool in server.tools
        ]
        window = PublishWindow(one, tools, self._page.window())
        window.agreed.connect(
            lambda granted: self._do(
                "publish assistant", self._published(window, one.name, granted)
            )
        )
        window.open()

    async def _published(
        self, window: PublishWindow, name: str, granted: list[tuple[str, str]]
    ) -> None:
        try:
            token = await self._belt.assistants.publish(name, [(s, t) for s, t in granted])
        except DeskpilotError as error:
            if shiboken6.isValid(window):
                window.fail(told(error))
            return
        if shiboken6.isValid(window):
            window.show_token(token)
        await self._read()
