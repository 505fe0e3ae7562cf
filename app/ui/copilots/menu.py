"""The copilot button in the top bar and its menu."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from PySide6 import QtCore
from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QToolButton, QWidget

from app.ui.theme.i18n import mark, tr
from app.ui.theme.icons import icon

if TYPE_CHECKING:
    from PySide6.QtGui import QAction, QActionGroup, QIcon
    from PySide6.QtWidgets import QMenu

    from app.domain.copilot import AddedCopilot, Feature
    from app.ui.theme.tokens import Tokens

LOCAL = mark("Local copilot")
ALL = mark("It can see every widget and request its data; otherwise, it sees only attachments.")
# prefix of an assistant's name; the name of a copilot never contains a colon
ASSISTANT = "assistant:"
PICTURE = 18
BESIDE_ICON, RIGHT_TO_LEFT = 2, 1  # Qt's values; its enums are loaded after the first paint


class CopilotButton(QToolButton):
    """The button that opens the menu of copilots.

    Signals: chosen(name, which is empty for our own copilot), add_wanted(), about_wanted(name),
    option_set(name, key, value), text_wanted(name, key).
    """

    chosen = Signal(str)
    add_wanted = Signal()
    about_wanted = Signal(str)
    option_set = Signal(str, str, object)
    text_wanted = Signal(str, str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("copilot")
        self.setAccessibleName(tr("Copilot"))
        self.setToolTip(tr("Who answers"))
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setProperty("toolButtonStyle", BESIDE_ICON)
        self.setProperty("layoutDirection", RIGHT_TO_LEFT)  # this puts the arrow after the name
        self.setIconSize(QSize(12, 12))
        self.setText(tr(LOCAL))

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

    def show_copilots(
        self,
        known: list[AddedCopilot],
        chosen: str,
        pictures: dict[str, bytes],
        assistants: dict[str, str],
    ) -> None:
        """Offer our own copilot, the added copilots and the assistants, and below them the settings
        of the chosen one.

        assistants: the name of each assistant, by the value reported when the assistant is chosen.
        """
        from PySide6.QtGui import QActionGroup

        from app.domain.copilot import OTHERS, WHOLE, Feature

        menu = self.choices
        menu.clear()
        group = QActionGroup(menu)
        now = next((added for added in known if added.name == chosen), None)
        self.setText(now.copilot.name if now else assistants.get(chosen, tr(LOCAL)))
        own = self._choice(group, tr(LOCAL), "", checked=not now and chosen not in assistants)
        own.setToolTip(tr("Questions are answered on this machine."))
        for added in known:
            action = self._choice(group, added.copilot.name, added.name, checked=added is now)
            action.setToolTip(
                "\n".join(
                    [
                        added.copilot.description or added.name,
                        tr("Questions go to {host}.", host=added.copilot.host),
                    ]
                )
            )
            if picture := pictures.get(added.name):
                action.setIcon(icon_of(picture))
        if assistants:
            menu.addSection(tr("Assistants"))
        for key, name in assistants.items():
            self._choice(group, name, key, checked=key == chosen)
        if now is not None:
            menu.addSeparator()
            for feature in now.copilot.own_features():
                self._option(menu, now, feature)
            if now.copilot.looks_around:
                whole = Feature(
                    WHOLE,
                    tr("May see all widgets"),
                    default=now.copilot.sees_all,
                    description=tr(ALL),
                )
                self._option(menu, now, whole)
            if now.copilot.orchestrates:
                told = tr(
                    "It can hand tasks to the other copilots, which then see the question's "
                    "attachments."
                )
                others = Feature(OTHERS, tr("May ask the other copilots"), description=told)
                self._option(menu, now, others)
            about = menu.addAction(tr("About {name} …", name=now.copilot.name))
            about.triggered.connect(lambda: self.about_wanted.emit(now.name))
        menu.addSeparator()
        menu.addAction(tr("Add copilot …")).triggered.connect(self.add_wanted)

    def _choice(self, group: QActionGroup, text: str, name: str, *, checked: bool) -> QAction:
        action = self.choices.addAction(marked(text, checked=checked))
        action.setCheckable(True)
        action.setChecked(checked)
        action.setData(name)
        group.addAction(action)
        action.triggered.connect(lambda: self.chosen.emit(name))
        return action

    def _option(self, menu: QMenu, added: AddedCopilot, feature: Feature) -> None:
        value = added.copilot.options.get(feature.key, feature.default)
        label = marked(feature.label, checked=feature.type == "toggle" and value is True)
        if feature.type == "toggle":
            action = menu.addAction(label)
            action.setCheckable(True)
            action.setChecked(value is True)
            action.toggled.connect(lambda on: self.option_set.emit(added.name, feature.key, on))
        elif feature.type == "select":
            action = self._select(menu.addMenu(label), added, feature, value)
        else:
            action = menu.addAction(f"{label} …")
            action.triggered.connect(lambda: self.text_wanted.emit(added.name, feature.key))
        action.setToolTip(feature.description)

    def _select(self, menu: QMenu, added: AddedCopilot, feature: Feature, value: object) -> QAction:
        from PySide6.QtGui import QActionGroup

        menu.setObjectName("marked")
        group = QActionGroup(menu)
        for label, option in feature.options:
            action = menu.addAction(marked(label, checked=option == value))
            action.setCheckable(True)
            action.setChecked(option == value)
            group.addAction(action)
            action.triggered.connect(
                lambda _=False, option=option: self.option_set.emit(added.name, feature.key, option)
            )
        return menu.menuAction()


def marked(text: str, *, checked: bool) -> str:
    """Return a name for a menu, with `&` escaped, and with a mark if it is chosen."""
    return text.replace("&", "&&") + ("  ✓" if checked else "")


def icon_of(picture: bytes) -> QIcon:
    """Return a copilot's picture as an icon; return an empty icon if the data is not a picture."""
    from PySide6.QtGui import QIcon, QImage, QPixmap

    image = QImage.fromData(picture)
    if image.isNull():
        return QIcon()
    side = PICTURE * 2
    shape = QtCore.Qt.AspectRatioMode.KeepAspectRatio
    return QIcon(
        QPixmap.fromImage(
            image.scaled(side, side, shape, QtCore.Qt.TransformationMode.SmoothTransformation)
        )
    )
