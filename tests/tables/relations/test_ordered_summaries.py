"""Medians, quantiles, modes, first and last values of one person, against Python's own."""

import math
import random
from collections import Counter
from fractions import Fraction
from statistics import median, median_low
from typing import Any

import pytest

from privet.errors import InvalidError, PrivetError
from privet.tables.columns.column import LARGEST, SMALLEST
from privet.tables.nodes.summarize_persons import SummarizePersons
from privet.tables.relations.summaries import read_summary
from tests.tables.nodes.spaces import rows_of
from tests.tables.relations.test_summaries import COLUMNS, SPACE

Row = dict[str, Any]
TEXTS = {
    "middle": "median(n)",
    "middle_real": "median(free)",
    "moment": "median(at)",
    "quarter": "quantile(n, 0.25)",
    "nearly": "quantile(free, 0.999999999)",
    "lowest": "quantile(n, 0)",
    "usual": "mode(word)",
    "number": "mode(n)",
    "begun": "first(word, n)",
    "ended": "last(n, word)",
    "any": "any_value(word)",
}


def drawn(dice: random.Random, rows: int) -> list[Row]:
    cells: dict[str, tuple[Any, ...]] = {
        "n": (0, 1, 1, 2, -5, LARGEST, SMALLEST, None),
        "free": (0.5, 0.5, -1.0, 1e308, -1e308, 5e-324, None),
        "word": ("", "a", "b", "ab", "ß", None),
        "at": ("2024-01-01", "2024-01-02T03:00", None),
    }
    return [
        {"id": dice.choice((1, 2)), **{name: dice.choice(each) for name, each in cells.items()}} for _ in range(rows)
    ]


def values(rows: list[Row], name: str) -> list[Any]:
    return sorted(row[name] for row in rows if row[name] is not None)


def at_rank(ordered: list[Any], share: Fraction) -> Any:
    return ordered[max(1, math.ceil(share * len(ordered))) - 1] if ordered else None


def most(found: list[Any]) -> Any:
    counts = Counter(found)
    return min((value for value in counts if counts[value] == max(counts.values())), default=None)


def model(rows: list[Row]) -> Row:
    """What Python says of the rows of one person."""
    whole, real, word = values(rows, "n"), values(rows, "free"), values(rows, "word")
    begun = [(row["n"], row["word"]) for row in rows if None not in (row["n"], row["word"])]
    ended = [(row["word"], row["n"]) for row in rows if None not in (row["n"], row["word"])]
    half = len(real) // 2
    middle = None if not real else real[half] if len(real) % 2 else real[half - 1] / 2 + real[half] / 2
    return {
        "middle": None if not whole else float(Fraction(median(map(Fraction, whole)))),
        "middle_real": real[half] if real and len(real) % 2 == 0 and real[half - 1] == real[half] else middle,
        "moment": median_low(values(rows, "at")) if values(rows, "at") else None,
        "quarter": at_rank(whole, Fraction(1, 4)),
        "nearly": at_rank(real, Fraction("0.999999999")),
        "lowest": whole[0] if whole else None,
        "usual": most(word),
        "number": most(whole),
        "begun": min(begun)[1] if begun else None,
        "ended": max(ended)[1] if ended else None,
        "any": word[0] if word else None,
    }


def shown(value: Any) -> Any:
    """Compare reals as numbers and timestamps by their day."""
    if isinstance(value, str) and value[:4] == "2024":
        return value[:10]
    try:
        return float(value)
    except (TypeError, ValueError):
        return value


def test_summaries_are_those_of_python_in_any_order() -> None:
    dice = random.Random(11)
    chain = SPACE >> SummarizePersons(summaries=TEXTS)
    for _ in range(25):
        rows = drawn(dice, dice.randint(1, 9))
        found = rows_of(chain(rows))
        assert found == rows_of(chain(dice.sample(rows, len(rows))))
        for person, *summaries in found:
            wanted = model([row for row in rows if row["id"] == person])
            assert [shown(each) for each in summaries] == [shown(wanted[name]) for name in TEXTS], rows


def test_a_large_group_has_exact_ranks() -> None:
    """In doubles 0.3 of 10 is 3.0000000000000004, and its rank would be four."""
    rows = [{"id": 1, "n": number} for number in range(1, 11)]
    texts = {f"q{tenths}": f"quantile(n, 0.{tenths})" for tenths in range(1, 10)}
    assert rows_of((SPACE >> SummarizePersons(summaries=texts))(rows))[0][1:] == tuple(range(1, 10))


def test_what_is_known_of_the_values() -> None:
    assert read_summary("median(small)", COLUMNS).column.bounds == (Fraction(0), Fraction(10))
    assert read_summary("median(small)", COLUMNS).column.kind == "real"
    assert read_summary("quantile(small, 0.5)", COLUMNS).column.kind == "integer"
    for text in TEXTS.values():
        assert read_summary(text, COLUMNS).column.nullable


def test_columns_with_the_names_that_ranks_have_are_no_trouble() -> None:
    odd = {**COLUMNS, "privet rank 0": COLUMNS["n"], "PRIVET NUMBER 0": COLUMNS["n"]}
    over = read_summary('median("privet rank 0")', odd).over
    assert [each.name for each in over] == ["privet rank 0_", "privet number 0_"]


@pytest.mark.parametrize(
    "text",
    [
        *("median(word)", "quantile(word, 0.5)", "quantile(n)", "quantile(n, 2)", "quantile(n, -0.1)", "first(n)"),
        *("quantile(n, '0.5')", "quantile(n, small)", "quantile(n, 1e-3)", "last(n)", "mode(distinct n)", "list(n)"),
        *("first(n order by small)", "median(n) over ()", "any_value(n) filter (n > 1)", "first(n, min(n))"),
        *("mode() within group (order by n)", "quantile(n, [0.1, 0.2])", "percentile_cont(0.5)", "max(n, 2)"),
        *("first(n, small, small)", "arg_min(n, small, 3)", "median(median(n))", "string_agg(word, ',')"),
    ],
)
def test_what_is_no_summary_is_refused(text: str) -> None:
    with pytest.raises(PrivetError):
        SPACE >> SummarizePersons(summaries={"s": text})


def test_a_missing_second_argument_is_named() -> None:
    with pytest.raises(InvalidError, match="needs a second argument"):
        read_summary("first(n)", COLUMNS)
    with pytest.raises(InvalidError, match="must be a share from 0 to 1"):
        read_summary("quantile(n, 1.5)", COLUMNS)
