"""Codebooks with something wrong: the text, and exactly what is said about it."""
# ruff: noqa: E501 - messages are written out as they are

from tests.tables.wrong_codebook_parts import HEAD, A, col
from tests.tables.wrong_codebooks_more import MORE

WRONG: dict[str, tuple[str, list[str]]] = {
    "empty file": ("", ["1: a codebook must have keys such as unit, columns, format, got nothing."]),
    "only a comment": ("# nothing\n", ["1: a codebook must have keys such as unit, columns, format, got nothing."]),
    "only a document mark": ("---\n", ["2: a codebook must have keys such as unit, columns, format, got nothing."]),
    "a list": ("- a\n- b\n", ["1: a codebook must have keys such as unit, columns, format, got a list."]),
    "a text": ("visits\n", ["1: a codebook must have keys such as unit, columns, format, got visits."]),
    "no columns": ("unit: {rows: 1}\n", ["1: columns is missing. List the columns that may be used."]),
    "no unit": (
        "columns:\n  a: {type: text}\n",
        ["1: unit is missing. Write what is protected, {rows: 1} or {id: COLUMN}."],
    ),
    "empty mapping": (
        "{}\n",
        [
            "1: unit is missing. Write what is protected, {rows: 1} or {id: COLUMN}.",
            "1: columns is missing. List the columns that may be used.",
        ],
    ),
    "misspelt key": (
        "units: {rows: 1}\ncolumns:\n  a: {type: text}\n",
        ["1: units is no key of a codebook. Did you mean unit?"],
    ),
    "unknown key": (
        "unit: {rows: 1}\nwarehouse: x\ncolumns:\n  a: {type: text}\n",
        [
            (
                "2: warehouse is no key of a codebook. The keys are format, table, description, unit, sampling, file, "
                "missing, decimal, thousands, columns."
            )
        ],
    ),
    "capital key": (
        "unit: {rows: 1}\nColumns:\n  a: {type: text}\n",
        ["2: Columns is no key of a codebook. Did you mean columns?"],
    ),
    "duplicate key at the top": (
        "unit: {rows: 1}\nunit: {rows: 2}\ncolumns:\n  a: {type: text}\n",
        ["2: unit is written twice, first in line 1."],
    ),
    "duplicate column": (
        A + "  b: {type: text}\n  a: {type: real}\n",
        ["5: columns.a is written twice, first in line 3."],
    ),
    "duplicate key of a column": (
        col("type: text\ntype: text"),
        ["5: columns.a.type is written twice, first in line 4."],
    ),
    "duplicate in flow": (
        HEAD + "  a: {type: text, type: real}\n",
        ["3: columns.a.type is written twice, first in line 3."],
    ),
    "columns that differ in capitals": (
        HEAD + "  Age: {type: text}\n  age: {type: text}\n",
        ["4: columns.age must differ from 'Age' in more than capital letters: engines cannot tell them apart."],
    ),
    "columns is a list": (
        "unit: {rows: 1}\ncolumns:\n  - a\n  - b\n",
        ["3: columns must name at least one column, got a list."],
    ),
    "columns is empty": ("unit: {rows: 1}\ncolumns: {}\n", ["2: columns must name at least one column, got no keys."]),
    "columns is nothing": ("unit: {rows: 1}\ncolumns:\n", ["2: columns must name at least one column, got nothing."]),
    "table is a list": ("table: [a]\n" + A + "", ["1: table must be one value, got a list."]),
    "table is null": (
        "table: null\n" + A + "",
        ['1: table must be text, got nothing; put quotes around "null" if that is the text.'],
    ),
    "table is blank": ("table: '  '\n" + A + "", ["1: table must be a name, such as visits."]),
    "description is a mapping": (
        "description: {a: b}\n" + A + "",
        ["1: description must be one value, got keys with values."],
    ),
    "column without a type": (
        col("bounds: [0, 1]"),
        ["4: columns.a.type is missing. Write one of integer, real, boolean, text, date, timestamp."],
    ),
    "column without keys": (
        HEAD + "  a: text\n",
        ["3: columns.a must have keys. Write type: text on a line of its own below it."],
    ),
    "column with nothing": (
        HEAD + "  a:\n  b: {type: text}\n",
        ["3: columns.a must have keys such as type, bounds, grid, got nothing."],
    ),
    "column is a list": (
        HEAD + "  a: [text]\n",
        ["3: columns.a must have keys such as type, bounds, grid, got a list."],
    ),
    "unknown type": (
        col("type: colour"),
        ["4: columns.a.type must be one of integer, real, boolean, text, date, timestamp, got 'colour'."],
    ),
    "type of another language": (
        col("type: double"),
        [
            "4: columns.a.type must be one of integer, real, boolean, text, date, timestamp, got 'double'. Did you mean real?"
        ],
    ),
    "type misspelt": (
        col("type: timestmp"),
        [
            "4: columns.a.type must be one of integer, real, boolean, text, date, timestamp, got 'timestmp'. Did you mean timestamp?"
        ],
    ),
    "type is a number": (
        col("type: 7"),
        ["4: columns.a.type must be one of integer, real, boolean, text, date, timestamp, got '7'."],
    ),
    "type is null": (
        col("type: ~"),
        ['4: columns.a.type must be text, got nothing; put quotes around "null" if that is the text.'],
    ),
    "misspelt key of a column": (
        col("type: text\ncategory: [a]"),
        ["5: columns.a.category is no key of a column. Did you mean categories?"],
    ),
    "null for nulls": (col("type: text\nnull: drop"), ["5: columns.a.null is no key of a column. Did you mean nulls?"]),
    "nullable": (
        col("type: text\nnullable: false"),
        ["5: columns.a.nullable is no key of a column. Did you mean nulls?"],
    ),
    "bounds reversed": (
        col("type: real\nbounds: [600, 0]"),
        ["5: columns.a.bounds: lower must be below upper, got lower=600, upper=0."],
    ),
    "bounds equal": (
        col("type: integer\nbounds: [5, 5]"),
        ["5: columns.a.bounds: lower must be below upper, got lower=5, upper=5."],
    ),
    "bounds of three": (
        col("type: real\nbounds: [0, 1, 2]"),
        ["5: columns.a.bounds must be a pair [lower, upper], got a list of 3."],
    ),
    "bounds of one": (col("type: real\nbounds: 5"), ["5: columns.a.bounds must be a pair [lower, upper], got 5."]),
    "bounds as text": (
        col("type: real\nbounds: 0-600"),
        ["5: columns.a.bounds must be a pair [lower, upper], got 0-600."],
    ),
    "bounds empty": (col("type: real\nbounds:"), ["5: columns.a.bounds must be a pair [lower, upper], got nothing."]),
    "bounds of text": (
        col("type: text\nbounds: [a, b]"),
        ["5: columns.a.bounds are for integer, real, date, timestamp columns, got a text column."],
    ),
    "bounds of boolean": (
        col("type: boolean\nbounds: [0, 1]"),
        ["5: columns.a.bounds are for integer, real, date, timestamp columns, got a boolean column."],
    ),
    "bounds with null": (
        col("type: real\nbounds: [0, null]"),
        ["5: columns.a.bounds[1] must be a finite bound, got nothing."],
    ),
    "bounds infinite": (
        col("type: real\nbounds: [0, .inf]"),
        ["5: columns.a.bounds[1] must be a number such as 600, 0.1, 1e3 or 1/3, got .inf. Bounds are finite."],
    ),
    "bounds not a number": (
        col("type: real\nbounds: [.nan, 1]"),
        ["5: columns.a.bounds[0] must be a number such as 600, 0.1, 1e3 or 1/3, got .nan. Bounds are finite."],
    ),
    "bounds octal": (
        col("type: integer\nbounds: [0, 010]"),
        ["5: columns.a.bounds[1] must be a decimal number without leading zeros, got 010."],
    ),
    "bounds hexadecimal": (
        col("type: integer\nbounds: [0, 0x1F]"),
        ["5: columns.a.bounds[1] must be a decimal number without leading zeros, got 0x1F."],
    ),
    "bounds sexagesimal": (
        col("type: integer\nbounds: [0, 1:30]"),
        [
            "5: columns.a.bounds[1] must be a number such as 600, 0.1, 1e3 or 1/3, got 1:30. Write minutes or seconds as one number."
        ],
    ),
    "bounds with underscores": (
        col("type: integer\nbounds: [0, 1_000]"),
        ["5: columns.a.bounds[1] must be a number such as 600, 0.1, 1e3 or 1/3, got 1_000. Write 1000."],
    ),
    "bounds yes and no": (
        col("type: integer\nbounds: [no, yes]"),
        [
            "5: columns.a.bounds[0] must be a number such as 600, 0.1, 1e3 or 1/3, got no.",
            "5: columns.a.bounds[1] must be a number such as 600, 0.1, 1e3 or 1/3, got yes.",
        ],
    ),
    "bounds by zero": (
        col("type: real\nbounds: [0, 1/0]"),
        ["5: columns.a.bounds[1] must not be divided by zero, got 1/0."],
    ),
    "bounds huge exponent": (
        col("type: real\nbounds: [0, 1e999999999]"),
        ["5: columns.a.bounds[1] must be a number such as 600, 0.1, 1e3 or 1/3, got 1e999999999."],
    ),
    "bounds beyond floats": (
        col("type: real\nbounds: [0, 1e400]"),
        ["5: columns.a.bounds must lie within the floats, up to about 1.8e308."],
    ),
    "bounds too close to zero": (
        col("type: real\nbounds: [0, 1e-320]"),
        ["5: columns.a.bounds are too close to zero for a grid of 2^-32 of them; scale the column up first."],
    ),
    "bounds of fractions": (
        col("type: integer\nbounds: [0, 0.5]"),
        ["5: columns.a.bounds must be whole numbers for an integer column, got 0.5."],
    ),
    "bounds beyond 64 bits": (
        col("type: integer\nbounds: [0, 9223372036854775808]"),
        ["5: columns.a.bounds must lie within 64-bit integers, got 9223372036854775808."],
    ),
    "bounds named without upper": (
        col("type: real\nbounds: {lower: 0}"),
        ["5: columns.a.bounds.upper is missing. Write [lower, upper]."],
    ),
    "bounds named wrongly": (
        col("type: real\nbounds: {min: 0, max: 1}"),
        [
            "5: columns.a.bounds.lower is missing. Write [lower, upper].",
            "5: columns.a.bounds.upper is missing. Write [lower, upper].",
            "5: columns.a.bounds.min is no key of bounds. The keys are lower, upper.",
            "5: columns.a.bounds.max is no key of bounds. The keys are lower, upper.",
        ],
    ),
    "bounds nested": (col("type: real\nbounds: [[0], 1]"), ["5: columns.a.bounds[0] must be one value, got a list."]),
    "date bounds reversed": (
        col("type: date\nbounds: [2024-02-01, 2024-01-01]"),
        ["5: columns.a.bounds: lower must be below upper, got lower=2024-02-01, upper=2024-01-01."],
    ),
    "date that is none": (
        col("type: date\nbounds: [2024-02-30, 2024-12-31]"),
        ["5: columns.a.bounds[0] must be a date such as 2024-01-31; there is no '2024-02-30' in the calendar."],
    ),
    "date the other way round": (
        col("type: date\nbounds: [01.02.2024, 31.12.2024]"),
        ["5: columns.a.bounds[0] must be a date such as 2024-01-31, got '01.02.2024'."],
    ),
    "date compact": (
        col("type: date\nbounds: [20240101, 20241231]"),
        ["5: columns.a.bounds[0] must be a date such as 2024-01-31, got '20240101'."],
    ),
    "date with a time": (
        col("type: date\nbounds: [2024-01-01T00:00, 2024-12-31]"),
        ["5: columns.a.bounds[0] must be a date such as 2024-01-31, got '2024-01-01T00:00'."],
    ),
    "timestamp of a strange hour": (
        col("type: timestamp\nbounds: [2024-01-01T25:00, 2024-12-31]"),
        [
            "5: columns.a.bounds[0] must be a timestamp such as 2024-01-31T12:00:00Z, or a date for the start of its day; there is no '2024-01-01T25:00' in the calendar."
        ],
    ),
    "timestamp in words": (
        col("type: timestamp\nbounds: [now, 2024-12-31]"),
        [
            "5: columns.a.bounds[0] must be a timestamp such as 2024-01-31T12:00:00Z, or a date for the start of its day, got 'now'."
        ],
    ),
    "grid of integers": (
        col("type: integer\nbounds: [0, 9]\ngrid: 1"),
        ["6: columns.a.grid is for real columns, got integer column."],
    ),
    "grid without bounds": (
        col("type: real\ngrid: 0.5"),
        ["5: columns.a.grid needs bounds: a grid is only exact within them."],
    ),
    "grid that is no power of two": (
        col("type: real\nbounds: [0, 1]\ngrid: 0.1"),
        ["6: columns.a.grid must be a power of two such as 2^-10, got 0.1."],
    ),
    "grid below zero": (
        col("type: real\nbounds: [0, 1]\ngrid: -1"),
        ["6: columns.a.grid must be a power of two such as 2^-10, got -1."],
    ),
    "grid too fine": (
        col("type: real\nbounds: [0, 1]\ngrid: 2^-60"),
        ["6: columns.a.grid must be above 2^-53 of the bounds, got grid=1/1152921504606846976; choose a coarser grid."],
    ),
    "grid too coarse": (
        col("type: real\nbounds: [0, 1]\ngrid: 4"),
        ["6: columns.a.grid must have two points inside the bounds, got grid=4; choose a finer grid."],
    ),
    "grid of absurd size": (
        col("type: real\nbounds: [0, 1]\ngrid: 2^9999"),
        ["6: columns.a.grid must lie within the floats, got 2^9999."],
    ),
    "categories of reals": (
        col("type: real\ncategories: [1, 2]"),
        ["5: columns.a.categories are for integer, text, boolean columns, got a real column."],
    ),
    "categories empty": (
        col("type: text\ncategories: []"),
        ["5: columns.a.categories must be a list of one value or more, got an empty list."],
    ),
    "categories as text": (
        col("type: text\ncategories: a, b"),
        ["5: columns.a.categories must be a list such as [a, b], got a, b."],
    ),
    "categories twice": (
        col("type: text\ncategories: [a, b, a]"),
        ["5: columns.a.categories must be different from each other, got 'a' twice."],
    ),
    "categories with null": (
        col("type: text\ncategories: [a, null]"),
        [
            "5: columns.a.categories[1] must be a value, got nothing; for a group of nulls write nulls: category, for that text put it in quotes."
        ],
    ),
    **MORE,
}
