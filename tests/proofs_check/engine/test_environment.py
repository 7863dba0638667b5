"""What libraries keep for the process neither changes a result nor is changed by a run."""

import decimal
import signal
import sys
import threading
import warnings
from contextlib import ExitStack, contextmanager

import flint
import mpmath
import numpy as np
import pytest

from proofs_check import UsageError, verify
from proofs_check.engine import environment
from proofs_check.engine.environment import own_state
from proofs_check.engine.registry import theorem_names
from reports.results import to_json

# With claims that take little time, of every theorem those that compute in balls.
SHORT = {
    "theorem_4_1": {"claim": ["gap_positive", "gap_family"]},
    "theorem_6_2": {
        "claim": ["minimiser_enclosure", "limit", "bayes_optimal", "predictor_converges"],
        "depth": "1,2,8",
    },
    "theorem_6_3": {
        "claim": ["critical_point_enclosure", "limit", "bayes_optimal", "predictor_converges"],
        "depth": "2,3",
    },
    "layerwise": {"claim": ["best_depth_T", "chebyshev_bound", "fewer_layers"], "depth": "1,2,3"},
    "depth_minimax": {"depth": "1,2,64"},
    "skip_ablation": {"depth": "1,2,3"},
}


def lines(theorem, **options):
    """The JSON without times."""
    document = to_json(verify(theorem, **SHORT.get(theorem, {}), **options))
    return [line for line in document.splitlines() if b'"seconds"' not in line]


@contextmanager
def hostile(precision=4):
    """Everything set to what a caller might, with which nothing here should work."""
    with ExitStack() as stack:
        stack.enter_context(flint.ctx.workprec(precision))
        stack.enter_context(mpmath.mp.workprec(precision))
        stack.enter_context(np.errstate(all="raise"))
        stack.enter_context(decimal.localcontext(decimal.Context(prec=1, traps=[decimal.Inexact])))
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("error")
        before = sys.get_int_max_str_digits()
        stack.callback(sys.set_int_max_str_digits, before)
        sys.set_int_max_str_digits(640)
        yield


def state():
    return (
        flint.ctx.prec,
        mpmath.mp.prec,
        np.geterr(),
        repr(decimal.getcontext()).partition("flags")[0],
        list(warnings.filters),
        sys.get_int_max_str_digits(),
        signal.getitimer(signal.ITIMER_REAL)[0] > 0,
        signal.getsignal(signal.SIGALRM),
    )


@pytest.mark.parametrize("theorem", SHORT)
def test_every_ball_has_a_precision_that_its_code_states(theorem, monkeypatch):
    """The one that is there for those that ask for none is nowhere to be seen."""
    found = []
    for bits in (17, environment.PRECISION, 90):
        monkeypatch.setitem(environment._FLINT, "prec", bits)
        found.append(lines(theorem, falsify=True))
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("theorem", theorem_names())
def test_a_hostile_process_changes_no_result_and_is_left_as_it_was(theorem):
    clean = lines(theorem)
    signal.setitimer(signal.ITIMER_REAL, 10_000)
    try:
        with hostile():
            before = state()
            found = lines(theorem)
            assert state() == before
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    assert found == clean
    assert lines(theorem) == clean


def test_threads_take_turns():
    """Three threads with three precisions of their own: the same bytes, and the precision put back."""
    clean = lines("theorem_6_2")
    found = []
    flint.ctx.prec = 17
    try:
        threads = [threading.Thread(target=lambda: found.append(lines("theorem_6_2"))) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert flint.ctx.prec == 17
    finally:
        flint.ctx.prec = 53
    assert found == [clean] * 3


def fail():
    with own_state():
        flint.ctx.prec = 999
        raise ZeroDivisionError


def test_the_state_is_put_back_after_an_error():
    with hostile():
        before = state()
        with pytest.raises(ZeroDivisionError):
            fail()
        assert state() == before


PRIMES = [p for p in range(1000, 19000) if all(p % q for q in range(2, int(p**0.5) + 1))]


def test_numbers_of_any_length_are_text():
    """A law of 400 coprime denominators; its moments have more digits than Python's limit allows."""
    masses = ", ".join(f"{i + 1}/{p}: 1/400" for i, p in enumerate(PRIMES[:400]))
    result = verify("theorem_6_2", squared_norm=f"atoms({{{masses}}})", claim="unique_minimiser")
    (claim,) = result.claims
    assert claim.verdict == "verified"
    assert len(claim.figure) < 200
    assert all(len(step.detail) < 200 for step in claim.steps)


def test_a_long_number_in_an_error_is_shortened():
    masses = ", ".join(f"{i + 1}: 1/{p}" for i, p in enumerate(PRIMES[:1900]))
    with pytest.raises(UsageError, match=r"the masses add up to \d+\.\.\.\d+ \(\d{4} digits\)/") as caught:
        verify("theorem_6_2", squared_norm=f"atoms({{{masses}}})")
    assert len(str(caught.value)) < 300
