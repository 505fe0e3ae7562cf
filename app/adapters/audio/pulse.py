"""PulseAudio, or PipeWire in its place, asked one thing the sound library does not tell: does it refuse us?"""

from __future__ import annotations

import ctypes
import sys
from typing import Any

NO_AUTOSPAWN, REFUSED = 1, 1  # of PulseAudio's pa_context_flags and error codes
READY, FAILED, ENDED = 4, 5, 6  # of its pa_context_state


def denied() -> bool:
    """Tell whether the sound server is there and lets us do nothing; it is not started for that."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        pulse: Any = ctypes.CDLL("libpulse.so.0")
    except OSError:
        return False
    pulse.pa_mainloop_new.restype = pulse.pa_mainloop_get_api.restype = ctypes.c_void_p
    pulse.pa_context_new.restype = ctypes.c_void_p
    loop = ctypes.c_void_p(pulse.pa_mainloop_new())
    api = ctypes.c_void_p(pulse.pa_mainloop_get_api(loop))
    context = ctypes.c_void_p(pulse.pa_context_new(api, b"Deskpilot"))
    try:
        pulse.pa_context_connect(context, None, NO_AUTOSPAWN, None)
        while pulse.pa_context_get_state(context) not in (READY, FAILED, ENDED):
            if pulse.pa_mainloop_iterate(loop, 1, None) < 0:
                return False
        return bool(pulse.pa_context_errno(context) == REFUSED)
    finally:
        pulse.pa_context_disconnect(context)
        pulse.pa_context_unref(context)
        pulse.pa_mainloop_free(loop)
