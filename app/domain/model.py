"""A model as one chooses it: what it is good for, what it costs, where it is, and how it is
used.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from app.domain.provider import MODEL_TYPE, Field, Option, read_fields, words

Values = dict[str, str]


@dataclass(frozen=True)
class Speed:
    """Tokens a second of a prompt and of an answer, as they were measured here. device: what
    computed them.
    """

    prompt: float
    answer: float
    device: str = ""

    @property
    def told(self) -> str:
        """The figures in words."""
        return f"reads {self.prompt:g} and writes {self.answer:g} tokens a second here"


@dataclass(frozen=True)
class Tuning:
    """What one may choose for a model. presets: parameters by the preset's name; own: those one can
    remove.
    """

    parameters: tuple[Field, ...]
    settings: tuple[Field, ...]
    presets: dict[str, Values]
    own: tuple[str, ...]


def read_tuning(told: dict[str, Any], language: str = "en_US") -> Tuning:
    """Return what the service tells, each field with what holds now."""
    fields = read_fields({"credential_form_schemas": told["fields"]}, language)
    return Tuning(
        tuple(
            of_rule(rule, told["parameters"].get(rule["name"], ""), language)
            for rule in told["rules"]
        ),
        tuple(with_value(field, told["settings"].get(field.variable, "")) for field in fields),
        {name: dict(values) for name, values in told["presets"].items()},
        tuple(told["own"]),
    )


def of_rule(rule: dict[str, Any], value: str, language: str) -> Field:
    """Return a parameter as a field; empty is the default, which stands in it as a hint."""
    label = words(rule["label"], language)
    if rule["options"] or rule["type"] == "boolean":
        names = rule["options"] or ["true", "false"]
        options = (Option("", "As the model has it"), *(Option(name, name) for name in names))
        return Field(rule["name"], label, "select", required=False, default=value, options=options)
    return Field(
        rule["name"], label, "text-input", required=False, default=value, placeholder=hint_of(rule)
    )


def hint_of(rule: dict[str, Any]) -> str:
    """Return what stands in an empty field: its default, and what it may be."""
    usual = "" if rule["default"] is None else f"{number(rule['default'])} unless you choose"
    low, high = rule["min"], rule["max"]
    reach = f"{number(low)} to {number(high)}" if low is not None and high is not None else ""
    return ", ".join(part for part in (usual, reach) if part) or "may be empty"


def number(value: Any) -> str:
    """Return a number as one writes it."""
    return (
        f"{value:g}" if isinstance(value, int | float) and abs(value) < 100_000 else f"{value:.0f}"
    )


def with_value(field: Field, value: str) -> Field:
    """Return a setting with what holds now; it is for this model, so no condition on its type is
    left.
    """
    left = tuple(condition for condition in field.show_on if condition.variable != MODEL_TYPE)
    return Field(
        field.variable,
        field.label,
        field.kind,
        required=False,
        default=value,
        options=field.options,
        placeholder=field.placeholder,
        longest=field.longest,
        show_on=left,
    )


Place = Literal["loaded", "here", "provider", "available"]
EMBEDDER = "text-embedding"
TYPES = {  # what people call the types of models
    "pack": "Voice pack",
    "llm": "Talks",
    EMBEDDER: "Compares meaning",
    "rerank": "Puts in order",
    "speech2text": "Understands speech",
    "tts": "Speaks",
    "moderation": "Guards",
}


@dataclass(frozen=True)
class Model:
    """One model. id: by which it is asked for; called: its name in the engine, by which it is
    loaded.

    place: loaded into memory, on this machine, behind a provider, or to be fetched. host: where a
    provider's model gets questions, empty if on this machine. Bytes are 0 where they are not known;
    got: of a download that was paused or broke off. problem: why it cannot be used now. speed: as
    it was measured here, None if nobody did. members: of a pack, the models that are still to be
    fetched.
    starter: one of the small models that answers begin with.
    """

    id: str
    name: str
    type: str
    place: Place
    provider: str = ""
    host: str = ""
    size_bytes: int = 0
    download_bytes: int = 0
    got_bytes: int = 0
    takes_bytes: int = 0
    memory_bytes: int = 0
    in_use: bool = False
    licence: str = ""
    languages: tuple[str, ...] = ()
    good_for: str = ""
    problem: str = ""
    called: str = ""
    speed: Speed | None = None
    members: tuple[str, ...] = ()
    starter: bool = False

    @property
    def tunable(self) -> bool:
        """Whether parameters are chosen for it, and its speed is measured: a language model of this
        machine.
        """
        return self.type == "llm" and self.place in ("here", "loaded")

    @property
    def checkable(self) -> bool:
        """Whether its files lie on this machine and can be hashed again."""
        return self.place in ("here", "loaded")

    @property
    def fetchable(self) -> bool:
        """Whether it can be fetched again once it is gone: it was not imported."""
        return self.download_bytes > 0

    @property
    def usable(self) -> bool:
        """Whether it can be asked now, loaded first if need be."""
        return self.place != "available" and not self.problem


@dataclass(frozen=True)
class Shelf:
    """All models, and the memory they may take together, in bytes."""

    models: tuple[Model, ...]
    budget_bytes: int

    def of_type(self, kind: str) -> list[Model]:
        """Return the models of a type that can be used."""
        return [model for model in self.models if model.type == kind and model.usable]

    @property
    def taken_bytes(self) -> int:
        """What the loaded models take."""
        return sum(model.memory_bytes for model in self.models)

    def fits(self, model: Model) -> bool:
        """Tell whether a model could be loaded with every other unloaded."""
        return not self.budget_bytes or model.takes_bytes <= self.budget_bytes


@dataclass(frozen=True)
class Step:
    """How far a download is: what is done now, bytes done and in all."""

    what: str
    done: int
    total: int


def size(amount: int) -> str:
    """Return bytes as people read them."""
    if amount >= 1e9:
        return f"{amount / 1e9:.1f} GB"
    return f"{max(1, round(amount / 1e6))} MB"
