"""The application runs models in the pool it is given, and closes it."""

from __future__ import annotations

from typing import Any

from fastapi.testclient import TestClient

from backends.flexai.entities import ModelType
from backends.service.app import create_app
from backends.workers import Budget, LoadedWorker


class OnePool:
    """A pool that says one model is loaded, and remembers that it was closed."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.closed = False

    def loaded(self) -> list[LoadedWorker]:
        return [LoadedWorker("echo", ModelType.LLM, "far", 7, 5, False, "cpu", "10.0.0.2")]

    async def aclose(self) -> None:
        self.closed = True


def test_a_pool_of_ones_own_runs_the_models_and_is_closed_at_the_end() -> None:
    made: list[OnePool] = []

    async def start(_: dict[str, str] | None, budget: Budget) -> Any:
        made.append(OnePool(budget))
        return made[0]

    app = create_app(
        "t", frozenset({"testserver"}), "1", warm=False, memory=1 << 30, start_pool=start
    )
    with TestClient(app) as client:
        status = client.get("/v1/manage/status", headers={"Authorization": "Bearer t"}).json()
        assert [one["id"] for one in status["models"]] == ["far"]
        assert made[0].budget.total() == 1 << 30
        assert not made[0].closed
    assert made[0].closed
