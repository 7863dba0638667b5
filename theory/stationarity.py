"""Critical points of the two-parameter loss without cancellation, and the geometry of its flow.

With z = 1 + beta lam put C = E[s/lam], a_1 = E[(s/lam) z^T], a_2 = E[(s/lam) z^(2T)].  Then
N = (a_1 - C)/beta, D = (a_2 - 2 a_1 + C)/beta^2, and the profile f = C - N^2/D has f' = -N R/D^2 with

    R = 2 N' D - N D' = [2 (a_2 - a_1) a_1' + (C - a_1) a_2'] / beta^3:

near the minimum the bracket is a sum of terms of its own size, kappa^(2T), where 2 N' D and
N D' agree in all digits but the last.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property

from sympy import Expr, Function, Integer, diff, symbols

from theory.attention import geometric_sum
from theory.identities import Derivation, Identity
from theory.normal_form import NormalForm, Term
from theory.symbols import NORM, T, alpha, beta, lam, s

N, D, C, a1, a2, d1, d2 = symbols("N D C a_1 a_2 {a_1'} {a_2'}", real=True)
N_beta, D_beta, N_beta_beta, D_beta_beta, u, theta = symbols("N' D' N'' D'' u theta", real=True)


@dataclass(frozen=True)
class Stationarity:
    """Integrands of C, a_1 and a_2 in normal form (weight: beta), and what is proved about them."""

    C: NormalForm
    a1: NormalForm
    a2: NormalForm
    derivation: Derivation

    @cached_property
    def slopes(self) -> tuple[NormalForm, NormalForm]:
        """a_1' and a_2'."""
        return self.a1.derivative(beta), self.a2.derivative(beta)

    @cached_property
    def bends(self) -> tuple[NormalForm, NormalForm]:
        """a_1'' and a_2''."""
        first, second = self.slopes
        return first.derivative(beta), second.derivative(beta)


@cache
def stationarity(claimed: Expr | None = None) -> Stationarity:
    """R, alpha, alpha + beta and f by C, a_1, a_2.  `claimed`: the bracket in R."""
    bracket = 2 * (a2 - a1) * d1 + (C - a1) * d2 if claimed is None else claimed
    S, z_T = geometric_sum(), (1 + beta * lam) ** T
    A1, A2 = Function("A_1")(beta), Function("A_2")(beta)
    named = ((diff(A1, beta), d1), (diff(A2, beta), d2), (A1, a1), (A2, a2))
    n, d = (A1 - C) / beta, (A2 - 2 * A1 + C) / beta**2
    N_value, D_value = n.subs(named), d.subs(named)
    steps = (
        Identity(
            "$N$ by $C$, $a_1$", s * S, s / lam * (z_T - 1) / beta, under=NORM, symbol=r"N = (a_1 - C)/\beta"
        ),
        Identity(
            "$D$ by $C$, $a_1$, $a_2$",
            s * lam * S**2,
            s / lam * (z_T**2 - 2 * z_T + 1) / beta**2,
            under=NORM,
            symbol=r"D = (a_2 - 2 a_1 + C)/\beta^2",
        ),
        Identity(
            "the bracket $R$",
            (2 * diff(n, beta) * d - n * diff(d, beta)).subs(named),
            bracket / beta**3,
            symbol="R",
        ),
        Identity(
            r"$\alpha + \beta$ at $\alpha = N/D$",
            N_value / D_value + beta,
            beta * (a2 - a1) / (a2 - 2 * a1 + C),
            symbol=r"\alpha + \beta",
        ),
        Identity(
            "the profile",
            C - N_value**2 / D_value,
            (C * a2 - a1**2) / (a2 - 2 * a1 + C),
            symbol="f",
        ),
    )
    at_0, at_T, at_2T = (
        NormalForm((Term(Integer(1), 1, 1, -beta, n),), (beta,)) for n in (Integer(0), T, 2 * T)
    )
    return Stationarity(at_0, at_T, at_2T, Derivation("The equation of the critical points", steps))


@cache
def flow_geometry(claimed: Expr | None = None) -> Derivation:
    """What the certified basin rests on, with h = N/D.  `claimed`: the slope h' in R, N', N, D."""
    R = 2 * N_beta * D - N * D_beta
    loss = C - 2 * alpha * N + alpha**2 * D
    toward_alpha = -diff(loss, alpha)
    toward_beta = 2 * alpha * N_beta - alpha**2 * D_beta
    h_slope = (R - N_beta * D) / D**2 if claimed is None else claimed
    bend = 2 * alpha * N_beta_beta - alpha**2 * D_beta_beta
    hessian = 2 * D * -bend - (2 * N_beta - 2 * alpha * D_beta) ** 2
    # f'' at a zero of R, from f' = -N R/D^2
    f_bend = -N * (2 * N_beta_beta * D + N_beta * D_beta - N * D_beta_beta) / D**2
    stationary = ((D_beta, 2 * N_beta * D / N),)
    at_ridge = ((alpha, N / D),)
    return Derivation(
        "The flow and the profile",
        (
            Identity(
                r"the loss above the profile, $u = \alpha - N/D$",
                loss.subs(alpha, N / D + u),
                C - N**2 / D + D * u**2,
            ),
            Identity(r"$d\alpha/dt$", toward_alpha, 2 * (N - alpha * D), symbol=r"\dot\alpha"),
            Identity(
                r"$d\beta/dt$ where $\alpha = \theta N/D$",
                toward_beta,
                alpha * ((1 - theta) * 2 * N_beta + theta * R / D),
                under=((alpha, theta * N / D),),
                symbol=r"\dot\beta",
            ),
            Identity("$h' = (N/D)'$", (N_beta * D - N * D_beta) / D**2, h_slope, symbol="h'"),
            Identity(
                r"Hessian at $\alpha = N/D$, $R = 0$: its determinant is $2 D f''$",
                hessian.subs(at_ridge),
                2 * D * f_bend,
                under=stationary,
            ),
            Identity(
                r"Hessian at $\alpha = 0 = N$: its determinant is $-4 N^{\prime 2}$",
                hessian.subs(alpha, 0),
                -4 * N_beta**2,
            ),
        ),
    )
