"""The keyring, and the files that hold what was set up."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.backends.fail import Keyring as NoKeyring
from keyring.errors import KeyringLocked

from app.adapters.copilots.book import CopilotBook
from app.adapters.system.json_file import JsonFile
from app.adapters.system.secrets import Keyring
from app.domain.errors import SecretsError, SetupError
from tests.memory_keyring import MemoryKeyring


class Plaintext(MemoryKeyring):
    """As keyrings.alt has one."""


# No class of its own: the library offers each class of a keyring to every later test.
LOCKED = MemoryKeyring(refuses=KeyringLocked("the person pressed Cancel"))


@pytest.mark.usefixtures("keyring_in_memory")
async def test_secrets_are_kept_found_and_forgotten() -> None:
    secrets = Keyring()
    assert await secrets.trouble() == ""
    await secrets.put("provider:a", {"api_key": "s3cret"})
    assert await Keyring().get("provider:a") == {"api_key": "s3cret"}
    await secrets.put("provider:a", {})
    await secrets.put("provider:a", {})
    assert await secrets.get("provider:a") == {}


@pytest.mark.usefixtures("keyring_in_memory")
@pytest.mark.parametrize(
    ("backend", "said"),
    [(NoKeyring(), "has no keyring"), (Plaintext(), "in plain text"), (LOCKED, "pressed Cancel")],
)
async def test_without_a_keyring_that_is_safe_nothing_is_kept(
    backend: KeyringBackend, said: str
) -> None:
    keyring.set_keyring(backend)
    with pytest.raises(SecretsError, match=said):
        await Keyring().put("provider:a", {"api_key": "s3cret"})


async def test_a_file_is_changed_by_several_at_once_and_only_its_owner_reads_it(
    tmp_path: Path,
) -> None:
    path = tmp_path / "new" / "file.json"
    assert await JsonFile(path).read() == {}

    async def add(name: str) -> None:
        await JsonFile(path).change(lambda kept: kept | {name: 1})

    await asyncio.gather(*(add(str(i)) for i in range(8)))
    assert len(await JsonFile(path).read()) == 8
    if os.name == "posix":
        assert path.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("text", ["{", "[]"])
async def test_a_damaged_file_is_told_and_not_overwritten(tmp_path: Path, text: str) -> None:
    path = tmp_path / "file.json"
    path.write_text(text)
    with pytest.raises(SetupError, match="move it away"):
        await JsonFile(path).change(lambda kept: kept)
    assert path.read_text() == text


@pytest.mark.parametrize("text", ["{", "{}", "[1]", '[{"name": "a"}]'])
async def test_a_damaged_list_of_copilots_is_told_and_not_overwritten(
    tmp_path: Path, text: str
) -> None:
    path = tmp_path / "copilots.json"
    path.write_text(text)
    with pytest.raises(SetupError, match=r"copilots\.json"):
        await CopilotBook(path).change(lambda added: added)
    assert path.read_text() == text
