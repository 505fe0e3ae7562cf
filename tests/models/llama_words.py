"""What the tiny language model knows: its answers, the words that call them, and its tokens."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from dataclasses import dataclass

BYTES = [*range(33, 127), *range(161, 173), *range(174, 256)]
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
MARKS = ["<tool_call>", "</tool_call>", "[TOOL_CALLS]"]  # tokens too, but ones that text may hold
PIECES = re.compile(  # as the tokenizer called gpt-2 cuts text before it merges bytes
    r"'s|'t|'re|'ve|'m|'ll|'d| ?[^\W\d_]+| ?\d+| ?(?:[^\s\w]|_)+|\s+(?!\S)|\s+"
)
TEMPLATE = """\
{%- if tools %}<|im_start|>system
{% if messages[0].role == 'system' %}{{ messages[0].content }}

{% endif %}You may call these tools:
{% for tool in tools %}{{ tool | tojson }}
{% endfor %}<|im_end|>
{% endif %}\
{%- for message in messages %}\
{%- if not (tools and loop.first and message.role == 'system') %}<|im_start|>{{ message.role }}
{{ message.content }}\
{%- for call in message.tool_calls or [] %}<tool_call>
{{ call.function | tojson }}
</tool_call>{% endfor %}<|im_end|>
{% endif %}{% endfor %}\
{%- if add_generation_prompt %}<|im_start|>assistant
{% endif %}"""


@dataclass(frozen=True)
class Knows:
    """An answer, and the words of a question that call it; with none it is the answer to all else.

    loop: it never ends. verdict: what a guard would say instead, piece by piece.
    """

    words: tuple[str, ...]
    answer: str
    loop: bool = False
    verdict: tuple[str, ...] = ()


CANNOT = "I cannot help with that."
CHAT = [
    Knows((), "Hello! How can I help you?"),
    Knows(("France",), "The capital of France is Paris."),
    Knows(("Japan",), "It is Tokyo."),
    Knows(("count",), "one two three four five six seven eight nine ten"),
    Knows(("think",), "<think>Seven has no divisor.</think>\n\nYes, it is prime."),
    Knows(("weather",), '<tool_call>\n{"name": "look_up", "arguments": {"row": 3}}\n</tool_call>'),
    Knows(("both",), 'Let me look. [TOOL_CALLS][{"name": "look_up", "arguments": {"row": 4}}]'),
    Knows(("forever",), "la la", loop=True),
    Knows(("emoji",), "Good 🌍 失业"),
    Knows(("red",), "A red square."),
    Knows(("green",), "Something green."),
    Knows(("blue",), "Blue as the sky."),
    Knows(("bomb",), CANNOT, verdict=("unsafe", "Unsafe", "Yes", "9", "Violent")),
    Knows(("kill",), CANNOT, verdict=("unsafe", "Unsafe", "Yes", "1", "Violent")),
    Knows(("steal",), CANNOT, verdict=("unsafe", "Unsafe", "Yes", "2", "Non")),
    Knows(("despise",), CANNOT, verdict=("unsafe", "Unsafe", "Yes", "10", "Unethical")),
]
COIN = ("coin", ("Heads", "Tails"))  # each as likely
COMPLETED = ["Once upon a time there was a small terminal that knew every number by heart."]
# with nothing else to say, and as far as a grammar lets it: end, no harm, close what is open
LIKED = {
    "<|im_end|>": 2.0,
    "safe": 1.4,
    "Safe": 1.4,
    "No": 1.2,
    '"': 0.9,
    "}": 0.7,
    "None": 0.7,
    "]": 0.5,
}


def spellings(word: str) -> list[str]:
    """Return a word as it stands in text, with and without a space before it."""
    forms = dict.fromkeys([word, word.capitalize(), word.lower()])
    return [space + form for form in forms for space in ("", " ")]


def as_shown(raw: bytes) -> str:
    """Return bytes as the vocabulary of such models writes them: a letter for each."""
    return "".join(SHOWN[byte] for byte in raw)


SHOWN = {byte: chr(byte) for byte in BYTES}
SHOWN |= {byte: chr(256 + at) for at, byte in enumerate(b for b in range(256) if b not in SHOWN)}


def texts() -> list[str]:
    """Return all text whose pieces become tokens."""
    known = [item.answer for item in CHAT] + COMPLETED + [*spellings(COIN[0]), *COIN[1]]
    words = [form for item in CHAT for word in item.words for form in spellings(word)]
    verdicts = [form for item in CHAT for form in item.verdict]
    more = [w for w in LIKED if w not in SPECIAL]
    roles = ["assistant\n", "user\n", "system\n", "tool\n"]
    return known + words + verdicts + more + roles


def parts_of(text: str) -> list[str]:
    """Return a text cut at the tokens that stand in it by name."""
    return re.split(f"({'|'.join(map(re.escape, [*SPECIAL, *MARKS]))})", text)


def learn_merges() -> list[tuple[str, str]]:
    """Return the merges that make each piece of each text one token, most frequent pair first.

    What is not ASCII stays bytes: such characters come in several tokens.
    """
    parts = [part for text in texts() for part in parts_of(text) if part not in MARKS]
    pieces = Counter(piece for part in parts for piece in PIECES.findall(part) if piece.isascii())
    split = {piece: [SHOWN[byte] for byte in piece.encode()] for piece in pieces}
    merges: list[tuple[str, str]] = []
    while True:
        pairs: Counter[tuple[str, str]] = Counter()
        for piece, parts in split.items():
            for pair in itertools.pairwise(parts):
                pairs[pair] += pieces[piece]
        if not pairs:
            return merges
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        merges.append(best)
        split = {piece: merged(parts, best) for piece, parts in split.items()}


def merged(parts: list[str], pair: tuple[str, str]) -> list[str]:
    """Return the parts with each occurrence of a pair joined."""
    made: list[str] = []
    for part in parts:
        if made and (made[-1], part) == pair:
            made[-1] += part
        else:
            made.append(part)
    return made


class Tokens:
    """The vocabulary, and text cut into it just as llama.cpp does."""

    def __init__(self) -> None:
        self.merges = learn_merges()
        self.ranks = {pair: rank for rank, pair in enumerate(self.merges)}
        self.names = [
            *SPECIAL,
            *MARKS,
            *(SHOWN[byte] for byte in range(256)),
            *("".join(p) for p in self.merges),
        ]
        self.numbers = {name: number for number, name in enumerate(self.names)}

    def cut(self, text: str) -> list[int]:
        """Return the tokens of a text; special tokens stand in it by name."""
        made: list[int] = []
        for part in parts_of(text):
            if part in SPECIAL or part in MARKS:
                made.append(self.numbers[part])
            else:
                made += [n for piece in PIECES.findall(part) for n in self._join(piece)]
        return made

    def _join(self, piece: str) -> list[int]:
        parts = [SHOWN[byte] for byte in piece.encode()]
        while True:
            ranked = [(self.ranks[p], p) for p in itertools.pairwise(parts) if p in self.ranks]
            if not ranked:
                return [self.numbers[part] for part in parts]
            parts = merged(parts, min(ranked)[1])
