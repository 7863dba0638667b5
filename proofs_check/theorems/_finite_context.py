"""Statistical claims: sampled prompts held against the theory at finite context.

Each theorem that has one registers a function of this file; `false` holds the same samples against the
false twins instead.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING, Any

import numerics
import theory
from proofs_check.engine.claims import Record
from proofs_check.engine.context import Run
from proofs_check.engine.evidence import approx, certified, compare, derive, kind_of
from proofs_check.theorems import _quantities as quantities
from proofs_check.theorems import _single_layer as single_layer
from proofs_check.theorems._comparisons import DIMENSION, LEVEL, Comparisons, widths
from reports.results import Evidence, Sampled

if TYPE_CHECKING:
    from numerics.arithmetic.balls import Number
    from numerics.laws import Law
    from numerics.simulation.arrays import HostArray
    from numerics.simulation.gradients import WeightFamily
    from numerics.simulation.hypothesis_tests import Measured
    from numerics.simulation.training import Trained

DEEPEST = 32
"""The largest depth sampled."""
FIRST_CONTEXT = 512
"""At depth T the context is this times T^2: the fluctuations of (1 - alpha lam)^T stay small."""
EXACT_CONTEXT = 20
MOMENT_CONTEXTS = (4, 7)
"""Below d + 1, where Bartlett's factor is trapezoidal, and above."""
LAYER_CONTEXTS = (10, 100, 10_000)
SQUARES_CONTEXTS = (DIMENSION + 8, 25)
LONG_CONTEXT, LONG_PROMPTS, LONG_DEPTHS, OFF_DEPTH = 50, 4096, (64, 256, 1024), 32
SAMPLER_PROMPTS = 2**16
TRAINING_CONTEXT, STEPS, WINDOW, BATCH, MOST_BATCH = 8, 1000, 200, 64, 512
TRAININGS, SETTLED = 8, 0.03
"""Independent trainings, and what each may leave to gain."""
EVEN, UNEVEN = 4, Fraction(1, 50)
"""E s^8/(E s^4)^2 up to which a batch will do; and over the prompts of all windows, past which none will."""
STATISTICAL, NUMERIC, EXACT = Evidence.STATISTICAL, Evidence.NUMERIC, Evidence.EXACT


def moments(run: Run, record: Record, *, missing: int = 0) -> None:
    """latent_factor_model.moments.  `missing`: a Wishart draw with too few degrees of freedom."""
    measurements = numerics.simulation.measured
    samplers = (False,) if missing else (True, False)
    count = len(MOMENT_CONTEXTS) * (len(samplers) * len(measurements.MOMENTS) + 3)
    comparisons = Comparisons(run, record, 1, count)
    for context in MOMENT_CONTEXTS:
        measure = measurements.moments(context)
        for tokens in samplers:
            name = "token by token" if tokens else "from the Wishart draw"
            statements = [f"{statement}, {name}, $L = {context}$" for statement in measurements.MOMENTS]
            comparisons.sampled(statements, context, measure, tokens=tokens, missing=missing)
        _same_samplers(comparisons, context, missing)
    comparisons.close()


def _same_samplers(comparisons: Comparisons, context: int, missing: int) -> None:
    """Both samplers have one law; too few degrees of freedom would be seen at twice the band."""
    decisions, spreads = numerics.simulation.hypothesis_tests, numerics.simulation.measured.spreads
    band = decisions.chi_square_distance(context, context - 1) / 2
    first = spreads(comparisons.source(context, 2), context, SAMPLER_PROMPTS, tokens=True)
    second = spreads(comparisons.source(context, 3), context, SAMPLER_PROMPTS, tokens=False, missing=missing)
    names = (
        r"$\hat m^\top \hat\Lambda \hat m$",
        r"$e^\top \hat\Lambda e$",
        r"the largest eigenvalue of $\hat\Lambda$",
    )
    for name, one, other in zip(names, first, second, strict=True):
        found = decisions.same_law(one, other, band, comparisons.confidence)
        comparisons.record.check(
            STATISTICAL,
            f"{name} has one law under both samplers",
            found.holds,
            detail=(
                rf"distribution functions ${found.distance:.4f} \pm {found.error:.4f}$ apart, at most "
                f"${band:.4f}$ allowed"
            ),
            case={"L": context},
        )


def layer(run: Run, record: Record, *, false: bool = False) -> None:
    """theorem_4_1.finite_context."""
    blocks = numerics.self_attention.best_layer.blocks_of(run.law)
    best = numerics.self_attention.best_layer.best_layer(blocks).weights
    coefficient = numerics.simulation.finite_context.layer_coefficient(run.law, best, widths(run.law))
    compare(
        record,
        kind_of(coefficient),
        "the risk is above its limit, and above the Bayes risk by more than the gap, by a constant over $L$",
        coefficient,
        ">",
        0,
        note=f"at $d = {DIMENSION}$",
    )
    record.values["coefficient"] = str(coefficient) if run.law.is_rational else certified(coefficient)
    sizes = widths(run.law)
    weights = best if len(best) == len(sizes) else best * len(sizes)
    diagonal = [float(weight) for weight, width in zip(weights, sizes, strict=True) for _ in range(width)]
    comparisons = Comparisons(run, record, 2, len(LAYER_CONTEXTS), false)
    for context in LAYER_CONTEXTS:
        statement = (
            r"the risk less its limit is $1/L$ of $\operatorname{tr}(M \Lambda M (\Lambda + m m^\top))$, "
            f"$L = {context}$"
        )
        comparisons.sampled([statement], context, numerics.simulation.measured.layer(diagonal, context))
    comparisons.close()


def one_parameter(run: Run, record: Record, *, false: bool = False) -> None:
    """theorem_6_2.finite_context."""
    weights = {T: float(quantities.minimiser(run, T).middle) for T in _depths(run)}
    count = _intervals(weights) + len(SQUARES_CONTEXTS) + 1
    comparisons = Comparisons(run, record, 3, count, false)
    _stacks(comparisons, {T: (alpha, -alpha) for T, alpha in weights.items()})
    derive(record, theory.finite_context.least_squares().derivation)
    for context in SQUARES_CONTEXTS:
        statement = rf"the excess of least squares, times $\lambda$, is $d/(L - d - 1)$, $L = {context}$"
        comparisons.sampled(
            [statement], context, numerics.simulation.measured.least_squares(DIMENSION, context)
        )
    _deep(comparisons, weights[max(weights)])
    _trained_at_depth_one(comparisons)
    comparisons.close()


def two_parameter(run: Run, record: Record, *, false: bool = False) -> None:
    """theorem_6_3.finite_context."""
    population = numerics.simulation.weights.Population(run.law, run.settings.max_bits)
    weights = {T: population.two_parameter(T) for T in _depths(run)}
    comparisons = Comparisons(run, record, 4, _intervals(weights) + 2, false)
    _stacks(comparisons, weights)
    _trained_at_depth_two(comparisons)
    comparisons.close()


def _depths(run: Run) -> list[int]:
    """The depths asked for as far as they are sampled."""
    depths = [T for T in run.settings.depths if T <= DEEPEST]
    if not depths:
        raise numerics.errors.NoConvergence(f"sampled up to depth {DEEPEST}; no depth asked for is")
    return depths


def _intervals(depths: Iterable[int]) -> int:
    """One at depth 1, where the coefficient is exact; two at others."""
    return sum(1 if T == 1 else 2 for T in depths)


def _stacks(comparisons: Comparisons, weights: dict[int, tuple[float, float]]) -> None:
    """L (excess - population excess) tends to the coefficient of 1/L, both per unit of its size."""
    derive(comparisons.record, theory.finite_context.first_order())
    _formula_is_the_derived_one(comparisons.record)
    comparisons.record.values["coefficients"] = [
        {"T": T, "coefficient": _mean_coefficient(comparisons.run, T, *weights[T])} for T in sorted(weights)
    ]
    for T in comparisons.run.progress.track(sorted(weights), "finite contexts"):
        alpha, beta = weights[T]
        first, second = (
            (context, numerics.simulation.measured.stack(alpha, beta, T, DIMENSION, context))
            for context in (
                (EXACT_CONTEXT,) * 2 if T == 1 else (FIRST_CONTEXT * T**2, 4 * FIRST_CONTEXT * T**2)
            )
        )
        where = f"$L = {first[0]}$, exactly" if T == 1 else f"$L = {first[0]}$ and ${second[0]}$"
        statement = f"the excess less its limit, times $L$, is the coefficient of $1/L$, $T = {T}$, {where}"
        comparisons.sampled([statement], *first, nearer=None if T == 1 else second)


def _mean_coefficient(run: Run, T: int, alpha: float, beta: float) -> float:
    """The coefficient of 1/L in the mean over the law."""
    formulas = numerics.simulation.finite_context
    return numerics.expectation.quadrature.FloatRules(run.law).mean(
        2 * T + 4,
        lambda s: formulas.first_order(formulas.stack_residual(alpha, beta, T, 1 + s), s, DIMENSION),
    )


def _formula_is_the_derived_one(record: Record) -> None:
    """What is sampled against is the derived formula: equal at a rational point."""
    from theory.symbols import L, T, alpha, beta, d, lam, s

    a, b, norm, depth = Fraction(3, 10), Fraction(-2, 7), Fraction(3, 2), 3
    residual = numerics.simulation.finite_context.stack_residual(a, b, depth, 1 + norm)
    ours = numerics.simulation.finite_context.population(residual, norm)
    ours += numerics.simulation.finite_context.first_order(residual, norm, DIMENSION) / 100
    formula = theory.finite_context.two_parameter().excess.subs(T, depth)
    numbers = {alpha: a, beta: b, s: norm, lam: 1 + norm, d: Fraction(DIMENSION), L: Fraction(100)}
    derived = numerics.arithmetic.formula.value(formula, numbers)
    record.check(EXACT, "the sampled formula is the derived one", ours == derived, detail=f"{ours}")


def _deep(comparisons: Comparisons, alpha: float) -> None:
    """At fixed L the predictor tends to least squares where lambda_max(Lhat) < 2/alpha, and only there."""
    record = comparisons.record
    found = numerics.simulation.long_stacks.long_stacks(
        comparisons.source(LONG_CONTEXT, 4), LONG_CONTEXT, LONG_PROMPTS, alpha, LONG_DEPTHS, OFF_DEPTH
    )
    low, high = numerics.simulation.hypothesis_tests.proportion(found.on_event, found.prompts, 1 - LEVEL)
    frequency = Sampled(found.on_event / found.prompts, low, high, 1 - LEVEL, found.prompts)
    record.values["event_frequency"] = frequency
    where = rf"$L = {LONG_CONTEXT}$, $\alpha = {approx(alpha)}$"
    record.check(
        NUMERIC,
        r"$|\theta_T - \theta| \le \rho^T |\theta|$ where $\lambda_{\max}(\hat\Lambda) < 2/\alpha$, "
        f"{where}",
        found.converging if found.on_event else None,
        detail=f"{found.on_event} of {found.prompts} contexts, $T$ up to {max(LONG_DEPTHS)}",
    )
    if found.on_event < found.prompts:
        record.check(
            NUMERIC,
            rf"elsewhere the distance grows by $|1 - \alpha \lambda_{{\max}}|$ a layer, {where}",
            found.diverging,
            detail=f"{found.prompts - found.on_event} contexts, $T = {OFF_DEPTH}$",
        )


def _trained_at_depth_one(comparisons: Comparisons) -> None:
    """Gradient descent at depth 1 ends, in the mean, at the minimiser of the risk at L.

    The loss is quadratic and every step has fresh prompts, so the mean iterate obeys the exact recursion.
    """
    run, record = comparisons.run, comparisons.record
    mean, square = (run.expectation.moment(k) for k in (1, 2))

    @numerics.arithmetic.balls.precise
    def weights() -> tuple[Number, Number, Number]:
        limit, coefficient = mean + square, DIMENSION + 3 * mean + 2 * square
        slope = limit + coefficient / TRAINING_CONTEXT
        return mean / slope, mean / limit, slope

    optimum, population, slope = weights()
    derived = numerics.simulation.finite_optimum.one_parameter(run.law, DIMENSION, TRAINING_CONTEXT)
    single_layer.check_equal(
        record,
        r"the derived excess is least at $\alpha_L = \mathbb{E}\,s/(\mathbb{E}[s \lambda] + \mathbb{E}[d + "
        "3 s + 2 s^2]/L)$",
        [derived],
        [optimum],
        detail=(
            rf"$\alpha_L = {approx(float(optimum))}$ at $L = {TRAINING_CONTEXT}$, "
            rf"$\alpha_1 = {approx(float(population))}$"
        ),
    )
    rate = 1 / (20 * float(slope))
    family = numerics.simulation.gradients.WeightFamily.ONE_PARAMETER
    descent = numerics.simulation.training.GradientDescent(rate)
    ends = _trained(comparisons, 1, family, descent)
    _reached(comparisons, r"$\alpha$", 1, ends, 0, float(optimum), float(population))


def _trained_at_depth_two(comparisons: Comparisons) -> None:
    """Adam at depth 2, from 0, ends at the minimiser of the exact risk at L."""
    run, record = comparisons.run, comparisons.record
    derive(record, theory.finite_optimum.quadratic(2, DIMENSION).derivation)
    limit = numerics.simulation.finite_optimum.two_parameter(run.law, DIMENSION, None)
    if run.law.is_constant:
        return  # the population minimisers form a curve
    population = limit.minimiser
    optimum = numerics.simulation.finite_optimum.two_parameter(run.law, DIMENSION, TRAINING_CONTEXT).minimiser
    there = f"({approx(float(population[0]))}, {approx(float(population[1]))})"
    compare(
        record,
        kind_of(limit.determinant),
        "the minimiser at $L$, rational in $1/L$, has no pole at $1/L = 0$: its distance from there is "
        "$O(1/L)$",
        limit.determinant,
        ">",
        0,
        note=rf"$(\alpha_2, \beta_2) = {there}$, the determinant",
    )
    rate = float(optimum[0]) / 20
    family = numerics.simulation.gradients.WeightFamily.TWO_PARAMETER
    ends = _trained(comparisons, 2, family, numerics.simulation.training.Adam(rate))
    for index, name in enumerate((r"$\alpha$", r"$\beta$")):
        _reached(comparisons, name, 2, ends, index, float(optimum[index]), float(population[index]))


def batch_size(law: Law) -> int:
    """The prompts that a step of a training needs.  Raises NoConvergence where no number will do."""
    fourth, eighth = (numerics.expectation.over_law.Expectation(law).moment(k) for k in (4, 8))
    unevenness = eighth / fourth**2
    size = min(MOST_BATCH, ceil(BATCH * max(1.0, float(unevenness / EVEN))))
    if float(unevenness) > UNEVEN * TRAININGS * WINDOW * size:
        raise numerics.errors.NoConvergence("the norms are too uneven for the prompts of a training")
    return size


def _trained(comparisons: Comparisons, depth: int, family: WeightFamily, optimiser: Any) -> list[Trained]:
    """Independent trainings to their ends.  Raises NoConvergence."""
    training, run = numerics.simulation.training, comparisons.run
    stop = training.StopRule(STEPS, window=WINDOW, tolerance=SETTLED)
    size = batch_size(run.law)
    backend, memory = numerics.simulation.measured.backend(), numerics.simulation.measured.MEMORY
    ends = []
    for index in run.progress.track(range(TRAININGS), "trainings"):
        source = comparisons.source(TRAINING_CONTEXT, 5, index)
        task = training.TrainingTask(source, TRAINING_CONTEXT, depth, family, size)
        ends.append(training.Training(task, optimiser, stop, backend, memory).run())
    return ends


def _reached(
    comparisons: Comparisons,
    name: str,
    depth: int,
    ends: list[Trained],
    index: int,
    optimum: float,
    population: float,
) -> None:
    """One parameter's mean end against the minimiser; the twin is that of the population loss."""
    import numpy as np

    def measured(points: list[HostArray]) -> Measured:
        values = np.array([point[index] for point in points])
        ones = np.ones_like(values)
        return numerics.simulation.hypothesis_tests.Measured(
            values - optimum, (population - optimum) * ones, optimum * ones
        )

    ahead = [end.predicted for end in ends]
    predicted = [point for point in ahead if point is not None]
    comparisons.decide_trained(
        f"training ends at the minimiser at $L = {TRAINING_CONTEXT}$: {name}, $T = {depth}$",
        measured([end.parameters for end in ends]),
        measured(predicted) if len(predicted) == len(ends) else None,
        sum(not end.settled for end in ends),
    )


def without_skip(run: Run, record: Record, *, false: bool = False) -> None:
    """skip_ablation.finite_context."""
    comparisons = Comparisons(run, record, 5, 1, false)
    silent, prompts = numerics.simulation.layer_by_layer.silent_without_skip(
        comparisons.source(EXACT_CONTEXT, 4)
    )
    record.check(
        NUMERIC,
        "without skip from $F^{(0)} = 0$ every prediction is 0, and the excess that of predicting the mean",
        silent,
        detail=f"{prompts} prompts, layer by layer, $L = {EXACT_CONTEXT}$",
    )
    measure = numerics.simulation.measured.sample_mean(EXACT_CONTEXT)
    statement = f"the sample mean costs $1/L$ more than predicting the mean, times $L$, $L = {EXACT_CONTEXT}$"
    comparisons.sampled([statement], EXACT_CONTEXT, measure)
    comparisons.close()
