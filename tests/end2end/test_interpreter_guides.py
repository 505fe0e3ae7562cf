"""More conversations of Open Interpreter's tests and documentation (version 0.4.3), from
`Interpreter` or the gateway to a model that follows a script, and back. Each says where it stands.

`test_interpreter_talks.py` holds those of `tests/test_interpreter.py`.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from app import Interpreter
from tests.end2end.scripted_model import Messages, ScriptedModel, said_last, scripted
from tests.end2end.test_gateway import TOKEN, gateway
from tests.end2end.test_interpreter_talks import kinds, named

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path

pytestmark = pytest.mark.slow

PICTURE = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg"
    "gg=="
)
CODE = {
    "2380*3875": ("python", "2380*3875"),
    "perform the calculation": ("python", "round(7 + 9 * (7 - 9) / (9 + 7), 2)"),
    "operating system": ("python", "import platform\nprint(platform.system())"),
    "normalized stock prices": (
        "python",
        "import matplotlib.pyplot as plt\nplt.plot([1, 1.2], label='AAPL')\nplt.show()",
    ),
    "Add subtitles": ("python", "size = 12\nprint('subtitles of size', size)"),
    "bigger": ("python", "size += 8\nprint('subtitles of size', size)"),
    "in R": ("r", "cat(1 + 1)"),
    "Count the words": ("shell", "printf 'one two' | wc -w"),
}


def script(messages: Messages) -> str:
    """Answer as an able model does."""
    said, told = said_last(messages), json.dumps(messages)
    if said.startswith("The code was not run"):
        return f"It did not run: {said}"
    if (printed := re.search(r"It printed:\n(.*?)(?:\n\n|$)", said, re.DOTALL)) is not None:
        return f"It came to {printed[1].strip()}."
    if said.startswith("The code "):
        shown = re.search(r"The person was shown .*", said)
        return f"Done. {shown[0]}" if shown else "Done."
    if said.startswith("Go on."):
        return "Now there are two. The task is done."
    if "one step at a time" in said:
        return "There is one."
    if (found := next((code for word, code in CODE.items() if word in said), None)) is not None:
        return f"```{found[0]}\n{found[1]}\n```"
    if "this image" in said:
        unseen = "a picture, which cannot be sent to this copilot" in told
        return "I cannot see it." if unseen else "A red dot."
    if "What did it say" in said:
        return "It said HTML errors." if "HTML errors" in told else "I do not know."
    if "secret word" in said:
        known = re.findall(r"word is '(\w+)'", told)
        return f"It is {known[-1]}." if known else "I do not know."
    return "Hello!"


@pytest.fixture(scope="module")
def model() -> Iterator[ScriptedModel]:
    with scripted(script) as made:
        yield made


@pytest.fixture(scope="module")
def lasting(
    model: ScriptedModel, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Interpreter]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DESKPILOT_HOME", str(tmp_path_factory.mktemp("home")))
        with named(model) as agent:
            agent.chat("What's 2380*3875?")  # service and Python run from here on
            yield agent


@pytest.fixture
def agent(lasting: Interpreter) -> Iterator[Interpreter]:
    lasting.messages, lasting.approve, lasting.loop = [], lambda *_: True, False
    yield lasting
    lasting.loop = False


def test_the_conversation_that_explains_lmc_messages(agent: Interpreter) -> None:
    """docs/protocols/lmc-messages.mdx: its four messages, made and continued."""
    made = agent.chat("What's 2380*3875?")
    assert [{k: v for k, v in m.items() if k != "recipient"} for m in made] == [
        {"role": "assistant", "type": "code", "format": "python", "content": "2380*3875"},
        {"role": "computer", "type": "console", "format": "output", "content": "9222500\n"},
        {"role": "assistant", "type": "message", "content": "It came to 9222500."},
    ]
    told = [{"role": "user", "type": "message", "content": "What's 2380*3875?"}, *made[:2]]
    assert kinds(agent.chat(told)) == [("assistant", "message", "It came to 9222500.")]


def test_a_calculation_is_answered_by_its_number(agent: Interpreter) -> None:
    """tests/test_interpreter.py, test_math."""
    asked = "Please perform the calculation `7 + 9 * (7 - 9) / (9 + 7)` and say just the number."
    assert "5.88" in agent.chat(asked)[-1]["content"]


def test_a_stream_tells_the_operating_system(agent: Interpreter) -> None:
    """README.md, streaming."""
    chunks = list(agent.chat("What operating system are we on?", stream=True))
    printed = "".join(c["content"] for c in chunks if c.get("format") == "output")
    assert printed.strip() == os.uname().sysname


def test_a_plot_is_an_image_of_the_computer(agent: Interpreter) -> None:
    """README.md, the first example; LMC's image of the computer."""
    made = agent.chat("Plot AAPL and META's normalized stock prices")
    (image,) = [m for m in made if m["type"] == "image"]
    assert (image["role"], image["format"]) == ("computer", "base64.png")
    assert image["content"].startswith("iVBOR")
    assert made[-1]["content"] == "Done. The person was shown a picture."


def test_a_second_request_goes_on_with_what_the_first_made(agent: Interpreter) -> None:
    """docs/usage/examples.mdx, programmatic chat: two requests of one conversation."""
    agent.chat("Add subtitles to all videos in /videos.")
    made = agent.chat("These look great but can you make the subtitles bigger?")
    assert made[-1]["content"] == "It came to subtitles of size 20."
    agent.messages = []  # start a new chat
    assert kinds(agent.chat("Hello")) == [("assistant", "message", "Hello!")]


def test_two_instances_know_nothing_of_each_other(agent: Interpreter, model: ScriptedModel) -> None:
    """tests/test_interpreter.py, test_multiple_instances."""
    with named(model) as other:
        agent.chat("Add subtitles to all videos in /videos.")
        other.chat("The secret word is 'crunk'. Understood?")
        assert "crunk" in str(other.messages)
        assert "crunk" not in str(agent.messages)
        made = other.chat("These look great but can you make the subtitles bigger?")
        assert "NameError" in str(made)  # the variable is the other's


def test_a_picture_beside_a_question_is_named_to_a_model_that_cannot_be_sent_it(
    agent: Interpreter,
) -> None:
    """tests/test_interpreter.py, test_vision. The copilots' protocol carries no picture of a
    person: the model is told that there was one.
    """
    told = [
        {"role": "user", "type": "message", "content": "describe this image"},
        {"role": "user", "type": "image", "format": "base64.png", "content": PICTURE},
    ]
    assert agent.chat(told)[-1]["content"] == "I cannot see it."


def test_the_list_of_the_migration_guide_is_a_conversation(agent: Interpreter) -> None:
    """docs/NCU_MIGRATION_GUIDE.md, static messages: each kind of message there is."""
    told: list[dict[str, Any]] = [
        {"role": "user", "type": "message", "content": "Please plot this data, and as HTML."},
        {"role": "user", "type": "image", "format": "path", "content": "path/to/image.png"},
        {"role": "user", "type": "file", "content": "/path/to/file.pdf"},
        {"role": "assistant", "type": "message", "content": "Processing your request."},
        {"role": "assistant", "type": "code", "format": "python", "content": "plot('data')"},
        {"role": "computer", "type": "image", "format": "base64.png", "content": PICTURE},
        {"role": "computer", "type": "code", "format": "html", "content": "<html>Plot</html>"},
        {"role": "computer", "type": "console", "format": "output", "content": "HTML errors"},
        {"role": "assistant", "type": "message", "content": "Plot generated successfully."},
        {"role": "user", "type": "message", "content": "What did it say?"},
    ]
    assert agent.chat(told)[-1]["content"] == "It said HTML errors."
    assert agent.messages[: len(told)] == told


def test_a_page_is_shown_as_code_of_the_computer(agent: Interpreter) -> None:
    """docs/NCU_MIGRATION_GUIDE.md: HTML is shown to the person."""
    page = {"role": "assistant", "type": "code", "format": "html", "content": "<h1>A plot</h1>"}
    made = agent.chat([page])
    assert ("computer", "code", "<h1>A plot</h1>") in kinds(made)


@pytest.mark.skipif(shutil.which("Rscript") is not None, reason="R is installed here")
def test_code_in_a_language_that_is_not_there_says_so_and_never_that_it_ran(
    agent: Interpreter,
) -> None:
    """docs/protocols/lmc-messages.mdx, formats: r and applescript."""
    made = agent.chat("Add one and one in R.")
    assert "there is no Rscript on this machine" in made[-1]["content"]
    assert "The code ran" not in str(made)
    beep = {"role": "assistant", "type": "code", "format": "applescript", "content": "beep"}
    made = agent.chat([beep])
    assert "'applescript' is no language that runs here" in made[-1]["content"]
    assert "The code ran" not in str(made)


def test_leaving_at_the_confirmation_runs_nothing(agent: Interpreter) -> None:
    """docs/guides/streaming-response.mdx: break before the code runs."""
    asked: list[str] = []
    agent.approve = lambda _, code: asked.append(code) is None
    stream = agent.chat("What's 2380*3875?", stream=True)
    for chunk in stream:
        if chunk["type"] == "confirmation":
            break
    stream.close()
    assert chunk["content"] == {"type": "code", "format": "python", "content": "2380*3875"}
    assert "9222500" not in str(agent.messages)
    assert agent.messages[-1]["type"] == "code"


def test_a_loop_goes_on_until_the_task_is_done(agent: Interpreter) -> None:
    """docs/settings/all-settings.mdx, loop."""
    agent.loop = True
    made = agent.chat("Make two files, one step at a time.")
    assert [m["content"] for m in made] == ["There is one.", "Now there are two. The task is done."]


Told = dict[str, Any]


@contextmanager
def lmc_gateway(model: ScriptedModel, home: Path) -> Generator[str]:
    """Run `deskpilot gateway --lmc` with the scripted model in a profile."""
    (home / "profiles").mkdir(parents=True)
    (home / "profiles" / "scripted.yaml").write_text(
        f"llm:\n  model: scripted\n  api_base: {model.url}\n  api_key: k\n"
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DESKPILOT_HOME", str(home))
        patch.setenv("DESKPILOT_PROFILE", "scripted")
        with gateway("--lmc") as url:
            yield url


def send(url: str, messages: list[Told]) -> list[Told]:
    """Send messages, and return them with the answer, as the guide's client does."""
    made = list(messages)
    with (
        httpx.Client(timeout=120, trust_env=False, headers={"x-api-key": TOKEN}) as client,
        client.stream("POST", url, json={"messages": messages}) as answer,
    ):
        assert answer.status_code == 200
        for line in answer.iter_lines():
            chunk = json.loads(line)
            if chunk.get("start"):
                made.append({k: chunk[k] for k in ("role", "type", "format") if k in chunk})
                made[-1]["content"] = ""
            if chunk.get("format") == "active_line":
                made[-1]["activeLine"] = chunk["content"]
            elif chunk["type"] == "confirmation":
                made.append(chunk)
            elif isinstance(chunk.get("content"), str):
                made[-1]["content"] += chunk["content"]
    return made


def test_a_server_answers_the_conversations_of_the_guides(
    model: ScriptedModel, tmp_path: Path
) -> None:
    """tests/test_interpreter.py, test_server, and the client of docs/NCU_MIGRATION_GUIDE.md: two
    secret words; code that the caller runs; a file beside a question.
    """
    with lmc_gateway(model, tmp_path / "home") as url:
        for word in ("crunk", "barloney"):
            told = [
                {"role": "user", "type": "message", "content": f"The secret word is '{word}'."},
                {"role": "assistant", "type": "message", "content": "Understood."},
                {"role": "user", "type": "message", "content": "What's the secret word?"},
            ]
            assert send(url, told)[-1]["content"] == f"It is {word}."
        asked = [{"role": "user", "type": "message", "content": "What's 2380*3875? Use Python."}]
        *made, confirmation = send(url, asked)
        assert (confirmation["role"], confirmation["type"]) == ("computer", "confirmation")
        assert made[-1] == {
            "role": "assistant", "type": "code", "format": "python", "content": "2380*3875",
        }  # fmt: skip
        ran = {"role": "computer", "type": "console", "format": "output", "content": "9222500"}
        assert send(url, [*made, ran])[-1]["content"] == "It came to 9222500."
        told = [
            {"role": "user", "type": "message", "content": "Hello, does this file exist?"},
            {"role": "user", "type": "file", "format": "path", "content": "/something.txt"},
        ]
        assert send(url, told)[-1]["content"] == "Hello!"
        assert "/something.txt" in str(model.asked[-1])
