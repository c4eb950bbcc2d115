"""Made-up visits to restaurants: a few visitors come very often, most of them rarely."""

from typing import Any

import numpy as np

from privet.core import Array, read_count

_FIRST_DAY = np.datetime64("2025-01-01", "D")
_RESTAURANTS = ("Bella", "Corner", "Harbour", "Lotus", "Mill", "Olive", "Station")
_WEIGHTS = (27, 22, 17, 13, 10, 7, 4)  # per hundred visits
_DAYS = 181
_VISITORS = 4_704  # for 50,000 visits
_CHEAP = 40  # cents a minute, at least


def visits(rows: int = 50_000) -> Any:
    """Give made-up visits to restaurants as an Arrow table. The same number of rows gives the same table.

    The columns are visitor_id, day, entry, minutes, spending and restaurant. The heaviest visitor makes one
    visit in twenty, and one visitor in fifty makes half of all visits.

    Args:
        rows: How many visits.

    >>> visits(1000).column_names
    ['visitor_id', 'day', 'entry', 'minutes', 'spending', 'restaurant']
    """
    import pyarrow as pa

    count = read_count("datasets.visits.rows", rows)
    at = np.arange(count, dtype=np.uint64)
    persons = max(1, round(_VISITORS * count / 50_000))
    weight = 1 / (np.arange(1, persons + 1) + 2) ** 1.02
    visitor = np.searchsorted(np.cumsum(weight) / weight.sum(), _share(at, 1))
    day = (_share(at, 2) ** 0.9 * _DAYS).astype(np.int64)
    noon = _share(at, 3) < 0.45
    minute = np.where(noon, 12, 18) * 60 + ((_share(at, 4) + _share(at, 5)) * 90).astype(np.int64)
    stay = 15 + (_share(at, 6) * _share(at, 7) * 165).astype(np.int64)
    cents = stay * _CHEAP + (-np.log1p(-_share(at, 8)) * 900).astype(np.int64)
    place = np.searchsorted(np.cumsum(_WEIGHTS) / 100, _share(at, 9), side="right")
    days = _FIRST_DAY + day.astype("timedelta64[D]")
    return pa.table(
        {
            "visitor_id": 1_000 + visitor,
            "day": pa.array(days),
            "entry": pa.array(days.astype("datetime64[s]") + (minute * 60).astype("timedelta64[s]")),
            "minutes": stay,
            "spending": cents / 100,
            "restaurant": pa.array([_RESTAURANTS[min(each, len(_RESTAURANTS) - 1)] for each in place], pa.string()),
        }
    )


def _share(at: Array, column: int) -> Array:
    """Give numbers between zero and one that look random and are the same every time (splitmix64)."""
    start = np.uint64(column * 0xD1B54A32D192ED03 % 2**64)
    mixed = (at + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15) + start
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return ((mixed ^ (mixed >> np.uint64(31))) >> np.uint64(11)).astype(np.float64) / 2**53
