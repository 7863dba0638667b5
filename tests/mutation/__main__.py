"""Mutation run: ``python -m tests.mutation [GROUP or MODULE ...] [--jobs N]``; needs the extra `mutation`.

Every module of `targets.toml` is changed in one place at a time, in a copy of the sources, and its tests
are run.  A change that they pass is a survivor: each is listed in `survivors.toml` with a reason, or a
test is missing.  Exit code 1 if one is not listed; it is printed as an entry to be filled in.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.mutation.listed import ROOT, Change, Target, read_survivors, read_targets

NOT_SOURCES = shutil.ignore_patterns(".*", "__pycache__", "build", "dist", "*.egg-info")
#: Swaps that only raise TypeError, or that change annotations.
POINTLESS = [
    r"core/ReplaceBinaryOperator_(?!(Add_Sub|Sub_Add|Mul_Div|Div_Mul|Pow_Mul|Mod_Mul|FloorDiv_Mul)$)",
    r"core/ReplaceComparisonOperator_(?!Is).*_Is",
    r"core/ReplaceComparisonOperator_Is(?!(_IsNot|Not_Is)$)",
    r"core/ReplaceUnaryOperator_.*_(Invert|UAdd)",
    r"core/Variable",
]
POINTLESS_LINES = {"if TYPE_CHECKING:"}
CONFIGURATION = """\
[cosmic-ray]
module-path = {module}
timeout = {seconds}
excluded-modules = []
test-command = {command}
[cosmic-ray.distributor]
name = "local"
[cosmic-ray.filters.operators-filter]
exclude-operators = {pointless}
"""


def survivors(target: Target) -> tuple[int, set[Change]]:
    """How many changes were tried, and those that the tests passed."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        shutil.copytree(ROOT, copy, ignore=NOT_SOURCES)
        tests = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *target.tests]
        configuration = CONFIGURATION.format(
            module=json.dumps(target.module),
            seconds=float(target.seconds),
            command=json.dumps(shlex.join(tests)),
            pointless=json.dumps(POINTLESS),
        )
        (copy / "cosmic-ray.toml").write_text(configuration, encoding="utf-8")
        subprocess.run(tests, cwd=copy, check=True, stdout=subprocess.DEVNULL)
        _tool(copy, "cosmic-ray", "init", "cosmic-ray.toml", "session.sqlite")
        _tool(copy, "cr-filter-operators", "session.sqlite", "cosmic-ray.toml")
        _tool(copy, "cosmic-ray", "exec", "cosmic-ray.toml", "session.sqlite")
        lines = _tool(copy, "cosmic-ray", "dump", "session.sqlite").splitlines()
    return _read(target.module, lines)


def _read(module: str, lines: list[str]) -> tuple[int, set[Change]]:
    tried, found = 0, set[Change]()
    for _, result in map(json.loads, lines):
        if result is None:
            raise RuntimeError(f"{module}: the run did not end")
        if result["worker_outcome"] == "skipped":
            continue
        change = Change.of_diff(module, result["diff"] or "")
        if change.line not in POINTLESS_LINES:
            tried += 1
            if result["test_outcome"] == "survived":
                found.add(change)
    return tried, found


def _tool(folder: Path, name: str, *words: str) -> str:
    path = Path(sys.executable).with_name(name)
    finished = subprocess.run([path, *words], cwd=folder, capture_output=True, text=True, check=False)
    if finished.returncode:
        raise RuntimeError(f"{name} {' '.join(words)}: {finished.stderr or finished.stdout}")
    return finished.stdout


def report(target: Target, tried: int, found: set[Change], listed: set[Change]) -> Iterator[str]:
    """What is to be printed of one module."""
    own = {change for change in listed if change.module == target.module}
    unlisted = len(found - own)
    yield f"# {target.module}: {len(found)} of {tried} changes survived, {unlisted} of them not listed"
    yield from (change.entry() for change in sorted(found - own))
    yield from (f"# killed by now: {change.line} -> {change.mutant}" for change in sorted(own - found))


def main() -> int:
    """Run what the command line names; everything by default."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="GROUP or MODULE")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    asked = parser.parse_args()
    targets = [
        target
        for target in read_targets()
        if not asked.names or {target.group, target.module} & set(asked.names)
    ]
    if not targets:
        parser.error(f"no target is named {' or '.join(asked.names)}")
    listed, unlisted = set(read_survivors()), False
    with ThreadPoolExecutor(asked.jobs) as pool:
        for target, (tried, found) in zip(targets, pool.map(survivors, targets), strict=True):
            print(*report(target, tried, found, listed), sep="\n", flush=True)
            unlisted |= bool(found - listed)
    return int(unlisted)


if __name__ == "__main__":
    sys.exit(main())
