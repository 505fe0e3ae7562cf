"""The callers and their rights: the service's own token, and named tokens with limits.

Named tokens are stored as hashes in a file in the data folder. The service reads the file again
whenever it changes. An added token works immediately. A revoked token stops working within a
second, and its answers in progress end, too.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import time
from collections import deque
from contextvars import ContextVar
from pathlib import Path

from pydantic import BaseModel, ValidationError

from backends.flexai.errors import InvokeAuthorizationError, InvokeRateLimitError

MINUTE = 60.0
OWNER = "owner"  # uses the service's own token, has no limits, and is allowed to manage the service


class AccessError(Exception):
    """The token file cannot be used. text, remedy: the same as in every error."""

    def __init__(self, text: str, remedy: str = "") -> None:
        super().__init__(text)
        self.text = text
        self.remedy = remedy


class ModelNotAllowed(InvokeAuthorizationError):
    """The token is not allowed to use the requested model."""


class Busy(InvokeRateLimitError):
    """Too many requests. retry_after: the number of seconds after which a retry may succeed."""

    def __init__(self, text: str, remedy: str, retry_after: float) -> None:
        super().__init__(text, remedy)
        self.retry_after = max(1, round(retry_after))


class NamedToken(BaseModel):
    """A token for a person or a program.

    hash: the SHA-256 hash of the token in hex. The token itself is not stored. created, expires:
    times in seconds since 1970. If expires is None, the token never expires. at_once: the maximum
    number of concurrent requests. requests, tokens: limits per minute, or 0 for no limit. models:
    the allowed models, or empty for all.
    """

    name: str
    hash: str
    created: float
    expires: float | None = None
    at_once: int = 0
    requests: int = 0
    tokens: int = 0
    models: list[str] = []


class NamedTokens(BaseModel):
    """All named tokens."""

    tokens: list[NamedToken] = []


def hash_of(token: str) -> str:
    """Return the stored hash of a token. The token is random and long, so it needs no salt."""
    return hashlib.sha256(token.encode()).hexdigest()


class TokenFile:
    """The file with the named tokens."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> list[NamedToken]:
        """Return the tokens.

        Raises: AccessError if the file is damaged, so that nobody is let in by accident.
        """
        try:
            return NamedTokens.model_validate_json(self.path.read_bytes()).tokens
        except FileNotFoundError:
            return []
        except (OSError, ValidationError) as error:
            raise AccessError(
                f"{self.path} cannot be read.", "Restore it from a backup, or remove it."
            ) from error

    def add(self, name: str, **limits: object) -> str:
        """Add a token, and return it. It is shown only this once.

        Raises: AccessError if the name is taken or empty.
        """
        tokens = self.read()
        if not name.strip() or name == OWNER or any(one.name == name for one in tokens):
            raise AccessError(
                f"The name {name!r} is empty or already in use.", "Choose another one."
            )
        token = f"dp_{secrets.token_urlsafe(32)}"
        told = {"name": name, "hash": hash_of(token), "created": time.time()}
        self._write([*tokens, NamedToken.model_validate(told | limits)])
        return token

    def revoke(self, name: str) -> None:
        """Remove a token.

        Raises: AccessError if there is no token with this name.
        """
        tokens = self.read()
        kept = [one for one in tokens if one.name != name]
        if len(kept) == len(tokens):
            raise AccessError(f"There is no token {name!r}.", "See: deskpilot serve tokens list")
        self._write(kept)

    def _write(self, tokens: list[NamedToken]) -> None:
        """Store the tokens completely or not at all, readable only by the owner."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        part = self.path.with_name(f"{self.path.name}.part")
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write(NamedTokens(tokens=tokens).model_dump_json(indent=1))
        os.replace(part, self.path)


class ServiceCaller:
    """A caller. told: the named token, or None for the owner.

    running: the number of the caller's running requests.
    """

    def __init__(self, told: NamedToken | None = None) -> None:
        self.told = told
        self.name = told.name if told else OWNER
        self.running = 0
        self._requests: deque[float] = deque()
        self._tokens: deque[tuple[float, int]] = deque()

    def may_use(self, model: str) -> bool:
        """Return whether it is allowed to use a model."""
        return self.told is None or not self.told.models or model in self.told.models

    def expired(self) -> bool:
        """Return whether its token has expired."""
        expires = self.told.expires if self.told else None
        return expires is not None and expires <= time.time()

    def begin(self) -> None:
        """Count a new request.

        Raises: Busy if that exceeds a limit.
        """
        told, now = self.told, time.monotonic()
        if told is None:
            self.running += 1
            return
        while self._requests and now - self._requests[0] >= MINUTE:
            self._requests.popleft()
        while self._tokens and now - self._tokens[0][0] >= MINUTE:
            self._tokens.popleft()
        if told.at_once and self.running >= told.at_once:
            raise Busy(
                f"{told.name} has reached its limit of {told.at_once} requests at once.",
                "Wait until one is answered.",
                1,
            )
        if told.requests and len(self._requests) >= told.requests:
            raise Busy(
                f"{told.name} has reached its limit of {told.requests} requests a minute.",
                "Wait a moment.",
                MINUTE - (now - self._requests[0]),
            )
        if told.tokens and sum(count for _, count in self._tokens) >= told.tokens:
            raise Busy(
                f"{told.name} has reached its limit of {told.tokens} tokens a minute.",
                "Wait a moment.",
                MINUTE - (now - self._tokens[0][0]),
            )
        self._requests.append(now)
        self.running += 1

    def end(self) -> None:
        """Count a request as finished."""
        self.running -= 1

    def spend(self, tokens: int) -> None:
        """Count the tokens of a prompt and its answer."""
        if self.told is not None:
            self._tokens.append((time.monotonic(), tokens))


CALLER: ContextVar[ServiceCaller] = ContextVar("caller", default=ServiceCaller())  # noqa: B039 - the owner has no limits to share


class ServiceCallers:
    """All callers. token: the service's own token. path: the file with the named tokens, if any."""

    def __init__(self, token: str, path: Path | None = None) -> None:
        self.owner = ServiceCaller()
        self._token = token.encode()
        self._file = TokenFile(path) if path is not None else None
        self._look: tuple[int, int, int] | None = None
        self._by_hash: dict[str, ServiceCaller] = {}

    def find(self, given: bytes) -> ServiceCaller | None:
        """Return the caller that has a token, or None if the token is unknown.

        Raises: AccessError if the file is damaged.
        """
        if secrets.compare_digest(given, self._token):
            return self.owner
        self.refresh()
        found = self._by_hash.get(hash_of(given.decode("latin-1")))
        return None if found is None or found.expired() else found

    def knows(self, caller: ServiceCaller) -> bool:
        """Return whether a caller who was admitted is still allowed.

        Raises: AccessError if the file is damaged.
        """
        if caller.told is None:
            return True
        self.refresh()
        return caller.told.hash in self._by_hash and not caller.expired()

    def all(self) -> list[ServiceCaller]:
        """Return the owner and everyone with a named token."""
        return [self.owner, *self._by_hash.values()]

    def refresh(self) -> None:
        """Read the file again if it has changed. Each caller's counts are kept.

        Raises: AccessError if the file is damaged.
        """
        if self._file is None:
            return
        try:
            file = self._file.path.stat()
            look = (file.st_mtime_ns, file.st_size, file.st_ino)
        except FileNotFoundError:
            look = None
        if look == self._look:
            return
        before = self._by_hash
        self._by_hash = {}  # if the file cannot be read, nobody is let in
        known: dict[str, ServiceCaller] = {}
        for told in self._file.read():
            known[told.hash] = before.get(told.hash, ServiceCaller(told))
            known[told.hash].told = told
        self._by_hash, self._look = known, look
