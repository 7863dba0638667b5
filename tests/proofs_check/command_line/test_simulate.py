"""`simulate`: the sweep, and what stands beside its means."""

import dataclasses
import json
from pathlib import Path

import pytest

from numerics.simulation.by_name import NAMES
from proofs_check.command_line.simulate import simulate
from proofs_check.command_line.simulation_options import SimulationOptions, make_simulation
from reports.results import from_json, to_json
from tests.strict import StrictBackend

ROOT = Path(__file__).parents[3]
SMALL = {"prompts": "2048", "context": "100", "depth": "1,2,8"}


def run(**options):
    return simulate(make_simulation(SimulationOptions(**SMALL | options)))


def rows(result):
    return {(row.model, tuple(row.dims), row.context, row.depth): row for row in result.rows}


def covers(row, times=1.5):
    """The theory within the interval, or half as far out again: its own O(L^-2) is small here."""
    half = (row.excess.high - row.excess.low) / 2
    return abs(row.excess.mean - row.theory) <= times * half


def test_the_theory_lies_in_the_intervals():
    result = run(context="400", prompts="16384")
    found = rows(result)
    assert result.complete
    assert len(found) == 3 * 3 + 3
    marked = [key for key, row in found.items() if row.heavy_tailed]
    assert len(marked) <= 4
    assert all(covers(row) for key, row in found.items() if key not in marked)
    kinds = {key[0]: row.theory_kind for key, row in found.items() if key[3] in (None, 8)}
    assert kinds == {
        "lsa": "exact",
        "one_parameter": "order 1/L",
        "two_parameter": "order 1/L",
        "no_skip": "order 1/L",
        "least_squares": "exact",
        "sample_mean": "exact",
    }
    assert found["one_parameter", (3, 2), 400, 1].theory_kind == "exact"
    assert found["one_parameter", (3, 2), 400, 1].theory == pytest.approx(
        found["lsa", (3, 2), 400, None].theory, rel=1e-12
    )


# One prompt in 32768 may make up so much of the sum of squares that the sample's own mark withholds the
# interval (at two of the seeds 0 to 8): what holds for every interval is asked of these, and that one is
# given.
SEEDS = ("0", "1", "2")


def test_a_wrong_term_would_be_seen():
    """The population loss alone misses the intervals."""
    options = {"context": "20", "models": "one_parameter", "depth": "1", "prompts": "32768"}
    found = [rows(run(**options, seed=seed))["one_parameter", (3, 2), 20, 1] for seed in SEEDS]
    given = [row for row in found if not row.heavy_tailed]
    assert given
    for row in given:
        assert covers(row)
        assert not row.excess.low <= 0.0366750191998 <= row.excess.high


@pytest.mark.parametrize(
    "options",
    [
        {"modalities": ("uniform(0, 1)", "beta(2, 1/2)")},
        {"norm": "uniform(1, 2)", "dims": ("4",)},
        {"squared_norm": "atoms({0: 1/2, 3: 1/2})"},
        {"dtype": "float32"},
        {"memory": "20MB"},
    ],
    ids=str,
)
def test_other_laws_widths_and_formats(options):
    found = run(**options, context="400", prompts="8192")
    assert all(covers(row) for row in found.rows if not row.heavy_tailed)


def test_every_model_and_several_sizes():
    result = run(models=",".join(NAMES), dims=("3,2", "2,2"), context="30,60", prompts="256")
    found = rows(result)
    assert len(found) == 2 * 2 * (5 * 3 + 3)
    assert {row.theory for key, row in found.items() if key[0] == "softmax"} == {None}
    assert result.command == ["simulate"]


def test_softmax_attention_tends_to_linear_attention():
    """At its temperature the infinite context gives the same stack: the medians meet as L grows."""
    apart = []
    for context in ("50", "5000"):
        found = rows(run(models="softmax,one_parameter", context=context, depth="2", prompts="512"))
        linear, soft = (found[name, (3, 2), int(context), 2].median for name in ("one_parameter", "softmax"))
        apart.append(abs(soft - linear))
    assert apart[1] < apart[0] / 2


def test_the_same_seed_gives_the_same_rows():
    one, other, third = run(), run(memory="10MB"), run(seed="5")
    assert one.rows == other.rows
    assert one.rows != third.rows
    assert third.environment.seed == 5


def test_any_number_of_processes_gives_the_same_rows():
    options = {"prompts": "5000", "context": "20,100", "depth": "1:40"}
    one, two = run(**options), run(**options, jobs="2")
    assert one.rows == two.rows
    assert two.complete


def test_trainings_in_processes_give_the_same_weights(monkeypatch):
    monkeypatch.setattr("proofs_check.command_line.simulate.STEPS", 100)
    options = {"weights": "trained", "models": "lsa,two_parameter", "context": "20", "depth": "2,3"}
    one, two = run(**options), run(**options, jobs="2")
    assert one.rows == two.rows
    assert one.notes == two.notes
    assert len(one.notes) == 3


def test_heavy_tails_are_flagged_and_have_a_median():
    row = rows(run(context="50", depth="64", models="one_parameter"))["one_parameter", (3, 2), 50, 64]
    assert row.heavy_tailed
    assert row.median < 0.05
    assert row.excess.low is row.excess.high is None


def test_an_interval_is_given_where_the_model_bears_it():
    """One layer at L = 20 needs 28,000 prompts, whatever tail a smaller sample shows."""
    options = {"context": "20", "models": "one_parameter", "depth": "1"}
    for prompts, ever in (("1000", False), ("32768", True)):
        found = [rows(run(**options, prompts=prompts, seed=seed)) for seed in SEEDS]
        marked = [each["one_parameter", (3, 2), 20, 1].heavy_tailed for each in found]
        assert any(not mark for mark in marked) is ever
        for each, mark in zip(found, marked, strict=True):
            assert (each["one_parameter", (3, 2), 20, 1].excess.low is None) is mark
    # Of softmax attention no moment is known.
    (row,) = run(context="20", models="softmax", depth="1", prompts="256").rows
    assert row.heavy_tailed
    assert row.excess.low is None


def test_least_squares_without_a_mean_has_no_theory():
    found = rows(run(models="least_squares", context="4,5,6,7,8", prompts="64"))
    assert [row.theory is None for row in found.values()] == [True, True, True, False, False]


def test_what_overflows_is_null_and_counted():
    found = run(models="one_parameter", context="2", depth="4096", prompts="64")
    (row,) = found.rows
    assert row.overflowed > 0
    assert row.excess.mean is None
    document = json.loads(to_json(found))
    assert document["rows"][0]["excess"]["mean"] is None
    assert from_json(to_json(found)) == found


def test_no_prompt_with_anything_to_predict():
    found = rows(run(squared_norm="point(0)", models="lsa,one_parameter,two_parameter"))
    assert all(row.excess.mean == row.theory == 0 for row in found.values())


def test_trained_weights_beat_those_of_the_population():
    """At L = 20 the minimiser is far from that of the population; both run on the same prompts."""
    names = "lsa,one_parameter,two_parameter"
    options = {"models": names, "context": "20", "depth": "2", "prompts": "32768"}
    given = 0
    for seed in SEEDS:
        trained, population = (
            rows(run(weights="trained", **options, seed=seed)),
            rows(run(**options, seed=seed)),
        )
        for key, row in trained.items():
            assert row.excess.mean < population[key].excess.mean
            assert row.theory < population[key].theory
            assert row.heavy_tailed or covers(row, times=3)
        given += not trained["lsa", (3, 2), 20, None].heavy_tailed
    assert given


def test_layers_with_weights_of_their_own_are_trained_apart():
    """From distinct weights, as ties would stay; the layers end with weights that differ."""
    from proofs_check.command_line.simulate import _in_order_of

    options = {"models": "layerwise,one_parameter", "context": "20", "depth": "1,3"}
    found = {(row.model, row.depth): row for row in run(weights="trained", **options).rows}
    assert found["layerwise", 3].theory < found["one_parameter", 3].theory
    assert found["layerwise", 1].theory == pytest.approx(found["one_parameter", 1].theory, rel=0.02)
    assert _in_order_of((0.2, 0.5, 0.3), [3.0, 1.0, 2.0]) == (1.0, 3.0, 2.0)


def test_a_training_of_two_modalities():
    options = {"modalities": ("uniform(0, 1)", "beta(2, 1/2)"), "models": "lsa", "context": "20"}
    trained, population = run(weights="trained", **options).rows[0], run(**options).rows[0]
    assert trained.theory is None
    assert trained.excess.mean < population.excess.mean


def test_training_that_diverges_is_noted(monkeypatch):
    from numerics.simulation import training

    monkeypatch.setattr(training, "DIVERGED", 1e-9)
    result = run(weights="trained", models="one_parameter,sample_mean", depth="2")
    assert [row.model for row in result.rows] == ["sample_mean"]
    assert len(result.notes) == 1
    assert "one_parameter" in result.notes[0]
    assert "diverged" in result.notes[0]


def test_training_that_has_not_settled_is_noted(monkeypatch):
    from proofs_check.command_line import simulate

    options = {"weights": "trained", "models": "one_parameter", "depth": "2", "context": "20"}
    assert run(**options).notes == []
    monkeypatch.setattr(simulate, "RATE", 1e-6)
    monkeypatch.setattr(simulate, "STEPS", 200)
    result = run(**options)
    assert len(result.rows) == 1
    assert len(result.notes) == 1
    assert result.notes[0].startswith("one_parameter, d = 3 + 2, L = 20, T = 2: training had not settled")


@pytest.mark.parametrize("weights", ["population", "trained"])
def test_another_array_library_gives_the_same_rows(monkeypatch, weights):
    """array-api-strict holds the whole path to the standard that CuPy is used through."""
    monkeypatch.setattr("proofs_check.command_line.simulate.STEPS", 20)
    models = "lsa,one_parameter,two_parameter,least_squares,sample_mean"
    options = {"weights": weights, "models": models, "prompts": "256", "context": "20", "depth": "2"}
    laws = ("uniform(0, 1)", "beta(2, 1/2)")
    simulation = make_simulation(SimulationOptions(**options, modalities=laws))
    strict = dataclasses.replace(simulation, backend=StrictBackend())
    for ours, theirs in zip(simulate(simulation).rows, simulate(strict).rows, strict=True):
        assert ours.excess.mean == pytest.approx(theirs.excess.mean, rel=1e-10)


def test_no_stream_is_drawn_from_twice(monkeypatch):
    """Widths, contexts, zeta, tokens, trainings and evaluation: each number is drawn for one purpose."""
    from numerics.simulation.prompts import PromptSource

    used, honest = [], PromptSource.seeds

    def seeds(self, *address):
        found = honest(self, *address)
        used.append((found.entropy, *found.spawn_key))
        return found

    monkeypatch.setattr(PromptSource, "seeds", seeds)
    monkeypatch.setattr("proofs_check.command_line.simulate.STEPS", 2)
    monkeypatch.setattr("proofs_check.command_line.simulate.BATCH", 64)
    models = "one_parameter,two_parameter"
    run(models=models, weights="trained", dims=("3,2", "2,3"), context="20,40", depth="1,2", prompts="128")
    assert len(used) > 2 * 2 * 2 * 2 + 2 * 2 * 2 * 2 * 2
    assert len(set(used)) == len(used)


@pytest.mark.parametrize(("d", "context"), [(5, 7), (5, 8), (2, 20), (1, 50)])
def test_the_excess_of_least_squares_by_an_integral(d, context):
    """The diagonal of the inverse of a Wishart matrix is 1/chi2, with L - d + 1 degrees of freedom."""
    from scipy.integrate import quad
    from scipy.stats import chi2

    from numerics.laws.syntax import parse_law
    from numerics.simulation.by_name import PredictorWeights, TheoryTable

    degrees = context - d + 1
    one = quad(lambda x: chi2.pdf(x, degrees) / x, 0, float("inf"))[0]
    law = parse_law("squared_norm", "point(3)")
    found = TheoryTable(law).excess(PredictorWeights(None, {}), (d,), context, "least_squares", None)
    assert found.exact
    assert found.value == pytest.approx(d * one / 4, rel=1e-6)


def test_weights_that_are_not_found_are_a_note(monkeypatch):
    from numerics import errors
    from numerics.simulation import weights

    def lost(self, T):
        if T == 2:
            raise errors.NoConvergence("lost")
        return 0.25

    monkeypatch.setattr(weights.Population, "no_skip", lost)
    result = run(models="no_skip,sample_mean", prompts="64")
    assert [(row.model, row.depth) for row in result.rows] == [
        ("no_skip", 1),
        ("no_skip", 8),
        ("sample_mean", None),
    ]
    assert result.notes == ["no_skip, T = 2: left out, its weights are not known: lost"]


def test_weights_past_the_certified_depths_are_noted():
    result = run(models="two_parameter,no_skip", depth="300", prompts="16")
    assert len(result.rows) == 2
    assert [note.partition(":")[0] for note in result.notes] == [
        "two_parameter, T = 300",
        "no_skip, T = 300",
    ]


def test_a_reference_value_that_is_not_found_is_an_empty_cell(monkeypatch):
    from numerics import errors
    from numerics.expectation import quadrature

    def lost(self, degree, integrand):
        raise errors.NoConvergence("no rule")

    monkeypatch.setattr(quadrature.FloatRules, "mean", lost)
    result = run(prompts="64")
    assert result.complete
    assert len(result.rows) == 12
    assert {row.theory for row in result.rows} == {None}
    assert "least_squares: no value of the theory: no rule" in result.notes
    assert len(result.notes) == 6


@pytest.mark.parametrize("law", ["atoms({1: 1/2, 5: 1/2})", "atoms({2: 2/3, 4: 1/3})"])
def test_two_atoms_have_weights_at_every_depth(law):
    found = rows(run(squared_norm=law, models="two_parameter", depth="1:16", prompts="64"))
    assert len(found) == 16


def test_two_far_apart_atoms_are_fitted_at_depth_two():
    """The weights of the two-parameter stack leave no excess but that of the context."""
    options = {"squared_norm": "atoms({1/2: 1/2, 200: 1/2})", "depth": "2", "prompts": "512"}
    found = rows(run(models="two_parameter", context="1000000000", **options))
    ((_, row),) = found.items()
    assert row.excess.mean < 1e-3
    assert row.theory < 1e-4
