"""Documents that go along with a question: what may be searched, and what a citation of a passage
becomes.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from app.documents.index import Index
from app.documents.library import DocumentLibrary
from app.domain.copilot import Offer
from app.domain.errors import DeskpilotError
from app.domain.events import Call, CallResult, Citation, Citations
from app.services.conversation.turns import offer_for
from app.services.documents import ATTACHED, Documents
from app.services.functions.documents import SEARCH, AttachedDocuments
from tests.unit.app.services.scripted import Terminal, call, found, said

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    import numpy as np

    from app.domain.conversation import Turn
    from app.domain.events import Item


class NoEmbedder:
    """Embeds nothing."""

    async def model(self) -> str | None:
        return None

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


def search(query: str, **more: Any) -> Call:
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
    async for _ in turns.run([], turn, found, Offer()):
        pass
    assert terminal.copilot.offers[0].tools == []


async def test_a_passage_is_cited_by_its_id_and_gets_file_page_and_words(
    terminal: Terminal, documents: Documents, papers: Path
) -> None:
    told, cited = await asked(terminal, documents, [papers], "When must notice be given?", "p1")
    assert told["answered"]
    assert told["passages"][0]["id"] == "p1"
    place = cited[0].details[0]
    assert (place["path"], place["page"]) == (str(papers / "lease.md"), 1)
    assert place["quote"] == "The tenant gives notice three months before."
    text = (await documents.library()).index.page_text(place["hash"], 1)
    assert text is not None
    assert text[place["start"] : place["end"]] == place["quote"]


async def test_an_invented_citation_names_no_source(
    terminal: Terminal, documents: Documents, papers: Path
) -> None:
    _, cited = await asked(terminal, documents, [papers], "notice", "p999", "p1")
    assert cited[0].details == []
    assert cited[0].widget == ""
    assert cited[1].details[0]["page"] == 1


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
    assert offer.widgets[0]["params"][0]["name"] == "query"
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
    """Embeds by one idea: whether a text is about money."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.models = 0

    async def model(self) -> str | None:
        self.models += 1
        return "meaning"

    async def embed(self, model: str, texts: list[str], *, asked: bool) -> np.ndarray:
        import numpy as np

        self.asked += texts
        money = [any(word in text for word in ("salary", "pay")) for text in texts]
        return np.array([[1.0, 0.0] if one else [0.0, 1.0] for one in money], dtype=np.float32)


async def test_vectors_follow_words_and_find_what_shares_none_of_them(
    terminal: Terminal, tmp_path: Path, papers: Path
) -> None:
    meaning = Meaning()
    opened = Documents(
        lambda: DocumentLibrary(Index(tmp_path / "index.sqlite")), meaning, terminal.tasks
    )
    await opened.add(papers, "All")
    await opened.update()
    assert not (await opened.find("How much do we pay?")).hits
    assert await opened.embed_new() == 2
    found = await opened.find("How much do we pay?")
    assert Path(found.hits[0].passage.path).name == "salaries.txt"
    asked = meaning.models
    assert await opened.embed_new() == 0
    assert meaning.models == asked  # nothing is left to embed, so nobody is asked
    (papers / "new.txt").write_text("Something new of no kind.")
    await opened.update()
    assert not (await opened.find("How much do we pay?")).hits  # not all have vectors: words alone
    await opened.aclose()


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
