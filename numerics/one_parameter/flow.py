"""Gradient flow of a convex one-dimensional loss whose derivative spans hundreds of decades.

d alpha/dt = -L'(alpha) is integrated in a time tau with d alpha/d tau = -L'/L'': the same
orbit, at a speed without decades.  t itself is carried along, dt = d tau / L''.
The flow time is also the closed quadrature t = int d alpha / -L'(alpha).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from math import exp, log, ulp

from numerics.errors import NoConvergence

RTOL = 1e-8
MAX_EVALUATIONS = 20_000

LogValue = Callable[[float], tuple[int, float]]
"""alpha -> sign and log-modulus of a number."""


@dataclass(frozen=True)
class FlowRun:
    """A flow from `start` to `end`.

    log_time:    natural logarithm of the flow time t, integrated along the orbit.
    log_closed:  the same by quadrature.
    tolerance:   what the two may differ by, from the two methods' own error estimates.
    steps:       how many the integrator took.
    orbit:       some points (log t, alpha) on the way.
    """

    start: float
    end: float
    log_time: float
    log_closed: float
    tolerance: float
    steps: int
    orbit: tuple[tuple[float, float], ...]

    @property
    def agrees(self) -> bool:
        """Whether the two flow times agree within their error estimates, which are no bounds."""
        return self.steps > 0 and abs(self.log_time - self.log_closed) <= self.tolerance


def flow(gradient: LogValue, curvature: LogValue, start: float, root: float, distance: float) -> FlowRun:
    """Follow the flow from `start` until it is within `distance` of `root`.

    gradient, curvature: L' and L''.
    Raises NoConvergence if the integrator gives up or the flow moves away, ValueError if the start
    is that near already.
    """
    if abs(start - root) <= distance:
        raise ValueError(f"the flow from {start:g} is within {distance:g} of {root:g} before its first step")
    end = root + distance if start > root else root - distance
    integrated, steps, points = _integrate(gradient, curvature, start, root, end)
    closed, error = _closed(gradient, start, root, end)
    # Every step may be off by RTOL of the distance, and alpha by a rounding error; the flow
    # time feels both times the elasticity of L', the distance times L''/L'.
    elasticity = max(1.0, distance * exp(curvature(end)[1] - gradient(end)[1]))
    tolerance = elasticity * ((steps + 1) * RTOL + ulp(root) / distance) + error
    return FlowRun(start, end, integrated, closed, tolerance, steps, points)


def _integrate(
    gradient: LogValue, curvature: LogValue, start: float, root: float, end: float
) -> tuple[float, int, tuple[tuple[float, float], ...]]:
    """log t at the end, the steps that it took, and the orbit."""
    from scipy.integrate import solve_ivp

    # In units of distance / |L'(end)| the whole time is of the order of 1.
    offset = log(abs(end - root)) - gradient(end)[1]

    evaluations = count(1)

    # The state is the distance from the root, so that the tolerance is relative to it.
    def field(_: float, state: list[float]) -> list[float]:
        if next(evaluations) > MAX_EVALUATIONS:
            raise NoConvergence(f"the gradient flow from {start:g} stays away from {end:g}")
        alpha = root + state[0]
        (sign, size), (_, bend) = gradient(alpha), curvature(alpha)
        return [-sign * exp(min(size - bend, 600.0)), exp(min(-bend - offset, 600.0))]

    def arrived(_: float, state: list[float]) -> float:
        return log(abs(state[0] / (end - root))) if state[0] else -1.0

    arrived.terminal = True  # type: ignore[attr-defined]
    solution = solve_ivp(
        field,
        (0.0, 1e9),
        [start - root, 0.0],
        method="DOP853",
        rtol=RTOL,
        atol=[RTOL * abs(end - root), RTOL],
        events=arrived,
    )
    if solution.status != 1:
        raise NoConvergence(f"the gradient flow from {start:g} did not come near {end:g}")
    times = solution.y[1]
    points = tuple((log(t) + offset, root + x) for x, t in zip(*solution.y.tolist(), strict=True) if t > 0)
    return log(times[-1]) + offset, len(times) - 1, points


def _closed(gradient: LogValue, start: float, root: float, end: float) -> tuple[float, float]:
    """log of int d alpha / |L'| from start to end, and its relative error, in y = log |alpha - root|."""
    from scipy.integrate import quad

    side = 1.0 if start > root else -1.0
    last = log(abs(end - root))
    scale = last - gradient(end)[1]

    def speed(y: float) -> float:
        return exp(min(y - gradient(root + side * exp(y))[1] - scale, 600.0))

    # With full_output it says in `error` what it would otherwise warn of.
    value, error, *_ = quad(
        speed, last, log(abs(start - root)), epsrel=1e-10, epsabs=0, limit=400, full_output=True
    )
    return log(value) + scale, error / value
