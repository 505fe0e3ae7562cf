"""A model as the user chooses it: its purpose, size, location and parameters."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Literal

from app.domain.errors import SetupError
from app.domain.provider import MODEL_TYPE, FieldOption, FormField, read_fields, words

Values = dict[str, str]


@dataclass(frozen=True)
class ModelSpeed:
    """Tokens per second for a prompt and for an answer, as measured on this machine. device: the
    device used.
    """

    prompt: float
    answer: float
    device: str = ""

    @property
    def told(self) -> str:
        """Return the speeds in words."""
        return f"reads {self.prompt:g} and writes {self.answer:g} tokens a second here"


@dataclass(frozen=True)
class ContextUse:
    """The number of tokens that a conversation used for its last answer, and the number that the
    model accepts (`room`; 0 if unknown). at: the time of that answer, in seconds since 1970.
    """

    used: int
    room: int
    at: float


@dataclass(frozen=True)
class ModelTuning:
    """The parameters a user can set for a model. presets: the parameters, by the preset's name.
    own: the presets that can be removed.
    """

    parameters: tuple[FormField, ...]
    settings: tuple[FormField, ...]
    presets: dict[str, Values]
    own: tuple[str, ...]


def read_tuning(told: dict[str, Any], language: str = "en_US") -> ModelTuning:
    """Return a model's parameters from the service's description, each field with its current
    value.
    """
    fields = read_fields({"credential_form_schemas": told["fields"]}, language)
    return ModelTuning(
        tuple(
            of_rule(rule, told["parameters"].get(rule["name"], ""), language)
            for rule in told["rules"]
        ),
        tuple(with_value(field, told["settings"].get(field.variable, "")) for field in fields),
        {name: dict(values) for name, values in told["presets"].items()},
        tuple(told["own"]),
    )


def of_rule(rule: dict[str, Any], value: str, language: str) -> FormField:
    """Return a parameter as a form field. An empty field stands for the default, which is shown as
    a hint.
    """
    label = words(rule["label"], language)
    if rule["options"] or rule["type"] == "boolean":
        names = rule["options"] or ["true", "false"]
        options = (
            FieldOption("", "Model default"),
            *(FieldOption(name, name) for name in names),
        )
        return FormField(
            rule["name"], label, "select", required=False, default=value, options=options
        )
    return FormField(
        rule["name"], label, "text-input", required=False, default=value, placeholder=hint_of(rule)
    )


def hint_of(rule: dict[str, Any]) -> str:
    """Return the placeholder for an empty field, which contains only figures: the default, and the
    range in brackets; empty if the field has neither.
    """
    usual = "" if rule["default"] is None else number(rule["default"])
    low, high = rule["min"], rule["max"]
    reach = f"({number(low)} – {number(high)})" if low is not None and high is not None else ""
    return "  ".join(part for part in (usual, reach) if part)


def number(value: Any) -> str:
    """Return a number in the way people write it."""
    return (
        f"{value:g}" if isinstance(value, int | float) and abs(value) < 100_000 else f"{value:.0f}"
    )


def with_value(field: FormField, value: str) -> FormField:
    """Return a field with its current value. Its condition on the model's type is left out, because
    the model is known here.
    """
    left = tuple(condition for condition in field.show_on if condition.variable != MODEL_TYPE)
    return FormField(
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


# the fraction of the memory for all models that a recommended model may take up; the voice model
# and the embedder need some as well
SHARE = 0.3
ROOMY = 0.75  # fraction of that memory for a model beside the starter model and the embedder
USUAL = "Q4_K_M"  # the format of most downloads: four bits per weight, a quarter of the size
Place = Literal["loaded", "here", "provider", "available"]
EMBEDDER, LANGUAGE, OCR = "text-embedding", "llm", "ocr"
TYPES = {  # users' names for the types of models
    "pack": "Voice pack",
    "llm": "Chat",
    EMBEDDER: "Embeddings",
    "rerank": "Reranking",
    "speech2text": "Speech to text",
    "tts": "Text to speech",
    "moderation": "Moderation",
    OCR: "Reads scanned pages",
}


@dataclass(frozen=True)
class ModelSource:
    """Where a model comes from: a repository on the model hub at one revision, and the path of the
    model's first file in it.
    """

    repo: str
    revision: str
    path: str


@dataclass(frozen=True)
class Model:
    """A model. id: its name in requests. called: its name in the engine, used to load it.

    place: loaded into memory, on this machine, with a provider, or available to download. host:
    where questions to a provider's model are sent; empty for a model on this machine. Sizes in
    bytes are 0 if they are unknown. got: the bytes already downloaded if the download was paused or
    interrupted. problem: why it cannot be used now. speed: its speed as measured here; None if it
    has not been measured. members: for a pack, the models that have not been downloaded yet.
    starter: whether it is one of the small models needed for the first answers. reads_questions:
    whether it understands questions about tables, asked in the user's own words. in_wheels: whether
    it comes from the package index rather than the model hub. answering: the tokens per second in
    its last answers here; 0 if it has given none. context: the tokens of its last answer. hub:
    where a search found it; None for any other model.
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
    speed: ModelSpeed | None = None
    members: tuple[str, ...] = ()
    starter: bool = False
    reads_questions: bool = False
    in_wheels: bool = False
    answering: float = 0.0
    context: ContextUse | None = None
    hub: ModelSource | None = None

    @property
    def pace(self) -> float:
        """Return the tokens per second that it generates here, taken from its last answers or,
        failing that, from a measurement; 0 if unknown.
        """
        return self.answering or (self.speed.answer if self.speed is not None else 0.0)

    @property
    def tunable(self) -> bool:
        """Return whether it has parameters and its speed can be measured, which is true of language
        models on this machine.
        """
        return self.type == "llm" and self.place in ("here", "loaded")

    @property
    def checkable(self) -> bool:
        """Return whether its files are on this machine, so that their checksums can be verified
        again.
        """
        return self.place in ("here", "loaded")

    @property
    def fetchable(self) -> bool:
        """Return whether the model can be downloaded again after it is removed, that is, whether it
        was not imported.
        """
        return self.download_bytes > 0

    @property
    def usable(self) -> bool:
        """Return whether it can be used now; it is loaded first if necessary."""
        return self.place != "available" and not self.problem


@dataclass(frozen=True)
class Shelf:
    """All models, and the memory in bytes that they may take up together."""

    models: tuple[Model, ...]
    budget_bytes: int

    def of_type(self, kind: str) -> list[Model]:
        """Return the models of a type that can be used."""
        return [model for model in self.models if model.type == kind and model.usable]

    @property
    def taken_bytes(self) -> int:
        """Return the memory used by the loaded models, in bytes."""
        return sum(model.memory_bytes for model in self.models)

    def fits(self, model: Model) -> bool:
        """Return whether a model could be loaded if all others were unloaded."""
        return not self.budget_bytes or model.takes_bytes <= self.budget_bytes

    def comfortable(self, model: Model) -> bool:
        """Return whether a model leaves enough memory for the voice model and the embedder."""
        return not self.budget_bytes or model.takes_bytes <= SHARE * self.budget_bytes

    def reader(self) -> Model | None:
        """Return the model to download for understanding questions about tables, if it leaves
        enough memory for the small models; None if such a model is already on this machine.
        """
        reading = [m for m in self.models if m.type == "llm" and m.reads_questions]
        if any(model.usable for model in reading):
            return None
        most = ROOMY * self.budget_bytes
        room = [m for m in reading if not self.budget_bytes or m.takes_bytes <= most]
        return next(iter(room), None)

    def recommended(self) -> Model | None:
        """Return the largest language model, on this machine or available to download, that leaves
        enough memory for the small models.
        """
        own = [m for m in self.models if m.type == "llm" and m.place != "provider"]
        room = [m for m in own if m.takes_bytes and self.comfortable(m)]
        return max(room, key=lambda m: m.takes_bytes, default=None)

    def reference(self, model: Model) -> Model | None:
        """Return the measured model closest in size, used to estimate speeds; None if none has been
        measured.
        """
        known = [
            m for m in self.models if m.type == "llm" and m.pace and m.size_bytes and m is not model
        ]
        return min(known, key=lambda m: abs(m.size_bytes - model.size_bytes), default=None)

    def expected_pace(self, model: Model) -> float:
        """Return the tokens per second that a language model would generate here; 0 if unknown.

        A model reads all its bytes for each token, so the measured speed of another model is scaled
        by the ratio of their sizes.
        """
        known = self.reference(model)
        if known is None or model.type != "llm" or not model.size_bytes:
            return 0.0
        return known.pace * known.size_bytes / model.size_bytes


@dataclass(frozen=True)
class HubResult:
    """A repository on the model hub with its chat models, smallest first, which are the same
    weights in several sizes. kinds: the quantization of each, such as Q4_K_M. gated: whether its
    terms have to be accepted with an account.
    """

    repo: str
    licence: str
    downloads: int
    gated: bool
    models: tuple[Model, ...]
    kinds: tuple[str, ...]

    def suggested(self, shelf: Shelf) -> Model:
        """Return the model to suggest first: the usual compromise between size and quality if it
        fits, otherwise the largest model that fits, otherwise the smallest one.
        """
        fitting = [model for model in self.models if shelf.fits(model)]
        usual = [
            model
            for model, kind in zip(self.models, self.kinds, strict=True)
            if kind == USUAL and model in fitting
        ]
        return [*usual, *reversed(fitting), self.models[0]][0]


@dataclass(frozen=True)
class HubSearch:
    """The results of a model hub search. host: the hub's host."""

    host: str
    found: tuple[HubResult, ...]


@dataclass(frozen=True)
class DownloadStep:
    """The progress of a download: the current step, the bytes done, and the total bytes."""

    what: str
    done: int
    total: int


def size(amount: int) -> str:
    """Return a number of bytes in readable units."""
    if amount >= 1e9:
        return f"{amount / 1e9:.1f} GB"
    return f"{max(1, round(amount / 1e6))} MB"


KINDS: dict[str, tuple[type, ...]] = {
    "model": (str,),
    "api_key": (str,),
    "api_base": (str,),
    "api_version": (str,),
    "supports_vision": (bool,),
    "supports_functions": (bool,),
    "max_tokens": (int,),
    "context_window": (int,),
    "temperature": (int, float),
}
OPENAI = "https://api.openai.com/v1"


@dataclass
class Llm:
    """The model that answers; None stands for the terminal's settings. model: a model on this
    machine, or on the server at api_base, which speaks OpenAI's HTTP API; with an API key but no
    api_base, OpenAI's own server is used. The key is kept in memory only.
    """

    model: str | None = None
    api_key: str | None = None
    api_base: str | None = None
    api_version: str | None = None
    supports_vision: bool | None = None
    supports_functions: bool | None = None
    max_tokens: int | None = None
    context_window: int | None = None
    temperature: float | None = None

    def __setattr__(self, name: str, value: Any) -> None:
        """Set a parameter.

        Raises: SetupError for an invalid value or an unknown name.
        """
        if name not in KINDS:
            raise SetupError(f"llm has no {name}.", f"It has: {', '.join(KINDS)}.")
        kinds = KINDS[name]
        wrong = not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds)
        if value is not None and wrong:
            raise SetupError(f"llm.{name} cannot be {value!r}.", f"It is a {kinds[-1].__name__}.")
        object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        """Return a representation without the API key."""
        told = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "api_key"}
        return f"Llm({', '.join(f'{k}={v!r}' for k, v in told.items() if v is not None)})"

    @property
    def elsewhere(self) -> bool:
        """Return whether a server named here is the one that answers."""
        return bool(self.api_base or self.api_key)

    def credentials(self) -> dict[str, str]:
        """Return the credentials for the server's model."""
        told = {"base_url": self.api_base or OPENAI, "api_key": self.api_key or ""}
        switches = {"vision": self.supports_vision, "tools": self.supports_functions}
        told |= {
            name: "true" if value else "false"
            for name, value in switches.items()
            if value is not None
        }
        told |= {"api_version": self.api_version} if self.api_version else {}
        return told | ({"context_size": str(self.context_window)} if self.context_window else {})

    def parameters(self) -> dict[str, Any]:
        """Return the parameters used for each answer."""
        told = {"temperature": self.temperature, "max_tokens": self.max_tokens}
        return {name: value for name, value in told.items() if value is not None}


@dataclass(frozen=True)
class RetrievalModel:
    """An embedder, a reranker or an OCR model on this machine.

    id: its name in the model service. key: the id together with everything its results depend on,
    such as its revision and its prefixes; vectors with different keys are not compared. languages:
    ISO 639-1 codes of the languages it was trained on; `*` stands for any.
    """

    id: str
    key: str
    languages: frozenset[str]


@dataclass(frozen=True)
class RetrievalModels:
    """The retrieval models on this machine, with the preferred model of each kind first."""

    embedders: tuple[RetrievalModel, ...] = ()
    rerankers: tuple[RetrievalModel, ...] = ()
    ocr: tuple[RetrievalModel, ...] = ()
