"""Profiles: choose the language model that answers in this session, and lend it to the service."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

import yaml

from app.domain.copilot import is_loopback
from app.domain.errors import SetupError
from app.domain.model import Llm

if TYPE_CHECKING:
    from pathlib import Path

    from app.domain.copilot import Copilot, RequestOffer


NAME = re.compile(r"[\w.-]+")
MOST_BYTES = 100_000
PROFILE = "DESKPILOT_PROFILE"  # the variable with the name of the profile in use
FORM = "A profile is YAML:\nllm:\n  model: smollm2-135m\n  temperature: 0"


@dataclass(frozen=True)
class ModelProfile:
    """A profile. llm: the chat model. loop: whether to continue until the model replies that the
    task is done. left_out: other entries in the file, such as auto_run, which are ignored.
    """

    llm: Llm
    left_out: list[str] = field(default_factory=list[str])
    loop: bool = False


def find_profile(name: str, folder: Path) -> ModelProfile:
    """Return the profile with this name in a folder.

    Raises: SetupError.
    """
    if not NAME.fullmatch(name) or name.startswith("."):
        raise SetupError(
            f"{name!r} is not a valid profile name.", f"Profiles are files in {folder}."
        )
    if name.endswith(".py"):
        raise SetupError("Profiles that are Python programs are not run.", FORM)
    stem = name.removesuffix(".yaml").removesuffix(".yml")
    for path in (folder / f"{stem}.yaml", folder / f"{stem}.yml"):
        if path.is_file():
            return read_profile(path)
    there = ", ".join(sorted(path.stem for path in folder.glob("*.y*ml"))) or "none"
    raise SetupError(f"There is no profile {stem}.", f"{folder} contains: {there}.")


def read_profile(path: Path) -> ModelProfile:
    """Return the profile that a file contains.

    Raises: SetupError.
    """
    try:
        if path.stat().st_size > MOST_BYTES:
            raise SetupError(f"{path} is too large for a profile.", FORM)
        told: Any = yaml.safe_load(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError, RecursionError) as error:
        raise SetupError(f"{path} cannot be read as a profile.", FORM) from error
    if not isinstance(told, dict) or not isinstance(told.get("llm", {}), dict):
        raise SetupError(f"{path} contains no profile.", FORM)
    llm, settings = Llm(), told.get("llm") or {}
    for name, value in settings.items():
        setattr(llm, str(name), value)
    left_out = sorted(str(key) for key in told if key not in ("llm", "version", "loop"))
    return ModelProfile(llm, left_out, told.get("loop") is True)


LENT, PARAMETERS, COMPUTER = "session", "deskpilot-llm", "deskpilot-computer"


class ManagePort(Protocol):
    """Sends requests to the model service."""

    async def send(
        self, method: str, path: str, body: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """Send a request.

        Raises: DeskpilotError.
        """
        ...


class ModelLoan:
    """Lets a model chosen for this session answer questions. llm: the model, which can be changed
    between questions.

    computer: whether code written by this model runs once the user allows it, regardless of the
    question.
    """

    def __init__(self, llm: Llm, manage: ManagePort, *, computer: bool = False) -> None:
        self.llm, self._computer = llm, computer
        self._manage = manage

    async def offered(self, offer: RequestOffer, copilot: Copilot) -> RequestOffer:
        """Return a question's attachments with the model, which is sent only to our own copilot.

        Raises: SetupError; DeskpilotError if the service does not accept the model.
        """
        if not copilot.is_ours:
            return offer
        model = self.llm.model
        if self.llm.elsewhere:
            if not model:
                raise SetupError("A server is specified without a model.", "Set llm.model, too.")
            credentials = self.llm.credentials()
            host = urlsplit(credentials["base_url"]).hostname or ""
            lent = {"model": model, "type": "llm", "credentials": credentials}
            lent["host"] = "" if is_loopback(host) else host
            body = {"provider": "openai_compatible", "models": [lent]}
            await self._manage.send("PUT", f"/v1/manage/lent/{LENT}", body)
            model = f"{LENT}/{model}"
        parameters = self.llm.parameters()
        options = offer.options | ({PARAMETERS: json.dumps(parameters)} if parameters else {})
        if self._computer and model:
            options |= {COMPUTER: "true"}
        return replace(offer, model=offer.model or model, options=options)
