"""The OpenBB protocol as values: requests in, events out."""

from backends.wire.errors import BadRequest
from backends.wire.parse import parse_request
from backends.wire.query import Query

__all__ = ["BadRequest", "Query", "parse_request"]
