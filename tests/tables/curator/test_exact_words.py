"""Words of a request: two values with the same words are equal, and what has no text of its own is refused."""

import datetime as dt
import json
from contextlib import suppress
from fractions import Fraction
from typing import Any

import pytest
from attrs import fields
from hypothesis import given
from hypothesis import strategies as st

import privet as pv
from privet.errors import InvalidError, PrivetError
from privet.tables.codebook.write import Typed
from privet.tables.curator.exact_words import NoWordsError, exact_words
from privet.tables.engines.default import write_query
from privet.tables.files.written import Unwritable
from privet.tables.nodes.group_totals import Grouping
from privet.tables.nodes.impute_column import ImputeColumn
from privet.tables.nodes.join_persons import JoinPersons
from privet.tables.nodes.resize_rows import ResizeRows
from privet.tables.nodes.summarize_by_function import SummarizeByFunction
from privet.tables.relations.public_table import PublicTable
from privet.transforms.partition_persons import PartitionPersons

PLAIN = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-2, 2),
        st.sampled_from([0.5, 1.0, -0.0]),
        st.sampled_from(["", "list", "map", "1", "null", "typed", "set"]),
        st.sampled_from([Fraction(1, 3), Fraction(1), dt.date(1970, 1, 1), Typed("null"), Typed("1")]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(tuple), st.dictionaries(st.sampled_from(["a", "b", "list"]), inner, max_size=2)
    ),
    max_leaves=6,
)


def canonical(value: Any) -> str:
    """Write a value with its types; the twin of what is tested."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{name!r}: {canonical(item)}' for name, item in value.items())}}}"
    if isinstance(value, tuple):
        return f"({', '.join(map(canonical, value))})"
    return f"{type(value).__name__} {value!r}"


@given(PLAIN, PLAIN)
def test_other_values_have_other_words(one: Any, other: Any) -> None:
    texts = [json.dumps(exact_words(each)) for each in (one, other)]
    assert (texts[0] == texts[1]) == (canonical(one) == canonical(other))


def test_words_do_not_depend_on_the_order_of_a_set() -> None:
    names = [f"column {n}" for n in range(50)]
    assert exact_words(frozenset(names)) == exact_words(frozenset(reversed(names)))


class Own:
    pass


@pytest.mark.parametrize(
    "value",
    [len, Own(), Own, Unwritable("files do not hold the aggregate Own yet"), {"n": [lambda: 1]}, {1, 2}, b"a", 1j],
)
def test_what_has_no_text_of_its_own_is_refused(value: object) -> None:
    with pytest.raises(NoWordsError):
        exact_words(value)


def test_the_secret_number_of_a_session_is_left_out() -> None:
    """Otherwise nothing would be recognised, and the ledger would hold a hash of a secret."""
    book = pv.Codebook(columns={"id": pv.column("integer")}, unit=pv.Persons("id", rows=1))
    sessions = [pv.Session([{"id": 1}], book, pv.budget(epsilon=1)) for _ in range(2)]
    assert len({session._curator.tables.key for session in sessions}) == 2
    rows = [session.query().join(session.query().select("id"), rows=1) for session in sessions]
    assert exact_words(rows[0].chain) == exact_words(rows[1].chain)


def test_only_secret_numbers_are_left_out() -> None:
    """A column that is called key decides what is released, and so does a class with the name of another one."""
    ward, town = (PartitionPersons(id="person", key=key, groups=1, rows=1, total=1) for key in ("ward", "town"))
    assert exact_words(ward) != exact_words(town)
    assert exact_words(ward)[0] == "privet.transforms.partition_persons.PartitionPersons"
    for node in (JoinPersons, Grouping, ResizeRows, ImputeColumn, SummarizeByFunction):
        assert fields(node).key.type is int, "the rule for secrets knows them by their type"


def test_a_public_table_that_no_engine_has_read_is_refused() -> None:
    table = PublicTable(source=[{"a": 1}], described={"a": pv.column("integer")}, on=("a",))
    with pytest.raises(InvalidError, match="no engine has read"):
        exact_words(table)


NUMBERS = ("1", "1.0", "0.1", "0.30000000000000004", "0.3", "-1", "'1'", "NULL")
VALUES = ("a", "b / 2", "b", "CAST(a AS DOUBLE)", "ROUND(b, 1)", "ROUND(b)", "COALESCE(a, 1)", "COALESCE(a, 2)", "d")
CONDITIONS = [f"{value} {sign} {number}" for value in VALUES for sign in ("<", "<=", "<>") for number in NUMBERS]
CONDITIONS += [
    "c LIKE 'x%'",
    "c LIKE 'x_'",
    "c IN ('x', 'y')",
    "c IN ('x, y')",
    "c = 'x''y'",
    "c IS NULL",
    "d > '2026-01-01'",
]
CONDITIONS += [
    "NOT (a > 1 AND b > 1)",
    "NOT a > 1 AND b > 1",
    "a > 1 OR b > 1 AND c = 'x'",
    "(a > 1 OR b > 1) AND c = 'x'",
]


def test_statements_have_the_same_words_if_and_only_if_the_engine_runs_the_same() -> None:
    """The twin is the SQL that is run, which names its operators and values in another way."""
    columns = {"a": pv.column("integer"), "b": pv.column("real"), "c": pv.column("text"), "d": pv.column("date")}
    planner = pv.Planner(pv.Codebook(columns=columns, unit=pv.Rows()), pv.budget(epsilon=1))
    pairs = set()
    for text in CONDITIONS:
        for dialect in (None, "postgres", "mysql"):
            with suppress(PrivetError):  # not every condition is allowed
                query: Any = planner.sql(f"SELECT COUNT(*) AS n FROM data WHERE {text}", dialect=dialect)
                rows = query.query.grouped
                pairs.add((json.dumps(exact_words(rows.exact_words({}))), write_query(rows.query.relation)))
    assert len(pairs) > 50
    assert len({words for words, _ in pairs}) == len({run for _, run in pairs}) == len(pairs)
