"""Which servers a widget backend may be asked at: those the person added, and no other."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from app.domain.errors import BackendElsewhere, BackendError
from app.tools.web.addresses import origin_of

if TYPE_CHECKING:
    from app.domain.widget_content import Access


def check_origin(url: str, access: Access) -> None:
    """Check that an address is one the person added.

    Raises: BackendError.
    """
    if not origin_of(url):
        raise BackendError(
            f"{url[:200]} is no web address.", "Write it like http://127.0.0.1:7779."
        )
    if origin_of(url) not in {origin_of(access.url), *access.origins}:
        raise BackendElsewhere(
            f"{host_of(access.url)} points to another server, {origin_of(url) or url[:80]}. It was not asked.",
            "If you trust that server, add it as a widget backend too.",
        )


def host_of(url: str) -> str:
    """Return the host and port of an address, for people."""
    return urlsplit(url).netloc.rpartition("@")[2] or url[:80]
