"""One layer of linear self-attention, infinite context: best weights, risk, gap to the Bayes risk.

m is isotropic, or made of two isotropic independent blocks; p is the squared norm of a
block, s their sum, lam = 1 + s.  Risks are per unit E zeta^2.  The best M is c I, or
diag(a I, b I).  All that is asked of the law but E[1/lam] are moments: rational, or where a density
was cut balls of many bits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import NamedTuple

from flint import arb, ctx

from numerics.arithmetic.balls import Number, alike, as_ball, ball, dyadic, precise, refine, relative
from numerics.arithmetic.formula import value
from numerics.expectation.over_law import Expectation
from numerics.laws import Atoms, Law
from numerics.laws.sums import sum_of
from theory import gap as gap_theory
from theory import modalities, several_modalities
from theory.normal_form import BoundTerm

DIGITS = 15
EXACT_ATOMS = 64
"""Up to so many atoms E[s^i/lam] is computed as a fraction."""

BITS = 128

MAX_DENOMINATOR = 10**6
"""Of the constant in place of a mean that is no rational number."""

Mixture = Sequence[tuple[Fraction, "Reciprocal"]]


class Block(NamedTuple):
    """E p and E p^2 of one isotropic block."""

    mean: Number
    square: Number

    @property
    @precise
    def variance(self) -> Number:
        """Var p."""
        return self.square - self.mean**2


@dataclass(frozen=True)
class Layer:
    """M = c I or diag(a I, b I) by its weights, and its risk."""

    weights: tuple[Number, ...]
    risk: Number


@precise
def blocks_of(law: Law) -> tuple[Block, ...]:
    """The blocks of m: one, or a modality each."""
    parts = [Expectation(part) for part in law.modalities or (law,)]
    numbers = alike(*(part.moment(k) for part in parts for k in (1, 2)))
    return tuple(map(Block, numbers[::2], numbers[1::2]))


@precise
def whole(blocks: Sequence[Block]) -> Block:
    """E s and E s^2 of the sum of independent blocks."""
    mean = sum(block.mean for block in blocks)
    return Block(mean, mean**2 + sum(block.variance for block in blocks))


@precise
def layer(blocks: Sequence[Block], weights: Sequence[Number]) -> Layer:
    """Any diag(a I, b I): E (1 - a p - b q)^2 + a^2 E p + b^2 E q, from moments."""
    product = sum((w * block.mean for w, block in zip(weights, blocks, strict=True)))
    own = sum(w**2 * (block.mean + block.variance) for w, block in zip(weights, blocks, strict=True))
    return Layer(tuple(weights), (1 - product) ** 2 + own)


@precise
def slopes(blocks: Sequence[Block], weights: Sequence[Number]) -> tuple[Number, ...]:
    """Half the derivative of the risk in each weight; the risk is convex, and least where all are 0."""
    missing = 1 - sum((w * block.mean for w, block in zip(weights, blocks, strict=True)))
    return tuple(
        w * (block.mean + block.variance) - missing * block.mean
        for w, block in zip(weights, blocks, strict=True)
    )


@precise
def scalar_layer(blocks: Sequence[Block]) -> Layer:
    """The best c I; where s = 0 almost surely every M is, and c is given as 0."""
    mean, square = whole(blocks)
    if mean == 0:
        return layer(blocks, (mean,) * len(blocks))
    formulas, numbers = gap_theory.scalar(), {gap_theory.E_s: mean, gap_theory.E_slam: mean + square}
    return Layer((value(formulas.best, numbers),) * len(blocks), value(formulas.risk, numbers))


@precise
def best_layer(blocks: Sequence[Block]) -> Layer:
    """The best M.  The weight of a block that is almost surely 0 is free: it is that of another."""
    present = [block for block in blocks if block.mean > 0]
    if len(present) < 2:
        return scalar_layer(blocks)
    if len(present) == 2:
        weights, risk = _best_of_two(*present)
    else:
        weights, risk = _best_of_several(present)
    found = iter(weights)
    return Layer(tuple(next(found) if block.mean > 0 else weights[0] for block in blocks), risk)


def _best_of_two(first: Block, second: Block) -> tuple[list[Number], Number]:
    found = modalities.two_modalities()
    numbers = {
        modalities.E_p: first.mean,
        modalities.E_pp: first.square,
        modalities.E_q: second.mean,
        modalities.E_qq: second.square,
        modalities.E_inverse: 0 * first.mean,
    }
    # The excess is 1 - E[1/lam] less a quadratic form: at E[1/lam] = 0 it reads as the risk.
    return [value(weight, numbers) for weight in found.best], value(found.excess, numbers)


def _best_of_several(blocks: Sequence[Block]) -> tuple[list[Number], Number]:
    count = len(blocks)
    found = several_modalities.several(count)
    numbers = dict(zip(several_modalities.means(count), (block.mean for block in blocks), strict=True))
    own = (block.variance for block in blocks)
    numbers |= dict(zip(several_modalities.variances(count), own, strict=True))
    return [value(weight, numbers) for weight in found.best], value(found.risk, numbers)


class Reciprocal:
    """E[1/lam] over one law: a fraction where the atoms are few, balls that are remembered by precision."""

    def __init__(self, expectation: Expectation) -> None:
        self.expectation = expectation
        self._balls: dict[int, arb] = {}

    @property
    def is_exact(self) -> bool:
        """Whether `fraction` is there."""
        return is_exact(self.expectation.law)

    @cached_property
    def fraction(self) -> Fraction:
        """Exactly."""
        return self.expectation.exact([BoundTerm(1, 0, 1, 0, 0)])

    @property
    def ball(self) -> arb:
        """At flint's working precision."""
        if ctx.prec not in self._balls:
            self._balls[ctx.prec] = self.expectation.ball([BoundTerm(1, 0, 1, 0, 0)])
        return self._balls[ctx.prec]


@dataclass(frozen=True)
class EnclosedRisk:
    """A number: a fraction, or a ball that was computed at `bits`."""

    value: Number
    bits: int | None

    @property
    def is_exact(self) -> bool:
        """Whether it is a fraction."""
        return isinstance(self.value, Fraction)


def bayes_risk(mixture: Mixture) -> Number:
    """E[1/lam] over a mixture of laws: a fraction, or a ball at the working precision."""
    parts = [(weight, part) for weight, part in mixture if weight]
    if all(part.is_exact for _, part in parts):
        return sum((weight * part.fraction for weight, part in parts), Fraction(0))
    return _bayes_ball(parts)


def _bayes_ball(mixture: Mixture) -> arb:
    return sum((ball(weight) * part.ball for weight, part in mixture if weight), arb(0))


def above_bayes(risk: Number, mixture: Mixture, max_bits: int) -> EnclosedRisk:
    """risk - E[1/lam] to 15 digits, E over a mixture of laws.

    Raises PrecisionExhausted; also where the difference is 0 and E[1/lam] is not computed as a fraction.
    """
    bayes = bayes_risk(mixture)
    if isinstance(bayes, Fraction) and isinstance(risk, Fraction):
        return EnclosedRisk(risk - bayes, None)
    return _narrow(lambda: as_ball(risk) - _bayes_ball(mixture), max_bits)


def _narrow(evaluate: Callable[[], arb], max_bits: int) -> EnclosedRisk:
    return EnclosedRisk(*refine(evaluate, relative(DIGITS), max_bits, min(BITS, max_bits)))


def is_exact(law: Law) -> bool:
    """Whether E[s^i/lam] is computed as a fraction."""
    return not law.pieces and law.atoms is not None and len(law.atoms.values) <= EXACT_ATOMS


def gap_by_moments(expectation: Expectation, max_bits: int) -> EnclosedRisk:
    """The gap of the best layer from E[s^i/lam], i = 1, 2, 3: no difference of risks.

    The double expectation is the gap of the best scalar, of which the best diag(a I, b I)
    takes a rational part away.  Raises PrecisionExhausted; ZeroDivisionError where s = 0
    almost surely.
    """
    blocks = blocks_of(expectation.law)
    slam, gained = _second_and_gained(blocks)
    symbols = (gap_theory.E_ratio, gap_theory.E_square_ratio, gap_theory.E_cube_ratio)
    terms = {name: [BoundTerm(1, i, 1, 0, 0)] for i, name in enumerate(symbols, start=1)}
    formula = gap_theory.in_moments().gap
    if is_exact(expectation.law):
        exact = {name: expectation.exact(term) for name, term in terms.items()}
        return EnclosedRisk(value(formula, {**exact, gap_theory.E_slam: slam}) - gained, None)

    def evaluate() -> arb:
        balls = {name: expectation.ball(term) for name, term in terms.items()}
        found: arb = value(formula, {**balls, gap_theory.E_slam: as_ball(slam)})
        return found - as_ball(gained)

    return _narrow(evaluate, max_bits)


@precise
def _second_and_gained(blocks: Sequence[Block]) -> tuple[Number, Number]:
    """E[s lam], and by how much the best layer is better than the best scalar."""
    gained = Fraction(0) if len(blocks) == 1 else scalar_layer(blocks).risk - best_layer(blocks).risk
    return sum(whole(blocks)), gained


@dataclass(frozen=True)
class MixtureFamily:
    """From a constant norm to a law: each block's p is a constant with probability 1 - t.

    constants: E p of each block; where that is no rational number, one near it.
    parts:     for each choice of the blocks that vary, which do, and E[1/lam] over that law.
    """

    law: Law
    constants: tuple[Fraction, ...]
    parts: tuple[tuple[tuple[bool, ...], Reciprocal], ...]

    @precise
    def blocks(self, t: Fraction) -> tuple[Block, ...]:
        """The moments of the blocks at 0 <= t <= 1."""
        return tuple(
            Block(_between(c, b.mean, t), _between(c**2, b.square, t))
            for c, b in zip(self.constants, blocks_of(self.law), strict=True)
        )

    def mixture(self, t: Fraction) -> Mixture:
        """The law of s at t as a mixture."""
        return [(t ** sum(vary) * (1 - t) ** (len(vary) - sum(vary)), part) for vary, part in self.parts]

    def is_constant(self, t: Fraction) -> bool:
        """Whether s is constant on {s > 0} at t.

        Before t = 1 each constant, not 0 unless its block is, has positive mass, so s is constant there only
        if no block varies.
        """
        return self.law.is_constant if t == 1 else all(t == 0 or b.variance == 0 for b in blocks_of(self.law))


def family(end: Reciprocal) -> MixtureFamily:
    """The family that ends at the law of `end`."""
    law = end.expectation.law
    blocks = law.modalities or (law,)
    constants = tuple(_near(block.mean) for block in blocks_of(law))
    parts = []
    for vary in product((False, True), repeat=len(blocks)):
        drawn = [block if own else point(c) for own, block, c in zip(vary, blocks, constants, strict=True)]
        parts.append(
            (vary, end if all(vary) else _reciprocal(drawn[0] if len(drawn) == 1 else sum_of(*drawn)))
        )
    return MixtureFamily(law, constants, tuple(parts))


def _between(first: Fraction, second: Number, t: Fraction) -> Number:
    """(1 - t) first + t second."""
    if t == 0:
        return first
    start, end, share = alike(first, second, t)
    return start + share * (end - start)


def _near(mean: Number) -> Fraction:
    return mean if isinstance(mean, Fraction) else dyadic(mean).limit_denominator(MAX_DENOMINATOR)


def _reciprocal(law: Law) -> Reciprocal:
    return Reciprocal(Expectation(law))


def point(norm: Fraction) -> Law:
    """The law of a constant squared norm."""
    return Law("squared_norm", (f"point({norm})",), (Atoms((norm,), (Fraction(1),)),))


class SingleLayer:
    """The best layer for one law and its gap, each computed once.

    max_bits: limit of the working precision.
    """

    def __init__(self, expectation: Expectation, max_bits: int) -> None:
        self.expectation, self.max_bits = expectation, max_bits
        self.blocks = blocks_of(expectation.law)
        self.reciprocal = Reciprocal(expectation)

    @cached_property
    def scalar(self) -> Layer:
        """The best c I."""
        return scalar_layer(self.blocks)

    @cached_property
    def best(self) -> Layer:
        """The best M."""
        return best_layer(self.blocks)

    @cached_property
    @precise
    def gained(self) -> Number:
        """By how much the best M is better than the best scalar."""
        return self.scalar.risk - self.best.risk if len(self.blocks) > 1 else Fraction(0)

    @cached_property
    def family(self) -> MixtureFamily:
        """The family from the constant norm to this law."""
        return family(self.reciprocal)

    @cached_property
    def gap(self) -> EnclosedRisk:
        """The gap of the best M.  Raises PrecisionExhausted."""
        return self.above_bayes(self.best)

    @cached_property
    def double_expectation(self) -> EnclosedRisk:
        """The same by `gap_by_moments`.  Raises PrecisionExhausted."""
        return gap_by_moments(self.expectation, self.max_bits)

    @property
    def bayes(self) -> EnclosedRisk:
        """E[1/lam], at the precision of `gap`."""
        bits = self.gap.bits
        with ctx.workprec(bits or BITS):
            return EnclosedRisk(bayes_risk([(Fraction(1), self.reciprocal)]), bits)

    def above_bayes(self, of: Layer) -> EnclosedRisk:
        """The gap of a layer.  Raises PrecisionExhausted."""
        return above_bayes(of.risk, [(Fraction(1), self.reciprocal)], self.max_bits)

    def gap_at(self, t: Fraction) -> EnclosedRisk:
        """The gap of the best M at the member t of the family.  Raises PrecisionExhausted."""
        if t == 1:
            return self.gap
        return above_bayes(best_layer(self.family.blocks(t)).risk, self.family.mixture(t), self.max_bits)
