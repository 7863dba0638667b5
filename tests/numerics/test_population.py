import numpy as np
import pytest
from scipy.optimize import minimize, minimize_scalar

from numerics.finite_context import Integral, no_skip_residual, population, stack_residual
from numerics.law_syntax import parse_law
from numerics.population import Population

UNIFORM = parse_law("squared_norm", "uniform(1, 4)")


def loss(law, residual, T):
    return Integral(law)(2 * T, lambda s: population(residual(1 + s), s))


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
