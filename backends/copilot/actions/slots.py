"""Fill the parameters of a tool from a sentence: choices, positions in a list, numbers, and the
object itself.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from zoneinfo import available_timezones

from backends.copilot.actions.request import (
    COUNTED,
    QUOTED,
    number,
    read,
    trimmed,
)
from backends.copilot.actions.words import (
    FILLERS,
    SUBJECTS,
    action_of,
    content_words,
    pattern,
    stem,
)

if TYPE_CHECKING:
    from backends.copilot.actions.request import ActionRequest
    from backends.copilot.actions.words import Action
    from backends.protocol.request import OfferedTool


POSITION = re.compile(
    r"第几|序号|顺序|\bindex\b|\bposition\b|\bnumber of the (?:item|entry|task)|\bwhich"
    r" (?:item|entry|one)\b|\bordinal\b",
    re.IGNORECASE,
)
PATH = re.compile(
    r"(?:[A-Za-z]:\\|~?/)[^\s,;，；？?]+|\b[\w./-]+\.(?:pdf|docx?|txt|md|csv|tsv|json|xlsx?|pptx?|py|js|ts|sh|log"
    r"|html?|xml|ya?ml|toml|ini|zip|gz|png|jpe?g|gif|svg|webp|mp[34]|wav|ogg|flac|mov|webm|parquet|db)\b"
)
URL = re.compile(r"https?://[^\s，。]+")
AMOUNT = re.compile(  # "two coffees", but not "another one"
    rf"(?<!\w)(?P<n>{'|'.join(COUNTED)})(?=\s+(?!of\b|more\b|on\b|in\b|at\b|to\b|for\b)[^\W\d_]+)",
    re.IGNORECASE,
)
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.])")

SHORT = {"idx": "index", "num": "number", "pos": "position"}
# Words that may be the object itself or a part of it, and so do not name a parameter.
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
    """The values for a call.

    values: the value of each parameter. missing: required parameters that have no value. loose: the
    parameter that got the rest of the sentence although the sentence does not name it.
    """

    values: dict[str, Any] = field(default_factory=dict[str, Any])
    missing: tuple[str, ...] = ()
    chosen: Action | None = None
    loose: str = ""


def fill(tool: OfferedTool, said: ActionRequest) -> FilledSlots:
    """Return the arguments that a sentence gives for a tool."""
    action, place = said.action, said.place
    properties = properties_of(tool)
    listed = tool.schema.get("required")
    required = [name for name in listed if name in properties] if isinstance(listed, list) else []
    values, text = shaped_values(properties, said.text)
    beside, text = choices_beside(properties, text)
    values |= beside
    placed, text = place_values(properties, text)
    values |= placed
    timed, text = timed_values(properties, values, text)
    values |= timed
    moved, text = moved_paths(properties, values, text)
    values |= moved
    renamed, text = new_name(properties, values, text)
    values |= renamed
    written, text = written_in(properties, values, text)
    values |= written
    person, text = person_named(properties, values, text)
    values |= person
    form, rest = form_values(properties, text)
    values |= form
    counted, rest = counted_values(
        tool, {n: t for n, t in properties.items() if n not in values}, rest
    )
    values |= counted
    named, rest = named_values({n: t for n, t in properties.items() if n not in values}, rest)
    values |= named
    entry = entry_id(tool, text)
    if entry is not None and entry[0] not in values:
        values[entry[0]] = entry[1]
        rest = entry[2]
    values |= code_value(properties, values, rest)
    values |= patterned_values(properties, values, rest)
    values |= marked_values(properties, values, said.text)
    if values:
        said = read(rest)  # words that name a parameter are not part of the object
        action, place = said.action or action, said.place
    chosen = None
    for name, told in properties.items():
        if name not in values and isinstance(told.get("enum"), list):
            value, by_action = choice(told, said.frame, action)
            if value is not None and (name in required or value != told.get("default")):
                values[name] = value
                chosen = action if by_action else chosen
    numbers = [n for n, told in properties.items() if n not in values and takes_number(n, told)]
    # a number with no parameter named next to it goes to a parameter that needs a number
    unsure = len(numbers) > 1
    for name, told in properties.items():
        if name in values or (unsure and name in numbers and not is_meant(name, required, said)):
            continue
        if (value := plain_value(name, told, said)) is not None:
            values[name] = value
    maker = made_by(properties, values, said.text)
    values |= maker
    free = [n for n, told in properties.items() if n not in values and is_free(n, told)]
    behind = trimmed(thing_behind(tool, said.text))
    item = without_numbers(properties, values, said.item or behind)
    for name in maker.values():
        item = re.sub(rf"\s+by\s+{re.escape(name)}$", "", item)
    item = without_nouns(tool, item)
    item = named_thing(after_call(tool, item))
    wants = (
        action in ("add", "change")
        or bool(behind)  # the object comes after the name of the tool or of its parameter
        or (action in ("delete", "show") and place is None)
        or any(n in required for n in free)
    )
    if not re.fullmatch(r"@?[\w.@-]+", item):  # a single word is needed to name a person
        free = [n for n in free if in_words(n) not in PERSONS]
    needed = [n for n in free if n in required]
    sought = [n for n in free if in_words(n) in QUERIES] if action in ("show", None) else []
    others = [] if any(is_free(n, properties[n]) for n in (*form, *named, *renamed)) else free
    slots = needed if len(needed) == 1 else sought if len(sought) == 1 else others
    if not item and len(sought) == 1:
        slots, item = sought, topic_of(tool, without_choices(properties, values, said.text))
        wants = True
    # the value of a field that extends to the end of the sentence may be too long
    loose = next(iter(form)) if len(form) == 1 and not QUOTED.search(said.text) else ""
    if wants and len(slots) == 1 and (item := without_heading(slots[0], item)):
        loose = "" if said.item and QUOTED.search(said.text) else slots[0]
        values[slots[0]] = [item] if is_list_of_words(properties[slots[0]]) else item
    return FilledSlots(values, missing_of(tool, values, action), chosen, loose)


def takes_number(name: str, told: dict[str, Any]) -> bool:
    """Return whether a parameter is a number, but not a position in a list."""
    return told.get("type") in ("integer", "number") and not is_position(name, told)


BOUNDS = {
    "min": r"at least|no less than|not less than|minimum|more than|over|above",
    "max": r"at most|no more than|not more than|maximum|less than|under|below|up to",
}


def is_meant(name: str, required: list[str], said: ActionRequest) -> bool:
    """Return whether one of several numeric parameters is meant. It is if it is required, or if the
    sentence states its bound together with its noun (`at least 100 points` for min_points).
    """
    words = in_words(name).split()
    for bound, told in BOUNDS.items():
        if bound in words or f"{bound}imum" in words:
            nouns = [w.rstrip("s") for w in words if w not in (bound, f"{bound}imum")]
            behind = rf"\b(?:{told})\s+-?[\d.]+\s+(?:\w+\s+)?(?:{'|'.join(nouns)})s?\b"
            return bool(nouns and re.search(behind, said.text, re.IGNORECASE))
    return name in required


EMAIL = re.compile(r"(?:\b(?:to|for|at)\s+)?(?P<x>[\w.+-]+@[\w-]+(?:\.[\w-]+)+)")
MOMENT = r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?"
MOMENTS = re.compile(
    rf"(?:\b(?:from|on|at|between|starting|since)\s+)?(?P<start>{MOMENT})"
    rf"(?:\s*(?:to|until|till|and|–|-)\s*(?P<end>{MOMENT}))?"
)
SPAN = {"start", "end", "begin", "due"}
STARTS, ENDS = {"start", "begin", "from", "since"}, {"end", "to", "until", "till"}


def shaped_values(properties: dict[str, dict[str, Any]], text: str) -> tuple[dict[str, Any], str]:
    """Return the values whose format shows which parameter they are for, and the text without them:
    an email address, and two times as a range.

    A value that could be for several parameters stays in the text.
    """
    values: dict[str, Any] = {}
    bare = masked(text)
    mails = [n for n, told in properties.items() if holds_address(n, told)]
    found = list(EMAIL.finditer(bare))
    if len(mails) == len(found) == 1:
        values[mails[0]] = found[0]["x"]
        text = without(text, found[0])
        bare = masked(text)
    moments = [n for n, told in properties.items() if holds_time(n, told)]
    spans = list(MOMENTS.finditer(bare))
    if len(spans) == 1 and moments:
        starts = [n for n in moments if STARTS & set(in_words(n).split())]
        ends = [n for n in moments if ENDS & set(in_words(n).split())]
        one, other = spans[0]["start"], spans[0]["end"]
        if other is not None and len(starts) == len(ends) == 1:
            values |= {starts[0]: one, ends[0]: other}
        elif other is not None and len(moments) == 2 and not starts and not ends:
            values |= {moments[0]: one, moments[1]: other}  # check-in and check-out, in this order
        elif other is None and len(at := starts or moments) == 1:
            values[at[0]] = one
        else:
            return values, text
        text = without(text, spans[0])
    return values, text


def holds_time(name: str, told: dict[str, Any]) -> bool:
    """Return whether a parameter is a day or a time, judged by its format or its name."""
    if told.get("format") in ("date", "date-time"):
        return True
    plain = told.get("type") == "string" and "format" not in told and "enum" not in told
    words = in_words(name).split()
    return plain and (words[-1] in ("date", "time", "datetime") or in_words(name) in SPAN)


def timed_values(
    properties: dict[str, dict[str, Any]], values: dict[str, Any], text: str
) -> tuple[dict[str, str], str]:
    """Return the only time parameter that has no value yet, with the only time in the text (such as
    `tomorrow`), and the text without this time. The parameter must accept text.
    """
    open_ = [
        n
        for n, told in properties.items()
        if n not in values
        and "format" not in told
        and (in_words(n) == "when" or holds_time(n, told))
    ]
    found = list(pattern("moment").finditer(masked(text)))
    if len(open_) != 1 or len(found) != 1:
        return {}, text
    said = re.sub(r"^(?:at|by) ", "", found[0][0], flags=re.IGNORECASE)
    before = re.sub(r"\b(?:for|at|by|on)\s*$", "", text[: found[0].start()], flags=re.IGNORECASE)
    return {open_[0]: said}, f"{before.rstrip()} {text[found[0].end() :].lstrip()}".strip()


def masked(text: str) -> str:
    """Return a text of the same length with quoted parts blanked out."""
    return re.sub(r"([\"“])([^\"“”]*)([\"”])", lambda m: f"{m[1]}{chr(0) * len(m[2])}{m[3]}", text)


def without(text: str, found: re.Match[str]) -> str:
    """Return a text with a matched part removed."""
    return f"{text[: found.start()].rstrip()} {text[found.end() :].lstrip()}".strip()


PEOPLE = frozenset(
    "user account owner member contact attendee participant assignee guest customer".split()  # noqa: SIM905
)


def holds_address(name: str, told: dict[str, Any]) -> bool:
    """Return whether a parameter is a single email address."""
    words = set(in_words(name).split())
    if told.get("format") == "email":
        return True
    if told.get("type") != "string" or "enum" in told:
        return False
    if words & (PEOPLE | {"to", "recipient"}) and re.search(
        r"\be-?mail\b", str(told.get("description") or ""), re.IGNORECASE
    ):
        return True  # "the user's ID or email", or "to" for the recipient's email address
    return words <= {"email", "mail", "address", "to", "recipient"} and bool(
        words & {"email", "mail", "recipient"}
    )


LIMITS = frozenset(
    [
        "limit",
        "count",
        "n",
        "k",
        "top",
        "max",
        "maximum",
        "max results",
        "results",
        "num results",
        "size",
        "page size",
        "per page",
    ]
)
LONGEST_PATTERN = 60  # patterns are untrusted: longer ones are ignored, and only words are matched
YEAR = r"(?<![\w.-])(?P<n>(?:1[5-9]|20)\d\d)(?![\w.-])"


def choices_beside(properties: dict[str, dict[str, Any]], text: str) -> tuple[dict[str, Any], str]:
    """Return the choices next to the name of their parameter, as in `a high priority task`, and the
    text without them.
    """
    values: dict[str, Any] = {}
    for name, told in properties.items():
        called = in_words(name).split()[-1]
        for value in told.get("enum") or ():
            if not isinstance(value, str) or len(called) < 3:
                continue
            said = re.escape(in_words(value)).replace(r"\ ", r"[\s_-]+")
            name_first = (
                rf"(?:(?:with|of|at|in|to|as)\s+)?(?:the\s+|a\s+)?{called}"
                rf"\s*(?:is|=|:|to|of)?\s*{said}"
            )
            found = re.search(
                rf"(?<!\w)(?:{said}[\s-]+{called}|(?:and\s+)?{name_first})(?!\w)",
                masked(text),
                re.IGNORECASE,
            )
            if found is not None and name not in values:
                values[name] = value
                text = without(text, found)
    return values, text


ORIGINS = frozenset(["origin", "from", "source", "departure", "start"])
DESTINATIONS = frozenset(["destination", "to", "target", "arrival"])
PLACES = frozenset(["city", "location", "place", "town", "country", "region", "area"])
PLACE_NAME = r"(?-i:[A-Z])[\w'’-]*(?:\s+(?-i:[A-Z])[\w'’-]*)*"


def place_values(properties: dict[str, dict[str, Any]], text: str) -> tuple[dict[str, str], str]:
    """Return the values that are places, and the text without them: `from LHR to JFK` for the
    origin and destination, `in London` for the city.
    """
    open_ = {
        n: in_words(n)
        for n, told in properties.items()
        if told.get("type") == "string" and "enum" not in told
    }
    values: dict[str, str] = {}
    ends = [[n for n, said in open_.items() if said in kind] for kind in (ORIGINS, DESTINATIONS)]
    route = re.search(
        rf"\bfrom\s+(?P<a>{PLACE_NAME})\s+to\s+(?P<b>{PLACE_NAME})", masked(text), re.IGNORECASE
    )
    if route is not None and [len(one) for one in ends] == [1, 1]:
        values |= {ends[0][0]: route["a"], ends[1][0]: route["b"]}
        text = without(text, route)
    named = [n for n, said in open_.items() if said in PLACES]
    found = list(re.finditer(rf"\b(?:in|near|around)\s+(?P<x>{PLACE_NAME})", masked(text), re.I))
    if len(named) == len(found) == 1:
        values[named[0]] = found[0]["x"]
        text = without(text, found[0])
    return values, text


def patterned_values(
    properties: dict[str, dict[str, Any]], values: dict[str, Any], text: str
) -> dict[str, str]:
    """Return the text parameters whose pattern matches exactly one word of a sentence, with this
    word.
    """
    made: dict[str, str] = {}
    for name, told in properties.items():
        form = told.get("pattern")
        if name in values or not isinstance(form, str) or told.get("type") != "string":
            continue
        if len(form) > LONGEST_PATTERN:
            continue
        try:
            fits = [one for one in re.findall(r"[\w-]+", masked(text)) if re.search(form, one)]
        except re.error:
            continue
        if len(set(fits)) == 1:
            made[name] = fits[0]
    return made


ENOUGH = re.compile(  # "five results is plenty" adds nothing to the number
    r"\s+(?:\w+\s+)?\w+s\s+(?:is|are|will|would|should)\s+(?:be\s+)?(?:plenty|enough|fine|do)\b",
    re.IGNORECASE,
)


def counted_values(
    tool: OfferedTool, properties: dict[str, dict[str, Any]], text: str
) -> tuple[dict[str, Any], str]:
    """Return the number of items (`the last 5 expenses`) and the year (`published in 2024`) that
    are requested, for the parameters with such names, and the text without them.
    """
    values: dict[str, Any] = {}
    bare = masked(text)
    years = [
        n for n, told in properties.items() if "year" in in_words(n).split() and "enum" not in told
    ]
    found = list(re.finditer(rf"(?:\b(?:in|of|from|for|since)\s+)?{YEAR}", bare))
    if (
        len(years) == len(found) == 1
        and (year := typed(found[0]["n"], properties[years[0]])) is not None
    ):
        values[years[0]] = year
        text = without(text, found[0])
        bare = masked(text)
    limits = [
        n
        for n, told in properties.items()
        if in_words(n) in LIMITS and told.get("type") in ("integer", "number")
    ]
    amount = re.search(
        r"\b(?:the\s+|my\s+)?(?:(?:last|first|latest|newest|top|recent|next|only)\s+)(?P<n>\d+)\b"
        rf"|(?<![\w.-])(?P<m>\d+|{'|'.join(COUNTED)})(?=\s+(?:\w+\s+)??(?P<noun>\w+s)\b)",
        bare,
        re.IGNORECASE,
    )
    if (
        len(limits) == 1
        and amount is not None
        and (
            amount["n"]
            or (amount["noun"] or "").rstrip("s") in own_words(tool)
            or re.fullmatch(r"\W*(?:find|show|give|get)(?:\s+me)?\W*", bare[: amount.start()], re.I)
        )
    ):
        values[limits[0]] = number(amount["n"] or amount["m"])
        enough = ENOUGH.match(bare, amount.end())
        end = enough.end() if enough is not None else amount.end()
        text = f"{text[: amount.start()].rstrip(' ,')} {text[end:].lstrip(' ,')}".strip()
    return values, text


OLD = frozenset(["from", "source", "src", "old", "origin"])
NEW = frozenset(["to", "destination", "dest", "dst", "target", "new"])


def moved_paths(
    properties: dict[str, dict[str, Any]], values: dict[str, Any], text: str
) -> tuple[dict[str, str], str]:
    """Return the old and new path of a file, as in `a.txt to b.txt`, and the text without them."""
    found = list(PATH.finditer(text))
    open_ = {
        n: set(in_words(n).split())
        for n, told in properties.items()
        if n not in values and takes_text(told)
    }
    ends = [[n for n, words in open_.items() if words & kind] for kind in (OLD, NEW)]
    if len(found) != 2 or [len(one) for one in ends] != [1, 1] or ends[0] == ends[1]:
        return {}, text
    if not re.fullmatch(r"\s*(?:to|as|into|->|→)\s*", text[found[0].end() : found[1].start()]):
        return {}, text
    rest = f"{text[: found[0].start()]}{text[found[1].end() :]}".strip()
    return {ends[0][0]: found[0][0], ends[1][0]: found[1][0]}, rest


def person_named(
    properties: dict[str, dict[str, Any]], values: dict[str, Any], text: str
) -> tuple[dict[str, str], str]:
    """Return the only parameter that is for a person, with the name in the text, and the text
    without the name.

    It recognises `Ann's notes`, `does user ann have`, and `for ann: buy milk`, in which the rest is
    the content.
    """
    open_ = [n for n, told in properties.items() if n not in values and takes_text(told)]
    persons = [n for n in open_ if in_words(n) in PERSONS]
    if len(persons) != 1:
        return {}, text
    held = [n for n in open_ if in_words(n).split()[-1] in CONTENTS]
    given = re.search(r"\bfor\s+(?P<x>@?[\w.-]*\w)\s*:\s+(?P<held>\S.*)$", masked(text))
    if given is not None and len(held) == 1:
        told = {persons[0]: given["x"], held[0]: unquoted(text[given.start("held") :])}
        return told, text[: given.start()].strip()
    called = "|".join(map(re.escape, sorted({*PERSONS, *aliases(persons[0])}, key=len)))
    for form in (
        rf"\b(?:do|does|did|has|is|of|for|by)\s+(?:the\s+)?(?:{called})\s+(?P<x>@?[\w.@-]*\w)",
        r"(?<![\w'’])(?P<x>@?[^\W\d_][\w.-]*)['’]s\s+(?=\w)",
    ):
        found = re.search(form, masked(text), re.IGNORECASE)
        if found is not None and found["x"].lower() not in NOBODY:
            return {persons[0]: found["x"]}, without(text, found)
    return {}, text


NOBODY = frozenset(
    [
        "what",
        "who",
        "where",
        "when",
        "how",
        "it",
        "that",
        "there",
        "here",
        "let",
        "today",
        "tomorrow",
        "yesterday",
        "he",
        "she",
        "everyone",
        "everybody",
        "someone",
        "nobody",
        "one",
        "which",
    ]
)
CONTENTS = frozenset(["content", "contents", "source", "text", "body", "message"])


def written_in(
    properties: dict[str, dict[str, Any]], values: dict[str, Any], text: str
) -> tuple[dict[str, str], str]:
    """Return the parameter for the content of a new item, with this content, and the text before
    it: `… and write in it eggs and flour`, `a note saying I am late`.
    """
    found = re.search(
        r"[,\s]+(?:and\s+)?(?:write|put)\s+(?:(?:in|into|inside)\s+(?:it|there)\s+(?P<x>\S.*?)"
        r"|(?P<y>\S.*?)\s+(?:in|into|inside)\s+it)[\s.!]*$"
        r"|\s+(?:saying|that\s+says|which\s+says)(?:\s+that\b)?:?\s+(?P<z>\S.*?)[\s.!]*$",
        text,
        re.IGNORECASE,
    )
    open_ = [
        n
        for n, told in properties.items()
        if in_words(n).split()[-1] in CONTENTS and n not in values and takes_text(told)
    ]
    if found is None or len(open_) != 1:
        return {}, text
    told = found["x"] or found["y"] or found["z"]
    return {open_[0]: unquoted(told)}, text[: found.start()]


NAMES = ("title", "name", "summary", "label", "heading", "subject", "topic")


def new_name(
    properties: dict[str, dict[str, Any]], values: dict[str, Any], text: str
) -> tuple[dict[str, str], str]:
    """Return the parameter for a name, with the words after `rename … to`, and the text before
    these words.
    """
    found = re.search(r"^\W*(?:please\s+)?rename\b.*?\bto\s+(?P<x>\S.*?)[\s.!]*$", text, re.I)
    open_ = [n for n in properties if in_words(n).split()[-1] in NAMES and n not in values]
    if found is None or len(open_) != 1 or not takes_text(properties[open_[0]]):
        return {}, text
    before = re.sub(r"\s+to\s*$", "", text[: found.start("x")])
    return {open_[0]: unquoted(found["x"])}, before


def marked_values(
    properties: dict[str, dict[str, Any]], values: dict[str, Any], text: str
) -> dict[str, bool]:
    """Return the yes/no parameters that a sentence sets: `mark it as completed`, `pin it`."""
    said = {base(one) for one in re.findall(r"[a-z]+", masked(text).lower())}
    denied = said & {"not", "un", "never", "no", "isn", "aren", "don"}
    made: dict[str, bool] = {}
    for name, told in properties.items():
        if told.get("type") != "boolean" or name in values or denied:
            continue
        words = {base(one) for one in in_words(name).removeprefix("is ").split()}
        if words <= said:
            made[name] = True
        elif {f"un{one}" for one in words} <= said:
            made[name] = False  # for example, unpin it
    return made


def base(word: str) -> str:
    """Return the stem of a word, with a doubled last letter made single: pinned becomes pin."""
    made = stem(word)
    return made[:-1] if len(made) > 3 and made[-1] == made[-2] else made


def without_numbers(
    properties: dict[str, dict[str, Any]], values: dict[str, Any], item: str
) -> str:
    """Return an object without an amount in it that has become an argument: `lunch for 12.50`."""
    for name, value in values.items():
        if takes_number(name, properties[name]):
            for found in NUMBER.finditer(item):
                if float(found[0]) == float(value):
                    made = re.sub(
                        rf"(?:\b(?:of|for|at|worth|costing)\s+)?(?:\b{re.escape(in_words(name))}\s*"
                        rf"(?:is\s+|of\s+|[:=]\s*)?)?[$€£¥]?{re.escape(found[0])}"
                        r"(?:\s*(?:dollars|euros|pounds|yen|[$€£¥]))?",
                        " ",
                        item,
                        count=1,
                        flags=re.IGNORECASE,
                    )
                    item = " ".join(made.split())
                    break
    return item


def without_heading(name: str, item: str) -> str:
    """Return an object without a heading that equals the parameter's name or the end of it: `in one
    sentence, it rained` for in_one_sentence.
    """
    words = in_words(name).split()
    for at in range(len(words)):
        heading = r"\s+".join(map(re.escape, words[at:]))
        if found := re.match(rf"(?:the\s+)?{heading}\s*[,:]\s+(?=\S)", item, re.IGNORECASE):
            return item[found.end() :].rstrip(" .")
    return item


def form_values(properties: dict[str, dict[str, Any]], text: str) -> tuple[dict[str, Any], str]:
    """Return the values in a sentence that lists fields as in a form, and the text before them:
    `with the subject Lunch and the body See you at noon`.

    There must be at least two field names, unless the form of the only one is clear. Each value
    ends at the next name.
    """
    bare, marks = masked(text), list[tuple[int, int, str]]()
    for name, told in properties.items():
        words = takes_text(told) or is_list_of_words(told)
        if not words or isinstance(told.get("enum"), list):
            continue
        names = "|".join(re.escape(one) for one in {in_words(name), *aliases(name)})
        is_name = in_words(name) in NAMES or in_words(name).endswith((" name", " title"))
        called = r"|\b(?:called|named|titled|entitled)" if is_name else ""
        found = re.search(
            r"(?:(?:[,;:]\s*(?:and\s+)?|\b(?:with|and|in|at|of|for|under|as)\s+)"
            rf"(?:the\s+|an?\s+|my\s+)?(?:{names})"
            rf"(?:\s+(?:is|of|saying|named|called)\b|\s*[:=])?|\b(?:{names})\s*:{called})\s+(?=\S)",
            bare,
            re.IGNORECASE,
        )
        if found is not None:
            marks.append((found.start(), found.end(), name))
    alone = len(marks) == 1 and in_words(marks[0][2]) in THINGS | set(NAMES)
    whole = alone and bool(re.match(r"\W*with\b", bare[marks[0][0] :], re.IGNORECASE))
    written_out = len(marks) == 1 and bare[marks[0][1] - 2 : marks[0][1]].rstrip().endswith(":")
    titled = (
        (  # "a new visit, topic Quick sync"
            len(marks) == 1
            and in_words(marks[0][2]) in NAMES
            and bool(re.match(r"[,;]\s*(?:the\s+)?(?!with\b|and\b)\w+\s", bare[marks[0][0] :]))
        )
        or (  # "a new page with a map, titled Our boats"
            len(marks) == 1
            and bool(re.search(r",\s*$", bare[: marks[0][0]]))
            and bool(re.match(r"(?:called|named|titled|entitled)\b", bare[marks[0][0] :]))
        )
    )
    if len(marks) < 2 and not written_out and not whole and not titled:
        return {}, text
    marks.sort()
    ends = [start for start, _, _ in marks[1:]] + [len(text)]
    values: dict[str, Any] = {
        name: enumerated(value) if is_list_of_words(properties[name]) else value
        for (_, begin, name), end in zip(marks, ends, strict=True)
        if (value := unquoted(text[begin:end]))
    }
    last = bare[marks[-1][1] :]
    if not written_out and re.search(r"\w:\s", last):
        return {}, text  # after a colon, something new starts, so it is unclear where a value ends
    return values, text[: marks[0][0]].strip(" ,;:")


def enumerated(text: str) -> list[str]:
    """Return the items of a list: `red, green and blue`.

    An `and` separates items only after a comma, because a name may contain `and`.
    """
    parts = [part.strip() for part in re.split(r"\s*[,;]\s*(?:and\s+)?", text)]
    if len(parts) > 1:
        before, _, last = parts[-1].rpartition(" and ")
        parts[-1:] = [before, last] if before else [last]
    return [unquoted(part) for part in parts if part]


def unquoted(text: str) -> str:
    """Return a text as the value of a field, without quotation marks around it and without polite
    words.
    """
    made = text.strip(" ,;")
    if quote := re.fullmatch(r"[\"“'‘](.+)[\"”'’][.!]?", made):
        return quote[1]
    return re.sub(r"[,\s]+(?:please|thanks|thank you)\W*$", "", made, flags=re.IGNORECASE)


CODE = re.compile(r"(?<![\w@./-])[\w-]+(?:\.[\w-]+)*(?![\w@/-])")


def code_value(
    properties: dict[str, dict[str, Any]], values: dict[str, Any], text: str
) -> dict[str, str]:
    """Return the parameter that gets a code (such as an account address), with the code.

    This applies only if the sentence contains exactly one code and exactly one parameter accepts a
    code.
    """
    codes = [one[0] for one in CODE.finditer(masked(text)) if is_code(one[0])]
    open_ = [
        n
        for n, told in properties.items()
        if n not in values
        and told.get("type") == "string"
        and (is_free(n, told) or in_words(n).split()[-1] == "id")
        and not {in_words(n), in_words(n).split()[-1]} & (QUERIES | THINGS)
    ]
    return {open_[0]: codes[0]} if len(codes) == len(open_) == 1 else {}


def is_code(word: str) -> bool:
    """Return whether a word is a code, as opposed to a word of a language: it is long, and contains
    letters and at least three digits.
    """
    return (
        len(word) >= 8
        and sum(c.isdigit() for c in word) >= 3
        and any(c.isalpha() for c in word)
        and not re.match(MOMENT, word)
        and not PATH.match(word)
    )


TOPIC = re.compile(
    r"^(?P<before>.+?)\s+(?:about|on|for|of|by|regarding|concerning|containing|mentioning"
    r"|matching)\s+(?:an?\s+)?(?P<x>.+)$",
    re.IGNORECASE,
)


SOUGHT = re.compile(
    r"(?:please\s+)?(?:find|look\s+(?:up|for)|search(?:\s+for)?)(?:\s+(?:me|us))?\s+"
    r"(?:(?:the|a|an|some|any)\s+)?(?P<x>.+)$",
    re.IGNORECASE,
)
OWN_ABOUT = re.compile(
    r"^\W*(?:what|which|anything|something|do|did|have|is|are)\b(?=.*\b(?:i|we|my|our)\b).*?"
    r"\b(?:about|regarding|concerning)\s+(?P<x>.+)$",
    re.IGNORECASE,
)


OFFERED = re.compile(
    r"^(?:which|what)\s+(?P<x>.+?)\s+(?:does|do)\s+(?P<who>.+?)\s+(?:sell|have|offer|carry|stock)$",
    re.IGNORECASE,
)


def topic_of(tool: OfferedTool, text: str) -> str:
    """Return the topic of a request; empty if there is none.

    There is a topic if all words before it describe the tool itself (`papers about dark matter`),
    if the request asks for the user's own items (`what have I written about dark matter`), or if it
    asks for those of the tool's owner (`which tent does Contoso sell`).
    """
    offered = OFFERED.match(text.strip().rstrip(".!?？。 "))
    if offered is not None and not content_words(offered["who"]) - own_words(tool):
        return trimmed(offered["x"])
    if (own := OWN_ABOUT.match(text.strip().rstrip(".!?？。 "))) is not None:
        return re.sub(r"^(?:the|a|an)\s+", "", trimmed(own["x"]), flags=re.IGNORECASE)
    topic, rest = "", text.strip().rstrip(".!?？。 ")
    while (found := TOPIC.match(rest)) is not None:
        before = content_words(found["before"])
        if not before or before - own_words(tool) - FILLERS:
            break
        topic = rest = found["x"]
    sought = SOUGHT.match(rest) if not topic else None
    if sought is not None and content_words(sought["x"]) - own_words(tool) - FILLERS:
        topic = sought["x"]  # for example, find jazz clubs in Bonn
    return trimmed(topic)


def without_choices(
    properties: dict[str, dict[str, Any]], values: dict[str, Any], text: str
) -> str:
    """Return a text without the choices that were read from it, and without the words that
    introduce them: `sorted by date`.
    """
    for name, value in values.items():
        if isinstance(properties[name].get("enum"), list):
            text = re.sub(
                r",?(?:\s*\b(?:and|sorted|ordered|sort|order|in|with|as|by|the)\b)*"
                rf"\s*(?<!\w){re.escape(str(value))}(?!\w)(?:\s+order)?",
                "",
                text,
                flags=re.IGNORECASE,
            )
    return text


def own_words(tool: OfferedTool) -> set[str]:
    """Return the content words in a tool's name, its description and its parameters."""
    told = " ".join(
        f"{name} {one.get('description') or ''} {' '.join(map(str, one.get('enum') or []))}"
        for name, one in properties_of(tool).items()
    )
    return content_words(f"{in_words(tool.name)} {tool.description} {told}")


def unread(tool: OfferedTool, values: dict[str, Any], text: str) -> set[str]:
    """Return the words of a request that neither name the tool nor have become arguments."""
    used = content_words(" ".join(f"{value}" for value in values.values()))
    act = action_of(in_words(tool.name))
    left = content_words(without_subject(tool, text)) - own_words(tool) - used - FILLERS
    return {word for word in left if act in (None, "show") or action_of(word) != act}


def without_subject(tool: OfferedTool, text: str) -> str:
    """Return a text without words for the subject of a tool, such as `write down` for a to-do
    list.
    """
    about = f"{tool.name} {tool.description}"
    for subject in SUBJECTS.values():
        if re.search(subject, about, re.IGNORECASE):
            text = re.sub(subject, " ", text, flags=re.IGNORECASE)
    return text


def with_unread(tool: OfferedTool, filled: FilledSlots, text: str) -> FilledSlots:
    """Return the arguments. If words are left, a parameter may be added to those that the user is
    asked for.

    Nothing is written while there are words left that might belong to a parameter without a value,
    and nothing is searched for unless there are words to search for.
    """
    properties = properties_of(tool)
    open_ = [
        n
        for n, told in properties.items()
        if n not in filled.values
        and takes_text(told)
        and not isinstance(told.get("enum"), list)
        and not is_position(n, told)
    ]
    placed = any(is_position(n, properties[n]) for n in filled.values)
    if filled.missing or not open_ or placed or (filled.values and not tool.writes):
        return filled
    if not filled.values:
        own = set(in_words(tool.name).split())
        for n in open_:
            if any(re.search(rf"\b{re.escape(a)}\b", text, re.I) for a in set(aliases(n)) - own):
                return replace(filled, missing=(n,))
    said = any(  # a file to summarise counts as given, as do words to write
        n in filled.values for n, told in properties.items() if is_free(n, told) or plain_names(n)
    )
    unsaid = tool.writes and not said and not tool.schema.get("required")  # such as an empty email
    if unread(tool, filled.values, text) or unsaid:
        return replace(filled, missing=(open_[0],))
    return filled


def entry_id(tool: OfferedTool, text: str) -> tuple[str, int | str, str] | None:
    """Return the parameter for an entry's id, the id that follows the noun for the entry, and the
    text without the id: `order 12` for order_id, `todo 2` for the id of getTodo. Return None if
    there is none.
    """
    properties = properties_of(tool)
    for name, told in properties.items():
        words = in_words(name).split()
        if words[-1:] != ["id"] or told.get("type") not in ("integer", "number", "string"):
            continue
        noun = words[-2] if len(words) > 1 else in_words(tool.name).split()[-1]
        found = re.search(
            rf"\b(?:the\s+)?{re.escape(noun.rstrip('s'))}s?\s*(?:number|no\.?|nr\.?|id|#)?\s*"
            r"(?P<id>(?:[A-Za-z]{1,5}[-_]?)?\d+(?!\d)(?!st\b|nd\b|rd\b|th\b)(?:[\w-]|[./](?=\w))*"
            r"|(?:[A-Za-z\d]+[-_])+\d[\w-]*)"  # also ids such as dune-part-2
            r"(?!\s*(?:st|nd|rd|th)\b)"
            r"(?:\s+(?:to|into|as)\b)?",
            text,
            re.IGNORECASE,
        )
        if found is not None and (value := typed(found["id"], told)) is not None:
            rest = f"{text[: found.start()]}{noun}{text[found.end() :]}"
            return name, value, rest
    return None


QUERIES = frozenset(
    [
        "query",
        "q",
        "search",
        "keyword",
        "keywords",
        "term",
        "text",
        "phrase",
        "search query",
        "search term",
        "search text",
        "search phrase",
    ]
)
PERSONS = frozenset(["user", "username", "user name", "owner", "author", "creator", "assignee"])
MAKERS = frozenset(["by", "author", "user", "creator", "writer", "username", "owner"])
HOLDER = re.compile(
    r"^(?:(?:that is |which is )?(?:called|named|titled|entitled|labelled|labeled|saying)|with the"
    r" (?:title|name|text)|for|about)\s+(?=\S)",
    re.IGNORECASE,
)
LOOSE = re.compile(
    r"^(?:to|with|of|from|in|on|at|by|into|as|and|or|than)\b|^\d+ (?:to|into|as)\b", re.IGNORECASE
)


def after_call(tool: OfferedTool, item: str) -> str:
    """Return the name after `called`, if the words before it describe the tool itself: `weekly
    income called Tutoring` becomes Tutoring.
    """
    found = re.match(
        r"(?P<before>.+?)(?:\s+(?:called|named|titled|entitled)|\s*:)\s+(?P<x>.+)$", item, re.I
    )
    if found is None or content_words(found["before"]) - own_words(tool) - FILLERS:
        return item
    return found["x"]


def named_thing(item: str) -> str:
    """Return an object without the words that introduce it (`called Budget` becomes Budget).

    The result is empty if the object starts in the middle of something else.
    """
    made = HOLDER.sub("", item)
    return "" if LOOSE.match(made) else made


def made_by(
    properties: dict[str, dict[str, Any]], values: dict[str, Any], text: str
) -> dict[str, str]:
    """Return the parameter for an author, with the name after `by`; empty if no author is named, or
    if more than one parameter could be meant.
    """
    open_ = [
        n
        for n, told in properties.items()
        if n not in values and in_words(n) in MAKERS and told.get("type", "string") == "string"
    ]
    found = re.search(r"\bby\s+(?P<name>@?[\w.-]*\w(?:\s+(?-i:[A-Z])[\w.-]*\w)*)\W*$", text, re.I)
    return {open_[0]: found["name"]} if found and len(open_) == 1 else {}


def properties_of(tool: OfferedTool) -> dict[str, dict[str, Any]]:
    """Return the schemas of a tool's parameters by name."""
    told = tool.schema.get("properties") or {}
    return {name: one for name, one in told.items() if isinstance(one, dict)}


def thing_behind(tool: OfferedTool, text: str) -> str:
    """Return the object that follows a tool's own name, if a request starts with this name: `Untag
    the reminder buy milk`; otherwise empty.
    """
    properties = tool.schema.get("properties") or {}
    called = "|".join(
        re.escape(one)
        for name in properties
        for one in (in_words(name), in_words(name).rstrip("s"))
    )
    verb = own_verb(tool)
    begins = rf"(?:{own_name(tool)}" + (rf"|\W*(?:please\s+)?{re.escape(verb)}\b)" if verb else ")")
    begun = re.match(
        rf"{begins}\s+(?:(?:the|a|an|my)\s+)?(?:(?:{called})\s+)?(?P<x>.+)$",
        text,
        re.IGNORECASE,
    )
    return begun["x"].strip(" .!?\"“”'") if begun is not None and called else ""


def own_verb(tool: OfferedTool) -> str:
    """Return the verb in a tool's name, if it is not one of the usual actions: play for playSongs;
    otherwise empty.
    """
    first, _, rest = in_words(tool.name).partition(" ")
    return first if rest and len(first) > 2 and action_of(first) is None else ""


def own_name(tool: OfferedTool) -> str:
    """Return the pattern for a request that starts with a tool's own name: `View the service` for
    viewService.
    """
    words = r"\s+(?:(?:the|a|an|my)\s+)?".join(map(re.escape, in_words(tool.name).split()))
    return rf"\W*(?:please\s+)?{words}\b"


def without_nouns(tool: OfferedTool, item: str) -> str:
    """Return an object without nouns in front of it that name the tool or its parameters: `service
    weather` becomes weather.
    """
    properties = tool.schema.get("properties") or {}
    nouns = {w for n in (tool.name, *properties) for w in in_words(n).split()}
    before, _, after = item.partition(" for ")
    told = set(re.findall(r"\w+", f"{in_words(tool.name)} {tool.description}".lower()))
    if after and set(re.findall(r"\w+", before.lower())) <= told:
        item = after  # for example, search the Bible for the prodigal son
    first, _, rest = item.partition(" ")
    while rest and first.lower().rstrip("s") in {noun.rstrip("s") for noun in nouns}:
        item = rest
        first, _, rest = item.partition(" ")
    alone = not rest and first.lower().rstrip("s") in {one.rstrip("s") for one in nouns | told}
    return "" if alone else item


def named_values(properties: dict[str, Any], text: str) -> tuple[dict[str, Any], str]:
    """Return the values that have the name of their parameter next to them, and the text without
    them: `of user ann`, `with index 1`.

    A name counts if it is after a preposition or before an equals sign or a colon. A name that
    could be the object itself, such as `task`, does not count.
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
        if thing in THINGS:  # a name that could be the object itself counts only after "with"
            named = (f"{named}|" if names else "") + rf"with\s+(?:the\s+|a\s+)?{thing}"
        elif not names:
            continue
        signed = rf"|\b(?:{names})\s*[=:]\s*" if names else ""
        found = re.search(
            rf"(?:\b(?:{named})\s+(?:is\s+|of\s+|=\s*)?{signed})"
            r"(?:[\"“'](?P<quoted>[^\"”']+)[\"”']"
            # for example, "Big Apple" is a single name
            r"|(?P<bare>[\w@.+-]*\w(?:\s+(?-i:[A-Z])[\w.-]*\w)*)(?![\w(\[{*/]))",
            text,
            re.IGNORECASE,
        )
        found = found or value_before(names, text) or value_in(thing, text)
        if found is None:
            continue
        value = typed(found["quoted"] or found["bare"], told)
        if value is not None:
            values[name] = value
            text = (
                f"{text[: found.start()].rstrip(' ,')} {text[found.end() :].lstrip(' ,')}".strip()
            )
    return values, text


def value_before(names: str, text: str) -> re.Match[str] | None:
    """Return the match for a value that is right before the name of its parameter: `in the
    acme-mobile workspace`.

    A value that is quoted, or that is not a word of a language, cannot be anything else.
    """
    return (
        names
        and re.search(
            r"(?:\b(?:of|for|with|by|at|in|under|from)\s+)?\b(?:the|my|our)\s+"
            r"(?:[\"“'](?P<quoted>[^\"”']+)[\"”']|(?P<bare>[a-z\d]+(?:[-_][a-z\d]+)+))"
            rf"\s+(?:{names})\b",
            text,
            re.IGNORECASE,
        )
    ) or None


def value_in(thing: str, text: str) -> re.Match[str] | None:
    """Return the match for part of a name: `which have Grunwald in the name`."""
    return re.search(
        r"\b(?:that\s+)?(?:have|has|having|with|containing)\s+"
        r"(?:[\"“'](?P<quoted>[^\"”']+)[\"”']|(?P<bare>[\w.-]*\w))"
        rf"\s+in\s+(?:the|their|its)\s+{re.escape(thing)}s?\b",
        text,
        re.IGNORECASE,
    )


def number_beside(name: str, text: str) -> re.Match[str] | None:
    """Return the match for a parameter's name followed by a number: `a 5`, `limit = 10`, `index is
    2`.
    """
    names = "|".join(map(re.escape, [in_words(name), *aliases(name)]))
    if name in THINGS:
        return None
    return re.search(
        rf"(?:\b(?:of|for|with|by|at|in|and)\s+)?\b(?:{names})\s*(?:=|:|is|of)?\s*(-?\d+(?:\.\d+)?)(?![\w.]*\w)",
        text,
        re.IGNORECASE,
    )


def aliases(name: str) -> list[str]:
    """Return the names by which people refer to a parameter: index for todo_idx, user for
    username.
    """
    spaced = in_words(name)
    last = spaced.rpartition(" ")[2]
    known = {spaced, last, spaced.removesuffix("name").strip(), last.removesuffix("name")}
    known.add(spaced.removesuffix(" slug"))  # people call a project by its slug
    return sorted(
        (one for one in known if (len(one) > 2 or one == "id") and one not in THINGS),
        key=len,
        reverse=True,
    )


def in_words(name: str) -> str:
    """Return the name of a parameter as people would say it: todo_idx becomes todo index."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).replace("_", " ").replace("-", " ").lower()
    return " ".join(SHORT.get(word, word) for word in spaced.split())


def typed(text: str, told: dict[str, Any]) -> Any:
    """Return a value, converted to the type of its parameter; None if it is not of this type."""
    kind = told.get("type")
    if kind == "integer":
        return int(text) if re.fullmatch(r"-?\d+", text) else None
    if kind == "number":
        return numeric(text) if NUMBER.fullmatch(text) else None
    if is_list_of_words(told):
        return [text]
    return text if kind in ("string", None) else None


def numeric(text: str) -> int | float:
    """Return a number as it was written: an address has 144, not 144.0."""
    value = float(text)
    return int(value) if value.is_integer() else value


def is_list_of_words(told: dict[str, Any]) -> bool:
    """Return whether a parameter accepts a list of words or texts, which may contain only one."""
    items = told.get("items")
    return (
        told.get("type") == "array"
        and isinstance(items, dict)
        and items.get("type", "string") == "string"
        and "enum" not in items
    )


def missing_of(tool: OfferedTool, values: dict[str, Any], action: Action | None) -> tuple[str, ...]:
    """Return the parameters without which a call makes no sense, and that have no value yet."""
    properties = properties_of(tool)
    listed = tool.schema.get("required")
    required = listed if isinstance(listed, list) else []
    missing = [n for n in required if n in properties and n not in values]
    free = [n for n, told in properties.items() if is_free(n, told)]
    if missing or action not in ("add", "change", "delete") or not (free or has_place(tool)):
        return tuple(missing)
    places = [n for n, told in properties.items() if is_position(n, told)]
    if any(n in values for n in (*free, *places)) or any(
        says_change(properties[n], action) for n in values
    ):
        return ()
    return tuple([*(places if action != "add" else []), *free][:1])


def spelled(value: Any) -> str:
    """Return the pattern for a choice as people write it: in_progress may also be written `in
    progress`.
    """
    return r"[\s_-]".join(re.escape(one) for one in re.split(r"[\s_-]", str(value)))


def act_of(words: str) -> Action | None:
    """Return the action that a choice stands for; None for a state, such as `completed`."""
    return None if STATE.match(words) else action_of(words)


STATE = re.compile(r"^(?:\w+ed|done|new|shown|written)\b", re.IGNORECASE)


def says_change(told: dict[str, Any], action: Action) -> bool:
    """Return whether a parameter's value describes the new state of an object: yes or no, or a
    choice that is not an action.
    """
    choices = told.get("enum")
    if isinstance(choices, list):
        return action == "change" and not any(act_of(str(one)) for one in choices)
    return told.get("type") == "boolean"


def choice(told: dict[str, Any], question: str, action: Action | None) -> tuple[Any, bool]:
    """Return the choice that is requested, and whether it follows from the requested action. The
    choice is None if none is clear.
    """
    values = [value for value in told["enum"] if value is not None]
    named = [
        v
        for v in values
        if re.search(rf"(?<!\w){spelled(v)}(?:e?s)?(?!\w)", question, re.IGNORECASE)
    ]
    about = str(told.get("description") or "")
    does = {str(v): act_of(words_for(v, values, about)) for v in values}
    if len(named) == 1 and does[str(named[0])] in (None, action):
        return named[0], False
    if len(told_of := explained(values, about, question)) == 1:
        return told_of[0], False
    spread = [v for v in values if is_spread(v, question)]
    if len(spread) == 1 and does[str(spread[0])] in (None, action):
        return spread[0], False
    meant = [v for v in values if action is not None and does[str(v)] == action]
    if len(meant) == 1:
        return meant[0], True
    return (None if action is None and any(does.values()) else told.get("default")), False


def is_spread(value: Any, question: str) -> bool:
    """Return whether a sentence contains all words of a choice, in any order: `the calendar of all
    my boats` for calendar_all_boats. A choice that is a single word must occur as written.
    """
    words = in_words(value).split() if isinstance(value, str) else []
    said = {stem(one) for one in re.findall(r"[^\W_]+", question.lower())}
    return len(words) > 1 and {stem(one) for one in words} <= said


def explained(values: list[Any], about: str, question: str) -> list[Any]:
    """Return the codes whose explanation has a word in common with the sentence that occurs in no
    other code's explanation: 1 for "instant" if the description is `1: instant, 2: scheduled`.
    """
    if not all(isinstance(value, int) and f"{value}:" in about for value in values):
        return []
    told = {v: {stem(one) for one in content_words(words_for(v, values, about))} for v in values}
    said = {stem(one) for one in content_words(question)}
    return [v for v in values if said & told[v] - {w for o in values if o != v for w in told[o]}]


def words_for(value: Any, values: list[Any], about: str) -> str:
    """Return a choice together with its part of the description, which ends at the next choice."""
    at = about.find(str(value))
    if at < 0:
        return str(value)
    rest = about[at:]
    ends = [end for other in values if other != value and (end := rest.find(str(other))) > 0]
    return f"{value} {rest[: min(ends, default=60)]}"


def plain_value(name: str, told: dict[str, Any], said: ActionRequest) -> Any:
    """Return the value of a parameter whose name or type shows what it contains; None if the
    sentence has no such value.
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
        if in_words(name).endswith(" id"):
            return None  # an entry's id is read after the noun for the entry
        found = [*NUMBER.findall(said.frame), *(one["n"] for one in AMOUNT.finditer(said.frame))]
        if len(found) != 1:
            return None
        one = str(COUNTED.get(found[0].lower(), found[0]))
        return int(float(one)) if kind == "integer" else numeric(one)
    return None


def zone_of(question: str) -> str | None:
    """Return the time zone of a city that the question names."""
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
    """Return whether a parameter is a position in a list."""
    return bool(POSITION.search(f"{name.replace('_', ' ')} {told.get('description') or ''}"))


def has_place(tool: OfferedTool) -> bool:
    """Return whether a tool has a parameter for a position in a list."""
    properties = tool.schema.get("properties") or {}
    return any(
        is_position(name, told) for name, told in properties.items() if isinstance(told, dict)
    )


def takes_text(told: dict[str, Any]) -> bool:
    """Return whether a parameter accepts a text."""
    kinds = told.get("type", "string")
    return kinds == "string" or (isinstance(kinds, list) and "string" in kinds)


def is_free(name: str, told: dict[str, Any]) -> bool:
    """Return whether a parameter accepts any words."""
    takes_words = takes_text(told) or is_list_of_words(told)
    special = (
        told.get("format") in ("date", "date-time", "uri", "email", "binary", "byte", "uuid")
        or "enum" in told
    )
    named = plain_names(name)
    return takes_words and not special and not is_position(name, told) and not named


def plain_names(name: str) -> bool:
    """Return whether a parameter's value is read by a rule of its own."""
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
