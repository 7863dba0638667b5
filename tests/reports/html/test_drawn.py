"""Figures inside of a page."""

from __future__ import annotations

from xml.etree import ElementTree

from reports import figures
from reports.html.drawn import described, inline
from tests.reports import invented
from tests.reports.html.parsed import parse


def test_a_figure_is_described_by_its_numbers() -> None:
    text = described(figures.draw([invented.theorem_6_3()], "loss-plane"))
    assert "minimum, 1 point" in text
    assert "flow orbit" in text


def test_ids_of_two_figures_do_not_meet() -> None:
    plot = figures.plots([invented.theorem_6_2()])[0]
    both = f"<p>{inline(plot.draw(), 'one', '<b>')}{inline(plot.draw(), 'two', 'x')}</p>"
    root = ElementTree.fromstring(both)
    ids = [node.get("id") for node in root.iter() if node.get("id")]
    assert len(ids) == len(set(ids)) > 20
    uses = [node.get("href") for node in root.iter("use")]
    assert uses
    assert {use[1:] for use in uses if use} <= {*ids}
    assert parse(both.encode()).all("title")[0].text == "<b>"
    assert str(inline(plot.draw(), "one", "x")) == str(inline(plot.draw(), "one", "x"))
