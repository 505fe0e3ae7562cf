"""Build the tiny language model: a real llama whose weights are written down, not trained.

    python -m tests.models.build_llama OUT      → OUT/tiny-llama.gguf

One layer. Three heads look one token back, two tokens back, and to the last word that calls an
answer;
each neuron knows one step of one answer: these tokens, so that one. It takes a second and makes the
same bytes each time. Needs gguf.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import gguf
import numpy as np

from tests.models.gguf_file import build, finish
from tests.models.llama_words import (
    CHAT,
    COIN,
    COMPLETED,
    LIKED,
    MARKS,
    SPECIAL,
    TEMPLATE,
    Tokens,
    spellings,
)

if TYPE_CHECKING:
    from pathlib import Path

NAME = "tiny-llama.gguf"
WIDTH, HEAD, HEADS, CONTEXT, BASE = 256, 64, 3, 4096, 10_000.0
# what each number of the residual stream means
NOW, BEFORE, BEFORE_THAT = (
    0,
    64,
    128,
)  # codes of the last three tokens; what comes next is added to NOW
IS_KEY, KEY = 192, 216  # which word calls an answer: of this token, and the last one heard
ONE, CALLS, PLAIN = 240, 241, 242  # always 1; 1 for a word that calls; as much for all others
KEYS = 24
SLOW = 29  # the pair of a head's numbers that tells near words from far ones, and turns least
EPS = 1e-6
END = "<|im_end|>"
START = "<|im_start|>assistant\n"
SURE = 10.0
Step = tuple[
    int, int, int, int
]  # the token before the one before, the one before, the last; the key or -1


def codes(count: int) -> np.ndarray:
    """Return unit vectors of 64 signs, any two nearly at right angles: Gold's sequences, |cosine|
    <= 0.29.
    """
    register, bits = [1, 0, 0, 0, 0, 0], []
    for _ in range(63):
        bits.append(register[0])
        register = [*register[1:], register[0] ^ register[1]]
    u = np.array(bits)
    v = u[np.arange(63) * 5 % 63]
    family = [u, v, *(u ^ np.roll(v, shift) for shift in range(63))]
    made = [np.append(np.roll(row, shift), 0) for shift in range(63) for row in family]
    return (1 - 2 * np.array(made[:count])) / 8


class Network:
    """The weights, filled in by what the model knows."""

    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self.codes = codes(len(tokens.names))
        self.keys: dict[str, int] = {}
        self.steps: dict[Step, dict[int, float]] = {}
        self._learn()

    def key(self, word: str) -> int:
        """Return the number of a word that calls an answer."""
        return self.keys.setdefault(word, len(self.keys))

    def _learn(self) -> None:
        start = self.tokens.cut(START)
        for item in CHAT:
            keys = [self.key(word) for word in item.words] or [-1]
            end = [] if item.loop else self.tokens.cut(END)
            made = self.tokens.cut(item.answer) + end
            for key in keys:
                self._chain([*start, *made], len(start), key)
                if item.loop:
                    self.steps[(-1, -1, made[-1], key)] = {made[-1]: SURE}
                if item.verdict:
                    self.steps[(-1, -1, -1, key)] = {
                        self.tokens.cut(v)[0]: 3.0 for v in item.verdict
                    }
                    for number in filter(str.isdigit, item.verdict):  # a category is said once
                        self.steps[(-1, -1, self.tokens.cut(number)[0], key)] = {
                            self.tokens.cut(END)[0]: SURE
                        }
        key = self.key(COIN[0])
        sides = [self.tokens.cut(side)[0] for side in COIN[1]]
        self.steps[(*start[-3:], key)] = dict.fromkeys(sides, 4 * SURE)
        for side in sides:
            self.steps[(-1, -1, side, key)] = {self.tokens.cut(END)[0]: 2 * SURE}
        for text in COMPLETED:
            whole = self.tokens.cut(text + END)
            self._chain(whole, 1, -1)

    def _chain(self, whole: list[int], first: int, key: int) -> None:
        """Learn to say `whole` from its token `first` on; the same three tokens never go two
        ways.
        """
        for at in range(first, len(whole)):
            last = [-1, -1, -1, *whole[:at]][-3:]
            step = (last[0], last[1], last[2], key)
            then = {
                whole[at]: SURE if key < 0 else 2 * SURE
            }  # a word that calls is heard above all else
            known = self.steps.setdefault(step, then)
            assert known == then, f"two ways after {[self.tokens.names[t] for t in last]}"

    def embeddings(self) -> np.ndarray:
        """Return (tokens, WIDTH), all of one length."""
        rows = np.zeros((len(self.codes), WIDTH), np.float32)
        rows[:, NOW : NOW + 64] = self.codes
        rows[:, ONE] = 1
        rows[:, PLAIN] = 2**0.5
        for word in self.keys:
            for form in spellings(word):
                (number,) = self.tokens.cut(form)
                rows[number, [PLAIN, CALLS, IS_KEY + self.key(word)]] = [0, 1, 1]
        return rows

    def attention(self) -> dict[str, np.ndarray]:
        """Return q, k, v, o as (out, in)."""
        scale = (4 / WIDTH + EPS) ** 0.5  # all rows have the length 2
        turns = BASE ** (-np.arange(HEAD // 2) / (HEAD // 2))
        q, k, v = (np.zeros((HEADS * HEAD, WIDTH), np.float32) for _ in "qkv")
        o = np.zeros((WIDTH, HEADS * HEAD), np.float32)
        for head, back in ((0, 1), (1, 2)):
            rows = slice(head * HEAD, (head + 1) * HEAD)
            q[rows, ONE] = (
                12 * scale * np.stack([np.cos(-back * turns), np.sin(-back * turns)], 1).ravel()
            )
            k[rows, ONE] = (
                12 * scale * np.stack([np.ones(HEAD // 2), np.zeros(HEAD // 2)], 1).ravel()
            )
            v[rows, NOW : NOW + 64] = np.eye(64) * scale
            o[BEFORE + 64 * head : BEFORE + 64 * head + 64, rows] = np.eye(64)
        at = 2 * HEAD
        q[at + 2 * SLOW : at + 2 * SLOW + 2, ONE] = [
            280 * scale * np.cos(0.5),
            280 * scale * np.sin(0.5),
        ]
        k[at + 2 * SLOW, CALLS] = 280 * scale
        v[at : at + KEYS, IS_KEY : IS_KEY + KEYS] = np.eye(KEYS) * scale
        o[KEY : KEY + KEYS, at : at + KEYS] = np.eye(KEYS)
        return {"attn_q": q, "attn_k": k, "attn_v": v, "attn_output": o}

    def neurons(self) -> dict[str, np.ndarray]:
        """Return gate, up, down as (out, in): a neuron for each step, the last likes what is
        liked.
        """
        count = -(-(len(self.steps) + 1) // 32) * 32
        gate, up = np.zeros((count, WIDTH), np.float32), np.zeros((count, WIDTH), np.float32)
        down = np.zeros((WIDTH, count), np.float32)
        sharp, up_by = 8.0, 1.0
        for at, ((oldest, older, last, key), then) in enumerate(self.steps.items()):
            wanted = 0
            for place, token in ((BEFORE_THAT, oldest), (BEFORE, older), (NOW, last)):
                if token >= 0:
                    gate[at, place : place + 64] += self.codes[token] * sharp
                    wanted += 1
            if key >= 0:
                gate[at, KEY + key] = sharp
                wanted += 1
            gate[at, ONE] = -sharp * (wanted - 0.5)
            up[at, ONE] = up_by
            for token, weight in then.items():
                down[NOW : NOW + 64, at] += self.codes[token] * weight / 100
        gate[-1, ONE], up[-1, ONE] = sharp * 0.5, up_by
        for name, weight in LIKED.items():
            token = self.tokens.numbers[name] if name in SPECIAL else self.tokens.cut(name)[0]
            down[NOW : NOW + 64, -1] += self.codes[token] * weight / 100
        return {"ffn_gate": gate, "ffn_up": up, "ffn_down": down}


def write(path: Path, pooling: gguf.PoolingType | None = None) -> None:
    """Write the model. pooling: how an embedder made of it joins the vectors of a text's tokens."""
    tokens = Tokens()
    network = Network(tokens)
    file = gguf.GGUFWriter(path, "llama")
    file.add_name("tiny llama")
    file.add_description("Written by tests/models/build_llama.py; knows a handful of answers.")
    file.add_license("GPL-3.0-or-later")
    file.add_context_length(CONTEXT)
    file.add_embedding_length(WIDTH)
    file.add_block_count(1)
    file.add_head_count(HEADS)
    file.add_key_length(HEAD)
    file.add_value_length(HEAD)
    file.add_rope_dimension_count(HEAD)
    file.add_rope_freq_base(BASE)
    file.add_layer_norm_rms_eps(EPS)
    neurons = network.neurons()
    file.add_feed_forward_length(len(neurons["ffn_gate"]))
    file.add_vocab_size(len(tokens.names))
    file.add_tokenizer_model("gpt2")
    file.add_tokenizer_pre("gpt-2")
    file.add_token_list(tokens.names)
    kinds = dict.fromkeys(SPECIAL, gguf.TokenType.CONTROL) | dict.fromkeys(
        MARKS, gguf.TokenType.USER_DEFINED
    )
    file.add_token_types([kinds.get(name, gguf.TokenType.NORMAL) for name in tokens.names])
    file.add_token_merges([" ".join(pair) for pair in tokens.merges])
    file.add_bos_token_id(tokens.numbers["<|endoftext|>"])
    file.add_eos_token_id(tokens.numbers[END])
    file.add_add_bos_token(False)
    file.add_chat_template(TEMPLATE)
    if pooling is not None:
        file.add_pooling_type(pooling)
    kind = gguf.GGMLQuantizationType.Q8_0
    ones = np.ones(WIDTH, np.float32)
    small = {"token_embd": network.embeddings()}
    small |= {f"blk.0.{name}": weights for name, weights in (network.attention() | neurons).items()}
    for name, weights in small.items():
        file.add_tensor(f"{name}.weight", gguf.quantize(weights, kind), raw_dtype=kind)
    for name in ("blk.0.attn_norm", "blk.0.ffn_norm", "output_norm"):
        file.add_tensor(f"{name}.weight", ones)
    finish(file)


if __name__ == "__main__":
    build(NAME, write)
