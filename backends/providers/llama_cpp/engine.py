"""A loaded GGUF: renders prompts, keeps the KV cache, generates tokens, stops when told."""

# llama-cpp-python hides the model and context handles that piece bytes and cache need
# pyright: reportPrivateUsage=false

from __future__ import annotations

import ctypes
import logging
import threading
from typing import TYPE_CHECKING, Any

import jinja2
import llama_cpp
from llama_cpp.llama_chat_format import Jinja2ChatFormatter

from backends.flexai.devices import report
from backends.flexai.errors import (
    InvokeBadRequestError,
    InvokeCancelledError,
    InvokeServerUnavailableError,
)
from backends.providers.llama_cpp.grammar import depth_of
from backends.providers.llama_cpp.messages import (
    as_dicts,
    describe_tools,
    only_text,
    with_short_ids,
)
from backends.providers.llama_cpp.opening import (
    PREFILL,
    Credentials,
    load,
    load_projector,
    place_for,
)
from backends.providers.llama_cpp.pictures import Prompt, read_picture
from backends.providers.llama_cpp.prompts import plain
from backends.providers.llama_cpp.tool_calls import speaks_harmony

if TYPE_CHECKING:
    from collections.abc import Generator

    from backends.flexai.entities import PromptMessage

CHATML = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
# a template is a program: it fails as the expressions in it do, and `raise_exception` is a
# ValueError
TEMPLATE_ERRORS = (
    jinja2.TemplateError,
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    ArithmeticError,
    RecursionError,
)

# brackets in each other in a grammar; its parser goes down one by one until the stack ends
DEEPEST = 1000


class Engine:
    """One context of one model; `lock` is held by the call that uses it.

    Raises on making: InvokeBadRequestError for a file that is missing, cut short or no GGUF.
    """

    def __init__(self, credentials: Credentials) -> None:
        self.lock = threading.Lock()
        self.placed = place_for(credentials)
        self.llama = load(credentials, self.placed)
        report(self.placed.told)
        self.model = self.llama._model
        self.context_size = self.llama.n_ctx()
        self.reused_tokens = 0
        self._accepted: dict[str, bool] = {}  # grammars looked at
        self._flag = threading.Event()
        # llama.cpp keeps the bare pointer: the callback must live as long as the context
        self._abort = llama_cpp.ggml_abort_callback(lambda _: self._flag.is_set())
        llama_cpp.llama_set_abort_callback(self.llama.ctx, self._abort, ctypes.c_void_p(0))
        template = self.llama.metadata.get("tokenizer.chat_template") or CHATML
        self._knows_tools = "tools" in template
        self.harmony = speaks_harmony(template)
        self._short_ids = "length 9" in template or "length != 9" in template
        self._plain = plain.PlainText(*self._names(template))
        self._formatter = self._make_formatter(template)
        self._mode = credentials.mode
        self.projector = load_projector(credentials, self.llama, gpu=self.placed.layers != 0)

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
                f"The model's chat template is no template: {error}",
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

        Raises: InvokeBadRequestError if the model's template refuses the messages.
        """
        text, begins = self.prompt_of(messages, tools)
        return self.tokens_of(text, special=True, begin=not begins)

    def read(self, messages: list[PromptMessage], tools: list[dict[str, Any]] | None) -> Prompt:
        """Return the prompt of a conversation, its pictures included; close it after use.

        Raises: InvokeBadRequestError for what the model cannot read.
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
        """Return the tokens of a text. special: names such as `<|im_end|>` in it count. begin: mark
        its begin.

        Half a character, as text cut by others has it, becomes a question mark.
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
        """Return the prompt of a conversation, and whether the template marked its begin.

        Names of special tokens in the messages are broken, for `tokens_of` to read them as text.
        Raises: InvokeBadRequestError if the model's template refuses the messages.
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
                f"The model's template cannot take these messages: {error}",
                "Leave out what it names.",
            ) from error
        return answer.prompt, bool(answer.added_special)

    def generate(
        self,
        prompt: list[int],
        sampling: dict[str, Any],
        grammar: llama_cpp.LlamaGrammar | None,
        flag: threading.Event,
        seed: int | None = None,
        scene: Prompt | None = None,
    ) -> Generator[int, None, None]:
        """Yield tokens until the model ends its answer; raises InvokeCancelledError once `flag` is
        set.

        scene: the prompt again, with the pictures that stand in it. seed: the same seed, prompt and
        sampling give the same tokens; None is another each time. The longest prefix that the
        context already holds is not computed again; how long it was stands in `reused_tokens`.
        """
        if grammar is not None and not self.accepts(grammar):
            raise InvokeBadRequestError(
                "llama.cpp cannot bind an answer to this schema: its grammar is too large.",
                "Lower maxLength, maxItems and the like, or leave them out.",
            )
        self._flag = flag
        self.llama.set_seed(llama_cpp.LLAMA_DEFAULT_SEED if seed is None else seed)
        try:
            self._prefill(prompt, flag, scene)
            for token in self.llama.generate(prompt, reset=True, grammar=grammar, **sampling):
                if llama_cpp.llama_vocab_is_eog(self.model.vocab, token):
                    return
                stop_if_set(flag)
                yield token
        except RuntimeError as error:
            if flag.is_set():
                raise InvokeCancelledError("The answer was stopped.") from error
            raise InvokeServerUnavailableError(
                f"llama.cpp failed: {error}", "Try again."
            ) from error

    def accepts(self, grammar: llama_cpp.LlamaGrammar) -> bool:
        """Tell whether llama.cpp can use a grammar; one it cannot would end the process."""
        text = grammar._grammar
        if depth_of(text) > DEEPEST:
            return False
        if text not in self._accepted:
            loud = logging.getLogger("llama-cpp-python")  # it would print the whole grammar
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

    def _prefill(self, prompt: list[int], flag: threading.Event, scene: Prompt | None) -> None:
        """Bring the context to the prompt but for its last token, in steps that can be stopped."""
        held = self.llama.input_ids[: self.llama.n_tokens]
        common = 0
        for ours, theirs in zip(prompt[:-1], held, strict=False):
            if ours != theirs:
                break
            common += 1
        places = scene.places if scene else []
        common = next(
            (p.start for p in places if p.start < common < p.end), common
        )  # seen whole or not
        if common < self.llama.n_tokens and not self.llama._ctx.kv_cache_seq_rm(-1, common, -1):
            self.llama.reset()  # a recurrent model cannot go back part of the way
            self.llama._ctx.kv_cache_clear()
            common = 0
        self.llama.n_tokens = common
        self.reused_tokens = common
        for place in places:
            if scene and place.start >= common:
                self._evaluate(prompt[self.llama.n_tokens : place.start], flag)
                stop_if_set(flag)
                scene.see(self.llama, place)
        self._evaluate(prompt[self.llama.n_tokens : -1], flag)

    def _evaluate(self, tokens: list[int], flag: threading.Event) -> None:
        """Have the context take tokens, in steps that can be stopped."""
        for start in range(0, len(tokens), PREFILL):
            stop_if_set(flag)
            self.llama.eval(tokens[start : start + PREFILL])

    def close(self) -> None:
        """Free the model's memory; the engine cannot be used after."""
        if self.projector is not None:
            self.projector.close()
        self.llama.close()

    def piece(self, token: int) -> bytes:
        """Return the bytes of one token; they need not be whole characters."""
        buffer = ctypes.create_string_buffer(64)
        size = llama_cpp.llama_token_to_piece(self.model.vocab, token, buffer, 64, 0, True)
        if size < 0:
            buffer = ctypes.create_string_buffer(-size)
            size = llama_cpp.llama_token_to_piece(self.model.vocab, token, buffer, -size, 0, True)
        return buffer.raw[:size]


def stop_if_set(flag: threading.Event) -> None:
    """Raise InvokeCancelledError if the flag is set."""
    if flag.is_set():
        raise InvokeCancelledError("The answer was stopped.")
