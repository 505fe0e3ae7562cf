"""The controller that offers starter models, a better model and a voice."""

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
    from app.services.settings.settings import Settings
    from app.services.tasks import Do, Tasks

STARTERS = "starters"  # the task's name
CLOSE = 0.7  # of what the best takes: one that takes as much is as good


class ModelOffers(QObject):
    """Makes the cards of the first page.

    larger: None unless a general question was asked of the starter, or one about data that it did
    not understand. starters: None unless starter models are missing. card: of better models; None
    unless the setting wants it and the starters are here.

    Signals: starters_offered(card) above the text field or on the first page, None for no more;
    offered(card) on the first page; larger_offered(card) above the text field; left() if what had
    the focus in a card is gone.
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
        self.open_models: Callable[[], object] = bool  # set by who has the page of models
        settings.subscribe(self._on_setting)
        do("offer models", self._begin())

    async def _begin(self) -> None:
        try:
            self.note(await self._models.shelf())
        except DeskpilotError:  # a service that is not there is told where it is asked
            self.starters_offered.emit(None)
        if self.starters is None:
            self._show(wanted=await self._settings.get(OFFER))

    def note(self, shelf: Shelf) -> None:
        """Offer the starter models that are missing in a shelf, or no more once they are here."""
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
        """Download the starter models that are missing, unless that goes on."""
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
        """Offer a larger model above the text field if the starter has just answered a general
        question, or has not understood one about data.

        turns: of the conversation; it is offered after the first such answer only, and no more once
        it was declined. with_data: data is attached, so a plain answer may ask back.

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
        """Offer no larger model any longer: it was declined, or the conversation is another."""
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
    """Return the starter models that are still to be fetched, of the types nothing here can take
    over.
    """
    return [
        model
        for model in shelf.models
        if model.starter and model.place == "available" and not shelf.of_type(model.type)
    ]


def is_general(turn: Turn) -> bool:
    """Return whether an answer is talk: nothing was computed, read, drawn or asked back, and it is
    not what Deskpilot says of itself.
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
    """Return whether an answer about data was asked back, or given with a doubt."""
    readings = [i.reading for i in turn.items if isinstance(i, Status) and i.reading is not None]
    return turn.state == "done" and bool(readings) and not readings[-1].is_sure


def offers(shelf: Shelf, language: str) -> list[Model]:
    """Return the model that understands questions about data, the largest one for conversation that
    leaves room beside it, and the voice of a language.

    Nothing of a kind that is here already, beyond the starter.
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
