"""A prompt as the engine takes it: tokens, and the places of pictures among them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import TracebackType

    import llama_cpp

PICTURE = "\ue000picture\ue001"  # where a picture stands in a rendered prompt


@dataclass(frozen=True)
class Place:
    """Where a picture stands in a prompt. size: how many places for tokens it takes. chunk: its handle."""

    start: int
    size: int
    chunk: Any

    @property
    def end(self) -> int:
        """The first place after it."""
        return self.start + self.size


class Prompt:
    """A prompt without pictures; a context manager, as one with pictures is."""

    def __init__(self, tokens: list[int]) -> None:
        self.tokens = tokens
        self.places: list[Place] = []

    def __enter__(self) -> Prompt:
        """Return itself."""
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        """Free what it holds."""
        self.close()

    def close(self) -> None:
        """Free what it holds: nothing."""

    def see(self, llama: llama_cpp.Llama, place: Place) -> None:
        """Have the model read the picture of a place; here there is none."""
