"""The latent factor model: a token's moments given its prompt, the regression vector, the Bayes risk.

A token is x = u m + xi with m = [v; r], latent u ~ N(0, 1) and noise xi ~ N(0, I)
independent, and y = zeta u.  Everything is conditional on (m, zeta).

In any dimension, a vector a is tested against x by a^T x = u (a^T m) + a^T xi, and
only inner products enter; steps "in coordinates" repeat it with full matrices.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from sympy import Add, Expr, ImmutableMatrix, Integer, Symbol, eye, symbols

from theory.gaussian import Covariance, expectation, independent
from theory.identities import Derivation, Identity, Inequality
from theory.symbols import INNER, INNER_1D, NORM, lam, m, m_t, s, x, x_t, zeta

#: The latent variable, and inner products of vectors a, b with m and with each other.
u = Symbol("u", real=True)
a_m, b_m, a_b = symbols("a_m b_m a_b", real=True)
Lambda_of_m = 1 + m * m_t
DIMENSIONS = ((1, 1), (2, 1), (2, 3))


def token(dimensions: tuple[int, int]) -> tuple[ImmutableMatrix, ImmutableMatrix, Covariance]:
    """(m, x, covariance of latent variable and noise) in d1 + d2 coordinates."""
    first, second = dimensions
    factor = symbols(f"v_1:{first + 1}", real=True) + symbols(f"r_1:{second + 1}", real=True)
    noise = symbols(f"xi_1:{first + 1}", real=True) + symbols(f"eta_1:{second + 1}", real=True)
    vector = ImmutableMatrix(factor)
    return vector, u * vector + ImmutableMatrix(noise), independent(u, *noise)


def tested(along: Expr, noise: Symbol) -> Expr:
    """a^T x, from a^T m and the noise a^T xi."""
    return u * along + noise


def noises(a_a: Expr, a_b: Expr, b_b: Expr) -> tuple[Symbol, Symbol, Covariance]:
    """(a^T xi, b^T xi, their covariance with the latent variable) from the inner products of a, b."""
    first, second = symbols("h_a h_b", real=True)
    mixed = {(first, first): a_a, (first, second): a_b, (second, second): b_b}
    return first, second, {**independent(u), **mixed}


def linear_risk(along: Expr, square: Expr) -> Expr:
    """E(y - zeta n^T x)^2 in any dimension, from `along` = n^T m and `square` = n^T n."""
    noise, _, moments = noises(square, Integer(0), Integer(0))
    return expectation(zeta * u - zeta * tested(along, noise), moments, power=2)


def _in_coordinates(
    formula: str, sides: Callable[[ImmutableMatrix, ImmutableMatrix, Covariance], tuple[Expr, Expr]]
) -> tuple[Identity, ...]:
    """The matrices that `sides` makes of (m, x, covariance), for several (d1, d2); `formula` in LaTeX."""
    return tuple(
        Identity(
            "in coordinates",
            *sides(*token(dimensions)),
            symbol=formula,
            case={"(d_1, d_2)": dimensions},
        )
        for dimensions in DIMENSIONS
    )


@cache
def covariance(claimed: Expr | None = None) -> Derivation:
    """Cov(x | m) = I + m m^T.  `claimed`: a^T Cov b in terms of a^T m, b^T m, a^T b."""
    form = a_m * b_m + a_b if claimed is None else claimed
    first, second, moments = noises(Integer(0), a_b, Integer(0))

    def matrices(
        factor: ImmutableMatrix, x: ImmutableMatrix, moments: Covariance
    ) -> tuple[ImmutableMatrix, ImmutableMatrix]:
        size = len(factor)

        def entry(i: int, j: int) -> Expr:
            return form.subs({a_m: factor[i], b_m: factor[j], a_b: int(i == j)})

        products = (x * x.T).applyfunc(lambda product: expectation(product, moments))
        return products, ImmutableMatrix(size, size, entry)

    general = Identity(
        "for all vectors $a$, $b$ of any dimension",
        expectation(tested(a_m, first) * tested(b_m, second), moments),
        form,
        symbol=r"a^{\top} \operatorname{Cov}(x \mid m)\, b",
    )
    return Derivation(
        r"Covariance of a token given its prompt: $\Lambda = I + m m^\top$",
        (general, *_in_coordinates(r"\operatorname{Cov}(x \mid m) = I + m m^\top", matrices)),
    )


def cross_moment_along(form: Expr) -> Identity:
    """a^T E[y x] is `form`, in terms of a^T m and zeta, for every vector a of any dimension."""
    noise, _, moments = noises(Integer(0), Integer(0), Integer(0))
    return Identity(
        "for every vector $a$ of any dimension",
        expectation(zeta * u * tested(a_m, noise), moments),
        form,
        symbol=r"a^{\top} \mathbb{E}[y x]",
    )


@cache
def cross_moment(claimed: Expr | None = None) -> Derivation:
    """E[y x] = zeta m.  `claimed`: a^T E[y x] in terms of a^T m and zeta."""
    form = zeta * a_m if claimed is None else claimed

    def vectors(
        factor: ImmutableMatrix, x: ImmutableMatrix, moments: Covariance
    ) -> tuple[ImmutableMatrix, ImmutableMatrix]:
        means = (zeta * u * x).applyfunc(lambda product: expectation(product, moments))
        return means, factor.applyfunc(lambda entry: form.subs(a_m, entry))

    return Derivation(
        "Cross moment of response and token",
        (cross_moment_along(form), *_in_coordinates(r"\mathbb{E}[y x] = \zeta m", vectors)),
    )


def eigenvectors() -> tuple[Identity, Identity]:
    """Lambda m = (1+s) m, and Lambda v = v for v orthogonal to m, in any dimension."""
    v = Symbol("v", commutative=False)
    return (
        Identity(
            r"$m$ is an eigenvector of $\Lambda$, with eigenvalue $\lambda = 1 + s$",
            Lambda_of_m * m,
            (1 + s) * m,
            under=INNER,
            instance=INNER_1D,
            symbol=r"\Lambda m",
        ),
        Identity(
            r"a vector $v$ with $m^\top v = 0$ is an eigenvector with eigenvalue 1",
            Lambda_of_m * v,
            v,
            under=((m_t * v, Integer(0)),),
            symbol=r"\Lambda v",
        ),
    )


@cache
def regression_vector(claimed: Expr | None = None) -> Derivation:
    """w = Lambda^-1 E[y x] = zeta m/(1+s), by Sherman-Morrison.  `claimed`: the coefficient of zeta m."""
    factor = 1 / (1 + s) if claimed is None else claimed
    inverse = 1 - m * m_t / (1 + s)
    noise, other, moments = noises(s, a_m, Integer(0))
    residual = zeta * u - factor * zeta * tested(s, noise)

    def normal_equations(
        vector: ImmutableMatrix, x: ImmutableMatrix, moments: Covariance
    ) -> tuple[ImmutableMatrix, ImmutableMatrix]:
        square = vector.dot(vector)
        weights = zeta * factor.subs(lam, 1 + s).subs(s, square) * vector
        return (eye(len(vector)) + vector * vector.T) * weights, zeta * vector

    return Derivation(
        "The regression vector of a prompt",
        (
            Identity(
                "Sherman-Morrison, any dimension",
                Lambda_of_m * inverse,
                Integer(1),
                under=INNER,
                instance=INNER_1D,
                symbol=r"\Lambda \Lambda^{-1}",
            ),
            Identity(
                r"applied to $\mathbb{E}[y x]$, any dimension",
                zeta * inverse * m,
                zeta * factor * m,
                under=(*INNER, *NORM),
                instance=(*INNER_1D, (lam, 1 + m**2)),
                symbol=r"w = \Lambda^{-1} \zeta m",
            ),
            Identity(
                r"the residual is uncorrelated with $a^\top x$ for every vector $a$",
                expectation(residual * tested(a_m, other), moments),
                Integer(0),
                under=NORM,
                symbol=r"\mathbb{E}[(y - w^{\top} x)\, a^{\top} x]",
            ),
            *_in_coordinates(r"\Lambda w = \zeta m", normal_equations),
        ),
    )


Combination = Sequence[tuple[Expr, str]]


def _inner(first: str, second: str) -> Symbol:
    """a^T b of two vectors by their letters."""
    return Symbol("_".join(sorted((first, second))), real=True)


def squared_norm(combination: Combination) -> Expr:
    """||sum of c a||^2 for coefficients c and vectors a of any dimension, in inner products."""
    return Add(*(c * e * _inner(a, b) for c, a in combination for e, b in combination))


def squared_frobenius_norm(combination: Combination) -> Expr:
    """||sum of c a a^T||_F^2 likewise: the inner product of a a^T and b b^T is (a^T b)^2."""
    return Add(*(c * e * _inner(a, b) ** 2 for c, a in combination for e, b in combination))


@cache
def bayes_risk(claimed: Expr | None = None, mean: Expr | None = None) -> Derivation:
    """E[y | x] = w^T x, with risk zeta^2/(1+s).  `claimed`: the risk; `mean`: E[u | x] in m_x = m^T x."""
    risk = zeta**2 / (1 + s) if claimed is None else claimed
    m_x, x_x = _inner("m", "x"), _inner("x", "x")
    joint = u**2 + squared_norm(((Integer(1), "x"), (-u, "m"))).subs(_inner("m", "m"), s)
    center, variance = m_x / lam if mean is None else mean, 1 / lam
    marginal = x_x - m_x**2 / lam
    letters = ((x_t * x, x_x), (x_t * m, m_x), (m_t * x, m_x))
    return Derivation(
        "The Bayes predictor and its risk",
        (
            Identity(
                "$-2$ log density of $(u, x)$: given $x$, $u$ is Gaussian with mean "
                r"$m^\top x/\lambda$ and variance $1/\lambda$, so "
                r"$\zeta m^\top x/\lambda = w^\top x$ is the conditional mean of $y$",
                joint,
                (u - center) ** 2 / variance + marginal,
                under=NORM,
                symbol=r"u^2 + \lVert x - u m \rVert^2",
            ),
            Identity(
                r"what is left is $x^\top \Lambda^{-1} x$: $x$ has the covariance $\Lambda$",
                x_t * (1 - m * m_t / (1 + s)) * x,
                marginal.subs(NORM),
                under=letters,
                symbol=r"x^{\top} \Lambda^{-1} x",
            ),
            Identity(
                "risk of $w$, any dimension",
                linear_risk(s / (1 + s), s / (1 + s) ** 2),
                risk,
                under=NORM,
                symbol=r"\mathbb{E}(y - w^{\top} x)^2",
            ),
            Identity(
                "the conditional variance of $y$ is the same",
                zeta**2 * variance,
                risk,
                under=NORM,
                symbol=r"\operatorname{Var}(y \mid x)",
            ),
        ),
    )


def squared_distance() -> Expr:
    """||n n^T - m m^T||_F^2 in inner products: that of Lambda(n) and Lambda(m), any dimension."""
    return squared_frobenius_norm(((Integer(1), "n"), (Integer(-1), "m")))


def _distance_in_coordinates(size: int) -> Identity:
    first, second = (ImmutableMatrix(symbols(f"{name}_1:{size + 1}", real=True)) for name in ("n", "m"))
    shift = first * first.T - second * second.T
    inner = {
        _inner("n", "n"): first.dot(first),
        _inner("m", "m"): second.dot(second),
        _inner("m", "n"): first.dot(second),
    }
    return Identity(
        "the same in coordinates",
        squared_distance().subs(inner),
        (shift.T * shift).trace(),
        symbol=r"\lVert \Lambda(n) - \Lambda(m) \rVert_F^2",
        case={"d": size},
    )


@cache
def covariate_shift(claimed: Expr | None = None) -> Derivation:
    """Lambda(R m) differs from Lambda(m) for a rotation R that turns m, though R m has the law of m.

    Isotropy of m is what gives R m the law of m; it is a hypothesis, not derived.
    `claimed`: the squared Frobenius distance of Lambda(R m) and Lambda(m) for R m orthogonal to m.
    """
    rotation, rotation_t = Symbol("R", commutative=False), Symbol(r"R^{\top}", commutative=False)
    distance = 2 * s**2 if claimed is None else claimed
    turned_across = {_inner("n", "n"): s, _inner("m", "m"): s, _inner("m", "n"): 0}
    return Derivation(
        "The covariance of the tokens differs between prompts",
        (
            Identity(
                "any dimension, any rotation $R$",
                rotation * Lambda_of_m * rotation_t,
                1 + rotation * m * m_t * rotation_t,
                under=((rotation * rotation_t, Integer(1)),),
                instance=((rotation, Integer(1)), (rotation_t, Integer(1)), (m_t, m)),
                symbol=r"\Lambda(R m)",
            ),
            Identity(
                r"any dimension, any $n$: $a a^\top$ and $b b^\top$ have the inner product "
                r"$(a^\top b)^2$",
                squared_distance(),
                _inner("n", "n") ** 2 - 2 * _inner("m", "n") ** 2 + _inner("m", "m") ** 2,
                symbol=r"\lVert \Lambda(n) - \Lambda(m) \rVert_F^2",
            ),
            *(_distance_in_coordinates(size) for size in (2, 3)),
            Identity(
                r"any dimension, $R m = n$ with $\lVert n\rVert^2 = s$ and $n^\top m = 0$",
                squared_distance().subs(turned_across),
                distance,
                symbol=r"\lVert \Lambda(R m) - \Lambda(m) \rVert_F^2",
            ),
            Inequality(r"so $\Lambda$ differs wherever $m$ is not 0", Integer(0), distance, strict=True),
        ),
    )
