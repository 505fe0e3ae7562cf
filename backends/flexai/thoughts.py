"""Separate a model's thoughts from its answer, using the markers of each model family."""

from __future__ import annotations

from typing import NamedTuple


class Marks(NamedTuple):
    """The markers that open and close a thought, and the text allowed between the thought and the
    answer.
    """

    opens: str
    closes: str
    then: str = ""


THINK = Marks("<think>", "</think>")  # Qwen, DeepSeek, SmolLM3 and most others
FINAL = "<|channel|>final<|message|>"
FAMILIES = (
    THINK,
    Marks("[THINK]", "[/THINK]"),  # Mistral
    Marks("<|channel|>analysis<|message|>", "<|end|>", f"<|start|>assistant{FINAL}"),  # gpt-oss
    Marks(FINAL, ""),  # gpt-oss, if there is no thought
)


class AnswerPiece(NamedTuple):
    """A piece of an answer. reasoning: the part that is a thought and so does not belong to the
    answer.
    """

    text: str = ""
    reasoning: str = ""


class ThoughtSplitter:
    """Splits an answer into thoughts and text. The answer comes in pieces, split anywhere; it has
    thoughts only if it starts with a marker.

    begun: the opening marker with which the prompt already ends; True for the most common one.
    """

    def __init__(self, *, begun: Marks | bool = False) -> None:
        self._held = ""
        self._marks = begun if isinstance(begun, Marks) else THINK
        self._feed = self._thought if begun else self._start

    def feed(self, text: str) -> AnswerPiece:
        """Add a piece, and return the part of the text that is final."""
        self._held += text
        return self._feed()

    def finish(self) -> AnswerPiece:
        """Return the remaining text at the end of the answer."""
        held = self._taken()
        if self._feed == self._thought:
            return AnswerPiece(reasoning=held)
        return AnswerPiece(held if self._feed == self._start else "")

    def _start(self) -> AnswerPiece:
        begun = self._held.lstrip()
        for marks in FAMILIES:
            if begun.startswith(marks.opens):
                self._marks = marks
                self._held, self._feed = begun.removeprefix(marks.opens), self._thought
                return self._thought()
        if any(marks.opens.startswith(begun) for marks in FAMILIES):
            return AnswerPiece()
        self._feed = self._answer
        return self._answer()

    def _thought(self) -> AnswerPiece:
        close = self._marks.closes
        thought, mark, rest = self._held.partition(close) if close else ("", "", self._held)
        if mark or not close:
            self._held, self._feed = rest, self._after
            return self._after()._replace(reasoning=thought)
        keep = next((n for n in range(len(close) - 1, 0, -1) if thought.endswith(close[:n])), 0)
        settled = thought[: len(thought) - keep]
        self._held = thought[len(settled) :]
        return AnswerPiece(reasoning=settled)

    def _after(self) -> AnswerPiece:
        self._held = self._held.lstrip()  # templates put blank lines between thought and answer
        if self._marks.then.startswith(self._held) and len(self._held) < len(self._marks.then):
            return AnswerPiece()
        self._held = self._held.removeprefix(self._marks.then).lstrip()
        if self._held:
            self._feed = self._answer
        return self._answer()

    def _answer(self) -> AnswerPiece:
        return AnswerPiece(self._taken())

    def _taken(self) -> str:
        held, self._held = self._held, ""
        return held


def opened_by(prompt_end: str) -> Marks | bool:
    """Return the markers of the family whose thought is opened at the end of a prompt; False if
    none is.
    """
    end = prompt_end.rstrip()
    return next((marks for marks in FAMILIES if marks.closes and end.endswith(marks.opens)), False)
