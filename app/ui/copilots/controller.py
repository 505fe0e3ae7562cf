"""The controller of the copilot menu."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QInputDialog

from app.domain.copilot import Instructions, read_headers
from app.domain.errors import ConsentNeeded, DeskpilotError
from app.domain.events import Rateable
from app.services.dashboard.table_notes import add_tables
from app.ui.composer.choice import PickerItem
from app.ui.copilots.dialog import AboutCopilot, AddCopilot, RateAnswer
from app.ui.copilots.menu import ASSISTANT, LOCAL
from app.ui.theme.i18n import said, told, tr

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from PySide6.QtWidgets import QWidget

    from app.domain.conversation import Turn
    from app.domain.copilot import (
        AddedCopilot,
        Assistant,
        Copilot,
        Dialect,
        RequestOffer,
        Value,
        Vote,
    )
    from app.services.conversation.copilots import CopilotChoice, Copilots, Corrections
    from app.services.conversation.history import History
    from app.services.dashboard.widgets import Widgets
    from app.services.deskpilot import Tools
    from app.services.tasks import Do
    from app.ui.composer.composer import Composer
    from app.ui.copilots.menu import CopilotButton

    Find = Callable[[], Coroutine[Any, Any, Copilot]]


class CopilotController(QObject):
    """Chooses the copilot that answers in the window.

    name: the name of an added copilot, empty for our own copilot, or `ASSISTANT` followed by a name
    for an assistant. do: a function that starts a named task. notice: a function that shows a
    message.

    Signals: ours_changed(whether our own copilot answers, with or without an assistant),
    host_changed(the machine that receives the questions, or an empty text for this machine),
    rated(turn).
    """

    ours_changed = Signal(bool)
    host_changed = Signal(str)
    rated = Signal(object)

    def __init__(
        self,
        window: QWidget,
        button: CopilotButton,
        composer: Composer,
        history: History,
        widgets: Widgets,
        copilots: Copilots,
        choice: CopilotChoice,
        corrections: Corrections,
        belt: Tools,
        do: Do,
        notice: Callable[[str], None],
    ) -> None:
        super().__init__(window)
        self._window = window
        self._button = button
        self._composer = composer
        self._notice = notice
        self.name = self._talks_at = ""
        self._copilots = copilots
        self._choice = choice
        self._do = do
        self._corrections = corrections
        self._history = history
        self._belt = belt
        self._widgets = widgets
        self._known: list[AddedCopilot] = []
        self._assistants: list[Assistant] = []
        self._pictures: dict[str, bytes] = {}
        button.choices.aboutToShow.connect(self._show)
        button.chosen.connect(lambda name: do("choose copilot", self._choose(name)))
        composer.copilot_picked.connect(lambda name: do("choose copilot", self._choose(name)))
        composer.copilots_wanted.connect(self._show)
        button.add_wanted.connect(self.add)
        button.about_wanted.connect(self._about)
        button.option_set.connect(
            lambda name, key, value: do("set option", self._set(name, key, value))
        )
        button.text_wanted.connect(self._ask_text)

    def find(self) -> Find:
        """Return a function that finds the currently chosen copilot, even if another one is chosen
        later.
        """
        name = self.name
        if not name or self.assistant is not None:
            return self._copilots.local
        return lambda: self._copilots.named(name)

    @property
    def assistant(self) -> Assistant | None:
        """Return the chosen assistant; None if a copilot is chosen."""
        return next((one for one in self._assistants if ASSISTANT + one.name == self.name), None)

    async def tables(self) -> list[str]:
        """Open an assistant's tables if they are not open yet, and return their uuids.

        Raises: SourceError.
        """
        paths = [Path(path) for path in self.assistant.widgets] if self.assistant else []
        return [
            made.uuid
            for path in paths
            for made in await add_tables(self._widgets, path, attach=False)
        ]

    def equipped(self, offer: RequestOffer) -> RequestOffer:
        """Return a question's attachments, with the assistant's instructions, model and tools
        added.

        The assistant's calls ask for consent here: the permissions of a published assistant apply
        only to external callers.
        """
        one = self.assistant
        if one is None:
            return offer
        selected = [Instructions(one.name, one.prompt)] if one.prompt else []
        return replace(
            offer,
            model=one.model or offer.model,
            selected=[*offer.selected, *selected],
            servers=frozenset(one.servers),
        )

    async def options(self) -> dict[str, object]:
        """Return the options sent with a question; corrections are sent only to our own copilot."""
        ours = not self.name or self.assistant is not None
        return await self._corrections.options() if ours else {}

    async def restore(self) -> None:
        """Restore the last choice of copilot and show the copilots.

        Raises: SetupError.
        """
        self.name = await self._choice.name()
        await self._read()

    def talks_at(self, host: str) -> None:
        """Set which machine runs our own copilot's chat model; an empty text stands for this
        machine.
        """
        self._talks_at = host
        self._tell()

    def add(self) -> AddCopilot:
        """Open the window that adds a copilot."""
        dialog = AddCopilot(self._window)
        dialog.wanted.connect(lambda: self._do("add copilot", self._add(dialog)))
        dialog.open()
        return dialog

    def rate(self, turn: Turn, vote: str) -> None:
        """Send the user's rating to the copilot; for a bad answer, first ask what is wrong."""
        if vote == "thumbs_up":
            self._do("rate", self._rate(turn, "thumbs_up", [], ""))
            return
        asked = next((i.url for i in turn.items if isinstance(i, Rateable)), "")
        copilot = next((a.copilot for a in self._known if a.copilot.feedback_url == asked), None)
        name, host = (
            (copilot.name, copilot.host) if copilot is not None else (tr("Its copilot"), asked)
        )
        dialog = RateAnswer(name, host, self._window)
        dialog.sent.connect(
            lambda tags, said: self._do("rate", self._rate(turn, "thumbs_down", list(tags), said))
        )
        dialog.open()

    async def _rate(self, turn: Turn, vote: Vote, tags: list[str], comment: str) -> None:
        await self._history.keep_vote(turn, await self._copilots.rate(turn, vote, tags, comment))
        self.rated.emit(turn)

    async def _add(self, dialog: AddCopilot) -> None:
        try:
            headers = read_headers(
                [line for line in dialog.headers.toPlainText().splitlines() if line.strip()]
            )
            spoken = dialog.spoken()
            dialect: Dialect | None = (
                "lmc" if spoken == "lmc" else "2024" if spoken == "2024" else None
            )
            dialect = "today" if spoken == "today" else dialect
            made = await self._copilots.add(
                dialog.address.text().strip(),
                name=dialog.name.text().strip(),
                headers=headers,
                hosts=frozenset(dialog.allowed),
                dialect=dialect,
            )
        except ConsentNeeded as error:
            dialog.ask(said(error.text), error.host)
        except (DeskpilotError, ValueError) as error:
            dialog.tell(told(error) if isinstance(error, DeskpilotError) else str(error))
        else:
            dialog.accept()
            await self._choose(made[0].name)
            if notes := "\n".join(said(a.copilot.note) for a in made if a.copilot.note):
                self._notice(notes)

    async def _choose(self, name: str) -> None:
        self.name = name
        await self._choice.choose(name)
        await self._read()

    async def _set(self, name: str, key: str, value: Value) -> None:
        await self._copilots.set_option(name, key, value)
        await self._read()

    async def _read(self) -> None:
        before, self._known = self._known, await self._copilots.all()
        had, self._assistants = self._assistants, await self._read_assistants()
        if self.name not in {added.name for added in self._known} and self.assistant is None:
            self.name = ""
        for added in self._known:
            if added.name not in self._pictures:
                self._pictures[added.name] = await self._copilots.picture(added.name)
        changed = before != self._known or had != self._assistants
        if changed or not self._button.choices.isVisible():
            self._tell()

    async def _read_assistants(self) -> list[Assistant]:
        try:
            return await self._belt.assistants.all()
        except DeskpilotError:  # the assistants page shows the error
            return []

    def _show(self) -> None:
        """Read the list again and update the menu; a shell command may have changed the
        copilots.
        """
        self._do("read copilots", self._read())

    def _tell(self) -> None:
        now = next((added for added in self._known if added.name == self.name), None)
        made = {ASSISTANT + one.name: one.name for one in self._assistants}
        self.ours_changed.emit(now is None)
        self._button.show_copilots(self._known, self.name, self._pictures, made)
        named = {"": tr(LOCAL)} | {added.name: added.copilot.name for added in self._known} | made
        offered = [
            PickerItem(
                k,
                n,
                tr("In use ✓") if k == self.name else tr("Assistant") if k in made else k,
                k == self.name,
            )
            for k, n in named.items()
        ]
        self._composer.set_choices("@", offered)
        elsewhere = now.copilot.host if now is not None and now.copilot.is_elsewhere else ""
        self.host_changed.emit(elsewhere if now is not None else self._talks_at)

    def _about(self, name: str) -> None:
        added = next((a for a in self._known if a.name == name), None)
        if added is not None:
            dialog = AboutCopilot(added, self._pictures.get(name, b""), self._window)
            dialog.remove_wanted.connect(
                lambda gone: self._do("remove copilot", self._remove(gone))
            )
            dialog.open()

    async def _remove(self, name: str) -> None:
        await self._copilots.remove(name)
        self._pictures.pop(name, None)
        await self._choose("" if name == self.name else self.name)

    def _ask_text(self, name: str, key: str) -> None:
        added = next((a for a in self._known if a.name == name), None)
        feature = (
            next((f for f in added.copilot.own_features() if f.key == key), None) if added else None
        )
        if added is None or feature is None:
            return
        dialog = QInputDialog(self._window)
        dialog.setWindowTitle(added.copilot.name)
        dialog.setLabelText(feature.label)
        dialog.setTextValue(str(added.copilot.options.get(key, feature.default) or ""))
        dialog.textValueSelected.connect(
            lambda text: self._do("set option", self._set(name, key, text))
        )
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()
