"""Weights of keys, in whole steps."""

from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlglot import exp

from privet.core.metric import Parts
from privet.errors import InvalidError, PrivetError
from privet.mechanisms.stable_keys import Reach, any_of
from privet.mechanisms.tails import gaussian_reaches, laplace_reaches
from privet.tables.columns.column import Column
from privet.tables.engines.duckdb import DuckDBEngine
from privet.tables.noise.key_round import RULES, KeyWeights, RowsOfKeys, Rule
from privet.tables.vocabulary.relation import Relation, column, named

WHOLE = Column(kind="integer")
Tail = Callable[[Fraction, int], Fraction]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("most", [1, 3, 1000, 2**40])
def test_the_engine_and_python_agree_on_every_weight(rule: Rule, most: int) -> None:
    weights = KeyWeights(rule=rule, most=most)
    several = [keys for keys in (*range(1, 200), most // 2 + 1, most) if keys <= most]
    with DuckDBEngine() as engine:
        lists = engine.load([{"t": keys} for keys in several], {"t": WHOLE})
        query = exp.Select(expressions=[column("t", "r"), named(weights.sql(column("t", "r")), "w")])
        found = engine.execute(Relation(query=query.from_(lists.derived()), columns={"t": WHOLE, "w": WHOLE}))
    assert dict(zip(found["t"], found["w"], strict=True)) == {keys: weights.of(keys) for keys in several}


@given(st.sampled_from(RULES), st.integers(1, 3000), st.data())
def test_a_person_moves_the_weights_by_no_more_than_the_distance(rule: Rule, most: int, data: st.DataObject) -> None:
    weights = KeyWeights(rule=rule, most=most)
    keys = data.draw(st.integers(1, most))
    moved = [Fraction(weights.of(keys))] * keys
    assert Parts.of(moved) <= weights.distance
    assert weights.of(keys) >= 1


def test_roots_of_all_lists_are_exact_at_the_limit_of_doubles() -> None:
    weights = KeyWeights(rule="root", most=2**40)
    assert weights.unit**2 < 2**52
    assert weights.of(2**40) == 1
    assert weights.of(1) == weights.unit


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(RULES),
    st.integers(1, 60),
    st.sampled_from([Fraction(1, 5), Fraction(1), Fraction(20)]),
    st.sampled_from([laplace_reaches, gaussian_reaches]),
    st.integers(0, 30),
)
def test_the_worst_number_of_keys_is_found(rule: Rule, most: int, share: Fraction, tail: Tail, far: int) -> None:
    weights = KeyWeights(rule=rule, most=most)
    scale = weights.unit * share

    def reach(count: int) -> Fraction:
        return tail(scale, weights.unit * far // 2 - count)

    every = [any_of([(reach(weights.of(keys)), keys)]) for keys in range(1, most + 1)]
    assert weights.shows(reach) == max(every)


def test_one_key_alone_is_not_the_worst_case() -> None:
    weights = KeyWeights(rule="share", most=10)
    reach: Reach = lambda count: laplace_reaches(Fraction(weights.unit), 15 * weights.unit - count)  # noqa: E731
    assert weights.shows(reach) > 3 * reach(weights.unit)


def test_long_lists_are_searched_quickly() -> None:
    weights, seen = KeyWeights(rule="root", most=2**30), []

    def reach(count: int) -> Fraction:
        seen.append(count)
        return gaussian_reaches(Fraction(4 * weights.unit), 40 * weights.unit - count)

    assert weights.shows(reach) == any_of([(reach(weights.of(2**30)), 2**30)])
    assert len(seen) < 500


def test_rows_are_counted_as_the_stable_histogram_does() -> None:
    moved = RowsOfKeys(distance=Parts(l0=2, l1=2, l2_squared=2, linf=1))
    weights = KeyWeights(rule="one", most=2)
    reach: Reach = lambda count: laplace_reaches(Fraction(3), 20 - count)  # noqa: E731
    assert moved.shows(reach) == weights.shows(reach)
    assert moved.distance == weights.distance


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"rule": "even", "most": 2}, "must be one of one, share, root"),
        ({"rule": "share", "most": 0}, "above zero"),
        ({"rule": "share", "most": 2**41}, "smaller cap"),
    ],
)
def test_wrong_weights_are_refused(given: dict[str, object], message: str) -> None:
    with pytest.raises(PrivetError, match=message) as caught:
        KeyWeights(**given)  # type: ignore[arg-type]
    assert isinstance(caught.value, InvalidError)
