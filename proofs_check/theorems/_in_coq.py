"""What the theorems of `theory/formal` carry of a claim: their names, and what each says of it in few words.

Nothing is said where a theorem says the whole.
"""

ISOTROPIC = "the best M = c I, as for isotropic m"

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

TWO_PARAMETER_LIMIT = {
    "TwoParameterLimit.two_parameter_limit": "at a global minimum",
    "TwoParameterExistence.two_parameter_minimiser_exists": "that there is one",
}
TWO_PARAMETER_BOUND = {"TwoParameter.two_parameter_bound": "at a global minimum"}

WORST_CASE = {"Minimax.worst_residual_star": "the worst case at alpha*"}
DEPTH_IS_NEEDED = {
    "Depth.depth_one_is_gap": "depth 1, M = c I",
    "Depth.depth_is_needed": ISOTROPIC,
}

BEST_DEPTH = {
    "Layerwise.least_excess_exists": "that it is attained",
    "Layerwise.orthogonal_residual": "the residual that attains it",
    "Layerwise.least_excess_decreasing": "that it falls",
}
LANDSCAPE = {
    "LayerwiseCritical.critical_is_least": "critical points with distinct weights",
    "LayerwiseLandscape.tie_not_minimal": "that a tie is no minimum",
    "LayerwiseLandscape.slope_difference": "the difference of two weights along the flow",
}
LAYERWISE_FLOW = {"LayerwiseLandscape.flow_keeps_order": "the order of the weights"}
