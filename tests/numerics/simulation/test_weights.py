from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import minimize, minimize_scalar

from numerics.arithmetic.certified_roots import Root
from numerics.arithmetic.polynomial_roots import sign_at, value_at
from numerics.expectation.over_law import Expectation
from numerics.expectation.quadrature import FloatRules
from numerics.laws.syntax import parse_law
from numerics.no_skip import best_weight
from numerics.no_skip.floor_at_depth import least_excess
from numerics.one_parameter.minimiser import minimiser
from numerics.simulation.finite_context import (
    first_order,
    no_skip_residual,
    population,
    stack_residual,
)
from numerics.simulation.weights import DEEPEST, Population
from numerics.two_parameter.minimum import nearby
from theory import losses

UNIFORM = parse_law("squared_norm", "uniform(1, 4)")


def loss(law, residual, T):
    return FloatRules(law).mean(2 * T, lambda s: population(residual(1 + s), s))


@pytest.mark.parametrize(
    ("text", "T", "alpha", "beta", "excess"),
    [
        ("uniform(1, 4)", 2, 0.290065264684554, -0.275, 0.0020389366),
        ("uniform(1, 4)", 3, 0.273453824819286, -0.272338004815327, 0.00048694926),
        ("uniform(1, 4)", 8, 0.281437651178712, -0.281408057942875, 3.3358646e-8),
        ("uniform(0, 3)", 2, 0.383561643835616, -0.357142857142857, 0.0036553043),
        ("uniform(0, 3)", 8, 0.377692566964436, -0.377449778610639, 1.4850186e-6),
        ("atoms({1: 1/3, 4: 2/3})", 2, 0.35, -0.285714285714286, 0),
        ("atoms({1: 1/3, 4: 2/3})", 3, 0.263177114971792, -0.264110105645933, 0.0024075747),
    ],
)
def test_two_parameters_against_reference(text, T, alpha, beta, excess):
    law = parse_law("squared_norm", text)
    found = Population(law).two_parameter(T)
    assert found == pytest.approx((alpha, beta), rel=1e-11)
    assert loss(law, lambda lam: stack_residual(*found, T, lam), T) == pytest.approx(
        excess, rel=1e-7, abs=1e-25
    )


@pytest.mark.parametrize(
    ("T", "excess"), [(1, 0.0607), (2, 0.0160), (8, 0.0038), (64, 0.0021 + 0.00005), (256, 0.0020)]
)
def test_no_skip_against_reference(T, excess):
    beta = Population(UNIFORM).no_skip(T)
    assert loss(UNIFORM, lambda lam: no_skip_residual(beta, T, lam), T) == pytest.approx(excess, abs=6e-5)


@pytest.mark.parametrize("text", ["beta(1/2, 1/3, low=1, high=4)", "chi2(5)", "atoms({1/2: 1/2, 2: 1/2})"])
@pytest.mark.parametrize("T", [2, 3, 5])
def test_minima_against_a_search(text, T):
    law = parse_law("squared_norm", text)
    found = Population(law)
    alpha = found.one_parameter(T)

    def two(point):
        return loss(law, lambda lam: stack_residual(*point, T, lam), T)

    best = minimize(two, [alpha, -alpha], method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-14})
    assert two(found.two_parameter(T)) <= best.fun + 1e-12
    assert np.allclose(found.two_parameter(T), best.x, rtol=2e-4)
    one = minimize_scalar(lambda a: two((a, -a)), bracket=(0.5 * alpha, alpha, 1.5 * alpha))
    assert alpha == pytest.approx(one.x, rel=1e-5)


@pytest.mark.parametrize("T", [1, 2, 3, 8, 64])
def test_degenerate_laws(T):
    zero = Population(parse_law("squared_norm", "point(0)"))
    assert (zero.one_parameter(T), zero.two_parameter(T), zero.no_skip(T)) == (0, (0, 0), 0)
    constant = Population(parse_law("squared_norm", "atoms({0: 1/2, 3: 1/2})"))
    assert constant.two_parameter(T) == (0.25, -0.25)


def test_a_nearly_constant_norm_does_not_underflow():
    alpha, beta = Population(parse_law("squared_norm", "uniform(2, 2.0001)")).two_parameter(64)
    assert (alpha, -beta) == pytest.approx((1 / 3.00005,) * 2, rel=1e-8)


WIDE = [
    "atoms({1/100: 1/2, 2: 1/4, 400: 1/4})",
    "atoms({1/2: 1/2, 200: 1/2})",
    "atoms({1/10: 99/100, 30: 1/100})",
    "atoms({1/100: 9/10, 1: 9/100, 1000: 1/100})",
    "atoms({0: 1/2, 1: 1/4, 50: 1/4})",
    "atoms({1: 1/2, 5: 1/2})",
    "atoms({2: 2/3, 4: 1/3})",
    "atoms({1: 999/1000, 1000000: 1/1000})",
]


def slope(law, T, beta):
    """Has the sign of the profile's derivative, by rational arithmetic over the atoms."""
    n = dn = d = dd = Fraction(0)
    for s, p in zip(law.atoms.values, law.atoms.masses, strict=True):
        lam, z = 1 + s, 1 + beta * (1 + s)
        total = sum(z**k for k in range(T))
        rise = lam * sum(k * z ** (k - 1) for k in range(1, T))
        n, dn = n + p * s * total, dn + p * s * rise
        d, dd = d + p * s * lam * total**2, dd + 2 * p * s * lam * total * rise
    return -n * (2 * dn * d - n * dd), n / d


@pytest.mark.parametrize("text", WIDE)
@pytest.mark.parametrize("T", [2, 3, 4, 7])
def test_two_parameters_where_the_profile_stops_falling(text, T):
    """From the one-parameter minimiser on, the profile falls to (alpha_T, beta_T) and rises beyond."""
    law = parse_law("squared_norm", text)
    found = Population(law)
    alpha, beta = (Fraction(value) for value in found.two_parameter(T))
    start = -Fraction(found.one_parameter(T))
    assert found.remark("two_parameter", T) is None
    near, step = Fraction(1, 10**10), (beta - start) / 256
    assert [slope(law, T, beta * (1 + side * near))[0] > 0 for side in (1, -1)] == [False, True]
    signs = {slope(law, T, start + k * step)[0] > 0 for k in range(255)}
    assert signs == {bool(beta < start)}
    assert float(slope(law, T, beta)[1] / alpha) == pytest.approx(1, rel=1e-9)


def test_wide_laws_against_the_theorem():
    """What `theorem_6_3` certifies, by which the loss of 1/L is 8897.6, not 2."""
    law = parse_law("squared_norm", WIDE[0])
    pair = Population(law).two_parameter(2)
    assert pair == pytest.approx((0.169026404, -0.00495073890), rel=1e-8)
    coefficient = FloatRules(law).mean(8, lambda s: first_order(stack_residual(*pair, 2, 1 + s), s, 5))
    assert coefficient == pytest.approx(8897.60, rel=1e-6)
    pair = Population(parse_law("squared_norm", WIDE[1])).two_parameter(2)
    assert loss(parse_law("squared_norm", WIDE[1]), lambda lam: stack_residual(*pair, 2, lam), 2) < 1e-25


@pytest.mark.parametrize("text", [*WIDE, "uniform(1, 4)", "beta(1/2, 1/3, low=1, high=4)"])
@pytest.mark.parametrize("T", [1, 2, 3, 8, 21])
def test_no_skip_is_the_least_of_branch_and_bound(text, T):
    law = parse_law("squared_norm", text)
    beta = Population(law).no_skip(T)
    floor = least_excess(Expectation(law), T, 65536)
    G, derivative = best_weight.gain(law, T), best_weight.gain(law, T).derivative()
    point = Fraction(beta)
    assert [sign_at(derivative, point * (1 + side * Fraction(1, 10**12))) for side in (1, -1)] == [1, -1]
    assert value_at(G, point) >= value_at(G, floor.beta)
    found = loss(law, lambda lam: no_skip_residual(beta, T, lam), T)
    assert float(floor.lower) * (1 - 1e-9) <= found <= float(floor.upper) * (1 + 1e-9)


def test_no_skip_of_two_minima_takes_the_lower_one_and_of_equal_ones_the_nearer():
    """Two atoms: at T = 8 the far minimum is the lower, at T = 128 the near one."""
    law = parse_law("squared_norm", WIDE[1])
    far, near = (Population(law).no_skip(T) for T in (8, 128))
    assert (far, near) == pytest.approx((-0.0075392553579, -0.00020197519175), rel=1e-9)
    constant = Population(parse_law("squared_norm", "point(3)"))
    for T in (1, 2, 7):
        assert 4 * (1 + 4 * constant.no_skip(T)) ** T == pytest.approx(1)
        assert -1 / 4 < constant.no_skip(T) < 0


@pytest.mark.parametrize("T", [1, 2, 3, 8])
def test_equal_minima_without_skip(T):
    """A constant norm has two at even T, both without excess: the one nearest to 0 by either road."""
    law = parse_law("squared_norm", "point(3)")
    assert float(best_weight.minimiser(law, T, 65536)) == pytest.approx(Population(law).no_skip(T), rel=1e-14)


def test_a_root_next_to_the_one_isolated_is_not_taken_for_it(monkeypatch):
    law = parse_law("squared_norm", WIDE[0])
    expected = [best_weight.minimiser(law, T, 65536) for T in (2, 8)]
    monkeypatch.setattr(best_weight, "isolate_root", lambda *_: Root(Fraction(1), Fraction(2), 64))
    found = [best_weight.minimiser(law, T, 65536) for T in (2, 8)]
    assert list(map(float, found)) == pytest.approx(list(map(float, expected)), rel=1e-15)


@pytest.mark.parametrize("text", ["uniform(1, 4)", WIDE[1]])
def test_past_the_certified_depths_the_weights_say_so(text):
    """At a depth where both ways are open they agree: the minimum nearby is the one reached."""
    law = parse_law("squared_norm", text)
    found = Population(law)
    found.two_parameter(DEEPEST)
    assert found.remark("two_parameter", DEEPEST) is None
    alpha, beta = found.two_parameter(DEEPEST + 1)
    assert found.remark("two_parameter", DEEPEST + 1) is not None
    assert found.no_skip(2 * DEEPEST) < 0
    assert found.remark("no_skip", 2 * DEEPEST) is not None
    if text == "uniform(1, 4)":
        assert (alpha, beta) == pytest.approx((2 / 7, -2 / 7), rel=1e-3)


def test_the_minimum_nearby_is_the_certified_one():
    law = parse_law("squared_norm", "uniform(1, 4)")
    for T in (3, 8, 33):
        root = minimiser(Expectation(law), losses.one_parameter(), T, 30, 65536)
        alpha, b = nearby(Expectation(law), T, root, 65536)
        assert (float(alpha.mid()), -float(b.middle)) == pytest.approx(
            Population(law).two_parameter(T), rel=1e-14
        )
