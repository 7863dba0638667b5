"""A theorem whose one claim does what the seed says."""

import os
import signal
import time

from numerics.errors import PrecisionExhausted
from proofs_check.engine.claims import Theorem
from reports.results import Evidence

LONG = 600
"""Seconds: longer than any test waits."""
THEOREM = Theorem("failing", "Failing", "nowhere", "nothing", ())


@THEOREM.claim("act", "nothing", Evidence.EXACT)
def act(run, record):
    match run.settings.seed:
        case 1:
            record.check(Evidence.EXACT, "1 = 2", False)
        case 2:
            raise PrecisionExhausted(f"undecided at {run.settings.max_bits} bits")
        case 3:
            record.check(Evidence.NUMERIC, "about 1", True)
        case 5:
            raise ZeroDivisionError("a bug\nof two lines")
        case 6:
            # A test that waits for this knows that the claim is under way.
            if sign := os.environ.get("SIGN_OF_LIFE"):
                with open(sign, "w"):
                    pass
            time.sleep(LONG)
        case 7:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(LONG)
        case 8:
            record.check(Evidence.EXACT, "1 = 2", False)
            raise PrecisionExhausted("and then undecided")
        case 9:
            record.check(Evidence.EXACT, "1 = 2", False)
            time.sleep(LONG)
        case 10:
            return
        case 11:
            os.kill(os.getpid(), signal.SIGKILL)
        case 12:
            os._exit(3)
        case _:
            record.check(Evidence.EXACT, "1 = 1", True)


def _weak(outcome):
    def check(run, record):
        if outcome is None:
            raise PrecisionExhausted("undecided")
        record.check(Evidence.EXACT, "1 = 2", outcome)

    return check


THEOREM.claim("strong", "1 = 1", Evidence.EXACT)(_weak(True))
THEOREM.claim("weak", "1 = 1", Evidence.EXACT)(_weak(True))
THEOREM.false_variant("survivor", "strong", "a twin that no check refutes", witness="point(1)")(_weak(True))
THEOREM.false_variant("undecided", "weak", "a twin that no check decides", witness="point(1)")(_weak(None))
