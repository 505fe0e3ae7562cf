"""Clients that others wrote, against our service with models of every type: OpenAI's for Node, the
AI SDK, LiteLLM, and the command `llm`.

`packaging/dev.py test` installs them; where it cannot, their tests are skipped by name.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.foreign import foreign

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).with_name("clients")
NPM, PYTHON = Path(sys.prefix) / "npm", Path(sys.prefix) / "clients" / "bin"
CALLS = [["a", "f", '{"x":1}'], ["b", "f", "{}"]]
FUNCTION = 'def look_up(row: int) -> str:\n    "Look a row up"\n    return f"seven {row}"\n'
COLOUR = json.dumps(
    {
        "type": "object",
        "properties": {"colour": {"enum": ["red", "blue"]}},
        "required": ["colour"],
    }
)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    with foreign(tmp_path_factory.mktemp("foreign")) as credentials:
        yield credentials


def of_npm(name: str) -> pytest.MarkDecorator:
    missing = shutil.which("node") is None or not (NPM / "node_modules" / name).is_dir()
    return pytest.mark.skipif(missing, reason=f"{name} for Node is not installed")


def of_python(name: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(not (PYTHON / name).exists(), reason=f"{name} is not installed")


def said(command: list[str], service: dict[str, str], **variables: str) -> str:
    """Return what a client prints."""
    told = {"BASE_URL": service["base_url"], "API_KEY": service["api_key"]}
    environment = os.environ | told | {"NODE_FOLDER": str(NPM)} | variables
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


@of_npm("openai")
def test_openais_client_for_node_is_answered_in_every_route(service: dict[str, str]) -> None:
    told: dict[str, Any] = json.loads(said(["node", str(HERE / "openai_node.mjs")], service))
    assert {"echo", "tiny-llama", "tiny-embedder"} <= set(told["models"])
    assert told["whole"] == ["one two ", "one two "]
    assert told["usage"] == {"prompt_tokens": 2, "completion_tokens": 4, "total_tokens": 6}
    assert told["streamed"] == "one two "
    assert told["streamUsage"]["total_tokens"] == 4
    assert told["calls"] == told["streamedCalls"] == CALLS
    assert told["toolsRun"] == [[1], "seven eight "]
    assert told["vectors"] == [4, 4]
    assert told["response"] == "one two "
    assert (told["events"][0], told["events"][-1]) == ("response.created", "response.completed")
    assert told["sound"] == ["RIFF", True]
    assert told["heard"] == "string"
    assert told["flagged"] == [False, True]
    assert told["overflow"] == ["BadRequestError", 400, "context_length_exceeded", None]
    assert told["nobody"] == ["NotFoundError", 404, "model_not_found", None]
    assert told["refused"] == ["BadRequestError", 400, "unsupported_parameter", "logprobs"]


@of_npm("ai")
@of_npm("@ai-sdk/openai-compatible")
def test_the_ai_sdk_streams_runs_tools_and_reads_objects(service: dict[str, str]) -> None:
    told: dict[str, Any] = json.loads(said(["node", str(HERE / "ai_sdk.mjs")], service))
    assert told["whole"] == ["one two ", "stop", 2, 2]
    assert (told["streamed"], told["streamUsage"]) == ("one two ", 4)
    assert told["called"] == [[1], 2, "seven eight "]
    found = [["a", "look_up", {"row": 1}], ["b", "look_up", {"row": 2}]]
    assert told["streamedCalls"] == [found, [1, 2]]
    assert told["object"]["colour"] in ("red", "blue")
    assert told["vectors"] == [32, 32]
    kind, status, message = told["overflow"]
    assert (kind, status) == ("APICallError", 400)
    assert message.startswith("This model's maximum context length is exceeded. ")


@of_python("litellm")
def test_litellm_is_answered_and_knows_our_errors(service: dict[str, str]) -> None:
    command = [str(PYTHON / "python"), str(HERE / "with_litellm.py")]
    told: dict[str, Any] = json.loads(
        said(command, service, LITELLM_LOCAL_MODEL_COST_MAP="True", LITELLM_LOG="ERROR")
        .strip()
        .splitlines()[-1]
    )
    assert told["whole"] == ["one two ", 4]
    assert told["streamed"] == "one two "
    assert told["calls"] == told["streamed_calls"] == CALLS
    assert told["vectors"] == [4, 4]
    assert told["ranked"] == [[2, 1.0], [0, 0.5]]
    assert told["sound"] is True
    assert told["overflow"] == "ContextWindowExceededError"
    assert told["nobody"] == "NotFoundError"


@of_python("llm")
def test_the_command_llm_asks_streams_calls_tools_and_gets_objects(
    service: dict[str, str], tmp_path: Path
) -> None:
    models = [
        ("desk", "echo", "supports_tools: true"),
        ("tiny", "tiny-llama", "supports_schema: true"),
    ]
    (tmp_path / "extra-openai-models.yaml").write_text(
        "".join(
            f"- model_id: {name}\n  model_name: {model}\n  api_base: {service['base_url']}\n"
            f"  api_key_name: desk\n  {more}\n"
            for name, model, more in models
        )
    )

    def llm(model: str, *words: str) -> str:
        line = [str(PYTHON / "llm"), "-m", model, "--key", service["api_key"], *words]
        return said(line, service, LLM_USER_PATH=str(tmp_path)).strip()

    assert llm("desk", "one two") == "one two"
    assert llm("desk", "--no-stream", "one two") == "one two"
    assert llm("desk", "--functions", FUNCTION, 'CALL:look_up:{"row":1}') == "seven 1"
    made = llm("tiny", "--schema", COLOUR, "-o", "max_tokens", "60", "The sky?")
    assert json.loads(made)["colour"] in ("red", "blue")
