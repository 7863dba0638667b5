"""The gap of the best scalar layer in moments of one copy of s: a form without a difference of risks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from sympy import Expr, Rational, Symbol

from theory.gap import MOMENTS, E_ratio, E_slam, expectation_of_copies, integrand, lam2, s2
from theory.identities import Derivation, Identity
from theory.symbols import s

E_square_ratio = Symbol(r"\mathbb{E}[s^2/\lambda]", positive=True)
E_cube_ratio = Symbol(r"\mathbb{E}[s^3/\lambda]", positive=True)


@dataclass(frozen=True)
class GapInMoments:
    """The gap in E_slam, E_ratio, E_square_ratio and E_cube_ratio."""

    gap: Expr
    derivation: Derivation


@cache
def in_moments(claimed: Expr | None = None) -> GapInMoments:
    """gap = (E[s^3/lam] E[s/lam] - E[s^2/lam]^2)/E[s lam].  `claimed`: the gap."""
    gap = (E_cube_ratio * E_ratio - E_square_ratio**2) / E_slam if claimed is None else claimed
    moments = {**MOMENTS, s**2 / (1 + s): E_square_ratio, s**3 / (1 + s): E_cube_ratio}
    own, copied = s / (1 + s), s2 / lam2
    expanded = s**2 * own * copied - 2 * (s * own) * (s2 * copied) + own * s2**2 * copied
    double = expectation_of_copies(expanded, moments)
    steps = (
        Identity("the square multiplied out", integrand(), expanded),
        Identity(
            "the double expectation, any law",
            Rational(1, 2) * double / E_slam,
            gap,
            symbol=r"\frac{1}{2 \mathbb{E}[s\lambda]} \mathbb{E}\mathbb{E}' "
            r"\frac{s s' (s-s')^2}{\lambda \lambda'}",
        ),
    )
    return GapInMoments(gap, Derivation("The gap in moments of one copy", steps))
