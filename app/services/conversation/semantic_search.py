"""Find turns by meaning. New turns are embedded while the models are idle."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Protocol

from app.documents.search import is_wide, knows_script
from app.domain.errors import DeskpilotError
from app.domain.events import Ended
from app.domain.semantic_search import parts_of

if TYPE_CHECKING:
    import numpy as np

    from app.domain.conversation import FoundTurn, Turn
    from app.domain.events import Item
    from app.domain.semantic_search import EmbeddedPart, TurnText
    from app.services.conversation.turns import Turns
    from app.services.tasks import Tasks


class EmbedPort(Protocol):
    """Turns texts into vectors, on this machine."""

    async def model(self) -> str | None:
        """Return an embedder that is on this machine, or None. Raises: DeskpilotError."""
        ...

    async def languages(self, model: str) -> frozenset[str]:
        """Return the languages that a model understands. `*` stands for any language. Raises:
        DeskpilotError.
        """
        ...

    async def embed(self, model: str, texts: list[str], *, asked: bool) -> np.ndarray:
        """Return a unit vector for each text, as a row. asked: whether the texts are search
        queries. Raises: DeskpilotError.
        """
        ...


class MeaningsPort(Protocol):
    """Stores the vectors of turns. Raises: StoreError."""

    async def unread(self, model: str, below: int | None, limit: int) -> list[TurnText]:
        """Return texts that a model has not embedded yet, newest first."""
        ...

    async def put(self, model: str, told: TurnText, parts: list[EmbeddedPart]) -> None:
        """Save the embedding of a text."""
        ...

    async def vectors(self, model: str, after: int) -> tuple[list[int], bytes]:
        """Return the vectors that have ids above `after`, and their ids."""
        ...

    async def found(self, ids: list[int]) -> dict[int, FoundTurn]:
        """Return the turns that vectors belong to."""
        ...

    async def count(self, model: str) -> tuple[int, int]:
        """Return how many texts are embedded, and how many there are in total."""
        ...


TASK = "meaning"
TEXTS, PARTS = (
    32,
    8,
)  # numbers of texts read and of parts embedded at a time; small, so that a question can start soon
CALM_SECONDS, FIRST_SECONDS = 2.0, 20.0  # seconds to wait after an answer, and after the start
NEAR, SHOWN = 60, 10  # number of nearest parts that are looked up, and of turns that are shown
FEW, SPREAD = (
    30,
    1.6,
)  # number of parts from which chance matches are excluded by standard deviations above the mean
# with fewer parts: the minimum similarity as a share of the nearest part's, and the most results
SHARE, FEWEST = 0.6, 3
# A part is found if it is this many standard deviations nearer than neutral sentences are, or
# clearly nearer than any of them. With MiniLM, the nearest of 12 chats was at least 4.0 deviations
# nearer in 14 searches that had a match, and at most 3.3 deviations nearer in 12 searches that had
# none (`python -m tests.bench.meaning`). STEADY: the minimum standard deviation that is used, since
# the deviation of a model that distinguishes nothing is 0.
ABOVE, CLEARLY, STEADY = 3.6, 0.12, 0.01


@dataclass(frozen=True)
class SemanticMatches:
    """The results of a search by meaning. model: the embedder, or None if there is none. read: the
    number of texts that can be found so far. of: the total number of texts. is_foreign: whether the
    embedder does not support the language of the search.
    """

    found: list[FoundTurn] = field(default_factory=list["FoundTurn"])
    model: str | None = None
    read: int = 0
    of: int = 0
    is_foreign: bool = False


class SemanticSearch:
    """Searches the turns of a store. Temporary chats are not searched, because they are not in the
    store.
    """

    def __init__(self, store: MeaningsPort, embedder: EmbedPort, tasks: Tasks) -> None:
        self._store, self._embedder, self._tasks = store, embedder, tasks
        self._asked: set[str] = set()  # turns that are being answered
        self._calm = asyncio.Event()
        self._calm.set()
        self._found: str | None = None  # the embedder for this search
        self._languages: frozenset[str] = frozenset()
        self._model = ""
        self._ids: list[int] = []
        self._rows: np.ndarray | None = None
        self._neutral: dict[tuple[str, bool], np.ndarray] = {}

    def follow(self, turns: Turns) -> None:
        """Embed existing turns, and new turns each time an answer has ended."""
        turns.subscribe(self._on_item)
        self.begin(FIRST_SECONDS)

    def begin(self, seconds: float | None = None) -> None:
        """Start embedding new turns after a pause. Unfinished work is resumed."""
        self._tasks.start(TASK, self._later(CALM_SECONDS if seconds is None else seconds))

    def go_on(self) -> None:
        """Embed new texts, unless this is already in progress."""
        if not self._tasks.running(TASK):
            self.begin()

    def _on_item(self, turn: Turn, item: Item) -> None:
        if not isinstance(item, Ended):
            self._asked.add(turn.id)
            self._calm.clear()
            return
        self._asked.discard(turn.id)
        if not self._asked:
            self._calm.set()
            self.begin()

    async def _later(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
        try:
            await self.read_new()
        # the next answer starts it again, and a search reports what is wrong
        except DeskpilotError:
            return

    async def read_new(self) -> None:
        """Embed all remaining texts, newest first. Finished work is kept, however this ends.

        Raises: DeskpilotError.
        """
        model, below = await self._embedder.model(), None
        while model is not None and (texts := await self._store.unread(model, below, TEXTS)):
            for told in texts:
                parts = parts_of(told)
                vectors: list[bytes] = []
                for at in range(0, len(parts), PARTS):
                    await self._calm.wait()
                    some = [told.text[part.start : part.end] for part in parts[at : at + PARTS]]
                    vectors += as_kept(await self._embedder.embed(model, some, asked=False))
                made = [
                    replace(part, vector=vector)
                    for part, vector in zip(parts, vectors, strict=True)
                ]
                await self._store.put(model, told, made)
            below = texts[-1].id

    async def search(self, wanted: str) -> SemanticMatches:
        """Return the turns closest in meaning, nearest first. The result is empty if there is no
        embedder.

        Raises: DeskpilotError.
        """
        model = self._found = self._found or await self._embedder.model()
        if model is None:
            return SemanticMatches()
        read, of = await self._store.count(model)
        if not self._languages:
            self._languages = await self._embedder.languages(model)
        if not knows_script(wanted, self._languages):
            return SemanticMatches([], model, read, of, is_foreign=True)
        (asked,) = await self._embedder.embed(model, [wanted], asked=True)
        rows = await self._all(model)
        least = by_chance(await self._neutral_rows(model, wide=is_wide(wanted)), asked)
        best: dict[tuple[str, str], FoundTurn] = {}
        if rows is not None:
            near = nearest(rows, asked, least)
            known = await self._store.found([self._ids[place] for place in near])
            for one in (known.get(self._ids[place]) for place in near):
                if one is not None:
                    best.setdefault((one.conversation_id, one.turn_id), one)
        return SemanticMatches(list(best.values())[:SHOWN], model, read, of)

    async def _neutral_rows(self, model: str, *, wide: bool) -> np.ndarray:
        """Return the vectors of neutral sentences in the script of a search."""
        import numpy as np

        if (known := self._neutral.get((model, wide))) is not None:
            return known
        texts, parts = neutral_sentences()["wide" if wide else "latin"], list["np.ndarray"]()
        for at in range(0, len(texts), PARTS):
            parts.append(await self._embedder.embed(model, texts[at : at + PARTS], asked=False))
        self._neutral[model, wide] = np.concatenate(parts)
        return self._neutral[model, wide]

    def forget(self) -> None:
        """Release the vectors, which take up 15 MB for ten thousand parts. The next search loads
        them again.
        """
        self._found, self._model, self._ids, self._rows = None, "", [], None
        self._languages = frozenset()

    async def _all(self, model: str) -> np.ndarray | None:
        """Return all vectors of a model, after reading those added since the last search."""
        import numpy as np

        if model != self._model:
            self._model, self._ids, self._rows = model, [], None
        ids, packed = await self._store.vectors(model, self._ids[-1] if self._ids else 0)
        if ids:
            new = np.frombuffer(packed, dtype="<f2").reshape(len(ids), -1).astype(np.float32)
            self._rows = new if self._rows is None else np.concatenate((self._rows, new))
            self._ids += ids
        return self._rows


def as_kept(vectors: np.ndarray) -> list[bytes]:
    """Return vectors in their stored form."""
    return [row.astype("<f2").tobytes() for row in vectors]


@cache
def neutral_sentences() -> dict[str, list[str]]:
    """Return sentences that no chat is about, by script."""
    import yaml

    text = (files("resources") / "language" / "neutral.yaml").read_text("utf-8")
    return yaml.safe_load(text)


def by_chance(neutral: np.ndarray, asked: np.ndarray) -> float:
    """Return how near a part can be to a search by chance alone.

    Models differ in how near they place texts in general, so this is measured with sentences on
    other subjects.
    """
    near: Any = neutral @ asked
    deviation = max(float(near.std()), STEADY)
    return min(float(near.mean()) + ABOVE * deviation, float(near.max()) + CLEARLY)


def nearest(rows: np.ndarray, asked: np.ndarray, chance: float) -> list[int]:
    """Return the positions of the rows that are nearer than chance, nearest first.

    chance: the result of `by_chance`. It does not depend on the rows, since it is possible that
    none of them matches. If there are many rows, a match must also stand out from all the others.
    """
    import numpy as np

    near: Any = rows @ asked.astype(np.float32)
    if len(near) >= FEW:
        least = float(near.mean() + SPREAD * near.std())
    else:
        least = max(SHARE * float(near.max()), float(np.sort(near)[-min(FEWEST, len(near))]))
    most = np.flatnonzero((near >= least) & (near > chance))
    return [int(place) for place in most[np.argsort(-near[most], kind="stable")][:NEAR]]
