"""The row of a model: purpose, size and actions."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QLocale, Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.domain.model import TYPES, DownloadStep, Model, size
from app.ui.theme.i18n import mark, said, tr
from app.ui.theme.style import set_style

if TYPE_CHECKING:
    from collections.abc import Sequence

STEPS = 1000
DOING = {  # the service's activities, identified by their first word
    "downloading": mark("Downloading"),
    "checking": mark("Checking"),
    "unpacking": mark("Unpacking"),
    "preparing": mark("Preparing"),
    "copying": mark("Copying"),
    "waiting": mark("Waiting for another download"),
}


class ModelRow(QFrame):
    """The row of a model.

    Signals: download_wanted(model), stop_wanted(id), unload_wanted(model), talk_wanted(id),
    remove_wanted(id), tune_wanted(model), measure_wanted(model), verify_wanted(model),
    discard_wanted(model).
    """

    download_wanted = Signal(object)
    stop_wanted = Signal(str)
    unload_wanted = Signal(object)
    talk_wanted = Signal(str)
    remove_wanted = Signal(str)
    tune_wanted = Signal(object)
    measure_wanted = Signal(object)
    verify_wanted = Signal(object)
    discard_wanted = Signal(object)

    def __init__(
        self,
        model: Model,
        *,
        talks: bool,
        fits: bool,
        notes: Sequence[str] = (),
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("modelRow")
        self.model = model
        self.told, self.step = self._label(model.problem, "problem"), self._label("", "caption")
        self.bar = QProgressBar(self)
        self.bar.setRange(0, STEPS)
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(6)
        self.bar.setAccessibleName(tr("Download of {name}", name=model.name))
        self.bar.hide()
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(
            self._label(model.id if model.place == "provider" else tr(model.name), "strong")
        )
        words.addWidget(self._label(said(model.good_for), ""))
        self.facts = self._label(" · ".join([*notes, facts_of(model, fits=fits)]), "muted")
        words.addWidget(self.facts)
        for part in (self.told, self.bar, self.step):
            words.addWidget(part)
        words.addStretch(1)
        self._buttons, self._more = QHBoxLayout(), QHBoxLayout()
        self._buttons.setSpacing(6)
        self._more.setSpacing(6)
        self._make_buttons(talks=talks)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 10, 0, 10)
        row.setSpacing(16)
        row.addLayout(words, 1)
        right = QVBoxLayout()
        right.setSpacing(6)
        for line in (self._buttons, self._more):
            right.addLayout(line)
            right.setAlignment(line, Qt.AlignmentFlag.AlignRight)
        row.addLayout(right)
        row.setAlignment(right, Qt.AlignmentFlag.AlignTop)

    def _make_buttons(self, *, talks: bool) -> None:
        model = self.model
        begun = tr("Resume") if model.got_bytes else tr("Download")
        self.download = self._button(begun, "available", lambda: self.download_wanted.emit(model))
        pausing = tr("Pause") if model.place == "available" else tr("Stop")
        self.stop = self._button(pausing, "", lambda: self.stop_wanted.emit(model.id))
        self.unload = self._button(tr("Unload"), "loaded", lambda: self.unload_wanted.emit(model))
        self.unload.setEnabled(not model.in_use)
        self.talk = self._button(tr("Use for chat"), "", lambda: self.talk_wanted.emit(model.id))
        self.talk.setVisible(model.type == "llm" and model.usable and not talks)
        self.tune = self._button(tr("Parameters …"), "", lambda: self.tune_wanted.emit(model))
        self.measure = self._button(tr("Measure here"), "", lambda: self.measure_wanted.emit(model))
        self.verify = self._button(tr("Verify"), "", lambda: self.verify_wanted.emit(model))
        self.verify.setToolTip(tr("Checks every file of the model for damage."))
        self.verify.setVisible(model.checkable)
        self.discard = self._button(tr("Remove …"), "", lambda: self.discard_wanted.emit(model))
        self.discard.setToolTip(tr("Deletes the model's files from this machine."))
        self.discard.setVisible(model.checkable or self._is_begun)
        for button in (self.tune, self.measure, self.verify, self.discard) if model.tunable else ():
            button.show()
            self._buttons.removeWidget(button)
            self._more.addWidget(button)
        self._buttons.addWidget(self._label(tr("In use for chat") if talks else "", "good"))
        self.remove = self._button(
            tr("Remove provider"), "", lambda: self.remove_wanted.emit(model.provider)
        )

    @property
    def _is_begun(self) -> bool:
        """Return whether part of the model has been downloaded.

        Always False for a pack, because each of its models is removed separately.
        """
        return (
            self.model.place == "available" and self.model.got_bytes > 0 and not self.model.members
        )

    def set_step(self, step: DownloadStep | None) -> None:
        """Show the progress of a download or a check. None means that none is in progress."""
        running, available = step is not None, self.model.place == "available"
        held = cast("QWidget | None", self.window().focusWidget())
        begins = self.download if available else self.verify
        come, goes = (self.stop, begins) if running else (begins, self.stop)
        come.setVisible(come is not self.verify or self.model.checkable)
        come.setEnabled(True)
        # this comes before hiding the button; otherwise, the focus would move to the next model's
        # button
        if held is goes:
            come.setFocus()
        goes.setVisible(goes is self.verify and self.model.checkable)
        self.discard.setEnabled(not running)
        if not available:
            self.verify.setEnabled(not running)
        self.bar.setVisible(running)
        self.step.setVisible(running)
        if step is not None:
            self.told.hide()
            self.bar.setValue(round(STEPS * step.done / step.total) if step.total else 0)
            self.step.setText(told_step(step))

    def set_measuring(self, *, on: bool) -> None:
        """Show whether the model is being measured."""
        self.measure.setEnabled(not on)
        self.measure.setText(tr("Measuring …") if on else tr("Measure here"))

    def tell(self, text: str, *, good: bool = False) -> None:
        """Show an error or a success message."""
        set_style(self.told, "good" if good else "problem")
        self.told.setText(text)
        self.told.setVisible(bool(text))

    def _button(self, text: str, place: str, run: object) -> QPushButton:
        button = QPushButton(text, self)
        button.setAccessibleName(f"{text}: {self.model.name}")
        button.clicked.connect(run)
        button.setVisible(self.model.place == place)
        self._buttons.addWidget(button)
        return button

    def _label(self, text: str, name: str) -> QLabel:
        """Return a label that never treats untrusted text as markup; it is hidden if the text is
        empty.
        """
        label = QLabel(text, self)
        label.setObjectName(name)
        label.setWordWrap(name != "good")
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setVisible(bool(text))
        return label


def told_step(step: DownloadStep) -> str:
    """Return, in words, the progress of a step."""
    doing = step.what.partition(" ")[0]
    what = tr(DOING[doing]) if doing in DOING else step.what
    return tr("{what}: {done} of {total}", what=what, done=size(step.done), total=size(step.total))


def language_name(code: str) -> str:
    """Return a language's name in that language; `multilingual` is translated."""
    if code == "multilingual":
        return tr("multilingual")
    locale = QLocale(code)
    # Qt's name for English includes the country; an unknown code becomes the C locale
    known = locale.language() not in (QLocale.Language.C, QLocale.Language.English)
    return "English" if code == "en" else locale.nativeLanguageName() if known else code


def facts_of(model: Model, *, fits: bool) -> str:
    """Return a line with the size and the memory needs of a model."""
    facts = [tr(TYPES.get(model.type, model.type))]
    if model.place == "available":
        whole = size(model.download_bytes)
        facts.append(
            tr("paused: {got} of {bytes}", got=size(model.got_bytes), bytes=whole)
            if model.got_bytes
            else tr("{bytes} download", bytes=whole)
        )
    elif model.size_bytes:
        facts.append(tr("{bytes} on disk", bytes=size(model.size_bytes)))
    if model.memory_bytes:
        facts.append(
            tr("{memory} of memory, in use", memory=size(model.memory_bytes))
            if model.in_use
            else tr("{memory} of memory", memory=size(model.memory_bytes))
        )
    elif model.takes_bytes:
        needs = tr("about {memory} of memory", memory=size(model.takes_bytes))
        facts.append(needs if fits else tr("{needs}, more than the memory limit", needs=needs))
    if model.speed is not None:
        facts.append(model.speed.told)
    if model.place == "provider":
        facts.append(
            tr("runs at {host}", host=model.host) if model.host else tr("runs on this machine")
        )
    facts += [", ".join(map(language_name, model.languages)), tr(model.licence)]
    return " · ".join(fact for fact in facts if fact)
