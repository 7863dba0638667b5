"""Speed of the two-parameter theorem, as ratios measured in one run.

Run with ``pytest tests/benchmarks/bench_two_parameter.py``.
"""

from __future__ import annotations

import subprocess
import sys
import time

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture
from scipy.integrate import solve_ivp

from numerics.laws.syntax import parse_law
from numerics.two_parameter.basin import Basin, neighbours
from numerics.two_parameter.flow import FloatProfile, integrate
from numerics.two_parameter.profile import Profile
from numerics.two_parameter.starts import follow, goal, grid

pytestmark = pytest.mark.usefixtures("quiet_machine")

UNIFORM = parse_law("squared_norm", "uniform(1, 4)")
DEPTH = 8
SAMPLE = 40


@pytest.fixture(scope="module")
def basin() -> Basin:
    profile = Profile.of(UNIFORM, DEPTH)
    return neighbours(profile, next(p for p in profile.critical_points if p.kind == "minimum"))


def command_seconds(theorem: str) -> float:
    """The quickest of five default runs."""
    times = []
    for _ in range(5):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-m", "proofs_check", theorem], capture_output=True, check=True)
        times.append(time.perf_counter() - start)
    return min(times)


def test_default_run_against_theorem_6_2() -> None:
    ratio = command_seconds("theorem_6_3") / command_seconds("theorem_6_2")
    assert ratio <= 4


def scipy_seconds(basin: Basin, starts: np.ndarray) -> float:
    """One solve_ivp call a start, with the Jacobian, to the same certified regions."""
    profile, target = FloatProfile(UNIFORM, DEPTH), goal(basin, float(basin.minimum.beta.low), None)

    def field(t: float, y: np.ndarray) -> list[float]:
        at = profile.at(y[1:])
        slope = at.h1 * at.D + at.h * at.D1
        return [(2 * (at.N - y[0] * at.D)).item(), (2 * y[0] * slope - y[0] ** 2 * at.D1).item()]

    def arrived(t: float, y: np.ndarray) -> float:
        at = profile.at(y[1:])
        return 0.5 - abs(int(target.reached(y[1:], y[:1] - at.h, at)[0]))

    arrived.terminal = True  # type: ignore[attr-defined]
    begun = time.perf_counter()
    for start in starts:
        if arrived(0.0, start) > 0:
            solve_ivp(field, (0, 1e6), start, method="LSODA", rtol=1e-3, atol=1e-6, events=arrived)
    return time.perf_counter() - begun


def test_batch_against_one_call_a_start(basin: Basin, benchmark: BenchmarkFixture) -> None:
    """A 40 x 40 basin at depth 8; SciPy's time by 40 of its starts."""
    starts = grid(0.281, (40, 40))
    weights = np.array(starts, dtype=float)
    profile, target = FloatProfile(UNIFORM, DEPTH), goal(basin, float(basin.minimum.beta.low), None)
    flows = benchmark(lambda: integrate(profile, weights[:, 0], weights[:, 1], target))
    assert np.count_nonzero(flows.outcome) == 1600
    chosen = np.random.default_rng(0).permutation(1600)[:SAMPLE]
    single = scipy_seconds(basin, weights[chosen]) * 1600 / SAMPLE
    assert benchmark.stats is not None
    assert single / benchmark.stats.stats.median >= 20


def test_destinations_are_confirmed(basin: Basin, benchmark: BenchmarkFixture) -> None:
    """The whole map, each destination checked exactly."""
    starts = grid(0.281, (40, 40))
    mapped = benchmark(
        lambda: follow(UNIFORM, basin, float(basin.minimum.beta.low), starts, None, crossing=False)
    )
    assert mapped.consistent
    assert None not in mapped.integrated
