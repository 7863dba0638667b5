r"""Theorem 6.2: the one-parameter stack of linearised cross-attention becomes Bayes-optimal.

W_S = -W_V = alpha I.  Gradient flow on the population loss of depth T converges to
its one minimiser alpha_T from every start, and alpha_T tends to
alpha* = 2/(2 + m_lo + m_hi) as T grows, m_lo and m_hi the ends of the law of
s = ||m||^2 over {s > 0}; there the excess over the Bayes risk vanishes.
"""

from __future__ import annotations

from math import log

import numerics
import theory
from proofs_check.engine.claims import DERIVED, Record, Theorem, by_coq, by_prose, by_symbols, in_summary
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
    compare,
    derive,
    kind_of,
)
from proofs_check.engine.hypotheses import (
    BOUNDED,
    CONVENTIONS_DIFFER,
    GRADIENT_FLOW,
    INFINITE_CONTEXT,
    LETTERS,
    NOT_ZERO,
    ONE_FACTOR,
    SUPPORT,
    UNIT_LOSS,
)
from proofs_check.theorems import _finite_context as finite_context
from proofs_check.theorems import _in_coq as in_coq
from proofs_check.theorems import _one_parameter_steps as one_parameter_steps
from proofs_check.theorems import _predictor_steps as predictor_steps
from proofs_check.theorems import _quantities as quantities
from proofs_check.theorems import _tables
from proofs_check.theorems._arguments import ONE_INEQUALITY
from proofs_check.theorems._theorem_6_2_figures import FIGURES
from proofs_check.theorems._theorem_6_2_twins import TWINS
from reports.results import Series

BOTH = (BOUNDED.id, NOT_ZERO.id)

THEOREM = Theorem(
    name="theorem_6_2",
    title="One parameter: gradient flow, depth and Bayes optimality",
    source="Barnfield, Sen and Sur, arXiv 2602.04872, Theorem 6.2",
    provenance=in_summary("Theorem 6.2"),
    statement=(
        r"$W_S = -W_V = \alpha I$: gradient flow converges to $\alpha_T$, and $\alpha_T \to \alpha^* = "
        r"\frac{2}{2 + m_{\mathrm{lo}} + m_{\mathrm{hi}}}$ as $T \to \infty$, where the excess over the "
        r"Bayes risk tends to $0$, and the prediction to $w^\top x_q$ almost surely"
    ),
    definitions=(LETTERS, SUPPORT),
    assumptions=(
        INFINITE_CONTEXT,
        UNIT_LOSS,
        GRADIENT_FLOW,
    ),
    hypotheses=(BOUNDED, NOT_ZERO, CONVENTIONS_DIFFER, ONE_FACTOR),
    options=frozenset({"depth", "epsilon", "candidate"}),
    default_depths=(1, 2, 3, 8, 32, 128),
    max_depth=16384,
    depth_limits=(
        "atoms, and densities of $s$ with integer exponents (uniform): depth 16384 for every weight; "
        "other densities, squares, sums: depth 16384, in time that grows with depth (squares of "
        "densities: half a minute at 4096); the one-inequality argument: $T_0$ up to $2^{61}$ for the "
        "former, $2^{14}$ for the latter"
    ),
    false_variants=list(TWINS),
    tables=list(_tables.THEOREM_6_2),
)


@THEOREM.claim(
    "embedding_closed_form",
    r"$F^{(T)} = \bigl(I - (I - \alpha\Lambda)^T\bigr) \Lambda^{-1} X$",
    SYMBOLIC,
    argument=by_symbols("induction on $T$ in an eigendirection").in_coq(in_coq.ONE_PARAMETER_EMBEDDING),
    provenance=DERIVED,
)
def embedding_closed_form(run: Run, record: Record) -> None:
    r"""The layers map $F$ to $F + \alpha X - \alpha \Lambda F$, so $F^{(T)} = p_T(\Lambda) X$ with a
    polynomial $p_T$.

    In an eigendirection of $\Lambda$ with eigenvalue $\lambda$ this is the scalar recurrence
    $p_T = p_{T-1} + \alpha (1 - \lambda p_{T-1})$, $p_0 = 0$; induction on $T$.
    """
    derive(record, theory.attention.embedding_one_parameter())
    record.summary = "induction on $T$, symbolic"


@THEOREM.claim(
    "population_loss",
    r"$\mathcal{E}_T(\alpha) = \mathbb{E}\Bigl[\frac{s}{\lambda} (1 - \alpha\lambda)^{2T}\Bigr]$",
    SYMBOLIC,
    cites=("embedding_closed_form",),
    argument=by_symbols("a Gaussian second moment, less the Bayes risk").in_coq(in_coq.ONE_PARAMETER_LOSS),
    provenance=DERIVED,
)
def population_loss(run: Run, record: Record) -> None:
    r"""As $L \to \infty$ the read-out is $\mathbb{E}[y x]^\top p_T(\Lambda) x_q$ with
    $\mathbb{E}[y x] = \zeta m$, and $m$ is an eigenvector of $\Lambda$: the prediction is
    $\zeta p m^\top x_q$.

    Its risk is a Gaussian second moment, quadratic in $p$; less the Bayes risk $\zeta^2/\lambda$ it is the
    square $(s/\lambda)(1 - \lambda p)^2$, and $1 - \lambda p_T = (1 - \alpha \lambda)^T$.
    """
    derive(record, theory.gaussian.isserlis_rule())
    derive(record, theory.losses.one_parameter().derivation)
    record.summary = "from the data model, symbolic"


@THEOREM.claim(
    "unique_minimiser",
    r"$\mathcal{E}_T$ is strictly convex and has one minimiser $\alpha_T$",
    ENCLOSURE,
    needs=(NOT_ZERO.id,),
    cites=("population_loss",),
    argument=by_prose("the derivative rises strictly, as an odd power of a falling function falls").in_coq(
        in_coq.UNIQUE_MINIMISER
    ),
    provenance=in_summary("Theorem 6.2"),
)
def unique_minimiser(run: Run, record: Record) -> None:
    r"""The derivative is $-2T \mathbb{E}[s q^{2T-1}]$, $q = 1 - \alpha \lambda$. For each $s > 0$ the odd
    power of the falling affine function $q$ falls strictly, so the derivative rises strictly: one zero at
    most.

    At $\alpha = 0$ it is $-2T \mathbb{E}\,s < 0$. At $\alpha = 1$, where $q = -s$, it is
    $2T \mathbb{E}\,s^{2T} > 0$.
    """
    derive(record, theory.losses.one_parameter_convexity())
    mean, positive = run.expectation.moment(1), 1 - run.law.mass_at_zero
    compare(record, EXACT, "$s > 0$ with positive probability", positive, ">", 0)
    statement, note = "the derivative is negative at 0, positive at 1", r"$\mathbb{E}\,s$"
    compare(record, kind_of(mean), statement, mean, ">", 0, note)
    for T in run.settings.depths:
        if T > 1 and run.law.is_constant:
            continue  # The curvature vanishes at alpha_T alone; the derivative still rises strictly.
        curvature, bits = one_parameter_steps.curvature_at_minimiser(run, T)
        statement = r"the curvature at the middle of the enclosure of $\alpha_T$ is positive"
        compare(record, ENCLOSURE, statement, curvature, ">", 0, bits=bits, case={"T": T})
    record.summary = rf"$\mathbb{{E}}\,s = {brief(mean, 6)} > 0$"


@THEOREM.claim(
    "minimiser_enclosure",
    r"$\alpha_T$ to at least 30 digits at every depth asked for",
    ENCLOSURE,
    needs=(NOT_ZERO.id,),
    cites=("unique_minimiser",),
    argument=by_prose(r"a sign change of the derivative encloses $\alpha_T$").in_coq(
        in_coq.MINIMISER_ENCLOSURE
    ),
    provenance=DERIVED,
)
def minimiser_enclosure(run: Run, record: Record) -> None:
    r"""The derivative is certified negative at the lower end of the enclosure and positive at the upper, and
    it rises strictly, so $\alpha_T$ lies between. At $T = 1$ it is $\mathbb{E}\,s / \mathbb{E}[s \lambda]$,
    exactly.

    Both signs are found a second time, where that is cheap, by an evaluator that had no part in the first:
    integers for atoms, rational moments, integration of the density.
    """
    rows: list[list[int | str]] = []
    digits = []
    for T in run.progress.track(run.settings.depths, "alpha_T"):
        number = one_parameter_steps.enclosure(run, record, T)
        rows.append([T, number.lower, number.upper])
        digits.append(one_parameter_steps.certain_digits(number))
        last = rf"$\alpha_{{{T}}} = {brief(number, 15)}\dots$, {min(digits)} digits are certain"
    columns = ["T", "lower", "upper"]
    record.values["alpha_T"] = [
        {**dict(zip(columns, row, strict=True)), "digits": certain}
        for row, certain in zip(rows, digits, strict=True)
    ]
    record.series["alpha_T"] = Series(columns, [list(row) for row in rows])
    if run.law.is_bounded:
        record.values["alpha_star"] = str(quantities.alpha_star(run))
        record.values["alpha_unsquared"] = certified(quantities.unsquared(run))
    record.summary = last


@THEOREM.claim(
    "flow_converges",
    r"$\dot\alpha = -\mathcal{E}_T'(\alpha)$ converges to $\alpha_T$ from every start",
    NUMERIC,
    needs=(NOT_ZERO.id,),
    cites=("unique_minimiser", "minimiser_enclosure"),
    argument=by_prose("every orbit is monotone and bounded").in_coq(in_coq.ONE_PARAMETER_FLOW),
    provenance=in_summary("Theorem 6.2"),
)
def flow_converges(run: Run, record: Record) -> None:
    r"""The derivative is negative below $\alpha_T$ and positive above, so every orbit is monotone and
    bounded, and its limit is a zero of the derivative: $\alpha_T$. The two certified signs of
    `minimiser_enclosure` therefore decide the limit.

    The time to come within a stated distance is $\int d\alpha / -\mathcal{E}_T'(\alpha)$; the orbit is also
    integrated, in reparametrised time, and the two times agree within their error estimates. These are no
    bounds: times that do not agree leave the step undecided.
    """
    rows: list[list[int | str | float]] = []
    worst = 0.0
    for T in run.progress.track(run.settings.depths, "flows"):
        root = quantities.minimiser(run, T)
        for start in one_parameter_steps.STARTS:
            side = numerics.one_parameter.all_large_depths.side_at(
                run.expectation, start, T, run.settings.max_bits
            )
            toward = None if side is None else side == (1 if start < root.lower else -1)
            record.check(
                ENCLOSURE,
                r"the flow from ${start}$ heads for $\alpha_T$",
                toward,
                detail="sign of the derivative at the start",
                case={"start": start, "T": T},
            )
            found = one_parameter_steps.follow(run, T, float(start), float(root.middle))
            times = found.log_time / log(10), found.log_closed / log(10)
            record.check(
                NUMERIC,
                r"the orbit from ${start}$ comes within $10^{-6}\,\alpha_T$ in the time of the quadrature",
                True if found.agrees else None,
                detail=rf"$\log_{{10}} t = {times[0]:.8f}$ and {times[1]:.8f}, {found.steps} steps",
                cross_check=True,
                case={"start": start, "T": T},
            )
            rows.append([T, str(start), *times])
            worst = max(worst, abs(times[0] - times[1]))
    record.series["flow_time"] = Series(
        ["T", "start", "log10_time", "log10_time_closed"], [list(r) for r in rows]
    )
    record.summary = f"{len(rows)} flows, $\\log_{{10}}$ of times agree to ${approx(worst, 1)}$"


@THEOREM.claim(
    "limit",
    r"$|\alpha_T - \alpha^*| < \epsilon\,\alpha^*$ for all $T \ge T_0$",
    ENCLOSURE,
    needs=BOTH,
    cites=("unique_minimiser",),
    argument=ONE_INEQUALITY,
    provenance=in_summary("Theorem 6.2", "the first depth $T_0$ is derived here"),
)
def limit(run: Run, record: Record) -> None:
    r"""One certified inequality on either side of $\alpha^*$ settles every later depth.

    $T_0$ is the first depth at which both are certified; below $T_0$ the signs are enumerated to say from
    which depth on it holds in fact.
    """
    center, epsilon = quantities.alpha_star(run), run.settings.epsilon
    found = quantities.prove_limit(run, record, center, r"$\alpha^*$").band
    record.values.update(alpha_star=str(center), epsilon=str(epsilon))
    if found is not None:
        record.values.update(T0=found.T0, first_T=found.first_T)
        record.summary = rf"$T_0 = {found.T0}$, $\alpha^* = {center}$"


@THEOREM.claim(
    "bayes_optimal",
    r"$\mathcal{E}_T(\alpha_T) \le \mathbb{E}\Bigl[\frac{s}{\lambda}\Bigr] \kappa^{2T}$ for all $T \ge 1$; "
    r"$|1 - \alpha_T\lambda| \le \rho < 1$ for all $T \ge T_0$",
    ENCLOSURE,
    needs=BOTH,
    cites=("unique_minimiser", "limit"),
    argument=by_coq("OneParameterLimit.bayes_optimal", r"the loss at $\alpha^*$ bounds that at $\alpha_T$"),
    provenance=in_summary("Theorem 6.2", "the bounds are derived here"),
)
def bayes_optimal(run: Run, record: Record) -> None:
    r"""$\alpha_T$ minimises, so the excess is at most the loss at $\alpha^*$, where
    $|1 - \alpha^* \lambda| \le \kappa$ on the support: $\mathbb{E}[s/\lambda] \kappa^{2T}$, $\kappa < 1$.

    For one prompt the residual is $|1 - \alpha_T \lambda|^T \le \rho^T$ as soon as
    $|\alpha_T - \alpha^*| \le \epsilon \alpha^*$, $\rho = \max(1 - (1 - \epsilon) \alpha^* \ell_1, (1 +
    \epsilon) \alpha^* \ell_2 - 1)$, and $\rho < 1$ iff $\epsilon < \ell_1/\ell_2$.
    """
    derive(record, theory.limits.bayes_bound())
    derive(record, theory.limits.per_prompt_rate())
    law, center, kappa = run.law, quantities.alpha_star(run), quantities.kappa(run)
    l1, l2 = law.lambda_ends
    assert l2 is not None
    record.check(
        EXACT,
        r"$\kappa$ is the residual at both ends, and $\kappa < 1$",
        1 - center * l1 == kappa == center * l2 - 1 and kappa < 1,
        detail=rf"$\kappa = {kappa}$",
        values=[quantities.ends_valued(run, r"$\kappa$", theory.limits.optimum()[1], kappa)],
    )
    one_parameter_steps.bounds_at_depths(run, record, kappa)
    epsilon = one_parameter_steps.rate_epsilon(run)
    rho = one_parameter_steps.rate(run, record, epsilon)
    found = one_parameter_steps.band(run, record, epsilon)
    record.values.update(kappa=str(kappa), rho=certified(rho), epsilon=str(epsilon))
    if found is not None:
        record.values["T0"] = found.T0
    record.summary = rf"$\kappa = {kappa}$, $\rho = {brief(rho, 6)}$"


@THEOREM.claim(
    "predictor_converges",
    r"$\hat y_q - w^\top x_q = -\zeta (1 - \alpha_T\lambda)^T \frac{m^\top x_q}{\lambda} \to 0$ almost "
    r"surely as $T \to \infty$; $|1 - \alpha_T\lambda| \le \rho < 1$ for all $T \ge T_0$",
    ENCLOSURE,
    needs=BOTH,
    cites=("bayes_optimal",),
    argument=by_coq("Predictor.predictor_converges", "the error of each prompt falls at one rate").in_coq(
        in_coq.PREDICTOR
    ),
    provenance=in_summary("Theorem 6.2", "the rate for a prompt is derived here"),
)
def predictor_converges(run: Run, record: Record) -> None:
    r"""As $L \to \infty$ the prediction is $\zeta p m^\top x_q$, $p = (1 - (1 - \alpha \lambda)^T)/\lambda$,
    and $w^\top x_q$ is $\zeta m^\top x_q/\lambda$; their difference $\Delta_T$ is as stated. Given
    $(m, \zeta)$, $m^\top x_q$ is Gaussian with variance $s \lambda$, so $\mathbb{E}\,\Delta_T^2 =
    \mathbb{E}\,\zeta^2 \mathbb{E}[(s/\lambda)(1 - \alpha_T \lambda)^{2T}]$: the excess.

    At every $T$ it is at most $\mathbb{E}[s/\lambda] \kappa^{2T}$, $\kappa < 1$: summable, so $\Delta_T$
    tends to 0 almost surely.

    The rate for a prompt: $|\Delta_T| \le \rho^T |\zeta m^\top x_q|/\lambda$ for all $T \ge T_0$, with $\rho$
    and $T_0$ of `bayes_optimal`, which are the same for all prompts.
    """
    derive(record, theory.gaussian.isserlis_rule())
    derive(record, theory.predictor.one_parameter_error())
    predictor_steps.summable(run, record, [quantities.excess(run, T)[0] for T in run.settings.depths])
    derive(record, theory.limits.per_prompt_rate())
    epsilon = one_parameter_steps.rate_epsilon(run)
    rho = one_parameter_steps.rate(run, record, epsilon)
    found = one_parameter_steps.band(run, record, epsilon)
    record.values.update(rho=certified(rho), epsilon=str(epsilon))
    if found is not None:
        predictor_steps.per_prompt(run, record, found, rho)
        record.values["T0"] = found.T0
        record.summary = f"of order $({brief(rho, 6)})^T$ from $T_0 = {found.T0}$ on"


@THEOREM.claim(
    "squared_norm_convention",
    r"$\alpha_T \not\to \frac{2}{2 + \sqrt{m_{\mathrm{lo}}} + \sqrt{m_{\mathrm{hi}}}}$: "
    r"$m_{\mathrm{lo}}, m_{\mathrm{hi}}$ bound $\|m\|^2$, not $\|m\|$",
    ENCLOSURE,
    needs=(*BOTH, CONVENTIONS_DIFFER.id),
    cites=("limit",),
    argument=ONE_INEQUALITY.carried_by("OneParameterLimit.limit_unique"),
    provenance=DERIVED,
)
def squared_norm_convention(run: Run, record: Record) -> None:
    r"""Read as ends of the law of the norm itself, $m_{\mathrm{lo}}$ and $m_{\mathrm{hi}}$ give another
    number; the code that proves the limit refutes it.
    """
    quantities.not_the_limit(run, record, quantities.unsquared(run), "the unsquared reading")
    record.values["alpha_unsquared"] = certified(quantities.unsquared(run))
    record.summary = f"${brief(quantities.unsquared(run)[0], 6)}$, the unsquared reading, is refuted"


@THEOREM.claim(
    "candidate",
    r"$\alpha_T \to A$ for the candidate $A$ given",
    ENCLOSURE,
    needs=BOTH,
    cites=("unique_minimiser",),
    option="candidate",
    argument=ONE_INEQUALITY.in_coq(in_coq.CANDIDATE),
    provenance=DERIVED,
)
def candidate(run: Run, record: Record) -> None:
    r"""Decided as the limit is: verified by the certified band about the candidate and the argument for every
    $\epsilon$, refuted by a certified inequality at a point between the candidate and $\alpha_T$.
    """
    value = run.settings.candidate
    assert value is not None
    found = quantities.prove_limit(run, record, value, str(value))
    record.values["candidate"] = str(value)
    record.summary = record.steps[0].detail
    if found.decider is not None:
        record.values["T0"] = found.decider.T0


@THEOREM.claim(
    "finite_context",
    r"at context $L$: $\mathcal{E}_T(\alpha_T) + c_T/L + O(L^{-2})$; $T \to \infty$ gives least squares "
    r"where $\lambda_{\max}(\hat\Lambda) < 2/\alpha$",
    STATISTICAL,
    needs=(NOT_ZERO.id, ONE_FACTOR.id),
    option="statistical",
    argument=by_prose("an expansion of the excess in $1/L$"),
    provenance=DERIVED,
)
def finite_context_excess(run: Run, record: Record) -> None:
    r"""At context $L$ the predictor is $b^\top p_T(\hat\Lambda) x_q$. Expanding the excess, a smooth function
    of $(\hat\Lambda, b)$, about $(\Lambda, \zeta m)$: the linear term has mean 0, the quadratic one gives
    $c_T/L$, exactly at $T = 1$. Given $m$, so for every law.

    $\theta_T = (I - (I - \alpha \hat\Lambda)^T) \theta$ with $\theta$ the least-squares vector: on the event
    $\lambda_{\max}(\hat\Lambda) < 2/\alpha$, and on it alone, $\theta_T$ tends to $\theta$. Least squares has
    the excess $d/(\lambda (L - d - 1))$, exactly. (So the mean over all contexts diverges with $T$, whatever
    $L$ is.)

    Training at $T = 1$: the risk at $L$ is a parabola with its minimum at $\alpha_L =
    \mathbb{E}\,s/(\mathbb{E}[s \lambda] + (d + 3 \mathbb{E}\,s + 2 \mathbb{E}\,s^2)/L)$, and fresh prompts at
    every step keep the mean iterate of gradient descent on the exact recursion towards it.
    """
    finite_context.one_parameter(run, record)


for figure in FIGURES:
    THEOREM.figure(**figure)
