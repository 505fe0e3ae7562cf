"""Interfaces designed from tables: asked, defined, merged, tried out, kept; and never trusted
without a trial.
"""

from __future__ import annotations

import asyncio
import hashlib
from typing import TYPE_CHECKING, Any

import pytest

from app.data.design.definition import entry_for
from app.data.design.mergers import given, same_frames, tried
from app.data.design.requests import ideas_over
from app.data.library.entry import LibraryEntry
from app.data.library.validator import replayed, stale
from app.data.tables import uuid_of
from app.domain.errors import DeskpilotError, SetupError
from app.services.library.designer import DesignProgress, opened
from app.services.tasks import Tasks
from backends.data.steps import sql as sql_step
from backends.data.workflow.step import Workflow
from tests.unit.app.services.library.chooser import Chooser, designer

if TYPE_CHECKING:
    from pathlib import Path

    from app.adapters.system.json_file import JsonFile
    from app.data.library.library_file import Library
    from backends.data.values import Scalar
    from tests.unit.app.services.library.conftest import Outcome

pytestmark = pytest.mark.slow


def hashes(tables: list[Path]) -> list[str]:
    return [hashlib.sha256(path.read_bytes()).hexdigest() for path in tables]


async def test_from_an_empty_library_come_requests_and_validated_interfaces(
    outcome: Outcome,
) -> None:
    state, entries = outcome.state, outcome.library.entries()
    assert len({r.request for r in state.requests}) == 24
    assert {r.decision for r in state.requests} <= {"new", "reuse"}
    assert {uid for r in state.requests for uid in r.sources} == set(state.tables)
    assert len(state.validated) >= 10
    kinds = {"acquisition", "processing", "prediction", "visualization", "manipulation"}
    assert {e.kind for e in entries if e.status == "validated"} == kinds
    for entry in entries:
        assert (entry.version, entry.origin.made_by, entry.origin.model) == (1, "design", "chooser")
        assert entry.origin.design == state.id
        assert entry.origin.requests
        assert set(entry.origin.hashes) == set(entry.workflow.sources())
    assert outcome.told[-1].phase == "done"
    assert hashes(outcome.tables) == outcome.hashes


async def test_the_samples_have_more_than_fifty_requests_to_ask(
    repository: Path, library: Library
) -> None:
    folder = repository / "resources" / "samples"
    paths = [folder / "us_macro.csv", *sorted((folder / "tables").glob("*.csv"))]
    sources = await opened(paths, library)
    made = ideas_over(sources.source(uuid_of(path)).profile for path in paths)
    said = [idea.wordings[0] for some in made.values() for idea in some]
    assert len(set(said)) == len(said) >= 100


async def test_gdp_and_cpi_become_one_interface_with_a_selector(outcome: Outcome) -> None:
    (made,) = [
        d for d in outcome.state.merged if d.shape == "series" and {"gdp", "cpi"} <= set(d.labels)
    ]
    entry = outcome.library.entry(made.name)
    assert entry.status == "validated"
    selector = next(p for p in entry.workflow.parameters if p.binds)
    assert set(selector.choices) == {"gdp", "cpi"}
    sources = await opened(outcome.tables, outcome.library)
    for path in outcome.tables[:2]:
        values: dict[str, Scalar] = {
            selector.name: path.stem,
            "start": "2020-01-01",
            "end": "2020-12-31",
        }
        result = await replayed(entry, values, sources)
        rows = [
            line.split(",")
            for line in path.read_text("utf-8").splitlines()
            if line.startswith("2020")
        ]
        assert result.shown[0].columns == ["date", path.stem]
        assert result.shown[0].rows == [[day, float(cell)] for day, cell in rows]


async def test_what_was_merged_answers_every_request_as_its_parts_did(outcome: Outcome) -> None:
    sources = await opened(outcome.tables, outcome.library)
    parts = {key: d for d in outcome.state.definitions for key in d.made_of}
    assert outcome.state.merged
    for merged in outcome.state.merged:
        for label, key in zip(merged.labels, merged.made_of, strict=True):
            cover = parts[key].covers[-1]
            old = given(parts[key].workflow.filled(cover.values), sources)
            assert old == given(
                merged.workflow.filled({merged.selector: label} | cover.values), sources
            )


async def test_two_that_do_not_give_the_same_stay_two(outcome: Outcome) -> None:
    sources = await opened(outcome.tables, outcome.library)
    merged = next(d for d in outcome.state.merged if d.shape == "series")
    old = next(d for d in outcome.state.definitions if d.made_of == [merged.made_of[1]])
    assert same_frames(merged, old, sources)
    parameter = next(p for p in merged.workflow.parameters if p.binds)
    first, second = merged.labels[:2]
    wrong = parameter.model_copy(
        update={"binds": parameter.binds | {second: parameter.binds[first]}}
    )
    others = [p for p in merged.workflow.parameters if not p.binds]
    workflow = merged.workflow.model_copy(update={"parameters": [wrong, *others]})
    assert not same_frames(merged.model_copy(update={"workflow": workflow}), old, sources)


async def test_a_design_that_was_stopped_goes_on_where_it_was(
    tables: list[Path], file: JsonFile, library: Library
) -> None:
    stopped = Chooser(stop_at=9)
    seen: list[DesignProgress] = []
    reached = asyncio.Event()

    def tell(told: DesignProgress) -> None:
        seen.append(told)
        if len(seen) == 8:
            reached.set()

    task = asyncio.create_task(designer(file, library, stopped).run(tables[:1], tell, 12, chance=1))
    await reached.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert stopped.cancelled
    state = await designer(file, library, Chooser()).unfinished()
    assert state is not None
    assert len(state.requests) == 8
    rest = Chooser()
    done = await designer(file, library, rest).run([], lambda _: None)
    assert done.id == state.id
    assert done.requests[:8] == [
        r.model_copy(update={"decision": d.decision})
        for r, d in zip(state.requests, done.requests[:8], strict=True)
    ]
    assert len({r.request for r in done.requests}) == 12
    assert {r.decision for r in done.requests} == {
        "new",
        "reuse",
    }  # twelve requests, fewer interfaces
    assert done.phase == "done"
    assert all(e.version == 1 for e in library.entries())


class Enough(Exception):
    """What ends a design in the middle, as anything may."""


async def test_each_phase_is_gone_on_with(
    tables: list[Path], file: JsonFile, library: Library
) -> None:
    for phase in ("defining", "merging", "validating"):

        def tell(told: DesignProgress, until: str = phase) -> None:
            if told.phase == until and told.done == 2:
                raise Enough

        begin = tables[:2] if phase == "defining" else []
        with pytest.raises(Enough):
            await designer(file, library, Chooser()).run(begin, tell, 6, chance=3)
    done = await designer(file, library, Chooser()).run([], lambda _: None)
    entries = library.entries()
    assert sorted(k.name for k in done.kept) == [e.name for e in entries]
    assert {e.version for e in entries} == {1}
    assert done.defined == len(done.requests) == 6
    assert done.laid == len(done.definitions)


async def test_the_window_can_start_follow_and_stop_it(
    tables: list[Path], file: JsonFile, library: Library
) -> None:
    chooser, tasks = Chooser(stop_at=4), Tasks()
    job = designer(file, library, chooser, tasks)
    told: asyncio.Queue[Any] = asyncio.Queue()
    forget = job.subscribe(told.put_nowait)
    job.start(tables[:1], 5)
    first = [await told.get() for _ in range(3)]
    assert [one.done for one in first] == [1, 2, 3]
    assert job.running
    assert job.cancel()
    assert await told.get() is None
    chooser.stop_at = -1
    job.start([])
    while (last := await told.get()) is not None:
        assert not isinstance(last, DeskpilotError)
    assert job.last is not None
    assert await job.unfinished() is None
    job.start([])
    assert isinstance(await told.get(), SetupError)  # there is nothing to go on with
    forget()
    await tasks.aclose()


async def test_a_table_that_changed_meanwhile_is_not_gone_on_with(
    tables: list[Path], file: JsonFile, library: Library
) -> None:
    def tell(told: DesignProgress) -> None:
        del told
        raise Enough

    with pytest.raises(Enough):
        await designer(file, library, Chooser()).run(tables[:1], tell, 8)
    tables[0].write_text(tables[0].read_text("utf-8") + "2024-03-31,5\n", "utf-8")
    with pytest.raises(SetupError, match="changed"):
        await designer(file, library, Chooser()).run([], lambda _: None)


async def test_a_persons_request_brings_its_like_to_the_front(
    tables: list[Path], file: JsonFile, library: Library
) -> None:
    seeds = ["What is the largest drawdown of gdp?", "List the rows with the highest gdp."]
    chooser = Chooser()
    state = await designer(file, library, chooser).run(
        tables[:1], lambda _: None, 3, seeds, chance=1
    )
    assert [r.seed for r in state.requests] == [*seeds, ""]
    offered = [body["messages"][-1]["content"] for body in chooser.asked[:2]]
    assert seeds[0] in offered[0]
    assert (
        "drawdown" in offered[0].split("ask next?")[1]
        or "earlier high" in offered[0].split("ask next?")[1]
    )
    assert "highest gdp" in offered[1].split("ask next?")[1]


async def test_a_renamed_column_makes_entries_stale_never_wrong(
    tables: list[Path], file: JsonFile, library: Library
) -> None:
    await designer(file, library, Chooser()).run(tables[:1], lambda _: None, 3, chance=1)
    tables[0].write_text(tables[0].read_text("utf-8").replace("date,gdp", "date,output"), "utf-8")
    sources = await opened(tables, library)
    assert library.entries()
    for entry in library.entries():
        assert "columns of gdp" in stale(entry, sources)
        with pytest.raises(DeskpilotError):
            await replayed(entry, {}, sources)
    sources = type(sources)(library.note, library.entries)
    sources.add_file(tables[0])
    assert sources.library() == []


def select(path: Path, sql: str) -> LibraryEntry:
    tables = [{"name": "data", "source": uuid_of(path)}]
    step = {"id": "result1", "interface": "query", "arguments": {"tables": tables, "sql": sql}}
    return LibraryEntry(name="made", workflow=Workflow.model_validate({"steps": [step]}))


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("SELECT nobody FROM data", "result1"),
        ("SELECT gdp FROM data WHERE gdp < 0", "No row"),
        ("INSERT INTO data VALUES ('2024-01-01', 1)", "not a single SELECT"),
        ("COPY data TO 'out.csv'", "not a single SELECT"),
        ("SELECT gdp + random() AS n FROM data", "cannot be used"),
        (
            (
                "SELECT count(*) AS n FROM range(100000) a, range(100000) b WHERE (a.range *"
                " b.range) % 7 = 3"
            ),
            "stopped",
        ),
    ],
)
async def test_what_fails_writes_depends_on_chance_or_is_slow_is_never_validated(
    sql: str, why: str, tables: list[Path], library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sql_step, "SECONDS", 0.3)
    before = hashes(tables)
    made = await tried(select(tables[0], sql), await opened(tables, library))
    assert made.status == "failed"
    assert why in made.reason
    assert hashes(tables) == before
    assert sorted(p.suffix for p in tables[0].parent.glob("out*")) == []


async def test_an_interface_that_answers_none_of_its_requests_is_not_validated(
    outcome: Outcome,
) -> None:
    sources = await opened(outcome.tables, outcome.library)
    definition = next(d for d in outcome.state.interfaces if d.shape == "series")
    broken = [
        c.model_copy(update={"values": c.values | {"start": "2099-01-01"}})
        for c in definition.covers
    ]
    entry = entry_for(definition.model_copy(update={"covers": broken}), sources, "d", "m")
    made = await tried(entry, sources)
    assert (made.status, made.reason) == ("failed", "It does not answer any of its requests.")
