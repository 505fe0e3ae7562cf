"""The page of plugins: looked at before it is taken, shown with what it may do, removed; servers
beside it.
"""

from __future__ import annotations

import struct
import sys
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMessageBox, QPushButton

from app.ui.settings.plugins import GALLERY
from tests.gui.living import in_window, until
from tests.unit.app.tools.plugins.site import MANIFEST, Site, serving, spec_of

if TYPE_CHECKING:
    from app.ui.main.session import WindowSession
    from app.ui.main.window import MainWindow

pytestmark = pytest.mark.usefixtures("served")
SAMPLE = Path(__file__).parents[1] / "mcp_sample.py"


def press(button: Any) -> None:
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def picture() -> bytes:
    def chunk(kind: bytes, body: bytes) -> bytes:
        return (
            struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        )

    head = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(b"\0\xff\0\0"))
        + chunk(b"IEND", b"")
    )


def box_of(window: Any, word: str) -> tuple[QMessageBox, QPushButton]:
    """Return the open box that has a button of this word."""
    for box in window.findChildren(QMessageBox):
        for button in box.buttons():
            if button.text() == word and box.isVisible():
                return box, button
    raise AssertionError(word)


def is_asked(window: Any, word: str) -> bool:
    boxes = [box for box in window.findChildren(QMessageBox) if box.isVisible()]
    return any(button.text() == word for box in boxes for button in box.buttons())


def test_a_plugin_is_looked_at_taken_and_removed(
    qapp: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.tools.plugins.plugin.SECONDS", 60.0)  # on a machine that is busy, too
    spec = spec_of(run={}, read={"method": "get"})
    spec["paths"]["/more"] = {"get": {}}
    site = Site(
        manifest=MANIFEST | {"logo_url": "/logo.png", "contact_email": "<b>me@example.com</b>"},
        spec=spec,
    )
    site.answer = lambda heard: (200, {"content-type": "image/png"}, picture())

    async def work(window: MainWindow, session: WindowSession) -> None:
        shown = session.preferences.open("plugins")
        page = shown.plugins
        page.address.setText(site.url)
        QTest.keyClick(page.address, Qt.Key.Key_Return)
        await until(lambda: is_asked(shown, "Add"))
        box, take = box_of(shown, "Add")
        assert "Asks before: run" in box.text()
        assert box.textFormat() == Qt.TextFormat.PlainText
        press(take)
        await until(lambda: page.rows)
        row = page.rows[0]
        labels = [label.text() for label in row.findChildren(type(page.problem))]
        assert "Reads: read, get_more" in labels
        assert any("<b>me@example.com</b>" in text for text in labels)
        assert row.warnings.isHidden()
        press(row.mended)
        assert "operationId" in row.warnings.text()
        assert not row.warnings.isHidden()
        assert row.accept.isHidden()
        assert row.token.isHidden()
        site.spec = spec_of(run={"path": "/elsewhere"}, read={"method": "get"})
        await session.deskpilot.belt.plugins.get("echo").refresh()
        shown.show_page("plugins")
        await until(lambda: page.rows and not page.rows[0].accept.isHidden())
        press(page.rows[0].accept)
        await until(lambda: page.rows and page.rows[0].accept.isHidden())
        press(page.rows[0].remove)
        await until(lambda: is_asked(shown, "Remove"))
        press(box_of(shown, "Remove")[1])
        await until(lambda: not page.rows)
        page.address.setText("http://127.0.0.1:9")
        press(page.add)
        await until(lambda: "cannot be reached" in page.problem.text())

    with serving(site):
        in_window(work)


def test_a_server_is_added_and_removed(qapp: Any) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        shown = session.preferences.open("plugins")
        page = shown.plugins
        await until(lambda: page.add.isEnabled())
        press(page.serve)
        await until(lambda: "needs a name" in page.problem.text())
        page.name.setText("sample")
        page.program.setText(f'"{sys.executable}" "{SAMPLE}"')
        told: list[str] = []
        tell = page.progress.tell
        page.progress.tell = lambda text: (told.append(text), tell(text))[1]  # it may be gone soon
        press(page.serve)
        await until(lambda: page.servers)
        assert told[0] == "Starting sample and reading its tools …"
        assert page.progress.isHidden()
        assert [tool.name for tool in session.deskpilot.belt.mcp.all()[0].tools][:2] == [
            "add",
            "keep",
        ]
        press(page.servers[0].remove)
        await until(lambda: is_asked(shown, "Remove"))
        press(box_of(shown, "Remove")[1])
        await until(lambda: not page.servers)

    in_window(work)


def test_the_gallery_says_what_each_may_do_and_adds_it_with_one_press(qapp: Any) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        shown = session.preferences.open("plugins")
        page = shown.plugins
        await until(lambda: page.offers and page.add.isEnabled())
        offers = {row.offered.id: row for row in page.offers}
        assert set(offers) == set(GALLERY)
        for row in page.offers:
            words = [label.text() for label in row.findChildren(type(page.problem))]
            assert GALLERY[row.offered.id][2] in words
        press(offers["time"].add)
        await until(lambda: page.servers)
        (row,) = [row for row in page.offers if row.offered.id == "time"]
        assert not row.add.isEnabled()
        assert row.add.text() == "Added"
        press(page.servers[0].remove)
        await until(lambda: is_asked(shown, "Remove"))
        press(box_of(shown, "Remove")[1])
        await until(lambda: not page.servers)
        (row,) = [row for row in page.offers if row.offered.id == "time"]
        assert row.add.isEnabled()

    in_window(work)
