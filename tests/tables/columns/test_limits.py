"""What a query may use of an engine is bounded by public facts, and refused before the charge where it is not."""

import functools
from typing import Any

import pytest

import privet as pv
from privet.errors import InvalidError, PrivetError
from privet.tables.columns.column import DEFAULT_LENGTH, LONGEST_TEXT, Column
from privet.tables.columns.limits import MOST_ROWS, MOST_TABLES, WIDEST, Limits
from privet.tables.relations.table_space import limits_of

BOOK = pv.Codebook(
    columns={"id": pv.column("integer"), "ill": pv.column("boolean"), "note": pv.column("text")},
    unit=pv.Persons(id="id", rows=1),
)
GROWING = ["t || t", "concat(t, t)", "concat(t, null, t)", "upper(t) || lower(t)", "case when ill then t || t end",
           "coalesce(t || t, t)", "greatest(t || t, t)", "trim(t) || substr(t, 1)", "nullif(t || t, 'b')"]  # fmt: skip


def session(*, ill: bool, memory: str | None = None) -> Any:
    rows = [{"id": at, "ill": ill and at == 7, "note": "\U0010ffff" * 2_000} for at in range(40)]
    return pv.Session(rows, BOOK, pv.budget(epsilon=1, delta=1e-3), memory=memory)


def ended(ask: Any, *, ill: bool, memory: str | None = None) -> tuple[str, Any]:
    """Tell how a question ended and what it cost."""
    opened = session(ill=ill, memory=memory)
    try:
        ask(opened)
        return "answered", opened.spent
    except PrivetError as error:
        return f"{type(error).__name__}: {error}", opened.spent
    finally:
        opened.close()


@pytest.mark.parametrize("memory", [None, "200MB"])
@pytest.mark.parametrize(("grown", "times"), [*((each, 29) for each in GROWING), ("t || t", 60), ("t || t", 12)])
def test_a_text_that_grows_tells_nothing_about_one_person(grown: str, times: int, memory: str | None) -> None:
    def ask(opened: Any) -> None:
        query = opened.query().filter("id = 7").derive(t="case when ill then 'a' else '' end")
        for _ in range(times):
            query = query.derive(t=grown)
        query.agg(n=pv.count_distinct("t")).release(epsilon=1e-6)

    healthy, sick = (ended(ask, ill=ill, memory=memory) for ill in (False, True))
    assert healthy == sick
    if times == 29:
        assert "none may have more than 10,000" in healthy[0]
        assert healthy[1].epsilon == 0


@pytest.mark.parametrize(
    "grown",
    [
        "length(note || note) + length(note || note) + length(note || note) + length(note || note)",
        "length(concat(note, note, note, note)) + length(concat(note, note, note, note))",
    ],
)
def test_texts_within_an_expression_count(grown: str) -> None:
    query = session(ill=True).query()
    with pytest.raises(InvalidError, match="compute texts of 1.*characters for one row"):
        functools.reduce(lambda found, _: found.derive(n=grown), range(40), query)


def test_texts_that_need_not_fit_into_memory_are_refused_before_the_charge() -> None:
    def ask(opened: Any) -> None:
        query = opened.query().filter("id = 7")
        for _ in range(4):
            query = query.derive(t="concat(note, note, note, note, note)", note="note")
        query.agg(n=pv.count_distinct("t")).release(epsilon=1e-6)

    told, spent = ended(ask, ill=True, memory="64MB")
    assert "surely fit. Nothing was charged" in told
    assert spent.epsilon == 0
    assert ended(ask, ill=False, memory="64MB") == (told, spent)


def test_rows_that_are_repeated_are_bounded() -> None:
    query = session(ill=True).query().filter("id = 7")
    with pytest.raises(InvalidError, match="read tables 128 times"):
        functools.reduce(lambda found, _: found.union(found), range(29), query)
    other = session(ill=True).query().select("id").derive(k="1")
    with pytest.raises(InvalidError, match="make 1,000,000 rows of one"):
        other.join(other.select("id"), rows=1_000_000)
    first = other.join(other.select("id").derive(a="1"), rows=100)
    with pytest.raises(InvalidError, match="make 10,000 rows of one"):
        first.join(other.select("id").derive(b="1"), rows=100)


def test_a_union_and_a_join_say_what_they_make() -> None:
    query = session(ill=True).query()
    assert limits_of(query.chain.output) == Limits()
    both = query.union(query.filter("ill"))
    assert limits_of(both.chain.output) == Limits(rows=2, tables=2)
    joined = both.join(query.select("id").derive(a="'a' || 'b'"), rows=5)
    assert limits_of(joined.chain.output) == Limits(rows=10, tables=3)
    assert limits_of(joined.filter("upper(note) = 'A'").chain.output).width == DEFAULT_LENGTH


def test_what_is_nested_too_deeply_is_refused_before_the_charge() -> None:
    opened = session(ill=True)
    query = opened.query()
    for number in range(90):
        query = query.derive(k=f"{number}")
    with pytest.raises(PrivetError, match="Nothing was charged"):
        query.agg(pv.count()).release(epsilon=0.5)
    assert opened.spent.epsilon == 0


def test_limits_are_stated() -> None:
    assert (DEFAULT_LENGTH, LONGEST_TEXT, MOST_ROWS, MOST_TABLES, WIDEST) == (1_000, 10_000, 1_000, 64, 100_000)
    for wrong in ({"rows": MOST_ROWS + 1}, {"tables": MOST_TABLES + 1}, {"width": WIDEST + 1}):
        with pytest.raises(InvalidError, match="no query may by more than"):
            Limits(**wrong)
    with pytest.raises(InvalidError, match="up to 10,000"):
        Column(kind="text", length=LONGEST_TEXT + 1)
    with pytest.raises(InvalidError, match="at most 10,000 characters each"):
        Column(kind="text", categories=("a" * 10_001,))


def test_what_one_row_becomes() -> None:
    columns = {"id": Column(kind="integer"), "note": Column(kind="text", length=20)}
    assert Limits().held(["id"], columns) == 4
    assert Limits(rows=3).held(["id", "note"], columns) == 3 * (4 + 20)
    assert Limits().held(["note", "of another table"], columns) == 20 + LONGEST_TEXT


@pytest.mark.parametrize(("columns", "length", "rows"), [(4, 1_800, 700), (1, 7_000, 900), (16, 250, 900)])
def test_rows_of_one_person_decide_nothing(columns: int, length: int, rows: int) -> None:
    """Long texts in few rows: refused before the charge or answered, with and without that person."""
    names = [f"t{number}" for number in range(columns)]
    book = pv.Codebook(
        columns={"id": pv.column("integer"), **{name: pv.column("text", length=length) for name in names}},
        unit=pv.Persons(id="id", rows=5),
    )
    found = []
    for there in (False, True):
        table = [{"id": number, **dict.fromkeys(names, "x")} for number in range(100, 200)]
        texts = ["\U0001f600" * (length - 8) + f"{row:08d}" for row in range(rows if there else 0)]
        table += [{"id": 7, **dict.fromkeys(names, each)} for each in texts]
        with pv.Session(table, book, pv.budget(epsilon=2), memory="64MB") as opened:
            asked = opened.query().agg(**{name: pv.count_distinct(name) for name in names})
            try:
                asked.release(epsilon=1)
                found.append(("answered", opened.spent))
            except PrivetError as error:
                found.append((str(error), opened.spent))
    assert found[0] == found[1]
    assert found[0][0] == "answered" or "Nothing was charged" in found[0][0]
