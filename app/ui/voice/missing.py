"""What voice needs and is not on this machine: which it is, how large, and a button that fetches
it.
"""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.domain.errors import DeskpilotError, MissingModel
from app.domain.model import size
from app.ui.main.key_names import shown_key
from app.ui.models.row import told_step
from app.ui.words import mark, said, told, tr

if TYPE_CHECKING:
    from app.domain.model import Model
    from app.services.deskpilot import Deskpilot
    from app.services.tasks import Do
    from app.ui.main.window import Window

PULL = "pull-voice"
OFFERED = mark("{what} {pack} brings what is missing: {names}, {size} to fetch, once.")


class Missing(QObject):
    """Offers the voice pack that fits, on the line above what is typed. do: runs work under a
    name.
    """

    def __init__(self, window: Window, deskpilot: Deskpilot, do: Do) -> None:
        super().__init__(window)
        self._bar, self._deskpilot, self._do = window.composer.bar, deskpilot, do
        self._pack: Model | None = None
        self._bar.acted.connect(self._fetch)

    def told(self, error: DeskpilotError) -> None:
        """Tell what went wrong; if a model is missing, offer what it comes with."""
        self._bar.tell(told(error), button=tr("Close"), wrong=True)
        if isinstance(error, MissingModel):
            self._do("offer a voice pack", self._offer(error))

    def stop(self) -> None:
        """Stop fetching; what came is kept."""
        self._deskpilot.tasks.cancel(f"window {PULL}")

    async def _offer(self, error: DeskpilotError) -> None:
        shelf = await self._deskpilot.models.shelf()
        language = self._deskpilot.voice.choices.now.language or "en"
        known = {model.id: model for model in shelf.models}
        packs = [model for model in shelf.models if model.type == "pack" and model.members]
        fitting = [pack for pack in packs if pack.id.endswith(f"-{language}")]
        if not fitting or self._bar.isHidden():  # it was closed meanwhile
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
        self._bar.tell(tr("Fetching {name} …", name=pack.name), button=tr("Stop"))
        try:
            async with aclosing(self._deskpilot.models.pull(pack)) as steps:
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
