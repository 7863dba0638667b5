"""The data that are drawn are the result's numbers."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reports import figures
from reports.figures import PLOTS, to_pdf, to_png
from reports.figures.data import NoDataError, magnitudes
from reports.figures.style import power_of_ten
from reports.results import RunResult, Series, SimulationResult, TheoremResult
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
    weights, distances = figures.minimiser(run_result.theorems).axes
    claim = invented.theorem_6_2().claim("minimiser_enclosure")
    rows = claim.series["alpha_T"].rows
    drawn = line(weights, "LCA, one parameter")
    assert list(drawn[:, 0]) == [row[0] for row in rows]
    for height, (_, lower, upper) in zip(drawn[:, 1], rows, strict=True):
        assert float(lower) <= height <= float(upper)
    levels = {round(float(np.asarray(found.get_ydata())[0]), 12) for found in weights.lines[-2:]}
    assert levels == {round(2 / 7, 12), 0.4}
    rate = invented.depth_minimax().claim("rate").series["rate"].rows
    drawn = line(distances, r"$|\alpha_T - \alpha^{\ast}|$")
    lower = np.array(log10s([row[2] for row in rate]))
    upper = np.array(log10s([row[1] for row in rate]))
    assert np.all((lower <= drawn[:, 1]) & (drawn[:, 1] <= upper))
    assert np.allclose(line(distances, "first order")[:, 1], log10s([row[3] for row in rate]))


def test_distance_without_a_rate_comes_from_the_enclosures() -> None:
    result = invented.theorem_6_2()
    _, distances = figures.minimiser([result]).axes
    rows = result.claim("minimiser_enclosure").series["alpha_T"].rows
    drawn = line(distances, r"$|\alpha_T - \alpha^{\ast}|$")
    for (depth, height), (T, lower, upper) in zip(drawn, rows, strict=True):
        ends = sorted(math.log10(2 / 7 - float(end)) for end in (lower, upper))
        assert depth == T
        assert ends[0] - 1e-6 <= height <= ends[1] + 1e-6


def test_excess_far_below_the_floats(run_result: RunResult) -> None:
    shallow, deep = figures.excess(run_result.theorems).axes
    rows = invented.theorem_6_3().claim("critical_point_enclosure").series["excess"].rows
    assert float(rows[-1][1]) == 0.0
    drawn = line(deep, "LCA, two parameters")
    assert np.allclose(drawn[:, 1], log10s([row[1] for row in rows]), atol=1e-3)
    assert line(shallow, "LCA, two parameters")[-1, 0] == figures.SHALLOW
    rows = invented.theorem_6_2().claim("bayes_optimal").series["excess"].rows
    bound = line(deep, r"$\mathbb{E}[s/\lambda]\,\kappa^{2T}$")
    assert np.allclose(bound[:, 1], log10s([row[3] for row in rows]))
    gap = math.log10(0.036675019199803048)
    assert math.isclose(line(deep, "single-layer LSA")[0, 1], gap, rel_tol=1e-12)
    floor = invented.skip_ablation().claim("floor_with_initial_embedding").series["floor"].rows
    assert np.allclose(line(deep, "no skip, $F^0 = X$")[:, 1], log10s([row[1] for row in floor]), atol=1e-6)


def test_excess_with_the_skip_stands_in_for_one_parameter() -> None:
    result = invented.skip_ablation()
    deep = figures.excess([result]).axes[-1]
    rows = result.claim("floor_with_initial_embedding").series["floor"].rows
    assert np.allclose(line(deep, "LCA, one parameter")[:, 1], log10s([row[3] for row in rows]))


def test_a_weight_a_layer_has_its_curve_and_its_residuals() -> None:
    """Where the excess is 0 there is nothing to draw on a logarithmic axis; zeros of r are left out."""
    result = invented.layerwise()
    (axes,) = figures.excess([result]).axes
    assert line(axes, "LCA, a weight a layer")[:, 0].tolist() == [1, 2]
    assert line(axes, "LCA, a weight a layer")[1, 1] == -40
    four, eight = figures.residuals([result]).axes
    assert (four.get_title(), eight.get_title()) == ("$T = 4$", "$T = 8$")
    drawn = line(eight, "LCA, a weight a layer")
    assert drawn[:, 0].tolist() == [0.0, 1.0, 4.5]
    assert np.allclose(drawn[:, 1], np.log10([1, 0.5 * 0.8**7, 1.25 * 0.1**7]))
    assert np.allclose(line(eight, "LCA, one parameter")[:, 0], [0, 1, 2, 4.5])
    with pytest.raises(NoDataError):
        figures.residuals([])


def test_loss_plane_draws_orbits_and_the_minimum(run_result: RunResult) -> None:
    (axes,) = figures.loss_plane(run_result.theorems).axes
    flow = invented.theorem_6_3().claim("flow_converges").series
    drawn = line(axes, "flow orbit")
    orbit = [row[1:] for row in flow["orbits"].rows if row[0] == 0]
    assert np.allclose(drawn, orbit)
    assert np.allclose(line(axes, "minimum"), [[0.29, -0.275]], atol=1e-8)
    starts = {str(found.get_label()): len(np.asarray(found.get_offsets())) for found in axes.collections}
    for outcome in ("converged", "escaped", "undecided"):
        count = sum(row[2] == outcome for row in flow["basin"].rows)
        assert starts[f"start: {outcome}"] == count > 0
    assert axes.get_title() == "$T = 2$"


def test_orbits_are_drawn_without_a_plane() -> None:
    result = invented.theorem("theorem_6_3", [invented.theorem_6_3().claim("flow_converges")])
    (axes,) = figures.loss_plane([result]).axes
    assert len(line(axes, "flow orbit")) == 60


def test_gap_family(run_result: RunResult) -> None:
    (axes,) = figures.gap_family(run_result.theorems).axes
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


@pytest.mark.parametrize("plot", PLOTS, ids=lambda plot: plot.name)
def test_nothing_is_drawn_without_a_series(plot: figures.Plot) -> None:
    result = invented.theorem("t", [invented.claim("t.c")])
    assert plot.present([result]) == []
    with pytest.raises(NoDataError):
        plot.draw([result])


@pytest.mark.parametrize("plot", PLOTS, ids=lambda plot: plot.name)
def test_same_result_same_bytes(plot: figures.Plot, run_result: RunResult) -> None:
    assert plot.present(run_result.theorems)
    first, second = (to_pdf(plot.draw(run_result.theorems)) for _ in range(2))
    assert first == second
    assert first.startswith(b"%PDF")
    assert b"CreationDate" not in first


def test_settings_of_matplotlib_are_left_alone(run_result: RunResult) -> None:
    with mpl.rc_context():
        mpl.rcdefaults()
        before = dict(mpl.rcParams)
        to_png(figures.gap_family(run_result.theorems))
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
    assert to_png(figures.gap_family(run_result.theorems)).startswith(b"\x89PNG")


def series_of(id: str, name: str, columns: list[str], rows: list[list[object]]) -> TheoremResult:
    return invented.theorem("t", [invented.claim(id, series={name: Series(columns, rows)})])


@pytest.mark.parametrize(
    ("draw", "label", "id", "name", "columns"),
    [
        (
            figures.minimiser,
            "LCA, one parameter",
            "theorem_6_2.minimiser_enclosure",
            "alpha_T",
            ["T", "lower", "upper"],
        ),
        (
            figures.gap_family,
            "single-layer LSA",
            "theorem_4_1.gap_family",
            "gap_family",
            ["parameter", "gap_lower", "gap_upper"],
        ),
    ],
)
def test_rows_with_nulls_are_left_out(
    draw: Callable[[list[TheoremResult]], Figure], label: str, id: str, name: str, columns: list[str]
) -> None:
    result = series_of(id, name, columns, [[1, "0.1", "0.2"], [2, None, None], [4, "0.3", "0.4"]])
    axes = draw([result]).axes[0]
    assert list(line(axes, label)[:, 0]) == [1, 4]


def test_a_missing_column_is_an_error() -> None:
    result = series_of("theorem_4_1.gap_family", "gap_family", ["parameter", "gap"], [[1, 2]])
    with pytest.raises(NoDataError, match="gap_lower"):
        figures.gap_family([result])


def test_powers_of_ten() -> None:
    assert power_of_ten(-970) == "$10^{-970}$"
    assert power_of_ten(-970.5) == r"$3.2 \times 10^{-971}$"


def test_the_user_s_settings_do_not_shine_through(run_result: RunResult) -> None:
    plain = to_png(figures.gap_family(run_result.theorems))
    hostile = {"text.usetex": True, "axes.grid": True, "savefig.bbox": "tight", "figure.facecolor": "red"}
    with mpl.rc_context(hostile):
        assert to_png(figures.gap_family(run_result.theorems)) == plain
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
