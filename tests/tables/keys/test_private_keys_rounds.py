"""Two rounds, exactly: the probabilities of all releases of small neighbouring tables."""

import itertools
from collections.abc import Callable, Sequence
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.accounting.losses.loss import SumLoss
from privet.core.exact import exp_down
from privet.mechanisms.tails import gaussian_reaches, laplace_reaches
from privet.tables.keys.private_keys import gaussian_rounds, laplace_rounds
from privet.tables.noise.key_round import KeyRound, KeyWeights

KEYS = frozenset("abc")
SETS = [frozenset(each) for size in range(4) for each in itertools.combinations(sorted(KEYS), size)]
EPSILON, DELTA = Fraction(2), Fraction(1, 100)
Lists = Sequence[frozenset[str]]
Make = Callable[[int, Fraction, Fraction, int], tuple[KeyRound, ...]]
Law = dict[tuple[frozenset[str], ...], Fraction]


def law(lists: Lists, rounds: Sequence[KeyRound], *, remove: bool = True) -> Law:
    """The probability of every sequence of found sets; ``remove`` takes what was found off the lists."""
    if not rounds:
        return {(): Fraction(1)}
    found: Law = {}
    each, weights = rounds[0], rounds[0].moved
    assert isinstance(weights, KeyWeights)
    tail = laplace_reaches if each.noise == "laplace" else gaussian_reaches
    totals = {key: sum(weights.of(len(keys)) for keys in lists if key in keys) for key in KEYS}
    chance = {key: tail(each.scale, each.threshold - total) if total else 0 for key, total in totals.items()}
    for chosen in SETS:
        mass = Fraction(1)
        for key in KEYS:
            mass *= chance[key] if key in chosen else 1 - chance[key]
        if mass:
            left = [keys - chosen if remove else keys for keys in lists]
            for later, share in law([keys for keys in left if keys], rounds[1:], remove=remove).items():
                found[(chosen, *later)] = mass * share
    return found


def apart(first: Law, second: Law, epsilon: Fraction) -> Fraction:
    """The delta of two laws at an epsilon, in the worse direction."""
    factor, events = exp_down(epsilon), {*first, *second}
    pairs = [(first.get(event, Fraction(0)), second.get(event, Fraction(0))) for event in events]
    forth = sum((max(one - factor * two, Fraction(0)) for one, two in pairs), Fraction(0))
    back = sum((max(two - factor * one, Fraction(0)) for one, two in pairs), Fraction(0))
    return max(forth, back)


LISTS = st.lists(st.sampled_from(SETS[1:]), min_size=1, max_size=3)


@settings(max_examples=40, deadline=None)
@given(LISTS, st.sampled_from(SETS[1:]), st.integers(0, 12), st.sampled_from([laplace_rounds, gaussian_rounds]))
def test_two_rounds_lose_no_more_than_was_asked(lists: Lists, more: frozenset[str], times: int, make: Make) -> None:
    rounds = make(3, EPSILON, DELTA, 2)
    others = [*lists] * times
    first, second = law(others, rounds), law([*others, more], rounds)
    assert apart(first, second, EPSILON) <= DELTA
    total = SumLoss.of(tuple(part for each in rounds for part in each.loss.parts()))
    assert apart(first, second, EPSILON / 2) <= total.delta(EPSILON / 2) * (1 + Fraction(1, 10**9))


@pytest.mark.parametrize("make", [laplace_rounds, gaussian_rounds])
def test_rounds_with_the_whole_budget_each_are_caught(make: Make) -> None:
    whole = make(3, EPSILON, DELTA, 1) * 2
    assert apart(law([], whole), law([KEYS], whole), Fraction(50)) > whole[0].slack


def test_removal_changes_later_rounds() -> None:
    rounds = laplace_rounds(3, EPSILON, DELTA, 2)
    lists = [frozenset("ab")] * 8
    assert law(lists, rounds) != law(lists, rounds, remove=False)
