"""Steps chosen by the tiny language model in the real service, bound by its grammar: nothing is run
that is not there.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from app.data.sources import Runs
from backends.catalog import Catalog
from backends.data.profile import profile
from backends.data.rows import table_from_rows
from backends.data.steps import STEPS
from backends.data.table import Table
from backends.data.workflow.report import TOOL
from backends.data.workflow.step import Workflow
from tests.models.llama import LLAMA
from tests.service.conftest import Service, start, stop

if TYPE_CHECKING:
    from collections.abc import Iterator

QUESTION = (
    "When did Ostara have its best single day, measured as percent change of the close on the"
    " previous day?"
)


@pytest.fixture(scope="module")
def choosing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("choosing")
    Catalog(folder / "models").add(Path(LLAMA["model_path"]), "tiny-llama", link=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DESKPILOT_HOME", str(folder / "home"))
        patch.setenv("DESKPILOT_MODELS", str(folder / "models"))
        running = start(Path(__file__).resolve().parents[2], "--no-warm")
    yield running
    stop(running)


def prices() -> Table:
    """Fifty days of two shares."""
    rows = [
        {
            "day": f"2024-{1 + i // 25:02d}-{1 + i % 25:02d}",
            "share": share,
            "close": start_ + i * slope,
        }
        for i in range(50)
        for share, start_, slope in (("Ostara", 100, 1), ("Brimble", 50, -0.1))
    ]
    return table_from_rows(rows, source="prices", hash_="h1")


def events_of(text: str) -> list[tuple[str, dict[str, Any]]]:
    """Return the events of a stream."""
    blocks = [block.split("\r\n") for block in text.split("\r\n\r\n") if block.startswith("event")]
    return [(b[0].removeprefix("event: "), json.loads(b[1].removeprefix("data: "))) for b in blocks]


def test_a_real_model_only_comes_to_steps_that_run_and_the_person_is_asked(
    choosing: Service,
) -> None:
    table = prices()
    runs, more, interfaces = (
        Runs({"prices": table}.__getitem__),
        list[dict[str, Any]](),
        list[str](),
    )
    about = profile(table, "share prices").model_dump(mode="json")
    widget = {
        "uuid": "prices",
        "name": "share prices",
        "description": "",
        "origin": "deskpilot",
        "widget_id": "prices",
        "params": [],
        "metadata": {"profile": about},
    }
    request: dict[str, Any] = {
        "widgets": {"primary": [widget], "secondary": [], "extra": []},
        "tools": [
            {"name": n, "server_id": "deskpilot", "url": "deskpilot:data"} for n in ("query", TOOL)
        ],
        "workspace_options": {"deskpilot-today": "2024-06-28"},
    }
    events = list[tuple[str, dict[str, Any]]]()
    with choosing.client() as client:
        for _ in range(12):
            body = request | {"messages": [{"role": "human", "content": QUESTION}, *more]}
            events = events_of(client.post("/v1/query", json=body).text)
            name, call = events[-1]
            if name != "copilotFunctionCall":
                break
            asked = call["input_arguments"]["parameters"]
            result = runs.run(Workflow.model_validate(asked["workflow"]), asked["run"])
            interfaces += [step.interface for step in result.steps]
            assert not [
                s.error for s in result.steps if "no column" in s.error or "no interface" in s.error
            ]
            said = {
                "role": "tool",
                **call,
                "data": [{"items": [{"content": result.model_dump_json()}]}],
            }
            more += [{"role": "ai", "content": json.dumps(call)}, said]
    assert set(interfaces) <= set(STEPS)
    words = "".join(told["delta"] for kind, told in events if kind == "copilotMessageChunk")
    assert "I did not understand" in words
    assert "as a language model would go on (check it)" in words  # it chose something
