"""Errors of the model catalogue, worded for users.

CatalogError(text, remedy)
├── UnknownModel     no entry has this id
├── NotReachable     no index offers the file, or the network is off
├── NotTheFile       the file differs from the catalogue's description
├── NotAModel        the imported file is not a model, or its name is taken
├── NoSpace          the disk has no room for it
├── NotAChoice       not a model setting, or the settings file is damaged
└── NotWritten       the models folder cannot be written to
"""

from __future__ import annotations


class CatalogError(Exception):
    """Base class: what happened (`text`) and what to do (`remedy`)."""

    def __init__(self, text: str, remedy: str = "") -> None:
        super().__init__(text)
        self.text = text
        self.remedy = remedy


class UnknownModel(CatalogError):
    """No catalogue entry has this id."""


class NotReachable(CatalogError):
    """No index offers the file, or the network is off."""


class NotTheFile(CatalogError):
    """The file is not the one that the catalogue describes."""


class NotAModel(CatalogError):
    """The imported file is not a model that can be used here, or its name is taken."""


class NoSpace(CatalogError):
    """The disk does not have enough room."""


class NotWritten(CatalogError):
    """The models folder cannot be written to."""


class NotAChoice(CatalogError):
    """This is not a setting of a model, or the saved settings cannot be read."""


class InUse(CatalogError):
    """The model is answering at the moment."""
