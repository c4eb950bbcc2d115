"""Errors of consistent numbers, and of their ratios: against draws of the noise."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from privet.mechanisms.consistent_tree import ConsistentTree
from privet.noise import discrete_gaussian, discrete_laplace
from privet.tables.aggregates.noise import Noise
from privet.tables.rollup.errors import ConsistentRatio, NodeErrors, node_errors

PARENTS = (np.array([0, 0]), np.array([0, 0, 0, 1]))
DRAWS = 40_000  # the share that is covered errs by 0.1 %: eight deviations lie within the bounds
COUNT, TOTAL = np.array([0.1, 0.1]), np.array([1.0, 0.2])  # of numbers that both are made of
EXACT_COUNT, EXACT_TOTAL = 900.0, 2500.0
MEAN = EXACT_TOTAL / EXACT_COUNT


def noise(kind: Any, scale: int) -> Noise:
    return Noise(kind=kind, scale=Fraction(scale), grid=Fraction(1))


def errors(kind: Any, scale: int) -> tuple[ConsistentTree, list[NodeErrors]]:
    each = noise(kind, scale)
    tree = ConsistentTree(parents=PARENTS, variances=(1.0,) * 3)
    return tree, node_errors(tree, [each] * 3, each.deviation)


def drawn(tree: ConsistentTree, kind: str, scale: int, numbers: int) -> list[np.ndarray]:
    """Errors of consistent numbers at each level: nodes by draws by numbers."""
    sampler = discrete_laplace if kind == "laplace" else discrete_gaussian
    shapes = [(n, DRAWS, numbers) for n in tree.sizes]
    return tree.fit([sampler(Fraction(scale), size=int(np.prod(shape))).reshape(shape) for shape in shapes])


@pytest.mark.parametrize("kind", ["laplace", "gaussian"])
def test_weighted_sums_have_the_stated_deviations_and_reach(kind: str) -> None:
    tree, levels = errors(kind, 40)
    for law, draws in zip(levels, drawn(tree, kind, 40, 2), strict=True):
        summed = law.times(TOTAL)
        assert np.allclose((draws @ TOTAL).std(axis=1), summed.deviations, rtol=0.06)
        covered = (np.abs(draws @ TOTAL) <= summed.reach(Fraction(95, 100))[:, None]).mean(axis=1)
        assert 0.941 < covered.min() <= covered.max() < 0.965


def test_independent_errors_of_different_size_and_unit_add_up() -> None:
    (tree, large), (_, small) = errors("laplace", 400), errors("gaussian", 30)
    both = [first.plus(second) for first, second in zip(large, small, strict=True)]
    draws = [a + b for a, b in zip(drawn(tree, "laplace", 400, 1), drawn(tree, "gaussian", 30, 1), strict=True)]
    for law, values in zip(both, draws, strict=True):
        covered = (np.abs(values[:, :, 0]) <= law.reach(Fraction(95, 100))[:, None]).mean(axis=1)
        assert 0.941 < covered.min() <= covered.max() < 0.965


def ratio(law: NodeErrors, other: NodeErrors, top: Any, bottom: Any, *, shared: bool) -> ConsistentRatio:
    weights = (TOTAL, COUNT) if shared else (np.ones(1), np.ones(1))
    return ConsistentRatio(top=top, bottom=bottom, above=law, below=other, weights=weights, shared=shared)


def of_first(law: NodeErrors) -> NodeErrors:
    """The law of the first node, for as many draws of it."""
    names = ("spread", "normal", "squares", "fourths", "largest", "all_fourths", "half_steps")
    return NodeErrors(**{name: np.repeat(getattr(law, name)[:1], DRAWS) for name in names}, unit=law.unit)


@pytest.mark.parametrize("shared", [True, False], ids=["shared", "apart"])
@pytest.mark.parametrize("kind", ["laplace", "gaussian"])
def test_intervals_of_ratios_cover_as_often_as_they_say(kind: str, shared: bool) -> None:
    tree, levels = errors(kind, 50)
    law, first, second = of_first(levels[1]), drawn(tree, kind, 50, 2)[1][0], drawn(tree, kind, 50, 2)[1][0]
    top = EXACT_TOTAL + (first @ TOTAL if shared else first[:, 0])
    bottom = EXACT_COUNT + (first @ COUNT if shared else second[:, 0])
    low, high = ratio(law, law, top, bottom, shared=shared).interval(Fraction(95, 100))
    assert 0.941 < ((low <= MEAN) & (high >= MEAN)).mean() < 0.965


def test_errors_of_ratios_are_those_of_draws() -> None:
    tree, levels = errors("gaussian", 20)
    draws = drawn(tree, "gaussian", 20, 2)[1]
    found = ratio(levels[1], levels[1], np.full(2, EXACT_TOTAL), np.full(2, EXACT_COUNT), shared=True)
    spread = ((EXACT_TOTAL + draws @ TOTAL) / (EXACT_COUNT + draws @ COUNT)).std(axis=1)
    assert np.allclose(found.errors, spread, rtol=0.06)


def test_a_ratio_that_forgets_that_its_numbers_are_shared_is_noticed() -> None:
    tree, levels = errors("laplace", 50)
    law, draws = of_first(levels[2]), drawn(tree, "laplace", 50, 2)[2][0]
    top, bottom = 9000 + draws @ TOTAL, EXACT_COUNT + draws @ (COUNT * 5)
    weights = (TOTAL, COUNT * 5)
    forgetful = ConsistentRatio(top=top, bottom=bottom, above=law, below=law, weights=weights, shared=False)
    low, high = forgetful.interval(Fraction(95, 100))
    assert not 0.941 < ((low <= 10) & (high >= 10)).mean() < 0.965


def test_a_denominator_that_may_be_zero_leaves_everything_open() -> None:
    _, levels = errors("laplace", 50)
    found = ratio(levels[0], levels[0], np.array([100.0]), np.array([0.0]), shared=False)
    assert np.isnan(found.values[0])
    assert [end.tolist() for end in found.interval(Fraction(95, 100))] == [[-np.inf], [np.inf]]
