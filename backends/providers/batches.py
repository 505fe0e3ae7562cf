"""Group texts of similar length into batches to avoid padding."""

from __future__ import annotations

from typing import TYPE_CHECKING

from backends.flexai.cancellation import stop_if_cancelled

if TYPE_CHECKING:
    from collections.abc import Iterator

TOKENS = 4096  # tokens in a batch, including padding, unless an engine works better with fewer
TEXTS = 128
AT_ONCE = 1000  # texts tokenized between two checks for cancellation


def portions(texts: list[str]) -> Iterator[list[str]]:
    """Yield texts in portions, so that work can be stopped between them.

    Raises: InvokeCancelledError if the call was cancelled.
    """
    for start in range(0, len(texts), AT_ONCE):
        stop_if_cancelled()
        yield texts[start : start + AT_ONCE]


def batches(lengths: list[int], longest: int, tokens: int = TOKENS) -> Iterator[list[int]]:
    """Yield the indices of texts batch by batch, short texts first.

    lengths: the full length of each text in tokens. longest: tokens after which a text is cut.
    tokens: maximum tokens in a batch.
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
