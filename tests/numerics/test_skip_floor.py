"""The least excess without skip at one depth: enclosures against scans, closed forms and exact fits."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from flint import ctx
from hypothesis import given, settings
from scipy.optimize import minimize_scalar

from numerics import skip_floor
from numerics.balls import ball, ends
from numerics.errors import NoConvergence, PrecisionExhausted
from numerics.expectation import Expectation
from numerics.law_syntax import parse_law
from tests.strategies import laws
from theory import losses

BITS = 4096


def floor(text, T, kind="squared_norm"):
    return skip_floor.least_excess(Expectation(parse_law(kind, text)), T, BITS)


def loss(law, T, beta):
    """E s lam ((1 + beta lam)^T - 1/lam)^2, by the normal form that theory proves."""
    with ctx.workprec(256):
        return Expectation(law).ball(losses.no_skip().value.bind(T, ball(beta)))


@pytest.mark.parametrize(
    ("T", "excess"), [(1, "0.0607"), (2, "0.0160"), (8, "0.0038"), (64, "0.0021"), (256, "0.0020")]
)
def test_the_reference_floors(T, excess):
    found = floor("uniform(1, 4)", T)
    assert found.lower <= found.upper <= found.lower * Fraction(1001, 1000)
    assert abs(found.lower - Fraction(excess)) < Fraction(1, 10**4)
    assert T < 256 or float(found.beta) * T == pytest.approx(-0.346, abs=0.002)


@pytest.mark.parametrize("text", ["uniform(1, 4)", "chi2(5)", "atoms({1: 1/3, 4: 2/3})"])
def test_depth_one_is_a_parabola(text):
    law = parse_law("squared_norm", text)
    # E s lam (1 - 1/lam + beta lam)^2 = E[s^3/lam] + 2 beta E[s^2 lam] + beta^2 E[s lam^3]
    square, cross = (
        sum(c * law.moment(k) for c, k in terms)
        for terms in (((1, 1), (3, 2), (3, 3), (1, 4)), ((1, 2), (1, 3)))
    )
    beta = -cross / square
    least = loss(law, 1, beta)
    found = skip_floor.least_excess(Expectation(law), 1, BITS)
    assert found.lower <= ends(least)[1]
    assert found.upper >= ends(least)[0]
    assert float(found.beta) == pytest.approx(float(beta), rel=0.1)


@settings(max_examples=12)
@given(laws())
def test_no_beta_does_better_and_the_upper_end_is_attained(law):
    expectation = Expectation(law)
    for T in (2, 3):
        if law.is_zero or skip_floor.exact_fit(law, T) is not None:
            continue
        found = skip_floor.least_excess(expectation, T, BITS)
        assert ends(loss(law, T, found.beta))[0] <= found.upper
        l1 = float(law.lambda_ends[0])
        for scaled in np.concatenate([np.linspace(-2.5, 0.5, 13), -np.geomspace(1e-2, 1, 9)]):
            assert ends(loss(law, T, Fraction(float(scaled / l1))))[1] >= found.lower


@pytest.mark.parametrize("T", [2, 3, 8])
def test_against_a_float_search(T):
    law = parse_law("squared_norm", "atoms({1: 1/3, 2: 1/3, 5: 1/3})")
    lam = np.array([2.0, 3.0, 6.0])

    def excess(beta):
        return np.mean((lam - 1) * lam * ((1 + beta * lam) ** T - 1 / lam) ** 2)

    starts = np.linspace(-1, 0, 200)
    best = min(minimize_scalar(excess, bracket=(b, b + 0.01), tol=1e-12).fun for b in starts)
    found = skip_floor.least_excess(Expectation(law), T, BITS)
    assert float(found.lower) * (1 - 1e-9) <= best <= float(found.upper) * (1 + 1e-9)


@pytest.mark.parametrize(
    ("text", "T", "beta"),
    [
        ("atoms({1/2: 1/2, 2: 1/2})", 1, -2 / 9),
        ("atoms({0: 1/3, 1/2: 1/3, 2: 1/3})", 1, -2 / 9),
        ("atoms({1/2: 1/2, 2: 1/2})", 2, None),
        ("atoms({1: 1/2, 3: 1/2})", 2, None),
        # lam = 9/4 and 144/25: 1 + beta lam = 2/3 and 5/12, at depth 2
        ("atoms({5/4: 1/2, 119/25: 1/2})", 2, None),
        ("uniform(1, 4)", 1, None),
        ("point(2)", 3, (3 ** (-1 / 3) - 1) / 3),
    ],
)
def test_exact_fits(text, T, beta):
    found = skip_floor.exact_fit(parse_law("squared_norm", text), T)
    assert (found is None) == (beta is None)
    if beta is not None:
        assert float(found) == pytest.approx(beta, rel=1e-12)


def test_a_fit_with_a_negative_base():
    # 1 + beta lam = 2/3 and -1/3 at beta = -4/27, lam = 9/4 and 9: (2/3)^2 = 4/9, (1/3)^2 = 1/9.
    law = parse_law("squared_norm", "atoms({5/4: 1/2, 8: 1/2})")
    assert float(skip_floor.exact_fit(law, 2)) == pytest.approx(-4 / 27, rel=1e-12)
    assert skip_floor.exact_fit(law, 1) is None
    assert loss(law, 2, Fraction(-4, 27)).contains(0)


@pytest.mark.parametrize("T", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("text", ["uniform(1, 4)", "atoms({1: 1/3, 4: 2/3})"])
def test_the_bound_on_an_interval_is_below_the_loss(text, T):
    law = parse_law("squared_norm", text)
    search = skip_floor._Search(Expectation(law), T)
    edges = [Fraction(k, 10) for k in range(11)]
    for low, high in combinations(edges, 2):
        bend = search.bend(ball(low)).max(search.bend(ball(high)))
        _, bound = search.bound(ball(low), ball(high), bend)
        for part in range(9):
            point = low + (high - low) * Fraction(part, 8)
            assert ends(bound)[0] <= ends(loss(law, T, -point))[1]


def test_the_bound_is_of_second_order():
    search = skip_floor._Search(Expectation(parse_law("squared_norm", "uniform(1, 4)")), 3)
    gaps = []
    for reach in (Fraction(1, 100), Fraction(1, 1000)):
        # Near beta = -0.0924, where the loss is least.
        low, high = (ball(Fraction(924, 10**4) + side * reach) for side in (-1, 1))
        value, bound = search.bound(low, high, search.bend(low).max(search.bend(high)))
        gaps.append(float(value - bound))
    assert 0 < gaps[1] < gaps[0] / 50


def test_near_a_fit_the_floor_is_small_and_positive():
    near = floor("atoms({5/4: 1/2, 8000001/1000000: 1/2})", 2)
    assert 0 < near.lower < Fraction(1, 10**12)


def test_limits_are_named(monkeypatch):
    with pytest.raises(PrecisionExhausted):
        skip_floor.least_excess(Expectation(parse_law("squared_norm", "uniform(1, 4)")), 64, 24)
    monkeypatch.setattr(skip_floor, "MAX_BOXES", 3)
    with pytest.raises(NoConvergence):
        floor("uniform(1, 4)", 8)


def test_a_bound_that_forgets_the_bend_is_seen(monkeypatch):
    law = parse_law("squared_norm", "uniform(1, 4)")
    true = skip_floor.least_excess(Expectation(law), 8, BITS)
    monkeypatch.setattr(skip_floor._Search, "right_end", lambda self, high, least: high / 64)
    false = skip_floor.least_excess(Expectation(law), 8, BITS)
    assert false.lower > true.upper
