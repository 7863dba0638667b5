"""The LaTeX engine as a process: what it is told, and that nothing of it is left."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from reports.latex import typeset
from reports.latex.document import Report

DOCUMENT = Report("x", {})


def engine(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """A `pdflatex` that does this."""
    program = folder / "pdflatex"
    program.write_text(f"#!{sys.executable}\nimport os, signal, subprocess\n{script}\n", encoding="ascii")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def test_ctrl_c_does_not_reach_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine(tmp_path, monkeypatch, "open('report.pdf', 'w').write(str(os.getpgrp()))")
    assert int(typeset.to_pdf(DOCUMENT, "pdflatex")) != os.getpgrp()


def test_what_it_started_ends_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """latexmk runs pdflatex, which may go on for ever."""
    held = tmp_path / "held"
    os.mkfifo(held)
    # The child alone has the pipe open: its reader sees the end when the child is gone.
    child = f"exec 9>{held}; echo up >&9; exec sleep 600"
    engine(tmp_path, monkeypatch, f"subprocess.run(['sh', '-c', {child!r}])")
    seen: list[Any] = []

    def interrupted(*_: object, **__: object) -> None:
        seen.append(held.open(encoding="ascii"))
        assert seen[0].readline() == "up\n"
        raise KeyboardInterrupt

    monkeypatch.setattr(subprocess.Popen, "communicate", interrupted)
    with pytest.raises(KeyboardInterrupt):
        typeset.to_pdf(DOCUMENT, "pdflatex")
    with seen[0]:
        assert seen[0].read() == ""
