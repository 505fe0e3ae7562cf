"""Choose the tool that a sentence asks for, by its object and the requested action. If several fit
equally well, similarity of meaning decides.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from backends.copilot.actions.coverage import unplaced
from backends.copilot.actions.request import (
    POLITE,
    is_open,
    is_opinion,
    read,
)
from backends.copilot.actions.slots import (
    OWN_ABOUT,
    PATH,
    QUERIES,
    FilledSlots,
    entry_id,
    fill,
    has_place,
    in_words,
    is_code,
    named_values,
    own_name,
    own_verb,
    own_words,
    properties_of,
    unread,
    with_unread,
)
from backends.copilot.actions.words import (
    FILLERS,
    STOP,
    THINGS_TOO,
    action_of,
    asks_for_knowledge,
    content_words,
    is_chinese,
    listed,
    stem,
    subjects_of,
    with_verb_repaired,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    import numpy as np

    from backends.copilot.actions.request import ActionRequest
    from backends.copilot.actions.words import Action
    from backends.protocol.request import OfferedTool

    Embed = Callable[[list[str]], Awaitable[np.ndarray]]

SHORT = 8  # number of tools that are examined closely
WRITES = ("add", "delete", "change")
SEARCHES = re.compile(r"(?:search|look up|look for|find)\b", re.IGNORECASE)
HEAD = re.compile(
    r"(?P<verb>\w+)(?: up| down| out)?\s+"
    r"(?:(?:me|us|a|an|the|my|our|all|new|another|some|this|that)\s+)*"
    r"(?P<noun>[^\W\d_]+)",
    re.IGNORECASE,
)
WHOLE = 1.0  # score if every word of the sentence has been read
NEAR = 0.15  # maximum score for similarity of meaning; a shared word or action counts far more


@dataclass(frozen=True)
class ToolChoice:
    """A tool and its arguments.

    sure: whether the sentence names both the action and its object. unplaced: words of the sentence
    that a write would ignore; if there are any, nothing is written.
    """

    tool: OfferedTool
    filled: FilledSlots
    sure: bool
    action: Action | None = None
    unplaced: tuple[str, ...] = ()

    @property
    def changes(self) -> bool:
        """Whether the call can change something."""
        return self.tool.writes or own_action(self.tool) in WRITES


async def choose(question: str, tools: list[OfferedTool], embed: Embed | None) -> ToolChoice | None:
    """Return the tool that a sentence asks for, or None if it is about none of them."""
    spoken = [replace(tool, name=spoken_name(tool)) for tool in tools]
    made = await choose_spoken(question, spoken, embed)
    if made is None:
        return None
    at = next(at for at, tool in enumerate(spoken) if tool is made.tool)
    return replace(made, tool=tools[at])


METHODS = re.compile(r"(?:get|post|put|patch|delete)[_-]", re.IGNORECASE)


def spoken_name(tool: OfferedTool) -> str:
    """Return a name for a tool as people would say it.

    It is the tool's own name, or the start of its description if the name consists of a method and
    a path: `delete_api_bills_id` becomes delete bill.
    """
    if METHODS.match(tool.name) is None:
        return tool.name
    clause = re.match(r"[^.,;:()\n]+", tool.description.strip())
    words = re.findall(r"[^\W_]+", re.split(r"\band\b", clause[0])[0]) if clause else []
    kept = [one.lower() for one in words if one.lower() not in ("a", "an", "the", "one", "new")]
    return "_".join(kept[:5]) if len(kept) > 1 else tool.name


async def choose_spoken(
    question: str, tools: list[OfferedTool], embed: Embed | None
) -> ToolChoice | None:
    """Return the tool that a sentence asks for, from tools whose names are natural language."""
    said = read(with_verb_repaired(question))
    if asks_for_knowledge(question) or is_opinion(said):
        return None
    action = said.action
    about = subjects_of(said.frame) | ({"folder"} if PATH.search(said.text) else set())
    words = content_words(" ".join(w for w in question.split() if not is_code(w.strip(",.?!"))))
    points = action in WRITES and said.place is not None
    unsure = is_open(said.frame) and action_of(said.frame) in WRITES
    writers = {tool.server_id for tool in tools if tool.writes}
    verbal, searched = begun_by_verb(said.text, tools), searched_by(said, tools)
    scored: list[tuple[float, bool, OfferedTool]] = []
    for tool in tools:
        told = texts_of(tool)
        shared = bool(about & subjects_of(told)) or (points and has_place(tool))
        common = words & content_words(told)
        filled = fill(tool, said)
        left = unread(tool, filled.values, said.text)
        nouns = {w for w in common - FILLERS if action_of(w) is None or w in THINGS_TOO}
        whole = bool(nouns and filled.values) and not left
        begun, headed = tool in verbal, names_first(tool, said.text)
        marks = any(isinstance(value, bool) for value in filled.values.values())
        marked = marks and entry_id(tool, said.text) is not None  # for example, pin note 12
        known = shared or whole or begun or headed or marked or enough(words, common)
        if not known and tool != searched:
            continue
        own = own_action(tool)
        if said.reads and (own in WRITES or (tool.writes and not looks_too(tool))):
            continue
        if unsure and action_of(spaced(tool.name)) == "show":
            continue  # a list does not answer the question whether to change something
        named = is_named(tool, said.text)
        if action in WRITES and own == "show" and not (named or shared or tool.writes):
            continue  # such a request does not ask to look at anything
        if own in WRITES and action is None and not (named or marked):
            continue  # the sentence does not ask for anything to be written
        fits = own is None or action is None or own == action
        if action in WRITES and not own and not tool.writes and tool.server_id in writers:
            fits = False  # it can only read, while other tools of its server can write
        score = (
            2.0 * shared
            + len(common) / (len(words) + 1)
            + (1.0 if own and own == action else 0.0)
            + (0.5 if begins_with(said.text, in_words(tool.name).split()[0]) else 0.0)
            - (0 if fits or named else 1.5)
            + (2.5 if named else 0.0)
            + 0.3 * len(named_values(properties_of(tool), said.text)[0])
            + (1.0 if entry_id(tool, said.text) else 0.0)
            + (WHOLE if whole else 0.0)
            + (2.0 if begun else 0.0)
            + (0.5 if headed else 0.0)
            - (0.5 if filled.values and filled.missing else 0.0)
        )
        scored.append((score, shared and (fits or named), tool))
    if len(scored) > 1 and searched is not None:  # it is used if no other tool is meant
        scored = [one for one in scored if one[2] != searched or is_about(searched, words)]
    scored.sort(key=lambda one: -one[0])
    near = scored[:SHORT]
    if len(near) > 1 and embed is not None and not is_chinese(question):
        vectors = await embed([question, *(texts_of(tool)[:500] for _, _, tool in near)])
        likeness = vectors[1:] @ vectors[0]
        near = sorted(
            (
                (score + NEAR * float(like), shared, tool)
                for (score, shared, tool), like in zip(near, likeness, strict=True)
            ),
            key=lambda one: -one[0],
        )
    if not near:
        return None
    made = [chosen(tool, said, tools, shared=shared) for _, shared, tool in near]
    if made[0].changes and (made[0].unplaced or made[0].filled.missing):
        # perhaps another tool matches the sentence word for word
        whole = [
            one
            for one in made
            if one.changes and one.filled.values and not one.unplaced and not one.filled.missing
        ]
        return whole[0] if len(whole) == 1 else made[0]
    return made[0]


def chosen(
    tool: OfferedTool, said: ActionRequest, tools: list[OfferedTool], *, shared: bool
) -> ToolChoice:
    """Return the choice of a tool with its arguments. shared: whether the sentence names the tool's
    object.
    """
    filled = with_unread(tool, fill(tool, said), said.text)
    if filled.loose and names_another(tool, filled, tools):
        kept = {n: value for n, value in filled.values.items() if n != filled.loose}
        filled = replace(filled, values=kept, missing=(filled.loose,))
    made = ToolChoice(tool, filled, sure=False, action=said.action)
    lost: tuple[str, ...] = ()
    # either the action chosen for a tool that has several, or the only one in its name
    looks = said.action == "show" and (filled.chosen == "show" or only_looks(tool))
    if made.changes and not filled.missing and not looks:
        siblings = [one for one in tools if one.server_id == tool.server_id and one != tool]
        lost = unplaced(tool, filled, said, siblings)
    sure = shared and said.action is not None and not filled.missing and not lost
    return replace(made, sure=sure, unplaced=lost)


def names_another(tool: OfferedTool, filled: FilledSlots, tools: list[OfferedTool]) -> bool:
    """Return whether the rest of a sentence names another tool of the same server.

    `a comment to issue 5` is not the title of a new issue if there is a tool for comments.
    """
    if in_words(filled.loose) in QUERIES:
        return False
    left = content_words(str(filled.values.get(filled.loose, "")))
    others = {
        word
        for other in tools
        if other.server_id == tool.server_id and other.name != tool.name
        for word in content_words(in_words(other.name))
    }
    return bool(left & others - own_words(tool) - FILLERS)


def only_looks(tool: OfferedTool) -> bool:
    """Return whether a tool can only look at things, judged by every word of its name: `readFile`,
    even if the file is named in a POST.
    """
    acts = {action_of(one) for one in in_words(tool.name).split()}
    return own_action(tool) == "show" and not acts & set(WRITES)


def looks_too(tool: OfferedTool) -> bool:
    """Return whether a tool that may change something can also just look at things, judged by its
    name or by one of its choices.
    """
    choices = [v for told in properties_of(tool).values() for v in told.get("enum") or ()]
    return "show" in {action_of(spaced(tool.name)), *(action_of(str(v)) for v in choices)}


def enough(words: set[str], common: set[str]) -> bool:
    """Return whether a sentence and a tool have enough words in common to be about the same
    thing.
    """
    # "show" says nothing about the object
    about = {one for one in common if one not in FILLERS or one in THINGS_TOO}
    return (len(common) >= 2 and bool(about)) or (len(about) == 1 and len(words) <= 3)


def own_action(tool: OfferedTool) -> Action | None:
    """Return the action of a tool, if its name contains one; None if the tool has several actions,
    which are the choices of a parameter.
    """
    properties = tool.schema.get("properties") or {}
    if any(
        isinstance(told, dict) and isinstance(told.get("enum"), list)
        for told in properties.values()
    ):
        return None
    first, _, rest = spaced(tool.name).lower().partition(" ")
    if first in THINGS_TOO and action_of(rest) is not None:
        return action_of(rest)  # record_query asks for records, although it starts with "record"
    return action_of(spaced(tool.name))


def begins_with(text: str, verb: str) -> bool:
    """Return whether a request starts with a verb.

    If several tools look at things, `Search for …` asks for the one that searches.
    """
    first = re.match(r"\w+", POLITE.sub("", text.strip()))
    return first is not None and stem(first[0].lower()) == stem(verb)


def begun_by_verb(text: str, tools: list[OfferedTool]) -> list[OfferedTool]:
    """Return the tool with an unusual verb in its name with which the request starts, as a list;
    empty unless there is exactly one. `Play Dreams` asks for playSongs.
    """
    said = set(re.findall(r"[a-z]+", text.lower()))
    found = [
        tool
        for tool in tools
        if (verb := own_verb(tool))
        and begins_with(text, verb)
        and listed("turning") & set(in_words(tool.name).split()) <= said  # log in or log out
    ]
    return found if len(found) == 1 else []


def names_first(tool: OfferedTool, text: str) -> bool:
    """Return whether a request names a tool's object right after its verb: `make me a playlist …`
    for createPlaylist.
    """
    found = HEAD.match(POLITE.sub("", text.strip()))
    if found is None or action_of(found["verb"]) is None:
        return False
    nouns = {
        stem(one)
        for one in in_words(tool.name).split()
        if one not in STOP and (action_of(one) is None or one in THINGS_TOO)
    }
    return stem(found["noun"].lower()) in nouns


def is_about(tool: OfferedTool, words: set[str]) -> bool:
    """Return whether a tool and a request have a word in common, not counting words for
    searching.
    """
    return bool(words & content_words(texts_of(tool)) - FILLERS)


def searched_by(said: ActionRequest, tools: list[OfferedTool]) -> OfferedTool | None:
    """Return the only tool that searches by words, if the request asks for a search, or for the
    user's own items on a topic.
    """
    if not (SEARCHES.match(POLITE.sub("", said.text.strip())) or OWN_ABOUT.match(said.text)):
        return None
    found = [
        tool
        for tool in tools
        if (not tool.writes or only_looks(tool))  # a search may be sent as a POST
        and any(in_words(name) in QUERIES for name in properties_of(tool))
    ]
    return found[0] if len(found) == 1 else None


def is_named(tool: OfferedTool, text: str) -> bool:
    """Return whether a request starts with a tool's own name: `Untag the reminder`."""
    return re.match(own_name(tool), text, re.IGNORECASE) is not None


def spaced(name: str) -> str:
    """Return a name as separate words: addTodo, add_todo and add-todo all become “add Todo”."""
    return (
        "".join(f" {c}" if c.isupper() else c for c in name)
        .replace("_", " ")
        .replace("-", " ")
        .strip()
    )


def choices_of(told: dict[str, Any]) -> str:
    """Return the words in a parameter's choices."""
    values = told.get("enum")
    return " ".join(v for v in values if isinstance(v, str)) if isinstance(values, list) else ""


def texts_of(tool: OfferedTool) -> str:
    """Return all texts that describe a tool."""
    properties = tool.schema.get("properties") or {}
    told = [
        f"{name} {one.get('description') or ''} {choices_of(one)}"
        for name, one in properties.items()
        if isinstance(one, dict)
    ]
    return " ".join([spaced(tool.name), tool.description, *told])
