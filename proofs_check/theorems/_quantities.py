"""What several theorems need of one law, computed once a run, and the steps about its limit in the depth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numerics
import theory
from proofs_check.engine.claims import Record
from proofs_check.engine.context import Run, once_a_run
from proofs_check.engine.evidence import ENCLOSURE, EXACT, brief, compare, derive, told_apart, valued

if TYPE_CHECKING:
    from flint import arb
    from sympy import Expr

    from numerics.arithmetic.certified_roots import Root
    from numerics.one_parameter.all_large_depths import WeightBand
    from reports.results import Valued

MINIMISER_DIGITS = 30


def alpha_star(run: Run) -> Fraction:
    """2/(l1 + l2); the law must be bounded and not 0."""
    value: Fraction = theory.limits.alpha_star(*_ends(run))
    return value


def kappa(run: Run) -> Fraction:
    """(l2 - l1)/(l2 + l1); the law must be bounded and not 0."""
    value: Fraction = theory.limits.kappa(*_ends(run))
    return value


def _ends(run: Run) -> tuple[Fraction, Fraction]:
    assert run.law.m_lo is not None and run.law.m_hi is not None
    return run.law.m_lo, run.law.m_hi


def ends_valued(run: Run, name: str, formula: Expr, value: Fraction | None = None) -> Valued:
    """A formula in l1 = 1 + m_lo, l2 = 1 + m_hi with its number for the law of the run."""
    l1, l2 = run.law.lambda_ends
    assert l2 is not None
    return valued(name, formula, {theory.symbols.l1: l1, theory.symbols.l2: l2}, value)


@once_a_run
def minimiser(run: Run, T: int) -> Root:
    """alpha_T to MINIMISER_DIGITS digits."""
    return numerics.one_parameter.minimiser.minimiser(
        run.expectation, theory.losses.one_parameter(), T, MINIMISER_DIGITS, run.settings.max_bits
    )


@once_a_run
def excess(run: Run, T: int) -> tuple[arb, int]:
    """The one-parameter excess at alpha_T, to 15 digits unless it is exactly 0; and the bits it took."""
    from flint import arb

    if run.law.is_constant:
        return arb(0), 0
    return numerics.one_parameter.minimiser.loss_at(
        run.expectation, theory.losses.one_parameter(), T, minimiser(run, T), run.settings.max_bits
    )


def band(run: Run, epsilon: Fraction, center: Fraction | None = None) -> WeightBand | None:
    """|alpha_T - center| < epsilon center for all T >= T0, 0 < epsilon < 1; center alpha* by default.

    None if an edge lies on the side of the centre where alpha_T does not go.
    """
    return _band(run, epsilon, alpha_star(run) if center is None else center)


@once_a_run
def _band(run: Run, epsilon: Fraction, center: Fraction) -> WeightBand | None:
    return numerics.one_parameter.all_large_depths.band(
        run.expectation,
        center * (1 - epsilon),
        center * (1 + epsilon),
        run.settings.max_bits,
        lambda depths: run.progress.track(depths, "depths below T0"),
    )


@dataclass(frozen=True)
class LimitDecision:
    """Whether a weight tends to a candidate.

    decider: where it does, a band about the candidate that it stays in; where it does not, what keeps
             it away from there; None where nothing decides.
    """

    holds: bool | None
    decider: Any = None

    @property
    def band(self) -> Any:
        """The band, where the weight tends to the candidate."""
        return self.decider if self.holds else None


def compare_limit(
    candidate: tuple[Fraction, Fraction],
    limit: Fraction,
    stays: Callable[[], object | None],
    apart: Callable[[Fraction], LimitDecision],
) -> LimitDecision:
    """Does a weight tend to the number enclosed by `candidate`, if to any then to `limit`?

    stays: a band about the limit that the weight is certified to stay in.
    apart: the verdict from the end of the candidate that is next to the limit, which lies outside.
    """
    lower, upper = candidate
    if lower == upper == limit:
        found = stays()
        return LimitDecision(None if found is None else True, found)
    if lower <= limit <= upper:
        return LimitDecision(None)
    return apart(upper if upper < limit else lower)


def tends_to(run: Run, candidate: tuple[Fraction, Fraction], epsilon: Fraction) -> LimitDecision:
    """Does alpha_T tend to the number enclosed by `candidate`?

    Decided by the one-inequality argument, whatever the formula for alpha* says.  It does where |q|
    is the same at both ends of the support, the one number that no inequality separates from
    alpha_T, if alpha_T is certified to stay in the band about it; it does not where a point between
    is certified to separate the two.
    """
    limits = numerics.one_parameter.all_large_depths
    center = limits.balance(run.law)

    def apart(edge: Fraction) -> LimitDecision:
        found = limits.certify_side(run.expectation, (center + edge) / 2, run.settings.max_bits)
        kept = found is not None and found.side == ("above" if edge < center else "below")
        return LimitDecision(False if kept else None, found)

    return compare_limit(candidate, center, lambda: band(run, epsilon, center), apart)


def decide_limit(run: Run, record: Record, candidate: tuple[Fraction, Fraction], name: str) -> LimitDecision:
    """The step "alpha_T tends to the candidate"; every claim and twin about the limit comes here."""
    verdict = tends_to(run, candidate, run.settings.epsilon)
    found, bits = verdict.decider, None
    if found is None:
        detail = "no inequality tells the two apart; raise `--max-bits`"
    elif verdict.holds:
        detail = (
            f"$|q|$ is the same at both ends of the support; within ${run.settings.epsilon}$ of it, "
            rf"relatively, for all $T \ge {found.T0}$"
        )
    else:
        relation = ">" if found.side == "above" else "<"
        nearer = candidate[0] if relation == ">" else candidate[1]
        point, refuted = told_apart(found.point, nearer, up=relation == "<")
        detail = rf"$\alpha_T {relation} {point}$ for all $T \ge {found.T0}$, and {name} is ${refuted}$"
    if found is not None:
        # 0 where the edges of a band are so far apart that q has one sign at each, exactly.
        bits = found.bits or None
    record.check(ENCLOSURE, rf"$\alpha_T$ tends to {name}", verdict.holds, bits=bits, detail=detail)
    return verdict


def prove_limit(run: Run, record: Record, candidate: Fraction, name: str) -> LimitDecision:
    """Every step of "alpha_T tends to the candidate": the band, looked at twice, and every epsilon."""
    found = decide_limit(run, record, (candidate, candidate), name)
    derive(record, theory.limits.one_inequality())
    if found.band is not None:
        second_looks(run, record, found.band)
        every_epsilon(run, record, found.band)
    return found


def not_the_limit(run: Run, record: Record, reading: tuple[Fraction, Fraction], name: str) -> None:
    """The step "alpha_T does not tend to the reading", by the code that decides the limit."""
    trial = Record(ENCLOSURE)
    found = decide_limit(run, trial, reading, name)
    record.check(
        ENCLOSURE,
        rf"$\alpha_T$ does not tend to {name}",
        None if found.holds is None else not found.holds,
        detail=trial.steps[0].detail,
    )


def second_looks(run: Run, record: Record, found: WeightBand) -> None:
    """The inequality at both edges, each at its own T0, by a second route where one is cheap."""
    for edge in (found.low, found.high):
        look = numerics.one_parameter.second_route.inequality(
            run.expectation, edge.point, edge.side, edge.T0, run.settings.max_bits
        )
        if look is not None:
            name = "lower" if edge.side == "above" else "upper"
            record.check(
                ENCLOSURE if look.bits else EXACT,
                f"the inequality at the {name} edge by {look.route}",
                None if look.sign is None else look.sign == 1,
                bits=look.bits or None,
                detail="an evaluator that had no part in finding $T_0$",
                case={"T": edge.T0},
            )


def every_epsilon(run: Run, record: Record, found: WeightBand) -> None:
    """The inequality holds at some depth whatever epsilon is, and T0 is no later than the argument says."""
    derive(record, theory.limits.every_epsilon())
    for edge in (found.low, found.high):
        bound = numerics.one_parameter.all_large_depths.assured(run.law, edge.point, run.settings.max_bits)
        name = rf"m_{{\mathrm{{{'lo' if edge.side == 'above' else 'hi'}}}}}"
        near = f"$s$ carries mass near ${name}$"
        if bound is None:
            record.check(ENCLOSURE, near, None, detail="none is certified")
            continue
        mass = rf"$\mathbb{{E}}[s; |s - {name}| \le {brief(bound.width, 3)}] \ge {brief(bound.mass, 3)}$"
        statement = f"{near}, and $T_0$ is no later than the depth ${bound.T}$ that this assures"
        compare(record, ENCLOSURE, statement, edge.T0, "<=", bound.T, note=mass)


def unsquared(run: Run) -> tuple[Fraction, Fraction]:
    """2/(2 + sqrt(m_lo) + sqrt(m_hi)), between two rational numbers."""
    assert run.law.m_lo is not None and run.law.m_hi is not None
    return numerics.arithmetic.balls.unsquared_weight(run.law.m_lo, run.law.m_hi)


@once_a_run
def excess_of_zero(run: Run) -> arb:
    """E[s/lam], the excess of predicting 0, to 15 digits."""
    return run.enclosure(theory.losses.one_parameter().value.bind(1, Fraction(0)))[0]
