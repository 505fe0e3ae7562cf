"""Read untrusted JSON or YAML with limits on size and depth. Errors name the line."""

from __future__ import annotations

import json
import re
from typing import Any

import yaml

from app.domain.errors import PluginRefused

BYTES, VALUES, DEPTH, ALIASES = 2 * 1024 * 1024, 200_000, 60, 100
SPACELESS = re.compile(
    r"^([ \t]*)type:(object|string|array|integer|number|boolean)[ \t]*$", re.MULTILINE
)
# A string without an end is matched up to the end of the text. Otherwise, each quotation mark in it
# would be tried as the start of a string.
COMMA = re.compile(r'("(?:[^"\\]|\\.)*(?:"|\\?\Z))|,(?=\s*[}\]])', re.DOTALL)
TOLD = 20  # maximum number of lines listed for one kind of error
Safe: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Plain(Safe):
    """A loader for safe YAML in which dates stay text and only true and false are booleans."""


Plain.yaml_implicit_resolvers = {
    first: [(tag, known) for tag, known in found if not tag.endswith((":timestamp", ":bool"))]
    for first, found in Safe.yaml_implicit_resolvers.items()
}
Plain.add_implicit_resolver(
    "tag:yaml.org,2002:bool", re.compile("^(?:true|True|TRUE|false|False|FALSE)$"), list("tTfF")
)


def read_document(body: bytes, what: str) -> tuple[dict[str, Any], list[str]]:
    """Return an object from JSON or YAML, and the repairs made.

    what: a name such as "the manifest", for error messages. Raises: PluginRefused.
    """
    if len(body) > BYTES:
        raise refused(what, 0, f"it is larger than {BYTES // 1024**2} MB")
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise refused(what, body[: error.start].count(b"\n") + 1, "it is not UTF-8 text") from error
    mended: list[str] = []
    if text.lstrip().startswith("{"):
        value, mended = from_json(text, what)
    else:
        value, mended = from_yaml(text, what)
    if not isinstance(value, dict):
        raise refused(what, 1, "it contains no fields")
    return plain(value, what), mended


def from_json(text: str, what: str) -> tuple[Any, list[str]]:
    """Return the value of a JSON text. Commas before a closing bracket are ignored.

    Raises: PluginRefused.
    """
    try:
        return json.loads(text), []
    except RecursionError as error:
        raise refused(what, 1, "it is nested too deeply") from error
    except ValueError:
        lines = lines_of(text, [m.start() for m in COMMA.finditer(text) if m[1] is None])
        try:
            value = json.loads(COMMA.sub(lambda m: m[1] or "", text))
        except json.JSONDecodeError as error:
            raise refused(
                what, error.lineno, f"{error.msg.lower()} (column {error.colno})"
            ) from error
        except ValueError as error:  # a number with thousands of digits
            raise refused(what, 0, f"it is not JSON: {str(error)[:60]}") from error
        return value, [f"line {line}: an extra comma was ignored" for line in lines]


def lines_of(text: str, places: list[int]) -> list[int]:
    """Return the line numbers, counted from 1, of the first few of the given positions in a
    text.
    """
    made: list[int] = []
    line, before = 1, 0
    for place in places[:TOLD]:
        line, before = line + text.count("\n", before, place), place
        made.append(line)
    return made


def from_yaml(text: str, what: str) -> tuple[Any, list[str]]:
    """Return the value of a YAML text. A missing space after `type:` is added.

    Raises: PluginRefused.
    """
    places = lines_of(text, [m.start(2) for m in SPACELESS.finditer(text)])
    mended = [f"line {line}: a space was inserted after “type:”" for line in places]
    text = SPACELESS.sub(r"\1type: \2", text)
    check_events(text, what)
    try:
        return yaml.load(text, Loader=Plain), mended
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise refused(
            what, mark.line + 1 if mark else 0, str(error.problem or "it is not YAML")
        ) from error
    except (yaml.YAMLError, ValueError, RecursionError, TypeError) as error:
        raise refused(what, 0, f"it is not YAML: {str(error)[:100]}") from error


def check_events(text: str, what: str) -> None:
    """Check that YAML is not nested too deeply and uses few aliases, before anything is built from
    it.

    Raises: PluginRefused.
    """
    depth = aliases = 0
    try:
        for event in yaml.parse(text, Loader=Safe):
            if isinstance(event, yaml.AliasEvent):
                aliases += 1
            elif isinstance(event, yaml.CollectionStartEvent):
                depth += 1
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
            if depth > DEPTH or aliases > ALIASES:
                why = "it is nested too deeply" if depth > DEPTH else "it contains too many aliases"
                raise refused(what, event.start_mark.line + 1, why)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise refused(
            what, mark.line + 1 if mark else 0, str(error.problem or "it is not YAML")
        ) from error
    except yaml.YAMLError as error:
        raise refused(what, 0, f"it is not YAML: {str(error)[:100]}") from error


def plain(value: Any, what: str) -> Any:
    """Return a copy of a value without shared parts and with text keys. Aliases are expanded, up to
    a limit.

    Raises: PluginRefused.
    """
    left = VALUES

    def copy(one: Any, depth: int) -> Any:
        nonlocal left
        left -= 1
        if left < 0 or depth > DEPTH:
            raise refused(what, 0, "it is too large once its aliases are expanded")
        if isinstance(one, dict):
            return {str(k): copy(v, depth + 1) for k, v in one.items()}
        if isinstance(one, list):
            return [copy(v, depth + 1) for v in one]
        return one if isinstance(one, str | int | float | bool | None) else str(one)

    return copy(value, 0)


def line_of(body: bytes, *path: str) -> int:
    """Return the line on which the value at a path of keys begins, or else that of the last key in
    the path that exists. Return 0 if it is unknown.
    """
    try:
        node: Any = yaml.compose(
            SPACELESS.sub(r"\1type: \2", body.decode("utf-8-sig")), Loader=Safe
        )
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError):
        return 0
    line = 0
    for key in path:
        pairs = node.value if isinstance(node, yaml.MappingNode) else []
        found = next(((k, v) for k, v in pairs if str(k.value) == key), None)
        if found is None:
            break
        line, node = found[0].start_mark.line + 1, found[1]
    return line


def refused(what: str, line: int, why: str) -> PluginRefused:
    """Return the error for a document that cannot be used."""
    where = f"{what}, line {line}" if line else what
    return PluginRefused(
        f"{where[:1].upper()}{where[1:]}: {why}.", "Ask the plugin's maker to fix this."
    )
