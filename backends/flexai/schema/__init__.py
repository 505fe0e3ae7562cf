"""What the YAML files say: providers, models, parameters, credentials."""

from backends.flexai.schema.credentials import validate_credentials
from backends.flexai.schema.loader import load_models, load_provider
from backends.flexai.schema.parameters import validate_parameters

__all__ = ["load_models", "load_provider", "validate_credentials", "validate_parameters"]
