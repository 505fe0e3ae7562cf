"""A terminal for each test, and a backend of widgets."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator

import pytest

from app.adapters.store.store import Store
from app.data.sources import Sources
from app.services.dashboard.widgets import Widgets
from app.services.tasks import Tasks
from tests.unit.app.services.scripted import Terminal
from tests.widget_backend import Server, running


@pytest.fixture
async def terminal() -> AsyncGenerator[Terminal, None]:
    store, tasks = await Store.open(None), Tasks()
    yield Terminal(store, tasks, Widgets(Sources(), store))
    await tasks.aclose()
    await store.aclose()


@pytest.fixture
def server() -> Iterator[Server]:
    """A backend of widgets."""
    with running() as made:
        yield made
