"""Several latent factors: x = M u + noise, y = zeta^T u, u ~ N(0, I_k), reduced to one factor.

G = I + M^T M has the eigenvalues lam_j = 1 + s_j, s_j those of M^T M.  Since Lambda M = M G, a filter
p(Lambda) of the prompt's E[y x] = M zeta is M p(G) zeta, and everything is a function of G.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from sympy import Add, Expr, ImmutableMatrix, Integer, MatrixBase, Symbol, eye, symbols, trace

from theory.gaussian import expectation, independent
from theory.identities import Derivation, Identity
from theory.symbols import lam, s

SHAPES = ((2, 2), (2, 3), (3, 3))
"""Pairs (k, d) for which the matrices are computed entry by entry."""

p = Symbol("p", real=True)


def trace_alone(factors: ImmutableMatrix) -> MatrixBase:
    """The false (1 + |M|^2) I in place of G: one factor with the squared norm of the whole matrix."""
    return eye(factors.cols) * (1 + trace(factors.T * factors))


def _gram(factors: ImmutableMatrix) -> MatrixBase:
    return eye(factors.cols) + factors.T * factors


@cache
def reduction(claimed: Callable[[ImmutableMatrix], MatrixBase] | None = None) -> Derivation:
    """Population risk, Bayes risk and excess of a filter for k factors.  `claimed`: G as a function of M."""
    gram = _gram if claimed is None else claimed
    steps = [step for shape in SHAPES for step in _in_coordinates(*shape, gram)]
    return Derivation(
        "Several factors: the mixture of the eigenvalue laws",
        (
            *steps,
            Identity(
                r"along an eigenvector of $G$, $g = p - 1/\lambda$: the excess of one factor",
                (lam - 1) * lam * (p - 1 / lam) ** 2,
                s / lam * (1 - lam * p) ** 2,
                under=((lam, 1 + s),),
            ),
            *(_isotropic_mean(k) for k in sorted({k for k, _ in SHAPES})),
        ),
    )


def _in_coordinates(k: int, d: int, gram_of: Callable[[ImmutableMatrix], MatrixBase]) -> tuple[Identity, ...]:
    factors = ImmutableMatrix(d, k, symbols(f"m_1:{d * k + 1}", real=True))
    latent = ImmutableMatrix(symbols(f"u_1:{k + 1}", real=True))
    noise = ImmutableMatrix(symbols(f"xi_1:{d + 1}", real=True))
    zeta = ImmutableMatrix(symbols(f"zeta_1:{k + 1}", real=True))
    h = ImmutableMatrix(symbols(f"h_1:{k + 1}", real=True))
    moments = independent(*latent, *noise)
    x = factors * latent + noise
    covariance = ImmutableMatrix(eye(d) + factors * factors.T)
    gram = ImmutableMatrix(gram_of(factors))
    where = f"$k = {k}$, $d = {d}$"

    def mean(matrix: MatrixBase) -> ImmutableMatrix:
        return ImmutableMatrix(matrix.applyfunc(lambda entry: expectation(entry, moments)))

    # With zeta = G h the regression vector is M h, without an inverse.
    response, along = (gram * h).dot(latent), factors * h
    residual = response - along.dot(x)
    return (
        Identity(
            f"covariance of a token, {where}",
            mean(x * x.T),
            covariance,
            symbol=r"\operatorname{Cov}(x \mid M) = I + M M^{\top}",
        ),
        Identity(
            f"its moment with the response, {where}",
            mean(x * zeta.dot(latent)),
            factors * zeta,
            symbol=r"\mathbb{E}[y x] = M \zeta",
        ),
        Identity(
            r"so that $p(\Lambda) M = M p(G)$ for every polynomial $p$, and "
            rf"$\Lambda^{{-1}} M = M G^{{-1}}$, {where}",
            covariance * factors,
            factors * gram,
            symbol=r"\Lambda M = M G",
        ),
        Identity(
            rf"Bayes risk $\zeta^\top G^{{-1}} \zeta$, $\zeta = G h$ and $w = M h$, {where}",
            expectation(residual, moments, power=2),
            (h.T * gram * h)[0],
            symbol=r"\mathbb{E}(y - w^{\top} x)^2",
        ),
        Identity(
            f"excess of $w + M g$, {where}",
            (along.T * covariance * along)[0],
            (h.T * (gram - eye(k)) * gram * h)[0],
            symbol=r"g^{\top} M^{\top} \Lambda M g = g^{\top} (G - I) G\, g",
        ),
    )


def _isotropic_mean(k: int) -> Identity:
    """E zeta^T A zeta for E zeta zeta^T = c I, over E |zeta|^2 = c k: the mean of the eigenvalues of A."""
    c = Symbol("c", positive=True)
    upper = {(i, j): Symbol(f"A_{i + 1}{j + 1}", real=True) for i in range(k) for j in range(i, k)}
    zeta = symbols(f"zeta_1:{k + 1}", real=True)
    form = Add(
        *(upper[min(i, j), max(i, j)] * zeta[i] * zeta[j] for i in range(k) for j in range(k)),
    )
    covariance: dict[tuple[Symbol, Symbol], Expr] = {(z, z): c for z in zeta}
    diagonal = Add(*(upper[i, i] for i in range(k)))
    return Identity(
        rf"per unit $\mathbb{{E}} |\zeta|^2$ the mean over the eigenvectors, $k = {k}$",
        expectation(form, covariance) / (c * k),
        diagonal / Integer(k),
        symbol=r"\frac{\mathbb{E}\, \zeta^{\top} A \zeta}{\mathbb{E} |\zeta|^2} "
        r"= \frac{1}{k} \operatorname{tr} A",
    )
