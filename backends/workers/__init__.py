"""Any FlexAI model in a child process: same calls, streaming, cancel, typed errors."""

from backends.workers.pool import Loaded, Workers

__all__ = ["Loaded", "Workers"]
