"""Reports: the LaTeX document, the PDF, and `python -m reports`."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from reports import write
from reports.files import OutputError
from reports.latex import typeset
from reports.latex.document import report
from reports.latex.tables import numbers, tables
from reports.latex.text import escape, title
from reports.latex.typeset import TypesettingError
from reports.results import Certified, Result, RunResult, SimulationResult, TheoremResult, from_json, to_json
from reports.text import summary
from reports.text.grids import MAX_ROWS
from reports.write import write_report
from tests.reports import invented

needs_latex = pytest.mark.skipif(typeset.engine() is None, reason="no LaTeX engine installed")
needs_pdftotext = pytest.mark.skipif(shutil.which("pdftotext") is None, reason="pdftotext is not installed")
ROOT = Path(__file__).parents[2]


def flat(text: str) -> str:
    """Text as it is, line breaks and spaces aside."""
    return re.sub(r"\s+", "", text)


def plain(tex: str) -> str:
    """A document without the commands that only allow a line to break."""
    return tex.replace(r"\allowbreak{}", "")


def test_same_result_same_bytes(any_result: TheoremResult) -> None:
    """Also after it was stored: the command line and `python -m reports` write the same."""
    first, second = report(any_result), report(from_json(to_json(any_result)))
    assert first == second
    assert first.tex.isascii()


def test_document_holds_every_claim_variant_and_figure(run_result: RunResult) -> None:
    made = report(run_result)
    tex = plain(made.tex)
    for theorem in run_result.theorems:
        for claim in theorem.claims:
            verdict = summary.word(claim.verdict)
            assert rf"\claim{{{title(claim.id)}}}{{{verdict}}}{{{plain(escape(claim.id))}}}" in tex
            listed = rf"\hyperref[claim:{claim.id}]{{{title(claim.id)}}} & "
            assert rf" & \verdict{{{verdict}}} & " in tex.partition(listed)[2].partition("\n")[0]
        for variant in theorem.false_variants:
            assert f"\n{title(variant.id)}" in tex
    included = re.findall(r"\\includegraphics\{(.*?)\}", tex)
    assert sorted(included) == sorted(made.figures)
    assert len(included) == 5
    assert set(re.findall(r"\\ref\{(.*?)\}", tex)) <= set(re.findall(r"\\label\{(.*?)\}", tex))


def test_a_theorem_has_only_the_figures_of_its_series(odd_result: TheoremResult) -> None:
    assert report(odd_result).figures == {}
    assert "includegraphics" not in report(odd_result).tex


def test_enclosures_are_printed_as_certain_digits(one_parameter_result: TheoremResult) -> None:
    assert r"$1$ & $0.263142857(2)$ \\" in report(one_parameter_result).tex


def test_tables_of_values() -> None:
    values = {
        "T0": 5,
        "gap": Certified("0.1", "0.1", "1/10"),
        "starts": [{"T": T, "alpha0": "1/2", "outcome": "converged"} for T in range(MAX_ROWS + 3)],
        "empty": [],
    }
    stored = from_json(to_json(invented.theorem("t", [invented.claim("t.c", values=values)])))
    assert isinstance(stored, TheoremResult)
    assert numbers(stored.claims[0].values) == ["$T_{0} = 5$", "gap: $1/10$"]
    (starts,) = tables(stored.claims[0], stored)
    assert starts.columns == ["$T$", r"$\alpha_{0}$", "outcome"]
    assert (len(starts.rows), starts.left_out) == (MAX_ROWS, 3)
    assert [len(half) for half in starts.halves] == [MAX_ROWS // 2] * 2


def compiled(result: Result, folder: Path) -> tuple[str, str]:
    """Text of the PDF and LaTeX's log."""
    target = folder / "report.tex"
    write_report(result, target)
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", target.name]
    for _ in range(3):
        subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=60)
    subprocess.run(["pdftotext", "-layout", "report.pdf"], cwd=folder, check=True, timeout=60)
    return (folder / "report.txt").read_text(), (folder / "report.log").read_text(encoding="latin-1")


def complaints(log: str) -> list[str]:
    """Errors, undefined references and boxes that stick out by more than 5 pt."""
    wide = [line for line in re.findall(r"Overfull \\hbox \(([\d.]+)pt", log) if float(line) > 5]
    return [*re.findall(r"^!.*", log, re.MULTILINE), *re.findall(r".*undefined.*", log), *wide]


@needs_latex
@needs_pdftotext
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
@pytest.mark.parametrize("kind", ["all", "simulation"])
def test_pdf(kind: str, run_result: RunResult, simulation_result: SimulationResult, tmp_path: Path) -> None:
    result: Result = run_result if kind == "all" else simulation_result
    text, log = compiled(result, tmp_path)
    assert complaints(log) == []
    if isinstance(result, RunResult):
        for theorem in result.theorems:
            for claim in theorem.claims:
                assert claim.id in text
                assert flat(f"{in_words(claim.id)}{summary.word(claim.verdict)}") in flat(text)
        assert "50%_of\\norms_#1 & {co}" in text
    else:
        assert "interrupted before the end" in text
        assert "odd model%" in text


def in_words(id: str) -> str:
    """The name of a claim as the text of a PDF has it."""
    short = summary.short_id(id).replace("_", " ")
    return short[:1].upper() + short[1:]


def test_complaints_are_seen() -> None:
    log = (
        "! Undefined control sequence.\nOverfull \\hbox (5.2pt too wide)\nOverfull \\hbox (4.9pt too wide)\n"
    )
    assert complaints(log) == ["! Undefined control sequence.", "5.2"]


@needs_latex
def test_pdf_has_the_same_bytes_each_time(odd_result: TheoremResult, tmp_path: Path) -> None:
    first, second = tmp_path / "a.pdf", tmp_path / "b.pdf"
    write_report(odd_result, first)
    time.sleep(1.1)
    write_report(odd_result, second)
    assert first.read_bytes() == second.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.pdf", "b.pdf"]


@needs_latex
@pytest.mark.skipif(shutil.which("pdfinfo") is None, reason="pdfinfo is not installed")
def test_pdf_has_no_dates(odd_result: TheoremResult, tmp_path: Path) -> None:
    write_report(odd_result, tmp_path / "x.pdf")
    shown = subprocess.run(["pdfinfo", tmp_path / "x.pdf"], capture_output=True, text=True, check=True).stdout
    assert "Pages:" in shown
    assert "Date" not in shown


@needs_pdftotext
@pytest.mark.parametrize("engine", typeset.ENGINES)
def test_each_engine_resolves_references(
    engine: str, one_parameter_result: TheoremResult, tmp_path: Path
) -> None:
    if shutil.which(engine) is None:
        pytest.skip(f"{engine} is not installed")
    target = tmp_path / "x.pdf"
    target.write_bytes(typeset.to_pdf(report(one_parameter_result), engine))
    command = ["pdftotext", "-layout", str(target), "-"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "(Figure 1)" in text
    assert "(Figure 2)" in text
    assert "??" not in text


@needs_latex
def test_a_document_that_latex_refuses_is_an_error(tmp_path: Path) -> None:
    steps = [invented.step(latex=r"\undefinedcommand")]
    result = invented.theorem("t", [invented.claim("t.c", steps=steps)])
    with pytest.raises(TypesettingError, match="Undefined control sequence"):
        write_report(result, tmp_path / "x.pdf")
    assert list(tmp_path.iterdir()) == []


def test_without_latex_the_sources_are_written(
    one_parameter_result: TheoremResult, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    written = write_report(one_parameter_result, tmp_path / "x.pdf")
    assert "install TeX Live" in written.message
    assert str(tmp_path / "x.tex") in written.message
    assert [path.relative_to(tmp_path).as_posix() for path in written.paths] == [
        "x.tex",
        "x-figures/minimiser.pdf",
        "x-figures/excess.pdf",
    ]
    assert all(path.stat().st_size for path in written.paths)


@pytest.mark.parametrize(
    ("installed", "chosen"),
    [
        (["latexmk", "tectonic", "pdflatex"], "latexmk"),
        (["latexmk", "tectonic"], "tectonic"),
        (["pdflatex"], "pdflatex"),
        (["latexmk"], None),
    ],
)
def test_which_engine(installed: list[str], chosen: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "reports.latex.typeset.shutil.which", lambda name: name if name in installed else None
    )
    assert typeset.engine() == chosen


def test_figures_of_two_reports_do_not_mix() -> None:
    folders = [write._figure_folder(stem) for stem in ("a_b", "a-b", "a b", "100%")]
    assert len(set(folders)) == 4
    assert all(re.fullmatch(r"[A-Za-z0-9-]+", folder) for folder in folders)


def test_nothing_is_left_of_a_report_that_cannot_be_written(
    one_parameter_result: TheoremResult, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: object) -> None:
        raise OutputError("cannot write x: no space")

    monkeypatch.setattr(write, "write_together", fail)
    with pytest.raises(OutputError):
        write_report(one_parameter_result, tmp_path / "x.tex")
    assert list(tmp_path.iterdir()) == []


def run_main(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "reports", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, cwd=ROOT)


def test_main_writes_a_report(run_result: RunResult, tmp_path: Path) -> None:
    stored = tmp_path / "result.json"
    stored.write_bytes(to_json(run_result))
    done = run_main(stored, tmp_path / "my report.tex")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert r"\begin{document}" in (tmp_path / "my report.tex").read_text()


@pytest.mark.parametrize(
    ("content", "path", "message"),
    [
        (b"{}", "x.tex", "is not a result written by --json"),
        (b"\xff", "x.tex", "is not a result written by --json"),
        (None, "x.tex", "cannot read"),
        (b"{}", "x.docx", "ends in .html, .pdf or .tex"),
        (b"{}", "missing/x.tex", "cannot write"),
    ],
)
def test_main_names_bad_input_in_one_line(
    content: bytes | None, path: str, message: str, tmp_path: Path
) -> None:
    stored = tmp_path / "result.json"
    if content is not None:
        stored.write_bytes(content)
    done = run_main(stored, tmp_path / path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert message in done.stderr


@pytest.mark.parametrize(
    ("path", "style", "message"),
    [
        ("x.pdf", "fragment", "a fragment is LaTeX to be included and ends in .tex"),
        ("x.html", "short", "is a page, which unfolds: its style is full"),
        ("x.tex", "tiny", "invalid choice: 'tiny'"),
    ],
)
def test_main_refuses_a_style_that_a_report_cannot_have(
    path: str, style: str, message: str, tmp_path: Path
) -> None:
    (tmp_path / "result.json").write_bytes(to_json(invented.theorem_6_2()))
    done = run_main(tmp_path / "result.json", tmp_path / path, "--report-style", style)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert [found.name for found in tmp_path.iterdir()] == ["result.json"]


def test_main_without_arguments() -> None:
    done = run_main()
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1


@needs_latex
def test_latex_may_not_run_programs(tmp_path: Path) -> None:
    """A stored result may come from anybody."""
    target = tmp_path / "ran"
    steps = [invented.step(latex=rf"\immediate\write18{{touch {target}}} x")]
    write_report(invented.theorem("t", [invented.claim("t.c", steps=steps)]), tmp_path / "x.pdf")
    assert not target.exists()
    assert os.listdir(tmp_path) == ["x.pdf"]
