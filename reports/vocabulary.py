"""The words of a result: what a check finds, by which evidence, for which laws, and whose statement it is."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import Protocol

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
