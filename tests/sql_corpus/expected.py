"""The answers of DuckDB to the queries of the corpus, and whether a release agrees with them."""

from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from math import isfinite, isnan
from typing import Any, final

import duckdb
from attrs import frozen
from sqlglot import exp

from tests.sql_corpus.rule import averages_persons, bounds_in, parse
from tests.sql_corpus.tables import Table

_NAMES = {"VAR": "VAR_SAMP", "STD": "STDDEV_SAMP", "APPROX_QUANTILES": "QUANTILE_CONT"}
_LENGTHS = 1000.0  # the lengths of texts lie between 0 and this in Privet
_NEAR_THE_ENDS = (
    exp.Min,
    exp.Max,
    exp.Median,
    exp.PercentileCont,
    exp.PercentileDisc,
    exp.ApproxQuantile,
    exp.ApproxQuantiles,
)


@final
@frozen(kw_only=True)
class Expected:
    """What DuckDB answers.

    Args:
        rows: The rows, without those of a group whose key is null, and without LIMIT.
        slack: For each column how far off a release may be: 2 % of the width of the bounds for quantiles, minima and
            maxima, which are read from bins between the bounds; None for all others.
        keyed: For each column whether it is a key, or made of keys.
        limited: Whether the statement shows only some of the rows.
    """

    rows: list[tuple[Any, ...]]
    slack: tuple[float | None, ...]
    keyed: tuple[bool, ...]
    limited: bool


def duckdb_sql(tree: exp.Select) -> exp.Select:
    """The statement with tables by their last names and exact aggregates, ready to be written for DuckDB."""
    tree = tree.copy()
    for table in tree.find_all(exp.Table):
        table.set("db", None)
        table.set("catalog", None)
    for call in tree.find_all(exp.Anonymous):
        call.set("this", _NAMES.get(call.name.upper(), call.name))
    for estimate in list(tree.find_all(exp.ApproxDistinct)):  # DuckDB's is an estimate, a release counts
        estimate.replace(exp.Count(this=exp.Distinct(expressions=[estimate.this.copy()])))
    for quantile in list(tree.find_all(exp.ApproxQuantile)):
        quantile.replace(exp.Anonymous(this="QUANTILE_CONT", expressions=[quantile.this, quantile.args["quantile"]]))
    for combined in list(tree.find_all(exp.CombinedAggFunc, exp.CountIf)):
        _with_filter(combined)
    for column in tree.find_all(exp.Column):
        column.set("db", None)
        column.set("catalog", None)
    return tree


def _with_filter(call: exp.Expr) -> None:
    """Write ClickHouse's ``sumIf(x, c)`` as ``SUM(x) FILTER (WHERE c)``."""
    values = [*([call.this] if isinstance(call.this, exp.Expr) else []), *call.expressions]
    name = "count" if isinstance(call, exp.CountIf) else str(call.name)[:-2]
    if len(values) == 2:
        condition = exp.Where(this=values[1].copy())
        call.replace(exp.Filter(this=exp.func(name, values[0].copy()), expression=condition))


def expected(text: str, dialect: str | None, tables: dict[str, Table]) -> Expected:
    tree = parse(text, dialect)
    assert isinstance(tree, exp.Select)
    written, tree = tree, duckdb_sql(tree)
    pairs = zip(written.expressions, tree.expressions, strict=True)
    slack = tuple(_slack(exp.Tuple(expressions=[a.copy(), b.copy()]), tables) for a, b in pairs)
    if averages_persons(text):
        _average_persons(tree, text, tables)
    limited = tree.args.get("limit") is not None
    tree.set("limit", None)
    columns = len(tree.expressions)
    keyed = tuple(each.find(exp.AggFunc) is None for each in tree.expressions)
    keys = _keys(tree)
    tree.set("order", None)
    tree = tree.select(*(exp.alias_(key.copy(), f"corpus_key_{n}") for n, key in enumerate(keys)))
    with duckdb.connect() as connection:
        for name, table in tables.items():
            connection.register(name, table.arrow())
        rows = connection.execute(tree.sql(dialect="duckdb")).fetchall()
    known = [row[:columns] for row in rows if all(key is not None for key in row[columns:])]
    sizes = [max((len(row[at]) for row in known if isinstance(row[at], list)), default=1) for at in range(columns)]
    return Expected(
        rows=[tuple(map(_plain, _flat(row))) for row in known],
        slack=tuple(each for each, size in zip(slack, sizes, strict=True) for _ in range(size)),
        keyed=tuple(each for each, size in zip(keyed, sizes, strict=True) for _ in range(size)),
        limited=limited,
    )


def _flat(row: Sequence[Any]) -> Iterator[Any]:
    """The values of a row; a list of quantiles is one column for each, as in a release."""
    for value in row:
        yield from value if isinstance(value, list) else [value]


def _slack(node: exp.Expr, tables: dict[str, Table]) -> float | None:
    if node.find(*_NEAR_THE_ENDS) is None:
        return None
    columns = {name.lower(): col for table in tables.values() for name, col in table.columns.items()}
    read = [columns[each.name.lower()] for each in node.find_all(exp.Column) if each.name.lower() in columns]
    widths = [_LENGTHS] if node.find(exp.Length) else []
    for col in read:
        if col.bounds is not None:
            width = col.bounds[1] - col.bounds[0]
            widths.append(width.total_seconds() / 86400 if isinstance(width, timedelta) else float(width))
    return 0.02 * max(widths, default=0.0) + 1e-5


def _average_persons(tree: exp.Select, text: str, tables: dict[str, Table]) -> None:
    """Let AVG average the averages of persons in each group, each within the bounds that the call gives."""
    calls = list(tree.find_all(exp.Avg))
    group = tree.args.get("group")
    if not calls:
        return
    (call,), (table,) = calls, tables.values()  # the corpus has one such call in a statement, over one table
    mean: exp.Expr = call.copy()
    if bounds := bounds_in(text):
        lower, upper = bounds
        mean = exp.maybe_parse(
            f"CASE WHEN {mean} < {lower} THEN {lower} WHEN {mean} > {upper} THEN {upper} ELSE {mean} END"
        )
    keys = [key.copy() for key in group.expressions] if group else []
    inner = exp.select(*keys, exp.alias_(mean, "corpus_mean")).from_(tree.args["from_"].this.copy())
    inner = inner.group_by(exp.column(str(table.id)), *(key.copy() for key in keys))
    call.set("this", exp.column("corpus_mean"))
    tree.set("from_", exp.From(this=inner.subquery("corpus_persons")))


def _keys(tree: exp.Select) -> list[exp.Expr]:
    """The keys of GROUP BY, places and aliases resolved."""
    group = tree.args.get("group")
    if group is None or group.find(exp.Rollup, exp.Cube, exp.GroupingSets) or group.args.get("all"):
        return []
    named = {each.alias.lower(): each.unalias() for each in tree.expressions if each.alias}
    keys = []
    for key in group.expressions:
        if isinstance(key, exp.Literal) and key.is_int:
            keys.append(tree.expressions[int(key.this) - 1].unalias())
        elif isinstance(key, exp.Column) and not key.table:
            keys.append(named.get(key.name.lower(), key))
        else:
            keys.append(key)
    return [key for key in keys if key.find(exp.AggFunc) is None]


def _plain(value: Any) -> Any:
    if isinstance(value, bool):
        return value
    if isinstance(value, Decimal | int | float):
        return float(value)
    if isinstance(value, datetime):
        return value.replace(tzinfo=None)
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day)  # noqa: DTZ001
    return value


def difference(release: Sequence[Sequence[Any]], answer: Expected) -> str | None:
    """What a release has that the answer has not, or the other way round; None if they agree.

    A release holds every public group, so a group without rows may be there with values near zero.
    """
    left = [tuple(map(_plain, row)) for row in release]
    missing = []
    for row in answer.rows:
        found = next((other for other in left if _agree(other, row, answer)), None)
        if found is None:
            missing.append(row)
        else:
            left.remove(found)
    if missing and not (answer.limited and len(release) - len(left) > 0):
        return f"{len(missing)} of {len(answer.rows)} rows are missing, such as {missing[0]}; left {left[:1]}"
    surplus = [row for row in left if not _empty(row, answer)]
    return f"{len(surplus)} rows too many, such as {surplus[0]}" if surplus else None


def _agree(row: Sequence[Any], wanted: Sequence[Any], answer: Expected) -> bool:
    return len(row) == len(wanted) and all(map(_close, row, wanted, answer.slack))


def _close(value: Any, wanted: Any, slack: float | None) -> bool:
    if isinstance(value, float) and isinstance(wanted, float):
        if not isfinite(value) or not isfinite(wanted):
            return isnan(value) and isnan(wanted)
        allowed = 1e-5 * max(1, abs(wanted)) if slack is None else 0.05 * abs(wanted) + slack
        return abs(value - wanted) <= allowed
    if wanted is None and isinstance(value, float):
        return isnan(value) or abs(value) < 1e-3
    if slack is not None and isinstance(value, datetime) and isinstance(wanted, datetime):
        return abs((value - wanted).total_seconds()) <= slack * 86400
    if isinstance(value, bool) or isinstance(wanted, bool):
        return value is not None and wanted is not None and bool(value) == bool(wanted)
    return bool(value == wanted)


def _empty(row: Sequence[Any], answer: Expected) -> bool:
    """Whether a row is that of a public group without rows: its counts and sums are near zero."""
    measured = [value for value, keyed in zip(row, answer.keyed, strict=True) if not keyed and isinstance(value, float)]
    return not measured or any(isnan(value) or abs(value) < 1e-3 for value in measured)
