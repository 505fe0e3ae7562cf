"""The model button in the top bar: its menu, and how much of the context is in use."""

from __future__ import annotations

from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any

from PySide6 import QtCore
from PySide6.QtCore import QObject, QSize, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QSizePolicy, QToolButton, QWidget

from app.ui.theme.i18n import tr
from app.ui.theme.icons import icon

if TYPE_CHECKING:
    from PySide6.QtGui import QActionGroup
    from PySide6.QtWidgets import QMenu

    from app.domain.conversation import Turn
    from app.domain.model import ContextUse, Model, Shelf
    from app.domain.settings import Setting
    from app.services.models.models import ModelCatalog
    from app.services.settings import Settings
    from app.services.tasks import Do
    from app.ui.theme.tokens import Tokens

BESIDE_ICON, RIGHT_TO_LEFT = 2, 1  # Qt's values; its enums are loaded after the first paint
LONGEST = 28  # maximum number of characters of a name in the bar
METER, LEAST = 72, 72  # in pixels


class ContextMeter(QWidget):
    """Shows how much of its context the model used for the last answer; the meter is hidden until
    this is known.
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Context"))
        self.label, self.bar = QLabel(tr("Context"), self), QProgressBar(self)
        self.share = QLabel(self)
        for part in (self.label, self.share):
            part.setObjectName("muted")
        self.bar.setTextVisible(False)
        self.bar.setFixedSize(METER, 6)
        self.bar.setRange(0, 100)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        for part in (self.label, self.bar, self.share):
            row.addWidget(part)
        self.hide()

    def set_narrow(self, narrow: bool) -> None:
        """Show only the percentage if space is limited."""
        self.label.setVisible(not narrow)
        self.bar.setVisible(not narrow)

    def set_context(self, context: ContextUse | None) -> None:
        """Show how much of the context an answer used; hide the meter if this is unknown."""
        known = context is not None and context.room > 0
        self.setVisible(known)
        if context is None or not known:
            return
        percent = min(100, round(100 * context.used / context.room))
        self.bar.setValue(percent)
        self.share.setText(f"{percent} %")
        told = tr(
            "The last answer took {used:,} of the {room:,} tokens the model can hold.",
            used=context.used,
            room=context.room,
        )
        self.setToolTip(told)
        self.setAccessibleDescription(told)


class ModelButton(QToolButton):
    """The model button with its menu.

    Signals: chosen(id), wanted(id) for a model that has to be downloaded, all_wanted(),
    search_wanted() to search the model hub.
    """

    chosen = Signal(str)
    wanted = Signal(str)
    all_wanted = Signal()
    search_wanted = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("copilot")  # to use the same style as the copilot button
        self.setAccessibleName(tr("Model"))
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setProperty("toolButtonStyle", BESIDE_ICON)
        self.setProperty("layoutDirection", RIGHT_TO_LEFT)  # this puts the arrow after the name
        self.setIconSize(QSize(12, 12))
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.hide()  # hidden until the models are known

    def minimumSizeHint(self) -> QSize:
        """Allow a small width for a narrow bar; the name is then shortened, and the tooltip shows
        all of it.
        """
        return QSize(LEAST, super().minimumSizeHint().height())

    @cached_property
    def choices(self) -> QMenu:
        """Return the menu, which is created when it is first filled, after the first paint."""
        from PySide6.QtWidgets import QMenu

        choices = QMenu(self)
        choices.setObjectName("marked")
        choices.setToolTipsVisible(True)
        choices.setLayoutDirection(QtCore.Qt.LayoutDirection.LeftToRight)
        self.setMenu(choices)
        return choices

    def set_tokens(self, tokens: Tokens) -> None:
        """Apply a theme."""
        self.setIcon(icon("chevron", tokens.muted, 12))

    def show_models(self, shelf: Shelf, model: Model | None) -> None:
        """Offer the language models of a shelf. model: the model in use; None if there is none."""
        from PySide6.QtGui import QActionGroup

        name = tr("No model") if model is None else name_of(model)
        self.setText(name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…")
        told = tr("Chat model") if model is None else f"{name}\n{facts_of(shelf, model)}"
        self.setToolTip(told)
        self.setAccessibleDescription(told)
        menu = self.choices
        menu.clear()
        group = QActionGroup(menu)
        talking = [one for one in shelf.models if one.type == "llm"]
        here = [one for one in talking if one.place in ("loaded", "here")]
        for title, models in (
            (tr("On this machine"), here),
            (tr("From providers"), [one for one in talking if one.place == "provider"]),
            (tr("Available to download"), [one for one in talking if one.place == "available"]),
        ):
            if models:
                menu.addSeparator()
                menu.addAction(title).setEnabled(
                    False
                )  # because the text of a menu section would be invisible in our style
            for one in sorted(models, key=lambda m: m.size_bytes):
                self._add(group, shelf, one, now=one is model)
        menu.addSeparator()
        menu.addAction(tr("Search for models …")).triggered.connect(self.search_wanted)
        menu.addAction(tr("All models …")).triggered.connect(self.all_wanted)

    def _add(self, group: QActionGroup, shelf: Shelf, model: Model, *, now: bool) -> None:
        parts = [name_of(model), tr("recommended") if model is shelf.recommended() else ""]
        text = "  · ".join(filter(None, parts)).replace("&", "&&") + ("  ✓" if now else "")
        action = self.choices.addAction(f"{text}\t{facts_of(shelf, model)}")
        action.setData(model.id)
        action.setToolTip(why_of(shelf, model))
        if model.place == "available":
            action.triggered.connect(lambda: self.wanted.emit(model.id))
            return
        action.setCheckable(True)
        action.setChecked(now)
        action.setEnabled(model.usable)
        group.addAction(action)
        action.triggered.connect(lambda: self.chosen.emit(model.id))


def name_of(model: Model) -> str:
    """Return the name of a model; for a provider's model, return its id."""
    return model.id if model.place == "provider" else tr(model.name)


def facts_of(shelf: Shelf, model: Model) -> str:
    """Return a line that says how large a model is and how fast it is or would be on this
    machine.
    """
    from app.domain.model import size

    facts = list[str]()
    if amount := model.download_bytes if model.place == "available" else model.size_bytes:
        facts.append(size(amount))
    if not shelf.fits(model):
        facts.append(tr("too large for this machine"))
    elif model.place == "available":
        if pace := shelf.expected_pace(model):
            facts.append(tr("about {pace} tokens/s", pace=rounded(pace)))
    elif model.pace:
        facts.append(tr("{pace} tokens/s", pace=rounded(model.pace)))
    if model.place == "provider":
        facts.append(model.host or tr("On this machine"))
    return " · ".join(facts)


def why_of(shelf: Shelf, model: Model) -> str:
    """Return a text that says how a model's figures were obtained and why the model is
    recommended.
    """
    told = list[str]()
    if model.problem:
        told.append(model.problem)
    known = shelf.reference(model)
    if model.place == "available" and known is not None and shelf.expected_pace(model):
        told.append(
            tr(
                "Estimated: {name} writes {pace} tokens a second here, and speed falls as size"
                " grows.",
                name=name_of(known),
                pace=rounded(known.pace),
            )
        )
    elif model.answering:
        told.append(tr("Measured here, over its last answers."))
    elif model.pace:
        told.append(tr("Measured here."))
    if model is shelf.recommended():
        told.append(tr("The largest that leaves memory for voice and search on this machine."))
    return "\n".join(told)


def rounded(pace: float) -> str:
    """Return tokens per second as readable text."""
    return f"{pace:.0f}" if pace >= 10 else f"{pace:.1f}"


class ModelPicking(QObject):
    """Connects the button with the services. do: a function that starts a named task and shows its
    errors.
    """

    def __init__(
        self,
        button: ModelButton,
        meter: ContextMeter,
        settings: Settings,
        models: ModelCatalog,
        do: Do,
    ) -> None:
        super().__init__(button)
        self._button = button
        self._meter = meter
        self._models = models
        self._settings = settings
        self._do = do
        self._ours = True
        self._model: Model | None = None
        self._button.choices.aboutToShow.connect(self.read)
        self._button.chosen.connect(lambda name: do("choose model", self._choose(name)))
        settings.subscribe(self._on_setting)

    def set_ours(self, ours: bool) -> None:
        """Set whether our own copilot answers. Other copilots have their own models."""
        self._ours = ours
        self._button.setVisible(ours and bool(self._button.text()))
        if not ours:
            self._meter.set_context(None)

    def read(self, since: float | None = None) -> None:
        """Show the current models. since: when the last question was asked; the context use of its
        answer is shown.
        """
        self._do("read models", self._read(since))

    def leave(self) -> None:
        """Hide the context use, because another conversation is being opened."""
        self._meter.set_context(None)

    def on_ended(self, turn: Turn) -> None:
        """Show the speed of the answer, and its use of the context."""
        self.read(turn.created_at)

    async def _read(self, since: float | None) -> None:
        from app.domain.errors import DeskpilotError
        from app.domain.settings import MODEL

        with suppress(DeskpilotError):  # a missing service is reported when a question is sent
            shelf = await self._models.shelf()
            chosen = await self._settings.get(MODEL)
            usable = shelf.of_type("llm")
            own = (one for one in usable if one.place != "provider")
            named = (one for one in usable if one.id == chosen)
            model = next(named, None) if chosen else next(own, None)
            self._button.show_models(shelf, model)
            self._button.setVisible(self._ours)
            context = model.context if model is not None else None
            if since is not None and self._ours:
                fresh = context is not None and context.at >= since
                self._meter.set_context(context if fresh else None)

    async def _choose(self, name: str) -> None:
        from app.domain.settings import MODEL

        await self._settings.put(MODEL, name)

    def _on_setting(self, setting: Setting[Any], _value: Any) -> None:
        from app.domain.settings import MODEL

        if setting.key == MODEL.key:
            self.leave()
            self.read()
