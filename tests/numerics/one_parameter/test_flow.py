"""Flow times against closed forms, by two routes."""

from __future__ import annotations

from fractions import Fraction
from math import exp, inf, log

import pytest

from numerics.errors import NoConvergence
from numerics.expectation.over_law import Expectation
from numerics.laws.syntax import parse_law
from numerics.one_parameter.flow import FlowRun, flow
from numerics.one_parameter.minimiser import minimiser
from theory.losses import one_parameter

LOSS = one_parameter()


def power(n: int, root: float = 0.25, scale: float = 0.0):
    """L' = e^scale (alpha - root)^n with n odd, and L''."""

    def gradient(alpha: float) -> tuple[int, float]:
        x = alpha - root
        return (0, -inf) if x == 0 else ((1 if x > 0 else -1), scale + n * log(abs(x)))

    def curvature(alpha: float) -> tuple[int, float]:
        x = abs(alpha - root)
        if n == 1:
            return 1, scale
        return (0, -inf) if x == 0 else (1, scale + log(n) + (n - 1) * log(x))

    return gradient, curvature


def exact_log_time(n: int, start: float, end: float, root: float = 0.25, scale: float = 0.0) -> float:
    """t = int dx / x^n."""
    far, near = abs(start - root), abs(end - root)
    if n == 1:
        return log(log(far / near)) - scale
    return log((near ** (1 - n) - far ** (1 - n)) / (n - 1)) - scale


@pytest.mark.parametrize("n", [1, 3, 5, 31])
@pytest.mark.parametrize("start", [0.0, 10.0])
@pytest.mark.parametrize("scale", [0.0, 500.0, -2000.0])
def test_powers_have_a_closed_form(n, start, scale):
    found = flow(*power(n, scale=scale), start, 0.25, 1e-6)
    exact = exact_log_time(n, start, found.end, scale=scale)
    assert abs(found.log_time - exact) <= found.tolerance
    assert abs(found.log_closed - exact) <= found.tolerance
    assert found.agrees
    assert found.tolerance < 1e-5 * n


@pytest.mark.parametrize("start", [0.0, 10.0])
def test_the_orbit_is_monotone_and_ends_where_it_says(start):
    found = flow(*power(3), start, 0.25, 1e-6)
    alphas = [alpha for _, alpha in found.orbit]
    assert alphas == sorted(alphas, reverse=start > 0.25)
    times = [time for time, _ in found.orbit]
    assert times == sorted(times)
    assert alphas[-1] == pytest.approx(found.end, abs=1e-9)
    assert found.end == 0.25 + (1e-6 if start > 0.25 else -1e-6)


LAWS = [
    "uniform(1, 4)",
    "atoms({1: 1/3, 4: 2/3})",
    "beta(5, 2, low=0, high=10)",
    "beta(1/2, 1/3, low=1, high=4)",
    "uniform(2, 2.0001)",
    "uniform(0, 1000000)",
    "point(2)",
    "chi2(5)",
]


@pytest.mark.parametrize("text", LAWS)
@pytest.mark.parametrize("T", [1, 3, 128])
def test_flows_of_the_loss_agree_with_the_quadrature(text, T):
    expectation = Expectation(parse_law("squared_norm", text))
    root = float(minimiser(expectation, LOSS, T, 30, 65536).middle)
    for start in (0.0, 10.0):
        found = flow(
            lambda a: expectation.float64(LOSS.gradient[0].bind(T, a)),
            lambda a: expectation.float64(LOSS.curvature.bind(T, a)),
            start,
            root,
            1e-6 * root,
        )
        assert found.agrees
        assert found.tolerance < 1e-6 * (2 * T if text.startswith(("point", "uniform(2")) else 1)


def test_depth_1_in_closed_form():
    """L' = -2 E s + 2 alpha E s lam: t = log(distance / start) / (2 E s lam)."""
    law = parse_law("squared_norm", "uniform(1, 4)")
    expectation = Expectation(law)
    bend = float(2 * (law.mean + law.moment(2)))
    root = float(law.mean / (law.mean + law.moment(2)))
    found = flow(
        lambda a: expectation.float64(LOSS.gradient[0].bind(1, a)),
        lambda a: expectation.float64(LOSS.curvature.bind(1, a)),
        10.0,
        root,
        1e-6 * root,
    )
    assert exp(found.log_time) == pytest.approx(log((10 - root) / (1e-6 * root)) / bend, rel=found.tolerance)


def test_two_times_that_differ_by_more_than_their_errors_do_not_agree():
    run = FlowRun(0.0, 1.0, 2.0, 2.0 + 3e-7, 2e-7, 9, ())
    assert not run.agrees
    assert FlowRun(0.0, 1.0, 2.0, 2.0 + 1e-7, 2e-7, 9, ()).agrees


def test_no_step_is_no_agreement():
    assert not FlowRun(0.0, 1.0, 2.0, 2.0, 2e-7, 0, ()).agrees
    with pytest.raises(ValueError, match="before its first step"):
        flow(*power(3), 0.25, 0.25 + 1e-7, 1e-6)


def test_the_flow_time_does_not_depend_on_the_speed():
    """L'' only sets the speed of the integration."""
    gradient, curvature = power(3)
    found = flow(gradient, curvature, 10.0, 0.25, 1e-6)
    other = flow(gradient, lambda a: (1, curvature(a)[1] + 0.1 * a), 10.0, 0.25, 1e-6)
    assert found.log_time != other.log_time
    assert abs(found.log_time - other.log_time) <= found.tolerance + other.tolerance


def test_a_wrong_root_is_not_reached():
    with pytest.raises(NoConvergence):
        flow(*power(1), 10.0, 0.2, 1e-6)


def test_a_flow_that_moves_away_is_an_error():
    gradient, curvature = power(1)
    with pytest.raises(NoConvergence):
        flow(lambda a: (-gradient(a)[0], gradient(a)[1]), curvature, 10.0, 0.25, 1e-6)


def test_a_rule_too_coarse_for_the_depth_is_an_error_and_not_a_hang():
    expectation = Expectation(parse_law("squared_norm", "chi2(5)"))
    root = float(minimiser(expectation, LOSS, 513, 30, 65536).middle)
    with pytest.raises(NoConvergence):
        flow(
            lambda a: expectation.float64(LOSS.gradient[0].bind(513, a)),
            lambda a: expectation.float64(LOSS.curvature.bind(513, a)),
            0.0,
            root,
            1e-6 * root,
        )


def test_the_start_is_kept_exactly():
    found = flow(*power(1), float(Fraction(10)), 0.25, 1e-6)
    assert found.start == 10.0
