"""The comparisons and the record that every verdict rests on: what balls do not tell stays undecided."""

import operator
from fractions import Fraction
from itertools import product

import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from numerics.arithmetic.balls import ball, ends
from proofs_check.engine.claims import Record
from proofs_check.engine.evidence import at_most, below, brief, certified, compare, derive
from reports.results import Evidence, Verdict
from theory.identities import Derivation, Identity, Inequality
from theory.symbols import s

INFINITE, NAN, ANYTHING = arb("inf"), arb("nan"), arb(0, "inf")
BALLS = st.builds(
    lambda middle, radius: arb(middle / 8, radius / 8), st.integers(-32, 32), st.integers(0, 16)
)


@pytest.mark.parametrize(
    ("smaller", "larger", "is_below", "is_at_most"),
    [
        (arb(1, 0.25), arb(2, 0.25), True, True),
        (arb(2, 0.25), arb(1, 0.25), False, False),
        (arb(1, 0.75), arb(2, 0.75), None, None),
        (arb(2, 0.75), arb(1, 0.75), None, None),
        (arb(1, 0.5), arb(1, 0.25), None, None),
        (arb(1, 0.25), arb(1, 0.5), None, None),
        (arb(1), arb(1), False, True),
        (arb(1), arb(2), True, True),
        (arb(2), arb(1), False, False),
        (arb(1), INFINITE, True, True),
        (INFINITE, arb(1), False, False),
        (-INFINITE, arb(1), True, True),
        (arb(1), -INFINITE, False, False),
        (INFINITE, INFINITE, False, True),
        (arb(1), ANYTHING, None, None),
        (ANYTHING, arb(1), None, None),
        (ANYTHING, ANYTHING, None, None),
        (NAN, arb(1), None, None),
        (arb(1), NAN, None, None),
        (NAN, NAN, None, None),
        (NAN, INFINITE, None, None),
        (-INFINITE, NAN, None, None),
    ],
    ids=str,
)
def test_two_balls_are_compared_only_as_far_as_they_tell(smaller, larger, is_below, is_at_most):
    assert below(smaller, larger) is is_below
    assert at_most(smaller, larger) is is_at_most


@given(BALLS, BALLS)
def test_every_choice_of_points_decides(smaller, larger):
    """True where every pair of points satisfies it, False where none does, else None."""
    pairs = list(product(ends(smaller), ends(larger)))
    for compared, outcomes in (
        (below(smaller, larger), {x < y for x, y in pairs}),
        (at_most(smaller, larger), {x <= y for x, y in pairs}),
    ):
        assert compared is (outcomes.pop() if len(outcomes) == 1 else None)


@given(BALLS)
def test_balls_that_touch(one):
    """They share a point: there the two numbers may be equal, anywhere else they are not."""
    low, high = map(ball, ends(one))
    assert at_most(one, high) is at_most(low, one) is True
    assert below(high, one) is below(one, low) is False
    wide = not one.is_exact()
    assert below(one, high) is below(low, one) is (None if wide else False)
    assert at_most(high, one) is at_most(one, low) is (None if wide else True)


def test_a_ball_is_not_compared_with_itself_beyond_what_it_tells():
    """Two numbers of one enclosure need not be one number."""
    third = ball(Fraction(1, 3))
    assert not third.is_exact()
    assert below(third, third) is at_most(third, third) is None


@pytest.mark.parametrize("holds", [True, False, None])
def test_weak_evidence_proves_nothing(holds):
    """`weakest` of the step, where it is given, outranks that of the claim."""
    strongest_first = list(Evidence)
    for kind, weakest, own in product(Evidence, Evidence, [None, *Evidence]):
        record = Record(weakest)
        record.check(kind, "1 = 1", holds, weakest=own)
        weak = strongest_first.index(kind) > strongest_first.index(own or weakest)
        assert record.verdict is (Verdict.INCONCLUSIVE if weak and holds else Verdict.of(holds))
        assert [step.verdict for step in record.steps] == [record.verdict]
        assert record.kind is kind


@pytest.mark.parametrize(
    ("outcomes", "verdict"),
    [
        ([], Verdict.INCONCLUSIVE),
        ([True, True], Verdict.VERIFIED),
        ([True, None], Verdict.INCONCLUSIVE),
        ([None, False, True], Verdict.REFUTED),
    ],
)
def test_a_record_is_as_good_as_its_worst_step(outcomes, verdict):
    record = Record(Evidence.EXACT)
    for holds in outcomes:
        record.check(Evidence.EXACT, "a step", holds)
    assert record.verdict is verdict


def test_a_derivation_fails_at_its_false_step_and_says_where():
    wrong = Identity("s = 2s", s, 2 * s)
    steps = (Identity("s = s", s, s), wrong, Inequality("s <= 2s", s, 2 * s), Inequality("2s <= s", 2 * s, s))
    record = Record(Evidence.SYMBOLIC)
    derive(record, Derivation("", steps))
    holds = [Verdict.VERIFIED, Verdict.REFUTED, Verdict.VERIFIED, Verdict.REFUTED]
    assert [step.verdict for step in record.steps] == holds
    assert record.steps[1].detail == f"differs at $s = {wrong.witness[s]}$"
    assert record.steps[0].detail == record.steps[2].detail == ""
    assert {step.kind for step in record.steps} == {Evidence.SYMBOLIC}


def test_a_derivation_that_is_not_decided_stays_so():
    """2^s >= s for s >= 0, which no quotient of polynomials shows and no point refutes."""
    record = Record(Evidence.SYMBOLIC)
    derive(record, Derivation("", (Inequality("s <= 2^s", s, 2**s),)))
    assert record.verdict is Verdict.INCONCLUSIVE


def test_what_is_certified_is_rounded_outward():
    third = Fraction(1, 3)
    assert (certified(third, 3).lower, certified(third, 3).upper) == ("0.333", "0.334")
    assert certified(third).exact == "1/3"
    for short in (Fraction(2**8191), Fraction(1, 2**8191)):
        assert certified(short).exact == str(short)
        assert certified(short**2).exact is None
    assert certified(Fraction(2**8192)).exact is None
    assert len(certified(third).lower) == len(certified(third).upper) == 32
    assert certified((third, 2 * third), 3).exact is None
    assert (certified((third, 2 * third), 2).lower, certified((third, 2 * third), 2).upper) == (
        "0.33",
        "0.67",
    )
    assert Fraction(certified(ball(third)).lower) < third < Fraction(certified(ball(third)).upper)


def test_a_few_digits_are_cut_not_rounded():
    two_thirds = Fraction(2, 3)
    assert brief(two_thirds, 3) == brief(certified(two_thirds, 9), 3) == "0.666"
    assert brief(ball(two_thirds), 3) == "0.666"
    assert brief(certified((two_thirds, Fraction(3, 4)), 9), 3) == "0.666"
    assert brief(two_thirds) == "0.6666666666"


WIDE = Fraction(1, 2), Fraction(3, 2)
NEAR = Fraction(1, 7), Fraction(1, 7) + Fraction(1, 10**20)


@pytest.mark.parametrize(
    ("left", "relation", "right", "holds", "shown"),
    [
        (Fraction(1, 3), "<", 1, True, "$1/3 < 1$"),
        (Fraction(1, 3), ">=", Fraction(1, 2), False, "$1/3 < 1/2$"),
        (2, "<=", 2, True, r"$2 \le 2$"),
        (2, "<", 2, False, r"$2 \ge 2$"),
        (2, "=", 2, True, "$2 = 2$"),
        (2, "=", 3, False, r"$2 \ne 3$"),
        (WIDE, ">", 0, True, "$0.5 > 0$"),
        (WIDE, "<", 1, None, "$[0.5, 1.5]$ and $1$ are not told apart"),
        (WIDE, "=", 1, None, "$[0.5, 1.5]$ and $1$ are not told apart"),
        (WIDE, "=", 2, False, r"$1.5 \ne 2$"),
        (NEAR, ">=", Fraction(1, 7), True, r"$0.1428571428 \ge 0.1428571428$"),
        (NEAR[0], "<", NEAR[1], True, "$0.1428571428571428571428572 < 0.1428571428571428571528571$"),
    ],
)
def test_two_numbers_are_compared_and_recorded_at_once(left, relation, right, holds, shown):
    record = Record(Evidence.ENCLOSURE)
    assert compare(record, Evidence.ENCLOSURE, "so", left, relation, right) is holds
    (step,) = record.steps
    assert step.verdict is Verdict.of(holds)
    assert (step.compared.relation, step.detail) == (relation, shown)


numbers = st.fractions(min_value=-3, max_value=3, max_denominator=9)
enclosures = st.tuples(numbers, numbers).map(lambda ends: (min(ends), max(ends)))
HOLDS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "=": operator.eq}


@given(enclosures, st.sampled_from(sorted(HOLDS)), enclosures, st.data())
def test_what_is_decided_is_so_for_all_numbers_enclosed(left, relation, right, data):
    """And what is shown is true of the numbers as they are printed."""
    record = Record(Evidence.ENCLOSURE)
    holds = compare(record, Evidence.ENCLOSURE, "so", left, relation, right)
    within = [left[0] + data.draw(st.fractions(0, 1)) * (left[1] - left[0]), *left]
    beside = [right[0] + data.draw(st.fractions(0, 1)) * (right[1] - right[0]), *right]
    found = {HOLDS[relation](one, other) for one in within for other in beside}
    assert (found == {holds}) or (holds is None and (len(found) == 2 or relation == "="))
    if holds is not None:
        first, sign, second = record.steps[0].detail.strip("$").split()
        printed = {r"\le": "<=", r"\ge": ">="}.get(sign, sign)
        told = operator.ne if sign == r"\ne" else HOLDS[printed]
        assert told(Fraction(first), Fraction(second))


@given(numbers, st.integers(1, 400), st.sampled_from(sorted(HOLDS)), st.booleans(), st.booleans())
def test_the_numbers_that_are_kept_decide_it_however_near_they_are(number, places, relation, exact, swapped):
    gap = Fraction(1, 10**places)
    pair = number, (number + gap if exact else (number + gap, number + 2 * gap))
    record = Record(Evidence.ENCLOSURE)
    holds = compare(record, Evidence.ENCLOSURE, "so", *(pair[swapped], relation, pair[not swapped]))
    kept = record.steps[0].compared
    one, other = kept.left.ends, kept.right.ends
    told = {HOLDS[relation](a, b) for a in one for b in other}
    assert told == {holds}
    first, second = (Fraction(str(end)) for end in (max(one), max(other)))
    assert (first < second) is not swapped


def test_what_differs_in_no_digit_shown_is_told_by_the_difference():
    record = Record(Evidence.ENCLOSURE)
    third, near = Fraction(1, 3), Fraction(1, 3) + Fraction(1, 10**80)
    compare(record, Evidence.EXACT, "so", third, "<", near)
    compare(record, Evidence.EXACT, "so", near, "<", third)
    below, above = (step.detail for step in record.steps)
    assert below == r"$0.3333333333 - 10^{-80} < 0.3333333333$"
    assert above == r"$0.3333333333 + 10^{-80} \ge 0.3333333333$"


@pytest.mark.parametrize("number", [INFINITE, NAN, ANYTHING])
def test_a_number_that_is_not_finite_is_not_told(number):
    record = Record(Evidence.ENCLOSURE)
    assert compare(record, Evidence.ENCLOSURE, "so", 1, "<", number) is None
    assert record.verdict is Verdict.INCONCLUSIVE
    assert record.steps[0].compared is None
