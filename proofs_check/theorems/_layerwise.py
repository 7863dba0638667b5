"""What the claims about stacks with weights of their own need of one law, computed once a run."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

import numerics
import theory
from numerics.errors import PrecisionExhausted
from proofs_check.engine.claims import Hypothesis
from proofs_check.engine.context import Run, once_a_run
from proofs_check.theorems import _quantities as quantities
from reports.results import Series

if TYPE_CHECKING:
    from flint import arb

    from numerics.arithmetic.certified_roots import Root
    from numerics.layerwise.best_excess import BestStacks
    from numerics.layerwise.depths import Fewer
    from numerics.layerwise.flow import Ended

MOST_FLOWED = 8
"""The largest depth at which flows are integrated."""
PRECISE_BITS = 256
BITS_A_DIGIT = 16
PERFECT_DIGITS = 60


def points(run: Run) -> int | None:
    """N, the number of points of the support in {s > 0}; None if there are infinitely many."""
    found: int | None = numerics.layerwise.best_excess.support_size(run.law)
    return found


def _enough_points(run: Run) -> tuple[bool, str]:
    count = points(run)
    holds = any(count is None or count >= T for T in run.settings.depths)
    return holds, "infinitely many points" if count is None else f"$N = {count}$"


def _flowed(run: Run) -> tuple[bool, str]:
    count = "infinitely many points" if points(run) is None else f"$N = {points(run)}$"
    return bool(flow_depths(run)), f"{count}, $T = {', '.join(map(str, run.settings.depths))}$"


ENOUGH_POINTS = Hypothesis(
    "enough_points",
    r"$N \ge T$, with $N$ points of support in $\{s > 0\}$",
    _enough_points,
    decisive=False,
    condition="with at least $T$ points of support",
)
FLOWED = Hypothesis(
    "flow_depth",
    rf"$N \ge T$ and $2 \le T \le {MOST_FLOWED}$, with $N$ points of support in $\{{s > 0\}}$",
    _flowed,
    decisive=False,
    implies=(ENOUGH_POINTS.id,),
    condition="with at least $T$ points of support",
)


def flow_depths(run: Run) -> list[int]:
    """The depths asked for at which flows are integrated."""
    count = points(run)
    return [T for T in run.settings.depths if 2 <= T <= min(MOST_FLOWED, count or MOST_FLOWED)]


def is_perfect(run: Run, T: int) -> bool:
    """Whether a stack of depth T can vanish on the whole support: T >= N."""
    count = points(run)
    return count is not None and count <= T


def stacks(run: Run, T: int) -> BestStacks:
    """Tables for the depths asked for that are below N, and to T at least."""
    depths = [depth for depth in run.settings.depths if not is_perfect(run, depth)]
    return _tables(run, max([T, *depths]))


@once_a_run
def _tables(run: Run, depth: int) -> BestStacks:
    return numerics.layerwise.best_excess.BestStacks(run.expectation, depth, run.settings.max_bits)


@once_a_run
def exact_excess(run: Run, T: int) -> Fraction | None:
    """e_T where it is rational and few values make it so: 0, or the law has few values."""
    if is_perfect(run, T):
        return Fraction(0)
    if not numerics.layerwise.best_excess.is_finite(run.law):
        return None
    constant: Fraction = numerics.layerwise.best_excess.exact_constant(run.law)
    gain: Fraction = numerics.layerwise.best_excess.by_linear_solve(run.law, T)
    return constant - gain


def excess(run: Run, T: int) -> arb:
    """e_T to 25 digits, by the recurrence; exactly 0 for T >= N."""
    from flint import arb

    return arb(0) if is_perfect(run, T) else stacks(run, T).excess[0][T]


def excesses(run: Run, depth: int) -> list[arb]:
    """e_0, ..., e_depth, from one table."""
    from flint import arb

    count = points(run)
    reach = depth if count is None else min(depth, count - 1)
    found = list(_tables(run, reach).excess[0]) if reach > 0 else [quantities.excess_of_zero(run)]
    return found + [arb(0)] * (depth - reach)


@once_a_run
def nodes(run: Run, T: int) -> tuple[tuple[Root, ...], int]:
    """The zeros z_t, T < N, and the bits that it took."""
    return stacks(run, T).nodes(T)


def law_nodes(run: Run, T: int) -> tuple[tuple[arb, ...], int]:
    """The zeros of the orthogonal polynomial of dP itself as balls, and their bits; more than T points."""
    digits = _other_digits(run, T)
    found = numerics.layerwise.best_excess.law_nodes(run.expectation, T, digits, run.settings.max_bits)
    return balls(found, 4 * digits), 4 * digits


def chebyshev_nodes(run: Run, T: int) -> tuple[tuple[arb, ...], int]:
    """The zeros of the Chebyshev polynomial of [l1, l2] as balls, and their bits."""
    from flint import arb, ctx, fmpq

    (low, high), bits, ball = run.law.lambda_ends, 4 * _other_digits(run, T), numerics.arithmetic.balls.ball
    assert high is not None
    with ctx.workprec(bits):
        cosines = [arb.cos_pi_fmpq(fmpq(2 * t - 1, 2 * T)) for t in range(1, T + 1)]
        return tuple(ball((low + high) / 2) + ball((high - low) / 2) * value for value in cosines), bits


def _other_digits(run: Run, T: int) -> int:
    """Digits that do for nodes that are not the best ones: their excess is larger."""
    return PERFECT_DIGITS if is_perfect(run, T) else stacks(run, T).node_digits(T)


def balls(roots: Sequence[Root], bits: int) -> tuple[arb, ...]:
    """Enclosures of roots as balls of this precision."""
    from flint import ctx

    with ctx.workprec(bits):
        return tuple(root.ball for root in roots)


def exact_nodes(run: Run) -> list[Fraction]:
    """The support of lam over {s > 0}, N points."""
    atoms = run.law.atoms
    assert atoms is not None and not run.law.pieces
    return [1 + value for value in atoms.values if value > 0]


@once_a_run
def constant(run: Run) -> arb:
    """C = E[s/lam] in a narrow ball."""
    from flint import ctx

    C = theory.stationarity.stationarity().C
    with ctx.workprec(PRECISE_BITS):
        return run.expectation.ball(C.bind(2, Fraction(1)))


@once_a_run
def fewer(run: Run) -> Fewer:
    """From which depth on e_T is below epsilon times the tied excess; the law is bounded and varies."""
    return numerics.layerwise.depths.fewer_layers(run.law, constant(run), run.settings.epsilon)


def bend_at_tie(run: Run, T: int) -> tuple[arb, int]:
    """A = E[s lam q^(2T-2)] at the tied optimum, its sign certified, and the bits; T >= 2, s not constant."""
    from theory.normal_form import BoundTerm

    balls, digits = numerics.arithmetic.balls, quantities.MINIMISER_DIGITS
    alpha = quantities.minimiser(run, T)

    def bend() -> arb:
        return run.expectation.ball((BoundTerm(1, 1, -1, alpha.ball, 2 * T - 2),))

    while True:
        # Past so many bits it is alpha, not they, that leaves the sign open.
        bits = min(BITS_A_DIGIT * digits, run.settings.max_bits)
        with suppress(PrecisionExhausted):
            return balls.refine(bend, lambda value: balls.sign(value) is not None, bits)
        if bits == run.settings.max_bits:
            raise PrecisionExhausted(f"undecided at {bits} bits")
        digits *= 4
        alpha = numerics.one_parameter.minimiser.minimiser(
            run.expectation, theory.losses.one_parameter(), T, digits, run.settings.max_bits
        )


def tie_attains(run: Run, T: int) -> bool:
    """Whether a stack two of whose weights are equal has the excess e_T, T >= 2.

    For N < T two layers can share a zero.  For N >= T the optimum is one polynomial, and its zeros,
    enclosed in disjoint intervals, are simple.
    """
    count = points(run)
    if count is not None and count <= T:
        return count < T
    found, _ = nodes(run, T)
    return not all(one.upper < other.lower for one, other in pairwise(found))


def starts(run: Run, T: int) -> dict[str, tuple[float, ...]]:
    """Starts of the flow, by name: weights of T layers, pairwise distinct."""
    center = float(quantities.minimiser(run, T).middle)
    offsets = [k - (T - 1) / 2 for k in range(T)]
    return {
        "near the tied optimum": tuple(center * (1 + 1e-6 * k) for k in offsets),
        "negative": tuple(-center * (k + 1) / T for k in range(T)),
        "far": tuple(3 * center * (k + 1) for k in range(T)),
    }


@once_a_run
def followed(run: Run, T: int) -> dict[str, Ended]:
    """The flows from `starts`, and from 0, where all layers are tied."""
    where = {**starts(run, T), "tied, at 0": (0.0,) * T}
    return {name: numerics.layerwise.flow.follow(run.law, start) for name, start in where.items()}


def at_depths(run: Run, depths: tuple[int, ...]) -> Run:
    """The same run at other depths as well, with a memory of its own."""
    together = tuple(sorted({*depths, *run.settings.depths}))
    return replace(run, settings=replace(run.settings, depths=together), memory={})


def orbits(run: Run, T: int) -> Series:
    """The weights along the flows that were followed."""
    rows: list[list[float]] = []
    for number, ended in enumerate(followed(run, T).values()):
        rows += [[number, *point] for point in ended.orbit]
    return Series(["start", *(f"alpha_{t}" for t in range(1, T + 1))], rows)
