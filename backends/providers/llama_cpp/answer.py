"""One answer while it is written: tokens from the engine, read piece by piece, calls of tools
bound.
"""

from __future__ import annotations

import threading
import time
from contextlib import closing
from typing import TYPE_CHECKING, Any

from backends.flexai.thinking import Said
from backends.providers.llama_cpp.grammar import behind_mark

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from llama_cpp import LlamaGrammar

    from backends.flexai.entities import PromptMessageTool
    from backends.providers.llama_cpp.engine import Engine
    from backends.providers.llama_cpp.pictures import Prompt
    from backends.providers.llama_cpp.reading import Reading

# seconds: nobody sees words come faster, and each piece costs the cores that make the next
SEEN = 0.02


class Answer:
    """Writes an answer to a prompt.

    made: how many tokens so far. reason: why it ended, "stop" or "length". reused: how many tokens
    of the prompt the context already held.
    """

    def __init__(
        self,
        engine: Engine,
        scene: Prompt,
        reading: Reading,
        sampling: dict[str, Any],
        limit: int,
        flag: threading.Event,
        seed: int | None,
    ) -> None:
        self._engine = engine
        self._scene = scene
        self._reading = reading
        self._sampling = sampling
        self._limit = limit
        self._flag = flag
        self._seed = seed
        self._written = bytearray()
        self._tokens: list[tuple[int, int]] = []  # each token, and where it ends in what is written
        self.made = 0
        self.reused = 0
        self.reason = "length"

    def write(
        self, grammar: LlamaGrammar | None, tools: list[PromptMessageTool]
    ) -> Generator[Said, None, None]:
        """Yield what can be shown, at most a piece every 20 ms. tools: those whose calls are bound
        once the model opens one.

        Raises: InvokeCancelledError, InvokeServerUnavailableError.
        """
        with closing(self._written_on(grammar, tools)) as pieces:
            yield from joined(pieces)

    def _written_on(
        self, grammar: LlamaGrammar | None, tools: list[PromptMessageTool]
    ) -> Generator[Said, None, None]:
        mark = yield from self._run(self._scene.tokens, grammar, watch=bool(tools))
        self.reused = self._engine.reused_tokens
        if (
            mark is not None
            and (bound := behind_mark(mark, tools, self._engine.accepts)) is not None
        ):
            yield from self._run([*self._scene.tokens, *self._back_to(mark)], bound, watch=False)

    def _run(
        self, prompt: list[int], grammar: LlamaGrammar | None, *, watch: bool
    ) -> Generator[Said, None, str | None]:
        """Write on; return the mark of a call if one is watched for and opened."""
        tokens = self._engine.generate(
            prompt, self._sampling, grammar, self._flag, self._seed, self._scene
        )
        with closing(tokens):
            for token in tokens:
                self.made += 1
                piece = self._engine.piece(token)
                self._written += piece
                self._tokens.append((token, len(self._written)))
                shown = self._reading.feed(piece)
                if any(shown):
                    yield shown
                if self._reading.stopped:
                    break
                if self.made >= self._limit:
                    self.reason = "length"
                    return None
                if watch and self._reading.mark is not None:
                    return self._reading.mark
        self.reason = "stop"
        return None

    def _back_to(self, mark: str) -> list[int]:
        """Return the tokens up to the end of a mark; what was written behind it is forgotten."""
        end = self._written.rfind(mark.encode()) + len(mark.encode())
        kept = [(token, upto) for token, upto in self._tokens if upto <= end]
        begun = self._written[kept[-1][1] if kept else 0 : end].decode()
        self._reading.back_to_mark()
        del self._written[end:]
        return [*(token for token, _ in kept), *self._engine.tokens_of(begun, special=False)]


def joined(pieces: Iterator[Said]) -> Generator[Said, None, None]:
    """Yield pieces, those that come within 20 ms of the one before together with the next.

    A piece waits for the one after it at most, so slow models are not held up; the last, and the
    one before an error, do not wait.
    """
    held, last = Said(), float("-inf")
    try:
        for piece in pieces:
            held = Said(held.text + piece.text, held.reasoning + piece.reasoning)
            now = time.monotonic()
            if now - last >= SEEN:
                yield held
                held, last = Said(), now
    except GeneratorExit:
        held = Said()  # nobody would take it
        raise
    finally:
        if any(held):
            yield held
