import io
import sys

from proofs_check.command_line.progress import TerminalProgress
from tests.waiting import wait_until


class Terminal(io.StringIO):
    def isatty(self):
        return True


def shown_on(monkeypatch):
    """A terminal in the place of standard error (not a fixture: pytest replaces it after the set-up)."""
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    return terminal


def test_short_work_shows_nothing(monkeypatch):
    terminal = shown_on(monkeypatch)
    with TerminalProgress(delay=60) as progress:
        assert list(progress.track("abc", "letters")) == ["a", "b", "c"]
    assert terminal.getvalue() == ""


def test_long_work_shows_every_loop_under_way(monkeypatch):
    terminal = shown_on(monkeypatch)
    with TerminalProgress(delay=0.01) as progress:
        for letter in progress.track("ab", "letters"):
            for _ in progress.track(iter(range(3)), f"numbers of {letter}", total=3):
                wait_until(lambda name=f"numbers of {letter}": name in terminal.getvalue())
    text = terminal.getvalue()
    assert all(word in text for word in ("letters", "%"))


def test_a_loop_that_is_left_leaves_no_bar_behind(monkeypatch):
    terminal = shown_on(monkeypatch)
    with TerminalProgress(delay=0.01) as progress:
        for _ in progress.track("ab", "abandoned"):
            wait_until(lambda: "abandoned" in terminal.getvalue())
            break
        for _ in progress.track("a", "the rest"):
            wait_until(lambda: terminal.getvalue().count("the rest") > 1)
    _, redrawn, *_ = terminal.getvalue().split("the rest")
    assert "abandoned" not in redrawn


def test_nothing_is_shown_after_the_end(monkeypatch):
    terminal = shown_on(monkeypatch)
    with TerminalProgress(delay=60) as progress:
        pass
    # As where the timer rings while the work ends.
    progress._show()
    assert terminal.getvalue() == ""
