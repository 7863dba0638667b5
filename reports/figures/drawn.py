"""A figure that looks the same wherever it is drawn, and that a notebook shows."""

from __future__ import annotations

import io
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from matplotlib.figure import Figure

DPI = 96
"""Of a page; the picture has twice as many."""


class Drawn(Figure):
    """A figure with settings of its own; without pyplot, which alone would make a notebook show it."""

    def __init__(self, settings: Callable[[], AbstractContextManager[None]], **given: Any) -> None:
        self.settings = settings
        super().__init__(**given)

    def draw(self, renderer: Any) -> None:
        """As Matplotlib calls it for every format."""
        with self.settings():
            super().draw(renderer)

    def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
        buffer = io.BytesIO()
        with self.settings():
            self.savefig(buffer, format="png", dpi=2 * DPI, metadata={"Software": None})
        return buffer.getvalue(), {"width": round(DPI * self.get_figwidth())}
