"""What the sound system refuses is told in words, with what to do."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Any

import miniaudio
import pytest

from app.adapters.system import sound_card
from app.adapters.system.sound_card import SoundCard
from app.domain.errors import SoundError
from tests.virtual_sound import MICROPHONE, VirtualSound, pactl

pytestmark = pytest.mark.slow


async def test_a_sound_server_that_refuses_us_is_told_and_what_to_do(
    virtual: VirtualSound, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine, theirs = tmp_path / "mine", tmp_path / "theirs"
    for cookie in (mine, theirs):
        cookie.write_bytes(os.urandom(256))
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    server = (
        "module-native-protocol-tcp",
        f"port={port}",
        "listen=127.0.0.1",
        f"auth-cookie={theirs}",
    )
    module, card = pactl("load-module", *server), SoundCard()
    try:
        with monkeypatch.context() as patch:
            patch.setenv("PULSE_SERVER", f"tcp:127.0.0.1:{port}")
            patch.setenv("PULSE_COOKIE", str(mine))
            with pytest.raises(SoundError) as refused:
                await card.microphones()
            patch.setenv("PULSE_COOKIE", str(theirs))
            assert [found.name for found in await card.microphones()] == [MICROPHONE]
    finally:
        pactl("unload-module", module)
        await card.aclose()
    assert refused.value.text == "The system does not let Deskpilot use sound."
    assert refused.value.remedy.startswith("Allow it in the system's settings")


@pytest.mark.skipif(
    any(Path("/proc/asound").glob("card[0-9]*")), reason="this machine has a sound card"
)
async def test_a_machine_without_sound_says_there_is_no_microphone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PULSE_SERVER", f"unix:{tmp_path}/nobody")
    card = SoundCard()
    assert await card.microphones() == []
    with pytest.raises(
        SoundError, match=r"There is no microphone on this machine\. Connect a microphone"
    ):
        async with card.microphone(None):
            pass
    await card.aclose()


@pytest.mark.parametrize(
    ("platform", "remedy"),
    [
        ("linux", "under Privacy"),
        ("darwin", "System Settings under Privacy & Security, Microphone"),
        ("win32", "Settings under Privacy & security, Microphone"),
        ("freebsd14", "under Privacy"),
    ],
)
async def test_a_microphone_one_may_not_use_is_told_and_where_it_is_allowed(
    virtual: VirtualSound, monkeypatch: pytest.MonkeyPatch, platform: str, remedy: str
) -> None:
    def refusing(*_: Any, **__: Any) -> None:
        raise miniaudio.MiniaudioError("failed to init device", miniaudio.lib.MA_ACCESS_DENIED)

    monkeypatch.setattr(miniaudio, "CaptureDevice", refusing)
    monkeypatch.setattr(sound_card.sys, "platform", platform)
    card = SoundCard()
    with pytest.raises(SoundError) as refused:
        async with card.microphone(None):
            pass
    await card.aclose()
    assert refused.value.text == f"The system does not let Deskpilot use {MICROPHONE}."
    assert remedy in refused.value.remedy
