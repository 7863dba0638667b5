"""The least excess and the optimal weights: figures, second routes, and what holds for every law."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import pi

import numpy as np
import pytest
from flint import acb, arb, ctx
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import roots_genlaguerre, roots_jacobi, roots_legendre

from numerics.arithmetic.balls import as_ball, ball
from numerics.errors import PrecisionExhausted
from numerics.expectation.over_law import Expectation
from numerics.expectation.quadrature import FloatRule
from numerics.laws.syntax import parse_law
from numerics.layerwise.best_excess import (
    BestStacks,
    by_determinants,
    by_linear_solve,
    changes_sign,
    exact_constant,
    is_finite,
    is_orthogonal,
    law_nodes,
    shifted_chebyshev,
    support_size,
)
from numerics.layerwise.gauss import ProductExcess, rule
from numerics.layerwise.recurrence import Recurrence, from_moments, separators, zeros
from numerics.one_parameter.minimiser import loss_at, minimiser
from numerics.two_parameter.profile import Profile
from tests.numerics.independent import mean
from tests.strategies import atomic_laws, laws
from theory.losses import one_parameter

F = Fraction
MAX_BITS = 65536


def law_of(text, kind="squared_norm"):
    return parse_law(kind, *((text,) if isinstance(text, str) else text))


def stacks(law, depth):
    return BestStacks(Expectation(law), depth, MAX_BITS)


def excess(law, T):
    """e_T as a ball, 0 where the support has no more points."""
    size = support_size(law)
    return arb(0) if size is not None and size <= T else stacks(law, T).excess[0][T]


UNIFORM = law_of("uniform(1, 4)")
FIGURES = {
    1: "0.03667501920",
    2: "0.002038936608",
    3: "1.081001575e-4",
    4: "5.605277730e-6",
    8: "3.826130268e-11",
    20: "1.123932222e-26",
}


@pytest.mark.parametrize(("T", "figure"), FIGURES.items())
def test_figures_for_the_uniform_law(T, figure):
    assert float(excess(UNIFORM, T)) == pytest.approx(float(figure), rel=1e-9)


@pytest.mark.parametrize(("T", "nodes"), [(1, [3.8]), (2, [2.80764, 4.46508]), (3, [2.4228, 3.6339, 4.7031])])
def test_nodes_for_the_uniform_law(T, nodes):
    found, _ = stacks(UNIFORM, T).nodes(T)
    digits = 4 if T == 3 else 5
    assert [round(float(root.middle), digits) for root in found] == nodes


LAWS = [
    "uniform(1, 4)",
    "uniform(0, 3)",
    "beta(1/2, 1/3)",
    "beta(4, 1/2, low=1/3, high=22/7)",
    "chi2(5)",
    "chi2(1/3)",
    ("uniform(1, 4)", "beta(1/2, 1/3)"),
    ("chi2(3)", "uniform(0, 1)"),
    "truncated(chi2(5), high=9)",
    "truncated(chi2(5), low=3)",
    "truncated(beta(1/2, 7/2), low=1/10, high=1/3)",
    'density("(s^2-2)^2", low=0, high=4)',
    ("uniform(0, 1)", "beta(1/2, 1)", "truncated(chi2(5), high=9)"),
    ("uniform(1, 4)", "atoms({0: 1/2, 3: 1/2})"),
    "atoms({0: 1/4, 1: 1/4, 5/3: 1/4, 9: 1/8, 1000: 1/8})",
]


@pytest.mark.parametrize("text", LAWS, ids=str)
@pytest.mark.parametrize("T", [1, 2, 3, 4])
def test_three_routes_agree(text, T):
    """The recurrence, elimination in rational numbers, and the product over a rule without moments."""
    law = law_of(text, "modalities" if isinstance(text, tuple) else "squared_norm")
    assume_more = support_size(law)
    if assume_more is not None and assume_more <= T:
        T = assume_more - 1
    table = stacks(law, T)
    found, bits = table.excess
    with ctx.workprec(bits):
        solved = found[0] - as_ball(by_linear_solve(law, T))
    nodes, node_bits = table.nodes(T)
    with ctx.workprec(node_bits):
        product, _ = table.at_nodes([root.ball for root in nodes], node_bits)
    assert found[T].overlaps(solved)
    assert found[T].overlaps(product)
    assert min(value.rel_accuracy_bits() for value in (found[T], product)) >= 83
    assert changes_sign(law, nodes)


@pytest.mark.parametrize("text", ["uniform(1, 2)", "chi2(3)", "beta(1/2, 2, low=1/2, high=2)"])
def test_three_routes_agree_for_laws_of_the_norm(text):
    law, T = law_of(text, "norm"), 5
    table = stacks(law, T)
    found, bits = table.excess
    with ctx.workprec(bits):
        assert found[T].overlaps(found[0] - ball(by_linear_solve(law, T)))
    nodes, node_bits = table.nodes(T)
    with ctx.workprec(node_bits):
        assert found[T].overlaps(table.at_nodes([root.ball for root in nodes], node_bits)[0])


@pytest.mark.parametrize("text", ["uniform(1, 4)", "beta(5/2, 3, low=1, high=4)", "chi2(5)"])
@pytest.mark.parametrize("T", [1, 4])
def test_the_excess_by_integration_of_the_product(text, T):
    """A fourth route: `acb.integral` of (s/lam) prod (1 - lam/z)^2 against the density."""
    law = law_of(text)
    table = stacks(law, T)
    nodes, _ = table.nodes(T)

    def integrand(s):
        value = s / (1 + s)
        for root in nodes:
            factor = 1 - (1 + s) / acb(root.ball)
            value *= factor * factor
        return value

    with ctx.workprec(128):
        assert table.excess[0][T].overlaps(mean(law, integrand))


@pytest.mark.parametrize("depth", [1, 2, 3, 7])
def test_gauss_nodes_of_scipy(depth):
    """s dP for s^2 of Beta(a - 1, b) type is a Jacobi law again; for chi2 a Laguerre law."""
    legendre, _ = roots_legendre(depth)
    law = law_of("beta(1, 1, low=0, high=1)")
    jacobi, _ = roots_jacobi(depth, 0, 1)
    found, _ = stacks(law, depth).nodes(depth)
    assert [float(root.middle) - 1 for root in found] == pytest.approx((jacobi + 1) / 2, rel=1e-12)
    found, _ = stacks(law_of("beta(5/2, 3)"), depth).nodes(depth)
    jacobi, _ = roots_jacobi(depth, 2, 2.5)
    assert [float(root.middle) - 1 for root in found] == pytest.approx((jacobi + 1) / 2, rel=1e-12)
    found, _ = stacks(law_of("chi2(5)"), depth).nodes(depth)
    laguerre, _ = roots_genlaguerre(depth, 2.5)
    assert [float(root.middle) - 1 for root in found] == pytest.approx(2 * laguerre, rel=1e-12)
    own = law_nodes(Expectation(law), depth, 30, MAX_BITS)
    assert [float(root.middle) - 1 for root in own] == pytest.approx((legendre + 1) / 2, rel=1e-12)


@pytest.mark.parametrize("text", ["uniform(1, 4)", "atoms({1: 1/4, 2: 1/4, 5: 1/4, 9: 1/4})", "beta(2, 5)"])
@pytest.mark.parametrize("T", [1, 2, 3])
def test_direct_minimisation(text, T):
    law = law_of(text)
    quadrature = FloatRule(law, 96)
    lam, weight = quadrature.lam, np.exp(quadrature.log_weight) * quadrature.s / quadrature.lam

    def value(weights):
        return float(weight @ np.prod([1 - a * lam for a in weights], axis=0) ** 2)

    starts = [np.linspace(0.1, 0.6, T), np.linspace(0.2, 0.4, T), np.linspace(-0.2, 0.9, T)]
    options = {"xatol": 1e-11, "fatol": 1e-17, "maxiter": 20_000, "maxfev": 40_000}
    found = min(
        (minimize(value, start, method="Nelder-Mead", options=options) for start in starts),
        key=lambda result: result.fun,
    )
    assert found.fun == pytest.approx(float(excess(law, T)), rel=1e-6)
    nodes, _ = stacks(law, T).nodes(T)
    assert sorted(found.x) == pytest.approx(sorted(1 / float(root.middle) for root in nodes), rel=1e-4)


@given(laws())
def test_the_excess_falls_strictly_until_it_is_0(law):
    size = support_size(law)
    depth = 5 if size is None else min(5, size - 1)
    assume(depth > 0)
    found, _ = stacks(law, depth).excess
    assert all(after < before for before, after in pairwise(found))
    assert found[-1] > 0


@given(laws())
def test_one_layer_is_scalar_self_attention(law):
    """e_1 is the excess of the best c I: by the convex minimiser of the one-parameter loss."""
    assume(support_size(law) != 1)
    expectation, loss = Expectation(law), one_parameter()
    root = minimiser(expectation, loss, 1, 30, MAX_BITS)
    scalar, _ = loss_at(expectation, loss, 1, root, MAX_BITS)
    assert scalar.overlaps(excess(law, 1))
    gain = law.mean**2 / (law.mean + law.moment(2))
    assert by_linear_solve(law, 1) == gain


@given(laws(bounded=True), st.integers(2, 4))
def test_layerwise_is_best_then_two_parameters_then_tied(law, T):
    """By what each gains over C, on a grid of beta for two parameters; e_2 is theirs exactly."""
    size = support_size(law)
    assume(size is None or size > T)
    gain, profile = by_linear_solve(law, T), Profile.of(law, T)
    root = minimiser(Expectation(law), one_parameter(), T, 30, MAX_BITS)
    tied = profile.gain(root.middle, -root.middle)
    betas = [-root.middle * F(k, 8) for k in range(1, 17)]
    two = max(profile.best_gain(beta) for beta in betas)
    assert tied <= profile.best_gain(-root.middle) <= two < gain or T == 2
    if T == 2:
        first, second = (1 / other.middle for other in stacks(law, 2).nodes(2)[0])
        total = first + second
        assert float(profile.gain(total / 2, -2 * first * second / total)) == pytest.approx(
            float(gain), rel=1e-15
        )
        assert two <= gain


@given(atomic_laws(least=2, most=5), st.integers(1, 5))
def test_laws_of_few_values_are_exact(law, T):
    """Elimination and determinants, and the enclosure holds their number; 0 iff T >= N."""
    size = support_size(law)
    T = min(T, size)
    value = exact_constant(law) - by_linear_solve(law, T)
    assert value == by_determinants(law, T)
    assert (value == 0) is (size <= T)
    if size > T:
        found, bits = stacks(law, T).excess
        with ctx.workprec(bits):
            assert found[T].overlaps(ball(value))


@given(st.lists(st.integers(1, 30), min_size=3, max_size=4, unique=True), st.integers(1, 9))
def test_splitting_an_atom_changes_nothing(values, share):
    """Two modalities of which one is constant, against one law: the same atoms, written otherwise."""
    values = sorted(values)
    mass = F(1, len(values))
    whole = law_of("atoms({" + ", ".join(f"{value + 1}: {mass}" for value in values) + "})")
    parts = law_of(
        ("atoms({" + ", ".join(f"{value}: {mass}" for value in values) + "})", "point(1)"), "modalities"
    )
    # Nearly equal atoms tend to one: e_T is continuous in the law.
    near = F(1, 10**9)
    split = {value + 1: mass for value in values[1:]}
    first = values[0] + 1
    split |= {first: mass * F(share, 10), first + near: mass * F(10 - share, 10)}
    almost = law_of("atoms({" + ", ".join(f"{value}: {p}" for value, p in split.items()) + "})")
    for T in range(1, len(values)):
        assert excess(whole, T).overlaps(excess(parts, T))
        assert float(excess(almost, T)) == pytest.approx(float(excess(whole, T)), rel=1e-5)


@given(laws())
def test_zeros_interlace_strictly_inside_the_support(law):
    size = support_size(law)
    depth = 4 if size is None else min(4, size - 1)
    assume(depth > 1)
    table, (low, high) = stacks(law, depth), law.lambda_ends
    found = [table.nodes(T)[0] for T in range(1, depth + 1)]
    for one, other in pairwise(found):
        merged = [root for pair in zip(other, one, strict=False) for root in pair] + [other[-1]]
        assert all(a.upper < b.lower for a, b in pairwise(merged))
    assert low < found[-1][0].lower
    assert high is None or found[-1][-1].upper < high


@pytest.mark.parametrize("T", [70, 100])
def test_a_zero_nearer_to_an_atom_than_its_interval_is_wide(T):
    """It is below the atom at 9 by a number of the size of e_T: the interval ends there, found soon."""
    law = law_of("mixture({uniform(1, 2): 1/2, point(9): 1/2})")
    roots, bits = stacks(law, T).nodes(T)
    assert bits < 8192
    assert roots[-2].upper < 3 < roots[-1].lower < roots[-1].upper == 10


def test_a_zero_beyond_the_ends_that_were_said_is_refused():
    with ctx.workprec(512):
        recurrence = from_moments([as_ball(law_of("uniform(1, 4)").moment(k)) for k in range(8)])
        (first, *_, last) = zeros(recurrence, 4, F(1), F(4), 60)
        # Past the zero by less than the interval of a root to 15 digits is wide.
        for low, high in ((first.middle + F(1, 10**30), F(4)), (F(1), last.middle - F(1, 10**30))):
            with pytest.raises(PrecisionExhausted, match="is not told from"):
                zeros(recurrence, 4, low, high, 15)


def test_the_largest_node_of_an_unbounded_law_grows():
    table = stacks(law_of("chi2(3)"), 32)
    largest = [float(table.nodes(T)[0][-1].middle) for T in (4, 8, 16, 32)]
    assert all(after > 1.5 * before for before, after in pairwise(largest))


SPECIAL = law_of("atoms({1: 10/27, 2: 10/27, 4: 5/27, 5: 2/27})")


@pytest.mark.parametrize(("T", "optimal"), [(1, True), (2, True), (3, True), (4, False)])
def test_where_the_chebyshev_nodes_are_optimal(T, optimal):
    assert is_orthogonal(SPECIAL, shifted_chebyshev(F(2), F(6), T)) is optimal
    assert is_orthogonal(UNIFORM, shifted_chebyshev(F(2), F(5), T)) is False


@pytest.mark.parametrize("T", [1, 2, 5, 8])
def test_the_shifted_chebyshev_polynomial(T):
    """By cosines, and 1 at the upper end."""
    polynomial = shifted_chebyshev(F(2), F(5), T)
    for k in range(4):
        angle = 0.3 + 0.6 * k
        lam = 3.5 - 1.5 * np.cos(angle)
        value = sum(float(int(c.p) / int(c.q)) * lam**j for j, c in enumerate(polynomial.coeffs()))
        assert value == pytest.approx(np.cos(T * angle), abs=1e-9)
    assert polynomial(2) == 1


def test_what_counts_as_finite():
    assert support_size(law_of("atoms({0: 1/2, 3: 1/2})")) == 1
    assert support_size(law_of("point(0)")) == 0
    assert support_size(UNIFORM) is None
    assert is_finite(SPECIAL)
    assert not is_finite(UNIFORM)
    many = "atoms({" + ", ".join(f"{k}: 1/65" for k in range(1, 66)) + "})"
    assert not is_finite(law_of(many))
    assert is_finite(law_of(many.replace("1: 1/65, ", "0: 1/65, ", 1)))


def test_too_few_bits():
    with pytest.raises(PrecisionExhausted, match="25 digits within 64 bits"):
        _ = BestStacks(Expectation(UNIFORM), 8, 64).excess
    few = BestStacks(Expectation(UNIFORM), 64, 704)
    assert few.excess[1] == 704
    with pytest.raises(PrecisionExhausted, match="not enclosed within 704 bits"):
        few.nodes(64)
    with pytest.raises(PrecisionExhausted, match="25 digits"):
        few.at_nodes([arb(3, 1)], 704)
    with pytest.raises(PrecisionExhausted, match="nodes of the law"):
        law_nodes(Expectation(UNIFORM), 2, 30, 100)


def test_a_node_on_a_point_of_the_rule_is_no_nan():
    """At odd depth the middle of a symmetric law is a node, and the rule has it, too."""
    with ctx.workprec(256):
        value = ProductExcess(UNIFORM, 2).at([ball(F(7, 2))])
    exact = float(value)
    assert exact == pytest.approx(0.0415085315521, rel=1e-10)
    assert law_of("atoms({1: 1/2, 3: 1/2})").is_bounded
    with ctx.workprec(256):
        atoms = ProductExcess(law_of("atoms({1: 1/2, 3: 1/2})"), 1).at([ball(F(2))])
    assert float(atoms) == pytest.approx(3 / 8)


@pytest.mark.parametrize("text", ["uniform(1, 4)", "beta(1/2, 7/3, low=1, high=3)", "chi2(1/3)", "chi2(9)"])
def test_rules_integrate_powers_exactly(text):
    law, depth = law_of(text), 3
    with ctx.workprec(192):
        found = rule(law.components[0], depth)
        for k in range(2 * depth + 1):
            total = sum((weight * s**k for s, weight in found), arb(0))
            assert total.overlaps(ball(law.moment(k)))
            assert total.rel_accuracy_bits() > 60


def test_zeros_of_the_chebyshev_polynomials_of_the_first_kind():
    """On (0, 2): 1 + cos((2k - 1) pi/(2n))."""
    with ctx.workprec(160):
        n = 5
        squares = tuple(arb(k) for k in (0, 0.5, 0.25, 0.25, 0.25))
        found = zeros(Recurrence((arb(1),) * n, squares), n, F(0), F(2), 25)
    expected = sorted(1 + np.cos((2 * k - 1) * pi / (2 * n)) for k in range(1, n + 1))
    assert [float(root.middle) for root in found] == pytest.approx(expected, rel=1e-14)


def test_coefficients_that_are_too_wide_separate_nothing():
    wide = Recurrence((arb(1, 1), arb(1, 1)), (arb(0), arb(1, 1)))
    with pytest.raises(PrecisionExhausted, match="separated"):
        separators(wide, 2, F(0), F(4))
    unknown = Recurrence((arb.nan(), arb.nan()), (arb(0), arb.nan()))
    with pytest.raises(PrecisionExhausted, match="no bound"):
        separators(unknown, 2, F(0), None)


def test_chebyshevs_algorithm_on_legendre_moments():
    """Of dx on (-1, 1): a_k = 0, b_k = k^2/(4 k^2 - 1)."""
    with ctx.workprec(256):
        moments = [ball(F(2, k + 1)) if k % 2 == 0 else arb(0) for k in range(12)]
        found = from_moments(moments)
    for k in range(1, 6):
        assert found.squares[k].overlaps(ball(F(k * k, 4 * k * k - 1)))
        assert found.diagonal[k].contains(0)


@given(laws(), st.integers(1, 3))
def test_a_mixture_of_a_law_with_itself_is_the_law(law, T):
    if law.kind != "squared_norm" or any(mark in law.texts[0] for mark in ("empirical",)):
        return
    text = f"mixture({{{law.texts[0]}: 1/3, {law.texts[0]}: 2/3}})"
    same = parse_law("squared_norm", text)
    assert same.components == law.components
    count = support_size(law)
    if count is None or count > T:
        assert excess(same, T).overlaps(excess(law, T))
