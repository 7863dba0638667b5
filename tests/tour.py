"""The notebook in a fresh kernel: `python -m tests.tour` keeps what it shows, and the README's picture."""

from __future__ import annotations

import base64
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.imports import ROOT

NOTEBOOK = ROOT / "reports" / "examples" / "tour.ipynb"
PICTURE = NOTEBOOK.parent / "excess.png"
LONGEST_CELL = 300
KEPT = {"kernelspec", "language_info"}


def read() -> Any:
    """The notebook with the outputs that it keeps."""
    import nbformat

    return nbformat.read(NOTEBOOK, as_version=4)


def run(folder: Path) -> Any:
    """The notebook with the outputs of a run in this folder, without what is of a machine or a time."""
    from nbclient import NotebookClient
    from traitlets.config import Config

    notebook = read()
    with _checkout_first() as home:
        # Sockets in a folder: at a port, others on the machine could listen.
        sockets = Config({"KernelManager": {"transport": "ipc", "ip": f"{home}/kernel"}})
        NotebookClient(
            notebook,
            config=sockets,
            kernel_name="python3",
            timeout=LONGEST_CELL,
            record_timing=False,
            resources={"metadata": {"path": str(folder)}},
        ).execute()
    notebook.metadata = {name: notebook.metadata[name] for name in sorted(KEPT)}
    notebook.metadata["language_info"] = {"name": "python"}
    return notebook


@contextmanager
def _checkout_first() -> Iterator[str]:
    """For a kernel that imports this checkout; its folder, for history, settings, sockets."""
    before = dict(os.environ)
    with TemporaryDirectory() as home:
        paths = [str(ROOT), *filter(None, [before.get("PYTHONPATH")])]
        places = {"IPYTHONDIR": home, "JUPYTER_RUNTIME_DIR": home}
        os.environ |= {"PYTHONPATH": os.pathsep.join(paths)} | places
        try:
            yield home
        finally:
            os.environ.clear()
            os.environ.update(before)


def picture(notebook: Any) -> bytes:
    """What the cell shows that draws the excess of all architectures, PNG."""
    (cell,) = (cell for cell in notebook.cells if 'plot(run, "excess")' in cell.source)
    return base64.b64decode(cell.outputs[0]["data"]["image/png"])


def main() -> None:
    """Run the notebook and keep its outputs."""
    import nbformat

    with TemporaryDirectory() as folder:
        notebook = run(Path(folder))
    nbformat.write(notebook, NOTEBOOK)
    PICTURE.write_bytes(picture(notebook))


if __name__ == "__main__":
    main()
