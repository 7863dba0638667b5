"""`python -m proofs_check.formal`: write the index of the library's theorems that the repository keeps."""

from __future__ import annotations

import sys
from pathlib import Path

from proofs_check.formal.coq import find_coq
from proofs_check.formal.index import INDEX, write_index
from proofs_check.formal.library import compiled, sources, theorems
from reports.files import write_whole


def main() -> None:
    """Ask Coq, and write what it says beside the sources."""
    coq, texts = find_coq(), sources()
    found = theorems(coq, compiled(coq, texts, print), texts)
    place = Path(__file__).parents[2] / "theory" / "formal" / INDEX
    write_whole(place, write_index(found, coq.version).encode())
    sys.stdout.write(f"{len(found)} theorems in {place}\n")


if __name__ == "__main__":
    main()
