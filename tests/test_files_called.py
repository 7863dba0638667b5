"""How much of the package one small question goes through."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
MOST_FILES = 32
SCRIPT = """
import inspect, json, sys
from proofs_check.command_line.commands import main
called = set()
def seen(frame, event, argument):
    # No module, no body of a class and (before Python 3.12) no comprehension is a function.
    code = frame.f_code
    function = code.co_flags & inspect.CO_OPTIMIZED and not code.co_name.endswith(("comp>", "expr>"))
    if event == "call" and function:
        called.add(code.co_filename)
sys.setprofile(seen)
code = main()
sys.setprofile(None)
print(json.dumps([code, sorted(called)]), file=sys.stderr)
"""


def files_called(*words):
    """The exit code, and the files of the checkout that a function was called in, while loading too."""
    finished = subprocess.run(
        [sys.executable, "-c", SCRIPT, *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    code, names = json.loads(finished.stderr.splitlines()[-1])
    paths = [Path(name) for name in names if Path(name).is_relative_to(ROOT)]
    parts = [path.relative_to(ROOT).parts for path in paths]
    return code, {"/".join(part) for part in parts if not part[0].startswith(".")}


def test_the_limit_is_checked_by_a_few_files():
    code, files = files_called("theorem_6_2", "--claim", "limit", "--quiet")
    assert code == 0
    assert {"numerics/one_parameter/all_large_depths.py", "proofs_check/theorems/theorem_6_2.py"} <= files
    assert len(files) <= MOST_FILES, sorted(files)


def test_a_larger_question_goes_through_more():
    code, files = files_called("theorem_6_2", "--depth", "1,2")
    assert code == 0
    assert len(files) > MOST_FILES
