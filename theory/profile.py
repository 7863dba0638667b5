"""The two-parameter loss with alpha eliminated.

For each beta the loss is quadratic in alpha: C - 2 alpha N + alpha^2 D with
S = sum over k < T of (1 + beta lam)^k, N = E[s S], D = E[s lam S^2], C = E[s/lam].
Its minimum over alpha is the profile f = C - N^2/D, taken at alpha = N/D.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from sympy import Expr, Function, Integer, Symbol, diff, symbols

from theory.attention import geometric_sum
from theory.identities import Derivation, Identity
from theory.losses import two_parameter
from theory.normal_form import NormalForm, Term
from theory.symbols import NORM, T, alpha, beta, lam, s

#: The finite sum S and its derivative in beta, lam times the sum over k < T of k (1 + beta lam)^(k-1).
S, S_beta = symbols("S S_beta", real=True)
j = Symbol("j", integer=True, positive=True)


@dataclass(frozen=True)
class SumForm:
    """Integrands in s, lam, alpha and the finite sums S, S_beta: no cancellation near beta = 0."""

    loss: Expr
    gradient: tuple[Expr, Expr]
    N: Expr
    D: Expr
    N_beta: Expr
    D_beta: Expr
    derivation: Derivation


@dataclass(frozen=True)
class Profile:
    """Integrands of N, D and their derivatives in beta, in normal form (weight: beta, not 0)."""

    N: NormalForm
    D: NormalForm
    N_beta: NormalForm
    D_beta: NormalForm
    N_beta_beta: NormalForm
    D_beta_beta: NormalForm
    derivation: Derivation


@cache
def sum_form() -> SumForm:
    """The integrands in terms of the finite sums, proved equal to the closed forms where beta is not 0."""
    residual = 1 - alpha * lam * S
    loss = s / lam * residual**2
    gradient = (-2 * s * S * residual, -2 * alpha * s * S_beta * residual)
    N, D = s * S, s * lam * S**2
    N_beta, D_beta = s * S_beta, 2 * s * lam * S * S_beta
    closed = ((S, geometric_sum()), (S_beta, diff(geometric_sum(), beta)), *NORM)
    integrand = two_parameter().integrand
    steps = (
        Identity("the loss by the finite sum", integrand, loss, under=closed),
        Identity(r"its derivative in $\alpha$", diff(integrand, alpha), gradient[0], under=closed),
        Identity(r"its derivative in $\beta$", diff(integrand, beta), gradient[1], under=closed),
        Identity(r"$N' = \mathbb{E}[s S']$", diff(geometric_sum() * s, beta), N_beta, under=closed),
        Identity(
            r"$D' = \mathbb{E}[2 s \lambda S S']$",
            diff(geometric_sum() ** 2 * s * lam, beta),
            D_beta,
            under=closed,
        ),
        *_sum_of_derivatives(),
    )
    derivation = Derivation("The two-parameter loss by finite sums", steps)
    return SumForm(loss, gradient, N, D, N_beta, D_beta, derivation)


def _sum_of_derivatives() -> tuple[Identity, Identity]:
    """S_beta is the finite sum, by induction on T."""
    derivative = diff(geometric_sum(), beta)
    term = T * lam * (1 + beta * lam) ** (T - 1)
    return (
        Identity("$S'$ has no term at $T = 0$", derivative.subs(T, 0), Integer(0), symbol="S'_0"),
        Identity(
            "$S'$ has one more term at $T + 1$",
            derivative.subs(T, T + 1),
            derivative + term,
            symbol="S'_{T+1}",
        ),
    )


@cache
def profile(claimed: Expr | None = None) -> Profile:
    """N, D and the profile.  `claimed`: the profile in the moments z1, z2 of z^T under nu, per unit C."""
    constant = Integer(0)
    N = NormalForm(
        (Term(1 / beta, 1, 1, -beta, T), Term(-1 / beta, 1, 1, constant, constant)),
        (beta,),
    )
    D = NormalForm(
        (
            Term(beta**-2, 1, 1, -beta, 2 * T),
            Term(-2 * beta**-2, 1, 1, -beta, T),
            Term(beta**-2, 1, 1, constant, constant),
        ),
        (beta,),
    )
    N_beta, D_beta = N.derivative(beta), D.derivative(beta)
    N_beta_beta, D_beta_beta = N_beta.derivative(beta), D_beta.derivative(beta)
    integrand_N, integrand_D = s * geometric_sum(), s * lam * geometric_sum() ** 2
    forms = (
        ("N", N, integrand_N),
        ("N'", N_beta, diff(integrand_N, beta)),
        ("N''", N_beta_beta, diff(integrand_N, beta, 2)),
        ("D", D, integrand_D),
        ("D'", D_beta, diff(integrand_D, beta)),
        ("D''", D_beta_beta, diff(integrand_D, beta, 2)),
    )
    steps = (
        *(
            Identity(f"normal form of ${name}$", integrand, form.expr, under=NORM, symbol=name)
            for name, form, integrand in forms
        ),
        *_elimination(),
        *_variance_form(claimed),
    )
    derivation = Derivation("The profile of the two-parameter loss", steps)
    return Profile(N, D, N_beta, D_beta, N_beta_beta, D_beta_beta, derivation)


def _elimination() -> tuple[Identity, ...]:
    """The loss is C - 2 alpha N + alpha^2 D; alpha = N/D minimises; f' = -N R/D^2."""
    C, N, D, dN, dD = symbols("C N D N' D'", real=True)
    n, d = Function("n")(beta), Function("d")(beta)
    named = ((diff(n, beta), dN), (diff(d, beta), dD), (n, N), (d, D))
    quadratic = C - 2 * alpha * N + alpha**2 * D
    return (
        Identity(
            r"the integrand is quadratic in $\alpha$",
            two_parameter().integrand,
            s / lam - 2 * alpha * s * geometric_sum() + alpha**2 * s * lam * geometric_sum() ** 2,
            under=NORM,
        ),
        Identity(
            r"completing the square: the minimum over $\alpha$ is $C - N^2/D$ at $\alpha = N/D$",
            quadratic,
            C - N**2 / D + D * (alpha - N / D) ** 2,
        ),
        Identity(
            "critical points: the derivative of $f$, with $R = 2 N' D - N D'$",
            diff(C - n**2 / d, beta).subs(named),
            -N * (2 * dN * D - N * dD) / D**2,
            symbol="f'",
        ),
    )


def _variance_form(claimed: Expr | None) -> tuple[Identity, ...]:
    """f = C Var_nu(z^T)/E_nu[(1 - z^T)^2], z = 1 + beta lam, nu = (s/lam) dP/C; and its limits."""
    C, z1, z2, b = symbols("C z_1 z_2 b", real=True)
    form = (z2 - z1**2) / (1 - 2 * z1 + z2) if claimed is None else claimed
    z_T = (1 + beta * lam) ** T
    N, D = C * (z1 - 1) / beta, C * (z2 - 2 * z1 + 1) / beta**2
    return (
        Identity(r"$N$ by $\nu$", s * geometric_sum(), s / lam * (z_T - 1) / beta, under=NORM),
        Identity(
            r"$D$ by $\nu$", s * lam * geometric_sum() ** 2, s / lam * (z_T - 1) ** 2 / beta**2, under=NORM
        ),
        Identity(
            r"the profile by the moments $z_1$, $z_2$ of $z^T$ under $\nu$",
            C - N**2 / D,
            C * form,
            symbol="f",
        ),
        Identity(
            r"$\beta$ to infinity: $S/\beta^{T-1}$, with $b = 1/\beta$ at 0, is $\lambda^{T-1}$",
            (((b + lam) ** T - b**T) / lam).subs(b, 0),
            lam ** (T - 1),
        ),
        Identity(
            r"where $b = 1/\beta$",
            ((b + lam) ** T - b**T) / lam,
            geometric_sum().subs(beta, 1 / b) * b ** (T - 1),
        ),
    )


#: The two eigenvalues of a law with two values of s > 0.
lam1, lam2 = symbols(r"\lambda_1 \lambda_2", positive=True)


def two_atoms_weights(depth: Expr) -> tuple[Expr, Expr]:
    """(alpha, beta) without excess at an even depth, for the eigenvalues lam1 and lam2."""
    weight = -2 / (lam1 + lam2)
    return -weight / (1 - (1 + weight * lam1) ** depth), weight


@cache
def exact_for_two_atoms(claimed: Expr | None = None) -> Derivation:
    """Two eigenvalues and even T: no excess at `two_atoms_weights`.

    `claimed`: the depth in terms of the positive integer `j`, in place of 2 j.
    """
    depth = 2 * j if claimed is None else claimed
    step, weight = two_atoms_weights(depth)
    residual = 1 + alpha / beta * (1 - (1 + beta * lam) ** depth)
    at = {alpha: step, beta: weight}
    return Derivation(
        "Two atoms are fitted exactly at even depth",
        tuple(
            Identity(
                f"no residual at {name}",
                residual.subs(lam, value).subs(at),
                Integer(0),
                symbol=r"1 + \tfrac{\alpha}{\beta}(1 - z^T)",
            )
            for name, value in (("the smaller atom", lam1), ("the larger atom", lam2))
        ),
    )
