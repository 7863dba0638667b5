"""Standing assumptions, and conditions on the law, that several theorems share."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from proofs_check.engine.claims import Hypothesis

if TYPE_CHECKING:
    from fractions import Fraction

    from numerics.laws import Law
    from proofs_check.engine.context import Run


INFINITE_CONTEXT = r"The context is infinite: $L \to \infty$ before training (`simulate` shows finite $L$)."
UNIT_LOSS = (
    r"$\mathbb{E}\,\zeta^2 > 0$, $\zeta$ independent of $m$; losses are per unit $\mathbb{E}\,\zeta^2$."
)
GRADIENT_FLOW = "Gradient flow, not gradient descent, on the population loss."
LETTERS = r"$s = \|m\|^2$, $\lambda = 1 + s$, $\Lambda = I + m m^\top$."
SUPPORT = (
    r"$m_{\mathrm{lo}}$ and $m_{\mathrm{hi}}$ are the ends of the law of $s = \lVert m\rVert^2$ over "
    r"$\{s > 0\}$."
)


def _bounded(run: Run) -> tuple[bool, str]:
    return run.law.is_bounded, "$s$ is unbounded" if run.law.hi is None else rf"$s \le {run.law.hi}$"


def _not_zero(run: Run) -> tuple[bool, str]:
    return not run.law.is_zero, rf"$\mathbb{{P}}(s > 0) = {1 - run.law.mass_at_zero}$"


def _varies(run: Run) -> tuple[bool, str]:
    law = run.law
    if law.is_zero:
        return False, "$s = 0$ almost surely"
    if law.is_constant:
        return False, rf"$s = {law.m_lo}$ on $\{{s > 0\}}$"
    return (
        True,
        rf"$s$ ranges from {law.m_lo} to {'infinity' if law.m_hi is None else law.m_hi} on $\{{s > 0\}}$",
    )


def _beta_matters(run: Run) -> tuple[bool, str]:
    if any(T > 1 for T in run.settings.depths):
        return True, r"a depth $T \ge 2$ is asked for"
    return False, r"$T = 1$ alone is asked for, where the loss does not depend on $\beta$"


def _two_values(run: Run) -> tuple[bool, str]:
    found = two_values(run.law)
    values = "not exactly two" if found is None else f"{found[0]} and {found[1]}"
    return found is not None, rf"values on $\{{s > 0\}}$: {values}"


def two_values(law: Law) -> tuple[Fraction, Fraction] | None:
    """Both values of s > 0, if there are just two."""
    positive = [] if law.atoms is None else [value for value in law.atoms.values if value > 0]
    return (positive[0], positive[1]) if not law.pieces and len(positive) == 2 else None


def _even(run: Run) -> tuple[bool, str]:
    even = any(T % 2 == 0 for T in run.settings.depths)
    return even, f"{'an' if even else 'no'} even depth is asked for"


def convention_matters(run: Run) -> bool:
    """Whether sqrt(m_lo) + sqrt(m_hi) and m_lo + m_hi differ: exactly, by squaring twice."""
    low, high = run.law.m_lo, run.law.m_hi
    if low is None or high is None:
        return False
    rest = (low + high) ** 2 - low - high
    return rest < 0 or rest**2 != 4 * low * high


def _conventions_differ(run: Run) -> tuple[bool, str]:
    differ = convention_matters(run)
    return differ, f"the two readings give {'different numbers' if differ else 'the same number'}"


def _one_factor(run: Run) -> tuple[bool, str]:
    factors = run.law.factors
    return factors == 1, "one factor" if factors == 1 else f"{factors} factors are given: shown for one alone"


BOUNDED = Hypothesis(
    "bounded_norm", r"$\operatorname{ess\,sup} \|m\| < \infty$", _bounded, adjective="bounded"
)
NOT_ZERO = Hypothesis(
    "not_zero",
    r"$\mathbb{P}(m \ne 0) > 0$",
    _not_zero,
    condition=r"with $\mathbb{P}(s > 0) > 0$",
    not_zero=True,
)
VARIES = Hypothesis(
    "norm_varies",
    r"$\|m\|$ is not almost surely constant on $\{m \ne 0\}$",
    _varies,
    condition=r"with $s$ not constant on $\{s > 0\}$",
    not_zero=True,
)

BETA_MATTERS = Hypothesis("beta_matters", r"$T \ge 2$", _beta_matters)
TWO_VALUES = Hypothesis(
    "two_values",
    r"$s \in \{s_1, s_2\}$ on $\{s > 0\}$",
    _two_values,
    decisive=False,
    condition="with two values of $s > 0$",
    not_zero=True,
)
EVEN_DEPTH = Hypothesis("even_depth", "$T$ even", _even, decisive=False)
ONE_FACTOR = Hypothesis("one_factor", "$k = 1$", _one_factor, decisive=False, condition="of one factor")
CONVENTIONS_DIFFER = Hypothesis(
    "conventions_differ",
    r"$\sqrt{m_{\mathrm{lo}}} + \sqrt{m_{\mathrm{hi}}} \ne m_{\mathrm{lo}} + m_{\mathrm{hi}}$",
    _conventions_differ,
    decisive=False,
    condition="for which the two readings differ",
)


def for_some_claims(hypothesis: Hypothesis) -> Hypothesis:
    """The same condition, needed by some claims only: what the theorem states holds without it."""
    return replace(hypothesis, decisive=False)
