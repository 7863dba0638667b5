"""Files are written whole or not at all."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from reports.files import OutputError, check_writable, write_together, write_whole
from tests.waiting import PATIENCE


def test_replaces_a_file_and_leaves_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    path.write_bytes(b"old")
    check_writable(path)
    assert path.read_bytes() == b"old"
    write_whole(path, b"new")
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


def test_new_file_gets_the_permissions_of_the_umask(tmp_path: Path) -> None:
    write_whole(tmp_path / "by_us", b"")
    (tmp_path / "by_open").touch()
    ours, theirs = ((tmp_path / name).stat().st_mode for name in ("by_us", "by_open"))
    assert ours == theirs


def test_permissions_of_an_old_file_stay(tmp_path: Path) -> None:
    path = tmp_path / "shared"
    path.touch()
    path.chmod(0o664)
    write_whole(path, b"x")
    assert stat.S_IMODE(path.stat().st_mode) == 0o664


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"old")
    link.symlink_to(target)
    write_whole(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


@pytest.mark.parametrize("failing", ["fsync", "replace"])
def test_a_failed_write_leaves_the_old_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    def fail(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    path = tmp_path / "result.json"
    path.write_bytes(b"old")
    monkeypatch.setattr(f"reports.files.os.{failing}", fail)
    with pytest.raises(OutputError, match=r"result\.json: No space left"):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_together_means_all_or_none(tmp_path: Path) -> None:
    first = tmp_path / "first"
    first.write_bytes(b"old")
    with pytest.raises(OutputError, match="missing"):
        write_together({first: b"new", tmp_path / "missing" / "second": b"new"})
    assert first.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [first]


@pytest.mark.parametrize("action", [check_writable, lambda path: write_whole(path, b"x")])
def test_unwritable_paths_are_named_in_one_line(tmp_path: Path, action: object) -> None:
    assert callable(action)
    for path in (tmp_path, tmp_path / "missing" / "x", tmp_path / "new\nline" / "x"):
        with pytest.raises(OutputError) as caught:
            action(path)
        message = str(caught.value)
        assert "\n" not in message
        assert path.name.encode("unicode_escape").decode() in message


def test_a_read_only_file_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Root may write anything, so the answer of the system is made up."""
    path = tmp_path / "kept"
    path.write_bytes(b"old")
    monkeypatch.setattr("reports.files.os.access", lambda path, mode: False)
    with pytest.raises(OutputError, match="kept: Permission denied"):
        check_writable(path)
    with pytest.raises(OutputError, match="kept: Permission denied"):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"


def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    received: list[bytes] = []
    reader = threading.Thread(target=lambda: received.append(pipe.read_bytes()))
    reader.start()
    check_writable(pipe)
    write_whole(pipe, b"through")
    reader.join(timeout=PATIENCE)
    assert received == [b"through"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_standard_output_by_its_path(tmp_path: Path) -> None:
    """/dev/stdout may be a file with earlier output; a rename would cut it off from its reader."""
    code = (
        "import sys; from reports.files import write_whole; print('before', flush=True);"
        "write_whole('/dev/stdout', b'data\\n')"
    )
    target = tmp_path / "out"
    with target.open("wb") as stream:
        subprocess.run([sys.executable, "-c", code], stdout=stream, check=True)
    assert target.read_text() == "before\ndata\n"
    piped = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert piped.stdout == "before\ndata\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_device_leaves_the_files_beside_it_as_they_were(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    path.write_text("old")
    with pytest.raises(OutputError, match="/dev/full"):
        write_together({path: b"new", "/dev/full": b"new"})
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_links_in_a_circle_are_one_line(tmp_path: Path) -> None:
    path = tmp_path / "circle"
    path.symlink_to(path)
    with pytest.raises(OutputError, match="circle"):
        check_writable(path)
    with pytest.raises(OutputError, match="circle"):
        write_whole(path, b"new")
