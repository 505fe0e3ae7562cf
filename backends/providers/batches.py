"""Form batches of texts of similar length to avoid padding."""

from __future__ import annotations

from typing import TYPE_CHECKING

from backends.flexai.cancellation import stop_if_cancelled

if TYPE_CHECKING:
    from collections.abc import Iterator

TOKENS = 4096  # of a batch, padding included, unless an engine is served better by fewer
TEXTS = 128
AT_ONCE = 1000  # texts cut into tokens between two looks whether somebody still waits


def portions(texts: list[str]) -> Iterator[list[str]]:
    """Yield texts in portions small enough to be stopped between them.

    Raises: InvokeCancelledError once nobody waits for the call.
    """
    for start in range(0, len(texts), AT_ONCE):
        stop_if_cancelled()
        yield texts[start : start + AT_ONCE]


def batches(lengths: list[int], longest: int, tokens: int = TOKENS) -> Iterator[list[int]]:
    """Yield the places of texts batch by batch, short ones first.

    lengths: tokens of each text, uncut. longest: tokens a text is cut to. tokens: of a batch.
    """
    batch: list[int] = []
    for place in sorted(range(len(lengths)), key=lengths.__getitem__):
        size = min(lengths[place], longest)
        if batch and (len(batch) == TEXTS or (len(batch) + 1) * size > tokens):
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch
