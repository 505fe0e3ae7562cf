"""Which language model answers, by the names Open Interpreter's settings have."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from app.domain.errors import SetupError

KINDS: dict[str, tuple[type, ...]] = {
    "model": (str,),
    "api_key": (str,),
    "api_base": (str,),
    "api_version": (str,),
    "supports_vision": (bool,),
    "supports_functions": (bool,),
    "max_tokens": (int,),
    "context_window": (int,),
    "temperature": (int, float),
}
OPENAI = "https://api.openai.com/v1"


@dataclass
class Llm:
    """What answers; None is as it is set up here. model: one of this machine, or of the server at
    api_base, which speaks OpenAI's HTTP API; with a key alone that is OpenAI's own. The key is in
    memory only.
    """

    model: str | None = None
    api_key: str | None = None
    api_base: str | None = None
    api_version: str | None = None
    supports_vision: bool | None = None
    supports_functions: bool | None = None
    max_tokens: int | None = None
    context_window: int | None = None
    temperature: float | None = None

    def __setattr__(self, name: str, value: Any) -> None:
        """Set one; what it cannot be is refused, as is a name it does not have.

        Raises: SetupError.
        """
        if name not in KINDS:
            raise SetupError(f"llm has no {name}.", f"It has: {', '.join(KINDS)}.")
        kinds = KINDS[name]
        wrong = not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds)
        if value is not None and wrong:
            raise SetupError(f"llm.{name} cannot be {value!r}.", f"It is a {kinds[-1].__name__}.")
        object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        """Return it without the key."""
        told = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "api_key"}
        return f"Llm({', '.join(f'{k}={v!r}' for k, v in told.items() if v is not None)})"

    @property
    def elsewhere(self) -> bool:
        """Whether a server answers that was named here."""
        return bool(self.api_base or self.api_key)

    def credentials(self) -> dict[str, str]:
        """Return what the server's model is asked with."""
        told = {"base_url": self.api_base or OPENAI, "api_key": self.api_key or ""}
        switches = {"vision": self.supports_vision, "tools": self.supports_functions}
        told |= {
            name: "true" if value else "false"
            for name, value in switches.items()
            if value is not None
        }
        told |= {"api_version": self.api_version} if self.api_version else {}
        return told | ({"context_size": str(self.context_window)} if self.context_window else {})

    def parameters(self) -> dict[str, Any]:
        """Return what each answer is asked with."""
        told = {"temperature": self.temperature, "max_tokens": self.max_tokens}
        return {name: value for name, value in told.items() if value is not None}
