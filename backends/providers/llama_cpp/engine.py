"""A loaded GGUF model: renders prompts, generates tokens in the sequences of its context, and stops
on request.
"""

# llama-cpp-python hides the model and context handles needed for token bytes and the cache
# pyright: reportPrivateUsage=false

from __future__ import annotations

import ctypes
import logging
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2
import llama_cpp
from llama_cpp.llama_chat_format import Jinja2ChatFormatter

from backends.flexai.devices import report
from backends.flexai.errors import InvokeBadRequestError, InvokeServerUnavailableError
from backends.flexai.schema import read_settings
from backends.gguf import parts_of
from backends.providers.llama_cpp import text as plain
from backends.providers.llama_cpp.grammar import depth_of
from backends.providers.llama_cpp.loader import (
    LlamaCredentials,
    check_is_gguf,
    load,
    load_projector,
    place_for,
)
from backends.providers.llama_cpp.messages import (
    as_dicts,
    describe_tools,
    only_text,
    with_short_ids,
)
from backends.providers.llama_cpp.pictures import Prompt, read_picture
from backends.providers.llama_cpp.sequences import SharedContext
from backends.providers.llama_cpp.tool_calls import speaks_harmony

if TYPE_CHECKING:
    from collections.abc import Generator

    from backends.flexai.entities import PromptMessage
    from backends.providers.llama_cpp.sequences import KeptSequence

CHATML = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
# templates are programs: their expressions can fail with any of these errors, and `raise_exception`
# raises a ValueError
TEMPLATE_ERRORS = (
    jinja2.TemplateError,
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    ArithmeticError,
    RecursionError,
)

# limit for nested brackets in a grammar; the parser is recursive and would overflow the stack
DEEPEST = 1000


class LlamaEngine:
    """A model with one context, which several calls may use at the same time.

    The constructor raises InvokeBadRequestError if the file is missing, incomplete or not a GGUF
    file.
    """

    def __init__(self, credentials: LlamaCredentials) -> None:
        self.placed = place_for(credentials)
        self.llama = load(credentials, self.placed)
        report(self.placed.told)
        self.model = self.llama._model
        self.context = SharedContext(self.llama, credentials.n_parallel)
        self.context_size = self.context.size
        self._accepted: dict[str, bool] = {}  # results of the grammar checks so far
        self._lock = threading.Lock()
        self._users = 0
        self._retired = False
        template = self.llama.metadata.get("tokenizer.chat_template") or CHATML
        self._knows_tools = "tools" in template
        self.harmony = speaks_harmony(template)
        self._short_ids = "length 9" in template or "length != 9" in template
        self._plain = plain.PlainText(*self._names(template))
        self._formatter = self._make_formatter(template)
        self._mode = credentials.mode
        self.projector = load_projector(credentials, self.llama, gpu=self.placed.layers != 0)

    @contextmanager
    def in_use(self) -> Generator[None]:
        """Keep the model in memory for a call.

        Raises: InvokeServerUnavailableError if the model has just been closed.
        """
        with self._lock:
            if self._retired:
                raise InvokeServerUnavailableError(
                    "The model was loaded again with other settings.", "Try again."
                )
            self._users += 1
        try:
            yield
        finally:
            with self._lock:
                self._users -= 1
                last = self._retired and not self._users
            if last:
                self.close()

    @property
    def busy(self) -> bool:
        """Whether a call is using the model."""
        return self._users > 0

    def retire(self) -> None:
        """Refuse new calls, and free the model's memory when no call uses it any longer."""
        with self._lock:
            self._retired = True
            unused = not self._users
        if unused:
            self.close()

    def _make_formatter(self, template: str) -> Jinja2ChatFormatter:
        end = self.llama.token_eos()
        try:
            return Jinja2ChatFormatter(
                template=template,
                eos_token=self._token_text(end),
                bos_token=self._token_text(self.llama.token_bos()),
                stop_token_ids=[end],
            )
        except jinja2.TemplateError as error:
            raise InvokeBadRequestError(
                f"The model's chat template is not valid: {error}",
                "Use another file of this model.",
            ) from error

    def _names(self, template: str) -> tuple[list[str], list[str]]:
        """Return the names of control tokens, and of other special tokens that the template
        uses.
        """
        vocab = self.model.vocab
        control: list[str] = []
        named: list[str] = []
        for token in range(self.llama.n_vocab()):
            kind = llama_cpp.llama_vocab_get_attr(vocab, token)
            if kind & (llama_cpp.LLAMA_TOKEN_ATTR_CONTROL | llama_cpp.LLAMA_TOKEN_ATTR_UNKNOWN):
                control.append(self.piece(token).decode("utf-8", "replace"))
            elif kind & llama_cpp.LLAMA_TOKEN_ATTR_USER_DEFINED:
                name = self.piece(token).decode("utf-8", "replace")
                named += [name] if name.strip() and name in template else []
        return control, named

    def _token_text(self, token: int) -> str:
        return (
            self.llama.detokenize([token], special=True).decode("utf-8", "replace")
            if token >= 0
            else ""
        )

    def render(
        self, messages: list[dict[str, Any]], tools: list[dict[str, Any]] | None
    ) -> list[int]:
        """Return the prompt of a conversation as tokens.

        Raises: InvokeBadRequestError if the model's template rejects the messages.
        """
        text, begins = self.prompt_of(messages, tools)
        return self.tokens_of(text, special=True, begin=not begins)

    def read(self, messages: list[PromptMessage], tools: list[dict[str, Any]] | None) -> Prompt:
        """Return the prompt of a conversation, including its pictures; the caller closes it after
        use.

        Raises: InvokeBadRequestError if some content cannot be read by the model.
        """
        if self._mode == "completion":
            return Prompt(self.tokens_of(only_text(messages, tools), special=False, begin=True))
        pictures: list[str] | None = [] if self.projector else None
        told = as_dicts(messages, pictures)
        if self.projector is None or not pictures:
            return Prompt(self.render(told, tools))
        text, begins = self.prompt_of(told, tools)
        return self.projector.read(
            text, [read_picture(data) for data in pictures], begin=not begins
        )

    def tokens_of(self, text: str, *, special: bool, begin: bool = False) -> list[int]:
        """Return the tokens of a text.

        special: whether names of special tokens in it, such as `<|im_end|>`, are read as special
        tokens. begin: whether to add the start token. An incomplete character, as in text split
        elsewhere, becomes a question mark.
        """
        first, *more = plain.pieces(text)
        tokens = self.llama.tokenize(
            first.encode("utf-8", "replace"), add_bos=begin, special=special
        )
        for piece in more:
            tokens += self.llama.tokenize(
                piece.encode("utf-8", "replace"), add_bos=False, special=special
            )
        return tokens

    def prompt_of(
        self, messages: list[dict[str, Any]], tools: list[dict[str, Any]] | None
    ) -> tuple[str, bool]:
        """Return the prompt of a conversation, and whether the template added the start token.

        Names of special tokens in the messages are split, so that `tokens_of` reads them as
        ordinary text. Raises: InvokeBadRequestError if the model's template rejects the messages.
        """
        messages, tools = self._plain.messages(messages), self._plain.tools(tools)
        if self._short_ids:
            messages = with_short_ids(messages)
        if not self._knows_tools:
            messages, tools = describe_tools(messages, tools), None
        try:
            answer = self._formatter(messages=messages, tools=tools)  # pyright: ignore[reportArgumentType, reportCallIssue]
        except TEMPLATE_ERRORS as error:
            raise InvokeBadRequestError(
                f"The model's template does not accept these messages: {error}",
                "Remove what it names.",
            ) from error
        return answer.prompt, bool(answer.added_special)

    def generate(
        self,
        sequence: KeptSequence,
        prompt: list[int],
        sampling: dict[str, Any],
        grammar: llama_cpp.LlamaGrammar | None,
        flag: threading.Event,
        seed: int | None = None,
        scene: Prompt | None = None,
    ) -> Generator[int, None, None]:
        """Yield tokens until the model ends its answer.

        scene: the prompt, including its pictures. seed: None for a random seed; otherwise the same
        seed, prompt and sampling give the same tokens. The longest prefix that the sequence already
        holds is not computed again; its length is stored in `sequence.reused`. Raises:
        InvokeCancelledError once `flag` is set.
        """
        if grammar is not None and not self.accepts(grammar):
            raise InvokeBadRequestError(
                "llama.cpp cannot enforce this schema: its grammar is too large.",
                "Lower maxLength, maxItems and similar limits, or remove them.",
            )
        with self._lock:
            self.llama.set_seed(llama_cpp.LLAMA_DEFAULT_SEED if seed is None else seed)
            sampler = self.llama._init_sampler(grammar=grammar, **sampling)
        yield from self.context.generate(sequence, prompt, sampler, flag, scene)

    def accepts(self, grammar: llama_cpp.LlamaGrammar) -> bool:
        """Return whether llama.cpp supports a grammar; an unsupported one would crash the
        process.
        """
        text = grammar._grammar
        if depth_of(text) > DEEPEST:
            return False
        if text not in self._accepted:
            loud = logging.getLogger("llama-cpp-python")  # llama.cpp would log the whole grammar
            level = loud.level
            loud.setLevel(logging.CRITICAL)
            try:
                made = llama_cpp.llama_sampler_init_grammar(
                    self.model.vocab, text.encode(), b"root"
                )
            finally:
                loud.setLevel(level)
            self._accepted[text] = bool(made)
            if made:
                llama_cpp.llama_sampler_free(made)
        return self._accepted[text]

    def close(self) -> None:
        """Free the model's memory; the engine cannot be used afterwards."""
        if self.projector is not None:
            self.projector.close()
        self.llama.close()

    def piece(self, token: int) -> bytes:
        """Return the bytes of one token. They may end in the middle of a character."""
        buffer = ctypes.create_string_buffer(64)
        size = llama_cpp.llama_token_to_piece(self.model.vocab, token, buffer, 64, 0, True)
        if size < 0:
            buffer = ctypes.create_string_buffer(-size)
            size = llama_cpp.llama_token_to_piece(self.model.vocab, token, buffer, -size, 0, True)
        return buffer.raw[:size]


_engines: dict[Path, tuple[str, LlamaEngine]] = {}
_lock = threading.Lock()


def engine_for(credentials: dict[str, Any]) -> LlamaEngine:
    """Return the engine for the credentials.

    If the settings differ, or the file has been replaced, a new engine replaces the old one, whose
    memory is freed when its last call ends. Raises: InvokeBadRequestError.
    """
    wanted = read_settings(LlamaCredentials, credentials)
    check_is_gguf(wanted.model_path)
    more = [wanted.projector_path] if wanted.projector_path else []
    files = [look_of(path) for path in [*parts_of(wanted.model_path), *more]]
    key = f"{wanted.model_dump_json()} {files}"
    with _lock:
        known = _engines.get(wanted.model_path)
        if known is not None and known[0] == key:
            return known[1]
        if known is not None:
            _engines.pop(wanted.model_path)[1].retire()
        engine = LlamaEngine(wanted)
        _engines[wanted.model_path] = (key, engine)
        return engine


def look_of(path: Path) -> tuple[int, int]:
    """Return the modification time and size of a file, which reveal a change; (0, 0) if it is
    missing.
    """
    try:
        file = path.stat()
    except OSError:
        return 0, 0
    return file.st_mtime_ns, file.st_size
