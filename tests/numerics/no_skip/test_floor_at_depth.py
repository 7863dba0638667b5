"""The least excess without skip at one depth: enclosures against scans, closed forms and exact fits."""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from flint import arb, ctx, fmpq_poly
from hypothesis import given, settings
from scipy.optimize import minimize_scalar

from numerics.arithmetic.balls import ball, ends, rational
from numerics.errors import NoConvergence, PrecisionExhausted
from numerics.expectation.over_law import Expectation
from numerics.laws import Atoms, BetaPiece, Law
from numerics.laws.syntax import parse_law
from numerics.no_skip import floor_at_depth
from tests.strategies import laws
from theory import losses

BITS = 4096


def floor(text, T, kind="squared_norm"):
    return floor_at_depth.least_excess(Expectation(parse_law(kind, text)), T, BITS)


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
    found = floor_at_depth.least_excess(Expectation(law), 1, BITS)
    assert found.lower <= ends(least)[1]
    assert found.upper >= ends(least)[0]
    assert float(found.beta) == pytest.approx(float(beta), rel=0.1)


@settings(max_examples=12)
@given(laws())
def test_no_beta_does_better_and_the_upper_end_is_attained(law):
    expectation = Expectation(law)
    for T in (2, 3):
        if law.is_zero or law.is_constant or T in floor_at_depth.fitted_depths(law):
            continue
        found = floor_at_depth.least_excess(expectation, T, BITS)
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
    found = floor_at_depth.least_excess(Expectation(law), T, BITS)
    assert float(found.lower) * (1 - 1e-9) <= best <= float(found.upper) * (1 + 1e-9)


def shared_roots(law, T):
    """How many real roots the polynomials lam (1 + beta lam)^T - 1 share, lam over the values on {s > 0}."""
    shared = fmpq_poly([])
    for value in floor_at_depth.positive_values(law):
        lam = rational(1 + value)
        shared = shared.gcd(lam * fmpq_poly([1, lam]) ** T - 1)
    roots = shared.complex_roots() if shared.degree() > 0 else []
    return sum(bool(root.imag.is_zero()) for root, _ in roots)


@pytest.mark.parametrize(
    ("text", "depths"),
    [
        ("atoms({1/2: 1/2, 2: 1/2})", {1: Fraction(-2, 9)}),
        ("atoms({0: 1/3, 1/2: 1/3, 2: 1/3})", {1: Fraction(-2, 9)}),
        ("atoms({1: 1/2, 3: 1/2})", {}),
        # lam = 9/4 and 144/25: 1 + beta lam would be 2/3 and 5/12, at depth 2
        ("atoms({5/4: 1/2, 119/25: 1/2})", {}),
        # 1 + beta lam = 2/3 and -1/3 at beta = -4/27, lam = 9/4 and 9: (2/3)^2 = 4/9, (1/3)^2 = 1/9
        ("atoms({5/4: 1/2, 8: 1/2})", {2: Fraction(-4, 27)}),
        # the same signs at an odd depth: (2/3)^3 = 8/27 but (-1/3)^3 = -1/27
        ("atoms({19/8: 1/2, 26: 1/2})", {}),
        ("uniform(1, 4)", {}),
    ],
)
def test_depths_that_are_fitted_exactly(text, depths):
    law = parse_law("squared_norm", text)
    assert floor_at_depth.fitted_depths(law) == depths
    for T, beta in depths.items():
        assert loss(law, T, beta).contains(0)


@pytest.mark.parametrize("T", [1, 2, 3, 4, 5])
def test_fits_made_up_and_their_neighbours_by_shared_roots(T):
    """Of pairs of T-th powers, those that fit at T are those whose polynomials have a common root,
    and they fit at no other depth without one.
    """
    for first, second in combinations([Fraction(n, k) ** T for k in (1, 2, 3) for n in range(k + 1, 7)], 2):
        if first == second:
            continue
        low, high = sorted((first, second))
        law = parse_law("squared_norm", f"atoms({{{low - 1}: 1/2, {high - 1}: 1/2}})")
        found = floor_at_depth.fitted_depths(law)
        assert (T in found) == (shared_roots(law, T) > 0)
        assert set(found) == {depth for depth in range(1, 13) if shared_roots(law, depth)}


@pytest.mark.parametrize("T", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("text", ["uniform(1, 4)", "atoms({1: 1/3, 4: 2/3})"])
def test_the_bound_on_an_interval_is_below_the_loss(text, T):
    law = parse_law("squared_norm", text)
    search = floor_at_depth._Search(Expectation(law), T)
    edges = [Fraction(k, 10) for k in range(11)]
    for low, high in combinations(edges, 2):
        bend = search.bend(ball(low)).max(search.bend(ball(high)))
        _, bound = search.bound(ball(low), ball(high), bend)
        for part in range(9):
            point = low + (high - low) * Fraction(part, 8)
            assert ends(bound)[0] <= ends(loss(law, T, -point))[1]


def test_the_bound_is_of_second_order():
    search = floor_at_depth._Search(Expectation(parse_law("squared_norm", "uniform(1, 4)")), 3)
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
        floor_at_depth.least_excess(Expectation(parse_law("squared_norm", "uniform(1, 4)")), 64, 24)
    monkeypatch.setattr(floor_at_depth, "MAX_BOXES", 3)
    with pytest.raises(NoConvergence):
        floor("uniform(1, 4)", 8)


def test_a_bound_that_forgets_the_bend_is_seen(monkeypatch):
    law = parse_law("squared_norm", "uniform(1, 4)")
    true = floor_at_depth.least_excess(Expectation(law), 8, BITS)
    monkeypatch.setattr(floor_at_depth._Search, "right_end", lambda self, high, least: high / 64)
    false = floor_at_depth.least_excess(Expectation(law), 8, BITS)
    assert false.lower > true.upper


def test_the_middle_of_an_interval_is_rounded():
    """At 10 bits 1 + 2^-10 is rounded to an end: the other end is twice half the width away."""
    law = parse_law("squared_norm", "uniform(1, 4)")
    with ctx.workprec(10):
        low, high = arb(1), 1 + arb(2) ** -9
        for sign in (1, -1):
            search = floor_at_depth._Search(Expectation(law), 1)
            # f = sign (b - 1), without error
            search.loss = lambda b, sign=sign: (sign * (b - low), arb(sign))
            _, bound = search.bound(low, high, arb(0))
            assert bound <= min(0, sign * 2.0**-9)


@pytest.mark.parametrize("values", [(Fraction(1), Fraction(3)), (Fraction(1, 2), Fraction(2))])
def test_a_density_beside_atoms_is_never_fitted(values):
    atoms = Atoms(values, (Fraction(1, 4), Fraction(1, 4)))
    density = BetaPiece(Fraction(1, 2), Fraction(0), Fraction(5), Fraction(1), Fraction(1))
    alone, beside = (
        Law("squared_norm", ("made up",), parts)
        for parts in ((replace(atoms, masses=(Fraction(1, 2),) * 2),), (atoms, density))
    )
    assert floor_at_depth.fitted(alone) or floor_at_depth.fitted_in_the_limit(alone)
    assert floor_at_depth.fitted(beside) is floor_at_depth.fitted_in_the_limit(beside) is None
