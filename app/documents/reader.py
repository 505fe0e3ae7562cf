"""Reads documents in a process of its own, so that a file that hangs, crashes or bloats costs only itself.

Run as a module it is that process: a path a line comes in as JSON, the document or why it cannot be
read goes out as JSON.
"""

from __future__ import annotations

import json
import sys
import threading
from dataclasses import asdict
from pathlib import Path
from typing import Any

from app.documents.text import DocumentText, Page, read_document
from app.domain.errors import DocumentError
from backends import children

SECONDS = 300.0  # for one file
MEMORY = 3 * 1024**3  # bytes the process may hold
LOOK = 0.5  # seconds between two looks at its memory


class DocumentReader:
    """Reads one document after the other; threads take turns. The process starts with the first."""

    def __init__(self, seconds: float = SECONDS, memory: int = MEMORY) -> None:
        self._seconds, self._memory = seconds, memory
        self._lock = threading.Lock()
        self._process: children.Pipes | None = None

    def read(self, path: Path) -> DocumentText:
        """Read a document.

        Raises: DocumentError, also for a file that takes too long or too much memory.
        """
        with self._lock:
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
                process.stdin.write(json.dumps(str(path)) + "\n")
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
        pages = tuple(
            Page(p["number"], p["text"], p["label"], tuple(map(tuple, p["headings"])), p["scanned"])
            for p in told["pages"]
        )
        return DocumentText(told["kind"], pages, told["title"])

    def close(self) -> None:
        """End the process."""
        with self._lock:
            self._end()

    def _running(self) -> children.Pipes:
        if self._process is None or self._process.poll() is not None:
            self._process = children.open_pipes("-m", "app.documents.reader")
        return self._process

    def _watch(self, process: children.Pipes, ended: threading.Event, reasons: list[str]) -> None:
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
        path = Path(json.loads(line))
        try:
            told: dict[str, Any] = asdict(read_document(path))
        except DocumentError as error:
            told = {"error": error.text, "remedy": error.remedy}
        except (ValueError, TypeError, LookupError, ArithmeticError, RecursionError, MemoryError):
            # Formats are read by libraries and by code that meets damage nobody has thought of.
            told = {"error": f"{path.name} is damaged.", "remedy": "Save it again and add that."}
        sys.stdout.write(json.dumps(told).encode("utf-8", "replace").decode() + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
