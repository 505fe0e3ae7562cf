"""Requests that are answered by an interface from the library."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from backends.data.workflow.library_interface import put_in
from backends.data.workflow.step import Step, Task, Workflow
from backends.planning.plan import Intent, Plan
from backends.planning.request import Wanted
from backends.planning.tables import aliases, plain
from backends.planning.text import stem
from backends.planning.times import Time
from backends.query.lexicon import Language
from backends.query.lexicon import language_of as letters_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from backends.data.values import Scalar
    from backends.data.workflow.library_interface import Designed, Example
    from backends.data.workflow.step import Parameter


def planned_with(question: str, chosen: ChosenInterface) -> Plan:
    """Return a plan that contains the interface's own steps, so that it can be opened, changed and
    run without the library.

    Raises: WrongArguments for invalid values.
    """
    one = chosen.designed
    language = chosen.language
    means = one.meanings.get(language) or one.description or one.name
    kinds = {p.name: p.type for p in one.parameters}
    given = [
        str(v) if kinds[name] == "text" else f"{name} = {v}" for name, v in chosen.values.items()
    ]
    about = " · ".join([means, *given])
    step = Step(id="result1", interface=one.name, arguments=dict(chosen.values), description=about)
    named = f"{about} (`{one.name}`)"
    steps = put_in(step, one.workflow)
    task = Task(kind=one.kind, instruction=named, steps=[s.id for s in steps])
    workflow = Workflow(name=about[:120], description=question, tasks=[task], steps=steps)
    shown = {"chart": "chart", "value": "text"}.get(one.gives, "table")
    intent = Intent.model_validate(
        {
            "rewritten": about,
            "language": language,
            "time": Time(),
            "format": shown,
            "wanted": Wanted(),
        }
    )
    return Plan(intent=intent, workflow=workflow, several=True)


LATIN = "a-z0-9_\u00c0-\u024f"
DAY = re.compile(r"(?<!\d)\d{4}-\d\d-\d\d(?!\d)")
NUMBER = re.compile(rf"(?<![{LATIN}.])\d+(?:\.\d+)?(?![{LATIN}.]*[{LATIN}])")
WORD = re.compile(r"[^\W_]+(?:['’][a-z]+)?")
RUN = re.compile(r"[\u3400-\u9fff\u3041-\u3096\u30a1-\u30fc]+")
# Chinese and Japanese words that only ask or connect, and do not limit, sort or negate.
QUIET = re.compile(
    "请问|请|帮我|给我|我想知道|我想|想知道|告诉我|看一下|看看|查看|一下|是多少|有多大|有多少|多少|是哪一?[段个些行]?|哪一?[段个些]|什么时候|什么|"
    "计算|算出|求出|求|找出|列出|展示|显示|[的是吗呢了在有它]|"
    "を?教えてください|を?見せてください|を?計算してください|してください|てください|ください|はいくらですか|いくらですか|いくつですか|どこですか|"
    "どれですか|ですか|でしたか|ましたか|ますか|[のはがをでに]"
)
# minimum number of words, or of characters in scripts without spaces, that an example must have in
# addition to its values to be useful
LEAST = 2
SMALL = set(
    [
        "a",
        "an",
        "the",
        "of",
        "in",
        "on",
        "at",
        "for",
        "to",
        "and",
        "by",
        "from",
        "with",
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "do",
        "does",
        "did",
        "has",
        "have",
        "had",
        "it",
        "its",
        "that",
        "this",
        "there",
        "what",
        "which",
        "who",
        "how",
        "when",
        "i",
        "we",
        "me",
        "us",
        "my",
        "you",
        "your",
        "can",
        "could",
        "would",
        "should",
        "will",
        "want",
        "like",
        "know",
        "see",
        "please",
        "show",
        "tell",
        "give",
        "get",
        "find",
        "list",
        "display",
        "compute",
        "calculate",
    ]
)  # words that only ask or connect, and do not limit, sort or negate


@dataclass(frozen=True)
class ChosenInterface:
    """The interface that a request asks for, the values that the request gives to its parameters,
    and the request's language.
    """

    designed: Designed
    values: dict[str, Scalar]
    language: Language


def asked_for(
    question: str, library: Iterable[Designed], columns: Iterable[str] = ()
) -> ChosenInterface | None:
    """Return the interface that a request asks for, or None if it asks for none, or for more than
    one.

    columns: the columns of the available tables. Synonyms of a column count as well, unless they
    are themselves the name of one of these columns.
    """
    known = list(library)
    text, here = plain(question), {plain(name) for name in columns}
    for one in known:
        if re.search(bounded(one.name), text) and "_" in one.name:
            values, _ = read(text.replace(one.name, " "), one.parameters, here)
            return ChosenInterface(
                one, values, language_of(text.replace(one.name, " "), values, here)
            )
    found = [
        made for one in known if one.selects and (made := by_example(text, one, here)) is not None
    ]
    return found[0] if len(found) == 1 else None


def narrowed(one: Designed, here: set[str]) -> Designed | None:
    """Return an interface reduced to the choices whose tables are available, or None if it cannot
    be used with these tables.
    """
    sources = set(one.workflow.sources())
    missing = sources - here
    if not missing:
        return one
    made: list[Parameter] = []
    bound: set[str] = set()
    for parameter in one.parameters:
        stands = {
            choice: {str(v) for v in values.values()} for choice, values in parameter.binds.items()
        }
        bound |= {uid for values in stands.values() for uid in values}
        kept = [
            choice
            for choice in parameter.choices
            if not stands.get(str(choice), set[str]()) & missing
        ]
        if parameter.choices and not kept:
            return None
        default = parameter.default if parameter.default in kept or not kept else kept[0]
        made.append(parameter.model_copy(update={"choices": kept, "default": default}))
    if missing - bound:
        return None
    return one.model_copy(update={"workflow": one.workflow.model_copy(update={"parameters": made})})


def by_example(text: str, one: Designed, here: set[str]) -> ChosenInterface | None:
    """Return an interface with the values that a request gives, if one of its examples is the same
    request with other values.
    """
    for example in one.examples:
        said = plain(example.request)
        given, mine = read(said, told_in(example, one.parameters), here)
        for form in dict.fromkeys((text, in_columns(text, said, here))):
            values, words = read(form, one.parameters, here)
            if mine == words and given.keys() == values.keys() and sum(map(size, words)) >= LEAST:
                return ChosenInterface(one, values, language_of(text, values, here))
    return None


def told_in(example: Example, parameters: list[Parameter]) -> list[Parameter]:
    """Return the parameters with an example's own choice added, because the table for this choice
    may not be available.
    """
    return [
        (
            p.model_copy(update={"choices": [*p.choices, example.values[p.name]]})
            if p.choices and example.values.get(p.name, p.choices[0]) not in p.choices
            else p
        )
        for p in parameters
    ]


def language_of(text: str, values: dict[str, Scalar], here: set[str]) -> Language:
    """Return the language of a request. Values and the names of columns are ignored, because these
    may be in another language.
    """
    for form in by_length([*here, *(plain(str(value)) for value in values.values())]):
        text = re.sub(bounded(form), " ", text)
    return letters_of(text)


def size(word: str) -> int:
    """Return how many words a string counts as. In a script without spaces, each character counts
    as a word.
    """
    return len(word) if RUN.fullmatch(word) else 1


def in_columns(text: str, example: str, here: set[str]) -> str:
    """Return a request in which synonyms are replaced by the column names that the example uses."""
    for name, phrases in aliases().items():
        if re.search(bounded(name), example) and not re.search(bounded(name), text):
            free = [phrase for phrase in phrases if phrase not in here]
            text = re.sub("|".join(map(bounded, by_length(free))) or "(?!)", name, text)
    return text


def forms_of(choice: Scalar, choices: list[Scalar], here: set[str]) -> set[str]:
    """Return the ways in which a choice can be expressed: as it is written, or with a synonym of a
    column that no other choice uses.
    """
    own = plain(str(choice))
    others = {plain(str(one)) for one in choices} - {own}
    taken = (
        here
        | others
        | {phrase for one in others for phrase in aliases().get(one.replace(" ", "_"), [])}
    )
    more = {phrase for phrase in aliases().get(own.replace(" ", "_"), []) if phrase not in taken}
    return {own, own.replace("_", " ")} | more


def bounded(form: str) -> str:
    """Return a pattern that matches a form only as a separate word, if its script has spaces
    between words.
    """
    before = rf"(?<![{LATIN}])" if re.match(rf"[{LATIN}]", form) else ""
    after = rf"(?:['’]s)?(?![{LATIN}])" if re.search(rf"[{LATIN}]$", form) else ""
    return f"{before}{re.escape(form)}{after}"


def by_length(forms: Iterable[str]) -> list[str]:
    """Return forms, longest first."""
    return sorted(forms, key=lambda form: (-len(form), form))


def read(
    text: str, parameters: list[Parameter], here: set[str]
) -> tuple[dict[str, Scalar], frozenset[str]]:
    """Return the values that a request gives to the parameters, and its remaining words without
    filler words.

    Named values are read first, starting with the longest; then dates and numbers, in their order.
    """
    values: dict[str, Scalar] = {}
    for parameter in parameters:
        said = [(f, c) for c in parameter.choices for f in forms_of(c, parameter.choices, here)]
        for form, choice in sorted(said, key=lambda pair: (-len(pair[0]), pair[0])):
            made, count = re.subn(bounded(form), " ", text, count=1)
            if count:
                values[parameter.name], text = choice, made
                break
    for kind, form in (("date", DAY), ("number", NUMBER)):
        free = [p for p in parameters if p.type == kind and not p.choices]
        found = form.findall(text)
        if found and len(found) == len(free):
            for parameter, word in zip(free, found, strict=True):
                values[parameter.name] = word if kind == "date" else as_number(word)
            text = form.sub(" ", text)
    return values, words_of(text)


def words_of(text: str) -> frozenset[str]:
    """Return the stems of the words in a text, without filler words. All characters of scripts
    without spaces are sorted and returned as a single word.
    """
    run = "".join(sorted("".join(QUIET.sub("", found) for found in RUN.findall(text))))
    spaced = {stem(word) for word in WORD.findall(RUN.sub(" ", text)) if word not in SMALL}
    return frozenset(spaced | ({run} if run else set()))


def as_number(text: str) -> float:
    """Return the number that a text represents; it is an integer if it has no decimal point."""
    return float(text) if "." in text else int(text)
