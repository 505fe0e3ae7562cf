"""What can go wrong with getting a model, in words.

CatalogError(text, remedy)
├── UnknownModel     no entry of this id
├── NotReachable     no index offers the file, or the network is off
├── NotTheFile       the file differs from what the catalogue states
├── NotAModel        what is to be imported is no model, or has a name that is taken
├── NoSpace          the disk has no room for it
├── NotAChoice       nothing one can set for a model, or the file of what was set is damaged
└── NotWritten       the folder of the models cannot be written
"""

from __future__ import annotations


class CatalogError(Exception):
    """Base: what happened (`text`) and what to do (`remedy`)."""

    def __init__(self, text: str, remedy: str = "") -> None:
        super().__init__(text)
        self.text = text
        self.remedy = remedy


class UnknownModel(CatalogError):
    """No entry of the catalogue has this id."""


class NotReachable(CatalogError):
    """No index offers the file, or the network is off."""


class NotTheFile(CatalogError):
    """The file is not the one the catalogue states."""


class NotAModel(CatalogError):
    """What is to be imported is no model that can be used here, or its name is taken."""


class NoSpace(CatalogError):
    """The disk has no room."""


class NotWritten(CatalogError):
    """The folder of the models cannot be written."""


class NotAChoice(CatalogError):
    """Nothing one can set for a model, or what was set cannot be read."""


class InUse(CatalogError):
    """The model answers just now."""
