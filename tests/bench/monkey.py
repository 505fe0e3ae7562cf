"""A monkey at the window: seeded random clicks, keys, drops and resizes for hours.

python -m tests.bench.monkey --minutes 120 [--folder build/monkey] [--seed 1] [--models FOLDER]

Each round opens the real window on an X server of its own (Xvfb) and plays for some minutes; every
third round begins with an empty home, the others go on with what the last one left. Bubblewrap
gives the window a folder to write in and nothing else, and no network, so that nothing a monkey
presses can do harm. What went wrong stands in `findings.jsonl`, with the round and the last
actions; `rounds.jsonl` says how far it came, and the next call goes on from there.

Exit status: 0 nothing was found, 1 something was: a crash, an exception, a lock-up, a composer that
takes no text, or a warning of Qt. A round that ended with status 70 was ended by the monkey: the
window's own thread was locked up, or the window did not get nearer to its end; its finding says where.
"""

from __future__ import annotations

import argparse
import asyncio
import faulthandler
import json
import logging
import os
import random
import shutil
import subprocess
import sys
import threading
import time
import traceback
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from PySide6.QtCore import (
    QEvent,
    QMessageLogContext,
    QMimeData,
    QPoint,
    QPointF,
    Qt,
    QTimer,
    QtMsgType,
    QUrl,
    qInstallMessageHandler,
)
from PySide6.QtGui import (
    QDragEnterEvent,
    QDragMoveEvent,
    QDropEvent,
    QGuiApplication,
    QImage,
    QInputMethodEvent,
    QMouseEvent,
    QWheelEvent,
)
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QLineEdit, QWidget

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from app.ui.main.window import MainWindow

ROUND_MINUTES = 6.0
SLOW_SECONDS = 0.5  # CPU time of the window's thread between two beats
LOCKED_SECONDS, DEAD_SECONDS = 15.0, 180.0  # of its CPU time, and of the clock where it waits
BEAT_MS, LOOK_MS, CHECK_EACH = 20, 1500, 150  # actions between two looks at the composer
LEAVE_MS, LEAVE_SECONDS = 1000, 90.0  # seconds without getting nearer to its end
KEPT = 25  # actions told with a finding
LOCKED_STATUS = 70
HARMLESS = (  # what Qt says of a made event, or of an X server without window manager
    "Keyboard event not accepted by receiving widget",
    "Mouse event",
    "propagateSizeHints",
    "XDG_RUNTIME_DIR",
    "Could not load the Qt platform theme",
    "QStandardPaths",
    "libEGL",
    "ulkan",
    "GPU",
    "does not support requestActivate",
    "QXcbConnection",
    "Release of profile requested",
    "js:",
    "This plugin does not support raise()",
)
WORDS = (
    "What was the unemployment rate in the third quarter of 2009?",
    "Show real GDP over time since 1990",
    "average amount by city",
    "and in 1990?",
    "explain RSI",
    "哪个城市的销售额最高？",
    "在庫が一番多い品は？",
    "write python code that prints 1 to 10",
    "/",
    "/skill:",
    "@",
    "#",
    "#us",
    "=SUM(A1)",
    "<b>x</b> **bold** $x^2$ `code`",
    "\n- a\n- b\n",
    "e\u0301\u200f\u202eabc\u0000",
    "x" * 3000,
    "-1e308",
    "2024-13-45",
    "C:\\nowhere\\file.csv",
    "http://127.0.0.1:9/agents.json",
    "postgresql://nobody@127.0.0.1:9/none",
)
KEYS = (
    Qt.Key.Key_Return,
    Qt.Key.Key_Escape,
    Qt.Key.Key_Tab,
    Qt.Key.Key_Backtab,
    Qt.Key.Key_Up,
    Qt.Key.Key_Down,
    Qt.Key.Key_Left,
    Qt.Key.Key_Right,
    Qt.Key.Key_Home,
    Qt.Key.Key_End,
    Qt.Key.Key_PageUp,
    Qt.Key.Key_PageDown,
    Qt.Key.Key_Delete,
    Qt.Key.Key_Backspace,
    Qt.Key.Key_Space,
    Qt.Key.Key_Menu,
    Qt.Key.Key_F1,
    Qt.Key.Key_F2,
    Qt.Key.Key_F5,
    Qt.Key.Key_F11,
)
LETTERS = tuple(Qt.Key(ord(letter)) for letter in "ABCDEFGHIJKLMNOPRSTUVXYZ0123456789")
SIGNS = (Qt.Key.Key_Comma, Qt.Key.Key_Slash, Qt.Key.Key_Plus, Qt.Key.Key_Minus)
NONE, SHIFT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier
CONTROL, ALT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier
NO_BUTTON, LEFT = Qt.MouseButton.NoButton, Qt.MouseButton.LeftButton
RIGHT = Qt.MouseButton.RightButton
SIZES = ((760, 500), (900, 600), (1366, 768), (1100, 900), (1900, 1060), (780, 1000))


@dataclass
class Places:
    """Where a run keeps what it found."""

    folder: Path

    @property
    def findings(self) -> Path:
        """Return the file with a line for each finding."""
        return self.folder / "findings.jsonl"

    @property
    def rounds(self) -> Path:
        """Return the file with a line for each round that ended."""
        return self.folder / "rounds.jsonl"

    @property
    def beat(self) -> Path:
        """Return the file that says which action the round is at."""
        return self.folder / "beat.json"

    @property
    def files(self) -> Path:
        """Return the folder of the files that are dropped."""
        return self.folder / "files"


class Findings:
    """Writes down what went wrong, each kind once a round."""

    def __init__(self, places: Places, number: int) -> None:
        self._file = places.findings.open("a", encoding="utf-8")
        self._number, self._seen = number, set[str]()
        self.actions: deque[str] = deque(maxlen=KEPT)

    def add(self, kind: str, text: str, key: str = "") -> None:
        """Write one down. key: what makes it the same as another."""
        if (same := f"{kind}: {key or text}") in self._seen:
            return
        self._seen.add(same)
        found = {
            "round": self._number,
            "kind": kind,
            "text": text,
            "actions": list(self.actions),
        }
        self._file.write(json.dumps(found, ensure_ascii=False) + "\n")
        self._file.flush()

    def add_error(
        self, kind: type[BaseException], error: BaseException | None, at: TracebackType | None
    ) -> None:
        """Write an exception down that nobody caught."""
        if kind is KeyboardInterrupt:
            return
        frames = traceback.extract_tb(at)
        place = f"{frames[-1].filename}:{frames[-1].lineno}" if frames else ""
        text = "".join(traceback.format_exception(kind, error, at))
        self.add("exception", text, f"{kind.__name__} {place}")

    def watch(self) -> None:
        """See exceptions, warnings of Qt and records of the log from now on."""
        sys.excepthook = self.add_error
        threading.excepthook = lambda given: self.add_error(
            given.exc_type, given.exc_value, given.exc_traceback
        )
        sys.unraisablehook = lambda given: self.add_error(
            given.exc_type, given.exc_value, given.exc_traceback
        )
        qInstallMessageHandler(self._message)
        logging.getLogger().addHandler(Records(self))

    def _message(self, kind: QtMsgType, context: QMessageLogContext, text: str) -> None:
        if kind in {QtMsgType.QtDebugMsg, QtMsgType.QtInfoMsg} or any(
            words in text for words in HARMLESS
        ):
            return
        self.add("warning", text)


class Records(logging.Handler):
    """Finds what the log holds of errors."""

    def __init__(self, findings: Findings) -> None:
        super().__init__(logging.ERROR)
        self._findings = findings

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record down."""
        text = self.format(record)
        if record.exc_info and record.exc_info[1]:
            text += "".join(traceback.format_exception(record.exc_info[1]))
        self._findings.add("log", text, f"{record.name} {record.msg}")


class Watch:
    """Sees from another thread how long the window's own does not come back to its loop."""

    def __init__(self, findings: Findings, places: Places) -> None:
        self._findings, self._places = findings, places
        self._main = threading.get_ident()
        self._clock = time.pthread_getcpuclockid(self._main)
        self._spent, self._at = time.thread_time(), time.monotonic()
        self._told = False
        threading.Thread(target=self._look, daemon=True).start()

    def beat(self) -> None:
        """Say that the loop runs."""
        self._spent, self._at, self._told = time.thread_time(), time.monotonic(), False

    def _look(self) -> None:
        while True:
            time.sleep(0.1)
            spent = time.clock_gettime(self._clock) - self._spent
            waited = time.monotonic() - self._at
            if spent > SLOW_SECONDS and not self._told:
                self._told = True
                stack = self._stack()
                self._findings.add("slow", stack, "\n".join(stack.splitlines()[-8:]))
            if spent > LOCKED_SECONDS or waited > DEAD_SECONDS:
                self._findings.add(
                    "lock-up", f"{spent:.0f} s of CPU, {waited:.0f} s\n{self._stack()}"
                )
                os._exit(LOCKED_STATUS)

    def _stack(self) -> str:
        frame = sys._current_frames()[self._main]  # pyright: ignore[reportPrivateUsage]
        return "".join(traceback.format_stack(frame)[-14:])


class Monkey:
    """Presses, types, drops and resizes until its time is over."""

    def __init__(self, places: Places, number: int, seed: int, seconds: float) -> None:
        self._places, self._random = places, random.Random(seed * 1000 + number)
        self.findings = Findings(places, number)
        self._end, self._count, self._next = time.monotonic() + seconds, 0, 0.0
        self._moved, self._leaving = self._end, list[str]()
        self.findings.watch()
        self.loop: asyncio.AbstractEventLoop | None = None
        self.work: Any = None  # the coroutine of the window, once it runs
        self._watch = Watch(self.findings, places)
        self._files = sorted(places.files.iterdir())
        self._acts: tuple[tuple[int, Callable[[], str]], ...] = (
            (30, self._press_control),
            (12, self._click),
            (4, self._click_right),
            (4, self._click_twice),
            (6, self._drag),
            (6, self._wheel),
            (10, self._type),
            (12, self._key),
            (9, self._shortcut),
            (4, self._drop),
            (2, self._paste),
            (2, self._resize),
            (4, self._move),
            (3, self._rest),
            (4, self._ask),
        )
        self._timer = QTimer()
        self._timer.setInterval(BEAT_MS)
        self._timer.timeout.connect(self._beat)
        self._timer.start()

    def _beat(self) -> None:
        self._watch.beat()
        now = time.monotonic()
        if now > self._end:
            self._timer.setInterval(LEAVE_MS)
            self._leave()
            return
        if now < self._next or self._window() is None:
            return
        self._next = now + self._random.choice((0.02, 0.02, 0.05, 0.1, 0.3))
        self._count += 1
        # Not from here: a timer does not run while its own slot does, which a dialog may hold up.
        QTimer.singleShot(0, self._check if self._count % CHECK_EACH == 0 else self._act)

    def _act(self) -> None:
        """Do one thing, chosen by chance."""
        weights = [weight for weight, _act in self._acts]
        act = self._random.choices([act for _weight, act in self._acts], weights)[0]
        self.findings.actions.append(act.__name__.strip("_"))
        done = act()
        self.findings.actions[-1] += f" {done}"
        self._places.beat.write_text(json.dumps({"actions": self._count}))

    def _leave(self) -> None:
        """Close what is open, again and again, until the window lets the program end."""
        self._close_others()
        if (window := self._main()) is not None:
            window.leave_wanted.emit()
        self._note_wait()
        if time.monotonic() > self._moved + LEAVE_SECONDS:
            tasks = [str(task) for task in asyncio.all_tasks(self.loop)] if self.loop else []
            shown = [f"{type(w).__name__} {w.objectName()}" for w in self._windows()]
            self.findings.add("no end", "\n".join([*shown, *tasks, *self._leaving]), "no end")
            os._exit(LOCKED_STATUS)

    def _note_wait(self) -> None:
        """Write down what the window waits for on its way out, each time that changes: a window
        that gets somewhere is slow, as all is on a machine that is busy, but does not hang.
        """
        if self.work is None:
            return
        place, awaited = "", self.work
        while (frame := getattr(awaited, "cr_frame", None)) is not None:
            place = f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno} {place}"
            awaited = awaited.cr_await
        place = f"{len(asyncio.all_tasks(self.loop))} tasks, {place}"
        if not self._leaving or not self._leaving[-1].endswith(place):
            self._moved = time.monotonic()
            self._leaving.append(f"after {self._moved - self._end:.0f} s: {place}")

    def _close_others(self) -> None:
        """Close menus and dialogs, and every window but the first."""
        for _ in range(6):
            if (popup := QApplication.activePopupWidget()) is not None:
                popup.close()
            elif (modal := QApplication.activeModalWidget()) is not None:
                modal.close()
        window = self._main()
        for other in self._windows():
            if other is not window:
                other.close()

    def _main(self) -> MainWindow | None:
        from app.ui.main.window import MainWindow

        found = [w for w in QApplication.topLevelWidgets() if isinstance(w, MainWindow)]
        return found[-1] if found else None

    def _windows(self) -> list[QWidget]:
        return [w for w in QApplication.topLevelWidgets() if w.isVisible() and w.windowHandle()]

    def _window(self) -> QWidget | None:
        """Return the window that takes what a person does now."""
        if (popup := QApplication.activePopupWidget()) is not None:
            return popup
        if (modal := QApplication.activeModalWidget()) is not None:
            return modal
        shown = [
            w
            for w in self._windows()
            if w.windowType() != Qt.WindowType.ToolTip and not w.windowHandle().parent()
        ]
        if not shown:
            return None
        active = QApplication.activeWindow()
        if active in shown and self._random.random() < 0.9:
            return active
        return self._random.choice(shown)

    def _any_point(self, window: QWidget) -> QPoint:
        return QPoint(
            self._random.randrange(max(1, window.width())),
            self._random.randrange(max(1, window.height())),
        )

    def _mouse(
        self, window: QWidget, at: QPoint, button: Qt.MouseButton, kind: QEvent.Type, keys: Any
    ) -> None:
        """Give an event to the window as the system does: popups and grabs are heeded."""
        handle = window.windowHandle()
        if not handle:
            return
        held = NO_BUTTON if kind == QEvent.Type.MouseButtonRelease else button
        changed = NO_BUTTON if kind == QEvent.Type.MouseMove else button
        event = QMouseEvent(
            kind, QPointF(at), QPointF(at), QPointF(window.mapToGlobal(at)), changed, held, keys
        )
        QApplication.postEvent(handle, event)

    def _press(self, window: QWidget, at: QPoint, button: Qt.MouseButton = LEFT) -> None:
        keys = self._random.choice((NONE, NONE, NONE, NONE, SHIFT, CONTROL))
        self._mouse(window, at, NO_BUTTON, QEvent.Type.MouseMove, NONE)
        self._mouse(window, at, button, QEvent.Type.MouseButtonPress, keys)
        self._mouse(window, at, button, QEvent.Type.MouseButtonRelease, keys)

    def _told(self, window: QWidget, at: QPoint) -> str:
        hit = window.childAt(at) or window
        name = hit.objectName() or hit.accessibleName()
        text = hit.text() if isinstance(hit, QAbstractButton) else ""
        return f"{type(window).__name__}/{type(hit).__name__} {name} {text!r} {at.toTuple()}"

    def _click(self) -> str:
        if (window := self._window()) is None:
            return ""
        at = self._any_point(window)
        told = self._told(window, at)
        self._press(window, at)
        return told

    def _press_control(self) -> str:
        """Press a button, a field or a choice that can be seen."""
        if (window := self._window()) is None:
            return ""
        kinds = (QAbstractButton, QLineEdit, QComboBox)
        shown = [
            control
            for kind in kinds
            for control in window.findChildren(kind)
            if control.isVisible() and not control.visibleRegion().isEmpty()
        ]
        if not shown:
            return self._click()
        control = self._random.choice(shown)
        inside = control.visibleRegion().boundingRect().center()
        at = control.mapTo(window, inside)
        told = self._told(window, at)
        self._press(window, at)
        return told

    def _click_right(self) -> str:
        if (window := self._window()) is None:
            return ""
        at = self._any_point(window)
        told = self._told(window, at)
        self._press(window, at, RIGHT)
        return told

    def _click_twice(self) -> str:
        if (window := self._window()) is None:
            return ""
        at = self._any_point(window)
        told = self._told(window, at)
        self._press(window, at)
        self._mouse(window, at, LEFT, QEvent.Type.MouseButtonDblClick, NONE)
        self._mouse(window, at, LEFT, QEvent.Type.MouseButtonRelease, NONE)
        return told

    def _drag(self) -> str:
        if (window := self._window()) is None:
            return ""
        begin, end = self._any_point(window), self._any_point(window)
        told = self._told(window, begin)
        self._mouse(window, begin, NO_BUTTON, QEvent.Type.MouseMove, NONE)
        self._mouse(window, begin, LEFT, QEvent.Type.MouseButtonPress, NONE)
        for part in range(1, 6):
            between = begin + (end - begin) * (part / 5)
            self._mouse(window, between, LEFT, QEvent.Type.MouseMove, NONE)
        self._mouse(window, end, LEFT, QEvent.Type.MouseButtonRelease, NONE)
        return f"{told} to {end.toTuple()}"

    def _move(self) -> str:
        if (window := self._window()) is None:
            return ""
        at = self._any_point(window)
        self._mouse(window, at, NO_BUTTON, QEvent.Type.MouseMove, NONE)
        return self._told(window, at)

    def _wheel(self) -> str:
        if (window := self._window()) is None or not window.windowHandle():
            return ""
        at, turn = self._any_point(window), self._random.choice((-1200, -120, 120, 1200))
        keys = self._random.choice((NONE, NONE, NONE, CONTROL))
        event = QWheelEvent(
            QPointF(at),
            QPointF(window.mapToGlobal(at)),
            QPoint(),
            QPoint(0, turn),
            NO_BUTTON,
            keys,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.postEvent(window.windowHandle(), event)
        return f"{turn} {self._told(window, at)}"

    def _target(self) -> QWidget | None:
        popup = QApplication.activePopupWidget()
        return popup or QApplication.focusWidget() or self._window()

    def _type(self) -> str:
        if (target := self._target()) is None:
            return ""
        words = self._random.choice(WORDS)[: self._random.choice((5, 80, 4000))]
        told = type(target).__name__
        if len(words) > 200:
            QGuiApplication.clipboard().setText(words)
            QTest.keyClick(target, Qt.Key.Key_V, CONTROL)
        else:
            type_words(target, words)
        return f"{told} {words[:40]!r}"

    def _key(self) -> str:
        if (target := self._target()) is None:
            return ""
        key, keys = self._random.choice(KEYS), self._random.choice((NONE, NONE, NONE, SHIFT))
        told = type(target).__name__
        QTest.keyClick(target, key, keys)
        return f"{told} {keys.name} {key.name}"

    def _shortcut(self) -> str:
        if (target := self._target()) is None:
            return ""
        key = self._random.choice(LETTERS + SIGNS + KEYS)
        keys = self._random.choice((CONTROL, CONTROL, CONTROL, CONTROL | SHIFT, ALT))
        told = type(target).__name__
        QTest.keyClick(target, key, keys)
        return f"{told} {keys} {key.name}"

    def _ask(self) -> str:
        """Ask something in the chat, so that there are answers to press on."""
        window = self._main()
        if window is None or self._window() is not window:
            return ""
        words = self._random.choice(WORDS[:8])
        editor = window.composer.editor
        editor.setFocus()
        type_words(editor, words)
        QTest.keyClick(editor, Qt.Key.Key_Return)
        return words

    def _drop(self) -> str:
        window = self._main()
        if window is None or self._window() is not window:
            return ""
        files = self._random.sample(self._files, self._random.choice((1, 1, 1, 2, 5)))
        at = self._any_point(window)
        target = window.childAt(at)
        while target is not None and not target.acceptDrops():
            target = target.parentWidget()
        if target is None:
            return ""
        self._data = QMimeData()  # has to outlive the events
        self._data.setUrls([QUrl.fromLocalFile(str(path)) for path in files])
        inside, copy = QPointF(target.mapFrom(window, at)), Qt.DropAction.CopyAction
        told = f"{type(target).__name__} {[path.name for path in files]}"
        enter = QDragEnterEvent(inside.toPoint(), copy, self._data, LEFT, NONE)
        QApplication.sendEvent(target, enter)
        if enter.isAccepted():
            move = QDragMoveEvent(inside.toPoint(), copy, self._data, LEFT, NONE)
            QApplication.sendEvent(target, move)
            QApplication.sendEvent(target, QDropEvent(inside, copy, self._data, LEFT, NONE))
        return told

    def _paste(self) -> str:
        if (target := self._target()) is None:
            return ""
        data, which = QMimeData(), self._random.choice(("files", "text", "picture", "table"))
        if which == "files":
            data.setUrls([QUrl.fromLocalFile(str(self._random.choice(self._files)))])
        elif which == "text":
            data.setText("A long text. " * self._random.choice((3, 3000)))
        elif which == "picture":
            picture = QImage(300, 200, QImage.Format.Format_RGB32)
            picture.fill(0x336699)
            data.setImageData(picture)
        else:
            data.setText("city\tsold\nBonn\t3\nKöln\t5\n")
        QGuiApplication.clipboard().setMimeData(data)
        told = type(target).__name__
        QTest.keyClick(target, Qt.Key.Key_V, CONTROL)
        return f"{told} {which}"

    def _resize(self) -> str:
        window = self._window()
        if window is None or window.windowType() == Qt.WindowType.Popup:
            return ""
        size = self._random.choice(SIZES)
        window.resize(*size)
        return f"{type(window).__name__} {size}"

    def _rest(self) -> str:
        self._next = time.monotonic() + self._random.choice((0.5, 1.0, 4.0))
        return ""

    def _check(self) -> None:
        """Leave all that is open, with Escape what the voice does, and look a little later."""
        self._close_others()
        window = self._main()
        if window is None or QApplication.activeModalWidget() is not None:
            return
        window.show()
        window.activateWindow()
        self.findings.actions.append(f"look at the composer, action {self._count}")
        QTest.keyClick(window, Qt.Key.Key_Escape)
        self._next = time.monotonic() + LOOK_MS / 1000 + 0.5
        QTimer.singleShot(LOOK_MS, self._type_into_composer)

    def _type_into_composer(self) -> None:
        """See whether the composer takes text."""
        window = self._main()
        if window is None or not window.composer.editor.isVisible():
            return  # another page stands where the chat is
        editor = window.composer.editor
        QTest.mouseClick(editor.viewport(), LEFT)
        before = editor.toPlainText()
        editor.setFocus()
        QTest.keyClicks(editor, "zq")
        if "zq" not in editor.toPlainText():
            state = f"enabled {editor.isEnabled()}, read only {editor.isReadOnly()}"
            bar = window.composer.bar
            told = bar.label.text() if bar.isVisible() else ""
            self.findings.add(
                "composer",
                f"takes no text: {state}, holds {before[:80]!r}, the voice says {told!r}",
                "takes no text",
            )
        if self._random.random() < 0.7:
            editor.clear()


def type_words(target: QWidget, words: str) -> None:
    """Type words: by keys what a keyboard has, through the input method what it has not."""
    if words.isascii() and words.isprintable():
        QTest.keyClicks(target, words)
        return
    event = QInputMethodEvent()
    event.setCommitString(words)
    QApplication.sendEvent(target, event)


def play(places: Places, number: int, seed: int, seconds: float) -> int:
    """Play one round in this process; return the exit status of the window."""
    from app.cli.window import open_window
    from app.ui.main import event_loop, run

    faulthandler.enable((places.folder / f"crash-{number}.txt").open("w"))
    painted, ran = run.paint, event_loop.run_until_complete
    held: list[Monkey] = []

    def paint(
        chosen: str = "system", language: str = "system", *, ready: bool = True, chats: bool = False
    ) -> run.PaintedWindow:
        shown = painted(chosen, language, ready=ready, chats=chats)
        held.append(Monkey(places, number, seed, seconds))
        return shown

    def run_until_complete(app: QApplication, work: Any) -> int:
        async def watched() -> int:
            loop = held[0].loop = asyncio.get_running_loop()
            loop.set_exception_handler(lambda _loop, given: tell_loop(held[0].findings, given))
            held[0].work = work
            return cast("int", await work)

        return ran(app, watched())

    run.paint, event_loop.run_until_complete = paint, run_until_complete
    return open_window()


def tell_loop(findings: Findings, given: dict[str, Any]) -> None:
    """Write down what the loop says that nobody heeds."""
    error = given.get("exception")
    if isinstance(error, BaseException):
        findings.add_error(type(error), error, error.__traceback__)
    else:
        findings.add("loop", str(given.get("message")))


def make_files(folder: Path) -> None:
    """Make the files that are dropped: good ones and broken ones."""
    if folder.exists():
        return
    folder.mkdir(parents=True)
    chance = random.Random(7)
    rows = [
        f"2024-{m:02}-{d:02},{chance.choice(('Bonn', 'Köln', '上海'))},{chance.randrange(9000) / 100}"
        for m in range(1, 13)
        for d in range(1, 28)
    ]
    (folder / "sales.csv").write_text("date,city,amount\n" + "\n".join(rows))
    (folder / "销售额 2024 很长的名字 很长的名字 很长的名字.csv").write_text(
        "城市,销售额\n上海,12\n北京,7\n"
    )
    (folder / "ragged.csv").write_text("a;b;c\n1;2\n3;4;5;6\n\n;;\n")
    (folder / "empty.csv").write_text("")
    (folder / "junk.xlsx").write_bytes(chance.randbytes(4000))
    (folder / "junk.pdf").write_bytes(b"%PDF-1.7\n" + chance.randbytes(4000))
    (folder / "junk.png").write_bytes(b"\x89PNG\r\n" + chance.randbytes(400))
    (folder / "deep.json").write_text('{"a": ' * 300 + "1" + "}" * 300)
    (folder / "rows.json").write_text(json.dumps([{"a": n, "b": [n, {"c": n}]} for n in range(50)]))
    (folder / "notes.md").write_text("# Notes\n\nNotice is given **three months** before.\n" * 40)
    (folder / "letter.txt").write_text("Dear Sir,\nthe rent is 1,200 a month.\n" * 30)
    (folder / "page.html").write_text("<h1>Rules</h1><script>alert(1)</script><p>No dogs.</p>")
    (folder / "wide.csv").write_text(
        ",".join(f"column {n}" for n in range(300)) + "\n" + ",".join("1" * 300) + "\n"
    )
    (folder / "long.csv").write_text("n,x\n" + "\n".join(f"{n},{n * n}" for n in range(200_000)))
    (folder / "folder").mkdir()
    (folder / "folder" / "inside.txt").write_text("A pool opens at nine.\n")
    picture = QImage(640, 400, QImage.Format.Format_RGB32)
    picture.fill(0x88AACC)
    picture.save(str(folder / "picture.png"))


def boxed(places: Places, home: Path, models: Path | None) -> list[str]:
    """Return the command that lets a program write into the folder only, without a network."""
    program = shutil.which("bwrap")
    if program is None:
        raise SystemExit("The monkey needs bubblewrap: it must not reach the files of this machine")
    folder = str(places.folder)
    box = [program, "--die-with-parent", "--unshare-net", "--unshare-pid", "--ro-bind", "/", "/"]
    box += ["--dev", "/dev", "--proc", "/proc", "--bind", folder, folder]
    for name, at in (("HOME", home), ("DESKPILOT_HOME", home / "deskpilot")):
        at.mkdir(parents=True, exist_ok=True)
        box += ["--setenv", name, str(at)]
    (places.folder / "tmp").mkdir(exist_ok=True)
    box += ["--setenv", "TMPDIR", str(places.folder / "tmp")]
    if models is not None and not (kept := home / "deskpilot" / "models").exists():
        shutil.copytree(models, kept, copy_function=os.link)
    return box


def display(number: int) -> tuple[subprocess.Popen[bytes], str]:
    """Start an X server; return it and its name."""
    reading, writing = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1920x1080x24", "-nolisten", "tcp"],
        pass_fds=(writing,),
        stderr=subprocess.DEVNULL,
    )
    os.close(writing)
    with os.fdopen(reading) as told:
        return server, f":{told.readline().strip()}"


def one_round(places: Places, number: int, asked: argparse.Namespace) -> None:
    """Play a round in a process of its own, and write down how it ended."""
    home = places.folder / f"home-{number // 3}"
    models = Path(asked.models) if asked.models and number // 3 % 2 == 0 else None
    command = boxed(places, home, models)
    command += [sys.executable, "-P", "-m", "tests.bench.monkey", "--folder", str(places.folder)]
    command += ["--seed", str(asked.seed), "--inside", str(number), "--round", str(asked.round)]
    server, name = display(number)
    begun = time.monotonic()
    output = places.folder / f"output-{number}.txt"
    places.beat.write_text('{"actions": 0}')
    try:
        with output.open("wb") as out:
            ended = subprocess.run(
                command,
                env=os.environ
                | {"DISPLAY": name, "QT_QPA_PLATFORM": "xcb", "PYTHONPATH": str(Path.cwd())},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                timeout=asked.round * 60 + DEAD_SECONDS + 600,
                check=False,
            )
        status = ended.returncode
    except subprocess.TimeoutExpired:
        status = LOCKED_STATUS
        with places.findings.open("a") as found:
            found.write(json.dumps({"round": number, "kind": "lock-up", "text": "no end"}) + "\n")
    finally:
        server.terminate()
        server.wait()
    if status not in {0, LOCKED_STATUS}:
        crash = places.folder / f"crash-{number}.txt"
        text = (crash.read_text(errors="replace") if crash.exists() else "") + output.read_text(
            errors="replace"
        )[-3000:]
        with places.findings.open("a") as found:
            line = {"round": number, "kind": "crash", "text": f"status {status}\n{text}"}
            found.write(json.dumps(line, ensure_ascii=False) + "\n")
    ended_at = {
        "round": number,
        "status": status,
        "seconds": round(time.monotonic() - begun, 1),
        "actions": json.loads(places.beat.read_text())["actions"],
        "load": round(os.getloadavg()[1], 1),
    }
    with places.rounds.open("a") as kept:
        kept.write(json.dumps(ended_at) + "\n")
    print(json.dumps(ended_at), flush=True)


def lines(path: Path) -> list[dict[str, Any]]:
    """Return what a file holds, a value a line."""
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def summary(places: Places) -> int:
    """Print what was played and found; return the exit status."""
    rounds, found = lines(places.rounds), lines(places.findings)
    minutes = sum(played["seconds"] for played in rounds) / 60
    actions = sum(played["actions"] for played in rounds)
    print(f"{len(rounds)} rounds, {minutes:.0f} minutes, {actions} actions")
    counts: dict[str, int] = {}
    for one in found:
        kind = f"{one['kind']}: {one['text'].strip().splitlines()[-1][:150]}"
        counts[kind] = counts.get(kind, 0) + 1
    for kind, count in sorted(counts.items(), key=lambda pair: -pair[1]):
        print(f"{count:5} {kind}")
    return int(any(one["kind"] != "slow" for one in found))


def main() -> int:
    """Play rounds until the minutes are full."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=120.0)
    parser.add_argument("--round", type=float, default=ROUND_MINUTES)
    parser.add_argument("--folder", default="build/monkey")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--models", default="", help="a folder with models; half the homes get it")
    parser.add_argument("--inside", type=int, default=None, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    places = Places(Path(asked.folder).absolute())
    if asked.inside is not None:
        return play(places, asked.inside, asked.seed, asked.round * 60)
    places.folder.mkdir(parents=True, exist_ok=True)
    make_files(places.files)
    while sum(played["seconds"] for played in lines(places.rounds)) < asked.minutes * 60:
        one_round(places, len(lines(places.rounds)), asked)
    return summary(places)


if __name__ == "__main__":
    sys.exit(main())
