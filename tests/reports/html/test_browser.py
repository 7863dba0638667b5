"""Pages in Chromium: nothing goes wrong, the filter works, formulas are laid out, everybody can use them.

Debian's Chromium, driven by Playwright; the rules are those of axe.  Where one of them is missing these tests
are skipped; .ci/run sees to it that on a CI server none is.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from proofs_check.command_line.commands import main
from reports.results import from_json
from reports.write import write_report

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
PAGES = ["all", "candidate", "not-applicable", "simulation", "sweep"]
SWEEP = """
name = "limits"
command = "theorem_6_2"
[values]
squared-norm = ["uniform(1, 4)", "atoms({1: 1/3, 4: 2/3})"]
epsilon = ["1/10", "1/100"]
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium, which Playwright starts without its sandbox: there is none for root."""
    pytest.importorskip("playwright", reason="needs Playwright (requirements-ci.lock)")
    pytest.importorskip("axe_playwright_python", reason="needs axe (requirements-ci.lock)")
    if CHROMIUM is None:
        pytest.skip("needs Chromium (Debian: chromium)")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM)
        yield started
        started.close()


@pytest.fixture(scope="module")
def pages(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A page of each kind, made by the command line."""
    folder = tmp_path_factory.mktemp("pages")
    path = {name: folder / f"{name}.html" for name in PAGES}
    quiet = ["--quiet", "--report"]
    assert main(["all", *quiet, str(path["all"])]) == 0
    assert main(["theorem_6_2", "--candidate", "1/4", *quiet, str(path["candidate"])]) == 1
    assert main(["theorem_6_3", "--squared-norm", "point(0)", *quiet, str(path["not-applicable"])]) == 4
    words = ["--prompts", "200", "--depth", "1,2,4", "--context", "50,100", "--json"]
    assert main(["simulate", *words, str(folder / "simulation.json")]) == 0
    write_report(from_json((folder / "simulation.json").read_bytes()), path["simulation"])
    (folder / "plan.toml").write_text(SWEEP)
    store = str(folder / "results.db")
    assert main(["sweep", "run", str(folder / "plan.toml"), "--store", store, "--quiet"]) == 0
    assert main(["sweep", "report", store, str(path["sweep"])]) == 0
    return path


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A new tab, whose complaints are a failure; no network to fall back on."""
    context = browser.new_context(viewport={"width": 1200, "height": 900})
    context.set_default_timeout(120_000)
    opened = context.new_page()
    complaints: list[str] = []
    opened.on("console", lambda message: complaints.append(message.text))
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.on("requestfailed", lambda request: complaints.append(request.url))
    asked: list[str] = []
    opened.on("request", lambda request: asked.append(request.url))
    yield opened
    context.close()
    assert complaints == []
    assert [url for url in asked if not url.startswith(("file:", "data:image/png"))] == []


def unfold(page: Page) -> None:
    page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")


def visible_rows(page: Page) -> int:
    return page.locator("table.claims tbody tr:visible").count()


@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_wider_than_the_window(page: Page, pages: dict[str, Path], name: str) -> None:
    page.goto(pages[name].as_uri())
    unfold(page)
    for width in (1200, 800, 400):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize(
    ("name", "scheme"), [*((name, "light") for name in PAGES), ("candidate", "dark"), ("simulation", "dark")]
)
def test_everybody_can_use_it(page: Page, pages: dict[str, Path], name: str, scheme: Any) -> None:
    from axe_playwright_python.sync_playwright import Axe

    page.emulate_media(color_scheme=scheme)
    page.goto(pages[name].as_uri())
    unfold(page)
    part = {"include": [["header"], ["#claims"]]} if name == "all" else None
    found = Axe().run(page, part, {"resultTypes": ["violations"]}).response["violations"]
    grave = [fault for fault in found if fault["impact"] in {"serious", "critical"}]
    assert [(fault["id"], fault["nodes"][0]["html"]) for fault in grave] == []


def test_claims_are_filtered(page: Page, pages: dict[str, Path]) -> None:
    page.goto(pages["all"].as_uri())
    everything = visible_rows(page)
    assert page.locator("output").inner_text() == f"{everything} of {everything} claims"
    page.locator("select[name=theorem]").select_option("theorem_6_2")
    some = visible_rows(page)
    assert 0 < some < everything
    assert page.locator("article:visible").count() == some
    assert page.locator("section.theorem:visible").count() == 1
    page.locator("select[name=kind]").select_option("symbolic")
    assert 0 < visible_rows(page) < some
    assert page.locator("output").inner_text() == f"{visible_rows(page)} of {everything} claims"
    page.get_by_role("button", name="Show all").click()
    page.wait_for_function(f"document.querySelector('output').textContent.startsWith('{everything} ')")
    page.locator("select[name=verdict]").select_option("not_applicable")
    assert set(page.locator("article:visible h4 .verdict").all_inner_texts()) == {"– not applicable"}


def test_a_link_unfolds_and_unfilters_its_claim(page: Page, pages: dict[str, Path]) -> None:
    page.goto(f"{pages['all'].as_uri()}#theorem_6_3.limit")
    article = page.locator("[id='theorem_6_3.limit']")
    page.wait_for_function("document.getElementById('theorem_6_3.limit').querySelector('details').open")
    page.locator("select[name=theorem]").select_option("theorem_6_2")
    assert not article.is_visible()
    page.evaluate("location.hash = 'theorem_6_3.bayes_optimal'")
    page.wait_for_function("!document.getElementById('theorem_6_3.bayes_optimal').hidden")
    assert article.is_visible()
    assert page.locator("[id='theorem_6_3.bayes_optimal']").evaluate("x => x.querySelector('details').open")


def test_a_claim_unfolds_by_keyboard(page: Page, pages: dict[str, Path]) -> None:
    page.goto(pages["candidate"].as_uri())
    summary = page.locator("[id='theorem_6_2.candidate'] summary")
    summary.focus()
    steps = page.locator("[id='theorem_6_2.candidate'] .steps")
    assert not steps.is_visible()
    page.keyboard.press("Enter")
    assert steps.is_visible()
    page.keyboard.press("Space")
    assert not steps.is_visible()


def test_everything_unfolds_and_folds(page: Page, pages: dict[str, Path]) -> None:
    page.goto(pages["candidate"].as_uri())
    count = page.locator("details").count()
    button = page.get_by_role("button", name="Unfold or fold all")
    button.click()
    assert page.locator("details[open]").count() == count > 5
    button.click()
    assert page.locator("details[open]").count() == 0


def test_formulas_are_laid_out(page: Page, pages: dict[str, Path]) -> None:
    """A fraction has its parts above one another, a power stands above its base, in MathML's own layout."""
    page.goto(pages["all"].as_uri())
    unfold(page)
    heights = page.evaluate(
        """() => [...document.querySelectorAll("mfrac")].map((fraction) => {
          const [above, below] = [...fraction.children].map((part) => part.getBoundingClientRect());
          return [above.height, below.height, below.top - above.bottom];
        })"""
    )
    assert len(heights) > 100
    assert all(above > 0 and below > 0 and gap > -1 for above, below, gap in heights)
    powers = page.evaluate(
        """() => [...document.querySelectorAll("msup")].map((power) => {
          const [base, raised] = [...power.children].map((part) => part.getBoundingClientRect());
          return [raised.left - base.left, base.bottom - raised.bottom];
        })"""
    )
    assert len(powers) > 100
    assert all(right > 0 and up > 0 for right, up in powers)


def test_without_scripts_all_is_there(browser: Browser, pages: dict[str, Path]) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(pages["all"].as_uri())
    assert not page.locator("form.filter").is_visible()
    assert page.locator("table.claims tbody tr:visible").count() > 40
    assert page.locator("article:visible").count() > 40
    context.close()


def test_it_prints_with_everything_unfolded(page: Page, pages: dict[str, Path], tmp_path: Path) -> None:
    page.goto(pages["candidate"].as_uri())
    folded = page.pdf()
    assert folded.startswith(b"%PDF")
    assert page.locator("details[open]").count() == 0
    unfold(page)
    assert len(page.pdf()) == pytest.approx(len(folded), rel=0.1)


def test_a_file_name_does_not_run(page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    name = Path("<img src=x onerror=document.title='ran'>.csv")
    name.write_text("norm\n1\n2\n4\n", encoding="utf-8")
    law = f'empirical("{name}", column="norm")'
    words = ["theorem_6_2", "--squared-norm", law, "--depth", "1,2", "--report", "x.html", "--quiet"]
    assert main(words) == 0
    page.goto((tmp_path / "x.html").as_uri())
    assert "onerror" in page.locator("header").inner_text()
    assert page.title() != "ran"
    assert page.locator("img").count() == 0
