"""The settings' window by keyboard: every control is real, named, and kept."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QDoubleSpinBox,
    QLineEdit,
    QMessageBox,
    QPushButton,
    QScrollArea,
    QWidget,
)

from app.domain.errors import ModelServiceError
from app.domain.model import Model, Shelf, read_tuning
from app.domain.provider import read_provider
from app.domain.settings import CHECK, MODEL, PASS, SECONDS, THEME
from app.services.models.models import ModelCatalog
from app.ui.controls.fields import Chooser, Switch
from app.ui.main.session import WindowSession
from app.ui.main.window import MainWindow
from app.ui.models.page import ModelsPage
from app.ui.models.provider import AddProvider, FieldsForm
from app.ui.settings.preferences import Preferences
from app.ui.settings.window import SettingsWindow
from app.ui.theme.i18n import speak
from tests.foreign import foreign
from tests.gui.living import in_window, until
from tests.unit.app.domain.test_provider_forms import TOLD


def control(window: SettingsWindow, setting: Any) -> Any:
    return next(row.control for page in window.pages if (row := page.row_of(setting)))


def pick(chooser: Chooser, label: str) -> None:
    """Choose an entry of a chooser's menu."""
    next(a for a in chooser.choices.actions() if a.text() == label).trigger()


def test_settings_are_opened_changed_by_keyboard_and_kept(qapp: Any) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        settings, get = session.preferences, session.deskpilot.settings.get
        window.activateWindow()
        QTest.keyClick(window, Qt.Key.Key_Comma, Qt.KeyboardModifier.ControlModifier)
        await until(lambda: settings.settings and settings.settings.isVisible())
        shown = settings.settings
        assert shown is not None
        await until(lambda: control(shown, THEME).value == "system" and shown.models.rows)
        pick(control(shown, THEME), "Dark")
        shown.show_page("moderation")
        switch: Switch = control(shown, CHECK)
        switch.setFocus()
        QTest.keyClick(switch, Qt.Key.Key_Space)
        line: QLineEdit = control(shown, PASS)
        line.setFocus()
        QTest.keyClicks(line, "Elections, Hate")
        QTest.keyClick(line, Qt.Key.Key_Return)
        assert control(shown, SECONDS).isHidden() or not control(shown, SECONDS).isVisible()
        shown.developer.setChecked(True)
        number: QDoubleSpinBox = control(shown, SECONDS)
        assert number.isVisibleTo(shown.pages[1])
        number.selectAll()
        QTest.keyClicks(number, "60")
        QTest.keyClick(number, Qt.Key.Key_Return)
        row = next(r for p in shown.pages if (r := p.row_of(CHECK)))
        await until(lambda: "There is no guard model yet" in row.problem.text())
        for setting, value in (
            (THEME, "dark"),
            (CHECK, True),
            (PASS, ["Elections", "Hate"]),
            (SECONDS, 60.0),
        ):
            await kept(get, setting, value)
        shown.close()
        settings.open("appearance")
        await until(lambda: control(shown, THEME).text().startswith("Dark"))
        shown.close()

    in_window(work)


async def kept(get: Any, setting: Any, value: Any) -> None:
    async with asyncio.timeout(10):
        while await get(setting) != value:
            await asyncio.sleep(0)


def test_every_control_has_a_name_and_is_reached_by_tab(qapp: Any) -> None:
    parent = QWidget()
    window = SettingsWindow(parent)
    window.set_shelf(SHELF)
    window.developer.setChecked(True)
    for page in window.pages:
        for row in page.rows:
            assert row.control.accessibleName().startswith(row.setting.label)
            assert row.control.accessibleDescription() == row.setting.help
            assert row.control.focusPolicy() & Qt.FocusPolicy.TabFocus
    rows = window.models.rows.values()
    shown = [
        b for row in rows for b in row.findChildren(QPushButton) if b.isVisibleTo(window.models)
    ]
    names = [button.accessibleName() for button in shown]
    assert "Download: Whisper" in names
    assert len(names) == len(set(names))


SHELF = Shelf(
    (
        Model("llama", "Llama", "llm", "loaded", memory_bytes=600_000_000, takes_bytes=600_000_000),
        Model("smol", "Smol", "llm", "here", size_bytes=98_000_000, takes_bytes=446_000_000),
        Model("work/qwen", "qwen", "llm", "provider", "work", host="models.example:8000"),
        Model("whisper", "Whisper", "speech2text", "available", download_bytes=71_000_000, takes_bytes=290_000_000),
        Model("giant", "Giant", "llm", "available", download_bytes=9_000_000_000, takes_bytes=20_000_000_000),
    ),
    8_000_000_000,
)  # fmt: skip


def texts(widget: QWidget) -> str:
    return " | ".join(
        part.text()
        for part in widget.findChildren(QWidget)
        if hasattr(part, "text") and part.isVisibleTo(widget)
    )


def test_models_stand_in_their_sections_with_what_they_cost(qapp: Any) -> None:
    page = ModelsPage()
    page.set_shelf(SHELF)
    assert "Loaded models use 600 MB of 8.0 GB." in texts(page)
    order = [
        "Loaded",
        "Llama",
        "On this machine",
        "Smol",
        "From providers",
        "work/qwen",
        "Available to download",
        "Whisper",
    ]
    places = [texts(page).index(word) for word in order]
    assert places == sorted(places)
    assert "In use for chat" in texts(page.rows["llama", "llm"])
    assert "runs at models.example:8000" in texts(page.rows["work/qwen", "llm"])
    assert "20.0 GB of memory, more than the memory limit" in texts(page.rows["giant", "llm"])
    page.set_talks("work/qwen")
    assert "In use for chat" in texts(page.rows["work/qwen", "llm"])
    assert "Use for chat" in texts(page.rows["smol", "llm"])
    pick(page.kind, "Speech to text")
    assert list(page.rows) == [("whisper", "speech2text")]


def test_rows_stay_where_they_are_when_a_download_ends(qtbot: Any) -> None:
    """The list jumped, so that the next press hit “Remove …” of another model."""
    names = [f"model {n:02}" for n in range(30)]
    away = [Model(n, n, "llm", "available", download_bytes=9_000, takes_bytes=9) for n in names]
    area, page = QScrollArea(), ModelsPage()
    area.setWidgetResizable(True)
    area.setWidget(page)
    area.resize(900, 500)
    qtbot.addWidget(area)
    with qtbot.waitExposed(area):
        area.show()
    page.set_shelf(Shelf(tuple(away), 8_000_000))
    bar, view = area.verticalScrollBar(), area.viewport()
    qtbot.waitUntil(lambda: bar.maximum() > 500)
    bar.setValue(500)

    def top(name: str) -> int:
        return page.rows[name, "llm"].mapTo(view, QPoint()).y()

    QCursor.setPos(view.mapToGlobal(QPoint(20, 200)))
    below = min(names, key=lambda name: abs(top(name) - 200))
    stood, whole = top(below), bar.maximum()
    ended = [replace(m, place="here") if m.id == names[2] else m for m in away]
    page.set_shelf(Shelf(tuple(ended), 8_000_000))
    qtbot.waitUntil(lambda: bar.maximum() > whole)  # it has a section of its own
    qtbot.waitUntil(lambda: abs(top(below) - stood) <= 1)


def test_the_starter_stands_before_the_voices_of_every_language(qapp: Any) -> None:
    page = ModelsPage()
    voices = [
        Model(f"voice-{name}", f"Voice {name}", "pack", "available") for name in ("en", "zh", "ja")
    ]
    starters = [
        Model(name, name, kind, "available", starter=True)
        for name, kind in (("mini", "text-embedding"), ("smol", "llm"))
    ]
    page.set_shelf(Shelf((*starters, *voices), 0))
    assert list(page.rows)[:3] == [
        ("smol", "llm"),
        ("mini", "text-embedding"),
        ("voice-en", "pack"),
    ]


def test_the_voice_of_ones_own_language_comes_first_and_languages_have_names(qapp: Any) -> None:
    voices = [
        Model(f"voice-{name}", f"Voice {name}", "pack", "available") for name in ("en", "zh", "de")
    ]
    spoken = Model("w", "W", "speech2text", "here", languages=("en", "zh", "multilingual", "xx-y"))
    speak("zh")
    try:
        page = ModelsPage()
        page.set_shelf(Shelf((*voices, spoken), 0))
    finally:
        speak("en")
    packs = [uid for uid, kind in page.rows if kind == "pack"]
    assert packs == ["voice-zh", "voice-en", "voice-de"]
    assert "English, 简体中文, 多语言, xx-y" in page.rows["w", "speech2text"].facts.text()


def test_parameters_of_a_model_are_named_in_ones_own_language(qapp: Any) -> None:
    rule = {"name": "t", "type": "float", "label": {"en_US": "Temperature"}, "options": []}
    told = {
        "rules": [rule | {"default": 0.2, "min": 0, "max": 2}],
        "parameters": {},
        "fields": [],
        "settings": {},
        "presets": {},
        "own": [],
    }
    speak("zh")
    try:
        form = FieldsForm(read_tuning(told, "zh_Hans").parameters)
    finally:
        speak("en")
    assert "温度" in texts(form)
    field = form.controls["t"]
    assert isinstance(field, QLineEdit)
    assert field.placeholderText() == "0.2  (0 – 2)"


class Service:
    """A model service with one model to fetch; the test allows each step. got: bytes of it that
    have come.
    """

    def __init__(self) -> None:
        self.got, self.busy, self.others = 0, False, 0
        self.here, self.steps, self.stopped = (
            False,
            asyncio.Queue[dict[str, Any]](),
            asyncio.Event(),
        )
        self.asked: list[Any] = []

    async def get(self, path: str) -> dict[str, Any]:
        model = {
            "id": "whisper", "name": "Whisper", "type": "speech2text", "provider": "p", "model": "whisper", "licence": "MIT",
            "languages": ["en"], "good_for": "Dictation.", "size_bytes": 9, "download_bytes": 9_000_000, "takes_bytes": 9, "here": self.here,
            "got_bytes": self.got,
        }  # fmt: skip
        others = [
            model | {"id": "other", "name": "Other", "model": "other", "got_bytes": 0}
        ] * self.others
        return {
            "models": [model, *others] if "catalogue" in path else [],
            "packs": [],
            "loaded": [],
        }

    async def send(
        self, method: str, path: str, body: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        self.asked.append((path.rpartition("/")[2], body))
        if self.busy:
            raise ModelServiceError(
                "Whisper is in use.", "Stop its task, or wait until it finishes."
            )
        self.here = False
        return {"bytes": 9_000_000}

    async def events(self, path: str, body: dict[str, Any]) -> AsyncGenerator[dict[str, Any], None]:
        self.asked.append((path.rpartition("/")[2], body))
        try:
            while True:
                step = await self.steps.get()
                if "fails" in step:
                    raise ModelServiceError("The disk is full.", "Make room.")
                self.here = "here" in step
                yield step
        finally:
            self.stopped.set()


def test_a_model_is_fetched_stopped_and_what_fails_is_said_beside_it(qapp: Any) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        service = Service()
        other = MainWindow()
        models = ModelCatalog(service, service)
        deskpilot = replace(session.deskpilot, models=models)
        page = Preferences(other, deskpilot, session.do, lambda _: None).open("models").models
        await until(lambda: page.rows)
        row = next(iter(page.rows.values()))
        row.download.click()
        service.steps.put_nowait({"what": "downloading", "done": 3_000_000, "total": 9_000_000})
        await until(lambda: "Downloading: 3 MB of 9 MB" in texts(row))
        assert row.bar.value() == 333
        row.stop.click()
        await service.stopped.wait()
        await until(lambda: row.download.isVisibleTo(row) and not row.bar.isVisibleTo(row))
        row.download.click()
        service.steps.put_nowait({"fails": 1})
        await until(lambda: "The disk is full. Make room." in texts(row))
        row.download.click()
        service.steps.put_nowait({"here": "whisper"})
        await until(lambda: "On this machine" in texts(page))
        page.import_wanted.emit("/models/own.gguf")
        await until(lambda: len(service.asked) == 4)
        assert service.asked[-1] == ("import", {"path": "/models/own.gguf", "link": True})
        service.steps.put_nowait({"fails": 1})
        await until(lambda: "The disk is full. Make room." in page.told.text())
        other.close()
        other.deleteLater()

    in_window(work)


def focused(page: ModelsPage) -> str:
    """Return the accessible name of what the keys go to."""
    held = page.window().focusWidget()
    return held.accessibleName() if held is not None else ""


def named(page: ModelsPage, name: str) -> QPushButton:
    """Return the button of an accessible name, once it can be pressed."""
    found = [
        b
        for b in page.findChildren(QPushButton)
        if b.accessibleName() == name and b.isVisibleTo(page)
    ]
    assert len(found) == 1
    return found[0]


def press(page: ModelsPage, name: str) -> None:
    """Press a button by its accessible name, with the keyboard."""
    button = named(page, name)
    button.setFocus()
    QTest.keyClick(button, Qt.Key.Key_Space)


def test_a_download_is_paused_resumed_and_the_model_verified_by_keyboard(qapp: Any) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        service = Service()
        service.others = 1
        other = MainWindow()
        deskpilot = replace(session.deskpilot, models=ModelCatalog(service, service))
        page = Preferences(other, deskpilot, session.do, lambda _: None).open("models").models
        await until(lambda: page.rows)

        press(page, "Download: Whisper")
        service.steps.put_nowait({"what": "downloading", "done": 3_000_000, "total": 9_000_000})
        await until(lambda: "Downloading: 3 MB of 9 MB" in texts(page))
        assert focused(page) == "Pause: Whisper"
        service.got = 3_000_000
        press(page, "Pause: Whisper")
        await service.stopped.wait()
        await until(lambda: "paused: 3 MB of 9 MB" in texts(page))
        assert focused(page) == "Resume: Whisper"
        row = next(iter(page.rows.values()))
        assert row.discard.isVisibleTo(row)  # what has come can be removed, too
        press(page, "Resume: Whisper")
        service.steps.put_nowait({"here": "whisper"})
        await until(lambda: "On this machine" in texts(page))
        press(page, "Verify: Whisper")
        service.steps.put_nowait({"what": "checking", "done": 4_000_000, "total": 9_000_000})
        await until(lambda: "Checking: 4 MB of 9 MB" in texts(page))
        assert not next(iter(page.rows.values())).verify.isEnabled()
        service.steps.put_nowait({"here": "whisper"})
        await until(lambda: "Verified: all files are intact." in texts(page))
        press(page, "Verify: Whisper")
        service.steps.put_nowait({"what": "checking", "done": 4_000_000, "total": 9_000_000})
        await until(lambda: "Checking: 4 MB of 9 MB" in texts(page))
        assert "Verified" not in texts(page)
        press(page, "Stop: Whisper")
        await until(lambda: next(iter(page.rows.values())).verify.isEnabled())
        press(page, "Verify: Whisper")
        service.steps.put_nowait({"fails": 1})
        await until(lambda: "The disk is full. Make room." in texts(page))
        assert [what for what, _ in service.asked] == ["pull", "pull", "verify", "verify", "verify"]
        other.close()
        other.deleteLater()

    in_window(work)


def test_a_form_shows_a_field_while_its_conditions_hold(qapp: Any) -> None:
    form = FieldsForm(read_provider(TOLD).fields)
    key = form.controls["api_key"]
    assert isinstance(key, QLineEdit)
    assert not key.isVisibleTo(form)
    assert form.missing() == []
    kind = form.controls["kind"]
    assert isinstance(kind, Chooser)
    pick(kind, "Remote")
    assert key.isVisibleTo(form)
    assert key.echoMode() is QLineEdit.EchoMode.Password
    assert form.missing() == ["Key"]
    key.setText("s3cret")
    assert form.filled().secrets == {"api_key": "s3cret"}
    assert "s3cret" not in repr(form.filled())
    pick(kind, "Local")
    assert form.filled().secrets == {}


@pytest.mark.usefixtures("keyring_in_memory")
def test_a_provider_is_added_in_the_window_and_its_model_talks(qapp: Any, tmp_path: Path) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        preferences = session.preferences
        page = preferences.open("models").models
        page.add.click()
        await until(lambda: any(isinstance(w, AddProvider) for w in QApplication.topLevelWidgets()))
        dialog = next(w for w in QApplication.topLevelWidgets() if isinstance(w, AddProvider))
        assert not dialog.go.isEnabled()
        dialog.name.setText("work")
        fields: Any = dialog.form.controls
        fields["base_url"].setText(stranger["base_url"])
        fields["api_key"].setText("wr0ng")
        dialog.go.click()
        await until(lambda: "refused the key" in dialog.told.text())
        fields["api_key"].setText(stranger["api_key"])
        dialog.go.click()
        await until(lambda: dialog.tried is not None)
        assert not dialog.go.isEnabled()  # no model is chosen yet
        dialog.models._rows[0][0].setChecked(True)
        dialog.go.click()
        await until(lambda: ("work/echo", "llm") in page.rows)
        page.rows["work/echo", "llm"].talk.click()
        await until(lambda: page.rows["work/echo", "llm"].talk.isHidden())
        await kept(session.deskpilot.settings.get, MODEL, "work/echo")
        assert preferences.settings is not None
        preferences.settings.close()
        session.board.set_context(session.deskpilot.widgets.attached()[0].uuid, False)
        session.submit("good morning")
        await until(lambda: session.turns and session.turns[0].state == "done")
        assert session.turns[0].answer().strip() == "good morning"

    with foreign(tmp_path / "foreign") as stranger:
        in_window(work)


def test_a_model_is_removed_by_keyboard_once_one_agrees_and_fetched_again(qapp: Any) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        service = Service()
        service.here, service.busy = True, True
        other = MainWindow()
        deskpilot = replace(session.deskpilot, models=ModelCatalog(service, service))
        await deskpilot.settings.put(MODEL, "whisper")
        page = Preferences(other, deskpilot, session.do, lambda _: None).open("models").models
        await until(lambda: page.rows)

        def agree(word: str) -> QMessageBox:
            (box,) = [b for b in page.window().findChildren(QMessageBox) if b.isVisible()]
            (button,) = [b for b in box.buttons() if b.text().replace("&", "") == word]
            cancel = box.button(QMessageBox.StandardButton.Cancel)
            assert box.focusWidget() is cancel  # Return removes nothing
            button.setFocus()
            QTest.keyClick(button, Qt.Key.Key_Space)
            return box

        press(page, "Remove …: Whisper")
        told = agree("Cancel").text()
        assert told == "Remove Whisper? 1 MB will be freed. It can be downloaded again."
        assert service.asked == []
        press(page, "Remove …: Whisper")
        agree("Remove")
        await until(
            lambda: "Whisper is in use. Stop its task, or wait until it finishes." in texts(page)
        )
        service.busy = False
        press(page, "Remove …: Whisper")
        agree("Remove")
        await until(lambda: "Available to download" in texts(page))
        assert "Removed: 9 MB are free again." in texts(page)
        assert await deskpilot.settings.get(MODEL) == ""
        press(page, "Download: Whisper")
        service.steps.put_nowait({"here": "whisper"})
        await until(lambda: "On this machine" in texts(page))
        assert [what for what, _ in service.asked] == ["remove", "remove", "pull"]
        other.close()
        other.deleteLater()

    in_window(work)


def test_the_settings_open_in_the_middle_of_the_window_each_time(qapp: Any) -> None:
    parent = QWidget()
    parent.setGeometry(40, 40, 500, 400)
    parent.show()
    window = SettingsWindow(parent)
    window.resize(300, 200)
    window.show_page("models")
    first = window.pos()
    window.move(first.x() + 1, first.y() + 20)  # as X11 does when a window is shown again
    window.close()
    window.show_page("models")
    assert window.pos() == first
    window.move(5, 7)
    window.show_page("models")
    assert (window.x(), window.y()) == (5, 7)  # an open one stays where it was put
    window.close()
    parent.close()
