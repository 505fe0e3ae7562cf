"""espeak-ng in this process, through ctypes: the many voices the tiny Whisper was trained on."""

from __future__ import annotations

import ctypes

import numpy as np

LIBRARY = "libespeak-ng.so.1"  # Debian: libespeak-ng1
RETRIEVAL, DONT_EXIT, UTF8 = 1, 0x8000, 1
SPEED, PITCH, PITCH_RANGE = 1, 3, 4


class Espeak:
    """Speaks with espeak-ng. rate: samples a second."""

    def __init__(self) -> None:
        self._library = ctypes.CDLL(LIBRARY)
        self.rate: int = self._library.espeak_Initialize(RETRIEVAL, 0, None, DONT_EXIT)
        if self.rate <= 0:
            raise RuntimeError("espeak-ng does not start")
        self._parts: list[np.ndarray] = []
        callback = ctypes.CFUNCTYPE(
            ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.c_void_p
        )
        self._callback = callback(self._take)  # kept: the library holds only its address
        self._library.espeak_SetSynthCallback(self._callback)
        self._voice = ""

    def _take(self, samples: ctypes._Pointer[ctypes.c_short], count: int, _: int) -> int:
        if count > 0 and samples:
            self._parts.append(np.ctypeslib.as_array(samples, (count,)).copy())
        return 0

    def say(self, text: str, voice: str, speed: int, pitch: int, pitch_range: int) -> np.ndarray:
        """Return the sound of a text, -1 to 1. speed: words a minute. pitch, pitch_range: 0 to
        99.
        """
        if voice != self._voice:
            if self._library.espeak_SetVoiceByName(voice.encode()) != 0:
                raise ValueError(f"espeak-ng has no voice {voice}")
            self._voice = voice
        for parameter, value in ((SPEED, speed), (PITCH, pitch), (PITCH_RANGE, pitch_range)):
            self._library.espeak_SetParameter(parameter, value, 0)
        self._parts.clear()
        data = text.encode()
        self._library.espeak_Synth(data, ctypes.c_size_t(len(data) + 1), 0, 0, 0, UTF8, None, None)
        self._library.espeak_Synchronize()
        whole = np.concatenate(self._parts) if self._parts else np.zeros(0, np.int16)
        return whole.astype(np.float32) / 32768
