"""A theorem that leaves a mark for each run, and from some seed on waits for a file, or ends its process."""

import os
import time
from pathlib import Path

from proofs_check.engine.claims import Theorem
from reports.results import Evidence

THEOREM = Theorem("paced", "Paced", "nowhere", "nothing", ())


@THEOREM.claim("act", "nothing", Evidence.EXACT)
def act(run, record):
    folder, seed = Path(os.environ["PACED"]), run.settings.seed
    with open(folder / "marks", "a", encoding="utf-8") as marks:
        marks.write(f"{seed}\n")
    while seed >= 100 and not (folder / "gate").exists():
        if seed >= 200:
            os._exit(3)
        time.sleep(0.05)
    if seed == 66:
        raise ZeroDivisionError("a bug\nof two lines")
    record.values["mean"] = str(run.law.mean)
    record.values["seed"] = seed
    record.check(Evidence.EXACT, "seed != 13", seed != 13)
