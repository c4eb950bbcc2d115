# ruff: noqa: E501
"""What is not on the list is refused by name, by the text alone; the messages say what to write instead."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.errors import InvalidError, PrivetError, WrongTypeError
from privet.tables.columns.column import Column
from privet.tables.expressions import parse

COLUMNS = {
    "a": Column(kind="integer"),
    "x": Column(kind="real"),
    "s": Column(kind="text"),
    "b": Column(kind="boolean"),
    "d": Column(kind="date"),
    "t": Column(kind="timestamp"),
}

# the text, and what the message must name
REFUSED: list[tuple[str, str]] = [
    # queries
    ("(select 1)", "sub-query"), ("select 1", "select"), ("a in (select 1)", "sub-query"), ("exists (select 1)", "exists"),
    ("a > (select max(a) from visits)", "sub-query"), ("a = any (select 1)", "any"), ("a = all (select 1)", "all"),
    ("(with q as (select 1) select * from q)", "sub-query"), ("(values (1))", "values"), ("(from visits)", "visits"),
    ("a union select 1", "union"), ("array(select 1)", "array"), ("a > any([1, 2])", "any"), ("(table visits)", "table visits"),
    # statements
    ("pragma version", "pragma"), ("attach 'other.db'", "attach"), ("copy t to 'x.csv'", "copy"), ("drop table t", "drop"),
    ("a; drop table t", ";"), ("a;", ";"), ("install httpfs", "install"), ("set threads = 1", "set threads"),
    ("create macro f(x) as x", "create macro"), ("insert into t values (1)", "insert"), ("call pragma_version()", "call"),
    ("explain a", "explain"), ("a where b", "where"), ("a from t", "from"), ("a order by a", "order by"), ("a limit 1", "limit"),
    # comments, parameters, stars
    ("a -- no", "omments"), ("a /* no */ > 1", "omments"), ("/* no */ a", "omments"), ("?", "parameter"), ("$1", "parameter"),
    ("$name", "parameter"), (":name", "parameter"), ("a = ?", "parameter"), ("*", "star"), ("t.*", "star"), ("columns('a')", "columns"),
    ("columns(*)", "columns"), ("#1", "position"), ("a as c", "at 'as' (character 3)"), ("a c", "at 'c' (character 3)"), ("a, s", "a, s"), ("count(*)", "count"),
    # aggregates and windows
    ("sum(a)", "sum"), ("avg(x)", "avg"), ("min(a)", "min"), ("max(a)", "max"), ("count(a)", "count"), ("median(x)", "median"),
    ("stddev(x)", "stddev"), ("string_agg(s, ',')", "agg"), ("list(a)", "list"), ("array_agg(a)", "array_agg"), ("mode(a)", "mode"),
    ("first(a)", "first"), ("any_value(a)", "any_value"), ("approx_count_distinct(a)", "approx"), ("quantile_cont(x, 0.5)", "quantile"),
    ("sum(a) over ()", "window"), ("row_number() over (order by a)", "window"), ("rank() over ()", "window"), ("lag(a) over ()", "window"),
    ("sum(a) filter (where b)", "filter"), ("histogram(a)", "histogram"), ("bool_and(b)", "and"), ("arg_max(a, x)", "max"),
    # what depends on more than the row
    ("random()", "rand"), ("rand()", "rand"), ("now()", "now"), ("current_date", "current_date"), ("current_timestamp", "current_timestamp"),
    ("current_time", "current_time"), ("today()", "today"), ("get_current_timestamp()", "get_current_timestamp"), ("current_user", "current_user"),
    ("user()", "user"), ("session_user", "session_user"), ("current_schema()", "current_schema"), ("current_database()", "current_database"),
    ("version()", "version"), ("getenv('HOME')", "getenv"), ("current_setting('threads')", "current_setting"), ("uuid()", "uuid"),
    ("gen_random_uuid()", "gen_random_uuid"), ("nextval('q')", "nextval"), ("currval('q')", "currval"), ("setseed(0.5)", "setseed"), ("txid_current()", "txid_current"),
    ("rowid", "rowid"), ("getvariable('v')", "getvariable"), ("age(t)", "age"), ("hash(a)", "hash"), ("md5(s)", "md5"), ("sha256(s)", "sha"),
    ("error(s)", "error"), ("sleep(1)", "sleep"), ("pg_sleep(1)", "pg_sleep"), ("write_log(s)", "write_log"),
    # files and engine
    ("read_csv('x.csv')", "csv"), ("read_csv_auto('x.csv')", "csv"), ("read_parquet('x')", "parquet"), ("read_text('/etc/passwd')", "read_text"),
    ("read_blob('x')", "read_blob"), ("glob('*')", "glob"), ("sqlite_scan('x', 'y')", "sqlite_scan"), ("duckdb_settings()", "duckdb_settings"),
    ("query('select 1')", "query"), ("query_table('t')", "query_table"), ("pragma_table_info('t')", "pragma_table_info"), ("parquet_metadata('x')", "parquet_metadata"),
    # lists, structs, lambdas, json
    ("[1, 2]", "list"), ("[a][1]", "["), ("list_value(a)", "list"), ("list_transform([a], y -> y)", "list"), ("array_contains([1], a)", "array"),
    ("[y for y in [a]]", "list"), ("{'k': a}", "struct"), ("struct_pack(k := a)", "struct"), ("row(a, x)", "row"), ("(a, x)", "tuple"),
    ("map([a], [x])", "map"), ("s -> '$.k'", "json"), ("s ->> 'k'", "json"), ("json_extract(s, '$.k')", "json"), ("unnest([1])", "unnest"),
    ("range(10)", "range"), ("generate_series(1, 10)", "generate_series"), ("y -> y + 1", "y"), ("lambda y: y", "lambda"), ("s[1:2]", "["),
    ("a.b", "table"), ("visits.a", "table"), ("main.visits.a", "not allowed"), ("list_sum([1])", "list_sum"),
    # regular expressions and other text functions
    ("regexp_matches(s, '(a+)+$')", "regular expression"), ("s ~ '(a*)*b'", "regular expression"), ("s similar to '(a|b)*'", "similar to"),
    ("regexp_replace(s, '(?i)a', 'b')", "(?i)a"), ("regexp_extract(s, 'a')", "regexp_extract"), ("s glob 'a*'", "glob"), ("s !~ 'a'", "!~"),
    ("repeat(s, 1000000)", "repeat"), ("printf('%s', s)", "printf"), ("format('{}', s)", "format"), ("lpad(s, 1000000, 'x')", "pad"),
    ("string_split(s, ',')", "split"), ("strptime(s, '%Y')", "strptime"), ("strftime(d, '%Y')", "time"), ("levenshtein(s, s)", "levenshtein"),
    ("reverse(s)", "reverse"), ("replace(s, 'a')", "3 arguments"), ("right(s, -2)", "0 or more"), ("right(s, a)", "written out"), ("trunc(x, 2)", "decimals"), ("translate(s, 'a', 'b')", "translate"), ("chr(a)", "chr"),
    ("encode(s)", "encode"), ("base64(s)", "base64"), ("s collate nocase", "collate"), ("trim(both 'x' from s)", "position"), ("trim(s, 'x')", "expression"),
    # other operators
    ("a & 1", "use and:"), ("a | 1", "use or:"), ("~a", "use not:"), ("a && 1", "use and:"), ("a << 1", "bitwiseleftshift"), ("xor(a, 1)", "xor"), ("a is distinct from 1", "is distinct from"),
    ("a is not distinct from 1", "is not distinct from"), ("sin(x)", "sin"), ("cot(x)", "cot"), ("factorial(a)", "factorial"), ("gamma(x)", "gamma"), ("cbrt(x)", "cbrt"),
    ("a!", "a!"), ("log(3, x)", "base"), ("a between symmetric 1 and 2", "symmetric"), ("greatest(a, b)", "integer and boolean"),
    # dates
    ("d + interval (a) day", "interval"), ("d + interval 1 century", "interval"), ("a + interval 1 day", "date"), ("d + interval 99999999 day", "interval"), ("interval '1 month'", "interval"), ("t at time zone 'UTC'", "at time zone"), ("date_add(d, interval 1.5 day)", "interval"), ("epoch(t)", "epoch"),
    ("make_date(2024, 1, 1)", "date"), ("last_day(d)", "last_day"), ("date_trunc('century', d)", "century"), ("extract(epoch from t)", "epoch"), ("hour(d)", "hour"),
    ("date_diff('month', d, d)", "month"), ("date_trunc(s, d)", "part"), ("time '25:00'", "time"), ("timestamptz '2024-01-01'", "timestamp"),
    # casts
    ("cast(a as uuid)", "uuid"), ("cast(a as smallint)", "smallint"), ("cast(a as hugeint)", "128"), ("a::blob", "blob"), ("a::uuid", "uuid"), ("s::json", "json"),
    ("a::integer[]", "[]"), ("cast(a as struct(k integer))", "struct"), ("cast(a as interval)", "interval"), ("cast(a as date)", "integer as date"),
    ("cast(d as integer)", "date as integer"), ("cast(t as timestamptz)", "timestamptz"), ("cast(s as visits)", "visits"), ("cast(a as utinyint)", "utinyint"), ("cast(s as bit)", "bit"),
    # literals and null
    ("99999999999999999999", "64 bits"), ("1e999", "doubles"), ("null", "null"), ("a = null", "null"), ("null + 1", "null"), ("coalesce(null, null)", "null"), ("date '2023-02-29'", "2023-02-29"),
    ("timestamp '2024-13-01'", "2024-13-01"), ("x'00'", "x'00'"), ("b'01'", "01"), ("e'\\n'", "byte"), ("$$text$$", "raw"), ("'open", "'open"), ("", "empty"), ("   ", "empty"), ("()", "()"), ("((a)", "((a)"),
    ("cast('abc' as integer)", "abc"), ("'a' = 1", "text and integer"), ("0x10", "x10"),
    # kinds
    ("a = s", "integer and text"), ("s + 1", "text"), ("a || s", "integer"), ("d > '2024-13-01'", "date '2024-01-31'"), ("t > '2024-13-01'", "timestamp '2024"), ("not a", "boolean"), ("a and b", "boolean"),
    ("case when a then 1 end", "boolean"), ("case when b then 1 else 'x' end", "integer and text"), ("coalesce(a, s)", "integer and text"), ("x // 2", "floor"), ("x % 2", "floor"), ("lower(a)", "integer"), ("year(s)", "text"),
    ("a in (s)", "written out"), ("a in ('x')", "integer and text"), ("a in (1.5)", "integer and real"), ("s like s", "written out"), ("s like 'a!' escape '!'", "escape"), ("s like 'a' escape 'ab'", "escape"), ("clip(a, 5, 3)", "lower"),
    ("clip(a, x, 3)", "written out"), ("clip(a)", "clip"), ("round(x, a)", "written out"), ("round(x, 99)", "digits"), ("substr(s, 0)", "start"), ("substr(s, -1, 2)", "start"), ("substr(s, a)", "written out"), ("greatest(b, b)", "boolean"),
    ("ifnull(a)", "coalesce"), ("ceil()", "missing"), ("floor( )", "missing"), ("@", "missing"), ("abs()", "abs"), ("random(1)", "rand"), ("missing > 1", "missing"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "named"), REFUSED, ids=[text for text, _ in REFUSED])
def test_it_is_refused_by_name(text: str, named: str) -> None:
    with pytest.raises(InvalidError) as caught:
        parse(text, COLUMNS)
    assert named.lower() in str(caught.value).lower()
    assert caught.value.__cause__ is None


def test_the_corpus_is_large() -> None:
    assert len({text for text, _ in REFUSED}) >= 200


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("coalesc(a, 1)", "Did you mean coalesce?"),
        ("sqr(x)", "Did you mean sqrt?"),
        ("lenght(s)", "Did you mean length?"),
        ("start_with(s, 'a')", "Did you mean starts_with?"),
        ("dayofweeks(d)", "Did you mean dayofweek?"),
    ],
)
def test_the_nearest_name_is_hinted_at(text: str, hint: str) -> None:
    with pytest.raises(InvalidError, match=hint.replace("?", r"\?")):
        parse(text, COLUMNS)


def test_the_nearest_column_is_hinted_at() -> None:
    with pytest.raises(
        InvalidError,
        match=r"^there is no column 'duratoin' at character 5 of '1 < duratoin'; there are 'duration'. "
        r"Did you mean 'duration'\?$",
    ):
        parse("1 < duratoin", {"duration": Column(kind="integer")})


def test_a_message_points_at_the_text() -> None:
    with pytest.raises(
        InvalidError, match=r"now\(...\) is not allowed in an expression: 'NOW\(\)' at character 5 of 'd > now\(\)'"
    ):
        parse("d > now()", COLUMNS)


@pytest.mark.parametrize("text", [None, 3, b"a > 1", ["a"]])
def test_only_texts_are_read(text: object) -> None:
    with pytest.raises(WrongTypeError, match="must be a text"):
        parse(text, COLUMNS)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    [
        "(" * 5_000 + "a" + ")" * 5_000,
        "-(" * 3_000 + "a" + ")" * 3_000,
        " + ".join(["a"] * 3_000),
        "not " * 3_000 + "b",
        "case when b then " * 500 + "1" + " end" * 500,
        "a" * 200_000,
        "a > '\ud800'",
        "abs(" * 150 + "a" + ")" * 150,
    ],
    ids=range(8),
)
def test_monsters_are_refused(text: str) -> None:
    with pytest.raises(PrivetError):
        parse(text, COLUMNS)


def test_a_long_chain_of_conditions_is_not_deep() -> None:
    chain = parse(" or ".join(f"a = {number}" for number in range(500)), COLUMNS)
    assert chain.size[1] == 3


WORDS = sorted({word for text, _ in REFUSED for word in text.replace("(", " ( ").replace(")", " ) ").split()})


@given(st.one_of(st.text(max_size=30), st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)))
@settings(max_examples=500, deadline=None)
def test_garbage_is_refused_or_understood_and_never_breaks(text: str) -> None:
    try:
        expression = parse(text, COLUMNS)
    except InvalidError:
        return
    assert set(expression.references()) <= set(COLUMNS)
    assert parse(str(expression), COLUMNS) == expression


def test_nothing_is_logged(caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]) -> None:
    for text, _ in REFUSED:
        with pytest.raises(InvalidError):
            parse(text, COLUMNS)
    assert caplog.records == []
    assert capfd.readouterr() == ("", "")
