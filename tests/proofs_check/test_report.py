"""Reports of real runs: every theorem's own, and the one of `all`, as LaTeX and as PDF."""

from __future__ import annotations

import re
import shutil
import subprocess
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from matplotlib.axes import Axes

from proofs_check.command_line.commands import main
from proofs_check.engine.registry import theorem_names
from reports import figures
from reports.latex import typeset
from reports.latex.document import Report, report
from reports.results import ClaimResult, RunResult, Series, SimulationResult, TheoremResult, from_json
from reports.text import summary
from reports.text.numbers import log10, middle
from reports.write import write_report

THEOREMS = theorem_names()
FEW_LINES = 10
"""A page with no more has lost its text to others."""
needs_tex = pytest.mark.skipif(
    shutil.which("pdflatex") is None or shutil.which("pdftotext") is None,
    reason="needs pdflatex and pdftotext (Debian: texlive-latex-recommended, lmodern, poppler-utils)",
)


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `all --report` leaves behind: result.json, report.tex and its figures."""
    folder = tmp_path_factory.mktemp("all")
    words = ["all", "--json", str(folder / "result.json"), "--report", str(folder / "report.tex")]
    assert main([*words, "--quiet"]) == 0
    return folder


@pytest.fixture(scope="module")
def run_of_all(stored: Path) -> RunResult:
    result = from_json((stored / "result.json").read_bytes())
    assert isinstance(result, RunResult)
    assert [theorem.theorem for theorem in result.theorems] == THEOREMS
    return result


@pytest.fixture(params=THEOREMS)
def theorem(request: pytest.FixtureRequest, run_of_all: RunResult) -> TheoremResult:
    """Each theorem's result in turn."""
    return next(found for found in run_of_all.theorems if found.theorem == request.param)


def typeset_text(made: Report, folder: Path) -> tuple[str, str]:
    """Text of the PDF and LaTeX's log."""
    for path, data in {"report.tex": made.tex.encode("ascii"), **made.figures}.items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_bytes(data)
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "report.tex"]
    for _ in range(3):
        subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=60)
    subprocess.run(["pdftotext", "-layout", "report.pdf"], cwd=folder, check=True, timeout=60)
    return (folder / "report.txt").read_text(), (folder / "report.log").read_text(encoding="latin-1")


def complaints(log: str) -> list[str]:
    """Errors, warnings of LaTeX, and boxes that stick out by more than 5 pt."""
    wide = [found for found in re.findall(r"Overfull \\[hv]box \(([\d.]+)pt", log) if float(found) > 5]
    warnings = re.findall(r"^(?:LaTeX|Package \w+) Warning.*", log, re.MULTILINE)
    return [*re.findall(r"^!.*", log, re.MULTILINE), *re.findall(r".*undefined.*", log), *warnings, *wide]


def in_words(id: str) -> str:
    """The name of a claim as the text of a PDF has it."""
    short = summary.short_id(id).replace("_", " ")
    return short[:1].upper() + short[1:]


def listed(claim: ClaimResult, text: str) -> bool:
    """Whether the table of claims has the name with the verdict beside it."""
    verdict = summary.word(claim.verdict)
    row = rf"^\s*{re.escape(in_words(claim.id))}\s\s+(paper|package)\s\s+{verdict}\b"
    return re.search(row, text, re.MULTILINE) is not None


def headed(claim: ClaimResult, text: str) -> bool:
    """Whether a heading has the name, the verdict and the id."""
    parts = (in_words(claim.id), summary.word(claim.verdict), claim.id)
    return re.search(r"\s\s+".join(map(re.escape, parts)), text) is not None


@needs_tex
def test_every_claim_and_verdict_is_in_the_pdf(theorem: TheoremResult, tmp_path: Path) -> None:
    text, log = typeset_text(report(theorem), tmp_path)
    assert complaints(log) == []
    for claim in theorem.claims:
        assert listed(claim, text), claim.id
        assert headed(claim, text), claim.id
    for variant in theorem.false_variants:
        assert all(word in text for word in in_words(variant.id).split())


@needs_tex
def test_report_of_all(run_of_all: RunResult, tmp_path: Path) -> None:
    text, log = typeset_text(report(run_of_all), tmp_path)
    assert complaints(log) == []
    for found in run_of_all.theorems:
        for claim in found.claims:
            assert listed(claim, text), claim.id
            assert headed(claim, text), claim.id
    assert "??" not in text
    assert not re.search(r"\(\*+\)|\b1 ranges|\d characters\)|(?<!\S)-\d", text)
    assert str(tmp_path) not in text
    *pages, last, end = text.split("\f")
    assert (bool(last.strip()), end) == (True, "")
    lines = [len([line for line in page.splitlines() if line.strip()]) for page in pages]
    assert min(lines) > FEW_LINES


@needs_tex
@pytest.mark.parametrize("name", ["theorem_6_2", "layerwise"])
def test_short_takes_two_pages_a_theorem_at_most(name: str, run_of_all: RunResult, tmp_path: Path) -> None:
    """With title and setting on one and a half before it, and the references after it."""
    (alone,) = (found for found in run_of_all.theorems if found.theorem == name)
    text, log = typeset_text(report(alone, style="short"), tmp_path)
    assert complaints(log) == []
    assert "Checked" not in text
    *pages, after = text.split("\f")
    assert after == ""
    assert len(pages) <= 4


def test_a_wrong_verdict_and_a_missing_claim_are_seen(run_of_all: RunResult) -> None:
    claim = run_of_all.theorems[0].claims[0]
    row = f"  {in_words(claim.id)}     paper    verified    symbolic\n"
    heading = f"{in_words(claim.id)}   verified         {claim.id}\n"
    assert listed(claim, row)
    assert headed(claim, heading)
    assert not listed(claim, row.replace("verified", "refuted"))
    assert not listed(claim, heading)
    assert not headed(claim, heading.replace("verified", "refuted"))
    assert complaints("LaTeX Warning: Reference `x' on page 1\nOverfull \\hbox (5.1pt too wide)") == [
        "LaTeX Warning: Reference `x' on page 1",
        "5.1",
    ]


def test_no_raw_latex_and_no_lone_number(theorem: TheoremResult) -> None:
    """Commands never stand in the text as words, and no formula is a single number."""
    made = report(theorem)
    # Coq writes /\ for "and".
    assert r"\textbackslash" not in re.sub(r"\\begin\{coq\}.*?\\end\{coq\}", "", made.tex, flags=re.DOTALL)
    assert not re.search(r"\\formula\{\s*-?\d*\s*\}", made.tex)
    assert not re.search(r"\d\.0\b(?!\.)", re.sub(r"(Versions &|pdfauthor=).*", "", made.tex))


def test_command_line_and_stored_result_give_the_same_bytes(stored: Path, tmp_path: Path) -> None:
    result = from_json((stored / "result.json").read_bytes())
    write_report(result, tmp_path / "report.tex")
    assert (tmp_path / "report.tex").read_bytes() == (stored / "report.tex").read_bytes()
    here, there = (sorted(folder.glob("report-figures/*")) for folder in (tmp_path, stored))
    assert [path.name for path in here] == [path.name for path in there]
    assert [path.read_bytes() for path in here] == [path.read_bytes() for path in there]


def curve(axes: Axes, label: str) -> np.ndarray:
    """The points drawn under this label."""
    bars = [bar.lines[0] for bar in axes.containers if bar.get_label() == label and hasattr(bar, "lines")]
    lines = [line for line in axes.lines if line.get_label() == label]
    (found,) = [*bars, *lines]
    return np.asarray(found.get_xydata())


def table(result: RunResult, id: str, name: str) -> Series:
    theorem = next(found for found in result.theorems if found.theorem == id.partition(".")[0])
    return theorem.claim(id).series[name]


def logs(cells: list[str]) -> list[float]:
    return [log10(abs(Decimal(cell))) for cell in cells]


def test_minimiser_figure_has_the_results_numbers(run_of_all: RunResult) -> None:
    weights, distances = figures.draw(run_of_all.theorems, "minimiser").axes
    drawn = curve(weights, "LCA, one parameter")
    rows = table(run_of_all, "theorem_6_2.minimiser_enclosure", "alpha_T").rows
    assert [point[0] for point in drawn] == [row[0] for row in rows]
    for (_, height), (_, lower, upper) in zip(drawn, rows, strict=True):
        assert abs(height - float((Decimal(lower) + Decimal(upper)) / 2)) <= 1e-15
    rows = table(run_of_all, "depth_minimax.rate", "rate").rows
    drawn = curve(distances, "first order")
    assert np.allclose(drawn[:, 1], logs([row[3] for row in rows]), rtol=1e-12)
    drawn = curve(distances, r"$|\alpha_T - \alpha^{\ast}|$")
    below, above = (np.sort([logs([row[1]]) + logs([row[2]]) for row in rows])[:, k] for k in (0, 1))
    assert np.all((below - 1e-12 <= drawn[:, 1]) & (drawn[:, 1] <= above + 1e-12))


def test_excess_figure_has_the_results_numbers(run_of_all: RunResult) -> None:
    axes = figures.draw(run_of_all.theorems, "excess").axes[-1]
    for label, id, name in [
        ("LCA, one parameter", "theorem_6_2.bayes_optimal", "excess"),
        ("LCA, two parameters", "theorem_6_3.critical_point_enclosure", "excess"),
        ("no skip, $F^0 = X$", "skip_ablation.floor_with_initial_embedding", "floor"),
    ]:
        rows, drawn = table(run_of_all, id, name).rows, curve(axes, label)
        assert [point[0] for point in drawn] == [row[0] for row in rows]
        for (_, height), row in zip(drawn, rows, strict=True):
            low, high = logs(row[1:3])
            assert low - 1e-12 <= height <= high + 1e-12
    gap = (
        next(t for t in run_of_all.theorems if t.theorem == "theorem_4_1").claim("gap_positive").values["gap"]
    )
    centre = middle(gap)
    assert centre is not None
    assert curve(axes, "single-layer LSA")[0, 1] == pytest.approx(log10(centre), rel=1e-12)


def test_gap_figure_has_the_results_numbers(run_of_all: RunResult) -> None:
    (axes,) = figures.draw(run_of_all.theorems, "gap-family").axes
    rows = table(run_of_all, "theorem_4_1.gap_family", "gap_family").rows
    drawn = curve(axes, "single-layer LSA")
    assert drawn.shape == (len(rows), 2)
    for (x, y), (parameter, lower, upper) in zip(drawn, rows, strict=True):
        assert x == float(middle(parameter) or 0)
        assert float(lower) - 1e-15 <= y <= float(upper) + 1e-15


def test_plane_figure_has_the_results_numbers(run_of_all: RunResult) -> None:
    (axes,) = figures.draw(run_of_all.theorems, "loss-plane").axes
    claim = next(t for t in run_of_all.theorems if t.theorem == "theorem_6_3").claim(
        "critical_point_enclosure"
    )
    depth = claim.values["loss_plane_depth"]
    (point,) = [point for point in claim.values["points"] if point["T"] == depth]
    expected = [float(middle(point[key]) or 0) for key in ("alpha", "beta")]
    (star,) = [found for found in axes.collections if found.get_label() == "minimum"]
    assert np.asarray(star.get_offsets())[0] == pytest.approx(expected, abs=1e-15)
    orbits = table(run_of_all, "theorem_6_3.flow_converges", "orbits").rows
    first = [row[1:] for row in orbits if row[0] == orbits[0][0]]
    assert np.allclose(curve(axes, "flow orbit"), np.array(first, dtype=float))


def test_without_tex_the_exit_code_is_the_verdicts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(typeset, "engine", lambda: None)
    words = ["theorem_6_2", "--claim", "limit", "--report", str(tmp_path / "report.pdf"), "--quiet"]
    assert main(words) == 0
    captured = capsys.readouterr()
    assert "install TeX Live" in captured.err
    assert "is verified for" in captured.out
    assert [path.name for path in tmp_path.iterdir()] == ["report.tex"]
    assert main([*words, "--squared-norm", "chi2(5)"]) == 4
    assert main([*words, "--candidate", "1/4", "--claim", "candidate"]) == 1


def test_a_document_that_cannot_be_typeset_is_a_failed_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> bytes:
        raise typeset.TypesettingError("pdflatex failed: ! no such luck")

    monkeypatch.setattr(typeset, "engine", lambda: "pdflatex")
    monkeypatch.setattr(typeset, "to_pdf", fail)
    target = tmp_path / "report.pdf"
    assert (
        main(["theorem_6_2", "--claim", "limit", "--report", str(target), "--json", str(tmp_path / "r.json")])
        == 5
    )
    captured = capsys.readouterr()
    assert "pdflatex failed: ! no such luck" in captured.err
    assert "Traceback" not in captured.err
    assert "is verified for" in captured.out
    assert [path.name for path in tmp_path.iterdir()] == ["r.json"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--report-style", "short"], "give --report PATH as well"),
        (
            ["--report-style", "fragment", "--report", "x.pdf"],
            "a fragment is LaTeX to be included and ends in .tex",
        ),
        (["--report-style", "short", "--report", "x.html"], "its style is full"),
        (["--report-style", "tiny", "--report", "x.tex"], "one of full, short, fragment"),
    ],
)
def test_a_style_that_the_report_cannot_have_is_bad_usage(
    words: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    placed = [str(tmp_path / word) if word.startswith("x.") else word for word in words]
    assert main(["theorem_6_2", "--claim", "limit", *placed]) == 2
    found = capsys.readouterr().err
    assert message in found
    assert found.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_the_style_asked_for_is_written(tmp_path: Path) -> None:
    words = ["theorem_6_2", "--claim", "limit", "--quiet", "--report", str(tmp_path / "x.tex")]
    assert main([*words, "--report-style", "fragment"]) == 0
    written = (tmp_path / "x.tex").read_text()
    assert written.startswith("% For \\input into a paper: theorem\\_6\\_2\n")
    assert r"\documentclass" not in written


@pytest.fixture(scope="module")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> SimulationResult:
    """A small simulation, stored."""
    path = tmp_path_factory.mktemp("simulation") / "result.json"
    sizes = ["--prompts", "200", "--depth", "1,2,4", "--context", "50,100"]
    assert main(["simulate", *sizes, "--json", str(path)]) == 0
    result = from_json(path.read_bytes())
    assert isinstance(result, SimulationResult)
    return result


def test_simulation_figure_has_the_results_numbers(simulated: SimulationResult) -> None:
    axes = figures.simulation(simulated).axes[0]
    rows = [row for row in simulated.rows if row.context == 50 and row.model == "no_skip"]
    theory = [(row.depth, row.theory) for row in rows]
    assert any(np.array_equal(line.get_xydata(), theory) for line in axes.lines)
    means = [(row.depth, row.excess.mean) for row in rows if not row.heavy_tailed]
    medians = [(row.depth, row.median) for row in rows if row.heavy_tailed]
    assert means or medians
    for points in filter(None, (means, medians)):
        assert any(np.array_equal(line.get_xydata(), points) for line in axes.lines)


@needs_tex
def test_report_of_a_simulation(simulated: SimulationResult, tmp_path: Path) -> None:
    text, log = typeset_text(report(simulated), tmp_path)
    assert complaints(log) == []
    for row in simulated.rows:
        assert row.model.replace("_", " ") in text.lower()
    assert text.count("one parameter") >= 6
