"""The false twins about stacks with weights of their own, each checked by the code of its claim."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numerics
import theory
from proofs_check.engine.claims import FalseVariant, Record
from proofs_check.engine.context import Run
from proofs_check.engine.evidence import derive
from proofs_check.theorems import _layerwise as layerwise
from proofs_check.theorems import _layerwise_depths as depth_steps
from proofs_check.theorems import _layerwise_steps as steps

if TYPE_CHECKING:
    from flint import fmpq_poly

UNIFORM = "uniform(1, 4)"
WITNESS_DEPTHS = (1, 2, 3)


def _deeper(run: Run) -> Run:
    """The run at depths at which a twin can be told from the truth, too."""
    return layerwise.at_depths(run, WITNESS_DEPTHS)


def opposite_sign(run: Run, record: Record) -> None:
    """The weight of the context with the wrong sign in the last term."""
    from theory.layerwise import a_t, b_t, r
    from theory.symbols import lam

    derive(record, theory.layerwise.embedding((1 + b_t * lam) * r - (a_t - b_t) * lam))


def half_exponent(run: Run, record: Record) -> None:
    """The residual in place of its square."""
    from theory.layerwise import r
    from theory.symbols import lam, s

    derive(record, theory.layerwise.population_loss(s / lam * r))


def orthogonal_under_nu(run: Run, record: Record) -> None:
    """Orthogonal under nu itself in place of lam dnu."""
    derive(record, theory.layerwise.best_residual(0))


def two_parameters_suffice(run: Run, record: Record) -> None:
    """The cubic residuals of two parameters are monotone: one real zero, where the best has three."""
    steps.against_two_parameters(run, record, 3)


def _support(run: Run) -> int | None:
    """The number of points of the support of s, 0 included; None if it is infinite."""
    return None if run.law.pieces or run.law.atoms is None else len(run.law.atoms.values)


def nodes_of_the_law(run: Run, record: Record) -> None:
    """The Gauss nodes of dP in place of those of s dP."""
    deeper = _deeper(run)
    count = _support(run)
    for T in deeper.settings.depths:
        if count is None or count > T:
            found, bits = layerwise.law_nodes(deeper, T)
            steps.check_attained(deeper, record, T, found, bits)
        elif count == T:
            # The nodes are the support, and the excess is 0.
            steps.check_attained(deeper, record, T, (), 0, optimal=layerwise.is_perfect(deeper, T))


def _law_differs(run: Run) -> bool:
    """The best residual of degree T is orthogonal under dP and s dP iff it vanishes on the support of dP."""
    count = _support(run)
    return count is None or count > 1


def _chebyshev(run: Run, T: int) -> fmpq_poly:
    low, high = run.law.lambda_ends
    assert high is not None
    return numerics.layerwise.best_excess.shifted_chebyshev(low, high, T)


def chebyshev_nodes(run: Run, record: Record) -> None:
    """The zeros of the Chebyshev polynomial of the interval, which the bound takes."""
    deeper = _deeper(run)
    for T in deeper.settings.depths:
        optimal = numerics.layerwise.best_excess.is_orthogonal(run.law, _chebyshev(run, T))
        found, bits = layerwise.chebyshev_nodes(deeper, T)
        steps.check_attained(deeper, record, T, found, bits, optimal=optimal)


def _chebyshev_differs(run: Run) -> bool:
    """Exactly: whether the Chebyshev polynomial fails to be orthogonal under s dP, at some depth."""
    if not run.law.is_bounded or run.law.is_constant:
        return False
    orthogonal = numerics.layerwise.best_excess.is_orthogonal
    return any(not orthogonal(run.law, _chebyshev(run, T)) for T in _deeper(run).settings.depths)


def doubled_rate(run: Run, record: Record) -> None:
    """Twice the rate; true where e_T is 0."""
    deeper = _deeper(run)
    for T in deeper.settings.depths:
        depth_steps.check_bound(deeper, record, T, power=4)


def _doubled_differs(run: Run) -> bool:
    """Whether e_T > 4 C rho^(4T) at some depth, certified."""
    if not run.law.is_bounded or run.law.is_constant:
        return False
    deeper, rate = _deeper(run), numerics.layerwise.depths.rho(run.law)
    C = layerwise.constant(run)
    return any(bool(layerwise.excess(deeper, T) > 4 * C * rate ** (4 * T)) for T in deeper.settings.depths)


def from_the_first_layer(run: Run, record: Record) -> None:
    """T = 1 in place of T1: there every stack is tied."""
    depth_steps.check_fewer(run, record, 1)


def _first_differs(run: Run) -> bool:
    """The inequality at T1 is false at T = 1."""
    bounded = run.law.is_bounded and not run.law.is_constant
    return bounded and layerwise.fewer(run).T1 > 1


def tied_minimum(run: Run, record: Record) -> None:
    """The tied optimum as a minimum of all weights."""
    deeper = _deeper(run)
    for T in deeper.settings.depths:
        steps.check_tied_optimum(deeper, record, T, is_minimum=True)


def ties_are_harmless(run: Run, record: Record) -> None:
    """Two equal weights; true where N < T."""
    deeper = _deeper(run)
    for T in deeper.settings.depths:
        if T > 1:
            steps.check_ties(deeper, record, T, harmless=True)


def _ties_matter(run: Run) -> bool:
    """Whether some depth T >= 2 has N >= T: the depth 2 is always among them."""
    count = layerwise.points(run)
    return count is None or count >= 2


def _varies(run: Run) -> bool:
    return not run.law.is_constant


def ties_break(run: Run, record: Record) -> None:
    """A start with ties would end at the nodes, too.  Integration refutes nothing: the tie is an identity."""
    from theory.landscape import a_i, a_j, factor, pair_loss

    derive(record, theory.landscape.order_is_kept(2 * (a_i + a_j) * pair_loss() * factor(a_i)))


def one_point_fewer(run: Run, record: Record) -> None:
    """N - 1 in place of N."""
    count = layerwise.points(run)
    assert count is not None
    steps.check_zero(layerwise.at_depths(run, (count - 1,)), record, count - 1, count - 1)


def _at_least_two(run: Run) -> bool:
    count = layerwise.points(run)
    return count is not None and 2 <= count <= numerics.layerwise.best_excess.MOST_EXACT


def _on_every_law(run: Run) -> bool:
    return True


TWINS = [
    FalseVariant(
        "opposite_sign",
        "embedding_is_polynomial",
        r"$r_t = (1 + b_t\lambda) r_{t-1} - (a_t - b_t)\lambda$",
        opposite_sign,
        UNIFORM,
        _on_every_law,
    ),
    FalseVariant(
        "half_exponent",
        "population_loss",
        r"$\mathcal{E} = \int r_T\, d\nu$ whatever the weights",
        half_exponent,
        UNIFORM,
        _on_every_law,
    ),
    FalseVariant(
        "orthogonal_under_nu",
        "best_depth_T",
        r"the minimiser is orthogonal to lower degrees under $\nu$",
        orthogonal_under_nu,
        UNIFORM,
        _on_every_law,
    ),
    FalseVariant(
        "two_parameters_suffice",
        "best_depth_T",
        "two parameters reach $e_3$",
        two_parameters_suffice,
        UNIFORM,
        _varies,
    ),
    FalseVariant(
        "nodes_of_the_law",
        "reciprocal_gauss_nodes",
        "$e_T$ is attained at the reciprocal Gauss nodes of $dP$",
        nodes_of_the_law,
        UNIFORM,
        _law_differs,
    ),
    FalseVariant(
        "chebyshev_nodes",
        "reciprocal_gauss_nodes",
        r"$e_T$ is attained at the reciprocal Chebyshev nodes of $[\ell_1, \ell_2]$",
        chebyshev_nodes,
        UNIFORM,
        _chebyshev_differs,
    ),
    FalseVariant(
        "doubled_rate",
        "chebyshev_bound",
        r"$e_T \le 4\, \mathcal{C} \rho^{4T}$",
        doubled_rate,
        UNIFORM,
        _doubled_differs,
    ),
    FalseVariant(
        "from_the_first_layer",
        "fewer_layers",
        r"$e_T < \epsilon\, \min_\alpha \mathcal{E}_T(\alpha)$ for all $T \ge 1$",
        from_the_first_layer,
        UNIFORM,
        _first_differs,
    ),
    FalseVariant(
        "tied_minimum",
        "landscape",
        "the tied optimum is a minimum",
        tied_minimum,
        UNIFORM,
        _varies,
    ),
    FalseVariant(
        "ties_are_harmless",
        "landscape",
        r"$e_T$ is attained with $\alpha_1 = \alpha_2$",
        ties_are_harmless,
        UNIFORM,
        _ties_matter,
    ),
    FalseVariant(
        "ties_break",
        "flow_converges",
        "the flow converges to a permutation of $(1/z_t)$ from tied weights, too",
        ties_break,
        UNIFORM,
        _on_every_law,
    ),
    FalseVariant(
        "one_point_fewer",
        "finite_support",
        r"$e_T = 0 \iff T \ge N - 1$",
        one_point_fewer,
        "atoms({1: 1/3, 2: 1/3, 4: 1/3})",
        _at_least_two,
    ),
]
