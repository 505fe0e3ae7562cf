"""Train the network that writes queries, on the corpus: python -m tests.corpus.train [FOLDER …].

Each question is annotated as in use; what the network is to write is the SELECT of the question in
its normal form, or one of the parser's readings that give the same answer. Questions that a table
does not answer have `none`. Tables whose `part` is "test" are never trained on; a fifth of the
others (`kept_back`) is not either, as the weights of `tests.corpus.fit` are fitted there: on tables
that a network has learnt, what it says looks surer than it is.

Writes resources/language/writer.npz. Needs torch. Order and beginning are seeded; that it makes the
same file twice was not tried. The file in the repository took 30 minutes on two cores (9 epochs),
after the questions were annotated; README.md says from which sets. --cache FOLDER keeps the
annotated questions and the vectors of their texts.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import math
import pickle
import random
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from app.data.sources import Sources
from backends.query import parser
from backends.query.normal import normal
from backends.query.propose import with_years
from backends.query.sequence import NotWritable, Pointer, Symbol, Things, write
from backends.query.sql import NoQuery, query_of
from backends.query.writer import (
    BUCKETS,
    DIMENSIONS,
    EDGES,
    LENGTH,
    POINTED,
    SPANS,
    Input,
    input_of,
    packed,
    pieces,
    texts_of,
)
from tests.bench.everyday import TODAY, lines
from tests.bench.questions import starter_embedder
from tests.corpus.fit import READINGS, in_order, is_right, kept_back

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
TALK = (HERE / "talk.txt").read_text("utf-8").splitlines()
FILE = HERE.parents[1] / "resources" / "language" / "writer.npz"
SIZE, HEADS, INNER, LAYERS = 192, 6, 512, (4, 2)  # of the network; layers that read, that write
SPAN_FLAGS, COLUMN_FLAGS = 10, 12
OTHERS = 2  # readings of the parser that count as right beside the SELECT
ITS_OWN = 0.6  # how often the SELECT is what is to be written, where there are others
BATCH, RATE, SEED = 24, 8e-4, 7
# so that the network does not rest on words, or on vectors, alone
NO_WORDS, NO_VECTORS = 0.25, 0.15
MANY = 4096  # texts that are embedded at once
TALKED = 1  # such lines for each table
SEEN = 3  # questions that must have a sense for it to get parameters


@dataclass
class Example:
    """A question as the network reads it, and what it may write. texts: numbers of the texts of its
    parts and of what is around them, shape (parts, 2), among all texts.
    """

    folder: str
    table: str
    part: str
    language: str
    style: str
    read: Input
    wanted: list[list[Symbol]]
    texts: np.ndarray = field(init=False)


def collect(folder: Path, table: str) -> list[Example]:
    """Return the examples of one table."""
    about = next(one for one in lines(folder / "tables.jsonl") if one["table"] == table)
    source = Sources().add_file(folder / about.get("file", f"tables/{table}.csv"))
    profile = source.profile.model_copy(update={"name": about["title"]})
    today = dt.date.fromisoformat(about.get("today", TODAY))
    embedder = in_order(starter_embedder())
    kept: dict[str, np.ndarray] = {}

    def embed(texts: list[str]) -> np.ndarray:
        new = [text for text in dict.fromkeys(texts) if text not in kept]
        if new:
            kept.update(zip(new, embedder(new), strict=True))
        return np.stack([kept[text] for text in texts])

    foreign: list[dict[str, Any]] = [
        one | {"style": "foreign", "answers": []} for one in lines(folder / "foreign.jsonl")
    ]
    told = {"table": table, "language": about["language"], "style": "foreign", "answers": []}
    foreign += [told | {"question": said} for said in talk(table, about["language"])]
    made: list[Example] = []
    for one in [*lines(folder / "questions.jsonl"), *foreign]:
        if one["table"] != table:
            continue
        annotation = parser.annotated(one["question"], profile, today, embed)
        ranked = parser.rank(annotation)
        things = Things(profile, annotation.spans, today)
        wanted: list[list[Symbol]] = [["none", "end"]] if one["style"] == "foreign" else []
        queries = [] if wanted else [normal(scored.frame.query) for scored in ranked]
        right = (
            query
            for query in list(dict.fromkeys(queries))[:READINGS]
            if is_right(query, source.table, one["answers"])
        )
        columns = {column.name: column for column in profile.columns}
        if not wanted:
            try:
                query = normal(query_of(one["sql"], {table: profile}, today=today))
                wanted.append(write(normal(with_years(query, columns)), things))
            except (NoQuery, NotWritable):
                pass  # the parser's readings may be writable
        own = len(wanted)
        for query in right:
            if len(wanted) == own + OTHERS:
                break
            try:
                sequence = write(query, things)
            except NotWritable:
                continue
            if sequence not in wanted:
                wanted.append(sequence)
        read = input_of(annotation, things)
        if wanted and len(read.spans) < SPANS and max(map(len, wanted)) < LENGTH:
            style = one.get("style", "everyday")
            part = about.get("part", "train")
            if part == "train" and kept_back(folder.name, table):
                part = "kept back"
            made.append(Example(folder.name, table, part, one["language"], style, read, wanted))
    return made


def talk(table: str, language: str) -> list[str]:
    """Return something that people say beside questions, for a table to be tried with."""
    said = [line.split("\t")[1] for line in TALK if line.startswith(language)]
    return random.Random(table).sample(said, TALKED)


def examples(folders: list[Path], cache: Path | None) -> list[Example]:
    """Return the examples of all tables, made in two processes."""
    jobs = [(f, one["table"]) for f in folders for one in lines(f / "tables.jsonl")]
    with ProcessPoolExecutor(2) as pool:
        made = pool.map(partial(kept, cache=cache), jobs)
        return [one for part in made for one in part]


def kept(job: tuple[Path, str], cache: Path | None) -> list[Example]:
    """Return the examples of a table from the cache; put them there first if they are not."""
    folder, table = job
    file = cache / folder.name / f"{table}.pickle" if cache else None
    if file and file.is_file():
        return pickle.loads(file.read_bytes())
    made = collect(folder, table)
    if file:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(pickle.dumps(made))
    return made


def vectors(made: list[Example], cache: Path | None) -> np.ndarray:
    """Number the texts of all examples and return their vectors, shape (texts, DIMENSIONS); the
    first one is of no text.

    cache: keeps the vectors of before.
    """
    file = cache / "vectors.pickle" if cache else None
    known: dict[str, np.ndarray] = (
        pickle.loads(file.read_bytes()) if file and file.is_file() else {}
    )
    numbers = {"": 0}
    for one in made:
        one.texts = np.array(
            [
                [numbers.setdefault(text, len(numbers)) for text in both]
                for both in texts_of(one.read)
            ]
        )
    new = [text for text in numbers if text and text not in known]
    for at in range(0, len(new), MANY):
        some = new[at : at + MANY]
        embed = in_order(starter_embedder())  # each one keeps all that it has embedded
        known |= zip(some, embed(some).astype(np.float16), strict=True)
    if file and new:
        file.write_bytes(pickle.dumps(known))
    print(f"{len(numbers)} texts, {len(new)} of them new", flush=True)
    return np.stack([known.get(text, np.zeros(DIMENSIONS, np.float16)) for text in numbers])


class Block(nn.Module):
    """A layer of a transformer that looks at itself and, where it writes, at what was read."""

    def __init__(self, *, writes: bool) -> None:
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(SIZE), nn.LayerNorm(SIZE)
        self.qkv, self.o = nn.Linear(SIZE, 3 * SIZE), nn.Linear(SIZE, SIZE)
        self.f1, self.f2 = nn.Linear(SIZE, INNER), nn.Linear(INNER, SIZE)
        if writes:
            self.n3 = nn.LayerNorm(SIZE)
            self.q, self.kv = nn.Linear(SIZE, SIZE), nn.Linear(SIZE, 2 * SIZE)
            self.co = nn.Linear(SIZE, SIZE)

    def forward(
        self, x: Tensor, bias: Tensor, memory: Tensor | None = None, mask: Tensor | None = None
    ) -> Tensor:
        """Return x, shape (batch, length, SIZE), after the layer."""
        query, key, value = self.qkv(self.n1(x)).chunk(3, -1)
        x = x + self.drop(self.o(self.attended(query, key, value, bias)))
        if memory is not None and mask is not None:
            key, value = self.kv(memory).chunk(2, -1)
            x = x + self.drop(self.co(self.attended(self.q(self.n3(x)), key, value, mask)))
        inner = functional.gelu(self.f1(self.n2(x)), approximate="tanh")
        return x + self.drop(self.f2(self.drop(inner)))

    def attended(self, query: Tensor, key: Tensor, value: Tensor, bias: Tensor) -> Tensor:
        """Return values weighted by how well keys fit queries."""
        batch, length, _ = query.shape
        cut = [
            one.view(batch, -1, HEADS, SIZE // HEADS).transpose(1, 2) for one in (query, key, value)
        ]
        made = functional.scaled_dot_product_attention(
            *cut, attn_mask=bias, dropout_p=0.1 if self.training else 0.0
        )
        return made.transpose(1, 2).reshape(batch, length, SIZE)

    def drop(self, x: Tensor) -> Tensor:
        """Return x with a fifth set to 0, while it is trained."""
        return functional.dropout(x, 0.2, self.training)


class Network(nn.Module):
    """The network of `backends.query.writer`, with the same names of parameters."""

    def __init__(self, senses: list[str], words: list[str]) -> None:
        super().__init__()
        self.senses = {sense: at for at, sense in enumerate(senses)}
        self.words = {word: at for at, word in enumerate(words)}
        self.emb = nn.Linear(2 * DIMENSIONS, SIZE)
        self.sense = nn.EmbeddingBag(len(senses), SIZE, mode="sum")
        self.hash = nn.EmbeddingBag(BUCKETS + 1, SIZE, mode="mean")
        self.fs, self.fc = nn.Linear(SPAN_FLAGS, SIZE), nn.Linear(COLUMN_FLAGS, SIZE)
        self.kind, self.pos = nn.Embedding(4, SIZE), nn.Embedding(SPANS, SIZE)
        self.vcol = nn.Linear(SIZE, SIZE)
        self.edge = nn.Linear(EDGES, HEADS * LAYERS[0], bias=False)
        self.enc = nn.ModuleList(Block(writes=False) for _ in range(LAYERS[0]))
        self.dec = nn.ModuleList(Block(writes=True) for _ in range(LAYERS[1]))
        self.en, self.dn = nn.LayerNorm(SIZE), nn.LayerNorm(SIZE)
        self.op, self.ptr = nn.Embedding(len(words) + 1, SIZE), nn.Embedding(len(POINTED), SIZE)
        self.dpos = nn.Embedding(LENGTH + 1, SIZE)
        self.out, self.pq = nn.Linear(SIZE, len(words)), nn.Linear(SIZE, SIZE * len(POINTED))
        self.pk = nn.Linear(SIZE, SIZE)
        for one in (self.sense, self.hash, self.kind, self.pos, self.op, self.ptr, self.dpos):
            nn.init.normal_(one.weight, std=0.05)

    def loss(self, batch: Batch) -> Tensor:
        """Return how surprised the network is by what was to be written, in nats a symbol."""
        memory, mask = self.encoded(batch), batch.mask[:, None, None]
        length = batch.told.shape[1]
        known = (batch.told >= 0)[..., None]
        pointed = torch.gather(memory, 1, batch.pointed[..., None].expand(-1, -1, SIZE))
        kinds = self.ptr((-1 - batch.told).clamp(min=0)) + pointed
        state = torch.where(known, self.op(batch.told.clamp(min=0)), kinds)
        state = functional.dropout(state + self.dpos(torch.arange(length)), 0.1, self.training)
        later = torch.full((length, length), -1e9).triu(1)
        for layer in self.dec:
            state = layer(state, later, memory, mask)
        state = self.dn(state)
        asked = self.pq(state).view(*state.shape[:2], len(POINTED), SIZE)
        pointers = torch.einsum("btkd,bnd->btkn", asked, self.pk(memory)) / math.sqrt(SIZE)
        pointers = pointers.masked_fill(~batch.valid[:, None], -1e9)
        logits = torch.cat([self.out(state), pointers.flatten(2)], -1)
        return functional.cross_entropy(
            logits.flatten(0, 1), batch.wanted.flatten(), ignore_index=-100
        )

    def encoded(self, batch: Batch) -> Tensor:
        """Return the parts of each question, shape (batch, parts, SIZE)."""
        drop = functional.dropout
        base = self.emb(drop(batch.vectors, 0.1, self.training)) + self.sense(*batch.senses)
        base = base + self.hash(*batch.hashes) * batch.heard + self.kind(batch.kinds)
        count, size = batch.mask.shape
        x = torch.zeros(count * size, SIZE)
        x[batch.place] = base
        x[batch.span_at] += self.fs(batch.span_flags) + self.pos(batch.positions)
        x[batch.column_at] += self.fc(batch.column_flags)
        x[batch.value_at] = x[batch.value_at] + self.vcol(x[batch.parent_at])
        x = drop(x.view(count, size, SIZE), 0.1, self.training)
        bias = self.edge(batch.edges).view(count, size, size, LAYERS[0], HEADS)
        bias = bias.permute(3, 0, 4, 1, 2) + batch.mask[:, None, None]
        for layer, own in zip(self.enc, bias, strict=True):
            x = layer(x, own)
        return self.en(x)


class Batch:
    """Some examples side by side, as tensors. known: vectors of all texts. rng: decides what is
    left out; None in a test.
    """

    def __init__(
        self,
        chosen: list[Example],
        network: Network,
        known: np.ndarray,
        rng: random.Random | None,
    ) -> None:
        size = max(len(one.read.parts) for one in chosen)
        count, words = len(chosen), len(network.words)
        self.mask = torch.full((count, size), -1e9)
        self.edges = torch.zeros(count, size, size, EDGES)
        self.valid = torch.zeros(count, len(POINTED), size, dtype=torch.bool)
        senses, sense_at, hashes, hash_at = list[int](), list[int](), list[int](), list[int]()
        place, kinds, heard, vectors = list[int](), list[int](), list[float](), list[np.ndarray]()
        spans, columns, values, parents = list[int](), list[int](), list[int](), list[int]()
        positions, told = list[int](), [pick(one, rng) for one in chosen]
        for row, one in enumerate(chosen):
            read, parts, start = one.read, one.read.parts, row * size
            own = known[one.texts].reshape(len(parts), -1).astype(np.float32)
            if rng is not None and rng.random() < NO_VECTORS:
                own = np.zeros_like(own)
            self.mask[row, : len(parts)] = 0
            self.edges[row, : len(parts), : len(parts)] = torch.from_numpy(read.edges(own))
            self.valid[row, :, : len(parts)] = torch.from_numpy(read.valid())
            vectors.append(own)
            place += range(start, start + len(parts))
            kinds += [0] + [1] * len(read.spans) + [2] * len(read.columns) + [3] * len(read.values)
            for at, part in enumerate(parts):
                sense_at.append(len(senses))
                senses += [network.senses[s] for s in part.senses if s in network.senses]
                hash_at.append(len(hashes))
                hashes += (pieces(part.text) if at else []) or [BUCKETS]
                heard.append(0.0 if rng is not None and rng.random() < NO_WORDS else 1.0)
            at = start + read.place("text")
            spans += range(at, at + len(read.spans))
            positions += range(len(read.spans))
            at = start + read.place("column")
            columns += range(at, at + len(read.columns))
            parents += [at + parent for parent in read.parents]
            at = start + read.place("value")
            values += range(at, at + len(read.values))
        whole = torch.tensor
        self.vectors = torch.from_numpy(np.concatenate(vectors))
        self.senses = (whole(senses, dtype=torch.long), whole(sense_at))
        self.hashes = (whole(hashes), whole(hash_at))
        self.heard, self.place, self.kinds = whole(heard)[:, None], whole(place), whole(kinds)
        self.span_at, self.positions = whole(spans), whole(positions)
        self.column_at = whole(columns)
        self.value_at = whole(values, dtype=torch.long)
        self.parent_at = whole(parents, dtype=torch.long)
        self.span_flags = whole([s.flags for one in chosen for s in one.read.spans])
        self.column_flags = whole([c.flags for one in chosen for c in one.read.columns])
        length = max(map(len, told))
        self.told = torch.full((count, length), words)
        self.pointed = torch.zeros(count, length, dtype=torch.long)
        self.wanted = torch.full((count, length), -100)
        for row, (one, symbols) in enumerate(zip(chosen, told, strict=True)):
            for at, symbol in enumerate(symbols):
                part = 0
                if isinstance(symbol, Pointer):
                    kind, part = POINTED.index(symbol.kind), one.read.place(symbol.kind) + symbol.at
                    number, behind = words + kind * size + part, -1 - kind
                else:
                    number = behind = network.words[symbol]
                self.wanted[row, at] = number
                if at + 1 < length:
                    self.told[row, at + 1], self.pointed[row, at + 1] = behind, part


def pick(one: Example, rng: random.Random | None) -> list[Symbol]:
    """Return what is to be written this time."""
    if rng is None or rng.random() < ITS_OWN:
        return one.wanted[0]
    return rng.choice(one.wanted)


def batches(chosen: list[Example], rng: random.Random) -> Iterator[list[Example]]:
    """Yield examples of about the same size together, in random order."""
    order = sorted(chosen, key=lambda one: len(one.read.parts) + 8 * rng.random())
    made = [order[at : at + BATCH] for at in range(0, len(order), BATCH)]
    rng.shuffle(made)
    yield from made


def known_words(chosen: list[Example], least: int) -> tuple[list[str], list[str]]:
    """Return the senses and the words that stand in enough examples."""
    senses, words = dict[str, int](), dict[str, int]()
    for one in chosen:
        for sense in {s for part in one.read.parts for s in part.senses}:
            senses[sense] = senses.get(sense, 0) + 1
        for word in {s for told in one.wanted for s in told if isinstance(s, str)}:
            words[word] = words.get(word, 0) + 1
    return (
        sorted(sense for sense, count in senses.items() if count >= least),
        sorted(word for word, count in words.items() if count >= 2),
    )


def train(
    learnt: list[Example],
    tested: list[Example],
    about: dict[str, Any],
    known: np.ndarray,
    epochs: int,
) -> None:
    """Train the network and write it after each epoch. known: vectors of all texts."""
    torch.manual_seed(SEED)
    rng = random.Random(SEED)
    network = Network(about["senses"], about["words"])
    total = sum(one.numel() for one in network.parameters())
    print(f"{len(learnt)} examples, {len(tested)} for tests, {total / 1e6:.1f} M parameters")
    steps = epochs * math.ceil(len(learnt) / BATCH)
    adam = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=0.02)
    falling = torch.optim.lr_scheduler.LambdaLR(
        adam, lambda at: min(1.0, (at + 1) / 200) * (0.5 + 0.5 * math.cos(math.pi * at / steps))
    )
    begun = time.monotonic()
    for epoch in range(1, epochs + 1):
        network.train()
        told: list[float] = []
        for part in batches(learnt, rng):
            loss = network.loss(Batch(part, network, known, rng))
            adam.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            adam.step()
            falling.step()
            told.append(loss.item())
        network.eval()
        with torch.no_grad():
            held = [
                network.loss(Batch(part, network, known, None)).item()
                for part in batches(tested, rng)
            ]
        taken = time.monotonic() - begun
        print(f"{epoch:3} {np.mean(told):.3f}  test {np.mean(held):.3f}  {taken:.0f} s", flush=True)
        save(network, about)


def save(network: Network, about: dict[str, Any]) -> None:
    """Write the parameters."""
    arrays: dict[str, Any] = {
        f"{name}{part}": held
        for name, one in network.state_dict().items()
        for part, held in packed(one.numpy()).items()
    }
    with FILE.open("wb") as file:
        np.savez_compressed(
            file, about=np.frombuffer(json.dumps(about).encode(), np.uint8), **arrays
        )


def main() -> None:
    """Read the options and train."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folders", type=Path, nargs="*")
    options.add_argument("--epochs", type=int, default=9)
    options.add_argument("--cache", type=Path)
    chosen = options.parse_args()
    folders = chosen.folders or sorted(f.parent for f in HERE.glob("*/tables.jsonl"))
    made = examples(folders, chosen.cache)
    known = vectors(made, chosen.cache)
    learnt = [one for one in made if one.part == "train"]
    senses, words = known_words(learnt, SEEN)
    for one in made:
        one.wanted = [w for w in one.wanted if all(s in words for s in w if isinstance(s, str))]
    learnt = [one for one in learnt if one.wanted]
    tested = [one for one in made if one.part == "test" and one.wanted]
    about = {"senses": senses, "words": words, "heads": HEADS, "layers": LAYERS}
    train(learnt, tested, about, known, chosen.epochs)


if __name__ == "__main__":
    main()
