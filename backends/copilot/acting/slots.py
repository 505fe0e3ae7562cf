"""Fill the parameters of a tool from a sentence: choices, places in a list, numbers, and the thing
itself.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from zoneinfo import available_timezones

from backends.copilot.acting.said import read, trimmed
from backends.copilot.acting.words import action_of

if TYPE_CHECKING:
    from backends.copilot.acting.said import ActionRequest
    from backends.copilot.acting.words import Action
    from backends.protocol.query import OfferedTool

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
class FilledSlots:
    """values: what a call would carry. missing: parameters without which it makes no sense, by
    name.
    """

    values: dict[str, Any] = field(default_factory=dict[str, Any])
    missing: tuple[str, ...] = ()
    chosen: Action | None = None


def fill(tool: OfferedTool, said: ActionRequest) -> FilledSlots:
    """Return what a sentence puts into a tool."""
    action, place = said.action, said.place
    properties = properties_of(tool)
    listed = tool.schema.get("required")
    required = [name for name in listed if name in properties] if isinstance(listed, list) else []
    values, rest = named_values(properties, said.text)
    entry = entry_id(tool, said.text)
    if entry is not None and entry[0] not in values:
        values[entry[0]] = entry[1]
        rest = entry[2]
    if values:
        said = read(rest)  # what names a slot is no part of the thing itself
        action, place = said.action or action, said.place
    chosen = None
    for name, told in properties.items():
        if name not in values and isinstance(told.get("enum"), list):
            value, by_action = choice(told, said.frame, action)
            if value is not None and (name in required or value != told.get("default")):
                values[name] = value
                chosen = action if by_action else chosen
    numbers = [n for n, told in properties.items() if n not in values and takes_number(n, told)]
    unsure = len(numbers) > 1  # a number that names none of them goes where one is needed
    for name, told in properties.items():
        if name in values or (unsure and name in numbers and not is_meant(name, required, said)):
            continue
        if (value := plain_value(name, told, said)) is not None:
            values[name] = value
    free = [n for n, told in properties.items() if n not in values and is_free(n, told)]
    item = without_nouns(tool, said.item or trimmed(thing_behind(tool, said.text)))
    item = named_thing(item)
    wants = (
        action in ("add", "change")
        or (action in ("delete", "show") and place is None)
        or any(n in required for n in free)
    )
    needed = [n for n in free if n in required]
    sought = [n for n in free if in_words(n) in QUERIES] if action in ("show", None) else []
    slots = needed if len(needed) == 1 else sought if len(sought) == 1 else free
    if wants and len(slots) == 1 and item:
        values[slots[0]] = [item] if is_list_of_words(properties[slots[0]]) else item
    if maker := made_by(properties, values, said.text):
        values |= maker
    return FilledSlots(values, missing_of(tool, values, action), chosen)


def takes_number(name: str, told: dict[str, Any]) -> bool:
    """Return whether a parameter holds a number that is no place in a list."""
    return told.get("type") in ("integer", "number") and not is_position(name, told)


BOUNDS = {
    "min": r"at least|no less than|not less than|minimum|more than|over|above",
    "max": r"at most|no more than|not more than|maximum|less than|under|below|up to",
}


def is_meant(name: str, required: list[str], said: ActionRequest) -> bool:
    """Return whether one of several parameters for numbers is meant: it is needed, or a sentence
    says its bound and its noun (`at least 100 points` for min_points).
    """
    words = in_words(name).split()
    for bound, told in BOUNDS.items():
        if bound in words or f"{bound}imum" in words:
            nouns = [w.rstrip("s") for w in words if w not in (bound, f"{bound}imum")]
            behind = rf"\b(?:{told})\s+-?[\d.]+\s+(?:\w+\s+)?(?:{'|'.join(nouns)})s?\b"
            return bool(nouns and re.search(behind, said.text, re.IGNORECASE))
    return name in required


def entry_id(tool: OfferedTool, text: str) -> tuple[str, int | str, str] | None:
    """Return the parameter that says by its id which entry is meant, with the id that stands behind
    the noun of the entry, and the text without it: `order 12` for order_id, `todo 2` for the id of
    getTodo. None where none does.
    """
    properties = properties_of(tool)
    for name, told in properties.items():
        words = in_words(name).split()
        if words[-1:] != ["id"] or told.get("type") not in ("integer", "number", "string"):
            continue
        noun = words[-2] if len(words) > 1 else in_words(tool.name).split()[-1]
        found = re.search(
            rf"\b(?:the\s+)?{re.escape(noun.rstrip('s'))}s?\s*(?:number|no\.?|nr\.?|id|#)?\s*"
            rf"(?P<id>\d+)\b(?!\s*(?:st|nd|rd|th)\b)(?:\s+(?:to|into|as)\b)?",
            text,
            re.IGNORECASE,
        )
        if found is not None and (value := typed(found["id"], told)) is not None:
            rest = f"{text[: found.start()]}{noun}{text[found.end() :]}"
            return name, value, rest
    return None


QUERIES = frozenset(["query", "q", "search", "keyword", "keywords", "term", "text", "search query"])
MAKERS = frozenset(["by", "author", "user", "creator", "writer", "username", "owner"])
HOLDER = re.compile(
    r"^(?:(?:that is |which is )?(?:called|named|titled|entitled|labelled|labeled|saying)|with the"
    r" (?:title|name|text)|for|about)\s+(?=\S)",
    re.IGNORECASE,
)
LOOSE = re.compile(
    r"^(?:to|with|of|from|in|on|at|by|into|as|and|or|than)\b|^\d+ (?:to|into|as)\b", re.IGNORECASE
)


def named_thing(item: str) -> str:
    """Return a thing without the words that only lead to it (`called Budget` is Budget); nothing
    where it begins in the middle of something else.
    """
    made = HOLDER.sub("", item)
    return "" if LOOSE.match(made) else made


def made_by(
    properties: dict[str, dict[str, Any]], values: dict[str, Any], text: str
) -> dict[str, str]:
    """Return the parameter for who made something, with the name behind `by`; empty if none is
    named, or several parameters may be meant.
    """
    open_ = [
        n
        for n, told in properties.items()
        if n not in values and in_words(n) in MAKERS and told.get("type", "string") == "string"
    ]
    found = re.search(r"\bby\s+(?P<name>@?[\w.-]*\w(?:\s+(?-i:[A-Z])[\w.-]*\w)*)\W*$", text, re.I)
    return {open_[0]: found["name"]} if found and len(open_) == 1 else {}


def properties_of(tool: OfferedTool) -> dict[str, dict[str, Any]]:
    """Return the schemas of a tool's parameters by their names."""
    told = tool.schema.get("properties") or {}
    return {name: one for name, one in told.items() if isinstance(one, dict)}


def thing_behind(tool: OfferedTool, text: str) -> str:
    """Return the thing behind a tool's own name where a request begins with that: `Untag the
    reminder buy milk`; nothing elsewhere.
    """
    properties = tool.schema.get("properties") or {}
    called = "|".join(
        re.escape(one)
        for name in properties
        for one in (in_words(name), in_words(name).rstrip("s"))
    )
    begun = re.match(
        rf"{own_name(tool)}\s+(?:(?:the|a|an|my)\s+)?(?:(?:{called})\s+)?(?P<x>.+)$",
        text,
        re.IGNORECASE,
    )
    return begun["x"].strip(" .!?\"“”'") if begun is not None and called else ""


def own_name(tool: OfferedTool) -> str:
    """Return the pattern of a request that begins with a tool's own name: `View the service` for
    viewService.
    """
    words = r"\s+(?:(?:the|a|an|my)\s+)?".join(map(re.escape, in_words(tool.name).split()))
    return rf"\W*(?:please\s+)?{words}\b"


def without_nouns(tool: OfferedTool, item: str) -> str:
    """Return a thing without the nouns before it that the tool or its parameters are called by:
    `service weather` is weather.
    """
    properties = tool.schema.get("properties") or {}
    nouns = {w for n in (tool.name, *properties) for w in in_words(n).split()}
    before, _, after = item.partition(" for ")
    told = set(re.findall(r"\w+", f"{in_words(tool.name)} {tool.description}".lower()))
    if after and set(re.findall(r"\w+", before.lower())) <= told:
        item = after  # search the Bible for the prodigal son
    first, _, rest = item.partition(" ")
    while rest and first.lower().rstrip("s") in {noun.rstrip("s") for noun in nouns}:
        item = rest
        first, _, rest = item.partition(" ")
    alone = not rest and first.lower().rstrip("s") in {one.rstrip("s") for one in nouns | told}
    return "" if alone else item


def named_values(properties: dict[str, Any], text: str) -> tuple[dict[str, Any], str]:
    """Return the values whose parameter is named beside them, and the text without them: `of user
    ann`, `with index 1`.

    A name counts behind a preposition, or before a sign; one that a thing itself may be called by,
    as `task`, does not.
    """
    values: dict[str, Any] = {}
    for name, told in properties.items():
        if isinstance(told.get("enum"), list):
            continue
        if told.get("type") in ("integer", "number", "string") and (
            beside := number_beside(name, text)
        ):
            values[name] = typed(beside[1], told)
            text = f"{text[: beside.start()].rstrip(' ,')} {text[beside.end() :]}".strip()
            continue
        names = "|".join(re.escape(alias) for alias in aliases(name))
        thing = in_words(name).rpartition(" ")[2]
        named = rf"(?:of|for|with|by|at|in|under|from|and|as)\s+(?:the\s+|my\s+)?(?:{names})"
        if thing in THINGS:  # what a thing itself may be called by counts behind "with" only
            named = (f"{named}|" if names else "") + rf"with\s+(?:the\s+|a\s+)?{thing}"
        elif not names:
            continue
        signed = rf"|\b(?:{names})\s*[=:]\s*" if names else ""
        found = re.search(
            rf"(?:\b(?:{named})\s+(?:is\s+|of\s+|=\s*)?{signed})"
            r"(?:[\"“'](?P<quoted>[^\"”']+)[\"”']"
            r"|(?P<bare>[\w@.+-]*\w(?:\s+(?-i:[A-Z])[\w.-]*\w)*))",  # Big Apple is one name
            text,
            re.IGNORECASE,
        )
        if found is None:
            continue
        value = typed(found["quoted"] or found["bare"], told)
        if value is not None:
            values[name] = value
            text = (
                f"{text[: found.start()].rstrip(' ,')} {text[found.end() :].lstrip(' ,')}".strip()
            )
    return values, text


def number_beside(name: str, text: str) -> re.Match[str] | None:
    """Return where a parameter stands with its number: `a 5`, `limit = 10`, `index is 2`."""
    names = "|".join(map(re.escape, [in_words(name), *aliases(name)]))
    if name in THINGS:
        return None
    return re.search(
        rf"(?:\b(?:of|for|with|by|at|in|and)\s+)?\b(?:{names})\s*(?:=|:|is|of)?\s*(-?\d+(?:\.\d+)?)(?![\w.]*\w)",
        text,
        re.IGNORECASE,
    )


def aliases(name: str) -> list[str]:
    """Return how people call a parameter: todo_idx is an index, username a user."""
    spaced = in_words(name)
    last = spaced.rpartition(" ")[2]
    known = {spaced, last, spaced.removesuffix("name").strip(), last.removesuffix("name")}
    return sorted(
        (one for one in known if (len(one) > 2 or one == "id") and one not in THINGS),
        key=len,
        reverse=True,
    )


def in_words(name: str) -> str:
    """Return the name of a parameter as the person says it: todo_idx is a todo index."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).replace("_", " ").replace("-", " ").lower()
    return " ".join(SHORT.get(word, word) for word in spaced.split())


def typed(text: str, told: dict[str, Any]) -> Any:
    """Return a value in the type of its parameter; None where it has another."""
    kind = told.get("type")
    if kind == "integer":
        return int(text) if re.fullmatch(r"-?\d+", text) else None
    if kind == "number":
        return numeric(text) if NUMBER.fullmatch(text) else None
    if is_list_of_words(told):
        return [text]
    return text if kind in ("string", None) else None


def numeric(text: str) -> int | float:
    """Return a number as it was written: 144 is no 144.0 in an address."""
    value = float(text)
    return int(value) if value.is_integer() else value


def is_list_of_words(told: dict[str, Any]) -> bool:
    """Tell whether a parameter takes several words or texts, and one is enough."""
    items = told.get("items")
    return (
        told.get("type") == "array"
        and isinstance(items, dict)
        and items.get("type", "string") == "string"
        and "enum" not in items
    )


def missing_of(tool: OfferedTool, values: dict[str, Any], action: Action | None) -> tuple[str, ...]:
    """Return the parameters without which a call makes no sense, and for which there is no
    value.
    """
    properties = properties_of(tool)
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
        if re.search(rf"(?<!\w){re.escape(str(v))}(?:e?s)?(?!\w)", question, re.IGNORECASE)
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


def plain_value(name: str, told: dict[str, Any], said: ActionRequest) -> Any:
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
            (int(float(found[0])) if kind == "integer" else numeric(found[0]))
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
    """Return whether a parameter says which of a list is meant."""
    return bool(POSITION.search(f"{name.replace('_', ' ')} {told.get('description') or ''}"))


def has_place(tool: OfferedTool) -> bool:
    """Return whether a tool has a parameter that says which of a list is meant."""
    properties = tool.schema.get("properties") or {}
    return any(
        is_position(name, told) for name, told in properties.items() if isinstance(told, dict)
    )


def is_free(name: str, told: dict[str, Any]) -> bool:
    """Return whether a parameter takes any words."""
    kinds = told.get("type", "string")
    takes_text = kinds == "string" or (isinstance(kinds, list) and "string" in kinds)
    takes_text = takes_text or is_list_of_words(told)
    special = (
        told.get("format") in ("date", "date-time", "uri", "email", "binary", "byte", "uuid")
        or "enum" in told
    )
    named = plain_names(name)
    return takes_text and not special and not is_position(name, told) and not named


def plain_names(name: str) -> bool:
    """Return whether a parameter holds something that is read by its own rule."""
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
        or in_words(name).endswith(" id")
    )
