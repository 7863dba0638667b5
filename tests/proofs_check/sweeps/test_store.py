import sqlite3
import subprocess
import sys
from dataclasses import replace

import pytest

from proofs_check.sweeps.store import Store, StoreError
from proofs_check.sweeps.tasks import Outcome, failed
from tests.proofs_check.sweeps import grids

DONE = Outcome(0, "verified", "", b"{}", 1.5)
REFUTED = Outcome(1, "refuted", "", b"[]", 2.5)
TASKS = grids.tasks(1, 2, 3)
ADDRESSES = [task.address for task in TASKS]


def kept(path):
    with Store.reading(path) as store:
        return {row.address: row.outcome for row in store.rows()}


def filled(path, outcomes, tasks=TASKS):
    with Store.writing(path) as store:
        store.plan("paced", tasks)
        store.add(zip(ADDRESSES, outcomes, strict=False))
    return path


def test_outcomes_are_kept_with_their_tasks_in_order(tmp_path):
    path = filled(tmp_path / "a ?#%.db", [DONE, failed("no\nluck")])
    with Store.reading(path) as store:
        rows = list(store.rows("paced"))
        assert store.sweeps() == ["paced"]
        assert store.addresses() == set(ADDRESSES[:2])
        assert store.addresses(with_failed=False) == set(ADDRESSES[:1])
    assert [row.address for row in rows] == ADDRESSES
    assert [row.state for row in rows] == ["done", "failed", "missing"]
    assert [row.options for row in rows] == [{"seed": "1"}, {"seed": "2"}, {"seed": "3"}]
    assert rows[0].outcome == DONE
    assert rows[1].outcome == failed("no luck")


def test_the_journal_is_the_rollback_journal_and_leaves_one_file(tmp_path):
    path = filled(tmp_path / "a.db", [DONE])
    assert [file.name for file in tmp_path.iterdir()] == ["a.db"]
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)


def test_a_failure_gives_way_and_a_result_stays(tmp_path):
    path = filled(tmp_path / "a.db", [failed("once")])
    assert kept(filled(path, [failed("twice")]))[ADDRESSES[0]] == failed("twice")
    assert kept(filled(path, [DONE]))[ADDRESSES[0]] == DONE
    assert kept(filled(path, [failed("late"), REFUTED]))[ADDRESSES[0]] == DONE


def test_of_several_outcomes_all_are_kept_or_none(tmp_path):
    path = filled(tmp_path / "a.db", [])
    with Store.writing(path) as store, pytest.raises(StoreError, match="NOT NULL"):
        store.add([(ADDRESSES[0], DONE), (ADDRESSES[1], Outcome(0, None, "", b"", 0.0))])
    assert kept(path) == dict.fromkeys(ADDRESSES)


def test_ctrl_c_while_writing_loses_that_and_no_more(tmp_path):
    def pressing():
        yield TASKS[0]
        raise KeyboardInterrupt

    path = filled(tmp_path / "a.db", [DONE])
    with Store.writing(path) as store:
        with pytest.raises(KeyboardInterrupt):
            store.plan("paced", pressing())
        assert kept(path) == dict(zip(ADDRESSES, [DONE, None, None], strict=True))
        store.add([(ADDRESSES[1], DONE)])
        store._connection.execute("COMMIT")
        store.add([(ADDRESSES[2], DONE)])
    assert kept(path) == dict.fromkeys(ADDRESSES, DONE)


def test_a_plan_is_replaced_and_outcomes_stay(tmp_path):
    path = filled(tmp_path / "a.db", [DONE, DONE])
    filled(path, [], tasks=TASKS[1:])
    assert kept(path) == {ADDRESSES[1]: DONE, ADDRESSES[2]: None}
    filled(path, [])
    assert kept(path)[ADDRESSES[0]] == DONE


def test_one_process_writes_and_readers_read_beside_it(tmp_path):
    path = tmp_path / "a.db"
    with Store.writing(path) as store:
        store.plan("paced", TASKS)
        script = f"from proofs_check.sweeps.store import Store; Store.writing({str(path)!r})"
        second = subprocess.run(
            [sys.executable, "-c", script], cwd=grids.ROOT, capture_output=True, text=True, check=False
        )
        assert "StoreError" in second.stderr
        assert "another process writes to it" in second.stderr
        with pytest.raises(StoreError, match="another process writes to it"):
            Store.writing(path)
        assert kept(path) == dict.fromkeys(ADDRESSES)
        store.add([(ADDRESSES[0], DONE)])
        assert kept(path)[ADDRESSES[0]] == DONE
    Store.writing(path).__exit__()


@pytest.mark.parametrize(
    ("statements", "why"),
    [
        (["CREATE TABLE t (x)"], "not a store"),
        (["PRAGMA application_id = 7"], "not a store"),
        (None, "not a database"),
    ],
)
def test_another_kind_of_file_is_refused_and_left_alone(tmp_path, statements, why):
    path = tmp_path / "other.db"
    if statements is None:
        path.write_bytes(b"text\n" * 300)
    else:
        with sqlite3.connect(path) as connection:
            connection.execute("CREATE TABLE u (x)")
            for statement in statements:
                connection.execute(statement)
        connection.close()
    before = path.read_bytes()
    for opened in (Store.reading, Store.writing):
        with pytest.raises(StoreError, match=why) as caught:
            opened(path)
        assert "\n" not in str(caught.value)
        assert "other.db" in str(caught.value)
    assert path.read_bytes() == before


def test_another_version_is_refused(tmp_path):
    path = filled(tmp_path / "a.db", [DONE])
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 2")
    connection.close()
    for opened in (Store.reading, Store.writing):
        with pytest.raises(StoreError, match="version 2, this is version 1"):
            opened(path)


def test_a_place_where_there_is_none_is_named(tmp_path):
    with pytest.raises(StoreError, match="no such file"):
        Store.reading(tmp_path / "a.db")
    with pytest.raises(StoreError, match=r"nowhere.*unable to open"):
        Store.writing(tmp_path / "nowhere" / "a.db")


def test_shards_come_together(tmp_path):
    first = filled(tmp_path / "1.db", [DONE, failed("here")])
    second = tmp_path / "2.db"
    with Store.writing(second) as store:
        store.plan("paced", TASKS)
        store.add([(ADDRESSES[1], REFUTED), (ADDRESSES[2], DONE)])
    for place, parts in (("a.db", [first, second]), ("b.db", [second, first])):
        with (
            Store.writing(tmp_path / place) as whole,
            Store.reading(parts[0]) as a,
            Store.reading(parts[1]) as b,
        ):
            whole.merge([a, b])
    expected = dict(zip(ADDRESSES, [DONE, REFUTED, DONE], strict=True))
    assert kept(tmp_path / "a.db") == kept(tmp_path / "b.db") == expected


def test_stores_of_other_plans_under_one_name_are_not_merged(tmp_path):
    first = filled(tmp_path / "1.db", [DONE])
    second = filled(tmp_path / "2.db", [], tasks=[replace(TASKS[0], address="other")])
    before = kept(first)
    with (
        Store.writing(first) as whole,
        Store.reading(second) as part,
        pytest.raises(StoreError, match=r"2\.db.*other tasks"),
    ):
        whole.merge([part])
    assert kept(first) == before
