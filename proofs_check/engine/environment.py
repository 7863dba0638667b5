"""What has to be the same for a second run to give the same result."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from reports.results import Environment

if TYPE_CHECKING:
    from numerics.laws import Law

DISTRIBUTION = "proofs-check"
EXACT_NUMBERS = 2**53
"""Up to here every reader of JSON keeps a whole number."""
COMPUTING = ("sympy", "python-flint", "mpmath", "numpy", "scipy")


def own_version() -> str:
    """The version of this package; ``0+unknown`` for a checkout that is not installed."""
    try:
        return version(DISTRIBUTION)
    except PackageNotFoundError:
        return "0+unknown"


def describe_environment(seed: int, law: Law) -> Environment:
    """Python, the packages that computed, the seed, and the SHA-256 of each file that the law read."""
    packages = {DISTRIBUTION: own_version()} | {name: version(name) for name in COMPUTING}
    kept = seed if seed <= EXACT_NUMBERS else str(seed)
    return Environment(
        platform.python_version(), packages, kept, {file.path: file.sha256 for file in law.files}
    )
