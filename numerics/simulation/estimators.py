"""Monte-Carlo means with confidence intervals, gathered piece by piece."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from numerics.simulation.arrays import HostArray, SimulationInputError

CONFIDENCE = 0.99
HEAVY_SHARE = 0.1
MEDIAN_BITS = 8
ROW = 1 << (13 + MEDIAN_BITS)
"""Keys of a row: |x| has 11 + MEDIAN_BITS leading bits, and a sign."""
DROPPED = (1 << (12 + MEDIAN_BITS)) - 1
JOINED = 1 << 17
COUNT_BITS = 32
COUNT = (1 << COUNT_BITS) - 1

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Estimate:
    """The mean of a sample, with its confidence interval by Student's t.

    mean, low, high: None where a value or its square overflowed; low and high also for one value.
    median:          to a relative accuracy of 2^-9; what overflowed counts as larger than all else.
    heavy_tailed:    a single value makes up a tenth or more of the sum of squares, or some
                     overflowed: the interval then says little, and the median is the better number.
    """

    mean: float | None
    low: float | None
    high: float | None
    confidence: float
    samples: int
    median: float | None
    heavy_tailed: bool
    overflowed: int


class Accumulator:
    """Gathers samples of one size, `rows` of them, piece by piece in memory that does not grow with them.

    Mean and variance are merged by the pairwise update of Chan, Golub and LeVeque (1979).  For the median
    values are counted in bins of relative width 2^-8: their leading bits as float64.
    The heavy-tail flag is the ratio of maximum to sum of the squares, which tends to 0 exactly
    if the second moment is finite (Embrechts, Klueppelberg and Mikosch 1997).
    """

    def __init__(self, rows: int = 1) -> None:
        self.samples: Counts = np.zeros(rows, dtype=np.int64)
        self.overflowed: Counts = np.zeros(rows, dtype=np.int64)
        self._mean, self._squares, self._largest = np.zeros((3, rows))
        self._bins = Bins()

    @staticmethod
    def of(values: HostArray) -> Accumulator:
        """What one piece holds, (rows, n).  Values that are not finite are counted as overflowed."""
        found = Accumulator(values.shape[0])
        finite = np.isfinite(values)
        found.samples = np.sum(finite, axis=1)
        found.overflowed = values.shape[1] - found.samples
        if found.overflowed.any():
            values = np.where(finite, values, 0.0)
        with np.errstate(over="ignore", invalid="ignore"):
            found._mean = np.sum(values, axis=1) / np.maximum(found.samples, 1)
            shifted = values - found._mean[:, None]
            if found.overflowed.any():
                shifted[~finite] = 0.0
            found._squares = np.sum(shifted * shifted, axis=1)
        found._largest = np.max(np.abs(values), axis=1, initial=0.0)
        found._bins = Bins.of(values, finite)
        return found

    def add(self, values: HostArray) -> None:
        """Add a piece, (rows, n)."""
        self.merge(Accumulator.of(values))

    def merge(self, other: Accumulator) -> None:
        """Add what another has gathered.  The last digits depend on the order."""
        total = self.samples + other.samples
        share = other.samples / np.maximum(total, 1)
        with np.errstate(over="ignore", invalid="ignore"):
            shift = other._mean - self._mean
            self._squares = self._squares + other._squares + shift * shift * self.samples * share
            self._mean = self._mean + shift * share
        self.samples, self.overflowed = total, self.overflowed + other.overflowed
        self._largest = np.maximum(self._largest, other._largest)
        self._bins.merge(other._bins)

    def estimate(self, row: int = 0, confidence: float = CONFIDENCE) -> Estimate:
        """The estimate from what was added so far.  Raises SimulationInputError unless 0 < confidence < 1."""
        if not 0 < confidence < 1:
            raise SimulationInputError(f"confidence: must lie between 0 and 1, not {confidence}")
        samples, overflowed = int(self.samples[row]), int(self.overflowed[row])
        found, squares = float(self._mean[row]), float(self._squares[row])
        mean = found if samples > 0 and overflowed == 0 and math.isfinite(found) else None
        low = high = None
        if mean is not None and samples > 1 and math.isfinite(squares):
            half = float(stdtrit(samples - 1, (1 + confidence) / 2)) * math.sqrt(
                squares / (samples - 1) / samples
            )
            low, high = mean - half, mean + half
        rank = (samples + overflowed + 1) // 2
        median = self._bins.value(row, rank) if 1 <= rank <= samples else None
        return Estimate(mean, low, high, confidence, samples, median, self._heavy(row), overflowed)

    def _heavy(self, row: int) -> bool:
        mean, squares, largest = (float(part[row]) for part in (self._mean, self._squares, self._largest))
        if self.overflowed[row] or not (math.isfinite(squares) and math.isfinite(mean)):
            return True
        second = squares + int(self.samples[row]) * mean**2
        return largest > 0 and largest**2 >= HEAVY_SHARE * second


class Bins:
    """How many values of each row lie in which bin.

    A bin has a key: the row, then the leading bits of |x|, negative for negative x.  Key and count are kept
    in one integer, so that lists are joined by sorting.
    """

    def __init__(self) -> None:
        self._parts: list[Counts] = []

    @staticmethod
    def of(values: HostArray, kept: npt.NDArray[np.bool_]) -> Bins:
        """Count the values kept, (rows, n)."""
        found = Bins()
        bits = (np.abs(values).view(np.int64) >> (52 - MEDIAN_BITS)).astype(np.int32)
        if (negative := values < 0).any():
            np.negative(bits, out=bits, where=negative)
        if not kept.all():
            bits[~kept] = DROPPED
        bits.sort(axis=1)
        new = np.ones(bits.shape, dtype=bool)
        np.not_equal(bits[:, 1:], bits[:, :-1], out=new[:, 1:])
        first = np.flatnonzero(new)
        counts = np.diff(first, append=bits.size)
        lead = bits.ravel()[first]
        rows = first // max(values.shape[1], 1)
        found._parts = [(((rows * ROW + lead) << COUNT_BITS) + counts)[lead != DROPPED]]
        return found

    def merge(self, other: Bins) -> None:
        """Add what another has counted; lists are joined once the last ones outweigh the first."""
        self._parts += other._parts
        if sum(part.size for part in self._parts[1:]) > max(self._parts[0].size, JOINED):
            self._join()

    def _join(self) -> None:
        keys = np.concatenate(self._parts)
        keys.sort()
        counts = keys & COUNT
        keys -= counts
        last = np.flatnonzero(np.append(keys[1:] != keys[:-1], keys.size > 0))
        # The counts of a key are what it adds to those of all keys before.
        up_to = np.cumsum(counts, out=counts)[last]
        joined = keys[last] + up_to
        joined[1:] -= up_to[:-1]
        self._parts = [joined]

    def value(self, row: int, rank: int) -> float:
        """The middle of the bin with the value of this rank in a row, from 1 on."""
        if len(self._parts) > 1:
            self._join()
        (joined,) = self._parts
        ends = [(row * ROW + side * ROW // 2) << COUNT_BITS for side in (-1, 1)]
        here = slice(*np.searchsorted(joined, ends))
        place = np.searchsorted(np.cumsum(joined[here] & COUNT), rank)
        key = int(joined[here][place] >> COUNT_BITS) - row * ROW
        # The values of the lowest bin are 0 for all purposes.
        bits = (2 * abs(key) + 1) << (51 - MEDIAN_BITS) if key else 0
        return math.copysign(float(np.array(bits, dtype=np.int64).view(np.float64)), key)
