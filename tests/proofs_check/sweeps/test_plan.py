import pytest

from proofs_check.engine.context import UsageError
from proofs_check.sweeps.plan import load_plan, read_plan, read_shard
from proofs_check.sweeps.tasks import shard_of

AXES = {"a": [1, 2], "b": [3, 4]}


def points(combine, axes):
    return [tuple(point.values()) for point in read_plan({"command": "x", "combine": combine}).points(axes)]


def test_a_product_has_every_combination_the_last_option_running_fastest():
    assert points("product", AXES) == [(1, 3), (1, 4), (2, 3), (2, 4)]
    assert points("product", {}) == [()]


def test_zip_takes_first_values_together_and_repeats_what_has_one():
    assert points("zip", AXES | {"c": [5]}) == [(1, 3, 5), (2, 4, 5)]
    assert points("zip", {}) == [()]


def test_zip_refuses_unequal_lengths():
    with pytest.raises(UsageError, match="a has 2, b has 3"):
        points("zip", {"a": [1, 2], "b": [1, 2, 3]})


def test_a_product_beyond_all_bounds_is_refused_before_it_is_made():
    with pytest.raises(UsageError, match="at most"):
        points("product", {str(i): list(range(100)) for i in range(9)})


@pytest.mark.parametrize(
    ("document", "named"),
    [
        ({}, "command"),
        ({"command": []}, "command"),
        ({"command": [1]}, "command"),
        ({"command": ["a", "a"]}, "twice"),
        ({"command": "a", "combine": "sum"}, "combine"),
        ({"command": "a", "values": [1]}, "values"),
        ({"command": "a", "name": ""}, "name"),
        ({"command": "a", "name": 3}, "name"),
        ({"command": "a", "epsilon": 1}, "'epsilon'"),
    ],
)
def test_a_plan_that_is_none_is_refused_in_a_line(document, named):
    with pytest.raises(UsageError, match=named) as caught:
        read_plan(document)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["name = ", "\x00", 'command = "a"\ncombine = 3'])
def test_a_file_that_is_no_plan_is_named(tmp_path, text):
    path = tmp_path / "plan.toml"
    path.write_text(text)
    with pytest.raises(UsageError, match=r"plan\.toml"):
        load_plan(path)
    with pytest.raises(UsageError, match=r"other\.toml.*No such file"):
        load_plan(tmp_path / "other.toml")


def test_a_plan_is_read(tmp_path):
    path = tmp_path / "plan.toml"
    path.write_text('name = "n"\ncommand = ["a", "b"]\ncombine = "zip"\n[values]\nepsilon = ["1/10"]\n')
    plan = load_plan(path)
    assert (plan.name, plan.commands, plan.combine) == ("n", ("a", "b"), "zip")
    assert plan.values == {"epsilon": ["1/10"]}


@pytest.mark.parametrize("text", ["3", "0/3", "4/3", "-1/3", "a/b", "1/0", "", "/", "1/2/3", "²/3"])
def test_a_shard_that_is_none_is_refused(text):
    with pytest.raises(UsageError, match="--shard"):
        read_shard(text)


@pytest.mark.parametrize("parts", [1, 2, 3, 10, 12])
def test_shards_are_disjoint_and_together_the_whole(parts):
    found = [shard_of(range(10), read_shard(f"{part}/{parts}")) for part in range(1, parts + 1)]
    assert sorted(item for shard in found for item in shard) == list(range(10))
