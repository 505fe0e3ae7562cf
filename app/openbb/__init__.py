"""The OpenBB protocol as other programs write it: widgets, dashboards, parameters, columns."""

from app.openbb.kinds import BUILT_IN

__all__ = ["BUILT_IN"]  # registered as soon as anything of the protocol is read
