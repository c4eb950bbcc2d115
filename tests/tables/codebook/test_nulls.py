"""Null policies: what fits which column, and what queries see after it."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import yaml

from privet.errors import InvalidError, PrivetError
from privet.tables.codebook.null_keys import POLICIES, read_nulls
from privet.tables.codebook.nulls import (
    NullPolicy,
    NullsAsCategory,
    NullsDrawn,
    NullsDrawnFromCategories,
    NullsDrawnFromGaussian,
    NullsDropped,
    NullsReplaced,
)
from privet.tables.codebook.problem import codebook_problems
from privet.tables.codebook.reader import TreeReader
from privet.tables.codebook.tree import from_python
from privet.tables.columns.column import KINDS, Column

DOCS = Path(__file__).parents[3] / "docs"
REAL = Column(kind="real", bounds=(0, 10))
WHOLE = Column(kind="integer", bounds=(0, 10))
DAY = Column(kind="date", bounds=(0, 31))
TEXT = Column(kind="text", categories=("a", "b", "c"))
FREE = Column(kind="text")
FLAG = Column(kind="boolean")


@pytest.mark.parametrize(
    ("policy", "column", "fitted"),
    [
        (NullsDropped(), REAL, NullsDropped()),
        (NullsReplaced(0.1), REAL, NullsReplaced(Fraction(1, 10))),
        (NullsReplaced(5), WHOLE, NullsReplaced(5)),
        (NullsReplaced("1970-01-11"), DAY, NullsReplaced(10)),
        (NullsReplaced("a"), TEXT, NullsReplaced("a")),
        (NullsReplaced("anything"), FREE, NullsReplaced("anything")),
        (NullsReplaced(value=False), FLAG, NullsReplaced(value=False)),
        (NullsAsCategory(), TEXT, NullsAsCategory()),
        (NullsDrawn(), REAL, NullsDrawn()),
        (NullsDrawn((1, 2.5)), REAL, NullsDrawn((Fraction(1), Fraction(5, 2)))),
        (NullsDrawn(("1970-01-02", "1970-01-03")), DAY, NullsDrawn((Fraction(1), Fraction(2)))),
        (NullsDrawnFromGaussian(5, 0.1), REAL, NullsDrawnFromGaussian(Fraction(5), Fraction(1, 10))),
        (NullsDrawnFromGaussian(2.5, 10), WHOLE, NullsDrawnFromGaussian(Fraction(5, 2), Fraction(10))),
        (NullsDrawnFromCategories(), TEXT, NullsDrawnFromCategories()),
        (NullsDrawnFromCategories(["a", "b"]), TEXT, NullsDrawnFromCategories(("a", "b"))),
        (NullsDrawnFromCategories(["x"]), FREE, NullsDrawnFromCategories(("x",))),
        (
            NullsDrawnFromCategories(None, [1, 0.5, 0]),
            TEXT,
            NullsDrawnFromCategories(None, (Fraction(1), Fraction(1, 2), Fraction(0))),
        ),
    ],
)
def test_parameters_are_read_as_values_of_the_column(policy: NullPolicy, column: Column, fitted: NullPolicy) -> None:
    assert policy.fit("x", column) == fitted
    assert fitted.fit("x", column) == fitted


@pytest.mark.parametrize(
    ("policy", "column", "message"),
    [
        (NullsReplaced(11), WHOLE, "x must lie within the bounds of the column, got 11."),
        (NullsReplaced(0.5), WHOLE, "x must be a whole number, got float."),
        (NullsReplaced(value=True), WHOLE, "x must be a whole number, got bool."),
        (NullsReplaced(2**63), Column(kind="integer"), "x must lie within 64-bit integers, got 9223372036854775808."),
        (NullsReplaced(float("nan")), REAL, "x: expected a finite number, got nan."),
        (NullsReplaced(10**400), Column(kind="real"), "x must lie within the floats, up to about 1.8e308."),
        (NullsReplaced("d"), TEXT, "x must be one of the categories of the column, got 'd'."),
        (NullsReplaced(3), FREE, "x must be text, got int."),
        (NullsReplaced("\ud800"), FREE, "x must be text that UTF-8 can hold, got half of a surrogate pair."),
        (NullsReplaced(1), FLAG, "x must be true or false, got int."),
        (NullsReplaced("1999-01-01"), DAY, "x must lie within the bounds of the column, got 1999-01-01."),
        (NullsDrawn((0, 11)), REAL, "x: the bounds of the draw must lie within those of the column."),
        (NullsDrawn((2, 1)), REAL, "x: lower must be below upper, got lower=2, upper=1."),
        (NullsDrawn(), Column(kind="real"), "x: uniform draws need bounds of the column."),
        (NullsDrawnFromGaussian(11, 1), REAL, "x.shift must lie within the bounds of the column, got 11."),
        (
            NullsDrawnFromGaussian(5, 0),
            REAL,
            "x.scale must be above zero and at most the width of the bounds, 10, got 0.",
        ),
        (
            NullsDrawnFromGaussian(5, 10.5),
            REAL,
            "x.scale must be above zero and at most the width of the bounds, 10, got 10.5.",
        ),
        (NullsDrawnFromGaussian(5, float("nan")), REAL, "x.scale: expected a finite number, got nan."),
        (NullsDrawnFromGaussian(5, 1), Column(kind="real"), "x: Gaussian draws need bounds of the column."),
        (NullsDrawnFromGaussian(5, 1), DAY, "x: Gaussian draws are for integer and real columns, got a date column."),
        (NullsDrawnFromGaussian(5, 1), TEXT, "x: Gaussian draws are for integer and real columns, got a text column."),
        (NullsDrawnFromCategories(["z"]), TEXT, "x: draws must be from the categories of the column."),
        (NullsDrawnFromCategories([]), TEXT, "x must be a list of one value or more, got an empty list."),
        (NullsDrawnFromCategories("abc"), TEXT, "x must be a list of values, got str."),
        (NullsDrawnFromCategories(None, [1]), TEXT, "x: weights must be a list of 3, one for each category."),
        (NullsDrawnFromCategories(None, [1, -1, 1]), TEXT, "x: weights must be zero or more, and not all zero."),
    ],
)
def test_what_does_not_fit_is_said(policy: NullPolicy, column: Column, message: str) -> None:
    with pytest.raises(PrivetError) as caught:
        policy.fit("x", column)
    assert str(caught.value) == message


@pytest.mark.parametrize("kind", KINDS)
def test_which_kinds_take_which_policy(kind: Any) -> None:
    keys, ordered = ("integer", "text", "boolean"), ("integer", "real", "date", "timestamp")
    column = Column(kind=kind, bounds=(0, 9) if kind in ordered else None)
    listed: Any = {"integer": [1], "text": ["a"], "boolean": [True]}.get(kind, [1])
    for policy, kinds in (
        (NullsDropped(), KINDS),
        (NullsAsCategory(), keys),
        (NullsDrawn(), ordered),
        (NullsDrawnFromGaussian(5, 1), ("integer", "real")),
        (NullsDrawnFromCategories(listed), keys),
    ):
        if kind in kinds:
            policy.fit("x", column)
        else:
            with pytest.raises(InvalidError, match=f"got a {kind} column"):
                policy.fit("x", column)


@pytest.mark.parametrize(
    ("policy", "column", "nullable", "meaning"),
    [
        (NullsDropped(), REAL, True, "rows with a null are left out where the column is used"),
        (NullsAsCategory(), TEXT, True, "nulls are a category of their own"),
        (NullsReplaced(10), DAY, False, "nulls are replaced by 1970-01-11"),
        (NullsReplaced(Fraction(1, 2)), REAL, False, "nulls are replaced by 0.5"),
        (NullsDrawn(), DAY, False, "nulls are replaced by draws between 1970-01-01 and 1970-02-01"),
        (NullsDrawnFromCategories(), FLAG, False, "nulls are replaced by draws from False, True"),
        (
            NullsDrawnFromCategories(None, (1, 2, 3)),
            TEXT,
            False,
            "nulls are replaced by weighted draws from 'a', 'b', 'c'",
        ),
    ],
)
def test_what_queries_see(policy: NullPolicy, column: Column, nullable: bool, meaning: str) -> None:
    assert policy.apply_to(column).nullable is nullable
    assert policy.meaning(column) == meaning


def test_a_boolean_has_its_two_values_to_draw_from() -> None:
    assert NullsDrawnFromCategories().choices(FLAG) == (False, True)


def test_every_list_of_policies_names_them_all() -> None:
    """What a message lists can be typed, and the list has every policy; so has the page."""
    column, text = Column(kind="integer", bounds=(0, 9)), Column(kind="text", categories=("a",))
    read = set()
    for form in POLICIES:
        problems = codebook_problems()
        typed = yaml.safe_load(form.replace("X", "5").replace("M", "5").replace("S", "1"))
        known = text if "categories" in form else column
        read.add(type(read_nulls(TreeReader(problems), from_python(typed, problems, "nulls"), known)))
        problems.raise_any()
    assert read == set(NullPolicy.__subclasses__())
    for page in ("tables/nulls.md", "tables/codebook.md", "recipes/missing-values.md"):
        words = (DOCS / page).read_text()
        for name in ("drop", "category", "value: ", "impute: uniform", "impute: categories", "impute: {gaussian: {"):
            assert name in words, f"{page} does not name {name}"
    assert all(f"`{policy.__name__}(" in (DOCS / "tables/nulls.md").read_text() for policy in read)
