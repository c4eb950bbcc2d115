"""Samples without replacement and permutations: every order equally likely."""

import itertools
from collections import Counter

import numpy as np
import pytest

from privet.errors import InvalidError
from privet.noise import shuffle, simple_sample
from tests.noise.doubles import RecordingEntropy, ScriptedEntropy


def assert_equally_likely(outcomes: list[tuple[int, ...]], possible: int) -> None:
    """Each count stays within 6 standard deviations; a correct sampler fails with probability below 1e-6."""
    counts = Counter(outcomes)
    expected = len(outcomes) / possible
    assert len(counts) == possible
    assert max(abs(c - expected) for c in counts.values()) < 6.5 * expected**0.5


def test_all_permutations_are_equally_likely() -> None:
    source = RecordingEntropy(1)
    assert_equally_likely([tuple(shuffle(4, entropy=source)) for _ in range(4_800)], 24)


@pytest.mark.parametrize(("population", "count"), [(4, 2), (12, 2), (9, 2)])
def test_all_ordered_samples_are_equally_likely(population: int, count: int) -> None:
    source = RecordingEntropy(2)
    possible = len(list(itertools.permutations(range(population), count)))
    draws = [tuple(simple_sample(population, count, entropy=source)) for _ in range(150 * possible)]
    assert_equally_likely(draws, possible)


def test_a_tie_of_keys_draws_all_keys_again() -> None:
    keys = np.array([5, 7, 5], np.uint64).tobytes() + np.array([3, 1, 2], np.uint64).tobytes()
    source = ScriptedEntropy(keys)
    assert shuffle(3, entropy=source).tolist() == [1, 2, 0]
    assert source.exhausted


def test_a_repeated_index_is_refused_in_order() -> None:
    # 4 bits each of bytes, mask 15: the request for 3 proposes 11 and keeps the first 3, of which one repeats
    script = bytes([9, 9, 4] + [0] * 8 + [9, 4, 6] + [0] * 7)
    assert simple_sample(16, 3, entropy=ScriptedEntropy(script)).tolist()[:2] == [9, 4]


def test_large_and_empty_samples() -> None:
    chosen = simple_sample(10**12, 10_000)
    assert np.unique(chosen).size == 10_000
    assert chosen.min() >= 0
    assert chosen.max() < 10**12
    assert chosen.dtype == np.int64
    assert np.sort(shuffle(1000)).tolist() == list(range(1000))
    assert shuffle(0).size == 0
    assert shuffle(1).tolist() == [0]
    assert simple_sample(5, 0).size == 0
    assert simple_sample(0, 0).size == 0


def test_bad_parameters() -> None:
    with pytest.raises(InvalidError, match=r"simple_sample\.count must be at most the population of 3, got 4\."):
        simple_sample(3, 4)
    with pytest.raises(InvalidError, match=r"shuffle\.population must be zero or more, got -1\."):
        shuffle(-1)
    with pytest.raises(InvalidError, match=r"at most 2\^63"):
        simple_sample(2**64, 1)
