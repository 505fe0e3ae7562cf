"""Check that values filled in by a model come from the user's message."""

from __future__ import annotations

import datetime as dt
import json
import re
from typing import TYPE_CHECKING, Any

from backends.copilot.actions.request import COUNTED, EMPTY, POLITE
from backends.copilot.actions.slots import NUMBER, is_position, words_for
from backends.copilot.actions.words import (
    CUES,
    STOP,
    SUBJECTS,
    action_of,
    content_words,
    pattern,
)
from backends.query.dates import Clock, DateReader
from backends.query.lexicon import lexicon

if TYPE_CHECKING:
    from collections.abc import Sequence

    from backends.copilot.actions.request import ActionRequest
    from backends.protocol.request import OfferedTool


NONE = "none"  # the choice for when no tool fits
KEPT = ("type", "enum", "const", "properties", "items", "required", "anyOf", "description")
DEEPEST = 8


def choice_schema(calls: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Return the schema for a call to one of several tools, or to none.

    calls: for each tool name, the schema of the tool's arguments.
    """
    ways = [called(name, arguments) for name, arguments in calls.items()]
    return {"anyOf": [*ways, called(NONE, None)]}


def of_fields(fields: dict[str, dict[str, Any]], required: Sequence[str]) -> dict[str, Any]:
    """Return the schema of an object with these fields."""
    made: dict[str, Any] = {"type": "object", "properties": fields, "additionalProperties": False}
    return made | ({"required": list(required)} if required else {})


def called(name: str, arguments: dict[str, Any] | None) -> dict[str, Any]:
    """Return the schema for a call to the tool with this name."""
    properties: dict[str, Any] = {"tool": {"const": name}}
    if arguments is not None:
        properties["arguments"] = arguments
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def arguments_of(tool: OfferedTool) -> dict[str, Any]:
    """Return the schema of a tool's arguments, in which references are resolved. A recursive
    reference accepts any value.
    """
    written = dict(followed(tool.schema, tool.schema, ()))
    properties = written.get("properties")
    made: dict[str, Any] = {
        "type": "object",
        "properties": properties if isinstance(properties, dict) else {},
        "additionalProperties": False,
    }
    required = written.get("required")
    known = (
        [name for name in required if name in made["properties"]]
        if isinstance(required, list)
        else []
    )
    return made | ({"required": known} if known else {})


def followed(schema: Any, whole: dict[str, Any], open_: tuple[str, ...]) -> Any:
    """Return a schema in which internal references are resolved."""
    if isinstance(schema, list):
        return [followed(one, whole, open_) for one in schema]
    if not isinstance(schema, dict) or len(open_) > DEEPEST:
        return schema if not isinstance(schema, dict) else {}
    reference = schema.get("$ref")
    if isinstance(reference, str):
        if reference in open_ or not reference.startswith("#/"):
            return {}
        return followed(at(whole, reference), whole, (*open_, reference))
    return {
        k: followed(v, whole, open_) for k, v in schema.items() if k not in ("$defs", "definitions")
    }


def at(whole: dict[str, Any], reference: str) -> Any:
    """Return the target of a reference in a schema. If it does not exist, return the schema that
    accepts any value.
    """
    found: Any = whole
    for step in reference.removeprefix("#/").split("/"):
        key = step.replace("~1", "/").replace("~0", "~")
        found = found.get(key) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else {}


def simpler(schema: Any) -> Any:
    """Return a schema that has only types, choices and fields, which any grammar can express."""
    if isinstance(schema, list):
        return [simpler(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    made: dict[str, Any] = {}
    for word, told in schema.items():
        if word == "properties" and isinstance(told, dict):
            made[word] = {name: simpler(one) for name, one in told.items()}
        elif word in ("items", "anyOf"):
            made[word] = simpler(told)
        elif word in KEPT or (word == "additionalProperties" and told is False):
            made[word] = told
    return made


def name_of(tool: OfferedTool) -> str:
    """Return a name for a tool that is unique across all servers."""
    return f"{tool.server_id}.{tool.name}"


def as_text(schema: dict[str, Any]) -> str:
    """Return a schema as the text of the parameter that constrains an answer."""
    return json.dumps(schema, ensure_ascii=False)


WHOLE = re.compile(
    r"query|question|^q$|search|prompt|text|message|sentence|问题|查询|内容", re.IGNORECASE
)
PARTICLES = re.compile(r"[的了吧里中上下往在把给到从向个条项件一请我帮你您麻烦那这面呢吗呀啊]")
LISTS = {"list", "item", "entry", "new", "please", "something", "thing", "one", "let", "d", "s"}
WORDS = re.compile(r"[\u4e00-\u9fff]|[^\s\u4e00-\u9fff\"“”‘’「」]+")
HINGES = STOP | {
    "like",
    "be",
    "get",
    "show",
    "tell",
    "find",
    "i",
    "it",
    "me",
    "or",
}  # a value neither starts nor ends with any of these
LISTED, LONGEST, SPANS = 5, 10, 150  # limits: items in a list, words in a span, spans in a sentence
PIECES = re.compile(r"[,.;!?]\s+|[，。；！？、]|\s[-–—]\s|[.!?]$")
SECRET = re.compile(r"password|passwd|secret|token|api_?key|credential|密码|密钥", re.IGNORECASE)


def narrowed(
    name: str, told: dict[str, Any], said: ActionRequest, named: set[str]
) -> dict[str, Any] | None:
    """Return a parameter's schema, limited to values that occur in the user's message. Return None
    if no such value is possible.
    """
    if is_position(name, told) or SECRET.search(name):
        return None
    kind = told.get("type", "string")
    kind = next((k for k in kind if k != "null"), "string") if isinstance(kind, list) else kind
    if isinstance(told.get("enum"), list):
        return one_of(
            [one for one in told["enum"] if one is not None and choice_has_ground(told, one, said)]
        )
    if kind == "boolean":
        return {"type": "boolean"} if content_words(name) & content_words(said.text) else None
    if kind in ("integer", "number"):
        found = numbers_in(said.text)
        return one_of(
            [int(n) if n.is_integer() else n for n in found if kind == "number" or n.is_integer()]
        )
    if kind == "string":
        return one_of(
            [span for span in spans(said.text) if text_has_ground(name, span, said, named)]
        )
    if kind == "array":
        inner = narrowed(name, told.get("items") or {}, said, named)
        return (
            None
            if inner is None
            else {"type": "array", "items": inner, "minItems": 1, "maxItems": LISTED}
        )
    if kind == "object" and isinstance(told.get("properties"), dict):
        return narrowed_object(told, said, named)
    return None


def one_of(values: list[Any]) -> dict[str, Any] | None:
    """Return the schema for one of several values, or None if there are none."""
    return {"enum": list(dict.fromkeys(values))} if values else None


def narrowed_object(
    told: dict[str, Any], said: ActionRequest, named: set[str]
) -> dict[str, Any] | None:
    """Return the schema of an object, with only the fields for which the user's message has values.
    Return None if these fields are not sufficient.
    """
    fields = {k: v for k, v in told["properties"].items() if isinstance(v, dict)}
    kept = {k: one for k, v in fields.items() if (one := narrowed(k, v, said, named)) is not None}
    required = [k for k in told.get("required") or [] if k in fields]
    if not kept or any(k not in kept for k in required):
        return None
    made: dict[str, Any] = {"type": "object", "properties": kept, "additionalProperties": False}
    return made | ({"required": required} if required else {})


def spans(text: str) -> list[str]:
    """Return the spans of words in a text, or of characters in Chinese, the shortest first. Their
    number is limited.
    """
    made: dict[str, None] = {}
    parts = PIECES.split(text)
    pieces = [[(m.start(), m.end()) for m in WORDS.finditer(part)] for part in parts]
    for length in range(1, LONGEST + 1):
        for piece, words in zip(parts, pieces, strict=True):
            for at in range(len(words) - length + 1):
                made[piece[words[at][0] : words[at + length - 1][1]]] = None
    return [span for span in made if not {(ends := span.lower().split())[0], ends[-1]} & HINGES][
        :SPANS
    ]


def grounded(
    values: dict[str, Any], properties: dict[str, Any], said: ActionRequest, named: set[str]
) -> dict[str, Any]:
    """Return the values that the user's message supports.

    named: the words that name the tool itself, which are not arguments.
    """
    return {
        name: value
        for name, value in values.items()
        if isinstance(told := properties.get(name), dict)
        and has_ground(name, told, value, said, named)
    }


def has_ground(
    name: str, told: dict[str, Any], value: Any, said: ActionRequest, named: set[str]
) -> bool:
    """Return whether the user's message supports a value."""
    if is_position(name, told) or SECRET.search(name):
        return False  # rules read positions, and a secret is never in a sentence
    if isinstance(told.get("enum"), list):
        return choice_has_ground(told, value, said)
    if isinstance(value, bool):
        return bool(content_words(name) & content_words(said.text))
    if isinstance(value, int | float):
        return float(value) in numbers_in(said.text)
    if isinstance(value, str):
        return text_has_ground(name, value, said, named) or is_time_in(value, said.text)
    if isinstance(value, list):
        inner = told.get("items")
        inner = inner if isinstance(inner, dict) else {}
        return bool(value) and all(has_ground(name, inner, one, said, named) for one in value)
    if isinstance(value, dict):
        fields = told.get("properties")
        fields = fields if isinstance(fields, dict) else {}
        return bool(value) and all(
            has_ground(k, fields.get(k) or {}, v, said, named) for k, v in value.items()
        )
    return value is None


def numbers_in(text: str) -> list[float]:
    """Return the numbers in a text, whether written in digits or in words."""
    words = (COUNTED.get(one) for one in re.findall("[a-z]+", text.lower()))
    return [*map(float, NUMBER.findall(text)), *(float(one) for one in words if one is not None)]


CLOCK = re.compile(r"\b(\d{1,2})(?::(\d\d))?(?::(\d\d))?\s*([ap]\.?m\b)?", re.IGNORECASE)


def is_time_in(value: str, text: str) -> bool:
    """Return whether a text states a time of day, even in another format: 8:15 means 08:15:00."""
    wanted = re.fullmatch(r"(\d\d):(\d\d)(?::(\d\d))?", value)
    if wanted is None:
        return False
    time = tuple(int(one or 0) for one in wanted.groups())
    for hour, minute, second, half in CLOCK.findall(text):
        if not minute and not half:
            continue
        hours = int(hour) % 12 + 12 * (half[:1] in "pP") if half else int(hour)
        if (hours, int(minute or 0), int(second or 0)) == time:
            return True
    return False


MOMENT = re.compile(
    r"(?P<day>\d{4}-\d\d-\d\d)(?:[T ](?P<time>\d\d:\d\d(?::\d\d)?)(?:\.0+)?(?:Z|\+00:00)?)?"
)


def is_moment_in(value: str, text: str, today: dt.date) -> bool:
    """Return whether a text states a time, a day or both, even in another format: `tomorrow at 5
    pm` means 2026-11-28T17:00. A day without a time starts at midnight.
    """
    found = MOMENT.fullmatch(value)
    if found is None:
        return is_time_in(value, text)
    try:
        day = dt.date.fromisoformat(found["day"])
    except ValueError:
        return False
    words, now = lexicon(), today.date() if isinstance(today, dt.datetime) else today
    read = DateReader(words, text, words.tokens(text), Clock(now)).spans()
    days = [one.period for one in read if one.period.grain == "day"]
    said = [one.start for one in days if one.start is not None]
    bare = [one.start for one in days if one.start is not None and not one.said_year]
    if day not in said and (day.month, day.day) not in [(one.month, one.day) for one in bare]:
        return False
    clocks = [one for one in CLOCK.findall(text) if one[1] or one[3]]
    time = found["time"]
    return time is None or (
        is_time_in(time, text) if clocks else not time.replace(":", "").strip("0")
    )


def choice_has_ground(told: dict[str, Any], value: Any, said: ActionRequest) -> bool:
    """Return whether a choice was named, either directly or by its description.

    The result is False for a choice that writes, if the message is a question.
    """
    values = [one for one in told["enum"] if one is not None]
    about = str(told.get("description") or "")
    words = words_for(value, values, about)
    if said.reads and action_of(words) in ("add", "delete", "change"):
        return False
    if re.search(rf"(?<!\w){re.escape(str(value))}(?!\w)", said.text, re.IGNORECASE):
        return True
    others = {w for v in values if v != value for w in content_words(words_for(v, values, about))}
    return bool((content_words(words) - others) & content_words(said.text))


def text_has_ground(name: str, value: str, said: ActionRequest, named: set[str]) -> bool:
    """Return whether a text occurs in the user's message and contains more than the words of the
    request itself.
    """
    text, whole = plain(value), plain(said.text)
    if not text or text not in whole or EMPTY.match(text) or pattern("unnamed").search(text):
        return False
    if text == whole:
        return bool(WHOLE.search(name))
    begins, ends = whole.find(text), whole.find(text) + len(text)
    cut = re.match(r"[a-z0-9]", whole[ends : ends + 1]) and re.match(r"[a-z0-9]", text[-1:])
    torn = (
        begins > 0 and re.match(r"[a-z0-9]", whole[begins - 1]) and re.match(r"[a-z0-9]", text[:1])
    )
    words = content_words(text)
    return not cut and not torn and (not words or not words <= named)


def rest_of(said: ActionRequest) -> str:
    """Return the part of a sentence that neither asks nor names its subject. If it is empty, there
    is nothing to search for.
    """
    rest = POLITE.sub("", said.text.lower())
    for cue in (*(cue for cues in CUES.values() for cue in cues), *SUBJECTS.values()):
        rest = re.sub(cue, " ", rest, flags=re.IGNORECASE)
    words = [w for w in re.findall(r"[a-z0-9]+", rest) if w not in STOP and w not in LISTS]
    return " ".join([*words, *re.findall(r"[\u4e00-\u9fff]+", PARTICLES.sub("", rest))])


def plain(text: str) -> str:
    """Return a text in lower case, with single spaces and without punctuation at its start and
    end.
    """
    return " ".join(text.lower().split()).strip(" .,;:!?。，；：！？\"'“”‘’「」")
