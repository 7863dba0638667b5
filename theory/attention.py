"""Linear self-attention and the linear cross-attention stack, in the limit of infinite context.

By the law of large numbers (1/L) sum x_i x_i^T tends to Lambda and (1/L) sum y_i x_i
to E[y x] = zeta m; that limit is taken as given here, everything after it is derived.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import (
    BlockMatrix,
    Expr,
    ImmutableMatrix,
    Integer,
    Matrix,
    Poly,
    Symbol,
    diff,
    eye,
    symbols,
    zeros,
)

from theory.gaussian import expectation
from theory.identities import Derivation, Identity, quotient
from theory.latent_factor import DIMENSIONS, Lambda_of_m, eigenvectors, token, u
from theory.symbols import INNER, INNER_1D, Lambda, T, X, alpha, beta, c, lam, m, m_t, s, zeta

#: The embedding as a function of one eigenvalue of Lambda; P at Lambda is the matrix.
p = Symbol("p", real=True)
P = Symbol("P", commutative=False)


def layer(embedding: Any, prompt: Any, gram: Any, w_s: Any, w_v: Any) -> Any:
    """One cross-attention layer: F + W_S X + W_V Lambda F.

    Works on matrices, on letters that do not commute, and on the scalars of an eigendirection.
    """
    return embedding + w_s * prompt + w_v * gram * embedding


def at_depth(closed: Expr, depth: Expr | int) -> Expr:
    """A closed form in T at another depth."""
    return closed.subs(T, depth)


def reduction(w_s: Expr, w_v: Expr) -> tuple[Identity, ...]:
    """F^t = p_t(Lambda) X, so that the stack acts by the scalar p_t(lam) in each eigendirection."""
    return (
        Identity(
            r"if $F^{(t)} = P X$ with $P = p_t(\Lambda)$, then $F^{(t+1)} = p_{t+1}(\Lambda) X$, any "
            "dimension",
            layer(P * X, X, Lambda, w_s, w_v),
            layer(P, Integer(1), Lambda, w_s, w_v) * X,
            symbol=r"F^{t+1}",
        ),
        *eigenvectors(),
        Identity(
            r"along $m$ the matrix acts by the scalar: $m^\top P = p m^\top$ is inherited by the "
            "next layer",
            m_t * layer(P, Integer(1), Lambda_of_m, w_s, w_v),
            layer(p, Integer(1), 1 + s, w_s, w_v) * m_t,
            under=(*INNER, (m_t * P, p * m_t)),
            instance=(*INNER_1D, (P, p)),
            symbol=r"m^{\top} p_{t+1}(\Lambda)",
        ),
    )


def induction(closed: Expr, start: Expr, w_s: Expr, w_v: Expr) -> tuple[Identity, Identity]:
    """`closed`, in T and lam, solves the recurrence p_(t+1) = layer(p_t) from p_0 = `start`."""
    return (
        Identity("the closed form at $T = 0$ is $F^{(0)}$", at_depth(closed, 0), start, symbol="p_0"),
        Identity(
            "step: depth $T$ to $T + 1$, symbolic $T$",
            at_depth(closed, T + 1),
            layer(closed, Integer(1), lam, w_s, w_v),
            symbol="p_{T+1}",
        ),
    )


def stack(vector: ImmutableMatrix, depth: int, start: Expr, w_s: Expr, w_v: Expr) -> ImmutableMatrix:
    """F^T as a full matrix for X = I and m = `vector`."""
    one = eye(len(vector))
    embedding = start * one
    for _ in range(depth):
        embedding = layer(embedding, one, one + vector * vector.T, w_s, w_v)
    return embedding.as_immutable()


def in_coordinates(closed: Expr, start: Expr, w_s: Expr, w_v: Expr) -> tuple[Identity, ...]:
    """The stack of full matrices at concrete (d, T) against `closed` with Lambda for lam, X = I."""
    return tuple(
        _stack_in_coordinates(closed, start, w_s, w_v, size, depth)
        for size, depth in ((2, 1), (3, 2), (2, 3))
    )


def _stack_in_coordinates(closed: Expr, start: Expr, w_s: Expr, w_v: Expr, size: int, depth: int) -> Identity:
    vector = ImmutableMatrix(symbols(f"m_1:{size + 1}", real=True))
    gram = eye(size) + vector * vector.T
    top, bottom = quotient(at_depth(closed, depth))
    numerator, denominator = (part.as_expr() for part in top.cancel(bottom))
    return Identity(
        "matrices",
        _at_matrix(denominator, gram) * stack(vector, depth, start, w_s, w_v),
        _at_matrix(numerator, gram),
        symbol=rf"F^{{{depth}}} = p_{{{depth}}}(\Lambda) X",
        case={"d": size, "T": depth},
    )


def _at_matrix(polynomial: Expr, matrix: ImmutableMatrix) -> ImmutableMatrix:
    """A polynomial in lam at a square matrix, by Horner's scheme."""
    result = zeros(*matrix.shape)
    for coefficient in Poly(polynomial, lam).all_coeffs():
        result = matrix * result + coefficient * eye(matrix.rows)
    return result.as_immutable()


def _embedding(title: str, closed: Expr, start: Expr, w_s: Expr, w_v: Expr) -> Derivation:
    return Derivation(
        title,
        (
            *reduction(w_s, w_v),
            *induction(closed, start, w_s, w_v),
            *in_coordinates(closed, start, w_s, w_v),
        ),
    )


def one_parameter_embedding() -> Expr:
    """p_T(lam) = (1 - (1 - alpha lam)^T)/lam."""
    return (1 - (1 - alpha * lam) ** T) / lam


def two_parameter_embedding() -> Expr:
    """p_T(lam) = alpha S, S = sum over k < T of (1 + beta lam)^k = ((1 + beta lam)^T - 1)/(beta lam)."""
    return alpha * geometric_sum()


def geometric_sum() -> Expr:
    """S = ((1 + beta lam)^T - 1)/(beta lam)."""
    return ((1 + beta * lam) ** T - 1) / (beta * lam)


@cache
def embedding_one_parameter(claimed: Expr | None = None) -> Derivation:
    """W_S = -W_V = alpha I: F^T = (I - (I - alpha Lambda)^T) Lambda^-1 X.  `claimed`: p_T(lam)."""
    closed = one_parameter_embedding() if claimed is None else claimed
    return _embedding("The embedding of the one-parameter stack", closed, Integer(0), alpha, -alpha)


@cache
def embedding_two_parameters(claimed: Expr | None = None) -> Derivation:
    """W_S = alpha I, W_V = beta I: F^T = alpha sum over k < T of (I + beta Lambda)^k X.

    With the closed form, its value at beta = 0, and at beta = -alpha the one-parameter
    embedding.  `claimed`: p_T(lam).
    """
    closed = two_parameter_embedding() if claimed is None else claimed
    main = _embedding("The embedding of the two-parameter stack", closed, Integer(0), alpha, beta)
    z_T = (1 + beta * lam) ** T
    extra = (
        Identity("the sum $S$: no term at $T = 0$", geometric_sum().subs(T, 0), Integer(0), symbol="S_0"),
        Identity(
            "the sum $S$: one more term",
            geometric_sum().subs(T, T + 1),
            geometric_sum() + z_T,
            symbol="S_{T+1}",
        ),
        Identity(r"$F^{(T)} = \alpha S(\Lambda) X$", closed, alpha * geometric_sum(), symbol="p_T"),
        Identity(
            r"$\beta = 0$: the derivative of $z^T$ there is the limit of $(z^T - 1)/\beta$",
            alpha * diff(z_T, beta).subs(beta, 0) / lam,
            alpha * T,
            symbol=r"\lim_{\beta \to 0} p_T",
        ),
        *induction(alpha * T, Integer(0), alpha, Integer(0)),
        Identity(
            r"$\beta = -\alpha$: the one-parameter embedding",
            closed.subs(beta, -alpha),
            one_parameter_embedding(),
        ),
    )
    return Derivation(main.title, (*main.steps, *extra))


@cache
def embedding_no_skip(start: int, claimed: Expr | None = None) -> Derivation:
    """W_S = 0, W_V = beta I: F^0 = 0 stays 0; F^0 = X becomes (I + beta Lambda)^T X.

    start: 0 for F^0 = 0, 1 for F^0 = X.  `claimed`: p_T(lam).
    """
    closed = start * (1 + beta * lam) ** T if claimed is None else claimed
    title = f"The embedding without skip, $F^{{(0)}} = {'X' if start else '0'}$"
    return _embedding(title, closed, Integer(start), Integer(0), beta)


#: Letters of a linear self-attention layer: value row (p^T, c), key-query block [K; k^T].
value, value_t = Symbol("p", commutative=False), Symbol(r"p^{\top}", commutative=False)
key_t = Symbol(r"k^{\top}", commutative=False)
K = Symbol("K", commutative=False)


def lsa_row() -> Expr:
    """The row that multiplies x_q in the limit: (p^T, c) E[e e^T] [K; k^T], e = [x; y]."""
    second_moment = Matrix([[Lambda, zeta * m], [zeta * m_t, zeta**2]])
    return (Matrix([[value_t, c]]) * second_moment * Matrix([K, key_t]))[0]


@cache
def lsa_prediction(claimed: Expr | None = None) -> Derivation:
    """A linear self-attention layer, L to infinity.  `claimed`: the row that multiplies x_q.

    [p^T Lambda K + zeta p^T m k^T + c zeta m^T K + c zeta^2 k^T] x_q.
    """
    row = claimed
    if row is None:
        row = value_t * Lambda * K + zeta * value_t * m * key_t + c * zeta * m_t * K + c * zeta**2 * key_t
    return Derivation(
        "The prediction of a linear self-attention layer",
        (
            *(_second_moment_in_coordinates(dimensions) for dimensions in DIMENSIONS),
            Identity(
                "any dimension",
                lsa_row(),
                row,
                instance=((m_t, m),),
                symbol=r"(p^{\top}, c)\, \mathbb{E}[e e^{\top}] \begin{bmatrix} K \\ k^{\top} \end{bmatrix}",
            ),
        ),
    )


def _second_moment_in_coordinates(dimensions: tuple[int, int]) -> Identity:
    """E[e e^T] of a context token e = [x; y]."""
    vector, x, moments = token(dimensions)
    extended = Matrix([*x, zeta * u])
    size = len(vector)
    blocks = Matrix(
        BlockMatrix([[eye(size) + vector * vector.T, zeta * vector], [zeta * vector.T, Matrix([zeta**2])]])
    )
    return Identity(
        "second moments of a context token, in coordinates",
        (extended * extended.T).applyfunc(lambda product: expectation(product, moments)).as_immutable(),
        blocks.as_immutable(),
        symbol=r"\mathbb{E}[e e^{\top}] = "
        r"\begin{bmatrix} \Lambda & \zeta m \\ \zeta m^{\top} & \zeta^2 \end{bmatrix}",
        case={"(d_1, d_2)": dimensions},
    )


@cache
def parity(claimed: Expr | None = None) -> Derivation:
    """If m and -m (or zeta and -zeta) have one law, only M^T = p k^T + c K matters.

    The part of the row that is even under the symmetry only adds error.  `claimed`: the odd part.
    """
    row = lsa_row()
    odd = zeta * m_t * (value * key_t + c * K) if claimed is None else claimed
    scalar = ((value_t * m, m_t * value),)
    instance = ((value_t, value), (m_t, m))
    o, o_t, e, e_t = symbols(r"o o^{\top} e e^{\top}", commutative=False)
    steps = []
    for name, flipped in (("m", row.xreplace({m: -m, m_t: -m_t})), (r"\zeta", row.xreplace({zeta: -zeta}))):
        steps += [
            Identity(f"odd in ${name}$", (row - flipped) / 2, odd, under=scalar, instance=instance),
            Identity(
                f"even in ${name}$",
                (row + flipped) / 2,
                value_t * Lambda * K + c * zeta**2 * key_t,
                under=scalar,
                instance=instance,
            ),
        ]
    steps.append(
        Identity(
            r"the target $\zeta m^\top/\lambda$ is odd; an even part $e$ beside the odd error $o$ "
            r"adds $e \Lambda e^\top$",
            ((o + e) * Lambda * (o_t + e_t) + (-o + e) * Lambda * (-o_t + e_t)) / 2,
            o * Lambda * o_t + e * Lambda * e_t,
        )
    )
    return Derivation("Why the full layer does no better than $M$", tuple(steps))
