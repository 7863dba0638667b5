"""The tables of the theorems: every column that is declared has its numbers."""

import pytest

from proofs_check import verify
from proofs_check.engine.registry import load_theorem, theorem_names
from reports import tables

FEW = {"depth": "1,2,4"}
RUNS = {
    "latent_factor_model": {},
    "theorem_4_1": {"modalities": ("chi2(3)", "uniform(0, 2)")},
    "theorem_6_2": FEW | {"candidate": "1/3"},
    "theorem_6_3": {"depth": "2,3,9"},
    "layerwise": FEW,
    "depth_minimax": FEW,
    "skip_ablation": FEW,
}


@pytest.mark.parametrize("name", theorem_names())
def test_every_column_has_numbers(name):
    declared = {table.name: table.columns for table in load_theorem(name).tables}
    found = {table.name: table for table in tables.of(verify(name, **RUNS[name]))}
    assert {key: table.columns for key, table in found.items()} == declared
    assert "numbers" in declared
    for table in found.values():
        assert all(cell is not None for cell in table.rows[0][1])
