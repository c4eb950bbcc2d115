"""Whatever is given as an argument, a query is refused by an error of ours that says what was expected."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import privet as pv
from privet.errors import PrivetError

ARRAY = np.array([1, 2])
COLUMNS = {
    "id": pv.column("integer"),
    "ward": pv.column("text"),
    "minutes": pv.column("integer", bounds=(0, 5)),
    "marks": pv.column("integer", bounds=(0, 5), most_items=3),
}
TO = pv.column("integer", bounds=(0, 5))
WRONG: dict[str, Callable[[Any, Any], Any]] = {
    "split.into": lambda query, wrong: query.split("ward", ",", most=2, into=wrong),
    "unnest.into": lambda query, wrong: query.unnest("marks", into=wrong),
    "unnest.how": lambda query, wrong: query.unnest("marks", how=wrong),
    "summarize_with.into": lambda query, wrong: query.summarize_with(len, rows=2, into=wrong, to=TO),
    "summarize_with.columns": lambda query, wrong: query.summarize_with(len, rows=2, into="x", to=TO, columns=wrong),
    "join.on": lambda query, wrong: query.join(query.select("ward"), on=wrong),
    "join.how": lambda query, wrong: query.join(query.select("ward").rename(w="ward"), how=wrong),
    "join_public.on": lambda query, wrong: query.join_public([{"ward": "a"}], on=wrong),
    "join_public.how": lambda query, wrong: query.join_public([{"ward": "a"}], on="ward", how=wrong),
    "join_public values": lambda query, wrong: query.join_public([{"ward": "a", "z": [wrong]}], on="ward"),
    "impute.by": lambda query, wrong: query.impute("minutes", by=wrong),
    "group_by.groups": lambda query, wrong: query.group_by("ward", groups={"ward": [wrong]}),
    "group_by.other": lambda query, wrong: query.group_by("ward", groups=["a"], other=wrong),
}


@pytest.fixture(scope="module")
def query() -> Any:
    book = pv.Codebook(columns=COLUMNS, unit=pv.Persons("id", rows=2))
    with pv.Session([{"id": 1}], book, pv.budget(epsilon=1)) as session:
        yield session.query()


@pytest.mark.parametrize("wrong", [7, [1], [[1, 2], [3]], ARRAY, np.array(3), {"a": 1}, b"x"], ids=repr)
@pytest.mark.parametrize("argument", WRONG)
def test_an_argument_of_another_type_is_refused_by_an_error_of_ours(query: Any, argument: str, wrong: Any) -> None:
    with pytest.raises(PrivetError):
        WRONG[argument](query, wrong)


@pytest.mark.parametrize(
    "build",
    [
        lambda: pv.column("integer", percent=ARRAY),  # type: ignore[arg-type]
        lambda: pv.column("date", format=ARRAY),  # type: ignore[arg-type]
        lambda: pv.column("integer", categories=np.array(3)),
        lambda: pv.Session("a" * 10**5, pv.Codebook(columns=COLUMNS, unit=pv.Rows()), pv.budget(epsilon=1)),
    ],
)
def test_a_codebook_or_a_session_refuses_arrays_and_endless_names(build: Callable[[], Any]) -> None:
    with pytest.raises(PrivetError) as caught:
        build()
    assert len(str(caught.value)) < 1000
