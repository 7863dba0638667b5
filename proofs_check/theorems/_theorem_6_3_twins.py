"""The false twins of Theorem 6.3, each checked by the code of the claim that it belongs to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numerics
import theory
from proofs_check.engine.claims import FalseVariant, Record
from proofs_check.engine.context import Run
from proofs_check.engine.evidence import derive
from proofs_check.engine.hypotheses import convention_matters, two_values
from proofs_check.theorems import _finite_context as finite_context
from proofs_check.theorems import _predictor_steps as predictor_steps
from proofs_check.theorems import _quantities as quantities
from proofs_check.theorems import _two_parameter as two_parameter
from proofs_check.theorems import _two_parameter_band as two_parameter_band
from proofs_check.theorems import _two_parameter_steps as steps

if TYPE_CHECKING:
    from numerics.two_parameter.starts import Start

UNIFORM = "uniform(1, 4)"
WITNESS_DEPTHS = (8, 9)


def known_covariance(run: Run, record: Record) -> None:
    """Lhat = Lambda, and b = zeta m across m; (alpha_2, beta_2) at finite L."""
    finite_context.two_parameter(run, record, false=True)


def one_layer_more(run: Run, record: Record) -> None:
    """The sum with its term k = T."""
    from theory.symbols import T, alpha, beta, lam

    claimed = alpha * ((1 + beta * lam) ** (T + 1) - 1) / (beta * lam)
    derive(record, theory.attention.embedding_two_parameters(claimed))


def inner_sign(run: Run, record: Record) -> None:
    """The inner sign flipped."""
    from theory.symbols import T, alpha, beta, lam, s

    steps.check_loss(record, s / lam * (1 - alpha / beta * (1 - (1 + beta * lam) ** T)) ** 2)


def tied_weights(run: Run, record: Record) -> None:
    """The one-parameter minimiser is critical along beta = -alpha only."""
    for T in _depths(run):
        steps.check_minimum(run, record, T, steps.tied(run, T))


def _tied_is_apart(run: Run) -> bool:
    """Whether the one-parameter minimiser is told apart from every critical value of beta, at some depth."""
    for T in _asked(run):
        root, points = quantities.minimiser(run, T), two_parameter.profile(run, T).critical_points
        if all(-root.lower < p.beta.low or p.beta.high < -root.upper for p in points):
            return True
    return False


def every_start(run: Run, record: Record) -> None:
    """A start that provably escapes is one too many."""
    for T in _depths(run):
        steps.decide_start(run, record, T, _escaping(run, T), "converged")


def no_negative_start(run: Run, record: Record) -> None:
    """A start that provably crosses alpha = 0 and converges is one too many."""
    for T in _depths(run):
        steps.decide_start(run, record, T, _negative(run, T), "escaped")


def _escaping(run: Run, T: int) -> Start | None:
    return numerics.two_parameter.starts.escaping_start(two_parameter.reached(run, T).basin)


def _negative(run: Run, T: int) -> Start | None:
    return numerics.two_parameter.starts.negative_start(two_parameter.reached(run, T).basin)


def positive_beta(run: Run, record: Record) -> None:
    """The sign of beta lost."""
    center = quantities.alpha_star(run)
    two_parameter_band.decide_limit(run, record, (center, center), r"$+\alpha^*$")


def unsquared_norm(run: Run, record: Record) -> None:
    """The ends of the law of the norm in place of those of its square."""
    lower, upper = quantities.unsquared(run)
    two_parameter_band.decide_limit(run, record, (-upper, -lower), "the unsquared reading")


def squared_rate(run: Run, record: Record) -> None:
    """The rate of the loss, a square already, squared once more."""
    for T in _depths(run):
        steps.check_rate(run, record, T, r"\kappa^{4T}", times=2)


def _exceeds_squared_rate(run: Run) -> bool:
    """Whether the excess is above the squared rate at some depth."""
    for T in _asked(run):
        if two_parameter.enclosed(run, T).excess_ball > two_parameter.geometric_bound(run, 2 * T):
            return True
    return False


def one_layer_fewer(run: Run, record: Record) -> None:
    """As if the first layer, from F^0 = 0, took no step."""
    from theory.symbols import T, lam

    residual = theory.predictor.two_parameter_residual()
    derive(record, theory.predictor.two_parameter_error(-residual.subs(T, T - 1) / lam))


def no_whitening(run: Run, record: Record) -> None:
    """The cross moment E[y x] in place of Lambda^-1 E[y x]."""
    from theory.symbols import lam

    claimed = 1 - 1 / lam - theory.predictor.two_parameter_residual() / lam
    derive(record, theory.predictor.two_parameter_error(claimed))


def rate_of_the_excess(run: Run, record: Record) -> None:
    """The predictor as fast as its square."""
    for T in WITNESS_DEPTHS:
        predictor_steps.two_parameter_rate(run, record, T, power=2)


def exact_at_odd_depth(run: Run, record: Record) -> None:
    """At odd T the two atoms have opposite z^T."""
    for T in tuple(T for T in run.settings.depths if T % 2) or (3,):
        steps.check_exact(run, record, T)


def _asked(run: Run) -> tuple[int, ...]:
    """The depths asked for, T >= 2."""
    return tuple(T for T in run.settings.depths if T > 1)


def _depths(run: Run) -> tuple[int, ...]:
    """The same; without one, the first two."""
    return _asked(run) or (2, 3)


def _on_every_law(run: Run) -> bool:
    return True


TWINS = [
    FalseVariant(
        "known_covariance",
        "finite_context",
        r"$c_T = \mathbb{E}\Bigl[\frac{(1 - g)^2}{\lambda}\Bigr]$, as if only $m^\top b$ fluctuated",
        known_covariance,
        UNIFORM,
        lambda run: not run.law.is_zero,
    ),
    FalseVariant(
        "one_layer_more",
        "embedding_closed_form",
        r"$F^{(T)} = \alpha \sum_{k \le T} (I + \beta\Lambda)^k X$",
        one_layer_more,
        UNIFORM,
        _on_every_law,
    ),
    FalseVariant(
        "inner_sign",
        "population_loss",
        r"$\mathcal{E}_T = \mathbb{E}\Bigl[\frac{s}{\lambda} \Bigl(1 - \frac{\alpha}{\beta} \bigl(1 - (1 + "
        r"\beta\lambda)^T\bigr)\Bigr)^2\Bigr]$",
        inner_sign,
        UNIFORM,
        _on_every_law,
    ),
    FalseVariant(
        "tied_weights",
        "critical_point_enclosure",
        r"$\nabla\mathcal{E}_T(\alpha, -\alpha) = 0$ at the one-parameter minimiser",
        tied_weights,
        UNIFORM,
        _tied_is_apart,
    ),
    FalseVariant(
        "every_start",
        "flow_converges",
        "the flow converges from every start",
        every_start,
        UNIFORM,
        lambda run: any(_escaping(run, T) is not None for T in _asked(run)),
    ),
    FalseVariant(
        "no_negative_start",
        "initialisation_matters",
        r"the flow converges from no start with $\alpha_0 < 0$",
        no_negative_start,
        UNIFORM,
        lambda run: any(_negative(run, T) is not None for T in _asked(run)),
    ),
    FalseVariant("positive_beta", "limit", r"$\beta_T \to +\alpha^*$", positive_beta, UNIFORM, _on_every_law),
    FalseVariant(
        "unsquared_norm",
        "limit",
        r"$\beta_T \to \frac{-2}{2 + \sqrt{m_{\mathrm{lo}}} + \sqrt{m_{\mathrm{hi}}}}$",
        unsquared_norm,
        UNIFORM,
        convention_matters,
    ),
    FalseVariant(
        "squared_rate",
        "bayes_optimal",
        r"$\mathcal{E}_T(\alpha_T, \beta_T) \le \mathbb{E}\Bigl[\frac{s}{\lambda}\Bigr] \kappa^{4T}$",
        squared_rate,
        UNIFORM,
        _exceeds_squared_rate,
    ),
    FalseVariant(
        "one_layer_fewer",
        "predictor_converges",
        r"$g_T = 1 + \frac{\alpha}{\beta} \bigl(1 - (1 + \beta\lambda)^{T-1}\bigr)$",
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
        "rate_of_the_excess",
        "predictor_converges",
        r"$|g_T| \le \frac{2\rho^{2T}}{1 - \rho^{2T}}$",
        rate_of_the_excess,
        UNIFORM,
        lambda run: False,  # two atoms: g_T = 0 at even T
    ),
    FalseVariant(
        "exact_at_odd_depth",
        "exact_at_finite_depth",
        r"$s \in \{s_1, s_2\}$, $T$ odd: $\mathcal{E}_T = 0$ at the same weights",
        exact_at_odd_depth,
        "atoms({1: 1/3, 4: 2/3})",
        lambda run: two_values(run.law) is not None,
    ),
]
