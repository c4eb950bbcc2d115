"""Metrics: distances between values. Every metric can *measure* a distance, so that the laws can check a map.

A distance is a whole number for metrics that count records, a ``Fraction`` for numbers, and ``Parts`` for vectors.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any, final

import numpy as np
from attrs import field, frozen

from privet.core.checks import not_negative, number, read_amount, read_count, short, whole
from privet.core.domain import Domain
from privet.core.frames import PartitionDomain, Records
from privet.core.rows import Array
from privet.errors import InvalidError, WrongTypeError


@final
@frozen(kw_only=True, order=False)
class Parts:
    """A distance between vectors of numbers, in every norm that a mechanism may read.

    Args:
        l0: The number of coordinates that differ.
        l1: The sum of the absolute differences.
        l2_squared: The sum of the squared differences. No root is taken, so that it stays a fraction.
        linf: The largest absolute difference.

    >>> Parts(l0=1, l1=2, l2_squared=4, linf=2) <= Parts(l0=2, l1=2, l2_squared=4, linf=2)
    True
    """

    l0: int = field(converter=whole, validator=not_negative)
    l1: Fraction = field(converter=number, validator=not_negative, repr=short)
    l2_squared: Fraction = field(converter=number, validator=not_negative, repr=short)
    linf: Fraction = field(converter=number, validator=not_negative, repr=short)

    @classmethod
    def of(cls, differences: Iterable[Fraction]) -> "Parts":
        """Measure a vector of differences."""
        sizes = [abs(item) for item in differences if item]
        squares = sum((item * item for item in sizes), Fraction(0))
        total = sum(sizes, Fraction(0))
        return cls(l0=len(sizes), l1=total, l2_squared=squares, linf=max(sizes, default=Fraction(0)))

    def __le__(self, other: "Parts") -> bool:
        return (
            self.l0 <= other.l0
            and self.l1 <= other.l1
            and self.l2_squared <= other.l2_squared
            and self.linf <= other.linf
        )


Distance = int | Fraction | Parts
Rows = Records | Array | Sequence[Any]
Numbers = Array | Sequence[int]


class Metric(ABC):
    """A distance between members of a domain."""

    @abstractmethod
    def distance(self, x: Any, y: Any, domain: Domain) -> Distance:
        """Measure the distance between two members of the domain."""

    def widen(self, d_in: Any, domain: Domain) -> Any:
        """Return the largest distance, after they are read into the domain, of data at distance ``d_in``."""
        return domain.widen(d_in)

    def check(self, d_in: object) -> Distance:
        """Read a distance that a caller typed; metrics that count records take whole numbers."""
        return read_count(f"{type(self).__name__}.distance", d_in)


class AmountMetric(Metric):
    """A distance that is one number of zero or more, whole or not."""

    def check(self, d_in: object) -> Fraction:
        """Read a number of zero or more."""
        label = f"{type(self).__name__}.distance"
        if isinstance(d_in, Parts):
            raise WrongTypeError(f"{label} must be one number, got Parts.")
        return read_amount(label, d_in)


class PartsMetric(Metric):
    """A distance in every norm at once."""

    def check(self, d_in: object) -> Parts:
        """Take ``Parts``; a bare zero means no difference."""
        if isinstance(d_in, Parts):
            return d_in
        if isinstance(d_in, int) and d_in == 0:
            return Parts(l0=0, l1=0, l2_squared=0, linf=0)
        raise WrongTypeError(
            f"{type(self).__name__}.distance must be Parts(l0=..., l1=..., l2_squared=..., linf=...), "
            f"got {type(d_in).__name__}."
        )


def row_keys(values: Rows) -> list[Any]:
    """Return the rows as hashable values; two nulls are equal, and so are two NaN."""
    if isinstance(values, Records):
        return list(zip(*map(row_keys, values.columns.values()), strict=True))
    if isinstance(values, np.ndarray) and values.ndim == 2:
        return [tuple(map(_key, row)) for row in values.tolist()]
    if isinstance(values, np.ma.MaskedArray):
        null = np.ma.getmaskarray(values).tolist()
        plain = values.data.tolist()
        return [("null",) if is_null else _key(item) for item, is_null in zip(plain, null, strict=True)]
    return [_key(item) for item in (values.tolist() if isinstance(values, np.ndarray) else values)]


def _key(item: object) -> Any:
    return ("nan",) if isinstance(item, float) and item != item else item


@final
@frozen
class SymmetricDistance(Metric):
    """Records added plus records removed; the order of rows does not matter."""

    def distance(self, x: Rows, y: Rows, domain: Domain) -> int:
        """Count the records that are in one column and not in the other."""
        first, second = Counter(row_keys(x)), Counter(row_keys(y))
        return ((first - second) + (second - first)).total()


@final
@frozen
class HammingDistance(Metric):
    """Records replaced in place, between columns of the same size."""

    def distance(self, x: Rows, y: Rows, domain: Domain) -> int:
        """Count the positions that differ."""
        first, second = row_keys(x), row_keys(y)
        if len(first) != len(second):
            raise InvalidError("HammingDistance is defined between columns of the same size only.")
        return sum(a != b for a, b in zip(first, second, strict=True))


@final
@frozen
class ReplacementDistance(Metric):
    """Records replaced, between tables of the same public size; the order of rows does not matter."""

    def distance(self, x: Rows, y: Rows, domain: Domain) -> int:
        """Count the records of one table that are not in the other."""
        first, second = Counter(row_keys(x)), Counter(row_keys(y))
        if first.total() != second.total():
            raise InvalidError("ReplacementDistance is defined between tables of the same size only.")
        return (first - second).total()

    def widen(self, d_in: int, domain: Domain) -> int:
        """Change nothing: the successor of a replaced row takes over its key, and so its place in the sample."""
        return d_in


@final
@frozen
class InsertDelete(Metric):
    """Records inserted plus records deleted; the order of rows matters."""

    def distance(self, x: Rows, y: Rows, domain: Domain) -> int:
        """Count the records outside a longest common subsequence."""
        first, second = row_keys(x), row_keys(y)
        best = [0] * (len(second) + 1)
        for a in first:
            diagonal = 0
            for position, b in enumerate(second, start=1):
                above = best[position]
                best[position] = diagonal + 1 if a == b else max(above, best[position - 1])
                diagonal = above
        return len(first) + len(second) - 2 * best[-1]

    def widen(self, d_in: int, domain: Domain) -> int:
        """Round up to replacements if the size is public: an insertion at the front pushes a row off the end."""
        return d_in if getattr(domain, "size", None) is None else d_in + d_in % 2


@final
@frozen
class IdentifierDistance(Metric):
    """Persons added plus persons removed, whatever the number of their records.

    A person whose records differ counts two: one removal, and one addition with other records.

    Args:
        id: The id column: the position or name of the identifier in a record.
    """

    id: Any

    def distance(self, x: Rows, y: Rows, domain: Domain) -> int:
        """Compare the records of each person."""
        first, second = self._people(x), self._people(y)
        different = [person for person in first.keys() | second.keys() if first.get(person) != second.get(person)]
        return sum((person in first) + (person in second) for person in different)

    def _people(self, rows: Rows) -> dict[Any, Counter[Any]]:
        people: dict[Any, Counter[Any]] = {}
        if isinstance(rows, Records):
            names = list(rows.columns)
            rows = [dict(zip(names, row, strict=True)) for row in row_keys(rows)]
        for row in rows:
            cells: Any = sorted(row.items()) if isinstance(row, dict) else enumerate(row)
            record = tuple((name, _key(cell)) for name, cell in cells)
            people.setdefault(_key(row[self.id]), Counter())[record] += 1
        return people


@final
@frozen
class DiscreteDistance(Metric):
    """Zero if the values are equal, one if they are not."""

    def distance(self, x: object, y: object, domain: Domain) -> int:
        """Compare."""
        return int(_key(x) != _key(y))


@final
@frozen
class AbsoluteDistance(AmountMetric):
    """The absolute difference of two numbers, in the units of the data."""

    def distance(self, x: int, y: int, domain: Domain) -> Fraction:
        """Subtract, and convert grid steps to units."""
        return Fraction(abs(x - y)) * _grid(domain)


@final
@frozen
class RangeDistance(AmountMetric):
    """The largest minus the smallest change of a coordinate of a vector: zero if all coordinates move together."""

    def distance(self, x: Numbers, y: Numbers, domain: Domain) -> Fraction:
        """Subtract coordinate by coordinate."""
        changes = _changes(x, y, domain)
        return max(changes, default=Fraction(0)) - min(changes, default=Fraction(0))


@final
@frozen
class VectorDistance(PartsMetric):
    """The differences of two vectors of numbers in every norm at once."""

    def distance(self, x: Numbers, y: Numbers, domain: Domain) -> Parts:
        """Subtract coordinate by coordinate."""
        return Parts.of(_changes(x, y, domain))


@final
@frozen
class PartitionDistance(PartsMetric):
    """The distances of the parts of two partitioned data sets, in every norm at once.

    Args:
        inner: The metric of one part.
    """

    inner: Metric = field(factory=SymmetricDistance)

    def distance(self, x: Sequence[Any], y: Sequence[Any], domain: Domain) -> Parts:
        """Measure part by part; both data sets have the same public number of parts."""
        measure: Callable[[Any, Any, Domain], Any] = self.inner.distance
        part = domain.inner if isinstance(domain, PartitionDomain) else domain  # it holds the grid of the parts
        return Parts.of(Fraction(measure(a, b, part)) for a, b in zip(x, y, strict=True))

    def widen(self, d_in: Parts, domain: Domain) -> Parts:
        """Round the distance of each part up to replacements if the size of the parts is public."""
        inner = getattr(domain, "inner", None)
        if getattr(inner, "size", None) is None or not d_in.l0:
            return d_in
        parts = d_in.l0  # in each part that differs the distance, a whole number, grows by at most one row
        return Parts(l0=parts, l1=d_in.l1 + parts, l2_squared=d_in.l2_squared + 2 * d_in.l1 + parts, linf=d_in.linf + 1)


def _grid(domain: Domain) -> Fraction:
    step = getattr(domain, "grid", None)
    return Fraction(1) if step is None else step


def _changes(x: Numbers, y: Numbers, domain: Domain) -> list[Fraction]:
    step = _grid(domain)
    return [(int(a) - int(b)) * step for a, b in zip(x, y, strict=True)]
