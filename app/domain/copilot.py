"""Copilots, and the content of requests sent to them.

Assistants: named models with instructions, tools and tables.

Skills: instructions in Markdown that a question can call by name.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import re
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal
from urllib.parse import urlsplit

Vote = Literal["thumbs_up", "thumbs_down"]
WRONG, OTHER = (
    "Not factually correct / Hallucinations / Inaccurate",
    "Other",
)  # what can be wrong with an answer
Dialect = Literal["2024", "today", "lmc"]
Value = bool | str
WHOLE = "whole-dashboard"  # our own option for each copilot that can see the whole dashboard
OTHERS = "other-copilots"  # our own option for each copilot that can assign tasks
# the file that current copilots publish, and the one that copilots published in 2024
FILES = ("agents.json", "copilots.json")
OURS = "deskpilot"  # the origin of widgets that do not come from a backend
HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_|~-]+")
RESERVED = frozenset(
    [
        "streaming",
        "widget-dashboard-select",
        "widget-dashboard-search",
        "widget-global-search",
        "file-upload",
        "generative-ui",
        "mcp-tools",
        "agent-orchestration",
        "feedback",
    ]
)


@dataclass(frozen=True)
class Feature:
    """A switch, text or choice that a copilot defines itself. options: the choices, as (label,
    value) pairs.
    """

    key: str
    label: str
    type: Literal["toggle", "text", "select"] = "toggle"
    default: Value = False
    description: str = ""
    options: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Copilot:
    """A copilot that can be asked questions.

    query_url: where questions are sent. dialect: the version of the protocol that it was found to
    use, or "lmc" for an Open Interpreter server. headers: the headers sent to this copilot and to
    no other. note: what was changed in its published description. image: the address of its
    picture. options: the chosen values of its own features; the other features use their defaults.
    streaming: whether it answers with events. model: the chat model it should use, unless the
    question names another. is_ours: whether it is the copilot of this machine's service.
    feedback_url: where ratings of its answers are sent.
    """

    id: str
    name: str
    query_url: str
    dialect: Dialect
    description: str = ""
    features: dict[str, Any] = field(default_factory=dict[str, Any])
    headers: dict[str, str] = field(default_factory=dict[str, str])
    note: str = ""
    image: str = ""
    options: dict[str, Value] = field(default_factory=dict[str, Value])
    model: str = ""
    is_ours: bool = False
    feedback_url: str = ""

    @property
    def host(self) -> str:
        """The machine that questions are sent to."""
        return urlsplit(self.query_url).hostname or ""

    @property
    def is_elsewhere(self) -> bool:
        """Return whether questions are sent to another machine."""
        return not is_loopback(self.host)

    @property
    def streaming(self) -> bool:
        """Return whether it answers with events; old copilots can declare that they send each
        answer in one piece.
        """
        told = self.features.get("streaming", self.features.get("hasStreaming", True))
        return told is not False

    @property
    def takes_feedback(self) -> bool:
        """Return whether it accepts ratings of its answers."""
        return self.has("feedback") and bool(self.feedback_url)

    @property
    def takes_tools(self) -> bool:
        """Return whether it declares that it calls the terminal's tools."""
        return self.has("mcp-tools")

    @property
    def takes_calls(self) -> bool:
        """Return whether it requests widget data, in which case its history may contain calls."""
        return self.dialect != "lmc" and (
            self.has("hasFunctionCalling")
            or self.has("widget-dashboard-select")
            or self.has("widget-dashboard-search")
            or self.takes_tools
        )

    @property
    def looks_around(self) -> bool:
        """Return whether it declares that it looks at more than the attachments."""
        return self.has("widget-dashboard-search") or self.has("widget-global-search")

    @property
    def sees_all(self) -> bool:
        """Return whether it is allowed to see more than the attachments; only a copilot on this
        machine is, unless the user forbids it.
        """
        return bool(self.options.get(WHOLE, not self.is_elsewhere))

    @property
    def orchestrates(self) -> bool:
        """Return whether it declares that it gives tasks to other copilots."""
        return self.has("agent-orchestration")

    @property
    def may_assign(self) -> bool:
        """Return whether the user allows it to ask other copilots; this is off by default."""
        return self.orchestrates and self.options.get(OTHERS) is True

    def has(self, feature: str) -> bool:
        """Return whether it declares a feature; some copilots declare a feature with an object that
        contains its default.
        """
        told = self.features.get(feature)
        return bool(told.get("default", True)) if isinstance(told, dict) else bool(told)

    def own_features(self) -> list[Feature]:
        """Return its own features, which the user can set."""
        found = [
            read_feature(key, told) for key, told in self.features.items() if key not in RESERVED
        ]
        return [feature for feature in found if feature is not None]

    def chosen(self) -> dict[str, Value]:
        """Return its own features as they are set, leaving out switches that are off and texts that
        are empty.
        """
        values = {f.key: self.options.get(f.key, f.default) for f in self.own_features()}
        return {key: value for key, value in values.items() if value}


def read_feature(key: str, told: object) -> Feature | None:
    """Return a feature published by a copilot; None if it is malformed or is a standard feature."""
    if not isinstance(told, dict):
        return None
    kind = told.get("type", "toggle")
    if kind not in ("toggle", "text", "select"):
        return None
    listed = told.get("options")
    options = [o for o in listed if isinstance(o, dict)] if isinstance(listed, list) else []
    default = told.get("default")
    value: Value = (
        default is True if kind == "toggle" else default if isinstance(default, str) else ""
    )
    return Feature(
        key,
        str(told.get("label") or key),
        kind,
        value,
        str(told.get("description") or ""),
        tuple((str(o.get("label") or o.get("value")), str(o.get("value"))) for o in options),
    )


def is_loopback(host: str | None) -> bool:
    """Return whether a host name refers to this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host or "").is_loopback
    except ValueError:
        return False


@dataclass(frozen=True)
class AddedCopilot:
    """A copilot that the user added. name: the name by which the user refers to it. address: where
    it was found.

    hosts: other hosts that the user allowed. secrets: names of headers whose values are in the
    keyring.
    """

    name: str
    address: str
    copilot: Copilot
    hosts: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the copilot as JSON values, without the values of any headers."""
        return asdict(replace(self, copilot=replace(self.copilot, headers={})))


def read_added(fields: dict[str, Any]) -> AddedCopilot:
    """Return an added copilot from what `as_dict` wrote.

    Raises: TypeError, KeyError if the value is anything else.
    """
    copilot = Copilot(**fields["copilot"])
    return AddedCopilot(
        fields["name"], fields["address"], copilot, tuple(fields["hosts"]), tuple(fields["secrets"])
    )


def base_of(address: str) -> str:
    """Return the base address for a typed text. The text may be the address of a published file,
    and may lack http://.
    """
    base = address.strip().partition("#")[0]
    for file in FILES:
        base = base.removesuffix(f"/{file}")
    return base if "://" in base else f"http://{base}"


def read_headers(lines: list[str]) -> dict[str, str]:
    """Return the headers given in lines such as `X-API-KEY: value`.

    Raises: ValueError with a message that does not contain the value.
    """
    headers: dict[str, str] = {}
    for line in lines:
        name, colon, value = line.partition(":")
        if not colon or not HEADER.fullmatch(name.strip()):
            raise ValueError("Write a header like X-API-KEY: value.")
        if not value.strip().isascii() or not value.strip().isprintable():
            raise ValueError(
                f"The value of {name.strip()} can contain only ASCII letters, digits and symbols."
            )
        headers[name.strip()] = value.strip()
    return headers


@dataclass(frozen=True)
class OfferedParam:
    """A parameter of a widget, as described to a copilot.

    type: a type of the protocol. default: its value if none is set. current: its current value;
    None if it is unknown. options: the allowed values. get_options: whether the copilot may request
    the options.
    """

    name: str
    type: str = "text"
    description: str = ""
    default: Any = None
    current: Any = None
    many: bool = False
    options: tuple[Any, ...] = ()
    get_options: bool = False


@dataclass(frozen=True)
class OfferedWidget:
    """A widget, as described to a copilot.

    origin: the backend it comes from; `deskpilot` for our own widgets, whose widget_id is their
    uuid. source: the publisher of its data. metadata: JSON values; for our own tables, these
    include `profile` and `interfaces`.
    """

    uuid: str
    name: str = ""
    description: str = ""
    origin: str = OURS
    widget_id: str = ""
    params: tuple[OfferedParam, ...] = ()
    source: str = ""
    category: str = ""
    metadata: dict[str, Any] = field(default_factory=dict[str, Any])

    def about(self) -> dict[str, Any]:
        """Return the metadata without the parts that are read only by our own copilot."""
        return {k: v for k, v in self.metadata.items() if k not in ("profile", "interfaces")}


Groups = tuple[list[OfferedWidget], list[OfferedWidget], list[OfferedWidget]]


@dataclass(frozen=True)
class RequestOffer:
    """What is sent with a question.

    widgets: the attached widgets. secondary: the other widgets on the dashboards. extra: other
    widgets from backends. tools: AgentTools. options: the workspace options. state: the content of
    the workspace, for copilots that look at all of it. context: texts sent in full, in the
    protocol's format. skills: the skills described to the copilot. selected: the skills that the
    question calls, in full. agents: other copilots that may be given tasks. urls: web addresses
    that the user has agreed to send. servers: the ids of the servers whose tools are offered; None
    for all servers. granted: the (server, tool) pairs that may be called without asking the user.
    """

    widgets: list[OfferedWidget] = field(default_factory=list[OfferedWidget])
    tools: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    options: dict[str, Any] = field(default_factory=dict[str, Any])
    timezone: str = "UTC"
    model: str | None = None
    state: dict[str, Any] = field(default_factory=dict[str, Any])
    secondary: list[OfferedWidget] = field(default_factory=list[OfferedWidget])
    extra: list[OfferedWidget] = field(default_factory=list[OfferedWidget])
    context: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    skills: list[Skill] = field(default_factory=list["Skill"])
    selected: list[Instructions] = field(default_factory=list["Instructions"])
    agents: list[AddedCopilot] = field(default_factory=list[AddedCopilot])
    urls: list[str] = field(default_factory=list[str])
    servers: frozenset[str] | None = None
    granted: frozenset[tuple[str, str]] = frozenset()

    def shown_to(self, copilot: Copilot) -> Groups:
        """Return the widgets described to a copilot, grouped by how closely they relate to the
        question; the copilot may not request any others.
        """
        rest = self.secondary if copilot.sees_all and copilot.has("widget-dashboard-search") else []
        extra = self.extra if copilot.sees_all and copilot.has("widget-global-search") else []
        return self.widgets if copilot.takes_calls else [], rest, extra


SERVED_BY = "deskpilot gateway"  # the command that serves published assistants


@dataclass(frozen=True)
class Assistant:
    """An assistant. model: the id of its model; empty for the chat model. servers: the ids of its
    plugins and tool servers. widgets: the paths of its files.

    granted: the (server, tool) pairs that its users may call without a consent prompt; the
    publisher has agreed to them and can revoke them. token: the hash of the access token that its
    users need; empty while the assistant is not published.
    """

    name: str
    model: str = ""
    prompt: str = ""
    servers: tuple[str, ...] = ()
    widgets: tuple[str, ...] = ()
    granted: tuple[tuple[str, str], ...] = ()
    token: str = ""

    def opens_with(self, token: str) -> bool:
        """Return whether a token is the access token that users of this assistant need."""
        return bool(self.token) and hmac.compare_digest(self.token, hash_of(token))

    def as_dict(self) -> dict[str, Any]:
        """Return the assistant as JSON values; the token itself is never included."""
        return asdict(self)


def hash_of(token: str) -> str:
    """Return the hash of a token, as it is stored."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def read_assistant(fields: dict[str, Any]) -> Assistant:
    """Return an assistant from what `as_dict` wrote.

    Raises: TypeError, KeyError, ValueError if the value is anything else.
    """
    return Assistant(
        str(fields["name"]),
        str(fields["model"]),
        str(fields["prompt"]),
        tuple(str(one) for one in fields["servers"]),
        tuple(str(one) for one in fields["widgets"]),
        tuple((str(server), str(tool)) for server, tool in fields["granted"]),
        str(fields["token"]),
    )


SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
CALLED = re.compile(r"^\s*/skill:([a-z0-9-]+)(?:\s+|$)")
MOST = 50_000  # maximum number of characters in a skill
LONGEST = 60  # maximum number of characters in a slug


@dataclass(frozen=True)
class Skill:
    """A skill. slug: its name in calls. content: its text, in Markdown. updated: the time of the
    last change, in ISO format. proposed: whether it was proposed by a copilot and has not been
    accepted by the user yet; such a skill is not described to any copilot.
    """

    slug: str
    description: str
    content: str
    updated: str
    proposed: bool = False

    def listed(self) -> dict[str, Any]:
        """Return the skill's entry in the list sent to a copilot."""
        return {"slug": self.slug, "description": self.description, "updatedAt": self.updated}

    def told(self, source: str) -> dict[str, Any]:
        """Return the skill in the protocol's format. source: "forced_slash" if the user called it,
        or "model_selected" if the copilot did.
        """
        about = {"slug": self.slug, "description": self.description}
        return about | {"contentMarkdown": self.content, "source": source}


@dataclass(frozen=True)
class Instructions:
    """Markdown that is sent in full with a question: a skill that it calls, custom instructions for
    all questions or for a chat, or the prompt of an assistant. name: a skill's slug.
    """

    name: str
    content: str
    description: str = ""


def slug_of(name: str) -> str:
    """Return the slug of a name; empty if the name has no ASCII letter or digit."""
    return "-".join(re.findall(r"[a-z0-9]+", name.lower()))[:LONGEST].strip("-")


def called_in(question: str) -> str:
    """Return the slug of the skill that a question calls with /skill:slug; empty if it calls
    none.
    """
    found = CALLED.match(question)
    return found[1] if found else ""


def without_skill(question: str) -> str:
    """Return a question without its skill call; if the question contains nothing else, return a
    request to apply the skill.
    """
    found = CALLED.match(question)
    return (question[found.end() :] or f"Use the skill {found[1]}.") if found else question
