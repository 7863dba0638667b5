"""What the theorems of `theory/formal` carry of a claim: their names, and what each says of it in few words.

Nothing is said where a theorem says the whole.
"""

ISOTROPIC = "the best $M = c I$, as for isotropic $m$"

EIGENDIRECTION = {"Embedding.embedding_along_eigenvector": "the recurrence, in any dimension"}
ONE_PARAMETER_EMBEDDING = EIGENDIRECTION | {"Embedding.one_parameter_residual": "its closed form"}
TWO_PARAMETER_EMBEDDING = EIGENDIRECTION | {
    "Embedding.two_parameter_filter": "its sum",
    "Embedding.two_parameter_residual": "its closed form",
}
LAYERWISE_EMBEDDING = EIGENDIRECTION | {
    "Embedding.residual_recurrence": "the recurrence of the residual",
    "Layerwise.layers_residual_polynomial": "its degree and its value at 0",
}
NO_SKIP_EMBEDDING = EIGENDIRECTION | {"Embedding.no_skip_from_zero": "from 0"}
POPULATION_LOSS = {"Embedding.excess_of_filter": "the excess of a prompt"}
ONE_PARAMETER_LOSS = POPULATION_LOSS | {"Embedding.loss_is_excess_of_stack": "its expectation"}

BEST_SCALAR = {"SelfAttention.gap_is_least": "$c$, for $M = c I$"}
GAP_IDENTITY = {"SelfAttention.gap_lagrange": ""}
GAP_POSITIVE = {"SelfAttention.gap_pos": ISOTROPIC}
SHARP_CONDITION = {"SelfAttention.gap_zero_iff": ISOTROPIC}

UNIQUE_MINIMISER = {
    "OneParameter.loss_strictly_convex": "strict convexity",
    "OneParameter.minimiser_exists": "one minimiser",
}
MINIMISER_ENCLOSURE = {
    "OneParameter.minimiser_above": "from below",
    "OneParameter.minimiser_below": "from above",
}
ONE_PARAMETER_FLOW = {"FlowExistence.flow_from_every_start": ""}

AS_GOOD = r"at every minimum in $\alpha$ with an excess of at most $C \kappa^{2T}$"
GLOBAL_MINIMUM = {"TwoParameterExistence.two_parameter_minimiser_exists": "that there is a global minimum"}
CANDIDATE = {"OneParameterLimit.limit_unique": "that no other number is the limit"}

TWO_PARAMETER_LIMIT = {
    "TwoParameterLimit.low_minimum_limit": AS_GOOD,
    "TwoParameterLimit.two_parameter_limit": "at a global minimum",
}
TWO_PARAMETER_BOUND = {"TwoParameter.two_parameter_bound": "at a global minimum"}
PREDICTOR = {"Predictor.prediction_error": "the error of a prompt, along $m$"}
TWO_PARAMETER_PREDICTOR = {"Predictor.two_parameter_predictor_converges": f"{AS_GOOD}, the rate for a prompt"}

WORST_CASE = {"Minimax.worst_residual_star": r"the worst case at $\alpha^*$"}
DEPTH_IS_NEEDED = {
    "Depth.depth_one_is_gap": "depth 1, $M = c I$",
    "Depth.depth_is_needed": ISOTROPIC,
}

BEST_DEPTH = {
    "Layerwise.least_excess_exists": "that it is attained",
    "Layerwise.orthogonal_residual": "the residual that attains it",
    "Layerwise.least_excess_decreasing": "that it falls",
    "GaussZeros.zeros_are_the_points": r"$e_T = 0$ for $T \ge N$",
}
GAUSS_NODES = {
    "GaussZeros.zeros_of_best_residual": r"the zeros, for $N \ge T$",
    "GaussZeros.gauss_rule": "that they are the nodes of the rule of Gauss",
    "GaussZeros.reciprocal_gauss_nodes": "that their reciprocals attain $e_T$",
    "GaussZeros.best_residual_unique": "that no other residual does",
    "GaussZeros.zeros_are_the_points": "$N$ layers, and more, on $N$ points",
}
FINITE_SUPPORT = {
    "GaussNodes.least_excess_zero_iff": "$N > T$ where no polynomial of degree $T$ vanishes",
    "GaussZeros.zeros_are_the_points": "the product over the points",
}
LANDSCAPE = {
    "LayerwiseCritical.critical_is_least": "critical points with distinct weights",
    "LayerwiseOrbits.least_weights_are_reciprocals": "that they are the $1/z_t$",
    "LayerwiseLandscape.tie_is_strict_saddle": "ties",
    "TiedOptimum.tied_optimum_hessian": "the Hessian where all weights are tied at the optimum",
    "TiedOptimum.tied_optimum_falls": "its $T - 1$ negative directions",
    "LayerwiseLandscape.slope_difference": "the difference of two weights along the flow",
}
LAYERWISE_FLOW = {
    "LayerwiseOrbits.flow_from_distinct_weights": "",
    "LayerwiseOrbits.tied_flow_converges": "where it ends from equal weights",
}
