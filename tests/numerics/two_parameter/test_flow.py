"""The vectorised flow: its profile against exact values, its orbits against SciPy's Radau and the proof."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import inf, log10

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

from numerics.arithmetic.polynomial_roots import value_at
from numerics.errors import DepthLimit
from numerics.expectation import quadrature
from numerics.laws import Law
from numerics.laws.syntax import parse_law
from numerics.two_parameter.basin import Basin, neighbours
from numerics.two_parameter.flow import FloatProfile, Goal, integrate
from numerics.two_parameter.profile import Profile
from numerics.two_parameter.starts import follow, grid, loss_plane, stated_starts
from tests.strategies import laws

varying = laws().filter(lambda law: not law.is_constant)
UNIFORM = parse_law("squared_norm", "uniform(1, 4)")


@cache
def uniform(T: int) -> Basin:
    return basin_of(UNIFORM, T)


def basin_of(law: Law, T: int) -> Basin:
    profile = Profile.of(law, T)
    return neighbours(profile, next(p for p in profile.critical_points if p.kind == "minimum"))


def minimum(basin: Basin) -> float:
    return float(basin.minimum.beta.narrowed(60).low)


@settings(max_examples=25, deadline=None)
@given(varying, st.integers(2, 12), st.fractions(-1, 1, max_denominator=40))
def test_the_profile_against_exact_values(law: Law, T: int, beta: Fraction) -> None:
    profile, local = Profile.of(law, T), FloatProfile(law, T).at(np.array([float(beta)]))
    polynomials = (profile.N, profile.D, profile.R)
    N, D, R = (value_at(p, beta) for p in polynomials)
    N1, D1, R1 = (value_at(p.derivative(), beta) for p in polynomials)
    slope = Fraction(-N * R, profile.unit * D**2)
    bend = Fraction(-(N1 * R + N * R1) * D + 2 * N * R * D1, profile.unit * D**3)
    size = float(abs(N1 / N)) + (float(abs(R1 / R)) if R else 0.0) + float(abs(D1 / D)) if N else inf
    for value, exact in ((local.N, N / Fraction(profile.unit)), (local.D, D / Fraction(profile.unit))):
        assert value[0] == pytest.approx(float(exact), rel=1e-9, abs=1e-9)
    if size < 1e4:
        assert local.h[0] == pytest.approx(float(N / D), rel=1e-8)
        assert local.f1[0] == pytest.approx(float(slope), rel=1e-6, abs=1e-9)
        assert local.f2[0] == pytest.approx(float(bend), rel=1e-5, abs=1e-7)


def test_the_slope_keeps_its_digits_near_the_minimum() -> None:
    """2 N' D - N D' loses all of them at T = 64."""
    profile, beta = uniform(64).profile, Fraction(-2, 7)
    local = FloatProfile(UNIFORM, 64).at(np.array([float(beta)]))
    N, D, R = (value_at(p, beta) for p in (profile.N, profile.D, profile.R))
    exact = float(Fraction(-N * R, profile.unit * D**2))
    assert abs(exact) < 1e-45
    assert local.f1[0] == pytest.approx(exact, rel=1e-9)


def plane_field(profile: FloatProfile, y: np.ndarray) -> list[float]:
    local = profile.at(np.array([y[1]]))
    N, D, D1 = local.N[0], local.D[0], local.D1[0]
    N1 = (local.h1 * local.D + local.h * local.D1)[0]
    return [2 * (N - y[0] * D), 2 * y[0] * N1 - y[0] ** 2 * D1]


def distance_to(path: np.ndarray, point: np.ndarray) -> float:
    """Of a point from a polyline, both in the plane."""
    first, step = path[:-1], np.diff(path, axis=0)
    along = ((point - first) * step).sum(axis=1) / np.maximum((step**2).sum(axis=1), 1e-300)
    nearest = first + np.clip(along, 0, 1)[:, None] * step
    return float(np.sqrt(((nearest - point) ** 2).sum(axis=1)).min())


@pytest.mark.parametrize("T", [2, 3, 8])
def test_orbits_agree_with_scipy(T: int) -> None:
    """SciPy in (alpha, beta) at 1e-9; a step here may err by 1e-3 of the distance still to go."""
    basin, profile = uniform(T), FloatProfile(UNIFORM, T)
    starts = [
        (Fraction(0), Fraction(0)),
        (Fraction(1, 4), Fraction(1, 10)),
        (Fraction(-1, 100), Fraction(1, 5)),
    ]
    mapped = follow(UNIFORM, basin, minimum(basin), starts, 1e-2)
    assert set(mapped.integrated) == {"converged"}
    for index, start in enumerate(starts):
        solution = solve_ivp(
            lambda t, y: plane_field(profile, y),
            (0, 10.0 ** mapped.flows.log10_time[index]),
            [float(weight) for weight in start],
            method="LSODA",
            rtol=1e-9,
            atol=1e-12,
        )
        path = solution.y.T
        for _, alpha, beta in (point for point in mapped.flows.trail if point[0] == index):
            assert distance_to(path, np.array([alpha, beta])) < 2e-3 * abs(minimum(basin))
        # Errors shrink with the distance, which has come down to 1e-2.
        assert path[-1] == pytest.approx([mapped.flows.alpha[index], mapped.flows.beta[index]], rel=1e-3)


def test_the_loss_falls_along_every_orbit() -> None:
    for T in (2, 3, 8, 64):
        basin, profile = uniform(T), FloatProfile(UNIFORM, T, more=40)
        mapped = follow(UNIFORM, basin, minimum(basin), stated_starts(basin, Fraction(28, 100)), 1e-6)
        assert set(mapped.integrated) == {"converged"}
        for index in range(len(mapped.starts)):
            alpha, beta = (np.array([p[i] for p in mapped.flows.trail if p[0] == index]) for i in (1, 2))
            local = profile.at(beta)
            # alpha keeps u = alpha - h to 1e-16 only.
            loss = local.f + local.D * (alpha - local.h) ** 2
            visible = loss > 1e-25
            assert np.all(np.diff(loss[visible]) <= 1e-9 * loss[visible][:-1])


def test_deep_orbits_arrive() -> None:
    """Flow times of 1e45 and 1e92."""
    for T, decades in ((64, 45), (128, 92)):
        basin = uniform(T)
        mapped = follow(UNIFORM, basin, minimum(basin), [(Fraction(0), Fraction(0))], 1e-6)
        assert mapped.integrated == ["converged"]
        assert abs(mapped.flows.beta[0] / minimum(basin) - 1) <= 1e-6
        assert mapped.flows.log10_time[0] == pytest.approx(decades, abs=1)


@pytest.mark.parametrize(
    ("T", "start", "outcome"),
    [
        (2, (-2, 0), "escaped"),
        (4, (-2, 0), "escaped"),
        (3, ("1/100", "-95/100"), "escaped"),
        (4, ("-1/10", "-35/100"), "converged"),
        (4, ("-1/2", "1/2"), "converged"),
        (2, (10, 10), "converged"),
    ],
)
def test_known_destinations(T: int, start: tuple[str | int, str | int], outcome: str) -> None:
    point = (Fraction(start[0]), Fraction(start[1]))
    mapped = follow(UNIFORM, uniform(T), minimum(uniform(T)), [point], None)
    assert mapped.integrated == [outcome]
    assert mapped.consistent


@settings(max_examples=8, deadline=None)
@given(varying, st.integers(2, 9))
def test_integration_agrees_with_proof(law: Law, T: int) -> None:
    basin = basin_of(law, T)
    width = abs(minimum(basin))
    mapped = follow(law, basin, minimum(basin), grid(width, (7, 7)), None, crossing=False)
    assert mapped.consistent
    assert {"converged"} <= set(mapped.proved)


def test_disagreement_is_noticed() -> None:
    """A start that escapes, said to converge."""
    basin = uniform(2)
    mapped = follow(UNIFORM, basin, minimum(basin), [(Fraction(-1, 20), Fraction(-7, 10))], None)
    wrong = type(mapped)(mapped.starts, ["converged"], mapped.integrated, mapped.flows)
    assert mapped.consistent is True
    assert wrong.consistent is False
    silent = type(mapped)(mapped.starts, ["converged"], [None], mapped.flows)
    assert silent.consistent is None


def test_a_start_beyond_float64_is_not_known() -> None:
    never = Goal(-0.275, (-inf, inf), 0.0)
    flows = integrate(FloatProfile(UNIFORM, 64), np.array([1e200]), np.array([1e200]), never)
    assert flows.outcome.tolist() == [0]


def test_a_flow_moves_before_it_has_arrived() -> None:
    """At a start within the goal too; one whose first step fails has arrived nowhere."""
    everywhere = Goal(-0.275, (-inf, inf), -inf)
    flows = integrate(FloatProfile(UNIFORM, 2), np.array([0.1]), np.array([-0.2]), everywhere)
    assert flows.outcome.tolist() == [1]
    assert flows.steps.tolist() == [1]
    stuck = integrate(FloatProfile(UNIFORM, 64), np.array([1e200]), np.array([1e200]), everywhere)
    assert stuck.outcome.tolist() == [0]
    assert stuck.steps.tolist() == [0]


def test_the_loss_plane() -> None:
    rows = loss_plane(UNIFORM, 3, 0.25)
    assert len(rows) == 41 * 41
    numbers = [(a, b, h) for a, b, h in rows if a is not None and b is not None and h is not None]
    alpha, beta, height = min(numbers, key=lambda row: row[2])
    assert height == pytest.approx(log10(4.9e-4), abs=0.6)
    assert abs(alpha - 0.273) < 0.05
    assert abs(beta + 0.272) < 0.05
    on_axis = [row[2] for row in rows if row[0] == 0]
    constant = 1 - (np.log(5) - np.log(2)) / 3
    assert on_axis == pytest.approx([log10(constant)] * 41, abs=1e-4)


def test_the_grid_spans_the_plane() -> None:
    points = grid(0.25, (3, 4))
    assert len(points) == 12
    assert points[0] == (Fraction(-1, 4), Fraction(-1))
    assert points[-1] == (Fraction(3, 4), Fraction(1, 2))
    assert grid(0.25, (1, 1)) == [(Fraction(1, 4), Fraction(-1, 4))]


def test_a_depth_that_float64_does_not_resolve_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """With 8 nodes in place of 150 for an unbounded density."""
    law = parse_law("squared_norm", "chi2(5)")
    basin = basin_of(law, 20)
    start = [(Fraction(0), Fraction(0))]
    assert follow(law, basin, float(basin.minimum.beta.low), start, None).integrated == ["converged"]
    monkeypatch.setattr(quadrature, "MAX_LAGUERRE_NODES", 8)
    with pytest.raises(DepthLimit):
        follow(law, basin, float(basin.minimum.beta.low), start, None)
