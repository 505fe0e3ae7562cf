"""The controllers for the library page and its design panel."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import shiboken6
from PySide6.QtCore import QObject, Signal

from app.data.workflow_editor.fields import EditContext
from app.domain.errors import DeskpilotError
from app.services.library.workflows import parameters_at
from app.ui.controls import message_boxes
from app.ui.theme.i18n import said, spoken_language, told, tr
from app.ui.theme.style import Theme
from app.ui.workflows.dialogs import KeepWindow, ValuesWindow
from app.ui.workflows.run import WorkflowRun
from app.ui.workflows.window import StepsWindow
from app.ui.workflows.words import asked, words_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.data.library.entry import LibraryEntry
    from app.services.dashboard.widgets import Widgets
    from app.services.library.designer import DesignProgress
    from app.services.library.workflows import Workflows
    from app.services.tasks import Do, Tasks, Work
    from app.ui.workflows.library import DesignPanel, LibraryPage
    from backends.data.workflow.report import WorkflowResult
    from backends.data.workflow.step import Workflow


class LibraryController(QObject):
    """Controls the library page. It reads the library each time it is shown, because a shell
    command may have changed it.

    Signals: replayed(question, note, workflow, result).
    """

    replayed = Signal(str, str, object, object)

    def __init__(
        self,
        page: LibraryPage,
        widgets: Widgets,
        tasks: Tasks,
        workflows: Workflows,
        do: Do,
    ) -> None:
        super().__init__(page)
        self._page = page
        self._widgets = widgets
        self._tasks = tasks
        self._do = do
        self._workflows = workflows
        self._removed: tuple[str, list[Any]] | None = None
        page.run_wanted.connect(lambda name: self.start("run workflow", partial(self._ask, name)))
        page.edit_wanted.connect(
            lambda name: self.start("open workflow", partial(self._edit, name))
        )
        page.test_wanted.connect(lambda name: self.start("try workflow", partial(self._test, name)))
        page.remove_wanted.connect(self._ask_to_remove)
        self._designing = DesignController(page.design, widgets, workflows, do, self.read)
        page.undo_wanted.connect(lambda: self.start("bring workflow back", self._undo))

    def read(self) -> None:
        """Update the page."""
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
        """Run an action, show any error, and update the page."""

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

    def _ground(self, workflow: Workflow, result: WorkflowResult | None) -> EditContext:
        names = self._workflows.tables(workflow)
        return EditContext(self._widgets.sources, workflow, result, names)

    async def _ask(self, name: str) -> None:
        """Run a workflow after asking for the values of its parameters."""
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

    async def _run(self, entry: LibraryEntry, values: dict[str, Any]) -> None:
        given = ", ".join(f"{asked(name)}: {words_of(value, {})}" for name, value in values.items())
        about = entry.meanings.get(spoken_language()) or entry.description or entry.name
        # the result also uses the name in the user's language
        named = entry.model_copy(update={"description": about})
        filled, result, _ = await self._workflows.replay(named, values)
        question = f"{about} ({given})" if given else about
        note = tr(
            "{name}, version {number} from the library, run without a model.",
            name=entry.name,
            number=entry.version,
        )
        self.replayed.emit(question, note, filled, result)
        self._page.tell(tr("The answer is in the conversation."))

    async def _test(self, name: str) -> None:
        made = await self._workflows.test(name)
        well = made.status == "validated"
        outcome = tr(
            "{name} was validated: it ran twice with the same result and changed nothing.",
            name=name,
        )
        wrong = tr("{name} failed validation: {why}", name=name, why=said(made.reason))
        self._page.tell(outcome if well else wrong, wrong=not well)

    def _ask_to_remove(self, name: str) -> None:
        text = tr("Remove {name} from the library, with all its versions?", name=name)
        message_boxes.ask_first(
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
            self._page.tell(tr("{name} was restored.", name=self._removed[0]))
            self._removed = None

    async def _edit(self, name: str) -> None:
        """Show the steps of a workflow with its parameters filled in.

        The user can change them and save them as a new version.
        """
        entry = await self._workflows.entry(name)
        filled = entry.workflow.filled({})
        try:
            result, _ = await self._workflows.run(filled)
        except DeskpilotError:  # if its table is missing, the steps are shown without results
            result = None
        made = StepsWindow(filled, result, self._ground, Theme.now, self._page.window())
        made.setWindowTitle(name)
        made.keep.setText(tr("Save as a new version …"))
        WorkflowRun(made, self._tasks, self._workflows, self._do, self._came, tr("A step failed."))
        made.keep_wanted.connect(lambda: self._ask_to_keep(made, entry))
        made.show()
        if result is not None and result.failed:
            made.show_result(filled, result)

    async def _came(self, *_: object) -> None:
        """Do nothing, because validating does not add an answer to a conversation."""

    def _ask_to_keep(self, window: StepsWindow, entry: LibraryEntry) -> None:
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
        entry: LibraryEntry,
        about: str,
        named: dict[str, str],
    ) -> None:
        dialog.set_busy(True)
        try:
            question = entry.origin.question
            told_, before = (question, about), entry.workflow
            made = await self._workflows.keep(entry.name, window.workflow, named, told_, before)
            problem = "" if made.status == "validated" else said(made.reason)
            kept = tr("Saved as version {number}.", number=made.version)
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


class DesignController(QObject):
    """Follows the design job of this process. ended: a function that is called whenever a job has
    ended.
    """

    def __init__(
        self,
        panel: DesignPanel,
        widgets: Widgets,
        workflows: Workflows,
        do: Do,
        ended: Callable[[], object],
    ) -> None:
        super().__init__(panel)
        self._panel = panel
        self._widgets = widgets
        self._workflows = workflows
        self._do = do
        self._ended = ended
        self._designer = workflows.designer
        self._wrong = False
        panel.start_wanted.connect(self._start)
        panel.go_on_wanted.connect(lambda: self._start([]))
        panel.stop_wanted.connect(self._designer.cancel)
        unsubscribe = self._designer.subscribe(self._on)
        panel.destroyed.connect(lambda: unsubscribe())

    def read(self) -> None:
        """Show the tables to choose from, and whether a design can be resumed."""
        self._do("read design", self._read())

    async def _read(self) -> None:
        widgets = self._widgets
        opened = [
            w for w in widgets.all() if w.type == "table" and w.path and widgets.is_open(w.uuid)
        ]
        try:
            unfinished = await self._designer.unfinished()
        except DeskpilotError as error:
            unfinished = None
            self._panel.tell(told(error), wrong=True)
        if not shiboken6.isValid(self._panel):
            return
        chosen = [w.path for w in opened if w.attached] or [w.path for w in opened]
        self._panel.show_tables({w.path: w.name for w in opened}, chosen)
        running = self._designer.running
        self._panel.show_state(running=running, unfinished=unfinished is not None)
        if unfinished is not None and not running and not self._panel.told.text():
            count = len(unfinished.requests)
            self._panel.tell(tr("An unfinished design: %n requests so far.", "", count))

    def _start(self, tables: list[str]) -> None:
        self._wrong = False
        self._panel.tell(tr("Reading the tables …"))
        self._panel.show_state(running=True, unfinished=False)
        self._panel.bar.setValue(0)
        self._designer.start([Path(path) for path in tables])

    def _on(self, step: DesignProgress | DeskpilotError | None) -> None:
        """Show a step or an error, or that the design has ended."""
        if not shiboken6.isValid(self._panel):
            return
        if isinstance(step, DeskpilotError):
            self._wrong = True
            self._panel.tell(told(step), wrong=True)
        elif step is not None:
            self._panel.show_step(step)
        else:
            self._do("end design", self._end())

    async def _end(self) -> None:
        state = None
        try:
            state = await self._designer.state()
        except DeskpilotError as error:
            self._panel.tell(told(error), wrong=True)
        if not shiboken6.isValid(self._panel):
            return
        done = state is not None and state.phase == "done"
        self._panel.show_state(running=False, unfinished=state is not None and not done)
        if state is not None and not self._wrong:
            made, well = len(state.kept), len(state.validated)
            text = (
                tr(
                    "Designed {made} workflows from {asked} requests; {well} were validated.",
                    made=made,
                    asked=len(state.requests),
                    well=well,
                )
                if done
                else tr("Stopped. Progress is saved.")
            )
            self._panel.tell(text)
        self._ended()
