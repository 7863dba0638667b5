"""A result stored before texts had marks is shown as plain words, by everything that shows results."""

from __future__ import annotations

import io
from datetime import UTC, datetime
from pathlib import Path

from reports.__main__ import main
from reports.junit import to_junit
from reports.latex.document import report
from reports.results import TheoremResult, from_json, to_json
from reports.terminal.theorem import print_result

STORED = Path(__file__).with_name("stored_before_marks.json")


def test_it_reads_as_it_was_written() -> None:
    result = from_json(STORED.read_bytes())
    assert isinstance(result, TheoremResult)
    stream = io.StringIO()
    print_result(result, file=stream)
    assert "T0 = 17, alpha* = 2/7" in stream.getvalue()
    assert r"\alpha_T \to \alpha^*" in stream.getvalue()
    tex = report(result).tex
    assert tex.isascii()
    assert r"T0 = 17, alpha* = 2/7" in tex
    assert r"\textbackslash{}alpha\_T" in tex
    assert b"theorem_6_2 (partial" in to_junit(result, datetime(2026, 1, 1, tzinfo=UTC))
    assert from_json(to_json(result)) == result


def test_from_the_command_line(tmp_path: Path) -> None:
    target = tmp_path / "report.tex"
    assert main([str(STORED), str(target)]) == 0
    assert "the one-inequality argument" in target.read_text(encoding="ascii")
