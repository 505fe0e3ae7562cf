"""The OpenBB protocol as other programs write it: widgets, dashboards, parameters and columns."""

from app.openbb.kinds import BUILT_IN

__all__ = ["BUILT_IN"]  # importing any part of the protocol registers these
