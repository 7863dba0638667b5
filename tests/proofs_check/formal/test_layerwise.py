"""The best residual over a law of atoms, against its definition."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from numerics.laws.syntax import parse_law
from proofs_check.formal.coq import FormalError
from proofs_check.formal.finite import Table
from proofs_check.formal.layerwise import best_residual, between

ATOMS = st.dictionaries(st.integers(0, 30), st.integers(1, 9), min_size=2, max_size=6).filter(
    lambda atoms: sum(v > 0 for v in atoms) > 1
)


@given(ATOMS, st.integers(1, 6), st.integers(1, 5))
def test_it_is_orthogonal_and_its_excess_is_enclosed(atoms, den, T):
    positive = [v for v in atoms if v]
    table = Table(den, min(positive), max(positive), tuple(sorted(atoms.items())))
    T = min(T, len(positive) - 1)
    coefficients = best_residual(table.moment, T)
    assert len(coefficients) == T + 1
    assert coefficients[0] > 0

    def value(X):
        return sum(c * X**j for j, c in enumerate(coefficients))

    for k in range(T):
        assert sum(w * v * (den + v) ** k * value(den + v) for v, w in table.rows) == 0
    excess = sum(
        w * Fraction(v, den + v) * Fraction(value(den + v), coefficients[0]) ** 2 for v, w in table.rows
    ) / sum(atoms.values())
    apart = excess / 10**20
    assert between(table, "x", excess - apart, excess + apart, T).startswith("(least_excess_between atoms")
    with pytest.raises(FormalError, match="x: not decided"):
        between(table, "x", excess, excess + apart, T)
    with pytest.raises(FormalError, match="x: not decided"):
        between(table, "x", excess - apart, excess, T)


def test_one_point_is_one_residual():
    assert best_residual(
        Table.of(parse_law("squared_norm", "atoms({0: 1/2, 1: 1/4, 3: 1/4})")).moment, 1
    ) == [7, -2]
