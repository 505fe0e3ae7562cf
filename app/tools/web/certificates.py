"""Whom connections trust. Each is made once: to read all authorities takes 16 ms, in which no
window answers.
"""

from __future__ import annotations

import ssl
from functools import cache

import httpx


@cache
def authorities() -> ssl.SSLContext:
    """Return the trust in the authorities that come with httpx, for connections to other
    machines.
    """
    return httpx.create_ssl_context(trust_env=False)


@cache
def nobody() -> ssl.SSLContext:
    """Return the trust in nobody, for the service of this machine: nothing is encrypted on the way
    to it.
    """
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
