"""A keyring for tests: its secrets are in the file that TEST_KEYRING names, which stands for the
system's.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from keyring.backend import KeyringBackend
from keyring.errors import PasswordDeleteError


class FileKeyring(KeyringBackend):
    """Chosen with PYTHON_KEYRING_BACKEND."""

    priority = 5  # pyright: ignore[reportAssignmentType, reportIncompatibleMethodOverride]

    def get_password(self, service: str, username: str) -> str | None:
        return self._read().get(f"{service}/{username}")

    def set_password(self, service: str, username: str, password: str) -> None:
        self._write(self._read() | {f"{service}/{username}": password})

    def delete_password(self, service: str, username: str) -> None:
        kept = self._read()
        if kept.pop(f"{service}/{username}", None) is None:
            raise PasswordDeleteError("not found")
        self._write(kept)

    def _read(self) -> dict[str, str]:
        path = Path(os.environ["TEST_KEYRING"])
        return json.loads(path.read_text()) if path.exists() else {}

    def _write(self, kept: dict[str, str]) -> None:
        Path(os.environ["TEST_KEYRING"]).write_text(json.dumps(kept))
