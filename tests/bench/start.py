"""The start: how long the window is held up once it is painted, until everything behind it stands.

QT_QPA_PLATFORM=offscreen python -m tests.bench.start [--home FOLDER]

Counted is the CPU time of the window's own thread between two beats of a timer that is due each
millisecond: what of it is more than 8 ms somebody who types may feel, more than 50 ms everybody
does. `--where` says what held it up.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from types import FrameType

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from app.cli.window import open_window
from app.ui.main import run

SETTLED_SECONDS, MOST_SECONDS = 4.0, 25.0
LONG_MS, LONGEST_MS = 8.0, 50.0


class Beats:
    """Counts CPU between beats until nothing has happened for a while, then closes the window."""

    def __init__(self, *, where: bool) -> None:
        self.gaps: list[float] = []
        self.where: Counter[str] = Counter()
        self.seen: dict[int, Counter[str]] = {}  # by the beat that was late
        self._asked, self._main = where, threading.get_ident()
        self._last, self._busy = time.thread_time(), time.monotonic()
        self._begun = self._busy
        self.app: QApplication

    def watch(self) -> None:
        """Begin, and look from another thread at what is done while a gap grows."""
        self._timer = QTimer()
        self._timer.setInterval(1)
        self._timer.timeout.connect(self._beat)
        self._last = time.thread_time()
        self._timer.start()
        if self._asked:
            threading.Thread(target=self._look, daemon=True).start()

    def _beat(self) -> None:
        now = time.thread_time()
        gap, self._last = now - self._last, now
        self.gaps.append(gap * 1000)
        if gap > 0.003:
            self._busy = time.monotonic()
        now = time.monotonic()
        if now - self._busy > SETTLED_SECONDS or now - self._begun > MOST_SECONDS:
            self._timer.stop()
            for window in self.app.topLevelWidgets():
                window.close()

    def _look(self) -> None:
        while True:
            beats = len(self.gaps)
            time.sleep(0.004)
            frame: FrameType | None = sys._current_frames().get(self._main)  # pyright: ignore[reportPrivateUsage]
            lines: list[str] = []
            while len(self.gaps) == beats and frame is not None and len(lines) < 3:
                code = (
                    frame.f_code
                )  # nothing is read from disk: a frame that is held keeps its painter alive
                if "/app/" in code.co_filename or "/backends/" in code.co_filename:
                    lines.append(f"{Path(code.co_filename).name}:{frame.f_lineno} {code.co_name}")
                frame = frame.f_back
            del frame
            if lines:
                self.where[" < ".join(lines)] += 1
                self.seen.setdefault(beats, Counter())[" < ".join(lines)] += 1


def main() -> None:
    """Open the window, wait until it stands, print the gaps."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--home", default="")
    parser.add_argument("--where", action="store_true")
    asked = parser.parse_args()
    painted = run.paint

    def paint(chosen: str, language: str, *, ready: bool, chats: bool):
        shown = painted(chosen, language, ready=ready, chats=chats)
        beats.app = shown.app
        beats.watch()
        return shown

    run.paint = paint
    with tempfile.TemporaryDirectory() as home:
        os.environ["DESKPILOT_HOME"] = asked.home or home
        beats = Beats(where=asked.where)
        open_window()
    long = sorted((gap for gap in beats.gaps if gap > LONG_MS), reverse=True)
    print(f"{len(beats.gaps)} beats; longest {', '.join(f'{gap:.0f}' for gap in long[:12])} ms")
    print(
        f"more than {LONGEST_MS:.0f} ms: {sum(gap > LONGEST_MS for gap in long)}; more than"
        f" {LONG_MS:.0f} ms: {len(long)}"
    )
    for beat, gap in sorted(enumerate(beats.gaps), key=lambda pair: -pair[1])[
        : len(long) if asked.where else 0
    ]:
        print(
            f"{gap:5.0f} ms",
            *(
                f"{count}x {place}"
                for place, count in beats.seen.get(beat, Counter()).most_common(3)
            ),
        )
    for place, count in beats.where.most_common(20):
        print(f"{count:5} {place}")


if __name__ == "__main__":
    main()
