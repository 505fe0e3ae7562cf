"""A small network that writes queries. It also tells how likely it would be to write a given query.

The network reads the spans of a question with their senses and links, and the columns and values of
the table. It writes symbols (`sequence`). It was trained on the questions of `tests/corpus` by
`tests.corpus.train`; its parameters are in resources/language/writer.npz. It neither computes
numbers nor answers questions: it ranks the parser's interpretations and adds some of its own.
"""

from __future__ import annotations

import json
import math
import re
import zlib
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from backends.query.glosses import Wide, in_english
from backends.query.lexicon import KANA, WIDE
from backends.query.sequence import Kind, Pointer, Symbol, Things

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from backends.data.values import Profile
    from backends.query.annotate import Annotation, ColumnWords, Span

    Embed = Callable[[list[str]], np.ndarray]
    Array = np.ndarray
    Before = dict[str, tuple[Array, Array]]

POINTED: tuple[Kind, ...] = get_args(Kind)  # in the order used when the network was trained
BUCKETS = 4096  # number of hash buckets for words and characters
PIECES = 16  # maximum number of words or characters of a text that are used
DIMENSIONS = 384  # number of dimensions of the starter embedder's vectors
SCALE = " scale"  # suffix that turns a matrix's name into the name of its row scales
EDGES = 8  # number of values that describe how two parts are related
BESIDE, WIDE_BESIDE = 3, 5  # words, or characters in scripts without spaces, on each side of a span
SHOWN = 3  # number of a column's values that show what its name means
SPANS, LENGTH = 60, 60  # maximum numbers of spans and symbols
BEAM = 6  # number of sequences that are written in parallel
LONGEST = 26  # maximum number of symbols in a written sequence
BEHIND = 4.0  # stop if unfinished sequences trail the best finished one by this log probability
FAR = -1e9
CLAUSES = frozenset(
    {"source", "group", "item", "where", "having", "asc", "desc", "distinct", "limit 1", "limit"}
    | {"end", "none"}
)


@dataclass(frozen=True)
class Part:
    """A span, a column or a value as the network reads it. flags: numbers that are 0 or 1. around:
    the context that shows what the text means: for a span, the span with the neighbouring words;
    for a column, its name with its first values and the title of its table.
    """

    text: str
    senses: tuple[str, ...] = ()
    flags: tuple[float, ...] = ()
    around: str = ""


@dataclass(frozen=True)
class Input:
    """What the network reads.

    title: the title of the table. parents: for each value, the number of its column. links: each
    with a span, a column, and a certainty from 0 to 1. meant: the same with a value instead of a
    column.
    """

    question: str
    title: str
    spans: tuple[Part, ...]
    columns: tuple[Part, ...]
    values: tuple[Part, ...]
    parents: tuple[int, ...]
    links: tuple[tuple[int, int, float], ...]
    meant: tuple[tuple[int, int, float], ...]

    @property
    def parts(self) -> list[Part]:
        """All parts in order: the question, the spans, the columns, the values."""
        question = Part(self.question, around=self.title)
        return [question, *self.spans, *self.columns, *self.values]

    def place(self, kind: str) -> int:
        """Return the position of the first part at which a kind of symbol can point."""
        behind = {"column": len(self.spans), "value": len(self.spans) + len(self.columns)}
        return 1 + behind.get(kind, 0)

    def valid(self) -> Array:
        """Return which parts each kind of symbol can point at, shape (kinds, parts)."""
        found = np.zeros((len(POINTED), len(self.parts)), bool)
        for row, kind in enumerate(POINTED):
            at = self.place(kind)
            if kind in ("column", "value"):
                found[row, at : at + len(self.columns if kind == "column" else self.values)] = True
            for i, span in enumerate(self.spans if kind not in ("column", "value") else ()):
                found[row, at + i] = _may_point(kind, span.flags)
        return found

    def edges(self, vectors: Array) -> Array:
        """Return what is known about each pair of parts, shape (parts, parts, EDGES). There are
        four features, each in both directions: how certainly a span means a column or a value; the
        similarity of their vectors; the similarity of the vectors of their contexts; whether a
        value belongs to a column.
        """
        size, thing = len(self.parts), self.place("column")
        found = np.zeros((size, size, EDGES), np.float32)
        for kind, told in (("column", self.links), ("value", self.meant)):
            for i, other, sure in told:
                found[1 + i, self.place(kind) + other, 0] = sure
                found[self.place(kind) + other, 1 + i, 1] = sure
        for half, own in enumerate(np.split(vectors, 2, 1)):
            near = unit(own[1:thing]) @ unit(own[thing:]).T
            found[1:thing, thing:, 2 + 2 * half] = near
            found[thing:, 1:thing, 3 + 2 * half] = near.T
        for number, column in enumerate(self.parents):
            found[self.place("value") + number, thing + column, 6] = 1
            found[thing + column, self.place("value") + number, 7] = 1
        return found


def _may_point(kind: str, flags: tuple[float, ...]) -> bool:
    """Return whether a kind of symbol can point at a span. flags: those from `span_part`."""
    number, _, start, end = flags[:4]
    known = {"number": number, "start": start, "after": end, "last": end, "period": start and end}
    return kind == "text" or bool(known[kind])


def span_part(span: Span, annotation: Annotation) -> Part:
    """Return a span as the network reads it."""
    period, tokens = span.period, annotation.tokens
    beside = WIDE_BESIDE if tokens[span.first].wide else BESIDE
    near = tokens[max(0, span.first - beside) : span.last + beside]
    around = annotation.text[near[0].start : near[-1].end]
    flags = (
        span.number is not None,
        period is not None,
        period is not None and period.start is not None,
        period is not None and period.end is not None,
        span.clock is not None,
        span.unknown,
        span.guessed,
        bool(span.columns),
        bool(span.values),
        span.text[:1].isupper(),
    )
    grain = (f"grain {period.grain}",) if period is not None else ()
    return Part(span.text, (*span.senses, *grain), tuple(map(float, flags)), around)


def column_part(words: ColumnWords, profile: Profile) -> Part:
    """Return a column as the network reads it."""
    column, rows = words.column, profile.rows
    flags = (
        words.dated,
        words.clocked,
        words.numbering,
        words.ordinal,
        column.integer,
        bool(column.unit),
        column.missing > 0,
        column.distinct >= 0.97 * rows,
        column.distinct <= 2,
        column.distinct <= 12,
        column.additive is True,
        column.additive is False,
    )
    concepts = tuple(f"concept {one}" for one in words.concepts)
    senses = (*concepts, f"kind {column.kind}", f"role {column.role}")
    shown = [str(one) for one in column.values[:SHOWN]] if column.kind == "text" else []
    around = f"{column.name} ({', '.join(shown)}), {profile.name}"
    return Part(column.name, senses, tuple(map(float, flags)), around)


def input_of(annotation: Annotation, things: Things) -> Input:
    """Return a question about a table as the network reads it."""
    profile = annotation.table.profile
    return Input(
        annotation.text,
        profile.name,
        tuple(span_part(span, annotation) for span in annotation.spans),
        tuple(column_part(words, profile) for words in annotation.table.columns),
        tuple(Part(str(value)) for _, value in things.values),
        tuple(column for column, _ in things.values),
        tuple(
            (i, things.columns.index(link.column.name), link.score)
            for i, span in enumerate(annotation.spans)
            for link in span.columns
        ),
        tuple((i, value, sure) for (i, value), sure in things.linked.items()),
    )


def texts_of(read: Input) -> list[tuple[str, str]]:
    """Return, for each part, its text and its context in the form that the starter embedder
    receives. The embedder reads English, so text in scripts without spaces is replaced by English
    words.
    """
    first, *parts = read.parts
    both = [(first.text, first.around)]
    both += [(part.text.casefold(), part.around.casefold()) for part in parts]
    japanese = any(KANA.search(text) for texts in both for text in texts)
    language: Wide = "ja" if japanese else "zh"
    return [(in_english(text, language), in_english(around, language)) for text, around in both]


def vectors_of(read: Input, embed: Embed | None, kept: dict[str, Array] | None = None) -> Array:
    """Return the vectors of all parts and of their contexts, shape (parts, 2 * DIMENSIONS). They
    are zero for texts without words, and for all texts if there is no embedder.

    kept: vectors of a table's columns and values, by their text; new ones are added.
    """
    found = np.zeros((len(read.parts), 2, DIMENSIONS), np.float32)
    if embed is None:
        return found.reshape(len(found), -1)
    kept = {} if kept is None else kept
    texts = texts_of(read)
    new = [
        text for text in dict.fromkeys(t for both in texts for t in both if t) if text not in kept
    ]
    made = dict(zip(new, np.asarray(embed(new), np.float32), strict=True)) if new else {}
    for at, both in enumerate(texts):
        for half, text in enumerate(both):
            vector = made.get(text, kept.get(text))
            if vector is not None and len(vector) == DIMENSIONS:
                found[at, half] = vector
    stay = [text for both in texts[read.place("column") :] for text in both]
    kept.update({text: made[text] for text in stay if text in made})
    return found.reshape(len(found), -1)


def unit(vectors: Array) -> Array:
    """Return vectors scaled to length 1. Zero vectors stay zero."""
    return vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-6)


def pieces(text: str) -> list[int]:
    """Return the hash buckets of a text's words and of the beginnings of long words, or those of
    its characters and pairs of characters.
    """
    text = text.casefold()
    if WIDE.search(text):
        found = [*text, *(text[at : at + 2] for at in range(len(text) - 1))]
    else:
        words = re.findall(r"\S+", text)
        found = [*words, *(word[:5] for word in words if len(word) > 5)]
    return [zlib.crc32(one.encode(errors="replace")) % BUCKETS for one in found][:PIECES]


def needs_after(needs: tuple[str, ...], symbol: Symbol) -> tuple[str, ...] | None:
    """Return what a sequence still needs after one more symbol, in reverse order, so that the next
    need comes last. Return None if the symbol does not fit.

    needs: each is `clause`, `expression`, `condition` (of an aggregate), `direction` or a kind of
    thing.
    """
    if not needs:
        return None
    need, rest = needs[-1], needs[:-1]
    if isinstance(symbol, Pointer):
        fits = need in (symbol.kind, "expression") and symbol.kind != "period"
        return rest if fits or need == symbol.kind else None
    if need == "clause":
        if symbol not in CLAUSES:
            return None
        if symbol in ("end", "none"):
            return rest if symbol == "end" else needs
        if symbol in ("distinct", "limit 1"):
            return needs
        return (*needs, "clause" if symbol == "source" else "expression")
    if need == "condition":
        return (*needs, "expression") if symbol == "and" else rest if symbol == "done" else None
    if need == "direction":
        return (*rest, "expression") if symbol in ("asc", "desc") else None
    if need != "expression" or symbol in CLAUSES or symbol in ("and", "done"):
        return None
    if symbol in ("is", "is not"):
        return (*rest, "value")
    if symbol == "within":
        return (*rest, "period", "expression")
    if symbol == "query":
        return (*rest, "clause")
    counted = re.fullmatch(r"(?!inner|#).*? ?(\d+)( where| ordered)?", symbol)
    if counted is None:
        return rest
    behind = {" where": ("condition",), " ordered": ("direction",)}.get(counted[2] or "", ())
    return (*rest, *behind, *("expression",) * int(counted[1]))


class Writer:
    """The network with its parameters. about: the senses and words that it knows, in order; its
    number of heads; its numbers of reading and writing layers.
    """

    def __init__(self, about: dict[str, Any], arrays: dict[str, Array]) -> None:
        self.senses = {str(sense): at for at, sense in enumerate(about["senses"])}
        self.words: list[str] = about["words"]
        self.numbers = {word: at for at, word in enumerate(self.words)}
        self.heads: int = about["heads"]
        self.layers: tuple[int, int] = tuple(about["layers"])
        self._arrays = arrays

    def _linear(self, name: str, x: Array) -> Array:
        made = x @ self._arrays[f"{name}.weight"].T
        bias = self._arrays.get(f"{name}.bias")
        return made if bias is None else made + bias

    def _norm(self, name: str, x: Array) -> Array:
        spread = np.sqrt(x.var(-1, keepdims=True) + 1e-5)
        scaled = (x - x.mean(-1, keepdims=True)) / spread
        return scaled * self._arrays[f"{name}.weight"] + self._arrays[f"{name}.bias"]

    def _embedded(self, read: Input, vectors: Array) -> Array:
        """Return the parts as vectors of the network's size."""
        table = self._arrays
        made = self._linear("emb", vectors)
        kinds = [0] + [1] * len(read.spans) + [2] * len(read.columns) + [3] * len(read.values)
        made = made + table["kind.weight"][kinds]
        for at, part in enumerate(read.parts):
            known = [self.senses[sense] for sense in part.senses if sense in self.senses]
            made[at] += table["sense.weight"][known].sum(0)
            heard = pieces(part.text) if at else []
            made[at] += table["hash.weight"][heard or [BUCKETS]].mean(0)
        at = read.place("text")
        for i, span in enumerate(read.spans):
            made[at + i] += self._linear("fs", np.asarray(span.flags, np.float32))
            made[at + i] += table["pos.weight"][min(i, len(table["pos.weight"]) - 1)]
        at = read.place("column")
        for i, column in enumerate(read.columns):
            made[at + i] += self._linear("fc", np.asarray(column.flags, np.float32))
        for i, parent in enumerate(read.parents):
            made[read.place("value") + i] += self._linear("vcol", made[at + parent])
        return made

    def listen(self, read: Input, vectors: Array) -> Heard | None:
        """Return the encoded question, or None if it is too long for the network."""
        if len(read.spans) > SPANS:
            return None
        return Heard(self, read, self._encoded(read, vectors))

    def _encoded(self, read: Input, vectors: Array) -> Array:
        x = self._embedded(read, vectors)[None]
        size = x.shape[1]
        edges = read.edges(vectors) @ self._arrays["edge.weight"].T
        layers = edges.reshape(size, size, self.layers[0], self.heads).transpose(2, 3, 0, 1)
        for at in range(self.layers[0]):
            x = self._block(f"enc.{at}", x, layers[at])
        return self._norm("en", x)[0]

    def _block(
        self,
        name: str,
        x: Array,
        bias: Array,
        memory: Array | None = None,
        before: Before | None = None,
    ) -> Array:
        """Return x after a layer. memory: for a writing layer, the encoded question. before: the
        keys and values of the symbols before x, by layer; those of x are added.
        """
        looked = self._linear(f"{name}.qkv", self._norm(f"{name}.n1", x))
        query, key, value = np.split(looked, 3, -1)
        if before is not None:
            if name in before:
                earlier = before[name]
                key, value = (
                    np.concatenate(both, 1) for both in zip(earlier, (key, value), strict=True)
                )
            before[name] = (key, value)
        x = x + self._linear(f"{name}.o", self._attended(query, key, value, bias))
        if memory is not None:
            key, value = np.split(self._linear(f"{name}.kv", memory), 2, -1)
            query = self._linear(f"{name}.q", self._norm(f"{name}.n3", x))
            x = x + self._linear(f"{name}.co", self._attended(query, key[None], value[None], 0.0))
        inner = self._linear(f"{name}.f1", self._norm(f"{name}.n2", x))
        gelu = 0.5 * inner * (1 + np.tanh(math.sqrt(2 / math.pi) * (inner + 0.044715 * inner**3)))
        return x + self._linear(f"{name}.f2", gelu)

    def _attended(self, query: Array, key: Array, value: Array, bias: Array | float) -> Array:
        """Return values weighted by how well the keys match the queries, shapes (batch, length,
        size).
        """
        cut = [
            one.reshape(one.shape[0], one.shape[1], self.heads, -1).transpose(0, 2, 1, 3)
            for one in (query, key, value)
        ]
        scores = cut[0] @ cut[1].swapaxes(-1, -2) / math.sqrt(cut[0].shape[-1]) + bias
        made = softmax(scores) @ cut[2]
        return made.transpose(0, 2, 1, 3).reshape(query.shape)

    def following(
        self, x: Array, told: Array, pointed: Array, before: Before | None = None
    ) -> tuple[Array, Array]:
        """Return how likely each symbol is to follow each prefix of some sequences, as logits: for
        words, shape (sequences, length, words), and for pointers, (sequences, length, kinds,
        parts).

        x: the encoded parts from `Heard`. told: the preceding symbols: words as their numbers,
        pointers as -1 minus the number of their kind. pointed: the parts that they point at.
        before: the layers' keys and values for earlier symbols; those for these symbols are added.
        """
        words = self._arrays["op.weight"][np.maximum(told, 0)]
        kinds = self._arrays["ptr.weight"][np.maximum(-1 - told, 0)]
        state = np.where((told >= 0)[..., None], words, kinds + x[pointed])
        begin = before["dec.0"][0].shape[1] if before else 0
        end = begin + told.shape[1]
        state = state + self._arrays["dpos.weight"][np.minimum(np.arange(begin, end), LENGTH)]
        later = np.triu(np.full((end - begin, end), FAR, np.float32), 1 + begin)
        for at in range(self.layers[1]):
            state = self._block(f"dec.{at}", state, later, x, before)
        state = self._norm("dn", state)
        asked = self._linear("pq", state).reshape(*state.shape[:2], len(POINTED), -1)
        pointers = asked @ self._linear("pk", x).T / math.sqrt(x.shape[-1])
        return self._linear("out", state), pointers


@dataclass
class Heard:
    """A question as encoded by the network. x: its parts, shape (parts, size)."""

    writer: Writer
    read: Input
    x: Array

    @cached_property
    def _valid(self) -> Array:
        return self.read.valid()

    def _logs(self, told: Array, pointed: Array, before: Before | None = None) -> Array:
        """Return the log probabilities of the symbol that follows each symbol, words before
        pointers.

        before: as for `Writer.following`.
        """
        words, pointers = self.writer.following(self.x, told, pointed, before)
        pointers = np.where(self._valid, pointers, FAR)
        both = np.concatenate([words, pointers.reshape(*pointers.shape[:2], -1)], -1)
        both = both - both.max(-1, keepdims=True)
        return both - np.log(np.exp(both).sum(-1, keepdims=True))

    def _number(self, symbol: Symbol) -> tuple[int, int, int]:
        """Return a symbol's number among all symbols, its number as the next input, and the part
        that it points at.
        """
        if isinstance(symbol, str):
            number = self.writer.numbers[symbol]
            return number, number, 0
        kind, part = POINTED.index(symbol.kind), self.read.place(symbol.kind) + symbol.at
        return len(self.writer.words) + kind * len(self.x) + part, -1 - kind, part

    def likely(self, sequences: Sequence[Sequence[Symbol]]) -> list[float | None]:
        """Return the log probability of each sequence. It is None for a sequence that is too long
        or contains an unknown symbol.
        """
        known = [at for at, one in enumerate(sequences) if len(one) < LENGTH and self._knows(one)]
        found: list[float | None] = [None] * len(sequences)
        if not known:
            return found
        longest = max(len(sequences[at]) for at in known)
        told = np.zeros((len(known), longest), int)
        pointed, wanted = np.zeros_like(told), np.zeros_like(told)
        for row, at in enumerate(known):
            told[row, 0] = len(self.writer.words)  # the beginning
            for place, symbol in enumerate(sequences[at]):
                wanted[row, place], behind, part = self._number(symbol)
                if place + 1 < longest:
                    told[row, place + 1], pointed[row, place + 1] = behind, part
        logs = np.take_along_axis(self._logs(told, pointed), wanted[..., None], -1)[..., 0]
        for row, at in enumerate(known):
            found[at] = float(logs[row, : len(sequences[at])].sum())
        return found

    def _knows(self, symbols: Sequence[Symbol]) -> bool:
        return all(isinstance(s, Pointer) or s in self.writer.numbers for s in symbols)

    def written(self) -> list[tuple[float, list[Symbol]]]:
        """Return the likeliest sequences with their log probabilities, in descending order."""
        size = len(self.x)
        begun: list[tuple[float, list[Symbol], tuple[str, ...]]] = [(0.0, [], ("clause",))]
        done: list[tuple[float, list[Symbol]]] = []
        told, pointed = np.array([[len(self.writer.words)]]), np.array([[0]])
        before: Before = {}
        for _ in range(LONGEST):
            logs = self._logs(told, pointed, before)[:, -1]
            grown: list[tuple[float, int, list[Symbol], tuple[str, ...]]] = []
            for row, (total, symbols, needs) in enumerate(begun):
                for number in np.argsort(-logs[row])[: 3 * BEAM]:
                    symbol = self._symbol(int(number), size)
                    left = needs_after(needs, symbol)
                    if left is not None:
                        likely = total + float(logs[row, number])
                        grown.append((likely, row, [*symbols, symbol], left))
            grown = sorted(grown, key=lambda one: -one[0])[:BEAM]
            done += [(total, symbols) for total, _, symbols, left in grown if not left]
            grown = [one for one in grown if one[3]]
            best = max((total for total, _ in done), default=FAR)
            if not grown or grown[0][0] < best - BEHIND:
                break
            begun = [(total, symbols, left) for total, _, symbols, left in grown]
            last = [self._number(symbols[-1]) for _, symbols, _ in begun]
            told = np.array([[number] for _, number, _ in last])
            pointed = np.array([[part] for *_, part in last])
            rows = [row for _, row, _, _ in grown]
            before = {name: (keys[rows], values[rows]) for name, (keys, values) in before.items()}
        return sorted(done, key=lambda one: -one[0])[:BEAM]

    def _symbol(self, number: int, size: int) -> Symbol:
        if number < len(self.writer.words):
            return self.writer.words[number]
        kind, part = divmod(number - len(self.writer.words), size)
        return Pointer(POINTED[kind], part - self.read.place(POINTED[kind]))


def softmax(scores: Array) -> Array:
    """Return shares along the last axis that sum to 1."""
    made = np.exp(scores - scores.max(-1, keepdims=True))
    return made / made.sum(-1, keepdims=True)


def packed(array: Array) -> dict[str, Array]:
    """Return parameters as they are stored: those of a matrix as whole numbers from -127 to 127,
    with a scale for each row.
    """
    if array.ndim < 2:
        return {"": array.astype(np.float16)}
    scale = np.maximum(np.abs(array).max(1, keepdims=True) / 127, 1e-8).astype(np.float32)
    return {"": np.round(array / scale).astype(np.int8), SCALE: scale}


@cache
def writer() -> Writer:
    """Return the network."""
    file = resources.files("resources.language") / "writer.npz"
    with resources.as_file(file) as path, np.load(path) as held:
        about = json.loads(bytes(held["about"]).decode())
        arrays = {name: held[name].astype(np.float32) for name in held.files if name != "about"}
    for name in [name for name in arrays if name.endswith(SCALE)]:
        arrays[name.removesuffix(SCALE)] *= arrays.pop(name)
    return Writer(about, arrays)
