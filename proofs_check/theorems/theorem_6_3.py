r"""Theorem 6.3: the two-parameter stack of linearised cross-attention becomes Bayes-optimal.

W_S = alpha I, W_V = beta I.  Gradient flow from small weights converges to a minimum
(alpha_T, beta_T) of the population loss of depth T, which tends to (alpha*, -alpha*) and whose
excess over the Bayes risk vanishes; from other starts it escapes to beta = -infinity.
"""

from __future__ import annotations

from typing import Any

import numerics
import theory
from proofs_check.engine.claims import DERIVED, Record, Theorem, by_prose, by_symbols, in_summary
from proofs_check.engine.context import Run
from proofs_check.engine.evidence import (
    ENCLOSURE,
    EXACT,
    NUMERIC,
    STATISTICAL,
    SYMBOLIC,
    approx,
    brief,
    certified,
    derive,
    kind_of,
)
from proofs_check.engine.hypotheses import (
    BETA_MATTERS,
    BOUNDED,
    EVEN_DEPTH,
    GRADIENT_FLOW,
    INFINITE_CONTEXT,
    LETTERS,
    ONE_FACTOR,
    SUPPORT,
    TWO_VALUES,
    UNIT_LOSS,
    VARIES,
)
from proofs_check.theorems import _finite_context as finite_context
from proofs_check.theorems import _in_coq as in_coq
from proofs_check.theorems import _predictor_steps as predictor_steps
from proofs_check.theorems import _quantities as quantities
from proofs_check.theorems import _tables
from proofs_check.theorems import _two_parameter as two_parameter
from proofs_check.theorems import _two_parameter_band as two_parameter_band
from proofs_check.theorems import _two_parameter_steps as steps
from proofs_check.theorems._arguments import EXCLUSIONS, SUMMABLE
from proofs_check.theorems._theorem_6_3_figures import FIGURES
from proofs_check.theorems._theorem_6_3_twins import TWINS
from reports.results import Series

BOTH = (BOUNDED.id, VARIES.id)

THEOREM = Theorem(
    name="theorem_6_3",
    title="Two parameters: critical points, gradient flow, depth and Bayes optimality",
    source="Barnfield, Sen and Sur, arXiv 2602.04872, Theorem 6.3",
    provenance=in_summary("Theorem 6.3"),
    statement=(
        r"$W_S = \alpha I,\ W_V = \beta I$, $T \ge 2$: gradient flow from small weights converges to a "
        r"minimum $(\alpha_T, \beta_T)$, and $(\alpha_T, \beta_T) \to (\alpha^*, -\alpha^*)$ with "
        r"$\alpha^* = \frac{2}{2 + m_{\mathrm{lo}} + m_{\mathrm{hi}}}$ as $T \to \infty$, where the excess "
        r"over the Bayes risk tends to $0$, and the prediction to $w^\top x_q$ almost surely"
    ),
    definitions=(LETTERS, SUPPORT),
    assumptions=(
        INFINITE_CONTEXT,
        UNIT_LOSS,
        GRADIENT_FLOW,
        "That the plane has one minimum and one saddle is found for each law and depth, not proved for all.",
    ),
    hypotheses=(BOUNDED, VARIES, BETA_MATTERS, TWO_VALUES, EVEN_DEPTH, ONE_FACTOR),
    options=frozenset({"depth", "epsilon", "start", "basin"}),
    default_depths=(2, 3, 8, 9, 64),
    max_depth=256,
    depth_limits=(
        "every law: depth 256, all critical points of the plane exactly (some seconds at depth 256); the "
        "flow is integrated where float64 resolves the depth (chi2: to about 140); the three exclusions: "
        "$T_0$ up to $2^{60}$"
    ),
    tables=list(_tables.THEOREM_6_3),
)


@THEOREM.claim(
    "embedding_closed_form",
    r"$F^{(T)} = \alpha \sum_{k<T} (I + \beta\Lambda)^k X = \frac{\alpha}{\beta} \bigl((I + "
    r"\beta\Lambda)^T - I\bigr) \Lambda^{-1} X$",
    SYMBOLIC,
    argument=by_symbols("induction on $T$ in an eigendirection").in_coq(in_coq.TWO_PARAMETER_EMBEDDING),
    provenance=DERIVED,
)
def embedding_closed_form(run: Run, record: Record) -> None:
    r"""The layers map $F$ to $F + \alpha X + \beta \Lambda F$, so $F^{(T)} = p_T(\Lambda) X$; in an
    eigendirection $p_T = p_{T-1} + \alpha + \beta \lambda p_{T-1}$, $p_0 = 0$: induction on $T$.

    At $\beta = 0$ the closed form has the limit $\alpha T$, which solves the recurrence there.
    """
    derive(record, theory.attention.embedding_two_parameters())
    record.summary = "induction on $T$, symbolic"


@THEOREM.claim(
    "population_loss",
    r"$\mathcal{E}_T(\alpha, \beta) = \mathbb{E}\Bigl[\frac{s}{\lambda} \Bigl(1 + \frac{\alpha}{\beta} "
    r"\bigl(1 - (1 + \beta\lambda)^T\bigr)\Bigr)^2\Bigr]$",
    SYMBOLIC,
    cites=("embedding_closed_form",),
    argument=by_symbols("a Gaussian second moment, less the Bayes risk").in_coq(in_coq.POPULATION_LOSS),
    provenance=DERIVED,
)
def population_loss(run: Run, record: Record) -> None:
    r"""The prediction is $\zeta p m^\top x_q$ with $p = p_T(\lambda)$, its risk a Gaussian second moment;
    less the Bayes risk it is $(s/\lambda)(1 - \lambda p)^2$, and $\lambda p_T = (\alpha/\beta)((1 + \beta
    \lambda)^T - 1)$. With $S = \sum_{k<T} (1 + \beta\lambda)^k$ it is $(s/\lambda)(1 - \alpha\lambda S)^2$,
    at $\beta = 0$ too.
    """
    derive(record, theory.gaussian.isserlis_rule())
    steps.check_loss(record)
    derive(record, theory.profile.sum_form().derivation)
    record.summary = "from the data model, symbolic"


@THEOREM.claim(
    "critical_point_enclosure",
    r"$\nabla\mathcal{E}_T(\alpha_T, \beta_T) = 0$, a positive definite minimum; all critical points of "
    "the plane",
    ENCLOSURE,
    needs=(VARIES.id, BETA_MATTERS.id),
    cites=("population_loss",),
    argument=by_prose(r"the critical points are the zeros of two polynomials in $\beta$").in_coq(
        in_coq.GLOBAL_MINIMUM
    ),
    provenance=DERIVED,
)
def critical_point_enclosure(run: Run, record: Record) -> None:
    r"""The loss is $C - 2 \alpha N + \alpha^2 D$, $N = \mathbb{E}[s S]$, $D = \mathbb{E}[s \lambda S^2] > 0$,
    so its critical points have $\alpha = h = N/D$ and lie where $f = C - N^2/D$, the least loss for this
    $\beta$, has a critical value: $f' = -N R/D^2$, $R = 2 N' D - N D'$. They are the zeros of $R$, and those
    of $N$, where $\alpha = 0$.

    $N$ and $R$ are polynomials in $\beta$ with rational coefficients, for the moments of $s$ are rational:
    Descartes' rule and bisection isolate all their real roots. The Hessian has $2 D > 0$ in $\alpha$; its
    determinant is $2 D f''$ at a zero of $R$, and $-4 N^{\prime 2}$ at one of $N$: a saddle. At a simple zero
    of $R$ where $f'$ changes from - to + it is positive definite.

    $\beta_T$ is then enclosed by a sign change of $R$ in a form without cancellation, and $\alpha_T$ and
    $\alpha_T + \beta_T$ follow from it. $(\alpha_T, \beta_T)$ is the minimum that the flow from the
    one-parameter minimiser reaches; `flow_converges` has the proof.
    """
    depths = two_parameter.depths(run)
    derive(record, theory.profile.profile().derivation)
    derive(record, theory.stationarity.stationarity().derivation)
    if 1 in run.settings.depths:
        moments = numerics.two_parameter.profile.Profile.of(run.law, 1)
        record.check(
            EXACT,
            r"$T = 1$ is degenerate: the loss does not depend on $\beta$, and its minimisers form a line",
            moments.N.degree() == moments.D.degree() == 0,
            detail="$N$ and $D$ are constant",
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
    record.summary = rf"$\alpha + \beta = {brief(points[-1]['alpha_plus_beta'], 4)}$ at $T = {depths[-1]}$"


@THEOREM.claim(
    "flow_converges",
    r"gradient flow from $(0,0)$, from small weights and from $(\alpha, -\alpha)$ at the one-parameter "
    r"minimiser converges to $(\alpha_T, \beta_T)$",
    NUMERIC,
    needs=(VARIES.id, BETA_MATTERS.id),
    cites=("critical_point_enclosure",),
    argument=by_prose("what the loss of a start does not let its orbit cross"),
    provenance=in_summary("Theorem 6.3", "the certified basin is derived here"),
)
def flow_converges(run: Run, record: Record) -> None:
    r"""The loss is $L = f(\beta) + D (\alpha - h)^2$ and falls along the flow, so $f(\beta(t)) \le L(0)$:
    $\beta$ never crosses a value where $f$ exceeds the loss of the start. Let $\beta_T$ be the last zero of
    $N R$, $N > 0$ from the zero $\beta_s$ before it on: $f$ falls on $(\beta_s, \beta_T)$, where $R > 0$, and
    rises beyond, where $R < 0$.

    Below the barrier. A start with $\beta_0 > \beta_s$ and $L \le f(\beta_s)$ converges to
    $(h(\beta_T), \beta_T)$. $\beta$ stays above some $b > \beta_s$. $\alpha > 0$ from the first moment on, as
    $L < C$ needs $\alpha N > 0$ and $\alpha$ rises at $\alpha = 0$. $\alpha$ falls only where $\alpha > h$.
    For $\beta \ge 0$, beyond $\beta_T$, $N'$ and $D'$ are positive and $\beta$ rises only where
    $\alpha < g = 2 N'/D' < h$; $g$ and $h$ tend to 0 as $\beta$ grows. Take $B$ with $h(B) = \min_{[b, B]} h$
    and $g(B)$ below $h(B)$ and below $\alpha$: before $\beta$ reaches $B$,
    $\alpha \ge \min(\alpha, h(B)) > g(B)$, so $\beta$ cannot pass $B$. The orbit is bounded ($D > 0$ bounds
    $\alpha$), the critical points are isolated, so it converges to one, and there is only one to go to. At
    even $T$, $\beta_s$ is a zero of $N$, $f(\beta_s) = C$, and the set is $\beta_0 > \beta_s$,
    $0 \le \alpha_0 \le 2 h$. Without any $\beta_s$, $N > 0$ and $f < f(-\infty)$, in place of $f(\beta_s)$.

    Under the ridge. Let $N' > 0$ beyond $\beta_L \ge \beta_s$. A start with $\beta_0 > \beta_L$,
    $0 \le \alpha_0 \le h$ converges. Where $\alpha = \theta h$, $0 < \theta \le 1$, $d\beta/dt$ has the sign
    of $(1 - \theta) 2 N' + \theta R/D$: positive for $\beta < \beta_T$; and $d\alpha/dt \ge 0$. An orbit that
    stays is bounded, as $\alpha$ rises while $h$ tends to 0, and converges to the only critical point. It
    leaves through $\alpha = h$ alone; not beyond $\beta_T$, where $h' = (R - N' D)/D^2 < 0$ and $\beta$
    falls; and if before, then with $L = f(\beta) < f(\beta_s)$, so it converges from there.

    Every start is also integrated, with time steps free to grow, to within $10^{-6} |\beta_T|$ of $\beta_T$
    or to an excess below $10^{-200}$.
    """
    depths, rows = two_parameter.depths(run), []
    derive(record, theory.stationarity.flow_geometry())
    for T in run.progress.track(depths, "flows"):
        basin, (stated, given) = two_parameter.reached(run, T).basin, two_parameter.followed(run, T)
        proved = [outcome == "converged" for outcome in stated.proved]
        last = "none" if basin.ridge_from is None else rf"$\beta > {approx(float(basin.ridge_from))}$"
        record.check(
            kind_of(basin.barrier),
            "the stated starts lie in the certified basin",
            True if all(proved) else None,
            detail=f"{sum(proved)} of {len(proved)}; under the ridge: {last}",
            case={"T": T},
        )
        for position, start in enumerate(stated.starts):
            outcome = stated.integrated[position]
            record.check(
                NUMERIC,
                "the integrated flow from ${start}$ ends at the minimum",
                steps.supported(outcome == "converged"),
                detail=steps.arrival(run, T, stated, position),
                cross_check=True,
                case={"start": steps.shown(start), "T": T},
            )
        if given.starts:
            steps.check_agreement(record, given, "the starts given", T)
        rows += steps.start_rows(T, stated) + steps.start_rows(T, given)
        if two_parameter.plane_depth(run) == T:
            drawn = numerics.two_parameter.starts.orbits(stated) + numerics.two_parameter.starts.orbits(given)
            record.series["orbits"] = Series(["start", "alpha", "beta"], drawn)
    record.values["starts"] = rows
    steps.map_basin(run, record)
    count = sum(row["proved"] for row in rows)
    record.summary = f"{len(rows)} flows, {count} proved"


@THEOREM.claim(
    "initialisation_matters",
    r"from some starts the flow escapes: $\alpha \to 0,\ \beta \to -\infty,\ \mathcal{E}_T \to "
    r"\mathbb{E}\Bigl[\frac{s}{\lambda}\Bigr] - "
    r"\frac{\mathbb{E}[s\lambda^{T-1}]^2}{\mathbb{E}[s\lambda^{2T-1}]}$; from some with $\alpha_0 < 0$ it "
    "converges",
    ENCLOSURE,
    needs=(VARIES.id, BETA_MATTERS.id),
    cites=("critical_point_enclosure", "flow_converges"),
    argument=by_prose("an orbit below the first critical value escapes"),
    provenance=DERIVED,
)
def initialisation_matters(run: Run, record: Record) -> None:
    r"""Let $\beta_s$ be the first critical value of $f$. A start with $\beta_0 < \beta_s$ and
    $L \le f(\beta_s)$ stays below $\beta_s$, where $L$ bounds $\alpha$ ($D > 0$ is bounded below) and there
    is no critical point: so the orbit is unbounded, hence $\beta$. $\beta$ tends to $-\infty$: every return
    through a bounded strip would cost a fixed amount of loss, for $|\nabla L|$ is bounded below there. $D$
    tends to infinity, so $\alpha$ tends to 0. And $L$ tends to $f(-\infty)$: $-dL/dt \ge 4 D (L - f)$, so
    $L - f$ has no positive bound.

    At even $T$, $\beta_s$ is the zero of $N$ and $f(\beta_s) = C$, the loss on all of $\alpha = 0$: every
    start with $L < C$ and $\alpha_0 < 0$ lies there, and so do those with $\alpha_0 = 0$,
    $\beta_0 < \beta_s$.

    A start with $\alpha_0 < 0$ can converge: while $N > \alpha D$, $\alpha$ rises, and $d\beta/d\alpha =
    \alpha (2 N' - \alpha D')/(2 (N - \alpha D))$ is enclosed step by step until $\alpha = 0$, where the basin
    of `flow_converges` takes over.
    """
    rows: list[dict[str, Any]] = []
    escaping: list[list[str | float]] = []
    for T in run.progress.track(two_parameter.depths(run), "starts"):
        basin = two_parameter.reached(run, T).basin
        away, back = (
            numerics.two_parameter.starts.escaping_start(basin),
            numerics.two_parameter.starts.negative_start(basin),
        )
        for start, claimed in ((away, "escaped"), (back, "converged")):
            found = steps.decide_start(run, record, T, start, claimed)
            if start is None or found is None:
                continue
            row = {"T": T, "alpha0": str(start[0]), "beta0": str(start[1]), "outcome": found, "proved": True}
            if found == "escaped":
                row["limit_loss"] = certified(two_parameter.escaped_loss(run, T))
                flow = steps.escape(run, record, T, start)
                if two_parameter.plane_depth(run) == T:
                    escaping = numerics.two_parameter.starts.orbits(flow)
            rows.append(row)
    record.values["starts"] = rows
    record.series["escaping_orbits"] = Series(["start", "alpha", "beta"], escaping)
    record.summary = (
        f"{len(rows)} starts proved, {sum(row['outcome'] == 'escaped' for row in rows)} of them escape"
    )


@THEOREM.claim(
    "limit",
    r"$|\beta_T + \alpha^*| < \epsilon\,\alpha^*,\ |\alpha_T - \alpha^*| < \epsilon\,\alpha^*$ for all "
    r"$T \ge T_0$",
    ENCLOSURE,
    needs=BOTH,
    cites=("population_loss",),
    argument=EXCLUSIONS.in_coq(in_coq.TWO_PARAMETER_LIMIT),
    provenance=in_summary("Theorem 6.3", "the first depth $T_0$ is derived here"),
)
def limit(run: Run, record: Record) -> None:
    r"""Where $\beta_T$ cannot be, in three cases, each from some depth on.

    $\alpha_T = -\beta_T (1 - \mathbb{E}\,Z)/\mathbb{E}(1 - Z)^2$, and $|Z| \le R = \rho^T$ with $\rho$ the
    largest $|z|$ over the band, so $1/(1 + R) \le -\alpha_T/\beta_T \le 1/(1 - R)$.
    """
    for lemma in (
        theory.exclusions.variance,
        theory.exclusions.large_weight,
        theory.exclusions.small_weight,
        theory.exclusions.near_zero,
        theory.exclusions.positive_beta,
        theory.exclusions.alpha_over_beta,
        theory.exclusions.every_epsilon,
    ):
        derive(record, lemma())
    center, epsilon = quantities.alpha_star(run), run.settings.epsilon
    two_parameter_band.decide_limit(run, record, (-center, -center), r"$-\alpha^*$")
    found = two_parameter.band(run, epsilon)
    two_parameter_band.check_band(run, record, found)
    record.values.update(alpha_star=str(center), epsilon=str(epsilon), T0=found.T0)
    record.summary = rf"$T_0 = {found.T0}$, $\alpha^* = {center}$"


@THEOREM.claim(
    "bayes_optimal",
    r"$\mathcal{E}_T(\alpha_T, \beta_T) \le \min_\alpha \mathcal{E}_T(\alpha, -\alpha) \le "
    r"\mathbb{E}\Bigl[\frac{s}{\lambda}\Bigr] \kappa^{2T}$ for all $T \ge T_0$ and at each depth asked for",
    ENCLOSURE,
    needs=(*BOTH, BETA_MATTERS.id),
    uses=("population_loss", "limit"),
    argument=by_prose("the flow from the one-parameter minimiser only lowers the loss").in_coq(
        in_coq.TWO_PARAMETER_BOUND
    ),
    provenance=in_summary("Theorem 6.3", "the bounds are derived here"),
)
def bayes_optimal(run: Run, record: Record) -> None:
    r"""At $\beta = -\alpha$ the loss is that of the one-parameter stack (`population_loss`). It falls along
    the flow that leads from the one-parameter minimiser to $(\alpha_T, \beta_T)$, so its excess is no larger
    there; and min over $\alpha$ of the one-parameter excess is at most its value at $\alpha^*$,
    $\mathbb{E}[s/\lambda] \kappa^{2T}$.

    That the flow converges is shown by `limit` for $T \ge T_0$, where it stays between two excluded values.
    At the depths asked for, the start lies in the certified basin, and both bounds are evaluated.
    """
    derive(record, theory.limits.bayes_bound())
    for T in two_parameter.depths(run):
        steps.check_below_one_parameter(run, record, T)
        steps.check_rate(run, record, T, r"\kappa^{2T}")
    record.values["kappa"] = str(quantities.kappa(run))
    record.summary = rf"$\kappa = {quantities.kappa(run)}$"


@THEOREM.claim(
    "predictor_converges",
    r"$\hat y_q - w^\top x_q = -\zeta g_T \frac{m^\top x_q}{\lambda} \to 0$ almost surely as "
    r"$T \to \infty$, $g_T = 1 + \frac{\alpha_T}{\beta_T} \bigl(1 - (1 + \beta_T\lambda)^T\bigr)$; $|g_T| "
    r"\le \frac{2\rho^T}{1 - \rho^T},\ \rho < 1$, for all $T \ge T_0$",
    ENCLOSURE,
    needs=(*BOTH, BETA_MATTERS.id),
    uses=("limit", "bayes_optimal"),
    argument=SUMMABLE.in_coq(in_coq.TWO_PARAMETER_PREDICTOR),
    provenance=in_summary("Theorem 6.3", "the rate for a prompt is derived here"),
)
def predictor_converges(run: Run, record: Record) -> None:
    r"""The prediction is $\zeta p m^\top x_q$, $p = (\alpha/\beta)((1 + \beta \lambda)^T - 1)/\lambda$, and
    $w^\top x_q$ is $\zeta m^\top x_q/\lambda$; their difference $\Delta_T$ is as stated. Given $(m, \zeta)$,
    $m^\top x_q$ is Gaussian with variance $s \lambda$, so $\mathbb{E}\,\Delta_T^2 = \mathbb{E}\,\zeta^2
    \mathbb{E}[(s/\lambda) g_T^2]$: the excess.

    For $T \ge T_0$ it is at most $\mathbb{E}[s/\lambda] \kappa^{2T}$ (`bayes_optimal`), $\kappa < 1$:
    summable, so $\Delta_T$ tends to 0 almost surely.

    The rate for a prompt: $g = 1 - c (1 - Z)$, $c = -\alpha_T/\beta_T$, $Z = (1 + \beta_T \lambda)^T$. For
    $T \ge T_0$, $|Z| \le R = \rho^T$ and $1/(1 + R) \le c \le 1/(1 - R)$ (`limit`), so $|g| \le 2R/(1 - R)$.
    """
    derive(record, theory.gaussian.isserlis_rule())
    derive(record, theory.predictor.two_parameter_error())
    depths, found = two_parameter.depths(run), two_parameter.band(run, run.settings.epsilon)
    predictor_steps.summable(run, record, [two_parameter.enclosed(run, T).excess_ball for T in depths])
    derive(record, theory.exclusions.alpha_over_beta())
    derive(record, theory.predictor.two_parameter_rate())
    for T in depths:
        predictor_steps.two_parameter_rate(run, record, T)
    rho = found.setting.rho
    record.values.update(rho=certified(rho), epsilon=str(run.settings.epsilon), T0=found.T0)
    record.summary = f"of order $({brief(rho, 6)})^T$ from $T_0 = {found.T0}$ on"


@THEOREM.claim(
    "exact_at_finite_depth",
    r"$\mathcal{E}_T = 0$ at $\beta = \frac{-2}{\lambda_1 + \lambda_2},\ \alpha = "
    r"\frac{-\beta}{1 - (1 + \beta\lambda_1)^T}$",
    EXACT,
    needs=(VARIES.id, TWO_VALUES.id, EVEN_DEPTH.id),
    cites=("population_loss",),
    argument=by_symbols("both atoms have one $z^T$"),
    provenance=DERIVED,
)
def exact_at_finite_depth(run: Run, record: Record) -> None:
    r"""There $1 + \beta \lambda_1 = -(1 + \beta \lambda_2)$, so at even $T$ both atoms have one $z^T$, and
    one $\alpha$ makes the residual $1 + (\alpha/\beta)(1 - z^T)$ vanish at both.
    """
    even = [T for T in run.settings.depths if T % 2 == 0]
    derive(record, theory.profile.exact_for_two_atoms())
    for T in even:
        steps.check_exact(run, record, T)
    record.summary = f"excess 0 at $T = {', '.join(map(str, even))}$"


@THEOREM.claim(
    "finite_context",
    r"at context $L$: $\mathcal{E}_T(\alpha_T, \beta_T) + c_T/L + O(L^{-2})$; the minimiser at $L$ is "
    "$O(1/L)$ away",
    STATISTICAL,
    needs=(VARIES.id, ONE_FACTOR.id),
    option="statistical",
    argument=by_prose("the minimiser at $L$ is rational in $1/L$"),
    provenance=DERIVED,
)
def finite_context_excess(run: Run, record: Record) -> None:
    r"""The predictor is $b^\top p(\hat\Lambda) x_q$ with a polynomial $p$, and the excess to order $1/L$
    depends on $g(z) = 1 - z p(z)$ alone: the expansion of Theorem 6.2 holds for two parameters as it stands.

    At $T = 2$, $p$ has the coefficients $c = (2 \alpha, \alpha \beta)$, any $c$ can be reached, and the
    excess is a quadratic $c^\top A c - 2 v^\top c$ with $A$ and $v$ polynomials in $1/L$, exact Wishart
    moments. So the minimiser is rational in $1/L$; $\det \mathbb{E}\,A > 0$ at $1/L = 0$ makes its distance
    from $(\alpha_2, \beta_2)$ $O(1/L)$. Training from 0 on fresh prompts has to end there.
    """
    finite_context.two_parameter(run, record)


for part in FIGURES:
    THEOREM.figure(**part)
THEOREM.false_variants.extend(TWINS)
