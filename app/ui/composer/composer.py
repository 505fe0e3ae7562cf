"""The composer: chips, text field, and the attach, send and stop buttons.

Hold the microphone button to talk, or press it once to start and again to stop.

Text typed while the window is starting is written to disk before the store is open.
"""

from __future__ import annotations

import contextlib
import time
from functools import cached_property
from typing import TYPE_CHECKING

from PySide6 import QtCore
from PySide6.QtCore import QObject, QPoint, QSize, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from app.ui.composer.choice import COMMAND
from app.ui.composer.editor import TextEditor
from app.ui.composer.notices import Notices, at_the_foot
from app.ui.controls.keys import KEYED, named_after
from app.ui.theme.i18n import tr
from app.ui.theme.icons import icon, icon_button
from app.ui.theme.style import set_mark
from app.ui.theme.tokens import LIGHT, Tokens
from backends.paths import typed_file

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.domain.dashboard import Widget
    from app.services.dashboard.widgets import Arrival
    from app.ui.composer.attachments import MissingAttachments
    from app.ui.composer.choice import PickerItem
    from app.ui.composer.picker import Picker
    from app.ui.composer.queue import Waiting
    from app.ui.composer.voice_bar import DictationText, VoiceBar
    from app.ui.controls.fields import FlowLayout


CLICK_MS = 350  # in milliseconds: a shorter press counts as a click


class MicButton(QToolButton):
    """The microphone button.

    Signals: begun() when pressed, kept() after a click, finished() when released after holding, or
    at the next press.
    """

    begun = Signal()
    kept = Signal()
    finished = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("icon")
        self.setFixedSize(34, 34)
        self.setIconSize(QSize(18, 18))
        self._since = 0.0
        self._ending = False
        self._tokens: Tokens | None = None
        self.hearing = False
        self.pressed.connect(self.press)
        self.released.connect(lambda: self.let_go())
        self.set_hearing(False)

    def set_tokens(self, tokens: Tokens) -> None:
        """Apply a theme."""
        self._tokens = tokens
        self.set_hearing(self.hearing)

    def set_hearing(self, hearing: bool) -> None:
        """Show whether the microphone is open."""
        self.hearing = hearing
        if hearing:
            named_after(self, "voice.dictate", tr("Finish dictating"))
        else:
            words, without = tr("Dictate ({key}), or hold to talk"), tr("Dictate, or hold to talk")
            named_after(self, "voice.dictate", words, without)
        if self._tokens is not None:
            self.setIcon(icon("mic", self._tokens.danger if hearing else self._tokens.text))

    def toggle_hearing(self) -> None:
        """Start or stop dictation, as a click does."""
        if self.hearing:
            self.finished.emit()
        else:
            self.begun.emit()
            self.kept.emit()

    def press(self) -> None:
        """Handle a press of the button or of its shortcut."""
        self._ending = self.hearing
        if not self._ending:
            self.begun.emit()
            # the time taken to start does not count towards the time that the button is held
            self._since = time.monotonic()

    def let_go(self, held_ms: int | None = None) -> None:
        """Handle the release of the button. held_ms: how long it was held, in milliseconds; None if
        unknown.
        """
        if (
            self._ending
            or ((time.monotonic() - self._since) * 1000 if held_ms is None else held_ms) >= CLICK_MS
        ):
            self.finished.emit()
        else:
            self.kept.emit()


class Composer(QFrame):
    """The attachment chips, the state of the voice, the text field, and the attach, microphone and
    send buttons.

    Signals: submitted(text), stopped(), files(paths), attach_wanted(), attached(uuid),
    detached(uuid), sent_while_dictating(), edited(turn id, text), copilot_picked(name),
    skills_wanted() when / is typed, copilots_wanted() when @ is typed, command_picked(id),
    link_wanted(address), typed(text), context_chosen({uuid: attached}), reading_stopped(arrival).

    dictated: the text in the field that is still being dictated. The parts above the field are
    created when there is something to show, which happens only after the first paint.
    """

    submitted = Signal(str)
    stopped = Signal()
    files = Signal(list)
    attach_wanted = Signal()
    attached = Signal(str)
    detached = Signal(str)
    sent_while_dictating = Signal()
    edited = Signal(str, str)
    copilot_picked = Signal(str)
    skills_wanted = Signal()
    copilots_wanted = Signal()
    command_picked = Signal(str)
    link_wanted = Signal(str)
    context_chosen = Signal(object)
    reading_stopped = Signal(object)
    typed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("composer")
        self._tokens = LIGHT
        self._answering = False
        self._choices: dict[str, list[PickerItem]] = {}
        self.editor = TextEditor(self)
        self._host = parent or self
        self.editor.picking.connect(self._on_picking)
        self.editor.keys = self._on_key
        self.attach = icon_button("icon", tr("Attach a table"), self, self.attach_wanted.emit)
        named_after(self.attach, "widget.attach", tr("Attach a table"))
        self.mic = MicButton(self)
        self.voice = icon_button("tile", tr("Voice settings"), self)
        self._mark = "#"
        self._edited = self._before = (
            ""  # the turn whose question is being edited, and the text typed before the edit began
        )
        self.dictated: DictationText | None = None
        self.send = icon_button("send", tr("Send"), self, self._on_send)
        for button, wide in ((self.attach, 34), (self.voice, 22), (self.send, 34)):
            button.setFixedSize(wide, 34)
        row = QHBoxLayout()
        row.setSpacing(6)
        for part in (self.attach, self.editor, self.mic, self.voice, self.send):
            if part is self.editor:
                row.addWidget(part)
            else:
                row.addLayout(at_the_foot(part))
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 10, 12, 10)
        column.setSpacing(6)
        column.addLayout(row)
        self._notices = Notices(self, column)
        self._notices.detached.connect(self.detached)
        self._notices.link_wanted.connect(self.link_wanted)
        self._notices.context_chosen.connect(self.context_chosen)
        self._notices.reading_stopped.connect(self.reading_stopped)
        self._notices.left.connect(self.leave_edit)
        self._notices.answered.connect(self.editor.setFocus)
        self.editor.sent.connect(self.submit)
        self.editor.files.connect(self.files)
        self.editor.textChanged.connect(lambda: self.typed.emit(self.editor.toPlainText()))
        self.editor.focused.connect(self._on_focus)
        # the chip disappears and loses the focus
        self.detached.connect(lambda _: self.editor.setFocus())

    @cached_property
    def picker(self) -> Picker:
        """Return the picker, which is created when #, @ or / is first typed."""
        from app.ui.composer.picker import Picker

        picker = Picker(self._host)
        picker.set_tokens(self._tokens)
        picker.picked.connect(self._on_picked)
        return picker

    @property
    def chips(self) -> FlowLayout:
        """Return the attachment chips."""
        return self._notices.chips.row

    @property
    def absent(self) -> MissingAttachments:
        """Return the notice of attachments whose files are missing."""
        return self._notices.absent

    @property
    def bar(self) -> VoiceBar:
        """Return the voice bar."""
        return self._notices.bar

    @property
    def waiting(self) -> Waiting:
        """Return the queue of questions."""
        return self._notices.waiting

    def set_tokens(self, tokens: Tokens) -> None:
        """Apply a theme."""
        self._tokens = tokens
        if "picker" in self.__dict__:
            self.picker.set_tokens(tokens)
        self.attach.setIcon(icon("plus", tokens.text))
        self.voice.setIcon(icon("voice", tokens.muted, 14))
        self.mic.set_tokens(tokens)
        self._notices.set_tokens(tokens)
        self.set_answering(self._answering)

    def set_answering(self, answering: bool) -> None:
        """Show stop instead of send while an answer is being received; the user can keep typing."""
        self._answering = answering
        self.send.setIcon(icon("stop" if answering else "send", self._tokens.on_accent))
        label = tr("Stop") if answering else tr("Send")
        self.send.setAccessibleName(label)
        if answering:
            named_after(self.send, "turn.stop", label)
        else:
            self.send.setProperty(KEYED, None)
            key = "Enter"
            self.send.setToolTip(f"{label} ({key})")

    def set_waiting(self, questions: list[str], reason: str) -> None:
        """Show the queue of questions. reason: why no question can be sent now; empty if one can
        be.
        """
        self.waiting.show_questions(questions, reason)

    def begin_edit(self, turn_id: str, question: str) -> None:
        """Put the question of a turn into the text field. The current text is restored
        afterwards.
        """
        if not self._edited:
            self._before = self.editor.toPlainText()
        self._edited = turn_id
        self.editor.setPlainText(question)
        self.editor.selectAll()
        self._notices.editing.show()
        self.editor.setFocus()

    def leave_edit(self) -> bool:
        """Cancel the editing of a question; return whether a question was being edited."""
        edited, self._edited = self._edited, ""
        if edited:
            self._notices.editing.hide()
            self.editor.setPlainText(self._before)
        return bool(edited)

    @property
    def draft(self) -> str:
        """Return the text typed for a new question, even while another question is being edited."""
        return self._before if self._edited else self.editor.toPlainText()

    def set_draft(self, text: str) -> None:
        """Replace the text of the new question; the user can then continue typing."""
        if text == self.editor.toPlainText():
            return
        self.editor.setPlainText(text)
        cursor = self.editor.textCursor()
        cursor.movePosition(cursor.MoveOperation.End)
        self.editor.setTextCursor(cursor)

    def take_back(self, questions: list[str]) -> None:
        """Insert unsent questions before any text already in the field."""
        typed = self.editor.toPlainText()
        if questions:
            self.editor.setPlainText("\n".join([*questions, typed] if typed else questions))

    def set_widgets(self, widgets: list[Widget]) -> None:
        """Set the widgets offered after #."""
        from app.ui.composer.choice import PickerItem

        self._choices["#"] = [
            PickerItem(
                w.uuid,
                w.name,
                tr("In context ✓") if w.attached else w.path.rpartition(".")[2].upper(),
                w.attached,
            )
            for w in widgets
        ]

    def set_choices(self, mark: str, choices: list[PickerItem]) -> None:
        """Set the choices that the picker offers after a mark (#, @ or /); an open picker is
        updated.
        """
        if self._choices.get(mark) != choices:
            self._choices[mark] = choices
            self.editor.look_again()

    def set_links(self, urls: list[str]) -> None:
        """Offer the web addresses in the question as context."""
        self._notices.chips.show_links(urls)

    def set_attached(self, widgets: list[Widget], counts: dict[str, int]) -> None:
        """Show the attachments."""
        self._notices.chips.show(widgets, counts)

    def set_arriving(self, arriving: list[Arrival]) -> None:
        """Show the attached files that are still being read."""
        self._notices.chips.show_arriving(arriving)

    def set_costs(self, costs: dict[str, int]) -> None:
        """Show the cost of each attachment in tokens."""
        self._notices.chips.show_costs(costs)

    def _on_send(self) -> None:
        self.editor.setFocus()
        if self._answering and not self._edited:
            self.stopped.emit()
        else:
            self.editor.settle()
            self.submit()

    def begin_dictation(self) -> None:
        """Start to show dictated words at the cursor."""
        from app.ui.composer.voice_bar import DictationText

        self.dictated = DictationText(self.editor, self._tokens)

    def end_dictation(self, text: str) -> None:
        """End dictation; the text stays in the field."""
        if self.dictated is not None:
            self.dictated.settle(text)
            self.dictated = None

    def submit(self) -> None:
        """Finish any dictation and send the typed text."""
        if self.dictated is not None:
            self.sent_while_dictating.emit()
            return
        text, edited = self.editor.toPlainText().strip(), self._edited
        if not text:
            return
        self.editor.clear()
        if self.leave_edit():
            self.edited.emit(edited, text)
        else:
            self.submitted.emit(text)

    def _on_picking(self, found: tuple[str, str] | None) -> None:
        if found is not None and found[0] == "/" and not self.editor.is_picking:
            self.skills_wanted.emit()
        if found is not None and found[0] == "@" and not self.editor.is_picking:
            self.copilots_wanted.emit()
        if found is None:
            self.editor.is_picking = False
            if "picker" in self.__dict__:
                self.picker.hide()
        else:
            above = self.picker.inside(self.mapToGlobal(QPoint(12, 0)))
            mark, typed = found
            self._mark = mark
            self.editor.is_picking = self.picker.offer(self._choices.get(mark, []), typed, above)

    def _on_key(self, key: QtCore.Qt.Key) -> bool:
        used = self.picker.key(key)
        self.editor.is_picking = self.picker.isVisible()
        return used

    def _on_picked(self, key: str) -> None:
        command = key.removeprefix(COMMAND) if key.startswith(COMMAND) else ""
        self.editor.put_picked(f"/skill:{key} " if self._mark == "/" and not command else "")
        if self._mark == "/" and command:
            self.command_picked.emit(command)
        elif self._mark == "#":
            self.attached.emit(key)
        elif self._mark == "@":
            self.copilot_picked.emit(key)

    def begin(self) -> None:
        """Take the keyboard focus as soon as the window is visible."""
        self.setProperty("focused", True)
        self.editor.setFocus()

    def _on_focus(self, focused: bool) -> None:
        if self.property("focused") == focused:
            return
        set_mark(self, "focused", focused)


class EarlyWords(QObject):
    """Writes the text in the field to a file until the drafts take over, and queues any questions
    sent before then.

    Text left behind by a window that was killed is put back into the field.
    """

    def __init__(self, composer: Composer) -> None:
        super().__init__(composer)
        self._composer = composer
        self._questions: list[str] = []
        self._waiting: Callable[[], list[str]] = lambda: self._questions
        with contextlib.suppress(OSError):
            composer.set_draft(typed_file().read_text("utf-8"))
        composer.typed.connect(self.keep)
        composer.submitted.connect(self._queue)

    def keep(self) -> None:
        """Write the unsent text."""
        words = "\n".join(part for part in (*self._waiting(), self._composer.draft) if part)
        path = typed_file()
        with contextlib.suppress(OSError):  # the store uses the same disk and will report the error
            path.parent.mkdir(parents=True, exist_ok=True)
            made = path.with_suffix(".part")
            made.write_text(words, "utf-8")
            made.replace(path)

    def hand_over(self, waiting: Callable[[], list[str]]) -> list[str]:
        """Stop queuing questions, and return those that were sent. waiting: a function that returns
        the queued questions from now on.
        """
        if self._questions:
            self._composer.waiting.taken.disconnect(self._take_back)
            self._composer.waiting.dropped.disconnect(self._drop)
        self._composer.submitted.disconnect(self._queue)
        self._waiting = waiting
        return self._questions

    def end(self) -> None:
        """Stop writing the text to the file, because drafts now contain all of it."""
        self._composer.typed.disconnect(self.keep)
        typed_file().unlink(missing_ok=True)

    def _queue(self, question: str) -> None:
        if not self._questions:
            self._composer.waiting.taken.connect(self._take_back)
            self._composer.waiting.dropped.connect(self._drop)
        self._questions.append(question)
        self._show()

    def _show(self) -> None:
        self._composer.set_waiting(self._questions, tr("Will be asked once Deskpilot is ready"))
        self.keep()

    def _take_back(self, number: int) -> None:
        self._composer.take_back([self._questions.pop(number)])
        self._show()

    def _drop(self, number: int) -> None:
        del self._questions[number]
        self._show()
