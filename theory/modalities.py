"""The best matrix M of a linear self-attention layer: isotropic m, two isotropic modalities, and without.

The excess of M is E[(1 - m^T M m)^2 + |M m|^2 - 1/lam], a convex quadratic in M, so that M is best
iff the gradient E[-2 (1 - m^T M m) m m^T + 2 M m m^T] vanishes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from sympy import Add, Expr, ImmutableMatrix, Integer, Matrix, Symbol, diag, eye, symbols

from theory.attention import K, key_t, lsa_row, value_t
from theory.gap import E_s
from theory.gaussian import expectation, independent, isserlis
from theory.identities import Derivation, Identity, Inequality, Steps, to_latex
from theory.latent_factor import DIMENSIONS
from theory.losses import matrix_excess
from theory.symbols import INNER, INNER_1D, Lambda, c, lam, m, m_t, s, zeta

#: Squared norms of the two modalities, and their moments.
p, q = symbols("p q", nonnegative=True)
E_p = Symbol(r"\mathbb{E}[p]", positive=True)
E_pp = Symbol(r"\mathbb{E}[p^2]", positive=True)
E_q = Symbol(r"\mathbb{E}[q]", positive=True)
E_qq = Symbol(r"\mathbb{E}[q^2]", positive=True)
E_inverse = Symbol(r"\mathbb{E}[1/\lambda]", positive=True)
#: The weights of M = diag(a I, b I).
a, b = symbols("a b", real=True)

Block = tuple[int, Sequence[Expr]]


def isotropic_moment(indices: Sequence[int], block: Block) -> Expr:
    """E of a product of coordinates of an isotropic vector.

    block: (dimension, (1, E|v|^2, E|v|^4, ...)).  A Gaussian vector is its norm times an independent
    uniform direction, which gives the moments of the direction.
    """
    size, norms = block
    half, odd = divmod(len(indices), 2)
    if odd:
        return Integer(0)
    gaussian = symbols(f"g_0:{size}", real=True)
    covariance = independent(*gaussian)
    word = isserlis([gaussian[index] for index in indices], covariance)
    return norms[half] * word / _gaussian_norm(size, half)


@cache
def _gaussian_norm(size: int, half: int) -> Expr:
    """E|g|^(2 half) for a standard Gaussian vector."""
    gaussian = symbols(f"g_0:{size}", real=True)
    return expectation(Add(*(entry**2 for entry in gaussian)) ** half, independent(*gaussian))


def block_moment(indices: Sequence[int], blocks: Sequence[Block]) -> Expr:
    """E of a product of coordinates of m, whose blocks are isotropic and independent."""
    result, start = Integer(1), 0
    for size, norms in blocks:
        own = [index - start for index in indices if start <= index < start + size]
        result *= isotropic_moment(own, (size, norms))
        start += size
    return result


def gradient(weights: Sequence[Expr], blocks: Sequence[Block]) -> ImmutableMatrix:
    """The gradient of the excess in M, at the diagonal M with these weights."""
    size = len(weights)

    def entry(i: int, j: int) -> Expr:
        second = block_moment((i, j), blocks)
        fourth = Add(*(weights[k] * block_moment((i, j, k, k), blocks) for k in range(size)))
        return 2 * (fourth - second + weights[i] * second)

    return ImmutableMatrix(size, size, entry)


def _convexity() -> tuple[Identity, Inequality]:
    """Second-order part of the excess in a direction H, h = H m: (h^T m)^2 + |h|^2."""
    n_m, n_n, h_m, n_h, h_h = symbols("n_m n_n h_m n_h h_h", real=True)
    shifted = matrix_excess(n_m + h_m, n_n + 2 * n_h + h_h)
    linear = -2 * (1 - n_m) * h_m + 2 * n_h
    along, length = symbols(r"|h^{\top}m| |h|", nonnegative=True)
    return (
        Identity(
            "the excess at $M + H$, $h = H m$: value, linear and quadratic part",
            shifted,
            matrix_excess(n_m, n_n) + linear + h_m**2 + h_h,
        ),
        Inequality("the quadratic part is a sum of squares: convex", Integer(0), along**2 + length**2),
    )


@cache
def isotropic_optimum(claimed: Expr | None = None) -> Derivation:
    """For isotropic m the best M is c I, c = E s/E[s lam].  `claimed`: c in E_s and E_ss."""
    E_ss = Symbol(r"\mathbb{E}[s^2]", positive=True)
    best = E_s / (E_s + E_ss) if claimed is None else claimed
    return Derivation(
        "The best matrix for isotropic $m$ is scalar",
        (
            *_convexity(),
            *(
                Identity(
                    "the gradient vanishes at $c I$",
                    gradient([best] * size, [(size, (Integer(1), E_s, E_ss))]),
                    ImmutableMatrix.zeros(size, size),
                    symbol=r"\nabla_M = 0",
                    case={"d": size},
                )
                for size in (1, 2, 3)
            ),
        ),
    )


@dataclass(frozen=True)
class Modalities:
    """The best M = diag(a I, b I) for independent isotropic modalities, in E_p, E_pp, E_q, E_qq.

    excess also needs E_inverse = E[1/lam].
    """

    best: tuple[Expr, Expr]
    excess: Expr
    derivation: Derivation


def normal_matrix() -> ImmutableMatrix:
    """[[E p + E p^2, E p E q], [E p E q, E q + E q^2]]."""
    return ImmutableMatrix([[E_p + E_pp, E_p * E_q], [E_p * E_q, E_q + E_qq]])


@cache
def two_modalities(claimed: tuple[Expr, Expr] | None = None) -> Modalities:
    """Normal equations, their solution and the excess there.  `claimed`: (a, b)."""
    right = ImmutableMatrix([E_p, E_q])
    best = normal_matrix().adjugate() * right / normal_matrix().det() if claimed is None else Matrix(claimed)
    excess = 1 - E_inverse - best.dot(right)
    weights = ImmutableMatrix([a, b])
    residual = normal_matrix() * weights - right
    quadratic = (weights.T * normal_matrix() * weights)[0] - 2 * weights.dot(right) + 1 - E_inverse
    away = weights - best
    steps: Steps = (
        *_convexity(),
        *(_block_gradient(dimensions, residual) for dimensions in DIMENSIONS),
        Identity(
            "normal equations",
            normal_matrix() * best,
            right,
            symbol=f"{to_latex(normal_matrix())} {to_latex(weights)} = {to_latex(right)}",
        ),
        Identity(
            r"the excess of $\operatorname{diag}(a I, b I)$ is a quadratic", _expected_excess(), quadratic
        ),
        Identity(
            "its excess over the best; a scalar $M$ is the case $a = b$",
            quadratic,
            excess + (away.T * normal_matrix() * away)[0],
        ),
        *_definite(),
        _above_bayes(),
    )
    derivation = Derivation("The best matrix for two modalities", steps)
    return Modalities((best[0], best[1]), excess, derivation)


def _block_gradient(dimensions: tuple[int, int], residual: ImmutableMatrix) -> Identity:
    """The gradient at diag(a I, b I) is the residual of the normal equations, spread over the blocks."""
    first, second = dimensions
    blocks = ((first, (Integer(1), E_p, E_pp)), (second, (Integer(1), E_q, E_qq)))
    return Identity(
        r"the gradient in $M$ at $\operatorname{diag}(a I, b I)$ is block scalar",
        gradient([a] * first + [b] * second, blocks),
        ImmutableMatrix(diag(2 * residual[0] / first * eye(first), 2 * residual[1] / second * eye(second))),
        symbol=r"\nabla_M = \operatorname{diag}(2 \rho_1 I/d_1,\, 2 \rho_2 I/d_2)",
        case={"(d_1, d_2)": dimensions},
    )


def _expected_excess() -> Expr:
    """E of (1 - a p - b q)^2 + a^2 p + b^2 q - 1/lam, monomial by monomial."""
    moments = {(0, 0): 1, (1, 0): E_p, (2, 0): E_pp, (0, 1): E_q, (0, 2): E_qq, (1, 1): E_p * E_q}
    polynomial = ((1 - a * p - b * q) ** 2 + a**2 * p + b**2 * q).as_poly(p, q)
    return Add(*(coefficient * moments[powers] for powers, coefficient in polynomial.terms())) - E_inverse


def _definite() -> tuple[Inequality, Inequality]:
    """The normal matrix is positive definite: E p^2 = (E p)^2 + variance."""
    v1, v2 = symbols("v_1 v_2", nonnegative=True)
    variances = ((E_pp, E_p**2 + v1), (E_qq, E_q**2 + v2))
    return (
        Inequality(
            "the normal matrix has a positive diagonal", Integer(0), E_p + E_pp, variances, strict=True
        ),
        Inequality("and a positive determinant", Integer(0), normal_matrix().det(), variances, strict=True),
    )


def _above_bayes() -> Identity:
    """The excess is a sum of squares, 0 only if lam is constant on {p > 0} and on {q > 0}."""
    first, second = a - 1 / (1 + p + q), b - 1 / (1 + p + q)
    return Identity(
        r"the excess at a prompt is a sum of squares: 0 iff ($a = 1/\lambda$ or $p = 0$) and "
        r"($b = 1/\lambda$ or $q = 0$)",
        matrix_excess(a * p + b * q, a**2 * p + b**2 * q),
        first**2 * p + second**2 * q + (first * p + second * q) ** 2,
        under=((lam, 1 + p + q),),
    )


@cache
def equality_case() -> Derivation:
    """The excess of diag(a I, b I) at a prompt is 0 iff (a = 1/lam or p = 0) and (b = 1/lam or q = 0)."""
    return Derivation("When two modalities have no gap", (_above_bayes(),))


@cache
def without_isotropy(claimed: ImmutableMatrix | None = None) -> Derivation:
    """m in {e1, 2 e2}: s is not constant, yet M = diag(1/2, 1/5) has no excess.  `claimed`: M."""
    matrix = ImmutableMatrix(diag(Integer(1) / 2, Integer(1) / 5)) if claimed is None else claimed
    steps = []
    for vector in (ImmutableMatrix([1, 0]), ImmutableMatrix([0, 2])):
        square = vector.dot(vector)
        image = matrix * vector
        excess = matrix_excess(image.dot(vector), image.dot(image)).subs(lam, 1 + square)
        steps.append(Identity(f"no excess at $m = {tuple(vector)}$", excess, Integer(0)))
    return Derivation("Without isotropy a layer can be Bayes-optimal", tuple(steps))


@cache
def unimodal(claimed: Expr | None = None) -> Derivation:
    """With Lambda fixed across prompts one layer with c = 1, K = Lambda^-1 predicts the Bayes w^T x_q.

    `claimed`: the prediction's row for Lambda = I + m m^T, m fixed.
    """
    inverse, w_t = Symbol(r"\Lambda^{-1}", commutative=False), Symbol(r"w^{\top}", commutative=False)
    row = zeta * m_t / (1 + s) if claimed is None else claimed
    layer = {value_t: Integer(0), key_t: Integer(0), c: Integer(1), K: 1 - m * m_t / (1 + s)}
    return Derivation(
        r"One layer suffices where $\Lambda$ is fixed",
        (
            Identity(
                r"any fixed $\Lambda$: $\mathbb{E}[y x]^\top K = w^\top$ as "
                r"$\mathbb{E}[y x] = \Lambda w$",
                w_t * Lambda * inverse,
                w_t,
                under=((Lambda * inverse, Integer(1)),),
                instance=((inverse, 1 / Lambda),),
            ),
            Identity(
                r"$\Lambda = I + m m^\top$ with $m$ fixed: the layer's row is the regression vector",
                lsa_row().subs(layer),
                row,
                under=INNER,
                instance=INNER_1D,
                symbol=r"w^{\top}",
            ),
        ),
    )
