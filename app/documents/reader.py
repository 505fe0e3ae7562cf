"""Reads documents in a process of its own, so that a file that hangs, crashes or bloats costs only
itself.

Run as a module it is that process: a path a line comes in as JSON, with a page and a quote where
its place is wanted; the document, the boxes or why there are none go out as JSON.
"""

from __future__ import annotations

import json
import sys
import threading
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.documents.text import DocumentText, Page, read_document
from app.domain.errors import DocumentError
from backends import children

if TYPE_CHECKING:
    from subprocess import Popen

SECONDS = 300.0  # for one file
MEMORY = 3 * 1024**3  # bytes the process may hold
LOOK = 0.5  # seconds between two looks at its memory


class DocumentReader:
    """Reads one document after the other; threads take turns. The process starts with the first."""

    def __init__(self, seconds: float = SECONDS, memory: int = MEMORY) -> None:
        self._seconds, self._memory = seconds, memory
        self._lock = threading.Lock()
        self._process: Popen[str] | None = None
        self._closed = False

    def read(self, path: Path) -> DocumentText:
        """Read a document.

        Raises: DocumentError, also for a file that takes too long or too much memory.
        """
        told = self._ask(path, {"path": str(path)})
        pages = tuple(
            Page(p["number"], p["text"], p["label"], tuple(map(tuple, p["headings"])), p["scanned"])
            for p in told["pages"]
        )
        return DocumentText(told["kind"], pages, told["title"])

    def quote_boxes(self, path: Path, page: int, quote: str) -> list[list[float]]:
        """Return where a quote stands on a page of a PDF file: left, top, right, bottom of each
        line.

        In points from the upper left corner; none for a quote that is not on the page.
        Raises: DocumentError.
        """
        boxes: list[list[float]] = self._ask(
            path, {"path": str(path), "page": page, "quote": quote}
        )["boxes"]
        return boxes

    def _ask(self, path: Path, question: dict[str, Any]) -> dict[str, Any]:
        """Return what the process answers.

        Raises: DocumentError.
        """
        with self._lock:
            if self._closed:
                raise DocumentError(f"{path.name} is not read: Deskpilot ends.", "Open it again.")
            process = self._running()
            assert process.stdin is not None
            assert process.stdout is not None
            ended = threading.Event()
            reasons: list[str] = []
            watch = threading.Thread(
                target=self._watch, args=(process, ended, reasons), name=f"watch {path.name}"
            )
            watch.start()
            try:
                process.stdin.write(json.dumps(question) + "\n")
                process.stdin.flush()
                line = process.stdout.readline()
            except (OSError, ValueError):
                line = ""
            finally:
                ended.set()
                watch.join()
            if not line.endswith("\n"):
                self._end()
                why = reasons[0] if reasons else "the reader stopped unexpectedly"
                raise DocumentError(f"{path.name} can't be read: {why}.", "Split or repair it.")
        told: dict[str, Any] = json.loads(line)
        if "error" in told:
            raise DocumentError(told["error"], told["remedy"])
        return told

    def close(self) -> None:
        """End the process for good, also in the middle of a file."""
        self._closed = True
        if (process := self._process) is not None:
            process.kill()
        with self._lock:
            self._end()

    def _running(self) -> Popen[str]:
        if self._process is None or self._process.poll() is not None:
            self._process = children.open_pipes("-m", "app.documents.reader")
        return self._process

    def _watch(self, process: Popen[str], ended: threading.Event, reasons: list[str]) -> None:
        """Kill the process if a file takes too long or too much memory."""
        import psutil

        left = self._seconds
        while not ended.wait(LOOK):
            left -= LOOK
            try:
                held = psutil.Process(process.pid).memory_info().rss
            except psutil.NoSuchProcess:
                return
            if left <= 0 or held > self._memory:
                reasons.append(
                    "it takes too much memory" if left > 0 else f"it takes over {self._seconds:g} s"
                )
                process.kill()
                return

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                stream.close()


def main() -> None:
    """Read a path a line from stdin until it closes, and answer each on stdout."""
    sys.stdin.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    for line in sys.stdin:
        asked: dict[str, Any] = json.loads(line)
        path = Path(asked["path"])
        try:
            told: dict[str, Any] = answer(path, asked)
        except DocumentError as error:
            told = {"error": error.text, "remedy": error.remedy}
        except (ValueError, TypeError, LookupError, ArithmeticError, RecursionError, MemoryError):
            # Formats are read by libraries and by code that meets damage nobody has thought of.
            told = {"error": f"{path.name} is damaged.", "remedy": "Save it again and add that."}
        sys.stdout.write(json.dumps(told).encode("utf-8", "replace").decode() + "\n")
        sys.stdout.flush()


def answer(path: Path, asked: dict[str, Any]) -> dict[str, Any]:
    """Return the text of a document, or where a quote stands in it.

    Raises: DocumentError, and what libraries raise at damage.
    """
    if "quote" not in asked:
        return asdict(read_document(path))
    from app.documents.formats.pdf import quote_boxes

    return {"boxes": quote_boxes(path, asked["page"], asked["quote"])}


if __name__ == "__main__":
    main()
