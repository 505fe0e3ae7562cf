"""The model catalogue: list, download and find models."""

from backends.catalog.catalog import Catalog, InstalledModel
from backends.catalog.entries import CatalogEntry
from backends.catalog.errors import CatalogError

__all__ = ["Catalog", "CatalogEntry", "CatalogError", "InstalledModel"]
