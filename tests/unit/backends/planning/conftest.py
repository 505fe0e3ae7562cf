"""The made-up tables of tests/finance, open and profiled."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from pathlib import Path

import pytest

from backends.data.profile import profile
from backends.data.table import Table, connect, table_from_sql
from backends.data.values import Profile
from backends.data.workflow.run import FinishedRun, run_workflow
from backends.planning import Plan, plan
from tests.finance.tables import MEANINGS, write

Opened = dict[str, tuple[Table, Profile]]
Ask = Callable[..., Plan]
Work = Callable[[Plan], FinishedRun]


@pytest.fixture(scope="session")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Opened:
    """The tables and what is known of them, by name."""
    folder = Path(tmp_path_factory.mktemp("finance"))
    write(folder)
    made: Opened = {}
    for path in sorted(folder.glob("*.csv")):
        query = "SELECT * FROM read_csv(?, all_varchar = true)"
        table = table_from_sql(connect(), query, [str(path)], source=path.stem, hash_=path.stem)
        about = profile(table, path.stem.replace("_", " "))
        for column in about.columns:
            column.meaning = MEANINGS.get(path.stem, {}).get(column.name, "")
        made[path.stem] = (table, about)
    return made


@pytest.fixture
def ask(opened: Opened) -> Ask:
    """Plan a request on a day."""

    def go(question: str, today: str = "2023-08-25", **more: str) -> Plan:
        profiles = [about.model_copy(update=more) for _, about in opened.values()]
        now = dt.datetime.fromisoformat(today if "T" in today else f"{today}T20:00")
        made = plan(question, profiles, now=now)
        assert made is not None, question
        return made

    return go


@pytest.fixture
def work(opened: Opened) -> Work:
    """Run a plan; nothing may fail."""

    def go(made: Plan) -> FinishedRun:
        finished = run_workflow(made.workflow, lambda uid: opened[uid][0])
        assert not finished.failed, finished.failed
        return finished

    return go
