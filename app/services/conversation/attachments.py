"""The attachments of a conversation, including long pasted texts. They are saved and restored with
it, and their cost in tokens is counted once per version.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from app.data.readers.parts import TableRef
from app.domain.conversation import Attachment, is_temporary
from app.domain.errors import DeskpilotError, ReadingStopped, SourceError

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.domain.dashboard import Widget
    from app.services.dashboard.widgets import Arrival, Widgets
    from app.services.ports import StorePort
    from app.services.tasks import Tasks


ROWS = 100  # number of lines that are examined to find out whether a text is a table


def write_pasted(text: str, folder: Path, name: str = "Pasted text") -> Path:
    """Write a text to a file with a new name, and return its path. Text from a spreadsheet becomes
    a table.

    name: the base name of files for pasted texts, to which a number is added. Raises: SourceError.
    """
    ending = "tsv" if is_table(text) else "txt"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        number = 1 + sum(1 for _ in folder.iterdir())
        while (path := folder / f"{name} {number}.{ending}").exists():
            number += 1
        path.write_text(text, "utf-8", errors="replace")
    except OSError as error:
        raise SourceError(
            "The pasted text can't be kept.",
            "Check that the disk is not full and that the data folder is writable.",
        ) from error
    return path


def is_table(text: str) -> bool:
    """Return whether all lines have the same number of cells separated by tabs, as in text copied
    from a spreadsheet.
    """
    lines = [line for line in text.splitlines()[:ROWS] if line]
    counts = {line.count("\t") for line in lines}
    return len(lines) > 1 and len(counts) == 1 and counts != {0}


RETURN, LOOK = "bring attachments back", "look for attachments"


@dataclass(frozen=True)
class MissingAttachment:
    """An attachment whose file is gone or cannot be read. replaceable: whether another file can
    replace it.
    """

    attachment: Attachment
    replaceable: bool


class Attachments:
    """The attachments of the open conversation. Subscribers are called when the list of missing
    attachments changes.

    missing: attachments of the open conversation that cannot be restored.
    """

    def __init__(self, widgets: Widgets, store: StorePort, tasks: Tasks) -> None:
        self.missing: tuple[MissingAttachment, ...] = ()
        self._widgets, self._store, self._tasks = widgets, store, tasks
        self._conversation: str | None = None
        self._absent: dict[str, Attachment] = {}  # not among the widgets, or not yet
        self._returning = False  # whether attachments that are on no dashboard are being opened
        self._known: list[Attachment] | None = None  # as saved in the store; None until read
        # files that are still being read, by the conversation that the user has left
        self._late: dict[Arrival, str] = {}
        self._listeners: list[Callable[[], None]] = []
        widgets.subscribe(self._follow)

    def subscribe(self, listener: Callable[[], None]) -> None:
        """Call `listener` when the list of missing files changes."""
        self._listeners.append(listener)

    async def of(self, conversation_id: str) -> list[Attachment]:
        """Return the attachments of a conversation.

        Raises: StoreError.
        """
        return await self._store.attachments(conversation_id)

    async def open(self, conversation_id: str | None, attached: list[Attachment]) -> None:
        """Attach the widgets of a conversation and no others. The conversation is None if it has
        not begun.

        Widgets of other conversations are detached first. Raises: StoreError.
        """
        self._conversation = conversation_id
        self._known = None
        self._absent = {a.widget: a for a in attached if a.widget not in self._widgets}
        self._returning = bool(self._absent)
        self._tasks.cancel(RETURN)
        self._set_missing([])
        if self._absent:
            self._tasks.start(RETURN, self._bring_back(conversation_id))
        self._known = attached
        await self._widgets.attach_only({a.widget for a in attached})

    def leave(self) -> None:
        """Assign the files that are still being read to the open conversation, so that they are not
        attached to the next one.
        """
        for arrival in self._widgets.arriving:
            if arrival.attach and self._conversation and not is_temporary(self._conversation):
                self._late[arrival] = self._conversation
            arrival.attach = False

    def begin(self, conversation_id: str) -> None:
        """Assign the current attachments to a conversation that has just begun."""
        self._conversation, self._known = conversation_id, []
        self._follow()

    async def find_again(self, attachment: Attachment, path: Path) -> None:
        """Replace a missing file with another one.

        Raises: SourceError.
        """
        made = await self._widgets.add_file(path)
        if made.uuid != attachment.widget:
            await self.remove(attachment)

    async def remove(self, attachment: Attachment) -> None:
        """Remove an attachment."""
        self._absent.pop(attachment.widget, None)
        if attachment.widget in self._widgets:
            await self._widgets.attach(attachment.widget, attached=False)
        self._follow()

    async def _bring_back(self, conversation_id: str | None) -> None:
        """Open the files of attachments that are not on any dashboard."""
        for attachment in list(self._absent.values()):
            path = Path(attachment.path)
            if attachment.path and await asyncio.to_thread(TableRef.of(path).file.is_file):
                try:
                    await self._widgets.add_file(path, attach=False)
                except ReadingStopped:
                    self._absent.pop(attachment.widget, None)
                except DeskpilotError:
                    pass  # it stays in the list of missing attachments
            if self._conversation != conversation_id:
                return
            if attachment.widget in self._widgets:
                await self._widgets.attach(attachment.widget, attached=True)
        self._returning = False
        self._look()

    def _follow(self) -> None:
        """Save the current attachments with their conversation."""
        for arrival in self._late.keys() - set(self._widgets.arriving):
            late = self._attach_late(self._late.pop(arrival), arrival.file)
            self._tasks.start(f"attach {arrival.file}", late)
        self._absent = {u: a for u, a in self._absent.items() if u not in self._widgets}
        self._look()
        if self._known is None or self._conversation is None or is_temporary(self._conversation):
            return
        now = [attachment_of(w) for w in self._widgets.attached()] + list(self._absent.values())
        if now != self._known:
            self._known = now
            keep = self._store.save_attachments(self._conversation, now)
            self._tasks.start(f"keep attachments {self._conversation}", keep)

    async def _attach_late(self, conversation_id: str, file: Path) -> None:
        """Attach the tables of a file to the conversation that the file was attached to."""
        tables = [widget for widget in self._widgets.all() if widget.path and not widget.of]
        made = [widget for widget in tables if TableRef.of(Path(widget.path)).file == file]
        if conversation_id == self._conversation:
            await self._widgets.attach_some({widget.uuid: True for widget in made})
            return
        kept = await self.of(conversation_id)
        known = {attachment.widget for attachment in kept}
        kept += [attachment_of(widget) for widget in made if widget.uuid not in known]
        await self._store.save_attachments(conversation_id, kept)

    def _look(self) -> None:
        """Determine which attachments are missing."""
        failed = [w for w in self._widgets.attached() if w.uuid in self._widgets.errors]
        suspects = [*self._absent.values(), *map(attachment_of, failed)]
        self._tasks.cancel(LOOK)
        if not suspects:
            self._set_missing([])
        elif not self._returning:
            self._tasks.start(LOOK, self._find_missing(suspects))

    async def _find_missing(self, suspects: list[Attachment]) -> None:
        def gone() -> list[MissingAttachment]:
            return [
                MissingAttachment(a, bool(a.path))
                for a in suspects
                if a.widget in self._absent
                or (a.path and not TableRef.of(Path(a.path)).file.is_file())
            ]

        self._set_missing(await asyncio.to_thread(gone))

    def _set_missing(self, missing: list[MissingAttachment]) -> None:
        if tuple(missing) != self.missing:
            self.missing = tuple(missing)
            for listener in self._listeners:
                listener()


def attachment_of(widget: Widget) -> Attachment:
    """Return the saved form of an attached widget."""
    return Attachment(widget.uuid, widget.name, "" if widget.backend else widget.path)


SEARCHED = ("library", "document")
# average number of characters per token, for Latin letters and for other scripts
ASCII, OTHER = 4.0, 1.4


class Costs:
    """Estimates numbers of tokens, since each model counts them differently."""

    def __init__(self, widgets: Widgets) -> None:
        self._widgets = widgets
        self._known: dict[str, tuple[str, int]] = {}

    async def of_attached(self) -> dict[str, int]:
        """Return the number of tokens in each readable attached widget, by uuid."""
        made: dict[str, int] = {}
        for widget in self._widgets.attached():
            if widget.type in SEARCHED:  # a copilot never reads all of it
                continue
            version = self._version(widget)
            known = self._known.get(widget.uuid)
            if known is None or known[0] != version:
                try:
                    text = await asyncio.to_thread(self._widgets.sources.as_text, widget.uuid)
                except DeskpilotError:  # what cannot be read is not sent, and costs nothing
                    continue
                known = self._known[widget.uuid] = (version, tokens_of(text))
            made[widget.uuid] = known[1]
        return made

    async def tell(self, show: Callable[[dict[str, int]], None]) -> None:
        """Pass the number of tokens in each widget to `show`."""
        show(await self.of_attached())

    def _version(self, widget: Widget) -> str:
        if self._widgets.is_open(widget.uuid):
            return self._widgets.profile(widget.uuid).hash
        path = Path(widget.path)
        return f"{widget.text}{path.stat().st_mtime_ns if widget.path and path.is_file() else ''}"


def tokens_of(text: str) -> int:
    """Return approximately how many tokens a text has."""
    latin = sum(map(str.isascii, text))
    return round(latin / ASCII + (len(text) - latin) / OTHER) + 1
