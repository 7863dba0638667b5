"""Standing assumptions, and conditions on the law, that several theorems share."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from proofs_check.claims import Hypothesis

if TYPE_CHECKING:
    from numerics.laws import Law


INFINITE_CONTEXT = "The context is infinite: L -> infinity before training (`simulate` shows finite L)."
UNIT_LOSS = "E zeta^2 > 0, zeta independent of m; losses are per unit E zeta^2."
GRADIENT_FLOW = "Gradient flow, not gradient descent, on the population loss."
SUPPORT = "m_lo and m_hi are the ends of the law of s = ||m||^2 over {s > 0}."


def _bounded(law: Law) -> tuple[bool, str]:
    return law.is_bounded, "s is unbounded" if law.hi is None else f"s <= {law.hi}"


def _not_zero(law: Law) -> tuple[bool, str]:
    return not law.is_zero, f"P(s > 0) = {1 - law.mass_at_zero}"


def _varies(law: Law) -> tuple[bool, str]:
    if law.is_zero:
        return False, "s = 0 almost surely"
    if law.is_constant:
        return False, f"s = {law.m_lo} on {{s > 0}}"
    return True, f"s ranges from {law.m_lo} to {'infinity' if law.m_hi is None else law.m_hi} on {{s > 0}}"


BOUNDED = Hypothesis("bounded_norm", r"\operatorname{ess\,sup} \|m\| < \infty", _bounded)
NOT_ZERO = Hypothesis("not_zero", r"\mathbb{P}(m \ne 0) > 0", _not_zero)
VARIES = Hypothesis("norm_varies", r"\|m\| \text{ is not almost surely constant on } \{m \ne 0\}", _varies)


def for_some_claims(hypothesis: Hypothesis) -> Hypothesis:
    """The same condition, needed by some claims only: the theorem applies without it."""
    return replace(hypothesis, decisive=False)
