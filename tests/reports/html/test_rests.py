"""What rests on what: whole, in layers, without shortcuts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from reports.html.rests import Picture, _layers, _untangle, grounds, picture, without_shortcuts
from reports.results import HypothesisResult, TheoremResult
from tests.reports import invented


def theorem(uses: dict[str, Sequence[str]], assumptions: Sequence[str] = ()) -> TheoremResult:
    """Claims that use claims and need hypotheses, whose names begin with h."""
    claims = [
        msgspec.structs.replace(
            invented.claim(f"t.{name}"),
            needs=[key for key in under if key.startswith("h")],
            uses=[f"t.{key}" for key in under if not key.startswith("h")],
        )
        for name, under in uses.items()
    ]
    needed = dict.fromkeys(key for under in uses.values() for key in under if key.startswith("h"))
    hypotheses = [HypothesisResult(key, "x", key != "h0", "") for key in needed]
    made = invented.theorem("t", claims, hypotheses=hypotheses)
    return msgspec.structs.replace(made, assumptions=list(assumptions))


def drawn(uses: dict[str, Sequence[str]], assumptions: Sequence[str] = ()) -> Picture:
    found = picture(theorem(uses, assumptions))
    assert found is not None
    return found


def test_a_claim_is_right_of_what_it_rests_on() -> None:
    found = drawn({"a": ["h1"], "b": ["a", "h0"], "c": ["b", "h1"]})
    left = {box.label: box.x for box in found.boxes}
    assert left["h1"] < left["a"] == left["h0"] < left["b"] < left["c"]
    looks = {box.label: box.look for box in found.boxes}
    assert (looks["h0"], looks["h1"], looks["a"]) == ("fails", "ground", "verified")
    assert [box.target for box in found.boxes if box.label in {"h1", "c"}] == ["t-h1", "t.c"]
    assert "c rests on b." in found.sentences


def test_what_follows_from_others_is_left_out() -> None:
    direct = without_shortcuts(
        grounds(theorem({"a": ["h1"], "b": ["a", "h1"], "c": ["a", "b", "h1", "h2"]}, "x"))
    )
    assert direct == {"t.a": ["standing assumptions", "h1"], "t.b": ["t.a"], "t.c": ["h2", "t.b"]}


def test_nothing_rests_on_nothing() -> None:
    assert picture(theorem({"a": [], "b": []})) is None


def test_a_circle_in_a_stored_result_is_no_endless_work() -> None:
    assert [box.label for box in drawn({"a": ["b", "a"], "b": ["a"]}).boxes] == ["a", "b"]


names = st.lists(st.sampled_from(["h1", "h2", "h3", *"abcdef"]), max_size=4, unique=True)


@given(st.fixed_dictionaries(dict.fromkeys("abcdef", names)))
def test_boxes_lie_apart_and_inside(uses: dict[str, list[str]]) -> None:
    found = picture(theorem(uses, "x"))
    assert found is not None
    assert len(found.boxes) == len({box.label for box in found.boxes})
    for box in found.boxes:
        assert box.x > 0
        assert box.x + box.width < found.width
        assert 12 <= box.y <= found.height - 12
    for one, other in combinations(found.boxes, 2):
        apart = one.x + one.width < other.x or other.x + other.width < one.x
        assert apart or abs(one.y - other.y) >= 24


def crossings(columns: Sequence[Sequence[str]], edges: Sequence[tuple[str, str]]) -> int:
    place = {key: (at, row) for at, column in enumerate(columns) for row, key in enumerate(column)}
    return sum(
        place[a][0] == place[c][0] and (place[a][1] - place[c][1]) * (place[b][1] - place[d][1]) < 0
        for (a, b), (c, d) in combinations(edges, 2)
    )


def test_neighbours_pull_one_another_to_their_height() -> None:
    columns, edges = _layers({"a": ["h1"], "b": ["h2"], "c": ["b"], "d": ["a"], "e": ["h2", "d"]})
    tangled = crossings(columns, edges)
    _untangle(columns, edges)
    assert crossings(columns, edges) < tangled
