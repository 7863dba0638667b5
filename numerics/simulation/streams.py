"""Streams of random numbers: NumPy's on the host, or counted out on the device that will use them.

Every array has a stream of its own, spawned from the seeds of a chunk, so that its first rows are the same
however many are drawn.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from numerics.simulation.arrays import Array, Backend

MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
KEY_STEPS = (0x9E3779B9, 0xBB67AE85)
ROUNDS = 10
WORD = 2**32 - 1
AT_ONCE = 2**20
"""Blocks of four words worked out at once, so that the memory for it is bounded."""
DRAWING_BYTES = 16 * 8 * AT_ONCE
"""Two sets of words, their products, and the numbers made of them."""


class Draws(Protocol):
    """Streams of random numbers, one an array."""

    def normal(self, shape: tuple[int, ...]) -> Array:
        """Independent standard normal numbers."""
        ...

    def chi_square(self, prompts: int, degrees: Sequence[int]) -> Array:
        """Independent chi-square numbers, shape (prompts, len(degrees)); degrees >= 0, 0 gives 0."""
        ...


@dataclass
class HostDraws:
    """Random numbers drawn by NumPy and handed to the array library."""

    seeds: np.random.SeedSequence
    backend: Backend

    def _stream(self) -> np.random.Generator:
        (seeds,) = self.seeds.spawn(1)
        return np.random.default_rng(seeds)

    def normal(self, shape: tuple[int, ...]) -> Array:
        """See :class:`Draws`."""
        return self.backend.asarray(self._stream().standard_normal(shape, dtype=self.backend.numpy_dtype))

    def chi_square(self, prompts: int, degrees: Sequence[int]) -> Array:
        """See :class:`Draws`."""
        shape = np.asarray(degrees, dtype=np.float64) / 2
        return self.backend.asarray(2 * self._stream().standard_gamma(shape, (prompts, len(degrees))))


@dataclass
class DeviceDraws:
    """Random numbers counted out by Philox4x32-10 (Salmon et al. 2011) in operations of the array library.

    A stream has 128 bits of its seeds, 64 as the key and 64 in the counter.
    """

    seeds: np.random.SeedSequence
    backend: Backend

    def normal(self, shape: tuple[int, ...]) -> Array:
        """See :class:`Draws`."""
        return self._numbers(self._spawned(self.seeds), shape, self._box_muller)

    def chi_square(self, prompts: int, degrees: Sequence[int]) -> Array:
        """See :class:`Draws`.

        By the method of Marsaglia and Tsang (2000) for gamma variables of shape a >= 1; below, one of
        shape a + 1 times U^(1/a).
        """
        xp = self.backend.xp
        seeds = self._spawned(self.seeds)
        shape = xp.broadcast_to(self._double([k / 2 for k in degrees]), (prompts, len(degrees)))
        small = shape < 1
        d = xp.where(small, shape + 1, shape) - 1 / 3
        found, missing = xp.zeros_like(d), xp.ones_like(d) > 0
        boost = self._numbers(self._spawned(seeds), d.shape, self._uniform, wide=True)
        while bool(xp.any(missing)):
            x = self._numbers(self._spawned(seeds), d.shape, self._box_muller, wide=True)
            u = self._numbers(self._spawned(seeds), d.shape, self._uniform, wide=True)
            v = 1 + x / xp.sqrt(9 * d)
            v = v * v * v
            log_v = xp.log(xp.where(v > 0, v, 1.0))
            taken = missing & (v > 0) & (xp.log(u) < x * x / 2 + d * (1 - v + log_v))
            found = xp.where(taken, d * v, found)
            missing = missing & ~taken
        found = xp.where(small, found * boost ** (1 / xp.where(shape > 0, shape, 1.0)), found)
        return xp.astype(2 * xp.where(shape > 0, found, 0.0), self.backend.dtype)

    def _spawned(self, seeds: np.random.SeedSequence) -> np.random.SeedSequence:
        (found,) = seeds.spawn(1)
        return found

    def _double(self, values: Any) -> Array:
        xp = self.backend.xp
        return xp.asarray(values, dtype=xp.float64, device=self.backend.device)

    def _numbers(
        self,
        seeds: np.random.SeedSequence,
        shape: tuple[int, ...],
        pair: Callable[[Sequence[Array]], tuple[Array, Array]],
        *,
        wide: bool = False,
    ) -> Array:
        """Two numbers from every four words of a stream; in float64 if `wide`."""
        xp, size = self.backend.xp, math.prod(shape)
        dtype = xp.float64 if wide else self.backend.dtype
        parts = [
            xp.astype(xp.reshape(xp.stack(pair(words), axis=-1), (-1,)), dtype)
            for words in self._words(seeds, -(-size // 2))
        ]
        return xp.reshape(xp.concat(parts)[:size], shape)

    def _words(self, seeds: np.random.SeedSequence, blocks: int) -> Iterator[Sequence[Array]]:
        """The words of blocks 0, 1, ..., piece by piece."""
        xp = self.backend.xp
        first, second, high, low = (int(word) for word in seeds.generate_state(4, np.uint32))
        for start in range(0, max(blocks, 1), AT_ONCE):
            stop = min(blocks, start + AT_ONCE)
            index = xp.arange(start, stop, dtype=xp.uint64, device=self.backend.device)
            counter = (index & WORD, index >> 32, 0 * index + high, 0 * index + low)
            yield philox(counter, (first, second))

    def _uniform(self, words: Sequence[Array]) -> tuple[Array, Array]:
        """In (0, 1], with 53 bits."""
        xp, (a, b, c, d) = self.backend.xp, words
        first, second = (
            (xp.astype(((high << 32) | low) >> 11, xp.float64) + 1) * 2.0**-53
            for high, low in ((a, b), (c, d))
        )
        return first, second

    def _box_muller(self, words: Sequence[Array]) -> tuple[Array, Array]:
        xp, (first, second) = self.backend.xp, self._uniform(words)
        radius, angle = xp.sqrt(-2 * xp.log(first)), 2 * math.pi * second
        return radius * xp.cos(angle), radius * xp.sin(angle)


def philox(counter: Sequence[Array], key: tuple[int, int]) -> tuple[Array, Array, Array, Array]:
    """Philox4x32-10 of four words of the counter and two of the key; words are uint64 below 2^32."""
    a, b, c, d = counter
    for turn in range(ROUNDS):
        left, right = ((word + turn * step) & WORD for word, step in zip(key, KEY_STEPS, strict=True))
        first, second = a * MULTIPLIERS[0], c * MULTIPLIERS[1]
        a, b, c, d = (second >> 32) ^ b ^ left, second & WORD, (first >> 32) ^ d ^ right, first & WORD
    return a, b, c, d
