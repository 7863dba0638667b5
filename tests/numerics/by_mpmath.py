"""E over the law of s, of an integrand in normal form, in mpmath: it shares nothing with the package."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import comb
from typing import Any

from mpmath import mp, mpf

from numerics.errors import NoConvergence
from numerics.laws import Atoms, BetaPiece, Component, GammaPiece, Law, SumPiece
from theory.normal_form import BoundTerm


def mpmath_mean(law: Law, terms: Iterable[BoundTerm]) -> Any:
    """mpmath number at the working precision of `mpmath.mp`, by moments of lam.

    Raises NoConvergence where the terms cancel beyond what 8 times the usual guard bits show.
    """
    terms = list(terms)
    least = 64 + max((term.exponent for term in terms), default=0)
    before: Any = None
    for guard in (least, 2 * least, 4 * least, 8 * least):
        with mp.workprec(mp.prec + guard):
            value = sum((mpf(1) * _mp(t.coefficient) * _mp_term(law, t) for t in terms), mpf(0))
        if before is not None and abs(value - before) <= abs(value) * mpf(2) ** (2 - mp.prec):
            return +value
        before = value
    raise NoConvergence("the terms cancel: their sum is 0, or too small to be told from it")


def _mp_term(law: Law, term: BoundTerm) -> Any:
    """E[s^i lam^-k q^n] = sum_m C(n,m) (-slope)^m E[s^i lam^(m-k)]."""
    slope, total = -_mp(term.slope), mpf(0)
    for m in range(term.exponent + 1):
        total += comb(term.exponent, m) * slope**m * _mp_moment(law, term.s_power, m - term.lam_power)
    return total


def _mp_moment(law: Law, i: int, power: int) -> Any:
    """E[s^i lam^power], power >= -1."""
    if power < 0:
        if i > 0:
            return _mp_moment(law, i - 1, 0) - _mp_moment(law, i - 1, -1)
        return mp_reciprocal(law)
    moments = law.moments(i + power + 1)
    value = sum((comb(power, j) * moments[i + j] for j in range(power + 1)), Fraction(0))
    return mpf(value.numerator) / value.denominator


def mp_reciprocal(law: Law) -> Any:
    """E[1/lam] by mpmath's quadrature, at its working precision."""
    return sum((_mp_mean(component, lambda s: 1 / (1 + s)) for component in law.components), mpf(0))


def _mp(value: Any) -> Any:
    return mpf(value.numerator) / value.denominator if isinstance(value, Fraction | int) else value


def _mp_mean(component: Component, f: Any) -> Any:
    """E[f(s)] over one component, the mass included."""
    if isinstance(component, Atoms):
        return sum(_mp(p) * f(_mp(s)) for s, p in zip(component.values, component.masses, strict=True))
    if isinstance(component, SumPiece):
        inner = component.second
        return _mp(component.mass) * _mp_mean(component.first, lambda x: _mp_mean(inner, lambda y: f(x + y)))
    if isinstance(component, GammaPiece):
        shape, scale, shift = _mp(component.shape), _mp(component.scale), _mp(component.shift)

        def gamma_density(v: Any) -> Any:
            # g = v^Q: no power of the end that the density has is fractional in v
            g = v**component.shape.denominator
            weight = component.shape.denominator * v ** (component.shape.numerator - 1) * mp.exp(-g)
            return f(shift + (scale * g) ** component.power) * weight

        return _mp(component.mass) * mp.quad(gamma_density, [0, 1, 2, 4, 8, 16, mp.inf]) / mp.gamma(shape)
    return _mp(component.mass) * _mp_beta(component, f)


def _mp_beta(piece: BetaPiece, f: Any) -> Any:
    """E[f(s)] over a Beta piece: u = v^Q on the lower half, 1 - u = v^Q on the upper."""
    low, width, shift = _mp(piece.low), _mp(piece.high - piece.low), _mp(piece.shift)
    total = mpf(0)
    for near, far, mirrored in ((piece.a, piece.b, False), (piece.b, piece.a, True)):
        root = near.denominator

        def integrand(v: Any, near: Fraction = near, far: Fraction = far, mirrored: bool = mirrored) -> Any:
            close = v**near.denominator
            u = 1 - close if mirrored else close
            weight = near.denominator * v ** (near.numerator - 1) * (1 - close) ** (_mp(far) - 1)
            return f(shift + (low + width * u) ** piece.power) * weight

        total += mp.quad(integrand, [0, mpf(0.5) ** (mpf(1) / root)])
    return total / mp.beta(_mp(piece.a), _mp(piece.b))
