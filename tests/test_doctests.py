"""The examples in the docstrings of theory and numerics give what they show."""

import doctest
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MODULES = [
    ".".join(file.relative_to(ROOT).with_suffix("").parts)
    for room in ("theory", "numerics", "proofs_check", "reports")
    for file in sorted((ROOT / room).rglob("*.py"))
    if ">>> " in file.read_text(encoding="utf-8")
]


def test_there_are_examples():
    assert len(MODULES) >= 8


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    found = doctest.testmod(importlib.import_module(name))
    assert found.attempted > 0
    assert found.failed == 0
