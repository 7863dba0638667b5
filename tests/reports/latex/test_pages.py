"""What a reader has: the pages of a PDF in each style, their text, fonts and properties."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from msgspec.structs import replace

from reports.files import OutputError
from reports.latex import document
from reports.latex.document import report
from reports.latex.references import REFERENCES, references
from reports.results import Result, RunResult
from reports.write import FRAGMENT, STYLES, check_style, write_report
from tests.reports import invented

TOOLS = ("pdflatex", "pdftotext", "pdfinfo", "pdffonts")
needs_tex = pytest.mark.skipif(
    any(shutil.which(tool) is None for tool in TOOLS), reason=f"needs {', '.join(TOOLS)}"
)


def asked(*command: str | Path) -> str:
    """What one of the tools prints."""
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout


@pytest.fixture(scope="module", params=["full", "short", "simulation"])
def pdf(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The PDF of all invented theorems, in two styles, and of an invented simulation."""
    path = tmp_path_factory.mktemp("pages") / f"{request.param}.pdf"
    if request.param == "simulation":
        write_report(invented.simulation(), path)
    else:
        write_report(invented.run_of_all(), path, request.param)
    return path


@needs_tex
def test_no_font_is_of_type_3_and_all_are_embedded(pdf: Path) -> None:
    fonts = asked("pdffonts", pdf).splitlines()[2:]
    assert fonts
    assert not [font for font in fonts if "Type 3" in font or not re.search(r"\byes (yes|no)\b", font)]


@needs_tex
def test_a_negative_number_has_a_minus_sign(pdf: Path) -> None:
    text = asked("pdftotext", "-layout", pdf, "-")
    assert re.findall(r"(?<!\S)-\d.*", text) == []
    if pdf.stem == "full":
        # The ticks of a figure.
        assert "\N{MINUS SIGN}0.8" in text


@needs_tex
def test_the_pdf_says_what_it_is_and_when_is_not_said(pdf: Path) -> None:
    properties = dict(line.split(":", 1) for line in asked("pdfinfo", pdf).splitlines())
    title = {"simulation": "Excess risk of the architectures on sampled prompts"}.get(
        pdf.stem, "All theorems"
    )
    assert properties["Title"].strip() == title
    assert properties["Author"].strip() == "proofs-check"
    assert "report" in properties["Subject"]
    assert not [name for name in properties if "Date" in name]


@needs_tex
def test_a_report_stands_alone(pdf: Path) -> None:
    text = asked("pdftotext", "-layout", pdf, "-")
    assert "Setting and notation" in text
    assert "Barnfield" in text.partition("References")[2]
    assert ("Contents" in text) == (pdf.stem != "simulation")
    assert "?" not in text.replace("What?", "")


@needs_tex
def test_short_has_no_steps_and_takes_two_pages_a_theorem_at_most(
    run_result: RunResult, tmp_path: Path
) -> None:
    write_report(run_result, tmp_path / "x.pdf", "short")
    pages = asked("pdftotext", "-layout", tmp_path / "x.pdf", "-").split("\f")
    assert not [page for page in pages if "Checked" in page]
    starts = contents(pages[0])
    assert len(starts) == len(run_result.theorems) + 1
    assert max(after - start for start, after in zip(starts, [*starts[1:], len(pages) - 1], strict=True)) <= 2


def contents(page: str) -> list[int]:
    """The pages on which sections begin."""
    listed = page.partition("Contents")[2].partition("Setting and notation\n\n")[0]
    return [int(found) for found in re.findall(r"^\s*\d+\s+\S.*\s(\d+)$", listed, re.MULTILINE)]


@needs_tex
@pytest.mark.parametrize("result", [invented.run_of_all(), invented.odd(), invented.simulation()])
def test_a_fragment_compiles_in_a_paper_with_the_packages_that_it_names(
    result: Result, tmp_path: Path
) -> None:
    write_report(result, tmp_path / "found.tex", FRAGMENT)
    fragment = (tmp_path / "found.tex").read_text()
    packages = "".join(re.findall(r"^%\s*(\\usepackage.*)", fragment, re.MULTILINE))
    assert packages
    assert not re.search(r"^[^%]*\\(documentclass|usepackage|begin\{document\})", fragment, re.MULTILINE)
    body = r"\newcommand{\verdict}{mine}\begin{document}\input{found}\verdict\end{document}"
    (tmp_path / "paper.tex").write_text(rf"\documentclass{{article}}{packages}{body}")
    for _ in range(2):
        command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, timeout=60)
    assert "mine" in asked("pdftotext", tmp_path / "paper.pdf", "-")


def test_a_fragment_without_one_of_its_packages_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document, "PACKAGES", ("{amsmath}",))
    tex = report(invented.odd(), style=FRAGMENT).tex
    assert re.findall(r"\\usepackage(.*)", tex) == ["{amsmath}"]


@pytest.mark.parametrize("style", STYLES)
def test_which_endings_a_style_has(style: str) -> None:
    refused = []
    for ending in ("tex", "pdf", "html"):
        try:
            check_style(f"x.{ending}", style)
        except OutputError:
            refused.append(ending)
    assert refused == {"full": [], "short": ["html"], "fragment": ["pdf", "html"]}[style]


def test_a_work_is_listed_where_the_text_has_its_words() -> None:
    always = [work.key for work in references("")]
    assert always == [work.key for work in REFERENCES if not work.words]
    assert [work.key for work in references("by Isserlis' rule")] == [*always, "isserlis"]


def test_a_figure_without_a_caption_says_what_it_draws() -> None:
    result = invented.theorem_6_2()
    bare = [replace(part, caption="", heading="") for part in result.figures]
    text = report(replace(result, figures=bare)).tex
    assert r"Drawn from \texttt{theorem" in text
    assert "Drawn from" not in report(result).tex
