"""The distributions of the number of repetitions."""

import math
from fractions import Fraction

import pytest

from privet.accounting.losses.pure import PureLoss
from privet.accounting.sampling.repetitions import GeometricRepetitions, NegativeBinomialRepetitions, PoissonRepetitions
from privet.core.exact import ball, ends, precision
from privet.errors import InvalidError, NotExactError
from tests.accounting.exact_selection import negative_binomial, poisson


@pytest.mark.parametrize(("shape", "success"), [("1", "1/10"), ("0", "1/10"), ("-1/2", "1/100"), ("5/2", "3/4")])
def test_the_mean_is_the_slope_of_the_generating_function_at_one(shape: str, success: str) -> None:
    generating = negative_binomial(Fraction(shape), Fraction(success))
    step = Fraction(1, 2**60)
    with precision(256):
        low, high = ends((generating(ball(Fraction(1))) - generating(ball(1 - step))) / ball(step))
    mean = NegativeBinomialRepetitions(Fraction(shape), Fraction(success)).mean()
    assert low <= mean
    assert mean == pytest.approx(high, rel=1e-12)


def test_the_logarithm_counts_no_repetition() -> None:
    assert float(PoissonRepetitions(0.5).log_mean()) == pytest.approx(math.log(0.5 + math.exp(-0.5)))
    assert float(PoissonRepetitions(1e-9).log_mean()) >= 0
    with precision(128):
        assert float(poisson(Fraction(1, 2))(ball(Fraction(0)))) == pytest.approx(math.exp(-0.5))


def test_geometric_is_shape_one() -> None:
    one, other = GeometricRepetitions(0.2), NegativeBinomialRepetitions(1, 0.2)
    assert one.pure(Fraction(1)) == other.pure(Fraction(1))
    assert float(one.mean()) == pytest.approx(float(other.mean()))
    assert one.largest_excess(PureLoss(1)) == other.largest_excess(PureLoss(1))


@pytest.mark.parametrize("epsilon", ["1/1000", "1", "30", "4000", "100000"])
def test_the_pure_bound_lies_between_one_and_all(epsilon: str) -> None:
    cost = Fraction(epsilon)
    for shape in (Fraction(-1, 2), Fraction(0), Fraction(2)):
        found = NegativeBinomialRepetitions(shape, 0.01).pure(cost)
        assert cost <= found <= (2 + shape) * cost
    assert cost <= PoissonRepetitions(3).pure(cost) <= cost + 3


def test_draws_stay_in_range() -> None:
    assert min(GeometricRepetitions(0.9).draw() for _ in range(50)) >= 1
    assert min(NegativeBinomialRepetitions(0, 0.9).draw() for _ in range(50)) >= 1
    assert 0 in {PoissonRepetitions(0.1).draw() for _ in range(200)}  # none 200 times has probability below 1e-200


def test_messages() -> None:
    with pytest.raises(InvalidError, match="GeometricRepetitions.success must be above zero and below one, got 1."):
        GeometricRepetitions(1)
    with pytest.raises(InvalidError, match="NegativeBinomialRepetitions.shape must be above -1, got -1."):
        NegativeBinomialRepetitions(-1, 0.5)
    with pytest.raises(
        InvalidError, match="NegativeBinomialRepetitions.success must be above zero and below one, got 0."
    ):
        NegativeBinomialRepetitions(1, 0)
    with pytest.raises(InvalidError, match="PoissonRepetitions.average must be above zero, got -2."):
        PoissonRepetitions(-2)
    with pytest.raises(NotExactError, match="GeometricRepetitions.success"):
        GeometricRepetitions("half")
