"""Invented results: no theorem was run for them, but their numbers have the shape of real ones."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from proofs_check.engine.registry import load_theorem, theorem_names
from reports.results import (
    SCHEMA_VERSION,
    Certified,
    ClaimResult,
    Environment,
    Evidence,
    FalseVariantResult,
    HypothesisResult,
    LawRecord,
    RunResult,
    Sampled,
    Series,
    SimulationResult,
    SimulationRow,
    Step,
    TheoremResult,
    Verdict,
)
from reports.text.marked import plain

ODD_LAW = r'empirical("50%_of\norms_#1 & {co}~^$x$ <é> 😀.csv", column="a_b")'
KAPPA = 3 / 7
DEPTHS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]


def step(verdict: Verdict = Verdict.VERIFIED, latex: str = "", detail: str = "") -> Step:
    """One step by enclosure."""
    statement = r"$\mathbb{E}[s (1-\alpha\lambda)^{2T-1}]$ changes sign"
    return Step(Evidence.ENCLOSURE, statement, latex, verdict, 256, detail)


def claim(
    id: str,
    verdict: Verdict = Verdict.VERIFIED,
    *,
    statement: str = r"$|\alpha_T - \alpha^*| < \varepsilon\alpha^*$ for all $T \ge T_0$.",
    steps: list[Step] | None = None,
    values: dict[str, Any] | None = None,
    series: dict[str, Series] | None = None,
    figure: str = "",
) -> ClaimResult:
    """A claim with one step that has its verdict, unless steps are given."""
    found = [step(verdict)] if steps is None else steps
    kind = Evidence.weakest(step.kind for step in found)
    return ClaimResult(id, statement, verdict, kind, found, values or {}, series or {}, 0.04, figure)


def theorem(
    name: str,
    claims: list[ClaimResult],
    *,
    law: LawRecord | None = None,
    hypotheses: list[HypothesisResult] | None = None,
    variants: list[FalseVariantResult] | None = None,
    verdict: Verdict | None = None,
) -> TheoremResult:
    """A theorem's result with the worst verdict of its claims."""
    return TheoremResult(
        schema_version=SCHEMA_VERSION,
        theorem=name,
        title=f"Title of {name.replace('_', ' ')} with $\\alpha_T \\to \\alpha^*$",
        source="Barnfield, Sen, Sur, arXiv 2602.04872, Theorem 6.2",
        statement=(
            r"Let $m_{\mathrm{lo}}$ and $m_{\mathrm{hi}}$ be the essential bounds of $\lVert m \rVert^2$. "
            r"Then $\alpha_T \to \alpha^* = \frac{2}{2 + m_{\mathrm{lo}} + m_{\mathrm{hi}}}$ "
            r"as $T \to \infty$."
        ),
        verdict=verdict or Verdict.worst(claim.verdict for claim in claims),
        command=[name, "--squared-norm", "uniform(1, 4)", "--falsify"],
        law=law or LawRecord("squared_norm", ["uniform(1, 4)"], "1", "4", "0"),
        assumptions=[r"$\mathbb{E}\zeta^2 > 0$.", r"The context is infinite: $L \to \infty$."],
        hypotheses=hypotheses or [],
        claims=claims,
        false_variants=variants or [],
        environment=Environment("3.11.9", {"sympy": "1.14.0", "python-flint": "0.9.0"}, 0),
        seconds=1.25,
        figures=load_theorem(name).figures if name in theorem_names() else [],
    )


def enclosure(log10: float, width: float = 1e-3) -> tuple[str, str]:
    """Decimal ends around ten to the power `log10`, which may be far below a float's range."""
    exponent = math.floor(log10)
    mantissa = 10 ** (log10 - exponent)
    return f"{mantissa * (1 - width):.9f}e{exponent}", f"{mantissa * (1 + width):.9f}e{exponent}"


def signed(log10: float) -> tuple[str, str]:
    """The same for a negative number: ends in increasing order."""
    lower, upper = enclosure(log10)
    return f"-{upper}", f"-{lower}"


def excess_rows(scale: float, rate: float) -> list[list[Any]]:
    """[T, lower, upper] of scale rate^T, at depths where floats underflow too."""
    return [[T, *enclosure(math.log10(scale) + T * math.log10(rate))] for T in DEPTHS]


def theorem_4_1() -> TheoremResult:
    """The gap of LSA along a family that starts at a constant norm."""
    rows = [
        [x / 10, f"{0.004 * x * x / (10 + x):.8f}", f"{0.004 * x * x / (10 + x) + 1e-8:.8f}"]
        for x in range(11)
    ]
    values = {
        "gap": Certified("0.036675019199803047", "0.036675019199803049"),
        "bayes_risk": Certified("0.3054302439580516883", "0.3054302439580516884"),
        "lsa_risk": Certified("0.34210526315789473", "0.34210526315789474", "13/38"),
        "c": Certified("0.26315789473684210", "0.26315789473684211", "5/19"),
    }
    family = {"gap_family": Series(["parameter", "gap_lower", "gap_upper"], rows)}
    return theorem(
        "theorem_4_1",
        [
            claim("theorem_4_1.gap_positive", values=values, figure="gap $= 0.036675019199803048(1)$"),
            claim("theorem_4_1.gap_family", series=family),
        ],
    )


def false_variants() -> list[FalseVariantResult]:
    """Two of theorem_6_2."""
    return [
        FalseVariantResult(
            "unsquared_norm",
            "theorem_6_2.limit",
            r"$\alpha_T \to 2/(2+m_{lo}+m_{hi})$ with the norm",
            "uniform(1, 4)",
            Verdict.REFUTED,
            {"candidate": "2/5"},
            "0.2857 is 0.114 away from 2/5",
        ),
        FalseVariantResult(
            "without_response_moment",
            "theorem_6_2.limit",
            r"$\alpha^* = 1/(1+\mathbb{E}s)$",
            "atoms({1: 1/3, 4: 2/3})",
            Verdict.REFUTED,
            {},
            "",
        ),
    ]


def theorem_6_2() -> TheoremResult:
    """Every figure of the one-parameter theorem, with steps that need room, and false variants."""
    alpha = [[T, *(f"{2 / 7 * (1 - 0.079 / T) + d:.15f}" for d in (-1e-9, 1e-9))] for T in DEPTHS]
    bound = [
        [*row, enclosure(math.log10(0.7) + 2 * row[0] * math.log10(KAPPA))[1]]
        for row in excess_rows(0.036 / KAPPA**2, KAPPA**2)
    ]
    wide = " + ".join(rf"x_{{{k}}}" for k in range(60))
    derivation = [
        step(latex=rf"\frac{{{wide}}}{{y}}"),
        step(
            latex=r"\frac{d}{d\alpha}\,\mathbb{E}\Bigl[\frac{s}{\lambda}(1-\alpha\lambda)^{2T}\Bigr] "
            r"= -2T\,\mathbb{E}\bigl[s(1-\alpha\lambda)^{2T-1}\bigr]"
        ),
        step(
            latex=" + ".join(rf"\binom{{{k}}}{{2}} \alpha^{{{k}}} \lambda^{{{k + 1}}}" for k in range(2, 30))
        ),
    ]
    enclosed = claim(
        "theorem_6_2.minimiser_enclosure",
        steps=derivation,
        values={
            "alpha_T": [{"T": row[0], "lower": row[1], "upper": row[2]} for row in alpha],
            "alpha_star": "2/7",
            "alpha_unsquared": Certified("0.4", "0.4", "2/5"),
        },
        series={"alpha_T": Series(["T", "lower", "upper"], alpha)},
        figure=r"$\alpha_8 = 0.28091210343507628(2)$",
    )
    optimal = claim(
        "theorem_6_2.bayes_optimal",
        statement=r"$\mathrm{excess}_T \le \mathbb{E}[s/\lambda]\,\kappa^{2T}$ for every $T \ge 1$.",
        series={"excess": Series(["T", "lower", "upper", "bound"], bound)},
        figure="$T_0 = 5$",
    )
    return theorem(
        "theorem_6_2",
        [enclosed, optimal],
        hypotheses=[HypothesisResult("bounded_norm", r"$\lVert m\rVert$ is bounded.", True, r"$s \le 4$")],
        variants=false_variants(),
    )


def depth_minimax() -> TheoremResult:
    """The distance of alpha_T to its limit beside the first-order rate."""
    rows = [[T, *signed(math.log10(0.0226 / T)), f"-{0.0226 / T + 0.01 / T**2:.12f}"] for T in DEPTHS]
    columns = ["T", "distance_lower", "distance_upper", "first_order"]
    return theorem("depth_minimax", [claim("depth_minimax.rate", series={"rate": Series(columns, rows)})])


def theorem_6_3() -> TheoremResult:
    """The loss over the (alpha, beta) plane with orbits, a basin and an escaping orbit."""
    grid = [i / 24 for i in range(25)]
    plane = [
        [a, b, math.log10(0.002 + (a - 0.29) ** 2 + 0.7 * (b + 0.275) ** 2 + 2 * max(0.0, -0.55 - b) ** 2)]
        for a in (-0.1 + 0.7 * x for x in grid)
        for b in (-0.9 + 0.9 * x for x in grid)
    ]
    orbits = [
        [start, 0.29 + (a - 0.29) * math.exp(-t / 9), -0.275 + (b + 0.275) * math.exp(-t / 14)]
        for start, (a, b) in enumerate([(0.05, -0.02), (0.55, -0.1), (0.5, -0.5)])
        for t in range(60)
    ]
    escaping = [["-0.05,-0.7", -0.05 * math.exp(-t / 20), -0.7 - 0.01 * t] for t in range(20)]
    basin = [
        [i / 10, -j / 10, "converged" if i > 0 and j < 6 else "escaped"] for i in range(7) for j in range(9)
    ]
    basin[5][2] = "undecided"
    points = [
        {
            "T": T,
            "alpha": Certified("0.29", "0.2900000001"),
            "beta": Certified("-0.2750000001", "-0.275"),
            "alpha_plus_beta": Certified(*enclosure(-T)),
            "excess": Certified(*enclosure(-2.5 - T)),
        }
        for T in (2, 3, 8)
    ]
    return theorem(
        "theorem_6_3",
        [
            claim(
                "theorem_6_3.critical_point_enclosure",
                values={"points": points, "loss_plane_depth": 2},
                series={
                    "excess": Series(["T", "lower", "upper"], excess_rows(0.0226, 0.0905)),
                    "loss_plane": Series(["alpha", "beta", "log10_excess"], plane),
                    "critical_points": Series(
                        ["alpha", "beta", "kind"],
                        [[points[0]["alpha"], points[0]["beta"], "minimum"], ["0", "-0.55", "saddle"]],
                    ),
                },
            ),
            claim(
                "theorem_6_3.flow_converges",
                series={
                    "orbits": Series(["start", "alpha", "beta"], orbits),
                    "basin": Series(["alpha0", "beta0", "outcome"], basin),
                },
            ),
            claim(
                "theorem_6_3.initialisation_matters",
                series={"escaping_orbits": Series(["start", "alpha", "beta"], escaping)},
            ),
        ],
    )


def layerwise() -> TheoremResult:
    """Three depths, the last without excess, and residuals at two."""
    excess = [[1, "1e-2", "1.1e-2"], [2, "1e-40", "1e-40"], [3, "0", "0"]]
    residual = [
        [T, lam, (1 - lam / 4) ** T, (1 - lam / 2) * (1 - lam / 5) ** (T - 1), 2.0]
        for T in (4, 8)
        for lam in (0.0, 1.0, 2.0, 4.5)
    ]
    columns = ["T", "lam", "one_parameter", "layerwise", "first"]
    return theorem(
        "layerwise",
        [
            claim("layerwise.best_depth_T", series={"excess": Series(["T", "lower", "upper"], excess)}),
            claim("layerwise.reciprocal_gauss_nodes", series={"residual": Series(columns, residual)}),
        ],
    )


def skip_ablation() -> TheoremResult:
    """A floor without the skip, and the excess with it."""
    rows = [
        [
            T,
            *(f"{0.002 + 0.06 / T**1.3 + d:.9f}" for d in (0, 1e-9)),
            enclosure(math.log10(0.036) + 2 * T * math.log10(KAPPA))[1],
        ]
        for T in DEPTHS
    ]
    return theorem(
        "skip_ablation",
        [
            claim(
                "skip_ablation.floor_with_initial_embedding",
                series={"floor": Series(["T", "lower", "upper", "with_skip"], rows)},
            )
        ],
    )


def odd() -> TheoremResult:
    """Every verdict, user text that LaTeX, XML and a terminal would trip over, nulls and an empty series."""
    steps = [
        step(
            Verdict.REFUTED,
            r"\alpha \ne \beta",
            "the bounds of 50%_of\\norms_#1.csv are 0.4 & 0.5 \x1b[31m[bold]",
        ),
        step(Verdict.INCONCLUSIVE, "", "working precision 64 bits is spent"),
    ]
    claims = [
        claim("odd_theorem.refuted_claim", Verdict.REFUTED, steps=steps, figure="0.4 ≠ 2/7 for a_b\\c"),
        claim(
            "odd_theorem.inconclusive_claim",
            Verdict.INCONCLUSIVE,
            values={
                "overflowed": None,
                "mean": {"mean": None, "low": None, "high": None, "confidence": 0.99, "samples": 10},
            },
        ),
        claim(
            "odd_theorem.not_applicable_claim",
            Verdict.NOT_APPLICABLE,
            steps=[],
            figure="needs `bounded_norm`",
        ),
        claim("odd_theorem.verified_claim", series={"alpha_T": Series(["T", "lower", "upper"], [])}),
    ]
    variants = [
        FalseVariantResult(
            f"twin_{verdict.value}",
            "odd_theorem.verified_claim",
            r"a false $\alpha$",
            ODD_LAW,
            verdict,
            {"x": None},
        )
        for verdict in Verdict
    ]
    return theorem(
        "odd_theorem",
        claims,
        law=LawRecord("norm", [ODD_LAW], "1/3", None, "1/10"),
        hypotheses=[
            HypothesisResult(
                "bounded_norm", r"$\lVert m\rVert$ is bounded.", False, f"{plain(ODD_LAW)} has no bound"
            )
        ],
        variants=variants,
    )


BUILDERS: dict[str, Callable[[], TheoremResult]] = {
    builder.__name__: builder
    for builder in (theorem_4_1, theorem_6_2, theorem_6_3, layerwise, depth_minimax, skip_ablation, odd)
}


def run_of_all() -> RunResult:
    """The result of `all`."""
    results = [builder() for builder in BUILDERS.values()]
    verdict = Verdict.worst(result.verdict for result in results)
    return RunResult(SCHEMA_VERSION, verdict, results, results[0].environment, 7.5)


def simulation() -> SimulationResult:
    """Models with and without depth, a mean that overflowed, an interval that reaches below 0."""
    rows = []
    for context in (50, 200):
        for T in (1, 2, 4, 8):
            for model, excess in (
                ("one_parameter", 0.3**T + 1 / context),
                ("two_parameter", 0.2**T + 1 / context),
            ):
                sampled = Sampled(1.05 * excess, 0.9 * excess, 1.2 * excess, 0.99, 10_000)
                rows.append(SimulationRow(model, [3, 2], context, T, sampled, 0.8 * excess, excess))
        rows.append(
            SimulationRow("lsa", [3, 2], context, None, Sampled(0.04, 0.03, 0.05, 0.99, 9), 0.03, 0.04)
        )
        rows.append(
            SimulationRow("odd_model%", [3, 2], context, 8, Sampled(0.1, -0.1, 0.3, 0.99, 9), None, None)
        )
        rows.append(
            SimulationRow(
                "one_parameter", [3, 2], context, 64, Sampled(None, None, None, 0.99, 9), None, None
            )
        )
    law = LawRecord("modalities", ["uniform(1, 4)", ODD_LAW], "1", "6", "0")
    return SimulationResult(SCHEMA_VERSION, law, False, rows, Environment("3.11.9", {"numpy": "2.4"}, 7), 3.0)
