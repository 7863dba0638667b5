"""A positive lower bound on the excess without skip, F^0 = X, over all beta and all depths at once.

The loss is E[(s/lam)(lam z^T - 1)^2], z = 1 + beta lam.  Choose groups of values of s.  If the loss
is below F, every group G holds a value with |lam z^T - 1| < e, e^2 = F/E[s/lam; G]; while e < 1,
|z| = exp(-L/T) with

    log lam - log(1 + e) < L < log lam - log(1 - e),

and z > 0 if T is odd.  While all these L are positive, |z| < 1, hence beta < 0 and z falls along the
groups.  For lam_i < lam_j the ratio lam_j/lam_i is then

    (1 - exp(-L_j/T)) / (1 - exp(-L_i/T))   if both z are positive,
    (1 + exp(-L_j/T)) / (1 - exp(-L_i/T))   if z_j alone is negative;

both negative asks for L_j < L_i.  The second quotient grows with T and falls in L_i, L_j.  The first
grows with L_j, falls in L_i and, where L_i < L_j, grows with T, to L_j/L_i.  So a whole range of
depths, up to infinity, is excluded by the quotient at its two ends; ranges are halved until all are.
It is enough to exclude that all z are positive, and that the last alone is negative.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, combinations, pairwise

from flint import arb, ctx

from numerics.arithmetic.balls import as_ball, ball, dyadic, ends
from numerics.errors import NoConvergence
from numerics.expectation.over_law import Expectation
from numerics.laws import Law
from numerics.laws.components import piece_support
from numerics.laws.mass_bounds import signal
from numerics.no_skip.floor_at_depth import positive_values

BITS, RECHECK_BITS = 128, 192
MAX_RANGES = 300
MAX_DEPTH = 2**40
DESCENT, MAX_DESCENTS, REFINEMENTS = Fraction(1, 16), 40, 5
MAX_ATOMS = 8
COUNTS = (3, 2)
OFFSETS = (Fraction(1, 50), Fraction(1, 4), Fraction(1, 2))
WIDTHS = tuple(Fraction(1, n) for n in (10, 5, 25, 100, 10**3, 10**5, 10**8))
CELLS = 32
HEAVIEST = 3
PLACES = (Fraction(1, 5), Fraction(1, 2), Fraction(4, 5))


@dataclass(frozen=True)
class Group:
    """The values low <= s <= high, low > 0; signal <= E[s/lam; group]."""

    low: Fraction
    high: Fraction
    signal: arb


@dataclass(frozen=True)
class AllDepths:
    """floor <= the excess at every beta and every T >= 1.

    ranges: how many ranges of depths were excluded one by one.
    """

    floor: Fraction
    groups: tuple[Group, ...]
    ranges: int


def floor_for_all_depths(law: Law) -> AllDepths:
    """The best bound found; the law must not be 0.

    Raises NoConvergence where nothing excludes that the excess comes arbitrarily close to 0; it does where
    `skip_floor.fitted` or `skip_floor.fitted_in_the_limit` says so.
    """
    best: AllDepths | None = None
    with ctx.workprec(BITS):
        for groups in _layouts(law):
            best = _improve(groups, best)
        by_component = _layouts_by_component(law)
        while best is None and (groups := next(by_component, ())):
            best = _improve(groups, None)
    if best is None:
        raise NoConvergence("no choice of values of $s$ excludes that the excess comes close to 0")
    return best


def recheck(law: Law, found: AllDepths) -> bool:
    """Whether every depth is excluded at this floor, with the groups' shares computed anew."""
    with ctx.workprec(RECHECK_BITS):
        groups = tuple(Group(g.low, g.high, signal(law, g.low, g.high)) for g in found.groups)
        apart = all(left.low > 0 and left.high < right.low for left, right in pairwise(groups))
        return apart and found.floor > 0 and _first_open_depth(groups, found.floor)[0] is None


def _improve(groups: tuple[Group, ...], best: AllDepths | None) -> AllDepths | None:
    """The larger of `best` and the bound from these groups."""
    smallest = min((group.signal for group in groups), key=float)
    if not smallest > 0:
        return best
    high = ends(smallest)[0]
    trials = [best.floor * Fraction(11, 10)] if best else [high * DESCENT**k for k in range(1, MAX_DESCENTS)]
    for floor in trials:
        failing, ranges = _first_open_depth(groups, floor)
        if failing is None:
            best = AllDepths(floor, groups, ranges)
            break
        high = floor
    else:
        return best
    for _ in range(REFINEMENTS):
        middle = Fraction(float(best.floor) ** 0.5 * float(high) ** 0.5)
        failing, ranges = _first_open_depth(groups, middle)
        if failing is None:
            best = AllDepths(middle, groups, ranges)
        else:
            high = middle
    return best


Logs = Sequence[tuple[arb, arb]]


def _logs(groups: tuple[Group, ...], floor: Fraction) -> Logs | None:
    """Between what two numbers the L of each group lie; None if they need not all be positive and rise."""
    found = []
    for group in groups:
        e = (ball(floor) / group.signal).sqrt()
        if not 1 + e < ball(1 + group.low) or not e < 1:
            return None
        found.append((ball(1 + group.low).log() - (1 + e).log(), ball(1 + group.high).log() - (1 - e).log()))
    # Both z negative asks for L_j < L_i.
    return found if all(left[1] < right[0] for left, right in pairwise(found)) else None


def _first_open_depth(groups: tuple[Group, ...], floor: Fraction) -> tuple[int | None, int]:
    """The first depth, or start of a range of depths, that is not excluded; and the ranges looked at."""
    logs = _logs(groups, floor)
    if logs is None:
        return 1, 0
    pending: list[tuple[int, int | None]] = [(1, None)]
    count = 0
    while pending:
        first, last = pending.pop()
        count += 1
        if _excluded(groups, logs, first, last):
            continue
        if first == last or count > MAX_RANGES or first > MAX_DEPTH:
            return first, count
        middle = 2 * first - 1 if last is None else (first + last) // 2
        pending += [(middle + 1, last), (first, middle)]
    return None, count


def _excluded(groups: tuple[Group, ...], logs: Logs, first: int, last: int | None) -> bool:
    """Whether at no depth from first to last (None: infinity) all groups can be fitted."""
    # (largest, smallest) |z| of each group at both ends of the range
    early = [((-low / first).exp(), (-high / first).exp()) for low, high in logs]
    late = None if last is None else [((-low / last).exp(), (-high / last).exp()) for low, high in logs]

    def outside(i: int, j: int, least: arb, most: arb | None) -> bool:
        """Whether the ratio lam_j/lam_i cannot lie between least and most."""
        if least > ball((1 + groups[j].high) / (1 + groups[i].low)):
            return True
        return most is not None and bool(most < ball((1 + groups[j].low) / (1 + groups[i].high)))

    def both_positive(i: int, j: int) -> bool:
        least = (1 - early[j][0]) / (1 - early[i][1])
        most = (1 - late[j][1]) / (1 - late[i][0]) if late else logs[j][1] / logs[i][0]
        return outside(i, j, least, most)

    def second_negative(i: int, j: int) -> bool:
        least = (1 + early[j][1]) / (1 - early[i][1])
        most = (1 + late[j][0]) / (1 - late[i][0]) if late else None
        return outside(i, j, least, most)

    end = len(groups) - 1
    positive = [pair for pair in combinations(range(len(groups)), 2) if both_positive(*pair)]
    if not positive or (first == last and first % 2):
        return bool(positive)
    return any(j < end for _, j in positive) or any(second_negative(i, end) for i in range(end))


def _layouts(law: Law) -> Iterator[tuple[Group, ...]]:
    """Choices of groups to try: single atoms where they are few, else ranges between quantiles."""
    values = positive_values(law)
    if not law.pieces and len(values) <= MAX_ATOMS:
        groups = [Group(value, value, signal(law, value, value)) for value in values]
        while len(groups) >= 2:
            yield tuple(groups)
            groups.remove(min(groups, key=lambda group: float(group.signal)))
        return
    quantile = _quantiles(law)
    for number in COUNTS:
        for width in WIDTHS:
            for offset in OFFSETS:
                step = (1 - offset - width) / (number - 1)
                starts = [offset + k * step for k in range(number)]
                spans = [(quantile(start), quantile(start + width)) for start in starts]
                if all(left[1] < right[0] for left, right in pairwise(spans)):
                    yield tuple(Group(low, high, signal(law, low, high)) for low, high in spans)


def _layouts_by_component(law: Law) -> Iterator[tuple[Group, ...]]:
    """Groups from the components one by one: quantiles of the whole pass by one that has little signal."""
    values = sorted(positive_values(law), key=lambda s: float(signal(law, s, s)))[-HEAVIEST:]
    pieces = sorted(law.pieces, key=lambda piece: piece.mass)[-HEAVIEST:]
    for width in WIDTHS[:-2]:
        spans = [(value, value) for value in values]
        for piece in pieces:
            bottom, top = piece_support(piece)
            length = (_moments(law)[0] if top is None else top) - bottom
            starts = [bottom + length * place for place in PLACES] if length > 0 else []
            spans += [(start, start + length * width) for start in starts]
        for number in COUNTS:
            for chosen in combinations(sorted(spans), number):
                if all(left[1] < right[0] for left, right in pairwise(chosen)):
                    yield tuple(Group(low, high, signal(law, low, high)) for low, high in chosen)


def _moments(law: Law) -> tuple[Fraction, Fraction]:
    """E s and E s^2, or numbers near them: they only guide the choice of groups."""
    first, second = (dyadic(as_ball(Expectation(law).moment(k))) for k in (1, 2))
    return first, second


def _quantiles(law: Law) -> Callable[[Fraction], Fraction]:
    """Rough quantiles of s under the weight s/lam, 0 < p <= 1; they only guide the choice of groups."""
    if law.pieces:
        assert law.m_lo is not None
        mean, square = _moments(law)
        top = law.hi if law.hi is not None else mean + 4 * Fraction(float(square - mean**2) ** 0.5)
        edges = [law.m_lo + (top - law.m_lo) * k / CELLS for k in range(CELLS + 1)]
        weights = [float(signal(law, low, high)) for low, high in pairwise(edges)]
    else:
        values = positive_values(law)
        edges = [values[0], *values]
        assert law.atoms is not None
        weights = [float(law.atoms.signal(value, value)) for value in values]
    cumulative = [0.0, *accumulate(weights)]

    def quantile(p: Fraction) -> Fraction:
        target = float(p) * cumulative[-1]
        k = next((k for k in range(len(weights)) if cumulative[k + 1] >= target), len(weights) - 1)
        if not law.pieces:
            return edges[k + 1]
        part = min(1.0, (target - cumulative[k]) / weights[k]) if weights[k] else 0.0
        return edges[k] + (edges[k + 1] - edges[k]) * Fraction(part)

    return quantile
