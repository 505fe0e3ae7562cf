"""One context of a model, shared by several conversations, each in its own sequence.

A step computes the next token for every sequence that is writing, together with the next piece of
every prompt that is being read (continuous batching). No thread of its own is needed: one of the
calls waiting for a token computes the step for all of them. A single caller therefore loses no time
by handing work to another thread.
"""

# llama-cpp-python does not expose the context and its samplers
# pyright: reportPrivateUsage=false

from __future__ import annotations

import ctypes
import threading
import time
from collections import deque
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, NamedTuple

import llama_cpp
from llama_cpp._internals import LlamaBatch, LlamaContext, LlamaSampler

from backends.flexai.errors import InvokeCancelledError, InvokeServerUnavailableError
from backends.providers.llama_cpp.loader import PREFILL

if TYPE_CHECKING:
    from collections.abc import Generator

    from backends.providers.llama_cpp.pictures import PicturePlace, Prompt

AHEAD = 4  # maximum number of tokens by which a sequence may be ahead of its reader
BESIDE = 64  # prompt tokens in a step while another answer is being written
LITTLE = 16  # tokens at the end of an answer that the next turn may render differently
WORTH_COPYING = 32  # minimum common tokens for copying from another conversation to pay off
LOOK_SECONDS = 0.05  # interval at which a waiting call checks whether it was stopped
FAILED = "Try again."


class BatchPiece(NamedTuple):
    """A sequence's part in a step. output: the index of its last logits, or -1 if it has none."""

    sequence: KeptSequence
    tokens: list[int]
    output: int


class KeptSequence:
    """A sequence of the context. Between calls, it keeps its content for the next turn.

    number: its id in llama.cpp. held: the tokens in the context. reused: how many tokens of the
    last prompt did not have to be computed. used_at: when a call released it (monotonic seconds).
    """

    def __init__(self, number: int) -> None:
        self.number = number
        self.held: list[int] = []
        self.reused = 0
        self.taken = False
        self.used_at = 0.0
        self.made: deque[int] = deque()  # tokens that the reader has not taken yet
        self.wanted: list[int] = []  # the tokens that must be in the context before the next token
        self.places: list[PicturePlace] = []
        self.scene: Prompt | None = None
        self.sampler: LlamaSampler | None = None
        self.flag = threading.Event()
        self.ended = False
        self.error: Exception | None = None

    @property
    def writes(self) -> bool:
        """Whether its whole prompt, except for the last token, has been read."""
        return len(self.held) == len(self.wanted) - 1

    @property
    def can_go_on(self) -> bool:
        """Whether a step may compute something for this sequence."""
        return self.sampler is not None and not self.ended and len(self.made) < AHEAD

    def in_common(self, prompt: list[int]) -> int:
        """Return how many tokens at the start of a prompt are already held. The prompt's last token
        is never counted, because it is always computed.
        """
        same = 0
        for ours, theirs in zip(prompt[:-1], self.held, strict=False):
            if ours != theirs:
                break
            same += 1
        return same

    def next_picture(self) -> PicturePlace | None:
        """Return the picture at the current position, or None."""
        return next((p for p in self.places if p.start == len(self.held)), None)

    def next_tokens(self, most: int) -> list[int]:
        """Return the next tokens of the prompt or the answer, at most up to the next picture."""
        begin = len(self.held)
        end = min((p.start for p in self.places if p.start > begin), default=len(self.wanted))
        return self.wanted[begin : min(end, begin + most)]


class SharedContext:
    """The context of a loaded model, with its sequences.

    parallel: how many conversations are computed at once, each with a full context.
    """

    def __init__(self, llama: llama_cpp.Llama, parallel: int) -> None:
        # these models cannot return to an earlier position
        recurrent = llama._is_recurrent or llama._is_hybrid
        parallel = 1 if recurrent else parallel
        self._llama = llama
        self.size = llama.n_ctx()
        if parallel > 1:
            self.size = enlarge(llama, parallel)
        self._context = llama._ctx
        assert self._context.memory is not None  # language models always have one
        self._memory = self._context.memory
        self._vocab = llama._model.vocab
        self._batch = LlamaBatch(n_tokens=PREFILL + parallel, embd=0, n_seq_max=1, verbose=False)
        self.sequences = [KeptSequence(number) for number in range(parallel)]
        self._changed = threading.Condition()
        self._stepping = False
        self._working: list[KeptSequence] = []  # sequences that take part in the current step
        working = self._working
        # llama.cpp keeps only a raw pointer, so the callback must live as long as the context
        self._abort = llama_cpp.ggml_abort_callback(
            lambda _: any(one.flag.is_set() for one in working)
        )
        llama_cpp.llama_set_abort_callback(self._context.ctx, self._abort, ctypes.c_void_p(0))

    @contextmanager
    def sequence(self, prompt: list[int], flag: threading.Event) -> Generator[KeptSequence]:
        """Lend out the sequence that holds the longest part of a prompt; wait if all are lent out.

        Raises: InvokeCancelledError once `flag` is set.
        """
        with self._changed:
            while not (free := [one for one in self.sequences if not one.taken]):
                stop_if_set(flag)
                self._changed.wait(LOOK_SECONDS)
            chosen, source = self._choose(free, prompt)
            chosen.taken = True
            if source is not None:
                while self._stepping:
                    self._changed.wait()
                self._copy(source, chosen, source.in_common(prompt))
        try:
            yield chosen
        finally:
            with self._changed:
                self._let_go(chosen)
                chosen.taken, chosen.used_at = False, time.monotonic()
                self._changed.notify_all()

    def generate(
        self,
        sequence: KeptSequence,
        prompt: list[int],
        sampler: LlamaSampler,
        flag: threading.Event,
        scene: Prompt | None = None,
    ) -> Generator[int, None, None]:
        """Yield tokens until the model ends its answer or the context is full.

        Raises: InvokeCancelledError once `flag` is set, InvokeServerUnavailableError.
        """
        with self._changed:
            while self._stepping:  # never change a sequence during a step
                self._changed.wait(LOOK_SECONDS)
            self._begin(sequence, prompt, sampler, flag, scene)
        try:
            while (token := self._next(sequence)) is not None:
                yield token
        finally:
            with self._changed:
                self._let_go(sequence)

    def forget(self) -> None:
        """Discard the content of every sequence."""
        with self._changed:
            while self._stepping:
                self._changed.wait()
            for sequence in self.sequences:
                self._cut(sequence, 0)

    def _choose(
        self, free: list[KeptSequence], prompt: list[int]
    ) -> tuple[KeptSequence, KeptSequence | None]:
        """Return the sequence for a prompt, and the sequence whose start is copied to it, or None.

        A conversation continues in its own sequence if this loses little. Another conversation
        replaces the least recently used one, and starts with the tokens that it has in common with
        any of the sequences (often the instructions).
        """
        best = max(free, key=lambda one: one.in_common(prompt))
        oldest = min(free, key=lambda one: one.used_at)
        lost = len(best.held) - best.in_common(prompt)
        if best is oldest or (best.held and lost <= max(LITTLE, len(oldest.held))):
            return best, None
        source = max(self.sequences, key=lambda one: one.in_common(prompt))
        common = source.in_common(prompt)
        worth = common >= WORTH_COPYING and common > oldest.in_common(prompt)
        return oldest, source if worth and source is not oldest else None

    def _copy(self, source: KeptSequence, target: KeptSequence, tokens: int) -> None:
        """Copy the start of a sequence to another one. Only a whole sequence can be copied, so the
        copy is cut afterwards.
        """
        llama_cpp.llama_memory_seq_rm(self._memory, target.number, -1, -1)
        self._context.kv_cache_seq_cp(source.number, target.number, 0, -1)
        target.held = list(source.held)
        self._cut(target, tokens)

    def _begin(
        self,
        sequence: KeptSequence,
        prompt: list[int],
        sampler: LlamaSampler,
        flag: threading.Event,
        scene: Prompt | None,
    ) -> None:
        places = scene.places if scene else []
        same = sequence.in_common(prompt)
        # a picture is evaluated either completely or not at all
        same = next((p.start for p in places if p.start < same < p.end), same)
        self._cut(sequence, same)
        sequence.reused = len(sequence.held)
        sequence.made.clear()
        sequence.wanted, sequence.places = list(prompt), places
        sequence.scene, sequence.sampler, sequence.flag = scene, sampler, flag
        sequence.ended, sequence.error = False, None

    def _cut(self, sequence: KeptSequence, length: int) -> None:
        """Reduce a sequence to its first tokens, and remove what a stopped step may have left
        behind.
        """
        number, memory = sequence.number, self._memory
        if not llama_cpp.llama_memory_seq_rm(memory, number, length, -1):
            # a recurrent model cannot return to an earlier position
            llama_cpp.llama_memory_seq_rm(memory, number, -1, -1)
            length = 0
        del sequence.held[length:]

    def _let_go(self, sequence: KeptSequence) -> None:
        """Remove a sequence from the steps; if it is part of the current step, wait for the step to
        end.
        """
        while sequence in self._working:
            self._changed.wait()
        if sequence.sampler is not None:
            sequence.sampler.close()
        sequence.sampler = sequence.scene = None
        sequence.places = []
        sequence.made.clear()

    def _next(self, sequence: KeptSequence) -> int | None:
        """Return the next token of an answer, or None at its end. Steps are computed until there is
        a token.
        """
        with self._changed:
            while True:
                stop_if_set(sequence.flag)
                if sequence.made:
                    return sequence.made.popleft()
                if sequence.error is not None:
                    raise sequence.error
                if sequence.ended:
                    return None
                if self._stepping:
                    self._changed.wait(LOOK_SECONDS)
                    continue
                self._lead()

    def _lead(self) -> None:
        """Compute a step for every sequence that can continue; the condition is released
        meanwhile.
        """
        working = [one for one in self.sequences if one.can_go_on and not one.flag.is_set()]
        seeing = next((one for one in working if one.next_picture() is not None), None)
        self._working[:] = working if seeing is None else [seeing]
        self._stepping = True
        self._changed.release()
        try:
            self._step(seeing)
        finally:
            self._changed.acquire()
            self._stepping = False
            self._working.clear()
            self._changed.notify_all()

    def _step(self, seeing: KeptSequence | None) -> None:
        try:
            if seeing is not None:
                self._see(seeing)
            else:
                self._decode(self._working)
        except (RuntimeError, InvokeServerUnavailableError) as error:
            for one in self._working:
                self._cut(one, len(one.held))
            if any(one.flag.is_set() for one in self._working):
                return  # one sequence stopped the step, so it is computed again for the others
            for one in self._working:
                one.error = failure(error)

    def _see(self, sequence: KeptSequence) -> None:
        """Make the model evaluate a picture, in a step of its own."""
        place = sequence.next_picture()
        assert place is not None
        assert sequence.scene is not None
        sequence.scene.see(self._context.ctx, sequence.number, self._llama.n_batch, place)
        sequence.held += sequence.wanted[place.start : place.end]

    def _decode(self, working: list[KeptSequence]) -> None:
        """Compute the next token for each sequence that is writing, and pieces of prompts."""
        pieces = self._pieces(working)
        if not pieces:
            return
        self._context.decode(self._batch)
        for sequence, tokens, output in pieces:
            sequence.held += tokens
            if output >= 0:
                self._sample(sequence, output)

    def _pieces(self, working: list[KeptSequence]) -> list[BatchPiece]:
        """Fill the batch; the sequences that are writing come first."""
        batch = self._batch.batch
        batch.n_tokens = 0
        writing = [one for one in working if one.writes]
        reading = [one for one in working if not one.writes]
        left = BESIDE if writing else PREFILL
        pieces: list[BatchPiece] = []
        for at, one in enumerate([*writing, *reading]):
            others = len(writing) + len(reading) - at
            tokens = one.next_tokens(1 if one.writes else max(1, left // others))
            if not one.writes:
                left -= len(tokens)
            pieces.append(BatchPiece(one, tokens, self._add(one, tokens)))
        return pieces

    def _add(self, sequence: KeptSequence, tokens: list[int]) -> int:
        """Add tokens to the batch, and return the index of their logits, if they have any."""
        batch = self._batch.batch
        first, position = batch.n_tokens, len(sequence.held)
        for at, token in enumerate(tokens):
            place = first + at
            batch.token[place] = token
            batch.pos[place] = position + at
            batch.n_seq_id[place] = 1
            batch.seq_id[place][0] = sequence.number
            batch.logits[place] = False
        batch.n_tokens = first + len(tokens)
        if position + len(tokens) < len(sequence.wanted):
            return -1
        batch.logits[batch.n_tokens - 1] = True
        return batch.n_tokens - 1

    def _sample(self, sequence: KeptSequence, output: int) -> None:
        assert sequence.sampler is not None
        token = sequence.sampler.sample(self._context, output)
        if llama_cpp.llama_vocab_is_eog(self._vocab, token):
            sequence.ended = True
            return
        sequence.made.append(token)
        sequence.wanted.append(token)
        sequence.ended = len(sequence.wanted) > self.size


def enlarge(llama: llama_cpp.Llama, parallel: int) -> int:
    """Recreate a model's context with a sequence for each conversation, and return the number of
    tokens in each.
    """
    each = llama.n_ctx()
    params = llama.context_params
    params.n_ctx, params.n_seq_max, params.kv_unified = each * parallel, parallel, False
    llama._ctx.close()
    llama._ctx = llama._stack.enter_context(
        closing(LlamaContext(model=llama._model, params=params, verbose=False))
    )
    return int(llama_cpp.llama_n_ctx_seq(llama._ctx.ctx))


def failure(error: Exception) -> InvokeServerUnavailableError:
    """Return the error that callers get for an error of llama.cpp."""
    if isinstance(error, InvokeServerUnavailableError):
        return error
    made = InvokeServerUnavailableError(f"llama.cpp failed: {error}", FAILED)
    made.__cause__ = error
    return made


def stop_if_set(flag: threading.Event) -> None:
    """Raise InvokeCancelledError if the flag is set."""
    if flag.is_set():
        raise InvokeCancelledError("The answer was stopped.")
