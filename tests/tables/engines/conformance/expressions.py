# ruff: noqa: E501
"""Expressions over the edges of every kind; columns are those of the random expressions."""

EXPRESSIONS = [
    # whole numbers
    "i + n", "i - n", "i * n", "i * i", "-i", "abs(i)", "sign(i)", "i // n", "i % n", 'i // "small int"', 'i % "small int"', "i // -1",
    'i % -1', '"select" + "select"', '"select" * 3', '"select" - i', "round(i, -3)", "round(\"select\", -15)", "i + 9223372036854775807",
    "clip(i, -5, 1000)", "least(i, n, 3)", "greatest(i, code)", "nullif(i, 0)", "coalesce(i, n)", "case when i > 0 then i else n end",
    # reals
    "x + x", "x - x", "x * x", "x / x", "1 / x", "x * 1e308", "x / 1e308", "x * 1e-308", "x / 1e-308", "x * 0.1", "x / 3", "x + 1e308",
    "x - 1e308", "x * rate", "rate / x", 'x / "q""uoted"', '"q""uoted" * "q""uoted"', "-x", "abs(x)", "floor(x)", "ceil(x)", "trunc(x)",
    "round(x)", "round(x, 2)", "round(x, -2)", "round(x, 15)", "round(x, -15)", "sqrt(x)", "sqrt(rate)", "sign(x)", "clip(x, -1, 2.5)",
    "least(x, rate)", "greatest(x, 0.5)", "i / n", "i * 0.5", "i + 0.1", "x * x * x", "x / x / x", "(x + 1) * (x - 1)", "5e-324 * rate",
    "x * 5e-324", "rate * 1e-300 * 1e-30", "round(x * 0.1, 3)",
    # comparisons and logic
    "i = x", "i < x", "i <= x", "i > x", "i >= x", "i <> x", "x < i", '"select" = x', "n = 3", "x = 0.5", "x <> x", "s < 'a'", "s >= 'é'",
    "s = 'A'", "s in ('a', 'A', 'it''s', null)", "s not in ('a', '')", "i in (0, 1, -1)", "b and flag", "b or flag", "not b", "b = flag", "b < flag",
    "b is null", "s is not null", "d < since", "d = value", "value >= timestamp '2000-01-01'", "i between -1 and 1000", "x between i and n",
    "case b when true then 1 when false then 0 end", "if(b, s, 'no')", "x is null and i is null",
    # texts
    "lower(s)", "upper(s)", "trim(s)", "length(s)", "strlen(s)", "strpos(s, 'a')", "strpos(s, '')", "strpos(s, s)", "substr(s, 2)",
    "substr(s, 2, 3)", "substr(s, 100)", "substr(s, 1, 4294967295)", "right(s, 2)", "right(s, 0)", "replace(s, 'a', 'bb')", "replace(s, '', 'x')",
    "s || s", "s || 'é'", "concat(s, i, b, d)", "starts_with(s, 'a')", "starts_with(s, '')", "ends_with(s, 'c')", "ends_with(s, s)",
    "contains(s, '%')", "contains(s, '')", "s like 'a%'", "s like '_'", "s like 'a\\%'", "s like 'a!%c' escape '!'", "s ilike 'É%'",
    "s ilike 'İ'", "s not like '%c'", 'least(s, "été ☃")', "greatest(s, 'b')", "lower(upper(s))", "nullif(trim(s), '')", "length(lower(s))",
    # dates and timestamps
    "year(d)", "quarter(d)", "month(d)", "week(d)", "day(d)", "dayofweek(d)", "isodow(d)", "dayofyear(d)", "hour(value)", "minute(value)",
    "second(value)", "year(value)", "week(value)", "date_trunc('month', d)", "date_trunc('week', d)", "date_trunc('quarter', value)",
    "date_trunc('hour', value)", "date_trunc('second', value)", "date_diff('day', d, since)", "since - d", "d + 7", "d - 3000000", "d + interval 1 month",
    "d - interval 9999 year", "d + interval 9999 year", "since + interval 13 month", "value + interval 31 hour", "value - interval 9999 year",
    "value + interval 1 second", "d + interval '36' hour", "least(d, since)", "clip(d, date '1999-01-01', date '2030-06-30')",
    # casts
    "cast(x as integer)", "cast(b as integer)", "cast(s as integer)", "cast(i as real)", "cast(b as real)", "cast(s as real)", "cast(i as boolean)",
    "cast(x as boolean)", "cast(s as boolean)", "cast(i as text)", "cast(x as text)", "cast(x * 1e15 as text)", "cast(rate * 1e15 as text)",
    "cast(b as text)", "cast(d as text)", "cast(value as text)", "cast(s as date)", "cast(s as timestamp)", "cast(d as timestamp)",
    "cast(value as date)", "cast(value as time)", "cast(s as time)", "time_trunc(cast(value as time), minute)", "hour(cast(value as time))",
    "strptime(s, '%d.%m.%Y')", "strptime(s, '%d-%b-%Y')", "strptime(s, '%Y-%m-%d')", "strptime(s, '%Y%m%d')", "strptime(s, '%d.%m.%y')",
    "strptime(s, '%Y-%m-%dT%H:%M:%S')", "strptime(s, '%F %T.%f')", "parse_time('%H:%M', s)", "parse_time('%I:%M %p', s)", "parse_time('%T.%f', s)",
    "strptime('9999-12-31 ' || s, '%Y-%m-%d %H:%M')", "strptime(s || ' 29.2.00', '%H:%M %d.%m.%y')", "parse_date('%B %d, %Y', 'June 31, ' || '2024')",
    "cast(s || 'e1' as real)", "cast('0' || s as integer)", "cast(cast(x as text) as real)",
]  # fmt: skip
FILTERS = [
    "i > 0", "x > 0.5", "s > 'a'", "b", "not b", "b is null", "d < date '2000-01-01'", "value is null or i is null", "lower(s) like 'a%'",
    "i % 2 = 0 and x < 1", "x * x > 1", "cast(s as integer) is not null", "length(s) between 1 and 3", "i in (0, 1, 7)", "code <> 2",
]  # fmt: skip
REFUSED = [
    ("exp(rate)", "exp"), ("ln(rate)", "ln"), ("log10(x)", "log10"), ("log2(x)", "log2"), ("pow(x, 2)", "pow"),
    ("regexp_replace(s, '[0-9]+', 'N')", "regexp_replace"),
]  # fmt: skip
