"""Check that every number of an answer stands in a result."""

from __future__ import annotations

from backends.kernel.interfaces.traced import untraced

__all__ = ["untraced"]
