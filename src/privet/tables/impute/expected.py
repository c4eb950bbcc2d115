"""Half-widths to expect of the columns of an imputed query, if its guesses are right; floats that report only."""

from collections.abc import Iterable, Mapping
from fractions import Fraction

import numpy as np

from privet.core import Array, percent_text, saturated
from privet.tables.impute.answers import Answer, TotalAnswer
from privet.tables.impute.plan import ImputedPlan
from privet.tables.noise.half_width import HalfWidth
from privet.tables.noise.plan import LEVEL
from privet.tables.statistics import Statistic


def expected_lines(
    names: Iterable[str], plan: ImputedPlan, answers: Mapping[str, Answer], rows: Fraction | None
) -> list[list[str]]:
    """Give the half-width to expect of each column as the lines of a table.

    Args:
        names: The columns, in order.
        plan: The noise of all numbers.
        answers: The columns that are computed from totals, by name.
        rows: About how many rows a group has; None where nobody knows.
    """
    widths, imputed = plan.half_widths(), {each.total.statistic for each in plan.imputed}
    texts: dict[str, str] = {}
    if plan.plain is not None:
        texts |= {name: plan.plain.half_width(name, LEVEL, rows).text for name, _ in plan.plain.aggregates}
    for name, answer in answers.items():
        wide = _half_width(answer, widths, rows)
        guessed = not wide.per_rows and bool(imputed & set(answer.statistics))
        texts[name] = f"{wide.text} at the guesses" if guessed else wide.text
    return [["column", f"{percent_text(LEVEL)} half-width"], *([name, texts[name]] for name in names)]


def _half_width(answer: Answer, widths: Mapping[Statistic, float], rows: Fraction | None) -> HalfWidth:
    if rows is None and not isinstance(answer, TotalAnswer):
        return HalfWidth(per_rows=True)
    size = 0.0 if rows is None else saturated(rows)
    with np.errstate(all="ignore"):
        low, high = answer.interval({each: _ends(each, size, widths[each]) for each in answer.statistics})
    wide = float((high[0] - low[0]) / 2)
    return HalfWidth(least=wide, most=wide)


def _ends(statistic: Statistic, rows: float, width: float) -> tuple[Array, Array]:
    """Give the ends of a total of values that are spread evenly between their bounds."""
    middle = rows
    if statistic.kind == "sum":
        of = statistic.of
        grid = float(np.prod([float(each.grid) for each in of]))
        spread = float(of[0].upper - of[0].lower) ** 2 / 12 if len(of) == 2 and of[0] == of[1] else 0.0
        middle = rows * (spread - float(statistic.origin) * grid)
    return np.array([middle - width]), np.array([middle + width])
