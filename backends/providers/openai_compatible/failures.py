"""Convert a server's failures to our errors."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any, NamedTuple, cast

import httpx

from backends.flexai.errors import (
    BY_NAME,
    ContextLengthError,
    InvokeAuthorizationError,
    InvokeBadRequestError,
    InvokeConnectionError,
    InvokeError,
    InvokeRateLimitError,
    InvokeServerUnavailableError,
)


def rows_of(answer: dict[str, Any], *names: str) -> list[dict[str, Any]]:
    """Return the list of objects in an answer, under the first of these names that the answer
    contains; empty if it contains none of them.
    """
    for name in names:
        rows: Any = answer.get(name)
        if isinstance(rows, list) and all(isinstance(row, dict) for row in rows):
            return rows
    return []


def number(value: Any) -> int | None:
    """Return a count that a server reports, or None if the value is not a count."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def noted(answer: dict[str, Any]) -> list[str]:
    """Return the notes that another Deskpilot service adds to a result; empty for other servers."""
    note = answer.get("note")
    return [note] if isinstance(note, str) and note else []


class FailureKind(NamedTuple):
    """A kind of failure: our error class, what happened (the text that follows the server's
    address), and what to do.
    """

    ours: type[InvokeError]
    what: str
    remedy: str


TOO_LONG = "context_length_exceeded"
SHORTER = "Start a new conversation or attach less."
AGAIN = "Try again in a moment."
ADDRESS = "Check its address, and that it runs."

EXCEPTIONS: dict[type[Exception], FailureKind] = {
    httpx.ConnectError: FailureKind(InvokeConnectionError, "cannot be reached", ADDRESS),
    httpx.ConnectTimeout: FailureKind(
        InvokeConnectionError, "did not accept the connection in time", ADDRESS
    ),
    httpx.ReadTimeout: FailureKind(
        InvokeConnectionError,
        "stopped sending data",
        f"{AGAIN} If the server is slow, increase the timeout.",
    ),
    httpx.WriteTimeout: FailureKind(InvokeConnectionError, "stopped reading the request", AGAIN),
    httpx.PoolTimeout: FailureKind(InvokeConnectionError, "had no free connection", AGAIN),
    httpx.ProxyError: FailureKind(
        InvokeConnectionError, "cannot be reached through the proxy", "Check the proxy."
    ),
    httpx.TransportError: FailureKind(InvokeConnectionError, "closed the connection", AGAIN),
    OSError: FailureKind(InvokeConnectionError, "closed the connection", AGAIN),
    httpx.LocalProtocolError: FailureKind(
        InvokeBadRequestError, "does not accept this request", "Check address and key."
    ),
    httpx.UnsupportedProtocol: FailureKind(
        InvokeBadRequestError, "has no usable address", "Check its address."
    ),
    httpx.InvalidURL: FailureKind(
        InvokeBadRequestError, "has no usable address", "Check its address."
    ),
    httpx.DecodingError: FailureKind(
        InvokeServerUnavailableError, "sent data that cannot be decompressed", AGAIN
    ),
}

KEY = "Check the key and what it allows."
QUOTA = "Wait a little, or check the quota."
REQUEST = "Check the model's name, the input and the parameters."
STATUSES: dict[int, FailureKind] = {
    401: FailureKind(InvokeAuthorizationError, "refused the key", KEY),
    402: FailureKind(InvokeRateLimitError, "requires payment first", "Check the quota."),
    403: FailureKind(InvokeAuthorizationError, "does not allow this", KEY),
    404: FailureKind(
        InvokeBadRequestError,
        "does not have this",
        "Check the address, which often ends in /v1, and the model's name.",
    ),
    407: FailureKind(
        InvokeAuthorizationError, "is behind a proxy that requires a password", "Check the proxy."
    ),
    408: FailureKind(InvokeConnectionError, "timed out waiting for the request", AGAIN),
    413: FailureKind(
        InvokeBadRequestError, "does not accept anything this large", "Send less at a time."
    ),
    425: FailureKind(InvokeServerUnavailableError, "is not ready", AGAIN),
    429: FailureKind(InvokeRateLimitError, "accepts no more requests now", QUOTA),
    499: FailureKind(InvokeConnectionError, "closed the connection", AGAIN),
}
CLASSES: dict[int, FailureKind] = {
    3: FailureKind(InvokeBadRequestError, "has moved", "Enter its new address."),
    4: FailureKind(InvokeBadRequestError, "could not accept the request", REQUEST),
    5: FailureKind(InvokeServerUnavailableError, "is not available", AGAIN),
}
NAMES: dict[str, int] = {  # the names that servers use for errors without a number
    "authentication_error": 401,
    "invalid_api_key": 401,
    "permission_error": 403,
    "insufficient_quota": 429,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "too_many_requests": 429,
    "invalid_request_error": 400,
    "badrequesterror": 400,
    "context_length_exceeded": 400,
    "model_not_found": 404,
    "notfounderror": 404,
    "server_error": 500,
    "internal_error": 500,
    "overloaded_error": 503,
    "service_unavailable": 503,
}
LONGEST = 400  # maximum length of a server's message, in characters


class ServerError(NamedTuple):
    """A server's description of an error: message, number, name and remedy. Missing parts are
    empty, or 0 for the number.
    """

    words: str = ""
    number: int = 0
    name: str = ""
    remedy: str = ""


def mapping() -> dict[type[InvokeError], list[type[Exception]]]:
    """Return the library exceptions that correspond to each of our errors."""
    half_a_character: type[Exception] = (
        UnicodeEncodeError  # a lone surrogate, which JSON cannot carry
    )
    made: dict[type[InvokeError], list[type[Exception]]] = {
        InvokeBadRequestError: [half_a_character]
    }
    for kind, row in EXCEPTIONS.items():
        made.setdefault(row.ours, []).append(kind)
    return made


def of_exception(error: Exception, host: str) -> InvokeError:
    """Return our error for a library exception. The row for the most specific class is used."""
    kinds = [kind for kind in type(error).__mro__ if kind in EXCEPTIONS]
    row = EXCEPTIONS[cast("type[Exception]", kinds[0])]
    detail = f": {error}" if str(error) else ""
    return row.ours(f"The server at {host} {row.what}{detail}.", row.remedy)


def of_status(status: int, told: ServerError, host: str, wait: str = "") -> InvokeError:
    """Return our error for an HTTP status and the server's description.

    wait: the value of the Retry-After header, in seconds or as a date.
    """
    ours = BY_NAME.get(told.name)
    if ours is not None and issubclass(ours, InvokeError):  # from another Deskpilot service
        words = told.words.removesuffix(told.remedy).strip()
        return ours(f"The server at {host}: {words}", told.remedy or remedies(ours))
    row = STATUSES.get(status) or CLASSES.get(status // 100) or CLASSES[5]
    if told.name.lower() == TOO_LONG:
        row = FailureKind(ContextLengthError, "does not accept a conversation this long", SHORTER)
    said = f": {told.words.rstrip('.')}" if told.words else ""
    remedy = row.remedy
    if wait:
        span = f"{wait} seconds" if wait.isdecimal() else f"until {wait}"
        remedy = f"The server asks you to wait {span}."
    return row.ours(f"The server at {host} {row.what} ({status}){said}.", remedy)


def of_event(event: dict[str, Any], host: str) -> InvokeError | None:
    """Return the error in an event of a stream, or None if the event is not an error."""
    if not event.get("error") and event.get("object") != "error":
        return None
    told = read(event)
    number = told.number or NAMES.get(told.name.lower(), 0)
    return of_status(number if 300 <= number < 600 else 500, told, host)


def strange(host: str, what: str) -> InvokeServerUnavailableError:
    """Return the error for an answer that does not conform to this API. what: what was received
    instead.
    """
    return InvokeServerUnavailableError(
        f"The server at {host} did not answer as an OpenAI-style server does: {what}.",
        "Check the address, which often ends in /v1, and any proxy on the way.",
    )


def read_body(body: bytes) -> ServerError:
    """Return the error described in a body; it is empty for a web page."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        text = body.decode("utf-8", "replace").strip()
        return ServerError("" if text.startswith("<") else short(text))
    return (
        read(cast("dict[str, Any]", value))
        if isinstance(value, dict)
        else ServerError(short(str(value)))
    )


def read(value: dict[str, Any]) -> ServerError:
    """Return an error in any of the formats that servers use: OpenAI's, a flat one, FastAPI's, or
    plain text.
    """
    inner = value.get("error")
    error: Any = inner if isinstance(inner, dict | str) and inner else value
    if isinstance(error, str):
        return ServerError(short(error))
    words = error.get("message") or error.get("detail") or ""
    if isinstance(words, list) and words and isinstance(words[0], dict):
        first = cast("dict[str, Any]", words[0])
        words = f"{'.'.join(map(str, first.get('loc', [])))}: {first.get('msg', '')}"
    code, number = error.get("code"), 0
    for given in (code, error.get("status"), error.get("status_code")):
        with suppress(TypeError, ValueError):
            number = number or int(given)
    name = error.get("type") if isinstance(error.get("type"), str) else ""
    if isinstance(code, str) and code.lower() in NAMES:
        name = code
    remedy = error.get("remedy")
    return ServerError(
        short(str(words)), number, name or "", short(remedy) if isinstance(remedy, str) else ""
    )


def remedies(ours: type[InvokeError]) -> str:
    """Return the default remedy for one of our errors."""
    rows = (*STATUSES.values(), *CLASSES.values())
    return next((row.remedy for row in rows if row.ours is ours), AGAIN)


def short(text: str) -> str:
    """Return the start of a server's message on one line."""
    text = " ".join(text.split())
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} …"
