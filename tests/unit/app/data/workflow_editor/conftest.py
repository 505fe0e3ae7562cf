"""A table that workflows are edited over."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.data.sources import Sources
from app.data.tables import uuid_of


@pytest.fixture
def shops(tmp_path: Path) -> tuple[Sources, str]:
    """Return a table of twelve months of two shops (day, shop, sold) among the sources, and its
    uuid.
    """
    path = tmp_path / "sales.csv"
    rows = [
        f"2024-{m:02}-15,{s},{m * n}" for m in range(1, 13) for s, n in (("North", 3), ("South", 5))
    ]
    path.write_text("\n".join(["day,shop,sold", *rows]) + "\n", "utf-8")
    sources = Sources()
    sources.add_file(path)
    return sources, uuid_of(path)
