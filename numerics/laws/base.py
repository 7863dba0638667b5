"""The law of s = ||m||^2: its support, exact moments and sampling."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import TYPE_CHECKING, Literal, NamedTuple

from numerics.laws.components import (
    Atoms,
    BetaPiece,
    Component,
    CutPiece,
    GammaPiece,
    Piece,
    SignedPiece,
    SumPiece,
    Window,
    moments,
    piece_support,
    summands,
)

if TYPE_CHECKING:
    import numpy as np

    from numerics.laws.sampling import FloatArray

__all__ = [
    "Atoms",
    "BetaPiece",
    "Component",
    "CutPiece",
    "GammaPiece",
    "Law",
    "LawError",
    "LawKind",
    "Piece",
    "SignedPiece",
    "SourceFile",
    "SumPiece",
    "Window",
    "quoted",
]

LawKind = Literal["squared_norm", "norm", "modalities", "factors"]


class LawError(ValueError):
    """A law or number that does not exist; the message is one line and says what would be right."""


def quoted(text: str) -> str:
    """Text of the user's in quotes, on one line, without control characters, cut where it is long."""
    short = text if len(text) <= 60 else text[:57] + "..."
    plain = (c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in short)
    return f"'{''.join(plain)}'"


class SourceFile(NamedTuple):
    """A file that observed values were read from, and how many of its values were used."""

    path: str
    sha256: str
    values: int


@dataclass(frozen=True)
class Law:
    """The law of s = ||m||^2, a mixture of components.

    kind:       what `texts` are the laws of: ||m||^2, ||m||, ||v_1||^2, ||v_2||^2, ... or the eigenvalues
                of M^T M, of which s is one drawn at random.
    texts:      canonical, and valid input again.
    components: at most one `Atoms`; the masses add up to 1.
    modalities: the independent laws of ||v_1||^2, ||v_2||^2, ... that s is the sum of.
    files:      every file read.
    """

    kind: LawKind
    texts: tuple[str, ...]
    components: tuple[Component, ...]
    modalities: tuple[Law, ...] | None = None
    files: tuple[SourceFile, ...] = ()

    @cached_property
    def atoms(self) -> Atoms | None:
        """The atomic component, if there is one."""
        return next((c for c in self.components if isinstance(c, Atoms)), None)

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """The components that have a density."""
        return tuple(c for c in self.components if not isinstance(c, Atoms))

    @cached_property
    def is_rational(self) -> bool:
        """Whether the moments are rational numbers: no density was cut where it is no polynomial."""
        return not any(isinstance(part, CutPiece) for piece in self.pieces for part in summands(piece))

    @cached_property
    def lo(self) -> Fraction:
        """Essential infimum of s, zero included."""
        return min(piece_support(c)[0] for c in self.components)

    @cached_property
    def hi(self) -> Fraction | None:
        """Essential supremum of s; None if unbounded."""
        ends = [piece_support(c)[1] for c in self.components]
        finite = [end for end in ends if end is not None]
        return max(finite) if len(finite) == len(ends) else None

    @cached_property
    def mass_at_zero(self) -> Fraction:
        """P(s = 0)."""
        return self.atoms.masses[0] if self.atoms and self.atoms.values[0] == 0 else Fraction(0)

    @property
    def factors(self) -> int:
        """How many latent factors a prompt has."""
        return len(self.texts) if self.kind == "factors" else 1

    @property
    def is_zero(self) -> bool:
        """Whether s = 0 almost surely."""
        return self.mass_at_zero == 1

    @property
    def is_bounded(self) -> bool:
        """Whether s is almost surely bounded."""
        return self.hi is not None

    @property
    def is_constant(self) -> bool:
        """Whether s is almost surely constant on {s > 0}."""
        return self.m_lo == self.m_hi

    @cached_property
    def m_lo(self) -> Fraction | None:
        """Essential infimum of s over {s > 0}; None if s = 0 almost surely.

        A density that reaches down to 0 has m_lo = 0.
        """
        ends = [piece_support(piece)[0] for piece in self.pieces]
        if self.atoms:
            ends += [value for value in self.atoms.values[:2] if value > 0][:1]
        return min(ends, default=None)

    @property
    def m_hi(self) -> Fraction | None:
        """Essential supremum of s over {s > 0}; None if unbounded or if s = 0 almost surely."""
        return None if self.is_zero else self.hi

    @property
    def lambda_ends(self) -> tuple[Fraction, Fraction | None]:
        """Ends of lam = 1 + s over {s > 0}, the upper one None if unbounded.

        Raises ValueError if s = 0 almost surely.
        """
        if self.m_lo is None:
            raise ValueError("s = 0 almost surely: there is no {s > 0}")
        return 1 + self.m_lo, None if self.m_hi is None else 1 + self.m_hi

    def moments(self, count: int) -> list[Fraction]:
        """E s^k for k = 0, ..., count - 1, exactly.  Computed once, and then remembered.

        Raises NotRational where they are no rational numbers.
        """
        table = self._moments
        if len(table) < count:
            longer = max(count, 2 * len(table))
            rows = [moments(component, longer) for component in self.components]
            table[:] = [sum(column, Fraction(0)) for column in zip(*rows, strict=True)]
        return table[:count]

    def moment(self, k: int) -> Fraction:
        """E s^k, k >= 0, exactly; of a law of the norm this is E ||m||^(2k)."""
        return self.moments(k + 1)[k]

    @cached_property
    def _moments(self) -> list[Fraction]:
        return []

    @property
    def mean(self) -> Fraction:
        """E s."""
        return self.moment(1)

    def sample(self, rng: np.random.Generator, size: int) -> FloatArray:
        """`size` independent draws of s, float64."""
        import numpy as np

        from numerics.laws.sampling import sample

        if len(self.components) == 1:
            return sample(self.components[0], rng, size)
        masses = np.array([_float_mass(component) for component in self.components])
        labels = rng.choice(len(masses), size=size, p=masses / masses.sum())
        draws = np.empty(size)
        for label in np.unique(labels):
            here = labels == label
            draws[here] = sample(self.components[label], rng, int(here.sum()))
        return draws


def _float_mass(component: Component) -> float:
    if isinstance(component, Atoms):
        return float(sum(component.masses))
    total = float(component.mass)
    for piece in summands(component):
        if isinstance(piece, CutPiece):
            from numerics.laws.contents import share

            total *= float(share(piece))
    return total


def lam_moments(moments: Sequence[Fraction]) -> tuple[list[int], int]:
    """E[s lam^j] from E s^(1+j), over a common denominator: lam = 1 + s adds neighbours."""
    unit = lcm(*(moment.denominator for moment in moments))
    row, found = [moment.numerator * (unit // moment.denominator) for moment in moments], []
    while row:
        found.append(row[0])
        row = [a + b for a, b in itertools.pairwise(row)]
    return found, unit
