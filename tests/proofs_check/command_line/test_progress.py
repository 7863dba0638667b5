import io
import sys
import time

from proofs_check.command_line.progress import TerminalProgress


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
                time.sleep(0.2)
    text = terminal.getvalue()
    assert all(word in text for word in ("letters", "numbers of a", "numbers of b", "%"))


def test_a_loop_that_is_left_leaves_no_bar_behind(monkeypatch):
    terminal = shown_on(monkeypatch)
    with TerminalProgress(delay=0.01) as progress:
        for _ in progress.track("ab", "abandoned"):
            time.sleep(0.3)
            break
        terminal.seek(0)
        terminal.truncate()
        for _ in progress.track("a", "the rest"):
            time.sleep(0.3)
    assert "the rest" in terminal.getvalue()
    assert "abandoned" not in terminal.getvalue()


def test_nothing_is_shown_after_the_end(monkeypatch):
    terminal = shown_on(monkeypatch)
    with TerminalProgress(delay=0.05):
        pass
    time.sleep(0.2)
    assert terminal.getvalue() == ""
