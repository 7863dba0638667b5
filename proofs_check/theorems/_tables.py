"""Which of its numbers each theorem shows, and how they are joined."""

from __future__ import annotations

from functools import partial

from reports.layouts import TableColumn as Column
from reports.layouts import TableLayout

LIMIT, DISTANCE = r"$\alpha^{\ast}$", r"$\alpha_T - \alpha^{\ast}$"
NEAR = r"$|\alpha_T - \alpha^{\ast}| < \epsilon\alpha^{\ast}$"
NEAR_BOTH = rf"{NEAR} and $|\beta_T + \alpha^{{\ast}}| < \epsilon\alpha^{{\ast}}$"
FROM_HERE, LEAST = "for all $T$ from here on", "the least that would do, found depth by depth"
BOUND = r"excess $\le \mathbb{E}[s/\lambda]\,\kappa^{2T}$"
OF_ONE_PROMPT = r"the error of one prompt is of order $\rho^T$"
# Not functions: what a run calls stays in few files.
numbers = partial(TableLayout, "numbers", heading="Numbers")
by_depth = partial(TableLayout, "by_depth", rows=["T"], heading="By depth")

THEOREM_4_1 = (
    numbers(
        [
            Column("gap_positive", "gap", "gap", "best risk of the layer, less the Bayes risk"),
            Column("gap_positive", "lsa_risk", r"$\min_M R(M)$", "best risk of the layer"),
            Column("gap_positive", "bayes_risk", r"$\mathbb{E}[1/\lambda]$", "Bayes risk"),
            Column("gap_positive", "c", "$c$", "the best scalar, $M = cI$"),
            Column("modalities", "a", "$a$", r"the best $M = \operatorname{diag}(aI, bI)$"),
            Column("modalities", "b", "$b$"),
            Column("modalities", "scalar_gap", "gap of $cI$", "what the best scalar leaves"),
        ]
    ),
    TableLayout(
        "gap_family",
        [Column("gap_family", "gap_family", "gap", y=["gap_lower", "gap_upper"], name="gap")],
        rows=["parameter"],
        heading="The gap from a constant norm (0) to this law (1)",
    ),
)

THEOREM_6_2 = (
    numbers(
        [
            Column("limit", "alpha_star", LIMIT, r"the limit of $\alpha_T$"),
            Column("limit", "epsilon", r"$\epsilon$", "relative accuracy"),
            Column("limit", "T0", "$T_0$", f"{NEAR} {FROM_HERE}, proved"),
            Column("limit", "first_T", "least $T_0$", LEAST),
            Column("bayes_optimal", "kappa", r"$\kappa$", BOUND),
            Column("bayes_optimal", "rho", r"$\rho$", OF_ONE_PROMPT),
            Column("candidate", "candidate", "$A$", "the candidate for the limit"),
        ]
    ),
    by_depth(
        [
            Column("minimiser_enclosure", "alpha_T", r"$\alpha_T$"),
            Column("minimiser_enclosure", "alpha_T", DISTANCE, minus="alpha_star", optional=True),
            Column("bayes_optimal", "excess", "excess"),
            Column(
                "flow_converges",
                "flow_time",
                r"$\log_{10}$ time",
                r"time of the flow from 0 to within $10^{-6}\alpha_T$",
                y=["log10_time"],
                where={"start": "0"},
            ),
        ],
        note=r"$\alpha_T - \alpha^{\ast}$ to first order in $1/T$: claim `rate` of `depth_minimax`.",
    ),
)

THEOREM_6_3 = (
    numbers(
        [
            Column("limit", "alpha_star", LIMIT, r"the limit of $\alpha_T$ and of $-\beta_T$"),
            Column("limit", "epsilon", r"$\epsilon$", "relative accuracy"),
            Column("limit", "T0", "$T_0$", f"{NEAR_BOTH} {FROM_HERE}"),
            Column("bayes_optimal", "kappa", r"$\kappa$", BOUND),
            Column("predictor_converges", "rho", r"$\rho$", OF_ONE_PROMPT),
        ]
    ),
    by_depth(
        [
            Column("critical_point_enclosure", "points", r"$\alpha_T$", y=["alpha"]),
            Column("critical_point_enclosure", "points", r"$\beta_T$", y=["beta"]),
            Column("critical_point_enclosure", "points", r"$\alpha_T + \beta_T$", y=["alpha_plus_beta"]),
            Column("critical_point_enclosure", "points", "excess", y=["excess"]),
        ]
    ),
)

LAYERWISE = (
    numbers(
        [
            Column("chebyshev_bound", "rho", r"$\rho$", r"$e_T \le 4\,\mathbb{E}[s/\lambda]\,\rho^{2T}$"),
            Column("chebyshev_bound", "kappa", r"$\kappa$", "of tied weights: " + BOUND),
            Column("fewer_layers", "epsilon", r"$\epsilon$", "share of the tied excess"),
            Column(
                "fewer_layers", "T1", "$T_1$", rf"$e_T < \epsilon$ times the tied excess {FROM_HERE}, proved"
            ),
            Column("fewer_layers", "first_T", "least $T_1$", LEAST),
        ]
    ),
    by_depth(
        [
            Column("best_depth_T", "e_T", "$e_T$"),
            Column("fewer_layers", "tied", "tied excess"),
            Column("chebyshev_bound", "bound", "bound on $e_T$"),
        ]
    ),
    TableLayout(
        "smallest_depths",
        [
            Column("fewer_layers", "smallest_depths", "layerwise", y=["layerwise"]),
            Column("fewer_layers", "smallest_depths", "two parameters", y=["two_parameter"]),
            Column("fewer_layers", "smallest_depths", "tied", y=["tied"]),
        ],
        rows=["accuracy"],
        heading=r"Layers that bring the excess down to a share (accuracy) of $\mathbb{E}[s/\lambda]$",
        note="- where none of the depths that were tried does.",
    ),
)

DEPTH_MINIMAX = (
    numbers(
        [
            Column("minimax_weight", "alpha_star", LIMIT, "the minimax weight"),
            Column(
                "minimax_weight", "worst_case", r"$\kappa$", r"its worst case, $|1 - \alpha^{\ast}\lambda|$"
            ),
            Column("depth_limit_is_minimax", "epsilon", r"$\epsilon$", "relative accuracy"),
            Column("depth_limit_is_minimax", "T0", "$T_0$", f"{NEAR} {FROM_HERE}"),
            Column("rate", "first_order", "rate", "to first order"),
            Column("rate", "T1", "$T_1$", "what the rate leaves out is bounded from here on"),
            Column("depth_is_needed", "gap", "gap", "excess of the best single layer"),
            Column("depth_is_needed", "T1", "$T$", f"excess below gap/100 {FROM_HERE}, proved"),
            Column("depth_is_needed", "first_T", "least $T$", LEAST),
        ]
    ),
    by_depth(
        [
            Column("rate", "rate", DISTANCE, y=["distance_lower", "distance_upper"], name="distance"),
            Column("rate", "rate", "first order", y=["first_order"], rounded=True),
        ]
    ),
    TableLayout(
        "excess",
        [Column("depth_is_needed", "excess", "excess")],
        rows=["T"],
        heading="The excess at small depth",
    ),
)

SKIP_ABLATION = (
    numbers(
        [
            Column("floor_for_all_depths", "floor", "floor", "no depth without skip has less excess"),
            Column("skip_restores_optimality", "T1", "$T_1$", "with skip below the floor from here on"),
        ]
    ),
    by_depth(
        [
            Column("floor_with_initial_embedding", "floors", r"best $\beta$", y=["beta"], rounded=True),
            Column(
                "floor_with_initial_embedding",
                "floors",
                "without skip",
                r"the least excess over $\beta$",
                name="without_skip",
            ),
            Column("floor_with_initial_embedding", "floors", "with skip", y=["with_skip"]),
        ]
    ),
)

LATENT_FACTOR_MODEL = (
    numbers(
        [
            Column(
                "covariate_shift",
                "mean_square_distance",
                r"$\mathbb{E}\|\Lambda - \Lambda'\|_F^2$",
                "of two independent prompts, in the least dimension",
            )
        ]
    ),
)
