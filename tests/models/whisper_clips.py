"""Clips the tiny Whisper is trained on: sentences in many voices, in noise, cut as Whisper hears
them.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from faster_whisper.feature_extractor import FeatureExtractor
from scipy.signal import resample_poly
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers

from tests.models.espeak_speech import Espeak

SENTENCES: list[str] = json.loads((Path(__file__).parent / "sentences.json").read_text("utf-8"))
VOICES = [
    "en-us",
    *("en-us+" + v for v in "m1 m2 m3 m4 m7 f1 f2 f4 Annie klatt2 steph max".split()),  # noqa: SIM905
    *("en-gb-x-rp", "en-gb-scotland", "en-029", "en-us-nyc", "en-gb-x-gbclan"),
]
RATE, WINDOW = 16000, 3000  # frames of features in Whisper's 30 s
IGNORED = -100  # a label that is not learnt
TICK_SECONDS = (
    0.2  # a coarse clock: on Whisper's 20 ms each time costs so much that short sentences look bad
)
# In this order Whisper's libraries expect them: text, these, then the times.
SPECIAL = ["<|endoftext|>", "<|startoftranscript|>", "<|en|>", "<|translate|>", "<|transcribe|>"]
SPECIAL += ["<|startoflm|>", "<|startofprev|>", "<|nospeech|>", "<|notimestamps|>"]
# Faster-whisper forbids the first token of " -", " '" and " ♪"; unless these are tokens, that is
# the space.
MERGES = (("Ġ", "-"), ("Ġ", "'"), ("Ġ", "â"))

Clip = tuple[np.ndarray, list[int], list[int]]  # features (80, frames), decoder input, labels
Pool = list[tuple[int, np.ndarray]]  # number of the sentence, its sound


def make_tokenizer() -> Tokenizer:
    """Return a byte-level tokenizer of our own sentences."""
    learnt = Tokenizer(models.BPE())
    learnt.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    trainer = trainers.BpeTrainer(
        vocab_size=2000, min_frequency=2, show_progress=False, initial_alphabet=alphabet
    )
    learnt.train_from_iterator([" " + sentence for sentence in SENTENCES] * 2, trainer)
    told = json.loads(learnt.to_str())["model"]
    vocabulary: dict[str, int] = told["vocab"]
    merges = [tuple(m) if isinstance(m, list) else tuple(m.split(" ")) for m in told["merges"]]
    for first, second in MERGES:
        if first + second not in vocabulary:
            vocabulary[first + second] = len(vocabulary)
            merges.append((first, second))
    made = Tokenizer(models.BPE(vocab=vocabulary, merges=merges))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    made.add_special_tokens([AddedToken(name, special=True, normalized=False) for name in SPECIAL])
    return made


@dataclass(frozen=True)
class Ids:
    """The numbers of the special tokens, and of the first time."""

    end: int
    start: int
    previous: int
    no_speech: int
    no_times: int

    @classmethod
    def of(cls, tokenizer: Tokenizer) -> Ids:
        """Return those of a tokenizer."""
        names = (SPECIAL[0], SPECIAL[1], SPECIAL[6], SPECIAL[7], SPECIAL[8])
        return cls(*(tokenizer.token_to_id(name) for name in names))

    @property
    def first_time(self) -> int:
        """The token of 0.00 seconds."""
        return self.no_times + 1

    @property
    def vocabulary(self) -> int:
        """How many tokens there are: 1,501 times stand last."""
        return self.first_time + 1501


class Clips:
    """Makes clips without end. multi: the shares of clips with two and with three sentences."""

    def __init__(
        self, seed: int, multi: tuple[float, float], renderings: int, voices: list[Path]
    ) -> None:
        self._random = random.Random(seed)
        self._noise = np.random.default_rng(seed)
        self._multi = multi
        self._features = FeatureExtractor()  # the library's own: others differ in the padding
        self.tokenizer = make_tokenizer()
        self.ids = Ids.of(self.tokenizer)
        self._encoded = [self.tokenizer.encode(" " + sentence).ids for sentence in SENTENCES]
        self._pool = self._spoken(renderings) + self._piped(renderings, voices)

    def batches(self, size: int, count: int) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Yield batches of clips of like length: features, decoder inputs, labels."""
        done = 0
        while done < count:
            clips = sorted(
                (self._clip() for _ in range(size * 4)), key=lambda clip: clip[0].shape[1]
            )
            groups = [clips[i : i + size] for i in range(0, len(clips), size)]
            self._random.shuffle(groups)
            for group in groups[: count - done]:
                done += 1
                yield self._padded(group)

    def _padded(self, clips: list[Clip]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        frames = max(clip[0].shape[1] for clip in clips) + 4
        frames += frames % 2
        longest = max(len(clip[1]) for clip in clips)
        features = np.zeros((len(clips), 80, frames), np.float32)
        inputs = np.full((len(clips), longest), self.ids.end)
        labels = np.full((len(clips), longest), IGNORED)
        for row, (heard, given, wanted) in enumerate(clips):
            features[row, :, : heard.shape[1]] = heard
            inputs[row, : len(given)] = given
            labels[row, : len(wanted)] = wanted
        return features, inputs, labels

    def _spoken(self, renderings: int) -> Pool:
        espeak, chance, pool = Espeak(), self._random, Pool()
        for number, sentence in enumerate(SENTENCES):
            for nth in range(renderings):
                voice = (
                    VOICES[nth % len(VOICES)] if chance.random() < 0.7 else chance.choice(VOICES)
                )
                how = chance.randrange(120, 215), chance.randrange(20, 86), chance.randrange(20, 80)
                pool.append((number, trimmed(at_16k(espeak.say(sentence, voice, *how)))))
        return pool

    def _piped(self, renderings: int, voices: list[Path]) -> Pool:
        from piper import PiperVoice, SynthesisConfig

        pool = Pool()
        for voice in map(PiperVoice.load, voices):
            for number, sentence in enumerate(SENTENCES):
                for nth in range(
                    max(4, renderings // 2)
                ):  # every fourth at the speed that tests use
                    scale = 1.0 if nth % 4 == 0 else self._random.uniform(0.66, 1.45)
                    made = voice.synthesize(sentence, SynthesisConfig(length_scale=scale))
                    sound = np.concatenate([chunk.audio_float_array for chunk in made])
                    pool.append((number, trimmed(at_16k(sound))))
        return pool

    def _clip(self) -> Clip:
        count = self._how_many()
        parts, said, at = [self._silence(0, self._random.choice([0.15, 0.6, 1.4]))], [], 0
        at = len(parts[0])
        for nth in range(count):
            number, sound = self._random.choice(self._pool)
            sound = self._changed(sound)
            said.append((number, at / RATE, (at + len(sound)) / RATE))
            last = nth + 1 == count
            pause = (
                self._silence(0.05, self._random.choice([0.3, 1.2]))
                if last
                else self._silence(0.25, 0.9)
            )
            parts += [sound, pause]
            at += len(sound) + len(pause)
        if not count:
            parts.append(self._silence(0.4, 4.0))
        sound = self._in_noise(np.concatenate(parts), speech=count > 0)
        given, wanted = self._labels(said)
        return self._features(sound.astype(np.float32))[:, :WINDOW], given, wanted

    def _how_many(self) -> int:
        """Return how many sentences a clip has; 7 % have none, so that silence gives no text."""
        chance, (two, three) = self._random.random(), self._multi
        if chance < 0.07:
            return 0
        return 2 if chance < 0.07 + two else 3 if chance < 0.07 + two + three else 1

    def _silence(self, shortest: float, longest: float) -> np.ndarray:
        return np.zeros(int(self._random.uniform(shortest, longest) * RATE), np.float32)

    def _changed(self, sound: np.ndarray) -> np.ndarray:
        chance = self._random
        if chance.random() < 0.6:
            faster = chance.uniform(0.92, 1.08)
            sound = np.interp(np.arange(0, len(sound) - 1, faster), np.arange(len(sound)), sound)
        if chance.random() < 0.2:  # a telephone
            sound = resample_poly(resample_poly(sound, 1, 2), 2, 1)[: len(sound)]
        if chance.random() < 0.4:
            sound = np.convolve(sound, [1, chance.uniform(-0.6, 0.6)])[: len(sound)]
        return (sound / (np.abs(sound).max() + 1e-6)).astype(np.float32)

    def _in_noise(self, sound: np.ndarray, *, speech: bool) -> np.ndarray:
        chance = self._random
        if not speech and chance.random() < 0.4:  # hum, a tone, clicks: not speech either
            time = np.arange(len(sound)) / RATE
            pitch = chance.choice([50, 60, 100, 440, 1000, chance.uniform(80, 3000)])
            clicks = self._noise.random(len(sound)) < 2e-4
            sound = sound + (np.sin(2 * np.pi * pitch * time) if chance.random() < 0.7 else clicks)
        strength = 10 ** chance.uniform(-1.6, 0)
        sound = sound * strength
        if speech and chance.random() >= 0.65:
            return sound
        hiss = self._noise.standard_normal(len(sound)).astype(np.float32)
        if chance.random() < 0.5:
            hiss = np.convolve(hiss, np.ones(8) / 2.8)[: len(sound)]
        distance = chance.uniform(8, 45)  # decibels between speech and noise
        level = (
            strength * 0.12 * 10 ** (-distance / 20)
            if speech
            else chance.choice([0, 1e-4, 1e-3, 1e-2, 0.1])
        )
        return sound + hiss * level

    def _labels(self, said: list[tuple[int, float, float]]) -> tuple[list[int], list[int]]:
        """Return decoder inputs and labels: times around the words, or none, or nothing said."""
        ids, chance = self.ids, self._random
        before: list[int] = []
        if chance.random() < 0.15:  # what came before must not disturb
            before = [ids.previous]
            for _ in range(chance.choice([1, 2])):
                before += chance.choice(self._encoded)
        skipped = [IGNORED] * len(before)
        if not said:
            return [*before, ids.start, ids.first_time], [*skipped, ids.no_speech, ids.end]
        if chance.random() < 0.25:
            words = [token for number, _, _ in said for token in self._encoded[number]]
            body = [ids.no_times, *words, ids.end]
            return [*before, ids.start, *body[:-1]], [*skipped, IGNORED, *body[1:]]
        body = []
        for nth, (number, start, end) in enumerate(said):
            # a first time over 1 s would be off the path that the decoder is held to
            body += [
                self._time(min(start, 1.0) if nth == 0 else start),
                *self._encoded[number],
                self._time(end),
            ]
        body.append(ids.end)
        return [*before, ids.start, *body[:-1]], [*skipped, *body]

    def _time(self, seconds: float) -> int:
        return self.ids.first_time + 10 * round(seconds / TICK_SECONDS)


def at_16k(sound: np.ndarray) -> np.ndarray:
    """Return 22,050 Hz as 16,000 Hz."""
    return resample_poly(sound, 320, 441).astype(np.float32)


def trimmed(sound: np.ndarray) -> np.ndarray:
    """Return a sound without the silence around it."""
    loud = np.flatnonzero(np.abs(sound) > 0.01)
    return sound[loud[0] : loud[-1] + 1] if len(loud) else sound


def as_json(**told: Any) -> str:
    """Return some settings as a file's text."""
    return json.dumps(told, indent=1)
