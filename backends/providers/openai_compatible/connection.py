"""The connection to a server: requests and answers with limits on time and size, and
cancellation.

The base class of all remote models handles settings, errors and prices.
"""

from __future__ import annotations

import json
import socket
import ssl
import threading
import time
from abc import abstractmethod
from contextlib import contextmanager, suppress
from decimal import Decimal
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any, cast

import httpx

from backends.flexai.entities import AIModelEntity, ModelType, PriceConfig
from backends.flexai.errors import (
    CredentialsValidateFailedError,
    FlexAIError,
    InvokeBadRequestError,
    InvokeCancelledError,
    InvokeConnectionError,
    InvokeError,
)
from backends.flexai.models import AIModel
from backends.flexai.models.ai_model import flag_of_call
from backends.providers.openai_compatible import failures
from backends.providers.openai_compatible.failures import mapping, rows_of
from backends.providers.openai_compatible.settings import ServerSettings, read_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator
    from types import TracebackType


LONGEST = 8_000_000  # maximum size of an event in bytes
FIELDS = (b"data:", b"event:", b"id:", b"retry:", b":")  # the possible starts of an event
LONGEST_FIELD = 6


class TooLong(Exception):
    """An event exceeds the size limit."""


class Absent(Exception):
    """The server does not have the route."""


def data_of(chunks: Iterable[bytes]) -> Iterator[str]:
    """Yield the data of each complete event; an incomplete event at the end is dropped.

    Raises: TooLong.
    """
    data: list[bytes] = []
    size = 0
    for line in lines(chunks):
        size += len(line)
        if size > LONGEST:
            raise TooLong
        if not line:
            if data:
                yield b"\n".join(data).decode("utf-8", "replace")
            data, size = [], 0
        elif line.startswith(b"data:"):
            data.append(line[5:].removeprefix(b" "))


def lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    r"""Yield lines without their line endings: \n, \r\n or \r only, since JSON may contain U+2028.

    Raises: TooLong.
    """
    held, after_return = b"", False
    for chunk in chunks:
        if after_return and chunk.startswith(b"\n"):
            chunk = chunk[1:]
        if chunk:
            after_return = chunk.endswith(b"\r")
        parts = (held + chunk).replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        held = parts.pop()
        if len(held) > LONGEST:
            raise TooLong
        yield from parts


STEP_SECONDS = 0.02


class Watch:
    """Watches the exchange with a server while the block runs. limit: maximum number of seconds
    without activity.
    """

    def __init__(self, limit: float) -> None:
        self._limit = limit
        self._flag = flag_of_call()
        self._last = time.monotonic()
        self._done = threading.Event()
        self._socket: socket.socket | None = None
        self._stopped = self._late = False
        self._thread = threading.Thread(target=self._look, name="watch a server", daemon=True)

    def __enter__(self) -> Watch:
        """Start watching."""
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop watching."""
        self._done.set()
        self._thread.join()

    def see(self, event: str, info: dict[str, Any]) -> None:
        """Follow the connection; the library's `trace` extension calls this."""
        if event.endswith(("connect_tcp.complete", "start_tls.complete")):
            self._socket = info["return_value"].get_extra_info("socket")
            if self._stopped or self._late:
                self._cut()

    def renew(self) -> None:
        """Record activity."""
        self._last = time.monotonic()

    def hasten(self, limit: float) -> None:
        """From now on, use a shorter time limit. limit: in seconds."""
        self._limit = min(self._limit, limit)

    def check(self, host: str) -> None:
        """Raise the error that says why the connection was cut, if it was cut.

        Raises: InvokeCancelledError, InvokeConnectionError.
        """
        if self._stopped:
            raise InvokeCancelledError("The call was stopped.")
        if self._late:
            raise InvokeConnectionError(
                f"The server at {host} has sent nothing useful for {self._limit:g} seconds.",
                "Try again in a moment. If the server is slow, increase the timeout in the "
                "provider's settings.",
            )

    def _look(self) -> None:
        while not self._done.wait(STEP_SECONDS):
            self._stopped = self._flag.is_set()
            self._late = time.monotonic() - self._last > self._limit
            if self._stopped or self._late:
                self._cut()
                return

    def _cut(self) -> None:
        if self._socket is not None:
            with suppress(OSError):  # already closed
                # not the object's own method: for TLS, that would change state that the reading
                # thread is using
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)


CONNECT_SECONDS = 10.0
MOST_JSON = 128_000_000  # in bytes; a thousand long vectors take up about 60 MB
NO_ROUTE = (404, 405, 501)
AFTER_SECONDS = 10.0  # maximum wait for the usage after the finish reason
MOST_ERROR = 65_536
HIDDEN = "…"
TYPES = {kind.value: kind.value for kind in ModelType}


class Peer:
    """Sends requests to a server; each uses its own connection."""

    def __init__(self, settings: ServerSettings) -> None:
        self._settings = settings
        self._host = settings.host

    def models(self) -> list[str]:
        """Return the names of the models that the server lists.

        Raises: InvokeError.
        """
        return [name for name, _ in self.typed_models()]

    def typed_models(self) -> list[tuple[str, str | None]]:
        """Return the models that the server lists, each with its type, if the server reports types.

        The result is empty if the server has no such list, as is often the case with agents that
        use this API. Raises: InvokeError.
        """
        try:
            told = self._json("GET", f"{self._settings.base_url}/models", may_lack=True)
        except Absent:
            return []
        rows = told.get("data")
        if not isinstance(rows, list):
            raise self.strange("it lists no models")
        found = [row for row in cast("list[Any]", rows) if isinstance(row, dict) and "id" in row]
        return [(str(row["id"]), TYPES.get(str(row.get("type")))) for row in found]

    def post(self, path: str, body: dict[str, Any], *, root: bool = False) -> dict[str, Any]:
        """Return the answer to a request. root: whether the path is relative to the server's root.

        Raises: InvokeError.
        """
        start = self._settings.root if root else self._settings.base_url
        return self._json("POST", start + path, json=body)

    def upload(self, path: str, form: dict[str, Any], file: tuple[str, bytes]) -> dict[str, Any]:
        """Return the answer to a form with a file. The file is given as its name and bytes.

        Raises: InvokeError.
        """
        return self._json("POST", self._settings.base_url + path, data=form, files={"file": file})

    def events(
        self, path: str, body: dict[str, Any], on_whole: Callable[[], None]
    ) -> Generator[dict[str, Any]]:
        """Yield the events of a streamed answer. A server that does not stream sends a single
        event.

        Streams are recognised by their first field, because some servers send a wrong content type.
        on_whole: called once the server has marked the end, with an event or with the end of the
        body. Closing the generator ends the exchange, and with it the server's work. Raises:
        InvokeError, either immediately or later.
        """
        with self._answer("POST", self._settings.base_url + path, json=body) as (response, watch):
            first, pieces = begun(response.iter_bytes())
            kind = response.headers.get("content-type", "")
            if "event-stream" not in kind and not first.startswith(FIELDS):
                yield self._read(kind, pieces)
                on_whole()
                return
            try:
                for data in data_of(pieces):
                    watch.renew()
                    if data.strip() == "[DONE]":
                        on_whole()
                        return
                    event = self._object(data)
                    error = failures.of_event(event, self._host)
                    if error is not None:
                        raise self.hidden(error)
                    if any(row.get("finish_reason") for row in rows_of(event, "choices")):
                        watch.hasten(AFTER_SECONDS)
                    yield event
            except TooLong as error:
                raise self.strange("an event of its stream does not end") from error
            if {"transfer-encoding", "content-length"} & response.headers.keys():
                on_whole()  # otherwise an error would have been raised

    def sound(self, path: str, body: dict[str, Any]) -> Generator[bytes]:
        """Yield the bytes of audio as they arrive.

        Raises: InvokeError, either immediately or later.
        """
        with self._answer("POST", self._settings.base_url + path, json=body) as (response, watch):
            kind = response.headers.get("content-type", "")
            if kind.startswith("text/") or "json" in kind:
                raise self.strange(f"it sent {kind} for a sound")
            for piece in response.iter_bytes():
                watch.renew()
                yield piece

    def strange(self, what: str) -> FlexAIError:
        """Return the error for an answer that does not conform to this API."""
        return failures.strange(self._host, what)

    def _json(
        self, method: str, url: str, *, may_lack: bool = False, **content: Any
    ) -> dict[str, Any]:
        with self._answer(method, url, may_lack=may_lack, **content) as (response, _):
            value = self._read(response.headers.get("content-type", ""), response.iter_bytes())
        error = failures.of_event(value, self._host)
        if error is not None:
            raise self.hidden(error)
        return value

    def _read(self, kind: str, pieces: Iterable[bytes]) -> dict[str, Any]:
        if "html" in kind:
            raise self.strange(f"it sent a web page ({kind})")
        return self._object(taken(pieces, MOST_JSON, self))

    def _object(self, text: str | bytes) -> dict[str, Any]:
        try:
            value = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise self.strange(f"its answer is not JSON ({short(text)!r})") from error
        if not isinstance(value, dict):
            raise self.strange(f"its answer is not a JSON object ({short(text)!r})")
        return cast("dict[str, Any]", value)

    @contextmanager
    def _answer(
        self, method: str, url: str, *, may_lack: bool = False, **content: Any
    ) -> Generator[tuple[httpx.Response, Watch]]:
        """Yield a successful response, and its watch.

        may_lack: whether to raise Absent if the server does not have the route.
        """
        settings = self._settings
        headers = {"Accept-Encoding": "identity"}
        if settings.api_key:
            headers["Authorization"] = f"Bearer {settings.api_key}"
        if settings.api_version:
            content["params"] = {"api-version": settings.api_version}
            headers["api-key"] = settings.api_key
        with Watch(settings.timeout) as watch:
            try:
                with (
                    httpx.Client(
                        timeout=httpx.Timeout(
                            settings.timeout, connect=min(CONNECT_SECONDS, settings.timeout)
                        ),
                        trust_env=not settings.is_local,
                        verify=certificates(),
                    ) as client,
                    client.stream(
                        method, url, headers=headers, extensions={"trace": watch.see}, **content
                    ) as response,
                ):
                    if may_lack and response.status_code in NO_ROUTE:
                        raise Absent
                    if not response.is_success:
                        raise self._failure(response)
                    yield response, watch
            except FlexAIError:
                watch.check(self._host)  # a truncated answer looks like an invalid one
                raise
            except tuple(failures.EXCEPTIONS) as error:
                watch.check(self._host)
                raise self.hidden(failures.of_exception(error, self._host)) from error
            watch.check(self._host)  # a cut connection can look like the end of an answer

    def _failure(self, response: httpx.Response) -> FlexAIError:
        told = failures.read_body(taken(response.iter_bytes(), MOST_ERROR, None))
        if response.has_redirect_location:
            told = failures.ServerError(f"to {response.headers['location']}")
        wait = failures.short(response.headers.get("retry-after", ""))
        return self.hidden(failures.of_status(response.status_code, told, self._host, wait))

    def hidden(self, error: FlexAIError) -> FlexAIError:
        """Return an error with the key removed, because some servers repeat it in their
        messages.
        """
        key = self._settings.api_key
        if not key or key not in error.text:
            return error
        return type(error)(error.text.replace(key, HIDDEN), error.remedy)


def begun(pieces: Iterator[bytes]) -> tuple[bytes, Iterator[bytes]]:
    """Return the first bytes of a body, without leading whitespace, and the whole body."""
    held = b""
    while len(held.lstrip()) < LONGEST_FIELD and (piece := next(pieces, b"")):
        held += piece
    return held.lstrip(), chain([held], pieces)


def taken(pieces: Iterable[bytes], most: int, peer: Peer | None) -> bytes:
    """Return the body. A body that is too long is cut, or rejected with an error if a peer is
    given.
    """
    body = bytearray()
    for piece in pieces:
        body += piece
        if len(body) > most:
            if peer is not None:
                raise peer.strange(f"its answer has more than {most / 1e6:.0f} MB")
            break
    return bytes(body[:most])


def short(text: str | bytes) -> str:
    """Return the start of a text that was not expected."""
    return failures.short(text.decode("utf-8", "replace") if isinstance(text, bytes) else text)[:60]


@cache
def certificates() -> ssl.SSLContext:
    """Return the certificates to trust. They are read only once, because reading them takes a
    while.
    """
    return httpx.create_ssl_context()


MILLIONTH = Decimal("0.000001")
SHOWN = 8  # number of model names that a sentence lists


class Remote(AIModel):
    """A model on a server."""

    @abstractmethod
    def try_out(self, model: str, credentials: dict[str, Any]) -> None:
        """Make the smallest call that proves that the model works.

        Raises: InvokeError.
        """

    def validate_credentials(self, model: str, credentials: dict[str, Any]) -> None:
        """Check that the model answers; the server may first have to load it."""
        try:
            self.try_out(model, credentials)
        except InvokeBadRequestError as error:
            there = self._listed(credentials)
            raise CredentialsValidateFailedError(error.text, there or error.remedy) from error
        except InvokeError as error:
            raise CredentialsValidateFailedError(error.text, error.remedy) from error

    def get_customizable_model_schema(
        self, model: str, credentials: dict[str, Any]
    ) -> AIModelEntity | None:
        """Return the schema that the credentials describe."""
        settings = self.settings(credentials)
        return self.customizable(
            model,
            pricing=PriceConfig(
                input=settings.input_price,
                output=settings.output_price,
                unit=MILLIONTH,
                currency=settings.currency,
            ),
            **self.described(settings),
        )

    def described(self, settings: ServerSettings) -> dict[str, Any]:
        """Return additional fields for the schema of this model type."""
        return {}

    def settings(self, credentials: dict[str, Any]) -> ServerSettings:
        """Return the settings given by the credentials.

        Raises: CredentialsValidateFailedError.
        """
        return read_settings(credentials, self.model_type)

    @property
    def _invoke_error_mapping(self) -> dict[type[InvokeError], list[type[Exception]]]:
        return mapping()

    def _listed(self, credentials: dict[str, Any]) -> str:
        """Return a sentence that names the models on the server; empty if the server lists none."""
        try:
            names = Peer(self.settings(credentials)).models()
        except InvokeError:
            return ""
        shown = ", ".join(names[:SHOWN]) + (" …" if len(names) > SHOWN else "")
        return f"It lists: {shown}." if names else ""
