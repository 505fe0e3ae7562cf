"""Documents that go along with a question: what may be searched, and what a citation of a passage
becomes.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from app.documents.index import Index, Vectors
from app.documents.library import DocumentLibrary
from app.documents.passages import ScanLine
from app.domain.copilot import RequestOffer
from app.domain.errors import DeskpilotError, ServiceError
from app.domain.events import CallResult, Citation, Citations, CopilotCall, read_event
from app.domain.model import RetrievalModel, RetrievalModels
from app.services.conversation.turns import offer_for
from app.services.documents import ATTACHED, Documents
from app.services.functions.documents import SEARCH, AttachedDocuments
from tests.unit.app.documents.files import write_scan
from tests.unit.app.services.scripted import Terminal, call, found, said

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    import numpy as np

    from app.domain.conversation import Turn
    from app.domain.events import Item


class NoEmbedder:
    """Embeds nothing."""

    async def retrieval(self) -> RetrievalModels:
        return RetrievalModels()

    async def rerank(self, model: str, query: str, texts: list[str]) -> list[float]:
        raise AssertionError

    async def read_picture(
        self, model: str, width: int, height: int, pixels: bytes
    ) -> list[ScanLine]:
        raise AssertionError

    async def embed(self, model: str, texts: list[str], *, asked: bool) -> np.ndarray:
        raise AssertionError


@pytest.fixture
async def documents(terminal: Terminal, tmp_path: Path) -> AsyncGenerator[Documents, None]:
    made = Documents(
        lambda: DocumentLibrary(Index(tmp_path / "index.sqlite")), NoEmbedder(), terminal.tasks
    )
    yield made
    await made.aclose()


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "lease.md").write_text("# Notice\nThe tenant gives notice three months before.")
    (folder / "salaries.txt").write_text("The salary of the director is 90,000 euros.")
    return folder


def search(query: str, **more: Any) -> CopilotCall:
    parameters = {"query": query, **more}
    return call(
        "execute_agent_tool", server_id="deskpilot", tool_name=SEARCH, parameters=parameters
    )


async def asked(
    terminal: Terminal, documents: Documents, paths: list[Path], query: str, *cited: str
) -> tuple[dict[str, Any], list[Citation]]:
    """Return what a copilot is told that searches, and what becomes of what it cites then."""

    async def script(turns: list[Turn]) -> AsyncGenerator[Item, None]:
        if not turns[-1].items:
            yield search(query)
            return
        yield said("So it is [1].")
        yield Citations([Citation(uid, "a passage", None) for uid in cited])

    for path in paths:
        await terminal.widgets.add_library(path.name, str(path))
    uids = [widget.uuid for widget in terminal.widgets.attached()]
    turns = terminal.turns(script)
    turns.search_with(documents)
    turn = await terminal.new(turns)
    async for _ in turns.run([], turn, found, offer_for(terminal.widgets, uids)):
        pass
    result = next(item for item in turn.items if isinstance(item, CallResult))
    made = [c for item in turn.items if isinstance(item, Citations) for c in item.citations]
    return json.loads(result.content), made


async def test_a_copilot_is_offered_the_search_only_with_documents(
    terminal: Terminal, documents: Documents, papers: Path
) -> None:
    await asked(terminal, documents, [papers], "notice")
    offered = [tool["name"] for tool in terminal.copilot.offers[0].tools]
    assert SEARCH in offered

    async def script(_: list[Turn]) -> AsyncGenerator[Item, None]:
        yield said("Hello.")

    turns = terminal.turns(script)
    turns.search_with(documents)
    turn = await terminal.new(turns)
    async for _ in turns.run([], turn, found, RequestOffer()):
        pass
    assert terminal.copilot.offers[0].tools == []


async def test_a_passage_is_cited_by_its_id_and_gets_file_page_and_words(
    terminal: Terminal, documents: Documents, papers: Path
) -> None:
    told, cited = await asked(terminal, documents, [papers], "When must notice be given?", "p1")
    assert told["answered"]
    assert told["passages"][0]["id"] == "p1"
    passage = cited[0].passage
    assert passage is not None
    assert (passage.path, passage.page) == (str(papers / "lease.md"), 1)
    assert passage.quote == "The tenant gives notice three months before."
    text = (await documents.library()).index.page_text(passage.hash, 1)
    assert text is not None
    assert text[passage.start : passage.end] == passage.quote
    kept = {"citations": [asdict(cited[0])]}
    assert read_event("citations", json.loads(json.dumps(kept))) == Citations([cited[0]])


async def test_a_copilot_is_told_which_documents_say_nearly_the_same(
    terminal: Terminal, documents: Documents, papers: Path
) -> None:
    text = (papers / "lease.md").read_text()
    (papers / "old lease.md").write_text(text.replace("three", "six"))
    (papers / "copy.txt").write_text("The salary of the director  is 90,000 euros.")
    told, _ = await asked(terminal, documents, [papers], "When does the tenant give notice?")
    first = told["passages"][0]
    other = {"lease.md", "old lease.md"} - {first["document"]}
    assert first["similar_with_differences_in"] == list(other)
    assert "same_text_in" not in first
    told, _ = await asked(terminal, documents, [papers], "salary of the director")
    first = told["passages"][0]
    assert {first["document"], *first["same_text_in"]} == {"copy.txt", "salaries.txt"}


async def test_an_invented_citation_names_no_source(
    terminal: Terminal, documents: Documents, papers: Path
) -> None:
    _, cited = await asked(terminal, documents, [papers], "notice", "p999", "p1")
    assert cited[0].passage is None
    assert cited[0].widget == ""
    assert cited[1].pages() == [1]


async def test_nothing_but_what_is_attached_is_searched(
    terminal: Terminal, documents: Documents, papers: Path
) -> None:
    await documents.add(papers, "All")
    await documents.update()
    told, _ = await asked(terminal, documents, [papers / "lease.md"], "salary of the director")
    assert not told["answered"]
    assert all(one["document"] == "lease.md" for one in told["passages"])


async def test_a_file_that_is_new_in_an_attached_folder_is_found_at_once(
    terminal: Terminal, documents: Documents, papers: Path
) -> None:
    attached = AttachedDocuments(documents, [await terminal.widgets.add_library("p", str(papers))])
    await attached.search({"query": "tenant"})
    (papers / "new.txt").write_text("The roof is repaired in 2031.")
    told = json.loads((await attached.search({"query": "When is the roof repaired?"})).content)
    assert told["passages"][0]["document"] == "new.txt"
    assert told["searched"]["documents"] == 3


async def test_a_folder_of_a_library_is_not_added_a_second_time(
    documents: Documents, papers: Path
) -> None:
    await documents.add(papers, "All")
    await documents.attach(papers / "lease.md")
    libraries = (await documents.library()).index.libraries()
    assert ATTACHED not in libraries
    with pytest.raises(DeskpilotError, match="no library"):
        await documents.roots("Papers of somebody")


async def test_a_copilot_without_tools_reads_the_library_by_a_query(
    terminal: Terminal, documents: Documents, papers: Path
) -> None:
    widget = await terminal.widgets.add_library("Papers", str(papers))

    async def script(turns: list[Turn]) -> AsyncGenerator[Item, None]:
        if not turns[-1].items:
            source = {"widget_uuid": widget.uuid, "input_args": {"query": "salary"}}
            yield call("get_widget_data", data_sources=[source])

    turns = terminal.turns(script)
    turns.search_with(documents)
    turn = await terminal.new(turns)
    offer = offer_for(terminal.widgets, [widget.uuid])
    assert offer.widgets[0].params[0].name == "query"
    async for _ in turns.run([], turn, found, offer):
        pass
    result = next(item for item in turn.items if isinstance(item, CallResult))
    assert "90,000 euros" in result.content


async def test_a_copilot_of_2024_gets_the_passages_in_its_context(
    terminal: Terminal, documents: Documents, papers: Path
) -> None:
    from dataclasses import replace

    from app.services.conversation.context import with_context
    from tests.unit.app.services.scripted import COPILOT

    widget = await terminal.widgets.add_library("Papers", str(papers))
    attached = AttachedDocuments(documents, [widget])
    turns = terminal.turns(lambda _: None)  # type: ignore[arg-type,return-value]
    turn = await terminal.new(turns, "What is the salary of the director?")
    old = replace(COPILOT, dialect="2024", features={})
    offer = offer_for(terminal.widgets, [widget.uuid])
    made = await with_context(offer, old, [turn], terminal.widgets.sources, attached)
    assert "90,000 euros" in made.context[0]["data"]["content"]


class Meaning:
    """Embeds by one idea: whether a text is about money. It may break off, and rerank."""

    def __init__(self, *keys: str, rerankers: tuple[str, ...] = (), ocr: bool = False) -> None:
        self.asked: list[str] = []
        self.times = 0
        self.broken = False
        self.pictures = 0
        made = tuple(RetrievalModel(key.split("@")[0], key, frozenset({"en"})) for key in keys)
        second = tuple(RetrievalModel(key, key, frozenset({"*"})) for key in rerankers)
        reads = (RetrievalModel("reads", "reads@1", frozenset({"*"})),) if ocr else ()
        self.models = RetrievalModels(made or (MONEY,), second, reads)

    async def retrieval(self) -> RetrievalModels:
        self.times += 1
        return self.models

    async def embed(self, model: str, texts: list[str], *, asked: bool) -> np.ndarray:
        import numpy as np

        if self.broken:
            raise ServiceError("The model service lost the connection.", "Try again.")
        self.asked += texts
        money = [any(word in text for word in ("salary", "pay")) for text in texts]
        return np.array([[1.0, 0.0] if one else [0.0, 1.0] for one in money], dtype=np.float32)

    async def rerank(self, model: str, query: str, texts: list[str]) -> list[float]:
        if self.broken:
            raise ServiceError("The model service lost the connection.", "Try again.")
        return [float("director" in text) for text in texts]

    async def read_picture(
        self, model: str, width: int, height: int, pixels: bytes
    ) -> list[ScanLine]:
        if self.broken:
            raise ServiceError("The model service lost the connection.", "Try again.")
        assert len(pixels) == width * height
        assert min(pixels) < 128 < max(pixels)  # the page with its words
        self.pictures += 1
        if self.pictures > len(SCANNED):
            return []
        lines = SCANNED[self.pictures - 1]
        tops = (10.0, 100.0, 132.0)
        return [
            ScanLine(text, (10.0, top, 300.0, top + 30))
            for text, top in zip(lines, tops, strict=False)
        ]


SCANNED = (["Minutes", "The roof is repaired", "in the year 2031."], ["Nothing of note."])
MONEY = RetrievalModel("meaning", "meaning@1", frozenset({"en"}))
Open = Callable[[Meaning], Documents]


@pytest.fixture
async def open_documents(terminal: Terminal, tmp_path: Path) -> AsyncGenerator[Open, None]:
    """Opens the same index with an embedder; all are closed at the end."""
    opened: list[Documents] = []

    def open_(embedder: Meaning) -> Documents:
        index = tmp_path / "index.sqlite"
        opened.append(Documents(lambda: DocumentLibrary(Index(index)), embedder, terminal.tasks))
        return opened[-1]

    yield open_
    for one in opened:
        await one.aclose()


async def names(documents: Documents, question: str) -> list[str]:
    return [Path(hit.passage.path).name for hit in (await documents.find(question)).hits]


async def test_vectors_follow_words_and_find_what_shares_none_of_them(
    open_documents: Open, papers: Path
) -> None:
    opened = open_documents(meaning := Meaning())
    await opened.add(papers, "All")
    await opened.update()
    assert not await names(opened, "How much do we pay?")
    assert await opened.embed_new() == 2
    assert (await names(opened, "How much do we pay?"))[0] == "salaries.txt"
    again = open_documents(later := Meaning())
    assert await again.embed_new() == 0
    assert later.times == 0  # nothing is left to embed, so nobody is asked
    (papers / "new.txt").write_text("Something new of no kind.")
    await opened.update()
    # One new file without a vector switches nothing off, and is found by its words.
    assert (await names(opened, "How much do we pay?"))[0] == "salaries.txt"
    assert (await names(opened, "Something of no kind"))[0] == "new.txt"
    assert all("new" not in text for text in meaning.asked)


async def test_embedding_that_breaks_off_goes_on_where_it_was(
    open_documents: Open, papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.services.documents.BATCH", 1)
    opened = open_documents(meaning := Meaning())
    await opened.add(papers, "All")
    await opened.update()

    def tell(done: int, _: int) -> None:
        meaning.broken = done == 1

    with pytest.raises(ServiceError):
        await opened.embed_new(tell)
    meaning.broken = False
    before = len(meaning.asked)
    assert await opened.embed_new() == 1
    assert len(meaning.asked) == before + 1


async def test_a_new_embedder_takes_over_only_when_it_has_seen_all(
    open_documents: Open, papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.services.documents.BATCH", 1)
    opened = open_documents(Meaning("meaning@1"))
    await opened.add(papers, "All")
    await opened.update()
    await opened.embed_new()
    second = open_documents(meaning := Meaning("other@1", "meaning@1"))
    index = (await second.library()).index
    assert (await names(second, "How much do we pay?"))[0] == "salaries.txt"

    def tell(done: int, _: int) -> None:
        meaning.broken = done == 1

    with pytest.raises(ServiceError):
        await second.embed_new(tell)
    meaning.broken = False
    assert index.embedded() == {"meaning@1": 2, "other@1": 1}
    assert (await names(second, "How much do we pay?"))[0] == "salaries.txt"  # by the old one
    await second.embed_new()
    assert index.embedded() == {"other@1": 2}
    assert (await names(second, "How much do we pay?"))[0] == "salaries.txt"


async def test_passages_that_the_embedder_cannot_read_are_counted_until_another_one_is_here(
    open_documents: Open, papers: Path
) -> None:
    (papers / "賃貸.txt").write_text("契約の更新は三か月前までに申し出てください。")
    opened = open_documents(Meaning("meaning@1"))
    await opened.add(papers, "All")
    await opened.update()
    assert (await opened.coverage()).unsupported == 0
    await opened.embed_new()
    coverage = await opened.coverage()
    assert (coverage.embedded, coverage.unsupported) == (3, 1)
    (papers / "宿舍.txt").write_text("宿舍晚上十一点关门。")
    await opened.update()
    await opened.embed_new()
    assert (await opened.coverage()).unsupported == 2
    (papers / "宿舍.txt").write_text("The dormitory closes at eleven.")
    await opened.update()
    await opened.embed_new()
    coverage = await opened.coverage()
    assert (coverage.embedded, coverage.unsupported) == (4, 1)
    many = Meaning("many@1")
    many.models = RetrievalModels((RetrievalModel("many", "many@1", frozenset({"*"})),))
    wide = open_documents(many)
    assert (await wide.coverage()).embedded == 0
    await wide.embed_new()
    coverage = await wide.coverage()
    assert (coverage.embedded, coverage.unsupported) == (4, 0)
    assert any("契約" in text for text in many.asked)


async def test_another_revision_of_the_same_embedder_is_another_embedder(
    open_documents: Open, papers: Path
) -> None:
    opened = open_documents(Meaning("meaning@1"))
    await opened.add(papers, "All")
    await opened.update()
    await opened.embed_new()
    newer = open_documents(Meaning("meaning@2"))
    assert not await names(newer, "How much do we pay?")
    assert (await newer.coverage()).embedded == 0


async def test_a_search_goes_on_by_words_when_the_embedder_breaks_off(
    open_documents: Open, papers: Path
) -> None:
    opened = open_documents(meaning := Meaning(rerankers=("order",)))
    await opened.add(papers, "All")
    await opened.update()
    await opened.embed_new()
    meaning.broken = True
    assert await names(opened, "tenant notice") == ["lease.md"]


async def test_a_reranker_orders_what_was_found_and_exact_numbers_still_come_first(
    open_documents: Open, papers: Path
) -> None:
    (papers / "lease.md").write_text("The notice of the tenant, the notice again.")
    (papers / "b.txt").write_text("The director gives notice.")
    (papers / "c.txt").write_text("Notice 4711.")
    plain = open_documents(Meaning())
    await plain.add(papers, "All")
    await plain.update()
    await plain.embed_new()
    assert (await names(plain, "tenant notice"))[0] == "lease.md"
    reranked = open_documents(Meaning(rerankers=("order",)))
    assert (await names(reranked, "tenant notice"))[0] in ("b.txt", "salaries.txt")
    assert (await names(reranked, "notice 4711"))[0] == "c.txt"


async def test_embedding_keeps_no_file_from_being_read(
    open_documents: Open, terminal: Terminal, papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.services.documents.CALM", 0.0)
    opened = open_documents(meaning := Meaning())
    begun = asyncio.Event()

    async def never(model: str, texts: list[str], *, asked: bool) -> np.ndarray:
        begun.set()
        await asyncio.Event().wait()
        raise AssertionError

    monkeypatch.setattr(meaning, "embed", never)
    await opened.add(papers, "All")
    changed = asyncio.Event()
    opened.subscribe(changed.set)
    watching = terminal.tasks.start("watch", opened.watch())
    async with asyncio.timeout(20):
        await begun.wait()
        while not (await opened.files_of())[0].path.endswith("another.txt"):
            (papers / "another.txt").write_text("The roof is repaired.")
            changed.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(3):
                    await changed.wait()
    watching.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await watching


async def test_embedding_is_tried_again_after_an_error_without_a_change_on_the_disk(
    open_documents: Open, terminal: Terminal, papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.services.documents.CALM", 0.0)
    monkeypatch.setattr("app.services.documents.RETRIES", (0.01,))
    opened = open_documents(meaning := Meaning())
    embed, tries = meaning.embed, 0

    async def second(model: str, texts: list[str], *, asked: bool) -> np.ndarray:
        nonlocal tries
        tries += 1
        if tries == 1:
            raise ServiceError("The model service lost the connection.", "Try again.")
        return await embed(model, texts, asked=asked)

    monkeypatch.setattr(meaning, "embed", second)
    embedded = asyncio.Event()
    await opened.add(papers, "All")
    opened.subscribe(lambda: embedded.set() if tries > 1 else None)
    watching = terminal.tasks.start("watch", opened.watch())
    async with asyncio.timeout(20):
        await embedded.wait()
    assert (await opened.coverage()).embedded == 2
    watching.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await watching


@pytest.mark.slow
async def test_scanned_pages_are_named_as_unread_until_a_model_reads_them(
    open_documents: Open, tmp_path: Path
) -> None:
    scan = write_scan(tmp_path / "scan.pdf", ["The roof is repaired", "Nothing"])
    opened = open_documents(Meaning())
    await opened.add(scan, "All")
    await opened.update()
    assert await opened.read_scans() == 0
    assert (await opened.coverage()).unread == 2
    findings = await opened.search("When is the roof repaired?", [str(scan)])
    assert (findings.unread, findings.found.hits) == (2, ())
    reading = open_documents(Meaning(ocr=True))
    told: list[tuple[int, int]] = []
    assert await reading.read_scans(lambda done, total: told.append((done, total))) == 2
    assert told == [(1, 2), (2, 2)]
    findings = await reading.search("When is the roof repaired?", [str(scan)])
    assert findings.unread == 0
    hit = findings.found.hits[0]
    assert (hit.passage.page, hit.quote) == (1, "The roof is repaired\nin the year 2031.")
    boxes = await reading.quote_boxes(str(scan), 1, hit.quote)
    assert len(boxes) == 2  # a box for each line, in points
    scale = 150 / 72
    assert boxes[1] == pytest.approx([10 / scale, 132 / scale, 300 / scale, 162 / scale])
    picture = await reading.page_picture(str(scan), 1, hit.quote, 864)
    assert picture is not None
    assert picture.boxes[1] == pytest.approx([864 / 900 * side for side in (10, 132, 300, 162)])
    assert await reading.read_scans() == 0  # what was read is not read again


@pytest.mark.slow
async def test_reading_scans_goes_on_where_it_was_and_what_is_gone_is_left_out(
    open_documents: Open, tmp_path: Path
) -> None:
    scan = write_scan(tmp_path / "scan.pdf", ["One", "Two", "Three"])
    gone = write_scan(tmp_path / "gone.pdf", ["Gone"])
    opened = open_documents(meaning := Meaning(ocr=True))
    await opened.add(tmp_path, "All")
    await opened.update()
    gone.unlink()

    def tell(_: int, __: int) -> None:
        meaning.broken = True

    with pytest.raises(ServiceError):
        await opened.read_scans(tell)
    assert (await opened.coverage()).unread == 3
    meaning.broken = False
    again = open_documents(meaning)
    assert await again.read_scans() == 2
    assert meaning.pictures == 3
    (file,) = await again.files([str(scan)])
    assert file.unread == 0  # a page without words counts as read, too
    assert [page.scanned for page in await again.pages(scan)] == [False] * 3


async def test_a_pack_that_came_meanwhile_is_taken_up(
    open_documents: Open, terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.services.documents.CALM", 0.0)
    scan = write_scan(tmp_path / "scan.pdf", ["The roof is repaired"])
    opened = open_documents(meaning := Meaning())
    await opened.add(scan, "All")
    await opened.update()
    read = asyncio.Event()
    watching = terminal.tasks.start("watch", opened.watch())
    while not terminal.tasks.running("embed documents"):
        await asyncio.sleep(0)
    opened.subscribe(lambda: read.set() if meaning.pictures else None)
    meaning.models = Meaning(ocr=True).models
    await opened.look_for_models()
    async with asyncio.timeout(20):
        await read.wait()
    assert await names(opened, "roof repaired") == ["scan.pdf"]
    watching.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await watching


async def test_vectors_leave_the_memory_a_while_after_a_search(
    open_documents: Open, papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = open_documents(Meaning())
    await opened.add(papers, "All")
    await opened.update()
    await opened.embed_new()
    library = await opened.library()
    loads: list[int] = []
    vectors = library.index.vectors

    def load(embedder: str, after: int = 0) -> Vectors | None:
        loads.append(after)
        return vectors(embedder, after)

    monkeypatch.setattr(library.index, "vectors", load)
    for _ in range(3):
        assert await names(opened, "How much do we pay?")
    assert len(loads) == 1
    forgotten = asyncio.Event()
    loop, forget = asyncio.get_running_loop(), library.forget_vectors

    def forget_and_tell() -> None:
        forget()
        loop.call_soon_threadsafe(forgotten.set)

    monkeypatch.setattr(library, "forget_vectors", forget_and_tell)
    monkeypatch.setattr("app.services.documents.REST", 0.0)
    assert await names(opened, "How much do we pay?")
    async with asyncio.timeout(10):
        await forgotten.wait()
    assert await names(opened, "How much do we pay?")
    assert len(loads) == 2


async def test_a_rebuild_reads_and_embeds_all_anew(open_documents: Open, papers: Path) -> None:
    opened = open_documents(Meaning())
    await opened.add(papers, "All")
    await opened.update()
    await opened.embed_new()
    await opened.rebuild("All")
    assert {file.state for file in await opened.files_of("All")} == {"waiting"}
    coverage = await opened.coverage()
    assert (coverage.passages, coverage.embedded) == (0, 0)
    assert (await opened.update()).read == 2
    assert await opened.embed_new() == 2
    assert (await opened.coverage()).size > 0


async def test_what_changes_on_the_disk_is_read_while_it_is_watched(
    terminal: Terminal, documents: Documents, papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.services.documents.CALM", 0.0)
    await documents.add(papers, "All")
    changed = asyncio.Event()
    documents.subscribe(changed.set)
    watching = terminal.tasks.start("watch", documents.watch())
    async with asyncio.timeout(20):
        await changed.wait()
        while not (await documents.find("roof")).hits:
            (papers / "new.txt").write_text("The roof is repaired.")
            changed.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(3):  # the watch may have begun after it was written
                    await changed.wait()
    watching.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await watching


async def test_a_question_waits_for_no_drive_that_hangs(
    documents: Documents, papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await documents.add(papers, "All")
    await documents.update()
    hanging, released = threading.Event(), threading.Event()

    def device_of(_: str) -> int:
        hanging.set()
        assert released.wait(30)
        return 0

    monkeypatch.setattr("app.documents.library.device_of", device_of)
    await documents.refresh([str(papers)], seconds=-0.9)
    assert hanging.is_set()
    released.set()
    findings = await documents.search("When must notice be given?", [str(papers)])
    assert findings.found.answered


async def test_on_a_full_disk_what_was_read_is_searched_and_the_rest_follows_by_itself(
    terminal: Terminal, documents: Documents, papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.services.documents.CALM", 0.0)
    monkeypatch.setattr("app.services.documents.AGAIN", 0.1)
    await documents.add(papers, "All")
    await documents.update()
    index = (await documents.library()).index
    (papers / "large.txt").write_text(" ".join(f"word{n}" for n in range(50_000)))
    pages = index.size() // 4096
    index._connection.execute(f"PRAGMA max_page_count = {pages + 5}")
    findings = await documents.search("When must notice be given?", [str(papers)])
    assert findings.found.answered
    assert "Free some space" in findings.problems[0]
    changed = asyncio.Event()
    documents.subscribe(changed.set)
    watching = terminal.tasks.start("watch", documents.watch())
    async with asyncio.timeout(20):
        while documents._later is None:  # it has failed
            await asyncio.sleep(0.01)
    index._connection.execute("PRAGMA max_page_count = 1000000")
    async with asyncio.timeout(20):
        while not (await documents.find("word777")).hits:
            changed.clear()
            await changed.wait()
    watching.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await watching
