"""The design job and its steps, each of which is saved before the next. The job can be started,
followed, stopped and resumed, and needs no window.
"""

from __future__ import annotations

import asyncio
import json
import random
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from app.data.design.definition import (
    Definition,
    DesignTable,
    LibraryOutcome,
    Phase,
    SelfRequest,
    State,
    begun,
    covering,
    defined,
    entry_for,
    meanings,
    now,
)
from app.data.design.mergers import as_one, laid_over, same_frames, tried
from app.data.design.phrases import as_name, language_of, wording
from app.data.design.requests import about, ideas_over, offered, seed_of
from app.data.sources import Sources
from app.domain.errors import DeskpilotError, ModelServiceError, SetupError
from backends.data.computation import interruptibly
from backends.data.errors import KernelError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable
    from contextlib import AbstractContextManager

    from app.data.design.ideas import Idea
    from app.data.library.library_file import Library
    from app.services.ports import FilePort, ModelsPort
    from app.services.tasks import Tasks

    Listener = Callable[["DesignProgress | DeskpilotError | None"], None]
    Steps = AsyncGenerator[tuple[State, "DesignProgress"]]

ROUTE = "/v1/chat/completions"
SYSTEM = "You are a helpful AI assistant."  # the wording that small models were trained with
WARM = 0.8
TOKENS = 4  # maximum number of tokens for a number
# this limit keeps the choices to single digits, so that no number is the beginning of another
MOST_CHOICES = 9
OTHER = "Choose another model."


class Author:
    """Queries the model service's chat model. Every answer is constrained by a schema. model: the
    model that answered last.
    """

    def __init__(self, manage: ModelsPort) -> None:
        self._manage = manage
        self.model = ""

    async def choose(self, prompt: str, choices: list[str], seed: int) -> str:
        """Let the model choose one of up to 9 choices, and return it. If there is only one choice,
        the model is not queried. If this is cancelled, the model stops. The common beginning of the
        prompts is processed only once.

        Raises: ModelServiceError, also if the answer is none of the choices; ServiceError.
        """
        if len(choices) == 1:
            return choices[0]
        numbers = list(range(1, min(len(choices), MOST_CHOICES) + 1))
        listed = "\n".join(f"{n}. {choice}" for n, choice in zip(numbers, choices, strict=False))
        told = await self._manage.send(
            "POST",
            ROUTE,
            {
                "messages": [
                    {"role": "system", "content": SYSTEM},
                    {"role": "user", "content": f"{prompt}\n{listed}"},
                ],
                "max_tokens": TOKENS,
                "temperature": WARM,
                "seed": seed,
                "response_format": {
                    "type": "json_schema",
                    "json_schema": {"name": "answer", "schema": {"enum": numbers}},
                },
            },
        )
        self.model = str(told.get("model", ""))
        try:
            return choices[numbers.index(json.loads(told["choices"][0]["message"]["content"]))]
        except (ValueError, KeyError, TypeError, IndexError) as error:
            raise ModelServiceError(
                "The model chose something that was not offered.", OTHER
            ) from error


EXAMPLES = 4  # maximum number of the user's requests that are shown to a model
SELECTORS = ["series", "measure", "column"]


@dataclass(frozen=True)
class DesignProgress:
    """The progress of a design. done, total: how much of the current phase is done, and its total.
    text: the last step. word: the outcome of this step. reason: the reason for the outcome.
    """

    phase: Phase
    done: int
    total: int
    text: str
    word: str = ""
    reason: str = ""


@dataclass(frozen=True)
class Work:
    """The objects that a design needs in order to run."""

    sources: Sources
    library: Library
    author: Author


async def steps(state: State, work: Work) -> AsyncGenerator[tuple[State, DesignProgress]]:
    """Yield the state after each step, from the current one to the end.

    Raises: ModelServiceError, ServiceError if the model does not answer; SourceError, SetupError.
    """
    ideas = ideas_over(work.sources.source(uid).profile for uid in state.tables)
    for phase in (asking, defining, merging, validating):
        if phase.__name__ != state.phase:
            continue
        async for made, progress in phase(state, work, ideas):
            state = made
            yield state, progress
        state = state.model_copy(update={"phase": FOLLOWING[state.phase]})
    yield state, DesignProgress("done", 1, 1, "")


FOLLOWING: dict[Phase, Phase] = {
    "asking": "defining",
    "defining": "merging",
    "merging": "validating",
    "validating": "done",
}
Ideas = dict[str, "list[Idea]"]


async def asking(state: State, work: Work, ideas: Ideas) -> Steps:
    """Choose requests. From those that the tables can answer, the model chooses likely ones and
    their wording.
    """
    while len(state.requests) < state.wanted and (found := offered(ideas, state)) is not None:
        uid, laid = found
        turn, seed = len(state.requests), seed_of(state)
        profile = work.sources.source(uid).profile
        people = wording(language_of(profile)).people[:EXAMPLES]
        told = [about(profile), "People ask, for example:", *people]
        told += [seed] if seed else []
        prompt = "\n".join([*told, "Which of these would somebody ask next?"])
        request = await work.author.choose(prompt, [text for _, text in laid], state.chance + turn)
        idea = next(idea for idea, text in laid if text == request)
        made = SelfRequest(
            id=f"r{turn + 1}",
            request=request,
            also=[text for text in idea.wordings if text != request],
            language=idea.draft.language,
            others=idea.others,
            key=idea.draft.key,
            kind=idea.draft.kind,
            values=idea.values,
            sources=idea.draft.workflow.sources(),
            model=work.author.model,
            asked_at=now(),
            seed=seed,
        )
        state = state.model_copy(
            update={"requests": [*state.requests, made], "model": work.author.model}
        )
        yield state, DesignProgress(state.phase, turn + 1, state.wanted, request)


async def defining(state: State, work: Work, ideas: Ideas) -> Steps:
    """Give each request an interface, either an existing one or a new one that the model names."""
    drafts = {idea.draft.key: idea for some in ideas.values() for idea in some}
    while state.defined < len(state.requests):
        asked = state.requests[state.defined]
        known = next((d for d in state.definitions if asked.key in d.made_of), None)
        others = [d for d in state.definitions if d is not known]
        if known is None:
            taken = {d.name for d in state.definitions}
            names = free(drafts[asked.key].draft.names, taken)
            prompt = f"What would you call a function that answers this?\n{asked.request}"
            name = await work.author.choose(prompt, names, state.chance + state.defined)
            known, decision = defined(drafts[asked.key], name), "new"
        else:
            decision = "reuse"
        marked = asked.model_copy(update={"decision": decision})
        state = state.model_copy(
            update={
                "requests": [marked if r.id == asked.id else r for r in state.requests],
                "definitions": [*others, covering(known, marked)],
                "defined": state.defined + 1,
                "model": work.author.model or state.model,
            }
        )
        yield (
            state,
            DesignProgress(state.phase, state.defined, len(state.requests), known.name, decision),
        )


def free(names: list[str], taken: set[str]) -> list[str]:
    """Return unused names. If all are taken, a number is added."""
    left = list(dict.fromkeys(n for n in names if n not in taken))
    return left or [next(n for i in range(2, 999) if (n := f"{names[0]}_{i}") not in taken)]


async def merging(state: State, work: Work, ideas: Ideas) -> Steps:
    """Merge interfaces with the same shape. A merged interface, which has a selector, is kept if
    every test returns the same result.
    """
    del ideas
    total = len(state.definitions)
    while state.laid < total:
        other = state.definitions[state.laid]
        text, interfaces, apart = other.name, [*state.interfaces, other], list(state.apart)
        for place, one in enumerate(state.interfaces):
            selector = next(
                s for s in SELECTORS if all(p.name != s for p in one.workflow.parameters)
            )
            made = laid_over(one, other, selector)
            if made is None:
                continue
            try:
                same = await interruptibly(both_same, made, one, other, work.sources)
            except KernelError:
                same = False  # one of them cannot be run at all, which validation will report
            if not same:
                apart.append((one.name, other.name))
                continue
            made = await called(made, state, work)
            interfaces = [made if n == place else d for n, d in enumerate(state.interfaces)]
            text = f"{one.name} + {other.name} → {made.name}"
            break
        state = state.model_copy(
            update={"interfaces": interfaces, "apart": apart, "laid": state.laid + 1}
        )
        yield state, DesignProgress(state.phase, state.laid, total, text)


def both_same(made: Definition, one: Definition, other: Definition, sources: Sources) -> bool:
    """Return whether a merged interface gives the same answers as both originals."""
    return same_frames(made, one, sources) and same_frames(made, other, sources)


async def called(made: Definition, state: State, work: Work) -> Definition:
    """Return a merged interface with a name that fits everything in it. An interface that was
    merged before keeps its name.
    """
    about = meanings(made)[made.language]
    workflow = as_one(made.workflow, about)
    if len(made.labels) > 2:
        return made.model_copy(update={"description": about, "workflow": workflow})
    taken = {d.name for d in [*state.interfaces, *state.definitions]}
    pair = "_".join(as_name(label) for label in made.labels)[:40].strip("_")
    parts = {"pair": pair, "shape": made.called, "selector": made.selector}
    names = free([n.format_map(parts)[:60] for n in wording(made.language).merged], taken)
    prompt = f"What would you call a function that gives the {about}?"
    name = await work.author.choose(prompt, names, state.chance + state.laid)
    return made.model_copy(update={"name": name, "description": about, "workflow": workflow})


async def validating(state: State, work: Work, ideas: Ideas) -> Steps:
    """Validate each interface on the real tables, and save it in the library with the result."""
    del ideas
    total = len(state.interfaces)
    while len(state.kept) < total:
        definition = state.interfaces[len(state.kept)]
        made = next(
            (
                e
                for e in work.library.entries()
                if e.name == definition.name and e.origin.design == state.id
            ),
            None,  # otherwise it was saved just before the job ended
        )
        if made is None:
            entry = entry_for(definition, work.sources, state.id, state.model)
            made = await work.library.put(await tried(entry, work.sources))
        kept = LibraryOutcome(
            name=made.name, version=made.version, status=made.status, reason=made.reason
        )
        state = state.model_copy(update={"kept": [*state.kept, kept]})
        yield (
            state,
            DesignProgress(
                state.phase, len(state.kept), total, made.name, made.status, made.reason
            ),
        )


def changed(state: State, sources: Sources) -> str:
    """Return the name of a file that has changed since a design began, or an empty string if none
    has."""
    for uid, table in state.tables.items():
        try:
            if sources.source(uid).table.hash != table.hash:
                return table.path
        except DeskpilotError:
            return table.path
    return ""


REQUESTS = 60
NAME = "design"  # the name of its task
MOST = 16  # maximum number of tables in one design


class Designer:
    """Designs interfaces over tables and saves them in the library.

    file: stores its progress. alone: a lock that is held while it works. Acquiring it raises
    SetupError if another design holds it.
    """

    def __init__(
        self,
        file: FilePort,
        library: Library,
        manage: ModelsPort,
        tasks: Tasks,
        alone: Callable[[], AbstractContextManager[object]],
    ) -> None:
        self._file, self._library, self._manage, self._tasks, self._alone = (
            file,
            library,
            manage,
            tasks,
            alone,
        )
        self._listeners: list[Listener] = []
        self.last: DesignProgress | DeskpilotError | None = None

    async def state(self) -> State | None:
        """Return the design that is running or ran last, or None if there is none.

        Raises: SetupError if the file cannot be read.
        """
        raw = await self._file.read()
        try:
            return State.model_validate(raw) if raw else None
        except ValidationError as error:
            raise SetupError("The last design cannot be read.", "Start a new one.") from error

    async def unfinished(self) -> State | None:
        """Return the design that can be resumed, or None.

        Raises: SetupError.
        """
        state = await self.state()
        return state if state is not None and state.phase != "done" else None

    async def run(
        self,
        tables: list[Path],
        tell: Callable[[DesignProgress], None],
        wanted: int = REQUESTS,
        seeds: list[str] | None = None,
        chance: int | None = None,
    ) -> State:
        """Run a design to its end and return the result. tables: the tables to use. If there are
        none, the unfinished design is resumed.

        Cancelling this stops the model, and finished work is kept. chance: the seed for random
        numbers. Raises: DeskpilotError if there is no unfinished design, a table cannot be read or
        has changed since the design began, the model does not answer, or another design is running.
        """
        with self._alone():
            state = await (
                self._begin(tables, wanted, seeds or [], chance) if tables else self._go_on()
            )
            sources = await opened([Path(t.path) for t in state.tables.values()], self._library)
            if path := changed(state, sources):
                raise SetupError(f"{path} has changed since the design began.", "Start a new one.")
            work = Work(sources, self._library, Author(self._manage))
            async with aclosing(steps(state, work)) as made:
                async for state, progress in made:
                    await self._keep(state)
                    tell(progress)
            return state

    def start(
        self, tables: list[Path], wanted: int = REQUESTS, seeds: list[str] | None = None
    ) -> None:
        """Start a design in the background, or resume it if no table is named. Listeners are
        notified of each step and of the end.
        """
        self._tasks.start(NAME, self._followed(tables, wanted, seeds or []))

    def cancel(self) -> bool:
        """Stop the design, and return whether one was running. Finished work is kept."""
        return self._tasks.cancel(NAME)

    @property
    def running(self) -> bool:
        """Return whether a design is running in this process."""
        return self._tasks.running(NAME)

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Register a listener, which is called with each step, any error, and None at the end.
        Return the unsubscribe function.
        """
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    async def _followed(self, tables: list[Path], wanted: int, seeds: list[str]) -> None:
        try:
            await self.run(tables, self._tell, wanted, seeds)
        except DeskpilotError as error:
            self._tell(error)
        finally:
            self._tell(None)

    def _tell(self, told: DesignProgress | DeskpilotError | None) -> None:
        self.last = told or self.last
        for listener in list(self._listeners):
            listener(told)

    async def _begin(
        self, tables: list[Path], wanted: int, seeds: list[str], chance: int | None
    ) -> State:
        if len(tables) > MOST:
            raise SetupError(f"These are {len(tables)} tables.", f"Specify up to {MOST} at once.")
        sources = await opened(tables, self._library)
        made = [await asyncio.to_thread(sources.add_file, path) for path in tables]
        begin = random.SystemRandom().randrange(1_000_000) if chance is None else chance
        state = begun(
            {s.uuid: DesignTable(path=str(s.path), hash=s.table.hash) for s in made},
            wanted,
            seeds,
            begin,
        )
        await self._keep(state)
        return state

    async def _go_on(self) -> State:
        state = await self.unfinished()
        if state is None:
            raise SetupError("There is no unfinished design.", "Specify the tables for a new one.")
        return state

    async def _keep(self, state: State) -> None:
        made = state.model_dump(mode="json")
        await self._file.change(lambda _: made)


async def opened(paths: list[Path], library: Library) -> Sources:
    """Open tables and return them with the user's descriptions.

    Raises: SourceError.
    """
    sources = Sources(library.note)
    for path in paths:
        await asyncio.to_thread(sources.add_file, path)
    return sources
