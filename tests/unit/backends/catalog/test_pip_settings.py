"""Where wheels are looked for: as pip is told, by its own files and the environment."""

from __future__ import annotations

import http.server
import ssl
import sys
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import trustme

from backends.catalog.errors import NotReachable
from backends.catalog.wheels import (
    Pip,
    find_wheel,
    open_client,
    pip_settings,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def only_this_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in (
        "INDEX_URL",
        "EXTRA_INDEX_URL",
        "FIND_LINKS",
        "NO_INDEX",
        "CERT",
        "CLIENT_CERT",
        "PROXY",
        "TRUSTED_HOST",
    ):
        monkeypatch.delenv(f"PIP_{name}", raising=False)
    path = tmp_path / "pip.conf"
    path.write_text("[global]\nindex-url = https://file.invalid/simple\nfind-links = /one /two\n")
    monkeypatch.setenv("PIP_CONFIG_FILE", str(path))
    return path


def test_the_environment_wins_over_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "https://mirror.invalid/simple")
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", "https://more.invalid/simple")
    settings = pip_settings()
    assert settings.indexes == ["https://mirror.invalid/simple", "https://more.invalid/simple"]
    assert settings.places == ["/one", "/two"]


def test_no_index_means_no_index(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    settings = pip_settings()
    assert (settings.indexes, settings.places) == ([], ["/one", "/two"])


def test_a_python_without_pip_is_told_with_a_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = tmp_path / "python"
    bare.write_text("#!/bin/sh\nexit 1\n")
    bare.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(bare))
    with pytest.raises(NotReachable, match="pip") as caught:
        pip_settings()
    assert "ensurepip" in caught.value.remedy


def test_certificates_and_proxy_are_those_of_pip(
    only_this_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    only_this_file.write_text(
        "[global]\nindex-url = https://a.invalid\ncert = ~/ca.pem\nproxy ="
        " http://general.invalid\ntrusted-host = one.invalid\n  two.invalid:8443\n[download]\nproxy"
        " = own.invalid:3128\n[list]\nproxy = no\n"
    )
    monkeypatch.setenv("PIP_CLIENT_CERT", "/me.pem")
    assert pip_settings() == Pip(
        ["https://a.invalid"],
        [],
        str(Path("~/ca.pem").expanduser()),
        "/me.pem",
        "own.invalid:3128",
        ["one.invalid", "two.invalid:8443"],
    )


@pytest.mark.parametrize(
    "pip",
    [
        Pip([], [], cert="/nowhere.pem"),
        Pip([], [], client_cert="/nowhere.pem"),
        Pip([], [], proxy="ftp://x"),
    ],
)
def test_a_certificate_or_proxy_that_is_none_is_one_sentence(pip: Pip) -> None:
    with pytest.raises(NotReachable, match="pip is set up with") as caught:
        open_client(pip)
    assert "pip config list" in caught.value.remedy


class Page(http.server.BaseHTTPRequestHandler):
    """Answers every request with a page that links to the wheel; remembers what was asked for."""

    asked: list[str] = []  # noqa: RUF012 - shared with the test on purpose

    def do_GET(self) -> None:
        Page.asked.append(self.path)
        body = b'<a href="files/tiny.whl#sha256=x">tiny.whl</a>'
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Be quiet."""


@contextmanager
def serving(context: ssl.SSLContext | None = None) -> Iterator[int]:
    Page.asked = []
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    server.handle_error = lambda *_: None  # type: ignore[method-assign]  # a refused handshake
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def find(pip: Pip) -> str | Path:
    with open_client(pip) as client:
        return find_wheel(client, "tiny", "tiny.whl", pip)


def test_an_index_behind_a_certificate_of_the_house_is_reached_with_it(tmp_path: Path) -> None:
    house = trustme.CA()
    house.cert_pem.write_to_path(tmp_path / "ca.pem")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    house.issue_cert("127.0.0.1").configure_cert(context)
    with serving(context) as port:
        index = f"https://127.0.0.1:{port}/simple"
        wheel = f"{index}/tiny/files/tiny.whl"
        assert find(Pip([index], [], cert=str(tmp_path / "ca.pem"))) == wheel
        assert find(Pip([index], [], trusted=["127.0.0.1"])) == wheel
        assert find(Pip([index], [], trusted=[f"127.0.0.1:{port}"])) == wheel
        for pip in (Pip([index], []), Pip([index], [], trusted=["elsewhere.invalid"])):
            with pytest.raises(NotReachable, match="CERTIFICATE_VERIFY_FAILED"):
                find(pip)


@pytest.mark.parametrize("scheme", ["http://", ""])
def test_an_index_is_asked_through_the_proxy_of_pip(scheme: str) -> None:
    with serving() as port:
        pip = Pip(["http://index.invalid/simple"], [], proxy=f"{scheme}127.0.0.1:{port}")
        assert find(pip) == "http://index.invalid/simple/tiny/files/tiny.whl"
    assert Page.asked == ["http://index.invalid/simple/tiny/"]


def test_without_a_network_it_is_not_said_that_an_index_lacks_it(tmp_path: Path) -> None:
    nowhere = "http://127.0.0.1:9/simple"
    with pytest.raises(NotReachable, match="No package index can be reached") as caught:
        find(Pip([nowhere, nowhere], [str(tmp_path)]))
    assert caught.value.remedy.startswith("Connect to the network")
    with serving() as port, pytest.raises(NotReachable, match="No package index offers other"):
        here = Pip([nowhere, f"http://127.0.0.1:{port}/simple"], [])
        with open_client(here) as client:
            find_wheel(client, "tiny", "other.whl", here)


def test_find_links_may_be_a_page_a_file_or_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving() as port:
        address = f"http://127.0.0.1:{port}/links/"
        assert find(Pip([], [address])) == f"{address}files/tiny.whl"
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "tiny.whl").write_bytes(b"wheel")
    (tmp_path / "links.html").write_text('<a href="files/tiny.whl">tiny.whl</a>')
    page = (tmp_path / "links.html").as_uri()
    for place in (
        page,
        str(tmp_path / "links.html"),
        str(tmp_path / "files"),
        (tmp_path / "files").as_uri(),
    ):
        assert find(Pip([], ["/not/there", place])) == tmp_path / "files" / "tiny.whl"
    monkeypatch.setenv("HOME", str(tmp_path))
    assert find(Pip([], ["~/files"])) == tmp_path / "files" / "tiny.whl"
