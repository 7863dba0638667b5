"""What the README shows works as shown."""

import importlib
import re
from pathlib import Path

from proofs_check.command_line.options import Options
from proofs_check.command_line.planning import make_plan
from proofs_check.engine.registry import load_theorem
from proofs_check.engine.runner import run_plan

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def test_two_complete_command_lines():
    lines = [line for line in README.splitlines() if line.startswith("python3 -m venv ")]
    install = (
        "python3 -m venv .venv && .venv/bin/pip install -r requirements.lock -e . && .venv/bin/python -m "
    )
    assert lines == [f"{install}proofs_check theorem_6_2", f"{install}pytest"]


def test_the_new_theorem_runs_once_its_file_is_there(tmp_path, monkeypatch):
    (source,) = [
        block for block in re.findall(r"```python\n(.*?)```", README, re.DOTALL) if "THEOREM =" in block
    ]
    package = tmp_path / "shown_in_readme"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "theorem_0.py").write_text(source, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()
    theorem = load_theorem("theorem_0", "shown_in_readme")
    result = run_plan(make_plan(theorem, Options(falsify=True)), ["theorem_0"])
    assert result.verdict == "verified"
    assert [variant.verdict for variant in result.false_variants] == ["refuted"]
    low = run_plan(make_plan(theorem, Options(squared_norm="point(1/2)")), ["theorem_0"])
    assert low.verdict == "refuted"
