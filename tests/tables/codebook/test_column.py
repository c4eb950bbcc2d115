"""Columns of a codebook: what a person types, checked once."""

from datetime import date
from fractions import Fraction
from typing import Any

import pytest

from privet.core.space import vector
from privet.errors import PrivetError
from privet.tables.codebook.column import CodebookColumn, column
from privet.tables.codebook.nulls import NullsReplaced
from privet.tables.columns.column import Column

WRONG: Any = 3


def bounds_of(made: CodebookColumn) -> Any:
    return made.column.bounds


def test_dates_are_typed_as_text_or_as_objects() -> None:
    typed = column("date", bounds=("2024-01-01", "2024-12-31"))
    assert typed == column("date", bounds=(date(2024, 1, 1), date(2024, 12, 31)))
    assert bounds_of(typed) == (19723, 20088)


def test_numbers_mean_their_decimal() -> None:
    assert bounds_of(column("real", bounds=(0, 0.1))) == (0, Fraction(1, 10))


def test_the_grid_is_that_of_a_vector() -> None:
    import privet.calculus as pc

    space: Any = vector(float, bounds=(0, 600))
    assert column("real", bounds=(0, 600)).step == space.domain.grid == Fraction(1, 2**22)
    assert column("real", bounds=(0, 600), grid=0.5).step == Fraction(1, 2)
    clamped: Any = (vector(float) >> pc.Clamp(bounds=(-3, 600))).output.domain
    assert clamped.grid == column("real", bounds=(-3, 600)).step


@pytest.mark.parametrize("made", [column("real"), column("integer", bounds=(0, 1)), column("text")])
def test_other_columns_have_no_grid(made: CodebookColumn) -> None:
    assert made.step is None


def test_nulls_are_read_as_values_of_the_column() -> None:
    assert column("date", nulls=NullsReplaced("1970-01-02")).nulls == NullsReplaced(1)
    assert not column("date", nulls=NullsReplaced("1970-01-02")).after_nulls.nullable


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: column("flaot"),
            "column.type must be one of integer, real, boolean, text, date, timestamp, got 'flaot'. Did you mean real?",
        ),
        (lambda: column("real", bounds=(5, 3)), "column.bounds: lower must be below upper, got lower=5, upper=3."),
        (
            lambda: column("integer", bounds=(0, 0.5)),
            "column.bounds must be whole numbers for an integer column, got 0.5.",
        ),
        (
            lambda: column("text", bounds=(0, 1)),
            "column.bounds are for integer, real, date, timestamp columns, got a text column.",
        ),
        (lambda: column("real", grid=0.5), "CodebookColumn.grid needs bounds: a grid is only exact within them."),
        (
            lambda: column("real", bounds=(0, 1), grid=0.1),
            "CodebookColumn.grid must be a power of two such as 2^-10, got 0.1.",
        ),
        (lambda: column("text", categories="abc"), "column.categories must be a list of values, got str."),
        (
            lambda: column("text", categories=["a", "a"]),
            "column.categories must be different from each other, got 'a' twice.",
        ),
        (lambda: column("integer", categories=[1.5]), "column.categories[0] must be a whole number, got float."),
        (
            lambda: column("text", nulls=WRONG),
            (
                "column.nulls must be 'drop', 'category', {'value': X}, {'impute': 'uniform'}, "
                "{'impute': 'categories'} or {'impute': {'gaussian': {'shift': M, 'scale': S}}}, got 3."
            ),
        ),
        (
            lambda: CodebookColumn(Column(kind="text"), nulls=WRONG),
            "CodebookColumn.nulls must be a null policy, got int.",
        ),
        (lambda: column("text", description=WRONG), "CodebookColumn.description must be text, got int."),
        (lambda: CodebookColumn(WRONG), "CodebookColumn.column must be a Column, got int."),
        (
            lambda: CodebookColumn(Column(kind="integer", bounds=(0, 1), categories=(0, 1))),
            "CodebookColumn takes bounds or categories, not both: a column of categories is not clamped.",
        ),
        (
            lambda: CodebookColumn(Column(kind="text", nullable=False)),
            (
                "CodebookColumn.nullable cannot be false: what a source holds is not known, and what cannot be read "
                "becomes null; choose what stands in for nulls instead."
            ),
        ),
    ],
)
def test_what_is_wrong_is_named(make: Any, message: str) -> None:
    with pytest.raises(PrivetError) as caught:
        make()
    assert str(caught.value) == message
