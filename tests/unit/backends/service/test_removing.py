"""A model is taken off this machine: its process ends, its room is given back, files of others
stay.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from backends.catalog import Catalog
from backends.catalog.errors import InUse, UnknownModel
from backends.flexai.entities import ModelType
from backends.service.routes import catalogue
from tests.models.llama import LLAMA


@dataclass
class Workers:
    """Processes of models, as the service knows them."""

    running: list[Any] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)

    def loaded(self) -> list[Any]:
        return self.running

    async def unload(self, provider: str, model_type: ModelType, model: str) -> bool:
        self.ended.append(model)
        return True


@pytest.mark.parametrize("link", [True, False])
def test_a_model_goes_with_its_process_and_what_links_lead_to_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, link: bool
) -> None:
    catalog, workers, original = Catalog(tmp_path), Workers(), Path(LLAMA["model_path"])
    entry = catalog.add(original, "tiny-llama", link=link).entry
    monkeypatch.setattr(
        catalogue, "models_of", lambda _: SimpleNamespace(catalog=catalog, workers=workers)
    )
    worker = SimpleNamespace(
        provider=entry.provider, model=entry.model, model_type=entry.type, in_use=True
    )
    other = SimpleNamespace(
        provider=entry.provider, model="other", model_type=entry.type, in_use=True
    )
    workers.running = [worker, other]
    body, request = catalogue.PullRequest(id="tiny-llama"), Any
    with pytest.raises(InUse, match="tiny"):
        asyncio.run(catalogue.remove(request, body))  # type: ignore[arg-type]
    assert catalog.installed("tiny-llama") is not None
    worker.in_use = False
    freed = asyncio.run(catalogue.remove(request, body))["bytes"]  # type: ignore[arg-type]
    assert (freed >= original.stat().st_size) is not link
    assert workers.ended == [entry.model]
    assert original.exists()
    assert not (tmp_path / "tiny-llama").exists()
    with pytest.raises(UnknownModel):
        asyncio.run(catalogue.remove(request, body))  # type: ignore[arg-type]
    assert catalog.add(original, "tiny-llama", link=link).entry == entry
