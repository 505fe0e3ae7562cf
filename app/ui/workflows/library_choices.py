"""What the page of the library does: joins it to the services. Not a widget, so it may await."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import shiboken6
from PySide6.QtCore import QObject

from app.data.editing.fields import Ground
from app.domain.errors import DeskpilotError
from app.services.library.parameters import parameters_at
from app.ui.main import boxes
from app.ui.words import said, spoken_language, told, tr
from app.ui.workflows.design import Designing
from app.ui.workflows.publication import KeepWindow
from app.ui.workflows.run import Running
from app.ui.workflows.values import ValuesWindow
from app.ui.workflows.window import StepsWindow
from app.ui.workflows.words import asked, words_of

if TYPE_CHECKING:
    from app.data.library.entry import Entry
    from app.services.deskpilot import Deskpilot
    from app.services.tasks import Do, Work
    from app.ui.main.window import Window
    from app.ui.workflows.library import LibraryPage
    from backends.data.workflow.step import Workflow
    from backends.data.workflow.told import WorkflowResult


class LibraryController(QObject):
    """Reads the library anew each time it is shown: the shell may have changed it."""

    def __init__(self, page: LibraryPage, window: Window, deskpilot: Deskpilot, do: Do) -> None:
        super().__init__(page)
        self._page, self._window, self._deskpilot, self._do = page, window, deskpilot, do
        self._workflows = deskpilot.workflows
        self._removed: tuple[str, list[Any]] | None = None
        page.run_wanted.connect(lambda name: self.start("run workflow", partial(self._ask, name)))
        page.edit_wanted.connect(
            lambda name: self.start("open workflow", partial(self._edit, name))
        )
        page.test_wanted.connect(lambda name: self.start("try workflow", partial(self._test, name)))
        page.remove_wanted.connect(self._ask_to_remove)
        self._designing = Designing(page.design, deskpilot, do, self.read)
        page.undo_wanted.connect(lambda: self.start("bring workflow back", self._undo))

    def read(self) -> None:
        """Show what there is now."""
        self._do("read library", self._read())
        self._designing.read()

    async def _read(self) -> None:
        try:
            entries = await self._workflows.all()
        except DeskpilotError as error:
            self._page.tell(told(error), wrong=True)
            return
        names: dict[str, str] = {}
        for entry in entries:
            names |= self._workflows.tables(entry.workflow)
        if shiboken6.isValid(self._page):
            self._page.show_entries(entries, names)

    def start(self, name: str, work: Work) -> None:
        """Do something, say what went wrong, and show what there is then."""

        async def run() -> None:
            self._page.tell("")
            self._page.set_busy(True)
            try:
                await work()
            except DeskpilotError as error:
                if shiboken6.isValid(self._page):
                    self._page.tell(told(error), wrong=True)
            if shiboken6.isValid(self._page):
                await self._read()
                self._page.set_busy(False)

        self._do(name, run())

    def _ground(self, workflow: Workflow, result: WorkflowResult | None) -> Ground:
        names = self._workflows.tables(workflow)
        return Ground(self._deskpilot.widgets.sources, workflow, result, names)

    async def _ask(self, name: str) -> None:
        """Run a workflow, asked first for its values."""
        entry = await self._workflows.entry(name)
        if not entry.workflow.parameters:
            await self._run(entry, {})
            return
        asking = ValuesWindow(
            name, entry.workflow, self._ground(entry.workflow, None), self._page.window()
        )
        asking.given.connect(
            lambda values: self.start("run workflow", lambda: self._run(entry, values))
        )
        asking.open()

    async def _run(self, entry: Entry, values: dict[str, Any]) -> None:
        given = ", ".join(f"{asked(name)}: {words_of(value, {})}" for name, value in values.items())
        about = entry.meanings.get(spoken_language()) or entry.description or entry.name
        # its table is called in the person's language, too
        named = entry.model_copy(update={"description": about})
        filled, result, _ = await self._workflows.replay(named, values)
        question = f"{about} ({given})" if given else about
        note = tr(
            "{name}, version {number} of the library, run without a model.",
            name=entry.name,
            number=entry.version,
        )
        self._window.replayed.emit(question, note, filled, result)
        self._page.tell(tr("The answer stands in the conversation."))

    async def _test(self, name: str) -> None:
        made = await self._workflows.test(name)
        well = made.status == "validated"
        outcome = tr(
            "{name} was tried out: it ran twice, gave the same, and changed nothing.", name=name
        )
        wrong = tr(
            "{name} was tried out and is not trusted: {why}", name=name, why=said(made.reason)
        )
        self._page.tell(outcome if well else wrong, wrong=not well)

    def _ask_to_remove(self, name: str) -> None:
        text = tr("Remove {name} from the library, with all its versions?", name=name)
        boxes.ask_first(
            self._page.window(),
            text,
            tr("Remove"),
            lambda: self.start("remove workflow", partial(self._remove, name)),
        )

    async def _remove(self, name: str) -> None:
        self._removed = (name, await self._workflows.remove(name))
        self._page.tell(tr("Removed {name}.", name=name), undo=True)

    async def _undo(self) -> None:
        if self._removed is not None:
            await self._workflows.put_back(*self._removed)
            self._page.tell(tr("{name} is back.", name=self._removed[0]))
            self._removed = None

    async def _edit(self, name: str) -> None:
        """Show the steps of a workflow, its parameters filled in, to be changed and kept as a new
        version.
        """
        entry = await self._workflows.entry(name)
        filled = entry.workflow.filled({})
        try:
            result, _ = await self._workflows.run(filled)
        except DeskpilotError:  # its table is gone: what can be read is shown
            result = None
        made = StepsWindow(filled, result, self._ground, self._window.tokens, self._page.window())
        made.setWindowTitle(name)
        made.keep.setText(tr("Keep as a new version …"))
        Running(made, self._deskpilot, self._do, self._came, tr("A step failed."))
        made.keep_wanted.connect(lambda: self._ask_to_keep(made, entry))
        made.show()
        if result is not None and result.failed:
            made.show_result(filled, result)

    async def _came(self, *_: object) -> None:
        """Leave it at what the window shows: no answer comes of trying out."""

    def _ask_to_keep(self, window: StepsWindow, entry: Entry) -> None:
        dialog = KeepWindow(
            window.workflow, (entry.name, entry.description), parameters_at(entry.workflow), window
        )
        dialog.kept.connect(
            lambda _, about, named: self._do(
                "keep workflow", self._keep(dialog, window, entry, about, named)
            )
        )
        dialog.open()

    async def _keep(
        self,
        dialog: KeepWindow,
        window: StepsWindow,
        entry: Entry,
        about: str,
        named: dict[str, str],
    ) -> None:
        dialog.set_busy(True)
        try:
            question = entry.origin.question
            told_, before = (question, about), entry.workflow
            made = await self._workflows.keep(entry.name, window.workflow, named, told_, before)
            problem = "" if made.status == "validated" else said(made.reason)
            kept = tr("Kept as version {number}.", number=made.version)
        except DeskpilotError as error:
            problem, kept = told(error), ""
        if shiboken6.isValid(dialog):
            dialog.set_busy(False)
            dialog.tell(problem)
            if not problem:
                dialog.accept()
                window.tell(kept)
        if shiboken6.isValid(self._page):
            await self._read()
