"""The controller that offers starter models, a larger model and a voice model."""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING, Any, cast

import shiboken6
from PySide6.QtCore import QObject, Signal

from app.domain.errors import DeskpilotError
from app.domain.events import Artifact, CallResult, Citations, Status
from app.domain.settings import MODEL, OFFER
from app.ui.models.offer_card import OfferCard, StarterCard
from app.ui.theme.i18n import spoken_language, told, tr

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QWidget

    from app.domain.conversation import Turn
    from app.domain.model import Model, Shelf
    from app.domain.settings import Setting
    from app.services.models.models import ModelCatalog
    from app.services.settings import Settings
    from app.services.tasks import Do, Tasks

STARTERS = "starters"  # name of the task
CLOSE = 0.7  # a model that needs at least this fraction of the best one's memory is good enough


class ModelOffers(QObject):
    """Creates the cards that offer models.

    larger: the card that offers a larger model; None unless the starter model has answered a
    general question or failed to understand one about data. starters: the card that offers the
    starter models; None if none of them is missing. card: the card that offers better models; None
    if the setting is off or starter models are missing.

    Signals: starters_offered(card) above the text field or on the welcome page, with None to remove
    it; offered(card) on the welcome page; larger_offered(card) above the text field; left() if a
    card that had the focus is removed.
    """

    starters_offered = Signal(object)
    offered = Signal(object)
    larger_offered = Signal(object)
    left = Signal()

    def __init__(
        self, window: QWidget, settings: Settings, models: ModelCatalog, tasks: Tasks, do: Do
    ) -> None:
        super().__init__(window)
        self._window = window
        self._settings = settings
        self._models = models
        self._tasks = tasks
        self._do = do
        self.card: OfferCard | None = None
        self.starters: StarterCard | None = None
        self.larger: OfferCard | None = None
        self.open_models: Callable[[], object] = bool  # set by the owner of the models page
        settings.subscribe(self._on_setting)
        do("offer models", self._begin())

    async def _begin(self) -> None:
        try:
            self.note(await self._models.shelf())
        except DeskpilotError:  # because a missing service is reported when a question is sent
            self.starters_offered.emit(None)
        if self.starters is None:
            self._show(wanted=await self._settings.get(OFFER))

    def note(self, shelf: Shelf) -> None:
        """Offer the starter models that are missing from a shelf; remove the offer once none of
        them is missing.
        """
        if not shiboken6.isValid(self._window):
            return
        missing = missing_starters(shelf)
        if missing and self.starters is None:
            self._show(wanted=False)
            self.starters = card = StarterCard(missing, self._window)
            card.download_wanted.connect(self.fetch)
            card.pause_wanted.connect(lambda: self._tasks.cancel(f"window {STARTERS}"))
            card.others_wanted.connect(lambda: self.open_models())
            self.starters_offered.emit(card)
        elif not missing and (self.starters is None or not self.starters.running):
            self._have_starters()

    def fetch(self) -> None:
        """Download the missing starter models, unless this download is already running."""
        if self.starters is not None and not self.starters.running:
            self.starters.set_running()
            self._do(STARTERS, self._fetch(self.starters))

    async def _fetch(self, card: StarterCard) -> None:
        problem, paused = tr("Paused."), True
        try:
            for model in card.models:
                async with aclosing(self._models.pull(model)) as steps:
                    async for step in steps:
                        if shiboken6.isValid(card):
                            card.set_step(model, step)
            problem = ""
        except DeskpilotError as error:
            problem, paused = told(error), False
        finally:
            if shiboken6.isValid(card) and problem:
                card.set_ended(problem, paused=paused)
        if shiboken6.isValid(card) and not problem:
            self._have_starters()
            self._show(wanted=await self._settings.get(OFFER))

    def _have_starters(self) -> None:
        """Remove the card and show that questions can be asked."""
        self.starters_offered.emit(None)
        self.starters = None

    def _on_setting(self, setting: Setting[Any], value: Any) -> None:
        if setting.key == OFFER.key:
            self._show(wanted=bool(value))

    def _show(self, *, wanted: bool) -> None:
        if not shiboken6.isValid(self._window):
            return
        wanted = wanted and self.starters is None
        if self.card is not None and not wanted:
            self._close(self.card)
            self.card = None
        elif self.card is None and wanted:
            self.card = card = OfferCard(self._window)
            self._connect(card)
            card.declined.connect(lambda: self._do("decline", self._settings.put(OFFER, False)))
            self.offered.emit(card)

    def _connect(self, card: OfferCard) -> None:
        card.fits_wanted.connect(lambda: self._do("offer models", self._look(card)))
        card.download_wanted.connect(
            lambda model: self._do(f"offer {model.id}", self._pull(card, model))
        )
        card.pause_wanted.connect(lambda model: self._tasks.cancel(f"window offer {model.id}"))

    async def offer_larger(self, turns: list[Turn], *, with_data: bool = False) -> None:
        """Offer a larger model above the text field if the starter model's last answer shows the
        need for one.

        That is the case if it answered a general question or did not understand one about data.

        turns: the turns of the conversation. The offer is made only after the first such answer,
        and not again once it has been declined. with_data: whether data is attached, in which case
        a question answered in plain text may also have been about data.

        Raises: DeskpilotError.
        """
        unread = is_unread(turns[-1]) or (with_data and is_general(turns[-1]))
        if not unread and not is_general(turns[-1]):
            return
        if any(is_general(turn) or is_unread(turn) for turn in turns[:-1]):
            return
        if not await self._settings.get(OFFER):
            return
        shelf = await self._models.shelf()
        found = [m for m in offers(shelf, spoken_language()) if m.type == "llm"]
        reading = [model for model in found if model.reads_questions]
        about_data = unread and (bool(reading) or not is_general(turns[-1]))
        found = reading if about_data else found
        if not found or not all(model.starter for model in shelf.of_type("llm")):
            return
        self.leave()
        self.larger = card = OfferCard()
        self._connect(card)
        card.declined.connect(self.leave)
        card.declined.connect(lambda: self._do("decline", self._settings.put(OFFER, False)))
        card.told.setText(
            tr(
                "The starter model understands only simple wording. This model understands "
                "questions about data in your own words:"
            )
            if about_data
            else tr(
                "The starter model is made for tables. A larger model is better at general"
                " questions:"
            )
        )
        card.show_offers(found)
        self.larger_offered.emit(card)

    def leave(self) -> None:
        """Remove the offer of a larger model, because it has been declined or another conversation
        has been opened.
        """
        if self.larger is not None and shiboken6.isValid(self.larger):
            self._close(self.larger)
        self.larger = None

    def _close(self, card: OfferCard) -> None:
        held = self._holds_focus(card)
        card.hide()
        card.deleteLater()
        if held:
            self.left.emit()

    def _holds_focus(self, part: QWidget) -> bool:
        focused = cast("QWidget | None", self._window.focusWidget())
        return focused is not None and (focused is part or part.isAncestorOf(focused))

    async def _look(self, card: OfferCard) -> None:
        card.show_reading()
        try:
            shelf = await self._models.shelf()
        except DeskpilotError as error:
            card.tell(told(error))
            return
        card.show_offers(offers(shelf, spoken_language()))

    async def _pull(self, card: OfferCard, model: Model) -> None:
        problem = tr("Paused.")
        try:
            async with aclosing(self._models.pull(model)) as steps:
                async for step in steps:
                    if shiboken6.isValid(card):
                        card.set_step(model, step)
            if model.type == "llm":
                await self._settings.put(MODEL, model.id)
            problem = ""
        except DeskpilotError as error:
            problem = told(error)
        finally:
            if shiboken6.isValid(card):
                held = self._holds_focus(card.buttons[model.id])
                card.set_ended(model, problem)
                if held and not problem:
                    self.left.emit()


def missing_starters(shelf: Shelf) -> list[Model]:
    """Return the starter models to download, which are those of a type that no model on this
    machine has.
    """
    return [
        model
        for model in shelf.models
        if model.starter and model.place == "available" and not shelf.of_type(model.type)
    ]


def is_general(turn: Turn) -> bool:
    """Return whether an answer is general conversation.

    An answer is general if nothing was computed, read or drawn for it, it does not ask the user to
    clarify, and it is not Deskpilot's description of itself.
    """
    used = (CallResult, Citations, Artifact)
    understood = any(
        isinstance(i, Status) and (i.reading is not None or {"about": "deskpilot"} in i.details)
        for i in turn.items
    )
    return (
        turn.state == "done"
        and bool(turn.answer().strip())
        and not understood
        and not any(isinstance(item, used) for item in turn.items)
    )


def is_unread(turn: Turn) -> bool:
    """Return whether the answer to a question about data was uncertain or asked the user to
    clarify.
    """
    readings = [i.reading for i in turn.items if isinstance(i, Status) and i.reading is not None]
    return turn.state == "done" and bool(readings) and not readings[-1].is_sure


def offers(shelf: Shelf, language: str) -> list[Model]:
    """Return the models to offer.

    These are the model that understands questions about data, the largest chat model for which
    there is enough memory, and the voice for a language. A kind is left out if this machine already
    has a model of that kind that is not a starter model.
    """
    reader = shelf.reader()
    talking = [
        m
        for m in shelf.models
        if m.type == "llm" and m.place == "available" and m.takes_bytes and m is not reader
    ]
    room = [m for m in talking if shelf.comfortable(m)]
    best = max(room, key=lambda m: m.takes_bytes, default=None)
    here = max((m.takes_bytes for m in shelf.of_type("llm")), default=0)
    found = [reader] if reader is not None else []
    found += [best] if best is not None and here < CLOSE * best.takes_bytes else []
    packs = {m.id: m for m in shelf.models if m.type == "pack" and m.members}
    voice = packs.get(f"voice-{language}") or packs.get("voice-en")
    return [*found, *([voice] if voice is not None and not shelf.of_type("tts") else [])]
