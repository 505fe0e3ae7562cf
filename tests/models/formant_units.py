"""The sounds of the tiny voice, computed: a buzz or noise through resonances, one unit for each
phoneme.

The pitch is 22050 / 128 = 172 Hz, so a frame of 256 samples is two periods and frames overlap in
phase.
"""

from __future__ import annotations

import numpy as np
from scipy.signal import butter, lfilter

RATE, HOP, PERIOD = 22050, 256, 128
Units = dict[str, np.ndarray]

# The first three resonances of each voiced sound, in Hz.
VOWELS = {
    "i": (280, 2250, 2950),
    "ɪ": (400, 1950, 2550),
    "e": (460, 2050, 2600),
    "ɛ": (570, 1800, 2500),
    "æ": (690, 1650, 2450),
    "a": (780, 1400, 2450),
    "ɑ": (730, 1100, 2450),
    "ɔ": (570, 840, 2400),
    "o": (480, 880, 2400),
    "ʊ": (450, 1050, 2300),
    "u": (310, 870, 2250),
    "ʌ": (620, 1200, 2500),
    "ə": (500, 1450, 2500),
    "ɐ": (650, 1330, 2500),
    "ɚ": (480, 1350, 1690),
    "ɜ": (500, 1400, 1750),
    "ᵻ": (370, 1750, 2500),
}
SHORT_VOWELS = "əɐᵻɪʊ"
SONORANTS = {
    "m": (250, 1000, 2200),
    "n": (250, 1500, 2500),
    "ŋ": (250, 2000, 2700),
    "l": (360, 1100, 2700),
    "ɹ": (350, 1100, 1550),
    "w": (300, 650, 2200),
    "j": (270, 2200, 3000),
    "ɾ": (300, 1700, 2600),
}
# Lowest and highest frequency of the noise, and its strength.
FRICATIVES = {
    "s": (4500, 9000, 0.5),
    "ʃ": (2200, 6000, 0.5),
    "f": (1200, 9000, 0.18),
    "θ": (5000, 10500, 0.16),
    "h": (500, 3500, 0.2),
    "z": (4500, 9000, 0.3),
    "ʒ": (2200, 6000, 0.3),
    "v": (1000, 6000, 0.12),
    "ð": (1200, 5000, 0.12),
}
STOPS = {
    "p": (300, 1200),
    "t": (3500, 8000),
    "k": (1300, 2800),
    "b": (200, 900),
    "d": (2800, 6000),
    "ɡ": (1000, 2300),
}
BANDWIDTHS = (70, 90, 120, 200)
TOP_RESONANCE = 3600


def voiced(
    resonances: tuple[int, ...], frames: int, strength: float, damping: float = 1.0
) -> np.ndarray:
    """Return pulses of the voice's pitch through resonances, `frames + 1` frames long."""
    pulses = np.zeros((frames + 5) * HOP)
    pulses[::PERIOD] = 1
    sound = lfilter([1], [1, -0.96], pulses)
    for centre, width in zip((*resonances, TOP_RESONANCE), BANDWIDTHS, strict=True):
        radius = np.exp(-np.pi * width * damping / RATE)
        angle = 2 * np.pi * centre / RATE
        gain = 1 - 2 * radius * np.cos(angle) + radius * radius
        sound = lfilter([gain], [1, -2 * radius * np.cos(angle), radius * radius], sound)
    sound = sound[4 * HOP :]  # what rings in first is left out
    return strength * sound / np.abs(sound).max()


def noise(
    rng: np.random.Generator, low: int, high: int, frames: int, strength: float
) -> np.ndarray:
    """Return noise between two frequencies, `frames + 1` frames long."""
    half = RATE / 2
    band = [low / half, min(high, half * 0.98) / half]
    sound = lfilter(*butter(2, band, "band"), rng.standard_normal((frames + 1) * HOP))
    return strength * sound / np.abs(sound).max()


def stop(rng: np.random.Generator, phoneme: str, low: int, high: int) -> np.ndarray:
    """Return a closure of three frames and the burst that ends it."""
    frames, burst_at = 5, 3 * HOP
    sound = np.zeros((frames + 1) * HOP)
    burst = noise(rng, low, high, frames, 0.5)
    fade = np.exp(-np.arange(len(sound) - burst_at) / (250 if phoneme in "bdɡ" else 500))
    sound[burst_at:] = burst[burst_at:] * fade
    if phoneme in "bdɡ":
        sound = sound + voiced((200, 800, 2200), frames, 0.15)[: len(sound)]
    return sound


def units(seed: int = 0) -> Units:
    """Return the frames of each phoneme, shape (frames + 1, 256); the same for the same seed."""
    rng = np.random.default_rng(seed)
    made: Units = {}
    for phoneme, resonances in VOWELS.items():
        made[phoneme] = voiced(resonances, 5 if phoneme in SHORT_VOWELS else 6, 0.8)
    for phoneme, resonances in SONORANTS.items():
        nasal = phoneme in "mnŋ"
        made[phoneme] = voiced(
            resonances, 2 if phoneme == "ɾ" else 5, 0.4 if nasal else 0.5, 2.5 if nasal else 1.5
        )
    for phoneme, (low, high, strength) in FRICATIVES.items():
        sound = noise(rng, low, high, 6, strength)
        if phoneme in "zʒvð":
            sound = sound + voiced((250, 1200, 2400), 6, 0.25)[: len(sound)]
        made[phoneme] = sound
    for phoneme, (low, high) in STOPS.items():
        made[phoneme] = stop(rng, phoneme, low, high)
    return {p: sound[: (len(sound) // HOP) * HOP].reshape(-1, HOP) for p, sound in made.items()}
