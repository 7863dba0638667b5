"""The data that are drawn are the result's numbers."""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import matplotlib as mpl
import msgspec
import numpy as np
import pytest
from matplotlib.axes import Axes

from proofs_check.engine.registry import load_all
from reports import figures
from reports.figures import draw, plots, to_pdf, to_png
from reports.figures.data import NoDataError, magnitudes
from reports.figures.style import power_of_ten
from reports.results import FigurePart, RunResult, Series, SimulationResult, TheoremResult, from_json, to_json
from tests.reports import invented


def line(axes: Axes, label: str) -> np.ndarray[Any, Any]:
    """The points of the line or error bars with this label."""
    lines = {str(found.get_label()): found for found in axes.lines}
    containers: Any = axes.containers
    bars = {str(found.get_label()): found.lines[0] for found in containers}
    return np.asarray((lines | bars)[label].get_xydata())


def log10s(cells: list[str]) -> list[float]:
    return [float(Decimal(cell).copy_abs().log10()) for cell in cells]


def test_minimiser_draws_the_enclosures(run_result: RunResult) -> None:
    weights, distances = draw(run_result.theorems, "minimiser").axes
    claim = invented.theorem_6_2().claim("minimiser_enclosure")
    rows = claim.series["alpha_T"].rows
    drawn = line(weights, "LCA, one parameter")
    assert list(drawn[:, 0]) == [row[0] for row in rows]
    for height, (_, lower, upper) in zip(drawn[:, 1], rows, strict=True):
        assert float(lower) <= height <= float(upper)
    levels = {round(float(np.asarray(found.get_ydata())[0]), 12) for found in weights.lines[-2:]}
    assert levels == {round(2 / 7, 12), 0.4}
    rate = invented.depth_minimax().claim("rate").series["rate"].rows
    assert np.allclose(line(distances, "first order")[:, 1], log10s([row[3] for row in rate]))
    (distances,) = draw([invented.depth_minimax()], "minimiser").axes
    drawn = line(distances, r"$|\alpha_T - \alpha^{\ast}|$")
    lower = np.array(log10s([row[2] for row in rate]))
    upper = np.array(log10s([row[1] for row in rate]))
    assert np.all((lower <= drawn[:, 1]) & (drawn[:, 1] <= upper))


def test_distance_without_a_rate_comes_from_the_enclosures() -> None:
    result = invented.theorem_6_2()
    _, distances = draw([result], "minimiser").axes
    rows = result.claim("minimiser_enclosure").series["alpha_T"].rows
    drawn = line(distances, r"$|\alpha_T - \alpha^{\ast}|$")
    for (depth, height), (T, lower, upper) in zip(drawn, rows, strict=True):
        ends = sorted(math.log10(2 / 7 - float(end)) for end in (lower, upper))
        assert depth == T
        assert ends[0] - 1e-6 <= height <= ends[1] + 1e-6


def test_excess_far_below_the_floats(run_result: RunResult) -> None:
    shallow, deep = draw(run_result.theorems, "excess").axes
    rows = invented.theorem_6_3().claim("critical_point_enclosure").series["excess"].rows
    assert float(rows[-1][1]) == 0.0
    drawn = line(deep, "LCA, two parameters")
    assert np.allclose(drawn[:, 1], log10s([row[1] for row in rows]), atol=1e-3)
    assert line(shallow, "LCA, two parameters")[-1, 0] == 16
    rows = invented.theorem_6_2().claim("bayes_optimal").series["excess"].rows
    bound = line(deep, r"$\mathbb{E}[s/\lambda]\,\kappa^{2T}$")
    assert np.allclose(bound[:, 1], log10s([row[3] for row in rows]))
    gap = math.log10(0.036675019199803048)
    assert math.isclose(line(deep, "single-layer LSA")[0, 1], gap, rel_tol=1e-12)
    floor = invented.skip_ablation().claim("floor_with_initial_embedding").series["floor"].rows
    assert np.allclose(line(deep, "no skip, $F^0 = X$")[:, 1], log10s([row[1] for row in floor]), atol=1e-6)


def test_excess_with_the_skip_stands_in_for_one_parameter() -> None:
    result = invented.skip_ablation()
    deep = draw([result], "excess").axes[-1]
    rows = result.claim("floor_with_initial_embedding").series["floor"].rows
    assert np.allclose(line(deep, "LCA, one parameter")[:, 1], log10s([row[3] for row in rows]))


def test_a_weight_a_layer_has_its_curve_and_its_residuals() -> None:
    """Where the excess is 0 there is nothing to draw on a logarithmic axis; zeros of r are left out."""
    result = invented.layerwise()
    (axes,) = draw([result], "excess").axes
    assert line(axes, "LCA, a weight a layer")[:, 0].tolist() == [1, 2]
    assert line(axes, "LCA, a weight a layer")[1, 1] == -40
    four, eight = draw([result], "residuals").axes
    assert (four.get_title(), eight.get_title()) == ("$T = 4$", "$T = 8$")
    drawn = line(eight, "LCA, a weight a layer")
    assert drawn[:, 0].tolist() == [0.0, 1.0, 4.5]
    assert np.allclose(drawn[:, 1], np.log10([1, 0.5 * 0.8**7, 1.25 * 0.1**7]))
    assert np.allclose(line(eight, "LCA, one parameter")[:, 0], [0, 1, 2, 4.5])
    with pytest.raises(NoDataError):
        draw([], "residuals")


def test_loss_plane_draws_orbits_and_the_minimum(run_result: RunResult) -> None:
    (axes,) = draw(run_result.theorems, "loss-plane").axes
    flow = invented.theorem_6_3().claim("flow_converges").series
    drawn = line(axes, "flow orbit")
    orbit = [row[1:] for row in flow["orbits"].rows if row[0] == 0]
    assert np.allclose(drawn, orbit)
    found = {str(found.get_label()): np.asarray(found.get_offsets()) for found in axes.collections}
    assert np.allclose(found["minimum"], [[0.29, -0.275]], atol=1e-8)
    assert np.allclose(found["saddle"], [[0, -0.55]])
    starts = {label: len(places) for label, places in found.items()}
    for outcome in ("converged", "escaped", "undecided"):
        count = sum(row[2] == outcome for row in flow["basin"].rows)
        assert starts[f"start: {outcome}"] == count > 0
    assert axes.get_title() == "$T = 2$"


def test_orbits_are_drawn_without_a_plane() -> None:
    result = invented.theorem("theorem_6_3", [invented.theorem_6_3().claim("flow_converges")])
    (axes,) = draw([result], "loss-plane").axes
    assert len(line(axes, "flow orbit")) == 60


def test_gap_family(run_result: RunResult) -> None:
    (axes,) = draw(run_result.theorems, "gap-family").axes
    rows = invented.theorem_4_1().claim("gap_family").series["gap_family"].rows
    drawn = line(axes, "single-layer LSA")
    assert np.allclose(drawn[:, 0], [row[0] for row in rows])
    assert np.all(
        (drawn[:, 1] >= [float(row[1]) for row in rows]) & (drawn[:, 1] <= [float(row[2]) for row in rows])
    )


def test_simulation(simulation_result: SimulationResult) -> None:
    figure = figures.simulation(simulation_result)
    assert [axes.get_title() for axes in figure.axes] == ["$d = 3 + 2$, $L = 50$", "$d = 3 + 2$, $L = 200$"]
    rows = [row for row in simulation_result.rows if row.context == 50 and row.model == "one_parameter"]
    drawn = line(figure.axes[0], "LCA, one parameter")
    assert [tuple(point) for point in drawn] == [
        (row.depth, row.excess.mean) for row in rows if row.excess.mean
    ]


NAMES = ["minimiser", "excess", "loss-plane", "gap-family"]


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_drawn_without_a_series(name: str) -> None:
    for result in (
        invented.theorem("t", [invented.claim("t.c")]),
        invented.theorem("theorem_6_2", [invented.claim("theorem_6_2.bayes_optimal")]),
        invented.theorem("theorem_4_1", [invented.theorem_4_1().claim("gap_positive")]),
    ):
        assert plots([result]) == []
        with pytest.raises(NoDataError):
            draw([result], name)


@pytest.mark.parametrize("name", NAMES)
def test_same_result_same_bytes(name: str, run_result: RunResult) -> None:
    (plot,) = [plot for plot in plots(run_result.theorems) if plot.name == name]
    first, second = (to_pdf(plot.draw()) for _ in range(2))
    assert first == second
    assert first.startswith(b"%PDF")
    assert b"CreationDate" not in first


def own(*parts: FigurePart, series: dict[str, Series], values: dict[str, Any] | None = None) -> TheoremResult:
    """A theorem of a user's own with its figures."""
    result = invented.theorem("own", [invented.claim("own.c", series=series, values=values or {})])
    return msgspec.structs.replace(result, figures=list(parts))


GROWTH = Series(["n", "low", "high", "fit"], [[n, 2**n - 0.5, 2**n + 0.5, 2**n] for n in range(1, 7)])


def test_a_users_own_figure() -> None:
    points = FigurePart(
        "growth", "own.c", "growth", "intervals", "n", ["low", "high"], label="counted", y_label="$2^n$"
    )
    fit = FigurePart(
        "growth", "own.c", "growth", "lines", "n", ["fit"], label="fitted", caption="It doubles."
    )
    limit = FigurePart("growth", "own.c", kind="level", y=["top"], label="at most", title="up to {top}")
    result = own(points, fit, limit, series={"growth": GROWTH}, values={"top": 64})
    (plot,) = plots([result])
    assert (plot.name, plot.claims, plot.caption) == ("growth", ["own.c"], "It doubles.")
    (axes,) = plot.draw().axes
    assert np.allclose(line(axes, "counted")[:, 1], [2**n for n in range(1, 7)])
    assert np.allclose(line(axes, "fitted")[:, 1], [2**n for n in range(1, 7)])
    assert (axes.get_xlabel(), axes.get_ylabel(), axes.get_title()) == ("n", "$2^n$", "up to 64")
    assert any(np.allclose(found.get_ydata(), 64) for found in axes.lines)


@pytest.mark.parametrize(("step", "whole"), [(1, True), (0.5, False)])
def test_whole_numbers_have_ticks_at_whole_numbers(step: float, whole: bool) -> None:
    few = Series(["n", "y"], [[n * step, n] for n in (1, 2, 3)])
    result = own(FigurePart("few", "own.c", "few", "lines", "n", ["y"]), series={"few": few})
    (axes,) = draw([result], "few").axes
    assert all(float(tick).is_integer() for tick in axes.get_xticks()) is whole


def test_a_users_curve_joins_the_shared_figure(run_result: RunResult) -> None:
    part = FigurePart("excess", "own.c", "mine", "lines", "T", ["excess"], scale="log", label="mine")
    mine = own(part, series={"mine": Series(["T", "excess"], [[1, "1e-3"], [2, "1e-400"]])})
    (plot,) = [plot for plot in plots([*run_result.theorems, mine]) if plot.name == "excess"]
    assert "own.c" in plot.claims
    assert np.allclose(line(plot.draw().axes[-1], "mine"), [[1, -3], [2, -400]])
    assert line(plot.draw().axes[-1], "LCA, two parameters").shape[0] > 2


def test_the_fullest_of_two_that_draw_one_quantity() -> None:
    short = Series(["T", "a"], [[1, 1], [2, 2]])
    long = Series(["T", "a"], [[1, 3], [2, 4], [3, 5]])
    parts = [
        FigurePart("f", "own.c", name, "lines", "T", ["a"], curve="q", label=name) for name in ("x", "y")
    ]
    (axes,) = draw([own(*parts, series={"x": short, "y": long})], "f").axes
    assert [str(found.get_label()) for found in axes.lines] == ["y"]
    (axes,) = draw([own(*parts, series={"x": long, "y": long})], "f").axes
    assert [str(found.get_label()) for found in axes.lines] == ["x"]


def test_a_result_stored_before_there_were_declarations_has_no_figures() -> None:
    stored = json.loads(to_json(invented.theorem_6_2()))
    del stored["figures"]
    assert plots([from_json(json.dumps(stored).encode())]) == []


def test_the_reports_name_no_claim() -> None:
    ids = {claim.id for theorem in load_all()[0] for claim in theorem.claims if "_" in claim.id}
    # A quantity may be called as its theorem is, in one word.
    names = {theorem.name for theorem in load_all()[0] if "_" in theorem.name}
    for file in Path(figures.__file__).parents[1].rglob("*.py"):
        words = set(re.findall(r"[a-z_0-9]+", file.read_text(encoding="utf-8")))
        if file.parent.name == "latex":
            words -= {"bayes_risk"}  # also a key of values
        assert words & (ids | names) == set(), file


def test_settings_of_matplotlib_are_left_alone(run_result: RunResult) -> None:
    with mpl.rc_context():
        mpl.rcdefaults()
        before = dict(mpl.rcParams)
        to_png(draw(run_result.theorems, "gap-family"))
        assert dict(mpl.rcParams) == before


def test_intervals_are_drawn_from_end_to_end() -> None:
    rows = [[1, "0.25", "0.26"], [2, "1e-400", "3e-400"], [4, "-1", "1"], [8, "-0.5", "-0.25"]]
    points = magnitudes(Series(["T", "lower", "upper"], rows), "T", "lower", "upper")
    assert points.x == [1, 2, 8]
    assert np.allclose(points.lower, [math.log10(0.25), -400, math.log10(0.25)])
    assert np.allclose(points.upper, [math.log10(0.26), -400 + math.log10(3), math.log10(0.5)])
    below, above = points.errors
    assert np.allclose(below, above)


def test_png(run_result: RunResult) -> None:
    assert to_png(draw(run_result.theorems, "gap-family")).startswith(b"\x89PNG")


def test_rows_with_nulls_are_left_out() -> None:
    rows = [[1, "0.1", "0.2"], [2, None, None], [4, "0.3", "0.4"]]
    part = FigurePart("f", "own.c", "s", "intervals", "x", ["low", "high"], label="l")
    (axes,) = draw([own(part, series={"s": Series(["x", "low", "high"], rows)})], "f").axes
    assert list(line(axes, "l")[:, 0]) == [1, 4]


def test_a_missing_column_is_an_error() -> None:
    part = FigurePart("f", "own.c", "s", "lines", "x", ["y"])
    with pytest.raises(NoDataError, match="y: x"):
        draw([own(part, series={"s": Series(["x"], [[1]])})], "f")


def test_powers_of_ten() -> None:
    assert power_of_ten(-970) == "$10^{-970}$"
    assert power_of_ten(-970.5) == r"$3.2 \times 10^{-971}$"


def test_the_user_s_settings_do_not_shine_through(run_result: RunResult) -> None:
    plain = to_png(draw(run_result.theorems, "gap-family"))
    hostile = {"text.usetex": True, "axes.grid": True, "savefig.bbox": "tight", "figure.facecolor": "red"}
    with mpl.rc_context(hostile):
        assert to_png(draw(run_result.theorems, "gap-family")) == plain
        assert mpl.rcParams["text.usetex"] is True


def test_an_unknown_backend_in_the_environment_is_no_matter(tmp_path: Path) -> None:
    script = "from reports.figures.style import style\nwith style(): import matplotlib.figure"
    settings = tmp_path / "matplotlibrc"
    settings.write_text("text.usetex: True\nnonsense: 3\n")
    environment = os.environ | {"MPLBACKEND": "nothing", "MATPLOTLIBRC": str(settings)}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
