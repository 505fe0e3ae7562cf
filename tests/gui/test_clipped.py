"""Names that are read whole: of settings, of dashboards, of a tile while the mouse is on it."""

from __future__ import annotations

from typing import Any

from PySide6.QtWidgets import QMainWindow

from app.domain.dashboard import Tab
from app.ui.dashboard.tabs import Tabs
from app.ui.dashboard.title_bar import TitleBar
from app.ui.settings.window import SettingsWindow


def test_the_switch_of_developers_is_read_whole(qtbot: Any) -> None:
    parent = QMainWindow()
    qtbot.addWidget(parent)
    settings = SettingsWindow(parent)
    settings.developer.setText("Show developer settings, in a language of long words")
    settings.show()
    assert settings.developer.width() >= settings.developer.sizeHint().width()
    settings.close()


def test_names_of_many_dashboards_are_scrolled_to_and_not_cut_to_two_letters(qtbot: Any) -> None:
    tabs = Tabs()
    qtbot.addWidget(tabs)
    tabs.resize(360, 40)
    names = ["Test", "Quarterly", "Staff", "Suppliers", "A name that nobody wants on a tab at all"]
    tabs.show_tabs([Tab(str(n), name) for n, name in enumerate(names)], "1")
    tabs.show()
    bar = tabs.bar
    for place, name in enumerate(names[:4]):
        assert bar.tabRect(place).width() > bar.fontMetrics().horizontalAdvance(name)
    assert bar.tabText(4) == "A name that nobody wants on…"
    assert bar.tabToolTip(4) == names[4]
    assert bar.rect().contains(bar.tabRect(1))


def test_a_tile_keeps_its_name_while_the_mouse_is_on_it(qtbot: Any) -> None:
    bar = TitleBar("Historical prices")
    qtbot.addWidget(bar)
    bar.caption.setText("203 rows")
    bar.set_attached(True)
    bar.resize(366, 40)
    bar.show()
    bar.set_hot(True)
    bar.layout().activate()  # type: ignore[union-attr]
    assert bar.name.width() >= bar.name.sizeHint().width()
    bar.set_hot(False)
    bar.layout().activate()  # type: ignore[union-attr]
    assert not bar.caption.isHidden()
    assert bar.name.width() >= bar.name.sizeHint().width()
