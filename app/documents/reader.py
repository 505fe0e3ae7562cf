"""Read documents in a separate process, so that a bad file can hang or crash only that process.

When this file is run as a module, it is that process. It reads one JSON line for each request: a
path, optionally with a page and either a quote to locate or the width of an image to draw. It
answers with the document, the boxes, the image or an error as JSON.
"""

from __future__ import annotations

import base64
import json
import signal
import sys
import threading
import zlib
from contextlib import suppress
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.documents.formats import read_document
from app.documents.passages import (
    Box,
    DocumentPage,
    DocumentText,
    PagePicture,
)
from app.domain.errors import DocumentError
from backends import children

if TYPE_CHECKING:
    from subprocess import Popen

SECONDS = 300.0  # time limit for one file
MEMORY = 3 * 1024**3  # memory limit of the process, in bytes
LOOK = 0.5  # seconds between two checks of its memory use


class DocumentReader:
    """Reads one document after the other. Threads take turns. The process starts on the first
    request.
    """

    def __init__(self, seconds: float = SECONDS, memory: int = MEMORY) -> None:
        self._seconds, self._memory = seconds, memory
        self._lock = threading.Lock()
        self._process: Popen[str] | None = None
        self._closed = False

    def read(self, path: Path) -> DocumentText:
        """Read a document.

        Raises: DocumentError, also if the file takes too much time or memory.
        """
        told = self._ask(path, {"path": str(path)})
        pages = tuple(
            DocumentPage(
                p["number"], p["text"], p["label"], tuple(map(tuple, p["headings"])), p["scanned"]
            )
            for p in told["pages"]
        )
        return DocumentText(told["kind"], pages, told["title"])

    def quote_boxes(self, path: Path, page: int, quote: str) -> list[Box]:
        """Return the position of a quote on a page of a PDF file: the left, top, right and bottom
        edges of each line.

        Positions are in points from the upper left corner. The list is empty if the quote is not on
        the page. Raises: DocumentError.
        """
        told = self._ask(path, {"path": str(path), "page": page, "quote": quote})
        return [(float(a), float(b), float(c), float(d)) for a, b, c, d in told["boxes"]]

    def page_picture(self, path: Path, page: int, quote: str, width: int) -> PagePicture:
        """Return a page of a PDF file as an image, with the position of a quote on it.

        width: the width in pixels. Raises: DocumentError.
        """
        told = self._ask(path, {"path": str(path), "page": page, "quote": quote, "width": width})
        return picture_of(told)

    def page_scan(self, path: Path, page: int) -> PagePicture:
        """Return a page of a PDF file in greyscale, with one byte per pixel, as needed for OCR.

        Raises: DocumentError.
        """
        return picture_of(
            self._ask(path, {"path": str(path), "page": page, "quote": "", "width": 0})
        )

    def _ask(self, path: Path, question: dict[str, Any]) -> dict[str, Any]:
        """Return the process's answer.

        Raises: DocumentError.
        """
        with self._lock:
            if self._closed:
                raise DocumentError(
                    f"{path.name} was not read: Deskpilot is closing.", "Open it again."
                )
            process = self._running()
            if self._closed:  # closed in the meantime, so `close` has not seen this process
                self._end()
                raise DocumentError(
                    f"{path.name} was not read: Deskpilot is closing.", "Open it again."
                )
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
            try:
                told: dict[str, Any] = json.loads(line)
            except ValueError as error:  # a library wrote to stdout between the process's lines
                self._end()
                raise DocumentError(
                    f"{path.name} can't be read: the reader stopped unexpectedly.",
                    "Split or repair it.",
                ) from error
        if "error" in told:
            raise DocumentError(told["error"], told["remedy"])
        return told

    def close(self) -> None:
        """End the process permanently, even in the middle of a file."""
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
        """Kill the process if a file takes too much time or memory."""
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


def picture_of(told: dict[str, Any]) -> PagePicture:
    """Return the image in the process's answer."""
    pixels = zlib.decompress(base64.b64decode(told["pixels"]))
    boxes = tuple((float(a), float(b), float(c), float(d)) for a, b, c, d in told["boxes"])
    return PagePicture(told["width"], told["height"], pixels, told["scale"], boxes)


def main() -> None:
    """Read one request per line from stdin until it closes, and answer each on stdout."""
    # Ctrl+C reaches all processes, and the parent ends this one
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    limit_memory()
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
            # Libraries may raise any error when a file is damaged in an unforeseen way.
            told = {
                "error": f"{path.name} is damaged.",
                "remedy": "Save it again and add the new file.",
            }
        sys.stdout.write(json.dumps(told).encode("utf-8", "replace").decode() + "\n")
        sys.stdout.flush()


def limit_memory() -> None:
    """Limit this process's memory to the amount that the parent allows, since reading a file can
    allocate so much at once that the parent's checks do not notice in time.
    """
    with suppress(ImportError):  # on Windows, only the parent's checks apply
        resource = import_module("resource")
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))


def answer(path: Path, asked: dict[str, Any]) -> dict[str, Any]:
    """Return the text of a document, or the position of a quote in it.

    Raises: DocumentError, and whatever libraries raise for damaged files.
    """
    if "quote" not in asked:
        return asdict(read_document(path))
    from app.documents.formats.pdf import quote_boxes, render_page

    boxes = quote_boxes(path, asked["page"], asked["quote"])
    if "width" not in asked:
        return {"boxes": boxes}
    width, height, pixels, scale = render_page(path, asked["page"], asked["width"])
    return {
        "width": width,
        "height": height,
        "scale": scale,
        "pixels": base64.b64encode(zlib.compress(pixels, 1)).decode(),
        "boxes": [[scale * side for side in box] for box in boxes],
    }


if __name__ == "__main__":
    main()
