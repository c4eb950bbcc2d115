"""Metrics: how far apart two values are. Every metric *measures*, so that the laws can check what maps claim.

A distance is a whole number for metrics that count records, a ``Fraction`` for numbers, and ``Parts`` for vectors.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any, final

import numpy as np
from attrs import field, frozen

from privet.core.checks import not_negative, number, read_number, read_whole, short, whole
from privet.core.domain import Domain
from privet.core.frames import Records
from privet.errors import InvalidError, WrongTypeError


@final
@frozen(kw_only=True, order=False)
class Parts:
    """A distance between vectors of numbers, in every norm that a mechanism may read.

    Args:
        l0: How many coordinates differ.
        l1: The sum of the differences.
        l2_squared: The sum of their squares; squared, so that it stays a fraction.
        linf: The largest difference.

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


class Metric(ABC):
    """A way to measure how far apart two members of a domain are."""

    @abstractmethod
    def distance(self, x: Any, y: Any, domain: Domain) -> Distance:
        """Measure two members of the domain."""

    def widen(self, d_in: Any, domain: Domain) -> Any:
        """Give the distance that data at distance ``d_in`` may have once they were read into the domain."""
        return domain.widen(d_in)

    def check(self, d_in: Any) -> Distance:
        """Read a distance that a caller typed; metrics that count records take whole numbers."""
        name = type(self).__name__
        count = read_whole(f"{name}.distance", d_in)
        if count < 0:
            raise InvalidError(f"{name}.distance must be zero or more, got {short(count)}.")
        return count


def row_keys(values: Any) -> list[Any]:
    """Give the rows as hashable values in which nulls equal nulls and NaN equals NaN."""
    if isinstance(values, Records):
        return list(zip(*map(row_keys, values.columns.values()), strict=True))
    if isinstance(values, np.ndarray) and values.ndim == 2:
        return [tuple(map(_key, row)) for row in values.tolist()]
    if isinstance(values, np.ma.MaskedArray):
        null = np.ma.getmaskarray(values).tolist()
        plain = values.data.tolist()
        return [("null",) if missing else _key(item) for item, missing in zip(plain, null, strict=True)]
    return [_key(item) for item in (values.tolist() if isinstance(values, np.ndarray) else values)]


def _key(item: Any) -> Any:
    return ("nan",) if isinstance(item, float) and item != item else item


@final
@frozen
class SymmetricDistance(Metric):
    """Records added plus records removed; the order of rows does not count."""

    def distance(self, x: Any, y: Any, domain: Domain) -> int:
        """Count the records that one column has and the other lacks."""
        first, second = Counter(row_keys(x)), Counter(row_keys(y))
        return ((first - second) + (second - first)).total()


@final
@frozen
class HammingDistance(Metric):
    """Records replaced in place, between columns of the same size."""

    def distance(self, x: Any, y: Any, domain: Domain) -> int:
        """Count the positions that differ."""
        first, second = row_keys(x), row_keys(y)
        if len(first) != len(second):
            raise InvalidError("HammingDistance is defined between columns of the same size only.")
        return sum(a != b for a, b in zip(first, second, strict=True))


@final
@frozen
class InsertDelete(Metric):
    """Records inserted plus records deleted, where the order of rows counts."""

    def distance(self, x: Any, y: Any, domain: Domain) -> int:
        """Count what is outside a longest common subsequence."""
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
        """Round up to replacements where the size is public: a row more or less at the front moves one past the end."""
        return d_in if getattr(domain, "size", None) is None else d_in + d_in % 2


@final
@frozen
class IdentifierDistance(Metric):
    """Persons added plus persons removed, whatever the number of their records.

    A person whose records differ counts two: removed, and added again with other records.

    Args:
        id: The position or name of the identifier in a record.
    """

    id: Any

    def distance(self, x: Any, y: Any, domain: Domain) -> int:
        """Count identifiers, with their records."""
        first, second = self._people(x), self._people(y)
        total = 0
        for person in first.keys() | second.keys():
            if person in first and person in second:
                total += 0 if first[person] == second[person] else 2
            else:
                total += 1
        return total

    def _people(self, rows: Any) -> dict[Any, Counter[Any]]:
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
    """Zero where the values are equal, one where they are not."""

    def distance(self, x: Any, y: Any, domain: Domain) -> int:
        """Compare."""
        return int(_key(x) != _key(y))


def _amount(name: str, d_in: Any) -> Fraction:
    if isinstance(d_in, Parts):
        raise WrongTypeError(f"{name}.distance must be one number, got Parts.")
    value = read_number(f"{name}.distance", d_in)
    if value < 0:
        raise InvalidError(f"{name}.distance must be zero or more, got {short(value)}.")
    return value


@final
@frozen
class AbsoluteDistance(Metric):
    """The absolute difference of two numbers, in the units of the data."""

    def distance(self, x: Any, y: Any, domain: Domain) -> Fraction:
        """Subtract, and turn steps into units."""
        return Fraction(abs(x - y)) * _grid(domain)

    def check(self, d_in: Any) -> Fraction:
        """Read a number of zero or more."""
        return _amount("AbsoluteDistance", d_in)


@final
@frozen
class RangeDistance(Metric):
    """How unevenly the coordinates of a vector moved: the largest change less the smallest."""

    def distance(self, x: Any, y: Any, domain: Domain) -> Fraction:
        """Subtract coordinate by coordinate."""
        changes = _changes(x, y, domain)
        return max(changes, default=Fraction(0)) - min(changes, default=Fraction(0))

    def check(self, d_in: Any) -> Fraction:
        """Read a number of zero or more."""
        return _amount("RangeDistance", d_in)


@final
@frozen
class VectorDistance(Metric):
    """The differences of two vectors of numbers in every norm at once."""

    def distance(self, x: Any, y: Any, domain: Domain) -> Parts:
        """Subtract coordinate by coordinate."""
        return Parts.of(_changes(x, y, domain))

    def check(self, d_in: Any) -> Parts:
        """Take ``Parts``; a bare zero means no difference."""
        return _parts("VectorDistance", d_in)


@final
@frozen
class PartitionDistance(Metric):
    """The distances of the parts of two partitioned data sets, in every norm at once.

    Args:
        inner: The metric of one part.
    """

    inner: Metric = field(factory=SymmetricDistance)

    def distance(self, x: Any, y: Any, domain: Domain) -> Parts:
        """Measure part by part; both sides hold the same public number of parts."""
        measure: Callable[[Any, Any, Domain], Any] = self.inner.distance
        return Parts.of(Fraction(measure(a, b, domain)) for a, b in zip(x, y, strict=True))

    def widen(self, d_in: Parts, domain: Domain) -> Parts:
        """Round the distance of each part up to replacements where the size of the parts is public."""
        inner = getattr(domain, "inner", None)
        if getattr(inner, "size", None) is None or not d_in.l0:
            return d_in
        more = d_in.l0  # each part that differs is at most one row further away, and distances of parts are whole
        return Parts(l0=more, l1=d_in.l1 + more, l2_squared=d_in.l2_squared + 2 * d_in.l1 + more, linf=d_in.linf + 1)

    def check(self, d_in: Any) -> Parts:
        """Take ``Parts``; a bare zero means no difference."""
        return _parts("PartitionDistance", d_in)


def _parts(name: str, d_in: Any) -> Parts:
    if isinstance(d_in, Parts):
        return d_in
    if isinstance(d_in, int) and d_in == 0:
        return Parts(l0=0, l1=0, l2_squared=0, linf=0)
    raise WrongTypeError(
        f"{name}.distance must be Parts(l0=..., l1=..., l2_squared=..., linf=...), got {type(d_in).__name__}."
    )


def _grid(domain: Domain) -> Fraction:
    step = getattr(domain, "grid", None)
    return Fraction(1) if step is None else step


def _changes(x: Any, y: Any, domain: Domain) -> list[Fraction]:
    step = _grid(domain)
    return [(int(a) - int(b)) * step for a, b in zip(x, y, strict=True)]
