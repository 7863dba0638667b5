import io
import sys
import time

import pytest

from proofs_check.progress import TerminalProgress


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def terminal(monkeypatch):
    shown = Terminal()
    monkeypatch.setattr(sys, "stderr", shown)
    monkeypatch.setenv("TERM", "xterm")
    return shown


def test_short_work_shows_nothing(terminal):
    with TerminalProgress(delay=60) as progress:
        assert list(progress.track("abc", "letters")) == ["a", "b", "c"]
    assert terminal.getvalue() == ""


def test_long_work_shows_every_loop_under_way(terminal):
    with TerminalProgress(delay=0.01) as progress:
        for letter in progress.track("ab", "letters"):
            for _ in progress.track(iter(range(3)), f"numbers of {letter}", total=3):
                time.sleep(0.2)
    text = terminal.getvalue()
    assert all(word in text for word in ("letters", "numbers of a", "numbers of b", "%"))


def test_work_that_fails_leaves_no_bar_behind(terminal):
    with TerminalProgress(delay=0.01) as progress:
        with pytest.raises(ZeroDivisionError):
            for number in progress.track([1, 0], "divisions"):
                time.sleep(0.3)
                1 // number
        terminal.truncate(0)
        for _ in progress.track([1], "the rest"):
            time.sleep(0.3)
    assert "the rest" in terminal.getvalue()
    assert "divisions" not in terminal.getvalue()


def test_nothing_is_shown_after_the_end(terminal):
    with TerminalProgress(delay=0.05):
        pass
    time.sleep(0.2)
    assert terminal.getvalue() == ""
