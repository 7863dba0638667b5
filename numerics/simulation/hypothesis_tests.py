"""Decisions from samples: a confidence interval against the band about a statement, and a false twin.

A statement gives a number for what is sampled, its false twin another.  The band about the
statement reaches half way to the twin, and no further than a tenth of the number stated.  The statement is
verified if the interval lies inside the band and holds the number stated, refuted if it lies outside the
band, undecided otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import chdtr, ndtri

from numerics.simulation.arrays import HostArray
from numerics.simulation.estimators import Accumulator, Estimate

RELATIVE_BAND = 0.1
SHARE, LIMIT_SHARE = 0.4, 0.25
"""An interval is planned to reach over this share of the band to either side; less of it where the
statement is a limit, as what is left of a term c/L comes on top."""


@dataclass(frozen=True)
class Measured:
    """What one statement says of a sample, value by value, shape (n,).

    error: the value sampled less the statement's.
    twin:  the false twin's number less the statement's.
    scale: the statement's number.
    """

    error: HostArray
    twin: HostArray
    scale: HostArray

    def swapped(self) -> Measured:
        """The same sample under the false twin, whose own twin is the truth."""
        return Measured(self.error - self.twin, -self.twin, self.scale + self.twin)

    @property
    def distance(self) -> float:
        """From the statement to its twin."""
        return abs(float(np.mean(self.twin)))

    @property
    def band(self) -> float:
        """How far the mean error may lie from 0."""
        return min(self.distance / 2, RELATIVE_BAND * abs(float(np.mean(self.scale))))

    def planned(self, confidence: float, share: float = SHARE) -> float:
        """The sample size at which the interval reaches over `share` of the band; inf if there is no band."""
        if self.band == 0 or not np.all(np.isfinite(self.error)):
            return math.inf
        reach = float(ndtri((1 + confidence) / 2)) * float(np.std(self.error))
        return (reach / (share * self.band)) ** 2


@dataclass(frozen=True)
class Decision:
    """An interval for the mean error, and what it says."""

    low: float
    high: float
    band: float
    distance: float
    reliable: bool
    estimate: Estimate

    @property
    def holds(self) -> bool | None:
        """See the module."""
        if not self.reliable:
            return None
        if self.low > self.band or self.high < -self.band:
            return False
        inside = -self.band <= self.low and self.high <= self.band
        return True if inside and self.low <= 0 <= self.high else None


def decide(
    measured: Measured, confidence: float, nearer: Measured | None = None, *, averages: bool = False
) -> Decision:
    """Decide on a sample by Student's interval.

    averages: each value is itself a mean of many, so that few values are no reason for a heavy tail.
    nearer: a second sample, at four times the context length, where the statement is a limit: the
            interval is then about the second mean, and widened by a third of what the two may
            differ by, which is what is left at 4L of a term c/L.
    """
    last = nearer or measured
    estimate = _estimate(last.error, confidence)
    if estimate.mean is None or estimate.low is None or estimate.high is None:
        return Decision(-math.inf, math.inf, last.band, last.distance, False, estimate)
    low, high, reliable = estimate.low, estimate.high, averages or not estimate.heavy_tailed
    if nearer is not None:
        first = _estimate(measured.error, confidence)
        if first.mean is None or first.low is None or first.high is None:
            return Decision(-math.inf, math.inf, last.band, last.distance, False, estimate)
        halves = (first.high - first.low) / 2 + (high - low) / 2
        rest = (abs(estimate.mean - first.mean) + halves) / 3
        low, high, reliable = low - rest, high + rest, reliable and not first.heavy_tailed
    return Decision(low, high, last.band, last.distance, reliable, estimate)


def _estimate(values: HostArray, confidence: float) -> Estimate:
    return Accumulator.of(values[None, :]).estimate(confidence=confidence)


@dataclass(frozen=True)
class SameLaw:
    """Whether two samples have one law, by the distance of their distribution functions.

    distance: sup |F - G| of the samples; that of the laws is within `error` of it, by the inequality of
              Dvoretzky, Kiefer and Wolfowitz with Massart's constant, half the level for each sample.
    band:     the largest distance allowed.
    """

    distance: float
    error: float
    band: float

    @property
    def holds(self) -> bool | None:
        """As for a Decision, the band about 0."""
        if self.distance - self.error > self.band:
            return False
        return True if self.distance + self.error <= self.band else None


def same_law(first: HostArray, second: HostArray, band: float, confidence: float) -> SameLaw:
    """Compare two samples, shape (n,) and (m,): the distance of their distribution functions, and its error.

    The error is the inequality of Dvoretzky, Kiefer and Wolfowitz with Massart's constant (1990), for each
    sample.  `scipy.stats.ks_2samp` tests equality, which it can only reject; a bound can be kept.
    """
    both = np.sort(np.concatenate([first, second]))
    functions = [
        np.searchsorted(np.sort(values), both, side="right") / values.size for values in (first, second)
    ]
    level = (1 - confidence) / 2
    error = sum(math.sqrt(math.log(2 / level) / (2 * values.size)) for values in (first, second))
    return SameLaw(float(np.max(np.abs(functions[0] - functions[1]))), error, band)


def chi_square_distance(degrees: int, other: int) -> float:
    """sup |F - G| between the chi-square laws with these degrees of freedom, both >= 1.

    The densities cross once, where x^((other - degrees)/2) makes up for the constants.
    """
    low, high = sorted((degrees, other))
    if low == high:
        return 0.0
    log_ratio = math.lgamma(high / 2) - math.lgamma(low / 2) + (high - low) / 2 * math.log(2)
    at = math.exp(2 * log_ratio / (high - low))
    return float(abs(chdtr(low, at) - chdtr(high, at)))


def proportion(hits: int, trials: int, confidence: float) -> tuple[float, float]:
    """The interval of Clopper and Pearson (1934) for a frequency: its level holds at any number of trials.

    >>> [round(end, 4) for end in proportion(0, 100, 0.99)]
    [0.0, 0.0516]
    """
    from scipy.special import betaincinv

    level = (1 - confidence) / 2
    low = 0.0 if hits == 0 else float(betaincinv(hits, trials - hits + 1, level))
    high = 1.0 if hits == trials else float(betaincinv(hits + 1, trials - hits, 1 - level))
    return low, high


def rounded_up(sizes: Sequence[float], least: int, most: int) -> int:
    """The largest of the planned sizes, a tenth added for the pilot's error, within limits."""
    largest = 1.1 * max(sizes)
    return most if largest >= most else max(least, math.ceil(largest))
