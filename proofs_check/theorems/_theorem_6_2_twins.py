"""The false twins of Theorem 6.2, each checked by the code of the claim that it belongs to."""

from __future__ import annotations

from fractions import Fraction

import numerics
import theory
from proofs_check.engine.claims import FalseVariant, Record
from proofs_check.engine.context import Run
from proofs_check.engine.evidence import ENCLOSURE, derive
from proofs_check.engine.hypotheses import convention_matters
from proofs_check.theorems import _finite_context as finite_context
from proofs_check.theorems import _one_parameter_steps as one_parameter_steps
from proofs_check.theorems import _predictor_steps as predictor_steps
from proofs_check.theorems import _quantities as quantities

UNIFORM = "uniform(1, 4)"
WITNESS_DEPTHS = (1, 2, 3, 5)


def squared_reading(run: Run, record: Record) -> None:
    """The reading that is right refuted as well: then nothing would be shown."""
    center = quantities.alpha_star(run)
    quantities.not_the_limit(run, record, (center, center), "the squared reading")


def two_limits(run: Run, record: Record) -> None:
    """A sequence has one limit, and alpha_T does not tend to 0."""
    value = run.settings.candidate
    assert value is not None
    for limit in (value, value * (1 + run.settings.epsilon)):
        quantities.decide_limit(run, record, (limit, limit), str(limit))


def unsquared_norm(run: Run, record: Record) -> None:
    """The ends of the law of the norm in place of those of its square."""
    quantities.decide_limit(run, record, quantities.unsquared(run), "the unsquared reading")


def _mean_weight(run: Run) -> Fraction:
    return 1 / (1 + run.law.mean)


def mean_weight(run: Run, record: Record) -> None:
    """The mean of s in place of the middle of its support: true where the two agree."""
    quantities.decide_limit(run, record, (_mean_weight(run),) * 2, r"$1/(1 + \mathbb{E}\,s)$")


def without_identity(run: Run, record: Record) -> None:
    """The eigenvalues of m m^T in place of those of I + m m^T."""
    assert run.law.m_lo is not None and run.law.m_hi is not None
    quantities.decide_limit(
        run, record, (2 / (run.law.m_lo + run.law.m_hi),) * 2, r"$2/(m_{\mathrm{lo}} + m_{\mathrm{hi}})$"
    )


def one_layer_more(run: Run, record: Record) -> None:
    """The layers counted from 1."""
    from theory.symbols import T, alpha, lam

    derive(record, theory.attention.embedding_one_parameter((1 - (1 - alpha * lam) ** (T + 1)) / lam))


def even_derivative(run: Run, record: Record) -> None:
    """An even power, which would have one sign and no zero between the residuals."""
    from theory.symbols import T, alpha, lam, s

    derive(record, theory.losses.one_parameter_convexity(-2 * T * s * (1 - alpha * lam) ** (2 * T)))


def always_falls(run: Run, record: Record) -> None:
    """As if the flow could only shrink the weight: from 0 it rises."""
    expectation, bits = run.expectation, run.settings.max_bits
    for T in run.settings.depths:
        for start in one_parameter_steps.STARTS:
            side = numerics.one_parameter.all_large_depths.side_at(expectation, start, T, bits)
            falls = None if side is None else side == -1
            record.check(
                ENCLOSURE,
                f"the flow falls at ${start}$",
                falls,
                detail=f"$T = {T}$, from ${start}$",
                case={"T": T},
            )


def doubled_rate(run: Run, record: Record) -> None:
    """Twice the rate, which the ends of the support forbid."""
    one_parameter_steps.bounds_at_depths(run, record, quantities.kappa(run) ** 2)


def widest_band(run: Run, record: Record) -> None:
    """The first epsilon that is too large: there rho = 1."""
    l1, l2 = run.law.lambda_ends
    assert l2 is not None
    one_parameter_steps.rate(run, record, l1 / l2)


def one_layer_fewer(run: Run, record: Record) -> None:
    """As if the first layer, from F^0 = 0, took no step."""
    from theory.symbols import T, alpha, lam

    derive(record, theory.predictor.one_parameter_error(-((1 - alpha * lam) ** (T - 1)) / lam))


def no_whitening(run: Run, record: Record) -> None:
    """The cross moment E[y x] in place of Lambda^-1 E[y x]."""
    from theory.symbols import T, alpha, lam

    derive(record, theory.predictor.one_parameter_error(1 - 1 / lam - (1 - alpha * lam) ** T / lam))


def squared_rate(run: Run, record: Record) -> None:
    """The rate of the excess in place of that of the predictor, at an epsilon that tells them apart."""
    epsilon = min(one_parameter_steps.rate_epsilon(run), Fraction(1, 100))
    rho, found = (
        one_parameter_steps.rate(run, record, epsilon),
        one_parameter_steps.band(run, record, epsilon),
    )
    if found is not None:
        predictor_steps.per_prompt(run, record, found, rho**2)


def half_exponent(run: Run, record: Record) -> None:
    """The residual in place of its square."""
    from theory.symbols import T, alpha, lam, s

    derive(record, theory.losses.one_parameter(s / lam * (1 - alpha * lam) ** T).derivation)


def _moves(run: Run) -> list[tuple[int, int | None]]:
    """Depths, and the certified sign of alpha_T - alpha* there."""
    center = quantities.alpha_star(run)
    depths = sorted({*WITNESS_DEPTHS, *run.settings.depths})
    return [
        (
            T,
            numerics.one_parameter.all_large_depths.side_at(
                run.expectation, center, T, run.settings.max_bits
            ),
        )
        for T in depths
    ]


def always_minimax(run: Run, record: Record) -> None:
    """The limit in place of the minimiser; true for a constant norm, and where s dP is symmetric."""
    for T, sign in _moves(run):
        equal = None if sign is None else sign == 0
        record.check(
            ENCLOSURE,
            rf"$\alpha_{{{T}}} = \alpha^*$",
            equal,
            detail=rf"sign of $\alpha_{{{T}}} - \alpha^*$: {sign}",
        )


def known_covariance(run: Run, record: Record) -> None:
    """Lhat = Lambda, and b = zeta m across m; L - d for L - d - 1; alpha_1 for alpha_L."""
    finite_context.one_parameter(run, record, false=True)


def _on_every_law(run: Run) -> bool:
    return True


def _only_on_its_witness(run: Run) -> bool:
    """Where it is true is not told exactly: at small depths, in wide bands, with little mass at the ends."""
    return False


def _doubled_at_no_depth(run: Run) -> bool:
    """E[w q^2] > kappa^4 E w, with w = s/lam and q = 1 - alpha* lam.

    Then E[w q^(2T)]/E w >= (E[w q^2]/E w)^T > kappa^(4T) at every T, by Jensen's inequality.
    """
    if not run.law.is_bounded or run.law.is_constant:
        return False
    expectation, loss = run.expectation, theory.losses.one_parameter()
    bits = run.settings.max_bits
    first, _ = numerics.one_parameter.minimiser.loss_at(
        expectation, loss, 1, quantities.alpha_star(run), bits
    )
    return bool(
        first > quantities.excess_of_zero(run) * numerics.arithmetic.balls.ball(quantities.kappa(run) ** 4)
    )


def _has_a_limit(run: Run) -> bool:
    return run.law.is_bounded and not run.law.is_zero


TWINS = [
    FalseVariant(
        "unsquared_norm",
        "limit",
        r"$\alpha_T \to \frac{2}{2 + \sqrt{m_{\mathrm{lo}}} + \sqrt{m_{\mathrm{hi}}}}$",
        unsquared_norm,
        UNIFORM,
        convention_matters,
    ),
    FalseVariant(
        "mean_weight",
        "limit",
        r"$\alpha_T \to \frac{1}{1 + \mathbb{E} s}$",
        mean_weight,
        "atoms({1: 1/3, 4: 2/3})",
        lambda run: run.law.is_bounded and _mean_weight(run) != quantities.alpha_star(run),
    ),
    FalseVariant(
        "without_identity",
        "limit",
        r"$\alpha_T \to \frac{2}{m_{\mathrm{lo}} + m_{\mathrm{hi}}}$",
        without_identity,
        UNIFORM,
        _on_every_law,
    ),
    FalseVariant(
        "one_layer_more",
        "embedding_closed_form",
        r"$F^{(T)} = \bigl(I - (I - \alpha\Lambda)^{T+1}\bigr) \Lambda^{-1} X$",
        one_layer_more,
        UNIFORM,
        _on_every_law,
    ),
    FalseVariant(
        "even_derivative",
        "unique_minimiser",
        r"$\mathcal{E}_T'(\alpha) = -2T\,\mathbb{E}\bigl[s (1 - \alpha\lambda)^{2T}\bigr]$",
        even_derivative,
        UNIFORM,
        _on_every_law,
    ),
    FalseVariant(
        "always_falls",
        "flow_converges",
        r"$\dot\alpha < 0$ from every start",
        always_falls,
        UNIFORM,
        _on_every_law,
    ),
    FalseVariant(
        "doubled_rate",
        "bayes_optimal",
        r"$\mathcal{E}_T(\alpha^*) \le \mathbb{E}\Bigl[\frac{s}{\lambda}\Bigr] \kappa^{4T}$",
        doubled_rate,
        UNIFORM,
        _doubled_at_no_depth,
    ),
    FalseVariant(
        "widest_band",
        "bayes_optimal",
        r"$\rho < 1$ at $\epsilon = \ell_1/\ell_2$",
        widest_band,
        UNIFORM,
        _has_a_limit,
    ),
    FalseVariant(
        "one_layer_fewer",
        "predictor_converges",
        r"$\hat y_q - w^\top x_q = -\zeta (1 - \alpha\lambda)^{T-1} \frac{m^\top x_q}{\lambda}$",
        one_layer_fewer,
        UNIFORM,
        _on_every_law,
    ),
    FalseVariant(
        "no_whitening",
        "predictor_converges",
        r"$\hat y_q \to \zeta m^\top x_q$",
        no_whitening,
        UNIFORM,
        _on_every_law,
    ),
    FalseVariant(
        "squared_rate",
        "predictor_converges",
        r"$|1 - \alpha_T\lambda| \le \rho^2$ for all $T \ge T_0$",
        squared_rate,
        UNIFORM,
        _only_on_its_witness,
    ),
    FalseVariant(
        "half_exponent",
        "population_loss",
        r"$\mathcal{E}_T(\alpha) = \mathbb{E}\Bigl[\frac{s}{\lambda} (1 - \alpha\lambda)^T\Bigr]$",
        half_exponent,
        UNIFORM,
        _on_every_law,
    ),
    FalseVariant(
        "always_minimax",
        "minimiser_enclosure",
        r"$\alpha_T = \alpha^*$ for every $T$",
        always_minimax,
        UNIFORM,
        lambda run: run.law.is_bounded and any(sign in (1, -1) for _, sign in _moves(run)),
    ),
    FalseVariant(
        "squared_reading",
        "squared_norm_convention",
        r"$\alpha_T \not\to \frac{2}{2 + m_{\mathrm{lo}} + m_{\mathrm{hi}}}$",
        squared_reading,
        UNIFORM,
        _has_a_limit,
    ),
    FalseVariant(
        "two_limits",
        "candidate",
        r"$\alpha_T \to A$ and $\alpha_T \to (1 + \epsilon) A$",
        two_limits,
        UNIFORM,
        _has_a_limit,
    ),
    FalseVariant(
        "known_covariance",
        "finite_context",
        r"$c_T = \mathbb{E}\Bigl[\frac{(1 - g)^2}{\lambda}\Bigr]$, as if only $m^\top b$ fluctuated",
        known_covariance,
        UNIFORM,
        lambda run: not run.law.is_zero,
    ),
]
