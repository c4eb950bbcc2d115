"""Imputed values are those of a naive imputation; labels and copies are functions of the rows alone."""

from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import privet as pv
from privet.imputation.scheme import CustomScheme, MajorityOfNeighbours, MeanOfNeighbours, NearestNeighbour, Scheme
from privet.tables.aggregates.mean import mean
from privet.tables.aggregates.sum import sum as total
from privet.tables.columns.unit import Persons, Rows
from privet.tables.nodes.imputed_names import LACKING
from privet.tables.session.imputed_query import ImputedQuery
from privet.tables.session.session import Session
from tests.tables.imputed_tables import Row, apart, at_work, imputation_of, people
from tests.tables.opened import database_of

ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "age": st.sampled_from([0, 1, 3, None]),
            "sex": st.sampled_from(["f", "m", None]),
            "income": st.sampled_from([-4, 0, 5, None, None]),
            "job": st.sampled_from(["a", "b", None]),
        }
    ),
    max_size=9,
)
SCHEMES: list[Scheme] = [
    NearestNeighbour(),
    MeanOfNeighbours(k=3),
    MajorityOfNeighbours(k=2),
    CustomScheme(k=2, function=lambda values: values.max(axis=1)),
]


def complete(session: Session, query: ImputedQuery) -> tuple[list[Row], list[Row]]:
    """Give the completed rows and the labelled ones, in the order of labels."""
    imputation = imputation_of(query)
    aggregates: Any = query.agg(mean(imputation.name) if imputation.reach is not None else total("age"))
    engine: Any = database_of(session).engine
    with at_work(session, aggregates) as (work, places):
        work.exact()
        names = (places.completed, places.labelled)
        tables = [engine._connection.sql(f'SELECT * FROM "{name}"').to_arrow_table() for name in names]
    found = [sorted(table.to_pylist(), key=lambda row: row["privet row"]) for table in tables]
    return found[0], found[1]


def naive(query: ImputedQuery, labelled: list[Row], levels: Any) -> list[Any]:
    """Sort all complete rows for each incomplete one; gives steps in the parts of the scheme, None where complete."""
    imputation = imputation_of(query)

    def nearness(row: Any, other: Any) -> tuple[Any, ...]:
        behind = (other["privet label"] - row["privet label"]) % 2**63
        return apart(imputation.grid, levels(row), levels(other)), behind, other["privet row"]

    whole = [row for row in labelled if row[imputation.name] is not None]
    found: list[Any] = []
    for row in labelled:
        if row[imputation.name] is not None:
            found.append(None)
            continue
        near = sorted(
            (other for other in whole if all(other[each.name] == row[each.name] for each in imputation.strata)),
            key=partial(nearness, row),
        )
        values = [other[imputation.name] for other in near[: imputation.scheme.k]]
        codes = values if imputation.categories is None else [imputation.categories.index(value) for value in values]
        codes += [imputation.stands_in] * (imputation.scheme.k - len(codes))
        given = np.ones((1, len(codes)), dtype=bool)
        found.append(int(imputation.scheme.combine(np.array([codes]), given, imputation.stands_in)[0]))
    return found


def by_age_and_sex(row: Row) -> tuple[int, ...]:
    age = (2, 1) if row["age"] is None else (row["age"], 0)
    return (*age, {"f": 0, "m": 1, None: 2}[row["sex"]])


@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda scheme: type(scheme).__name__)
@given(rows=ROWS)
@settings(max_examples=10, deadline=None)
def test_numbers_are_those_of_a_naive_imputation(scheme: Scheme, rows: list[Row]) -> None:
    session = people(rows)
    query = session.query().impute("income", by={"age": 2, "sex": 1}, scheme=scheme, default=1)
    found, labelled = complete(session, query)
    for row, raw, value in zip(found, labelled, naive(query, labelled, by_age_and_sex), strict=True):
        expected = raw["income"] if value is None else value / scheme.parts
        assert row["income"] == pytest.approx(expected, abs=2**-9)
        assert row[LACKING] == (value is not None)


@given(rows=ROWS)
@settings(max_examples=10, deadline=None)
def test_categories_are_those_of_a_naive_imputation_within_strata(rows: list[Row]) -> None:
    session = people(rows)
    query = session.query().impute("job", by="age", within="sex", scheme=MajorityOfNeighbours(k=3), default="c")
    found, labelled = complete(session, query)
    levels = naive(query, labelled, lambda row: by_age_and_sex(row)[:2])
    for row, raw, value in zip(found, labelled, levels, strict=True):
        assert row["job"] == (raw["job"] if value is None else "abc"[value])


@given(rows=ROWS, order=st.randoms(use_true_random=False))
@settings(max_examples=10, deadline=None)
def test_the_order_of_rows_in_the_source_changes_nothing(rows: list[Row], order: Any) -> None:
    shuffled = list(rows)
    order.shuffle(shuffled)
    found = []
    for each in (rows, shuffled):
        session = people(each)
        found.append(complete(session, session.query().impute("income", by=["age", "sex"]))[0])
    assert found[0] == found[1]


def test_equal_rows_have_labels_of_their_own_and_share_the_donors_among_them() -> None:
    donors = [{"age": 1, "sex": "f", "income": 5}] * 40
    lacking = [{"age": 1, "sex": "f", "income": None}] * 40
    session = people(donors + lacking)
    _, labelled = complete(session, session.query().impute("income", by=["age", "sex"]))
    assert len({row["privet label"] for row in labelled}) == 80


def test_a_row_that_goes_leaves_the_labels_of_its_equals() -> None:
    rows = [{"age": 1, "sex": "f", "income": 5}] * 5
    labels = []
    for number in (5, 4):
        session = people(rows[:number])
        _, labelled = complete(session, session.query().impute("income", by="age"))
        labels.append({row["privet label"] for row in labelled})
    assert len(labels[0] - labels[1]) == 1
    assert labels[1] < labels[0]


def test_persons_have_the_label_of_their_identifier_and_one_row() -> None:
    rows = [{"id": 7, "age": age, "sex": "f", "income": None} for age in (0, 1, 2)]
    rows += [{"id": None, "age": 1, "sex": "f", "income": 3}]
    session = people(rows, Persons(id="id", rows=1))
    found, labelled = complete(session, session.query().impute("income", by="age", default=6))
    other = people([{"id": 7, "age": 3, "sex": "m", "income": 1}], Persons(id="id", rows=1))
    _, changed = complete(other, other.query().impute("income", by="age"))
    assert [row["id"] for row in found] == [7]
    assert found[0]["income"] == 6
    assert labelled[0]["privet label"] == changed[0]["privet label"]


def test_several_rows_of_a_person_have_labels_of_their_own() -> None:
    rows = [{"id": 7, "age": age, "sex": "f", "income": None} for age in (0, 1, 1)]
    session = people(rows, Persons(id="id", rows=3))
    _, labelled = complete(session, session.query().impute("income", by="age"))
    assert len({row["privet label"] for row in labelled}) == 3


def test_real_values_stay_as_they_are_and_a_negative_zero_is_zero() -> None:
    book = pv.Codebook(
        unit=Rows(), columns={"x": pv.column("real", bounds=(-1, 1)), "age": pv.column("integer", bounds=(0, 3))}
    )
    source = pa.table({"x": [-0.0, 0.0, 0.3, None, float("nan")], "age": [0, 1, 3, 3, 1]})
    session = pv.Session(source, book, pv.budget(epsilon=10))
    found, _ = complete(session, session.query().derive(x="-x").impute("x", by="age"))
    values = {(row["age"], row[LACKING]): row["x"] for row in found}
    assert values == {
        (0, False): 0,
        (1, False): 0,
        (1, True): 0,
        (3, False): -0.3,
        (3, True): round(-0.3 * 2**32) / 2**32,
    }
    assert not any(str(row["x"]) == "-0.0" for row in found)
