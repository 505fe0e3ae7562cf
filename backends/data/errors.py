"""Errors in computations over tables, worded for users.

KernelError(text, remedy)
├── NothingSelected      no row meets the conditions
├── UnknownColumn        the table has no such column
├── WrongArguments       the arguments do not fit the interface or the column
└── ComputationStopped   the computation was stopped
"""

from __future__ import annotations


class KernelError(Exception):
    """Base class of the errors: what happened (`text`) and what to do (`remedy`)."""

    def __init__(self, text: str, remedy: str = "") -> None:
        super().__init__(text)
        self.text = text
        self.remedy = remedy


class NothingSelected(KernelError):
    """No row meets the conditions."""


class UnknownColumn(KernelError):
    """The table has no such column."""


class WrongArguments(KernelError):
    """The arguments do not fit the interface or the column."""


class ComputationStopped(KernelError):
    """The computation was stopped."""
