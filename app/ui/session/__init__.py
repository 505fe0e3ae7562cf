"""The open conversation of a window, joined to the services."""

from app.ui.session.session import Session

__all__ = ["Session"]
