"""The notebook runs, and shows what it has kept."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests import tour

pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")
LARGEST = 1_000_000
MEASURED = re.compile(r"\d+\.\d+(e-?\d+)?")
DIGITS = 6
"""To which floats agree that no one machine computes to the last bit."""


def printed(notebook: Any) -> list[list[str]]:
    """What each cell shows: of a picture that it is one, else the text."""
    return [[_shown(output) for output in cell.get("outputs", [])] for cell in notebook.cells]


def _shown(output: Any) -> str:
    data = output.get("data", {})
    return "a picture" if "image/png" in data else str(output.get("text", data.get("text/plain", "")))


def rounded(cells: list[list[str]]) -> list[list[str]]:
    return [
        [MEASURED.sub(lambda number: f"{float(number[0]):.{DIGITS}g}", text) for text in cell]
        for cell in cells
    ]


@pytest.fixture(scope="module")
def again(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Path]:
    """The notebook run once more, and the folder in which that was."""
    folder = tmp_path_factory.mktemp("tour")
    return tour.run(folder), folder


def test_a_run_shows_what_is_kept(again: tuple[Any, Path]) -> None:
    notebook, folder = again
    kept = rounded(printed(tour.read()))
    assert rounded(printed(notebook)) == kept, "if it should: python -m tests.tour"
    assert [file.name for file in folder.iterdir()] == ["report.html"]


def test_a_changed_number_would_be_seen() -> None:
    kept = tour.read()
    cell = next(cell for cell in kept.cells if "T0" in cell.source)
    cell.outputs[0]["data"]["text/plain"] = cell.outputs[0]["data"]["text/plain"].replace("17", "18")
    assert rounded(printed(kept)) != rounded(printed(tour.read()))


def test_it_is_small_and_of_no_machine() -> None:
    document = tour.NOTEBOOK.read_text(encoding="utf-8")
    assert len(document) < LARGEST
    assert not re.search(r"/home/|/root/|/tmp/|/work/|/Users/|C:\\\\|File \"|Traceback|WARNING", document)
    assert json.loads(document)["metadata"]["language_info"] == {"name": "python"}


def test_the_picture_of_the_readme_is_one_of_it() -> None:
    assert tour.PICTURE.read_bytes() == tour.picture(tour.read())


def test_every_cell_has_been_run_in_its_order_and_without_errors() -> None:
    cells = [cell for cell in tour.read().cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    assert not [output for cell in cells for output in cell.outputs if output.output_type == "error"]
    streams = [output for cell in cells for output in cell.outputs if output.output_type == "stream"]
    assert {stream.name for stream in streams} == {"stdout"}


def test_what_is_to_be_typeset_is(again: tuple[Any, Path]) -> None:
    outputs = [output for cell in again[0].cells for output in cell.get("outputs", [])]
    assert any("<math" in output.get("data", {}).get("text/html", "") for output in outputs)
    assert sum("image/png" in output.get("data", {}) for output in outputs) >= 5
