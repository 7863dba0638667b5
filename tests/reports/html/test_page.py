"""Pages: whole, linked, harmless, and all of the result in them."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path

import msgspec
import pytest

from proofs_check.command_line.commands import main
from proofs_check.engine.registry import theorem_names
from reports import files, write
from reports.html import page
from reports.results import RunResult, SimulationResult, TheoremResult, Verdict, from_json, to_json
from reports.text.summary import command_text, short_id, word
from tests.reports import invented
from tests.reports.html.parsed import Node, faults, parse

HOSTILE = (
    """</style><script>alert(1)</script>]]>"'`$x<img src=x onerror=alert(1)>$"""
    r"""{{7*7}}$\href{javascript:alert(1)}{x}$"""
)
KEPT = {"schema", "verdict", "kind", "by", "decided_by", "id", "claim", "needs", "uses", "figures", "series"}
"""Keys of what is read as a kind, or a name by which parts of a result find one another."""
NUMBER = re.compile(r"-?[\d./]+(e-?\d+)?")


def sound(document: bytes) -> Node:
    root = parse(document)
    assert faults(root) == []
    return root


def shown(verdict: Verdict) -> str:
    """A verdict as one sees it: no colour is needed to tell it."""
    mark = {"verified": "✓", "refuted": "✗", "inconclusive": "?", "not_applicable": "–"}[verdict]
    return f"{mark} {word(verdict)}"


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `all` leaves behind: result.json and report.html."""
    folder = tmp_path_factory.mktemp("all")
    words = ["all", "--json", str(folder / "result.json"), "--report", str(folder / "report.html"), "--quiet"]
    assert main(words) == 0
    return folder


@pytest.fixture(scope="module")
def run_of_all(stored: Path) -> RunResult:
    result = from_json((stored / "result.json").read_bytes())
    assert isinstance(result, RunResult)
    return result


@pytest.fixture(scope="module")
def page_of_all(stored: Path) -> Node:
    return sound((stored / "report.html").read_bytes())


def test_a_stored_result_gives_the_page_of_the_run(stored: Path, run_of_all: RunResult) -> None:
    assert (stored / "report.html").read_bytes() == page(run_of_all)


def test_invented_results_have_sound_pages(any_result: TheoremResult) -> None:
    sound(page(any_result))


def test_every_claim_of_a_run_is_in_the_page(run_of_all: RunResult, page_of_all: Node) -> None:
    rows = page_of_all.by_id("claims").all("tr")
    for theorem in run_of_all.theorems:
        section = page_of_all.by_id(theorem.theorem)
        for claim in theorem.claims:
            (article,) = section.all("article", id=claim.id)
            assert article.attributes["data-verdict"] == claim.verdict
            assert article.all("h4")[0].text == f"{short_id(claim.id)} {shown(claim.verdict)}"
            (row,) = (row for row in rows if row.all("a", href=f"#{claim.id}"))
            assert row.attributes["data-verdict"] == claim.verdict
            assert row.attributes["data-kind"] == (claim.kind or "")
            assert [cell.text for cell in row.all("td")][:2] == [claim.id, shown(claim.verdict)]
            leads = {node.attributes["href"] for node in article.all("a")}
            assert leads >= {f"#{theorem.theorem}-{need}" for need in claim.needs}
            assert leads >= {f"#{used}" for used in claim.uses}
        for variant in theorem.false_variants:
            (twin,) = section.by_id(variant.claim).all("dt", id=f"variant-{variant.id}")
            assert twin.text == f"{short_id(variant.id)} {shown(variant.verdict)}"


def test_every_formula_of_a_run_is_mathml(page_of_all: Node) -> None:
    assert page_of_all.all("code", cls="unread") == []
    assert len(page_of_all.all("math")) > 1000
    words = page_of_all.all("header")[0].text + page_of_all.all("main")[0].text
    assert re.findall(r".{0,20}\\[A-Za-z].{0,20}", words) == []


def test_every_figure_of_a_run_says_what_is_seen(page_of_all: Node) -> None:
    drawn = [found for found in page_of_all.all("figure") if found.attributes["id"].startswith("figure-")]
    assert len(drawn) >= 5
    for figure in drawn:
        (svg,) = figure.all("svg")
        assert svg.attributes["role"] == "img"
        assert svg.all("title")[0].text.startswith("Figure ")
        assert " against " in svg.all("desc")[0].text
        claims = [link.attributes["href"][1:] for link in figure.all("figcaption")[0].all("a")]
        assert claims
        for claim in claims:
            assert len(page_of_all.by_id(claim).all("a", href=f"#{figure.attributes['id']}")) == 1
    excess = page_of_all.by_id("figure-excess").all("desc")[0].text
    assert re.search(r"LCA, one parameter, 6 points, from 3.\d × 10⁻² at 1 to 1.3 × 10⁻⁹⁷ at 128", excess), (
        excess
    )


def test_how_to_reproduce(run_of_all: RunResult, page_of_all: Node) -> None:
    box = page_of_all.by_id("reproduce")
    assert box.all("pre")[0].text == "python -m proofs_check all --quiet"
    assert f"sympy {run_of_all.environment.packages['sympy']}" in box.text
    assert [field.text for field in box.all("dd")][1] == "0"


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["all", "--json", "/home/me/x.json", "--jobs", "2"], "all --jobs 2"),
        (["theorem_6_2", "--report=/home/me/x.html", "--norm", "point(2)"], "theorem_6_2 --norm 'point(2)'"),
        (["simulate", "--plot", "--csv"], "simulate"),
        (["all", "--report", "x.pdf", "--report-style", "short"], "all"),
    ],
)
def test_the_command_is_without_the_files_that_it_wrote(words: list[str], text: str) -> None:
    assert command_text(words) == f"python -m proofs_check {text}"


def hostile(value: object) -> object:
    """A result with every text replaced that is no number, save under KEPT."""
    if isinstance(value, dict):
        return {key: item if key in KEPT else hostile(item) for key, item in value.items()}
    if isinstance(value, list):
        return [hostile(item) for item in value]
    return HOSTILE if isinstance(value, str) and not NUMBER.fullmatch(value) else value


@pytest.mark.parametrize("make", [invented.theorem_6_2, invented.odd, invented.simulation])
def test_a_text_of_a_stored_result_is_no_more_than_text(make: object) -> None:
    assert callable(make)
    changed = msgspec.json.encode(hostile(msgspec.json.decode(to_json(make()))))
    root = sound(page(from_json(changed)))
    assert "</style><script>alert(1)</script>]]>\"'`" in root.all("main")[0].text
    assert root.all("img") == []
    assert "49" not in root.all("header")[0].text
    (script,) = root.all("script")
    assert "alert" not in script.text


def test_an_id_is_no_markup() -> None:
    claims = [invented.claim('t.a" onclick="alert(1)'), invented.claim("t.b c")]
    root = sound(page(invented.theorem("t", claims)))
    assert root.all("article", id="t.b-c")
    assert "onclick" in root.by_id("claims").text


def test_a_file_name_is_text_everywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    name = Path("<script>alert(1)</script>]]>'$x$ & <br></style>.csv")
    name.parent.mkdir(parents=True)
    name.write_text("no<b>rm,other\n1,2\n2,3\n4,5\n", encoding="utf-8")
    law = f'empirical("{name}", column="no<b>rm")'
    words = ["theorem_6_2", "--squared-norm", law, "--depth", "1,2", "--report", "x.html", "--quiet"]
    assert main(words) == 0
    root = sound(Path("x.html").read_bytes())
    assert str(name) in root.by_id("reproduce").text
    assert "no<b>rm" in root.all("header")[0].text
    assert hashlib.sha256(name.read_bytes()).hexdigest() in root.by_id("reproduce").text


def test_the_browser_is_told_to_fetch_nothing_and_run_one_script(one_parameter_result: TheoremResult) -> None:
    root = sound(page(one_parameter_result))
    policy = next(node.attributes["content"] for node in root.all("meta") if "http-equiv" in node.attributes)
    assert policy.startswith("default-src 'none';")
    (script,) = root.all("script")
    (source,) = script.content
    assert isinstance(source, str)
    digest = base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy
    assert "unsafe" not in policy.replace("style-src 'unsafe-inline'", "")


def test_a_simulation_has_its_page(simulation_result: SimulationResult) -> None:
    root = sound(page(simulation_result))
    assert "interrupted before the end" in root.text
    assert sum(len(table.all("tr")) - 1 for table in root.all("table")) == len(simulation_result.rows)


def test_a_result_of_before_has_its_page() -> None:
    """One without the keys that were added: no grounds, no arguments, no figures."""
    document = msgspec.json.decode(to_json(invented.theorem_6_2()))
    for claim in document["claims"]:
        for key in ("needs", "uses", "universal", "provenance", "summary", "decided_by"):
            del claim[key]
    del document["figures"]
    root = sound(page(from_json(msgspec.json.encode(document))))
    assert root.all("article", id="theorem_6_2.bayes_optimal")


@pytest.mark.parametrize("name", theorem_names())
def test_a_theorem_that_does_not_apply(name: str, tmp_path: Path) -> None:
    path = tmp_path / "x.HTML"
    assert main([name, "--squared-norm", "point(0)", "--report", str(path), "--quiet"]) == 4
    root = sound(path.read_bytes())
    assert shown(Verdict.NOT_APPLICABLE) in root.all("header")[0].text


def test_a_refuted_candidate_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "x.html"
    words = [
        "theorem_6_2",
        "--claim",
        "limit",
        "--claim",
        "candidate",
        "--candidate",
        "1/4",
        "--report",
        str(path),
        "--quiet",
    ]
    assert main(words) == 1
    root = sound(path.read_bytes())
    assert root.by_id("theorem_6_2.candidate").attributes["data-verdict"] == "refuted"
    assert root.by_id("theorem_6_2.limit").attributes["data-verdict"] == "verified"


def test_a_page_that_cannot_be_written_is_a_failed_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> None:
        raise files.OutputError("cannot write x.html: No space left on device")

    monkeypatch.setattr(write, "write_whole", fail)
    path = tmp_path / "x.html"
    assert main(["theorem_6_2", "--claim", "limit", "--report", str(path), "--quiet"]) == 5
    assert capsys.readouterr().err == "error: --report: cannot write x.html: No space left on device\n"
    assert not path.exists()


def test_faults_are_seen() -> None:
    wrong = (
        "<p id=a><a href='#b' onclick=x></a></p><p id=a></p><i style='background:url(http://x)'></i>"
        "<i aria-labelledby=c></i><iframe></iframe><style></style><script></script><script></script>"
    )
    assert len(faults(parse(wrong.encode()))) == 7
    for broken in (b"<p><b></p>", b"<p>", b"<p a=1 a=2></p>"):
        with pytest.raises(AssertionError):
            parse(broken)
