from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from numerics.arithmetic.formula import value
from numerics.expectation.quadrature import FloatRules
from numerics.laws.syntax import parse_law
from numerics.simulation.architectures import ScalarStack, no_skip_stack
from numerics.simulation.arrays import load_backend
from numerics.simulation.finite_context import (
    first_order,
    first_order_size,
    layer_coefficient,
    linear_fluctuation,
    no_skip_residual,
    population,
    response_noise,
    stack_residual,
)
from numerics.simulation.prompts import FixedZeta, PromptSource, batches
from theory import finite_context as theory
from theory.symbols import L, T, alpha, beta, d, lam, s

BACKEND = load_backend()
LAW = parse_law("squared_norm", "uniform(1, 4)")
rationals = st.builds(Fraction, st.integers(-4, 4), st.integers(3, 9))
positive = st.builds(Fraction, st.integers(1, 12), st.integers(1, 6))


@settings(max_examples=15, deadline=None)
@given(rationals, rationals.filter(bool), positive, st.integers(1, 5), st.integers(1, 6), st.integers(1, 99))
def test_a_stack_against_the_derived_formula(a, b, norm, depth, size, length):
    residual = stack_residual(a, b, depth, 1 + norm)
    ours = population(residual, norm) + first_order(residual, norm, size) / length
    formula = theory.two_parameter().excess.subs(T, depth)
    numbers = {alpha: a, beta: b, s: norm, lam: 1 + norm, d: Fraction(size), L: Fraction(length)}
    assert ours == value(formula, numbers)


@settings(max_examples=10, deadline=None)
@given(rationals, positive, st.integers(1, 4), st.integers(1, 6))
def test_no_skip_against_the_derived_formula(b, norm, depth, size):
    from sympy import diff

    g = 1 - lam * (1 + beta * lam) ** depth
    names = (theory.g, theory.g1, theory.dg, theory.ddg)
    formulas = (g, g.subs(lam, 1), diff(g, lam), diff(g, lam, 2))
    point = {beta: b, lam: 1 + norm}
    numbers = {name: value(formula, point) for name, formula in zip(names, formulas, strict=True)}
    numbers |= {s: norm, lam: 1 + norm, d: Fraction(size)}
    ours = first_order(no_skip_residual(b, depth, 1 + norm), norm, size)
    assert ours == value(theory.correction(), numbers)


def test_a_vanishing_norm_costs_no_digits():
    residual = stack_residual(0.3, -0.2, 7, 1 + 1e-12)
    at_zero = stack_residual(0.3, -0.2, 7, 1.0)
    assert residual.divided == pytest.approx(at_zero.first, rel=1e-10)
    assert residual.divided_twice == pytest.approx(at_zero.second / 2, rel=1e-10)


def test_the_size_bounds_the_coefficient():
    norms = np.linspace(0, 9, 50)
    for depth in (1, 2, 3, 8):
        residual = stack_residual(0.25, -0.22, depth, 1 + norms)
        size = first_order_size(residual, norms, 5)
        assert np.all(size > 0)
        assert np.all(np.abs(first_order(residual, norms, 5)) <= size * (1 + 1e-12))
        assert np.all(response_noise(residual, norms, 5) <= size)


@pytest.mark.parametrize(
    ("model", "residual"),
    [
        (ScalarStack("stack", {3: (0.3, -0.25)}), lambda lam: stack_residual(0.3, -0.25, 3, lam)),
        (no_skip_stack({3: -0.1}), lambda lam: no_skip_residual(-0.1, 3, lam)),
    ],
    ids=["stack", "no_skip"],
)
def test_the_linear_part_takes_the_noise_of_order_l_to_minus_a_half(model, residual):
    """What is left is L^-1: sixteen times the context, a sixteenth of the spread, where it was a quarter."""
    spreads, raw = [], []
    for context in (2000, 32000):
        source = PromptSource(LAW, (3, 2), FixedZeta(1.0), key=(context,))
        (batch,) = batches(source, context, 4096, BACKEND, 2**28)
        found = residual(1 + batch.latents.squared_norm)
        ((_, excess),) = model.excess(batch)
        shift = excess - population(found, batch.latents.squared_norm)
        linear = linear_fluctuation(batch, found)
        assert abs(linear.mean()) < 4 * linear.std() / 64
        spreads.append((shift - linear).std())
        raw.append(shift.std())
    assert 13 < spreads[0] / spreads[1] < 19
    assert 3.5 < raw[0] / raw[1] < 4.6


@pytest.mark.parametrize("text", ["uniform(1, 4)", "atoms({0: 1/2, 3: 1/2})", "beta(1/2, 3)", "chi2(5)"])
def test_integrals_against_moments(text):
    law = parse_law("squared_norm", text)
    for power in (1, 4, 9):
        assert FloatRules(law).mean(power, lambda x, k=power: x**k) == pytest.approx(
            float(law.moment(power)), rel=1e-9
        )


def test_the_coefficient_of_a_layer_against_depth_one():
    norm = Fraction(5, 2)
    c = Fraction(1, 4)
    law = parse_law("squared_norm", f"point({norm})")
    assert layer_coefficient(law, [c], (3, 2)) == first_order(stack_residual(c, -c, 1, 1 + norm), norm, 5)


def test_the_coefficient_of_two_blocks_by_matrices():
    law = parse_law("modalities", "point(2)", "point(3)")
    a, b = Fraction(1, 3), Fraction(1, 5)
    m = np.array([1, 1, 0, np.sqrt(3), 0.0])
    matrix = np.diag([float(a)] * 3 + [float(b)] * 2)
    Lambda = np.eye(5) + np.outer(m, m)
    expected = np.trace(matrix @ Lambda @ matrix @ (Lambda + np.outer(m, m)))
    assert float(layer_coefficient(law, [a, b], (3, 2))) == pytest.approx(expected, rel=1e-12)
