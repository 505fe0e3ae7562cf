"""Guard models on llama.cpp. Each family has its own prompt."""

from __future__ import annotations

import re
import threading
from contextlib import closing
from functools import cached_property, lru_cache
from importlib.resources import files
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml
from jinja2.sandbox import ImmutableSandboxedEnvironment
from llama_cpp import LlamaGrammar
from pydantic import BaseModel, ConfigDict

from backends.flexai.entities import Verdict
from backends.flexai.errors import InvokeBadRequestError, InvokeError
from backends.flexai.models import ModerationModel, validating
from backends.flexai.models.ai_model import flag_of_call
from backends.providers.llama_cpp.engine import engine_for
from backends.providers.llama_cpp.hardware import cards, usable
from backends.providers.llama_cpp.llm import ERRORS, sampling

if TYPE_CHECKING:
    from backends.providers.llama_cpp.engine import LlamaEngine


TEXT = "\ue000the text\ue001"  # stands for the text in a rendered prompt; it never occurs in a text


class Style(BaseModel):
    """A family's prompts, and the meaning of its answers; styles.yaml describes each field."""

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
        """The grammar, including the rule for categories."""
        codes = " | ".join(f'"{code}"' for code in self.categories)
        return f"{self.grammar.rstrip()}\ncategory ::= {codes}\n"

    def prompts(self) -> list[tuple[str | None, str]]:
        """Return the prompts, in which `TEXT` stands for the text to check: a single prompt, or one
        for each category.
        """
        made = ImmutableSandboxedEnvironment(keep_trailing_newline=True).from_string(
            self.prompt or ""
        )
        asked = [(code, rule) for code, rule in self.rules.items()] or [(None, "")]
        return [
            (code, made.render(text=TEXT, categories=self.categories, rule=rule))
            for code, rule in asked
        ]

    def read(self, answer: str, asked: str | None) -> tuple[bool, set[str]]:
        """Return whether an answer reports harm, and the codes of the categories it names.

        asked: the category that the prompt asks about, if it asks about only one. Raises:
        InvokeError for an incomplete answer, which is not a verdict.
        """
        found = re.fullmatch(self.answer, answer)
        if found is None:
            raise InvokeError(
                f"The guard model returned {answer!r} instead of a verdict.", "Choose another one."
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
    raw = yaml.safe_load((files("backends.providers.llama_cpp") / "styles.yaml").read_text("utf-8"))
    return {style.id: style for style in map(Style.model_validate, raw)}


def style_for(wanted: str, names: list[str]) -> Style:
    """Return the requested family, or else the one that matches the model's names.

    Raises: InvokeBadRequestError if the family is unknown, because then the answers could not be
    interpreted.
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
        "This file does not say which family of guard models it belongs to.",
        f"Specify it in the setting guard: {', '.join(known)}.",
    )


PIECE = 512  # tokens of text checked at once; in a long text, harm is easily missed
OVERLAP = 64  # tokens repeated in the next piece, so that every sentence is checked as a whole
ANSWER = 96  # maximum length of a verdict in tokens
GREEDY = sampling({"temperature": 0.0, "repeat_penalty": 1.0})
NAMES = ("general.name", "general.basename", "general.finetune")


class GuardPrompt(NamedTuple):
    """The parts of a guard's prompt before and after the text. category: the only category that it
    asks about; None if it asks about all.
    """

    category: str | None
    head: list[int]
    tail: list[int]


class LlamaCppModeration(ModerationModel):
    """Checks texts with a guard model in a GGUF file. If a check fails for any reason, it raises an
    error.
    """

    def devices(self) -> list[str]:
        """Return the devices of llama.cpp, best first."""
        return usable(cards())

    def validate_credentials(self, model: str, credentials: dict[str, Any]) -> None:
        """Check that the file can be loaded and holds a guard model of a known family."""
        with validating():
            engine = engine_for(credentials)
            questions(engine, family(engine, credentials))

    @property
    def _invoke_error_mapping(self) -> dict[type[InvokeError], list[type[Exception]]]:
        return ERRORS

    def _invoke(
        self, model: str, credentials: dict[str, Any], text: str, user: str | None = None
    ) -> bool:
        return self._judge(model, credentials, text, user).flagged

    def _judge(
        self, model: str, credentials: dict[str, Any], text: str, user: str | None = None
    ) -> Verdict:
        flag = flag_of_call()
        engine = engine_for(credentials)
        style = family(engine, credentials)
        harmful, found = False, set[str]()
        with engine.in_use():
            tokens = engine.tokens_of(text, special=False)
            for question in questions(engine, style):
                for piece in pieces(tokens, room_for(engine, question)):
                    answer = ask(engine, style.gbnf, [*question.head, *piece, *question.tail], flag)
                    harm, named = style.read(answer, question.category)
                    harmful, found = harmful or harm, found | named
        return Verdict(
            flagged=harmful,
            categories={name: code in found for code, name in style.categories.items()},
        )


def family(engine: LlamaEngine, credentials: dict[str, Any]) -> Style:
    """Return the family of a model.

    Raises: InvokeBadRequestError.
    """
    metadata = engine.llama.metadata
    style = style_for(
        str(credentials.get("guard") or ""), [metadata.get(name, "") for name in NAMES]
    )
    if style.prompt is None and "tokenizer.chat_template" not in metadata:
        raise InvokeBadRequestError(
            "The policy of this guard model is missing: its file contains no template.",
            "Use another file of this model.",
        )
    return style


def questions(engine: LlamaEngine, style: Style) -> list[GuardPrompt]:
    """Return the prompts: a single one, or one for each category.

    The text is tokenized separately, so that nothing in it can end the prompt. Raises:
    InvokeBadRequestError if the model's own template leaves out the text.
    """
    if style.prompt is None:
        whole, begins = engine.prompt_of([{"role": "user", "content": TEXT}], None)
        asked: list[tuple[str | None, str]] = [(None, whole)]
    else:
        begins, asked = True, style.prompts()
    made: list[GuardPrompt] = []
    for category, prompt in asked:
        head, found, tail = prompt.partition(TEXT)
        if not found:
            raise InvokeBadRequestError(
                "The template of this guard model ignores the text.",
                "Use another file of this model.",
            )
        made.append(
            GuardPrompt(
                category,
                engine.tokens_of(head, special=True, begin=not begins),
                engine.tokens_of(tail, special=True),
            )
        )
    return made


def room_for(engine: LlamaEngine, question: GuardPrompt) -> int:
    """Return how many tokens of text the model can check at once.

    Raises: InvokeBadRequestError if the context has no room for text.
    """
    room = engine.context_size - len(question.head) - len(question.tail) - ANSWER
    if room <= 2 * OVERLAP:
        raise InvokeBadRequestError(
            f"A context of {engine.context_size} tokens is too small for this guard model.",
            "Increase n_ctx to 4096.",
        )
    return min(room, PIECE)


def pieces(tokens: list[int], size: int) -> list[list[int]]:
    """Return a text in pieces of at most `size` tokens. Each piece starts with the end of the
    previous one.
    """
    last = max(len(tokens) - OVERLAP, 1)
    return [tokens[at : at + size] for at in range(0, last, size - OVERLAP)]


def ask(engine: LlamaEngine, gbnf: str, prompt: list[int], flag: threading.Event) -> str:
    """Return the model's answer, constrained by the grammar and generated without sampling.

    Raises: InvokeCancelledError, InvokeServerUnavailableError.
    """
    said = bytearray()
    grammar = LlamaGrammar.from_string(gbnf, verbose=False)
    with (
        engine.context.sequence(prompt, flag) as sequence,
        closing(engine.generate(sequence, prompt, GREEDY, grammar, flag)) as answer,
    ):
        for token in islice(answer, ANSWER):
            said += engine.piece(token)
    return said.decode("utf-8", "replace")
