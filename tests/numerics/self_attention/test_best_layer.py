"""The best layer and its gap, against sums over atoms and values of an independent computation."""

from fractions import Fraction

import pytest
from flint import ctx
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp

from numerics.arithmetic.balls import as_ball, ball, ends
from numerics.errors import PrecisionExhausted
from numerics.expectation.over_law import Expectation
from numerics.laws import Atoms, Law
from numerics.laws.syntax import parse_law
from numerics.self_attention import best_layer
from tests.numerics.by_mpmath import mpmath_mean
from tests.strategies import atomic_laws, laws, rationals
from theory.normal_form import BoundTerm

BITS = 4096


def single(*texts, kind="squared_norm"):
    return best_layer.SingleLayer(Expectation(parse_law(kind, *texts)), BITS)


def of(law):
    return best_layer.SingleLayer(Expectation(law), BITS)


def pairs(law):
    """(p, q, mass) of the modalities; q = 0 for a single law."""
    first, second = law.modalities or (law, parse_law("squared_norm", "point(0)"))
    for p, u in zip(first.atoms.values, first.atoms.masses, strict=True):
        for q, v in zip(second.atoms.values, second.atoms.masses, strict=True):
            yield p, q, u * v


def risk(law, a, b):
    """E[(1 - a p - b q)^2 + a^2 p + b^2 q], atom by atom."""
    return sum(mass * ((1 - a * p - b * q) ** 2 + a**2 * p + b**2 * q) for p, q, mass in pairs(law))


def bayes(law):
    return sum(mass / (1 + p + q) for p, q, mass in pairs(law))


def double_expectation(law):
    """E E' of s s' (s - s')^2/(lam lam')."""
    atoms = list(zip(law.atoms.values, law.atoms.masses, strict=True))
    return sum(u * v * s * r * (s - r) ** 2 / ((1 + s) * (1 + r)) for s, u in atoms for r, v in atoms)


two_atomic_laws = (
    st.tuples(atomic_laws(1, 3), atomic_laws(1, 3))
    .map(lambda two: parse_law("modalities", two[0].texts[0], two[1].texts[0]))
    .filter(lambda law: not law.is_zero)
)

REFERENCE = {
    "uniform(1, 4)": (
        "0.3054302439580516883945091",
        "0.3421052631578947368421053",
        "0.03667501919984304844759619",
    ),
    "uniform(0, 3)": ("0.4620981203732968729448214", "0.5", "0.03790187962670312705517859"),
    "atoms({1: 1/3, 4: 2/3})": ("0.3", "0.3571428571428571428571429", "0.05714285714285714285714286"),
    "point(2)": ("0.3333333333333333333333333", "0.3333333333333333333333333", "0"),
}


@pytest.mark.parametrize("text", REFERENCE)
def test_values_of_an_independent_computation(text):
    found, last_digit = single(text), Fraction(1, 10**24)
    for number, reference in zip(
        (found.bayes.value, found.best.risk, found.gap.value), REFERENCE[text], strict=True
    ):
        lower, upper = (number, number) if isinstance(number, Fraction) else ends(number)
        assert lower - last_digit <= Fraction(reference) <= upper + last_digit
        assert upper - lower <= Fraction(1, 10**24)


@given(law=atomic_laws(1, 4).filter(lambda law: not law.is_zero), c=rationals(2))
def test_a_single_law_by_sums(law, c):
    found, gap = of(law), double_expectation(law) / (2 * (law.mean + law.moment(2)))
    (best,) = found.best.weights
    assert found.gap.value == risk(law, best, 0) - bayes(law) == gap == found.double_expectation.value
    assert risk(law, c, 0) >= found.best.risk >= found.bayes.value
    assert (gap == 0) == law.is_constant


@given(law=two_atomic_laws, a=rationals(2), b=rationals(2))
def test_two_modalities_by_sums(law, a, b):
    found = of(law)
    assert risk(law, *found.best.weights) == found.best.risk == found.gap.value + bayes(law)
    assert risk(law, a, b) >= found.best.risk
    assert found.double_expectation.value == found.gap.value
    assert (found.gap.value == 0) == law.is_constant
    assert best_layer.layer(found.blocks, (a, b)).risk == risk(law, a, b)
    assert found.scalar.risk == risk(law, *found.scalar.weights) >= found.best.risk


@settings(max_examples=25)
@given(law=laws().filter(lambda law: not law.is_constant))
def test_the_gap_of_any_law_is_positive_by_both_routes(law):
    found = of(law)
    assert found.gap.value > 0
    assert as_ball(found.gap.value).overlaps(as_ball(found.double_expectation.value))
    assert ball(found.best.risk) > _ball(found.bayes.value)


def _ball(number):
    return ball(number) if isinstance(number, Fraction) else number


@pytest.mark.parametrize(
    ("kind", "texts"),
    [
        ("squared_norm", ["beta(1/2, 1/3, low=1, high=4)"]),
        ("squared_norm", ["chi2(5)"]),
        ("norm", ["uniform(1, 2)"]),
        ("modalities", ["atoms({0: 1/2, 2: 1/2})", "beta(2, 1/2)"]),
    ],
)
def test_bayes_risk_by_quadrature(kind, texts):
    found = single(*texts, kind=kind)
    with mp.workdps(20):
        value = mpmath_mean(found.expectation.law, [BoundTerm(1, 0, 1, 0, 0)])
        assert abs(value - mp.mpf(str(float(found.bayes.value.mid())))) < 1e-15


def test_the_gap_to_15_digits_where_it_is_small():
    found = single("uniform(2, 2.0001)").gap
    assert found.value.rel_accuracy_bits() >= 50
    assert 6e-11 < found.value < 7e-11
    with pytest.raises(PrecisionExhausted):
        assert best_layer.SingleLayer(Expectation(parse_law("squared_norm", "uniform(2, 2.0001)")), 64).gap


def test_many_atoms_are_enclosed_and_few_are_exact():
    values = tuple(Fraction(k, 7) for k in range(1, 66))
    law = Law("squared_norm", ("many",), (Atoms(values, (Fraction(1, 65),) * 65),))
    found = of(law)
    assert not found.gap.is_exact
    assert found.gap.value.contains(_rational(found.best.risk - bayes(law)))
    assert of(Law("squared_norm", ("few",), (Atoms(values[:64], (Fraction(1, 64),) * 64),))).gap.is_exact


def _rational(number):
    with ctx.workprec(400):
        return ball(number)


def test_a_modality_that_is_0_changes_nothing():
    alone, beside = single("uniform(1, 4)"), single("point(0)", "uniform(1, 4)", kind="modalities")
    assert beside.best.weights == alone.best.weights * 2
    assert beside.best.risk == alone.best.risk
    assert as_ball(beside.gap.value).overlaps(as_ball(alone.gap.value))


def test_s_0_almost_surely():
    found = single("point(0)")
    assert (found.best.risk, found.bayes.value, found.gap.value) == (1, 1, 0)


def test_the_scalar_gap_overstates_the_true_one():
    found = single("uniform(0, 1)", "beta(2, 1/2)", kind="modalities")
    assert found.scalar.risk > found.best.risk
    assert single("uniform(0, 1)", "uniform(0, 1)", kind="modalities").scalar.risk == (
        single("uniform(0, 1)", "uniform(0, 1)", kind="modalities").best.risk
    )


ts = st.fractions(0, 1, max_denominator=8)


def mixed(law, t):
    """The atoms of a law, with probability t, and its mean otherwise."""
    masses = {law.mean: 1 - t}
    for value, mass in zip(law.atoms.values, law.atoms.masses, strict=True):
        masses[value] = masses.get(value, 0) + t * mass
    return "atoms({" + ", ".join(f"{v}: {p}" for v, p in masses.items() if p) + "})"


@given(law=atomic_laws(1, 3), t=ts)
def test_the_family_of_a_single_law(law, t):
    member = parse_law("squared_norm", mixed(law, t))
    assert of(law).gap_at(t).value == of(member).gap.value
    assert of(law).family.is_constant(t) == member.is_constant


@given(law=two_atomic_laws, t=ts)
def test_the_family_of_two_modalities(law, t):
    member = parse_law("modalities", *(mixed(part, t) for part in law.modalities))
    assert of(law).gap_at(t).value == of(member).gap.value
    assert of(law).family.is_constant(t) == member.is_constant


def test_the_family_of_a_density_starts_at_exactly_0():
    found = single("beta(1/2, 3)", "chi2(5)", kind="modalities")
    assert found.gap_at(Fraction(0)) == best_layer.EnclosedRisk(Fraction(0), None)
    assert found.gap_at(Fraction(1)) is found.gap
