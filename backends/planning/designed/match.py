"""Which interface of a terminal's library a request asks for: one it names, or one whose examples say the same.

What the kernel's steps can say is left to the plan and to reading: only a declared SELECT is chosen by its examples,
and only where every word of the request stands for something in one of them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from backends.planning.tables import plain
from backends.understanding.spans.text import stem

if TYPE_CHECKING:
    from collections.abc import Iterable

    from backends.kernel import Scalar
    from backends.kernel.workflow.designed import Designed
    from backends.kernel.workflow.step import Parameter

DAY = re.compile(r"(?<!\d)\d{4}-\d\d-\d\d(?!\d)")
NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.]*\w)")
WORD = re.compile(r"[^\W_]+(?:['’][a-z]+)?")
LEAST = 2  # words an example must have beside its values, to tell anything
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
)  # words that ask and join; a word that limits, orders or denies is none of them


@dataclass(frozen=True)
class Chosen:
    """An interface a request asks for, and what it says of its parameters."""

    designed: Designed
    values: dict[str, Scalar]


def asked_for(question: str, library: Iterable[Designed]) -> Chosen | None:
    """Return the interface a request asks for; None if there is none, or more than one."""
    known = list(library)
    text = plain(question)
    for one in known:
        if re.search(rf"(?<![\w]){re.escape(one.name)}(?![\w])", text) and "_" in one.name:
            values, _ = read(text.replace(one.name, " "), one.parameters)
            return Chosen(one, values)
    found = [made for one in known if one.selects and (made := by_example(text, one)) is not None]
    return found[0] if len(found) == 1 else None


def narrowed(one: Designed, here: set[str]) -> Designed | None:
    """Return an interface with the choices whose tables are here; None if it cannot be used with them."""
    sources = set(one.workflow.sources())
    missing = sources - here
    if not missing:
        return one
    made: list[Parameter] = []
    bound: set[str] = set()
    for parameter in one.parameters:
        stands = {choice: {str(v) for v in values.values()} for choice, values in parameter.binds.items()}
        bound |= {uid for values in stands.values() for uid in values}
        kept = [choice for choice in parameter.choices if not stands.get(str(choice), set[str]()) & missing]
        if parameter.choices and not kept:
            return None
        default = parameter.default if parameter.default in kept or not kept else kept[0]
        made.append(parameter.model_copy(update={"choices": kept, "default": default}))
    if missing - bound:
        return None
    return one.model_copy(update={"workflow": one.workflow.model_copy(update={"parameters": made})})


def by_example(text: str, one: Designed) -> Chosen | None:
    """Return an interface with the values a request gives, if one of its examples says the same with others."""
    values, words = read(text, one.parameters)
    if len(words) < LEAST:
        return None
    for example in one.examples:
        given, mine = read(plain(example.request), one.parameters)
        if mine == words and given.keys() == values.keys():
            return Chosen(one, values)
    return None


def read(text: str, parameters: list[Parameter]) -> tuple[dict[str, Scalar], frozenset[str]]:
    """Return the values a request gives to parameters, and the stems of its other words, small ones left out.

    Named values first, the longest of them; then days and numbers, in their order.
    """
    values: dict[str, Scalar] = {}
    for parameter in parameters:
        for choice in sorted(parameter.choices, key=lambda c: -len(str(c))):
            forms = {plain(str(choice)), plain(str(choice)).replace("_", " ")}
            pattern = "|".join(re.escape(form) for form in sorted(forms, key=len, reverse=True))
            made, count = re.subn(rf"(?<![\w])(?:{pattern})(?:['’]s)?(?![\w])", " ", text, count=1)
            if count:
                values[parameter.name], text = choice, made
                break
    for kind, form in (("date", DAY), ("number", NUMBER)):
        free = [p for p in parameters if p.type == kind and not p.choices]
        said = form.findall(text)
        if said and len(said) == len(free):
            for parameter, word in zip(free, said, strict=True):
                values[parameter.name] = word if kind == "date" else as_number(word)
            text = form.sub(" ", text)
    return values, frozenset(stem(word) for word in WORD.findall(text) if word not in SMALL)


def as_number(text: str) -> float:
    """Return what a number says, whole if it is."""
    return float(text) if "." in text else int(text)
