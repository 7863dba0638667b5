"""One floor for all depths: never above what is attained; absent exactly where it must be."""

from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from numerics.arithmetic.balls import ball
from numerics.errors import NoConvergence
from numerics.expectation.over_law import Expectation
from numerics.laws.syntax import parse_law
from numerics.no_skip import floor_at_every_depth as module
from numerics.no_skip.floor_at_depth import equal_powers, fitted, fitted_in_the_limit, least_excess
from numerics.no_skip.floor_at_every_depth import AllDepths, Group, floor_for_all_depths
from tests.strategies import laws

BITS = 4096


def floor(*texts, kind="squared_norm"):
    return floor_for_all_depths(parse_law(kind, *texts))


@settings(max_examples=25)
@given(laws())
def test_no_depth_falls_below(law):
    if law.is_zero or fitted(law) or fitted_in_the_limit(law):
        assert not law.pieces
        return
    found = floor_for_all_depths(law)
    assert found.floor > 0
    for T in (1, 2, 3, 16):
        assert found.floor <= least_excess(Expectation(law), T, BITS).upper


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("point(2)", "one value"),
        ("atoms({0: 1/2, 3: 1/2})", "one value"),
        ("atoms({1: 1/2, 3: 1/2})", r"\lambda_1^{\lambda_2}"),
        ("atoms({5/4: 1/3, 19/8: 2/3})", r"\lambda_1^{\lambda_2}"),
        ("atoms({1/2: 1/2, 2: 1/2})", "$T = 1$"),
        ("atoms({5/4: 1/2, 8: 1/2})", "$T = 2$"),
    ],
)
def test_where_no_floor_exists(text, reason):
    law = parse_law("squared_norm", text)
    assert reason in (fitted(law) or fitted_in_the_limit(law))
    with pytest.raises(NoConvergence):
        floor(text)


@pytest.mark.parametrize(
    "text",
    [
        "atoms({1: 1/2, 301/100: 1/2})",
        "atoms({1: 1/3, 3: 1/3, 4: 1/3})",
        "atoms({1/2: 1/2, 201/100: 1/2})",
        "atoms({1: 999999/1000000, 1000: 1/1000000})",
        "uniform(2, 2.0001)",
        "uniform(0.9999, 1.0001)",
        "chi2(5)",
        "mixture({point(4/9): 1/2, uniform(0, 1/36): 1/2})",
        "mixture({chi2(1/2): 999/1000, uniform(100, 101): 1/1000})",
    ],
)
def test_where_one_exists(text):
    found = floor(text)
    assert isinstance(found, AllDepths)
    assert found.floor > 0
    law = parse_law("squared_norm", text)
    assert fitted(law) is fitted_in_the_limit(law) is None


def test_the_floor_is_not_needlessly_low():
    # The least excess over all depths is about 0.0020.
    assert floor("uniform(1, 4)").floor > Fraction(1, 50_000)


@pytest.mark.parametrize("second", [(Fraction(19, 10), Fraction(3)), (Fraction(1), Fraction(21, 10))])
def test_groups_that_hold_a_fitted_pair_are_not_excluded(second):
    # s = 1/2 and s = 2 are fitted at T = 1.
    groups = (Group(Fraction(1, 2), Fraction(1, 2), arb(1)), Group(*second, arb(1)))
    assert module._first_open_depth(groups, Fraction(1, 10**12))[0] == 1


def test_groups_without_one_are():
    groups = tuple(Group(Fraction(s), Fraction(s), arb(1)) for s in (1, 4))
    assert module._first_open_depth(groups, Fraction(1, 10**6))[0] is None


@pytest.mark.parametrize("n", [1, 2, 3, 7, 20])
def test_rational_solutions_of_x_to_the_y(n):
    x = Fraction(n + 1, n) ** n
    y = x * Fraction(n + 1, n)
    assert equal_powers(x, y)
    assert not equal_powers(x, y + Fraction(1, 10**9))
    if n < 4:
        k = x.denominator * y.denominator
        assert x ** int(k * y) == y ** int(k * x)


@given(st.fractions(1, 9, max_denominator=8), st.fractions(1, 9, max_denominator=8))
def test_no_other_pair_is_taken_for_a_solution(x, y):
    if 1 < x < y and equal_powers(x, y):
        assert (x, y) == (2, 4) or x == Fraction(9, 4)


@pytest.mark.parametrize("x", [Fraction(3, 2), Fraction(3), Fraction(5)])
def test_the_right_ratio_is_not_enough(x):
    # y = 2 x needs x = 2: both sides of it.
    assert not equal_powers(x, 2 * x)


def test_a_quotient_at_the_wrong_end_is_seen(monkeypatch):
    # With late and early depths exchanged the exclusion of a range claims what is false.
    true = module._excluded

    def exchanged(groups, logs, first, last):
        return true(groups, logs, last or 2**40, first)

    monkeypatch.setattr(module, "_excluded", exchanged)
    law = parse_law("squared_norm", "uniform(1, 4)")
    assert floor_for_all_depths(law).floor > least_excess(Expectation(law), 1024, BITS).upper


@pytest.mark.parametrize("text", ["uniform(1, 4)", "atoms({1: 1/3, 3: 1/3, 4: 1/3})"])
def test_a_floor_is_checked_anew(text):
    law = parse_law("squared_norm", text)
    found = floor(text)
    assert isinstance(found, AllDepths)
    assert module.recheck(law, found)
    assert not module.recheck(law, replace(found, floor=2 * found.floor))
    assert not module.recheck(law, replace(found, groups=found.groups[:1]))
    # A share of the law that is not there does not count.
    more = tuple(replace(group, signal=100 * group.signal) for group in found.groups)
    assert not module.recheck(law, replace(found, floor=4 * found.floor, groups=more))


def _solution(rising, low, high):
    """Where a rising function is 1, by bisection."""
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if rising(middle) < 1 else (low, middle)
    return low


def fits(count):
    """T, values of lam, and |lam z^T - 1| < 3/2 at each, z = 1 - b lam: any b, both z < 0, the last z < 0."""
    draw = Random(1)
    while count:
        kind = draw.choice(("any", "both negative", "last negative"))
        T = draw.choice((1, 2, 3, 4, 5, 8, 16, 63) if kind == "any" else (2, 2, 4, 8, 16, 64))
        first = draw.uniform(1.01, 5)
        if kind == "any":
            b = draw.uniform(-0.3, 2.2) / first / draw.choice((1, T))
            lams = [first, draw.uniform(1.01, 5)]
        elif kind == "both negative":
            b = draw.uniform(1.01, 2.2) / first
            lams = [first, first * draw.uniform(1, 1.3)]
        else:
            b = (1 - first ** (-1 / T)) / first
            lams = [first, _solution(lambda lam, b=b, T=T: lam * (b * lam - 1) ** T, 1 / b, 2.5 / b)]
            lams = [lam * draw.uniform(0.99999, 1.00001) for lam in lams]
            lams += [draw.uniform(*lams)] if draw.random() < 0.3 else []
        lams = sorted(map(Fraction, lams))
        errors = [abs(lam * (1 - Fraction(b) * lam) ** T - 1) for lam in lams]
        if lams[0] > 1 and all(0 < error < Fraction(3, 2) for error in errors):
            count -= 1
            yield T, lams, errors


def test_what_is_fitted_is_not_excluded():
    """Not at the depth itself, nor in a range of depths that holds it; no condition can be left out."""
    least = Fraction(1, 1000)
    with ctx.workprec(module.BITS):
        for T, lams, errors in fits(1500):
            signals = [ball(least / (error * Fraction(1001, 1000)) ** 2) for error in errors]
            groups = tuple(Group(lam - 1, lam - 1, share) for lam, share in zip(lams, signals, strict=True))
            logs = module._logs(groups, least)
            for first, last in ((T, T), ((T + 1) // 2, 2 * T), (1, T + 1), (T, None), (1, None)):
                assert logs is None or not module._excluded(groups, logs, first, last), (T, lams)
