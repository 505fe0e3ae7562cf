"""OCR with ONNX Runtime.

Reads the text in a picture with two graphs of PaddleOCR: one finds lines, the other reads them.

Only numpy is needed. A page that was scanned at a slant is straightened first, so that lines are
upright boxes, and OpenCV's handling of rotated boxes is not needed.
"""

from __future__ import annotations

import threading
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from pydantic import BaseModel, Field, ValidationError

from backends.flexai.devices import Device
from backends.flexai.entities import OcrLine, OcrResult
from backends.flexai.errors import InvokeBadRequestError, InvokeError, native_errors
from backends.flexai.models import OcrModel, validating
from backends.flexai.models.ai_model import stop_if_cancelled
from backends.providers.onnx_session import onnx_devices, open_session

if TYPE_CHECKING:
    from collections.abc import Sequence

    from onnxruntime import InferenceSession


STRIDE = 32  # the sides of the finder's input are multiples of this
SMALLEST_SIDE = 736  # pixels; smaller pictures are enlarged
INK, LINE = 0.3, 0.5  # minimum score of a pixel, minimum mean score of a line
THINNEST = 3  # minimum width and height of a line in pixels
# the finder outlines the core of a line; its box is enlarged by this share of area / perimeter
UNCLIP = 1.6
HIGH = 48  # height of a line in the reader's input, in pixels
WIDEST = 3200  # maximum width of a line in the reader's input, in pixels
UPRIGHT = 1.5  # height / width from which a line counts as vertical
AT_ONCE = 6  # number of lines read together
CLEAR, DOUBT = (
    0.85,
    0.4,
)  # minimum score of a certain line; minimum share of letters in such lines on an upright page
SURE = 0.5  # minimum mean score of a line's letters; below it, the line is a drawing or a stain


LONG = 5  # minimum width / height of a line from which a page's slant is measured
SLANT, STEEPEST = 0.006, 0.2  # rise / width: the least and the greatest slant that is straightened


class Area(NamedTuple):
    """A connected area with a high score, in pixels. score: its mean score. slope: fall / width of
    the straight line through its pixels.
    """

    left: int
    top: int
    right: int
    bottom: int
    score: float
    slope: float


class TextBox(NamedTuple):
    """A rectangle in a picture, in pixels."""

    left: float
    top: float
    right: float
    bottom: float


class TextLine(NamedTuple):
    """A line of text. score: how certain the reader is of its letters, 0 to 1."""

    text: str
    score: float
    box: TextBox


class PageReader:
    """Finds and reads lines. letters: the reader's alphabet, which starts with the blank."""

    def __init__(self, finder: InferenceSession, reader: InferenceSession) -> None:
        self._finder, self._reader = finder, reader
        told = reader.get_modelmeta().custom_metadata_map["character"]
        self._letters = ["", *told.split("\n"), " "]

    def read(self, picture: np.ndarray) -> list[TextLine]:
        """Return the lines in a picture, in reading order. picture: grey, uint8, shape (height,
        width).

        If the text makes no sense, the picture is also read upside down and on its sides.
        """
        lines = self._read_page(picture)
        best = sense_of(lines)
        if not lines or best >= DOUBT:
            return lines
        for turns in (2, 1, 3):
            turned = self._read_page(np.ascontiguousarray(np.rot90(picture, turns)))
            if (sense := sense_of(turned)) > best:
                best = sense
                lines = [
                    line._replace(box=turned_back(line.box, turns, picture)) for line in turned
                ]
        return lines

    def _read_page(self, picture: np.ndarray) -> list[TextLine]:
        """Return the lines on an upright page."""
        height, width = picture.shape
        scale = max(1.0, SMALLEST_SIDE / min(height, width))
        scale = min(scale, 4.0)
        boxes, slope = self._find(resized(picture, round(height * scale), round(width * scale)))
        if SLANT < abs(slope) < STEEPEST:
            picture = straightened(picture, slope)
            boxes, _ = self._find(resized(picture, round(height * scale), round(width * scale)))
        else:
            slope = 0.0
        boxes = [TextBox(*(side / scale for side in box)) for box in boxes]
        boxes = [box for box in boxes if box.right - box.left > 1 and box.bottom - box.top > 1]
        parts = [self._part(picture, box) for box in boxes]
        order = sorted(range(len(parts)), key=lambda at: parts[at].shape[1])
        lines: list[TextLine] = []
        for start in range(0, len(order), AT_ONCE):
            stop_if_cancelled()
            some = order[start : start + AT_ONCE]
            for at, (text, score) in zip(some, self._read([parts[i] for i in some]), strict=True):
                if text.strip() and score >= SURE:
                    lines.append(TextLine(text.strip(), score, boxes[at]))
        return [
            line._replace(box=slanted(line.box, slope, width, height)) for line in in_order(lines)
        ]

    def _find(self, picture: np.ndarray) -> tuple[list[TextBox], float]:
        """Return the boxes of lines, and the median slope of the long lines (0 if there are
        none).
        """
        height, width = picture.shape
        high, wide = -(-height // STRIDE) * STRIDE, -(-width // STRIDE) * STRIDE
        seen = np.full((high, wide), 255, dtype=np.uint8)
        seen[:height, :width] = picture
        name = self._finder.get_inputs()[0].name
        (told,) = self._finder.run(None, {name: as_input(seen)[None]})
        sure = np.asarray(told)[0, 0, :height, :width]
        boxes: list[TextBox] = []
        slopes: list[float] = []
        for left, top, right, bottom, score, slope in outlines(sure):
            wide, high = right - left, bottom - top
            if score < LINE or min(wide, high) < THINNEST:
                continue
            if wide > LONG * (high - abs(slope) * wide):
                slopes.append(slope)
            grow = UNCLIP * wide * high / (2 * (wide + high))
            boxes.append(
                TextBox(
                    max(0, left - grow),
                    max(0, top - grow),
                    min(width, right + grow),
                    min(height, bottom + grow),
                )
            )
        return boxes, float(np.median(slopes)) if slopes else 0.0

    def _part(self, picture: np.ndarray, box: TextBox) -> np.ndarray:
        """Return a line as the reader's input, 48 pixels high."""
        left, top = int(box.left), int(box.top)
        part = picture[top : max(int(np.ceil(box.bottom)), top + 1), left : int(np.ceil(box.right))]
        if part.shape[0] >= UPRIGHT * part.shape[1]:
            part = np.rot90(part)
        wide = min(WIDEST, max(16, round(part.shape[1] * HIGH / part.shape[0])))
        return resized(part, HIGH, wide)

    def _read(self, parts: Sequence[np.ndarray]) -> list[tuple[str, float]]:
        """Return the text of each line and how certain the reader is."""
        widest = max(part.shape[1] for part in parts)
        batch = np.zeros((len(parts), 3, HIGH, widest), dtype=np.float32)
        for row, part in enumerate(parts):
            batch[row, :, :, : part.shape[1]] = as_input(part)
        name = self._reader.get_inputs()[0].name
        (told,) = self._reader.run(None, {name: batch})
        sure = np.asarray(told)
        best, score = sure.argmax(axis=2), sure.max(axis=2)
        found: list[tuple[str, float]] = []
        for letters, scores in zip(best, score, strict=True):
            new = np.flatnonzero((letters > 0) & (letters != np.concatenate(([0], letters[:-1]))))
            text = "".join(self._letters[int(letters[at])] for at in new)
            found.append((text, float(scores[new].mean()) if len(new) else 0.0))
        return found


def as_input(picture: np.ndarray) -> np.ndarray:
    """Return a grey picture in the input format of the graphs: three channels, −1 to 1."""
    return np.repeat((picture.astype(np.float32) / 127.5 - 1.0)[None], 3, axis=0)


def resized(picture: np.ndarray, height: int, width: int) -> np.ndarray:
    """Return a resized picture: it is interpolated if enlarged, and averaged if reduced."""
    if picture.shape == (height, width):
        return picture
    made = resampled(picture.astype(np.float32), height)
    return np.clip(resampled(made.T, width).T + 0.5, 0, 255).astype(np.uint8)


def resampled(rows: np.ndarray, count: int) -> np.ndarray:
    """Return rows resampled to a given number of rows."""
    given = len(rows)
    if count >= given:
        at = np.clip((np.arange(count) + 0.5) * given / count - 0.5, 0, given - 1)
        low = np.floor(at).astype(int)
        high = np.minimum(low + 1, given - 1)
        share = (at - low).astype(np.float32)[:, None]
        return rows[low] * (1 - share) + rows[high] * share
    edges = np.linspace(0, given, count + 1)
    sums = np.vstack((np.zeros((1, rows.shape[1]), np.float32), np.cumsum(rows, axis=0)))
    low = np.minimum(np.floor(edges).astype(int), given - 1)
    share = (edges - low).astype(np.float32)[:, None]
    upto = sums[low] + share * rows[low]
    return np.diff(upto, axis=0) * (count / given)


def sense_of(lines: Sequence[TextLine]) -> float:
    """Return the share of a page's letters that are in certain lines, 0 to 1; 0 if the page is on
    its side.
    """
    if is_tipped(lines):
        return 0.0
    letters = sum(len(line.text) for line in lines)
    return sum(len(line.text) for line in lines if line.score >= CLEAR) / max(letters, 1)


def is_tipped(lines: Sequence[TextLine]) -> bool:
    """Return whether most lines of a page run from top to bottom."""
    tipped = [
        line for line in lines if line.box.bottom - line.box.top > line.box.right - line.box.left
    ]
    return 2 * len(tipped) > len(lines)


def turned_back(box: TextBox, turns: int, picture: np.ndarray) -> TextBox:
    """Return the position of a box in the original picture. The box was found after the picture had
    been rotated to the left by a number of quarter turns.
    """
    height, width = picture.shape
    left, top, right, bottom = box
    if turns == 1:
        return TextBox(width - bottom, left, width - top, right)
    if turns == 2:
        return TextBox(width - right, height - bottom, width - left, height - top)
    return TextBox(top, height - right, bottom, height - left)


def straightened(picture: np.ndarray, slope: float) -> np.ndarray:
    """Straighten a page whose lines fall by `slope`, and return it. Each column is moved up or
    down; the middle column stays in place.
    """
    height, width = picture.shape
    moved = np.round(slope * (np.arange(width) - width / 2)).astype(int)
    rows = np.arange(height)[:, None] + moved[None, :]
    made = picture[np.clip(rows, 0, height - 1), np.arange(width)[None, :]]
    made[(rows < 0) | (rows >= height)] = 255
    return made


def slanted(box: TextBox, slope: float, width: int, height: int) -> TextBox:
    """Return the position on the original page of a box found on the straightened page."""
    first, last = slope * (box.left - width / 2), slope * (box.right - width / 2)
    top = max(0.0, box.top + min(first, last))
    return box._replace(top=top, bottom=min(float(height), box.bottom + max(first, last)))


def outlines(sure: np.ndarray) -> list[Area]:
    """Return each connected area with a high score.

    Areas are joined run by run: each run is joined with those that it touches in the row above.
    """
    mask = sure > INK
    edges = np.diff(np.pad(mask, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    rows, starts = np.nonzero(edges == 1)
    _, ends = np.nonzero(edges == -1)
    sums = np.pad(np.cumsum(np.where(mask, sure, 0), axis=1, dtype=np.float64), ((0, 0), (1, 0)))
    weights = sums[rows, ends] - sums[rows, starts]
    parents = list(range(len(rows)))

    def root(one: int) -> int:
        while parents[one] != one:
            parents[one] = parents[parents[one]]
            one = parents[one]
        return one

    bounds = np.searchsorted(rows, np.arange(len(mask) + 1))
    for row in range(1, len(mask)):
        above, last = int(bounds[row - 1]), int(bounds[row])
        for run in range(last, int(bounds[row + 1])):
            while above < last and ends[above] < starts[run]:
                above += 1
            at = above
            while at < last and starts[at] <= ends[run]:
                parents[root(at)] = root(run)
                at += 1
    roots = np.array([root(one) for one in range(len(rows))], dtype=np.int64)
    found: list[Area] = []
    order = np.argsort(roots, kind="stable")
    cuts = [0, *(np.flatnonzero(np.diff(roots[order])) + 1).tolist(), len(order)]
    for first, last in pairwise(cuts):
        runs = order[first:last]
        if not len(runs):
            continue
        lengths = (ends[runs] - starts[runs]).astype(np.float64)
        pixels = lengths.sum()
        middles = (starts[runs] + ends[runs] - 1) / 2
        x = middles - (lengths @ middles) / pixels
        y = rows[runs] - (lengths @ rows[runs]) / pixels
        spread = lengths @ (x**2 + (lengths**2 - 1) / 12)
        found.append(
            Area(
                int(starts[runs].min()),
                int(rows[runs].min()),
                int(ends[runs].max()),
                int(rows[runs].max()) + 1,
                float(weights[runs].sum() / pixels),
                float(lengths @ (x * y) / spread) if spread else 0.0,
            )
        )
    return found


def in_order(lines: list[TextLine]) -> list[TextLine]:
    """Return lines in reading order: column by column, and the parts of a line from left to right.

    A page is split at a white strip: at a vertical one if it separates columns, otherwise at a
    horizontal one. Each part is split in the same way.
    """
    if len(lines) < 2:
        return lines
    high = float(np.median([min(line.box.bottom - line.box.top, 200) for line in lines]))
    beside = gaps([(line.box.left, line.box.right) for line in lines])
    widest = max(beside, key=lambda gap: gap[1] - gap[0], default=None)
    if widest is not None and widest[1] - widest[0] >= high and len(lines) > 3:
        first = [line for line in lines if line.box.right <= widest[0]]
        rest = [line for line in lines if line.box.right > widest[0]]
        if min(len(first), len(rest)) > 1 and are_columns(first, rest):
            return in_order(first) + in_order(rest)
    below = gaps([(line.box.top, line.box.bottom) for line in lines])
    widest = max(below, key=lambda gap: gap[1] - gap[0], default=None)
    if widest is not None:
        upper = [line for line in lines if line.box.bottom <= widest[0]]
        lower = [line for line in lines if line.box.bottom > widest[0]]
        return in_order(upper) + in_order(lower)
    return rowwise(lines, high)


def are_columns(first: list[TextLine], rest: list[TextLine]) -> bool:
    """Return whether two groups of lines are columns of text, not table cells. They are columns if
    more than one in five lines of the first group has no line beside it, or if the lines of the
    first group have more than 20 characters on average.
    """
    level = 0
    for line in first:
        middle = (line.box.top + line.box.bottom) / 2
        tolerance = (line.box.bottom - line.box.top) / 4
        level += any(
            abs((other.box.top + other.box.bottom) / 2 - middle) <= tolerance for other in rest
        )
    texts = sum(len(line.text) for line in first) / len(first)
    return level < 0.8 * len(first) or texts > 20


def gaps(spans: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the gaps that no span covers."""
    found: list[tuple[float, float]] = []
    reached = None
    for start, end in sorted(spans):
        if reached is not None and start > reached:
            found.append((reached, start))
        reached = end if reached is None else max(reached, end)
    return found


def rowwise(lines: list[TextLine], high: float) -> list[TextLine]:
    """Return lines from top to bottom, with those at the same height from left to right."""
    rows: list[list[TextLine]] = []
    for line in sorted(lines, key=lambda one: (one.box.top + one.box.bottom) / 2):
        middle = (line.box.top + line.box.bottom) / 2
        if rows and middle - (rows[-1][0].box.top + rows[-1][0].box.bottom) / 2 < high / 2:
            rows[-1].append(line)
        else:
            rows.append([line])
    return [line for row in rows for line in sorted(row, key=lambda one: one.box.left)]


FINDER, READER = "find.onnx", "read.onnx"


class OcrCredentials(BaseModel):
    """A folder with find.onnx and read.onnx, and the number of threads."""

    model_path: Path
    n_threads: int = Field(default=2, ge=0)
    device: Device = "auto"


_loaded: dict[str, PageReader] = {}
_lock = threading.Lock()


class OnnxOcr(OcrModel):
    """Reads pictures with two graphs in a folder: one finds lines and the other reads them."""

    def devices(self) -> list[str]:
        """Return the devices of ONNX Runtime, best first."""
        return onnx_devices()

    def validate_credentials(self, model: str, credentials: dict[str, Any]) -> None:
        """Check that the folder holds graphs that can be loaded."""
        with validating():
            self._reader(credentials)

    @property
    def _invoke_error_mapping(self) -> dict[type[InvokeError], list[type[Exception]]]:
        return {InvokeBadRequestError: [ValueError, TypeError]}

    def _invoke(
        self, model: str, credentials: dict[str, Any], width: int, height: int, pixels: bytes
    ) -> OcrResult:
        picture = np.frombuffer(pixels, dtype=np.uint8).reshape(height, width)
        lines = self._reader(credentials).read(picture)
        found = [
            OcrLine(
                text=text,
                score=score,
                box=(float(box.left), float(box.top), float(box.right), float(box.bottom)),
            )
            for text, score, box in lines
        ]
        return OcrResult(model=model, lines=found)

    def _reader(self, credentials: dict[str, Any]) -> PageReader:
        try:
            wanted = OcrCredentials.model_validate(credentials)
        except ValidationError as error:
            raise InvokeBadRequestError(
                f"These settings are not usable: {error.errors()[0]['msg']}."
            ) from error
        key = str(wanted.model_dump())
        with _lock:
            if key not in _loaded:
                _loaded[key] = load(wanted)
            return _loaded[key]


def load(wanted: OcrCredentials) -> PageReader:
    """Load both graphs.

    Raises: InvokeBadRequestError if files are missing or damaged.
    """
    for name in (FINDER, READER):
        if not (wanted.model_path / name).is_file():
            raise InvokeBadRequestError(
                f"{name} is missing from {wanted.model_path}.",
                "Download the model again: deskpilot models pull.",
            )

    def damaged(error: Exception) -> InvokeBadRequestError:
        return InvokeBadRequestError(
            f"The model in {wanted.model_path} cannot be loaded: {error}",
            "Its file is damaged; remove the folder and download the model again.",
        )

    with native_errors(damaged, OSError, RuntimeError, ValueError, KeyError):
        finder, reader = (
            open_session(wanted.model_path / name, wanted.n_threads, wanted.device, thrifty=True)
            for name in (FINDER, READER)
        )
        return PageReader(finder, reader)
