"""Fill the parameters of a tool from a sentence: choices, places in a list, numbers, and the thing
itself.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from zoneinfo import available_timezones

from backends.copilot.acting.said import read
from backends.copilot.acting.words import action_of

if TYPE_CHECKING:
    from backends.copilot.acting.said import Said
    from backends.copilot.acting.words import Action
    from backends.protocol.query import Tool

POSITION = re.compile(
    r"第几|序号|顺序|\bindex\b|\bposition\b|\bnumber of the (?:item|entry|task)|\bwhich"
    r" (?:item|entry|one)\b|\bordinal\b",
    re.IGNORECASE,
)
PATH = re.compile(
    r"(?:[A-Za-z]:\\|~?/)[^\s,;，；？?]+|\b[\w./-]+\.(?:pdf|docx?|txt|md|csv|json|xlsx|py)\b"
)
URL = re.compile(r"https?://[^\s，。]+")
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.])")

SHORT = {"idx": "index", "num": "number", "pos": "position"}
# What may be the thing itself, or part of it: these name no slot.
THINGS = frozenset(
    [
        "text",
        "name",
        "title",
        "todo",
        "task",
        "item",
        "note",
        "entry",
        "content",
        "message",
        "query",
        "question",
        "value",
        "list",
        "word",
        "words",
        "description",
        "body",
    ]
)


@dataclass(frozen=True)
class Filled:
    """values: what a call would carry. missing: parameters without which it makes no sense, by
    name.
    """

    values: dict[str, Any] = field(default_factory=dict[str, Any])
    missing: tuple[str, ...] = ()
    chosen: Action | None = None


def fill(tool: Tool, said: Said) -> Filled:
    """Return what a sentence puts into a tool."""
    action, place = said.action, said.place
    properties: dict[str, Any] = {
        name: told
        for name, told in (tool.schema.get("properties") or {}).items()
        if isinstance(told, dict)
    }
    listed = tool.schema.get("required")
    required = [name for name in listed if name in properties] if isinstance(listed, list) else []
    values, rest = named_values(properties, said.text)
    if values:
        said = read(rest)  # what names a slot is no part of the thing itself
        action, place = said.action or action, said.place
    chosen = None
    for name, told in properties.items():
        if name not in values and isinstance(told.get("enum"), list):
            value, by_action = choice(told, said.frame, action)
            if value is not None:
                values[name] = value
                chosen = action if by_action else chosen
    for name, told in properties.items():
        if name not in values and (value := plain_value(name, told, said)) is not None:
            values[name] = value
    free = [n for n, told in properties.items() if n not in values and is_free(n, told)]
    wants = (
        action in ("add", "change")
        or (action in ("delete", "show") and place is None)
        or any(n in required for n in free)
    )
    needed = [n for n in free if n in required]
    slots = needed if len(needed) == 1 else free
    if wants and len(slots) == 1 and said.item:
        values[slots[0]] = said.item
    return Filled(values, missing_of(tool, values, action), chosen)


def named_values(properties: dict[str, Any], text: str) -> tuple[dict[str, Any], str]:
    """Return the values whose parameter is named beside them, and the text without them: `of user
    ann`, `with index 1`.

    A name counts behind a preposition, or before a sign; one that a thing itself may be called by,
    as `task`, does not.
    """
    values: dict[str, Any] = {}
    for name, told in properties.items():
        names = "|".join(re.escape(alias) for alias in aliases(name))
        if not names or isinstance(told.get("enum"), list):
            continue
        found = re.search(
            rf"(?:\b(?:of|for|with|by|at|under|from|and|as)\s+(?:the\s+|my\s+)?(?:{names})\s+(?:is\s+|of\s+|=\s*)?|\b(?:{names})\s*[=:]\s*)"
            r"(?:[\"“'](?P<quoted>[^\"”']+)[\"”']|(?P<bare>[\w@.+-]*\w))",
            text,
            re.IGNORECASE,
        )
        if found is None:
            continue
        value = typed(found["quoted"] or found["bare"], told.get("type"))
        if value is not None:
            values[name] = value
            text = (
                f"{text[: found.start()].rstrip(' ,')} {text[found.end() :].lstrip(' ,')}".strip()
            )
    return values, text


def aliases(name: str) -> list[str]:
    """Return how people call a parameter: todo_idx is an index, username a user."""
    spaced = in_words(name)
    last = spaced.rpartition(" ")[2]
    known = {spaced, last, spaced.removesuffix("name").strip(), last.removesuffix("name")}
    return sorted(
        (one for one in known if len(one) > 2 and one not in THINGS), key=len, reverse=True
    )


def in_words(name: str) -> str:
    """Return the name of a parameter as a person says it: todo_idx is a todo index."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).replace("_", " ").replace("-", " ").lower()
    return " ".join(SHORT.get(word, word) for word in spaced.split())


def typed(text: str, kind: Any) -> Any:
    """Return a value in the type of its parameter; None where it has another."""
    if kind == "integer":
        return int(text) if re.fullmatch(r"-?\d+", text) else None
    if kind == "number":
        return float(text) if NUMBER.fullmatch(text) else None
    return text if kind in ("string", None) else None


def missing_of(tool: Tool, values: dict[str, Any], action: Action | None) -> tuple[str, ...]:
    """Return the parameters without which a call makes no sense, and for which there is no
    value.
    """
    properties: dict[str, Any] = {
        name: told
        for name, told in (tool.schema.get("properties") or {}).items()
        if isinstance(told, dict)
    }
    listed = tool.schema.get("required")
    required = listed if isinstance(listed, list) else []
    missing = [n for n in required if n in properties and n not in values]
    free = [n for n, told in properties.items() if is_free(n, told)]
    if missing or action not in ("add", "change", "delete") or not (free or has_place(tool)):
        return tuple(missing)
    places = [n for n, told in properties.items() if is_position(n, told)]
    if any(n in values for n in (*free, *places)):
        return ()
    return tuple([*(places if action != "add" else []), *free][:1])


def choice(told: dict[str, Any], question: str, action: Action | None) -> tuple[Any, bool]:
    """Return the value of a choice that is meant, and whether what is to be done says so; None if
    none is clear.
    """
    values = [value for value in told["enum"] if value is not None]
    named = [
        v
        for v in values
        if re.search(rf"(?<!\w){re.escape(str(v))}(?!\w)", question, re.IGNORECASE)
    ]
    about = str(told.get("description") or "")
    does = {str(v): action_of(words_for(v, values, about)) for v in values}
    if len(named) == 1 and does[str(named[0])] in (None, action):
        return named[0], False
    meant = [v for v in values if action is not None and does[str(v)] == action]
    if len(meant) == 1:
        return meant[0], True
    return (None if action is None and any(does.values()) else told.get("default")), False


def words_for(value: Any, values: list[Any], about: str) -> str:
    """Return a value of a choice and what its description says of it, up to the next value."""
    at = about.find(str(value))
    if at < 0:
        return str(value)
    rest = about[at:]
    ends = [end for other in values if other != value and (end := rest.find(str(other))) > 0]
    return f"{value} {rest[: min(ends, default=60)]}"


def plain_value(name: str, told: dict[str, Any], said: Said) -> Any:
    """Return the value of a parameter that says by its name or type what it holds; None if the
    sentence has none.
    """
    kind, low, question, place = told.get("type"), name.lower(), said.text, said.place
    if is_position(name, told):
        return None if place is None else place if kind in ("integer", "number") else str(place)
    if "timezone" in low or "time_zone" in low:
        return zone_of(question)
    if low in ("path", "file", "filename", "file_path", "filepath", "repo_path"):
        found = PATH.search(question)
        return found[0] if found else None
    if low in ("url", "uri", "link") or told.get("format") == "uri":
        found = URL.search(question)
        return found[0] if found else None
    if kind in ("integer", "number"):
        found = NUMBER.findall(said.frame)
        return (
            (int(float(found[0])) if kind == "integer" else float(found[0]))
            if len(found) == 1
            else None
        )
    return None


def zone_of(question: str) -> str | None:
    """Return the time zone of a city that is named."""
    words = question.lower()
    zones = (zone for zone in sorted(available_timezones()) if "/" in zone)
    return next(
        (
            z
            for z in zones
            if re.search(rf"\b{z.rpartition('/')[2].replace('_', ' ').lower()}\b", words)
        ),
        None,
    )


def is_position(name: str, told: dict[str, Any]) -> bool:
    """Tell whether a parameter says which of a list is meant."""
    return bool(POSITION.search(f"{name.replace('_', ' ')} {told.get('description') or ''}"))


def has_place(tool: Tool) -> bool:
    """Tell whether a tool has a parameter that says which of a list is meant."""
    properties = tool.schema.get("properties") or {}
    return any(
        is_position(name, told) for name, told in properties.items() if isinstance(told, dict)
    )


def is_free(name: str, told: dict[str, Any]) -> bool:
    """Tell whether a parameter takes any words."""
    kinds = told.get("type", "string")
    takes_text = kinds == "string" or (isinstance(kinds, list) and "string" in kinds)
    special = (
        told.get("format") in ("date", "date-time", "uri", "email", "binary", "byte", "uuid")
        or "enum" in told
    )
    named = plain_names(name)
    return takes_text and not special and not is_position(name, told) and not named


def plain_names(name: str) -> bool:
    """Tell whether a parameter holds something that is read by its own rule."""
    low = name.lower()
    return (
        "timezone" in low
        or "time_zone" in low
        or low
        in (
            "path",
            "file",
            "filename",
            "file_path",
            "filepath",
            "repo_path",
            "url",
            "uri",
            "link",
            "token",
            "content",
            "id",
        )
    )
