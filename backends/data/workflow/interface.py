"""An interface that a step can use: its name, class, arguments and function."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from backends.data.arguments import read
from backends.data.values import Condition

if TYPE_CHECKING:
    from collections.abc import Callable

    from backends.data.workflow.context import RunContext
    from backends.data.workflow.step import Output

Class = Literal["acquisition", "processing", "prediction", "visualization", "manipulation"]


class Arguments(BaseModel):
    """The arguments of an interface. Unknown ones are rejected."""

    model_config = ConfigDict(extra="forbid")


class OfSource(Arguments):
    """Rows of one of the user's tables."""

    source: str = Field(description="uuid of the table widget")
    where: list[Condition] = Field(default=[], description="conditions that must all hold")


class OfData(Arguments):
    """Rows from an earlier step."""

    data: str = Field(description="name of an earlier result")


@dataclass(frozen=True)
class StepInterface:
    """An interface that steps can use. kind: its class. gives: the kind of its result."""

    name: str
    kind: Class
    description: str
    arguments: type[BaseModel]
    function: Callable[[Any, Any], Output]
    gives: Literal["frame", "value", "chart", "table"] = "frame"

    def run(self, desk: RunContext, arguments: dict[str, Any]) -> Output:
        """Compute the result.

        Raises: KernelError or a subclass.
        """
        return self.function(desk, read(self.name, self.arguments, arguments))
