"""What is public about the columns of a release: their kinds follow from the plan, never from released numbers."""

import math
from collections.abc import Callable, Iterable, Iterator
from datetime import date, datetime
from fractions import Fraction
from types import NoneType
from typing import Any, Literal, final

from attrs import frozen

from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.aggregates.histogram import HistogramColumn
from privet.tables.aggregates.top_k import TopColumn
from privet.tables.columns import Kind

ColumnKind = Literal["integer", "real", "text", "boolean", "date", "timestamp", "mixed"]
NUMBERS = ("integer", "real")
MOMENTS = ("date", "timestamp")
PARTS = ("_error", "_low", "_high")
_MOST_WHOLE = 2**63
_KINDS: dict[type, ColumnKind] = {bool: "boolean", int: "integer", float: "real", str: "text", date: "date"}


@final
@frozen(kw_only=True)
class Bin:
    """One bin of a histogram.

    Args:
        column: The column that was counted.
        label: The category, or the interval as text.
        ends: The ends of the interval; None for a category.
    """

    column: str
    label: Any
    ends: tuple[Any, Any] | None = None


@final
@frozen(kw_only=True)
class ReleasedColumn:
    """One column of a release.

    Args:
        name: Its name.
        kind: The kind of its values; ``mixed`` is written as text.
        is_key: Whether it is a group key.
        has_nulls: Whether it may hold nulls.
        parts: The columns beside it: those of ``_error``, ``_low`` and ``_high`` that there are.
        has_interval: Whether its values have intervals.
        output: The aggregate that it belongs to; the column itself if it stands alone.
        label: Its label among the columns of the aggregate; None if it is the only one.
        bin: The bin that was counted, for a histogram.
    """

    name: str
    kind: ColumnKind
    is_key: bool = False
    has_nulls: bool = False
    parts: tuple[str, ...] = PARTS
    has_interval: bool = True
    output: str
    label: Any = None
    bin: Bin | None = None

    @property
    def is_number(self) -> bool:
        """Whether its values are numbers that were released."""
        return not self.is_key and self.kind in NUMBERS


def kind_of(values: Iterable[Any]) -> ColumnKind:
    """Give the kind of public values, such as group keys; None is of every kind.

    >>> kind_of(["a", None]), kind_of([1, 2]), kind_of([1, "a"])
    ('text', 'integer', 'mixed')
    """
    kinds = list({kind for kind in map(_kind, values) if kind is not None})
    if "real" in kinds and set(kinds) <= set(NUMBERS):
        return "real"
    if len(kinds) == 1:
        return kinds[0]
    return "mixed" if kinds else "text"


def _kind(value: Any) -> ColumnKind | None:
    if isinstance(value, NoneType):
        return None
    if isinstance(value, int) and abs(value) >= _MOST_WHOLE:
        return "mixed"
    if isinstance(value, datetime):
        return "timestamp" if value.tzinfo is None else "mixed"
    if isinstance(value, Fraction):
        return "real"
    return _KINDS.get(type(value), "mixed")


def key_column(name: str, values: Iterable[Any]) -> ReleasedColumn:
    """Describe a key by its groups, which are public."""
    keys = list(values)
    return ReleasedColumn(
        name=name, kind=kind_of(keys), is_key=True, has_nulls=None in keys, parts=(), has_interval=False, output=name
    )


def single_kind(kind: Kind) -> ColumnKind:
    """Give the kind of a released column for that of an expression, which is never a list."""
    return "mixed" if kind == "list" else kind


def number_column(name: str, kind: ColumnKind = "real") -> ReleasedColumn:
    """Describe a column of numbers with errors and intervals."""
    return ReleasedColumn(name=name, kind=kind, output=name)


def aggregate_columns(name: str, aggregate: Aggregate, kind: ColumnKind) -> Iterator[ReleasedColumn]:
    """Describe the columns of an aggregate, one for each of its outputs.

    Args:
        name: The name of the aggregate.
        aggregate: The aggregate.
        kind: The kind of its values.
    """
    bins = list(_bins(aggregate)) if isinstance(aggregate, HistogramColumn) else None
    for at, label in enumerate(aggregate.outputs):
        yield ReleasedColumn(
            name=name if label == "" else f"{name}_{label}",
            kind=kind,
            has_nulls=kind in MOMENTS,
            has_interval=aggregate.numeric or aggregate.moments is not None,
            output=name,
            label=None if label == "" else label,
            bin=bins[at] if bins else None,
        )


def category_kind(aggregate: Aggregate) -> ColumnKind | None:
    """Give the kind of the categories that an aggregate chooses from; None if these are not known."""
    bins = aggregate.bound_bins if isinstance(aggregate, TopColumn) else None
    return None if bins is None else kind_of(bins.labels)


def _bins(aggregate: HistogramColumn) -> Iterator[Bin]:
    """Describe the bins. Labels of intervals are read: ``histogram`` wrote them, and a file keeps nothing else."""
    labels = aggregate.outputs
    intervals = aggregate.bins is not None
    ends = [_ends(label) if intervals else None for label in labels]
    known = all(each is not None for each in ends) and len({type(end) for each in ends for end in each or ()}) == 1
    for label, each in zip(labels, ends, strict=True):
        yield Bin(column=aggregate.column, label=label, ends=each if known else None)


def _ends(label: Any) -> tuple[Any, Any] | None:
    """Read the ends of ``[0, 10)``: numbers, dates or timestamps."""
    texts = str(label)[1:-1].split(", ")
    if len(texts) != 2:
        return None
    readers: tuple[Callable[[str], Any], ...] = (float, date.fromisoformat, datetime.fromisoformat)
    for read in readers:
        try:
            low, high = map(read, texts)
        except ValueError:
            continue
        return (low, high) if low < high and abs(low - high) != math.inf else None
    return None
