r"""The latent factor model: covariance of a prompt's tokens, regression vector, Bayes risk.

A prompt draws m = [v; r] and zeta; a token is x = u m + noise with latent u ~ N(0, 1)
and noise ~ N(0, I), its response y = zeta u.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numerics
import theory
from proofs_check.engine.claims import DERIVED, Record, Theorem, by_prose, by_symbols, in_summary
from proofs_check.engine.context import Run
from proofs_check.engine.evidence import (
    ENCLOSURE,
    EXACT,
    STATISTICAL,
    SYMBOLIC,
    brief,
    certified,
    compare,
    derive,
    kind_of,
)
from proofs_check.engine.hypotheses import LETTERS, NOT_ZERO, ONE_FACTOR
from proofs_check.theorems import _finite_context as finite_context
from proofs_check.theorems import _tables

if TYPE_CHECKING:
    from sympy import Expr

    from numerics.arithmetic.balls import Number
    from numerics.laws import Law


THEOREM = Theorem(
    name="latent_factor_model",
    title="The latent factor model",
    source="Barnfield, Sen and Sur, arXiv 2602.04872, the data model of Theorems 4.1, 6.2 and 6.3",
    provenance=in_summary("the data model"),
    statement=(
        r"$\operatorname{Cov}(x \mid m) = \Lambda = I + m m^\top$, $w = \Lambda^{-1} \zeta m = "
        r"\frac{\zeta m}{1 + s}$, $\min_f \mathbb{E}(y - f(x))^2 = \frac{\zeta^2}{1 + s}$, $s = \|m\|^2$"
    ),
    definitions=(LETTERS,),
    assumptions=(
        r"$u$ and the noise are standard Gaussian and independent of each other and of $(m, \zeta)$.",
        (
            r"For `covariate_shift`: $m$ is isotropic, $d \ge 2$; or $v$ and $r$ are isotropic and "
            "independent (two laws)."
        ),
    ),
    hypotheses=(NOT_ZERO, ONE_FACTOR),
    tables=list(_tables.LATENT_FACTOR_MODEL),
)


def _dimensions() -> str:
    return ", ".join(map(str, theory.latent_factor.DIMENSIONS))


@THEOREM.claim(
    "covariance",
    r"$\operatorname{Cov}(x \mid m) = I + m m^\top$",
    SYMBOLIC,
    needs=(ONE_FACTOR.id,),
    argument=by_symbols(r"any dimension, from $\mathbb{E}[a^\top x b^\top x]$"),
    provenance=in_summary("the data model"),
)
def covariance(run: Run, record: Record) -> None:
    r"""For all vectors $a$, $b$: $a^\top x = u\, a^\top m + a^\top \xi$ with noise $\xi$, so
    $\mathbb{E}[a^\top x b^\top x] = (a^\top m)(b^\top m) + a^\top b$.

    This is any dimension; for several $(d_1, d_2)$ the matrices are computed entry by entry.
    """
    derive(record, theory.gaussian.isserlis_rule())
    derive(record, theory.latent_factor.covariance())
    record.summary = f"any $d$; entry by entry for $(d_1, d_2) = {_dimensions()}$"


@THEOREM.claim(
    "regression_vector",
    r"$w = \Lambda^{-1} \zeta m = \frac{\zeta m}{1 + s}$",
    SYMBOLIC,
    needs=(ONE_FACTOR.id,),
    cites=("covariance",),
    argument=by_symbols("Sherman-Morrison"),
    provenance=in_summary("the data model"),
)
def regression_vector(run: Run, record: Record) -> None:
    r"""$\mathbb{E}[y x] = \zeta m$, and $\Lambda^{-1} = I - m m^\top/(1+s)$ by Sherman-Morrison, from
    $m^\top m = s$ alone.

    The residual $y - w^\top x$ is uncorrelated with every $a^\top x$.
    """
    derive(record, theory.gaussian.isserlis_rule())
    derive(record, theory.latent_factor.cross_moment())
    derive(record, theory.latent_factor.regression_vector())
    record.summary = f"Sherman-Morrison, any $d$; matrices for $(d_1, d_2) = {_dimensions()}$"


@THEOREM.claim(
    "bayes_risk",
    r"$\mathbb{E}[y \mid x] = w^\top x$, $\mathbb{E}(y - w^\top x)^2 = \frac{\zeta^2}{1 + s}$",
    SYMBOLIC,
    needs=(ONE_FACTOR.id,),
    cites=("regression_vector",),
    argument=by_symbols("completing the square in $u$"),
    provenance=in_summary("the data model"),
)
def bayes_risk(run: Run, record: Record) -> None:
    r"""$-2$ log density of $(u, x)$ is $u^2 + |x - u m|^2$ up to a constant; completing the square in $u$,
    given $x$ the latent $u$ is Gaussian with mean $m^\top x/(1+s)$ and variance $1/(1+s)$.

    So $y = \zeta u$ has conditional mean $w^\top x$, and no predictor has less risk than $\zeta^2/(1+s)$.
    """
    derive(record, theory.latent_factor.bayes_risk())
    record.summary = "by completing the square, any $d$"


@THEOREM.claim(
    "several_factors",
    r"$x = M u + \xi,\ y = \zeta^\top u,\ \mathbb{E} \zeta \zeta^\top = c I$: "
    r"$\frac{\mathbb{E}[\mathrm{excess}]}{\mathbb{E} |\zeta|^2} = \frac{1}{k} \sum_{j=1}^k \mathbb{E} "
    r"\frac{s_j}{\lambda_j} (1 - \lambda_j p(\lambda_j))^2$",
    SYMBOLIC,
    argument=by_symbols(r"along each eigenvector of $M^\top M$ the excess of one factor"),
    provenance=DERIVED,
)
def several_factors(run: Run, record: Record) -> None:
    r"""$s_j$ are the eigenvalues of $M^\top M$, $\lambda_j = 1 + s_j$ those of $G = I + M^\top M$, $p$ the
    filter of a stack.

    $\Lambda M = M G$ gives $p(\Lambda) M = M p(G)$, so that a filter errs by $M g$,
    $g = (p(G) - G^{-1}) \zeta$, with excess $g^\top (G - I) G g$: along each eigenvector of $G$ that of one
    factor. $\zeta$ is independent of $M$ and has no direction: per unit $\mathbb{E} |\zeta|^2$ the mean over
    $j$, the loss for one factor whose $s$ is drawn from the mixture of the laws of $s_1, \dots, s_k$. Entry
    by entry for $k = 2, 3$.

    So what is shown for a law of $s$ holds for several factors at infinite context; what concerns tokens, or
    a context of $L$ of them, does not follow.
    """
    derive(record, theory.several_factors.reduction())
    shapes = ", ".join(f"({k}, {d})" for k, d in theory.several_factors.SHAPES)
    record.summary = f"entry by entry for $(k, d) = {shapes}$"


@THEOREM.false_variant(
    "one_factor_of_the_trace",
    "several_factors",
    r"the excess of one factor with $s = \|M\|_F^2$",
    witness="uniform(1, 4)",
)
def one_factor_of_the_trace(run: Run, record: Record) -> None:
    """The sum of the eigenvalues in place of their mixture."""
    derive(record, theory.several_factors.reduction(theory.several_factors.trace_alone))


@THEOREM.claim(
    "covariate_shift",
    r"$\mathbb{E} \lVert \Lambda - \Lambda' \rVert_F^2 > 0$ for two independent prompts",
    EXACT,
    needs=(NOT_ZERO.id, ONE_FACTOR.id),
    cites=("covariance",),
    argument=by_prose(r"a rotation moves $\Lambda$; the mean square distance is positive unless $s = 0$"),
    provenance=in_summary("the data model", "that it is positive in mean square is derived here"),
)
def covariate_shift(run: Run, record: Record) -> None:
    r"""The unimodal theory takes one $\Lambda$ for all prompts. Here a rotation $R$ gives $R m$ the law of
    $m$ and turns $\Lambda(m)$ into $\Lambda(R m) = R \Lambda(m) R^\top$, another matrix for $d \ge 2$.

    In mean square, for independent prompts, $\mathbb{E} \lVert \Lambda - \Lambda'\rVert^2 = 2 \mathbb{E}\,s^2
    - 2 \lVert \mathbb{E}\,m m^\top\rVert^2$, and isotropy makes $\mathbb{E}\,m m^\top = (\mathbb{E}\,s/d) I$:
    $2 \mathbb{E}\,s^2 - 2 (\mathbb{E}\,s)^2/d$, positive for $d \ge 2$ unless $s = 0$ almost surely, and
    least at $d = 2$. For two modalities $\mathbb{E}\,m m^\top = \operatorname{diag}((\mathbb{E}\,p/d_1) I,
    (\mathbb{E}\,q/d_2) I)$.
    """
    shift_everywhere(record)
    found = theory.covariate_shift.mean_square_distance()
    derive(record, found.derivation)
    if len(run.law.modalities or ()) > 2:
        derive(record, theory.covariate_shift.several(len(run.law.modalities or ())).derivation)
    distance, where = _least_distance(run.law)
    statement, kind = f"positive for this law, {where}", kind_of(distance)
    compare(record, kind, statement, distance, ">", 0, weakest=ENCLOSURE)
    record.values["mean_square_distance"] = certified(distance)
    record.summary = f"${brief(distance, 6)}$ at {where}"


def shift_everywhere(record: Record, claimed: Expr | None = None) -> None:
    """The rotation argument.  `claimed`: ||Lambda(R m) - Lambda(m)||^2 for R m orthogonal to m."""
    derive(record, theory.latent_factor.covariate_shift(claimed))


def _least_distance(law: Law) -> tuple[Number, str]:
    """The mean square distance in the smallest dimension, and which that is."""
    from theory.covariate_shift import E_ss
    from theory.gap import E_s
    from theory.symbols import d

    found = numerics.self_attention.best_layer.blocks_of(law)
    blocks = [block for block in found if block.mean != 0]
    balls = numerics.arithmetic.balls
    rational = Fraction if law.is_rational else balls.ball

    @balls.precise
    def value(formula: Expr, numbers: Mapping[Expr, Any]) -> Any:
        found = numerics.arithmetic.formula.value(formula, numbers, rational)
        return Fraction(found) if isinstance(found, int) else found

    if len(blocks) == 1:
        isotropic = theory.covariate_shift.mean_square_distance().isotropic
        place = "$d = 2$" if law.modalities is None else "$d = 2$ for the modality that is not 0"
        return value(
            isotropic, {E_s: blocks[0].mean, E_ss: blocks[0].square, d: rational(Fraction(2))}
        ), place
    several = theory.covariate_shift.several(len(blocks))
    numbers = {
        letter: number
        for letters, block in zip(several.letters, blocks, strict=True)
        for letter, number in zip(letters, (block.mean, block.square, rational(Fraction(1))), strict=True)
    }
    ones = ", ".join(["1"] * len(blocks))
    names = ", ".join(f"d_{i}" for i in range(1, len(blocks) + 1))
    return value(several.distance, numbers), f"$({names}) = ({ones})$"


@THEOREM.false_variant(
    "without_noise", "covariance", r"$\operatorname{Cov}(x \mid m) = m m^\top$", witness="uniform(1, 4)"
)
def without_noise(run: Run, record: Record) -> None:
    """The noise left out."""
    from theory.latent_factor import a_m, b_m

    derive(record, theory.latent_factor.covariance(a_m * b_m))


@THEOREM.false_variant(
    "unit_direction", "regression_vector", r"$w = \frac{\zeta m}{s}$", witness="uniform(1, 4)"
)
def unit_direction(run: Run, record: Record) -> None:
    """The norm of m in place of the eigenvalue 1 + s."""
    from theory.symbols import s

    derive(record, theory.latent_factor.regression_vector(1 / s))


@THEOREM.false_variant(
    "squared_eigenvalue",
    "bayes_risk",
    r"$\mathbb{E}(y - w^\top x)^2 = \frac{\zeta^2}{(1 + s)^2}$",
    witness="uniform(1, 4)",
    differs=lambda run: not run.law.is_zero,
)
def squared_eigenvalue(run: Run, record: Record) -> None:
    """|w|^2/s in place of the risk."""
    from theory.symbols import s, zeta

    derive(record, theory.latent_factor.bayes_risk(zeta**2 / (1 + s) ** 2))


@THEOREM.false_variant(
    "one_covariance",
    "covariate_shift",
    r"$\Lambda$ depends on $\|m\|$ alone",
    witness="uniform(1, 4)",
)
def one_covariance(run: Run, record: Record) -> None:
    """Prompts of one norm given one covariance."""
    from sympy import Integer

    shift_everywhere(record, Integer(0))


@THEOREM.claim(
    "moments",
    "sampled prompts have the moments of the model, token by token and from one Wishart draw",
    STATISTICAL,
    needs=(NOT_ZERO.id, ONE_FACTOR.id),
    option="statistical",
    argument=by_prose("Gaussian fourth moments by Isserlis' rule"),
    provenance=DERIVED,
)
def moments(run: Run, record: Record) -> None:
    r"""Given $(m, \zeta)$, $\hat\Lambda$ and $b = \frac{1}{L} \sum y x$ are means of $L$ independent tokens:
    $\mathbb{E}\,\hat\Lambda = \Lambda$ and $\mathbb{E}\,b = \zeta m$, and the covariances are Gaussian fourth
    moments over $L$, by Isserlis' rule.

    $L\, \hat m^\top \hat\Lambda \hat m/\lambda$ with $\hat m = m/\lVert m\rVert$, and
    $L e^\top \hat\Lambda e$, $e$ across $m$, are chi-square with $L$ degrees of freedom. The Wishart draw
    (Bartlett) has to give the law of the tokens, below $L = d + 1$ as well.
    """
    finite_context.moments(run, record)


@THEOREM.false_variant(
    "missing_degree",
    "moments",
    "the Wishart draw has $L - 1$ degrees of freedom",
    witness="uniform(1, 4)",
    differs=lambda run: not run.law.is_zero,
)
def missing_degree(run: Run, record: Record) -> None:
    """One token too few in the draw, L tokens in the mean."""
    finite_context.moments(run, record, missing=1)
