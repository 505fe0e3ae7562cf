"""The controller for the workflow window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import shiboken6
from PySide6.QtCore import QObject

from app.data.workflow_editor.fields import EditContext
from app.domain.errors import DeskpilotError
from app.services.library.workflows import (
    AnswerPlace,
    Ran,
    ran_at,
    ran_in,
)
from app.ui.theme.i18n import spoken_language, told, tr
from app.ui.workflows.dialogs import KeepWindow
from app.ui.workflows.run import WorkflowRun
from app.ui.workflows.window import StepsWindow

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from app.domain.conversation import Turn
    from app.services.library.workflows import Workflows
    from app.ui.main.conversations import Chats, OpenChat
    from backends.data.workflow.report import WorkflowResult
    from backends.data.workflow.step import Workflow


class ConversationWorkflows(QObject):
    """Controls the workflows of a session's conversation."""

    def __init__(self, session: OpenChat, chats: Chats) -> None:
        super().__init__(session.window)
        self._session = session
        self._chats = chats
        session.window.replayed.connect(self._replayed)

    @property
    def _workflows(self) -> Workflows:
        return self._session.deskpilot.workflows

    def open(self, turn: Turn, at: int | None = None) -> None:
        """Show the steps of a turn's workflow. at: the index of its result; by default the last
        one.
        """
        ran = ran_in(turn) if at is None else ran_at(turn, at)
        if ran is None:
            return
        window = self._session.window
        made = StepsWindow(ran.workflow, ran.result, self._ground, window.tokens, window)
        failed = tr("A step failed; the answer stays as it was.")
        WorkflowRun(
            made,
            self._session.deskpilot.tasks,
            self._session.deskpilot.workflows,
            self._do,
            lambda *c: self._came(made, turn, ran, c),
            failed,
        )
        made.keep_wanted.connect(lambda: self.keep(made, turn.question))
        made.show()
        missing = [
            uid for uid in ran.workflow.sources() if uid not in self._workflows.tables(ran.workflow)
        ]
        if missing:
            names = ", ".join(ran.result.names.get(uid, uid) for uid in missing)
            made.tell(
                tr(
                    "Not open here: {names}. Add it to the dashboard to run this again.",
                    names=names,
                )
            )

    def _ground(self, workflow: Workflow, result: WorkflowResult | None) -> EditContext:
        names = (result.names if result else {}) | self._workflows.tables(workflow)
        return EditContext(self._session.deskpilot.widgets.sources, workflow, result, names)

    async def _came(
        self,
        made: StepsWindow,
        turn: Turn,
        ran: Ran,
        came: tuple[Workflow, WorkflowResult, float, str],
    ) -> None:
        """Add the result of the steps to the conversation."""
        workflow, result, seconds, changes = came
        note = (
            tr("Steps you changed, run without a model: {changes}", changes=changes)
            if changes
            else tr("You ran this again, without a model.")
        )
        await self._add(turn, Ran(ran.at, workflow, result, ran.language), seconds, note)
        if shiboken6.isValid(made):
            made.tell(tr("The new answer is in the conversation."))

    async def _add(self, turn: Turn, ran: Ran, seconds: float, note: str) -> None:
        """Add an answer as an alternative to the last answer, or at the end if it belongs to an
        earlier one.
        """
        session = self._session
        if session.running is not None:
            session.notice(
                tr("An answer is still in progress. Stop it first, or wait for it to finish.")
            )
            return
        last = session.turns[-1] if session.turns else turn
        parent = turn.parent if last.id == turn.id else last.id
        place = AnswerPlace(turn.conversation_id, parent, turn.question, note)
        self._show(
            await self._workflows.answer(place, ran.workflow, ran.result, seconds, ran.language)
        )

    def _show(self, made: Turn) -> None:
        session = self._session
        if made.conversation_id != session.conversation_id:
            return
        session.chat.add(made)
        view = session.window.view
        view.set_turns(session.turns, session.chat.branches())
        session.window.show_conversation(empty=False)
        view.to_turn(len(session.turns) - 1)

    def _replayed(
        self, question: str, note: str, workflow: Workflow, result: WorkflowResult
    ) -> None:
        self._do("replayed", self._answer(question, note, workflow, result))

    async def _answer(
        self, question: str, note: str, workflow: Workflow, result: WorkflowResult
    ) -> None:
        """Add the result of a library workflow to the conversation, starting a conversation if none
        is open.
        """
        session = self._session
        if session.running is not None:
            session.notice(
                tr("An answer is still in progress. Stop it first, or wait for it to finish.")
            )
            return
        if session.conversation_id is None:
            temporary = not session.window.temporary.isHidden()
            begun = await session.deskpilot.history.begin(question, temporary=temporary)
            session.conversation_id = begun.id
            await self._chats.list()
        parent = session.turns[-1].id if session.turns else None
        place = AnswerPlace(session.conversation_id, parent, question, note)
        seconds = sum(step.seconds for step in result.steps)
        self._show(
            await self._workflows.answer(place, workflow, result, seconds, spoken_language())
        )

    def keep(self, window: StepsWindow, question: str) -> None:
        """Ask the user for a name, and save the current steps."""
        dialog = KeepWindow(window.workflow, ("", question), {}, window)
        dialog.kept.connect(
            lambda name, about, named: self._do(
                "keep workflow", self._keep(dialog, window, question, (name, about, named))
            )
        )
        dialog.open()

    async def _keep(
        self,
        dialog: KeepWindow,
        window: StepsWindow,
        question: str,
        told_: tuple[str, str, dict[str, str]],
    ) -> None:
        name, about, named = told_
        dialog.set_busy(True)
        try:
            made = await self._workflows.keep(name, window.workflow, named, (question, about))
            problem = "" if made.status == "validated" else made.reason
        except DeskpilotError as error:
            problem = told(error)
        if not shiboken6.isValid(dialog):
            return
        dialog.set_busy(False)
        dialog.tell(problem)
        if not problem:
            dialog.accept()
            window.tell(tr("Saved as {name} in Settings, Library.", name=name))

    def _do(self, name: str, work: Coroutine[Any, Any, None]) -> None:
        self._session.do(name, work)
