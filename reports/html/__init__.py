"""Results as pages: one file each, with everything that it needs inside."""

from __future__ import annotations

from reports.html.page import page, sweep_page

__all__ = ["page", "sweep_page"]
