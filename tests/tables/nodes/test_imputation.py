"""What can be imputed, from which features, and what is refused: all from public facts."""

from fractions import Fraction
from typing import Any

import pytest

import privet as pv
from privet.errors import InvalidError, PrivetError, WrongTypeError
from privet.imputation.scheme import MajorityOfNeighbours, MeanOfNeighbours, NearestNeighbour
from privet.imputation.smooth_calibration import Guess
from privet.tables.codebook.nulls import NullsAsCategory, NullsReplaced
from privet.tables.columns.unit import Rows
from privet.tables.session.query import Query
from tests.tables.imputed_tables import imputation_of


def query(**more: Any) -> Query:
    columns = {
        "age": pv.column("integer", bounds=(0, 9), nulls=NullsReplaced(5)),
        "rooms": pv.column("integer", bounds=(1, 4)),
        "sex": pv.column("text", categories=("f", "m")),
        "member": pv.column("boolean", nulls=NullsAsCategory()),
        "size": pv.column("text", categories=("small", "middle", "large")),
        "income": pv.column("real", bounds=(0, 100), grid=Fraction(1, 2)),
        "name": pv.column("text"),
        "anything": pv.column("integer"),
        **more,
    }
    return pv.Session([], pv.Codebook(unit=Rows(), columns=columns), pv.budget(epsilon=1)).query()


def kinds(**how: Any) -> list[tuple[str, int, int]]:
    found = imputation_of(query().impute("income", **how)).grid.features
    return [(each.kind, each.levels, each.weight) for each in found]


def test_whole_numbers_are_ordinal_and_categories_are_not() -> None:
    assert kinds(by={"age": 3, "sex": 2}) == [("ordinal", 10, 3), ("categorical", 3, 2)]


def test_a_null_is_one_category_more() -> None:
    assert kinds(by=["sex", "member"]) == [("categorical", 3, 1), ("categorical", 3, 1)]


def test_a_null_of_an_ordinal_feature_is_told_by_a_feature_of_its_own() -> None:
    assert kinds(by={"rooms": 2}) == [("ordinal", 4, 2), ("categorical", 2, 2)]


def test_categories_in_order_may_be_ordinal() -> None:
    assert kinds(by={"size": ("ordinal", 2)}) == [("ordinal", 3, 2), ("categorical", 2, 2)]


def test_strata_need_no_features() -> None:
    assert kinds(within=["sex", "age"]) == [("categorical", 1, 1)]


@pytest.mark.parametrize(
    ("given", "step"), [(None, 100), (20, 40), (Fraction(1, 2), 1), (100, 200)], ids=["middle", "20", "half", "end"]
)
def test_the_default_is_the_middle_or_what_is_given(given: Any, step: int) -> None:
    assert imputation_of(query().impute("income", by="age", default=given)).stands_in == step


def test_the_default_of_categories_is_the_first() -> None:
    assert imputation_of(query().impute("size", by="age")).stands_in == 0
    assert imputation_of(query().impute("size", by="age", default="large")).stands_in == 2


@pytest.mark.parametrize(
    ("name", "k", "scheme"),
    [
        ("income", 1, NearestNeighbour()),
        ("income", 4, MeanOfNeighbours(k=4)),
        ("size", 3, MajorityOfNeighbours(k=3)),
    ],
)
def test_k_chooses_the_scheme(name: str, k: int, scheme: Any) -> None:
    assert imputation_of(query().impute(name, by="age", k=k)).scheme == scheme


def test_a_completed_column_is_never_null_and_keeps_its_bounds() -> None:
    found = query().impute("income", by="age").columns["income"]
    assert (found.nullable, found.bounds, found.grid) == (False, (Fraction(0), Fraction(100)), Fraction(1, 2))


def test_a_mean_of_whole_numbers_is_a_real() -> None:
    found = query().impute("rooms", by="age", k=3).columns["rooms"]
    assert (found.kind, found.bounds, found.nullable) == ("real", (Fraction(1), Fraction(4)), False)


def test_one_donor_of_k_moves_a_kth_of_the_range_and_less_than_a_step_more() -> None:
    for k in (2, 3, 7, 100):
        found = query().impute("rooms", by="age", k=k)
        reach, step = imputation_of(found).reach, found.columns["rooms"].grid
        assert reach is not None
        assert step is not None
        assert Fraction(3, k) <= reach < Fraction(3, k) + step


@pytest.mark.parametrize(
    ("name", "how", "message"),
    [
        ("nothing", {"by": "age"}, "no column 'nothing'"),
        ("age", {"by": "sex"}, "no value of 'age' is missing"),
        ("member", {"by": "sex"}, "no value of 'member' is missing"),
        ("anything", {"by": "age"}, "'anything' needs bounds"),
        ("name", {"by": "age"}, "must be a number with bounds, or have categories"),
        ("size", {"by": "age", "scheme": MeanOfNeighbours(k=2)}, "have no mean"),
        ("income", {"by": ()}, "one or more"),
        ("income", {"by": "income"}, "must not name 'income' itself"),
        ("income", {"by": "name"}, "levels of 'name' are not known"),
        ("income", {"by": "anything"}, "levels of 'anything' are not known"),
        ("income", {"by": {"age": 0}}, "weight of one or more"),
        ("income", {"by": {"age": ("round", 1)}}, "a pair such as"),
        ("income", {"by": "age", "within": "age"}, "different columns"),
        ("income", {"by": 5}, "must be names of columns"),
        ("income", {"by": [5]}, "takes the name of a column"),
        ("income", {"by": "age", "k": 2, "scheme": NearestNeighbour()}, "not both"),
        ("income", {"by": "age", "k": 0}, "k"),
        ("income", {"by": "age", "scheme": "nearest"}, "must be a scheme"),
        ("income", {"by": "age", "guess": 10}, "must be a Guess"),
        ("income", {"by": "age", "default": 101}, "within the bounds"),
        ("size", {"by": "age", "default": "huge"}, "one of the categories"),
    ],
)
def test_what_is_wrong_is_said(name: str, how: dict[str, Any], message: str) -> None:
    with pytest.raises(PrivetError, match=message):
        query().impute(name, **how)


def test_too_many_cells_are_refused() -> None:
    wide = {f"x{at}": pv.column("integer", bounds=(0, 60_000)) for at in range(2)}
    with pytest.raises(InvalidError, match="combinations of levels"):
        query(**wide).impute("income", by=list(wide))


def test_bounds_without_room_for_a_mean_are_refused() -> None:
    wide = pv.column("integer", bounds=(0, 2**60))
    with pytest.raises(InvalidError, match="too wide for 3 neighbours"):
        query(x=wide).impute("x", by="age", k=3)


def test_a_guess_is_kept() -> None:
    guess = Guess(incomplete=7, changes=3)
    assert imputation_of(query().impute("income", by="age", guess=guess)).guess == guess


def test_names_that_are_used_inside_are_refused() -> None:
    found = query(**{"privet row": pv.column("integer")}).impute("income", by="age")
    with pytest.raises(InvalidError, match="begin with 'privet '"):
        found.agg(pv.mean("income")).release(epsilon=1)
    with pytest.raises(InvalidError, match="begin with 'privet '"):
        query().impute("income", by="age").derive(**{"privet row": "age"})
    with pytest.raises(PrivetError):
        query().impute("income", by="age").filter('"privet row" < 3')


def test_a_filter_must_be_a_condition() -> None:
    with pytest.raises(PrivetError, match="condition"):
        query().impute("income", by="age").filter("age + 1")


def test_an_aggregate_must_be_one() -> None:
    with pytest.raises(WrongTypeError, match="takes aggregates"):
        query().impute("income", by="age").agg("mean")  # type: ignore[arg-type]
