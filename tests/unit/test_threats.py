"""Every row of the threat model names tests, and they are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "resources" / "help" / "threats.md").read_text("utf-8")
ROWS = [
    line for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith("| From")
]


def test_each_row_has_a_test() -> None:
    assert len(ROWS) > 12
    assert all("`tests/" in row.split("|")[5] for row in ROWS)


@pytest.mark.parametrize("named", sorted(set(re.findall(r"`(tests/[^`]+)`", PAGE))))
def test_a_test_that_is_named_is_there(named: str) -> None:
    place, _, name = named.partition("::")
    assert (ROOT / place).exists()
    if name:
        found = re.search(rf"^(?:async )?def {name}\(", (ROOT / place).read_text("utf-8"), re.M)
        assert found is not None
