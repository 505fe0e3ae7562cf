"""The time zone that questions carry."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.services.settings import time_zone

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def etc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("TZ", raising=False)
    return tmp_path


def test_it_is_what_localtime_points_to(etc: Path) -> None:
    place = etc / "zoneinfo" / "Europe"
    place.mkdir(parents=True)
    (place / "Berlin").write_bytes(b"TZif")
    (etc / "localtime").symlink_to(place / "Berlin")
    assert time_zone(etc) == "Europe/Berlin"


def test_a_file_that_is_no_link_gives_way_to_the_name_beside_it(etc: Path) -> None:
    (etc / "localtime").write_bytes(b"TZif")
    (etc / "timezone").write_text("Asia/Tokyo\n")
    assert time_zone(etc) == "Asia/Tokyo"


@pytest.mark.parametrize(
    ("told", "zone"),
    [("America/New_York", "America/New_York"), (":UTC", "UTC"), ("CET-1", "Asia/Tokyo")],
)
def test_the_variable_comes_first_if_it_names_a_zone(
    etc: Path, monkeypatch: pytest.MonkeyPatch, told: str, zone: str
) -> None:
    (etc / "timezone").write_text("Asia/Tokyo")
    monkeypatch.setenv("TZ", told)
    assert time_zone(etc) == zone


@pytest.mark.parametrize("name", ["", "Mars/Olympus", "../../etc/passwd", "a\0b"])
def test_where_the_system_does_not_say_it_is_utc(etc: Path, name: str) -> None:
    (etc / "timezone").write_text(name)
    assert time_zone(etc) == "UTC"
