"""The equation of the critical points and the geometry of the flow, with false twins."""

from __future__ import annotations

import pytest
from sympy import Expr, Rational

from theory.stationarity import C, D, N, N_beta, a1, a2, d1, d2, flow_geometry, stationarity
from theory.symbols import beta, lam, s


def test_both_hold() -> None:
    assert stationarity().derivation.holds is True
    assert flow_geometry().holds is True


@pytest.mark.parametrize(
    "claimed", [2 * (a2 + a1) * d1 + (C - a1) * d2, (a2 - a1) * d1 + (C - a1) * d2], ids=str
)
def test_a_wrong_bracket(claimed: Expr) -> None:
    assert stationarity(claimed).derivation.holds is False


@pytest.mark.parametrize("claimed", [-N_beta / D, N_beta / D - N / D**2], ids=str)
def test_a_wrong_slope_of_the_ridge(claimed: Expr) -> None:
    assert flow_geometry(claimed).holds is False


def test_normal_forms() -> None:
    """a_1'' at T = 3, s = 1/2, beta = 2: 6 s lam z."""
    forms = stationarity()
    point = {s: Rational(1, 2), lam: Rational(3, 2), beta: 2}
    (term,) = forms.bends[0].bind(3, 2)
    q = 1 - term.slope * point[lam]
    value = term.coefficient * point[s] ** term.s_power * point[lam] ** -term.lam_power * q**term.exponent
    assert value == 6 * point[s] * point[lam] * (1 + 2 * point[lam])
