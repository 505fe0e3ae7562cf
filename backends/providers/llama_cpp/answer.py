"""Generate an answer: tokens come from the engine and are decoded piece by piece; tool calls are
constrained.
"""

from __future__ import annotations

import threading
import time
from contextlib import closing
from typing import TYPE_CHECKING, Any

from backends.flexai.thoughts import AnswerPiece, ThoughtSplitter, opened_by
from backends.providers.llama_cpp.grammar import behind_mark
from backends.providers.llama_cpp.text import TextStream
from backends.providers.llama_cpp.tool_calls import CallStream, Harmony, begun_by

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from llama_cpp import LlamaGrammar

    from backends.flexai.entities import PromptMessageTool
    from backends.providers.llama_cpp.engine import LlamaEngine
    from backends.providers.llama_cpp.pictures import Prompt
    from backends.providers.llama_cpp.sequences import KeptSequence
    from backends.providers.llama_cpp.tool_calls import ToolCall


class AnswerDecoder:
    """Decodes an answer token by token.

    stop: texts that end the answer. names: the tools offered. prompt_end: the end of the prompt,
    where some templates open the model's thought.
    """

    def __init__(self, stop: list[str], names: set[str], prompt_end: bytes = b"") -> None:
        self._text = TextStream(stop)
        end = prompt_end.decode("utf-8", "replace")
        begun = begun_by(end)
        self._channels = None if begun is None else Harmony(names, begun)
        self._thinking = self._channels or ThoughtSplitter(begun=opened_by(end))
        self._calls = CallStream(names)

    @property
    def stopped(self) -> bool:
        """Return whether a stop text has been reached."""
        return self._text.stopped

    @property
    def mark(self) -> str | None:
        """The marker that started a tool call."""
        return (self._channels.mark if self._channels else None) or self._calls.mark

    def back_to_mark(self) -> None:
        """Discard the tokens after the marker."""
        self._text.forget()
        if self._channels is not None and self._channels.mark is not None:
            self._channels.back_to_mark()
        else:
            self._calls.back_to_mark()

    def feed(self, token: bytes) -> AnswerPiece:
        """Add a token's bytes and return the text that becomes visible."""
        said = self._thinking.feed(self._text.feed(token))
        return AnswerPiece(self._calls.feed(said.text), said.reasoning)

    def finish(self) -> tuple[AnswerPiece, list[ToolCall]]:
        """Return the remaining text at the end, and the tool calls."""
        last, held = self._thinking.feed(self._text.finish()), self._thinking.finish()
        rest, calls = self._calls.finish(last.text + held.text)
        found = [*self._channels.calls, *calls] if self._channels else calls
        return AnswerPiece(rest, last.reasoning + held.reasoning), found


# in seconds; users do not notice a shorter interval, and each piece costs CPU time
SEEN = 0.02


class TokenAnswer:
    """Generates the answer to a prompt.

    made: the number of tokens so far. reason: why the answer ended, "stop" or "length". reused: how
    many tokens of the prompt the context already held.
    """

    def __init__(
        self,
        engine: LlamaEngine,
        sequence: KeptSequence,
        scene: Prompt,
        reading: AnswerDecoder,
        sampling: dict[str, Any],
        limit: int,
        flag: threading.Event,
        seed: int | None,
    ) -> None:
        self._engine = engine
        self._sequence = sequence
        self._scene = scene
        self._reading = reading
        self._sampling = sampling
        self._limit = limit
        self._flag = flag
        self._seed = seed
        self._written = bytearray()
        self._tokens: list[tuple[int, int]] = []  # each token, and its end position in the output
        self.made = 0
        self.reused = 0
        self.reason = "length"

    def write(
        self, grammar: LlamaGrammar | None, tools: list[PromptMessageTool]
    ) -> Generator[AnswerPiece, None, None]:
        """Yield the text that can be shown, at most one piece every 20 ms.

        tools: the tools whose calls are constrained once the model starts a call. Raises:
        InvokeCancelledError, InvokeServerUnavailableError.
        """
        with closing(self._written_on(grammar, tools)) as pieces:
            yield from joined(pieces)

    def _written_on(
        self, grammar: LlamaGrammar | None, tools: list[PromptMessageTool]
    ) -> Generator[AnswerPiece, None, None]:
        mark = yield from self._run(self._scene.tokens, grammar, watch=bool(tools))
        self.reused = self._sequence.reused
        if (
            mark is not None
            and (bound := behind_mark(mark, tools, self._engine.accepts)) is not None
        ):
            yield from self._run([*self._scene.tokens, *self._back_to(mark)], bound, watch=False)

    def _run(
        self, prompt: list[int], grammar: LlamaGrammar | None, *, watch: bool
    ) -> Generator[AnswerPiece, None, str | None]:
        """Continue the answer; if `watch` is set and a tool call starts, return its marker."""
        tokens = self._engine.generate(
            self._sequence, prompt, self._sampling, grammar, self._flag, self._seed, self._scene
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
        """Return the tokens up to the end of a marker, and discard those after it."""
        end = self._written.rfind(mark.encode()) + len(mark.encode())
        kept = [(token, upto) for token, upto in self._tokens if upto <= end]
        begun = self._written[kept[-1][1] if kept else 0 : end].decode()
        self._reading.back_to_mark()
        del self._written[end:]
        return [*(token for token, _ in kept), *self._engine.tokens_of(begun, special=False)]


def joined(pieces: Iterator[AnswerPiece]) -> Generator[AnswerPiece, None, None]:
    """Yield pieces; those that arrive within 20 ms of the last yielded piece are joined with the
    next one.

    A piece is held back no longer than until the next one arrives, so slow models are not delayed.
    The last piece is not held back, and neither is a piece before an error.
    """
    held, last = AnswerPiece(), float("-inf")
    try:
        for piece in pieces:
            held = AnswerPiece(held.text + piece.text, held.reasoning + piece.reasoning)
            now = time.monotonic()
            if now - last >= SEEN:
                yield held
                held, last = AnswerPiece(), now
    except GeneratorExit:
        held = AnswerPiece()  # nobody would receive it
        raise
    finally:
        if any(held):
            yield held
