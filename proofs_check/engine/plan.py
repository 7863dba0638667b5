"""What is to be run of a theorem; and the error for what cannot be asked for."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from proofs_check.engine.context import SETTINGS, Settings

if TYPE_CHECKING:
    from numerics.laws import Law
    from proofs_check.engine.claims import Claim, FalseVariant, Hypothesis, Theorem


class UsageError(ValueError):
    """Bad usage or input: one line that names the argument, what is wrong and what would be right."""


@dataclass(frozen=True)
class Plan:
    """What is to be run of a theorem, on which law, with which settings."""

    theorem: Theorem
    law: Law
    settings: Settings
    claims: tuple[Claim, ...]
    hypotheses: tuple[Hypothesis, ...]
    variants: tuple[FalseVariant, ...]

    @classmethod
    def of(cls, theorem: Theorem, law: Law, settings: Settings, ids: Collection[str] | None = None) -> Plan:
        """The claims with these ids (None: all that run without an option of their own or have it).

        With ids, only the hypotheses that these claims need; the false variants of the claims if the
        settings ask for them.
        """
        claims = [c for c in theorem.claims if is_asked_for(c, settings) and (ids is None or c.id in ids)]
        needed = {need for claim in claims for need in claim.needs}
        chosen = {claim.id for claim in claims}
        return cls(
            theorem,
            law,
            settings,
            tuple(claims),
            tuple(h for h in theorem.hypotheses if ids is None or h.id in needed),
            tuple(v for v in theorem.false_variants if settings.falsify and v.claim in chosen),
        )


def is_asked_for(claim: Claim, settings: Settings) -> bool:
    """Whether the option that the claim waits for, if any, was given."""
    if claim.option is None:
        return True
    given = getattr(settings, SETTINGS[claim.option])
    # 0 is a candidate like any other, and equals False.
    return given is not None and given is not False and given != ()
