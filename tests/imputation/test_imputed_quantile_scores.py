"""Quantiles of imputed values by a score that counts changes, under the laws."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import evolve, frozen

import privet.calculus as pc
from privet.chains.transformation import TransformationChain
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError, WrongTypeError
from privet.imputation.completion import CompletedRows
from privet.imputation.scheme import MajorityOfNeighbours, MeanOfNeighbours
from tests.imputation.crowds import check_crowds
from tests.imputation.test_imputed_total import MAIN, NAMED, NAMELY, PEOPLE, doubling
from tests.laws import Case, Twin
from tests.transforms.twins import TwinOf

WIDE = pc.records(id=int, age=pc.vector(int, bounds=(0, 3)), income=pc.vector(int, bounds=(0, 7)), town=pc.vector(str))


def median(**change: Any) -> Any:
    known: dict[str, Any] = {**MAIN, "candidates": [-2, 0, 3, 7], "alpha": Fraction(1, 2)}
    return pc.ImputedQuantileScores(**known | change)


CASES = [
    Case(name="scores of an imputed median", chain=PEOPLE >> median()),
    Case(name="scores of an imputed quantile", chain=PEOPLE >> median(alpha=Fraction(9, 10), candidates=[0, 6])),
    Case(name="scores of an imputed minimum", chain=PEOPLE >> median(alpha=0)),
    Case(name="scores of an imputed median by majority", chain=PEOPLE >> median(scheme=MajorityOfNeighbours(k=3))),
    Case(
        name="scores of a median of imputed means",
        chain=NAMED
        >> pc.ImputedQuantileScores(
            **NAMELY, candidates=[0.1, 0.5, 0.6], alpha=Fraction(1, 3), scheme=MeanOfNeighbours(k=2)
        ),
    ),
    Case(name="scores of an imputed median, wide", chain=WIDE >> median(candidates=[0, 3, 7])),
]


@frozen
class Rescored(TwinOf):
    """Scores what it believes of the completed rows."""

    def apply(self, value: Any, space: Space) -> Any:
        completion = self.right._completion(space)  # type: ignore[attr-defined]
        return self.right.score(self.seen(completion.complete(completion.read(value))), space)  # type: ignore[attr-defined]

    def seen(self, completed: CompletedRows) -> CompletedRows:
        raise NotImplementedError


@frozen
class OnlyOwn(Rescored):
    """Forgets that a donor moves its donees: the score of a complete table."""

    def seen(self, completed: CompletedRows) -> CompletedRows:
        return evolve(completed, changes=0)


@frozen
class Local(TwinOf):
    """Takes the influence on these data for that on all data a few changes away."""

    def apply(self, value: Any, space: Space) -> Any:
        unit: Any = self.right
        completion = unit._completion(space)
        completed = completion.complete(completion.read(value))
        top, bottom = unit.alpha.as_integer_ratio()
        each = max(top, bottom - top) + bottom * min(completed.changes, completed.incomplete)
        rows = np.sort(completed.values)
        step = completion.value[1].step / unit.scheme.parts
        return np.array([-unit._gap(rows, point / step) // each for point in unit.candidates])


@frozen
class OneWay(TwinOf):
    """Claims that all scores move in the same direction."""

    def stability(self, d_in: Any, space: Space) -> Any:
        return d_in


def far(length: int) -> tuple[list[Any], list[Any]]:
    """Two donors share rows that lack a value, far from the middle; without the second, one has all of them."""
    rows, fewer = doubling(length)
    others = [(-at - 1, 3, 7, None) for at in range(40 * length)]
    return [*rows, *others], [*fewer, *others]


WIDELY = median(candidates=[0, 3, 7])
TWINS = [Twin(law="map", case=Case(name="imputed scores that move one way", chain=WIDE >> OneWay(WIDELY)))]
PAIRS = [make(length) for make in (doubling, far) for length in (1, 4, 9, 30)]


def apart(unit: Any, pair: tuple[list[Any], list[Any]]) -> Fraction:
    chain = WIDE >> unit
    first, second = (chain.run(chain.input.domain.admit(rows)) for rows in pair)
    return Fraction(chain.output.metric.distance(first, second, chain.output.domain))


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: str(len(pair[0])))
def test_a_donor_of_many_moves_each_score_by_one_at_most(pair: tuple[list[Any], list[Any]]) -> None:
    assert apart(WIDELY, pair) <= 2


@pytest.mark.parametrize("wrong", [OnlyOwn(WIDELY), Local(WIDELY)], ids=lambda wrong: type(wrong).__name__)
def test_wrong_versions_are_caught(wrong: Any) -> None:
    assert max(apart(wrong, pair) for pair in PAIRS) > 2


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.share(2)
def test_neighbours_with_many_missing_values_come_out_two_apart_at_most(case: Case) -> None:
    assert isinstance(case.chain, TransformationChain)
    check_crowds(case.chain, most=2)


def test_a_small_example_by_hand() -> None:
    people = pc.records(id=int, age=pc.vector(int, bounds=(0, 9)), income=pc.vector(int, bounds=(0, 100)))
    unit = pc.ImputedQuantileScores(features=["age"], label="id", value="income", candidates=[0, 45, 100], alpha=0.5)
    rows = [(at, at % 10, 10 * (at % 10)) for at in range(100)] + [(100, 5, None)]
    # 0, 10, ..., 90 ten times each, and 50 once more. Above 45 lies half a row too many, above 0 lie 40.5 too many.
    # k changes move a gap by 1.5, 4, 7.5, 12, 17.5, 24, 31.5, 40, 49.5 and 60: the k-th by 0.5 + k.
    assert (people >> unit)(rows).tolist() == [-9, -1, -10]


def test_the_median_of_imputed_values_is_selected() -> None:
    people = pc.records(id=int, age=pc.vector(int, bounds=(0, 9)), income=pc.vector(int, bounds=(0, 1000)))
    rows = [(n, n % 10, None if n % 30 == 9 else 100 * (n % 10)) for n in range(6000)]
    unit = pc.ImputedQuantileScores(
        features=["age"], label="id", value="income", candidates=range(50, 1000, 100), alpha=0.5
    )
    chain = people >> unit >> pc.Exponential(temperature=Fraction(1, 4))
    assert chain.map(1).epsilon() == 8
    assert {chain(rows) for _ in range(20)} == {4}  # 450 splits incomes of 0, 100, ..., 900 in halves


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"features": "age"}, WrongTypeError, "ImputedQuantileScores.features must be a list"),
        ({"features": ["age", "age"]}, InvalidError, "different columns"),
        ({"features": {"age": 0}}, InvalidError, "one or more, got 0"),
        ({"scheme": 3}, WrongTypeError, "scheme must be one such as NearestNeighbour"),
        ({"candidates": [3, 1]}, InvalidError, "candidates"),
        ({"alpha": 2}, InvalidError, "alpha"),
    ],
)
def test_parameters_are_checked(change: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        median(**change)


def test_other_spaces_are_refused() -> None:
    with pytest.raises(MismatchError, match="ImputedQuantileScores reads records"):
        pc.vector(int) >> median()
    with pytest.raises(MismatchError, match="needs bounds for 'income'"):
        pc.records(id=int, age=pc.vector(int, bounds=(0, 3)), income=int) >> median()
