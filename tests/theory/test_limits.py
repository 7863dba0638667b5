from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from theory import limits
from theory.symbols import T, l1, l2

positive = st.fractions(min_value=Fraction(1, 50), max_value=20, max_denominator=50)


def test_default_law() -> None:
    assert limits.alpha_star(Fraction(1), Fraction(4)) == Fraction(2, 7)
    assert limits.kappa(Fraction(1), Fraction(4)) == Fraction(3, 7)


@given(low=positive, width=positive, weight=positive)
def test_no_weight_is_better(low: Fraction, width: Fraction, weight: Fraction) -> None:
    """The worst residual of a weight is at an end of the support."""
    high = low + width
    worst = max(abs(1 - weight * (1 + low)), abs(1 - weight * (1 + high)))
    assert worst >= limits.kappa(low, high)
    best = limits.alpha_star(low, high)
    assert max(abs(1 - best * (1 + low)), abs(1 - best * (1 + high))) == limits.kappa(low, high)


@given(
    values=st.lists(positive, min_size=2, max_size=5, unique=True),
    masses=st.lists(positive, min_size=5, max_size=5),
    shrink=st.fractions(min_value=Fraction(1, 20), max_value=Fraction(19, 20), max_denominator=20),
)
def test_one_inequality_is_inherited(
    values: list[Fraction], masses: list[Fraction], shrink: Fraction
) -> None:
    """U_n > V_n at one odd n gives it at all later ones, and the sign of the derivative with it."""
    atoms = list(zip(values, masses, strict=False))
    weight = limits.alpha_star(min(values), max(values)) * shrink
    h = max(Fraction(0), weight * (1 + max(values)) - 1)
    before = False
    for n in range(1, 12, 2):
        residuals = [(p * s, 1 - weight * (1 + s)) for s, p in atoms]
        upper = sum((w * q**n for w, q in residuals if q > h), Fraction(0))
        lower = sum((w * abs(q) ** n for w, q in residuals if q < 0), Fraction(0))
        now = upper > lower
        assert now or not before
        if now:
            assert sum(w * q**n for w, q in residuals) > 0
        before = now


def alpha_of_two_atoms(depth: int, s1: int, s2: int, p1: Fraction, p2: Fraction) -> mpmath.mpf:
    """By bisection of the derivative in raised precision."""
    n = 2 * depth - 1
    low, high = mpmath.mpf(1) / (1 + s2), mpmath.mpf(1) / (1 + s1)
    for _ in range(150):
        a = (low + high) / 2
        rising = p1 * s1 * (1 - a * (1 + s1)) ** n + p2 * s2 * (1 - a * (1 + s2)) ** n
        low, high = (a, high) if rising > 0 else (low, a)
    return low


@pytest.mark.parametrize("depth", [1, 2, 9])
def test_two_atoms_by_bisection(depth: int) -> None:
    with mpmath.workdps(40):
        p1, p2 = mpmath.mpf(1) / 3, mpmath.mpf(2) / 3
        k = (p2 * 4 / p1) ** (mpmath.mpf(1) / (2 * depth - 1))
        closed = (1 + k) / (2 + 5 * k)
        # 150 halvings of an interval of length 0.3
        assert abs(closed - alpha_of_two_atoms(depth, 1, 4, p1, p2)) < mpmath.mpf(10) ** -38


def test_rate_of_two_atoms() -> None:
    """T (alpha_T - alpha*) tends to T times the rate; the next order is 1/T."""
    rate = limits.rate()
    with mpmath.workdps(40):
        p1, p2 = mpmath.mpf(1) / 3, mpmath.mpf(2) / 3
        values = {rate.k1: 0, rate.k2: 0, rate.A1: 1, rate.A2: 8, l1: 2, l2: 5}
        slope = mpmath.mpf(str((rate.expr * T).subs(values).evalf(40)))
        errors = []
        for depth in (200, 400, 800):
            found = alpha_of_two_atoms(depth, 1, 4, p1, p2) - mpmath.mpf(2) / 7
            errors.append(abs(depth * found - slope))
        for coarse, fine in pairwise(errors):
            assert fine < coarse * 0.55
        assert errors[-1] < abs(slope) / 100


def test_rate_with_a_logarithm() -> None:
    """uniform(0,3): s vanishes linearly at the lower end, so k1 = 2, A1 = 1/6, A2 = 1 (density 1/3)."""
    rate = limits.rate()
    values = {rate.k1: 2, rate.k2: 1, rate.A1: mpmath.mpf(1) / 6, rate.A2: 1, l1: 1, l2: 4}

    def derivative(a: mpmath.mpf, n: int) -> mpmath.mpf:
        """E s (1 - a lam)^n by its antiderivative in q = 1 - a lam, odd n."""

        def primitive(s: int) -> mpmath.mpf:
            q = 1 - a * (1 + s)
            return ((1 - a) * q ** (n + 1) / (n + 1) - q ** (n + 2) / (n + 2)) / -(a**2)

        return primitive(3) - primitive(0)

    with mpmath.workdps(60):
        errors = []
        for depth in (1000, 4000):
            n, low, high = 2 * depth - 1, mpmath.mpf(1) / 4, mpmath.mpf(1)
            for _ in range(150):
                a = (low + high) / 2
                low, high = (a, high) if derivative(a, n) > 0 else (low, a)
            predicted = mpmath.mpf(str(rate.expr.subs({**values, T: depth}).evalf(30)))
            errors.append(abs((low - mpmath.mpf(2) / 5) / predicted - 1))
        assert errors[1] < errors[0] < 0.05


def test_a_remainder_that_lacks_a_term_is_told() -> None:
    for lacking in range(5):
        terms = limits.rate().remainder
        found = limits.rate(None, terms[:lacking] + terms[lacking + 1 :]).derivation
        assert [step.holds for step in found.steps].count(False) == 1
