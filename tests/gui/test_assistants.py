"""The page of assistants: put together, published with what it may do by itself, changed, taken
back.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from app.adapters.gateway.address import told_to_others
from app.domain.copilot import Assistant
from app.ui.copilots.assistants import AssistantWindow, PublishWindow
from tests.gui.living import in_window, until
from tests.gui.test_chats import ask, scripted
from tests.gui.test_plugins import box_of, is_asked, press
from tests.unit.app.services.scripted import COPILOT
from tests.unit.app.tools.plugins.site import MANIFEST, Site, serving, spec_of

if TYPE_CHECKING:
    from app.ui.main.session import WindowSession
    from app.ui.main.window import MainWindow

pytestmark = pytest.mark.usefixtures("served")


def opened(window: Any, kind: type) -> Any:
    """Return the window of a kind that is shown; None if there is none."""
    return next((one for one in window.findChildren(kind) if one.isVisible()), None)


def words(row: Any) -> str:
    return "\n".join(label.text() for label in row.findChildren(QLabel))


def test_an_assistant_is_put_together_published_changed_and_taken_back(
    qapp: Any, macro_csv: Path
) -> None:
    site = Site(manifest=MANIFEST, spec=spec_of(run={}, read={"method": "get"}))

    async def work(window: MainWindow, session: WindowSession) -> None:
        belt = session.deskpilot.belt
        await belt.plugins.add(await belt.plugins.look(site.url))
        shown = session.preferences.open("assistants")
        page = shown.assistants
        press(page.add)
        await until(lambda: opened(shown, AssistantWindow))
        form = opened(shown, AssistantWindow)
        form.name.setText("no name!")
        press(form.save)
        await until(lambda: "cannot be used as its name" in form.problem.text())
        form.name.setText("helper")
        form.prompt.setPlainText("Be <b>brief</b>.")
        [(name, box)] = form.servers
        assert name == "echo"
        box.click()
        form._add_tables([str(macro_csv), str(macro_csv)])
        assert form.tables.count() == 1
        press(form.save)
        await until(lambda: page.rows)
        assert "Be <b>brief</b>." in words(page.rows[0])
        assert "us_macro.csv" in words(page.rows[0])
        assert page.rows[0].unpublish.isHidden()

        press(page.rows[0].publish)
        asking = opened(shown, PublishWindow)
        assert [tool.name for tool, _ in asking.boxes] == ["run", "read"]
        assert "makes changes" in asking.boxes[0][1].text()
        assert asking.token.isHidden()
        asking.boxes[0][1].click()
        press(asking.publish)
        await until(lambda: asking.token.isVisible())
        press(asking.copy)
        token = QGuiApplication.clipboard().text()
        [kept] = await belt.assistants.all()
        assert kept.opens_with(token)
        assert kept.granted == (("echo", "run"),)
        asking.close()
        await until(lambda: page.rows and page.rows[0].granted)
        assert "deskpilot gateway" in words(page.rows[0])
        assert "shown only once" not in words(page)

        with told_to_others("http://127.0.0.1:7799"):
            shown.show_page("assistants")
            await until(lambda: page.rows and page.rows[0].address)
            press(page.rows[0].address)
            assert QGuiApplication.clipboard().text() == "http://127.0.0.1:7799/v1"

        press(page.rows[0].edit)
        await until(lambda: opened(shown, AssistantWindow))
        form = opened(shown, AssistantWindow)
        assert form.name.isReadOnly()
        form.prompt.setPlainText("Be long.")
        press(form.save)
        await until(lambda: page.rows and "Be long." in words(page.rows[0]))
        assert (await belt.assistants.all())[0].opens_with(
            token
        )  # still published, with what it may do
        [((server, tool), back)] = page.rows[0].granted
        assert (server, tool) == ("echo", "run")
        assert back.accessibleName() == "Revoke: echo/run, helper"
        press(back)
        await until(lambda: page.rows and not page.rows[0].granted)
        assert (await belt.assistants.all())[0].granted == ()
        press(page.rows[0].unpublish)
        await until(lambda: page.rows and page.rows[0].unpublish.isHidden())
        assert not (await belt.assistants.all())[0].opens_with(token)
        press(page.rows[0].remove)
        await until(lambda: is_asked(shown, "Remove"))
        press(box_of(shown, "Remove")[1])
        await until(lambda: not page.rows)

    with serving(site):
        in_window(work)


def test_the_windows_are_used_by_keys(qapp: Any) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        shown = session.preferences.open("assistants")
        page = shown.assistants
        page.add.setFocus()
        QTest.keyClick(page.add, Qt.Key.Key_Space)
        await until(lambda: opened(shown, AssistantWindow))
        form = opened(shown, AssistantWindow)
        form.name.setFocus()
        QTest.keyClicks(form.name, "keys")
        seen: list[str] = []
        for _ in range(12):
            QTest.keyClick(form.focusWidget(), Qt.Key.Key_Tab)
            seen.append(form.focusWidget().accessibleName() or form.focusWidget().text())
        for name in (
            "Model: Default model",
            "Instructions",
            "Tables",
            "Add table …",
            "Save",
        ):
            assert name in seen, seen
        form.save.setFocus()
        QTest.keyClick(form.save, Qt.Key.Key_Space)
        await until(lambda: page.rows)
        QTest.keyClick(page.rows[0].publish, Qt.Key.Key_Space)
        asking = opened(shown, PublishWindow)
        assert "There" not in asking.problem.text()
        QTest.keyClick(asking, Qt.Key.Key_Escape)
        assert not (await session.deskpilot.belt.assistants.all())[0].token

    in_window(work)


def test_an_assistant_is_chosen_in_the_menu_and_by_its_name_and_asked_as_it_was_made(
    qapp: Any, macro_csv: Path
) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        asked = scripted(session)
        del session.copilots.find  # as it is, it finds our own copilot for an assistant
        session.deskpilot.copilots.local = found  # type: ignore[method-assign]
        session.new_chat()
        await until(lambda: not session.deskpilot.widgets.attached())
        made = Assistant("helper", model="small", prompt="Be brief.", widgets=(str(macro_csv),))
        await session.deskpilot.belt.assistants.create(made)
        QTest.keyClicks(window.composer.editor, "@")
        await until(lambda: any(c.name == "helper" for c in window.composer._choices["@"]))
        QTest.keyClicks(window.composer.editor, "help")
        QTest.keyClick(window.composer.editor, Qt.Key.Key_Return)
        await until(lambda: window.topbar.copilot.text() == "helper")
        await ask(window, session, "How many rows?")
        offer = asked.offers[-1]
        assert offer.model == "small"
        assert [one.content for one in offer.selected] == ["Be brief."]
        assert offer.servers == frozenset()
        assert [one.name for one in offer.widgets] == ["us macro"]
        menu = window.topbar.copilot.choices
        own = next(one for one in menu.actions() if one.text().startswith("Local copilot"))
        assert any(one.text() == "helper  ✓" for one in menu.actions())
        own.trigger()
        await until(lambda: window.topbar.copilot.text() == "Local copilot")
        await ask(window, session, "And now?")
        assert asked.offers[-1].selected == []
        assert asked.offers[-1].servers is None

    async def found() -> Any:
        return COPILOT

    in_window(work)
