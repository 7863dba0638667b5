"""E[s^i lam^-k (1 - slope lam)^n], whole and over windows, against exact polynomials and integrals."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import pytest
from flint import acb, arb, ctx
from hypothesis import given
from hypothesis import strategies as st

from numerics.arithmetic.balls import ball, ends
from numerics.errors import DepthLimit
from numerics.expectation.ball_evaluators import (
    CLOSED_FORM_LIMIT,
    EXPANSION_LIMIT,
    MOST_MOMENTS,
    AtomsBall,
    ManyAtomsBall,
    MomentBall,
    PolynomialBall,
    evaluator,
)
from numerics.laws import Atoms, Law
from numerics.laws.syntax import parse_law
from tests.numerics.independent import holds, mean
from tests.strategies import bounded_laws, rationals

F = Fraction
FAMILIES = [
    ("squared_norm", "uniform(1, 4)"),
    ("squared_norm", "uniform(0, 3)"),
    ("squared_norm", "point(2)"),
    ("squared_norm", "atoms({0: 1/2, 1: 1/3, 4: 1/6})"),
    ("squared_norm", "beta(2, 3, low=1, high=4)"),
    ("squared_norm", "beta(1/2, 1/3, low=1, high=4)"),
    ("squared_norm", "beta(5, 7, low=0, high=10)"),
    ("norm", "uniform(1, 2)"),
    ("norm", "beta(1/2, 3)"),
    ("modalities", "atoms({0: 1/2, 2: 1/2})", "uniform(0, 1)"),
    ("modalities", "uniform(0, 1)", "beta(2, 1/2)"),
    ("squared_norm", "chi2(5)"),
    ("norm", "chi2(3)"),
    ("modalities", "uniform(0, 1)", "chi2(5)"),
]
WINDOWED = [law for law in FAMILIES if "chi2" not in "".join(law) and law != FAMILIES[10]]


def complete(law: Law, i: int, k: int, slope: Fraction, n: int) -> arb:
    return sum((evaluator(part).complete(i, k, ball(slope), n) for part in law.components), arb(0))


def window(law: Law, i: int, slope: Fraction, n: int, low: Fraction | None, high: Fraction | None) -> arb:
    return sum((evaluator(part).window(i, ball(slope), n, low, high) for part in law.components), arb(0))


def polynomial(law: Law, i: int, slope: Fraction, n: int) -> Fraction:
    """E[s^i (1 - slope lam)^n] by the moments of s."""
    c = 1 - slope
    moments = law.moments(i + n + 1)
    terms = (comb(n, m) * c ** (n - m) * (-slope) ** m * moments[i + m] for m in range(n + 1))
    return sum(terms, F(0))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("atoms({1: 1/2, 2: 1/2})", AtomsBall),
        ("uniform(1, 4)", PolynomialBall),
        ("beta(3, 5)", PolynomialBall),
        ("beta(3, 6)", MomentBall),
        ("beta(1/2, 1)", MomentBall),
        ("chi2(5)", MomentBall),
    ],
)
def test_the_route_follows_from_the_component(text, kind):
    (part,) = parse_law("squared_norm", text).components
    found = evaluator(part)
    assert type(found) is kind
    assert found.max_exponent == (EXPANSION_LIMIT if kind is MomentBall else CLOSED_FORM_LIMIT)


@st.composite
def many_atoms(draw):
    """More than MANY_ATOMS, two clusters at a distance and perhaps one at 0; masses differ."""
    far, close = draw(st.sampled_from([2, 40, 10**5])), draw(st.integers(2, 500))
    values = [F(j, close) for j in range(draw(st.booleans()), 300)] + [far + F(j, 300) for j in range(300)]
    values = sorted(set(values))
    masses = [1 + j * j % 7 for j in range(len(values))]
    return Atoms(tuple(values), tuple(F(mass, sum(masses)) for mass in masses))


@given(
    many_atoms(),
    st.sampled_from([(1, 0), (1, 1), (1, -1), (2, 0), (0, 1)]),
    st.fractions(-1, 2, max_denominator=30),
    st.sampled_from([0, F(1, 10**12), F(1, 10)]),
    st.integers(0, 60),
)
def test_many_atoms_by_their_moments_hold_every_sum(atoms, powers, place, width, n):
    """About the slope that balances the ends, or far from it, and over whole intervals of slopes."""
    few, many = AtomsBall(atoms), evaluator(atoms)
    assert type(many) is ManyAtomsBall
    middle = place * 2 / (2 + atoms.values[0] + atoms.values[-1])
    slopes = [middle * (1 + t * width) for t in (-1, F(-1, 3), 0, 1)]
    with ctx.workprec(256):
        exact = [few.complete(*powers, ball(slope), n) for slope in slopes]
    for bits in (64, 128):
        with ctx.workprec(bits):
            found = many.complete(*powers, ball(slopes[0]).union(ball(slopes[-1])), n)
            direct = few.complete(*powers, ball(slopes[0]).union(ball(slopes[-1])), n)
        assert all(found.overlaps(value) for value in exact)
        assert found.rad() <= 4 * direct.rad()


@pytest.mark.parametrize("n", [2, 16, 60])
def test_over_an_interval_of_slopes_the_least_value_may_be_inside(n):
    atoms = Atoms(tuple(F(j, 100) for j in range(100, 701)), (F(1, 601),) * 601)
    few, many = AtomsBall(atoms), evaluator(atoms)
    low, high = F(0), F(2, 5)
    with ctx.workprec(128):
        inside = few.complete(1, 0, ball(F(1, 5)), n)
        assert inside < few.complete(1, 0, ball(low), n)
        assert inside < few.complete(1, 0, ball(high), n)
        found = many.complete(1, 0, ball(low).union(ball(high)), n)
        assert all(few.complete(1, 0, ball(F(j, 50)), n) in found for j in range(21))


def test_of_many_atoms_the_moments_are_made_once():
    atoms = Atoms(tuple(F(j) for j in range(600)), (F(1, 600),) * 600)
    many = evaluator(atoms)
    with ctx.workprec(64):
        many.complete(1, 0, arb(1) / 300, 40)
    table = many._moments.moments._table
    for bits, k in ((128, 1), (256, 0), (64, -1)):
        with ctx.workprec(bits):
            many.complete(1, k, arb(1) / 301, 50)
    assert many._moments.moments._table is table
    many.complete(1, 0, arb(1) / 300, MOST_MOMENTS)
    assert len(many._moments.moments._table) > MOST_MOMENTS
    assert many.effort(MOST_MOMENTS) < many.effort(MOST_MOMENTS + 1)


def test_a_uniform_norm_is_expanded():
    (part,) = parse_law("norm", "uniform(1, 2)").components
    assert type(evaluator(part)) is MomentBall


@pytest.mark.parametrize("law", FAMILIES, ids=str)
@pytest.mark.parametrize("slope", [F(2, 7), F(1, 3), F(-1, 5), F(0), F(7, 3), F(1, 10**9)])
@pytest.mark.parametrize(("i", "n"), [(0, 0), (1, 1), (2, 4), (1, 33), (0, 64)])
def test_complete_holds_the_exact_value(law, slope, i, n):
    law = parse_law(*law)
    with ctx.workprec(512):
        found = complete(law, i, 0, slope, n)
        exact = polynomial(law, i, slope, n)
        assert holds(found, exact)
        assert found.rel_accuracy_bits() > 100 or exact == 0
        assert found.rad() < arb(2) ** -100 * (1 + abs(found))


@pytest.mark.parametrize("law", FAMILIES, ids=str)
@pytest.mark.parametrize(("i", "n"), [(0, 1), (1, 16), (1, 257)])
def test_the_reciprocal_weight_satisfies_its_identity(law, i, n):
    """q = 1 - a lam: E[s^i q^n / lam] - E[s^i q^(n+1) / lam] = a E[s^i q^n]."""
    law, a = parse_law(*law), F(2, 9)
    with ctx.workprec(3000 if n == 257 and law.is_bounded else 500):
        left = complete(law, i, 1, a, n) - complete(law, i, 1, a, n + 1)
        right = ball(a) * complete(law, i, 0, a, n)
        assert left.overlaps(right)
        assert left.rel_accuracy_bits() > 64 or not law.is_bounded


@pytest.mark.parametrize("law", [law for law in FAMILIES if law[0] != "modalities"], ids=str)
def test_the_reciprocal_weight_is_the_integral(law):
    law, a = parse_law(*law), F(2, 9)
    with ctx.workprec(160):
        found = complete(law, 1, 1, a, 6)
        independent = mean(law, lambda s: s / (1 + s) * (1 - acb(ball(a)) * (1 + s)) ** 6)
        assert abs(found - independent) < found * arb(10) ** -25
        assert found.rel_accuracy_bits() > 90


@pytest.mark.parametrize("law", WINDOWED, ids=str)
@pytest.mark.parametrize(("i", "n"), [(0, 0), (1, 5), (1, 40)])
def test_windows_are_integrals(law, i, n):
    law, a = parse_law(*law), F(2, 9)
    low, high = F(5, 7), F(13, 8)
    with ctx.workprec(256):
        for ends_of_window in ((low, high), (None, high), (low, None)):
            found = window(law, i, a, n, *ends_of_window)
            independent = mean(law, lambda s: s**i * (1 - acb(ball(a)) * (1 + s)) ** n, *ends_of_window)
            assert abs(found - independent) < arb(2) ** -120
            assert found == 0 or found.rel_accuracy_bits() > 60


@pytest.mark.parametrize("law", WINDOWED, ids=str)
@pytest.mark.parametrize("n", [1, 64, 513])
def test_windows_add_up(law, n):
    """The two sides of a cut, and the whole, however sharply q^n is peaked."""
    law, a, cut = parse_law(*law), F(2, 9), F(7, 5)
    with ctx.workprec(2048):
        whole = complete(law, 1, 0, a, n)
        parts = window(law, 1, a, n, None, cut) + window(law, 1, a, n, cut, None)
        assert parts.overlaps(whole)
        assert parts.rel_accuracy_bits() > 64
        assert window(law, 1, a, n, None, None).overlaps(whole)


@pytest.mark.parametrize(
    ("low", "high"), [(F(1), F(1)), (F(4), None), (None, F(1)), (F(5), F(9)), (F(3), F(2)), (None, F(-1))]
)
@pytest.mark.parametrize(
    "text", ["uniform(1, 4)", "beta(1/2, 1/3, low=1, high=4)", "atoms({1: 1/2, 4: 1/2})"]
)
def test_empty_windows_are_exactly_0(text, low, high):
    found = window(parse_law("squared_norm", text), 1, F(1, 3), 3, low, high)
    assert found.is_exact()
    assert found == 0


@pytest.mark.parametrize(
    "text", ["uniform(1, 4)", "beta(1/2, 1/3, low=1, high=4)", "atoms({1: 1/2, 4: 1/2})"]
)
def test_a_window_wider_than_the_support_is_the_whole(text):
    law = parse_law("squared_norm", text)
    assert window(law, 1, F(1, 3), 9, F(0), F(7)).overlaps(complete(law, 1, 0, F(1, 3), 9))


def test_a_window_leaves_its_ends_out():
    law = parse_law("squared_norm", "atoms({1: 1/2, 2: 1/4, 4: 1/4})")
    assert holds(window(law, 0, F(0), 0, F(1), F(4)), F(1, 4))
    assert holds(window(law, 0, F(0), 0, None, F(4)), F(3, 4))


def test_no_window_in_a_sum_or_an_unbounded_law():
    for law in (FAMILIES[10], FAMILIES[11]):
        (part,) = parse_law(*law).components
        found = evaluator(part)
        assert not found.windows
        with pytest.raises(DepthLimit):
            found.window(1, ball(F(1, 3)), 3, None, F(1))


@given(bounded_laws(), rationals(2), st.integers(0, 2), st.integers(0, 12))
def test_random_laws_hold_the_exact_value(law, slope, i, n):
    with ctx.workprec(256):
        found = complete(law, i, 0, slope, n)
        assert holds(found, polynomial(law, i, slope, n))
        lower, upper = ends(found)
        assert upper - lower < F(1, 2**100)


@pytest.mark.parametrize("text", ["uniform(1, 4)", "beta(2, 3, low=1, high=4)", "atoms({1: 1/2, 4: 1/2})"])
def test_a_slope_that_is_an_interval_covers_its_points(text):
    (part,) = parse_law("squared_norm", text).components
    wide = arb(0.25, 0.0625)
    found = evaluator(part).complete(1, 0, wide, 7)
    for slope in (F(3, 16), F(1, 4), F(5, 16)):
        assert found.overlaps(evaluator(part).complete(1, 0, ball(slope), 7))
    around_zero = evaluator(part).complete(1, 0, arb(0, 0.125), 7)
    assert around_zero.overlaps(evaluator(part).complete(1, 0, ball(F(1, 9)), 7))


@pytest.mark.parametrize(
    "text", ["uniform(1, 4)", "beta(1/2, 1/3, low=1, high=4)", "atoms({1: 1/2, 4: 1/2})"]
)
def test_tables_follow_the_precision(text):
    """A value kept at 64 bits must not be used at 512, nor one for a small depth at a large one."""
    (part,) = parse_law("squared_norm", text).components
    used, slope = evaluator(part), F(2, 7)
    for bits, n in ((64, 3), (512, 3), (512, 40), (512, 2), (64, 40), (1024, 41)):
        with ctx.workprec(bits):
            for k in (0, 1):
                old, new = used.complete(1, k, ball(slope), n), evaluator(part).complete(1, k, ball(slope), n)
                assert old.overlaps(new)
                assert old.rel_accuracy_bits() >= new.rel_accuracy_bits() - 4


def test_depth_4096_in_closed_form_and_by_expansion():
    """uniform(1, 4), written as a mixture of itself, by the antiderivative and by moments."""
    (part,) = parse_law("squared_norm", "uniform(1, 4)").components
    n, slope = 8191, F(2, 7)
    with ctx.workprec(256):
        closed = PolynomialBall(part).complete(1, 0, ball(slope), n)
        expanded = MomentBall(part).complete(1, 0, ball(slope), n)
        assert closed.overlaps(expanded)
        assert min(closed.rel_accuracy_bits(), expanded.rel_accuracy_bits()) > 200
