"""Providers: they are tested before they are saved, and their models are lent to the service when
it starts.
"""

from __future__ import annotations

import asyncio
import os
import uuid
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError

from app.domain.errors import ProviderError, SecretsError, SetupError
from app.domain.provider import (
    ENV,
    NAME,
    AddedModel,
    AddedProvider,
    CredentialsTrial,
    FilledForm,
    Keep,
    OfferedModel,
    Provider,
    read_provider,
)

if TYPE_CHECKING:
    from app.services.ports import AddressPort, FilePort, KeysPort, ModelsPort, ServicePort

ROUTE = "/v1/manage"
READ = TypeAdapter(tuple[AddedProvider, ...])


@dataclass(frozen=True)
class WantedModel:
    """A chosen model, and the values entered for it. tried: whether it has just been tested with
    these values.
    """

    model: str
    type: str
    filled: FilledForm = FilledForm()  # noqa: RUF009 - frozen
    tried: bool = False


class Providers:
    """Adds providers, stores them, and lends their models."""

    def __init__(self, file: FilePort, keys: KeysPort, manage: ModelsPort) -> None:
        self._file = file
        self._keys = keys
        self._safe = Safe(keys)
        self._manage = manage

    async def kinds(self, language: str = "en_US") -> list[Provider]:
        """Return the providers that can be added, starting with those that need an address or a
        key.

        Raises: DeskpilotError.
        """
        told = (await self._manage.get(f"{ROUTE}/providers"))["providers"]
        made = [
            read_provider(raw, language)
            for raw in told
            if "customizable-model" in raw["configurate_methods"]
        ]
        return sorted(made, key=lambda kind: not kind.asks)

    async def broken(self) -> dict[str, str]:
        """Return why some installed providers cannot be loaded: one sentence for each provider id.

        Raises: DeskpilotError.
        """
        told = (await self._manage.get(f"{ROUTE}/providers"))["broken"]
        return {raw["id"]: raw["message"] for raw in told}

    async def added(self) -> tuple[AddedProvider, ...]:
        """Return the added providers.

        Raises: SetupError.
        """
        return read_added(await self._file.read())

    async def keyring_trouble(self) -> str:
        """Return why a typed secret cannot be stored, as text without a full stop, or an empty
        string if it can be stored.
        """
        return await self._keys.trouble()

    async def try_out(self, provider: str, filled: FilledForm) -> CredentialsTrial:
        """Test the values that were entered for a provider, and return the models that it offers.

        Raises: ProviderError with the reason if the test fails; DeskpilotError.
        """
        body = {"credentials": typed(filled)}
        told = await self._manage.send("POST", f"{ROUTE}/providers/{provider}/validate", body)
        listed = tuple(OfferedModel(m["model"], m["type"] or "") for m in told["models"])
        return CredentialsTrial(listed, str(told["host"]))

    async def try_model(self, provider: str, filled: FilledForm, wanted: WantedModel) -> None:
        """Check that a model can be used.

        Raises: the same errors as `try_out`.
        """
        credentials = typed(filled) | typed(wanted.filled)
        body = {"credentials": credentials, "model": wanted.model, "type": wanted.type}
        await self._manage.send("POST", f"{ROUTE}/providers/{provider}/models/validate", body)

    async def free_name(self, kind: Provider) -> str:
        """Return an unused name.

        Raises: SetupError.
        """
        taken = {one.name for one in await self.added()}
        first = kind.id.replace("_", "-")
        return next(n for n in (first, *(f"{first}-{i}" for i in range(2, 999))) if n not in taken)

    async def check_name(self, name: str) -> None:
        """Check that a provider can have this name.

        Raises: ProviderError.
        """
        if not NAME.fullmatch(name):
            raise ProviderError(
                f"{name!r} is not a valid provider name.",
                "Use lowercase letters, digits, dots and hyphens.",
            )
        if any(one.name == name for one in await self.added()):
            raise ProviderError(
                f"A provider named {name!r} already exists.", "Choose another name, or remove it."
            )

    async def add(
        self,
        name: str,
        provider: str,
        filled: FilledForm,
        models: list[WantedModel],
        *,
        keep: Keep = "keyring",
        tried: CredentialsTrial | None = None,
    ) -> AddedProvider:
        """Add a provider and its models. Each model is tested before anything is stored.

        keep: where typed secrets are stored. tried: the result of `try_out` for the same form, if
        it was called.
        Raises: ProviderError, SecretsError, DeskpilotError.
        """
        await self.check_name(name)
        secret = filled.secrets or any(wanted.filled.secrets for wanted in models)
        if keep == "keyring" and secret and (why := await self.keyring_trouble()):
            raise SecretsError(why, "Nothing was saved. Put the key in an environment variable.")
        host = (tried or await self.try_out(provider, filled)).host
        for wanted in models:
            if not wanted.tried:
                await self.try_model(provider, filled, wanted)
        key = uuid.uuid4().hex
        places = await self._safe.keep(scope_of(key), filled, keep)
        made = [await self._model(key, wanted, keep) for wanted in models]
        added = AddedProvider(name, provider, key, host, filled.values, places, tuple(made))
        await self._change(lambda known: (*known, added))
        await self._lend(added)
        return added

    async def remove(self, name: str) -> AddedProvider:
        """Remove a provider, including its secrets.

        Raises: ProviderError if there is no provider with this name; SecretsError.
        """
        found = next((one for one in await self.added() if one.name == name), None)
        if found is None:
            names = ", ".join(one.name for one in await self.added())
            raise ProviderError(f"There is no provider {name!r}.", f"Available: {names or 'none'}.")
        await self._safe.forget(found)
        await self._change(lambda known: tuple(one for one in known if one.name != name))
        await self._manage.send("DELETE", f"{ROUTE}/lent/{name}")
        return found

    async def hand_over(self) -> None:
        """Register every model with a service that has just been started.

        A missing key is reported only when the model is used. Raises: DeskpilotError if the service
        does not accept them.
        """
        for added in await self.added():
            await self._lend(added)

    async def loans(self) -> dict[str, dict[str, Any]]:
        """Return every model with its credentials, grouped by provider name, in the form that the
        service expects.

        Raises: SetupError.
        """
        return {added.name: await self._loan_of(added) for added in await self.added()}

    async def _model(self, key: str, wanted: WantedModel, keep: Keep) -> AddedModel:
        scope = scope_of(key, wanted.model, wanted.type)
        places = await self._safe.keep(scope, wanted.filled, keep)
        return AddedModel(wanted.model, wanted.type, wanted.filled.values, places)

    async def _lend(self, added: AddedProvider) -> None:
        await self._manage.send("PUT", f"{ROUTE}/lent/{added.name}", await self._loan_of(added))

    async def _loan_of(self, added: AddedProvider) -> dict[str, Any]:
        models = [await self._loan(added, model) for model in added.models]
        return {"provider": added.provider, "models": models}

    async def _loan(self, added: AddedProvider, model: AddedModel) -> dict[str, Any]:
        told = {"model": model.model, "type": model.type, "host": added.host}
        scope = scope_of(added.key, model.model, model.type)
        try:
            own = await self._safe.find(scope_of(added.key), added.secrets, added.name)
            of_model = await self._safe.find(scope, model.secrets, added.name)
        except SecretsError as error:
            return told | {"problem": error.text, "remedy": error.remedy}
        return told | {"credentials": added.values | own | model.values | of_model}

    async def _change(self, changed: Any) -> None:
        def kept(told: dict[str, Any]) -> dict[str, Any]:
            return told | {"providers": [asdict(one) for one in changed(read_added(told))]}

        await self._file.change(kept)


def read_added(told: dict[str, Any]) -> tuple[AddedProvider, ...]:
    """Return the providers in a file.

    Raises: SetupError.
    """
    try:
        return READ.validate_python(told.get("providers", ()))
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise SetupError(
            f"The saved list of providers cannot be read ({place}: {first['msg']}).",
            "Fix providers.json, or move it away and add the providers again.",
        ) from None


class EquippedService:
    """The model service, with the models of all providers registered. Questions are sent to it.

    Its address is returned only after the models are registered, which happens again after each
    restart.
    """

    def __init__(self, service: ServicePort, providers: Providers) -> None:
        self._service = service
        self._providers = providers
        self._lending = asyncio.Lock()
        self._equipped: AddressPort | None = None

    async def address(self) -> AddressPort:
        """Return the service's address, after starting it if necessary.

        Raises: ServiceError, DeskpilotError.
        """
        async with self._lending:
            address = await self._service.address()
            if address != self._equipped:
                await self._providers.hand_over()
                self._equipped = address
            return address


def typed(filled: FilledForm) -> dict[str, str]:
    """Return every value of a form, including values read from the environment.

    Raises: SecretsError for a variable that is not set.
    """
    read = {field: from_environment(name) for field, name in filled.environment.items()}
    return filled.values | filled.secrets | read


class Safe:
    """The secrets entered in forms, stored under a separate scope for each form, either in the
    keyring or only while this process runs.
    """

    def __init__(self, keys: KeysPort) -> None:
        self._keys = keys
        self._session: dict[str, dict[str, str]] = {}

    async def keep(self, scope: str, filled: FilledForm, where: Keep) -> dict[str, str]:
        """Store the secrets entered in a form, and return where each field's secret is stored.

        Raises: SecretsError. Secrets are never stored in plain text instead.
        """
        if filled.secrets and where == "keyring":
            await self._keys.put(scope, filled.secrets)
        elif filled.secrets:
            self._session[scope] = filled.secrets
        places: dict[str, str] = dict.fromkeys(filled.secrets, where)
        return places | {field: ENV + name for field, name in filled.environment.items()}

    async def find(self, scope: str, places: dict[str, str], name: str) -> dict[str, str]:
        """Return the secrets of a form. name: the provider's name, for messages.

        Raises: SecretsError if one is missing.
        """
        kept = await self._keys.get(scope) if "keyring" in places.values() else {}
        held = self._session.get(scope, {})
        found: dict[str, str] = {}
        for field, place in places.items():
            if place.startswith(ENV):
                found[field] = from_environment(place.removeprefix(ENV))
            elif field in (source := held if place == "session" else kept):
                found[field] = source[field]
            else:
                why = (
                    "was kept only until Deskpilot was closed"
                    if place == "session"
                    else "is no longer in the keyring"
                )
                raise SecretsError(f"The key for {name} {why}.", f"Remove {name} and add it again.")
        return found

    async def forget(self, added: AddedProvider) -> None:
        """Remove every secret of a provider.

        Raises: SecretsError.
        """
        of_models = [(scope_of(added.key, m.model, m.type), m.secrets) for m in added.models]
        for scope, places in ((scope_of(added.key), added.secrets), *of_models):
            if "keyring" in places.values():
                await self._keys.put(scope, {})
            self._session.pop(scope, None)


def scope_of(key: str, model: str = "", kind: str = "") -> str:
    """Return the name under which the secrets of a provider, or of one of its models, are
    stored.
    """
    return f"provider:{key}" + (f"/{kind}/{model}" if model else "")


def from_environment(name: str) -> str:
    """Return the value of an environment variable.

    Raises: SecretsError if it is not set.
    """
    value = os.environ.get(name)
    if not value:
        raise SecretsError(
            f"The environment variable {name} is not set.",
            "Set it, and start Deskpilot from there.",
        )
    return value
