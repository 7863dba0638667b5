"""What the claims about the single layer and their twins share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numerics
import theory
from proofs_check.engine.claims import Record
from proofs_check.engine.context import Run, once_a_run
from proofs_check.engine.evidence import (
    ENCLOSURE,
    EXACT,
    NUMERIC,
    agree,
    brief,
    compare,
    derive,
    kind_of,
    valued,
)

if TYPE_CHECKING:
    from flint import arb
    from sympy import Expr

    from numerics.arithmetic.balls import Number
    from numerics.laws import Law
    from numerics.self_attention.best_layer import EnclosedRisk, SingleLayer
    from numerics.self_attention.full_family import Search
    from proofs_check.engine.evidence import Relation
    from reports.results import Valued

STARTS = 24
NODES = 4
NODES_OF_A_MODALITY = 3
NEAR = Fraction(1, 10**8)
ROUNDING = Fraction(1, 10**30)
WITHIN = Fraction(1, 10**99)
"""Balls of MOMENT_BITS bits are far narrower: what they cannot show equal, they show as near as this."""
_WITHIN = ", to within $10^{-99}$"


@once_a_run
def layer(run: Run) -> SingleLayer:
    """Linear self-attention with one layer, at its best weights."""
    return numerics.self_attention.best_layer.SingleLayer(run.expectation, run.settings.max_bits)


def compare_gap(
    record: Record,
    statement: str,
    gap: EnclosedRisk,
    relation: Relation,
    other: EnclosedRisk | None = None,
    factor: Fraction = Fraction(1),
    **how: Any,
) -> None:
    """The step that a gap compares so with factor times another, or with 0: exact where both are."""
    kind = EXACT if gap.is_exact and (other is None or other.is_exact) else ENCLOSURE
    bound = Fraction(0) if other is None else scaled(other.value, factor)
    compare(record, kind, statement, gap.value, relation, bound, bits=gap.bits, **how)


def same_gap(record: Record, statement: str, gap: EnclosedRisk, second: EnclosedRisk) -> None:
    """The step that a second route gives the same gap: exactly where both are fractions, else nearly."""
    if gap.is_exact and second.is_exact:
        compare(record, EXACT, statement, gap.value, "=", second.value, cross_check=True)
        return
    balls, digits = numerics.arithmetic.balls, numerics.self_attention.best_layer.DIGITS - 1
    near = agree(balls.as_ball(gap.value), balls.as_ball(second.value), digits)
    detail = f"${brief(gap.value, digits)}$ and ${brief(second.value, digits)}$"
    record.check(
        ENCLOSURE, f"{statement}, to {digits} digits", near, bits=second.bits, detail=detail, cross_check=True
    )


def scaled(value: arb | Fraction, factor: Fraction) -> Fraction | tuple[Fraction, Fraction]:
    """A positive multiple of a number, exactly."""
    if isinstance(value, Fraction):
        return factor * value
    low, high = numerics.arithmetic.balls.ends(value)
    return factor * low, factor * high


def check_equal(
    record: Record,
    statement: str,
    found: Sequence[Number],
    expected: Sequence[Number],
    detail: str = "",
    values: Sequence[Valued] = (),
    case: Mapping[str, object] | None = None,
) -> None:
    """The step that numbers are equal where they are rational; else that they are, to within 10^-99."""
    pairs = list(zip(found, expected, strict=True))
    holds: bool | None
    if all(isinstance(number, Fraction) for pair in pairs for number in pair):
        kind, bits, holds = EXACT, None, all(one == other for one, other in pairs)
    else:
        from flint import ctx

        balls, kind, bits = numerics.arithmetic.balls, ENCLOSURE, numerics.arithmetic.balls.MOMENT_BITS
        with ctx.workprec(bits):
            apart = [abs(balls.as_ball(one) - balls.as_ball(other)) for one, other in pairs]
            near = all(distance < balls.ball(WITHIN) for distance in apart)
        holds = False if any(distance > 0 for distance in apart) else near or None
        statement += _WITHIN
    record.check(kind, statement, holds, bits=bits, detail=detail, values=list(values), case=case)


def scalar_risk(record: Record, claimed: Expr | None = None) -> None:
    """Best c and its risk.  `claimed`: the risk in E_s and E_slam."""
    derive(record, theory.gap.scalar(claimed).derivation)


def scalar_valued(run: Run) -> list[Valued]:
    """The best scalar weight and its risk, by the formulas that are printed; of rational moments."""
    from theory.gap import E_s, E_slam

    if not run.law.is_rational:
        return []
    moments = {E_s: run.law.mean, E_slam: run.law.mean + run.law.moment(2)}
    found, formulas = layer(run).scalar, theory.gap.scalar()
    return [
        valued("$c$", formulas.best, moments, found.weights[0]),
        valued("risk of $c I$", formulas.risk, moments, found.risk),
    ]


def normal_equations(run: Run, record: Record, weights: tuple[Number, ...]) -> None:
    """The step "these weights solve the normal equations"."""
    residuals = numerics.self_attention.best_layer.slopes(layer(run).blocks, weights)
    shown = ", ".join(
        f"${name} = {brief(weight)}$" for name, weight in zip("abcdefghijklmnop", weights, strict=False)
    )
    check_equal(
        record,
        "the normal equations hold",
        residuals,
        [0 * residual for residual in residuals],
        detail=f"{shown}, residuals {', '.join(f'${brief(residual)}$' for residual in residuals)}",
    )


def check_gain(record: Record, statement: str, difference: Number) -> None:
    """The step that a gain is not negative; of balls about 0, that it is more than -10^-99."""
    if isinstance(difference, Fraction) or difference >= 0 or difference < 0:
        compare(record, kind_of(difference), statement, difference, ">=", 0, note="the gain")
    else:
        compare(record, ENCLOSURE, statement + _WITHIN, difference, ">", -WITHIN, note="the gain")


def matrix_name(run: Run) -> str:
    """What the best M looks like."""
    count = len(run.law.modalities or (run.law,))
    names = ", ".join(f"{letter} I" for letter in "abcdefghijklmnop"[:count])
    return "$M = c I$" if count == 1 else rf"$M = \operatorname{{diag}}({names})$"


def derive_best(run: Run, record: Record) -> None:
    """The best M for the modalities that are given."""
    count = len(run.law.modalities or ())
    if count == 2:
        derive(record, theory.modalities.two_modalities().derivation)
    elif count > 2:
        derive(record, theory.several_modalities.several(count).derivation)


def equality_case(run: Run, record: Record) -> None:
    """When several modalities have no gap."""
    if len(run.law.modalities or ()) == 2:
        derive(record, theory.modalities.equality_case())
    else:
        derive_best(run, record)


def floor(record: Record, found: Search, risk: Fraction) -> None:
    """The steps "no search ends below `risk`" and "one comes near"."""
    distances = found.less(risk)
    least = min(distances, key=numerics.arithmetic.balls.ends)
    below = bool(least < 0)
    clear = all(numerics.arithmetic.balls.ends(distance)[0] > -ROUNDING for distance in distances)
    record.check(
        NUMERIC,
        f"no search ends below the risk ${brief(risk)}$",
        False if below else clear or None,
        bits=numerics.self_attention.full_family.BITS,
        detail=f"the least risk found, less this: ${brief(least)}$",
        cross_check=True,
    )
    # That no search has come near proves nothing.
    reached = below or is_near(least) or None
    record.check(
        NUMERIC,
        "one comes within $10^{-8}$ of it",
        reached,
        bits=numerics.self_attention.full_family.BITS,
        cross_check=True,
    )


def is_near(distance: arb) -> bool:
    """Whether a distance between risks is certainly less than what counts as reached."""
    return numerics.arithmetic.balls.ends(distance)[1] < NEAR


@once_a_run
def discretised(run: Run) -> Law:
    """Few atoms in place of the law: the family of layers is searched over these."""
    from numerics.expectation.discretise import gauss_law

    nodes = NODES if run.law.modalities is None else NODES_OF_A_MODALITY
    return gauss_law(run.law, nodes)


@once_a_run
def search(run: Run) -> Search:
    """Searches for the least risk over the full family of layers, from random starts."""
    return numerics.self_attention.full_family.search(
        discretised(run), run.progress.track(range(STARTS), "searches"), run.settings.seed
    )
