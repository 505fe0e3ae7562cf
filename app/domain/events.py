"""The events of a turn other than its text: steps, calls, results, citations and the end.

The stream of a turn consists of LMC chunks and these events, in order, with exactly one `Ended`,
which is last.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, TypeGuard

from app.domain.stream import Chunk, Message

RUN_CODE = "run_code"  # the function that a server is assumed to call when it wants to run code
ASSIGN = "assign_tasks_to_agents"
State = Literal["running", "done", "stopped", "failed", "interrupted"]


@dataclass(frozen=True)
class CopilotCall:
    """A function call that the copilot requests. wire: the call's data verbatim, which is sent back
    unchanged.
    """

    function: str
    arguments: dict[str, Any]
    wire: str

    @property
    def is_handed_on(self) -> bool:
        """Return whether other copilots' answers to this call become the answer itself."""
        state = json.loads(self.wire).get("extra_state") if self.function == ASSIGN else None
        return isinstance(state, dict) and state.get("expect_direct_response") is True


@dataclass(frozen=True)
class CallResult:
    """What the terminal returned for a call: its text, whether it failed, and how long it took.

    entries: a text for each data source named in the call, in the same order; empty for other
    calls. files: the protocol's items for each entry that has files; they are sent to the copilot
    during the turn and are not stored.
    """

    function: str
    content: str
    failed: bool
    seconds: float
    entries: list[str] = field(default_factory=list[str])
    files: list[list[dict[str, Any]]] = field(
        default_factory=list["list[dict[str, Any]]"], compare=False, repr=False
    )


@dataclass(frozen=True)
class CellRef:
    """A cell in a particular version of a source. row: counted from 0, in the source's order.

    last: the row of the last cell if the reference covers several cells of the column; cells: their
    number. where: lists of conditions on the rows, as received; a row has to meet one of the lists.
    address: the spreadsheet address with its sheet, if the source is a spreadsheet.
    """

    source_hash: str
    row: int
    column: str
    last: int | None = None
    cells: int = 1
    where: list[Any] = field(default_factory=list[Any])
    address: str = ""

    def words(self) -> str:
        """Return, in words, the position, with rows counted from 1."""
        if self.last is None or self.last == self.row:
            return f"{self.address or f'row {self.row + 1:,}'}, {self.column}"
        if self.address:
            return f"{self.address}, {self.cells:,} cells of {self.column}"
        return f"rows {self.row + 1:,}–{self.last + 1:,}, {self.cells:,} cells of {self.column}"


@dataclass(frozen=True)
class CitedPassage:
    """The words of a document that a citation refers to.

    passage: its id in the index. path, hash: the path and hash of the file as it was read. page:
    counted from 1. label: the number printed on the page. start, end: the positions of the words,
    in characters of the page's text.
    """

    passage: str
    path: str
    hash: str
    page: int
    label: str
    heading: str
    start: int
    end: int
    quote: str


@dataclass(frozen=True)
class QuoteBox:
    """The position of words on a page. page: counted from 1; data from a copilot keeps the
    copilot's own count. x0, top, x1, bottom: in points, from the page's upper left corner.
    """

    page: int
    x0: float
    top: float
    x1: float
    bottom: float
    text: str = ""


def is_number(value: object) -> TypeGuard[int | float]:
    """Return whether a value is a number; True and False do not count as numbers."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def read_box(raw: object) -> QuoteBox | None:
    """Return a box as it was sent; None if it lacks a page or any of its four numbers."""
    if not isinstance(raw, dict):
        return None
    page = raw.get("page")
    if isinstance(page, float) and page.is_integer():
        page = int(page)
    sides = [raw.get(name) for name in ("x0", "top", "x1", "bottom")]
    numbers = [float(one) for one in sides if is_number(one)]
    if type(page) is not int or len(numbers) < len(sides):
        return None
    x0, top, x1, bottom = numbers
    return QuoteBox(page, x0, top, x1, bottom, str(raw.get("text") or ""))


def read_quotes(raw: object) -> list[list[QuoteBox]]:
    """Return the boxes of quotes, leaving out those in another format."""
    made: list[list[QuoteBox]] = []
    for group in raw if isinstance(raw, list) else []:
        boxes = [read_box(one) for one in group] if isinstance(group, list) else []
        made.append([box for box in boxes if box is not None])
    return [group for group in made if group]


@dataclass(frozen=True)
class Citation:
    """The source of a number: a widget and, if the copilot specified it, the cell.

    kind: widget, web, artifact, direct retrieval, or document; only the terminal uses document,
    with the passage if it is known. url: the address of a web page. details: the details as
    received. quotes: the supporting words, as a list of boxes for each quote. origin, widget_id:
    how a copilot names a widget without its uuid, as the protocol's own `cite` does. arguments: the
    parameters that the widget was read with.
    """

    widget: str
    name: str
    cell: CellRef | None
    value: Any = None
    kind: str = "widget"
    url: str = ""
    details: list[Any] = field(default_factory=list[Any])
    quotes: list[list[QuoteBox]] = field(default_factory=list["list[QuoteBox]"])
    origin: str = ""
    widget_id: str = ""
    arguments: dict[str, Any] = field(default_factory=dict[str, Any])
    passage: CitedPassage | None = None

    def pages(self) -> list[Any]:
        """Return the pages it refers to: the page of its passage, given by its label if it has one;
        otherwise, the pages of its quotes, or the page that its details specify.
        """
        if self.passage is not None:
            return [self.passage.label or self.passage.page]
        marked = sorted({box.page for group in self.quotes for box in group})
        return marked or [value for key, value in self._told() if plain_key(key) in PAGES][:1]

    def page(self) -> int:
        """Return the first of its pages that is given as a number; 0 if there is none."""
        return next((int(one) for one in self.pages() if str(one).isdecimal()), 0)

    def quote(self) -> str:
        """Return the quoted words; empty if there are none."""
        marked = [box.text for group in self.quotes for box in group if box.text]
        told = [value for key, value in self._told() if plain_key(key) in QUOTES]
        return " ".join(marked) or (str(told[0]) if told else "")

    def source(self) -> str:
        """Return the name of the source and the arguments of its request; empty if they are
        unknown.
        """
        given = [f"{key} {value}" for key, value in self.arguments.items() if is_short(value)]
        name = self.name or self.widget_id or self.url
        return f"{name} ({', '.join(given[:MOST_DETAILS])})" if name and given else name

    def about(self) -> list[str]:
        """Return its details other than the page, quote and cell, each as `key: value`."""
        if self.cell is not None or self.kind == "document":
            return []
        rest = [
            f"{key}: {value}"
            for key, value in self._told()
            if plain_key(key) not in PAGES and is_short(value)
        ]
        return rest[:MOST_DETAILS]

    def words(self) -> str:
        """Return the citation as one line: source, page, cell and value."""
        pages = ", ".join(map(str, self.pages()))
        parts = [self.source() or "source", f"page {pages}" if pages else ""]
        parts += [self.cell.words()] if self.cell is not None else self.about()
        value = "" if self.value is None else f": {self.value}"
        return ", ".join(part for part in parts if part) + value

    def _told(self) -> list[tuple[str, Any]]:
        return [pair for one in self.details if isinstance(one, dict) for pair in one.items()]


PAGES = frozenset({"page", "pages", "pagenumber", "pageno"})
QUOTES = frozenset({"quote", "quotes", "excerpt", "snippet", "passage", "text", "content"})
MOST_DETAILS = 4
LONG = 80  # maximum characters of a detail; longer ones are not shown on a citation's line


def plain_key(key: str) -> str:
    """Return a key in normalised form: Page Number, page_number and pageNumber become equal."""
    return "".join(letter for letter in str(key).lower() if letter.isalnum())


def is_short(value: Any) -> bool:
    """Return whether a value is not empty and fits on a line."""
    return isinstance(value, str | int | float) and 0 < len(str(value)) <= LONG


@dataclass(frozen=True)
class Citations:
    """The citations of an answer, in the order of its markers [1], [2] and so on."""

    citations: list[Citation]

    def shows_a_cell(self) -> bool:
        """Return whether the first citation refers to a cell."""
        return bool(self.citations) and self.citations[0].cell is not None

    def shows_a_page(self) -> bool:
        """Return whether the first citation refers to a passage of a document."""
        first = self.citations[0] if self.citations else None
        return first is not None and first.passage is not None


@dataclass(frozen=True)
class Artifact:
    """A table or chart in the answer. content: rows, or text for other types. chart: which columns
    are drawn and how.
    """

    type: str
    name: str
    content: Any
    chart: dict[str, Any] | None = None
    description: str = ""
    uuid: str = ""


@dataclass(frozen=True)
class Reading:
    """How a copilot understands a question.

    words: its interpretation, in parts. ignored: the words of the question that it did not
    understand. asks: whether it asks the user which alternative is meant. wire: the complete data
    as received, which is sent back unchanged when the user chooses this reading.
    """

    words: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    asks: bool = False
    alternatives: tuple[Reading, ...] = ()
    wire: dict[str, Any] = field(default_factory=dict[str, Any])

    @property
    def is_sure(self) -> bool:
        """Return whether the question is answered with certainty and without asking the user to
        clarify.
        """
        return not self.asks and self.wire.get("decision") != "confirm"

    def template(self) -> dict[str, Any] | None:
        """Return the part of a chosen reading that is stored for the same words in other questions,
        which leaves out the table and the rows; None if the reading has no words of its own.
        """
        words, arguments = self.wire.get("template"), self.wire.get("arguments")
        if not words or not isinstance(arguments, dict):
            return None
        kept = {k: v for k, v in arguments.items() if k not in ("source", "where")}
        interface = self.wire.get("interface")
        return {"template": words, "interface": interface, "arguments": kept, "words": []}


def read_reading(raw: object, others: object = None) -> Reading | None:
    """Return a reading and its alternatives as sent by a copilot; return None for anything else."""
    if not isinstance(raw, dict):
        return None
    listed = others if isinstance(others, list) else []
    made = [read_reading(other) for other in listed]
    return Reading(
        _texts(raw.get("words")),
        _texts(raw.get("ignored")),
        raw.get("decision") == "ask",
        tuple(other for other in made if other is not None),
        raw,
    )


def _texts(raw: object) -> tuple[str, ...]:
    return tuple(text for text in raw if isinstance(text, str)) if isinstance(raw, list) else ()


@dataclass(frozen=True)
class Thought:
    """A copilot's thought. grows: whether more of it may follow."""

    text: str = ""
    grows: bool = False


@dataclass(frozen=True)
class StatusDetails:
    """The details of a step: the reading of the question, the thought, and everything else.
    passing: see `Status`.
    """

    reading: Reading | None
    thought: Thought | None
    rest: list[Any]
    passing: bool = False


def read_details(raw: object) -> StatusDetails:
    """Return the details of a step from the protocol's format, in which the first entry holds the
    reading, the thought, and whether the step is passing. Entries in another format are ignored.
    """
    details = list(raw) if isinstance(raw, list) else []
    first = details[0] if details and isinstance(details[0], dict) else {}
    reading = read_reading(first.get("interpretation"), first.get("alternatives"))
    grows = first.get("thinking") is True
    thought = None
    if grows or isinstance(first.get("thought"), str):
        thought = Thought(str(first.get("thought") or ""), grows)
    taken = {"thinking", "thought"} if thought is not None else set[str]()
    taken |= {"interpretation", "alternatives"} if "interpretation" in first else set[str]()
    passing = first.get("passing") is True
    taken |= {"passing"} if passing else set[str]()
    if taken:
        left = {key: value for key, value in first.items() if key not in taken}
        details[:1] = [left] if left else []
    return StatusDetails(reading, thought, details, passing)


@dataclass(frozen=True)
class Status:
    """A step that a copilot reports, or a warning from the terminal. details: the details as
    received.

    artifacts: the results of the step. hidden: whether the step is stored but not shown. passing:
    whether it is shown only until the next item arrives, like a position in a queue.
    """

    level: str
    message: str
    details: list[Any] = field(default_factory=list[Any])
    artifacts: list[Artifact] = field(default_factory=list[Artifact])
    group: str = ""
    hidden: bool = False
    reading: Reading | None = None
    thought: Thought | None = None
    passing: bool = False


@dataclass(frozen=True)
class Suggestions:
    """Questions that the user might ask next."""

    suggestions: list[str]


@dataclass(frozen=True)
class Rateable:
    """A copilot's request for a rating of its answer. url: where the rating is sent. trace: the
    copilot's id for the answer. vote: the rating that was sent.
    """

    url: str
    trace: str
    vote: str = ""


@dataclass(frozen=True)
class Ended:
    """How the turn ended, with a description if it failed. cap: the limit that ended the turn, if
    any.
    """

    state: State
    text: str = ""
    remedy: str = ""
    cap: str = ""


@dataclass(frozen=True)
class Thinking:
    """A piece of a copilot's thought, as it arrives; only the step that contains the whole thought
    is stored.
    """

    text: str


@dataclass(frozen=True)
class Recalled:
    """States that the answer's words so far were a thought, only the end of which was marked.
    seconds: how long the thought took.
    """

    seconds: int


Event = Status | CopilotCall | CallResult | Citations | Artifact | Suggestions | Rateable | Ended
Item = Chunk | Event | Thinking | Recalled
Items = list[Message | Event]  # the items of a turn
NAMES: dict[str, type[Event]] = {
    "status": Status,
    "call": CopilotCall,
    "result": CallResult,
    "citations": Citations,
    "artifact": Artifact,
    "suggestions": Suggestions,
    "rateable": Rateable,
    "ended": Ended,
}


def name_of(event: Event) -> str:
    """Return the name that an event has in the store and in `--json`."""
    return next(name for name, kind in NAMES.items() if isinstance(event, kind))


def as_dict(event: Event) -> dict[str, Any]:
    """Return an event's fields as JSON values, leaving out those that are not stored."""
    if isinstance(event, CallResult):
        event = replace(event, files=[])
    fields = asdict(event)
    fields.pop("files", None)
    if isinstance(event, Status):
        absent = [name for name in ("reading", "thought") if fields[name] is None]
        for name in absent:
            del fields[name]
    return fields


def read_event(name: str, fields: dict[str, Any]) -> Event:
    """Return the event with this name and these fields, as `as_dict` wrote them.

    Raises: KeyError, TypeError if the data is anything else.
    """
    if name == "citations":
        return Citations([_stored_citation(citation) for citation in fields["citations"]])
    if name == "status":
        return _stored_status(fields)
    return NAMES[name](**fields)


def _stored_citation(fields: dict[str, Any]) -> Citation:
    cell, passage = fields["cell"], fields.get("passage")
    if "passage" not in fields and fields.get("kind") == "document" and fields.get("details"):
        # the format of older stores
        passage, fields = fields["details"][0], fields | {"details": []}
    made: dict[str, Any] = {
        "cell": CellRef(**cell) if cell else None,
        "passage": CitedPassage(**passage) if passage else None,
        "quotes": read_quotes(fields.get("quotes")),
    }
    return Citation(**fields | made)


def _stored_status(fields: dict[str, Any]) -> Status:
    reading, thought = fields.get("reading"), fields.get("thought")
    made: dict[str, Any] = {"artifacts": [Artifact(**a) for a in fields.get("artifacts", [])]}
    if reading is None and thought is None:  # older stores keep them in the details
        read = read_details(fields.get("details"))
        made |= {"reading": read.reading, "thought": read.thought, "details": read.rest}
    else:
        made |= {
            "reading": _stored_reading(reading) if reading else None,
            "thought": Thought(**thought) if thought else None,
        }
    return Status(**fields | made)


def _stored_reading(fields: dict[str, Any]) -> Reading:
    return Reading(
        tuple(fields["words"]),
        tuple(fields["ignored"]),
        fields["asks"],
        tuple(map(_stored_reading, fields["alternatives"])),
        fields["wire"],
    )


def thought_begun() -> Status:
    """Return the step that reports the beginning of a thought."""
    return Status("INFO", "Thinking", thought=Thought(grows=True))


def thought_ended(thought: str, seconds: int) -> Status:
    """Return the step that contains a thought."""
    return Status("INFO", f"Thought for {seconds} s", thought=Thought(thought.strip()))


def is_thought_begun(item: object) -> bool:
    """Return whether an item is a thought that has begun, whether or not it has any words yet."""
    return isinstance(item, Status) and item.thought is not None and item.thought.grows


def is_thought_ended(item: object) -> bool:
    """Return whether an item is a complete thought."""
    return isinstance(item, Status) and item.thought is not None and not item.thought.grows


def thought_in(item: Status) -> str:
    """Return the thought in an item."""
    return item.thought.text if item.thought is not None else ""


def extend_thought(items: Items, text: str) -> int | None:
    """Extend the open thought; return its position, or None if no thought is open."""
    at = _open(items)
    if at is not None:
        item = items[at]
        assert isinstance(item, Status)
        items[at] = replace(item, thought=Thought(thought_in(item) + text, grows=True))
    return at


def clear_thought(items: Items) -> int | None:
    """Clear the words of the open thought, because the step with the complete thought follows;
    return its position.
    """
    at = _open(items)
    if at is not None:
        items[at] = thought_begun()
    return at


def recall_words(items: Items, seconds: int) -> int | None:
    """Turn the words since the last call into thoughts; return the position of the first one, or
    None.
    """
    first = None
    for at in range(len(items) - 1, -1, -1):
        item = items[at]
        if isinstance(item, CopilotCall | CallResult):
            break
        if isinstance(item, Message) and (item.role, item.type) == ("assistant", "message"):
            said = str(item.content or "")
            items[at], first = (
                (thought_ended(said, seconds) if said.strip() else thought_begun()),
                at,
            )
    return first


def _open(items: Items) -> int | None:
    for at in range(len(items) - 1, -1, -1):
        if is_thought_begun(items[at]):
            return at
        if is_thought_ended(items[at]) or isinstance(items[at], Message | CopilotCall | CallResult):
            return None
    return None
