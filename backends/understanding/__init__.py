"""From a plain question to readings of it, without a language model."""

from backends.understanding.readings import Reading
from backends.understanding.understand import NeedValues, Understanding, understand

__all__ = ["NeedValues", "Reading", "Understanding", "understand"]
