"""The catalogue of models: list, download and find them."""

from backends.catalog.catalog import Catalog, InstalledModel
from backends.catalog.entries import CatalogEntry
from backends.catalog.errors import CatalogError

__all__ = ["Catalog", "CatalogEntry", "CatalogError", "InstalledModel"]
