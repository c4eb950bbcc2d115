"""Lines of text files as fields: the trees with which DuckDB parts a line and takes off quotes."""

from sqlglot import exp

from privet.tables.engines.csv_lines import FIELDS, LINE, field_pattern
from privet.tables.engines.duckdb.dialect import function
from privet.tables.vocabulary import call, case, column, identifier, text, whole


def fields_of(lines: str, delimiter: str) -> exp.Select:
    """Build the query that gives every line of a table of lines as a list of raw fields."""
    split = exp.Alias(this=_split(delimiter), alias=identifier(FIELDS))
    return exp.Select(expressions=[split]).from_(exp.Table(this=identifier(lines)))


def _split(delimiter: str) -> exp.Expr:
    """Part a line at its delimiters; those between a quote that opens a field and its partner do not count."""
    plain = function("string_split", column(LINE), text(delimiter))
    ended = exp.DPipe(this=column(LINE), expression=text(delimiter), safe=True)
    quoted = function("regexp_extract_all", ended, text(field_pattern(delimiter)), whole(1, "int32"))
    ways = [
        (exp.Is(this=column(LINE), expression=exp.null()), column(FIELDS)),  # parted already
        (call("contains", column(LINE), text('"')), quoted),
    ]
    return case(ways, plain)


def field_at(position: int) -> exp.Expr:
    """Give one field of a line, counted from 0: null where there is none or it is empty, without its quotes."""
    raw = function("list_extract", column(FIELDS), whole(position + 1))
    inner = call("substr", raw.copy(), whole(2), exp.Sub(this=call("length", raw.copy()), expression=whole(2)))
    unquoted = function("replace", inner, text('""'), text('"'))
    marked = exp.And(
        this=call("starts_with", raw.copy(), text('"')), expression=call("ends_with", raw.copy(), text('"'))
    )
    both = exp.And(this=marked, expression=exp.GTE(this=call("length", raw.copy()), expression=whole(2)))
    empty = exp.EQ(this=raw, expression=text(""))
    return case([(empty, exp.null()), (both, unquoted)], raw.copy())
