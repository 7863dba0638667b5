"""Population losses in the limit of infinite context: excess over Bayes per unit E zeta^2."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, cached_property

from sympy import Add, Expr, Integer, Symbol, diff, limit, oo, symbols

from theory.attention import one_parameter_embedding, p, stack, two_parameter_embedding
from theory.gaussian import expectation, independent
from theory.identities import Derivation, Identity, Steps, to_latex
from theory.latent_factor import a_m, cross_moment_along, linear_risk, token, u
from theory.normal_form import NormalForm, Term
from theory.symbols import NORM, L, T, alpha, beta, c, lam, s, zeta


@dataclass(frozen=True)
class PopulationLoss:
    """A loss E[integrand] over the law of s, its derivatives in the weights, and where it comes from.

    value, gradient, curvature: integrands in normal form, each proved equal to the integrand or
    its derivative by a step of `derivation`, which is built when it is asked for.
    """

    name: str
    weights: tuple[Symbol, ...]
    integrand: Expr
    value: NormalForm
    gradient: tuple[NormalForm, ...]
    prove: Callable[[], Derivation]
    curvature: NormalForm | None = None

    @cached_property
    def derivation(self) -> Derivation:
        """Where the integrand comes from, and that the normal forms are its derivatives."""
        return self.prove()


def excess_of_embedding() -> Steps:
    """The excess risk of the read-out at the scalar p = p_T(lam), by Gaussian moments.

    The prediction is E[y x]^T p_T(Lambda) x_q = zeta n^T x_q with n = p m, so that n^T m = p s
    and n^T n = p^2 s.
    """
    risk = 1 - 2 * s * p + s * lam * p**2
    return (
        cross_moment_along(zeta * a_m),
        Identity(
            r"risk of the read-out $\mathbb{E}[y x]^\top p_T(\Lambda) x_q$, any dimension",
            linear_risk(p * s, p**2 * s),
            zeta**2 * risk,
            under=NORM,
            symbol=r"\mathbb{E}(y_q - \hat y_q)^2",
        ),
        Identity(
            r"excess over the Bayes risk $\zeta^2/\lambda$, per unit $\zeta^2$",
            risk - 1 / lam,
            s / lam * (1 - lam * p) ** 2,
            under=NORM,
        ),
    )


def _loss(
    name: str, integrand: Expr, value: NormalForm, title: str, steps: Callable[[], Steps]
) -> PopulationLoss:
    """A loss whose integrand is derived by `steps`, with its derivatives proved normal forms."""
    gradient = tuple(value.derivative(weight) for weight in value.weights)

    def prove() -> Derivation:
        forms = [Identity("normal form of the integrand", integrand, value.expr, under=NORM)]
        forms += [
            Identity(
                f"derivative in ${to_latex(weight)}$",
                diff(integrand, weight),
                form.expr,
                under=NORM,
                symbol=rf"\partial_{{{to_latex(weight)}}}",
            )
            for weight, form in zip(value.weights, gradient, strict=True)
        ]
        return Derivation(title, (*steps(), *forms))

    return PopulationLoss(name, value.weights, integrand, value, gradient, prove)


def _with_embedding(embedding: Expr, integrand: Expr, start: int, w_s: Expr, w_v: Expr) -> Steps:
    """The excess risk of the read-out at an embedding is the integrand."""
    return (
        *excess_of_embedding(),
        Identity(
            "with $p$ the embedding at depth $T$",
            s / lam * (1 - lam * embedding) ** 2,
            integrand,
            under=NORM,
            symbol=r"\text{excess}",
        ),
        _excess_in_coordinates(integrand, start, w_s, w_v),
    )


def _excess_in_coordinates(integrand: Expr, start: int, w_s: Expr, w_v: Expr) -> Identity:
    """The excess of the stack of full matrices, by Isserlis' rule in coordinates."""
    depth = 2
    vector, x, moments = token((1, 1))
    square = vector.dot(vector)
    prediction = (vector.T * stack(vector, depth, Integer(start), w_s, w_v) * x)[0]
    return Identity(
        "the same with full matrices, $(d_1, d_2) = (1, 1)$",
        expectation(u - prediction, moments, power=2) - 1 / (1 + square),
        integrand.subs({T: depth, lam: 1 + s}).subs(s, square),
        symbol=r"\text{excess}",
        case={"T": depth},
    )


@cache
def one_parameter(claimed: Expr | None = None) -> PopulationLoss:
    """E (s/lam)(1 - alpha lam)^(2T): the stack with W_S = -W_V = alpha I.  `claimed`: the integrand."""
    integrand = s / lam * (1 - alpha * lam) ** (2 * T) if claimed is None else claimed
    value = NormalForm((Term(Integer(1), 1, 1, alpha, 2 * T),), (alpha,))
    loss = _loss(
        "one_parameter",
        integrand,
        value,
        "The loss of the one-parameter stack",
        lambda: _with_embedding(one_parameter_embedding(), integrand, 0, alpha, -alpha),
    )
    curvature = loss.gradient[0].derivative(alpha)

    def prove() -> Derivation:
        second = Identity(
            r"second derivative in $\alpha$",
            diff(integrand, alpha, 2),
            curvature.expr,
            under=NORM,
            symbol=r"\partial_\alpha^2",
        )
        return Derivation(loss.derivation.title, (*loss.derivation.steps, second))

    return replace(loss, prove=prove, curvature=curvature)


@cache
def one_parameter_convexity(claimed: Expr | None = None) -> Derivation:
    """The derivative -2T s q^(2T-1), q = 1 - alpha lam, and the curvature as a square.

    The curvature is 0 only where q = 0: at one alpha for each s > 0, so the derivative
    rises strictly.  `claimed`: the derivative's integrand.
    """
    loss, q = one_parameter(), 1 - alpha * lam
    slope = -2 * T * s * q ** (2 * T - 1) if claimed is None else claimed
    assert loss.curvature is not None
    return Derivation(
        "The derivative rises strictly",
        (
            Identity(
                "derivative of the integrand",
                diff(loss.integrand, alpha),
                slope,
                under=NORM,
                symbol=r"\partial_\alpha \tfrac{s}{\lambda} (1 - \alpha \lambda)^{2T}",
            ),
            Identity(
                "the curvature is a square times a positive number",
                loss.curvature.expr,
                2 * T * (2 * T - 1) * s * lam * (q ** (T - 1)) ** 2,
                under=NORM,
            ),
            Identity(r"at $\alpha = 0$", slope.subs(alpha, 0), -2 * T * s),
            Identity(
                r"at $\alpha = 1$, where $q = -s$", slope.subs(alpha, 1), 2 * T * s ** (2 * T), under=NORM
            ),
        ),
    )


@cache
def two_parameter(claimed: Expr | None = None) -> PopulationLoss:
    """E (s/lam)(1 + (alpha/beta)(1 - (1 + beta lam)^T))^2: W_S = alpha I, W_V = beta I.

    The normal form has a pole at beta = 0; there use `profile.sum_form`.  `claimed`: the integrand.
    """
    ratio = alpha / beta
    integrand = s / lam * (1 + ratio * (1 - (1 + beta * lam) ** T)) ** 2 if claimed is None else claimed
    value = NormalForm(
        (
            Term((1 + ratio) ** 2, 1, 1, Integer(0), Integer(0)),
            Term(-2 * ratio * (1 + ratio), 1, 1, -beta, T),
            Term(ratio**2, 1, 1, -beta, 2 * T),
        ),
        (alpha, beta),
    )
    return _loss(
        "two_parameter",
        integrand,
        value,
        "The loss of the two-parameter stack",
        lambda: (
            *_with_embedding(two_parameter_embedding(), integrand, 0, alpha, beta),
            Identity(
                r"$\beta = -\alpha$: the one-parameter loss",
                integrand.subs(beta, -alpha),
                one_parameter().integrand,
                under=NORM,
            ),
            Identity(
                r"$T = 1$: $\beta$ has no influence",
                integrand.subs(T, 1),
                s / lam * (1 - alpha * lam) ** 2,
                under=NORM,
            ),
        ),
    )


@cache
def no_skip(claimed: Expr | None = None) -> PopulationLoss:
    """E s lam ((1 + beta lam)^T - 1/lam)^2: W_S = 0, F^0 = X.  `claimed`: the integrand."""
    power = (1 + beta * lam) ** T
    integrand = s * lam * (power - 1 / lam) ** 2 if claimed is None else claimed
    value = NormalForm(
        (
            Term(Integer(1), 1, -1, -beta, 2 * T),
            Term(Integer(-2), 1, 0, -beta, T),
            Term(Integer(1), 1, 1, Integer(0), Integer(0)),
        ),
        (beta,),
    )
    return _loss(
        "no_skip",
        integrand,
        value,
        "The loss without skip, $F^{(0)} = X$",
        lambda: _with_embedding(power, integrand, 1, Integer(0), beta),
    )


@cache
def lsa(claimed: Expr | None = None) -> PopulationLoss:
    """E s lam (c - 1/lam)^2: one linear self-attention layer with M = c I.  `claimed`: the integrand."""
    integrand = s * lam * (c - 1 / lam) ** 2 if claimed is None else claimed
    value = NormalForm(
        (
            Term(c**2, 1, -1, Integer(0), Integer(0)),
            Term(-2 * c, 1, 0, Integer(0), Integer(0)),
            Term(Integer(1), 1, 1, Integer(0), Integer(0)),
        ),
        (c,),
    )
    return _loss(
        "lsa",
        integrand,
        value,
        "The loss of scalar linear self-attention",
        lambda: (
            *risk_of_matrix().steps,
            Identity("$M = c I$", matrix_excess(c * s, c**2 * s), integrand, under=NORM),
            Identity(
                "it is the one-parameter stack of depth 1",
                one_parameter().integrand.subs({T: 1, alpha: c}),
                integrand,
                under=NORM,
            ),
        ),
    )


def matrix_excess(n_m: Expr, n_n: Expr) -> Expr:
    """Excess of the prediction zeta n^T x_q, n = M m, from n^T m and n^T n: (1 - n^T m)^2 + n^T n - 1/lam."""
    return (1 - n_m) ** 2 + n_n - 1 / lam


@cache
def risk_of_matrix(claimed: Expr | None = None) -> Derivation:
    """Excess of M is (M m - m/lam)^T Lambda (M m - m/lam).  `claimed`: it, in n_m = n^T m and n_n = n^T n."""
    n_m, n_n = symbols("n_m n_n", real=True)
    # v = n - m/lam: v^T Lambda v = v^T v + (v^T m)^2
    form = n_n - 2 * n_m / lam + s / lam**2 + (n_m - s / lam) ** 2 if claimed is None else claimed
    return Derivation(
        "The excess risk of a matrix $M$",
        (
            Identity(
                r"risk of the prediction $\zeta n^\top x_q$, $n = M m$, less the Bayes risk, per "
                r"unit $\zeta^2$",
                linear_risk(n_m, n_n) / zeta**2 - 1 / lam,
                matrix_excess(n_m, n_n),
                under=NORM,
            ),
            Identity(
                r"$(n - m/\lambda)^\top \Lambda (n - m/\lambda)$, any dimension",
                matrix_excess(n_m, n_n),
                form,
                under=NORM,
                symbol=r"(M m - m/\lambda)^{\top} \Lambda (M m - m/\lambda)",
            ),
        ),
    )


@cache
def sample_mean(claimed: Expr | None = None) -> Derivation:
    """Without skip and with F^0 = 0 nothing is read out; the mean of the responses has risk zeta^2 (1 + 1/L).

    `claimed`: the risk of the sample mean.
    """
    risk = zeta**2 * (1 + 1 / L) if claimed is None else claimed
    query = Symbol("u_q", real=True)
    mean = Symbol("u_L", real=True)
    single = {**independent(query), (mean, mean): L * expectation((u / L) ** 2, independent(u))}
    return Derivation(
        "Predicting the mean",
        (
            Identity("the prediction 0", linear_risk(Integer(0), Integer(0)), zeta**2),
            Identity(r"its excess per unit $\zeta^2$", 1 - 1 / lam, s / lam, under=NORM),
            Identity(
                "the mean of $L$ responses, the variances of $L$ independent latents added",
                expectation(zeta * query - zeta * mean, single, power=2),
                risk,
            ),
            *(_sample_mean_in_coordinates(length, risk) for length in (1, 2, 3)),
            Identity("it tends to the risk of the prediction 0", limit(risk, L, oo), zeta**2),
        ),
    )


def _sample_mean_in_coordinates(length: int, risk: Expr) -> Identity:
    query, *context = symbols(f"u_q u_1:{length + 1}", real=True)
    error = zeta * query - zeta * Add(*context) / length
    return Identity(
        "the mean in coordinates",
        expectation(error, independent(query, *context), power=2),
        risk.subs(L, length),
        case={"L": length},
    )
