"""Noise and threshold: the exact loss, on releases whose probabilities can be written down."""

import itertools
from collections.abc import Mapping
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.core.exact import exp_down
from privet.core.metric import Parts
from privet.errors import InvalidError
from privet.mechanisms.key_noise import KeyNoise
from privet.mechanisms.tails import gaussian_reaches, laplace_reaches
from privet.noise import discrete_gaussian_tail, discrete_laplace_tail
from privet.tables.noise.key_round import KeyRound, KeyWeights, RowsOfKeys, Rule, make_round

Lists = list[tuple[str, ...]]
KEYS = "abcd"
MOST = 3
DELTA = Fraction(1, 1000)
PAIRS: list[tuple[KeyNoise, Rule]] = [("laplace", "one"), ("laplace", "share"), ("gaussian", "root")]


@cache
def planned(noise: KeyNoise, rule: Rule, epsilon: Fraction) -> KeyRound:
    weights = KeyWeights(rule=rule, most=MOST)
    size = weights.distance.l1 if noise == "laplace" else Fraction(weights.unit)
    return make_round(noise, size / epsilon, weights, DELTA)


def totals(lists: Lists, weights: KeyWeights) -> dict[str, int]:
    found: dict[str, int] = {}
    for keys in lists:
        for key in keys:
            found[key] = found.get(key, 0) + weights.of(len(keys))
    return found


def released(numbers: Mapping[str, int], each: KeyRound) -> dict[tuple[str, ...], Fraction]:
    """The probability of every set of keys: each key shows by itself."""
    tail = laplace_reaches if each.noise == "laplace" else gaussian_reaches
    chance = {key: tail(each.scale, each.threshold - number) for key, number in numbers.items()}
    sets = {}
    for size in range(len(KEYS) + 1):
        for chosen in itertools.combinations(KEYS, size):
            mass = Fraction(1)
            for key in KEYS:
                shows = chance.get(key, Fraction(0))
                mass *= shows if key in chosen else 1 - shows
            sets[chosen] = mass
    return sets


def apart(first: Mapping[str, int], second: Mapping[str, int], each: KeyRound, epsilon: Fraction) -> Fraction:
    """The delta of two tables at an epsilon, in the worse direction."""
    one, two, factor = released(first, each), released(second, each), exp_down(epsilon)
    forth = sum((max(one[keys] - factor * two[keys], Fraction(0)) for keys in one), Fraction(0))
    back = sum((max(two[keys] - factor * one[keys], Fraction(0)) for keys in one), Fraction(0))
    return max(forth, back)


LISTS = st.lists(st.sets(st.sampled_from(KEYS), min_size=1, max_size=MOST).map(lambda keys: tuple(sorted(keys))))


@settings(max_examples=50, deadline=None)
@given(
    st.sampled_from(PAIRS), LISTS, LISTS.filter(bool), st.sampled_from([Fraction(1, 2), Fraction(2)]), st.integers(0, 9)
)
def test_no_two_neighbours_are_further_apart_than_the_loss(
    pair: tuple[KeyNoise, Rule], lists: Lists, more: Lists, epsilon: Fraction, times: int
) -> None:
    each = planned(*pair, epsilon)
    assert isinstance(each.moved, KeyWeights)
    others = lists * times  # many persons with the same lists bring keys near the threshold
    first, second = totals(others, each.moved), totals([*others, more[0]], each.moved)
    if each.noise == "laplace":
        assert each.loss.pure().delta <= DELTA
        assert apart(first, second, each, Fraction(each.loss.pure().cost)) <= each.slack * (1 + Fraction(1, 10**12))
        return
    for wanted in (Fraction(0), epsilon, 3 * epsilon):
        assert apart(first, second, each, wanted) <= each.loss.delta(wanted) * (1 + Fraction(1, 10**12))


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(6)])
def test_delta_is_attained(pair: tuple[KeyNoise, Rule], epsilon: Fraction) -> None:
    each = planned(*pair, epsilon)
    assert isinstance(each.moved, KeyWeights)
    worst = max(apart({}, totals([tuple(KEYS[:keys])], each.moved), each, Fraction(50)) for keys in (1, 2, 3))
    assert abs(worst / each.slack - 1) < Fraction(1, 10**12)


def test_weights_that_are_not_shared_are_caught() -> None:
    each = planned("laplace", "share", Fraction(1, 2))
    assert isinstance(each.moved, KeyWeights)
    broken = dict.fromkeys("abc", each.moved.unit)  # one whole unit for each of three keys
    assert apart({}, broken, each, Fraction(each.loss.pure().cost)) > each.slack


def test_a_delta_for_one_key_alone_is_caught() -> None:
    weights = KeyWeights(rule="share", most=MOST)
    right = planned("laplace", "share", Fraction(1, 2))
    alone = RowsOfKeys(distance=Parts(l0=1, l1=1, l2_squared=1, linf=1))
    steps = Fraction(weights.unit * 2)
    bar = make_round("laplace", Fraction(2), alone, DELTA).threshold * weights.unit
    broken = KeyRound(noise="laplace", scale=steps, threshold=bar, moved=weights)
    assert bar < right.threshold
    assert apart({}, totals([("a", "b", "c")], weights), broken, Fraction(50)) > DELTA


@pytest.mark.parametrize("pair", PAIRS)
def test_the_threshold_is_the_smallest_that_fits(pair: tuple[KeyNoise, Rule]) -> None:
    each = planned(*pair, Fraction(1))
    lower = KeyRound(noise=each.noise, scale=each.scale, threshold=each.threshold - 1, moved=each.moved)
    assert each.slack <= DELTA < lower.slack


@pytest.mark.parametrize("pair", PAIRS[1:])
def test_the_noise_is_the_one_that_is_stated(pair: tuple[KeyNoise, Rule]) -> None:
    each = planned(*pair, Fraction(1))
    far = int(2 * each.scale)
    right, wrong = (float(tail(each.scale, far)[1]) for tail in (discrete_laplace_tail, discrete_gaussian_tail))
    if each.noise == "gaussian":
        right, wrong = wrong, right
    beyond = (np.abs(each.draw(20_000).astype(float)) > far).mean()
    deviation = (right * (1 - right) / 20_000) ** 0.5
    assert abs(beyond - right) < 5.5 * deviation  # fails once in 2e7
    assert abs(beyond - wrong) > 20 * deviation


def test_a_threshold_that_is_not_positive_is_refused() -> None:
    with pytest.raises(InvalidError, match="threshold must be above zero"):
        KeyRound(noise="laplace", scale=1, threshold=0, moved=KeyWeights(rule="one", most=1))
    with pytest.raises(InvalidError, match="laplace, gaussian"):
        KeyRound(noise="cauchy", scale=1, threshold=1, moved=KeyWeights(rule="one", most=1))  # type: ignore[arg-type]
