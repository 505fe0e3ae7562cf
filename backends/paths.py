"""Where Deskpilot keeps its files."""

from __future__ import annotations

import os
from pathlib import Path


def data_folder() -> Path:
    """Return the folder of all stored data: `DESKPILOT_HOME`, or the system's default."""
    if named := os.environ.get("DESKPILOT_HOME"):
        return Path(named).expanduser().absolute()
    from platformdirs import user_data_path

    return user_data_path("deskpilot", appauthor=False)


def models_folder() -> Path:
    """Return the folder of the models: `DESKPILOT_MODELS`, or `models` in the data folder."""
    named = os.environ.get("DESKPILOT_MODELS")
    return Path(named).expanduser().absolute() if named else data_folder() / "models"


def endpoint_file() -> Path:
    """Return the file with the address of a running model service."""
    return data_folder() / "service.json"


def tokens_file() -> Path:
    """Return the file of the named tokens for the model service, stored as hashes."""
    return data_folder() / "tokens.json"


def cluster_token_file() -> Path:
    """Return the file of the token that the machines of a cluster share."""
    return data_folder() / "cluster-token"


def model_hashes_file() -> Path:
    """Return the file that caches the hashes of models for a cluster, by path, size and time."""
    return data_folder() / "model-hashes.json"


def abilities_file() -> Path:
    """Return the file with the language models' results in the test of understanding questions."""
    return data_folder() / "abilities.json"


def store_file() -> Path:
    """Return the file of the conversations."""
    return data_folder() / "deskpilot.sqlite"


def typed_file() -> Path:
    """Return the file that keeps what is typed while the window starts."""
    return data_folder() / "typed.txt"


def window_file() -> Path:
    """Return the file with the size and position of the window, in Qt's format."""
    return data_folder() / "window.geometry"


def copilots_file() -> Path:
    """Return the file of the copilots that were added."""
    return data_folder() / "copilots.json"


def providers_file() -> Path:
    """Return the file of the added providers; it holds no secrets."""
    return data_folder() / "providers.json"


def skills_file() -> Path:
    """Return the file of the skills."""
    return data_folder() / "skills.json"


def library_file() -> Path:
    """Return the file of the library: notes on tables, and workflows."""
    return data_folder() / "library.json"


def design_file() -> Path:
    """Return the file that records the progress of the last design of interfaces."""
    return data_folder() / "design.json"


def backends_file() -> Path:
    """Return the file of the added widget backends; it holds no secrets."""
    return data_folder() / "backends.json"


def databases_file() -> Path:
    """Return the file of the added databases; it holds no secrets."""
    return data_folder() / "databases.json"


def databases_folder() -> Path:
    """Return the folder with copies of the databases' tables."""
    return data_folder() / "databases"


def documents_file() -> Path:
    """Return the file of the index of the documents."""
    return data_folder() / "documents.sqlite"


def looks_folder() -> Path:
    """Return the folder of table snapshots."""
    return data_folder() / "looks"


def assistants_file() -> Path:
    """Return the file of the assistants; it holds only hashes of tokens."""
    return data_folder() / "assistants.json"


def gateway_file() -> Path:
    """Return the file with the address of a running gateway; it holds no token."""
    return data_folder() / "gateway.json"


def mcp_file() -> Path:
    """Return the file of the added MCP servers; it holds no secrets."""
    return data_folder() / "mcp.json"


def plugins_file() -> Path:
    """Return the file of the added plugins; it holds no secrets."""
    return data_folder() / "plugins.json"


def settings_file() -> Path:
    """Return the file of the changed settings."""
    return data_folder() / "settings.json"


def profiles_folder() -> Path:
    """Return the folder of the profiles: YAML files that name the chat model."""
    return data_folder() / "profiles"


def secret_of(file: Path | None) -> str:
    """Return the token that callers must send: the only line of a file, else `DESKPILOT_TOKEN`;
    empty if neither is set.

    It is never an argument, because everybody on the machine can read arguments.
    Raises: OSError; ValueError if the file does not hold exactly one line of plain characters.
    """
    if file is None:
        return os.environ.get("DESKPILOT_TOKEN", "").strip()
    text = file.expanduser().read_text("utf-8").strip()
    if not text or not text.isascii() or not text.isprintable() or " " in text:
        raise ValueError("it contains no token")
    return text
