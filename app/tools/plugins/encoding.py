"""Write a call as a request: every style OpenAPI has for path, query, header, cookie and body."""

from __future__ import annotations

import json
import uuid
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import quote, urlencode

from app.domain.errors import ToolError

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.tools.plugins.operations import Operation, Parameter

DELIMITERS = {"form": ",", "spaceDelimited": "%20", "pipeDelimited": "|"}
RESERVED = (  # of those that may stand in a query unescaped, those that do not end a value
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


def escaped(value: Any) -> str:
    """Return a plain value as it may stand in an address."""
    return quote(text_of(value), safe="")


def pairs_of(value: dict[str, Any], write: Callable[[Any], str], between: str, equals: str) -> str:
    """Return the fields of an object in one piece."""
    return between.join(f"{write(k)}{equals}{write(v)}" for k, v in value.items())


def in_path(parameter: Parameter, value: Any) -> str:
    """Return a value as it stands in a path: simple, label or matrix.

    Raises: ToolError for a value that would lead to another path.
    """
    if text_of(value) in ("", ".", ".."):
        raise ToolError(f"{parameter.name} cannot be {text_of(value)!r}.", "Give it a value.")
    name, label, matrix = (
        quote(parameter.name, safe=""),
        parameter.style == "label",
        parameter.style == "matrix",
    )
    start = "." if label else ""
    between = ("." if label else ";" if matrix else ",") if parameter.explode else ","
    if isinstance(value, list):
        parts = [escaped(one) for one in value]
        if matrix and parameter.explode:
            return "".join(f";{name}={part}" for part in parts)
        return (f";{name}=" if matrix else start) + between.join(parts)
    if isinstance(value, dict):
        if matrix and parameter.explode:
            return ";" + pairs_of(value, escaped, ";", "=")
        equals = "=" if parameter.explode else ","
        return (f";{name}=" if matrix else start) + pairs_of(value, escaped, between, equals)
    return (f";{name}=" if matrix else start) + escaped(value)


def in_query(parameter: Parameter, value: Any) -> list[str]:
    """Return a value as the pieces of a query, or of a cookie: form, spaceDelimited, pipeDelimited,
    deepObject.
    """
    safe = RESERVED if parameter.reserved else ""

    def write(one: Any) -> str:
        return quote(text_of(one), safe=safe)

    name = quote(parameter.name, safe="")
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
    """Return an object as name[field]=value, as deep as it goes."""
    if isinstance(value, dict):
        return [piece for k, v in value.items() for piece in deep(f"{name}[{write(k)}]", v, write)]
    if isinstance(value, list):
        return [f"{name}={write(one)}" for one in value]
    return [f"{name}={write(value)}"]


def in_header(parameter: Parameter, value: Any) -> str:
    """Return a value as a header.

    Raises: ToolError for one that could smuggle in another header, or that headers cannot hold.
    """
    if isinstance(value, list):
        text = ",".join(map(text_of, value))
    elif isinstance(value, dict):
        text = pairs_of(value, text_of, ",", "=" if parameter.explode else ",")
    else:
        text = text_of(value)
    if not text.isascii() or not text.isprintable():
        raise ToolError(
            f"{parameter.name} goes into a header, which holds letters of ASCII only.",
            "Write it so.",
        )
    return text


def body_of(operation: Operation, given: dict[str, Any]) -> tuple[bytes | None, str]:
    """Return the body of a call and its media type; neither where nothing is sent."""
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
        return urlencode(fields).encode(), media
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
    """Return fields as a form of several parts."""
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
            made += head.encode() + text_of(one).encode("utf-8", "replace") + b"\r\n"
    made += f"--{boundary}--\r\n".encode()
    return bytes(made), f"multipart/form-data; boundary={boundary}"
