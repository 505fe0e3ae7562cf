"""Settings: defaults, changes, and values they cannot have."""

from __future__ import annotations

from typing import Any

import pytest

from app.domain.errors import SetupError
from app.domain.settings import CHECK, IDLE, LIMIT, PAGES, PASS, SECONDS, THEME, find
from app.services.settings import Settings, limits
from tests.unit.app.services.models.scripted import MemoryFile

ALL = [setting for page in PAGES for setting in page.settings]


async def test_a_change_is_kept_told_and_taken_back() -> None:
    file, told = MemoryFile(), list[Any]()
    settings = Settings(file)
    settings.subscribe(lambda setting, value: told.append((setting.key, value)))
    assert await settings.get(THEME) == "system"
    await settings.put(THEME, "dark")
    assert await Settings(file).get(THEME) == "dark"
    await settings.reset(THEME)
    assert file.kept == {}
    assert told == [("appearance.theme", "dark"), ("appearance.theme", "system")]


async def test_what_was_kept_wrong_is_told_and_never_replaced_by_a_default() -> None:
    file = MemoryFile()
    file.kept = {"moderation.check": "maybe"}
    with pytest.raises(SetupError, match=r"moderation\.check cannot be 'maybe'") as caught:
        await Settings(file).get(CHECK)
    assert "deskpilot settings reset moderation.check" in caught.value.remedy
    await Settings(file).reset(CHECK)
    assert await Settings(file).get(CHECK) is False


@pytest.mark.parametrize(
    ("setting", "text", "value"),
    [
        (CHECK, "ON", True),
        (CHECK, "no", False),
        (SECONDS, "60", 60.0),
        (PASS, " A b, ,c ", ["A b", "c"]),
        (PASS, "", []),
    ],
)
def test_the_shell_writes_values_as_people_do(setting: Any, text: str, value: Any) -> None:
    assert setting.read(text) == value
    assert setting.read(setting.shown(value)) == value


@pytest.mark.parametrize(
    ("setting", "text"), [(CHECK, "perhaps"), (SECONDS, "1"), (SECONDS, "soon"), (THEME, "blue")]
)
def test_a_value_a_setting_cannot_have_is_refused_with_what_it_takes(
    setting: Any, text: str
) -> None:
    with pytest.raises(SetupError) as caught:
        setting.read(text)
    assert setting.takes in caught.value.remedy


async def test_the_service_is_started_with_the_memory_that_is_allowed() -> None:
    settings = Settings(MemoryFile())
    assert await limits(settings) == {}
    await settings.put(LIMIT, 2.5)
    await settings.put(IDLE, 0.0)
    assert await limits(settings) == {"DESKPILOT_MEMORY": "2.5GB", "DESKPILOT_IDLE": "0"}


def test_each_setting_is_whole_and_found_by_its_key() -> None:
    assert len({setting.key for setting in ALL}) == len(ALL)
    for setting in ALL:
        assert find(setting.key) is setting
        assert setting.checked(setting.default) == setting.default
        assert setting.label
        assert setting.help.endswith(".")
    with pytest.raises(SetupError, match="no setting"):
        find("nothing")
