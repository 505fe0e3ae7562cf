"""Check that a call accounts for a whole request.

If rules chose a write, it is done only if every word of the request either became part of an
argument or names the action. Any other word means that something was not understood.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from backends.copilot.actions.request import (
    CLAUSE,
    COUNTED,
    ORDINALS,
    PLACE,
    POLITE,
)
from backends.copilot.actions.slots import (
    EMAIL,
    NUMBER,
    aliases,
    base,
    explained,
    in_words,
    is_position,
    properties_of,
)
from backends.copilot.actions.words import (
    CUES,
    SUBJECTS,
    THINGS_TOO,
    action_of,
    is_chinese,
    listed,
    pattern,
    stem,
    subjects_of,
)

if TYPE_CHECKING:
    from backends.copilot.actions.request import ActionRequest
    from backends.copilot.actions.slots import FilledSlots
    from backends.copilot.actions.words import Action
    from backends.protocol.request import OfferedTool


# minimum length of a word that names something, and maximum length of an ending, in letters
LETTERS, ENDING = 4, 3
TAKEN = "\N{SYMBOL FOR UNIT SEPARATOR}"  # replaces the parts of the request that are accounted for
GAP = r"[\s_]+"
CHINESE = re.compile(r"[\u4e00-\u9fff]+")
WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
OFF = re.compile(  # "scratch the third off the list" contains a single verb
    r"\b(?:scratch|cross|strike|tick|check|take|taking|knock|wipe|get)\w*\b.*?\boff\b",
    re.IGNORECASE,
)
ASIDE = re.compile(r"\b(?:note|jot|write|put)\b(?:\s+(?:that|this|it))?\s+down\b", re.IGNORECASE)
TIMES = frozenset(["date", "time", "datetime", "start", "end", "due", "day", "when", "deadline"])


def unplaced(
    tool: OfferedTool, filled: FilledSlots, said: ActionRequest, siblings: list[OfferedTool]
) -> tuple[str, ...]:
    """Return the words of a request that a call would ignore or may have misunderstood; empty if
    the call accounts for the whole request.

    siblings: the other tools of the same server, one of which the request may be asking for.
    """
    properties = properties_of(tool)
    rest, lost = said.text, list[str]()
    for name, value in sorted(filled.values.items(), key=lambda one: -len(str(one[1]))):
        for part in value if isinstance(value, list) else [value]:
            found = place_of_value(name, properties[name], part, rest)
            if found is None:
                lost.append(str(part))
            elif found[0] < found[1]:
                rest = f"{rest[: found[0]]} {TAKEN} {rest[found[1] :]}"
    loose = str(filled.values.get(filled.loose, ""))
    if filled.loose and not (names_object(tool, rest) and says_something(loose)):
        lost.append(loose)  # it could be the object of another tool
    if lost:
        return tuple(lost)
    return (
        doubtful(tool, filled)
        or turned(tool, said, rest)
        or named_sibling(tool, filled, siblings, rest)
        or leftover(tool, rest, said.action)
    )


def place_of_value(
    name: str, told: dict[str, Any], value: Any, text: str
) -> tuple[int, int] | None:
    """Return the position of a value in a text, or None if the text does not contain the value in
    one piece.

    The range is empty if the value follows from the words for the action.
    """
    if isinstance(value, bool):
        return 0, 0  # the parameter's own name implies it
    if is_position(name, told):
        found = PLACE.search(text) or pattern("put_at").search(text) or pattern("top").search(text)
        numbers = [one for one in NUMBER.finditer(text) if one[0] == str(value)]
        return found.span() if found is not None else numbers[0].span() if numbers else None
    choices: list[Any] = told.get("enum") or []
    for word in WORD.finditer(text) if choices else ():
        if explained(choices, str(told.get("description") or ""), word[0]) == [value]:
            return word.span()  # a code that was chosen by its explanation
    if isinstance(value, int | float):
        spans = [one.span() for one in NUMBER.finditer(text) if float(one[0]) == float(value)]
        words = [one for one, number in COUNTED.items() if number == value]
        spans += [one.span() for word in words for one in re.finditer(rf"\b{word}\b", text, re.I)]
        return spans[0] if spans else None
    words = GAP.join(re.escape(one) for one in re.split(GAP, str(value)) if one)
    found = re.search(rf"(?<!\w){words}(?:e?s)?(?!\w)", text, re.IGNORECASE)
    if found is not None:
        return found.span()
    if isinstance(told.get("enum"), list):
        return 0, 0  # the action implies it
    at = text.find(str(value)) if is_chinese(text) else -1
    return (at, at + len(str(value))) if at >= 0 else None


def says_something(text: str) -> bool:
    """Return whether a text has a content word."""
    return any(one.lower() not in listed("unsaying") for one in WORD.findall(text))


def names_object(tool: OfferedTool, rest: str) -> bool:
    """Return whether a request names the object of a tool, not counting the arguments."""
    if subjects_of(rest) & subjects_of(f"{in_words(tool.name)} {tool.description}"):
        return True
    about = [tool.name, *properties_of(tool), tool.server_id]
    words = {one for name in about for one in in_words(name).split()}
    words |= set(WORD.findall(tool.description.lower()))
    nouns = {
        stem(one)
        for one in words - listed("unsaying")
        if action_of(one.removesuffix("s")) is None or one.removesuffix("s") in THINGS_TOO
    }
    said = {stem(one.lower()) for one in WORD.findall(rest)}
    return bool(nouns & said) or is_chinese(rest)


def doubtful(tool: OfferedTool, filled: FilledSlots) -> tuple[str, ...]:
    """Return words that suggest that the rest of a sentence is more than a single argument.

    These are: the name or a choice of a parameter that has no value yet; a time, number or address
    that a parameter could accept; the noun of the tool itself; a further instruction.
    """
    if not filled.loose:
        return ()
    value = filled.values.get(filled.loose)
    text = str(value[0] if isinstance(value, list) and value else value)
    found: list[str] = []
    for name, told in properties_of(tool).items():
        if name in filled.values:
            continue
        words, kind = set(in_words(name).split()), told.get("type")
        called = [*aliases(name), *map(str, told.get("enum") or ())]
        found += [one for one in called if re.search(rf"\b{re.escape(one)}\b", text, re.IGNORECASE)]
        if "date" in str(told.get("format")) or TIMES & words:
            found += [match[0] for match in pattern("moment").finditer(text)]
        if kind in ("integer", "number") and not is_position(name, told):
            found += NUMBER.findall(text)
        if told.get("format") == "email" or {"email", "mail", "recipient"} & words:
            found += [match["x"] for match in EMAIL.finditer(text)]
    nouns = {stem(one) for one in in_words(tool.name).split() if action_of(one) is None}
    found += [one for one in WORD.findall(text) if stem(one.lower()) in nouns]
    for clause in CLAUSE.split(text)[1:]:
        first = POLITE.sub("", clause.strip()).partition(" ")[0]
        if action_of(first) in ("add", "delete", "change"):
            found.append(clause.strip())
    return tuple(dict.fromkeys(found))


def turned(tool: OfferedTool, said: ActionRequest, rest: str) -> tuple[str, ...]:
    """Return the words that show that the tool's action is not the one requested.

    These are particles such as `off` and amounts such as `all` that occur only in the tool's name,
    or the tool's verb if nothing in the request corresponds to it.
    """
    named = in_words(tool.name).split()
    words = {one.lower() for one in WORD.findall(rest)}
    found = [one for one in named if one in listed("turning") and one not in words]
    own = action_of(in_words(tool.name))
    if own is not None and own == said.action:
        return tuple(found)
    stems = {stem(one) for one in WORD.findall(f"{in_words(tool.name)} {tool.description}".lower())}
    heads = [POLITE.sub("", one.strip()).lower() for one in CLAUSE.split(rest)]
    firsts = {stem(head[0]) for head in map(WORD.match, heads) if head is not None}
    switches = [n for n, one in properties_of(tool).items() if one.get("type") == "boolean"]
    marks = {base(one) for name in switches for one in in_words(name).split()}
    stems |= marks | {f"un{one}" for one in marks}
    choices = any(isinstance(one.get("enum"), list) for one in properties_of(tool).values())
    if not found and not choices and not firsts & stems and not is_chinese(rest):
        found.append(named[0])
    return tuple(found)


def named_sibling(
    tool: OfferedTool, filled: FilledSlots, siblings: list[OfferedTool], rest: str
) -> tuple[str, ...]:
    """Return the words of a request that name another tool of the server, but neither this tool nor
    an argument: `remind me`, if there are tools for reminders as well as for tasks.
    """
    own = {stem(one) for one in WORD.findall(f"{in_words(tool.name)} {tool.description}".lower())}
    own |= {stem(one) for name in filled.values for one in in_words(name).split()}
    theirs = {
        one
        for other in siblings
        for one in in_words(other.name).split()
        if len(one) > LETTERS and stem(one) not in own
    }
    said = [
        one for one in WORD.findall(rest) if len(one) > LETTERS and stem(one.lower()) not in own
    ]
    return tuple(one for one in said if any(are_kin(one.lower(), other) for other in theirs))


def are_kin(one: str, other: str) -> bool:
    """Return whether one word starts with the other and has only a short ending after it: remind
    and reminder.
    """
    short, long = sorted((stem(one), stem(other)), key=len)
    return long.startswith(short) and len(long) - len(short) <= ENDING


def leftover(tool: OfferedTool, rest: str, action: Action | None) -> tuple[str, ...]:
    """Return the words in the rest of a request that name neither the tool nor its action."""
    own = {stem(one) for one in WORD.findall(f"{in_words(tool.name)} {tool.description}".lower())}
    own |= {stem(one) for one in in_words(tool.server_id).split()}
    for name, told in properties_of(tool).items():
        own |= {stem(one) for one in (*in_words(name).split(), *aliases(name))}
        own |= {stem(one) for v in told.get("enum") or () for one in in_words(str(v)).split()}
        if told.get("type") in ("integer", "number"):  # its unit, such as cents
            own |= {stem(one) for one in WORD.findall(str(told.get("description") or "").lower())}
        if told.get("type") == "boolean":
            marks = {base(one) for one in in_words(name).split()}
            own |= marks | {f"un{one}" for one in marks}
    text = pattern("reason").sub(" ", ASIDE.sub(" ", rest))
    about = f"{tool.name} {tool.description}"
    subjects = [one for one in SUBJECTS.values() if re.search(one, about, re.IGNORECASE)]
    wanted: tuple[Action | None, ...] = (action, action_of(in_words(tool.name)))
    acts = {one for one in wanted if one is not None} - {"show"}
    cues = {cue for act, cues in CUES.items() if act in acts for cue in cues}
    for cue in sorted(cues, key=len, reverse=True):
        if re.search(cue, text, re.IGNORECASE) is None or (
            not subjects and listed("special") & set(re.findall(r"[a-z]+", cue))
        ):
            continue
        for part in cue.split(".*"):
            text = re.sub(part, " ", text, flags=re.IGNORECASE)
    if "delete" in acts and OFF.search(rest):
        text = re.sub(r"\boff\b", " ", text, count=1, flags=re.IGNORECASE)
    for subject in subjects:
        text = re.sub(subject, " ", text, flags=re.IGNORECASE)
    if "add" in acts:
        text = re.sub(r"\b(?:make|write|start)\b", " ", text, flags=re.IGNORECASE)
    chinese = pattern("unsaying_chinese").sub(" ", " ".join(CHINESE.findall(text)))
    return tuple(run for run in chinese.split() if len(run) > 1) or tuple(
        one
        for one in WORD.findall(text)
        if stem(one.lower()) not in own
        and one.lower() not in listed("unsaying")
        and one.lower() not in ORDINALS
        and not is_chinese(one)
    )
