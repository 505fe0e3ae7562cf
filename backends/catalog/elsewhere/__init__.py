"""Models that other programs keep on this machine: Ollama, LM Studio, Jan, GPT4All, the model hub's caches, the system."""

from backends.catalog.elsewhere.found import all_found, one_found
from backends.catalog.elsewhere.model import PROGRAMS, Found

__all__ = ["PROGRAMS", "Found", "all_found", "one_found"]
