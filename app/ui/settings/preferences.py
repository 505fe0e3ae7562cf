"""The controller of the settings window, and the network test below the offline switch."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.domain.errors import DeskpilotError
from app.domain.model import EMBEDDER, LANGUAGE
from app.domain.settings import CHECK, KEYS, MODEL, conflicts, text_of
from app.domain.settings import MODERATION_MODEL as GUARD_MODEL
from app.ui.controls.labels import label
from app.ui.copilots.assistants import AssistantsController
from app.ui.documents.libraries import Libraries
from app.ui.models.hub import HubController
from app.ui.models.model_dialog import Tuner
from app.ui.models.offers import ModelOffers
from app.ui.models.page import VERIFIED, ModelRemoval
from app.ui.models.provider import ProviderDialogs
from app.ui.settings.about import AboutController
from app.ui.settings.plugins import PluginController
from app.ui.settings.skills import SkillsController
from app.ui.settings.trust import Trust
from app.ui.settings.window import MODELS, SettingsWindow
from app.ui.theme.i18n import STARTERS, mark, told, tr
from app.ui.theme.style import set_style
from app.ui.workflows.library_controller import LibraryController
from backends.sentences import joined

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.domain.model import Model, Shelf
    from app.domain.settings import Setting
    from app.services.deskpilot import Deskpilot
    from app.services.network import ProcessCheck
    from app.services.tasks import Do
    from app.ui.settings.page import SettingRow


PROCESSES = {
    "window": mark("The window"),
    "service": mark("The model service"),
    "worker": mark("A model's process"),
}
WENT = mark("succeeded")  # the network guard's result for a connection that was possible
WAYS = {
    "name": mark("looks up a name"),
    "tcp": mark("connects"),
    "tcp6": mark("connects by IPv6"),
    "udp": mark("sends a packet"),
}


class WaysOut(QWidget):
    """The button for the network test, and the test's results. Signals: wanted()."""

    wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        about = QLabel(
            tr("Each process tries to connect to other machines. Uses reserved test addresses."),
            self,
        )
        about.setObjectName("muted")
        about.setWordWrap(True)
        self.button = QPushButton(tr("Check what can be reached"), self)
        self.button.clicked.connect(self._on_clicked)
        self.verdict = QLabel(self)
        self.verdict.setWordWrap(True)
        self.verdict.hide()
        self._table = QWidget(self)
        self._column = column = QVBoxLayout(self)
        column.setContentsMargins(0, 12, 0, 12)
        column.setSpacing(10)
        column.addWidget(about)
        column.addWidget(self.button, alignment=Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self.verdict)
        column.addWidget(self._table)

    def show_checked(self, checked: list[ProcessCheck]) -> None:
        """Show the results of the test."""
        closed = all(process.closed for process in checked)
        refused, ways = (
            sum(w.refused for p in checked for w in p.ways),
            sum(len(p.ways) for p in checked),
        )
        told = tr("Refused: {refused} of {ways}.", refused=refused, ways=ways)
        verdict = (
            tr("Offline: only this machine can be reached.")
            if closed
            else tr("Other machines can be reached.")
        )
        self._end(joined(verdict, told), good=closed)
        table = QWidget(self)
        grid = QGridLayout(table)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(16)
        grid.setColumnStretch(2, 1)
        row = 0
        for process in checked:
            name = " · ".join(
                part
                for part in (tr(PROCESSES[process.name]), process.model, str(process.pid))
                if part
            )
            head = QLabel(name, table)
            head.setObjectName("strong")
            grid.addWidget(head, row, 0, 1, 3)
            for way in process.ways:
                row += 1
                state = QLabel(tr("refused") if way.refused else tr("open"), table)
                state.setObjectName("good" if way.refused else "wrong")
                grid.addWidget(QLabel(tr(WAYS[way.way]), table), row, 0)
                grid.addWidget(state, row, 1)
                grid.addWidget(label(tr(way.told), "caption", table), row, 2)
            row += 1
        self._column.replaceWidget(self._table, table)
        self._table.deleteLater()
        self._table = table

    def forget(self) -> None:
        """Hide old results, because the network has been switched on or off."""
        self._ready()
        self.verdict.hide()
        self._table.hide()

    def tell(self, text: str) -> None:
        """Show why the test could not be run."""
        self._end(text, good=False)

    def _on_clicked(self) -> None:
        self.button.setEnabled(False)
        self.button.setText(tr("Trying …"))
        self.wanted.emit()

    def _ready(self) -> None:
        self.button.setEnabled(True)
        self.button.setText(tr("Check what can be reached"))

    def _end(self, text: str, *, good: bool) -> None:
        self._ready()
        set_style(self.verdict, "good" if good else "problem")
        self.verdict.setText(text)
        self.verdict.show()
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, text))


FIXED = {
    "Ctrl+C": mark("Copy"),
    "Ctrl+V": mark("Paste"),
    "Ctrl+X": mark("Cut"),
    "Ctrl+A": mark("Select all"),
    "Ctrl+Z": mark("Undo"),
}
UNGUARDED = mark(
    "There is no guard model yet. Until there is one, every question is blocked as unchecked."
)


class Preferences(QObject):
    """Controls the settings and models of a window.

    do: a function that starts a named task. tell_host: a function that is called with the host that
    receives questions.

    Signals: replayed(question, note, workflow, result) from the library; passage_wanted(path, page,
    quote) and asking_wanted(...) from the document search.
    """

    replayed = Signal(str, str, object, object)
    passage_wanted = Signal(str, int, str)
    asking_wanted = Signal(str, str)

    def __init__(
        self, window: QWidget, deskpilot: Deskpilot, do: Do, tell_host: Callable[[str], None]
    ) -> None:
        super().__init__(window)
        self._window = window
        self._deskpilot = deskpilot
        self._do = do
        self._tell_host = tell_host
        self.settings: SettingsWindow | None = None
        self.tuner: Tuner | None = None
        self.documents: Libraries | None = None
        self.hub: HubController | None = None
        self._discarding: ModelRemoval | None = None
        self.offering = ModelOffers(
            window, deskpilot.settings, deskpilot.models, deskpilot.tasks, do
        )
        self.offering.open_models = lambda: self.open(MODELS)
        self._reading = asyncio.Lock()
        self._shared: set[str] = set()  # the actions for which a shared shortcut was reported
        deskpilot.settings.subscribe(self._on_setting)

    def open(self, page: str) -> SettingsWindow:
        """Show a page of the settings window."""
        if self.settings is None:
            self.settings = self._made()
        self.settings.show_page(page)
        return self.settings

    def show_models(self, model_id: str = "") -> None:
        """Show the language models. model_id: the id of the model whose download button gets the
        focus.
        """
        page = self.open(MODELS).models
        page.show_kind(LANGUAGE)
        page.point_to(model_id)

    def search_models(self) -> None:
        """Open the model hub search above the models page."""
        self.show_models()
        assert self.hub is not None
        self.hub.open()

    def mend(self, place: str) -> None:
        """Run the action of an error's button. place: a pair as returned by `place_for`."""
        if place != STARTERS:
            self.open(place)
        elif self.offering.starters is not None:
            self.offering.fetch()
        else:  # the models have been downloaded in the meantime
            self.open(MODELS)

    def show_embedders(self) -> None:
        """Show the embedding models."""
        self.open(MODELS).models.show_kind(EMBEDDER)

    async def restore(self) -> None:
        """Report where our own copilot's chat model runs.

        Raises: SetupError.
        """
        model = await self._deskpilot.settings.get(MODEL)
        added = {a.name: a.host for a in await self._deskpilot.providers.added()}
        self._tell_host(added.get(model.partition("/")[0], "") if "/" in model else "")

    def _made(self) -> SettingsWindow:
        made = SettingsWindow(self._window)
        made.opened.connect(lambda: self._do("read settings", self._read()))
        made.opened.connect(lambda: self._do("read devices", self._read_devices()))
        for page in made.pages:
            page.changed.connect(
                lambda setting, value: self._do(f"set {setting.key}", self._set(setting, value))
            )
        skills = SkillsController(made.skills, self._deskpilot.skills, self._do)
        made.opened.connect(skills.read)
        trust = Trust(
            made.permissions,
            made.diagnostics,
            self._deskpilot.permissions,
            self._deskpilot.diagnostics,
            self._do,
        )
        made.opened.connect(trust.read)
        AboutController(made.about, self._do)
        plugins = PluginController(made.plugins, self._deskpilot.belt, self._do)
        made.opened.connect(plugins.read)
        library = LibraryController(
            made.library,
            self._deskpilot.widgets,
            self._deskpilot.tasks,
            self._deskpilot.workflows,
            self._do,
        )
        library.replayed.connect(self.replayed)
        made.opened.connect(library.read)
        self.documents = Libraries(
            made.documents,
            self._deskpilot.widgets,
            self._deskpilot.models,
            self._deskpilot.documents,
            self._do,
        )
        made.documents.embedders_wanted.connect(self.show_embedders)
        made.documents.panel.opened.connect(self.passage_wanted)
        made.documents.panel.asked.connect(self.asking_wanted)
        made.opened.connect(self.documents.read)
        assistants = AssistantsController(
            made.assistants, self._deskpilot.belt, self._deskpilot.models, self._do
        )
        made.opened.connect(assistants.read)
        models = made.models
        models.download_wanted.connect(
            lambda model: self._do(f"pull {model.id}", self._pull(model))
        )
        models.import_wanted.connect(lambda path: self._do("import", self._import(Path(path))))
        models.stop_wanted.connect(self._stop_work)
        models.verify_wanted.connect(
            lambda model: self._do(f"verify {model.id}", self._verify(model))
        )
        self._discarding = ModelRemoval(
            models, self._deskpilot.settings, self._deskpilot.models, self._do, self._read
        )
        models.discard_wanted.connect(self._discarding.ask)
        models.unload_wanted.connect(lambda model: self._do("unload", self._unload(model)))
        models.talk_wanted.connect(
            lambda name: self._do(f"set {MODEL.key}", self._set(MODEL, name))
        )
        models.remove_wanted.connect(lambda name: self._do("remove provider", self._remove(name)))
        ways = WaysOut(made)
        next(page for page in made.pages if page.page.id == "network").add_below(ways)
        ways.wanted.connect(lambda: self._do("ways out", self._try_ways(ways)))
        self._deskpilot.network.subscribe(lambda _: ways.forget())
        adding = ProviderDialogs(made, self._deskpilot.providers, self._do, self._read)
        models.add_wanted.connect(adding.open)
        self.hub = HubController(
            models,
            self._deskpilot.models,
            self._deskpilot.settings,
            self._deskpilot.network,
            self._deskpilot.tasks,
            self._do,
            self._read_shelf,
        )
        models.search_wanted.connect(self.hub.open)
        self.tuner = Tuner(models, self._deskpilot.models, self._do, self._read_shelf)
        return made

    async def _read(self) -> None:
        """Update the window, because a shell command may have changed something."""
        window, settings = self._shown(), self._deskpilot.settings
        found: list[tuple[SettingRow, Any, str]] = []
        async with self._reading:  # so that no message about a change disappears
            for row in (row for page in window.pages for row in page.rows):
                try:
                    found.append((row, await settings.get(row.setting), ""))
                except DeskpilotError as error:
                    found.append((row, None, told(error)))
            for row, value, problem in found:
                if not problem:
                    row.set_value(value)
                row.tell(problem)
            await self._tell_shared_keys()
        await self._deskpilot.voice.choices.load()
        window.models.set_talks(await self._deskpilot.settings.get(MODEL))
        await self._read_shelf()
        await self.restore()

    async def _read_shelf(self) -> None:
        self._show(await self._deskpilot.models.shelf())

    async def _try_ways(self, ways: WaysOut) -> None:
        try:
            network = self._deskpilot.network
            offline, checked = network.is_offline, await network.check()
            if network.is_offline is offline:  # otherwise, the results are outdated
                ways.show_checked(checked)
        except DeskpilotError as error:
            ways.tell(told(error))

    async def _read_devices(self) -> None:
        """Offer the microphones and loudspeakers that are connected now; querying the system may
        take a while.
        """
        card = self._deskpilot.voice.card
        devices = {"microphone": await card.microphones(), "loudspeaker": await card.loudspeakers()}
        for page in self._shown().pages:
            for row in page.rows:
                if row.setting.kind == "device":
                    row.set_devices([device.name for device in devices[row.setting.of]])

    async def _set(self, setting: Setting[Any], value: Any) -> None:
        async with self._reading:
            await self._change(setting, value)

    async def _change(self, setting: Setting[Any], value: Any) -> None:
        row = next((row for page in self._shown().pages if (row := page.row_of(setting))), None)
        if (
            row is not None
            and setting.kind == "key"
            and (holder := await self._holder(setting, str(value)))
        ):
            row.set_value(await self._deskpilot.settings.get(setting))
            row.tell(holder)
            return
        try:
            await self._deskpilot.settings.put(setting, value)
        except DeskpilotError as error:
            if row is not None:
                row.tell(told(error))
            return
        if row is not None:
            row.set_value(value)
        if setting.kind == "key":
            await self._tell_shared_keys()
        if setting.key == MODEL.key:
            await self.restore()
        if setting.key == CHECK.key and value and row is not None:
            row.tell("" if await self._guarded() else tr(UNGUARDED))

    async def _holder(self, setting: Setting[Any], key: str) -> str:
        """Return a text that says what already uses a shortcut, so that it cannot be assigned to an
        action; empty if the shortcut is free.
        """
        if key in FIXED:
            return tr(
                "{key} is reserved for: {name}. Choose another key.", key=key, name=tr(FIXED[key])
            )
        kept = await self._deskpilot.settings.each(KEYS.values())
        chosen = {uid: key if s.key == setting.key else kept[s.key] for uid, s in KEYS.items()}
        others = conflicts(chosen).get(setting.key.removeprefix("keys."), []) if key else []
        if not others:
            return ""
        name = tr(text_of(others[0]))
        return tr(
            "{key} is already used for: {name}. Choose another key, or change that one first.",
            key=key,
            name=name,
        )

    async def _tell_shared_keys(self) -> None:
        """Mark shortcuts that a shell command assigned to two actions, and say which action they
        run.
        """
        kept = await self._deskpilot.settings.each(KEYS.values())
        shared = conflicts({uid: kept[setting.key] for uid, setting in KEYS.items()})
        page = next(page for page in self._shown().pages if page.page.id == "keys")
        for uid, setting in KEYS.items():
            row = page.row_of(setting)
            names = ", ".join(tr(text_of(other)) for other in shared.get(uid, []))
            if row is not None and names:
                row.tell(
                    tr(
                        "Same key as: {names}. It works only for the first of them.",
                        names=names,
                    )
                )
            elif row is not None and uid in self._shared:
                row.tell("")
        self._shared = set(shared)

    async def _guarded(self) -> bool:
        """Return whether the guard model in use is present: the one named in the settings or, if
        none is named, any on this machine.
        """
        named = await self._deskpilot.settings.get(GUARD_MODEL)
        guards = (await self._deskpilot.models.shelf()).of_type(GUARD_MODEL.of)
        return any(model.id == named if named else model.place != "provider" for model in guards)

    async def _pull(self, model: Model) -> None:
        page = self._shown().models
        try:
            async with aclosing(self._deskpilot.models.pull(model)) as steps:
                async for step in steps:
                    page.set_step(model.id, step)
        except DeskpilotError as error:
            page.tell(model.id, told(error))
        finally:
            page.set_step(model.id, None)
            self._do("read shelf", self._read_shelf())  # because a paused download can be resumed

    async def _verify(self, model: Model) -> None:
        page = self._shown().models
        try:
            async with aclosing(self._deskpilot.models.verify(model)) as steps:
                async for step in steps:
                    page.set_step(model.id, step)
            page.set_step(model.id, None)
            page.tell_good(model.id, tr(VERIFIED))
        except DeskpilotError as error:
            page.tell(model.id, told(error))
            self._do("read shelf", self._read_shelf())  # a damaged model must be downloaded again
        finally:
            page.set_step(model.id, None)

    def _stop_work(self, name: str) -> None:
        for work in ("pull", "verify"):
            self._deskpilot.tasks.cancel(f"window {work} {name}")

    async def _import(self, path: Path) -> None:
        page = self._shown().models
        try:
            async with aclosing(self._deskpilot.models.bring(path)) as steps:
                async for _ in steps:  # the files are not moved, so this is quick
                    pass
            page.tell_all("")
            self._show(await self._deskpilot.models.shelf())
        except DeskpilotError as error:
            page.tell_all(told(error))

    async def _unload(self, model: Model) -> None:
        await self._deskpilot.models.unload(model)
        self._show(await self._deskpilot.models.shelf())

    async def _remove(self, name: str) -> None:
        await self._deskpilot.providers.remove(name)
        await self._read()

    def _on_setting(self, setting: Setting[Any], value: Any) -> None:
        if self.settings is not None and setting.key == MODEL.key:
            self.settings.models.set_talks(str(value))

    def _show(self, shelf: Shelf) -> None:
        self._shown().set_shelf(shelf)
        self.offering.note(shelf)

    def _shown(self) -> SettingsWindow:
        assert self.settings is not None
        return self.settings
