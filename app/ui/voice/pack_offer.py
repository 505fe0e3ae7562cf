"""Offer the missing voice pack above the text field."""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.domain.errors import DeskpilotError, MissingModel
from app.domain.model import size
from app.ui.controls.keys import shown_key
from app.ui.models.row import told_step
from app.ui.theme.i18n import mark, said, told, tr

if TYPE_CHECKING:
    from app.domain.model import Model
    from app.services.models.models import ModelCatalog
    from app.services.tasks import Do, Tasks
    from app.services.voice.talk import LiveVoice
    from app.ui.composer.voice_bar import VoiceBar


PULL = "pull-voice"
OFFERED = mark("{what} {pack} includes what is missing: {names}. One-time download, {size}.")


class VoicePackOffer(QObject):
    """Offers the voice pack for the user's language above the text field. do: runs named work."""

    def __init__(
        self, bar: VoiceBar, models: ModelCatalog, tasks: Tasks, voice: LiveVoice, do: Do
    ) -> None:
        super().__init__(bar)
        self._bar = bar
        self._models = models
        self._tasks = tasks
        self._voice = voice
        self._do = do
        self._pack: Model | None = None
        self._bar.acted.connect(self._fetch)

    def told(self, error: DeskpilotError) -> None:
        """Show an error; if a model is missing, offer its pack."""
        self._bar.tell(told(error), button=tr("Close"), wrong=True)
        if isinstance(error, MissingModel):
            self._do("offer a voice pack", self._offer(error))

    def stop(self) -> None:
        """Stop the download; the downloaded part is kept."""
        self._tasks.cancel(f"window {PULL}")

    async def _offer(self, error: DeskpilotError) -> None:
        shelf = await self._models.shelf()
        language = self._voice.choices.now.language or "en"
        known = {model.id: model for model in shelf.models}
        packs = [model for model in shelf.models if model.type == "pack" and model.members]
        fitting = [pack for pack in packs if pack.id.endswith(f"-{language}")]
        if not fitting or self._bar.isHidden():  # the bar was closed meanwhile
            return
        self._pack = pack = fitting[0]
        names = " + ".join(known[name].name for name in pack.members)
        amount = size(pack.download_bytes)
        offered = tr(OFFERED, what=said(error.text), pack=pack.name, names=names, size=amount)
        self._bar.tell(offered, button=tr("Close"), action=tr("Download {size}", size=amount))

    def _fetch(self) -> None:
        if self._pack is not None:
            self._do(PULL, self._pull(self._pack))

    async def _pull(self, pack: Model) -> None:
        self._bar.tell(tr("Downloading {name} …", name=pack.name), button=tr("Stop"))
        try:
            async with aclosing(self._models.pull(pack)) as steps:
                async for step in steps:
                    self._bar.tell(told_step(step), button=tr("Stop"), silent=True)
        except DeskpilotError as error:
            self._bar.tell(told(error), button=tr("Close"), action=tr("Try again"), wrong=True)
        else:
            self._bar.tell(self._ready(), button=tr("Close"))

    def _ready(self) -> str:
        if not (key := shown_key(self._bar, "voice.talk")):
            return tr("Ready. Press the microphone and speak.")
        return tr("Ready. Press the microphone and speak, or talk hands-free with {key}.", key=key)
