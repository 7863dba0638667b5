"""The excess risk at context length L, given s = ||m||^2: the theory's value, and what its fluctuations cost.

A predictor b^T p(Lhat) x_q has the residual g(z) = 1 - z p(z) and, per unit zeta^2, the excess
(s/lam) g(lam)^2 + (first-order term)/L + O(L^-2) (`theory.finite_context`).  Everything here is a
polynomial in the weights and lam, evaluated without the divisions by lam - 1 = s of the formula,
so that small s costs no digits; Fractions do as well as arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from array_api_compat import array_namespace

from numerics.arithmetic.balls import Number, precise
from numerics.laws import Law
from numerics.self_attention.best_layer import blocks_of
from numerics.simulation.arrays import Array
from numerics.simulation.attention import gram_times
from numerics.simulation.prompts import Batch


@dataclass(frozen=True)
class Residual:
    """g at lam and at 1, g' and g'' at lam, and the divided differences g[lam, 1] and g[lam, lam, 1]."""

    at_lam: Any
    at_one: Any
    first: Any
    second: Any
    divided: Any
    divided_twice: Any


def _power(z: Any, z1: Any, T: int) -> tuple[Any, Any, Any, Any]:
    """sum_{k<T} z^k, the same at z1, and z^T's divided differences [z, z1] and [z, z, z1].

    By doubling and the product rules (fg)[z, z1] = f(z) g[z, z1] + f[z, z1] g(z1) and
    (fg)[z, z, z1] = f(z) g[z, z, z1] + f'(z) g[z, z1] + f[z, z, z1] g(z1).
    """
    total, total1, once, twice = 1 + 0 * z, 1 + 0 * z1, 1 + 0 * z, 0 * z
    power, power1, slope = z, z1, 1 + 0 * z
    for bit in f"{T:b}"[1:]:
        total, total1 = (1 + power) * total, (1 + power1) * total1
        twice = power * twice + slope * once + twice * power1
        once = power * once + once * power1
        slope = 2 * power * slope
        power, power1 = power * power, power1 * power1
        if bit == "1":
            total, total1 = 1 + z * total, 1 + z1 * total1
            twice = z * twice + once
            once = z * once + power1
            slope = power + z * slope
            power, power1 = z * power, z1 * power1
    return total, total1, once, twice


def stack_residual(alpha: Any, beta: Any, T: int, lam: Any) -> Residual:
    """W_S = alpha I, W_V = beta I at depth T: g(z) = 1 - alpha z sum_{k<T} (1 + beta z)^k."""
    z, z1 = 1 + beta * lam, 1 + beta
    total, total1, once, twice = _power(z, z1, T)
    # z^(T-2) times T (T-1) is 0 at T = 1, whatever z is
    second = T * (T - 1) * z ** max(T - 2, 0)
    return Residual(
        at_lam=1 - alpha * lam * total,
        at_one=1 - alpha * total1,
        first=-alpha * T * z ** (T - 1),
        second=-alpha * beta * second,
        divided=-alpha * once,
        divided_twice=-alpha * beta * twice,
    )


def layerwise_residual(weights: Sequence[Any], lam: Any) -> Residual:
    """W_S = -W_V = alpha_t I in layer t: g(z) = prod (1 - alpha_t z), by the product rules of `_power`."""
    at_lam, first, second, once, twice = 1 + 0 * lam, 0 * lam, 0 * lam, 0 * lam, 0 * lam
    at_one = 1
    for alpha in weights:
        f = 1 - alpha * lam
        second = f * second - 2 * alpha * first
        first = f * first - alpha * at_lam
        twice = f * twice - alpha * once
        once = f * once - alpha * at_one
        at_lam, at_one = f * at_lam, (1 - alpha) * at_one
    return Residual(at_lam, at_one, first, second, once, twice)


def no_skip_residual(beta: Any, T: int, lam: Any) -> Residual:
    """W_S = 0, W_V = beta I, F^0 = X: g(z) = 1 - z (1 + beta z)^T."""
    z, z1 = 1 + beta * lam, 1 + beta
    _, _, once, twice = _power(z, z1, T)
    h, h1, dh = z**T, z1**T, beta * T * z ** (T - 1)
    ddh = beta**2 * T * (T - 1) * z ** max(T - 2, 0)
    return Residual(
        at_lam=1 - lam * h,
        at_one=1 - h1,
        first=-(h + lam * dh),
        second=-(2 * dh + lam * ddh),
        divided=-(lam * beta * once + h1),
        divided_twice=-(lam * beta**2 * twice + beta * once),
    )


def population(residual: Residual, s: Any) -> Any:
    """The excess for L -> infinity, (s/lam) g^2."""
    return s / (1 + s) * residual.at_lam**2


def first_order(residual: Residual, s: Any, d: int) -> Any:
    """The coefficient of 1/L in the excess (theory.finite_context.correction)."""
    g, lam = residual, 1 + s
    along = 2 * lam**2 * (g.first**2 + g.at_lam * g.second)
    across = (d - 1) * (2 * lam * g.at_lam * g.divided_twice + g.divided**2)
    return s / lam * (along + across) + response_noise(residual, s, d)


def response_noise(residual: Residual, s: Any, d: int) -> Any:
    """What the coefficient would be if Lhat were Lambda: the fluctuations of b; d = 1: of m^T b alone."""
    return ((1 - residual.at_lam) ** 2 + (d - 1) * (1 - residual.at_one) ** 2) / (1 + s)


def first_order_size(residual: Residual, s: Any, d: int) -> Any:
    """The terms of the coefficient by their moduli: positive wherever it does not vanish."""
    g, lam = residual, 1 + s
    along = 2 * lam**2 * (g.first**2 + abs(g.at_lam * g.second))
    across = (d - 1) * (2 * lam * abs(g.at_lam * g.divided_twice) + g.divided**2)
    return s / lam * (along + across) + response_noise(residual, s, d)


def linear_fluctuation(batch: Batch, residual: Residual) -> Array:
    """The part of the excess linear in Lhat - Lambda and b - E b, shape (n,); its mean is 0 given (m, zeta).

    -2 zeta^2 g (p' m^T (Lhat - Lambda) m + p (m^T b/zeta - s)) with p = (1 - g)/lam and its derivative.
    What is left of the excess, less its population value, is of order 1/L rather than L^(-1/2).
    """
    latents, statistics = batch.latents, batch.statistics
    xp = array_namespace(latents.m)
    s, zeta = latents.squared_norm, latents.zeta
    lam = 1 + s
    p = (1 - residual.at_lam) / lam
    dp = -(residual.first + p) / lam
    gram = xp.vecdot(latents.m, gram_times(statistics.gram, latents.m)) - s * lam
    cross = xp.vecdot(latents.m, statistics.cross) * zeta - zeta**2 * s
    return -2 * residual.at_lam * (zeta**2 * dp * gram + p * cross)


@precise
def layer_coefficient(law: Law, weights: Sequence[Number], dims: Sequence[int]) -> Number:
    """E tr(M Lambda M (Lambda + m m^T)), the coefficient of 1/L in the risk of LSA, as exact as the moments.

    M = diag(a I, b I, ...) for modalities, in blocks of widths `dims`; c I for one law.
    Equals tr M^2 + 3 m^T M^2 m + 2 (m^T M m)^2.
    """
    blocks = blocks_of(law)
    widths = dims if len(blocks) > 1 else [sum(dims)]
    rows = list(zip(weights, widths, blocks, strict=True))
    trace = sum(w**2 * width for w, width, _ in rows)
    image = sum(w**2 * block.mean for w, _, block in rows)
    along = sum(w * block.mean for w, _, block in rows) ** 2 + sum(w**2 * b.variance for w, _, b in rows)
    return trace + 3 * image + 2 * along
