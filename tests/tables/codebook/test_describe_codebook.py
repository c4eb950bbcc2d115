"""A codebook in a notebook, and in one line."""

import privet as pv
from privet.tables.codebook.describe_codebook import column_lines, unit_lines


def test_each_column_has_a_line() -> None:
    columns = {
        "id": pv.column("text"),
        "n": pv.column("integer", bounds=(0, 1_000_000), description="how many"),
        "kind": pv.column("text", categories=tuple(f"kind {n}" for n in range(100))),
    }
    assert column_lines(columns, pv.Persons("id")) == [
        ["column", "type", "values", "nulls", "about"],
        ["id", "text, id", "any", "left out", ""],
        ["n", "integer", "from 0 to 1,000,000", "left out", "how many"],
        ["kind", "text", "kind 0, kind 1, kind 2, kind 3, kind 4, kind 5, ... 100 in all", "left out", ""],
    ]


def test_descriptions_are_left_out_where_there_are_none() -> None:
    assert column_lines({"n": pv.column("integer")}, pv.Rows()) == [
        ["column", "type", "values", "nulls"],
        ["n", "integer", "any", "left out"],
    ]


def test_a_unit_says_its_caps_in_the_singular_where_there_is_one() -> None:
    assert unit_lines(pv.Persons("id", rows=10, groups=1, rows_per_group=10))[-1] == (
        "caps of a person",
        "10 rows, 1 group, 10 rows in a group",
    )
    assert unit_lines(pv.Persons("id"))[-1] == ("caps of a person", "none: each query sets its own with cap(...)")
    assert [name for name, _ in unit_lines(pv.Rows())] == ["protected", "not protected"]


def test_a_notebook_shows_columns_and_unit_with_every_text_escaped() -> None:
    book = pv.Codebook(
        table="visits",
        description="<b>bold</b>",
        columns={"<i>": pv.column("text", categories=("<u>",), description="<s>")},
        unit=pv.Rows(),
        sampling=pv.Population(rate=0.1),
    )
    html = book._repr_html_()
    assert "Codebook of visits" in html
    assert not [tag for tag in ("<b>", "<i>", "<u>", "<s>") if tag in html]
    assert "protected: whether any one row" in html
    assert "assumed: " in html


def test_many_columns_and_long_categories_stay_short() -> None:
    columns = {f"column {n}": pv.column("text", categories=("x" * 5000, "y")) for n in range(500)}
    book = pv.Codebook(columns=columns, unit=pv.Rows())
    assert len(repr(book)) < 600
    assert "... 500 in all" in repr(book) or repr(book).count("...") == 1
    assert len(column_lines(book.columns, book.unit)[1][2]) < 200
    assert len(repr(book["column 0"])) < 400
