"""One layer of linear self-attention, infinite context: its best weights, its risk, its gap to the Bayes risk.

m is isotropic, or made of two isotropic independent blocks; p is the squared norm of a
block, s their sum, lam = 1 + s.  Risks are per unit E zeta^2.  The best M is c I, or
diag(a I, b I), and all that is asked of the law but E[1/lam] is rational.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from flint import arb, ctx

from numerics.balls import ball, refine, relative
from numerics.expectation import Expectation
from numerics.formula import value
from numerics.laws import Atoms, Law
from numerics.laws.transforms import sum_of
from theory import gap as gap_theory
from theory import gap_moments, modalities
from theory.normal_form import BoundTerm

DIGITS = 15
EXACT_ATOMS = 64
"""Up to so many atoms E[s^i/lam] is computed as a fraction."""

Number = Fraction | arb
Mixture = Sequence[tuple[Fraction, Expectation]]


class Block(NamedTuple):
    """E p and E p^2 of one isotropic block."""

    mean: Fraction
    square: Fraction

    @property
    def variance(self) -> Fraction:
        """Var p."""
        return self.square - self.mean**2


@dataclass(frozen=True)
class Layer:
    """M = c I or diag(a I, b I) by its weights, and its risk."""

    weights: tuple[Fraction, ...]
    risk: Fraction


def blocks_of(law: Law) -> tuple[Block, ...]:
    """The blocks of m: one, or a modality each."""
    return tuple(Block(part.moment(1), part.moment(2)) for part in law.modalities or (law,))


def whole(blocks: Sequence[Block]) -> Block:
    """E s and E s^2 of the sum of independent blocks."""
    mean = sum((block.mean for block in blocks), Fraction(0))
    return Block(mean, mean**2 + sum((block.variance for block in blocks), Fraction(0)))


def layer(blocks: Sequence[Block], weights: Sequence[Fraction]) -> Layer:
    """Any diag(a I, b I): E (1 - a p - b q)^2 + a^2 E p + b^2 E q, from moments."""
    product = sum((w * block.mean for w, block in zip(weights, blocks, strict=True)), Fraction(0))
    own = sum(
        (w**2 * (block.mean + block.variance) for w, block in zip(weights, blocks, strict=True)), Fraction(0)
    )
    return Layer(tuple(weights), (1 - product) ** 2 + own)


def scalar_layer(blocks: Sequence[Block]) -> Layer:
    """The best c I.  Raises ZeroDivisionError where s = 0 almost surely."""
    mean, square = whole(blocks)
    formulas, numbers = gap_theory.scalar(), {gap_theory.E_s: mean, gap_theory.E_slam: mean + square}
    return Layer((value(formulas.best, numbers),) * len(blocks), value(formulas.risk, numbers))


def best_layer(blocks: Sequence[Block]) -> Layer:
    """The best M.  The weight of a block that is almost surely 0 is free: it is that of the other.

    Raises ZeroDivisionError where s = 0 almost surely.
    """
    if len([block for block in blocks if block.mean > 0]) < 2:
        return scalar_layer(blocks)
    first, second = blocks
    found = modalities.two_modalities()
    numbers = {
        modalities.E_p: first.mean,
        modalities.E_pp: first.square,
        modalities.E_q: second.mean,
        modalities.E_qq: second.square,
        modalities.E_inverse: Fraction(0),
    }
    # The excess is 1 - E[1/lam] less a quadratic form: at E[1/lam] = 0 it reads as the risk.
    return Layer(tuple(value(weight, numbers) for weight in found.best), value(found.excess, numbers))


@dataclass(frozen=True)
class Gap:
    """Bayes risk, and the distance of a layer's risk from it: fractions, or balls at `bits`."""

    bayes: Number
    gap: Number
    bits: int | None


def above_bayes(risk: Fraction, mixture: Mixture, max_bits: int) -> Gap:
    """risk - E[1/lam] to 15 digits, E over a mixture of laws.

    Raises PrecisionExhausted; also where the difference is 0 and E[1/lam] is not computed as a fraction.
    """
    mixture = [(weight, part) for weight, part in mixture if weight]
    terms = [BoundTerm(1, 0, 1, 0, 0)]
    if all(is_exact(part.law) for _, part in mixture):
        bayes = sum((weight * part.exact(terms) for weight, part in mixture), Fraction(0))
        return Gap(bayes, risk - bayes, None)

    def bayes_ball() -> arb:
        return sum((ball(weight) * part.ball(terms) for weight, part in mixture), arb(0))

    difference, bits = refine(lambda: ball(risk) - bayes_ball(), relative(DIGITS), max_bits)
    with ctx.workprec(bits):
        return Gap(bayes_ball(), difference, bits)


def is_exact(law: Law) -> bool:
    """Whether E[s^i/lam] is computed as a fraction."""
    return not law.pieces and law.atoms is not None and len(law.atoms.values) <= EXACT_ATOMS


def gap_by_moments(expectation: Expectation, max_bits: int) -> tuple[Number, int | None]:
    """The gap of the best layer from E[s^i/lam], i = 1, 2, 3: no difference of risks.

    The double expectation is the gap of the best scalar, of which the best diag(a I, b I)
    takes a rational part away.  Raises PrecisionExhausted; ZeroDivisionError where s = 0
    almost surely.
    """
    blocks = blocks_of(expectation.law)
    mean, square = whole(blocks)
    gained = scalar_layer(blocks).risk - best_layer(blocks).risk
    symbols = (gap_theory.E_ratio, gap_moments.E_square_ratio, gap_moments.E_cube_ratio)
    rows = [[BoundTerm(1, i, 1, 0, 0)] for i in (1, 2, 3)]
    formula = gap_moments.in_moments().gap
    if is_exact(expectation.law):
        exact = {name: expectation.exact(terms) for name, terms in zip(symbols, rows, strict=True)}
        found: Fraction = value(formula, {**exact, gap_theory.E_slam: mean + square})
        return found - gained, None

    def evaluate() -> arb:
        balls = {name: expectation.ball(terms) for name, terms in zip(symbols, rows, strict=True)}
        scalar_gap: arb = value(formula, {**balls, gap_theory.E_slam: ball(mean + square)})
        return scalar_gap - ball(gained)

    return refine(evaluate, relative(DIGITS), max_bits)


@dataclass(frozen=True)
class Family:
    """From the constant norm of the same mean to a law: each block's p is E p with probability 1 - t.

    parts: for each choice of the blocks that vary, how many do, and E over that law.
    """

    law: Law
    parts: tuple[tuple[int, Expectation], ...]

    def blocks(self, t: Fraction) -> tuple[Block, ...]:
        """The moments of the blocks at 0 <= t <= 1."""
        return tuple(Block(b.mean, b.mean**2 + t * b.variance) for b in blocks_of(self.law))

    def mixture(self, t: Fraction) -> Mixture:
        """The law of s at t as a mixture."""
        count = len(blocks_of(self.law))
        return [(t**k * (1 - t) ** (count - k), part) for k, part in self.parts]

    def is_constant(self, t: Fraction) -> bool:
        """Whether s is constant on {s > 0} at t.

        Before t = 1 the value E p has positive mass in each block, so s is constant there only
        if no block varies.
        """
        return self.law.is_constant if t == 1 else all(t * b.variance == 0 for b in blocks_of(self.law))


def family(expectation: Expectation) -> Family:
    """The family that ends at the law of an expectation."""
    law = expectation.law
    if law.modalities is None:
        return Family(law, ((0, Expectation(point(law.mean))), (1, expectation)))
    first, second = law.modalities
    fixed_first, fixed_second = point(first.mean), point(second.mean)
    return Family(
        law,
        (
            (0, Expectation(sum_of(fixed_first, fixed_second))),
            (1, Expectation(sum_of(fixed_first, second))),
            (1, Expectation(sum_of(first, fixed_second))),
            (2, expectation),
        ),
    )


def point(norm: Fraction) -> Law:
    """The law of a constant squared norm."""
    return Law("squared_norm", (f"point({norm})",), (Atoms((norm,), (Fraction(1),)),))
