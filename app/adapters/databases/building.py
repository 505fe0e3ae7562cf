"""Builds what keeps databases, without the rest of the terminal: it works while a window is open."""

from __future__ import annotations

from app.adapters.databases.process import Postgres
from app.adapters.secrets import Keyring
from app.adapters.setup.json_file import JsonFile
from app.data.library.shelf import Library
from app.services.databases.databases import Databases
from backends.paths import databases_file, databases_folder, library_file


def build_databases() -> Databases:
    """Return the databases of this data folder."""
    library = Library(JsonFile(library_file()))
    return Databases(
        Postgres(),
        JsonFile(databases_file()),
        Keyring(),
        databases_folder(),
        lambda: [note.path for note in library.notes().values()],
    )
