"""What the YAML files say: providers, models, parameters, credentials."""

from backends.flexai.schema.credentials import validate_credentials
from backends.flexai.schema.loader import load_models, load_provider
from backends.flexai.schema.parameters import validate_parameters
from backends.flexai.schema.settings import read_settings

__all__ = [
    "load_models",
    "load_provider",
    "read_settings",
    "validate_credentials",
    "validate_parameters",
]
