# ruff: noqa: E501 - messages are written out as they are
"""Codebooks with something wrong: the text, and exactly what is said about it."""

HEAD = "unit: {rows: 1}\ncolumns:\n"
COLUMNS = """columns:
  p: {type: text}
  n: {type: integer}
  x: {type: real, bounds: [0, 1]}
  d: {type: date}
  t: {type: text, categories: [a]}
  v: {type: text, nulls: category}
"""
A = HEAD + "  a: {type: text}\n"


def col(body: str) -> str:
    """A codebook whose column has these keys, from line 4 on."""
    return HEAD + "  a:\n" + "".join(f"    {line}\n" for line in body.split("\n"))


def unit(body: str) -> str:
    """A codebook whose unit has these keys, from line 9 on."""
    return COLUMNS + "unit:\n" + "".join(f"  {line}\n" for line in body.split("\n"))


WRONG: dict[str, tuple[str, list[str]]] = {
    "empty file": ("", ["1: the codebook is empty: write unit and columns."]),
    "only a comment": ("# nothing\n", ["1: the codebook is empty: write unit and columns."]),
    "only a document mark": ("---\n", ["2: a codebook must have keys such as table, description, unit, got nothing."]),
    "a list": ("- a\n- b\n", ["1: a codebook must have keys such as table, description, unit, got a list."]),
    "a text": ("visits\n", ["1: a codebook must have keys such as table, description, unit, got visits."]),
    "no columns": ("unit: {rows: 1}\n", ["1: columns is missing: list the columns that may be used."]),
    "no unit": (
        "columns:\n  a: {type: text}\n",
        ["1: unit is missing: write what is protected, {rows: 1} or {id: COLUMN}."],
    ),
    "empty mapping": (
        "{}\n",
        [
            "1: columns is missing: list the columns that may be used.",
            "1: unit is missing: write what is protected, {rows: 1} or {id: COLUMN}.",
        ],
    ),
    "misspelt key": (
        "units: {rows: 1}\ncolumns:\n  a: {type: text}\n",
        ["1: units is no key of a codebook. Did you mean unit?"],
    ),
    "unknown key": (
        "unit: {rows: 1}\nwarehouse: x\ncolumns:\n  a: {type: text}\n",
        ["2: warehouse is no key of a codebook. The keys are table, description, unit, sampling, columns."],
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
        ["4: columns.a.type is missing: one of integer, real, boolean, text, date, timestamp."],
    ),
    "column without keys": (
        HEAD + "  a: text\n",
        ["3: columns.a must have keys: write type: text on a line of its own below it."],
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
        col("type: float"),
        [
            "4: columns.a.type must be one of integer, real, boolean, text, date, timestamp, got 'float'. Did you mean real?"
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
        ["5: columns.a.bounds.upper is missing: write [lower, upper]."],
    ),
    "bounds named wrongly": (
        col("type: real\nbounds: {min: 0, max: 1}"),
        [
            "5: columns.a.bounds.lower is missing: write [lower, upper].",
            "5: columns.a.bounds.upper is missing: write [lower, upper].",
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
    "categories quoted numbers": (
        col("type: integer\ncategories: ['1', '2']"),
        [
            "5: columns.a.categories[0] must be a whole number without quotes, or the type must be text, got '1'.",
            "5: columns.a.categories[1] must be a whole number without quotes, or the type must be text, got '2'.",
        ],
    ),
    "categories of fractions": (
        col("type: integer\ncategories: [1, 1.5]"),
        ["5: columns.a.categories[1] must be a whole number, got 1.5."],
    ),
    "categories of yes": (
        col("type: boolean\ncategories: [yes]"),
        ["5: columns.a.categories[0] must be true or false, got yes."],
    ),
    "categories beside bounds": (
        col("type: integer\nbounds: [0, 5]\ncategories: [1, 2]"),
        ["6: columns.a takes bounds or categories, not both: a column of categories is not clamped."],
    ),
    "nulls unknown": (
        col("type: text\nnulls: skip"),
        ["5: columns.a.nulls must be drop, category, {value: X}, {impute: uniform} or {impute: categories}, got skip."],
    ),
    "nulls is a list": (
        col("type: text\nnulls: [drop]"),
        [
            "5: columns.a.nulls must be drop, category, {value: X}, {impute: uniform} or {impute: categories}, got a list."
        ],
    ),
    "nulls both": (
        col("type: real\nbounds: [0, 1]\nnulls: {value: 0, impute: uniform}"),
        ["6: columns.a.nulls must be one of drop, category, {value: X}, {impute: uniform} or {impute: categories}."],
    ),
    "nulls value outside": (
        col("type: real\nbounds: [0, 1]\nnulls: {value: 2}"),
        ["6: columns.a.nulls.value must lie within the bounds of the column, got 2."],
    ),
    "nulls value of another kind": (
        col("type: integer\nnulls: {value: none}"),
        ["5: columns.a.nulls.value must be a number such as 600, 0.1, 1e3 or 1/3, got none."],
    ),
    "nulls value of no category": (
        col("type: text\ncategories: [a, b]\nnulls: {value: c}"),
        ["6: columns.a.nulls.value must be one of the categories of the column, got 'c'."],
    ),
    "nulls value nothing": (
        col("type: text\nnulls: {value: null}"),
        ["5: columns.a.nulls.value must be a value, got nothing."],
    ),
    "nulls date outside": (
        col("type: date\nbounds: [2024-01-01, 2024-12-31]\nnulls: {value: 1999-01-01}"),
        ["6: columns.a.nulls.value must lie within the bounds of the column, got 1999-01-01."],
    ),
    "nulls category of reals": (
        col("type: real\nnulls: category"),
        ["5: columns.a.nulls: a category of its own is for integer, text, boolean columns, got a real column."],
    ),
    "nulls uniform without bounds": (
        col("type: real\nnulls: {impute: uniform}"),
        ["5: columns.a.nulls: uniform draws need bounds of the column."],
    ),
    "nulls uniform text": (
        col("type: text\nnulls: {impute: uniform}"),
        [
            "5: columns.a.nulls: uniform draws are for integer, real, date, timestamp columns, got a text column; draw from categories instead."
        ],
    ),
    "nulls uniform too wide": (
        col("type: real\nbounds: [0, 1]\nnulls: {impute: {uniform: [0, 2]}}"),
        ["6: columns.a.nulls: the bounds of the draw must lie within those of the column."],
    ),
    "nulls from no categories": (
        col("type: text\nnulls: {impute: categories}"),
        ["5: columns.a.nulls: draws from categories need categories, of the column or of the draw."],
    ),
    "nulls from categories of reals": (
        col("type: real\nbounds: [0, 1]\nnulls: {impute: categories}"),
        [
            "6: columns.a.nulls: draws from categories are for integer, text, boolean columns, got a real column; draw uniformly instead."
        ],
    ),
    "nulls from other categories": (
        col("type: text\ncategories: [a, b]\nnulls: {impute: {categories: [c]}}"),
        ["6: columns.a.nulls: draws must be from the categories of the column."],
    ),
    "nulls weights too few": (
        col("type: text\ncategories: [a, b]\nnulls: {impute: {weights: [1]}}"),
        ["6: columns.a.nulls: weights must be a list of 2, one for each category."],
    ),
    "nulls weights all zero": (
        col("type: text\ncategories: [a, b]\nnulls: {impute: {weights: [0, 0]}}"),
        ["6: columns.a.nulls: weights must be zero or more, and not all zero."],
    ),
    "nulls imputed by a mean": (
        col("type: real\nbounds: [0, 1]\nnulls: {impute: mean}"),
        ["6: columns.a.nulls.impute must be uniform or categories, got mean."],
    ),
    "unit is a word": (COLUMNS + "unit: person\n", ["8: unit must have keys such as rows, id, caps, got person."]),
    "unit is nothing": (COLUMNS + "unit:\n", ["8: unit must have keys such as rows, id, caps, got nothing."]),
    "unit is empty": (
        COLUMNS + "unit: {}\n",
        ["8: unit must have rows (such as rows: 1) or id (a column), got neither."],
    ),
    "unit of no rows": (unit("rows: 0"), ["9: unit.rows must be above zero, got 0."]),
    "unit of half a row": (unit("rows: 0.5"), ["9: unit.rows must be a whole number, got 0.5."]),
    "unit of yes": (unit("rows: yes"), ["9: unit.rows must be a number such as 600, 0.1, 1e3 or 1/3, got yes."]),
    "unit with both": (
        unit("id: p\nrows: 3"),
        ["10: unit.rows is for units without an id: a limit on rows of a person is under caps."],
    ),
    "unit with caps and no id": (
        unit("rows: 1\ncaps: {rows: 3}"),
        ["10: unit.caps is for units with an id: write id: COLUMN as well."],
    ),
    "unit misspelt": (
        unit("identifier: p"),
        ["9: unit.identifier is no key of a privacy unit. The keys are rows, id, caps, period."],
    ),
    "unit of an unknown column": (unit("id: person"), ["9: unit.id must be one of the columns, got 'person'."]),
    "unit of a real": (unit("id: x"), ["9: unit.id must be an integer or text column, got real column 'x'."]),
    "unit of categories": (
        unit("id: t"),
        ["9: unit.id: column 't' must not have bounds or categories, which would merge or drop persons."],
    ),
    "unit with nulls": (
        unit("id: v"),
        ["9: unit.id: column 'v' must leave out nulls: anything in place of them would make one person of many."],
    ),
    "unit with a null id": (
        unit("id: null"),
        ['9: unit.id must be text, got nothing; put quotes around "null" if that is the text.'],
    ),
    "caps unknown": (unit("id: p\ncaps: {row: 3}"), ["10: unit.caps.row is no key of caps. Did you mean rows?"]),
    "caps of zero": (unit("id: p\ncaps:\n  rows: 5\n  groups: 0"), ["12: unit.caps.groups must be above zero, got 0."]),
    "caps below zero": (unit("id: p\ncaps: {rows: -5}"), ["10: unit.caps.rows must be above zero, got -5."]),
    "caps as a number": (
        unit("id: p\ncaps: 5"),
        ["10: unit.caps must have keys such as rows, groups, rows_per_group, got 5."],
    ),
    "caps out of reach": (
        unit("id: p\ncaps: {rows: 5, groups: 9}"),
        ["10: unit.caps.groups must be at most rows, got groups=9, rows=5."],
    ),
    "period as a word": (
        unit("id: p\nperiod: month"),
        ["10: unit.period must have keys such as column, length, got month."],
    ),
    "period without a length": (
        unit("id: p\nperiod: {column: d}"),
        ["10: unit.period.length is missing: write {column: COLUMN, length: month}."],
    ),
    "period unknown": (
        unit("id: p\nperiod: {column: d, length: fortnight}"),
        ["10: unit.period: the length must be one of day, week, month, quarter, year, got 'fortnight'."],
    ),
    "period of an unknown column": (
        unit("id: p\nperiod: {column: dd, length: month}"),
        ["10: unit.period must be of one of the columns, got 'dd'. Did you mean d?"],
    ),
    "period of a real": (
        unit("id: p\nperiod: {column: x, length: month}"),
        ["10: unit.period must be of a date or timestamp column, got real column 'x'."],
    ),
    "period of the id": (
        unit("id: p\nperiod: {column: p, length: month}"),
        ["10: unit.period must be of a date or timestamp column, got text column 'p'."],
    ),
    "sampling unknown": (
        A + "sampling: {stratified: 0.1}\n",
        ["4: sampling.stratified is no key of sampling. The keys are poisson, simple."],
    ),
    "sampling both": (
        A + "sampling: {poisson: 0.1, simple: {size: 1, population: 2}}\n",
        ["4: sampling must be {poisson: RATE} or {simple: {size: N, population: M}}, one of the two."],
    ),
    "sampling rate above one": (
        A + "sampling: {poisson: 1.5}\n",
        ["4: sampling.poisson must be above zero and at most one, got 1.5."],
    ),
    "sampling rate zero": (
        A + "sampling: {poisson: 0}\n",
        ["4: sampling.poisson must be above zero and at most one, got 0."],
    ),
    "sampling rate in percent": (
        A + "sampling: {poisson: 10%}\n",
        ["4: sampling.poisson must be a number such as 600, 0.1, 1e3 or 1/3, got 10%."],
    ),
    "sampling without a population": (
        A + "sampling: {simple: {size: 10}}\n",
        ["4: sampling.simple.population is missing."],
    ),
    "sampling more than all": (
        A + "sampling: {simple: {size: 10, population: 5}}\n",
        ["4: sampling.simple.size must be at most population, got size=10, population=5."],
    ),
    "alias": (
        HEAD + "  a: &x {type: text}\n  b: *x\n",
        [
            "3: columns.a: anchors are not read, got &x; remove it.",
            "4: columns.b: aliases are not read, got *x; write the value out.",
        ],
    ),
    "merge key": (
        A + "  b:\n    <<: {type: text}\n",
        [
            '5: columns.b."<<" is no key of a column. The keys are type, bounds, grid, categories, nulls, description.',
            "5: columns.b.type is missing: one of integer, real, boolean, text, date, timestamp.",
        ],
    ),
    "python tag": (
        HEAD + "  a: !!python/object/apply:os.system ['true']\n",
        [
            "3: columns.a: tags are not read, got tag:yaml.org,2002:python/object/apply:os.system; remove it.",
            "3: columns.a must have keys such as type, bounds, grid, got a list.",
        ],
    ),
    "tag": (
        HEAD + "  a: {type: !!str text}\n",
        ["3: columns.a.type: tags are not read, got tag:yaml.org,2002:str; remove it."],
    ),
    "two documents": (
        A + "---\nunit: {rows: 2}\n",
        ["4: a codebook must be one document: remove the --- and what follows."],
    ),
    "complex key": (
        HEAD + "  ? [a, b]\n  : {type: text}\n  c: {type: text}\n",
        ["3: columns must have plain texts as keys."],
    ),
    "tab for indentation": (
        "unit:\n\trows: 1\n",
        ["2: this is no YAML: while scanning for the next token, found character '\\t' that cannot start any token."],
    ),
    "unclosed bracket": (
        HEAD + "  a: {type: text\n",
        ["4: this is no YAML: while parsing a flow mapping, expected ',' or '}', but got '<stream end>'."],
    ),
    "unclosed quote": (
        HEAD + "  a: {type: 'text}\n",
        ["4: this is no YAML: while scanning a quoted scalar, found unexpected end of stream."],
    ),
    "bad indentation": (
        HEAD + "  a:\n    type: text\n   bounds: [0, 1]\n",
        ["5: this is no YAML: while parsing a block mapping, expected <block end>, but found '<block mapping start>'."],
    ),
    "nested too deeply": (
        HEAD + "  a: " + "[" * 40 + "]" * 40 + "\n",
        ["3: columns.a[0][0][0][0][0][0][0][0][0][0][0] is nested too deeply."],
    ),
    "control character": (
        HEAD + "  a: {type: te\x00xt}\n",
        ["3: the character U+0000 must be written as an escape in double quotes."],
    ),
    "hostile name": (
        HEAD + '  "x\\ny \\"z\\"": {type: txt}\n',
        [
            '3: columns."x\\ny \\"z\\"".type must be one of integer, real, boolean, text, date, timestamp, got \'txt\'. Did you mean text?'
        ],
    ),
    "open questions": (
        "unit: ???\ncolumns:\n  a:\n    type: ???\n  b:\n    type: real\n    bounds: ???\n",
        [
            "1: unit is still open: write what is protected, {rows: 1} or {id: COLUMN}.",
            "4: columns.a.type is still open: replace the ???.",
            "7: columns.b.bounds is still open: replace the ???.",
        ],
    ),
    "several at once": (
        "tabel: a\nunit: {id: q}\ncolumns:\n  a: {type: int}\n  b:\n    type: real\n    bounds: [2, 1]\n",
        [
            "1: tabel is no key of a codebook. Did you mean table?",
            "2: unit.id must be one of the columns, got 'q'.",
            "4: columns.a.type must be one of integer, real, boolean, text, date, timestamp, got 'int'. Did you mean integer?",
            "7: columns.b.bounds: lower must be below upper, got lower=2, upper=1.",
        ],
    ),
    "SmartNoise metadata": (
        "'':\n  s:\n    t:\n      row_privacy: true\n      a: {type: int}\n",
        ["1: this looks like metadata of SmartNoise SQL: read it with read_smartnoise(...)."],
    ),
    "bounds with letters": (
        col("type: real\nbounds: [0, ten]"),
        ["5: columns.a.bounds[1] must be a number such as 600, 0.1, 1e3 or 1/3, got ten."],
    ),
    "grid in words": (
        col("type: real\nbounds: [0, 1]\ngrid: fine"),
        ["6: columns.a.grid must be a number such as 600, 0.1, 1e3 or 1/3, got fine."],
    ),
    "categories nested": (
        col("type: text\ncategories: [a, [b]]"),
        ["5: columns.a.categories[1] must be one value, got a list."],
    ),
}
