"""The array library a simulation runs on (NumPy or CuPy), its number format, and its memory budget.

What CuPy does otherwise than NumPy, and where that is met:

- host and device do not mix, and a result comes back on demand only: `like`, `Backend.asarray`, `to_host`;
- a copy waits for all that was asked for before: `sweep` copies the depths of a chunk together;
- every operation is a call of its own: `Backend.chunk_numbers`, `chunk_prompts`;
- its generators keep 32 bits of a seed and fill thousands of states each: `streams.DeviceDraws`;
- a reduction is an array without axes: `float(...)` in `Spectrum.smallest`, `bool(...)` in `streams`;
- a singular system divides by 0 and does not raise: `attention.least_squares`;
- its pool keeps what it has taken: `Backend.memory_bytes`, asked once, before the first chunk.
"""

from __future__ import annotations

import importlib
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

import array_api_compat
import array_api_compat.numpy
import numpy as np
import numpy.typing as npt
import threadpoolctl

from numerics.simulation.streams import DRAWING_BYTES, DeviceDraws, Draws, HostDraws

Array = Any
"""An array of the array library in use; the array API standard has no static type."""

HostArray = npt.NDArray[np.float64]

DTYPES = ("float64", "float32")
UNITS = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}


class SimulationInputError(ValueError):
    """Input that no simulation can take; the message is one line and says what would be right."""


class MissingBackend(SimulationInputError):
    """An array library that was asked for by name and cannot be used here."""


class MemoryBudgetError(SimulationInputError):
    """A memory budget that is more than there is, or too small for the smallest piece of work."""


@dataclass(frozen=True)
class Backend:
    """An array library in the array API standard, with one floating-point format.

    name:   "numpy", "cupy", or what a test calls its own.
    xp:     the namespace.
    device: None for the library's own choice.
    """

    name: str
    xp: Any
    dtype_name: str = "float64"
    device: Any = None

    def __post_init__(self) -> None:
        if self.dtype_name not in DTYPES:
            raise SimulationInputError(f"dtype: {self.dtype_name!r} is not one of {', '.join(DTYPES)}")

    @property
    def dtype(self) -> Any:
        """The library's own type object."""
        return getattr(self.xp, self.dtype_name)

    @property
    def numpy_dtype(self) -> np.dtype[Any]:
        """The same format on the host."""
        return np.dtype(self.dtype_name)

    @property
    def chunk_prompts(self) -> int:
        """Prompts drawn at once, at most."""
        return 2**18 if self.name == "cupy" else 2**12

    @property
    def chunk_numbers(self) -> int:
        """Numbers of the prompts drawn at once, at most: few calls for a GPU, cached on the host."""
        return 2**26 if self.name == "cupy" else 2**21

    @property
    def depths_at_once(self) -> int:
        """Depths whose values are brought to the host together."""
        return 64 if self.name == "cupy" else 16

    @property
    def drawing_bytes(self) -> int:
        """What drawing takes beside the numbers drawn."""
        return DRAWING_BYTES if self.name == "cupy" else 0

    def __reduce__(self) -> Any:
        """A namespace does not travel between processes; its name does."""
        return load_backend, (self.name, self.dtype_name)

    @property
    def item_bytes(self) -> int:
        """Bytes of one number."""
        return int(self.numpy_dtype.itemsize)

    def asarray(self, values: Any) -> Array:
        """The values on the device, in the chosen format."""
        return self.xp.asarray(np.asarray(values, dtype=self.numpy_dtype), device=self.device)

    def to_host(self, values: Array) -> HostArray:
        """The values as a float64 NumPy array."""
        host = values.get() if self.name == "cupy" else values
        return np.asarray(host, dtype=np.float64)

    def draws(self, seeds: np.random.SeedSequence) -> Draws:
        """The streams of random numbers that belong to the seeds."""
        return DeviceDraws(seeds, self) if self.name == "cupy" else HostDraws(seeds, self)

    def memory_bytes(self) -> int | None:
        """Memory there is: free on the GPU, in all on the host; None where the system does not say."""
        if self.name == "cupy":
            cupy = importlib.import_module("cupy")
            return int(cupy.cuda.runtime.memGetInfo()[0] + cupy.get_default_memory_pool().free_bytes())
        if not hasattr(os, "sysconf"):
            return None
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def load_backend(name: str = "numpy", dtype: str = "float64") -> Backend:
    """The array library with this name: "numpy" or "cupy".

    Raises SimulationInputError for another name or format, and MissingBackend
    if CuPy is not installed or finds no GPU.
    """
    if name == "numpy":
        return Backend(name, array_api_compat.numpy, dtype)
    if name != "cupy":
        raise SimulationInputError(f"backend: {name!r} is not one of numpy, cupy")
    try:
        cupy = importlib.import_module("cupy")
    except ImportError as error:
        raise MissingBackend(
            "backend: CuPy is not installed; install the package for your CUDA version"
            " (for CUDA 12: cupy-cuda12x), or use the backend numpy"
        ) from error
    try:
        devices = cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        raise MissingBackend(f"backend: CuPy finds no usable GPU ({error}); use the backend numpy") from error
    if devices == 0:
        raise MissingBackend("backend: CuPy finds no GPU; use the backend numpy")
    return Backend(name, importlib.import_module("array_api_compat.cupy"), dtype)


def like(other: Array, values: Any) -> Array:
    """An array in the library and format of another, on its device."""
    xp = array_api_compat.array_namespace(other)
    return xp.asarray(values, dtype=other.dtype, device=array_api_compat.device(other))


@contextmanager
def one_thread() -> Iterator[None]:
    """Linear algebra in one thread: how it splits a sum does not depend on the processors there are."""
    with _controller().limit(limits=1, user_api="blas"):
        yield


@cache
def _controller() -> threadpoolctl.ThreadpoolController:
    return threadpoolctl.ThreadpoolController()


def parse_memory(text: str) -> int:
    """Bytes of a size such as "2GB", "500MB", "1.5GiB" (decimal units; KiB, MiB, ... binary).

    Raises MemoryBudgetError on anything else, and on 0.
    """
    match = re.fullmatch(r"\s*(\d+(?:\.\d*)?)\s*([kKMGT]?)(i?)B?\s*", text)
    if match is None or (match[3] and not match[2]):
        raise MemoryBudgetError(f"memory: {text!r} is not a size such as 2GB or 500MB")
    unit = UNITS[match[2].replace("K", "k")]
    if match[3]:
        unit = 1024 ** (list(UNITS).index(match[2].replace("K", "k")))
    size = int(float(match[1]) * unit)
    if size <= 0:
        raise MemoryBudgetError(f"memory: {text!r} is not more than nothing")
    return size


def format_bytes(size: float) -> str:
    """A size for a reader: "1.5 GB"."""
    for prefix in ("T", "G", "M", "k"):
        if size >= UNITS[prefix]:
            return f"{size / UNITS[prefix]:.3g} {prefix}B"
    return f"{size:.0f} B"


def check_budget(memory: int, backend: Backend) -> None:
    """Raises MemoryBudgetError if the budget is not positive or more than the device has."""
    if memory <= 0:
        raise MemoryBudgetError(f"memory: the budget must be positive, not {memory}")
    there = backend.memory_bytes()
    if there is not None and memory > there:
        raise MemoryBudgetError(
            f"memory: {format_bytes(memory)} asked, {format_bytes(there)} there; ask for less than that"
        )
