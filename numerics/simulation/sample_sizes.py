"""Whether a sample of the excess risk is large enough for an interval for its mean, by the model.

A sample cannot tell that it missed the prompts that make the mean; the law of the prompts can.

For scalar weights theta = p(Lhat) b.  The context enters through z = m^T Lhat m/s ~ lam chi^2_L/L along m,
the entries of Lhat between m and what is across, of squared length z chi^2_(d-1)/L, and the noise of the
responses, b = Lhat w + N(0, Lhat/(L lam)).  The rest of Lhat is taken at its mean I, but for one direction
at the edge of its spectrum, (sqrt L + sqrt(d-1) + N(0, 1))^2/L (the bound of Davidson and Szarek 2001).
Given those the excess is a quadratic form in Gaussian variables.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt
from scipy.special import chdtri, gammaln, ndtri, roots_genlaguerre

from numerics.expectation.quadrature import FloatRule
from numerics.laws import Law

Values = npt.NDArray[np.float64]
Function = Callable[[Values], Values]
Moments = tuple[Values, Values, Values]
"""The first three moments."""

NORMAL_ZETA = (1.0, 3.0, 15.0)
"""E zeta^(2k)/(E zeta^2)^k."""
ALLOWED = 0.2
"""What skewness may add to the level, per unit of it."""
RARE, MISSED = 0.01, 0.05
"""Prompts that are in a sample with probability RARE times the level at most are left out of the moments, if
they move the mean by MISSED standard errors at most."""
CONSTANT = 1e-12
PANEL, WIDE_PANEL, SIGMAS = 64, 160, 12.0
ACROSS = 6
MOST_ACROSS = 100


def needed(skewness: float, confidence: float) -> float:
    """The sample size from which Student's interval misses its level by a fifth of it at most.

    The non-coverage exceeds the level by 2 phi(z) z (z^4 + 2 z^2 - 3)/18 gamma^2/n to order 1/n, by the
    Edgeworth expansion of Student's statistic (Finner and Dickhaus 2010); the term of the kurtosis lowers it
    and is left out.
    """
    z = float(ndtri((1 + confidence) / 2))
    density = math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    return 2 * density * z * (z**4 + 2 * z**2 - 3) / 18 * skewness**2 / (ALLOWED * (1 - confidence))


@dataclass(frozen=True)
class Shape:
    """The law of the excess over prompts, per unit E zeta^2.

    mean:    with everything in.
    moments: the first three without what is too rare for a sample to hold.
    """

    mean: float
    moments: tuple[float, float, float]

    @property
    def skewness(self) -> float:
        """inf where the moments are not finite, 0 for a constant."""
        first, second, third = self.moments
        if not math.isfinite(third):
            return math.inf
        variance = second - first**2
        if variance <= CONSTANT * second:
            return 0.0
        return float(abs(third - 3 * first * variance - first**3) / variance**1.5)

    def bears(self, samples: int, confidence: float) -> bool:
        """Whether Student's interval from so many prompts holds its level."""
        first, second, _ = self.moments
        if samples < needed(self.skewness, confidence) or not math.isfinite(self.mean):
            return False
        error = math.sqrt(max(second - first**2, 0.0) / samples)
        return self.mean - first <= MISSED * error + CONSTANT * self.mean


def rarity(samples: int, confidence: float) -> float:
    """The probability of an event that so many prompts do not hold, to RARE times the level."""
    return RARE * (1 - confidence) / samples


@dataclass(frozen=True)
class Filter:
    """g(z) = 1 - z p(z) of a stack with W_S = alpha I, W_V = beta I; `tokens`: without skip, from F^0 = X."""

    alpha: float
    beta: float
    T: int
    tokens: bool = False

    def g(self, z: Values) -> Values:
        """The residual."""
        with np.errstate(over="ignore", invalid="ignore"):
            x = 1 + self.beta * z
            # A power of a number below 0 is slow.
            power: Values = np.abs(x) ** self.T * (np.sign(x) if self.T % 2 else 1)
            if self.tokens:
                return np.asarray(1 - z * power)
            if self.beta == 0:
                return np.asarray(1 - self.alpha * self.T * z)
            share = self.alpha / self.beta
            return np.asarray((1 + share) - share * power)

    @property
    def degree(self) -> int:
        """Of g."""
        return self.T + self.tokens


@dataclass(frozen=True)
class LayerFilter:
    """g(z) = prod (1 - alpha_t z) of a stack with W_S = -W_V = alpha_t I in layer t."""

    weights: tuple[float, ...]

    def g(self, z: Values) -> Values:
        """The residual."""
        found = np.ones_like(z)
        with np.errstate(over="ignore", invalid="ignore"):
            for weight in self.weights:
                found = found * (1 - weight * z)
        return found

    @property
    def degree(self) -> int:
        """Of g."""
        return len(self.weights)


AnyFilter = Filter | LayerFilter


def stack(
    law: Law, found: AnyFilter, d: int, context: int, rare: float = 0.0, zeta: Sequence[float] = NORMAL_ZETA
) -> Shape:
    """The excess of a stack with scalar weights; rare: see `rarity`."""
    rule = _rule(law, FloatRule.size(min(6 * found.degree, 128)))
    weights = np.exp(rule.log_weight)
    order = np.argsort(-rule.s)
    kept = np.zeros(weights.size, dtype=bool)
    kept[order] = np.cumsum(weights[order]) > rare
    with np.errstate(over="ignore", invalid="ignore", divide="ignore", under="ignore"):
        mean, totals = 0.0, np.zeros(3)
        for s, weight, keep in zip(rule.s, weights, kept, strict=True):
            whole, given = _given_norm(float(s), found, d, context, rare)
            mean += weight * whole
            totals += weight * np.array(given) if keep else 0.0
    return _shape(mean, totals, zeta)


@cache
def _rule(law: Law, size: int) -> FloatRule:
    return FloatRule(law, size)


def _shape(mean: float, moments: Sequence[float] | Values, zeta: Sequence[float]) -> Shape:
    first, second, third = (float(factor * moment) for factor, moment in zip(zeta, moments, strict=True))
    return Shape(float(zeta[0] * mean), (first, second, third))


def _given_norm(s: float, found: AnyFilter, d: int, context: int, rare: float) -> tuple[float, list[float]]:
    """The mean of the excess given s, per unit zeta^2, and its moments without what is rare."""
    lam = 1 + s
    t, t_weight = _chi_square(context, 6 * found.degree)
    q, q_weight = _across(d - 1)
    z = lam * t[:, None]
    moments = _two_directions(s, z, z * q[None, :] / context, found, context, max(d - 2, 0))
    weight = t_weight[:, None] * q_weight[None, :]
    keep = t[:, None] <= _quantile(context, rare)
    whole = float(np.sum(weight * moments[0]))
    averaged = [float(np.sum(weight * np.where(keep, moment, 0.0))) for moment in moments]
    if d < 3:
        return whole, averaged
    edge, kept = _edge(lam, found, d, context, rare)
    return whole + edge, _sum(averaged, kept)


@cache
def _quantile(degrees: int, rare: float) -> float:
    """chi^2/degrees exceeds it with probability `rare`."""
    return math.inf if rare == 0 else float(chdtri(degrees, rare)) / degrees


def _two_directions(
    s: float, z: Values, mixed: Values, found: AnyFilter, context: int, others: int
) -> Moments:
    """Lhat = [[z, k], [k, 1]] along m and one direction across, k^2 = `mixed`; `others` at 1 besides."""
    lam, k = 1 + s, np.sqrt(mixed)
    centre, half = (z + 1) / 2, np.sqrt(((z - 1) / 2) ** 2 + mixed)
    high = centre + half
    low = (z - mixed) / high  # the determinant over the larger eigenvalue
    ratio = np.where(half > 0, (z - 1) / 2 / np.where(half > 0, half, 1), 1.0)
    sine = np.where(half > 0, k / np.where(half > 0, 2 * half, 1), 0.0)
    cos2 = (1 + ratio) / 2
    g_high, g_low = found.g(high), found.g(low)
    mean = (
        -math.sqrt(s) / lam * (g_high * cos2 + g_low * (1 - cos2)),
        -math.sqrt(s) / lam * (g_high - g_low) * sine,
    )
    noise_high, noise_low = (_noise(g, at, lam, context) for g, at in ((g_high, high), (g_low, low)))
    covariance = (
        noise_high * cos2 + noise_low * (1 - cos2),
        (noise_high - noise_low) * sine,
        noise_high * (1 - cos2) + noise_low * cos2,
    )
    one = np.ones(1)
    rest = _noise(found.g(one), one, lam, context)
    return quadratic_moments(mean, covariance, (lam, 0.0, 1.0), [(max(others - 1, 0), rest)])


def _noise(g: Values, z: Values, lam: float, context: int) -> Values:
    """p(z)^2 z/(L lam), the variance that the responses' noise gives an eigendirection."""
    return np.where(z > 0, (1 - g) ** 2 / np.where(z > 0, z, 1), 0.0) / (context * lam)


def quadratic_moments(
    mean: tuple[Values, Values],
    covariance: tuple[Values, Values, Values],
    metric: tuple[float | Values, float | Values, float | Values],
    rest: Sequence[tuple[int, Values]],
) -> Moments:
    """Moments of v^T A v, v ~ N(mean, covariance) in the plane (entries 11, 12, 22), plus for each (n, c) of
    `rest` c times a chi-square with n degrees of freedom; by the cumulants
    2^(k-1) (k-1)! [tr (A C)^k + k m^T A (C A)^(k-1) m].
    """
    (x, y), (c11, c12, c22), (a11, a12, a22) = mean, covariance, metric
    p, q = a11 * c11 + a12 * c12, a11 * c12 + a12 * c22
    r, t = a12 * c11 + a22 * c12, a12 * c12 + a22 * c22
    u, v = a11 * x + a12 * y, a12 * x + a22 * y
    # A C A m and its product with C A m: the forms of order 2 and 3.
    u1, v1 = c11 * u + c12 * v, c12 * u + c22 * v
    u2, v2 = a11 * u1 + a12 * v1, a12 * u1 + a22 * v1
    trace, square = p + t, p * p + 2 * q * r + t * t
    cube = p * p * p + t * t * t + 3 * q * r * (p + t)
    first = trace + x * u + y * v
    second = 2 * square + 4 * (u * u1 + v * v1)
    third = 8 * cube + 24 * (u1 * u2 + v1 * v2)
    for n, c in rest:
        first, second, third = first + n * c, second + 2 * n * c * c, third + 8 * n * c * c * c
    return first, second + first**2, third + 3 * second * first + first * first * first


def _edge(lam: float, found: AnyFilter, d: int, context: int, rare: float) -> tuple[float, list[float]]:
    """What the direction at the edge of the spectrum across m adds: its mean, and its moments cut."""
    shift = 6 * found.degree / math.sqrt(context)
    nodes, weight = _panel(WIDE_PANEL)
    low, high = -8.0, 8.0 + 2 * shift
    n = (low + high) / 2 + (high - low) / 2 * nodes
    weight = weight * (high - low) / 2 * np.exp(-n * n / 2) / math.sqrt(2 * math.pi)
    at = np.maximum(math.sqrt(context) + math.sqrt(d - 1) + n, 0.0) ** 2 / context
    variance = _noise(found.g(at), at, lam, context)
    cut = np.where(n <= (math.inf if rare == 0 else -float(ndtri(rare))), variance, 0.0)
    return float(weight @ variance), [
        float(weight @ (factor * cut**k)) for k, factor in ((1, 1.0), (2, 3.0), (3, 15.0))
    ]


def _sum(first: Sequence[float], second: Sequence[float]) -> list[float]:
    """Moments of a sum of independent variables."""
    a, b, c = first
    e, f, g = second
    return [a + e, b + 2 * a * e + f, c + 3 * b * e + 3 * a * f + g]


@cache
def _panel(size: int) -> tuple[Values, Values]:
    nodes, weight = np.polynomial.legendre.leggauss(size)
    return nodes, weight


@cache
def _chi_square(degrees: int, power: int) -> tuple[Values, Values]:
    """Nodes for chi^2/degrees and their weights, wide enough for `power` more of it.

    Gauss-Legendre in the logarithm, by panels; the bulk and the range that the power moves it to.
    """
    sigma = math.sqrt(2 / degrees)
    core = min(SIGMAS * sigma, 40.0)
    far = math.log1p(2 * power / degrees) + SIGMAS * math.sqrt(2 / (degrees + 2 * power))
    edges = [(-4 * core, -core), (-core, 0.0), (0.0, core), (core, max(far, core) + core)]
    parts = []
    for (low, high), size in zip(edges, (PANEL, PANEL, PANEL, WIDE_PANEL), strict=True):
        nodes, weight = _panel(size)
        parts.append(((low + high) / 2 + (high - low) / 2 * nodes, weight * (high - low) / 2))
    x = np.concatenate([nodes for nodes, _ in parts])
    weight = np.concatenate([weight for _, weight in parts])
    half = degrees / 2
    # half (x - e^x) without the digits that it would lose where x is small and the degrees many
    log_density = half * (x - np.expm1(x)) - half + half * math.log(half) - float(gammaln(half))
    return np.exp(x), weight * np.exp(log_density)


@cache
def _across(degrees: int) -> tuple[Values, Values]:
    """Nodes and weights for chi^2 with these degrees of freedom; its mean where they are many."""
    if degrees == 0 or degrees > MOST_ACROSS:
        return np.array([float(degrees)]), np.ones(1)
    nodes, weight = roots_genlaguerre(ACROSS, degrees / 2 - 1)
    return 2 * nodes, weight / np.sum(weight)


def least_squares(law: Law, d: int, context: int, zeta: Sequence[float] = NORMAL_ZETA) -> Shape | None:
    """Least squares: lam times its excess is chi^2_d over an independent chi^2_(L-d+1) (Hotelling).

    None up to L = d + 5, where the third moment is infinite.
    """
    degrees = context - d + 1
    if degrees <= 6:
        return None
    rule = _rule(law, FloatRule.size(64))
    moments, ratio = [], 1.0
    for k in (1, 2, 3):
        ratio *= (d + 2 * k - 2) / (degrees - 2 * k)
        moments.append(ratio * float(np.exp(rule.log_weight) @ rule.lam ** (-k)))
    return _shape(moments[0], moments, zeta)


def sample_mean(law: Law, context: int, zeta: Sequence[float] = NORMAL_ZETA) -> Shape:
    """The sample mean: s/lam + chi^2_1/L."""
    rule = _rule(law, FloatRule.size(64))
    share, one = rule.s / rule.lam, np.ones_like(rule.s)
    given = quadratic_moments(
        (np.sqrt(share), 0 * one), (0 * one, 0 * one, one / context), (1.0, 0.0, 1.0), []
    )
    moments = [float(np.exp(rule.log_weight) @ moment) for moment in given]
    return _shape(moments[0], moments, zeta)


def layer(
    laws: Sequence[Law],
    weights: Sequence[float],
    dims: Sequence[int],
    context: int,
    zeta: Sequence[float] = NORMAL_ZETA,
) -> Shape:
    """LSA with M = diag(a I, b I) for two modalities: given |u|^2 the vector b is Gaussian."""
    rules = [_rule(law, FloatRule.size(64)) for law in laws]
    t, t_weight = _chi_square(context, 6)
    p, q = rules[0].s[:, None, None], rules[1].s[None, :, None]
    weight = np.exp(rules[0].log_weight)[:, None, None] * np.exp(rules[1].log_weight)[None, :, None]
    a, b = weights
    lam, spread = 1 + p + q, t / context
    mean = ((a * t - 1 / lam) * np.sqrt(p), (b * t - 1 / lam) * np.sqrt(q))
    covariance = (a * a * spread, 0 * spread, b * b * spread)
    rest = [(dims[0] - 1, a * a * spread), (dims[1] - 1, b * b * spread)]
    given = quadratic_moments(mean, covariance, (1 + p, np.sqrt(p * q), 1 + q), rest)
    moments = [float(np.sum(weight * t_weight * moment)) for moment in given]
    return _shape(moments[0], moments, zeta)
