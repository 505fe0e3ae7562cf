"""The dashboards and their widgets."""
