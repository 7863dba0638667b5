"""Gradient flow of the two-parameter loss, many starts at once, in float64.

The loss is f(beta) + D u^2 with u = alpha - N/D, f the profile.  In the coordinates (beta, u)
the valley u = 0 keeps its relative accuracy, though the Hessian's eigenvalues differ by
kappa^(-2T):

    d beta/dt = -(f' + D' u^2 - 2 D h' u),   d u/dt = -2 D u - h' d beta/dt,   h = N/D.

Flow times span dozens of decades, so every start has a step of its own, free to grow at each.
A linearly implicit method (Shampine and Reichelt's ode23s, L-stable, with its error estimate)
needs no iteration and is the same array code for one start and for thousands.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from numerics.expectation.quadrature import FloatRule

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from numerics.laws import Law

    Array = NDArray[np.float64]
    Flags = NDArray[np.bool_]

TOLERANCE = 1e-3
FIRST_STEP = 1e-3
GROWTH = 8.0
SHRINKAGE = 0.05
MOST_STEPS = 6000
STEPS = (1e-60, 1e250)
"""A start whose step leaves this range is given up, or held there."""
MARGIN = 1e-9
NEAREST = 1e-8
SMALLEST_ERROR = 1e-12
FAILED = 1e9
#: An excess that float64 is about to lose.
FLOOR = 1e-200
CHUNK = 1 << 20
#: ode23s
_D = 1 / (2 + 2**0.5)
_E32 = 6 + 2**0.5


@dataclass(frozen=True)
class Local:
    """The profile and what the flow needs of it, at an array of beta."""

    f: Array
    N: Array
    D: Array
    D1: Array
    D2: Array
    f1: Array
    f2: Array
    h: Array
    h1: Array
    h2: Array


class FloatProfile:
    """The profile by a Gauss rule of T + `more` nodes: N, D, f' and their derivatives are polynomials
    for which it is exact; f has the weight 1/lam.  T >= 2.
    """

    def __init__(self, law: Law, T: int, more: int = 2) -> None:
        rule = FloatRule(law, T + more)
        self.T, self.lam = T, rule.lam
        self.weight = np.exp(rule.log_weight) * rule.s
        self.C = float((self.weight / self.lam).sum())
        self.widest = float(self.lam.max())

    def at(self, beta: Array) -> Local:
        """At beta, of shape (n,); in chunks, so that memory stays bounded."""
        size = max(1, CHUNK // len(self.lam))
        if len(beta) <= size:
            return self._at(beta)
        parts = [self._at(beta[i : i + size]) for i in range(0, len(beta), size)]
        return Local(
            *(np.concatenate(columns) for columns in zip(*(vars(p).values() for p in parts), strict=True))
        )

    @np.errstate(all="ignore")
    def _at(self, beta: Array) -> Local:
        lam, weight = self.lam, self.weight
        z = 1 + np.multiply.outer(beta, lam)
        S, S1, S2 = _geometric(z, lam, self.T)
        N, N1, N2 = S @ weight, S1 @ weight, S2 @ weight
        by_lam = weight * lam
        D, D1 = (S * S) @ by_lam, 2 * ((S * S1) @ by_lam)
        D2 = 2 * ((S1 * S1 + S * S2) @ by_lam)
        f = self._excess(beta, z, N, D)
        R, R1 = self._stationarity(beta, z, S, (N, N1, N2), (D, D1, D2))
        # Quotients by D first: N R and D^2 leave the range of float64 where these do not.
        h, r, r1, d1 = N / D, R / D, R1 / D, D1 / D
        f1 = -h * r
        f2 = -(N1 / D * r + h * r1) + 2 * h * r * d1
        h1 = (r - N1) / D
        h2 = (r1 - N2 - N1 * d1) / D - 2 * h1 * d1
        return Local(f, N, D, D1, D2, f1, f2, h, h1, h2)

    def _excess(self, beta: Array, z: Array, N: Array, D: Array) -> Array:
        """f = C Var(z^T)/E[(1 - z^T)^2] under nu; near beta = 0, where this is 0/0, C - N^2/D."""
        share = self.weight / (self.C * self.lam)
        Z = _power(z, self.T)
        spread = ((Z - (Z @ share)[:, None]) ** 2) @ share
        return np.where(self._near_zero(beta), self.C - N * (N / D), self.C**2 * spread / (beta**2 * D))

    def _near_zero(self, beta: Array) -> Flags:
        """Where (z^T - 1)/beta would lose digits."""
        flags: Flags = np.abs(beta) * self.T * self.widest < 0.5
        return flags

    def _stationarity(
        self, beta: Array, z: Array, S: Array, N: tuple[Array, ...], D: tuple[Array, ...]
    ) -> tuple[Array, Array]:
        """R and R'; away from beta = 0 in the form without cancellation (`theory.stationarity`)."""
        T, weight = self.T, self.weight
        direct = 2 * N[1] * D[0] - N[0] * D[1]
        direct_1 = 2 * N[2] * D[0] + N[1] * D[1] - N[0] * D[2]
        z_T2 = _power(z, T - 2)
        z_T1 = z_T2 * z
        z_T = z_T1 * z
        # a_2 - a_1 = beta E[s S z^T], C - a_1 = -beta N
        rise, P, Q = (S * z_T) @ weight, z_T1 @ weight, (z_T1 * z_T) @ weight
        by_lam = weight * self.lam
        P1, Q1 = (T - 1) * (z_T2 @ by_lam), (2 * T - 1) * ((z_T1 * z_T1) @ by_lam)
        bracket = 2 * T * beta * (rise * P - N[0] * Q)
        bend = 2 * T * (T * P * (Q - P) + beta * (rise * P1 - N[0] * Q1))
        R = bracket / beta**3
        R1 = bend / beta**3 - 3 * R / beta
        near = self._near_zero(beta)
        return np.where(near, direct, R), np.where(near, direct_1, R1)


def _geometric(z: Array, lam: Array, T: int) -> tuple[Array, Array, Array]:
    """S = sum over k < T of z^k and its derivatives in beta, by Horner's scheme."""
    P, P1, P2 = np.ones_like(z), np.zeros_like(z), np.zeros_like(z)
    for _ in range(T - 1):
        P2 = P2 * z + 2 * P1
        P1 = P1 * z + P
        P = P * z + 1
    return P, P1 * lam, P2 * lam**2


def _power(z: Array, n: int) -> Array:
    """z^n by repeated squaring, n >= 0."""
    result = np.ones_like(z)
    while n:
        if n & 1:
            result = result * z
        z = z * z
        n >>= 1
    return result


@dataclass(frozen=True)
class Goal:
    """Where a flow may stop: the regions of `numerics.two_parameter.basin` in float64, with a margin.

    minimum:  beta_T.
    between:  the neighbouring critical values of beta, perhaps infinite; `gain` what a start there has
              to gain to be caught.
    distance: stop at the minimum only this near to it, relative to beta_T, or where the excess is
              below FLOOR; None: as soon as caught.
    escape:   beta and gain beyond which the flow does not return; None if that is not known.
    """

    minimum: float
    between: tuple[float, float]
    gain: float
    distance: float | None = None
    escape: tuple[float, float] | None = None

    def reached(self, beta: Array, u: Array, local: Local) -> NDArray[np.int8]:
        """1 at the minimum, -1 escaped, 0 neither."""
        most = local.N * local.h
        gain = most - local.D * u**2
        low, high = self.between
        there = (beta > low) & (beta < high) & (gain > self.gain + MARGIN * most)
        if self.distance is not None:
            near = np.abs(beta - self.minimum) <= self.distance * abs(self.minimum)
            there &= near | (local.f + local.D * u**2 < FLOOR)
        found = there.astype(np.int8)
        if self.escape is not None:
            end, least = self.escape
            found[(beta < end) & (gain > least + MARGIN * most)] = -1
        return found


@dataclass(frozen=True)
class Flows:
    """Where the flows went: 1 to the minimum, -1 escaped, 0 not known; and the weights reached.

    excess: the loss there.  log10_time: of the flow time spent, in so many accepted steps.
    trail:      (start, alpha, beta) of every step, if asked for.
    """

    outcome: NDArray[np.int8]
    alpha: Array
    beta: Array
    excess: Array
    log10_time: Array
    steps: NDArray[np.int64]
    trail: list[tuple[int, float, float]]


@np.errstate(all="ignore")
def integrate(
    profile: FloatProfile,
    alpha: Array,
    beta: Array,
    goal: Goal,
    *,
    trail: bool = False,
    most: int = MOST_STEPS,
) -> Flows:
    """Follow the flow from starts (alpha, beta), arrays of one shape (n,), until the goal is reached.

    The goal is looked at after a step has been accepted: a flow that did not move has outcome 0.
    A start that leaves the range of float64 or takes more than `most` steps has outcome 0.
    """
    state = np.stack([beta, alpha - profile.at(beta).h])
    time, step = np.zeros(len(beta)), np.full(len(beta), FIRST_STEP)
    local, count = profile.at(state[0]), np.zeros(len(beta), dtype=np.int64)
    outcome = np.zeros(len(beta), dtype=np.int8)
    path = (
        [(i, float(a), float(b)) for i, (a, b) in enumerate(zip(alpha, beta, strict=True))] if trail else []
    )
    active = np.arange(len(beta))
    for _ in range(most):
        if not len(active):
            break
        y, h = state[:, active], step[active]
        new, size, ahead = _step(profile, y, local, h, goal.minimum)
        good = size <= 1
        step[active] = np.minimum(h * np.clip(0.8 * size ** (-1 / 3), SHRINKAGE, GROWTH), STEPS[1])
        done = active[good]
        state[:, done], time[done] = new[:, good], time[done] + h[good]
        count[done] += 1
        local = Local(
            *(np.where(good, b, a) for a, b in zip(vars(local).values(), vars(ahead).values(), strict=True))
        )
        if trail:
            path += [
                (int(i), float(u + a), float(b))
                for i, b, u, a in zip(done, *new[:, good], ahead.h[good], strict=True)
            ]
        outcome[active] = np.where(good, goal.reached(state[0, active], state[1, active], local), 0)
        going = (outcome[active] == 0) & (step[active] > STEPS[0])
        active, local = active[going], _take(local, going)
    final = profile.at(state[0])
    excess = final.f + final.D * state[1] ** 2
    return Flows(outcome, state[1] + final.h, state[0], excess, np.log10(time), count, path)


def _take(local: Local, which: Any) -> Local:
    return Local(*(values[which] for values in vars(local).values()))


def _field(y: Array, at: Local) -> Array:
    """d (beta, u)/dt."""
    u = y[1]
    speed = -(at.f1 + at.D1 * u**2 - 2 * at.D * at.h1 * u)
    return np.stack([speed, -2 * at.D * u - at.h1 * speed])


def _jacobian(y: Array, at: Local) -> tuple[Array, Array, Array, Array]:
    """Its derivatives, row by row."""
    u = y[1]
    speed = _field(y, at)[0]
    by_beta = -(at.f2 + at.D2 * u**2 - 2 * (at.D1 * at.h1 + at.D * at.h2) * u)
    by_u = -2 * (at.D1 * u - at.D * at.h1)
    return by_beta, by_u, -2 * at.D1 * u - at.h2 * speed - at.h1 * by_beta, -2 * at.D - at.h1 * by_u


def _step(profile: FloatProfile, y: Array, at: Local, h: Array, minimum: float) -> tuple[Array, Array, Local]:
    """The state after a step h, the error in units of what is tolerated, and the profile there."""
    a, b, c, d = _jacobian(y, at)
    w11, w12, w21, w22 = 1 / h - _D * a, -_D * b, -_D * c, 1 / h - _D * d
    # u is the fast variable: w22 is not small, and no product of two small numbers is formed.
    ratio = w12 / w22
    pivot = w11 - ratio * w21

    def solve(right: Array) -> Array:
        by_beta = (right[0] - ratio * right[1]) / pivot
        return np.stack([by_beta, (right[1] - w21 * by_beta) / w22])

    # The stages are multiplied by h, which may be 1e150.
    here = _field(y, at)
    first = solve(here)
    halfway = y + first / 2
    middle = _field(halfway, profile.at(halfway[0]))
    second = solve(middle - first / h) + first
    new = y + second
    ahead = profile.at(new[0])
    third = solve(_field(new, ahead) - _E32 * (second / h - middle) - 2 * (first / h - here))
    error = np.abs(first - 2 * second + third) / 6
    scale = np.stack(
        [
            np.abs(new[0] - minimum) + NEAREST * abs(minimum),
            np.abs(new[1]) + np.sqrt(ahead.f / ahead.D),
        ]
    )
    size = (error / (TOLERANCE * scale)).max(axis=0)
    return new, np.where(np.isfinite(size), np.maximum(size, SMALLEST_ERROR), FAILED), ahead
