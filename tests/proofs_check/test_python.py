"""From Python a run gives what the command line writes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import proofs_check
from proofs_check.command_line.commands import main
from reports.results import RunResult, SimulationResult, to_json

CLAIMS = ["theorem_6_2.limit", "depth_minimax.minimax_weight"]


def compared(document: dict[str, Any]) -> dict[str, Any]:
    """A document without what no two runs share."""
    for holder in [document, *document.get("theorems", [])]:
        del holder["seconds"], holder["outputs"]
        holder.pop("command", None)
        for claim in holder.get("claims", []):
            del claim["seconds"]
    return document


def written(folder: Path, *words: str) -> dict[str, Any]:
    """The JSON that a command line writes."""
    main([*words, "--json", str(folder / "result.json")])
    return dict(json.loads((folder / "result.json").read_bytes()))


def test_all_is_a_run_of_every_theorem_that_is_asked_for(tmp_path: Path) -> None:
    run = proofs_check.verify("all", claim=CLAIMS, epsilon="1/10")
    assert isinstance(run, RunResult)
    assert run.ok
    assert run.partial
    assert [theorem.theorem for theorem in run.theorems] == ["theorem_6_2", "depth_minimax"]
    words = [word for claim in CLAIMS for word in ("--claim", claim)]
    same = written(tmp_path, "all", *words, "--epsilon", "1/10", "--quiet")
    assert compared(json.loads(to_json(run))) == compared(same)
    assert run["theorem_6_2"].command == ["all", "--epsilon", "1/10", *words]


def test_a_run_that_does_not_apply_is_false() -> None:
    run = proofs_check.verify("all", claim=CLAIMS, squared_norm="point(0)")
    assert not run
    assert run.verdict == "not_applicable"


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ({"candidate": "1/4"}, "--candidate: not with `all`; name the one theorem that it is meant for"),
        ({"claim": "limit"}, "--claim 'limit': no such claim; did you mean "),
        ({"depth": 0}, "--depth '0': a depth is at least 1"),
    ],
)
def test_all_takes_what_the_command_line_takes(given: dict[str, Any], line: str) -> None:
    with pytest.raises(proofs_check.UsageError) as raised:
        proofs_check.verify("all", **given)
    assert str(raised.value).startswith(line)


def test_simulate_gives_the_rows_of_the_command_line(tmp_path: Path) -> None:
    given = {"context": 20, "depth": [1, 2], "prompts": 50, "models": ["lsa", "one_parameter"]}
    found = proofs_check.simulate(**given, dims=[(3, 2), (2, 2)])  # type: ignore[arg-type]
    assert isinstance(found, SimulationResult)
    assert found.ok
    assert [tuple(row.dims) for row in found.rows][:: len(found.rows) - 1] == [(3, 2), (2, 2)]
    words = "simulate --context 20 --depth 1,2 --prompts 50 --models lsa,one_parameter --dims 3,2 --dims 2,2"
    assert compared(json.loads(to_json(found))) == compared(written(tmp_path, *words.split()))


def test_simulate_refuses_what_the_command_line_refuses() -> None:
    with pytest.raises(proofs_check.UsageError, match="--dims '0': not a whole number"):
        proofs_check.simulate(dims=[(0,)])
