"""Widgets of backends: found, fetched with their parameters, kept for offline, asked; hostile ones
do no harm.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import time
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from app.adapters.store.store import Store
from app.adapters.system.json_file import JsonFile
from app.adapters.widget_backends import HttpBackends
from app.data.documents import read_document
from app.data.sources import Sources
from app.domain.dashboard import Widget
from app.domain.errors import BackendElsewhere, BackendError, UnknownWidget
from app.openbb.columns import read_looks
from app.openbb.content import Access
from app.openbb.widgets import read_apps
from app.services.dashboard.backends import Backends, address_of
from app.services.dashboard.fetches import Timers
from app.services.dashboard.live import Live
from app.services.dashboard.placement import place_app
from app.services.dashboard.tiles import Dashboard
from app.services.dashboard.widgets import Widgets
from app.services.tasks import Tasks
from app.tools.web import origin_of
from tests.widget_backend import APPS, WATCHED, WIDGETS, Server, running

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

pytestmark = pytest.mark.slow


class Memory:
    """A keyring that forgets."""

    def __init__(self) -> None:
        self.kept: dict[str, dict[str, str]] = {}

    async def get(self, name: str) -> dict[str, str]:
        return self.kept.get(name, {})

    async def put(self, name: str, secrets: dict[str, str]) -> None:
        self.kept.pop(name, None)
        if secrets:
            self.kept[name] = secrets


class Terminal:
    """The parts of a terminal that have to do with widgets."""

    def __init__(self, store: Store, port: HttpBackends, keyring: Memory, home: Path) -> None:
        self.store, self.tasks, self.keyring = store, Tasks(), keyring
        self.widgets = Widgets(Sources(), store)
        self.dashboard = Dashboard(self.widgets, store)
        self.backends = Backends(port, JsonFile(home / "backends.json"), keyring)
        self.live = Live(self.widgets, self.backends, self.tasks, home / "widgets")
        self._changed = asyncio.Event()
        self.live.subscribe(lambda _: self._changed.set())

    async def fetched(self, uid: str) -> None:
        """Wait until nothing is fetched for a widget any more."""
        async with asyncio.timeout(20):
            while self.live.state(uid).run is not None or self.tasks.running(f"fetch {uid}"):
                self._changed.clear()
                await asyncio.wait([asyncio.ensure_future(self._changed.wait())], timeout=0.05)

    async def placed(
        self, server: Server, widget_id: str, values: dict[str, Any] | None = None
    ) -> Widget:
        widget = self.live.make(server.url, widget_id, values)
        await self.live.begin(widget)
        await self.fetched(widget.uuid)
        return self.widgets.get(widget.uuid)


def everything(home: Path) -> bytes:
    """What stands in all files."""
    return b"".join(p.read_bytes() for p in home.rglob("*") if p.is_file())


@asynccontextmanager
async def opened(home: Path, keyring: Memory | None = None) -> AsyncGenerator[Terminal]:
    store, port = await Store.open(home / "s.sqlite"), HttpBackends(seconds=20)
    made = Terminal(store, port, keyring or Memory(), home)
    await made.backends.restore()
    await made.dashboard.restore()
    await made.widgets.restore()
    try:
        yield made
    finally:
        made.live.end()
        await made.dashboard.save()
        await made.tasks.aclose()
        await port.aclose()
        await store.aclose()


@pytest.fixture
async def terminal(home: Path, server: Server) -> AsyncGenerator[Terminal]:
    async with opened(home) as made:
        await made.backends.add(server.url)
        yield made


async def test_a_backend_is_added_once_and_its_widgets_are_known(
    terminal: Terminal, server: Server
) -> None:
    await terminal.backends.add(f"{server.url}/widgets.json")
    (backend,) = terminal.backends.all()
    assert "no endpoint" not in {s.id for s in backend.specs()}
    assert backend.spec("news/today")
    app, other, *_ = read_apps(backend.apps)
    assert [(g.name, g.param, g.members) for g in other.groups] == [
        ("Group 1", "symbol", ("story",))
    ]
    assert [(name, len(placed)) for name, placed in app.tabs] == [("Overview", 2), ("News", 1)]
    assert read_apps(APPS)[0].tabs[0][1][1].values == {"limit": 3}


async def test_a_table_is_fetched_with_its_parameters_and_can_be_asked(
    terminal: Terminal, server: Server
) -> None:
    widget = await terminal.placed(server, "table", {"limit": 4, "unknown": 1})
    sent = server.last("companies")
    assert (sent["limit"], sent["adjusted"], sent["fields"], sent["region"]) == (
        "4",
        "true",
        "open,close",
        "eu",
    )
    assert len(sent["start"]) == 10
    assert "note" not in sent  # unset
    assert (sent["secret"], "unknown" in sent) == ("hidden", False)
    profile = terminal.widgets.profile(widget.uuid)
    assert (profile.name, profile.rows) == ("Companies", 4)
    result = terminal.widgets.sources.run("sum", {"source": widget.uuid, "column": "risk"})
    assert result.value == 18
    (offered,) = terminal.widgets.offered([widget.uuid])
    assert offered.metadata["profile"]["rows"] == 4


async def test_what_was_fetched_last_is_there_offline_after_a_restart(home: Path) -> None:
    with running() as server:
        async with opened(home) as terminal:
            await terminal.backends.add(server.url)
            table = await terminal.placed(server, "table")
            text = await terminal.placed(server, "markdown")
    async with opened(home) as terminal:  # nobody listens any more
        assert terminal.widgets.profile(table.uuid).rows == 6
        assert "bold" in read_document(terminal.widgets.get(text.uuid)).value
        assert terminal.live.spec(table.uuid).params
        await terminal.live.refresh(table.uuid)
        error = terminal.live.state(table.uuid).error
        assert error is not None
        assert "cannot be reached" in error.text
        assert terminal.widgets.is_open(table.uuid)
        result = terminal.widgets.sources.run("count", {"source": table.uuid})
        assert result.value == 6


async def test_data_of_other_parameters_are_not_shown_for_these(
    terminal: Terminal, server: Server
) -> None:
    widget = await terminal.placed(server, "table")
    server.failing = True
    await terminal.live.set_value(widget.uuid, "limit", 2)
    await terminal.fetched(widget.uuid)
    error = terminal.widgets.errors[widget.uuid]
    assert "The data base is asleep" in error.text
    assert not terminal.widgets.is_open(widget.uuid)
    assert terminal.widgets.offered([widget.uuid]) == []
    server.failing = False
    await terminal.live.refresh(widget.uuid)
    assert terminal.widgets.profile(widget.uuid).rows == 2


async def test_options_depend_on_another_parameter(terminal: Terminal, server: Server) -> None:
    widget = await terminal.placed(server, "table")
    assert [o.label for o in await terminal.live.options(widget.uuid, "city")] == ["Paris", "Rome"]
    await terminal.live.set_value(widget.uuid, "city", "paris")
    await terminal.live.set_value(widget.uuid, "region", "asia")
    assert [o.value for o in await terminal.live.options(widget.uuid, "city")] == ["tokyo"]
    await terminal.fetched(widget.uuid)
    assert "city" not in server.last("companies")  # Paris is not in Asia


async def test_secrets_travel_only_to_their_backend_and_are_kept_only_in_the_keyring(
    home: Path, server: Server
) -> None:
    server.secret, keyring = "s3cret", Memory()
    async with opened(home, keyring) as terminal:
        with pytest.raises(BackendError, match="refused access"):
            await terminal.backends.add(server.url)
        await terminal.backends.add(server.url, {"X-API-KEY": "s3cret"}, {"apikey": "k3y"})
        await terminal.placed(server, "markdown")
        assert server.last("summary") == {"apikey": "k3y"}
    assert keyring.kept == {
        f"widgets:{server.url}": {"header X-API-KEY": "s3cret", "key apikey": "k3y"}
    }
    kept = everything(home)
    assert b"companies" in kept
    assert b"s3cret" not in kept
    assert b"k3y" not in kept
    async with opened(home, keyring) as terminal:
        await terminal.backends.add(server.url)  # its secrets are known
        await terminal.backends.remove(server.url)
    assert not keyring.kept


@pytest.mark.parametrize(
    "url", ["", "ftp://x", "http://", "http://u:p@127.0.0.1:1", "http://127.0.0.1/?key=1"]
)
def test_an_address_that_is_none_or_holds_a_secret_is_refused(url: str) -> None:
    with pytest.raises(BackendError):
        address_of(url)


async def test_a_header_cannot_smuggle_in_another(terminal: Terminal, server: Server) -> None:
    with pytest.raises(BackendError, match="not a valid header"):
        await terminal.backends.add(server.url, {"X-A": "1\r\nHost: evil"})


@pytest.mark.parametrize(
    ("widget_id", "said"),
    [
        ("broken", "No such company"),
        ("huge", "larger than 32 MB"),
        ("away", "points to another server"),
        ("elsewhere", "points to another server"),
        ("empty", "no rows for these parameters"),
    ],
)
async def test_a_hostile_or_broken_widget_is_one_clear_sentence(
    terminal: Terminal, server: Server, widget_id: str, said: str
) -> None:
    widget = await terminal.placed(server, widget_id)
    error = terminal.widgets.errors[widget.uuid]
    assert said in error.text
    assert error.remedy
    assert server.sent < 60 * 1024 * 1024


@pytest.mark.parametrize(
    ("widget_id", "kind"),
    [
        ("markdown", "markdown"),
        ("news/today", "newsfeed"),
        ("chart", "plotly"),
        ("metric", "metric"),
        ("pdf", "pdf"),
        ("linked", "pdf"),
        ("image", "image"),
        ("html", "html"),
        ("strange", "raw"),
        ("deep", "raw"),
    ],
)
async def test_every_kind_is_fetched_and_read_by_copilots(
    terminal: Terminal, server: Server, widget_id: str, kind: str
) -> None:
    widget = await terminal.placed(server, widget_id)
    assert widget.uuid not in terminal.widgets.errors
    content = read_document(widget)
    assert content.type == widget.type == kind
    text = terminal.widgets.sources.as_text(widget.uuid)
    assert text.strip()
    if kind == "pdf":
        assert base64.b64decode(content.value[0]["content"]).startswith(b"%PDF")
        assert "Brontosaurus" in text
    if kind == "html":
        assert "Quarterly report" in text
        assert "owned" not in text


async def test_an_omni_widget_is_what_its_answer_says(terminal: Terminal, server: Server) -> None:
    widget = await terminal.placed(server, "omni")
    assert (widget.type, terminal.widgets.profile(widget.uuid).rows) == ("table", 2)
    await terminal.live.set_value(widget.uuid, "form", "text")
    await terminal.fetched(widget.uuid)
    assert terminal.widgets.get(widget.uuid).type == "markdown"


async def test_what_is_seen_is_fetched_again_in_time_and_marked_when_it_is_old(
    terminal: Terminal, server: Server
) -> None:
    widget = await terminal.placed(server, "clock")
    live = terminal.live
    assert not live.is_stale(widget.uuid)
    live.state(widget.uuid).at = time.time() - 3
    assert live.is_stale(widget.uuid)
    live.show([])
    assert not live.timers.runs(widget.uuid)
    before = len(server.asked)
    live.show([widget.uuid])
    async with asyncio.timeout(10):
        while len(server.asked) == before:
            await asyncio.to_thread(server.arrived.wait, 1)
    await terminal.fetched(widget.uuid)
    assert not live.is_stale(widget.uuid)
    live.show([])  # on another dashboard it is left alone
    assert not live.timers.runs(widget.uuid)


async def test_what_was_fetched_for_widgets_that_are_gone_is_removed(
    terminal: Terminal, server: Server
) -> None:
    kept, gone = await terminal.placed(server, "markdown"), await terminal.placed(server, "chart")
    other = terminal.live.folder / "mine"
    other.mkdir()
    await terminal.widgets.remove(gone.uuid)
    await terminal.live.clean()
    assert sorted(p.name for p in terminal.live.folder.iterdir()) == sorted(
        [folder_of(kept), "mine"]
    )


def folder_of(widget: Widget) -> str:
    return Path(widget.path).parent.name


async def test_a_run_button_waits_to_be_pressed(terminal: Terminal, server: Server) -> None:
    widget = await terminal.placed(server, "run")
    assert not [path for _, path, _, _ in server.asked if path == "summary"]
    terminal.live.show([widget.uuid])
    assert terminal.live.state(widget.uuid).at is None
    await terminal.live.refresh(widget.uuid)
    assert terminal.live.state(widget.uuid).at is not None


async def test_a_published_dashboard_opens_with_its_tabs_places_and_parameters(
    terminal: Terminal, server: Server
) -> None:
    assert await place_app(terminal.dashboard, terminal.live, server.url, 0) == 0
    assert [tab.name for tab in terminal.dashboard.tabs] == [
        "Dashboard",
        "Desk: Overview",
        "Desk: News",
    ]
    metric, table = terminal.dashboard.tabs[1].tiles
    assert (metric.x, metric.y, metric.w, table.y) == (0, 0, 12, metric.bottom)
    await terminal.fetched(table.id)
    assert terminal.widgets.profile(table.id).rows == 3
    (news,) = terminal.dashboard.tabs[2].tiles
    assert terminal.widgets.get(news.id).widget_id == "news/today"


async def test_dashboards_are_kept_and_a_closed_one_comes_back(home: Path, macro_csv: Path) -> None:
    async with opened(home) as terminal:
        first = await terminal.widgets.add_file(macro_csv)
        made = terminal.dashboard.add_tab(" Second ")
        note = Widget("n", "Note", "", type="note", text="hello")
        await terminal.widgets.add(note)
        assert [[t.id for t in tab.tiles] for tab in terminal.dashboard.tabs] == [
            [first.uuid],
            ["n"],
        ]
        terminal.dashboard.rename_tab(made.id, "Notes")
    async with opened(home) as terminal:
        dashboard = terminal.dashboard
        assert [(t.name, t.id == dashboard.current) for t in dashboard.tabs] == [
            ("Dashboard", False),
            ("Notes", True),
        ]
        before = dashboard.tabs
        closed = await dashboard.close_tab(made.id)
        assert [w.uuid for w in terminal.widgets.all()] == [first.uuid]
        await dashboard.put_back_tab(*closed)
        assert (dashboard.tabs, terminal.widgets.get("n").text) == (before, "hello")
        await dashboard.close_tab(made.id)
        await dashboard.close_tab("first")  # the last is emptied and stays
        assert [(t.name, t.tiles) for t in dashboard.tabs] == [("Dashboard", ())]


async def test_a_widget_whose_backend_was_removed_says_so(
    terminal: Terminal, server: Server
) -> None:
    widget = await terminal.placed(server, "markdown")
    await terminal.backends.remove(server.url)
    with pytest.raises(UnknownWidget):
        terminal.live.spec(widget.uuid)
    terminal.live.show([widget.uuid])
    await terminal.live.refresh(widget.uuid)
    error = terminal.live.state(widget.uuid).error
    assert error is not None
    assert "removed" in error.text


def test_backends_are_added_listed_and_removed_in_the_shell(server: Server) -> None:
    from typer.testing import CliRunner

    from app.cli.commands import app

    shell = CliRunner()
    added = shell.invoke(app, ["widgets", "add", server.url])
    known = f"{len(WIDGETS) - 1} widgets and {len(APPS)} dashboards"
    assert (added.exit_code, known in added.output) == (0, True)
    assert "Companies  [table]" in shell.invoke(app, ["widgets", "list"]).output
    assert shell.invoke(app, ["widgets", "remove", server.url]).exit_code == 0
    assert "no widget backends yet" in shell.invoke(app, ["widgets", "list"]).output
    assert shell.invoke(app, ["widgets", "remove", server.url]).exit_code == 1
    assert "was removed" in shell.invoke(app, ["widgets", "remove", server.url]).output


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("http://a", "http://a:80"),
        ("https://A:8443/x", "https://a:8443"),
        ("file:///etc/passwd", ""),
        ("http://a:99999", ""),
        ("javascript:alert(1)", ""),
    ],
)
def test_an_origin_is_scheme_host_and_port(url: str, origin: str) -> None:
    assert origin_of(url) == origin


async def test_widgets_of_a_group_are_set_together_and_by_a_click(
    terminal: Terminal, server: Server
) -> None:
    assert await place_app(terminal.dashboard, terminal.live, server.url, 1) == 0
    by_name = {w.widget_id: w.uuid for w in terminal.widgets.all()}
    watch, quote, story = by_name["watch"], by_name["quote"], by_name["story"]
    for uid in (watch, quote, story):
        await terminal.fetched(uid)
    live = terminal.live

    def symbols() -> list[str]:
        return [live.values(uid)["symbol"] for uid in (quote, story)]

    assert symbols() == ["ZED", "ZED"]  # the group's own value comes before a widget's
    assert server.last("story") == {"symbol": "ZED"}
    await live.set_value(quote, "symbol", "ORB")
    await terminal.fetched(story)
    assert symbols() == ["ORB", "ORB"]
    assert server.last("story") == {"symbol": "ORB"}
    click = read_looks({"columnsDefs": WATCHED})["symbol"].click
    assert click is not None
    tiles = [tile.id for tile in terminal.dashboard.tiles]
    assert await live.sharing.click(watch, click, "KLM", tiles) == 2
    assert symbols() == ["KLM", "KLM"]
    await terminal.fetched(quote)
    asked = len(server.asked)
    assert (
        await live.sharing.click(watch, click, "KLM", tiles) == 2
    )  # it is that already: nothing is asked
    assert len(server.asked) == asked
    await live.sharing.unlink(story, "symbol")
    await live.set_value(quote, "symbol", "ACE")
    assert symbols() == ["ACE", "KLM"]
    assert [w.uuid for w in live.sharing.possible(quote, "symbol", tiles)] == [story]
    await live.sharing.link([story, quote], "symbol")
    assert symbols() == ["KLM", "KLM"]
    assert [w.uuid for w in live.sharing.of(quote, "symbol")] == [story]


async def test_what_is_shared_is_kept(home: Path, server: Server) -> None:
    async with opened(home) as one:
        await one.backends.add(server.url)
        await place_app(one.dashboard, one.live, server.url, 1)
    async with opened(home) as two:
        (quote,) = [w for w in two.widgets.all() if w.widget_id == "quote"]
        assert [w.widget_id for w in two.live.sharing.of(quote.uuid, "symbol")] == ["story"]


@pytest.mark.parametrize(
    ("widget_id", "asked"), [("files", ["POST"]), ("old files", ["POST", "GET", "GET"])]
)
async def test_files_are_asked_for_in_the_newer_way_and_else_one_by_one(
    terminal: Terminal, server: Server, widget_id: str, asked: list[str]
) -> None:
    made = await terminal.placed(server, widget_id)
    path = widget_id.replace(" ", "_")
    assert [method for method, at, _, _ in server.asked if at == path] == asked
    content = read_document(made)
    assert (content.type, [(f["filename"], f["kind"]) for f in content.value]) == (
        "files",
        [("report.pdf", "pdf"), ("picture.png", "image")],
    )
    text = terminal.widgets.sources.as_text(made.uuid)
    assert "Brontosaurus" in text
    assert "picture.png: a picture" in text
    await terminal.live.set_value(made.uuid, "files", ["report.pdf"])
    await terminal.fetched(made.uuid)
    assert read_document(terminal.widgets.get(made.uuid)).type == "pdf"


async def test_what_a_backend_draws_it_draws_in_our_theme(
    terminal: Terminal, server: Server
) -> None:
    live = terminal.live
    live.wear("dark")
    chart = (await terminal.placed(server, "chart")).uuid
    table = (await terminal.placed(server, "story")).uuid
    assert server.last("chart")["theme"] == "dark"
    assert "theme" not in server.last("story")
    live.show([chart, table])
    before = len(server.asked)
    live.wear("dark")  # nothing turned
    live.wear("light")
    await terminal.fetched(chart)
    assert server.last("chart")["theme"] == "light"
    assert len(server.asked) == before + 1


async def test_a_file_of_another_server_is_read_once_that_is_allowed_and_without_secrets(
    terminal: Terminal, server: Server
) -> None:
    with running() as other:
        server.store, server.secret = other.url, "sesame"
        await terminal.backends.add(server.url, {"X-API-KEY": "sesame"})
        widget = await terminal.placed(server, "stored")
        error = terminal.widgets.errors[widget.uuid]
        assert isinstance(error, BackendElsewhere)
        assert not other.asked
        await terminal.backends.allow(server.url, error.origin)
        terminal.live.fetch(widget.uuid)
        await terminal.fetched(widget.uuid)
        assert widget.uuid not in terminal.widgets.errors
        assert terminal.widgets.get(widget.uuid).type == "pdf"
        ((_method, path, _query, headers),) = other.asked
        assert path == "report.pdf"
        assert "sesame" not in headers.values()
        again = Backends(HttpBackends(), terminal.backends._file, terminal.keyring)
        await again.restore()
        assert again.get(server.url).allowed == (error.origin,)


async def test_a_connection_that_the_server_closed_meanwhile_is_opened_anew() -> None:
    """As uvicorn closes one that was idle for five seconds, just when it is used again."""
    heard: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError):
            heard.append(await reader.readuntil(b"\r\n\r\n"))
            told = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n[]"
            writer.write(told)
            await writer.drain()
            await reader.readuntil(b"\r\n\r\n")  # the next one on it is not answered
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    access = Access(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", {}, {})
    port = HttpBackends()
    try:
        for _ in range(2):
            assert (await port.fetch(access, "rows", {})).body == b"[]"
        assert len(heard) == 2
        with pytest.raises(BackendError, match="cannot be reached"):
            await port.fetch(access, "rows", {}, {"a": 1})  # may have changed something
    finally:
        await port.aclose()
        server.close()
        await server.wait_closed()


async def test_a_fetch_that_is_stopped_at_the_end_plans_no_other() -> None:
    fired: list[str] = []
    timers = Timers(fired.append)
    timers.start("a", 0)
    timers.end()
    timers.start("b", 0)
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert fired == []
    assert not timers.runs("b")
