"""CPU time, beside that of importing SymPy in the same process."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
SCRIPT = """
import json, time
start = time.process_time()
import sympy
loaded = time.process_time()
from theory import attention, limits, losses
steps = [losses.one_parameter().derivation, attention.embedding_one_parameter(), limits.one_inequality(),
         limits.bayes_bound(), limits.per_prompt_rate(), limits.minimax()]
assert all(step.holds for step in steps)
print(json.dumps([loaded - start, time.process_time() - loaded]))
"""


def run(script: str) -> str:
    command = [sys.executable, "-c", script]
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout


def test_theorem_6_2_is_derived_faster_than_sympy_is_imported() -> None:
    imported, derived = json.loads(run(SCRIPT))
    assert derived < imported


def test_import_theory_loads_nothing() -> None:
    script = (
        "import sys, theory; print('sympy' in sys.modules); theory.symbols; print('sympy' in sys.modules)"
    )
    assert run(script).split() == ["False", "True"]


def test_an_unknown_module_is_an_attribute_error() -> None:
    import theory

    assert not hasattr(theory, "nonsense")
