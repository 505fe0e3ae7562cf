"""Models one can have: list, pull, find."""

from backends.catalog.catalog import Catalog, Installed
from backends.catalog.entries import Entry
from backends.catalog.errors import CatalogError

__all__ = ["Catalog", "CatalogError", "Entry", "Installed"]
