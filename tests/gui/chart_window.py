"""Draw a hostile chart, try to reach the network from its page, end. Prints what was blocked.

In a process of its own: QtWebEngine does not survive a second event loop in one process.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from typing import Any

from PySide6.QtCore import QUrl
from PySide6.QtWidgets import QApplication, QMainWindow

from app.domain.events import Artifact
from app.ui.dashboard.chart_tiles import figure_of
from app.ui.dashboard.web_views import ChartView, HtmlBody, PlotBody
from app.ui.main.event_loop import run_until_complete
from app.ui.theme.tokens import LIGHT


async def kinds(window: QMainWindow) -> dict[str, Any]:
    """Show a page and a chart of a hostile backend; return what their titles are in the end, and
    the page's words.
    """
    from app.openbb.content import Reply, read_content
    from app.openbb.widgets import read_spec
    from tests.widget_backend import HTML, figure

    made: dict[str, Any] = {}
    chart, page = (
        read_spec("c", {"type": "chart", "endpoint": "c"}),
        read_spec("h", {"type": "html", "endpoint": "h"}),
    )
    assert chart is not None
    assert page is not None
    drawn = read_content(chart, Reply("", "application/json", json.dumps(figure()).encode()))
    plot = PlotBody(drawn.value, "Prices", window)
    plot.set_tokens(LIGHT)
    while plot.page().title() != "drawn":
        await asyncio.sleep(0.02)
    made["chart"] = plot.page().title()
    for form in ("png", "svg"):
        taken: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        plot.take_picture(form, taken.set_result)
        made[form] = (await taken)[:5].decode("latin-1")
    made["widths"] = [await width_of(plot, size) for size in (700, 380)]
    html = HtmlBody(read_content(page, Reply("", "text/html", HTML.encode())).value, "Page", window)
    loaded = asyncio.Event()
    html.loadFinished.connect(loaded.set)
    html.set_tokens(LIGHT)
    await loaded.wait()
    words: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    while True:  # the page is there before its words are
        words = asyncio.get_running_loop().create_future()
        html.page().toPlainText(words.set_result)
        made["page"] = await words
        if made["page"]:
            break
        await asyncio.sleep(0.02)
    made["title"] = html.page().title()
    for view in (plot, html):
        view.end()
    return made


async def width_of(plot: PlotBody, size: int) -> int:
    """Make a chart so wide and return how wide it is drawn then, once that changes."""
    ask = 'document.getElementById("chart")._fullLayout.width'
    plot.resize(size, 300)
    plot.show()  # a hidden page is not laid out
    width = 0
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(20):
            while width != size:
                told: asyncio.Future[float] = asyncio.get_running_loop().create_future()
                plot.page().runJavaScript(ask, 0, told.set_result)
                width = int(await told)
                await asyncio.sleep(0.05)
    return width


async def live() -> int:
    window, view = QMainWindow(), ChartView()
    window.setCentralWidget(view)
    window.show()
    rows = [
        {"year": str(y), "</script><script>document.title='owned'</script>": y}
        for y in range(2000, 2010)
    ]
    chart = {"chartType": "line", "xKey": "year", "yKey": [list(rows[0])[1]]}
    figure = figure_of(Artifact("chart", "c", rows, chart), LIGHT)
    assert figure is not None
    view.draw(figure, LIGHT)
    async with asyncio.timeout(60):
        while view.page().title() != "drawn":
            await asyncio.sleep(0.02)
        before = list(view.fence.blocked)
        hostile = await kinds(window)
        hostile["blocked"] = sorted(set(view.fence.blocked))
        view.fence.blocked.clear()
        view.page().load(QUrl("http://127.0.0.1:9/elsewhere"))
        while not view.fence.blocked:
            await asyncio.sleep(0.02)
    sys.stdout.write(
        json.dumps({"before": before, "after": view.fence.blocked, "hostile": hostile}) + "\n"
    )
    view.end()
    window.close()
    return 0


if __name__ == "__main__":
    sys.exit(run_until_complete(QApplication([]), live()))
