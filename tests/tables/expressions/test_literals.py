"""Literals beside columns of another kind: read exactly, or refused; and dates that are moved by an interval."""

import pytest

from privet.errors import InvalidError
from privet.tables.columns.column import Column
from privet.tables.expressions import parse

COLUMNS = {
    "age": Column(kind="integer", bounds=(0, 120)),
    "x": Column(kind="real"),
    "ill": Column(kind="boolean"),
    "code": Column(kind="text", categories=("1", "02", "x")),
    "day": Column(kind="date", bounds=(0, 20_000)),
    "time": Column(kind="timestamp"),
}


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("age = '30'", "age = 30"),
        ("'30' < age", "30 < age"),
        ("age = '30.5'", "age = 30.5"),
        ("x >= ' 1e3 '", "x >= 1000.0"),
        ("age between '1' and '5'", "age between 1 and 5"),
        ("age in ('1', '2')", "age in (1, 2)"),
        ("ill = 1", "ill = true"),
        ("age = true", "age = 1"),
        ("false <> age", "0 <> age"),
        ("concat(age, '-', ill, day)", "concat(cast(age as text), '-', cast(ill as text), cast(day as text))"),
        ("ill <> 'no'", "ill <> false"),
        ("ill in (0, 1)", "ill in (false, true)"),
        ("code = 2", "cast(code as integer) = 2"),
        ("code = true", "cast(code as boolean) = true"),
        ("code in (1, 2)", "cast(code as integer) in (1, 2)"),
        ("day >= '2024-01-31'", "day >= date '2024-01-31'"),
        ("day < '2024-01-31 12:00'", "day < timestamp '2024-01-31 12:00:00'"),
        ("time < '2024-01-31'", "time < timestamp '2024-01-31 00:00:00'"),
        ("day in ('2024-01-31')", "day in (date '2024-01-31')"),
        ("day <= date '1998-12-01' - interval '90' day", "day <= date '1998-09-02'"),
        ("day < date '2024-01-31' + interval 1 month", "day < date '2024-02-29'"),
        ("day < dateadd(year, -1, date '2024-02-29')", "day < date '2023-02-28'"),
        ("day < date_sub(date '2024-03-01', interval 1 day)", "day < date '2024-02-29'"),
        ("time > timestamp '2024-01-01' + interval '36' hour", "time > timestamp '2024-01-02 12:00:00'"),
        ("day + 7 > date '2024-01-08'", "day + interval 7 day > date '2024-01-08'"),
        ("day - 7 > date '2024-01-08'", "day - interval '7' days > date '2024-01-08'"),
        ("cast('30' as integer) < age", "30 < age"),
    ],
)
def test_a_literal_means_what_it_is_compared_with(written: str, plain: str) -> None:
    assert str(parse(written, COLUMNS)) == str(parse(plain, COLUMNS))
    assert parse(str(parse(written, COLUMNS)), COLUMNS) == parse(written, COLUMNS)


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("cast('abc' as integer) = 1", "'abc' is no integer.* Write a whole number, or null"),
        ("age = 'abc'", "'abc' is no integer"),
        ("day = '2024-02-30'", "'2024-02-30' is no date"),
        ("ill = 2", "boolean and integer"),
        ("ill > 1", "boolean and integer"),
        ("age > true", "integer and boolean"),
        ("concat(x, 'a')", "concat takes text, got real"),
        ("code > 2", "text and integer"),
        ("code = age", "text and integer"),
        ("day + x > day", "must be written out|takes|mix"),
        ("day + age > day", "must be written out"),
        ("day + interval '1' fortnight > day", "An interval must be of"),
        ("day + interval '1.5' day > day", "whole number"),
        ("day + interval 10000 year > day", "at most 9,999"),
        ("day > current_date", "Write the day"),
        ("time > now()", "Write the day"),
    ],
)
def test_what_has_no_such_meaning_is_refused(written: str, message: str) -> None:
    with pytest.raises(InvalidError, match=message):
        parse(written, COLUMNS)
