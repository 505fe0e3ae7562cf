"""Check that every number in an answer appears in a result, and replace the others."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from backends.data.values import Result

# Q3 and CO2 are names. 约100 contains a number, because Chinese, Japanese and Korean are written
# without spaces. USD100 and _100_ contain numbers as well.
APART = r"(?:(?<![^\W_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af])(?<![\w.]_)(?<!\.)|(?<=USD)|(?<=EUR)|(?<=GBP)|(?<=JPY)|(?<=CNY)|(?<=RMB))"
NUMBER = re.compile(
    rf"{APART}[-−+]?\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|{APART}[-−+]?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?"
)
MARK = re.compile(r"\[\d+\]")


def untraced(answer: str, results: Iterable[Result], question: str) -> list[str]:
    """Return the numbers in an answer that appear neither in a result nor in the question, as they
    are written.

    A number appears in a result if one of the result's numbers, rounded to the same number of
    digits, equals it. The parts of dates in results, and the numbers of rows, count as well.
    """
    known: list[float] = numbers(question)
    for result in results:
        known += numbers(f"{result.value} {result.label} {result.matched} {len(result.rows)}")
        known += numbers(" ".join(str(value) for row in result.rows for value in row))
        known += numbers(" ".join(f"{cell.value} {cell.column}" for cell in result.cells))
        known += numbers(" ".join(result.columns)) + numbers(result.left_out or "")
    return [text for text in NUMBER.findall(MARK.sub("", answer)) if not is_known(text, known)]


def numbers(text: str) -> list[float]:
    """Return the numbers in a text. The numbers in a date are returned separately."""
    spaced = re.sub(r"(\d)-(?=\d)", r"\1 ", text)
    return [float(n) for found in NUMBER.findall(spaced) if (n := bare(found))]


def bare(text: str) -> str:
    """Return a number in Python's notation."""
    return text.replace(",", "").replace("−", "-")


def is_known(text: str, known: list[float]) -> bool:
    """Return whether a number equals a known one, at the precision with which it is written."""
    value = float(bare(text))
    if not math.isfinite(value):
        return value in known
    mantissa, _, exponent = bare(text).lower().partition("e")
    decimals = len(mantissa.partition(".")[2]) - int(exponent or 0)
    slack = 0.5 * 10.0**-decimals * 1.0001
    if decimals == 0 and not exponent:
        slack = 1e-9 if abs(value) < 1000 else 0.5
    return any(abs(abs(value) - abs(other)) <= slack or value == other for other in known)


REMOVED = {
    "zh": "[不是来自数据的数字，已删去]",
    "ja": "[データにない数値のため削除しました]",
    "en": "[a number that does not come from the data was removed]",
}


def traced(answer: str, results: Iterable[Result], question: str, language: str) -> str:
    """Return an answer with a placeholder for each number that appears neither in a result nor in
    the question.
    """
    missing = set(untraced(answer, results, question))
    if not missing:
        return answer
    mark = REMOVED.get(language, REMOVED["en"])
    marks = [m.span() for m in MARK.finditer(answer)]

    def struck(match: re.Match[str]) -> str:
        inside = any(start <= match.start() < end for start, end in marks)
        return mark if match[0] in missing and not inside else match[0]

    return NUMBER.sub(struck, answer)
