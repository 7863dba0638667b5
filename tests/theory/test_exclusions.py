"""The three exclusions in exact arithmetic: what they exclude is above C kappa^(2T); weaker ones are not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import pytest
from sympy import Expr, Integer, Rational

from numerics.arithmetic.formula import value
from theory import exclusions as module
from theory.exclusions import CASES, LARGE, NEAR_ZERO, SMALL, Exclusion
from theory.symbols import l1, l2

F = Fraction
Law = dict[F, F]
#: Atoms of lam = 1 + s and their masses under nu.
LAWS: dict[str, Law] = {
    "three": {F(2): F(3, 10), F(3): F(2, 5), F(5): F(3, 10)},
    "close": {F(3, 2): F(1, 2), F(9, 5): F(1, 5), F(2): F(3, 10)},
    "five": {F(n): F(1, 5) for n in (2, 3, 4, 5, 6)},
}


def relative_profile(law: Law, b: F, depth: int) -> F:
    """f/C = Var(Z)/E(1 - Z)^2."""
    powers = {lam: (1 - b * lam) ** depth for lam in law}
    mean = sum((mass * powers[lam] for lam, mass in law.items()), F(0))
    variance = sum((mass * (powers[lam] - mean) ** 2 for lam, mass in law.items()), F(0))
    return variance / (variance + (1 - mean) ** 2)


def kappa(law: Law) -> F:
    return (max(law) - min(law)) / (max(law) + min(law))


def best(law: Law) -> F:
    return 2 / (max(law) + min(law))


def numbers(case: Exclusion, law: Law, eps: F, l_m: F, l_h: F) -> dict[Expr, F]:
    edge = best(law) + eps if case.name == LARGE.name else best(law) - eps
    return {l1: min(law), l2: max(law), module.a: edge, module.l_m: l_m, module.l_h: l_h}


def region(case: Exclusion, law: Law, eps: F) -> tuple[F | None, F | None]:
    found = numbers(case, law, eps, min(law), max(law))
    low, high = (None if end is None else F(value(end, found)) for end in case.region)
    return low, high


def holds(case: Exclusion, law: Law, depth: int, eps: F, l_m: F, l_h: F) -> bool:
    """r > kappa, theta < 1 and (**), exactly."""
    found = numbers(case, law, eps, l_m, l_h)
    r = F(value(case.residual, found))
    th = max((F(value(ratio, found)) for ratio in case.ratios), default=F(0))
    below = sum(mass for lam, mass in law.items() if lam <= l_m)
    above = sum(mass for lam, mass in law.items() if lam >= l_h)
    exceeds = value(
        module.EXCEEDS,
        {
            module.masses: F(below * above),
            module.spread: F(value(case.spread, found)),
            module.theta_power: max(th, F(0)) ** depth,
            module.r_power: r**depth,
            module.kappa_power: kappa(law) ** depth,
            module.bound: F(value(case.bound, found)),
        },
    )
    return r > kappa(law) and th < 1 and exceeds > 0


def excluded(law: Law, depth: int, eps: F) -> Iterator[tuple[Exclusion, F, F]]:
    """(case, lower end, upper end) of b, for each case whose condition holds; far ends cut."""
    for case in CASES:
        low, high = region(case, law, eps)
        if low is not None and high is not None and low > high:
            continue
        if holds(case, law, depth, eps, min(law), max(law)):
            yield case, F(-3) if low is None else low, 5 * best(law) if high is None else high


@pytest.mark.parametrize("name", LAWS)
def test_the_profile_is_above_its_minimum(name: str) -> None:
    seen = set()
    law = LAWS[name]
    for depth in (1, 2, 3, 5, 12, 41):
        for case, low, high in excluded(law, depth, F(1, 20)):
            seen.add(case.name)
            for step in range(41):
                b = low + (high - low) * step / 40 or F(1, 10**9)
                assert relative_profile(law, b, depth) > kappa(law) ** (2 * depth)
    assert seen == {case.name for case in CASES}


def test_the_minimiser_itself_is_not_excluded() -> None:
    """f(-alpha*) <= C kappa^(2T): the twin of the test above."""
    law = LAWS["three"]
    for depth in (2, 12, 40):
        assert relative_profile(law, F(2, 7), depth) <= F(3, 7) ** (2 * depth)


def two(p: F) -> Law:
    """lam in {2, 4}, alpha* = kappa = 1/3, with mass p at 2."""
    return {F(2): p, F(4): 1 - p}


K5 = F(1, 3) ** 10
HALVES, TINY = two(F(1, 2)), F(1, 10**6)
#: Two atoms beside each other, and next to nothing at the far end.
CLOSE: Law = {F(2): F(1, 2) - TINY, F(201, 100): F(1, 2), F(4): TINY}
FAR: Law = {F(2): TINY, F(39, 10): F(1, 2) - TINY, F(4): F(1, 2)}
WIDE: Law = {F(2): F(1, 50), F(20): F(49, 50)}
NARROW: Law = {F(10): F(1, 2000), F(12): F(1999, 2000)}


@pytest.mark.parametrize(
    ("case", "weaker", "law", "depth", "eps", "ends", "b"),
    [
        (LARGE, {"bound": Integer(2)}, two(F(7, 2) * K5), 5, F(1, 6), (F(2), F(4)), F(1, 2)),
        (LARGE, {"bound": Integer(1)}, two(F(7, 2) * K5), 5, F(1, 6), (F(2), F(4)), F(1, 2)),
        (LARGE, {"ratios": ()}, NARROW, 2, F(1, 6) - F(1, 11), (F(10), F(12)), F(100)),
        (LARGE, {"residual": 2 * module.l_h / l2 - 1}, HALVES, 40, F(1, 1000), (F(2), F(4)), None),
        (SMALL, {"ratios": SMALL.ratios[1:]}, CLOSE, 8, F(1, 24), (F(2), F(201, 100)), F(1, 4)),
        (SMALL, {"ratios": SMALL.ratios[:1]}, HALVES, 20, F(31, 5000), (F(2), F(4)), None),
        (SMALL, {"residual": 1 - module.l_m / l2}, HALVES, 40, F(1, 1000), (F(2), F(4)), None),
        (SMALL, {"bound": Rational(4, 5)}, HALVES, 20, F(31, 5000), (F(2), F(4)), None),
        (NEAR_ZERO, {"spread": Integer(1)}, CLOSE, 2, F(1, 24), (F(2), F(201, 100)), F(1, 1000)),
        (NEAR_ZERO, {"residual": Integer(1)}, FAR, 6, F(1, 24), (F(39, 10), F(4)), F(1, 4)),
        (NEAR_ZERO, {"bound": Rational(1, 2)}, WIDE, 20, F(1, 100), (F(2), F(20)), F(1, 20)),
        (NEAR_ZERO, {"spread": Integer(1)}, CLOSE, 2, F(1, 24), (F(2), F(201, 100)), F(-1, 1000)),
    ],
)
def test_a_weaker_condition_excludes_what_it_must_not(
    case: Exclusion, weaker: dict[str, Expr], law: Law, depth: int, eps: F, ends: tuple[F, F], b: F | None
) -> None:
    """Each part decides alone somewhere: without it a b with f <= C kappa^(2T) would count as excluded."""
    low, high = region(case, law, eps)
    if b is None:
        b = low if case == LARGE else high
    assert b is not None
    assert low is None or low <= b
    assert high is None or b <= high
    assert relative_profile(law, b, depth) <= kappa(law) ** (2 * depth)
    assert holds(replace(case, **weaker), law, depth, eps, *ends)
    assert not holds(case, law, depth, eps, *ends)
