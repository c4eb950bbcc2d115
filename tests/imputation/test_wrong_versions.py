"""Worked examples of what goes wrong with other labels, other bounds and the source's own noise."""

import math
from fractions import Fraction
from typing import Any

import privet.calculus as pc
from privet.imputation.imputed_total import ImputedTotal
from privet.imputation.queries import PlainSum
from tests.imputation.test_imputed_total import AT_HALF, MAIN, RICH, WIDE, PairwiseBound, PresentRowsOnly, doubling
from tests.mechanisms.test_smooth_noise import BETA


def test_a_bound_in_the_place_of_changes_is_not_smooth() -> None:
    """Ten rows with a donor each, far from an eleventh: without its donor the bound takes all of them together."""
    towns = list("abcdefghij")
    space = pc.records(
        id=int,
        age=pc.vector(int, bounds=(0, 30)),
        town=pc.vector(str, categories=towns),
        income=pc.vector(int, bounds=(0, 7)),
    )
    right = ImputedTotal(features={"age": 1, "town": 2}, label="id", value="income", beta=1)
    rows: list[Any] = [(at, age, town, value) for at, town in enumerate(towns) for age, value in ((0, 7), (1, None))]
    rows += [(20, 20, "a", None), (21, 21, "a", 0)]
    for unit, steps in ((right, 1), (PairwiseBound(right), 2)):
        chain = space >> unit
        first, second = (chain.run(space.domain.admit(data)) for data in (rows, rows[:-1]))
        assert chain.output.metric.distance(first, second, chain.output.domain) == steps


def test_one_row_moves_all_ranks() -> None:
    """Six donors with a row each: by rank among those present, a new donor in front moves every row to the next."""
    space = pc.records(
        id=int,
        age=pc.vector(int, bounds=(0, 3)),
        income=pc.vector(int, bounds=(0, 7)),
        town=pc.vector(str, categories=["here", "there"]),
    )
    right = ImputedTotal(**MAIN, beta=1, query=PlainSum(), where=("town", "here"))
    rows: list[Any] = [(10 * at, 0, 7 * (at % 2), "there") for at in range(1, 7)]
    rows += [(10 * at + 1, 0, None, ("here", "there")[at % 2]) for at in range(1, 7)]
    for unit, steps in ((right, 1), (PresentRowsOnly(right), 2)):
        chain = space >> unit
        first, second = (chain.run(space.domain.admit(data)) for data in (rows, [*rows, (5, 0, 0, "there")]))
        apart = chain.output.metric.distance(first, second, chain.output.domain)
        assert isinstance(apart, int)
        assert (apart <= 1) == (steps == 1)


def test_the_sources_cost_grows_to_nine_tenths() -> None:
    """Errata K1: at epsilon = 0.5 its densities differ by more and more as one donor has more and more rows."""

    def density(x: float, pair: tuple[int, Fraction]) -> float:
        scale = float(pair[1]) / BETA
        return -math.log(scale) - math.log1p((abs(x - pair[0]) / scale) ** float(AT_HALF.gamma))

    costs = []
    for length in (1, 30, 2000):
        first, second = ((WIDE >> RICH).run(WIDE.domain.admit(rows)) for rows in doubling(length))
        outputs = [first[0] * step / 200 for step in range(-2000, 2001)]
        costs.append(max(abs(density(x, first) - density(x, second)) for x in outputs))
    assert costs == sorted(costs)
    assert 0.71 < costs[0] < 0.72
    assert 0.908 < costs[-1] < float(AT_HALF.cost(BETA, BETA)) < 0.9084
