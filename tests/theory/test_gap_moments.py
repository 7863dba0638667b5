import pytest

from theory import gap, gap_moments
from theory.gap_moments import E_cube_ratio, E_square_ratio


def test_the_gap_in_moments():
    found = gap_moments.in_moments()
    assert found.derivation.holds
    assert found.gap == (E_cube_ratio * gap.E_ratio - E_square_ratio**2) / gap.E_slam


@pytest.mark.parametrize("factor", [2, -1])
def test_a_false_gap(factor):
    false = gap_moments.in_moments(factor * gap_moments.in_moments().gap).derivation
    assert false.holds is False
    assert false.failures[0].witness
