"""Authenticate to a plugin, with a token from the user or by OAuth with PKCE in the browser."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
import secrets
import time
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlencode, urlsplit

from app.domain.errors import ToolError
from app.tools.web import WebRequest, origin_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from app.tools.plugins.manifest import Auth
    from app.tools.web import Web

PERSON_SECONDS, TOKEN_SECONDS, TOKEN_BYTES = 300.0, 15.0, 64 * 1024
EARLY = 60.0  # number of seconds before its expiry at which a token is no longer used
DONE = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\nDone."
    b" You can close this page.\n"
)
WRONG = (
    b"HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nConnection:"
    b" close\r\n\r\nThis is not what was asked for.\n"
)


def headers_of(auth: Auth, kept: Mapping[str, str]) -> dict[str, str]:
    """Return the header by which a plugin identifies the user.

    Raises: ToolError if the user has not signed in or given a token.
    """
    if auth.way == "none":
        return {}
    token = kept.get("access_token") or kept.get("token") or ""
    if not token:
        raise ToolError(
            "This plugin requires you to sign in.",
            "Enter its token: deskpilot plugins sign-in NAME.",
        )
    if auth.scheme == "basic" and auth.way != "oauth":
        coded = base64.b64encode(token.encode()).decode() if ":" in token else token
        return {"authorization": f"Basic {coded}"}
    return {"authorization": f"Bearer {token}"}


async def sign_in(
    web: Web,
    auth: Auth,
    origins: Mapping[str, str],
    client: Mapping[str, str],
    open_page: Callable[[str], object],
    seconds: float = PERSON_SECONDS,
) -> dict[str, str]:
    """Let the user sign in, and return what to save: the tokens, and the client's id and secret.

    client: the client_id, and the client_secret if there is one. Raises: ToolError.
    """
    verifier, state = secrets.token_urlsafe(48), secrets.token_urlsafe(24)
    challenge = (
        base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
    )
    code: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    server = await asyncio.start_server(
        partial(heard, state, origin_of(auth.client_url), code), "127.0.0.1", 0
    )
    async with server:
        back = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/callback"
        asked = {
            "response_type": "code",
            "client_id": client.get("client_id", ""),
            "redirect_uri": back,
            "scope": auth.scope,
            "state": state,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
        }
        open_page(f"{auth.client_url}{'&' if '?' in auth.client_url else '?'}{urlencode(asked)}")
        try:
            async with asyncio.timeout(seconds):
                given = await code
        except TimeoutError as error:
            raise ToolError("You did not sign in.", "Try again.") from error
    if not given:
        raise ToolError(
            "The plugin was not given permission to learn who asks.", "Sign in again, and allow it."
        )
    told = {
        "grant_type": "authorization_code",
        "code": given,
        "redirect_uri": back,
        "code_verifier": verifier,
    }
    return await tokens(web, auth, origins, client, told)


async def heard(
    state: str,
    issuer: str,
    code: asyncio.Future[str],
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
) -> None:
    """Receive the code that the browser returns. A request without our state is ignored."""
    try:
        async with asyncio.timeout(TOKEN_SECONDS):
            line = (await reader.readline()).decode("latin-1")
            given = parse_qs(urlsplit(line.split(" ")[1] if line.count(" ") > 1 else "").query)
            fits = hmac.compare_digest(given.get("state", [""])[0].encode(), state.encode())
            # a response from an issuer other than the one that the user was sent to is ignored (RFC
            # 9207)
            fits = fits and ("iss" not in given or origin_of(given["iss"][0]) == issuer)
            writer.write(DONE if fits and "code" in given else WRONG)
            await writer.drain()
        if fits and not code.done():
            code.set_result(given.get("code", [""])[0])
    except (OSError, ValueError, TimeoutError):
        return  # another request may still come
    finally:
        writer.close()


async def renewed(
    web: Web, auth: Auth, origins: Mapping[str, str], kept: Mapping[str, str]
) -> dict[str, str] | None:
    """Return new tokens if the stored ones expire soon and can be renewed, or None if nothing needs
    to be done.

    Raises: ToolError.
    """
    ends = float(kept.get("expires") or 0)
    if (
        auth.way != "oauth"
        or not ends
        or time.time() < ends - EARLY
        or not kept.get("refresh_token")
    ):
        return None
    told = {"grant_type": "refresh_token", "refresh_token": kept["refresh_token"]}
    return await tokens(web, auth, origins, kept, told)


async def tokens(
    web: Web,
    auth: Auth,
    origins: Mapping[str, str],
    client: Mapping[str, str],
    told: dict[str, str],
) -> dict[str, str]:
    """Return the tokens in a response.

    Raises: ToolError.
    """
    own = {name: client[name] for name in ("client_id", "client_secret") if client.get(name)}
    body = urlencode(told | own).encode() if auth.form else json.dumps(told | own).encode()
    kind = "application/x-www-form-urlencoded" if auth.form else "application/json"
    asked = WebRequest(
        auth.token_url, "POST", {"content-type": kind, "accept": "application/json"}, {}, body
    )
    fetched = await web.ask(asked, origins, limit=TOKEN_BYTES, seconds=TOKEN_SECONDS)
    try:
        given: Any = json.loads(fetched.body)
    except (ValueError, RecursionError):
        given = None
    if fetched.status != 200 or not isinstance(given, dict) or not given.get("access_token"):
        raise ToolError(f"The plugin issues no token (status {fetched.status}).", "Sign in again.")
    kept = own | {"access_token": str(given["access_token"])}
    if renew := given.get("refresh_token") or client.get("refresh_token"):
        kept["refresh_token"] = str(renew)
    if isinstance(given.get("expires_in"), int | float):
        kept["expires"] = str(time.time() + given["expires_in"])
    return kept
