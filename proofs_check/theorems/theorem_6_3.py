r"""Theorem 6.3: the two-parameter stack of linearised cross-attention becomes Bayes-optimal.

W_S = alpha I, W_V = beta I.  Gradient flow from small weights converges to a minimum
(alpha_T, beta_T) of the population loss of depth T, which tends to (alpha*, -alpha*) and whose
excess over the Bayes risk vanishes; from other starts it escapes to beta = -infinity.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numerics
import theory
from proofs_check import finite_context, shared, two_parameter
from proofs_check import two_parameter_steps as steps
from proofs_check.claims import Record, Theorem
from proofs_check.context import Run
from proofs_check.evidence import ENCLOSURE, EXACT, NUMERIC, STATISTICAL, SYMBOLIC, brief, certified, derive
from proofs_check.hypotheses import (
    BETA_MATTERS,
    BOUNDED,
    EVEN_DEPTH,
    GRADIENT_FLOW,
    INFINITE_CONTEXT,
    SUPPORT,
    TWO_VALUES,
    UNIT_LOSS,
    VARIES,
    two_values,
)
from reports.results import Series

if TYPE_CHECKING:
    from sympy import Expr


BOTH = (BOUNDED.id, VARIES.id)

THEOREM = Theorem(
    name="theorem_6_3",
    title="Two parameters: critical points, gradient flow, depth and Bayes optimality",
    source="Barnfield, Sen and Sur, arXiv 2602.04872, Theorem 6.3",
    statement=(
        r"W_S = \alpha I,\ W_V = \beta I, T \ge 2: gradient flow from small weights converges to a minimum "
        r"(\alpha_T, \beta_T), and (\alpha_T, \beta_T) \to (\alpha^*, -\alpha^*) with "
        r"\alpha^* = \frac{2}{2 + m_{\mathrm{lo}} + m_{\mathrm{hi}}} as T \to \infty, "
        r"where the excess over the Bayes risk tends to 0"
    ),
    assumptions=(
        INFINITE_CONTEXT,
        UNIT_LOSS,
        GRADIENT_FLOW,
        SUPPORT,
        "That the plane has one minimum and one saddle is found for each law and depth, not proved for all.",
    ),
    hypotheses=(BOUNDED, VARIES, BETA_MATTERS, TWO_VALUES, EVEN_DEPTH),
    options=frozenset({"depth", "epsilon", "start", "basin"}),
    default_depths=(2, 3, 8, 9, 64),
    max_depth=256,
    depth_limits=(
        "every law: depth 256, all critical points of the plane exactly (some seconds at depth 256); "
        "the flow is integrated where float64 resolves the depth (chi2: to about 140); "
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
    of Lambda: p_T = p_(T-1) + alpha + beta lam p_(T-1), p_0 = 0: induction on T.

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
    needs=(VARIES.id, BETA_MATTERS.id),
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
    depths = two_parameter.depths(run)
    derive(record, theory.profile.profile().derivation)
    derive(record, theory.stationarity.stationarity().derivation)
    if 1 in run.settings.depths:
        moments = numerics.profile.Profile.of(run.law, 1)
        record.check(
            EXACT,
            "T = 1 is degenerate: the loss does not depend on beta, and its minimisers form a line",
            moments.N.degree() == moments.D.degree() == 0,
            detail="N and D are constant",
        )
    points: list[dict[str, Any]] = []
    for T in run.progress.track(depths, "critical points"):
        steps.check_minimum(run, record, T)
        points.append(steps.point(run, T))
    record.values["points"] = points
    record.values["critical_points"] = [
        steps.described(run, T, point)
        for T in depths
        for point in two_parameter.profile(run, T).critical_points
    ]
    rows = [[point["T"], point["excess"].lower, point["excess"].upper] for point in points]
    record.series["excess"] = Series(["T", "lower", "upper"], rows)
    steps.draw_plane(run, record)
    record.figure = f"alpha + beta = {brief(points[-1]['alpha_plus_beta'], 4)} at T = {depths[-1]}"


@THEOREM.claim(
    "flow_converges",
    r"\text{gradient flow from } (0,0), \text{ from small weights and from } (\alpha, -\alpha) "
    r"\text{ at the one-parameter minimiser converges to } (\alpha_T, \beta_T)",
    NUMERIC,
    needs=(VARIES.id, BETA_MATTERS.id),
)
def flow_converges(run: Run, record: Record) -> None:
    """The loss is L = f(beta) + D (alpha - h)^2 and falls along the flow, so f(beta(t)) <= L(start):
    beta never crosses a value where f exceeds the loss of the start.  Let beta_T be the last zero of
    N R, N > 0 from the zero beta_s before it on: f falls on (beta_s, beta_T), where R > 0, and
    rises beyond, where R < 0.

    Below the barrier.  A start with beta_0 > beta_s and L <= f(beta_s) converges to (h(beta_T), beta_T).
    beta stays above some b > beta_s.  alpha > 0 from the first moment on, as L < C needs alpha N > 0 and
    alpha rises at alpha = 0.  alpha falls only where alpha > h.  For beta >= 0, beyond beta_T, N' and D'
    are positive and beta rises only where alpha < g = 2 N'/D' < h; g and h tend to 0 as beta grows.
    Take B with h(B) = min of h on [b, B] and g(B) below h(B) and below alpha: before beta reaches B,
    alpha >= min(alpha, h(B)) > g(B), so beta cannot pass B.  The orbit is bounded (D > 0 bounds alpha),
    the critical points are isolated, so it converges to one, and there is only one to go to.
    At even T, beta_s is a zero of N, f(beta_s) = C, and the set is beta_0 > beta_s, 0 <= alpha_0 <= 2 h.
    Without any beta_s, N > 0 and f(-infinity), which f stays below, takes the place of f(beta_s).

    Under the ridge.  Let N' > 0 beyond beta_L >= beta_s.  A start with beta_0 > beta_L, 0 <= alpha_0 <= h
    converges.  Where alpha = theta h, 0 < theta <= 1, d beta/dt has the sign of
    (1 - theta) 2 N' + theta R/D: positive for beta < beta_T; and d alpha/dt >= 0.  An orbit that stays
    is bounded, as alpha rises while h tends to 0, and converges to the only critical point.
    It leaves through alpha = h alone; not beyond beta_T, where h' = (R - N' D)/D^2 < 0 and beta
    falls; and if before, then with L = f(beta) < f(beta_s), so it converges from there.

    Every start is also integrated, with time steps free to grow, to within 1e-6 |beta_T| of beta_T or to
    an excess below 1e-200.
    """
    depths, rows = two_parameter.depths(run), []
    derive(record, theory.stationarity.flow_geometry())
    for T in run.progress.track(depths, "flows"):
        basin, (stated, given) = two_parameter.reached(run, T).basin, two_parameter.followed(run, T)
        proved = [outcome == "converged" for outcome in stated.proved]
        last = "none" if basin.ridge_from is None else f"beta > {float(basin.ridge_from):.6g}"
        record.check(
            EXACT,
            f"the stated starts lie in the certified basin, T = {T}",
            True if all(proved) else None,
            detail=f"{sum(proved)} of {len(proved)}; under the ridge: {last}",
        )
        for position, start in enumerate(stated.starts):
            outcome = stated.integrated[position]
            record.check(
                NUMERIC,
                f"the integrated flow from {steps.shown(start)} ends at the minimum, T = {T}",
                None if outcome is None else outcome == "converged",
                detail=steps.arrival(run, T, stated, position),
            )
        if given.starts:
            steps.check_agreement(record, given, f"the starts given, T = {T}")
        rows += steps.start_rows(T, stated) + steps.start_rows(T, given)
        if two_parameter.plane_depth(run) == T:
            drawn = numerics.basin_map.orbits(stated) + numerics.basin_map.orbits(given)
            record.series["orbits"] = Series(["start", "alpha", "beta"], drawn)
    record.values["starts"] = rows
    steps.map_basin(run, record)
    count = sum(row["proved"] for row in rows)
    record.figure = f"{len(rows)} flows, {count} proved"


@THEOREM.claim(
    "initialisation_matters",
    r"\text{from some starts the flow escapes: } \alpha \to 0,\ \beta \to -\infty,\ \mathcal{E}_T \to "
    r"\mathbb{E}\Bigl[\frac{s}{\lambda}\Bigr] "
    r"- \frac{\mathbb{E}[s\lambda^{T-1}]^2}{\mathbb{E}[s\lambda^{2T-1}]}"
    r"; \text{ from some with } \alpha_0 < 0 \text{ it converges}",
    ENCLOSURE,
    needs=(VARIES.id, BETA_MATTERS.id),
)
def initialisation_matters(run: Run, record: Record) -> None:
    """Let beta_s be the first critical value of f.  A start with beta_0 < beta_s and L <= f(beta_s)
    stays below beta_s, where L bounds alpha (D > 0 is bounded below) and there is no critical point: so
    the orbit is unbounded, hence beta.  beta tends to -infinity: every return through a bounded strip would
    cost a fixed amount of loss, for |grad L| is bounded below there.  D tends to infinity, so
    alpha tends to 0.  And L tends to f(-infinity): -dL/dt >= 4 D (L - f), so L - f has no positive bound.

    At even T, beta_s is the zero of N and f(beta_s) = C, the loss on all of alpha = 0: every start
    with L < C and alpha_0 < 0 lies there, and so do those with alpha_0 = 0, beta_0 < beta_s.

    A start with alpha_0 < 0 can converge: while N > alpha D, alpha rises, and
    d beta/d alpha = alpha (2 N' - alpha D')/(2 (N - alpha D)) is enclosed step by step until alpha = 0,
    where the basin of `flow_converges` takes over.
    """
    rows: list[dict[str, Any]] = []
    escaping: list[list[str | float]] = []
    for T in run.progress.track(two_parameter.depths(run), "starts"):
        basin = two_parameter.reached(run, T).basin
        away, back = numerics.basin_map.escaping_start(basin), numerics.basin_map.negative_start(basin)
        for start, claimed in ((away, "escaped"), (back, "converged")):
            found = steps.decide_start(run, record, T, start, claimed)
            if start is None or found is None:
                continue
            row = {"T": T, "alpha0": str(start[0]), "beta0": str(start[1]), "outcome": found, "proved": True}
            if found == "escaped":
                row["limit_loss"] = certified(two_parameter.escaped_loss(run, T))
                flow = steps.escape(run, record, T, start)
                if two_parameter.plane_depth(run) == T:
                    escaping = numerics.basin_map.orbits(flow)
            rows.append(row)
    record.values["starts"] = rows
    record.series["escaping_orbits"] = Series(["start", "alpha", "beta"], escaping)
    record.figure = (
        f"{len(rows)} starts proved, {sum(row['outcome'] == 'escaped' for row in rows)} of them escape"
    )


@THEOREM.claim(
    "limit",
    r"|\beta_T + \alpha^*| < \epsilon\,\alpha^*,\ |\alpha_T - \alpha^*| < \epsilon\,\alpha^* "
    r"\text{ for all } T \ge T_0",
    ENCLOSURE,
    needs=BOTH,
)
def limit(run: Run, record: Record) -> None:
    """Where beta_T cannot be, in four cases, each from some depth on.

    With b = -beta, z = 1 - b lam, Z = z^T, nu = (s/lam) dP/C the profile is
    f = C Var(Z)/E(1 - Z)^2 under nu.  At (alpha_T, beta_T), f <= C k with k = kappa^(2T): the weights
    (alpha*, -alpha*) have no more, and the flow from the one-parameter minimiser only lowers it; kept
    between two excluded values of b it is bounded, and converges.
    So b is excluded where

        (1 - k) Var(Z) > k (1 - E Z)^2.

    Choose l1 <= lM < lH <= l2, pM = nu(lam <= lM), pH = nu(lam >= lH): Var(Z) >= pM pH (Z_H - Z_M)^2
    with the nearest values of Z on the two sides.  D = lH - lM; a, a' = alpha* + eps, alpha* - eps.

    b >= a, a lH > 1: |z| <= w = max(1, b l2 - 1), so (1 - E Z)^2 <= 4 w^(2T).  |z_H| >= b lH - 1, and
    (b lH - 1)/w >= r = min(a lH - 1, 2 lH/l2 - 1), as (b lH - 1)/(b l2 - 1) rises with b.
    |z_M| <= th |z_H|, th = max((1 - a l1)/(a lH - 1), lM/lH): for z_M >= 0 the ratio falls with b, for
    z_M < 0 it is at most (b lM - 1)/(b lH - 1) <= lM/lH.  Excluded if
    pM pH (1 - th^T)^2 (1 - k) r^(2T) > 4 k.

    1/l2 <= b <= a': |z| <= 1, z_M >= r = 1 - a' lM, and |z_H| <= th z_M with
    th = max((l2 - lH)/(l2 - lM), (a' l2 - 1)/(1 - a' lM)), the values of the two ratios at b = 1/l2 and a'.
    The same inequality.

    0 <= b < 1/l2: 1 - E Z <= g = 1 - (1 - b l2)^T.  As t -> 1 - (1 - t)^T is concave,
    Z_M - Z_H >= (1 - b lM)^T (1 - (1 - b D)^T) >= (1 - lM/l2)^T (D/l2) g.  Excluded if
    pM pH (D/l2)^2 (1 - lM/l2)^(2T) (1 - k) > k; at b = 0 by continuity of f.

    b < 0: E Z - 1 <= (1 - b l2)^T - 1.  As t -> (1 + t)^T - 1 is convex with coefficients >= 0,
    Z_H - Z_M >= (D/lH) ((1 - b lH)^T - 1) >= (D/lH) (lH/l2)^T ((1 - b l2)^T - 1).  Excluded if
    pM pH (D/lH)^2 (lH/l2)^(2T) (1 - k) > k.

    Where r, 1 - lM/l2, lH/l2 exceed kappa, each inequality is inherited by every larger T.  All four hold at
    some T, for every eps: take lM near l1 and lH near l2, where there is mass.

    alpha_T = -beta_T (1 - E Z)/E(1 - Z)^2, and |Z| <= R = rho^T with rho = max |z| over the band, so
    (1 - R)/(1 + R)^2 <= -alpha_T/beta_T <= (1 + R)/(1 - R)^2.
    """
    for lemma in (
        theory.exclusions.variance,
        theory.exclusions.large_weight,
        theory.exclusions.small_weight,
        theory.exclusions.near_zero,
        theory.exclusions.positive_beta,
        theory.exclusions.alpha_over_beta,
    ):
        derive(record, lemma())
    center, epsilon = shared.alpha_star(run), run.settings.epsilon
    steps.decide_limit(run, record, (-center, -center), "-alpha*")
    found = two_parameter.band(run, epsilon)
    for exclusion in found.exclusions:
        holds = numerics.two_parameter_limit.recheck(run.law, found, exclusion)
        record.check(
            ENCLOSURE,
            f"{exclusion.case} is excluded for all T >= {exclusion.T0}, b = -beta",
            holds,
            bits=numerics.two_parameter_limit.BITS,
            detail=f"lM = {float(exclusion.l_m):.6g}, lH = {float(exclusion.l_h):.6g}",
        )
    record.check(EXACT, "rho < 1 within the band", found.rho < 1, detail=f"rho = {brief(found.rho, 6)}")
    record.values.update(alpha_star=str(center), epsilon=str(epsilon), T0=found.T0)
    record.figure = f"T0 = {found.T0}, alpha* = {center}"


@THEOREM.claim(
    "bayes_optimal",
    r"\mathcal{E}_T(\alpha_T, \beta_T) \le \min_\alpha \mathcal{E}_T(\alpha, -\alpha) "
    r"\le \mathbb{E}\Bigl[\frac{s}{\lambda}\Bigr] \kappa^{2T} \text{ for all } T",
    ENCLOSURE,
    needs=(*BOTH, BETA_MATTERS.id),
)
def bayes_optimal(run: Run, record: Record) -> None:
    """At beta = -alpha the stack is the one-parameter stack.  The loss falls along the flow that leads from
    the one-parameter minimiser to (alpha_T, beta_T), so its excess is no larger there; and
    min over alpha of the one-parameter excess is at most its value at alpha*, E[s/lam] kappa^(2T).
    """
    depths, kappa = two_parameter.depths(run), shared.kappa(run)
    derive(record, theory.limits.bayes_bound())
    for T in depths:
        found, (one, bits) = two_parameter.enclosed(run, T), shared.excess(run, T)
        excess = brief(certified(found.excess))
        record.check(
            ENCLOSURE,
            f"the excess is at most the one-parameter excess, T = {T}",
            steps.at_most_by_flow(run, T, one),
            bits=max(bits, found.bits),
            detail=f"{excess} <= {brief(one)}",
        )
        bound = two_parameter.constant(run) * numerics.balls.ball(kappa) ** (2 * T)
        record.check(
            ENCLOSURE,
            f"the excess is at most E[s/lam] kappa^(2T), T = {T}",
            steps.at_most_by_flow(run, T, bound),
            bits=found.bits,
            detail=f"{excess} <= {brief(bound)}",
        )
    record.values["kappa"] = str(kappa)
    record.figure = f"kappa = {kappa}"


@THEOREM.claim(
    "exact_at_finite_depth",
    r"\mathcal{E}_T = 0 \text{ at } "
    r"\beta = \frac{-2}{\lambda_1 + \lambda_2},\ \alpha = \frac{-\beta}{1 - (1 + \beta\lambda_1)^T}",
    EXACT,
    needs=(VARIES.id, TWO_VALUES.id, EVEN_DEPTH.id),
)
def exact_at_finite_depth(run: Run, record: Record) -> None:
    """There 1 + beta lam_1 = -(1 + beta lam_2), so at even T both atoms have one z^T, and one alpha
    makes the residual 1 + (alpha/beta)(1 - z^T) vanish at both.
    """
    even = [T for T in run.settings.depths if T % 2 == 0]
    derive(record, theory.profile.exact_for_two_atoms())
    for T in even:
        check_exact(run, record, T)
    record.figure = f"excess 0 at T = {', '.join(map(str, even))}"


def check_exact(run: Run, record: Record, T: int) -> None:
    """The step "the excess is 0 at the closed-form weights", in rational arithmetic."""
    atoms = two_values(run.law)
    assert atoms is not None
    beta = -2 / (2 + atoms[0] + atoms[1])
    alpha = -beta / (1 - (1 + beta * (1 + atoms[0])) ** T)
    excess = shared.expectation(run).exact(theory.losses.two_parameter().value.bind(T, alpha, beta))
    record.check(
        EXACT, f"the excess is 0, T = {T}", excess == 0, detail=f"excess {brief(excess)} at beta = {beta}"
    )


@THEOREM.claim(
    "finite_context",
    r"\text{at context } L: \mathcal{E}_T(\alpha_T, \beta_T) + c_T/L + O(L^{-2}); "
    r"\text{the minimiser at } L \text{ is } O(1/L) \text{ away}",
    STATISTICAL,
    needs=(VARIES.id,),
    option="statistical",
)
def finite_context_excess(run: Run, record: Record) -> None:
    """The predictor is b^T p(Lhat) x_q with a polynomial p, and the excess to order 1/L depends on
    g(z) = 1 - z p(z) alone: the expansion of Theorem 6.2 holds for two parameters as it stands.

    At T = 2 p has the coefficients c = (2 alpha, alpha beta), any c can be reached, and the excess is a
    quadratic c^T A c - 2 v^T c with A and v polynomials in 1/L, exact Wishart moments.  So the minimiser is
    rational in 1/L; det E A > 0 at 1/L = 0 makes its distance from (alpha_2, beta_2) O(1/L).  Training from 0
    on fresh prompts has to end there.
    """
    finite_context.two_parameter(run, record)


@THEOREM.false_variant(
    "known_covariance",
    "finite_context",
    r"c_T = \mathbb{E}\Bigl[\frac{(1 - g)^2}{\lambda}\Bigr], "
    r"\text{ as if only } m^{\top} b \text{ fluctuated}",
    witness="uniform(1, 4)",
    differs=lambda run: not run.law.is_zero,
)
def known_covariance(run: Run, record: Record) -> None:
    """Lhat = Lambda, and b = zeta m across m; (alpha_2, beta_2) at finite L."""
    finite_context.two_parameter(run, record, false=True)


@THEOREM.false_variant(
    "one_layer_more",
    "embedding_closed_form",
    r"F^{(T)} = \alpha \sum_{k \le T} (I + \beta\Lambda)^k X",
    witness="uniform(1, 4)",
)
def one_layer_more(run: Run, record: Record) -> None:
    """The sum with its term k = T."""
    from theory.symbols import T, alpha, beta, lam

    claimed = alpha * ((1 + beta * lam) ** (T + 1) - 1) / (beta * lam)
    derive(record, theory.attention.embedding_two_parameters(claimed))


@THEOREM.false_variant("positive_beta", "limit", r"\beta_T \to +\alpha^*", witness="uniform(1, 4)")
def positive_beta(run: Run, record: Record) -> None:
    """The sign of beta lost."""
    center = shared.alpha_star(run)
    steps.decide_limit(run, record, (center, center), "+alpha*")


@THEOREM.false_variant(
    "unsquared_norm",
    "limit",
    r"\beta_T \to \frac{-2}{2 + \sqrt{m_{\mathrm{lo}}} + \sqrt{m_{\mathrm{hi}}}}",
    witness="uniform(1, 4)",
    differs=shared.convention_matters,
)
def unsquared_norm(run: Run, record: Record) -> None:
    """The ends of the law of the norm in place of those of its square."""
    lower, upper = shared.unsquared(run)
    steps.decide_limit(run, record, (-upper, -lower), "the unsquared reading")


@THEOREM.false_variant(
    "inner_sign",
    "population_loss",
    r"\mathcal{E}_T = \mathbb{E}\Bigl[\frac{s}{\lambda} "
    r"\Bigl(1 - \frac{\alpha}{\beta} \bigl(1 - (1 + \beta\lambda)^T\bigr)\Bigr)^2\Bigr]",
    witness="uniform(1, 4)",
)
def inner_sign(run: Run, record: Record) -> None:
    """The inner sign flipped."""
    from theory.symbols import T, alpha, beta, lam, s

    check_loss(record, s / lam * (1 - alpha / beta * (1 - (1 + beta * lam) ** T)) ** 2)


@THEOREM.false_variant(
    "every_start",
    "flow_converges",
    r"\text{the flow converges from every start}",
    witness="uniform(1, 4)",
    differs=lambda run: any(_escaping(run, T) is not None for T in run.settings.depths if T > 1),
)
def every_start(run: Run, record: Record) -> None:
    """A start that provably escapes is one too many."""
    for T in _twin_depths(run):
        steps.decide_start(run, record, T, _escaping(run, T), "converged")


@THEOREM.false_variant(
    "no_negative_start",
    "initialisation_matters",
    r"\text{the flow converges from no start with } \alpha_0 < 0",
    witness="uniform(1, 4)",
    differs=lambda run: any(_negative(run, T) is not None for T in run.settings.depths if T > 1),
)
def no_negative_start(run: Run, record: Record) -> None:
    """A start that provably crosses alpha = 0 and converges is one too many."""
    for T in _twin_depths(run):
        steps.decide_start(run, record, T, _negative(run, T), "escaped")


def _twin_depths(run: Run) -> tuple[int, ...]:
    """The depths asked for, T >= 2; without one, the first two."""
    return tuple(T for T in run.settings.depths if T > 1) or (2, 3)


def _escaping(run: Run, T: int) -> tuple[Fraction, Fraction] | None:
    return numerics.basin_map.escaping_start(two_parameter.reached(run, T).basin)


def _negative(run: Run, T: int) -> tuple[Fraction, Fraction] | None:
    return numerics.basin_map.negative_start(two_parameter.reached(run, T).basin)


@THEOREM.false_variant(
    "exact_at_odd_depth",
    "exact_at_finite_depth",
    r"s \in \{s_1, s_2\},\ T \text{ odd: } \mathcal{E}_T = 0 \text{ at the same weights}",
    witness="atoms({1: 1/3, 4: 2/3})",
    differs=lambda run: two_values(run.law) is not None,
)
def exact_at_odd_depth(run: Run, record: Record) -> None:
    """At odd T the two atoms have opposite z^T."""
    for T in tuple(T for T in run.settings.depths if T % 2) or (3,):
        check_exact(run, record, T)
