"""`reports.plot` and `reports.save`: a result becomes a figure or a file."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

import reports
from reports import tables
from reports.figures import to_png
from reports.files import OutputError
from reports.latex import typeset
from reports.results import (
    FalseVariantResult,
    RunResult,
    SimulationResult,
    TheoremResult,
    Verdict,
    from_json,
    to_json,
)
from tests.reports import invented

PNG = b"\x89PNG"


def test_a_figure_by_name_and_the_first_without(run_result: RunResult) -> None:
    result = invented.theorem_6_2()
    first = reports.plot(result)
    assert [axes.get_ylabel() for axes in first.axes] == [
        axes.get_ylabel() for axes in reports.plot(result, "minimiser").axes
    ]
    together = reports.plot(run_result, "excess")
    alone = reports.plot(run_result["theorem_6_2"], "excess")
    assert len(together.axes[0].lines) > len(alone.axes[0].lines)
    assert len(reports.plot(run_result.theorems, "excess").axes[0].lines) == len(together.axes[0].lines)


def test_a_simulation_is_drawn(simulation_result: SimulationResult) -> None:
    assert reports.plot(simulation_result).axes


def test_a_figure_without_data_names_those_there_are() -> None:
    with pytest.raises(ValueError, match="no figure 'los'; there are: minimiser, excess"):
        reports.plot(invented.theorem_6_2(), "los")
    with pytest.raises(ValueError, match="no figure None; there are: none"):
        reports.plot(invented.theorem("theorem_9", []))


def test_a_claim_is_neither_drawn_nor_saved(tmp_path: Path) -> None:
    claim = invented.claim("theorem_6_2.limit")
    with pytest.raises(TypeError, match=r"theorem_6_2\.limit is a part of a result; give the whole"):
        reports.plot(claim)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="give the whole"):
        reports.save(claim, tmp_path / "claim.json")  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


def test_a_notebook_shows_a_figure_with_twice_as_many_dots_as_it_is_wide() -> None:
    data, metadata = reports.plot(invented.theorem_6_2())._repr_png_()  # type: ignore[attr-defined]
    assert data.startswith(PNG)
    assert abs(2 * metadata["width"] - int.from_bytes(data[16:20])) <= 1


def test_whoever_draws_a_figure_draws_it_in_its_own_style() -> None:
    buffer = io.BytesIO()
    reports.plot(invented.theorem_6_2()).savefig(buffer, format="png", dpi=200, metadata={"Software": None})
    assert buffer.getvalue() == to_png(reports.plot(invented.theorem_6_2()))


def test_a_fresh_kernel_shows_a_figure(tmp_path: Path) -> None:
    """Without pyplot and its inline backend: IPython asks the figure itself."""
    pytest.importorskip("IPython")
    (tmp_path / "result.json").write_bytes(to_json(invented.theorem_6_2()))
    code = (
        "import reports, sys; from reports.results import from_json; "
        "from IPython.core.interactiveshell import InteractiveShell; "
        f"figure = reports.plot(from_json(open({str(tmp_path / 'result.json')!r}, 'rb').read())); "
        "shown, about = InteractiveShell().display_formatter.format(figure); "
        "print('matplotlib.pyplot' in sys.modules, sorted(shown), sorted(about['image/png']))"
    )
    finished = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert finished.stdout.split("\n")[-2] == "False ['image/png', 'text/plain'] ['width']"


def test_an_explanation_has_the_statements_and_the_proofs(run_result: RunResult) -> None:
    claim = msgspec.structs.replace(invented.claim("theorem_6_2.limit"), proof="By $\\alpha$.\n\n    x = 1")
    twin = FalseVariantResult("theorem_6_2.twin", claim.id, "$0 = 1$", "point(2)", Verdict.REFUTED, {})
    result = invented.theorem("theorem_6_2", [claim], variants=[twin])
    alone, whole = repr(reports.explain(claim)), str(reports.explain(result))
    for part in (
        "theorem_6_2.limit",
        "for all T ≥ T₀",
        "for the law at hand: verified (enclosure)",
        "By α.",
        "x = 1",
    ):
        assert part in alone
        assert part in whole
    assert "False, and refuted by the same code:\n       twin  0 = 1" in whole
    assert "Not proved here" in whole
    every = repr(reports.explain(run_result))
    assert all(each.id in every for theorem in run_result.theorems for each in theorem.claims)


@pytest.mark.parametrize("thing", [3, "theorem_6_2", None])
def test_what_is_no_result_is_not_explained(thing: object) -> None:
    with pytest.raises(TypeError, match="is no result"):
        reports.explain(thing)  # type: ignore[arg-type]


def test_a_notebook_shows_an_explanation_unfolded(any_result: TheoremResult) -> None:
    folded, unfolded = (shown._repr_html_() for shown in (any_result, reports.explain(any_result)))
    assert unfolded.count("<details open>") == len(any_result.claims)
    assert folded.replace("<details>", "<details open>") == unfolded


def test_what_is_saved_is_read_again(tmp_path: Path, any_result: TheoremResult) -> None:
    place = reports.save(any_result, tmp_path / "result.JSON")
    assert to_json(from_json(place.read_bytes())) == to_json(any_result)


def test_numbers_are_saved_for_a_spreadsheet(tmp_path: Path, simulation_result: SimulationResult) -> None:
    result = invented.theorem_6_2()
    assert reports.save(result, tmp_path / "result.csv").read_bytes() == tables.to_csv(result)
    rows = reports.save(simulation_result, tmp_path / "rows.csv").read_text(encoding="utf-8").splitlines()
    assert len(rows) == 1 + len(simulation_result.rows)


def test_a_report_is_saved_as_its_ending_says(tmp_path: Path) -> None:
    place = reports.save(invented.theorem_6_2(), str(tmp_path / "report.tex"))
    assert place == tmp_path / "report.tex"
    assert place.read_text(encoding="utf-8").startswith("\\documentclass")
    with pytest.raises(OutputError, match=r"report\.docx"):
        reports.save(invented.theorem_6_2(), tmp_path / "report.docx")
    short = reports.save(invented.theorem_6_2(), tmp_path / "short.tex", style="short")
    assert 0 < short.stat().st_size < place.stat().st_size
    for path, style in (("page.html", "short"), ("report.pdf", "fragment"), ("report.tex", "shrt")):
        with pytest.raises(OutputError, match=style if style != "short" else "its style is full"):
            reports.save(invented.theorem_6_2(), tmp_path / path, style=style)
    with pytest.raises(OutputError, match="nowhere"):
        reports.save(invented.theorem_6_2(), tmp_path / "nowhere" / "result.json")


def test_without_latex_it_says_what_it_wrote_instead(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(typeset, "engine", lambda: None)
    with pytest.warns(UserWarning, match="no LaTeX found: wrote .*report.tex"):
        place = reports.save(invented.theorem_6_2(), tmp_path / "report.pdf")
    assert place == tmp_path / "report.tex"
    assert place.exists()
