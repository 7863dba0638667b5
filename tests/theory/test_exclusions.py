"""The four exclusions on laws with atoms: where a condition holds, the profile exceeds C kappa^(2T)."""

from __future__ import annotations

from collections.abc import Iterator

import mpmath
import pytest
from mpmath import mpf

#: Atoms of lam = 1 + s and their masses under nu, the ends in place.
LAWS = {
    "three": {mpf(2): mpf("0.3"), mpf(3): mpf("0.4"), mpf(5): mpf("0.3")},
    "close": {mpf("1.5"): mpf("0.5"), mpf("1.8"): mpf("0.2"), mpf(2): mpf("0.3")},
    "five": {mpf(n): mpf("0.2") for n in (2, 3, 4, 5, 6)},
}


def relative_profile(law: dict[mpf, mpf], b: mpf, depth: int) -> mpf:
    """f/C = Var(Z)/E(1 - Z)^2."""
    powers = {lam: (1 - b * lam) ** depth for lam in law}
    mean = sum(mass * powers[lam] for lam, mass in law.items())
    variance = sum(mass * (powers[lam] - mean) ** 2 for lam, mass in law.items())
    return variance / (variance + (1 - mean) ** 2)


def excluded(law: dict[mpf, mpf], depth: int, eps: mpf) -> Iterator[tuple[str, mpf, mpf]]:
    """(case, lower end, upper end) of b = -beta, for each case whose condition holds."""
    l1, l2 = min(law), max(law)
    best, k = 2 / (l1 + l2), ((l2 - l1) / (l1 + l2)) ** (2 * depth)
    lM, lH = l1, l2
    mass, D = law[l1] * law[l2], lH - lM
    a, small = best + eps, best - eps
    r = min(a * lH - 1, 2 * lH / l2 - 1)
    th = max((1 - a * l1) / (a * lH - 1), lM / lH)
    if r > 0 and th < 1 and mass * (1 - th**depth) ** 2 * (1 - k) * r ** (2 * depth) > 4 * k:
        yield "large", a, 5 * a
    r = 1 - small * lM
    th = max((l2 - lH) / (l2 - lM), (small * l2 - 1) / r)
    if small > 1 / l2 and th < 1 and mass * (1 - th**depth) ** 2 * (1 - k) * r ** (2 * depth) > 4 * k:
        yield "small", 1 / l2, small
    if mass * (D / l2) ** 2 * (1 - lM / l2) ** (2 * depth) * (1 - k) > k:
        yield "near_zero", mpf("1e-12"), 1 / l2
    if mass * (D / lH) ** 2 * (lH / l2) ** (2 * depth) * (1 - k) > k:
        yield "positive", mpf(-3), mpf("-1e-12")


@pytest.mark.parametrize("name", LAWS)
def test_the_profile_is_above_its_minimum(name: str) -> None:
    seen = set()
    law = LAWS[name]
    with mpmath.workdps(60):
        kappa = (max(law) - min(law)) / (max(law) + min(law))
        for depth in (1, 2, 5, 12, 40, 90):
            for case, low, high in excluded(law, depth, mpf(1) / 20):
                seen.add(case)
                for step in range(41):
                    b = low + (high - low) * step / 40
                    assert relative_profile(law, b, depth) > kappa ** (2 * depth)
    assert seen == {"large", "small", "near_zero", "positive"}


def test_the_minimiser_itself_is_not_excluded() -> None:
    """f(-alpha*) <= C kappa^(2T): the twin of the test above."""
    law = LAWS["three"]
    with mpmath.workdps(60):
        for depth in (2, 12, 40):
            assert relative_profile(law, mpf(2) / 7, depth) <= (mpf(3) / 7) ** (2 * depth)
