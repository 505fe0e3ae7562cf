"""Terms: how texts and questions are split into words for the index.

Latin text is passed unchanged to SQLite's tokenizer, which stems it. Chinese, Japanese and Korean
text is split into pairs of characters so that words of two characters can be found without a
dictionary.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from importlib.resources import files

import yaml

CJK = r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]"
KANA = re.compile(r"[\u3040-\u30ff]")
RUN = re.compile(rf"{CJK}+")
LETTERS = rf"(?:(?!{CJK})[^\W_])+"  # includes digits; a year ends before a Chinese character
# Words, and numbers or ids whose parts belong together: 6.2.9, 2024-10-14, A-113/b.
TERM = re.compile(rf"{CJK}+|{LETTERS}(?:[./:-]{LETTERS})*")
# languages whose words in `common.yaml` are separated by spaces
LANGUAGES = ("en", "de", "fr", "es")
VOWEL = re.compile(r"[aeiouyà-ÿ]")
HIRAGANA = re.compile(r"[\u3041-\u309f]")


@cache
def common_words() -> dict[str, frozenset[str]]:
    """Return the words of each language that say nothing about a document's content."""
    text = files("resources").joinpath("documents", "common.yaml").read_text("utf-8")
    return {language: frozenset(words.split()) for language, words in yaml.safe_load(text).items()}


@cache
def common_runs(language: str) -> re.Pattern[str]:
    """Return the pattern for what separates content words. language: zh or ja."""
    words = common_words()[language]
    return re.compile("|".join(sorted(map(re.escape, words), key=len, reverse=True)))


@cache
def light_characters() -> frozenset[str]:
    """Return the Chinese and Japanese characters that mainly have a grammatical function."""
    return frozenset("".join(common_words()["light"]))


def is_light(character: str) -> bool:
    """Return whether a character mainly has a grammatical function, as hiragana do."""
    return character in light_characters() or HIRAGANA.fullmatch(character) is not None


def language_of(question: str) -> str:
    """Return the language that most of a question's common words belong to, or English if none
    stands out.
    """
    words = [word.lower() for word in re.findall(r"[^\W\d_]+", question)]
    counts = {one: sum(word in common_words()[one] for word in words) for one in LANGUAGES}
    return max(LANGUAGES, key=lambda one: counts[one])


def index_text(text: str) -> str:
    """Return a text as it is indexed, with ligatures resolved and runs of CJK characters split into
    pairs.
    """
    plain = unicodedata.normalize("NFKC", text)
    return RUN.sub(lambda run: f" {' '.join(pairs(run[0]))} ", plain)


def pairs(run: str) -> list[str]:
    """Return the pairs of adjacent characters in a run. A single character is returned as it is."""
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]


def terms_of(text: str) -> list[str]:
    """Return the distinct terms of a text in order: words, ids, and runs of CJK characters."""
    plain = unicodedata.normalize("NFKC", text)
    return list(dict.fromkeys(m[0] for m in TERM.finditer(plain)))


def match_expression(question: str) -> str:
    """Return the FTS5 expression that finds any term of a question, or an empty string if it has no
    term.

    For an id with several parts, and for a run of CJK characters, the expression matches both the
    phrase and its parts.
    """
    wanted: list[str] = []
    for term in terms_of(question):
        if RUN.fullmatch(term):
            wanted += [quote(pair) for pair in pairs(term)]
        else:
            parts = re.split(r"[./:-]", term)
            if len(parts) > 1:
                wanted.append(quote(" ".join(parts)))
            wanted += [quote(one) for one in parts]
    return " OR ".join(dict.fromkeys(wanted))


def quote(term: str) -> str:
    """Return a term as an FTS5 string."""
    return '"' + term.replace('"', '""') + '"'


def content_terms(question: str) -> list[str]:
    """Return the terms that a passage must contain to be evidence, without common words and
    particles.
    """
    found: list[str] = []
    common = common_words()[language_of(question)]
    cuts = common_runs("ja" if KANA.search(question) else "zh")
    for term in terms_of(question):
        if RUN.fullmatch(term):
            found += [part for part in cuts.split(term) if part]
        elif term.lower() not in common and (len(term) > 1 or term.isdigit()):
            found.append(term)
    return list(dict.fromkeys(found))


def stem_set(text: str) -> frozenset[str]:
    """Return the words of a text in the form used for comparison: in lower case, without common
    endings.
    """
    return frozenset(stem(word) for word in re.findall(r"[^\W_]+", index_text(text)))


# Irregular forms of English verbs, with the verb as the key.
IRREGULAR = {
    form: verb
    for verb, forms in {
        "become": "became",
        "begin": "began begun",
        "break": "broke broken",
        "bring": "brought",
        "build": "built",
        "buy": "bought",
        "cancel": "cancelled cancelling",
        "choose": "chose chosen",
        "come": "came",
        "fall": "fell fallen",
        "find": "found",
        "give": "gave given",
        "grow": "grew grown",
        "hold": "held",
        "keep": "kept",
        "know": "knew known",
        "leave": "left",
        "lose": "lost",
        "make": "made",
        "meet": "met",
        "pay": "paid",
        "rise": "rose risen",
        "sell": "sold",
        "send": "sent",
        "spend": "spent",
        "stand": "stood",
        "take": "took taken",
        "teach": "taught",
        "tell": "told",
        "think": "thought",
        "use": "used using",
        "win": "won",
        "write": "wrote written",
    }.items()
    for form in forms.split()
}


def stem(word: str) -> str:
    """Return a word without inflectional endings."""
    word = IRREGULAR.get(word.lower(), word.lower())
    if re.search(CJK, word) or len(word) < 4 or any(c.isdigit() for c in word):
        return word
    word = re.sub(r"(ies|ied)$", "y", word)
    word = shortened(word, r"(?<=[^s])s$")
    bare = shortened(word, r"(?<!e)ed$|ing$")
    if bare != word:
        word = re.sub(r"(?<=..)([bdgmnprt])\1$", r"\1", bare)  # makes "stopped" equal to "stop"
    for ending in (r"e+$", r"(?:ly|er|ion|ment|al)$", r"e+$"):
        word = shortened(word, ending)
    return word


def shortened(word: str, ending: str) -> str:
    """Return a word without an ending if at least three letters with a vowel remain. Otherwise,
    return it unchanged.
    """
    bare = re.sub(ending, "", word)
    return bare if len(bare) > 2 and VOWEL.search(bare) else word
