"""Chains: how units are assembled, and the errors when they do not fit."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import frozen

import privet as pv
import privet.calculus as pc
from privet.accounting.losses.loss import Loss
from privet.chains.measurement import MeasurementChain
from privet.chains.transformation import TransformationChain
from privet.core.metric import Distance
from privet.core.space import Space
from privet.errors import InvalidError, UnavailableError, WrongTypeError

PLACED: Any = pc.vector(int) >> pc.Clamp(bounds=(0, 3))
CLAMP, SUM, NOISE = pc.Clamp(bounds=(0, 3)), pc.Sum(), pc.Laplace(scale=3)


@frozen
class Duplicate(pc.Transformation):
    """Every row twice: a unit that stretches distances."""

    def output(self, space: Space) -> Space:
        return space

    def apply(self, value: Any, space: Space) -> Any:
        return value.repeat(2)

    def stability(self, d_in: Any, space: Space) -> Distance:
        return int(2 * d_in)


@frozen
class PoissonSample(pc.Transformation):
    """A sampling unit, to try the interface with: one record is amplified, then the group is taken."""

    rate: Fraction

    def output(self, space: Space) -> Space:
        return space

    def apply(self, value: Any, space: Space) -> Any:
        return value[pv.noise.bernoulli(self.rate, size=len(value))]

    def stability(self, d_in: Any, space: Space) -> Distance:
        return int(d_in)

    def bound(self, d_in: Any, space: Space, then: Callable[[Distance], Loss]) -> Loss:
        return then(1).amplify(pv.Poisson(self.rate)).group(d_in)


def test_grouping_does_not_matter() -> None:
    space = pc.vector(int)
    one = space >> CLAMP >> SUM >> NOISE
    assert space >> (CLAMP >> SUM >> NOISE) == one
    assert space >> (CLAMP >> (SUM >> NOISE)) == one
    assert space >> CLAMP >> (SUM >> NOISE) == one
    assert (space >> CLAMP >> SUM) >> NOISE == one
    assert isinstance(space >> CLAMP, TransformationChain)
    assert isinstance(one, MeasurementChain)


def test_maps_multiply_along_a_chain() -> None:
    chain = pc.vector(int) >> Duplicate() >> CLAMP >> Duplicate() >> SUM
    assert chain.map(1) == 12
    assert (chain >> NOISE).map(1).epsilon() == 4


def test_a_sample_amplifies_one_record_and_then_takes_the_group() -> None:
    rate = Fraction(1, 10)
    chain = pc.vector(int) >> PoissonSample(rate) >> CLAMP >> SUM >> NOISE
    one = math.log1p(0.1 * math.expm1(1))
    assert math.isclose(float(chain.map(1).epsilon()), one)
    assert math.isclose(float(chain.map(2).epsilon()), 2 * one)
    group_first = math.log1p(0.1 * math.expm1(2))
    assert 2 * one < group_first, "the other order would charge more"


def test_units_before_a_sample_enlarge_the_group() -> None:
    sample = PoissonSample(Fraction(1, 10))
    chain = pc.vector(int) >> Duplicate() >> sample >> CLAMP >> SUM >> NOISE
    behind = pc.vector(int) >> sample >> Duplicate() >> CLAMP >> SUM >> NOISE
    one, two = math.log1p(0.1 * math.expm1(1)), math.log1p(0.1 * math.expm1(2))
    assert math.isclose(float(chain.map(1).epsilon()), 2 * one)
    assert math.isclose(float(behind.map(1).epsilon()), two), "two copies of one sampled record"
    assert pc.vector(int) >> (Duplicate() >> sample) >> (CLAMP >> SUM >> NOISE) == chain


def test_samples_of_samples_nest() -> None:
    half = PoissonSample(Fraction(1, 2))
    chain = pc.vector(int) >> half >> half >> CLAMP >> SUM >> NOISE
    assert math.isclose(float(chain.map(1).epsilon()), math.log1p(0.25 * math.expm1(1)))


def test_a_thousand_sampled_gaussians_at_distance_two_have_an_answer() -> None:
    """The shape that accounting will sharpen: parts with multiplicities under one group."""
    chain = pc.vector(int) >> PoissonSample(Fraction(1, 100)) >> pc.Clamp(bounds=(0, 1)) >> SUM >> pc.Gaussian(scale=1)
    loss = chain.map(2) * 1000
    assert [often for _, often in loss.parts()] == [1000]
    assert math.isfinite(loss.epsilon(1e-6))


def test_post_processing_is_free_and_runs_in_order() -> None:
    chain = pc.vector(int, bounds=(0, 10)) >> SUM >> NOISE >> (lambda release: release * 2) >> "{}".format
    released = chain([1, 2])
    assert type(released) is str
    assert int(released) % 2 == 0
    pipeline = SUM >> NOISE >> abs
    assert (pc.vector(int, bounds=(0, 10)) >> pipeline)([]) >= 0


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: CLAMP >> len, "only a measurement may be post-processed"),
        (lambda: CLAMP >> pc.Sum, "Sum is a class: write Sum"),
        (lambda: CLAMP >> 5, "only a unit can follow a transformation, got int"),
        (lambda: NOISE >> SUM, "Sum cannot follow a measurement"),
        (lambda: NOISE >> (CLAMP >> SUM), "Pipeline cannot follow a measurement"),
        (lambda: (CLAMP >> SUM >> NOISE) >> NOISE, "Laplace cannot follow a measurement"),
        (lambda: NOISE >> pc.Laplace, "Laplace is a class"),
        (lambda: PLACED >> len, "only a measurement may be post-processed"),
        (lambda: PLACED >> pc.vector(int), "only a unit can follow a transformation, got Space"),
        (lambda: pc.scalar(int) >> NOISE >> pc.scalar(int), "already private"),
    ],
)
def test_units_that_do_not_fit_are_refused(make: Any, message: str) -> None:
    with pytest.raises(WrongTypeError, match=message):
        make()


def test_a_class_may_post_process_only_as_a_function() -> None:
    with pytest.raises(WrongTypeError, match="write `lambda release: float\\(release\\)`"):
        pc.scalar(int) >> NOISE >> float


def test_intervals_and_accuracy_check_their_level() -> None:
    chain = pc.scalar(int) >> NOISE
    for wrong in (0, 1, -1, 2):
        with pytest.raises(InvalidError, match="between zero and one"):
            chain.accuracy(wrong)
    low, high = chain.interval(10, 0.99)
    assert low < 10 < high
    with pytest.raises(UnavailableError, match="post-processed"):
        (chain >> abs).interval(3)


def test_an_interval_counts_the_rounding_of_the_release() -> None:
    chain = pc.vector(int, bounds=(0, 10), size=3) >> pc.Mean() >> pc.Laplace(scale=1e-6)
    low, high = chain.interval(chain([1, 0, 0]))
    assert Fraction(float(low)) < Fraction(1, 3) < Fraction(float(high))
    many = pc.numbers(2, float, grid=0.5) >> pc.Laplace(scale=1)
    lows, highs = many.interval(np.array([1.0, -4.0]))
    assert (lows < highs).all()
    with pytest.raises(InvalidError, match="interval.level must be between zero and one, got 2."):
        chain.interval(0.0, 2)


def test_counts_by_key_have_an_interval_for_each_key() -> None:
    chain = pc.vector(str) >> pc.StableHistogram(scale=1, threshold=20)
    released = chain(["a"] * 500)
    half = chain.accuracy(0.05)
    assert chain.interval(released) == {"a": (released["a"] - half, released["a"] + half)}


def test_units_with_a_natural_input_answer_alone() -> None:
    assert pc.Count()([1.0, 2.0]) == 2
    assert pc.Gaussian(scale=1).map(1).rho() == Fraction(1, 2)
    with pytest.raises(WrongTypeError, match="NoisyMean needs an input space: write `space >> NoisyMean"):
        pc.NoisyMean(noise=NOISE).map(1)
