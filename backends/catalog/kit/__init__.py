"""The offline kit: models as a folder one carries to a machine without a network."""

from backends.catalog.kit.carry import export_kit, import_kit

__all__ = ["export_kit", "import_kit"]
