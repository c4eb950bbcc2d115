"""Records as donors see them: cells, labels and steps, each a function of one row."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import privet.calculus as pc
from privet.errors import MismatchError
from privet.imputation.completion import Completion, in_steps, labels_of
from privet.imputation.scheme import MeanOfNeighbours, NearestNeighbour, Scheme

SPACE = pc.records(
    id=str,
    age=pc.vector(int, bounds=(-2, 3)),
    sex=pc.vector(bool),
    town=pc.vector(str, categories=["a", "b"], nullable=False),
    wage=pc.vector(float, bounds=(-1, 2), grid=Fraction(1, 4)),
)


def completion(scheme: Scheme | None = None, /, **features: int) -> Completion:
    domain: Any = SPACE.domain
    return Completion.on("Test", domain, features or {"age": 1}, "id", "wage", scheme or NearestNeighbour())


def read(rows: list[Any], **features: int) -> Any:
    return completion(**features).read(SPACE.domain.admit(rows))


def test_features_are_levels() -> None:
    grid = completion(age=1, sex=3, town=2).grid
    assert [(each.kind, each.levels, each.weight) for each in grid.features] == [
        ("ordinal", 6, 1),
        ("categorical", 3, 3),  # what is missing is a level of its own
        ("categorical", 2, 2),
    ]
    rows = [("x", -2, False, "a", 0), ("x", 3, True, "b", 0), ("x", None, None, None, 0), ("x", 99, True, "c", 0)]
    wanted = [[0, 0, 0], [5, 1, 1], [2, 2, 0], [5, 1, 0]]
    assert grid.decode(read(rows, age=1, sex=3, town=2).cells).tolist() == wanted


def test_values_are_steps_and_what_is_missing_is_told() -> None:
    rows = read([("x", 0, None, "a", value) for value in (0.5, None, float("nan"), -9.0, 2.0, "junk")])
    assert rows.missing.tolist() == [False, True, True, False, False, True]
    assert rows.steps.tolist() == [2, 0, 0, -4, 8, 0]


def test_what_stands_behind_a_null_does_not_count() -> None:
    column: Any = pc.vector(int, bounds=(3, 9)).domain
    hidden = np.ma.MaskedArray([5, 7], mask=[True, False])
    assert [part.tolist() for part in in_steps(hidden, column)] == [[3, 7], [True, False]]


def test_labels_stay_with_their_rows() -> None:
    texts = np.ma.MaskedArray(
        np.array(["a", "b", "a", "\ud800", ""], dtype=object), mask=[False, False, False, False, True]
    )
    found = labels_of(texts).tolist()
    assert found[0] == found[2] != found[1]
    assert found[4] == 0
    assert labels_of(texts[1:])[0] == found[1], "whatever stands before"
    assert labels_of(np.array([0, 5, 2**63 - 1, -(2**63), -1])).tolist() == [0, 5, 2**63 - 1, 0, 2**63 - 1]


def test_no_donors_means_the_middle_of_the_bounds() -> None:
    unit = completion(MeanOfNeighbours(k=2))
    done = unit.complete(unit.read(SPACE.domain.admit([("x", 0, None, "a", None), ("y", 0, None, "a", None)])))
    assert done.values.tolist() == [4, 4]  # in halves of a quarter: 0.5
    assert (done.changes, done.incomplete) == (2, 2)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"value": "age"}, "another column than the label"),
        ({"value": "id"}, "another column than the label"),
        ({"value": "town"}, "needs bounds"),
        ({"label": "wage"}, "must be a column of whole numbers or of text"),
        ({"label": "name"}, "not one of id, age, sex, town, wage"),
        ({"features": {"id": 1}}, "must have categories or whole bounds"),
        ({"scheme": MeanOfNeighbours(k=2**60)}, "must stay below 2\\^62 steps"),
    ],
)
def test_columns_that_do_not_fit_are_refused(change: dict[str, Any], message: str) -> None:
    asked: dict[str, Any] = {"features": {"age": 1}, "label": "id", "value": "wage", "scheme": NearestNeighbour()}
    with pytest.raises(MismatchError, match=message):
        Completion.on("Test", SPACE.domain, **asked | change)  # type: ignore[arg-type]
