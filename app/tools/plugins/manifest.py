"""A plugin's manifest: the Qianfan and ChatGPT formats, converted to a single one."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import urljoin, urlsplit

from app.domain.tool import one_line
from app.tools.plugins.documents import line_of, read_document, refused
from app.tools.web import origin_of

Way = Literal["none", "user_http", "service_http", "oauth"]
PLACES = ("ai-plugin.json", ".well-known/ai-plugin.json")
LIMITS = {
    "name_for_model": 50,
    "description_for_model": 8000,
    "description_for_human": 120,
    "name_for_human": 50,
}


@dataclass(frozen=True)
class Auth:
    """How a plugin identifies the user. scheme: bearer or basic. The other fields are for OAuth."""

    way: Way = "none"
    scheme: str = "bearer"
    client_url: str = ""
    token_url: str = ""
    scope: str = ""
    form: bool = False


@dataclass(frozen=True)
class PluginManifest:
    """A plugin's manifest. name: its name for people. model_name: its name for models, with only
    letters, digits, _ and -. about: a description for people. about_model: a description for
    models.

    prompt: its prompt template for the use of tools. warnings: notes about parts that were repaired
    or that exceed a limit.
    """

    name: str
    model_name: str
    about: str
    about_model: str
    spec_url: str
    auth: Auth = field(default_factory=Auth)
    logo: str = ""
    contact: str = ""
    legal: str = ""
    prompt: dict[str, str] = field(default_factory=dict[str, str], hash=False)
    warnings: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """Return its id in tool names: lower-case letters, digits and hyphens."""
        return (
            re.sub(r"[^a-z0-9]+", "-", self.model_name.lower()).strip("-")[:40].strip("-")
            or "plugin"
        )


def read_manifest(body: bytes, url: str) -> PluginManifest:
    """Return the manifest at an address.

    Raises: PluginRefused.
    """
    what = "the manifest"
    raw, warnings = read_document(body, what)
    warnings = [f"manifest, {one}" for one in warnings]
    api = raw.get("api")
    if not isinstance(api, dict) or not words(api.get("url")):
        raise refused(what, line_of(body, "api"), "it does not name a specification (api.url)")
    if (kind := api.get("type", "openapi")) != "openapi":
        raise refused(
            what,
            line_of(body, "api", "type"),
            f"its interface is {kind!r}; only openapi is supported",
        )
    name = (
        words(raw.get("name_for_human")) or words(raw.get("name_for_model")) or urlsplit(url).netloc
    )
    told = words(raw.get("name_for_model"))
    model_name = re.sub(r"[^A-Za-z0-9_-]+", "_", told).strip("_")[:64]
    if not model_name:
        model_name = re.sub(r"[^A-Za-z0-9]+", "_", urlsplit(url).hostname or "plugin").strip("_")
    if model_name != told:
        warnings.append(
            f"name_for_model {told!r} contains more than letters, digits, _ and -; the name "
            f"{model_name} is used"
        )
    for key, most in LIMITS.items():
        if len(words(raw.get(key))) > most:
            warnings.append(f"{key} is longer than {most} characters")
    about = words(raw.get("description_for_human")) or words(raw.get("description"))
    auth = read_auth(raw.get("auth"), body, url)
    if auth.way == "oauth" and origin_of(auth.client_url) != origin_of(auth.token_url):
        warnings.append(
            f"you would sign in at {origin_of(auth.client_url)}, and the token it issues is sent "
            f"to {origin_of(auth.token_url)}"
        )
    return PluginManifest(
        one_line(name, 80),
        model_name,
        about[:1000],
        (words(raw.get("description_for_model")) or words(raw.get("description")) or about)[:8000],
        urljoin(url, words(api.get("url"))),
        auth,
        link(raw.get("logo_url"), url),
        one_line(words(raw.get("contact_email")), 200),
        link(raw.get("legal_info_url"), url),
        read_prompt(raw.get("prompt")),
        tuple(warnings),
    )


def read_auth(raw: object, body: bytes, url: str) -> Auth:
    """Return how a plugin authenticates its callers.

    Raises: PluginRefused if the method is unknown.
    """
    told: dict[str, Any] = raw if isinstance(raw, dict) else {"type": raw or "none"}
    way = str(told.get("type", "none"))
    if way == "none":
        return Auth()
    if way in ("user_http", "service_http"):
        scheme = str(told.get("authorization_type", "bearer")).lower()
        if scheme not in ("bearer", "basic"):
            line = line_of(body, "auth", "authorization_type")
            raise refused(
                "the manifest",
                line,
                f"it requires authentication by {scheme!r}; only bearer and basic are supported",
            )
        return Auth("user_http" if way == "user_http" else "service_http", scheme)
    if way == "oauth":
        client, token = link(told.get("client_url"), url), link(told.get("authorization_url"), url)
        if not origin_of(client) or not origin_of(token):
            why = "its oauth has no client_url or authorization_url that is a web address"
            raise refused("the manifest", line_of(body, "auth"), why)
        form = "form" in str(told.get("authorization_content_type", "")).lower()
        return Auth("oauth", "bearer", client, token, words(told.get("scope")), form)
    raise refused(
        "the manifest",
        line_of(body, "auth", "type"),
        f"it requires authentication by {way!r}, which is not supported",
    )


def read_prompt(raw: object) -> dict[str, str]:
    """Return those parts of a prompt template that are texts, by their own names."""
    if isinstance(raw, str):
        return {"format": raw[:4000]}
    found = raw.items() if isinstance(raw, dict) else ()
    return {str(k)[:40]: v[:2000] for k, v in list(found)[:12] if isinstance(v, str) and v.strip()}


def words(raw: object) -> str:
    """Return a text without surrounding white space, or an empty string if the value is not a
    text."""
    return raw.strip() if isinstance(raw, str) else ""


def link(raw: object, url: str) -> str:
    """Return a web address, or an empty string if the value is not one."""
    made = urljoin(url, words(raw)) if words(raw) else ""
    return made[:2000] if made.startswith(("http://", "https://")) else ""
