"""Terms: how texts and questions are cut into words for the index.

Latin text goes to SQLite's tokenizer as it is, which stems it; Chinese, Japanese and Korean text is
cut into pairs of characters, so that words of two characters are found without a dictionary.
"""

from __future__ import annotations

import re
import unicodedata

CJK = r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]"
RUN = re.compile(rf"{CJK}+")
# Words, and numbers or ids whose parts belong together: 6.2.9, 2024-10-14, A-113/b.
TERM = re.compile(rf"{CJK}+|[^\W_]+(?:[./:-][^\W_]+)*")
# Words that say nothing of what a document holds; they are searched, too, but are no evidence.
COMMON = frozenset(
    [
        "a",
        "about",
        "all",
        "also",
        "an",
        "and",
        "any",
        "are",
        "as",
        "at",
        "be",
        "because",
        "been",
        "before",
        "being",
        "below",
        "between",
        "both",
        "but",
        "by",
        "can",
        "could",
        "did",
        "do",
        "does",
        "doing",
        "for",
        "from",
        "had",
        "has",
        "have",
        "having",
        "how",
        "i",
        "if",
        "in",
        "into",
        "is",
        "it",
        "its",
        "may",
        "me",
        "might",
        "mine",
        "more",
        "most",
        "much",
        "must",
        "my",
        "no",
        "nor",
        "not",
        "of",
        "on",
        "only",
        "or",
        "other",
        "our",
        "out",
        "over",
        "per",
        "say",
        "said",
        "says",
        "shall",
        "she",
        "should",
        "so",
        "some",
        "such",
        "tell",
        "than",
        "that",
        "the",
        "their",
        "them",
        "then",
        "there",
        "these",
        "they",
        "this",
        "those",
        "to",
        "under",
        "until",
        "up",
        "us",
        "was",
        "we",
        "were",
        "what",
        "when",
        "where",
        "which",
        "while",
        "who",
        "whom",
        "whose",
        "why",
        "will",
        "with",
        "would",
        "you",
        "your",
        "document",
        "documents",
        "file",
        "files",
        "page",
        "pages",
        "please",
        "show",
        "find",
        "according",
        "many",
        "often",
        "mention",
        "mentions",
        "mentioned",
        "describe",
        "explain",
        "summarise",
        "summarize",
    ]
)
COMMON_CJK = re.compile(
    "什么|怎么|如何|多少|多久|多长|何时|几时|哪些|哪个|哪里|谁的?|是否|有没有|可以|需要|请问|吗|呢|的|了|是|在|和|与|我们?|你们?|他们?|这个?|那个?|文件|文档"
    "|ですか|ますか|でしょうか|ください|について|とは|どの|どこ|なに|何|いつ|だれ|誰|です|ます|から|まで|など|する|した|は|が|を|に|の|と|で|も|へ|や|か"
)


def index_text(text: str) -> str:
    """Return a text as it is indexed: ligatures resolved, CJK runs as pairs of characters."""
    plain = unicodedata.normalize("NFKC", text)
    return RUN.sub(lambda run: f" {' '.join(pairs(run[0]))} ", plain)


def pairs(run: str) -> list[str]:
    """Return the pairs of neighbouring characters of a run, and a single character as it is."""
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]


def terms_of(text: str) -> list[str]:
    """Return the distinct terms of a text in their order: words, ids, and runs of CJK
    characters.
    """
    plain = unicodedata.normalize("NFKC", text)
    return list(dict.fromkeys(m[0] for m in TERM.finditer(plain)))


def match_expression(question: str) -> str:
    """Return the FTS5 expression that finds any term of a question; empty without a term.

    An id of several parts, and a run of CJK characters, count as a phrase besides their parts.
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
    """Return the terms that a passage must hold to be evidence: neither common words nor
    particles.
    """
    found: list[str] = []
    for term in terms_of(question):
        if RUN.fullmatch(term):
            found += [part for part in COMMON_CJK.split(term) if part]
        elif term.lower() not in COMMON and (len(term) > 1 or term.isdigit()):
            found.append(term)
    return list(dict.fromkeys(found))
