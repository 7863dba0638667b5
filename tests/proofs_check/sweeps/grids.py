"""Sweeps of the theorem `paced`, in this process or as a command line of their own."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from proofs_check.command_line.tasks import make_tasks
from proofs_check.sweeps.plan import read_plan
from tests.waiting import PATIENCE

ROOT = Path(__file__).parents[3]
PACED = "tests.proofs_check.paced"


def plan(*seeds, **values):
    return read_plan({"name": "paced", "command": "paced", "values": {"seed": list(seeds), **values}})


def tasks(*seeds, **values):
    return make_tasks(plan(*seeds, **values), PACED)


def written(folder, *seeds):
    path = folder / "plan.toml"
    path.write_text(f'name = "paced"\ncommand = "paced"\n[values]\nseed = {list(seeds)}\n')
    return str(path)


def command(*words, python=sys.executable):
    """A command line in which `paced` is the one theorem."""
    script = f"from proofs_check.command_line.commands import main; raise SystemExit(main(package={PACED!r}))"
    return [python, "-c", script, *words]


def started(folder, *words):
    """It as a process of its own."""
    return subprocess.Popen(
        command(*words),
        cwd=ROOT,
        env=os.environ | {"PACED": str(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,
    )


def ended(folder, *words):
    """Its exit code and what it printed."""
    process = started(folder, *words)
    out, err = process.communicate(timeout=PATIENCE)
    return process.returncode, out, err


def marks(folder):
    """The seeds that were run, in order."""
    path = folder / "marks"
    return sorted(map(int, path.read_text().split())) if path.exists() else []


def kill(process):
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=PATIENCE)
