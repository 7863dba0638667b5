"""The words and the numbers of a result.

Words: what a check finds, by which evidence, for which laws, and whose statement it is.  Numbers: enclosed
between two decimals, or sampled.
"""

from __future__ import annotations

import enum
import numbers
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal, Protocol

import msgspec


class Verdict(enum.StrEnum):
    """What a check found.  Computed from its steps, never typed."""

    VERIFIED = "verified"
    REFUTED = "refuted"
    INCONCLUSIVE = "inconclusive"
    NOT_APPLICABLE = "not_applicable"

    @classmethod
    def of(cls, holds: bool | None) -> Verdict:
        """``True``: verified, ``False``: refuted, ``None`` (not decided): inconclusive."""
        if holds is None:
            return cls.INCONCLUSIVE
        return cls.VERIFIED if holds else cls.REFUTED

    @classmethod
    def worst(cls, verdicts: Iterable[Verdict]) -> Verdict:
        """Refuted before inconclusive before verified; those that do not apply are left out.

        Nothing at all, or nothing that applies, is ``NOT_APPLICABLE``.
        """
        found = set(verdicts)
        for verdict in (cls.REFUTED, cls.INCONCLUSIVE, cls.VERIFIED):
            if verdict in found:
                return verdict
        return cls.NOT_APPLICABLE


class Evidence(enum.StrEnum):
    """Kinds of evidence, strongest first."""

    SYMBOLIC = "symbolic"
    EXACT = "exact"
    ENCLOSURE = "enclosure"
    NUMERIC = "numeric"
    STATISTICAL = "statistical"

    @property
    def strength(self) -> int:
        """0 for the strongest kind; larger is weaker."""
        return list(Evidence).index(self)

    @classmethod
    def weakest(cls, kinds: Iterable[Evidence]) -> Evidence | None:
        """The weakest of ``kinds``; None if there are none."""
        return max(kinds, key=lambda kind: kind.strength, default=None)


class Basis(enum.StrEnum):
    """What an argument for every law rests on."""

    SYMBOLIC = "symbolic"
    PROSE = "prose"
    FORMAL = "formal"


class Origin(enum.StrEnum):
    """Where a statement comes from: quoted from the paper, read in a summary of it, derived here."""

    QUOTED = "quoted"
    SUMMARY = "summary"
    DERIVED = "derived"


class CoqTheorem(msgspec.Struct, frozen=True, rename={"laws": "for"}):
    """A theorem of the formal library that carries a claim, or a part of it.

    laws:      for which laws it holds, under the claim's hypotheses; the key `for`.
    part:      what of the claim it carries, where that is not all.
    statement: as Coq prints it; empty for a theorem that is not of this library.
    """

    theorem: str
    laws: str
    part: str = ""
    statement: str = ""


class Universal(msgspec.Struct, frozen=True, rename={"laws": "for"}):
    """The part of a claim's argument that is not about the law of the run.

    laws:     for which laws it holds ("every bounded law"); the key `for`.
    argument: what it says, in a few words.
    theorem:  the name of the Coq theorem, with `by` formal and only then.
    coq:      what of it Coq has checked: with `by` formal all of it, else parts, and maybe for fewer laws.
    """

    laws: str
    by: Basis
    theorem: str | None = None
    argument: str = ""
    coq: list[CoqTheorem] = []


class Provenance(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where a statement comes from.

    version, number: of the paper, and of the theorem in it; with `quoted` both.
    note:            what of it is from elsewhere.
    """

    kind: Origin
    version: str = ""
    number: str = ""
    note: str = ""


class _Judged(Protocol):
    @property
    def verdict(self) -> Verdict: ...
    @property
    def ok(self) -> bool: ...


class Judged:
    """What has a verdict: true in a condition if it is `ok`."""

    __slots__ = ()

    @property
    def ok(self: _Judged) -> bool:
        """Whether it is verified: not so if refuted, inconclusive or not applicable."""
        return self.verdict is Verdict.VERIFIED

    def __bool__(self: _Judged) -> bool:
        return self.ok


class UndecidedError(ValueError):
    """The ends of an enclosure do not tell how its number compares."""


class Certified(msgspec.Struct, frozen=True, omit_defaults=True, eq=False):
    """A real number between two decimals that were rounded outward; `exact`, a rational, where it is one.

    It compares with numbers, and by `<`, `<=`, `>`, `>=` with another enclosure, where the ends decide
    that; else UndecidedError.  Two enclosures are equal if their ends are.

    >>> gap = Certified("0.0366", "0.0367")
    >>> gap > 0, gap == 1, Fraction("0.03667") in gap
    (True, False, True)
    >>> gap.middle, gap.radius, float(gap)
    (Fraction(733, 20000), Fraction(1, 20000), 0.03665)
    >>> gap < Certified("0.0367", "0.04")
    Traceback (most recent call last):
        ...
    reports.vocabulary.UndecidedError: [0.0366, 0.0367] and [0.0367, 0.04] overlap: undecided
    """

    lower: str
    upper: str
    exact: str | None = None

    @property
    def ends(self) -> tuple[Fraction, Fraction]:
        """Both ends; where the number is rational, that number twice."""
        if self.exact is not None:
            return (rational(self.exact),) * 2
        return rational(self.lower), rational(self.upper)

    @property
    def middle(self) -> Fraction:
        """The number halfway between the ends."""
        return sum(self.ends, Fraction(0)) / 2

    @property
    def radius(self) -> Fraction:
        """How far the number is from the middle at most."""
        low, high = self.ends
        return (high - low) / 2

    def __float__(self) -> float:
        return float(self.middle)

    def __bool__(self) -> bool:
        return self != 0

    def __contains__(self, number: object) -> bool:
        (low, high), (below, above) = self.ends, _ends(number)
        return bool(low <= below and above <= high)

    def __hash__(self) -> int:
        low, high = self.ends
        return hash(low) if low == high else hash((low, high))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Certified):
            return self.ends == other.ends
        if not _is_number(other):
            return NotImplemented
        (low, high), (number, _) = self.ends, _ends(other)
        if low < high and low <= number <= high:
            raise self._undecided(other)
        return bool(low == number)

    def __ne__(self, other: object) -> bool:
        # That of msgspec's own would not ask __eq__.
        return not self == other

    def __lt__(self, other: object) -> bool:
        (low, high), (below, above) = self.ends, _ends(other)
        if high < below or low >= above:
            return bool(high < below)
        raise self._undecided(other)

    def __le__(self, other: object) -> bool:
        (low, high), (below, above) = self.ends, _ends(other)
        if high <= below or low > above:
            return bool(high <= below)
        raise self._undecided(other)

    def __gt__(self, other: object) -> bool:
        return not self <= other

    def __ge__(self, other: object) -> bool:
        return not self < other

    def _undecided(self, other: object) -> UndecidedError:
        texts = [f"[{x.lower}, {x.upper}]" if isinstance(x, Certified) else str(x) for x in (self, other)]
        return UndecidedError(f"{' and '.join(texts)} overlap: undecided")


class Sampled(msgspec.Struct, frozen=True):
    """A Monte-Carlo mean with its confidence interval; None where it overflowed."""

    mean: float | None
    low: float | None
    high: float | None
    confidence: float
    samples: int


def _is_number(value: object) -> bool:
    return isinstance(value, numbers.Real | Decimal)


def _ends(value: object) -> tuple[Any, Any]:
    """The ends of an enclosure; a number twice, such that Python compares it with a Fraction exactly."""
    if isinstance(value, Certified):
        return value.ends
    if isinstance(value, Decimal):
        return (Fraction(value) if value.is_finite() else float(value),) * 2
    if isinstance(value, numbers.Real):
        if isinstance(value, numbers.Rational):
            # Those of NumPy would overflow.
            return (Fraction(int(value.numerator), int(value.denominator)),) * 2
        return (float(value),) * 2
    raise TypeError(f"an enclosure does not compare with {type(value).__name__}")


class NotANumberError(ValueError):
    """What stands where a result has a number is none; no run writes that."""


MOST_EXPONENT = 999_999
"""Of a result's numbers: a law's are within 1e-100 and 1e100, and depths go to 4096."""


def bounded(number: Decimal) -> Decimal:
    """The number.  Raises OverflowError for one that would fill the memory as a Fraction."""
    if abs(number.adjusted()) > MOST_EXPONENT:
        raise OverflowError(f"{number} is beyond the numbers that a run writes")
    return number


def rational(text: str) -> Fraction:
    """The number that a decimal or a quotient of integers stands for, of any length.

    Raises NotANumberError.

    >>> rational("2/7"), rational("1.5e-3")
    (Fraction(2, 7), Fraction(3, 2000))
    """
    above, _, below = text.partition("/")
    try:
        return Fraction(bounded(Decimal(above))) / Fraction(bounded(Decimal(below or 1)))
    except (ArithmeticError, ValueError) as error:
        raise NotANumberError(f"{text!r} is not a number") from error


class Compared(msgspec.Struct, frozen=True):
    """Two numbers, and how the first had to compare with the second; the step's verdict says if it does."""

    left: Certified
    relation: Literal["<", "<=", ">", ">=", "="]
    right: Certified
