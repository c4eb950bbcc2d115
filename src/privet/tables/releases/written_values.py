"""Released values as people read them: thousands separated, and no more digits than the interval deserves."""

import math
from datetime import date, datetime, timedelta
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from typing import Any

from privet.accounting.losses.loss import Loss
from privet.core import amount_text, number_text
from privet.tables.aggregates.noise import read_level

_DIGITS = 3  # of the width of an interval
_MOST_DECIMALS = 12
_PLAIN = 1e15  # beyond, numbers are written with an exponent
_LONGEST = 60  # characters of a text in a cell
_DELTA = 1e-6
_LAST_DAY = 3_652_058  # of the year 9999, counted from the year 1
_TIMES = 100  # an interval of so many minutes or seconds shows no smaller unit


def value_text(value: Any) -> str:
    """Write one value without an interval.

    >>> value_text(24966), value_text(None), value_text(float("nan")), value_text("Bella")
    ('24,966', 'unknown', 'unknown', 'Bella')
    """
    if value is None:
        return "unknown"
    return number_text(value) if isinstance(value, int | float) else label_text(value)


def label_text(value: Any) -> str:
    """Write a key or a name on one line: no thousands separators, control characters as escapes, not too long.

    >>> label_text(2025), label_text(None), label_text(""), len(label_text("two" + chr(10) + "lines"))
    ('2025', 'null', '""', 10)
    """
    if value is None:
        return "null"
    text = str(value)[: _LONGEST + 1] or '""'
    shown = "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text)
    return shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 1]}…"


def interval_texts(value: Any, low: Any, high: Any) -> tuple[str, str]:
    """Write a value, and the interval around it; the second text is empty where there is none.

    Ends are rounded outward, so that the interval that is shown holds the one that is meant.

    >>> interval_texts(24966, 24936.0, 24996.0), interval_texts(31.53912, 29.9528, 33.1067)
    (('24,966', '24,936 to 24,996'), ('31.54', '29.95 to 33.11'))
    >>> interval_texts(26.0, 22.5041, 29.4959), interval_texts(5, float("-inf"), float("inf"))
    (('26', '22.5 to 29.5'), ('5', 'minus unbounded to unbounded'))
    """
    if low is None or high is None or low != low or high != high:
        return value_text(value), ""
    if isinstance(low, datetime) and isinstance(high, datetime) and isinstance(value, datetime):
        low, value, high = _rounded_times(low, value, high)
    if isinstance(low, date | datetime):
        return value_text(value), f"{label_text(low)} to {label_text(high)}"
    decimals = _decimals(value, low, high)
    if decimals is None:
        return value_text(value), f"{number_text(low)} to {number_text(high)}"
    roundings = (ROUND_HALF_EVEN, ROUND_FLOOR, ROUND_CEILING)
    exact = [_rounded(each, decimals, way) for each, way in zip((value, low, high), roundings, strict=True)]
    needed = max(0, *(-int(each.normalize().as_tuple().exponent) for each in exact))  # no zeros at the end of all
    texts = [
        number_text(int(each)) if float(whole).is_integer() else f"{abs(each) if each == 0 else each:,.{needed}f}"
        for each, whole in zip(exact, (value, low, high), strict=True)
    ]
    return texts[0], f"{texts[1]} to {texts[2]}"


def _rounded_times(low: datetime, value: datetime, high: datetime) -> tuple[datetime, datetime, datetime]:
    """Leave out parts of a second, or seconds, where the interval is much wider; ends are rounded outward."""
    units = [unit for unit in (timedelta(minutes=1), timedelta(seconds=1)) if high - low >= _TIMES * unit]
    start = datetime(1, 1, 1, tzinfo=low.tzinfo)
    if not units or (high - start).days >= _LAST_DAY:
        return low, value, high
    unit = units[0]
    return low - (low - start) % unit, value - (value - start) % unit, high + (start - high) % unit


def _decimals(*numbers: Any) -> int | None:
    """Give the decimals that show three digits of the width; None for numbers that are written as they are."""
    if not all(isinstance(each, int | float) and math.isfinite(each) and abs(each) < _PLAIN for each in numbers):
        return None
    width = numbers[2] - numbers[1]
    if width <= 0 or all(float(each).is_integer() for each in numbers):
        return None
    decimals = max(_DIGITS - 1 - math.floor(math.log10(width)), 0)
    return decimals if decimals <= _MOST_DECIMALS else None


def _rounded(value: float, decimals: int, rounding: str) -> Decimal:
    return Decimal(value).quantize(Decimal(1).scaleb(-decimals), rounding=rounding)


def level_text(level: object) -> str:
    """Write a level in percent.

    >>> level_text(0.95)
    '95 %'
    """
    return f"{number_text(read_level(level) * 100, 4)} %"


def loss_text(loss: Loss) -> str:
    """Write what was spent, rounded up: epsilon, with delta where there is one; else rho and a point of the curve.

    >>> from privet.accounting.losses.pure import PureLoss
    >>> loss_text(PureLoss(2))
    'epsilon = 2'
    """
    point = loss.pure()
    if point.cost != math.inf:
        delta = f" at delta = {amount_text(point.delta)}" if point.delta else ""
        return f"epsilon = {amount_text(point.cost)}{delta}"
    rho, epsilon = loss.rho(), loss.epsilon(_DELTA)
    first = "" if rho == math.inf else f"rho = {amount_text(rho)}, "
    return f"{first}epsilon = {amount_text(epsilon)} at delta = {number_text(_DELTA)}"
