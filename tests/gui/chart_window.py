"""Draw a hostile chart, try to reach the network from its page, end. Prints what was blocked.

In a process of its own: QtWebEngine does not survive a second event loop in one process.
"""

from __future__ import annotations

import asyncio
import json
import sys

from PySide6.QtCore import QUrl
from PySide6.QtWidgets import QApplication, QMainWindow

from app.domain.events import Artifact
from app.ui.bridge import run_until_complete
from app.ui.dashboard.chart import ChartView
from app.ui.dashboard.figure import figure_of
from app.ui.style.tokens import LIGHT


async def live() -> int:
    window, view = QMainWindow(), ChartView()
    window.setCentralWidget(view)
    window.show()
    rows = [
        {"year": str(y), "</script><script>document.title='owned'</script>": y} for y in range(2000, 2010)
    ]
    chart = {"chartType": "line", "xKey": "year", "yKey": [list(rows[0])[1]]}
    figure = figure_of(Artifact("chart", "c", rows, chart), LIGHT)
    assert figure is not None
    view.draw(figure, LIGHT)
    async with asyncio.timeout(60):
        while view.page().title() != "drawn":
            await asyncio.sleep(0.02)
        before = list(view.fence.blocked)
        view.page().load(QUrl("http://127.0.0.1:9/elsewhere"))
        while not view.fence.blocked:
            await asyncio.sleep(0.02)
    sys.stdout.write(json.dumps({"before": before, "after": view.fence.blocked}) + "\n")
    view.end()
    window.close()
    return 0


if __name__ == "__main__":
    sys.exit(run_until_complete(QApplication([]), live()))
