"""The estimate of rounding, against what rounding does: the same draws in float32 and in float64."""

import numpy as np
import pytest

from numerics.laws.syntax import parse_law
from numerics.simulation.arrays import load_backend
from numerics.simulation.by_name import PopulationWeights, models
from numerics.simulation.prompts import (
    LATENTS,
    TOKENS,
    Batch,
    PromptSource,
    batches,
    sample_latents,
    sample_statistics,
)
from numerics.simulation.rounding import SAMPLE, relative_rounding
from numerics.simulation.sweep import Sweep, SweepPlan

SINGLE, DOUBLE = load_backend("numpy", "float32"), load_backend()
NAMES = ("lsa", "one_parameter", "two_parameter", "no_skip", "least_squares", "sample_mean")


class Widened:
    """Draws in float32, handed on in float64."""

    def __init__(self, draws):
        self.draws = draws

    def normal(self, shape):
        return np.asarray(self.draws.normal(shape), dtype=np.float64)

    def chi_square(self, prompts, degrees):
        return np.asarray(self.draws.chi_square(prompts, degrees), dtype=np.float64)


def widened(source, context, prompts):
    """The prompts of float32, computed in float64 from the first number on."""
    rng = np.random.default_rng(source.seeds(context, 0, LATENTS))
    draws = Widened(SINGLE.draws(source.seeds(context, 0, TOKENS)))
    latents = sample_latents(source, rng, draws, prompts)
    return Batch(latents, sample_statistics(draws, latents, context))


def predictors(law, depths):
    return models(NAMES, PopulationWeights(law, NAMES, depths).weights, (3, 2))


@pytest.mark.parametrize("text", ["point(1000000)", "point(100)", "uniform(1, 4)"])
@pytest.mark.parametrize("context", [50, 1000, 10**6])
def test_the_estimate_is_what_float32_loses(text, context):
    """Over nine orders of magnitude, up to the factor that one random move of these prompts leaves open."""
    law = parse_law("squared_norm", text)
    source, run = PromptSource(law, (3, 2)), predictors(law, (1, 2, 8, 64))
    (single,) = batches(source, context, 4096, SINGLE, 10**9)
    double = widened(source, context, 4096)
    estimates = relative_rounding(run, single, source, context, SINGLE)
    found = {(name, depth): ratio for name, depth, ratio in estimates}
    for model in run:
        for (depth, rough), (_, fine) in zip(model.excess(single), model.excess(double), strict=True):
            fine = fine[:SAMPLE]
            lost = np.mean(np.abs(SINGLE.to_host(rough)[:SAMPLE] - fine)) / np.mean(fine)
            if lost < 1:
                assert lost / 4 < found[model.name, depth] < 16 * lost, (model.name, depth)
            else:
                assert found[model.name, depth] > 1 / 4


def test_the_estimate_shrinks_with_the_format():
    law = parse_law("squared_norm", "uniform(1, 4)")
    source, run = PromptSource(law, (3, 2)), predictors(law, (2, 8))
    ratios = []
    for backend in (SINGLE, DOUBLE):
        (batch,) = batches(source, 1000, 1024, backend, 10**9)
        ratios.append([ratio for *_, ratio in relative_rounding(run, batch, source, 1000, backend)])
    for rough, fine in zip(*ratios, strict=True):
        assert rough / fine == pytest.approx(2**29, rel=0.5)


def marked(text, backend):
    law = parse_law("squared_norm", text)
    source = PromptSource(law, (3, 2))
    plan = SweepPlan(
        source, [(3, 2)], [1000], 2048, lambda dims, context: predictors(law, (1, 64)), backend, 10**9
    )
    sweep = Sweep(plan)
    for _ in sweep:
        pass
    return {(row.model, row.depth) for row in sweep.rows() if row.rounded}


def test_rows_that_rounding_could_change_are_marked():
    assert marked("uniform(1, 4)", SINGLE) == set()
    assert marked("point(1000000)", DOUBLE) == set()
    found = marked("point(1000000)", SINGLE)
    assert {("least_squares", None), ("one_parameter", 64), ("two_parameter", 64)} == found
    # Far enough out, float64 is to least squares what float32 was.
    assert ("least_squares", None) in marked("point(1e15)", DOUBLE)
