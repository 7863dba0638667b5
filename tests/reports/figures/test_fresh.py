"""Figures in an environment where Matplotlib has never run."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
# Matplotlib says that it builds its font cache when that takes five seconds: here, whenever it does.
SCRIPT = """
import threading
class Timer(threading.Timer):
    def __init__(self, interval, function):
        super().__init__(interval, function)
        function()
threading.Timer = Timer
from contextlib import nullcontext
from reports.figures.style import style
with {block}:
    import matplotlib.font_manager
"""


@pytest.mark.parametrize(("block", "said"), [("style()", False), ("nullcontext()", True)])
def test_the_font_cache_is_built_in_silence(tmp_path, block, said):
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(block=block)],
        cwd=ROOT,
        env=os.environ | {"MPLCONFIGDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    assert ("building the font cache" in done.stderr) is said
    assert said or not done.stderr
    assert list(tmp_path.glob("fontlist*"))
