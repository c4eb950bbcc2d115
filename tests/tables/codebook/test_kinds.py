"""Types by the names that people give them: one canonical name is stored."""

from datetime import date, datetime

import pytest

from privet.errors import InvalidError
from privet.tables.codebook.codebook import Codebook
from privet.tables.codebook.column import column
from privet.tables.codebook.kinds import read_kind

NAMES = {
    "integer": ("integer", "int", int),
    "real": ("real", "float", "number", float),
    "boolean": ("boolean", "bool", bool),
    "text": ("text", "str", "string", str),
    "date": ("date", date),
    "timestamp": ("timestamp", "datetime", datetime),
}


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind, names in NAMES.items() for name in names])
def test_every_name_means_one_type(kind: str, name: str | type) -> None:
    assert read_kind("x", name) == kind
    assert column(name) == column(kind)
    if isinstance(name, str):
        book = Codebook.from_yaml(f"unit: {{rows: 1}}\ncolumns:\n  a: {{type: {name}}}\n")
        assert book["a"] == column(kind)
        assert f"type: {kind}\n" in book.to_yaml()


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("Float", " Did you mean real?"),
        ("strin", " Did you mean text?"),
        ("int64", " Did you mean integer?"),
        ("dattime", " Did you mean timestamp?"),
        ("object", " Did you mean text?"),
        ("qqqq", ""),
    ],
)
def test_other_names_are_refused_with_the_nearest_type(name: str, hint: str) -> None:
    with pytest.raises(InvalidError) as caught:
        read_kind("x", name)
    assert str(caught.value) == f"x must be one of integer, real, boolean, text, date, timestamp, got {name!r}.{hint}"


@pytest.mark.parametrize(("value", "got"), [(list, "the class list"), (3, "int"), (None, "NoneType"), ([], "list")])
def test_what_is_no_type_is_refused(value: object, got: str) -> None:
    with pytest.raises(InvalidError) as caught:
        read_kind("x", value)
    assert str(caught.value) == f"x must be one of integer, real, boolean, text, date, timestamp, got {got}."
