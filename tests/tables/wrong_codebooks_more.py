"""More codebooks with mistakes, and what is said about them."""
# ruff: noqa: E501 - messages are written whole

from tests.tables.wrong_codebook_parts import COLUMNS, HEAD, A, col, unit

POLICIES = (
    "drop, category, {value: X}, {impute: uniform}, {impute: categories} or {impute: {gaussian: {shift: M, scale: S}}}"
)
MORE: dict[str, tuple[str, list[str]]] = {
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
        [f"5: columns.a.nulls must be {POLICIES}, got skip."],
    ),
    "nulls is a list": (
        col("type: text\nnulls: [drop]"),
        [f"5: columns.a.nulls must be {POLICIES}, got a list."],
    ),
    "nulls both": (
        col("type: real\nbounds: [0, 1]\nnulls: {value: 0, impute: uniform}"),
        [f"6: columns.a.nulls must be one of {POLICIES}."],
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
    "nulls of two laws": (
        col("type: real\nbounds: [0, 1]\nnulls: {impute: {uniform: [0, 1], gaussian: {shift: 0, scale: 1}}}"),
        ["6: columns.a.nulls.impute.gaussian is not for uniform draws. Write one or the other."],
    ),
    "nulls gaussian without a scale": (
        col("type: real\nbounds: [0, 1]\nnulls: {impute: {gaussian: {shift: 0}}}"),
        ["6: columns.a.nulls.impute.gaussian.scale is missing. Write gaussian: {shift: 40, scale: 10}."],
    ),
    "nulls gaussian, shift of a text": (
        col("type: real\nbounds: [0, 1]\nnulls: {impute: {gaussian: {shift: many, scale: 1}}}"),
        ["6: columns.a.nulls.impute.gaussian.shift must be a number such as 600, 0.1, 1e3 or 1/3, got many."],
    ),
    "nulls gaussian, too wide": (
        col("type: real\nbounds: [0, 1]\nnulls: {impute: {gaussian: {shift: 0, scale: 2}}}"),
        ["6: columns.a.nulls.scale must be above zero and at most the width of the bounds, 1, got 2."],
    ),
    "nulls imputed by a mean": (
        col("type: real\nbounds: [0, 1]\nnulls: {impute: mean}"),
        ["6: columns.a.nulls.impute must be uniform, categories or {gaussian: {shift: M, scale: S}}, got mean."],
    ),
    "unit is a word": (COLUMNS + "unit: person\n", ["8: unit must have keys such as rows, id, caps, got person."]),
    "unit is nothing": (COLUMNS + "unit:\n", ["8: unit must have keys such as rows, id, caps, got nothing."]),
    "unit is empty": (
        COLUMNS + "unit: {}\n",
        ["8: unit must have rows or id, got neither. Write rows: 1, or id: COLUMN."],
    ),
    "unit of no rows": (unit("rows: 0"), ["9: unit.rows must be above zero, got 0."]),
    "unit of half a row": (unit("rows: 0.5"), ["9: unit.rows must be a whole number, got 0.5."]),
    "unit of yes": (unit("rows: yes"), ["9: unit.rows must be a number such as 600, 0.1, 1e3 or 1/3, got yes."]),
    "unit with both": (
        unit("id: p\nrows: 3"),
        ["10: unit.rows is for units without an id. Write a limit on the rows of a person under caps."],
    ),
    "caps by a column that is not there": (
        unit("id: p\ncaps: {by: {nosuch: {groups: 1}}}"),
        ["10: unit.caps.by.nosuch must be one of the columns."],
    ),
    "caps by column without numbers": (
        unit("id: p\ncaps: {by: {n: {}}}"),
        ["10: unit.caps.by.n must have groups, rows_per_group or both. Write {groups: 3, rows_per_group: 2}."],
    ),
    "caps by column of something else": (
        unit("id: p\ncaps: {by: [n]}"),
        ["10: unit.caps.by[0] must have keys such as columns, groups, rows_per_group, got n."],
    ),
    "caps by column of a word": (
        unit("id: p\ncaps: {by: n}"),
        [
            "10: unit.caps.by must name at least one column, got n. Write {COLUMN: {groups: 3, rows_per_group: 2}}, or for several [{columns: [A, B], groups: 3}]."
        ],
    ),
    "caps by columns that are not there": (
        unit("id: p\ncaps: {by: [{columns: [t, nosuch], groups: 1}]}"),
        ["10: unit.caps.by[0].columns: 'nosuch' is not one of the columns."],
    ),
    "caps by columns without numbers": (
        unit("id: p\ncaps: {by: [{columns: [t, n]}]}"),
        ["10: unit.caps.by[0] must have groups, rows_per_group or both. Write {groups: 3, rows_per_group: 2}."],
    ),
    "caps by columns without columns": (
        unit("id: p\ncaps: {by: [{groups: 3}]}"),
        ["10: unit.caps.by[0].columns is missing. Write columns: [A, B]."],
    ),
    "caps by columns twice": (
        unit("id: p\ncaps: {by: [{columns: [t, n], groups: 3}, {columns: [n, t], groups: 2}]}"),
        ["10: unit.caps.by[1] names the columns of an earlier cap."],
    ),
    "caps by a column and itself": (
        unit("id: p\ncaps: {by: [{columns: [t, t], groups: 3}]}"),
        ["10: unit.caps.by[0].columns must be one or more different columns."],
    ),
    "caps by the identifier": (
        unit("id: p\ncaps: {by: [{columns: [t, p], groups: 3}]}"),
        ["9: Persons.by must name other columns than the identifier: a person has one."],
    ),
    "unit with caps and no id": (
        unit("rows: 1\ncaps: {rows: 3}"),
        ["10: unit.caps is for units with an id. Write id: COLUMN as well."],
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
        ["10: unit.period.length is missing. Write {column: COLUMN, length: month}."],
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
        ["4: sampling.simple.population is missing. Write {size: N, population: M}."],
    ),
    "sampling more than all": (
        A + "sampling: {simple: {size: 10, population: 5}}\n",
        ["4: sampling.simple.size must be at most population, got size=10, population=5."],
    ),
    "alias": (
        HEAD + "  a: &x {type: text}\n  b: *x\n",
        [
            "3: columns.a: anchors are not read, got &x. Remove it.",
            "4: columns.b: aliases are not read, got *x. Write the value out.",
        ],
    ),
    "merge key": (
        A + "  b:\n    <<: {type: text}\n",
        [
            (
                '5: columns.b."<<" is no key of a column. The keys are type, bounds, grid, categories, length, '
                "missing, format, decimal, thousands, currency, percent, true_words, false_words, clean, most_items, "
                "nulls, description."
            ),
            "5: columns.b.type is missing. Write one of integer, real, boolean, text, date, timestamp.",
        ],
    ),
    "python tag": (
        HEAD + "  a: !!python/object/apply:os.system ['true']\n",
        [
            "3: columns.a: tags are not read, got tag:yaml.org,2002:python/object/apply:os.system. Remove it.",
            "3: columns.a must have keys such as type, bounds, grid, got a list.",
        ],
    ),
    "tag": (
        HEAD + "  a: {type: !!str text}\n",
        ["3: columns.a.type: tags are not read, got tag:yaml.org,2002:str. Remove it."],
    ),
    "two documents": (
        A + "---\nunit: {rows: 2}\n",
        ["4: a codebook must be one document. Remove the --- and what follows."],
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
            "1: unit is still open. Write what is protected, {rows: 1} or {id: COLUMN}.",
            "4: columns.a.type is still open. Replace the ???.",
            "7: columns.b.bounds is still open. Replace the ???.",
        ],
    ),
    "several at once": (
        "tabel: a\nunit: {id: q}\ncolumns:\n  a: {type: int8}\n  b:\n    type: real\n    bounds: [2, 1]\n",
        [
            "1: tabel is no key of a codebook. Did you mean table?",
            "2: unit.id must be one of the columns, got 'q'.",
            "4: columns.a.type must be one of integer, real, boolean, text, date, timestamp, got 'int8'. Did you mean integer?",
            "7: columns.b.bounds: lower must be below upper, got lower=2, upper=1.",
        ],
    ),
    "SmartNoise metadata": (
        "'':\n  s:\n    t:\n      row_privacy: true\n      a: {type: int}\n",
        ["1: this looks like metadata of SmartNoise SQL. Read it with read_smartnoise(...)."],
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
