"""Find the installed providers by entry point."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import entry_points
from importlib.resources import files
from typing import TYPE_CHECKING

import yaml

from backends.flexai.errors import CredentialsValidateFailedError
from backends.flexai.schema import load_models, load_provider

if TYPE_CHECKING:
    from backends.flexai.entities import ModelType
    from backends.flexai.models import AIModel, ModelProvider

GROUP = "deskpilot.providers"


class Registry:
    """The providers by id. Each is imported on first use.

    modules: maps a provider's id to its module. The module has `provider_class`, and provider.yaml
    is in the same folder.
    """

    def __init__(self, modules: dict[str, str]) -> None:
        self._modules = modules
        self._providers: dict[str, ModelProvider] = {}

    def names(self) -> list[str]:
        """Return the ids of all providers."""
        return sorted(self._modules)

    def provider(self, name: str) -> ModelProvider:
        """Return a provider.

        Raises: CredentialsValidateFailedError if there is no provider with this name, or if it
        cannot be loaded.
        """
        if name not in self._providers:
            if name not in self._modules:
                raise CredentialsValidateFailedError(
                    f"There is no provider {name!r}.",
                    f"Installed are: {', '.join(self.names()) or 'none'}.",
                )
            self._providers[name] = load(name, self._modules[name])
        return self._providers[name]

    def model(self, provider: str, model_type: ModelType) -> AIModel:
        """Return a model object from a provider.

        Raises: CredentialsValidateFailedError.
        """
        return self.provider(provider).get_model_instance(model_type)


def load(name: str, path: str) -> ModelProvider:
    """Import a provider and read its description.

    Raises: CredentialsValidateFailedError.
    """
    try:
        module, folder = import_module(path), files(path)
        return module.provider_class(load_provider(folder), load_models(folder))
    except ImportError as error:
        raise CredentialsValidateFailedError(
            f"The provider {name!r} cannot be loaded: {error}.", "Install what it needs."
        ) from error
    except (OSError, yaml.YAMLError, ValueError, TypeError, LookupError, AttributeError) as error:
        first = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise CredentialsValidateFailedError(
            f"The provider {name!r} does not describe itself correctly: {first}",
            "Update it, or ask its maker.",
        ) from error


def load_providers() -> Registry:
    """Return the providers that installed packages declare."""
    return Registry({point.name: point.value for point in entry_points(group=GROUP)})
