"""Steps of the one-parameter theorem that take one depth at a time."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numerics
import theory
from proofs_check.engine.claims import Record
from proofs_check.engine.context import Run
from proofs_check.engine.evidence import ENCLOSURE, EXACT, brief, certified, compare, kind_of, valued
from proofs_check.theorems import _quantities as quantities
from reports.results import Certified, Series

if TYPE_CHECKING:
    from flint import arb

    from numerics.arithmetic.certified_roots import Root
    from numerics.one_parameter.all_large_depths import WeightBand
    from numerics.one_parameter.flow import FlowRun

DISTANCE = Fraction(1, 10**6)
STARTS = (Fraction(0), Fraction(10))
"""Of the flows: on both sides of every minimiser, and far away."""


def enclosure(run: Run, record: Record, T: int) -> Certified:
    """alpha_T by two signs of the derivative, as found and by a second route where one is cheap."""
    expectation, max_bits = run.expectation, run.settings.max_bits
    root = quantities.minimiser(run, T)
    number = certified((root.lower, root.upper), quantities.MINIMISER_DIGITS + 3)
    ends = root.lower, root.upper
    signs = [numerics.one_parameter.all_large_depths.side_at(expectation, end, T, max_bits) for end in ends]
    record.check(
        ENCLOSURE,
        "the derivative changes sign",
        None if None in signs else signs == [1, -1],
        bits=root.bits,
        detail=f"${brief(number, 32)}$",
        case={"T": T},
    )
    looks = [numerics.one_parameter.second_route.derivative(expectation, end, T, max_bits) for end in ends]
    if (seen := [look for look in looks if look is not None])[1:]:
        bits = max(look.bits for look in seen)
        record.check(
            ENCLOSURE if bits else EXACT,
            f"the derivative changes sign by {seen[0].route}",
            None if None in (found := [look.sign for look in seen]) else found == [1, -1],
            bits=bits or None,
            detail=r"an evaluator that had no part in finding $\alpha_T$",
            case={"T": T},
        )
    digits = certain_digits(number)
    record.check(
        EXACT,
        rf"{quantities.MINIMISER_DIGITS} digits of $\alpha_T$ are certain",
        True if digits >= quantities.MINIMISER_DIGITS else None,
        detail=f"{digits} are",
        case={"T": T},
    )
    if T == 1:
        statement = r"$\alpha_1 = \mathbb{E}\,s / \mathbb{E}[s(1+s)]$"
        check_moments(run, record, statement, r"$\alpha_1$", root, lambda m, m2: m / (m + m2))
    return number


def check_moments(
    run: Run, record: Record, statement: str, name: str, root: Root, formula: Callable[[Any, Any], Any]
) -> None:
    """The step that a formula in E s and E s^2 gives a root: exactly, or in balls narrower than it."""
    first, second = (run.expectation.moment(k) for k in (1, 2))
    value = numerics.arithmetic.balls.precise(formula)(first, second)
    inside = bool(root.lower < value < root.upper) if isinstance(value, Fraction) else _within(value, root)
    letters = {theory.gap.E_s: first, theory.covariate_shift.E_ss: second}
    shown = [valued(name, formula(*letters), letters)] if isinstance(value, Fraction) else []
    record.check(kind_of(value), statement, inside, detail=f"${brief(value, 20)}$", values=shown)


def _within(value: arb, root: Root) -> bool | None:
    """Whether the ball lies in the enclosure, None where it reaches over an end."""
    low, high = numerics.arithmetic.balls.ends(value)
    if root.lower < low and high < root.upper:
        return True
    return False if high < root.lower or low > root.upper else None


def certain_digits(number: Certified) -> int:
    """The decimals, as printed, that determine the number: its relative half-width is 10^-digits at most."""
    return numerics.arithmetic.certified_roots.certain_digits(Fraction(number.lower), Fraction(number.upper))


def band(run: Run, record: Record, epsilon: Fraction) -> WeightBand | None:
    """The step "alpha_T is in the band about alpha* for all T >= T0", by both inequalities at their T0."""
    found = quantities.band(run, epsilon)
    record.check(
        ENCLOSURE,
        rf"$|\alpha_T - \alpha^*| < {epsilon} \alpha^*$ for all $T \ge T_0$",
        None if found is None else True,
        bits=found.bits or None if found else None,
        detail=f"$T_0 = {found.T0}$" if found else "an edge is on the wrong side",
    )
    if found is not None:
        quantities.second_looks(run, record, found)
    return found


def curvature_at_minimiser(run: Run, T: int) -> tuple[arb, int]:
    """The second derivative in the middle of the enclosure of alpha_T, its sign certified; and the bits."""
    curvature, middle = theory.losses.one_parameter().curvature, quantities.minimiser(run, T).middle
    assert curvature is not None
    return numerics.arithmetic.balls.refine(
        lambda: run.expectation.ball(curvature.bind(T, numerics.arithmetic.balls.ball(middle))),
        lambda value: numerics.arithmetic.balls.sign(value) is not None,
        run.settings.max_bits,
    )


def follow(run: Run, T: int, start: float, root: float) -> FlowRun:
    """The flow of the loss of depth T, until it is within DISTANCE alpha_T of the minimiser."""
    loss, along = theory.losses.one_parameter(), run.expectation.along
    assert loss.curvature is not None
    # Each has one term, of which the weight is the slope.
    (gradient,), (curvature,) = loss.gradient[0].bind(T, 0.0), loss.curvature.bind(T, 0.0)
    return numerics.one_parameter.flow.flow(
        along(gradient), along(curvature), start, root, float(DISTANCE) * root
    )


def bounds_at_depths(run: Run, record: Record, kappa: Fraction) -> None:
    """E_T(alpha*) <= E[s/lam] kappa^(2T) at the depths asked for, and the excess beside it."""
    law, center, rows = run.law, quantities.alpha_star(run), []
    # Where all of s > 0 sits at the two ends, both sides are equal and no ball tells them apart.
    atoms = law.atoms.values if law.atoms else ()
    equal = not law.pieces and all(abs(1 - center * (1 + s)) == kappa for s in atoms if s > 0)
    for T in run.settings.depths:
        bound, margin, bits = _margin(run, T, kappa, equal)
        if equal:
            record.check(
                EXACT,
                r"the loss at $\alpha^*$ equals the bound",
                _equals_bound(run, T, kappa),
                detail=r"$|q| = \kappa$ on $\{s > 0\}$",
                case={"T": T},
            )
        else:
            statement = r"the loss at $\alpha^*$ is at most the bound"
            note = f"the bound is ${brief(bound)}$; less the loss"
            compare(record, ENCLOSURE, statement, margin, ">", 0, note=note, bits=bits, case={"T": T})
        number = certified(quantities.excess(run, T)[0])
        rows.append([T, number.lower, number.upper, certified(bound).upper])
    record.values["excess"] = [{"T": T, "lower": low, "upper": high} for T, low, high, _ in rows]
    record.series["excess"] = Series(["T", "lower", "upper", "bound"], rows)


def _equals_bound(run: Run, T: int, kappa: Fraction) -> bool:
    """The same of a law of atoms, in rational arithmetic."""
    expectation, form = run.expectation, theory.losses.one_parameter().value
    bound = expectation.exact(form.bind(1, Fraction(0))) * kappa ** (2 * T)
    return expectation.exact(form.bind(T, quantities.alpha_star(run))) == bound


def rate(run: Run, record: Record, epsilon: Fraction) -> Fraction:
    """rho, the largest |1 - a lam| on the support for |a - alpha*| <= epsilon alpha*; the step "rho < 1"."""
    center, (l1, l2) = quantities.alpha_star(run), run.law.lambda_ends
    assert l2 is not None
    rho: Fraction = max(theory.limits.residuals_at_ends(center, epsilon, l1, l2))
    letters = {theory.limits.epsilon: epsilon, theory.symbols.l1: l1, theory.symbols.l2: l2}
    shown = [valued(r"$\rho$", theory.limits.rho(), letters, rho)]
    compare(record, EXACT, r"$\rho < 1$", rho, "<", 1, values=shown)
    return rho


def rate_epsilon(run: Run) -> Fraction:
    """The epsilon asked for, or half of that at which rho = 1."""
    l1, l2 = run.law.lambda_ends
    assert l2 is not None
    return min(run.settings.epsilon, l1 / l2 / 2)


def _margin(run: Run, T: int, kappa: Fraction, equal: bool) -> tuple[arb, arb, int]:
    """E[s/lam] kappa^(2T); that less the loss at alpha*, its sign certified unless `equal`; and the bits."""
    expectation, form = run.expectation, theory.losses.one_parameter().value
    ball, center = numerics.arithmetic.balls.ball, quantities.alpha_star(run)

    def bound() -> arb:
        return expectation.ball(form.bind(1, ball(0))) * ball(kappa) ** (2 * T)

    at_depth, bits = numerics.arithmetic.balls.refine(
        bound, numerics.arithmetic.balls.relative(15), run.settings.max_bits
    )
    if equal:
        return at_depth, numerics.arithmetic.balls.ball(0), bits
    margin, bits = numerics.arithmetic.balls.refine(
        lambda: bound() - expectation.ball(form.bind(T, ball(center))),
        lambda value: numerics.arithmetic.balls.sign(value) is not None,
        run.settings.max_bits,
    )
    return at_depth, margin, bits
