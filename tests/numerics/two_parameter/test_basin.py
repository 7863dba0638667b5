"""What is proved about starts of the flow, against known starts, made-up profiles and integration."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from flint import arb, fmpz_poly
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

from numerics.arithmetic.balls import ball
from numerics.arithmetic.polynomial_roots import sign_at
from numerics.laws import Law
from numerics.laws.syntax import parse_law
from numerics.two_parameter import basin as basin_module
from numerics.two_parameter.basin import Basin, crossing_point, neighbours
from numerics.two_parameter.profile import Profile
from tests.strategies import laws

varying = laws().filter(lambda law: not law.is_constant)
UNIFORM = parse_law("squared_norm", "uniform(1, 4)")


def basin_of(profile: Profile) -> Basin:
    return neighbours(profile, next(p for p in profile.critical_points if p.kind == "minimum"))


@cache
def uniform(T: int) -> Basin:
    return basin_of(Profile.of(UNIFORM, T))


def start(text: str) -> tuple[Fraction, Fraction]:
    alpha, beta = text.split(",")
    return Fraction(alpha), Fraction(beta)


@pytest.mark.parametrize(
    ("T", "text", "outcome"),
    [
        (2, "-0.05,-0.7", "escaped"),
        (4, "-0.01,-0.7", "escaped"),
        (3, "0.03,-0.95", "escaped"),
        (2, "0,-0.7", "escaped"),  # alpha = 0 beyond the zero of N
        (2, "0,0", "converged"),
        (3, "0,0", "converged"),
        (64, "0,0", "converged"),
        (2, "0,-0.5", "converged"),
        (4, "-0.1,-0.35", "converged"),  # crosses alpha = 0
        (3, "-0.1,0", "converged"),
        (2, "-2,0", None),
        (3, "0.01,-0.95", None),
        (4, "-0.5,0.5", None),
    ],
)
def test_known_starts(T: int, text: str, outcome: str | None) -> None:
    assert uniform(T).proved(*start(text)) == outcome


def test_even_depth_below_the_barrier() -> None:
    """Exactly 0 <= alpha <= 2 N/D, beta beyond the zero of N."""
    basin = uniform(4)
    beta = Fraction(-3, 10)
    ridge = basin.profile.ridge(beta)
    for share, inside in ((0, True), (1, True), (2, True), (Fraction(2001, 1000), False)):
        assert basin.contains(share * ridge, beta) is inside


def test_odd_depth_needs_the_loss_below_the_saddle() -> None:
    basin, beta = uniform(3), Fraction(-8, 10)
    assert basin.below is not None
    assert not basin.below.on_axis
    ridge = basin.profile.ridge(beta)
    assert basin.contains(ridge, beta)
    assert not basin.contains(ridge / 10, beta)


def made_up(coefficients: list[int]) -> Profile:
    """D = 1: f = C - N^2, critical where N N' = 0."""
    return Profile(2, fmpz_poly(coefficients), fmpz_poly([1]), 1, None)


def test_a_second_barrier_is_noticed() -> None:
    """N = beta^3 - 3 beta + 3: a minimum of f at -1, and a maximum at 1 that the flow could not cross."""
    profile = made_up([3, -3, 0, 1])
    assert [point.kind for point in profile.critical_points] == ["saddle", "minimum", "saddle"]
    basin = basin_of(profile)
    assert basin.above is not None
    assert basin.barrier == pytest.approx(1, abs=1e-8)
    assert basin.contains(Fraction(5), Fraction(-9, 10))
    assert not basin.contains(Fraction(5), Fraction(2))
    assert basin.ridge_from is None
    blind = replace(basin, above=None)
    assert blind.contains(Fraction(5), Fraction(2))


def test_a_falling_numerator_is_noticed() -> None:
    """Without N' > 0 beyond the minimum nothing is proved under the ridge."""
    basin = uniform(3)
    assert basin.ridge_from is not None
    # N' of the made-up numerator vanishes at beta = 1, beyond the minimum.
    falling = replace(basin.profile, N=basin.profile.N - 10**6 * fmpz_poly([0, 0, 0, 1]) ** 2)
    assert replace(basin, profile=falling).ridge_from is None
    assert not replace(basin, profile=falling).contains(Fraction(0), Fraction(-1, 100))


def test_a_critical_point_beyond_the_saddle_forbids_escape() -> None:
    basin = uniform(2)
    assert basin.escapes(*start("-0.05,-0.7"))
    assert not replace(basin, below=basin.minimum).escapes(*start("-0.05,-0.7"))
    assert not basin.escapes(*start("-0.05,-0.5"))


def test_a_degenerate_point_is_no_barrier_to_return() -> None:
    """Where f falls on both sides, f at the near end of its interval is more than f at the point."""
    basin = uniform(3)
    assert basin.below is not None
    assert basin.escapes(*start("0.03,-0.95"))
    first = replace(basin.below, kind="degenerate")
    profile = replace(basin.profile)
    profile.__dict__["critical_points"] = [first, *basin.profile.critical_points[1:]]
    assert replace(basin, profile=profile, below=first).escape_barrier is None


def field(profile: Profile, t: float, y: np.ndarray) -> list[float]:
    """The gradient flow from the polynomials, in floating point."""
    N, D = ([float(c) / profile.unit for c in p.coeffs()] for p in (profile.N, profile.D))
    polyval, polyder = np.polynomial.polynomial.polyval, np.polynomial.polynomial.polyder
    alpha, beta = y
    n, n1, d, d1 = polyval(beta, N), polyval(beta, polyder(N)), polyval(beta, D), polyval(beta, polyder(D))
    return [2 * (n - alpha * d), 2 * alpha * n1 - alpha**2 * d1]


@settings(max_examples=12, deadline=None)
@given(varying, st.integers(2, 6), st.fractions(0, 2), st.fractions(0, 1))
def test_certified_starts_converge(law: Law, T: int, share: Fraction, place: Fraction) -> None:
    """Integrated by SciPy from the polynomials: nothing but the start is shared."""
    basin = basin_of(Profile.of(law, T))
    assert basin.below is not None
    low, minimum = basin.below.beta.high, basin.minimum.beta.high
    beta = low * (1 - place) - minimum * place
    alpha = share * basin.profile.ridge(beta)
    if not basin.contains(alpha, beta):
        return
    goal = float(minimum)

    def near(t: float, y: np.ndarray) -> float:
        return float(abs(y[1] / goal - 1) - 0.1)

    near.terminal = True  # type: ignore[attr-defined]
    solution = solve_ivp(
        lambda t, y: field(basin.profile, t, y),
        (0, 1e12),
        [float(alpha), float(beta)],
        method="LSODA",
        rtol=1e-8,
        atol=1e-12,
        events=near,
    )
    assert solution.status == 1
    assert np.all(solution.y[1] > float(low) - 1e-9)


@pytest.mark.parametrize(("T", "text"), [(2, "-0.1,0"), (4, "-0.1,-0.35"), (8, "-0.01,0")])
def test_the_crossing_encloses_the_flow(T: int, text: str) -> None:
    profile, (alpha, beta) = uniform(T).profile, start(text)
    bounds = crossing_point(profile, alpha, beta)
    assert bounds is not None

    def crossing(t: float, y: np.ndarray) -> float:
        return float(y[0])

    crossing.terminal = True  # type: ignore[attr-defined]
    solution = solve_ivp(
        lambda t, y: field(profile, t, y),
        (0, 100),
        [float(alpha), float(beta)],
        method="LSODA",
        rtol=1e-11,
        atol=1e-14,
        events=crossing,
    )
    assert solution.status == 1
    assert float(bounds[0]) < solution.y[1, -1] < float(bounds[1])
    assert crossing_point(profile, alpha, beta, most_steps=3) is None


# --- each condition decides: just inside of it there is a proof, just outside there is none, and the flow
# --- goes where a criterion moved by 5% would say it cannot


def beside_saddle(basin: Basin, side: int, share: Fraction) -> tuple[Fraction, Fraction]:
    """A start next to the saddle's beta, at this multiple of N/D."""
    assert basin.below is not None
    beta = (basin.below.beta.high if side > 0 else basin.below.beta.low) * (1 - side * Fraction(1, 10**6))
    return share * basin.profile.ridge(beta), beta


def shared_gain(basin: Basin, alpha: Fraction, beta: Fraction) -> Fraction:
    """The gain of a start by that of the saddle, in exact arithmetic of its own."""
    assert basin.below is not None
    profile, saddle = basin.profile, basin.below.beta.low

    def polynomial(p: fmpz_poly, x: Fraction) -> Fraction:
        return sum((int(c) * x**i for i, c in enumerate(p.coeffs())), Fraction(0))

    N, D = (polynomial(p, beta) for p in (profile.N, profile.D))
    at_saddle = polynomial(profile.N, saddle) ** 2 / polynomial(profile.D, saddle)
    return (2 * alpha * N - alpha**2 * D) / at_saddle


def destination(basin: Basin, start: tuple[Fraction, Fraction]) -> int:
    """By SciPy: 1 to the minimum, -1 to four times the saddle's beta, 0 neither."""
    assert basin.below is not None
    minimum, saddle = float(basin.minimum.beta.high), float(basin.below.beta.low)

    def there(t: float, y: np.ndarray) -> float:
        return float(abs(y[1] / minimum - 1) - 0.1)

    def away(t: float, y: np.ndarray) -> float:
        return float(y[1] - 1.5 * saddle)

    there.terminal = away.terminal = True  # type: ignore[attr-defined]
    found = solve_ivp(
        lambda t, y: field(basin.profile, t, y),
        (0, 1e9),
        [float(x) for x in start],
        method="LSODA",
        rtol=1e-9,
        atol=1e-14,
        events=[there, away],
    )
    return len(found.t_events[0]) - len(found.t_events[1])


@pytest.mark.parametrize("T", [3, 5])
def test_the_barrier_decides(T: int) -> None:
    """Beside the saddle, below the ridge: with 2% too little gain the flow escapes, and nothing is proved."""
    basin = uniform(T)
    outside, inside = beside_saddle(basin, 1, Fraction(86, 100)), beside_saddle(basin, 1, Fraction(1))
    assert Fraction(97, 100) < shared_gain(basin, *outside) < 1 < shared_gain(basin, *inside)
    assert basin.proved(*outside) is None
    assert destination(basin, outside) == -1
    assert basin.below_barrier(*inside)
    assert destination(basin, inside) == 1


@pytest.mark.parametrize("T", [3, 5])
def test_the_escape_barrier_decides(T: int) -> None:
    """Beyond the saddle and above the ridge, with 2% too little gain, the flow comes back."""
    basin = uniform(T)
    outside, inside = beside_saddle(basin, -1, Fraction(114, 100)), beside_saddle(basin, -1, Fraction(1))
    assert Fraction(97, 100) < shared_gain(basin, *outside) < 1 < shared_gain(basin, *inside)
    assert basin.proved(*outside) is None
    assert destination(basin, outside) == 1
    assert basin.proved(*inside) == "escaped"
    assert destination(basin, inside) == -1


@pytest.mark.parametrize("T", [3, 5])
def test_the_ridge_begins_where_N_rises(T: int) -> None:
    """Between the saddle and the zero of N' a start under the ridge may escape."""
    basin = uniform(T)
    assert basin.below is not None
    assert basin.ridge_from is not None
    slope = basin.profile.N_beta
    assert sign_at(slope, basin.ridge_from) >= 0
    assert sign_at(slope, basin.ridge_from * (1 + Fraction(1, 10**8))) == -1
    low, beyond = beside_saddle(basin, 1, Fraction(1, 2)), basin.ridge_from * Fraction(99, 100)
    assert basin.proved(*low) is None
    assert destination(basin, low) == -1
    assert not basin.below_barrier(Fraction(0), beyond)
    assert basin.proved(Fraction(0), beyond) == "converged"
    assert destination(basin, (Fraction(0), beyond)) == 1


@pytest.mark.parametrize("share", ["-1/1000000", "0", "1", "1000001/1000000", "21/20"])
def test_under_the_ridge_is_from_zero_to_the_ridge(share: str) -> None:
    basin = replace(uniform(3))
    basin.__dict__["barrier"] = Fraction(10**9)  # No start is below it.
    beta = Fraction(-1, 10)
    alpha = Fraction(share) * basin.profile.ridge(beta)
    assert basin.contains(alpha, beta) is (0 <= Fraction(share) <= 1)


def test_the_barriers_are_the_gain_of_the_saddle() -> None:
    for T in (3, 5):
        basin = uniform(T)
        assert basin.below is not None
        saddle = basin.below.beta
        gains = [basin.profile.best_gain(end) for end in (saddle.low, saddle.high)]
        assert basin.barrier == gains[1]
        assert basin.escape_barrier == gains[0]
        assert float(gains[0]) == pytest.approx(float(gains[1]), rel=1e-12)
    assert uniform(4).barrier == uniform(4).escape_barrier == 0


def cubic(weight: arb, y: arb) -> arb:
    """y' = y^3: y = (1 - 2 t)^(-1/2) from 1."""
    return y**3


@pytest.mark.parametrize("step", ["1/1000", "1/100", "1/20", "1/10", "1/5", "2/5", "49/100"])
def test_a_step_encloses_or_is_refused(step: str) -> None:
    """Without the a-priori bound on the box the last of them would miss the solution."""
    t = Fraction(step)
    found = basin_module._step(cubic, arb(0), arb(1), ball(t))
    exact = (1 - 2 * ball(t)) ** arb(-0.5)
    assert found is None or found.contains(exact)
    assert (found is None) == (t > Fraction(1, 10))


def test_a_crossing_outside_the_basin_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    basin, begin = uniform(4), start("-0.1,-0.35")
    assert basin.below is not None
    good, bad = Fraction(-1, 10), basin.below.beta.low * 2
    for ends, proved in (((good, good), True), ((bad, good), False), ((good, bad), False), (None, False)):
        monkeypatch.setattr(basin_module, "crossing_point", lambda *_, found=ends: found)
        assert basin.crosses(*begin) is proved


def test_a_second_saddle_in_between_forbids_escape() -> None:
    """N' = 15 (beta^2 - 1)(beta^2 - 4): beyond the saddle at -1 there is a minimum at -2."""
    profile = made_up([150, 60, 0, -25, 0, 3])
    kinds = [(round(float(p.beta.low)), p.kind) for p in profile.critical_points]
    assert kinds[1:] == [(-2, "minimum"), (-1, "saddle"), (1, "minimum"), (2, "saddle")]
    first, second = (neighbours(profile, profile.critical_points[i]) for i in (1, 3))
    assert first.escape_barrier is not None
    assert second.escape_barrier is None


def test_without_a_saddle_the_barrier_is_the_limit() -> None:
    """N^2/D falls from 1 at 0 to 3/4 on both sides, and a start has to gain more than that."""
    profile = Profile(3, fmpz_poly([1, 0, 3]), fmpz_poly([1, 0, 7, 0, 12]), 1, None)
    (point,) = profile.critical_points
    basin = neighbours(profile, point)
    assert (basin.below, basin.above, basin.barrier) == (None, None, Fraction(3, 4))
    for alpha, inside in ((Fraction(3, 5), True), (Fraction(1, 2), False), (Fraction(2, 5), False)):
        assert basin.below_barrier(alpha, Fraction(0)) is inside


def test_nothing_is_proved_under_the_ridge_before_another_critical_point() -> None:
    basin = uniform(3)
    assert replace(basin, above=basin.below).ridge_from is None
    assert replace(basin, below=None).ridge_from is None


def test_a_falling_alpha_does_not_cross() -> None:
    """N < alpha D: alpha falls, and the orbit that leads to alpha = 0 is the one it came from."""
    profile, (alpha, beta) = uniform(2).profile, start("-0.001,-0.6")
    assert profile.ridge(beta) < alpha
    assert crossing_point(profile, alpha, beta) is None
