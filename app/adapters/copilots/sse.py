"""Read server-sent events from bytes, following the WHATWG rules."""

from __future__ import annotations

from dataclasses import dataclass

BOM = b"\xef\xbb\xbf"


class OversizedEvent(ValueError):
    """An event exceeded the size limit, so the peer is broken or hostile."""


@dataclass(frozen=True)
class ServerEvent:
    """A dispatched event.

    name: the `event:` field; `message` if it is absent. data: the `data:` lines joined by line
    feeds.
    """

    name: str
    data: str


class EventReader:
    """Turns chunks of bytes, which may be split at any point, into events.

    Lines end only in CR, LF or CRLF. U+2028 may appear unescaped inside JSON here, so the bytes are
    split before they are decoded.

    limit_bytes: the size above which an event raises `OversizedEvent`.
    """

    def __init__(self, limit_bytes: int = 16 * 1024 * 1024) -> None:
        self._limit = limit_bytes
        self._line = bytearray()
        self._name = ""
        self._data: list[str] = []
        self._size = 0
        self._after_cr = False
        self._started = False

    def feed(self, chunk: bytes) -> list[ServerEvent]:
        """Add the next bytes, and return the events that they complete."""
        events: list[ServerEvent] = []
        if self._after_cr and chunk:
            self._after_cr = False
            if chunk.startswith(b"\n"):
                chunk = chunk[1:]
        pieces = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        self._after_cr = self._after_cr or chunk.endswith(b"\r")
        for piece in pieces[:-1]:
            self._take(piece)
            event = self._end_line()
            if event is not None:
                events.append(event)
        self._take(pieces[-1])
        return events

    def unfinished(self) -> bool:
        """Return whether the stream ended inside an event; according to the rules, such an event is
        dropped.
        """
        return bool(self._line or self._data or self._name)

    def _take(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size > self._limit:
            raise OversizedEvent(f"an event of more than {self._limit} bytes")
        self._line += piece

    def _end_line(self) -> ServerEvent | None:
        line, self._line = bytes(self._line), bytearray()
        if not self._started:
            self._started = True
            line = line.removeprefix(BOM)
        if not line:
            return self._dispatch()
        if line.startswith(b":"):  # a comment, such as the ping that keeps the connection open
            self._size -= len(line)
            return None
        field, _, value = line.decode("utf-8", errors="replace").partition(":")
        value = value.removeprefix(" ")
        if field == "event":
            self._name = value
        elif field == "data":
            self._data.append(value)
        return None

    def _dispatch(self) -> ServerEvent | None:
        name, data = self._name or "message", self._data
        self._name, self._data, self._size = "", [], 0
        return ServerEvent(name, "\n".join(data)) if data else None
