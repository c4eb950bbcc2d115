"""Sampling without replacement, shuffling, and the random keys behind both."""

import numpy as np
from numpy.typing import NDArray

from privet.errors import InvalidError
from privet.noise.drawing import Entropy, count, current
from privet.noise.drawing import count as read
from privet.noise.uniform import uniform_below


def distinct_keys(population: int, *, entropy: Entropy | None = None) -> NDArray[np.uint64]:
    """Draw different random 64-bit keys; sorting by them gives a uniformly random order.

    If two keys are equal, all keys are drawn again, so a position never decides a tie.

    Proof: docs/noise/sampling.md.

    >>> len(set(distinct_keys(4).tolist()))
    4
    """
    population = count("distinct_keys.population", population)
    source = entropy or current()
    while True:
        keys = source.words(population, np.uint64)
        ranked = np.sort(keys)
        if not np.any(ranked[1:] == ranked[:-1]):
            return keys


def shuffle(population: int, *, entropy: Entropy | None = None) -> NDArray[np.int64]:
    """Draw a uniformly random order of 0 .. population - 1.

    The order of distinct random 64-bit keys is uniform; if two keys are equal, all are drawn again.

    Proof: docs/noise/sampling.md.

    >>> sorted(shuffle(4).tolist())
    [0, 1, 2, 3]
    """
    population = count("shuffle.population", population)
    return np.argsort(distinct_keys(population, entropy=entropy)).astype(np.int64)


def simple_sample(population: int, count: int, *, entropy: Entropy | None = None) -> NDArray[np.int64]:
    """Draw ``count`` distinct indices below ``population``, every ordered choice with the same probability.

    Args:
        population: The size of the population, at most 2^63.
        count: The size of the sample.
        entropy: The source of randomness; by default the stream of the operating system.

    Proof: docs/noise/sampling.md.

    >>> sorted(simple_sample(3, 3).tolist())
    [0, 1, 2]
    """
    population = read("simple_sample.population", population)
    count = read("simple_sample.count", count)
    if population > 1 << 63:
        raise InvalidError(f"simple_sample.population must be at most 2^63, got {population}.")
    if count > population:
        raise InvalidError(f"simple_sample.count must be at most the population of {population}, got {count}.")
    source = entropy or current()
    if 4 * count >= population:
        return shuffle(population, entropy=source)[:count]
    chosen = np.empty(0, np.int64)
    while chosen.size < count:
        fresh = uniform_below(population, count - chosen.size, entropy=source)
        chosen = np.concatenate([chosen, fresh])
        # Keep the first occurrence of each index, in the order drawn: the same as rejecting repetitions one by one.
        chosen = chosen[np.sort(np.unique(chosen, return_index=True)[1])]
    return chosen
