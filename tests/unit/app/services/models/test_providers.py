"""Providers are tried out before they are kept, and lent to each service that starts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from app.domain.errors import ProviderError, SecretsError, SetupError
from app.domain.provider import FilledForm
from app.services.models.providers import EquippedService, Providers, WantedModel
from tests.unit.app.services.models.scripted import MemoryFile, MemoryKeys, ScriptedService

FORM = FilledForm({"base_url": "http://models.example:8000/v1"}, {"api_key": "s3cret"})
QWEN = [WantedModel("qwen", "llm", FilledForm({"context_size": "8192"}))]


class Parts:
    def __init__(self, why: str = "") -> None:
        self.file, self.keys, self.service = MemoryFile(), MemoryKeys(why), ScriptedService()
        self.providers = Providers(self.file, self.keys, self.service)

    def again(self) -> Providers:
        """The terminal started anew: the file and the keyring are what is left."""
        return Providers(self.file, self.keys, self.service)


async def test_what_does_not_work_is_not_kept() -> None:
    parts = Parts()
    with pytest.raises(ProviderError, match="refused the key"):
        await parts.providers.add("work", "openai", FilledForm({}, {"api_key": "wrong"}), QWEN)
    with pytest.raises(ProviderError, match="no such model"):
        await parts.providers.add("work", "openai", FORM, [WantedModel("gpt", "llm")])
    assert (parts.file.kept, parts.keys.kept, parts.service.lent) == ({}, {}, {})


async def test_what_works_is_kept_with_its_key_in_the_keyring_alone_and_lent() -> None:
    parts = Parts()
    added = await parts.providers.add("work", "openai", FORM, QWEN)
    assert added.id_of(added.models[0]) == "work/qwen"
    assert (added.host, added.secrets) == ("models.example:8000", {"api_key": "keyring"})
    assert "s3cret" not in str(parts.file.kept)
    assert list(parts.keys.kept.values()) == [{"api_key": "s3cret"}]
    (model,) = parts.service.lent["work"]["models"]
    assert model["credentials"] == {**FORM.values, "api_key": "s3cret", "context_size": "8192"}
    assert await parts.again().added() == (added,)


async def test_without_a_keyring_a_key_is_never_kept_in_its_stead_but_lasts_for_the_session_if_wished() -> (
    None
):
    parts = Parts("This system has no keyring.")
    with pytest.raises(SecretsError, match="no keyring"):
        await parts.providers.add("work", "openai", FORM, QWEN)
    assert (parts.file.kept, parts.service.lent) == ({}, {})
    await parts.providers.add("work", "openai", FORM, QWEN, keep="session")
    assert parts.service.lent["work"]["models"][0]["credentials"]["api_key"] == "s3cret"
    assert "s3cret" not in str(parts.file.kept)
    await parts.again().hand_over()
    (model,) = parts.service.lent["work"]["models"]
    assert model["problem"] == "The key for work was kept only until Deskpilot was closed."
    assert "credentials" not in model


async def test_a_key_of_the_environment_is_read_each_time_and_kept_nowhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    parts = Parts("This system has no keyring.")
    form = FilledForm(FORM.values, {}, {"api_key": "OUR_KEY"})
    with pytest.raises(SecretsError, match="OUR_KEY is not set"):
        await parts.providers.add("work", "openai", form, QWEN)
    monkeypatch.setenv("OUR_KEY", "s3cret")
    await parts.providers.add("work", "openai", form, QWEN)
    assert parts.keys.kept == {}
    monkeypatch.delenv("OUR_KEY")
    await parts.again().hand_over()
    assert "OUR_KEY is not set" in parts.service.lent["work"]["models"][0]["problem"]


async def test_a_provider_is_removed_with_its_key() -> None:
    parts = Parts()
    await parts.providers.add("work", "openai", FORM, QWEN)
    await parts.providers.remove("work")
    assert (parts.file.kept["providers"], parts.keys.kept, parts.service.lent) == ([], {}, {})
    with pytest.raises(ProviderError, match="no provider 'work'"):
        await parts.providers.remove("work")


@pytest.mark.parametrize("name", ["Work", "a/b", "", "-x", "x" * 41])
async def test_a_name_that_cannot_stand_before_a_models_is_refused(name: str) -> None:
    with pytest.raises(ProviderError, match="not a valid provider name"):
        await Parts().providers.add(name, "openai", FORM, QWEN)


async def test_a_name_is_given_once() -> None:
    parts = Parts()
    await parts.providers.add("work", "openai", FORM, QWEN)
    with pytest.raises(ProviderError, match="already"):
        await parts.providers.add("work", "openai", FORM, QWEN)


async def test_a_damaged_file_is_told_and_left_as_it_is() -> None:
    parts = Parts()
    parts.file.kept = {"providers": [{"name": "work"}]}
    with pytest.raises(SetupError, match="cannot be read"):
        await parts.providers.add("home", "openai", FORM, QWEN)
    assert parts.file.kept == {"providers": [{"name": "work"}]}


@dataclass
class Running:
    """A service that is at an address."""

    at: Any = "first"

    async def address(self) -> Any:
        return self.at


async def test_a_service_started_anew_is_lent_everything_again_and_only_then() -> None:
    parts, running = Parts(), Running()
    await parts.providers.add("work", "openai", FORM, QWEN)
    equipped = EquippedService(running, parts.providers)
    for at, lent in (("first", 1), ("first", 1), ("second", 2)):
        running.at = at
        assert await equipped.address() == at
        assert parts.service.asked.count("PUT /v1/manage/lent/work") == 1 + lent
