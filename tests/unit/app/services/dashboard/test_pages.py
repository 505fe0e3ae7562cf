"""Pages of the web as context: fetched when the person says so, from that server only, in the kinds
one can read.
"""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

from app.domain.conversation import urls_of
from app.domain.errors import BackendError, DeskpilotError
from app.services.dashboard.web_pages import WidgetPages
from tests.contract.scripted_peer import Peer, Terminal, said, terminal

PAGE = b"<title>T</title><script>steal()</script><p>The sky is blue.</p>"


class Web(BaseHTTPRequestHandler):
    """A few pages; what was asked is kept."""

    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        Web.asked.append(self.path)
        if self.path == "/away":
            self.send_response(302)
            self.send_header("Location", "http://10.0.0.1/secret")
            self.end_headers()
            return
        kind, body = {
            "/sky.html": ("text/html; charset=utf-8", PAGE),
            "/table.csv": ("text/csv", b"city,sold\nBerlin,10\nParis,20\n"),
            "/notes": ("text/plain", b"Plain words."),
            "/program": ("application/x-executable", b"MZ"),
        }.get(self.path, ("text/html", b""))
        self.send_response(200 if body else 404)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def web() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Web)
    Web.asked.clear()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
async def pages(tmp_path: Path) -> AsyncIterator[WidgetPages]:
    async with terminal(tmp_path / "widgets") as here:
        assert here.boards
        yield WidgetPages(here.boards.live, here.widgets)


async def test_a_page_goes_along_with_questions_and_its_words_are_read(
    pages: WidgetPages, web: str
) -> None:
    url = f"{web}/sky.html"
    assert pages.missing(f"What does {url} say?") == [url]
    assert Web.asked == []  # to be named is not to be fetched
    made = await pages.add(url)
    assert (made.type, made.attached, made.description) == ("html", True, f"Fetched from {url}")
    assert made.name == "127.0.0.1 sky"
    assert pages._widgets.sources.as_text(made.uuid).split() == ["T", "The", "sky", "is", "blue."]
    assert Web.asked == ["/sky.html"]
    assert pages.missing(f"What does {url} say?") == []


async def test_a_table_can_be_asked_and_words_be_read(pages: WidgetPages, web: str) -> None:
    table, words = await pages.add(f"{web}/table.csv"), await pages.add(f"{web}/notes")
    assert pages._widgets.profile(table.uuid).rows == 2
    assert (words.type, pages._widgets.sources.as_text(words.uuid)) == ("text", "Plain words.")


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("/away", "points to another server, http://10.0.0.1:80. No request was sent to it."),
        ("/program", "which cannot be read"),
        ("/gone", "error 404"),
    ],
)
async def test_what_cannot_be_had_is_one_sentence_and_no_widget(
    pages: WidgetPages, web: str, path: str, told: str
) -> None:
    with pytest.raises(BackendError) as error:
        await pages.add(f"{web}{path}")
    assert told in error.value.text
    assert "widget backend" not in str(error.value)
    assert pages._widgets.all() == []


async def test_what_is_no_address_is_not_asked(pages: WidgetPages) -> None:
    for url in ("http://", "http://127.0.0.1:99999/", "ftp://x/y", "http://127.0.0.1:9/"):
        with pytest.raises(DeskpilotError):
            await pages.add(url)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("See https://a.example/x?y=1#z, please.", ["https://a.example/x?y=1#z"]),
        ("(http://a.example) http://a.example", ["http://a.example"]),
        (
            " ".join(f"http://h{n}.example" for n in range(9)),
            [f"http://h{n}.example" for n in range(4)],
        ),
        ("ftp://a.example javascript:alert(1) a.example", []),
    ],
)
def test_the_addresses_of_a_question_are_its_first_four(text: str, found: list[str]) -> None:
    assert urls_of(text) == found


async def test_addresses_are_told_to_a_copilot_only_once_the_person_let_them_go_along(
    tmp_path: Path, web: str
) -> None:
    url, question = f"{web}/sky.html", f"What do {web}/sky.html and {web}/notes say?"
    async with terminal(tmp_path / "widgets") as here:
        assert isinstance(here, Terminal)
        assert here.boards
        peer = Peer(lambda _: said("ok"))
        await here.ask(peer, question)
        page = await WidgetPages(here.boards.live, here.widgets).add(url)
        await here.ask(peer, question, attach=(page.uuid,))
        await here.ask(peer, "And what else?", attach=(page.uuid,))
        await here.ask(peer, question)  # it was taken out of the context again
    assert [body.get("urls") for body in peer.asked] == [None, [url], None, None]
    assert Web.asked == ["/sky.html"]
