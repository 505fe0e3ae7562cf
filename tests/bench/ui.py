"""The window: ratios against the plain way of doing the same, in the same run; memory of idle
processes.

QT_QPA_PLATFORM=offscreen python -m tests.bench.ui [--pairs 9]
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil
from PySide6.QtCore import QPoint, QTimer
from PySide6.QtWidgets import QApplication, QTextBrowser

from app.data.views import RowOrder, RowView
from app.domain.conversation import Turn
from app.domain.dashboard import TilePlace, add
from app.domain.events import Ended
from app.domain.stream import Message
from app.ui.chat.view import ConversationView
from app.ui.dashboard.card import Card
from app.ui.dashboard.pane import DashboardPane
from app.ui.dashboard.table.model import TableModel
from app.ui.dashboard.table.view import TableBody
from app.ui.main.startup import all_stays
from backends.data.table import connect, table_from_sql

BLOCK = (
    "A paragraph with **bold** words and a [link](http://x) that goes on for a while.\n\n- one\n-"
    " two\n\n```python\nx = 1\n```\n\n"
)
BARE = (
    "from PySide6.QtWidgets import QApplication, QMainWindow\napp = QApplication([])\nw ="
    " QMainWindow()\nw.resize(1360, 850)\nw.show()\nw.grab()\nimport os\nos._exit(0)\n"
)
OURS = (  # as `deskpilot` does it
    "from app.cli.window import paint_window\npaint_window()\nimport os\nos._exit(0)\n"
)
APP = "from app.cli.window import open_window\nopen_window()\n"
IDLE_SECONDS = 3.0  # without any work, after which a process counts as idle


def show(name: str, ratios: list[float], target: str) -> None:
    print(
        f"{name}: {statistics.median(ratios):.3f}  [{min(ratios):.3f} – {max(ratios):.3f}],"
        f" {len(ratios)} pairs; target {target}"
    )


def repeated(part: str, head: str = "") -> str:
    """Return 64 KB of a part again and again."""
    return (head + part * (65536 // len(part) + 1))[:65536]


KINDS = {
    "mixed": repeated(BLOCK),
    "one table": repeated(
        "| Acme Ltd | 1,234.50 | 4.5 % | a few words |\n",
        "| a | b | c | d |\n|---|---:|---:|---|\n",
    ),
    "one paragraph": repeated("Words that go on and on, without an end in sight. "),
    "one fence": repeated("value = compute(first, second)  # and so on\n", "```python\n"),
    "one list": repeated("- an item of a list, some words long\n"),
}


def stream_64_kb(view: ConversationView, text: str) -> float:
    """Seconds of work to stream 64 KB, 13 characters a flush as at 100 tokens a second.

    What costs more than a tenth of the time between two flushes waits longer for the next, as in
    the window.
    """
    turn = Turn("t", "c", None, "?", "running", 0.0, [Message("assistant", "message", "")])
    view.set_turns([turn])
    begun, free = time.process_time(), 0.0
    for step, end in enumerate(range(0, len(text), 13)):
        if step * 0.033 < free:
            continue
        before = time.process_time()
        turn.items[0] = Message("assistant", "message", text[:end])
        view.touch(turn)
        view._refresh()
        free = step * 0.033 + 10 * (time.process_time() - before)
    return time.process_time() - begun


def naive_64_kb(browser: QTextBrowser, text: str, samples: int = 40) -> float:
    """Seconds to set all of the text for each token of 4 characters, from samples spread over
    it.
    """
    begun = time.process_time()
    for sample in range(1, samples + 1):
        browser.setMarkdown(text[: sample * 65536 // samples])
        browser.document().size()
    return (time.process_time() - begun) / samples * (65536 / 4)


def answered(count: int) -> list[Turn]:
    """Return turns that have ended, with an answer of some paragraphs each."""
    ended = Ended("done")
    return [
        Turn(
            str(i),
            "c",
            None,
            f"Question {i}",
            "done",
            0.0,
            [Message("assistant", "message", BLOCK), ended],
        )
        for i in range(count)
    ]


def opening(view: ConversationView, size: int) -> float:
    """Seconds to open and paint a conversation."""
    turns = answered(size)
    begun = time.process_time()
    view.set_turns(turns)
    view.grab()
    return time.process_time() - begun


def dragging(app: QApplication) -> list[float]:
    """CPU seconds of each step of dragging a tile through a dashboard of twelve tables, painting
    included.
    """
    pane = DashboardPane()
    pane.resize(1200, 900)
    columns = [(f"c{i}", True) for i in range(12)]
    tiles: tuple[TilePlace, ...] = ()
    for n in range(12):
        model = TableModel(columns, 1000, lambda at, count: [(1.5,) * 12] * count)
        pane.add(f"t{n}", Card(f"t{n}", "1,000 rows", TableBody(model, f"t{n}")))
        tiles = add(tiles, f"t{n}", 4, 7)
    pane.show_tiles(tiles)
    pane.show()
    grid, bar, taken = pane.grid, pane.cards["t0"].bar, []
    app.processEvents()
    bar.grabbed.emit(bar.mapToGlobal(QPoint(20, 20)))
    for step in range(300):
        point = grid.mapToGlobal(QPoint(40 + step * 7 % 900, 30 + step * 3))
        begun = time.process_time()
        bar.dragged.emit(point)
        app.processEvents()
        taken.append(time.process_time() - begun)
    bar.dropped.emit()
    pane.close()
    return taken


def scrolling(app: QApplication, order: RowOrder) -> list[float]:
    """CPU seconds of each step through a million rows on screen: data, page reads and painting;
    jumps among them.
    """
    rows = 1_000_000
    select = (
        "SELECT i AS id, (i * 7919) % 1000003 AS n, 'name ' || (i % 977) AS name, i / 7.0 AS share"
        f" FROM range({rows}) t(i)"
    )
    table = table_from_sql(connect(), select, [], source="s", hash_="h")
    model = TableModel(
        [("id", True), ("n", True), ("name", False), ("share", True)], rows, table.rows
    )
    body = TableBody(model, "a million rows")
    if not order.is_plain:
        model.arrange(RowView(table, order), order)
    body.resize(1000, 800)
    body.show()
    app.processEvents()
    bar, taken = body.verticalScrollBar(), []
    for step in range(600):
        place = bar.value() + 20 if step % 6 else (step * 104_729) % bar.maximum()
        begun = time.process_time()
        bar.setValue(place)
        body.viewport().repaint()
        taken.append(time.process_time() - begun)
    body.close()
    return taken


ANSWER = (
    "# What came of it\n\nThe rate rose by **9.6 %** in `Q3`, see [the table](https://example.com/t) and $x_{n}^2$.\n\n"
    "| Company | Revenue | Change |\n|---|---:|---:|\n" + "| Acme Ltd | 1,234.50 | 4.5 % |\n" * 20 + "\n"
    "```python\n" + "value = compute(first, second)  # and so on\n" * 20 + "```\n\n"
    + "- an item of a list, some words long\n" * 15 + "\n"
    "$$\\int_0^{n} e^{-x^2}\\,dx = \\frac{\\sqrt{\\pi}}{2}$$\n\n"
)  # fmt: skip
MESSAGES, STEPS, CHARACTERS = 10_000, 1200, 40  # a step each 60th of a second, its characters


def reading_while_it_comes(app: QApplication, *, streams: bool) -> tuple[list[float], float, float]:
    """Scroll through 10,000 turns while an answer with all that one can have comes in.

    Returns the CPU seconds of each step with what is painted for it, and the longest time between
    two turns of the
    loop: CPU seconds of the process, and on the clock. streams: else the window is idle, which
    tells what the machine does besides.
    """
    view = ConversationView()
    view.resize(1000, 800)
    view.show()
    with all_stays():  # as the window has it
        turns = answered(MESSAGES - 1)
    turn = Turn("t", "c", None, "?", "running", 0.0, [Message("assistant", "message", "")])
    view.set_turns([*turns, turn])
    view.grab()
    text = "".join(ANSWER.replace("{n}", "{" + str(n) + "}") for n in range(64))
    taken, step, worked, waited = list[float](), 0, 0.0, 0.0
    timer = QTimer()  # the loop turns without end
    timer.start(0)
    bar, last, due = view.verticalScrollBar(), (time.process_time(), time.perf_counter()), 0.0
    while step < STEPS:
        app.processEvents()
        now = (time.process_time(), time.perf_counter())
        worked, waited = max(worked, now[0] - last[0]), max(waited, now[1] - last[1])
        last = now
        if now[1] < due:
            continue
        due, step, begun = now[1] + 1 / 60, step + 1, time.process_time()
        if streams:
            if step % 2:
                turn.items[0] = Message("assistant", "message", text[: step * CHARACTERS])
                view.touch(turn)
                view._refresh()
            if step % 120 == 0:  # to the answer, and away
                bar.setValue(bar.maximum() * (step // 120 * 7 % 11) // 10)
            bar.setValue(bar.value() - 60)
            view.viewport().repaint()
            taken.append(time.process_time() - begun)
    timer.stop()
    view.close()
    return taken, worked, waited


def first_paint(code: str, environment: dict[str, str]) -> float:
    """CPU seconds of a process that paints a window and ends."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def painting_first(pairs: int) -> list[float]:
    """Return the ratios of the first paint; the first pair, which compiles Python's modules, is not
    counted.
    """
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"PYTHONPYCACHEPREFIX": folder, "DESKPILOT_HOME": folder}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed Deskpilot is compiled
        ratios = [
            first_paint(OURS, environment) / first_paint(BARE, environment)
            for _ in range(pairs + 1)
        ]
    return ratios[1:]


def idle(process: psutil.Process) -> None:
    """Wait until a process has had nothing to do for a while."""
    used, since = -1.0, time.monotonic()
    while time.monotonic() - since < IDLE_SECONDS:
        now = sum(process.cpu_times()[:2])
        if now - used > 0.02:
            used, since = now, time.monotonic()
        time.sleep(0.2)


def memory() -> None:
    """Resident memory of the idle application, new with its sample table, and of an idle service
    without models.

    Beside them that of a window with nothing in it: what Python and Qt hold before any of ours is
    there.
    """
    with tempfile.TemporaryDirectory() as home:
        environment = os.environ | {
            "DESKPILOT_HOME": home,
            "DESKPILOT_MODELS": str(Path(home, "models")),
        }
        for name, command, target in (
            ("bare window", ["-c", BARE.replace("import os\nos._exit(0)\n", "app.exec()\n")], None),
            ("application", ["-c", APP], 150),
            ("service", ["-m", "backends.service", "--parent-pipe"], 120),
        ):
            pipe = subprocess.PIPE if name == "service" else None
            child = subprocess.Popen(
                [sys.executable, *command], stdin=pipe, stdout=pipe, env=environment
            )
            if child.stdout is not None:
                json.loads(child.stdout.readline())
            process = psutil.Process(child.pid)
            idle(process)
            held = process.memory_full_info()
            print(
                f"idle {name}: {held.rss / 1e6:.0f} MB, of which its own {held.uss / 1e6:.0f} MB;"
                + (f" target ≤ {target} MB" if target else " what ours is measured beside")
            )
            child.terminate()
            child.wait()


def main() -> None:
    """Print the ratios."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=9)
    pairs = parser.parse_args().pairs
    app = QApplication([])
    view, browser = ConversationView(), QTextBrowser()
    for widget in (view, browser):
        widget.resize(1000, 800)
        widget.show()
    for kind, text in KINDS.items():
        show(
            f"stream 64 KB of Markdown, {kind}, ours / setMarkdown per token",
            [stream_64_kb(view, text) / naive_64_kb(browser, text) for _ in range(min(pairs, 5))],
            "≤ 0.015",
        )
    show(
        "open 10,000 turns / open 10",
        [opening(view, 10_000) / opening(view, 10) for _ in range(pairs)],
        "≤ 1.5",
    )
    steps = statistics.quantiles(dragging(app), n=100)
    print(
        f"CPU of a step of dragging a tile among 12 tables: p50 {steps[49] * 1e3:.1f} ms, p99"
        f" {steps[98] * 1e3:.1f} ms; target ≤ 16"
    )
    for name, order in (
        ("as it came", RowOrder()),
        ("sorted by a number", RowOrder("n", descending=True)),
    ):
        steps = statistics.quantiles(scrolling(app, order), n=100)
        print(
            f"CPU of data and paint of a step through 1,000,000 rows, {name}: p50"
            f" {steps[49] * 1e3:.1f} ms, p99 {steps[98] * 1e3:.1f} ms; target ≤ 16"
        )
    alone = reading_while_it_comes(app, streams=False)
    taken, worked, waited = reading_while_it_comes(app, streams=True)
    steps = statistics.quantiles(taken, n=100)
    print(
        f"CPU of data and paint of a step through {MESSAGES:,} messages while an answer comes: p50"
        f" {steps[49] * 1e3:.1f} ms, p99 {steps[98] * 1e3:.1f} ms, longest {max(taken) * 1e3:.1f}"
        " ms; target p99 ≤ 16"
    )
    print(
        f"longest gap between two turns of the loop: CPU {worked * 1e3:.1f} ms (idle"
        f" {alone[1] * 1e3:.1f}), on the clock {waited * 1e3:.1f} ms (idle {alone[2] * 1e3:.1f});"
        " target ≤ 50"
    )
    show("first paint / bare window", painting_first(pairs), "≤ 1.3")
    memory()
    assert app


if __name__ == "__main__":
    main()
