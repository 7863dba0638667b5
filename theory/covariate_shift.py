"""How far the covariances Lambda, Lambda' of two independent prompts are apart, in mean square."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from sympy import Add, Expr, Integer, Poly, Symbol, symbols

from theory.gap import E_s
from theory.identities import Derivation, Identity, Inequality, Steps
from theory.latent_factor import DIMENSIONS, squared_distance
from theory.modalities import Block, E_p, E_pp, E_q, E_qq, block_moment
from theory.symbols import d

E_ss = Symbol(r"\mathbb{E}[s^2]", positive=True)
d1 = Symbol("d_1", integer=True, positive=True)
d2 = Symbol("d_2", integer=True, positive=True)

DISTANCE = r"\mathbb{E} \lVert \Lambda - \Lambda' \rVert_F^2"


@dataclass(frozen=True)
class MeanSquareDistance:
    """E ||Lambda - Lambda'||_F^2.

    isotropic: in E_s, E_ss and d.
    blocks:    for independent isotropic modalities, in E_p, E_pp, E_q, E_qq, d1 and d2.
    """

    isotropic: Expr
    blocks: Expr
    derivation: Derivation


@cache
def mean_square_distance(claimed: Expr | None = None) -> MeanSquareDistance:
    """2 E s^2 - 2 ||E m m^T||_F^2, with E m m^T = (E s/d) I for isotropic m.  `claimed`: it, isotropic.

    For independent m, m': E (m^T m')^2 = tr (E m m^T)^2.
    """
    isotropic = 2 * E_ss - 2 * E_s**2 / d if claimed is None else claimed
    total = E_pp + 2 * E_p * E_q + E_qq
    blocks = 2 * total - 2 * (E_p**2 / d1 + E_q**2 / d2)
    one, two = (Integer(1), E_p, E_pp), (Integer(1), E_q, E_qq)
    spread, other, more, further = (Symbol(name, nonnegative=True) for name in ("v_1", "v_2", "n_1", "n_2"))
    steps: Steps = (
        Identity(
            "isotropic $m$, any $d$: mean of the squared distance, "
            r"$\operatorname{tr} (\mathbb{E}\,m m^\top)^2 = d (\mathbb{E}\,s/d)^2$",
            _expected(E_ss, d * (E_s / d) ** 2),
            isotropic,
            symbol=DISTANCE,
        ),
        *(
            Identity(
                "isotropic $m$, in coordinates",
                _in_coordinates([(size, (Integer(1), E_s, E_ss))]),
                isotropic.subs(d, size),
                symbol=DISTANCE,
                case={"d": size},
            )
            for size in (1, 2, 3)
        ),
        Inequality(
            r"isotropic $m$, any $d \ge 2$: $\mathbb{E}\,s^2 = (\mathbb{E}\,s)^2 + \operatorname{Var} s$",
            Integer(0),
            isotropic,
            under=((E_ss, E_s**2 + spread), (d, 2 + more)),
            strict=True,
        ),
        Identity(
            r"two isotropic modalities, any $d_1$, $d_2$: $\mathbb{E}\,v v^\top = (\mathbb{E}\,p/d_1) I$",
            _expected(total, d1 * (E_p / d1) ** 2 + d2 * (E_q / d2) ** 2),
            blocks,
            symbol=DISTANCE,
        ),
        *(
            Identity(
                "two isotropic modalities, in coordinates",
                _in_coordinates([(dimensions[0], one), (dimensions[1], two)]),
                blocks.subs({d1: dimensions[0], d2: dimensions[1]}),
                symbol=DISTANCE,
                case={"(d_1, d_2)": dimensions},
            )
            for dimensions in DIMENSIONS
        ),
        Inequality(
            r"two modalities that are not almost surely 0, any $d_1$, $d_2 \ge 1$",
            Integer(0),
            blocks,
            under=((E_pp, E_p**2 + spread), (E_qq, E_q**2 + other), (d1, 1 + more), (d2, 1 + further)),
            strict=True,
        ),
    )
    return MeanSquareDistance(isotropic, blocks, Derivation("The mean distance between covariances", steps))


@dataclass(frozen=True)
class SeveralBlocks:
    """E ||Lambda - Lambda'||_F^2 for independent isotropic modalities.

    letters: E p_i, E p_i^2 and d_i for each.
    """

    letters: tuple[tuple[Symbol, Symbol, Symbol], ...]
    distance: Expr
    derivation: Derivation


@cache
def several(count: int) -> SeveralBlocks:
    """2 E s^2 - 2 sum_i (E p_i)^2/d_i; in the coordinates of blocks of width 1 and 2 besides."""
    letters = tuple(
        (
            Symbol(rf"\mathbb{{E}}[p_{i}]", positive=True),
            Symbol(rf"\mathbb{{E}}[p_{i}^2]", positive=True),
            Symbol(f"d_{i}", integer=True, positive=True),
        )
        for i in range(1, count + 1)
    )
    mean, squares = Add(*(E for E, _, _ in letters)), Add(*(EE - E**2 for E, EE, _ in letters))
    total = mean**2 + squares
    distance = 2 * total - 2 * Add(*(E**2 / width for E, _, width in letters))
    widths = [1 + i % 2 for i in range(count)]
    blocks: list[Block] = [
        (size, (Integer(1), E, EE)) for size, (E, EE, _) in zip(widths, letters, strict=True)
    ]
    at = {width: size for size, (_, _, width) in zip(widths, letters, strict=True)}
    spreads = symbols(f"v_1:{count + 1}", nonnegative=True)
    more = symbols(f"n_1:{count + 1}", nonnegative=True)
    under = [(EE, E**2 + v) for v, (E, EE, _) in zip(spreads, letters, strict=True)]
    under += [(width, 1 + n) for n, (_, _, width) in zip(more, letters, strict=True)]
    symbol = r"\mathbb{E} \lVert \Lambda - \Lambda' \rVert_F^2"
    steps: Steps = (
        Identity(
            r"isotropic modalities: $\mathbb{E}\,m m^\top$ has the blocks $(\mathbb{E}\,p_i/d_i) I$",
            _expected(total, Add(*(width * (E / width) ** 2 for E, _, width in letters))),
            distance,
            symbol=symbol,
        ),
        Identity(
            "isotropic modalities, in coordinates",
            _in_coordinates(blocks).expand(),
            distance.subs(at).expand(),
            symbol=symbol,
            case={"(" + ", ".join(str(width) for width in at) + ")": tuple(widths)},
        ),
        Inequality(
            r"modalities that are not almost surely 0, any widths $d_i \ge 1$",
            Integer(0),
            distance,
            under=tuple(under),
            strict=True,
        ),
    )
    derivation = Derivation("The mean distance between covariances, several modalities", steps)
    return SeveralBlocks(letters, distance, derivation)


def _expected(square: Expr, product: Expr) -> Expr:
    """E of ||m' m'^T - m m^T||_F^2 from E s^2 and E (m^T m')^2."""
    n_n, m_m, m_n = symbols("n_n m_m m_n", real=True)
    distance = Poly(squared_distance(), n_n, m_m, m_n)
    moments = {(2, 0, 0): square, (0, 2, 0): square, (0, 0, 2): product}
    return Add(*(coefficient * moments[powers] for powers, coefficient in distance.terms()))


def _in_coordinates(blocks: list[Block]) -> Expr:
    """The sum over i, j of E (m_i m_j - m'_i m'_j)^2, m' an independent copy of m."""
    size = range(sum(block[0] for block in blocks))
    return Add(
        *(
            2 * block_moment((i, i, j, j), blocks) - 2 * block_moment((i, j), blocks) ** 2
            for i in size
            for j in size
        )
    )
