"""Make one plugin call. It is encoded in any of OpenAPI's styles, limited, and never repeated if it
writes. Its result is reported unchanged.
"""

from __future__ import annotations

import asyncio
import json
import uuid
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import quote, urlencode, urlsplit

from app.domain.errors import ToolError
from app.domain.tool import ToolAnswer, shown
from app.tools.web import NoWebAnswer, WebRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from app.tools.plugins.operations import Operation, OperationParameter
    from app.tools.web import Web, WebResponse

DELIMITERS = {"form": ",", "spaceDelimited": "%20", "pipeDelimited": "|"}
RESERVED = (  # characters that may be unescaped in a query and do not end a value
    ":/?@!$'()*,;"
)


def request_of(
    operation: Operation, given: dict[str, Any]
) -> tuple[str, dict[str, str], bytes | None]:
    """Return the address, the headers and the body of a call.

    Raises: ToolError for a value that cannot be sent.
    """
    url, query, headers, cookies = operation.url, list[str](), dict[str, str](), list[str]()
    for parameter in operation.parameters:
        if parameter.flat not in given:
            continue
        value = given[parameter.flat]
        if parameter.media:
            value = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        if parameter.place == "path":
            url = url.replace(f"{{{parameter.name}}}", in_path(parameter, value))
        elif parameter.place == "query":
            query += in_query(parameter, value)
        elif parameter.place == "header":
            headers[parameter.name] = in_header(parameter, value)
        else:
            cookies += in_query(parameter, value)
    if {".", ".."} & set(urlsplit(url).path.split("/")) - set(
        urlsplit(operation.url).path.split("/")
    ):
        raise ToolError(
            f"{operation.name} would be called at another path.", "Specify other values."
        )
    if cookies:
        headers["cookie"] = "; ".join(cookies)
    if query:
        url += ("&" if "?" in url else "?") + "&".join(query)
    content, media = body_of(operation, given)
    if media:
        headers["content-type"] = media
    return url, headers, content


def text_of(value: Any) -> str:
    """Return a plain value as text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return ""
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return str(value)


def quoted(value: Any, safe: str = "") -> str:
    """Return a plain value encoded for an address. An unpaired surrogate becomes `?`."""
    return quote(text_of(value), safe=safe, errors="replace")


def pairs_of(value: dict[str, Any], write: Callable[[Any], str], between: str, equals: str) -> str:
    """Return the fields of an object joined into one text."""
    return between.join(f"{write(k)}{equals}{write(v)}" for k, v in value.items())


def in_path(parameter: OperationParameter, value: Any) -> str:
    """Return a value encoded for a path, in the style simple, label or matrix.

    Raises: ToolError for a value that would lead to another path.
    """
    if text_of(value) in ("", ".", ".."):
        raise ToolError(f"{parameter.name} cannot be {text_of(value)!r}.", "Give it a value.")
    name, label, matrix = (
        quoted(parameter.name),
        parameter.style == "label",
        parameter.style == "matrix",
    )
    start = "." if label else ""
    between = ("." if label else ";" if matrix else ",") if parameter.explode else ","
    if isinstance(value, list):
        parts = [quoted(one) for one in value]
        if matrix and parameter.explode:
            return "".join(f";{name}={part}" for part in parts)
        return (f";{name}=" if matrix else start) + between.join(parts)
    if isinstance(value, dict):
        if matrix and parameter.explode:
            return ";" + pairs_of(value, quoted, ";", "=")
        equals = "=" if parameter.explode else ","
        return (f";{name}=" if matrix else start) + pairs_of(value, quoted, between, equals)
    return (f";{name}=" if matrix else start) + quoted(value)


def in_query(parameter: OperationParameter, value: Any) -> list[str]:
    """Return a value as the parts of a query or cookie, in the style form, spaceDelimited,
    pipeDelimited or deepObject.
    """
    safe = RESERVED if parameter.reserved else ""

    def write(one: Any) -> str:
        return quoted(one, safe)

    name = quoted(parameter.name)
    if isinstance(value, dict):
        if parameter.style == "deepObject":
            return deep(name, value, write)
        if parameter.explode:
            return [f"{write(k)}={write(v)}" for k, v in value.items()]
        between = DELIMITERS.get(parameter.style, ",")
        return [f"{name}={pairs_of(value, write, between, between)}"]
    if isinstance(value, list):
        if parameter.explode:
            return [f"{name}={write(one)}" for one in value]
        return [f"{name}={DELIMITERS.get(parameter.style, ',').join(write(one) for one in value)}"]
    return [f"{name}={write(value)}"]


def deep(name: str, value: Any, write: Callable[[Any], str]) -> list[str]:
    """Return an object as name[field]=value, at any depth."""
    if isinstance(value, dict):
        return [piece for k, v in value.items() for piece in deep(f"{name}[{write(k)}]", v, write)]
    if isinstance(value, list):
        return [f"{name}={write(one)}" for one in value]
    return [f"{name}={write(value)}"]


def in_header(parameter: OperationParameter, value: Any) -> str:
    """Return a value encoded for a header.

    Raises: ToolError for a value that could inject another header, or that headers cannot contain.
    """
    if isinstance(value, list):
        text = ",".join(map(text_of, value))
    elif isinstance(value, dict):
        text = pairs_of(value, text_of, ",", "=" if parameter.explode else ",")
    else:
        text = text_of(value)
    if not text.isascii() or not text.isprintable():
        raise ToolError(
            f"{parameter.name} is sent in a header, which can contain only ASCII characters.",
            "Use ASCII characters only.",
        )
    return text


def body_of(operation: Operation, given: dict[str, Any]) -> tuple[bytes | None, str]:
    """Return the body of a call and its media type. Both are None if nothing is sent."""
    body = operation.body
    if body is None:
        return None, ""
    if body.names is None:
        if body.flat not in given:
            return None, ""
        value = given[body.flat]
    else:
        value = {name: given[flat] for name, flat in body.names.items() if flat in given}
        if not value and not body.needs:
            return None, ""
    media = body.media
    if media == "application/x-www-form-urlencoded" and isinstance(value, dict):
        fields = [
            (k, text_of(one))
            for k, v in value.items()
            for one in (v if isinstance(v, list) else [v])
        ]
        return urlencode(fields, errors="replace").encode(), media
    if media == "multipart/form-data" and isinstance(value, dict):
        return multipart(cast("dict[str, Any]", value))
    if media.startswith("text/") or (isinstance(value, str) and "json" not in media):
        return text_of(value).encode("utf-8", "replace"), (
            f"{media}; charset=utf-8" if media.startswith("text/") else media
        )
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"), (
        media if "json" in media else "application/json"
    )


def multipart(fields: dict[str, Any]) -> tuple[bytes, str]:
    """Return fields as multipart form data."""
    boundary = uuid.uuid4().hex
    made = bytearray()
    for name, value in fields.items():
        for one in value if isinstance(value, list) else [value]:
            kind = "application/json" if isinstance(one, dict) else "text/plain; charset=utf-8"
            safe = name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
            head = (
                f'--{boundary}\r\nContent-Disposition: form-data; name="{safe}"\r\nContent-Type:'
                f" {kind}\r\n\r\n"
            )
            made += (
                head.encode("utf-8", "replace") + text_of(one).encode("utf-8", "replace") + b"\r\n"
            )
    made += f"--{boundary}--\r\n".encode()
    return bytes(made), f"multipart/form-data; boundary={boundary}"


ANSWER_BYTES, SECONDS = 10 * 1024 * 1024, 30.0
AGAIN, PAUSE = 2, 0.4  # retries of a call that only reads, and seconds before the first retry
BUSY = (429, 502, 503, 504)


async def called(
    web: Web,
    operation: Operation,
    parameters: dict[str, Any],
    origins: Mapping[str, str],
    secret: Mapping[str, str],
    *,
    seconds: float = SECONDS,
    pause: float = PAUSE,
) -> ToolAnswer:
    """Return the result of an operation. An HTTP error counts as a failed result.

    Raises: ToolError if the call cannot be sent or its address is not allowed.
    """
    url, headers, content = request_of(operation, parameters)
    asked = WebRequest(url, operation.method.upper(), headers, secret, content)
    tries = 1 if operation.writes else 1 + AGAIN
    for left in reversed(range(tries)):
        try:
            fetched = await web.ask(asked, origins, limit=ANSWER_BYTES, seconds=seconds)
        except NoWebAnswer as error:
            if not left:
                done = (
                    " The call may have been carried out anyway; it was not repeated."
                    if operation.writes
                    else ""
                )
                return ToolAnswer("", failed=True, note=f"{error.text}{done}")
        else:
            if fetched.status not in BUSY or not left:
                return answer_of(operation, fetched)
        await asyncio.sleep(pause * (tries - left))
    raise AssertionError("the last try returns")


def answer_of(operation: Operation, fetched: WebResponse) -> ToolAnswer:
    """Return an operation's answer, as text if it is text."""
    status, kind = fetched.status, fetched.kind
    works = 200 <= status < 300
    notes = (
        []
        if works
        else [f"It returned error {status}{MEANING.get(status, '')}; nothing else is known."]
    )
    if 300 <= status < 400:
        notes = [
            f"It redirects to another address ({status}); calls that make changes do not follow "
            "redirects."
        ]
    if not fetched.whole:
        notes.append(
            f"The answer is larger than {ANSWER_BYTES // 1024**2} MB; only the beginning was read."
        )
    text = words_of(fetched)
    if text is None:
        told = f"{kind or 'unknown type'}, {len(fetched.body):,} bytes"
        notes.append(f"The answer is not text: {told}.")
        pictures = shown([fetched.body] if works and fetched.whole else [])
        return ToolAnswer("", not works, fetched.body, kind, status, " ".join(notes), pictures)
    is_json, value = parsed(text)
    if works and text and "json" in kind and not is_json:
        notes.append("Its answer is declared as JSON but is not valid JSON.")
    if works and is_json and operation.answers:
        # imported here because an idle window validates nothing
        from app.tools.validation import fault

        if wrong := fault(operation.answers, value):
            notes.append(f"The answer does not match the plugin's description: {wrong}.")
    return ToolAnswer(
        text, not works, b"" if fetched.whole else fetched.body, kind, status, " ".join(notes)
    )


MEANING = {
    401: " (it requires authentication)",
    403: " (it refused access)",
    404: " (not found)",
    422: " (it does not accept these values)",
    429: " (too many calls)",
    503: " (the service is not available)",
}


def words_of(fetched: WebResponse) -> str | None:
    """Return an answer as text, or None if it is not text."""
    kind = fetched.kind
    charset = (
        fetched.headers.get("content-type", "").lower().partition("charset=")[2].strip('"; ')
        or "utf-8"
    )
    try:
        text = fetched.body.decode(charset, "strict" if fetched.whole else "replace")
    except (UnicodeDecodeError, LookupError):
        if not (kind.startswith("text/") or "json" in kind):
            return None
        text = fetched.body.decode("utf-8", "replace")
    return None if "\x00" in text else text


def parsed(text: str) -> tuple[bool, Any]:
    """Return whether a text is JSON, and its value."""
    try:
        return True, json.loads(text)
    except (ValueError, RecursionError):
        return False, None
