"""Show a kept chat with charts in a window, do with them what one can, end. Prints what was seen.

In a process of its own: QtWebEngine does not survive a second event loop in one process. The first
argument, if any, is a folder for pictures of the window.
"""

from __future__ import annotations

import asyncio
import json
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtWidgets import QApplication, QFileDialog

from app.domain.conversation import Turn
from app.domain.events import Artifact, Ended
from app.domain.stream import Message
from app.ui.chat.charts import charts
from app.ui.theme.style import apply
from app.ui.theme.tokens import DARK, LIGHT
from tests.gui.living import in_window, press_link, until

if TYPE_CHECKING:
    from app.ui.chat.view import ConversationView
    from app.ui.main.session import WindowSession
    from app.ui.main.window import MainWindow
    from app.ui.theme.tokens import Tokens

SALES = [
    {"month": f"{2021 + n // 12}-{n % 12 + 1:02}-01", "sales": round(200 + 60 * math.sin(n / 3), 1)}
    for n in range(36)
]
LINE = Artifact("chart", "Sales", SALES, {"chartType": "line", "xKey": "month", "yKey": ["sales"]})
TABLE = """East has the largest revenue.

| region | revenue | units |
|---|---|---|
| North | 1,204.5 | 310 |
| South | 980.25 | 290 |
| East | 1,510 | 402 |
"""


def kept(uid: str) -> list[Turn]:
    """Return two turns: a chart between words, and a table."""
    first = [
        Message("assistant", "message", "Sales went up and down."),
        LINE,
        Message("assistant", "message", "The best month was May 2021."),
        Ended("done"),
    ]
    second = [Message("assistant", "message", TABLE), Ended("done")]
    return [
        Turn("one", uid, None, "How did sales go?", "done", 1.0, list(first)),
        Turn("two", uid, "one", "And by region?", "done", 2.0, list(second)),
    ]


def coloured(view: ConversationView, row: int, number: int, colour: str) -> int:
    """Count the pixels of a colour in what is seen of a piece."""
    (box,) = [b for b in view._boxes(row) if b.place.piece == number]
    image = view.viewport().grab(box.rect).toImage()
    wanted = QColor(colour).rgb()
    return sum(
        image.pixel(x, y) == wanted for x in range(image.width()) for y in range(image.height())
    )


def wear(window: MainWindow, tokens: Tokens) -> None:
    """Dress the application and a window."""
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    apply(app, tokens)
    window.set_tokens(tokens)


async def work(window: MainWindow, session: WindowSession) -> None:
    seen, folder = dict[str, Any](), Path(sys.argv[1]) if len(sys.argv) > 1 else None
    history, view = session.deskpilot.history, window.view

    def photograph(name: str) -> None:
        if folder is not None:
            window.grab().save(str(folder / f"{name}.png"))

    async def drawn(count: int) -> None:
        await until(lambda: len(charts()._made) >= count)
        await until(lambda: not charts()._waiting)
        view._place()

    window.resize(1366, 860)
    wear(window, LIGHT)
    begun = await history.begin("How did sales go?")
    for turn in kept(begun.id):
        await history._store.add_turn(turn)
    session.open_chat(begun.id)
    await until(lambda: len(view.flow.turns) == 2)
    view.to_turn(0)
    height = view.flow.heights[0]
    await drawn(1)
    number = next(n for n, p in enumerate(view.flow.entry(0).pieces) if p.kind == "chart")
    seen["line"] = coloured(view, 0, number, LIGHT.accent)
    seen["moved"] = view.flow.heights[0] - height
    seen["dashboard"] = "answer" in window.dashboard.cards
    photograph("chart-light")
    before = set(window.dashboard.cards)
    press_link(view, "pin:1")
    await until(lambda: len(window.dashboard.cards) > len(before))
    (uid,) = set(window.dashboard.cards) - before
    seen["pinned"] = session.deskpilot.widgets.get(uid).name
    press_link(view, "image:1")
    await until(lambda: not QGuiApplication.clipboard().image().isNull())
    seen["copied"] = QGuiApplication.clipboard().image().width()
    path = (folder or Path()) / "saved.svg"
    if folder is not None:
        press_link(view, "svg:1")
        await until(lambda: window.findChild(QFileDialog) is not None)
        window.findChild(QFileDialog).fileSelected.emit(str(path))  # type: ignore[union-attr]
        await until(path.exists)
        seen["saved"] = path.read_text()[:4]
    number = next(n for n, p in enumerate(view.flow.entry(1).pieces) if p.kind == "table")
    view.to_end()
    press_link(view, f"chart:{number}")
    await drawn(2)
    seen["bars"] = coloured(view, 1, number, LIGHT.accent)
    photograph("table-light")
    wear(window, DARK)
    view.to_turn(0)
    await until(lambda: sum(w.tokens == DARK for w in charts()._made) >= 1)
    view.to_end()
    await until(lambda: sum(w.tokens == DARK for w in charts()._made) >= 2)
    seen["dark"] = coloured(view, 1, number, DARK.accent)
    photograph("table-dark")
    view.to_turn(0)
    await asyncio.sleep(0.05)  # never a loop of Qt in a task: what wakes another is lost in it
    photograph("chart-dark")
    sys.stdout.write(json.dumps(seen) + "\n")


if __name__ == "__main__":
    app = QApplication([])
    in_window(work, opened=False)
