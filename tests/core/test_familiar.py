"""Objects that say what to write: always an AttributeError, and nothing that tools look for is in the way."""

import copy
import pickle
from functools import cached_property
from typing import Any, final

import pytest
from attrs import frozen

from privet.core import Familiar


@final
@frozen
class Rows(Familiar):
    """A slotted class with a cached property, as releases are."""

    _hints_of = "rows"

    size: int = 0

    def filter(self) -> None: ...

    @property
    def broken(self) -> int:
        return self.missing_part  # type: ignore[attr-defined,no-any-return]

    @cached_property
    def doubled(self) -> int:
        return 2 * self.size


def message(name: str) -> str:
    with pytest.raises(AttributeError) as caught:
        getattr(Rows(), name)
    return str(caught.value)


def test_a_name_of_another_library_is_answered_with_what_to_write() -> None:
    assert message("where") == "'Rows' has no 'where'; use filter(\"spending > 20\")."
    assert message("head").startswith("'Rows' has no 'head': rows of a private table are never shown; ")
    assert message("epsilon_for").endswith("; say what to compute first: agg(pv.count()).epsilon_for(count=50).")


def test_a_typing_mistake_is_answered_with_the_name() -> None:
    assert message("fliter") == "'Rows' has no 'fliter'. Did you mean filter?"
    assert message("zebra") == "'Rows' has no 'zebra'; dir(...) shows the names that it has."


NAMES = ("_repr_html_", "_ipython_canary_method_should_not_exist_", "_ipython_display_", "__array__", "__len__", "_x")


@pytest.mark.parametrize("name", NAMES)
def test_names_with_an_underscore_are_plain(name: str) -> None:
    assert message(name) == f"'Rows' object has no attribute {name!r}"
    assert not hasattr(Rows(), name)


def test_an_error_within_a_property_is_not_hidden() -> None:
    assert message("broken") == "'Rows' has no 'missing_part'; dir(...) shows the names that it has."


def test_hasattr_copy_and_pickle_work() -> None:
    rows: Any = Rows(3)
    assert not hasattr(rows, "where")
    assert getattr(rows, "where", 7) == 7
    assert copy.copy(rows) == copy.deepcopy(rows) == pickle.loads(pickle.dumps(rows)) == rows
    assert rows.doubled == rows.doubled == 6


def test_an_object_that_is_not_filled_yet_can_be_asked() -> None:
    """Copies and pickles begin with an empty object."""
    empty = object.__new__(Rows)
    assert not hasattr(empty, "size")
    assert not hasattr(empty, "where")
