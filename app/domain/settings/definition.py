"""What a setting is: its key, kind, default, words, and who is shown it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar, cast

from app.domain.errors import SetupError

T = TypeVar("T", str, bool, float, "list[str]")
Kind = Literal["choice", "switch", "number", "model", "device", "names", "key", "text"]
KEY = re.compile(
    r"(?:(?:Ctrl|Alt|Shift|Meta)\+)*(?!(?:Ctrl|Alt|Shift|Meta)$)(?:F\d{1,2}|[A-Za-z]{2,12}|\S)$"
)
ON, OFF = ("on", "true", "yes", "1"), ("off", "false", "no", "0")


@dataclass(frozen=True)
class Setting(Generic[T]):
    """One setting.

    kind: choice is one of `options` (value, label); model names a model of the type `of`, empty for
    the one of this machine; device names one of `of`; names is a list of short texts; key is a key
    of the keyboard with those held beside it, such as Ctrl+N; text is words of several lines,
    `high` characters at most. low, high: of a number, ends included. unset: what no name means, or
    the lowest number.
    level: developer settings are shown on request only.
    """

    key: str
    kind: Kind
    default: T
    label: str
    help: str
    level: Literal["user", "developer"] = "user"
    options: tuple[tuple[str, str], ...] = ()
    of: str = ""
    low: float = 0
    high: float = 0
    decimals: int = 0
    unit: str = ""
    unset: str = ""

    def checked(self, value: Any) -> T:
        """Return a value as it is kept.

        Raises: SetupError for one this setting cannot have.
        """
        if self.kind == "switch" and isinstance(value, bool):
            return cast("T", value)
        if (
            self.kind == "number"
            and isinstance(value, int | float)
            and self.low <= value <= self.high
        ):
            return cast("T", float(value))
        if self.kind == "choice" and value in [option for option, _ in self.options]:
            return value
        if self.kind == "key" and isinstance(value, str) and (not value or KEY.match(value)):
            return cast("T", value)
        if self.kind in ("model", "device") and isinstance(value, str):
            return cast("T", value)
        if self.kind == "text" and isinstance(value, str) and len(value) <= self.high:
            return cast("T", value)
        if (
            self.kind == "names"
            and isinstance(value, list)
            and all(isinstance(v, str) for v in value)
        ):
            return cast("T", value)
        raise SetupError(f"{self.key} cannot be {value!r}.", f"It is {self.takes}.")

    def read(self, text: str) -> T:
        """Return the value that a text of the shell means.

        Raises: SetupError.
        """
        text = text.strip()
        if self.kind == "switch" and text.lower() in (*ON, *OFF):
            return self.checked(text.lower() in ON)
        if self.kind == "number":
            try:
                return self.checked(float(text))
            except ValueError:
                return self.checked(text)
        if self.kind == "names":
            return self.checked([part.strip() for part in text.split(",") if part.strip()])
        return self.checked(text)

    def shown(self, value: T) -> str:
        """Return a value as the shell takes it."""
        if isinstance(value, bool):
            return "on" if value else "off"
        if isinstance(value, list):
            return ", ".join(value)
        return f"{value:g}" if isinstance(value, float) else str(value)

    @property
    def takes(self) -> str:
        """What it can be, in words."""
        return {
            "choice": f"one of {', '.join(option for option, _ in self.options)}",
            "switch": "on or off",
            "number": f"a number from {self.low:g} to {self.high:g}"
            + (f", {self.low:g}: {self.unset.lower()}" if self.unset else ""),
            "model": "the name of a model, or empty",
            "device": "the name of a device, or empty",
            "text": f"a text of up to {self.high:,.0f} characters",
            "names": "names with commas between, or empty",
            "key": "a key such as Ctrl+Shift+N, or empty",
        }[self.kind]


@dataclass(frozen=True)
class Page:
    """Settings that belong together."""

    id: str
    title: str
    settings: tuple[Setting[Any], ...]
