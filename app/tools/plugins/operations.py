"""The operations of a specification, each with one flat set of parameters."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urljoin

from app.tools.plugins.documents import line_of, read_document, refused
from app.tools.schemas import (
    METHODS,
    NoSuchPart,
    SchemaWriter,
    followed,
    mend_servers,
    mended,
)

if TYPE_CHECKING:
    from app.domain.errors import PluginRefused
    from app.tools.plugins.manifest import PluginManifest

WHAT = "the specification"
READING = ("get", "head", "options")
OURS = {
    "host",
    "authorization",
    "cookie",
    "content-length",
    "content-type",
    "accept",
    "accept-encoding",
    "connection",
    "transfer-encoding",
    "te",
    "upgrade",
    "proxy-authorization",
    "expect",
    "trailer",
    "forwarded",
}
STYLES = {"path": "simple", "query": "form", "header": "simple", "cookie": "form"}
MEDIA = (
    "application/json",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    "text/plain",
)
MOST = 64  # maximum number of operations per plugin


@dataclass(frozen=True)
class OperationParameter:
    """One parameter outside the body. flat: its name in the tool's parameters. media: its media
    type, if it is itself a document.
    """

    flat: str
    name: str
    place: str
    style: str
    explode: bool
    required: bool
    reserved: bool = False
    media: str = ""


@dataclass(frozen=True)
class Body:
    """The body of a call. media: its media type. names: the tool's names for its fields, by the
    fields' own names, or None if it is sent as a whole.

    flat: the tool's name for the whole body in that case. needs: the flat names that are required.
    """

    media: str
    names: dict[str, str] | None
    needs: tuple[str, ...]
    flat: str = "body"


@dataclass(frozen=True)
class Operation:
    """One operation. url: its address including the path, with the path's parameters in braces.
    answers: the schema of a successful response.
    """

    name: str
    method: str
    url: str
    title: str
    about: str
    parameters: tuple[OperationParameter, ...]
    body: Body | None
    input_schema: dict[str, Any] = field(hash=False)
    answers: dict[str, Any] = field(default_factory=dict[str, Any], hash=False)

    @property
    def writes(self) -> bool:
        """Return whether the operation can change something."""
        return self.method not in READING


@dataclass(frozen=True)
class Specification:
    """A specification. title, about: the title and the description of the service. warnings: notes
    about parts that were repaired or simplified.
    """

    title: str
    about: str
    operations: tuple[Operation, ...]
    warnings: tuple[str, ...]


def read_specification(body: bytes, url: str, manifest: PluginManifest) -> Specification:
    """Return the operations of the specification at an address.

    Raises: PluginRefused.
    """
    document, notes = read_document(body, WHAT)
    version = str(document.get("openapi", ""))
    if not version.startswith(("3.0", "3.1")):
        line = line_of(body, "openapi") or line_of(body, "swagger")
        raise refused(
            WHAT,
            line,
            f"its version is {version or document.get('swagger') or 'missing'}; only 3.0 and 3.1"
            " are supported",
        )
    paths = document.get("paths")
    if not isinstance(paths, dict) or not paths:
        raise refused(WHAT, line_of(body, "paths"), "it has no paths")
    warnings = list(notes)
    found: list[Operation] = []
    offered = 0
    for path, raw in paths.items():
        try:
            paths[path] = unshared(followed(document, raw))
        except NoSuchPart as error:
            raise elsewhere(error, body, path) from error
    warnings += mended(document)
    for path, item in paths.items():
        try:
            offered += sum(isinstance(item.get(method), dict) for method in METHODS)
            if len(found) < MOST:
                found += operations_of(document, path, item, url, warnings)
        except NoSuchPart as error:
            raise elsewhere(error, body, path) from error
    if not found:
        raise refused(WHAT, line_of(body, "paths"), "it has no operation")
    if offered > MOST:
        warnings.append(f"only the first {MOST} of {offered} operations are offered")
    info = document.get("info")
    told = cast("dict[str, Any]", info) if isinstance(info, dict) else {}
    return Specification(
        str(told.get("title") or manifest.name),
        str(told.get("description") or ""),
        tuple(found[:MOST]),
        tuple(warnings),
    )


def unshared(item: Any) -> dict[str, Any]:
    """Return a path's own copy of its operations, since several paths may share an operation and
    each needs its own name.
    """
    told = cast("dict[str, Any]", item) if isinstance(item, dict) else {}
    return {key: dict(one) if isinstance(one, dict) else one for key, one in told.items()}


def elsewhere(error: NoSuchPart, body: bytes, path: str) -> PluginRefused:
    """Return the error for a reference that leads out of the document."""
    why = "elsewhere; only parts of the same document are read" if error.is_remote else "nowhere"
    return refused(WHAT, line_of(body, "paths", path), f"{error.reference[:200]} leads {why}")


def operations_of(
    document: dict[str, Any], path: str, item: dict[str, Any], url: str, warnings: list[str]
) -> list[Operation]:
    """Return the operations of one path."""
    made: list[Operation] = []
    for method in METHODS:
        raw = item.get(method)
        if not isinstance(raw, dict):
            continue
        mend_servers(raw, warnings)
        writer = SchemaWriter(document)
        base = server_of(raw, item, document, url)
        parameters, schemas = parameters_of(writer, item, raw)
        body = body_of(writer, raw, schemas)
        required = [p.flat for p in parameters if p.required]
        required += body.needs if body is not None else ()
        schema: dict[str, Any] = {"type": "object", "properties": schemas}
        if required:
            schema["required"] = list(dict.fromkeys(required))
        summary, about = str(raw.get("summary") or ""), str(raw.get("description") or "")
        made.append(
            Operation(
                raw["operationId"],
                method,
                base.rstrip("/") + "/" + path.lstrip("/"),
                summary[:120] or raw["operationId"],
                ". ".join(part.strip().rstrip(".") for part in (summary, about) if part.strip())[
                    :2000
                ],
                tuple(parameters),
                body,
                schema,
                answers_known(document, raw, warnings),
            )
        )
        warnings += [f"{raw['operationId']}: {one}" for one in writer.warnings]
    return made


def server_of(raw: dict[str, Any], item: dict[str, Any], document: dict[str, Any], url: str) -> str:
    """Return the address at which an operation is called: its own server or else the server of its
    path, that of the document, or the document's own address.
    """
    for holder in (raw, item, document):
        listed = holder.get("servers")
        first = listed[0] if isinstance(listed, list) and listed else None
        if isinstance(first, dict) and isinstance(first.get("url"), str):
            told, variables = first["url"], first.get("variables")
            for name, one in (variables if isinstance(variables, dict) else {}).items():
                if isinstance(one, dict):
                    told = told.replace(f"{{{name}}}", str(one.get("default", "")))
            return urljoin(url, told)
    return urljoin(url, "/")


def parameters_of(
    writer: SchemaWriter, item: dict[str, Any], raw: dict[str, Any]
) -> tuple[list[OperationParameter], dict[str, Any]]:
    """Return the parameters of an operation, including those of its path, and their schemas by flat
    name.
    """
    merged: dict[tuple[str, str], dict[str, Any]] = {}
    for holder in (item, raw):
        listed = holder.get("parameters")
        for one in listed if isinstance(listed, list) else []:
            told = followed(writer.document, one)
            if (
                isinstance(told, dict)
                and isinstance(told.get("in"), str)
                and told["in"] in STYLES
                and isinstance(told.get("name"), str)
            ):
                merged[told["name"], told["in"]] = told
    made: list[OperationParameter] = []
    schemas: dict[str, Any] = {}
    for (name, place), told in merged.items():
        if place == "header" and (
            name.lower() in OURS or name.lower().startswith(("sec-", "x-forwarded", "proxy-"))
        ):
            writer.warnings.append(f"models cannot set the header {name}")
            continue
        flat = name if name not in schemas else f"{place}_{name}"
        content = told.get("content")
        media = next(iter(content)) if isinstance(content, dict) and content else ""
        holder = content[media] if media and isinstance(content, dict) else told
        schema = writer.schema(holder.get("schema") if isinstance(holder, dict) else None, flat)
        about = told.get("description")
        schemas[flat] = schema | (
            {"description": about} if isinstance(about, str) and about else {}
        )
        style = told.get("style") if isinstance(told.get("style"), str) else STYLES[place]
        made.append(
            OperationParameter(
                flat,
                name,
                place,
                str(style),
                told["explode"] if isinstance(told.get("explode"), bool) else style == "form",
                place == "path" or told.get("required") is True,
                told.get("allowReserved") is True,
                media,
            )
        )
    return made, schemas


def body_of(writer: SchemaWriter, raw: dict[str, Any], schemas: dict[str, Any]) -> Body | None:
    """Return the body of an operation. Its schemas are added to the others. Fields with the same
    name as another parameter are prefixed with “body_”.
    """
    told = followed(writer.document, raw.get("requestBody"))
    content = told.get("content") if isinstance(told, dict) else None
    if not isinstance(content, dict) or not content:
        return None
    media = next((m for m in (*MEDIA, *content) if m in content), "")
    holder = content[media]
    schema = writer.schema(holder.get("schema") if isinstance(holder, dict) else None)
    properties = schema.get("properties")
    whole = (
        not isinstance(properties, dict)
        or not properties
        or any(k in schema for k in ("allOf", "anyOf", "oneOf"))
    )
    if whole or media == "text/plain":
        flat = "body" if "body" not in schemas else "body_body"
        schemas[flat] = schema
        return Body(media, None, (flat,) if told.get("required") is True else (), flat)
    names: dict[str, str] = {}
    for name, one in cast("dict[str, Any]", properties).items():
        flat = name if name not in schemas else f"body_{name}"
        schemas[flat], names[name] = one, flat
    return Body(media, names, tuple(names[n] for n in schema.get("required", []) if n in names))


def answers_known(
    document: dict[str, Any], raw: dict[str, Any], warnings: list[str]
) -> dict[str, Any]:
    """Return the schema of an operation's successful response. The schema is empty if a part of it
    is missing, since the operation can be called without it.
    """
    try:
        return answers_of(document, raw)
    except NoSuchPart as error:
        if error.is_remote:
            raise
        warnings.append(f"{raw['operationId']}: its answer is not described")
        return {}


def answers_of(document: dict[str, Any], raw: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a successful response, which is empty if there is none."""
    listed = raw.get("responses")
    for status, one in (listed if isinstance(listed, dict) else {}).items():
        if status.startswith("2"):
            told = followed(document, one)
            content = told.get("content") if isinstance(told, dict) else None
            holder = content.get("application/json") if isinstance(content, dict) else None
            if isinstance(holder, dict) and holder.get("schema"):
                return SchemaWriter(document).schema(holder["schema"])
    return {}
