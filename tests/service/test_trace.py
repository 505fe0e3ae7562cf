"""A question is followed by its id through the service and the process of the model, without its
words.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.service.conftest import Service


@pytest.mark.starter
@pytest.mark.usefixtures("service")
def test_service_and_worker_note_what_they_did_under_the_id_of_the_question(
    service: Service,
) -> None:
    with service.client() as client:
        body = {"model": "minilm-l6", "input": ["a zebra crossing"]}
        answer = client.post("/v1/embeddings", json=body, headers={"X-Trace-Id": "turn-7"})
        assert answer.status_code == 200
        client.post("/v1/embeddings", json=body, headers={"X-Trace-Id": "no id at all"})
    text = (Path(os.environ["DESKPILOT_HOME"]) / "trace.jsonl").read_text("utf-8")
    notes = [json.loads(line) for line in text.splitlines()]
    assert {note["trace"] for note in notes} == {"turn-7"}
    assert {(note["part"], note["did"]) for note in notes} >= {
        ("service", "/v1/embeddings"),
        ("worker", "invoke"),
    }
    assert len({note["pid"] for note in notes}) == 2
    assert "zebra" not in text
