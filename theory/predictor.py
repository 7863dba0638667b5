"""The error of the predictor itself, prompt by prompt, and why it tends to 0 almost surely.

Everything is conditional on (m, zeta) and in the limit of infinite context.
"""

from __future__ import annotations

from functools import cache

from sympy import Expr, ImmutableMatrix, Integer, symbols

from theory.attention import P, one_parameter_embedding, p, stack, two_parameter_embedding
from theory.exclusions import R, alpha_bounds
from theory.gaussian import expectation
from theory.identities import Derivation, Identity, Inequality, to_latex
from theory.latent_factor import linear_risk, noises, tested, token
from theory.limits import SUPPORT, optimum
from theory.losses import one_parameter, two_parameter
from theory.symbols import INNER_1D, NORM, T, alpha, beta, lam, m_t, s, x, zeta

#: R = small/(small + rest): all of (0, 1).
small, rest = symbols("r v", positive=True)


def one_parameter_residual() -> Expr:
    """(1 - alpha lam)^T."""
    return (1 - alpha * lam) ** T


def two_parameter_residual() -> Expr:
    """1 + (alpha/beta)(1 - (1 + beta lam)^T)."""
    return 1 + alpha / beta * (1 - (1 + beta * lam) ** T)


@cache
def one_parameter_error(claimed: Expr | None = None) -> Derivation:
    """yhat_q - w^T x_q = -zeta (1 - alpha lam)^T m^T x_q/lam.  `claimed`: its coefficient of zeta m^T x_q."""
    found = one_parameter_residual()
    return _error(one_parameter_embedding(), found, one_parameter().integrand, -alpha, claimed)


@cache
def two_parameter_error(claimed: Expr | None = None) -> Derivation:
    """yhat_q - w^T x_q = -zeta g m^T x_q/lam, g = 1 + (alpha/beta)(1 - (1 + beta lam)^T).

    `claimed`: its coefficient of zeta m^T x_q.
    """
    return _error(
        two_parameter_embedding(), two_parameter_residual(), two_parameter().integrand, beta, claimed
    )


def _error(embedding: Expr, found: Expr, integrand: Expr, w_v: Expr, claimed: Expr | None) -> Derivation:
    """`found`: the residual of the embedding; `integrand`: the excess; W_S = alpha I, W_V = `w_v` I."""
    factor = -found / lam if claimed is None else claimed
    noise, _, moments = noises(s, Integer(0), Integer(0))
    return Derivation(
        "The error of the predictor",
        (
            Identity(
                r"the read-out $\mathbb{E}[y x]^\top P x_q$ less $w^\top x_q$, where "
                r"$m^\top P = p m^\top$, any dimension",
                zeta * m_t * P * x - zeta / lam * m_t * x,
                -zeta * (1 - lam * p) / lam * m_t * x,
                under=((m_t * P, p * m_t),),
                instance=(*INNER_1D, (P, p)),
                symbol=r"\hat y_q - w^{\top} x_q",
            ),
            Identity(
                "with $p$ the embedding at depth $T$",
                -(1 - lam * embedding) / lam,
                factor,
                symbol=r"\frac{\hat y_q - w^{\top} x_q}{\zeta m^{\top} x_q}",
            ),
            _in_coordinates(factor, w_v),
            Identity(
                r"its second moment, $m^\top x_q$ being $s u$ and noise of variance $s$",
                expectation(zeta * factor * tested(s, noise), moments, power=2),
                zeta**2 * integrand,
                under=NORM,
                symbol=r"\mathbb{E}\bigl[(\hat y_q - w^{\top} x_q)^2\bigr]",
            ),
            Identity(
                r"which is the excess risk, as $w^\top x_q$ is the conditional mean",
                linear_risk(p * s, p**2 * s) - zeta**2 / lam,
                expectation(zeta * (p - 1 / lam) * tested(s, noise), moments, power=2),
                under=NORM,
                symbol=r"\mathbb{E}(y_q - \hat y_q)^2 - \mathbb{E}(y_q - w^{\top} x_q)^2",
            ),
        ),
    )


def _in_coordinates(factor: Expr, w_v: Expr) -> Identity:
    """The same with the stack of full matrices."""
    depth = 2
    vector, query, _ = token((1, 1))
    square = vector.dot(vector)
    row = vector.T * stack(vector, depth, Integer(0), alpha, w_v) - vector.T / (1 + square)
    return Identity(
        "with full matrices, $(d_1, d_2) = (1, 1)$",
        ImmutableMatrix(row * query),
        ImmutableMatrix(factor.subs({T: depth, lam: 1 + s}).subs(s, square) * vector.T * query),
        symbol=rf"\frac{{1}}{{\zeta}} (\hat y_q - w^{{\top}} x_q) = {to_latex(factor)} m^{{\top}} x_q",
        case={"T": depth},
    )


@cache
def summable(claimed: Expr | None = None) -> Derivation:
    """The bounds kappa^(2T) add up to kappa^2/(1 - kappa^2) at most.  `claimed`: the sum up to T."""
    _, worst = optimum()
    power = worst**2
    partial = power * (1 - power**T) / (1 - power) if claimed is None else claimed
    return Derivation(
        "The bounds are summable",
        (
            Identity("the sum up to depth 1", partial.subs(T, 1), power),
            Identity("one depth more", partial.subs(T, T + 1) - partial, power ** (T + 1)),
            Inequality("no partial sum exceeds", partial, power / (1 - power), SUPPORT),
            Inequality(r"which is finite: $\kappa^2 < 1$", power, Integer(1), SUPPORT, strict=True),
        ),
    )


@cache
def two_parameter_rate(claimed: Expr | None = None) -> Derivation:
    """|g| = |1 - c (1 - Z)| <= 2R/(1 - R) where |Z| <= R < 1 and c = -alpha_T/beta_T, in its interval.

    `claimed`: the bound, in R.
    """
    low, high = alpha_bounds()
    bound = 2 * R / (1 - R) if claimed is None else claimed
    below_1 = ((R, small / (small + rest)),)
    return Derivation(
        "The residual of one prompt, two parameters",
        (
            Identity(
                r"with $c = -\alpha/\beta$ and $Z = (1 + \beta \lambda)^T$",
                two_parameter_residual(),
                1 + alpha / beta - alpha / beta * (1 + beta * lam) ** T,
            ),
            Inequality("from above: the least $c$, $Z = R$", 1 - low * (1 - R), bound, below_1),
            Inequality("from below: the largest $c$, $Z = -R$", high * (1 + R) - 1, bound, below_1),
        ),
    )
