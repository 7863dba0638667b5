"""The one-inequality argument: T0 against rational arithmetic, and its validity at later depths."""

from __future__ import annotations

from fractions import Fraction

import pytest
from flint import arb, ctx
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from numerics.arithmetic.balls import ball
from numerics.errors import DepthLimit
from numerics.expectation.over_law import Expectation
from numerics.laws import Law
from numerics.laws.syntax import parse_law
from numerics.one_parameter import all_large_depths
from numerics.one_parameter.all_large_depths import (
    CertifiedSide,
    WeightBand,
    assured,
    balance,
    band,
    certify_side,
    decided_sign,
    side_at,
    too_early,
)
from tests.numerics.independent import mean
from tests.strategies import atomic_laws, bounded_laws

F = Fraction
BITS = 8192


def squared(text: str) -> Expectation:
    return Expectation(parse_law("squared_norm", text))


def star(law: Law) -> Fraction:
    l1, l2 = law.lambda_ends
    return 2 / (l1 + l2)


def two_sides(law: Law, a: Fraction, n: int) -> tuple[Fraction, Fraction]:
    """The larger and the smaller side of the inequality below alpha*, or of its mirror image, for atoms."""
    l1, l2 = law.lambda_ends
    pairs = [
        (s, p, 1 - a * (1 + s)) for s, p in zip(law.atoms.values, law.atoms.masses, strict=True) if s > 0
    ]
    if a < star(law):
        bound = max(F(0), a * l2 - 1)
        left = [p * s * q**n for s, p, q in pairs if q > bound]
        right = [p * s * -(q**n) for s, p, q in pairs if q < 0]
    else:
        bound = max(F(0), 1 - a * l1)
        left = [p * s * -(q**n) for s, p, q in pairs if q < -bound]
        right = [p * s * q**n for s, p, q in pairs if q > 0]
    return sum(left, F(0)), sum(right, F(0))


def absolute_band(text: str, epsilon: Fraction) -> WeightBand:
    expectation = squared(text)
    center = star(expectation.law)
    found = band(expectation, center - epsilon, center + epsilon, BITS)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("text", "T0", "first"),
    [("uniform(1, 4)", 5, 4), ("uniform(0, 3)", 28, None), ("atoms({1: 1/2, 2: 1/3, 5: 1/6})", None, None)],
)
def test_reference_depths_at_an_absolute_distance_of_a_hundredth(text, T0, first):
    found = absolute_band(text, F(1, 100))
    assert T0 is None or found.T0 == T0
    assert first is None or found.first_T == first
    assert found.first_T <= found.T0


def test_the_last_failing_depth_counts_and_not_the_first_that_holds():
    """alpha_1 = alpha* exactly, and alpha_2 is off by 0.0068."""
    expectation = squared("atoms({1: 1/2, 2: 1/3, 5: 1/6})")
    assert side_at(expectation, F(1, 4), 1, BITS) == 0
    assert side_at(expectation, F(1, 4) - F(67, 10_000), 2, BITS) == -1
    assert side_at(expectation, F(1, 4) - F(69, 10_000), 2, BITS) == 1
    found = absolute_band("atoms({1: 1/2, 2: 1/3, 5: 1/6})", F(1, 200))
    inside = [
        side_at(expectation, F(49, 200), T, BITS) == 1 and side_at(expectation, F(51, 200), T, BITS) == -1
        for T in range(1, found.T0 + 5)
    ]
    assert inside[:2] == [True, False]
    assert found.first_T == len(inside) - inside[::-1].index(False) + 1
    assert all(inside[found.first_T - 1 :])


def test_two_equal_sides_settle_nothing():
    """At n = 1 both sides are equal and alpha_1 = a: the inequality has to be strict."""
    expectation, a = squared("atoms({1: 1/3, 4: 2/3})"), F(3, 14)
    assert len(set(two_sides(expectation.law, a, 1))) == 1
    assert side_at(expectation, a, 1, BITS) == 0
    found = certify_side(expectation, a, BITS)
    assert (found.side, found.T0) == ("above", 2)
    found = band(expectation, a, F(2, 7) + F(1, 14), BITS)
    assert (found.T0, found.first_T) == (2, 2)


@given(atomic_laws(), st.integers(1, 99), st.booleans())
def test_T0_of_atoms_is_the_first_depth_of_the_inequality(law, percent, below):
    """In rational arithmetic, and at T0 - 1 it fails."""
    a = star(law) * (1 + F(percent if not below else -percent, 100))
    found = certify_side(Expectation(law), a, BITS)
    assert found.side == ("above" if below else "below")
    left, right = two_sides(law, a, 2 * found.T0 - 1)
    assert left > right
    if found.T0 > 1:
        left, right = two_sides(law, a, 2 * found.T0 - 3)
        assert left <= right


@pytest.mark.parametrize(
    ("text", "decisive"),
    [
        ("atoms({1: 9/10, 4: 1/10})", "high"),
        ("atoms({1: 1/10, 4: 9/10})", "low"),
        ("beta(1, 3, low=1, high=4)", "high"),
        ("uniform(1, 4)", "low"),
    ],
)
def test_the_later_side_decides_T0(text, decisive):
    """One side alone is settled earlier, and at the depth before T0 the other one is still missed."""
    found = absolute_band(text, F(1, 100))
    low, high = found.low.T0, found.high.T0
    assert found.T0 == (high if decisive == "high" else low) > (low if decisive == "high" else high)
    expectation, late = squared(text), found.high if decisive == "high" else found.low
    assert certify_side(expectation, late.point, BITS) == late
    if expectation.law.atoms:
        left, right = two_sides(expectation.law, late.point, 2 * found.T0 - 3)
        assert left <= right


@given(bounded_laws())
def test_the_weight_in_the_balance(law):
    a, (l1, l2) = balance(law), law.lambda_ends
    assert 1 - a * l1 == a * l2 - 1
    assert certify_side(Expectation(law), a, 64) is None


@given(atomic_laws(), st.integers(1, 99), st.booleans())
def test_the_inequality_is_assured_in_time(law, percent, below):
    """In rational arithmetic: the mass is there, and the inequality holds at the depth assured."""
    a = star(law) * (1 + F(percent if not below else -percent, 100))
    found, (l1, l2) = assured(law, a, BITS), law.lambda_ends
    near = [
        p * s
        for s, p in zip(law.atoms.values, law.atoms.masses, strict=True)
        if s > 0 and abs((l1 if below else l2) - 1 - s) <= found.width
    ]
    assert 0 < found.mass <= sum(near)
    if found.T < 2000:
        left, right = two_sides(law, a, 2 * found.T - 1)
        assert left > right


@given(bounded_laws(), st.integers(1, 99), st.booleans())
@settings(max_examples=30)
def test_within_the_width_the_residual_stays_half_way_above_the_other_end(law, percent, below):
    a = star(law) * (1 + F(percent if not below else -percent, 100))
    bound, (l1, l2) = assured(law, a, BITS), law.lambda_ends
    assume(bound is not None)
    at, other = (1 - a * l1, a * l2 - 1) if below else (a * l2 - 1, 1 - a * l1)
    assert 0 < bound.width <= law.m_hi / 2
    assert at - a * bound.width >= (at + max(F(0), other)) / 2


@given(bounded_laws(), st.integers(1, 60), st.booleans())
@settings(max_examples=30)
def test_T0_is_no_later_than_assured(law, percent, below):
    a = star(law) * (1 + F(percent if not below else -percent, 100))
    bound = assured(law, a, BITS)
    assume(bound is not None)
    try:
        assert certify_side(Expectation(law), a, BITS).T0 <= bound.T
    except DepthLimit:
        assert bound.T > 2**13


@pytest.mark.parametrize("far", [1000, 10**8])
def test_mass_is_seen_that_lies_nearer_to_0_than_the_other_end_tells(far):
    law = parse_law("squared_norm", f"mixture({{uniform(0, 1): 1/2, point({far}): 1/2}})")
    found = assured(law, star(law) * F(99, 100), BITS)
    assert found.width > 2
    assert 0 < found.mass <= F(1, 4)
    assert certify_side(Expectation(law), star(law) * F(99, 100), BITS).T0 <= found.T


def test_mass_too_small_to_certify_assures_nothing():
    """Some 1e-85 of beta(50, 50) lies where it counts: 64 bits do not show it."""
    law = parse_law("squared_norm", "beta(50, 50, low=1, high=4)")
    a = star(law) * F(101, 100)
    assert assured(law, a, 64) is None
    assert assured(law, a, BITS).mass > 0


@given(bounded_laws(), st.integers(2, 90), st.integers(0, 60))
@settings(max_examples=15)
def test_every_later_minimiser_is_in_the_band(law, percent, later):
    expectation, center = Expectation(law), star(law)
    low, high = center * F(100 - percent, 100), center * F(100 + percent, 100)
    try:
        found = band(expectation, low, high, BITS)
    except DepthLimit:
        assume(False)
    assume(found.T0 < 300)
    for T in {found.T0, found.T0 + 1, found.T0 + later}:
        # In rational arithmetic, which shares nothing with the windows.
        assert expectation.polynomial(1, low, 2 * T - 1) > 0
        assert expectation.polynomial(1, high, 2 * T - 1) < 0


@given(atomic_laws(), st.integers(1, 60))
def test_the_first_depth_in_fact(law, percent):
    """Enumerated from the top, in rational arithmetic."""
    expectation, center = Expectation(law), star(law)
    low, high = center * F(100 - percent, 100), center * F(100 + percent, 100)
    found = band(expectation, low, high, BITS)
    assume(found.T0 < 200)
    first = found.T0
    for T in range(found.T0, 0, -1):
        n = 2 * T - 1
        if not (expectation.polynomial(1, low, n) > 0 > expectation.polynomial(1, high, n)):
            break
        first = T
    assert found.first_T == first


DENSITIES = [
    ("squared_norm", "uniform(1, 4)"),
    ("squared_norm", "beta(1/2, 1/3, low=1, high=4)"),
    ("squared_norm", "beta(5, 2, low=0, high=10)"),
    ("norm", "uniform(1, 2)"),
]


@pytest.mark.parametrize("law", DENSITIES, ids=str)
@pytest.mark.parametrize("below", [True, False])
def test_T0_of_densities_is_the_first_depth_of_the_inequality(law, below):
    """The two sides by `acb.integral`."""
    law = parse_law(*law)
    a = star(law) * (F(99, 100) if below else F(10_001, 10_000))
    T0 = certify_side(Expectation(law), a, BITS).T0
    assert T0 > 1
    l1, l2 = law.lambda_ends
    at_zero, mirrored = 1 / a - 1, (2 / a - l2 - 1, 2 / a - l1 - 1)[not below]
    for T, outcome in ((T0, True), (T0 - 1, False)):
        n = 2 * T - 1

        def side(low, high, n=n):
            return mean(
                law, lambda s: s * (1 - ball(a) * (1 + s)) ** n, low, high, negligible=arb(2) ** -4000
            )

        with ctx.workprec(200):
            low, high = ((None, mirrored), (at_zero, None)) if below else ((mirrored, None), (None, at_zero))
            left, right = (side(*low), -side(*high)) if below else (-side(*low), side(*high))
            assert left > 0
            assert right > 0
            assert (left > right) if outcome else (left <= right)


@pytest.mark.parametrize(
    ("a", "side"),
    [(F(-1), "above"), (F(0), "above"), (F(1, 5), "above"), (F(1, 2), "below"), (F(3), "below")],
)
def test_where_q_has_one_sign_every_depth_is_settled(a, side):
    assert certify_side(squared("uniform(1, 4)"), a, 16) == CertifiedSide(a, side, 1, 0)


@pytest.mark.parametrize("text", ["uniform(1, 4)", "point(2)", "atoms({0: 1/2, 3: 1/2})"])
def test_alpha_star_itself_is_not_settled(text):
    expectation = squared(text)
    assert certify_side(expectation, star(expectation.law), BITS) is None
    assert band(expectation, star(expectation.law), F(9, 10), BITS) is None


@pytest.mark.parametrize(("low", "high"), [(F(1, 3), F(1, 2)), (F(1, 5), F(1, 4)), (F(1, 2), F(1, 5))])
def test_a_band_beside_alpha_star_is_none(low, high):
    assert band(squared("uniform(1, 4)"), low, high, BITS) is None


def test_mass_at_zero_does_not_enter():
    """alpha* = 1/4 for s = 3, whatever the mass at 0; with l1 = 1 it would be 2/5."""
    found = absolute_band("atoms({0: 1/2, 3: 1/2})", F(1, 10**9))
    assert (found.T0, found.first_T) == (1, 1)
    found = absolute_band("atoms({0: 1/2, 1: 1/6, 4: 1/3})", F(1, 100))
    assert found == absolute_band("atoms({1: 1/3, 4: 2/3})", F(1, 100))


def test_a_sum_has_only_bounds_and_they_are_valid():
    """Without windows T0 may be later than need be, never earlier."""
    law = parse_law("modalities", "uniform(1/2, 1)", "uniform(1/2, 3)")
    expectation, center = Expectation(law), star(law)
    low, high = center * F(9, 10), center * F(11, 10)
    found = band(expectation, low, high, BITS)
    assert found.first_T <= found.T0
    for T in range(found.first_T, found.T0 + 20):
        assert expectation.polynomial(1, low, 2 * T - 1) > 0 > expectation.polynomial(1, high, 2 * T - 1)
    # The same bound on a law that has windows: what lies between counts at most least^n E s.
    _, l2 = law.lambda_ends
    n, least = 2 * found.low.T0 - 1, low * l2 - 1
    assert expectation.polynomial(1, low, n) > least**n * law.mean


def test_mixtures_of_parts_with_and_without_windows():
    law = parse_law("modalities", "atoms({0: 1/2, 2: 1/2})", "beta(1/2, 1)")
    expectation, center = Expectation(law), star(law)
    found = band(expectation, center * F(9, 10), center * F(11, 10), BITS)
    for T in range(found.first_T, found.T0 + 3):
        assert expectation.polynomial(1, found.low.point, 2 * T - 1) > 0
        assert expectation.polynomial(1, found.high.point, 2 * T - 1) < 0


def test_a_depth_beyond_reach_is_an_error():
    with pytest.raises(DepthLimit, match="beyond 16384"):
        absolute_band("beta(1/2, 1/3, low=1, high=4)", F(1, 10**9))
    with pytest.raises(DepthLimit):
        absolute_band("uniform(1, 4)", F(1, 10**30))


@settings(max_examples=40)
@given(bounded_laws(), st.integers(1, 20), st.booleans())
def test_no_depth_seen_to_be_too_early_reaches_T0(law, percent, below):
    assume(not law.is_constant)
    a = balance(law) * (1 + F(percent, -100 if below else 100))
    try:
        found = certify_side(Expectation(law), a, 4096)
    except DepthLimit:
        return
    assert too_early(law, a) < found.T0


def test_an_end_with_almost_no_mass_is_known_to_need_a_depth_beyond_reach(monkeypatch):
    """No evaluation at all, where they took minutes; T0 of a law less extreme is of the stated size."""
    law = parse_law("squared_norm", "beta(3, 40, low=1, high=4)")
    a = balance(law) * F(11, 10)
    found = certify_side(Expectation(law), a, 4096)
    assert found.T0 // 4 < too_early(law, a) < found.T0
    law = parse_law("squared_norm", "beta(76, 66334470, low=1, high=4)")
    monkeypatch.setattr(all_large_depths, "_one_inequality", None)
    with pytest.raises(DepthLimit, match="a depth beyond 2704039791 "):
        certify_side(Expectation(law), F(2, 7) * F(101, 100), 65536)


def test_too_many_depths_to_enumerate():
    """T0 is proved; the two sides have different ones, and 20,000 signs in all are looked at."""
    seen = []

    def track(depths):
        for T in depths:
            seen.append(T)
            yield T

    expectation = squared("uniform(1, 4)")
    found = band(expectation, F(2, 7) - F(1, 10**7), F(2, 7) + F(1, 10**6), BITS, track)
    assert found.first_T is None
    assert found.low.T0 > 10 * found.high.T0
    assert len(seen) <= 20_001
    for settled, sign in ((found.low, 1), (found.high, -1)):
        assert side_at(expectation, settled.point, settled.T0, BITS) == sign


def test_an_undecided_sign_below_T0_leaves_the_first_depth_open(monkeypatch):
    monkeypatch.setattr(
        "numerics.one_parameter.all_large_depths.side_at",
        lambda law, a, T, bits: {2: None}.get(T, -1 if a > F(2, 7) else 1),
    )
    found = absolute_band("uniform(1, 4)", F(1, 100))
    assert (found.T0, found.first_T) == (5, None)


@pytest.mark.parametrize("T", [1, 2, 5, 64])
def test_symmetry_is_found_exactly(T):
    """s dP is symmetric about 3/2 for beta(1, 2) on [0, 3]: every alpha_T is alpha*."""
    assert side_at(squared("beta(1, 2, low=0, high=3)"), F(2, 5), T, 256) == 0


def test_beyond_the_exact_depths_symmetry_is_undecided():
    assert side_at(squared("beta(1, 2, low=0, high=3)"), F(2, 5), 65, 256) is None


def test_signs():
    assert decided_sign(lambda: ball(F(1, 3)), 64) == (1, 64)
    assert decided_sign(lambda: ball(F(-1, 3)), 16) == (-1, 16)
    assert decided_sign(lambda: ball(F(1, 3)) - ball(F(1, 3) + F(1, 2**100)), 4096) == (-1, 128)
    # More bits narrow it, up to the limit.
    assert decided_sign(lambda: ball(F(1, 3)) - ball(F(1, 3)), 1000) == (None, 1000)
    # They do not.
    wide = ball(F(1, 3)).union(ball(F(-1, 3)))
    assert decided_sign(lambda: wide, 65536) == (None, 128)


def test_the_enumeration_ends_where_its_effort_does(monkeypatch):
    expectation = Expectation(parse_law("squared_norm", "uniform(1, 4)"))
    low, high = Fraction(2, 7) * Fraction(99, 100), Fraction(2, 7) * Fraction(101, 100)
    assert band(expectation, low, high, 4096).first_T == 15
    monkeypatch.setattr(all_large_depths, "ENUMERATION_EFFORT", 20)
    assert band(expectation, low, high, 4096).first_T is None


@pytest.mark.parametrize("law", [("squared_norm", "chi2(5)"), ("norm", "uniform(1, 2)")])
def test_effort_grows_with_the_exponent(law):
    expectation = Expectation(parse_law(*law))
    assert 0 < expectation.effort(3) < expectation.effort(301)
