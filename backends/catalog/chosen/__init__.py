"""What a person chose for the models of this machine."""

from backends.catalog.chosen.choices import Choices, read_choices, write_choices

__all__ = ["Choices", "read_choices", "write_choices"]
