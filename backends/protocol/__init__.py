"""Values for the OpenBB protocol: incoming requests and outgoing events."""

from backends.protocol.parser import parse_request
from backends.protocol.request import BadRequest, CopilotRequest

__all__ = ["BadRequest", "CopilotRequest", "parse_request"]
