"""Inequalities over finite laws on integers, against the same in fractions."""

from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from numerics.laws.syntax import parse_law
from proofs_check.formal.coq import FormalError
from proofs_check.formal.finite import Table
from proofs_check.formal.rounding import precision

ATOMS = st.dictionaries(
    st.fractions(min_value=0, max_value=20, max_denominator=12), st.integers(1, 9), min_size=1, max_size=5
).filter(lambda atoms: any(atoms))
WEIGHTS = st.fractions(min_value=Fraction(1, 50), max_value=2, max_denominator=50)
TURN = {"Above": 1, "Below": -1}


def law(atoms):
    total = sum(atoms.values())
    return parse_law("squared_norm", f"atoms({{{', '.join(f'{s}: {w}/{total}' for s, w in atoms.items())}}})")


def expectation(atoms, f):
    return sum(w * f(s) for s, w in atoms.items()) / Fraction(sum(atoms.values()))


def tails(atoms, side, a, T):
    """Both sides of the one inequality, the one that has to be larger first."""
    q = {s: TURN[side] * (1 - a * (1 + s)) for s in atoms if s > 0}
    apart = max(Fraction(0), -min(q.values()))
    gain = expectation(atoms, lambda s: s * q[s] ** (2 * T - 1) if s and q[s] > apart else 0)
    pain = expectation(atoms, lambda s: s * (-q[s]) ** (2 * T - 1) if s and q[s] < 0 else 0)
    return gain, pain


@given(ATOMS, WEIGHTS, st.integers(1, 12), st.sampled_from(["Above", "Below"]))
def test_a_sign_is_that_of_the_expectation(atoms, a, T, side):
    value = TURN[side] * expectation(atoms, lambda s: s * (1 - a * (1 + s)) ** (2 * T - 1))
    assert Table.of(law(atoms)).decides(side, a, T, 4096) == (value > 0)


@given(ATOMS, WEIGHTS, st.integers(1, 12), st.sampled_from(["Above", "Below"]))
def test_the_one_inequality_is_the_one_of_the_argument(atoms, a, T, side):
    gain, pain = tails(atoms, side, a, T)
    assert Table.of(law(atoms)).settles(side, a, T, 4096) == (gain > pain)


@given(ATOMS, WEIGHTS, st.integers(1, 12), st.sampled_from(["Above", "Below"]), st.integers(1, 10))
def test_few_bits_prove_nothing_false(atoms, a, T, side, bits):
    value = TURN[side] * expectation(atoms, lambda s: s * (1 - a * (1 + s)) ** (2 * T - 1))
    assume(value <= 0)
    assert not Table.of(law(atoms)).decides(side, a, T, bits)


@given(ATOMS, st.fractions(min_value=Fraction(1, 10**6), max_value=1, max_denominator=10**6))
def test_the_gap_lies_where_it_is_said_to(atoms, apart):
    mean, second = (expectation(atoms, lambda s, k=k: s * (1 + s) ** k) for k in (0, 1))
    gap = expectation(atoms, lambda s: s / (1 + s)) - mean**2 / second
    table = Table.of(law(atoms))
    assert table.gap_between(gap - apart, gap + apart, 256)
    assert not table.gap_between(gap, gap + apart, 256)
    assert not table.gap_between(gap - apart, gap, 256)


def test_what_a_table_holds():
    assert Table.of(parse_law("squared_norm", "atoms({0: 1/2, 1/3: 1/4, 3/2: 1/4})")) == Table(
        6, 2, 9, ((0, 2), (2, 1), (9, 1))
    )
    both = Table.of(parse_law("modalities", "atoms({0: 1/2, 1: 1/2})", "point(2)"))
    assert both == Table(1, 2, 3, ((2, 1), (3, 1)))


@pytest.mark.parametrize("text", ["uniform(1, 4)", "chi2(5)", "point(0)"])
def test_a_law_that_is_no_table(text):
    assert Table.of(parse_law("squared_norm", text)) is None


def test_the_precision_is_the_least_that_decides():
    assert precision("x", lambda bits: bits >= 100) == 128
    with pytest.raises(FormalError, match="x: not decided on integers of 32768 binary places"):
        precision("x", lambda bits: False)
