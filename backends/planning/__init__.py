"""Plans: what a request means, and the workflow that answers it."""

from backends.planning.plan import Intent, Plan, plan

__all__ = ["Intent", "Plan", "plan"]
