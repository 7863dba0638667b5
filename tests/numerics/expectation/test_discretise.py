from fractions import Fraction

import pytest
from hypothesis import given, settings

from numerics.expectation.discretise import gauss_law
from numerics.laws.syntax import parse_law
from tests.strategies import atomic_laws, laws


def parts(law):
    return law.modalities or (law,)


@settings(max_examples=40)
@given(law=laws())
def test_moments_and_support(law):
    size = 3
    for part, discrete in zip(parts(law), parts(gauss_law(law, size)), strict=True):
        assert not discrete.pieces
        assert sum(discrete.atoms.masses) == 1
        assert len(discrete.atoms.values) <= size
        for k in range(1, 2 * size):
            assert abs(discrete.moment(k) - part.moment(k)) <= part.moment(k) / 10**12
        slack = part.moment(2) / part.mean / 10**12
        assert discrete.atoms.values[0] >= part.lo - slack
        assert part.hi is None or discrete.atoms.values[-1] <= part.hi + slack


@given(law=atomic_laws(1, 3))
def test_few_atoms_are_kept(law):
    assert gauss_law(law, 3).components == law.components


def test_many_atoms_become_few():
    text = "atoms({" + ", ".join(f"{k}: 1/50" for k in range(1, 51)) + "})"
    discrete = gauss_law(parse_law("squared_norm", text), 4)
    assert len(discrete.atoms.values) == 4
    assert abs(discrete.mean - Fraction(51, 2)) < Fraction(1, 10**12)


def test_the_next_moment_is_not_matched():
    law = parse_law("squared_norm", "uniform(1, 4)")
    assert abs(gauss_law(law, 3).moment(6) - law.moment(6)) > law.moment(6) / 10**4


@pytest.mark.parametrize("text", ["uniform(1, 1e100)", "uniform(1e-100, 1e-99)", "uniform(2, 2.0001)"])
def test_extreme_scales(text):
    law = parse_law("squared_norm", text)
    discrete = gauss_law(law, 4)
    assert len(discrete.atoms.values) == 4
    assert abs(discrete.moment(2) / law.moment(2) - 1) < 1e-12
