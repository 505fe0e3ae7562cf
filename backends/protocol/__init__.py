"""The OpenBB protocol as values: requests in, events out."""

from backends.protocol.parse import parse_request
from backends.protocol.query import BadRequest, CopilotRequest

__all__ = ["BadRequest", "CopilotRequest", "parse_request"]
