r"""Theorem 6.3: the two-parameter stack of linearised cross-attention becomes Bayes-optimal.

W_S = alpha I, W_V = beta I.  Gradient flow from small weights converges to a minimum
(alpha_T, beta_T) of the population loss of depth T, which tends to (alpha*, -alpha*) and whose
excess over the Bayes risk vanishes; from other starts it escapes to beta = -infinity.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

import numerics
import theory

from proofs_check import shared, two_parameter
from proofs_check.claims import Hypothesis, NotApplicable, Record, Theorem
from proofs_check.context import Run
from proofs_check.evidence import at_most, brief, certified, derive
from reports.results import Evidence, Series

if TYPE_CHECKING:
    from numerics.basin_map import Mapped
    from numerics.laws import Law
    from numerics.profile import CriticalPoint
    from sympy import Expr

SYMBOLIC, EXACT, ENCLOSURE, NUMERIC = (
    Evidence.SYMBOLIC,
    Evidence.EXACT,
    Evidence.ENCLOSURE,
    Evidence.NUMERIC,
)


def _bounded(law: Law) -> tuple[bool, str]:
    return law.is_bounded, "s is unbounded" if law.hi is None else f"s <= {law.hi}"


def _varies(law: Law) -> tuple[bool, str]:
    if law.is_zero:
        return False, "s = 0 almost surely"
    top = "infinity" if law.m_hi is None else str(law.m_hi)
    if law.is_constant:
        return False, f"s = {top} on {{s > 0}}: the minimisers form a curve"
    return True, f"s > 0 ranges from {law.m_lo} to {top}"


BOUNDED = Hypothesis("bounded_norm", r"\operatorname{ess\,sup} \|m\| < \infty", _bounded)
VARIES = Hypothesis("norm_varies", r"\|m\| \text{ is not almost surely constant on } \{m \ne 0\}", _varies)
BOTH = (BOUNDED.id, VARIES.id)

THEOREM = Theorem(
    name="theorem_6_3",
    title="Two parameters: critical points, gradient flow, depth and Bayes optimality",
    source="Barnfield, Sen and Sur, arXiv 2602.04872, Theorem 6.3",
    statement=(
        r"W_S = \alpha I,\ W_V = \beta I: gradient flow from small weights converges to a minimum "
        r"(\alpha_T, \beta_T), and (\alpha_T, \beta_T) \to (\alpha_*, -\alpha_*) with "
        r"\alpha_* = \frac{2}{2 + m_{lo} + m_{hi}} as T \to \infty, "
        r"where the excess over the Bayes risk tends to 0"
    ),
    assumptions=(
        "The context is infinite: L -> infinity before training (`simulate` shows finite L).",
        "E zeta^2 > 0, zeta independent of m; losses are per unit E zeta^2.",
        "Gradient flow, not gradient descent, on the population loss.",
        "m_lo and m_hi are the ends of the law of s = ||m||^2 over {s > 0}.",
        "That the plane has one minimum and one saddle is found for each law and depth, not proved for all.",
    ),
    hypotheses=(BOUNDED, VARIES),
    options=frozenset({"depth", "epsilon", "start", "basin"}),
    default_depths=(2, 3, 8, 9, 64),
    max_depth=256,
    depth_limits=(
        "every law: depth 256, all critical points of the plane exactly (about 2 s at depth 256); "
        "the four exclusions: T0 up to 2^60"
    ),
)


@THEOREM.claim(
    "embedding_closed_form",
    r"F^{(T)} = \alpha \sum_{k<T} (I + \beta\Lambda)^k X "
    r"= \frac{\alpha}{\beta} \bigl((I + \beta\Lambda)^T - I\bigr) \Lambda^{-1} X",
    SYMBOLIC,
)
def embedding_closed_form(run: Run, record: Record) -> None:
    """The layers map F to F + alpha X + beta Lambda F, so F^T = p_T(Lambda) X; in an eigendirection
    of Lambda p_T = p_(T-1) + alpha + beta lam p_(T-1), p_0 = 0: induction on T.

    At beta = 0 the closed form has the limit alpha T, which solves the recurrence there.
    """
    derive(record, theory.attention.embedding_two_parameters())
    record.figure = "induction on T, symbolic"


@THEOREM.claim(
    "population_loss",
    r"\mathcal{E}_T(\alpha, \beta) = \mathbb{E}\Bigl[\frac{s}{\lambda} "
    r"\Bigl(1 + \frac{\alpha}{\beta} \bigl(1 - (1 + \beta\lambda)^T\bigr)\Bigr)^2\Bigr]",
    SYMBOLIC,
)
def population_loss(run: Run, record: Record) -> None:
    """The prediction is zeta p m^T x_q with p = p_T(lam), its risk a Gaussian second moment; less the
    Bayes risk it is (s/lam)(1 - lam p)^2, and lam p_T = (alpha/beta)((1 + beta lam)^T - 1).

    By the finite sum S over k < T of (1 + beta lam)^k it is (s/lam)(1 - alpha lam S)^2, also at beta = 0.
    """
    check_loss(record)
    derive(record, theory.profile.sum_form().derivation)
    record.figure = "from the data model, symbolic"


def check_loss(record: Record, claimed: Expr | None = None) -> None:
    """The loss and both partial derivatives; `claimed` in place of the integrand."""
    derive(record, theory.losses.two_parameter(claimed).derivation)


@THEOREM.claim(
    "critical_point_enclosure",
    r"\nabla\mathcal{E}_T(\alpha_T, \beta_T) = 0, \text{ a positive definite minimum; "
    r"all critical points of the plane}",
    ENCLOSURE,
    needs=(VARIES.id,),
)
def critical_point_enclosure(run: Run, record: Record) -> None:
    """The loss is C - 2 alpha N + alpha^2 D, N = E[s S], D = E[s lam S^2] > 0, so its critical points
    have alpha = h = N/D and lie where f = C - N^2/D, the least loss for this beta, has a critical
    value: f' = -N R/D^2, R = 2 N' D - N D'.  They are the zeros of R, and those of N, where alpha = 0.

    N and R are polynomials in beta with rational coefficients, for the moments of s are rational:
    Descartes' rule and bisection isolate all their real roots.  The Hessian has 2 D > 0 in alpha; its
    determinant is 2 D f'' at a zero of R, and -4 N'^2 at one of N: a saddle.  At a simple zero of R
    where f' changes from - to + it is positive definite.

    beta_T is then enclosed by a sign change of R in a form without cancellation, and alpha_T and
    alpha_T + beta_T follow from it.  (alpha_T, beta_T) is the minimum that the flow from the
    one-parameter minimiser reaches; `flow_converges` has the proof.
    """
    derive(record, theory.profile.profile().derivation)
    derive(record, theory.stationarity.stationarity().derivation)
    if 1 in run.settings.depths:
        two_parameter.depths(run)
        moments = numerics.profile.Profile.of(run.law, 1)
        record.check(
            EXACT,
            "T = 1 is degenerate: the loss does not depend on beta, and its minimisers form a line",
            moments.N.degree() == moments.D.degree() == 0,
            detail="N and D are constant",
        )
    points, rows, others = [], [], []
    for T in run.progress.track(two_parameter.depths(run), "critical points"):
        found = two_parameter.enclosed(run, T)
        _check_minimum(run, record, T)
        number = certified(found.excess)
        points.append(
            {
                "T": T,
                "alpha": certified(found.alpha),
                "beta": certified(found.beta[0] if found.beta[0] == found.beta[1] else found.beta, 33),
                "alpha_plus_beta": certified(found.alpha_plus_beta),
                "excess": number,
            }
        )
        rows.append([T, number.lower, number.upper])
        others += [_described(run, T, point) for point in two_parameter.profile(run, T).critical_points]
    record.values["points"], record.values["critical_points"] = points, others
    record.series["excess"] = Series(["T", "lower", "upper"], rows)
    _draw_plane(run, record)
    last = points[-1]
    record.figure = f"alpha + beta = {brief(last['alpha_plus_beta'], 4)} at T = {last['T']}"


def _check_minimum(run: Run, record: Record, T: int) -> None:
    """The steps about the minimum at one depth."""
    reached, found = two_parameter.reached(run, T), two_parameter.enclosed(run, T)
    profile, minimum = two_parameter.profile(run, T), reached.basin.minimum
    listed = ", ".join(f"{p.kind} near beta = {float(p.beta.low):.6g}" for p in profile.critical_points)
    lowest = profile.best_gain(minimum.beta.high)
    record.check(
        EXACT,
        f"all critical points of the plane isolated, the minimum positive definite, T = {T}",
        minimum.kind == "minimum",
        detail=listed,
    )
    record.check(
        EXACT,
        f"the loss is larger where beta tends to infinity, T = {T}",
        lowest > profile.gain_at_infinity,
        detail=f"C - loss: {brief(lowest)} > {brief(profile.gain_at_infinity)}",
    )
    for other in two_parameter.minima(run, T):
        if other != minimum:
            rival = two_parameter.enclosed(run, T, other)
            holds = at_most(numerics.balls.as_ball(found.excess), numerics.balls.as_ball(rival.excess))
            record.check(ENCLOSURE, f"the loss is larger at the other minimum, T = {T}", holds)
    inside = minimum.beta.low <= found.beta[0] <= found.beta[1] <= minimum.beta.high
    record.check(
        ENCLOSURE if found.bits else EXACT,
        f"the sign change of R that encloses beta_T is the isolated one, T = {T}",
        inside,
        bits=found.bits or None,
        detail=f"beta = {brief(found.beta[0], 16)}, alpha + beta = {brief(found.alpha_plus_beta)}",
    )
    record.check(
        ENCLOSURE,
        f"the flow from the one-parameter minimiser (alpha, -alpha) reaches it, T = {T}",
        True if reached.proved else None,
        detail=f"alpha = {brief(shared.minimiser(run, T).middle)}, in the certified basin",
    )


def _described(run: Run, T: int, point: CriticalPoint) -> dict[str, object]:
    """A critical point in a few digits."""
    beta = point.beta
    middle = (beta.low + beta.high) / 2
    alpha = Fraction(0) if point.on_axis else two_parameter.profile(run, T).ridge(middle)
    return {"T": T, "kind": point.kind, "alpha": f"{float(alpha):.8g}", "beta": certified((beta.low, beta.high), 10)}


def _draw_plane(run: Run, record: Record) -> None:
    T = two_parameter.plane_depth(run)
    width = abs(two_parameter.middle(two_parameter.enclosed(run, T)))
    rows = numerics.basin_map.loss_plane(run.law, T, width)
    record.values["loss_plane_depth"] = T
    record.series["loss_plane"] = Series(["alpha", "beta", "log10_excess"], rows)
