"""The locations of Deskpilot's files."""

from __future__ import annotations

import os
from pathlib import Path


def data_folder() -> Path:
    """Return the folder for all stored data: `DESKPILOT_HOME`, or the system's default."""
    if named := os.environ.get("DESKPILOT_HOME"):
        return Path(named).expanduser().absolute()
    from platformdirs import user_data_path

    return user_data_path("deskpilot", appauthor=False)


def models_folder() -> Path:
    """Return the folder for the models: `DESKPILOT_MODELS`, or `models` in the data folder."""
    named = os.environ.get("DESKPILOT_MODELS")
    return Path(named).expanduser().absolute() if named else data_folder() / "models"


def endpoint_file() -> Path:
    """Return the file with the address of a running model service."""
    return data_folder() / "service.json"


def tokens_file() -> Path:
    """Return the file with the named tokens for the model service, which are stored as hashes."""
    return data_folder() / "tokens.json"


def cluster_token_file() -> Path:
    """Return the file with the token that the machines of a cluster share."""
    return data_folder() / "cluster-token"


def model_hashes_file() -> Path:
    """Return the file that caches hashes of models for a cluster. They are stored by path, size and
    time.
    """
    return data_folder() / "model-hashes.json"


def abilities_file() -> Path:
    """Return the file with the test results that show how well language models understand
    questions.
    """
    return data_folder() / "abilities.json"


def store_file() -> Path:
    """Return the file that stores the conversations."""
    return data_folder() / "deskpilot.sqlite"


def typed_file() -> Path:
    """Return the file that stores text typed while the window is starting."""
    return data_folder() / "typed.txt"


def window_file() -> Path:
    """Return the file with the size and position of the window, in Qt's format."""
    return data_folder() / "window.geometry"


def copilots_file() -> Path:
    """Return the file that lists the copilots that were added."""
    return data_folder() / "copilots.json"


def providers_file() -> Path:
    """Return the file that lists the providers that were added; it contains no secrets."""
    return data_folder() / "providers.json"


def skills_file() -> Path:
    """Return the file with the skills."""
    return data_folder() / "skills.json"


def library_file() -> Path:
    """Return the file with the library: notes on tables, and workflows."""
    return data_folder() / "library.json"


def design_file() -> Path:
    """Return the file that records the progress of the last run that designed interfaces."""
    return data_folder() / "design.json"


def backends_file() -> Path:
    """Return the file that lists the widget backends that were added; it contains no secrets."""
    return data_folder() / "backends.json"


def databases_file() -> Path:
    """Return the file that lists the databases that were added; it contains no secrets."""
    return data_folder() / "databases.json"


def databases_folder() -> Path:
    """Return the folder with copies of tables from the databases."""
    return data_folder() / "databases"


def documents_file() -> Path:
    """Return the file with the index of the documents."""
    return data_folder() / "documents.sqlite"


def looks_folder() -> Path:
    """Return the folder with snapshots of tables."""
    return data_folder() / "looks"


def assistants_file() -> Path:
    """Return the file with the assistants; it contains tokens only as hashes."""
    return data_folder() / "assistants.json"


def gateway_file() -> Path:
    """Return the file with the address of a running gateway; it holds no token."""
    return data_folder() / "gateway.json"


def mcp_file() -> Path:
    """Return the file that lists the MCP servers that were added; it contains no secrets."""
    return data_folder() / "mcp.json"


def plugins_file() -> Path:
    """Return the file that lists the plugins that were added; it contains no secrets."""
    return data_folder() / "plugins.json"


def settings_file() -> Path:
    """Return the file with the settings that were changed."""
    return data_folder() / "settings.json"


def profiles_folder() -> Path:
    """Return the folder with the profiles: YAML files that name the chat model."""
    return data_folder() / "profiles"


def secret_of(file: Path | None) -> str:
    """Return the token that callers must send: the only line in a file, or else `DESKPILOT_TOKEN`;
    empty if neither is given.

    The token is never an argument, because everybody on the machine can see the arguments of a
    process.
    Raises: OSError; ValueError if the file does not contain exactly one line of plain characters.
    """
    if file is None:
        return os.environ.get("DESKPILOT_TOKEN", "").strip()
    text = file.expanduser().read_text("utf-8").strip()
    if not text or not text.isascii() or not text.isprintable() or " " in text:
        raise ValueError("it contains no token")
    return text
