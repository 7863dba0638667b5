"""A result stored before texts had marks is shown as plain words, by everything that shows results."""

from __future__ import annotations

import io
import shutil
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from reports.__main__ import main
from reports.junit import to_junit
from reports.latex.document import report
from reports.results import (
    Certified,
    FigurePart,
    LawRecord,
    NotANumberError,
    Series,
    TheoremResult,
    from_json,
    to_json,
)
from reports.terminal.theorem import print_result
from tests.reports import invented

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


def foreign(folder: Path, statement: str) -> Path:
    """A result from elsewhere, whose theorem says this."""
    result = invented.theorem("theorem_6_2", [invented.claim("theorem_6_2.limit")])
    path = folder / "foreign.json"
    path.write_bytes(to_json(msgspec.structs.replace(result, statement=statement)))
    return path


def test_plain_words_of_a_stored_result_are_no_formula(tmp_path: Path) -> None:
    stored = from_json(foreign(tmp_path, r"\frac{1}{2} \input{/etc/passwd}").read_bytes())
    assert r"\textbackslash{}frac" in report(stored).tex
    assert r"\input{/etc" not in report(stored).tex


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs pdflatex")
def test_a_formula_from_elsewhere_reads_no_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    secret, target = tmp_path / "secret.tex", tmp_path / "report.pdf"
    secret.write_text("7", encoding="ascii")
    assert main([str(foreign(tmp_path, rf"$x = \input{{{secret}}}$")), str(target)]) == 5
    assert capsys.readouterr().err.count("\n") == 1
    assert not target.exists()


@pytest.mark.parametrize("name", ["../evil", "/tmp/evil", "a b", "", "x\n"])
def test_a_figure_from_elsewhere_stays_in_its_folder(name: str) -> None:
    result = invented.theorem("theorem_6_2", [invented.claim("theorem_6_2.limit")])
    stored = msgspec.structs.replace(result, figures=[FigurePart(name, "theorem_6_2.limit")])
    with pytest.raises(msgspec.ValidationError, match="figure"):
        from_json(to_json(stored))


def test_what_nobody_foresaw_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, target = foreign(tmp_path, f"${'{' * 3000}{'}' * 3000}$"), tmp_path / "report.html"
    assert main([str(path), str(target)]) == 70
    assert capsys.readouterr().err.count("\n") == 1
    assert not target.exists()


@pytest.mark.parametrize("suffix", ["html", "tex"])
@pytest.mark.parametrize("nonsense", ["abc", "1/0", "", "1e999999999", "1e-999999999"])
@pytest.mark.parametrize("place", ["end", "depth"])
def test_what_is_no_number_is_bad_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], place: str, nonsense: str, suffix: str
) -> None:
    values = {"gap": {"lower": "0.1", "upper": nonsense if place == "end" else "0.2"}}
    rows = [[nonsense if place == "depth" else 1, "0.1", "0.2"]]
    series = {"excess": Series(["T", "lower", "upper"], rows)}
    claim = invented.claim("theorem_6_2.limit", values=values, series=series)
    path, target = tmp_path / "nonsense.json", tmp_path / f"report.{suffix}"
    path.write_bytes(to_json(invented.theorem("theorem_6_2", [claim])))
    assert main([str(path), str(target)]) == 2
    line = f"reports: {str(path)!r} is not a result written by --json: {nonsense!r} is not a number\n"
    assert capsys.readouterr().err == line
    assert not target.exists()


@pytest.mark.parametrize("suffix", ["html", "tex"])
def test_a_number_that_would_fill_the_memory_is_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], suffix: str
) -> None:
    law = LawRecord("squared_norm", ["uniform(1, 4)"], "1", "1e999999999", "0")
    path, target = tmp_path / "far.json", tmp_path / f"report.{suffix}"
    path.write_bytes(to_json(invented.theorem("theorem_6_2", [invented.claim("theorem_6_2.limit")], law=law)))
    assert main([str(path), str(target)]) == 2
    assert "'1e999999999' is not a number" in capsys.readouterr().err
    with pytest.raises(NotANumberError):
        float(Certified("1e-999999999", "1"))


def test_ctrl_c_is_no_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("reports.__main__.write_report", interrupted)
    assert main([str(STORED), str(tmp_path / "report.html")]) == 130
    assert capsys.readouterr().err == ""
