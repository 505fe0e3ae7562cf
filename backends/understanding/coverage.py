"""What of a question filled no slot, and what follows from that."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel

from backends.understanding.asking.japanese import Spoken
from backends.understanding.matching import ANY_ROW, GENERIC, Match, is_row_noun, is_subject
from backends.understanding.operations import Parts, Reading
from backends.understanding.spans.numbers import SAID, is_money, unit_said
from backends.understanding.spans.text import (
    CJK,
    CODE,
    NOT,
    Question,
    Word,
    bare,
    glossary,
    lexicon,
    name_words,
    stem,
)

if TYPE_CHECKING:
    from backends.data.values import Profile
    from backends.understanding.matching import Nearness

MARGIN = 0.7
SURE = 0.85  # the score of a column whose name was said
OF_THE_NOUN = {"count", "look_up", "group", "extreme", "list_rows", "sum"}
NEAR = 0.6  # a cosine from which on a word means what a name of the table means
# Words that restrict, compare or exclude: if nothing took them, any number would answer another
# question.
RESTRICTING = re.compile(
    r"(?:no|not|non|neither|nor|never|without|except|excluding|unless|both|missing|empty|blank|null|zero|nothing|nobody"
    rf"|{NOT}|before|after|since|until|till|past|last|first|previous|prior|next|second|third|fourth|fifth|half"
    r"|twice|double[ds]?|triple[ds]?|if|over|under|above|below|weekends?|weekdays?|mornings?|afternoons?|evenings?|nights?"
    r"|spring|summer|autumn|fall|winter|holidays?|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)"
)
PHRASAL = re.compile(r"\b(?:look(?:s|ed|ing)? after|under (?=\S*\d)|[a-z]+est first)$")
COUNTED = (
    r"\b(?:of|for|how many|how much|number"
    r" of|average|mean|total|most|fewest|least|highest|lowest|largest|biggest)"
)
MONEY = {
    "pay",
    "salary",
    "wage",
    "wages",
    "price",
    "cost",
    "costs",
    "fee",
    "rent",
    "revenue",
    "profit",
    "income",
}
GREETING = re.compile(
    r"\bhow (?:are|is) (?:you|it going|things)\b|\bwho are you\b|\bwhat['’]?s"
    r" up\b|你是谁|你会什么|你好吗"
)
HOW_TO = re.compile(
    r"有什么(?:好处|坏处|区别|用处|意义)|是什么意思|怎么(?:做|办|样才|用|写)|为什么|^(?:how (?:much"
    r" |many |long |often )?(?:do|can|should|would) (?:i|you)|why (?:is|are|do|does|did)"
    r" )\b(?!.*\bhow (?:many|much)\b)"
)
OR_MORE = re.compile(
    r"\bor (?:less|more|fewer|above|below|over|under|younger|older|later|earlier|longer|shorter)\b"
)
TIME_WORDS = r"\b(month|quarter|year|day|week|dai)(ly|s)?\b|\bannual(ly)?\b|月|季|年|天|日"


class Understanding(BaseModel):
    """What a question was taken to mean.

    readings: the likeliest first, at most four. ignored: words that filled no slot.
    decision: `answer` and show the reading; `confirm`: answer, and say what was ignored; `ask` back
    with `back`; `talk`: it is not about the data.
    """

    readings: list[Reading] = []
    ignored: list[str] = []
    decision: Literal["answer", "confirm", "ask", "talk"]
    back: str | None = None
    language: Spoken = "en"


class NeedValues(BaseModel):
    """Phrases to be looked up in columns too large to list, before the question can be
    understood.
    """

    source: str
    phrases: list[str]


class Coverage:
    """Tells which words of one question about one table are explained."""

    def __init__(self, question: Question, profile: Profile, near: Nearness) -> None:
        self.q = question
        self.profile = profile
        self.near = near
        self.lexicon = lexicon(question.language)

    def ignored(self, matches: list[Match]) -> list[str]:
        """Return the content words that filled no slot."""
        words = self.q.words()
        used = {place for m in matches if m.score >= 0.4 for place in m.places}
        known = (
            set(name_words(self.profile.name))
            | set(name_words(self.profile.description))
            | {s.lower() for s in self.profile.symbols}
        )
        known |= {stem(w) for w in known}
        left: list[str] = []
        for word in words:
            if CJK.search(word.text):
                left += self.ignored_characters(word.text, matches)
            elif PHRASAL.search(self.q.lower[: word.end]):
                continue
            elif not (
                word.start in used
                or word.text in known
                or stem(word.text) in known
                or self.is_plain(word)
            ):
                left.append(self.q.text[word.start : word.end])
        return left

    def is_plain(self, word: Word) -> bool:
        """Tell whether a word restricts nothing: an everyday word, a cue, one near to what the
        table holds.
        """
        if word.text in self.lexicon.stop or self.is_cue(word.text):
            return True
        if RESTRICTING.fullmatch(word.text) or (
            word.text in MONEY and not any(map(is_money, self.profile.columns))
        ):
            return False
        if any(word.text == (c.unit or "").lower() for c in self.profile.columns) or unit_said(
            word.text
        ):
            return True
        if (
            word.text in self.lexicon.common
            or re.sub(r"['’][a-z]+$", "", word.text) in self.lexicon.common
        ):
            return True
        return word.text in ANY_ROW or is_subject(word.text, self.profile)

    def is_complement(self, word: str) -> bool:
        """Tell whether a word says what a number is of: plums in "kilos of plums", eggs in "how
        many eggs".
        """
        return (
            re.search(rf"{COUNTED} (?:the |our )?{re.escape(word.lower())}\b", self.q.lower)
            is not None
        )

    def is_headless(self, word: str, matches: list[Match]) -> bool:
        """Tell whether a word is the head of a name of which only the front was known: the
        temperature of the water.
        """
        places = {
            p for m in matches if m.score >= 0.4 and m.column.role == "measure" for p in m.places
        }
        found = re.search(rf"([a-z]+) {re.escape(word.lower())}\b", self.q.lower)
        return found is not None and found.start() in places

    def is_modifier(self, word: str) -> bool:
        """Tell whether a word makes a general one particular: phone in "phone number"."""
        found = re.search(rf"\b{re.escape(word.lower())} ([a-z]+)", self.q.lower)
        return found is not None and stem(found[1]) in {stem(w) for w in GENERIC}

    def is_near(self, word: str) -> bool:
        """Tell whether a word is near to what the table is about: it may say the same, or restrict
        it.
        """
        return word[:1].islower() and (
            is_row_noun(word, self.profile, self.near) or self.near.word(word) >= NEAR
        )

    def is_cue(self, word: str) -> bool:
        """Tell whether a word is an operation's, a concept's that some column means, or a time
        unit's.
        """
        if any(cue.search(word) for cue, _ in self.lexicon.cues.values()) or re.search(
            TIME_WORDS, word
        ):
            return not RESTRICTING.fullmatch(word)
        if word in GENERIC or word in ("time", "percent", "percentage", "quarter", "quarters"):
            return True
        meant = self.lexicon.concepts.get(word, [])
        names = {w for c in self.profile.columns for w in name_words(c.name)}
        return any(m in names for m in meant) or len(word) == 1

    def ignored_characters(self, text: str, matches: list[Match]) -> list[str]:
        """Return what is left of Chinese text when names, concepts, cues and small words are taken
        out.
        """
        for match in matches:
            name = bare(match.column.name)
            for size in range(len(name), 1, -1):
                for k in range(len(name) - size + 1):
                    text = text.replace(name[k : k + size], " ")
        names = [self.profile.name, self.profile.description]
        for size in (4, 3, 2):
            for name in names:
                for k in range(len(name) - size + 1):
                    text = text.replace(name[k : k + size].lower(), " ")
        for cue, _ in self.lexicon.cues.values():
            text = cue.sub(" ", text)
        named = {stem(w) for c in self.profile.columns for w in name_words(c.name)}
        meant = [
            zh
            for zh, english in glossary().items()
            if any(self.is_in_a_name(w, named) for w in english)
        ]
        known = [*meant, *self.lexicon.concepts, *self.lexicon.stop, *self.lexicon.common, *SAID]
        for word in sorted(known, key=len, reverse=True):
            text = text.replace(word, " ")
        left = text.split()
        lone = [w for w in left if len(w) == 1 and CJK.search(w)]
        return [w for w in left if len(w) > 1] + (["".join(lone)] if len(lone) > 2 else [])

    def is_in_a_name(self, word: str, named: set[str]) -> bool:
        """Tell whether a word is one of a name, or begins one that the rest of is said, too: "real"
        of realgdp.
        """
        begun = (n.removeprefix(word) for n in named if n.startswith(word) and len(word) > 2)
        return stem(word) in named or any(rest and rest in self.q.lower for rest in begun)

    def ask_back(self, ignored: list[str], unknown: str) -> str:
        """Return the question asked back: what was not found in the table, or which column is
        meant.
        """
        name = self.profile.name
        said = [w for w in dict.fromkeys(ignored or [unknown]) if w and w not in ("who", "谁")]
        if self.q.spoken == "ja":
            words = "、".join(said)
            start = (
                f"{name} に「{words}」が見つかりません。"
                if said
                else f"{name} のどの列のことかわかりません。"
            )
            return start + "次のどれですか？"
        if self.q.language == "zh":
            words = "、".join(said)
            start = (
                f"我在 {name} 里没有找到“{words}”。"
                if said
                else f"我不确定您指的是 {name} 的哪一列。"
            )
            return start + "您的意思是下面哪一种？"
        words = ", ".join(said)
        start = (
            f"I do not find “{words}” in {name}."
            if said
            else f"I am not sure which column of {name} you mean."
        )
        return start + " Do you mean one of these?"

    def needed(self, ignored: list[str], *, asked: bool) -> NeedValues | None:
        """Ask for values if words are left and some column has more values than the profile
        lists.
        """
        large = [
            c for c in self.profile.columns if c.kind == "text" and not c.complete and c.distinct
        ]
        if asked or not large or not ignored:
            return None
        sought = phrases(self.q, ignored)
        return NeedValues(source=self.profile.source, phrases=sought) if sought else None

    def decide(
        self,
        readings: list[Reading],
        ignored: list[str],
        parts: Parts,
        unplaced: list[str],
        *,
        follows: bool,
    ) -> Understanding:
        """Choose between answering, asking back and talking."""
        if "latest" in parts.operations:
            ignored = [w for w in ignored if w.lower() not in ("last", "recent", "most")]
        made = Understanding(
            readings=readings, ignored=ignored, decision="answer", language=self.q.spoken
        )
        how_to = HOW_TO.search(self.q.lower) and not parts.single
        if (
            not readings
            or how_to
            or GREETING.search(self.q.lower)
            or not (follows or self.anchored(parts))
        ):
            return made.model_copy(update={"decision": "talk", "readings": []})
        far = [w for w in ignored if not self.is_near(w) or self.is_complement(w)]
        best = max((m.score for m in parts.matches if m.words), default=0.0)
        if self.must_ask(readings, far, parts, unplaced):
            return made.model_copy(
                update={"decision": "ask", "back": self.ask_back(ignored, parts.unknown)}
            )
        if len(far) >= 2 and best < SURE:
            return made.model_copy(update={"decision": "talk"})
        if far and best < SURE:  # "water temperature" of a table with a water level
            return made.model_copy(
                update={"decision": "ask", "back": self.ask_back(ignored, parts.unknown)}
            )
        narrowed = any(
            self.is_complement(w) or self.is_modifier(w) or self.is_headless(w, parts.matches)
            for w in ignored
        )
        if ignored and (narrowed or best < SURE):
            return made.model_copy(
                update={"decision": "ask", "back": self.ask_back(ignored, parts.unknown)}
            )
        close = len(readings) > 1 and readings[0].score - readings[1].score < MARGIN
        return made.model_copy(update={"decision": "confirm" if ignored or close else "answer"})

    def anchored(self, parts: Parts) -> bool:
        """Tell whether anything of the question is in the table."""
        best = max((m.score for m in parts.matches if m.words), default=0.0)
        cued = bool(parts.operations.keys() - {"look_up", "list", "group"})
        if parts.asks_rows and "count" in parts.operations:
            return True  # "How many rows?"
        return best >= (0.42 if cued else 0.6) or bool(parts.conditions or parts.sides)

    def must_ask(
        self, readings: list[Reading], far: list[str], parts: Parts, unplaced: list[str]
    ) -> bool:
        """Tell whether any number would answer another question than the one asked."""
        names = any(
            w[:1].isupper() or w[:1].isdigit() or RESTRICTING.fullmatch(w.lower()) for w in far
        )
        unknown = parts.guessed or (bool(parts.unknown) and readings[0].interface in OF_THE_NOUN)
        more = bool(OR_MORE.search(parts.said))
        names = names or any(w.lower() in MONEY for w in far)
        chinese = self.q.language == "zh" and bool(far)
        return names or unknown or more or chinese or bool(unplaced) or readings[0].weak


def phrases(question: Question, ignored: list[str]) -> list[str]:
    """Return what to look for in large columns: runs of unexplained words, longest first."""
    text = question.text
    runs = re.findall("|".join(re.escape(w) for w in ignored), text)
    codes = [m[0] for m in CODE.finditer(text)]
    joined_runs = [
        m[0].strip()
        for m in re.finditer(
            "(?:(?:" + "|".join(re.escape(w) for w in ignored) + r")[ \-']?)+", text
        )
    ]
    wider = [
        m[0]
        for run in dict.fromkeys(joined_runs)
        for m in re.finditer(rf"[A-Za-z]+[ -]{re.escape(run)}", text)
    ]
    return list(dict.fromkeys([*codes, *wider, *joined_runs, *runs]))[:20]
