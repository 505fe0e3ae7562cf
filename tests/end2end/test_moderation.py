"""The settings at work, with a stranger's models behind the real service: who talks, and who
guards.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from app.bootstrap import build
from app.domain.events import Ended
from app.domain.provider import FilledForm
from app.domain.settings import CHECK, MODEL
from app.domain.settings import MODERATION_MODEL as GUARD
from app.services.conversation.turns import offer_for
from app.services.deskpilot import Deskpilot
from app.services.models.providers import WantedModel
from tests.foreign import foreign


async def asked(deskpilot: Deskpilot, question: str) -> tuple[str, Ended]:
    conversation = await deskpilot.history.begin(question)
    turn = deskpilot.turns.new_turn(conversation.id, question, None)
    offer = offer_for(deskpilot.widgets, [])
    items = [item async for item in deskpilot.turns.run([], turn, deskpilot.copilots.local, offer)]
    ended = items[-1]
    assert isinstance(ended, Ended)
    return turn.answer(), ended


@pytest.mark.usefixtures("keyring_in_memory")
async def test_a_providers_model_talks_by_choice_and_another_guards_what_is_said(
    tmp_path: Path,
) -> None:
    with foreign(tmp_path / "foreign") as stranger:
        async with build(None) as deskpilot:
            form = FilledForm({"base_url": stranger["base_url"]}, {"api_key": stranger["api_key"]})
            models = [WantedModel("echo", "llm"), WantedModel("echo", "moderation")]
            await deskpilot.providers.add("work", "openai_compatible", form, models)
            await deskpilot.settings.put(MODEL, "work/echo")
            answer, ended = await asked(deskpilot, "say it without harm please")
            assert (answer.strip(), ended.state) == ("say it without harm please", "done")

            await deskpilot.settings.put(CHECK, True)
            answer, ended = await asked(deskpilot, "good morning")
            assert (answer, ended.state) == ("", "failed")
            assert (
                "The question was not sent because it could not be checked: There is no guard model"
                in ended.text
            )

            await deskpilot.settings.put(GUARD, "work/echo")
            answer, ended = await asked(deskpilot, "good morning")
            assert (answer.strip(), ended.state) == ("good morning", "done")
            answer, ended = await asked(deskpilot, "do harm")
            assert (answer, ended.state) == ("", "failed")
            assert (
                "The question was not sent: the guard model classified it as harmful." in ended.text
            )
            answer, ended = await asked(deskpilot, "OFFLINE")
            assert "The question was not sent because it could not be checked" in ended.text
