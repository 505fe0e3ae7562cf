"""The families of guard models we know: read from styles.yaml, told by a model's name."""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from importlib.resources import files

import yaml
from jinja2.sandbox import ImmutableSandboxedEnvironment
from pydantic import BaseModel, ConfigDict

from backends.flexai.errors import InvokeBadRequestError, InvokeError

TEXT = "\ue000the text\ue001"  # where the text goes in a rendered prompt; no text holds it


class Style(BaseModel):
    """How one family is asked, and what its answers mean; styles.yaml says what each field is."""

    model_config = ConfigDict(frozen=True)

    id: str
    known_by: list[str]
    prompt: str | None = None
    categories: dict[str, str]
    rules: dict[str, str] = {}
    grammar: str
    answer: str
    harmful: list[str]

    @cached_property
    def gbnf(self) -> str:
        """The grammar with its rule of categories."""
        codes = " | ".join(f'"{code}"' for code in self.categories)
        return f"{self.grammar.rstrip()}\ncategory ::= {codes}\n"

    def prompts(self) -> list[tuple[str | None, str]]:
        """Return what is asked with `TEXT` in the text's place: once, or for each category alone."""
        made = ImmutableSandboxedEnvironment(keep_trailing_newline=True).from_string(
            self.prompt or ""
        )
        asked = [(code, rule) for code, rule in self.rules.items()] or [(None, "")]
        return [
            (code, made.render(text=TEXT, categories=self.categories, rule=rule))
            for code, rule in asked
        ]

    def read(self, answer: str, asked: str | None) -> tuple[bool, set[str]]:
        """Return whether an answer means harm, and the codes of the categories it names.

        asked: the category that was asked about alone.
        Raises: InvokeError for an answer that breaks off: it is no verdict.
        """
        found = re.fullmatch(self.answer, answer)
        if found is None:
            raise InvokeError(
                f"The guard model gave no verdict, but {answer!r}.", "Choose another one."
            )
        if found["verdict"] not in self.harmful:
            return False, set()
        if asked is not None:
            return True, {asked}
        named = {part.strip() for part in (found["categories"] or "").split(",")}
        return True, named & self.categories.keys()


@lru_cache(maxsize=1)
def styles() -> dict[str, Style]:
    """Return the families by id."""
    raw = yaml.safe_load(
        (files("backends.providers.llama_cpp.guard") / "styles.yaml").read_text("utf-8")
    )
    return {style.id: style for style in map(Style.model_validate, raw)}


def style_for(wanted: str, names: list[str]) -> Style:
    """Return the family that is asked for, else the one a model's names tell.

    Raises: InvokeBadRequestError if it is none that is known: another model's answers mean nothing.
    """
    known = styles()
    if wanted:
        if wanted not in known:
            raise InvokeBadRequestError(
                f"There is no family of guard models called {wanted}.",
                f"Choose one: {', '.join(known)}.",
            )
        return known[wanted]
    for style in known.values():
        if any(word in name.lower() for word in style.known_by for name in names):
            return style
    raise InvokeBadRequestError(
        "This file does not say which family of guard models it is.",
        f"Say it in the setting guard: {', '.join(known)}.",
    )
