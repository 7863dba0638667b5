"""The tables and figures of the theorems: whatever is declared has its numbers, though it be optional."""

import pytest

from proofs_check import verify
from proofs_check.engine.registry import load_theorem, theorem_names
from reports import tables

FEW = {"depth": "1,2,4"}
RUNS = {
    "latent_factor_model": {},
    "theorem_4_1": {"modalities": ("chi2(3)", "uniform(0, 2)")},
    "theorem_6_2": FEW | {"candidate": "1/3"},
    "theorem_6_3": {"depth": "2,3,9", "basin": "2,2"},
    "layerwise": FEW,
    "depth_minimax": FEW,
    "skip_ablation": FEW,
}


@pytest.mark.parametrize("name", theorem_names())
def test_every_column_and_every_part_of_a_figure_has_numbers(name):
    theorem, result = load_theorem(name), verify(name, **RUNS[name])
    declared = {table.name: table.columns for table in theorem.tables}
    found = {table.name: table for table in tables.of(result)}
    assert {key: table.columns for key, table in found.items()} == declared
    assert "numbers" in declared
    for table in found.values():
        assert all(cell is not None for cell in table.rows[0][1])
    for part in theorem.figures:
        claim = result.claim(part.claim)
        assert part.kind == "level" or claim.series[part.series].rows
        assert {*filter(None, [part.minus, *(part.y if part.kind == "level" else [])])} <= claim.values.keys()
