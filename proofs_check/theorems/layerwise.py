r"""Weights of their own for every layer: what depth can do at best.

F^t = F^(t-1) + a_t X + b_t Lhat F^(t-1), F^0 = 0.  The residual is a polynomial of degree T that is 1 at
0, so the least excess e_T is a Christoffel number, the optimal weights are reciprocal Gauss nodes, and
depth of order sqrt(l2/l1) does what tied weights need l2/l1 for.  Not in the paper.
"""

from __future__ import annotations

import numerics
import theory
from proofs_check.engine.claims import DERIVED, Record, Theorem, by_coq, by_prose, by_symbols
from proofs_check.engine.context import Run
from proofs_check.engine.evidence import (
    ENCLOSURE,
    EXACT,
    NUMERIC,
    SYMBOLIC,
    brief,
    certified,
    compare,
    derive,
    valued,
)
from proofs_check.engine.hypotheses import (
    BOUNDED,
    GRADIENT_FLOW,
    INFINITE_CONTEXT,
    LETTERS,
    NOT_ZERO,
    SUPPORT,
    UNIT_LOSS,
    VARIES,
    for_some_claims,
)
from proofs_check.theorems import _in_coq as in_coq
from proofs_check.theorems import _layerwise as layerwise
from proofs_check.theorems import _layerwise_depths as depth_steps
from proofs_check.theorems import _layerwise_plane as plane
from proofs_check.theorems import _layerwise_steps as steps
from proofs_check.theorems import _one_parameter_steps as one_parameter_steps
from proofs_check.theorems import _quantities as quantities
from proofs_check.theorems import _tables
from proofs_check.theorems._figures import EXCESS
from proofs_check.theorems._layerwise_twins import TWINS
from reports.results import Series

BOTH = (NOT_ZERO.id, BOUNDED.id, VARIES.id)

THEOREM = Theorem(
    name="layerwise",
    title="Weights of their own for every layer: what depth can do at best",
    source="this package",
    provenance=DERIVED,
    statement=(
        r"$W_S = a_t I,\ W_V = b_t I$ in layer $t$, $F^{(0)} = 0$: the least excess at depth $T$ is $e_T = "
        r"\min \Bigl\{ \mathbb{E}\Bigl[\frac{s}{\lambda} r(\lambda)^2\Bigr]: \deg r \le T,\ r(0) = 1 "
        r"\Bigr\}$, attained at $a_t = -b_t = 1/z_t$, $z_t$ the Gauss nodes in $\lambda$ of the law "
        "weighted by $s$"
    ),
    definitions=(LETTERS, SUPPORT),
    assumptions=(
        INFINITE_CONTEXT,
        UNIT_LOSS,
        GRADIENT_FLOW,
        "$F^{(0)} = 0$. From $F^{(0)} = X$ the residual has degree $T + 1$, and nothing here is about it.",
        (
            r"That $e_T^{1/(2T)}$ tends to $\rho$ where the law is regular on its support is known, not "
            "proved here."
        ),
    ),
    hypotheses=(
        NOT_ZERO,
        for_some_claims(BOUNDED),
        for_some_claims(VARIES),
        layerwise.ENOUGH_POINTS,
        layerwise.FLOWED,
    ),
    options=frozenset({"depth", "epsilon"}),
    default_depths=(1, 2, 3, 4, 8, 16, 32),
    max_depth=256,
    depth_limits=(
        "every law: depth 256 (half a minute there; about a second at 64); flows are integrated to depth "
        f"{layerwise.MOST_FLOWED}; the table of smallest depths ends at {depth_steps.TABLE_LIMIT}, for two "
        f"parameters at {depth_steps.TWO_PARAMETER_LIMIT}; $T_1$ up to $2^{{60}}$"
    ),
    false_variants=list(TWINS),
    tables=list(_tables.LAYERWISE),
)


@THEOREM.claim(
    "embedding_is_polynomial",
    r"$I - \Lambda F^{(T)} = r_T(\Lambda)$, $r_t = (1 + b_t\lambda) r_{t-1} - (a_t + b_t)\lambda$, "
    r"$r_0 = 1$: $\deg r_T \le T,\ r_T(0) = 1$",
    SYMBOLIC,
    argument=by_symbols("induction on the layers").in_coq(in_coq.LAYERWISE_EMBEDDING),
    provenance=DERIVED,
)
def embedding_is_polynomial(run: Run, record: Record) -> None:
    r"""The layers map $F$ to $F + a_t X + b_t \Lambda F$, so $F^{(t)} = p_t(\Lambda) X$. With
    $r = 1 - \lambda p$ this reads $r_t = (1 + b_t \lambda) r_{t-1} - (a_t + b_t) \lambda$, whatever the
    weights.

    If $r_{t-1} = 1 + \lambda q$ with a polynomial $q$ of degree $\le t - 2$, then
    $r_t = 1 + \lambda ((1 + b_t \lambda) q - a_t)$, and the bracket has degree $\le t - 1$: induction on $t$.

    With $a_t = -b_t = \alpha_t$ it is the product of the factors $1 - \alpha_t \lambda$; so every real
    polynomial of degree $T$ with $r(0) = 1$ and real zeros is one of these. Equal weights give the stacks of
    Theorems 6.2 and 6.3.
    """
    derive(record, theory.layerwise.embedding())
    record.summary = "induction on the layers, symbolic"


@THEOREM.claim(
    "population_loss",
    r"$\mathcal{E} = \mathbb{E}\Bigl[\frac{s}{\lambda} r_T(\lambda)^2\Bigr] = \int r_T^2\, d\nu$, "
    r"$d\nu = \frac{s}{\lambda} dP$ on $\{s > 0\}$",
    SYMBOLIC,
    cites=("embedding_is_polynomial",),
    argument=by_symbols("a Gaussian second moment, less the Bayes risk").in_coq(in_coq.POPULATION_LOSS),
    provenance=DERIVED,
)
def population_loss(run: Run, record: Record) -> None:
    r"""The prediction is $\zeta p m^\top x_q$ with $p = p_T(\lambda)$, its risk a Gaussian second moment;
    less the Bayes risk $\zeta^2/\lambda$ it is $(s/\lambda)(1 - \lambda p)^2 = (s/\lambda) r^2$.
    """
    derive(record, theory.gaussian.isserlis_rule())
    derive(record, theory.layerwise.population_loss())
    record.summary = "from the data model, symbolic"


@THEOREM.claim(
    "best_depth_T",
    r"$e_T = \min_{\deg r \le T,\ r(0) = 1} \int r^2\, d\nu = \mathcal{C} - g^\top G^{-1} g$, $g_j = "
    r"\mathbb{E}[s\lambda^{j-1}],\ G_{jk} = \mathbb{E}[s\lambda^{j+k-1}],\ \mathcal{C} = "
    r"\mathbb{E}\Bigl[\frac{s}{\lambda}\Bigr]$ (and $e_T = 0$ where $T$ is at least the number of points "
    "of support)",
    ENCLOSURE,
    needs=(NOT_ZERO.id,),
    cites=("population_loss",),
    argument=by_prose("the least residual is an orthogonal polynomial").in_coq(in_coq.BEST_DEPTH),
    provenance=DERIVED,
)
def best_depth_T(run: Run, record: Record) -> None:
    r"""Let $N$ be the number of points of support in $\{s > 0\}$, and $N \ge T$. No polynomial of degree
    $T - 1$ vanishes on $N$ points, so $s dP$, which is $\lambda$ times $\nu$, has a monic orthogonal
    polynomial $\pi_T$ of degree $T$. Its zeros lie between the ends of the support, and $\pi_T(0)$ is not 0.
    So $r = \pi_T/\pi_T(0)$ is orthogonal to all lower degrees under $s dP$.

    Any other polynomial of degree $\le T$ that is 1 at 0 is $r + \lambda q$, $\deg q \le T - 1$, and the
    integral of its square is that of $r^2$ plus that of $(\lambda q)^2$, as the integral of $\lambda q r$
    over $\nu$ is 0. So $r$ is the one minimiser. With $r = 1 + \sum_j c_j \lambda^j$ the orthogonality reads
    $G c = -g$, and $e_T = \nu[r^2] = \nu[r] = C + g^\top c = C - g^\top G^{-1} g$, where $\nu[f]$ is the
    integral of $f$ over $\nu$.

    $\rho_k = \nu[\pi_k]$ and $\pi_k(0)$ obey one three-term recurrence, and $e_k = \rho_k/\pi_k(0)$. The
    recurrence multiplies $\rho_k \pi_{k+1}(0) - \rho_{k+1} \pi_k(0)$ by $b_k > 0$ at every step, so that $e_k
    - e_{k+1} = h_k/|\pi_k(0) \pi_{k+1}(0)| > 0$, $h_k$ the integral of $\pi_k^2$ under $s dP$: $e_T$ falls
    strictly until it is 0.

    For $N \le T$ the product of $1 - \lambda/\lambda_i$ over the points of the support is 0 on all of them:
    $e_T = 0$.

    At $T = 1$ every stack is tied. At $T = 2$ two parameters give $r = 1 - 2 \alpha \lambda - \alpha \beta
    \lambda^2$, any quadratic polynomial with $r(0) = 1$ whose linear term is not 0: they reach $e_2$.
    """
    derive(record, theory.layerwise.best_residual())
    depths, found = run.settings.depths, []
    for T in run.progress.track(depths, "e_T"):
        found.append(steps.best_excess(run, record, T))
        steps.against_tied(run, record, T)
        if T == 2:
            steps.against_two_parameters(run, record, T)
    steps.falls(run, record, depths[-1])
    record.values["e_T"] = [
        {"T": T, "lower": number.lower, "upper": number.upper}
        | ({} if number.exact is None else {"exact": number.exact})
        for T, number in zip(depths, found, strict=True)
    ]
    rows = [[T, number.lower, number.upper] for T, number in zip(depths, found, strict=True)]
    record.series["excess"] = Series(["T", "lower", "upper"], rows)
    record.summary = f"$e_{{{depths[-1]}}} = {brief(found[-1])}$"


@THEOREM.claim(
    "reciprocal_gauss_nodes",
    r"$e_T$ is attained at $a_t = -b_t = 1/z_t$, $\ell_1 < z_1 < \dots < z_T < \ell_2$ the zeros of the "
    r"orthogonal polynomial of degree $T$ of $s\, dP$ (and where $T$ is at least the number of points of "
    r"support, at $1/\lambda$ over these)",
    ENCLOSURE,
    needs=(NOT_ZERO.id,),
    cites=("best_depth_T",),
    argument=by_prose("the zeros of orthogonal polynomials are real, simple and inside the support").in_coq(
        in_coq.GAUSS_NODES
    ),
    provenance=DERIVED,
)
def reciprocal_gauss_nodes(run: Run, record: Record) -> None:
    r"""The residual of the stack with $a_t = -b_t = 1/z_t$ is the product of the factors $1 - \lambda/z_t$:
    it has the zeros of $\pi_T$ and is 1 at 0, so it is $\pi_T/\pi_T(0)$, which attains $e_T$.

    For $N > T$ the zeros are simple and strictly inside the ends of the support: if $\pi_T$ changed sign
    there at fewer than $T$ points, its product with the polynomial of lower degree that changes sign at just
    these would keep its sign, and its integral under $s dP$, which is 0, would not be. For $N = T$ they are
    the points of the support, for $N < T$ these are among them and the other layers may do nothing,
    $a_t = b_t = 0$.

    The zeros are enclosed by $T$ sign changes of the recurrence, as many as its degree. The excess there is
    evaluated as a product, over a Gauss rule of the law itself (Jacobi's or Laguerre's), without the moments
    that gave $e_T$. For an unbounded law $z_T$ grows without limit with $T$: the smallest weight tends to 0.
    """
    depths = run.settings.depths
    found = [steps.check_nodes(run, record, T) for T in run.progress.track(depths, "nodes")]
    record.values["nodes"] = [{"T": T, "nodes": zeros} for T, zeros in zip(depths, found, strict=True)]
    if 1 in depths and not layerwise.is_perfect(run, 1):
        root = layerwise.nodes(run, 1)[0][0]
        statement = r"$z_1 = \mathbb{E}[s \lambda]/\mathbb{E}\,s$ at $T = 1$"
        one_parameter_steps.check_moments(run, record, statement, "$z_1$", root, lambda m, m2: 1 + m2 / m)
    if run.law.is_bounded:
        record.series["residual"] = steps.residuals(run)
    record.summary = f"{len(found[-1])} nodes from ${brief(found[-1][0])}$ to ${brief(found[-1][-1])}$"


@THEOREM.claim(
    "chebyshev_bound",
    r"$e_T \le \frac{\mathcal{C}}{T_T(1/\kappa)^2} \le 4\, \mathcal{C} \rho^{2T}$ for every $T \ge 1$, "
    r"$\rho = \frac{\sqrt{\ell_2} - \sqrt{\ell_1}}{\sqrt{\ell_2} + \sqrt{\ell_1}}$",
    ENCLOSURE,
    needs=BOTH,
    cites=("best_depth_T",),
    argument=by_coq("ChebyshevBound.chebyshev_bound", "a Chebyshev polynomial bounds the least residual"),
    provenance=DERIVED,
)
def chebyshev_bound(run: Run, record: Record) -> None:
    r"""$z = (\ell_1 + \ell_2 - 2 \lambda)/(\ell_2 - \ell_1)$ maps $[\ell_1, \ell_2]$ to $[-1, 1]$ and 0 to
    $1/\kappa$. The polynomial $T_T(z)/T_T(1/\kappa)$ has degree $T$ in $\lambda$, is 1 at 0, and at most
    $1/T_T(1/\kappa)$ in modulus on the support: $T_n^2 + (1 - z^2) U_{n-1}^2 = 1$ at every $n$, by induction.
    So $e_T \le C/T_T(1/\kappa)^2$.

    $(\rho + 1/\rho)/2 = 1/\kappa$, and $T_n((w + 1/w)/2) = (w^n + w^{-n})/2$ by induction, so that
    $T_T(1/\kappa) \ge \rho^{-T}/2$.
    """
    derive(record, theory.layerwise.chebyshev())
    depths = run.settings.depths
    bounds = [depth_steps.check_bound(run, record, T) for T in run.progress.track(depths, "bounds")]
    rate = numerics.layerwise.depths.rho(run.law)
    formula, (l1, l2) = theory.layerwise.rho_of_ends(), run.law.lambda_ends
    assert l2 is not None
    shown = valued(r"$\rho$", formula, {theory.symbols.l1: l1, theory.symbols.l2: l2}, rate)
    compare(record, ENCLOSURE, r"$\rho < 1$", rate, "<", 1, values=[shown])
    record.values.update(rho=certified(rate, 30), kappa=str(quantities.kappa(run)))
    rows = [[T, bound.lower, bound.upper] for T, bound in zip(depths, bounds, strict=True)]
    record.series["bound"] = Series(["T", "lower", "upper"], rows)
    record.summary = rf"$\rho = {brief(rate, 6)}$, $\kappa = {brief(quantities.kappa(run), 6)}$"


@THEOREM.claim(
    "fewer_layers",
    r"$e_T < \epsilon\, \min_\alpha \mathcal{E}_T(\alpha)$ for all $T \ge T_1$, $\mathcal{E}_T(\alpha) = "
    r"\mathbb{E}\Bigl[\frac{s}{\lambda} (1 - \alpha\lambda)^{2T}\Bigr]$",
    ENCLOSURE,
    needs=BOTH,
    cites=("chebyshev_bound",),
    argument=by_coq(
        "FewerLayers.fewer_layers", "tied weights pay at one end of the support, whatever they are"
    ),
    provenance=DERIVED,
)
def fewer_layers(run: Run, record: Record) -> None:
    r"""Tied weights pay at one of the ends, whatever $\alpha$ is. For $\alpha \le \alpha^*$ and
    $\lambda \le \ell_1 + h$, $1 - \alpha \lambda \ge 1 - \alpha^* (\ell_1 + h) = \kappa - \alpha^* h$; for
    $\alpha \ge \alpha^*$ and $\lambda \ge \ell_2 - h$, $\alpha \lambda - 1 \ge \kappa - \alpha^* h$. If at
    least $C p$ of $\nu$ lies within $h$ of either end, then $\mathcal{E}_T(\alpha) \ge C p (\kappa - \alpha^*
    h)^{2T}$ at every $T$ and every $\alpha$, $0 < h \le (\ell_2 - \ell_1)/2$.

    $\rho < \kappa$, so there is an $h$ with $\rho < \kappa - \alpha^* h$; $p > 0$ as $\ell_1$ and $\ell_2$
    are the ends of the support. With $e_T \le 4 C \rho^{2T}$ one certified inequality $4 \rho^{2T} < \epsilon
    p (\kappa - \alpha^* h)^{2T}$ at $T_1$ is inherited by every later depth: each multiplies the left by less
    than the right.

    Below $T_1$ the depths are enumerated. The tied excess need not be monotone in $T$, so the smallest depth
    for an accuracy is looked for from the first depth that its floor allows; for two parameters, exactly, by
    the real roots of $N^2 - (C - x) D$ in $\beta$, $x$ the accuracy.
    """
    derive(record, theory.layerwise.tied_floor())
    derive(record, theory.layerwise.chebyshev())
    depth_steps.check_fewer(run, record)
    depth_steps.compare_with_tied(run, record)
    depth_steps.depth_table(run, record)
    found = layerwise.fewer(run)
    record.values.update(T1=found.T1, epsilon=str(run.settings.epsilon), h=str(found.h))
    record.summary = f"by a factor ${run.settings.epsilon}$ from $T_1 = {found.T1}$ on"


@THEOREM.claim(
    "landscape",
    r"$a_t = -b_t = \alpha_t$: critical points of $\mathcal{E}$ with distinct weights are permutations of "
    r"$(1/z_t)$; every other is a strict saddle; $\frac{d}{dt} (\alpha_i - \alpha_j) = 2 (\alpha_i - "
    r"\alpha_j) \int \lambda^2 R_{ij}^2 (1 - \alpha_i\lambda)(1 - \alpha_j\lambda)\, d\nu$",
    SYMBOLIC,
    needs=(NOT_ZERO.id, layerwise.ENOUGH_POINTS.id),
    cites=("reciprocal_gauss_nodes",),
    argument=by_symbols("critical points, ties and the order along the flow, for every $T$").in_coq(
        in_coq.LANDSCAPE
    ),
    provenance=DERIVED,
)
def landscape(run: Run, record: Record) -> None:
    r"""$r$ is the product of the factors $1 - \alpha_t \lambda$, $R_S$ that without the layers in $S$, and
    $\nu[f]$ the integral of $f$ over $\nu$. $N \ge T$ throughout.

    Distinct weights. The derivative of the loss in $\alpha_i$ is $-2 \nu[\lambda r R_i]$. Let it be 0 for
    every $i$, and suppose that $\nu[\lambda^{1+j} r R_S] = 0$ for all sets $S$ of $m$ layers and all $j < m$;
    $m = 1$ is given. Let $S$ have $m + 1$ layers, $i$ and $k$ among them:
    $R_{S-i} = (1 - \alpha_i \lambda) R_S$, so $R_{S-i} - R_{S-k}$ is $(\alpha_k - \alpha_i) \lambda R_S$ and
    $\alpha_k R_{S-i} - \alpha_i R_{S-k}$ is $(\alpha_k - \alpha_i) R_S$: the integrals vanish for $S$ and
    $j < m + 1$. At $m = T$: $r$ is orthogonal to all lower degrees under $s dP$, and 1 at 0. That is
    $\pi_T/\pi_T(0)$ alone, so the weights are the $1/z_t$ in some order. There mixed second derivatives are
    $4 \nu[\lambda^2 r R_{ij}] = 0$, the pure ones $2 \nu[\lambda^2 R_i^2] > 0$.

    Or: $E$ is a strictly convex quadratic function of the elementary symmetric polynomials of the weights,
    whose Jacobian is Vandermonde's determinant.

    A tie $\alpha_i = \alpha_j = a$. Along $a + t$, $a - t$ the loss is even in $t$, and its second derivative
    at 0 is $-4 \nu[R_{ij}^2 (1 - a \lambda)^2 \lambda^2] < 0$: a polynomial of degree $T - 1$ that is 1 at 0
    does not vanish on $N \ge T$ points. So a critical point with a tie is a strict saddle. Where all weights
    are tied the Hessian is $A (4\, 1 1^\top - 2 I)$, $A = \mathbb{E}[s \lambda q^{2T-2}]$,
    $q = 1 - \alpha \lambda$: $T - 1$ eigenvalues $-2 A$.

    Along the flow $\dot\alpha = -\nabla E$ the difference of two weights obeys the equation stated: by
    uniqueness a tie stays a tie, and the order of the weights is kept.

    For $N < T$ none of this holds: two layers may share a zero, and ties be global minima.
    """
    for derivation in (
        theory.landscape.critical_points,
        theory.landscape.saddles,
        theory.landscape.order_is_kept,
    ):
        derive(record, derivation())
    count, depths = layerwise.points(run), run.settings.depths
    known = [T for T in depths if count is None or count >= T]
    for T in known:
        if T > 1:
            steps.check_ties(run, record, T, harmless=False)
        if T > 1 and not run.law.is_constant:
            steps.check_tied_optimum(run, record, T, is_minimum=False)
    record.values["depths"] = known
    record.summary = "every $T$, symbolic" if count is None else rf"$T \le N = {count}$, symbolic"


@THEOREM.claim(
    "flow_converges",
    r"$\dot\alpha = -\nabla\mathcal{E}$ from pairwise distinct weights converges to a permutation of "
    "$(1/z_t)$",
    NUMERIC,
    needs=(NOT_ZERO.id, layerwise.FLOWED.id),
    cites=("landscape",),
    argument=by_prose("the order of the weights is kept, and orbits are bounded").in_coq(
        in_coq.LAYERWISE_FLOW
    ),
    provenance=DERIVED,
)
def flow_converges(run: Run, record: Record) -> None:
    r"""$E$ is coercive in the elementary symmetric polynomials $e_k$ of the weights, and the weights are the
    roots of the monic polynomial whose coefficients are $\pm e_k$: sublevel sets are compact, and orbits
    bounded; the flow from each start exists for all time, and is unique.

    On a sublevel set $\nu[\lambda^2 R_{ij}^2 (1 - \alpha_i \lambda)(1 - \alpha_j \lambda)]$, the integral
    over $\nu$, is positive where $\alpha_i = \alpha_j$, hence positive where
    $|\alpha_i - \alpha_j| < \delta$, for some $\delta > 0$. There the difference grows in modulus. So along
    an orbit $|\alpha_i - \alpha_j|$ is at least $\delta$ or what it is at the start: the limit points are
    critical points with distinct weights, permutations of $(1/z_t)$ by `landscape`. They are finitely many,
    and the set of limit points of a bounded orbit is connected: it is one point.

    A start with ties keeps exactly those. If all weights are tied the flow is that of Theorem 6.2, up to the
    speed, and ends at its minimiser; else it converges to a critical point with those ties (Lojasiewicz, as
    $E$ is a polynomial).

    The flow is integrated beside the proof, from weights near the tied optimum, negative, far, and tied, in
    the smallest weight and the logarithms of the gaps. It ends within Newton's step of the nodes.
    """
    depths = layerwise.flow_depths(run)
    for T in run.progress.track(depths, "flows"):
        ends = steps.targets(run, T)
        for name in layerwise.starts(run, T):
            steps.check_flow(run, record, T, name, ends, "$1/z_t$")
        tied = [float(quantities.minimiser(run, T).middle)] * T
        steps.check_flow(run, record, T, "tied, at 0", tied, "the tied optimum")
    record.series["orbits"] = layerwise.orbits(run, depths[0])
    if plane.DEPTH in depths and not run.law.is_constant:
        plane.draw(run, record)
    record.values.update(depths=depths, orbit_depth=depths[0])
    record.summary = f"{4 * len(depths)} flows, at $T = {', '.join(map(str, depths))}$"


@THEOREM.claim(
    "finite_support",
    r"$e_T = 0 \iff T \ge N$, $N$ the number of points of support in $\{s > 0\}$",
    EXACT,
    needs=(NOT_ZERO.id,),
    cites=("best_depth_T",),
    argument=by_prose("a polynomial of degree $T$ vanishes on $T$ points at most").in_coq(
        in_coq.FINITE_SUPPORT
    ),
    provenance=DERIVED,
)
def finite_support(run: Run, record: Record) -> None:
    r"""$e_T = 0$ iff the minimiser vanishes on the support of $\nu$. It is not 0 and has degree $T$, so this
    takes $N \le T$; and then the product of $1 - \lambda/\lambda_i$ over the support, of degree $N$, does it.
    """
    for T in run.settings.depths:
        steps.check_zero(run, record, T, layerwise.points(run))
    count = layerwise.points(run)
    record.values["points"] = count
    record.summary = "infinitely many points: $e_T > 0$ at every $T$" if count is None else f"$N = {count}$"


THEOREM.figure(
    "excess",
    claim="best_depth_T",
    series="excess",
    y=("lower", "upper"),
    curve="layerwise",
    caption="A weight for each layer, the least that depth can do: stars.",
    **EXCESS,
)
for curve in ("one_parameter", "layerwise"):
    THEOREM.figure(
        "residuals",
        claim="reciprocal_gauss_nodes",
        series="residual",
        optional=True,
        kind="lines",
        x="lam",
        y=curve,
        scale="log",
        each="T",
        curve=curve,
        x_label=r"$\lambda$",
        y_label=r"$|r(\lambda)|$",
        heading=r"The residual $r(\lambda) = 1 - \lambda p_T(\lambda)$ at the best weights, in modulus.",
        caption="Tied weights have one zero of order $T$, weights of their own $T$ zeros in the support.",
    )
for part in plane.FIGURE:
    THEOREM.figure(**part)
