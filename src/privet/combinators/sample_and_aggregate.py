"""Sample and aggregate: any function becomes stable by applying it to random parts of the data."""

import warnings
from collections.abc import Callable
from typing import Any, final

import numpy as np
from attrs import evolve, field, frozen

from privet.chains.transformation import RandomTransformation
from privet.core import (
    DTYPES,
    READERS,
    Array,
    HammingDistance,
    IdentifierDistance,
    InsertDelete,
    MatrixDomain,
    Records,
    Space,
    VectorDomain,
    positive,
    quietly,
    whole,
)
from privet.errors import InvalidError, WrongTypeError
from privet.noise import distinct_keys, uniform_below
from privet.transforms import (
    by_person,
    column_space,
    copied,
    function_name,
    has_identifier,
    is_function,
    replaced,
    results_in,
    table,
    take,
    value_ranks,
)


@final
@frozen(kw_only=True)
class SampleAndAggregate(RandomTransformation):
    """Split the data into random parts and apply a function to each: one result for each part.

    Independent coins assign each record, or each person under ``IdentifierDistance``, to one part. The function sees
    the records of one part and nothing else, in a random order unless the order matters: an array for a column (masked
    where null) or a matrix, a dict of arrays for records. If it fails, or its result cannot be read into ``to``, the
    result is ``default``.

    Args:
        parts: How many parts.
        function: Any function of a part. It must depend on nothing else: not on earlier parts, a clock or chance. It
            need not be private.
        to: The kind of its results: ``int``, ``float``, ``bool``, ``str``, a column such as
            ``pc.vector(float, bounds=(0, 1))`` or a row of ``pc.matrix(2, bounds=(0, 1))``, without a size. Results are
            clamped to it.
        default: The public result in place of a failure; by default the value nearest to zero, or the first category.

    Guarantee: at most ``d_in`` results differ, one for each record (or person) added, removed or replaced.
    Proof: docs/combinators/sample_and_aggregate.md.

    >>> from privet.core.space import vector
    >>> unit = SampleAndAggregate(parts=4, function=max, to=vector(int, bounds=(0, 9)))
    >>> (vector(int) >> unit)([5] * 1000).tolist()
    [5, 5, 5, 5]
    >>> (vector(int) >> unit).map(1)
    1
    """

    parts: int = field(converter=whole, validator=positive)
    function: Callable[[Any], Any] = field(validator=is_function, repr=function_name)
    to: Space = field(
        converter=column_space,
        validator=results_in(
            VectorDomain | MatrixDomain,
            "int, float, bool, str, a column such as pc.vector(float, bounds=(0, 1)) or a row of pc.matrix(...)",
        ),
    )
    default: Any = field(default=None)

    def output(self, space: Space) -> Space:
        """One result for each part, none missing, in ordered positions."""
        self._rows(space)
        domain: VectorDomain | MatrixDomain
        if isinstance(self.to.domain, MatrixDomain):
            domain = evolve(self.to.domain, size=self.parts, ordered=True, nan=False)
        else:
            domain = evolve(self._column(), size=self.parts, ordered=True, nan=False, nullable=False)
        self._fallback()
        return Space(domain, HammingDistance())

    def _rows(self, space: Space) -> str | None:
        """Check the input; return the id column under ``IdentifierDistance``, otherwise None."""
        if isinstance(space.metric, IdentifierDistance):
            by_person(self, space, space.metric.id)
            return str(space.metric.id)
        table(self, space)
        return None

    def coins(self, rows: int, space: Space) -> Any:
        """Draw a part and a random position for each record."""
        return uniform_below(self.parts, rows), distinct_keys(rows)

    def combine(self, value: Records | Array, coins: tuple[Array, Array], space: Space) -> Array:
        """Assign the records to parts, then call the function on each part."""
        person = self._rows(space)
        part, place = coins
        if person is not None and isinstance(value, Records):
            known = has_identifier(value, person)
            value, part, place = value.take(known), part[known], place[known]
            part = _together(value_ranks(value.columns[person]), part, self.parts)
        if not isinstance(space.metric, HammingDistance | InsertDelete):
            order = np.argsort(place)
            value, part = take(value, order), part[order]
        with warnings.catch_warnings():  # a warning would reveal the part that caused it
            warnings.simplefilter("ignore")
            results = [self._call(take(value, part == number)) for number in range(self.parts)]
        return self._read(results, space)

    def _call(self, part: Records | Array) -> Any:
        return quietly(lambda: self.function(copied(part)))

    def _read(self, results: list[Any], space: Space) -> Array:
        fallback = self._fallback()
        if isinstance(self.to.domain, MatrixDomain):
            domain = self.to.domain
            rows = [_row(result, domain.columns) for result in results]
            read = [fallback if row is None else domain.coerce(row[None, :])[0] for row in rows]
            return np.array(read, dtype=np.float64).reshape(self.parts, domain.columns)
        items = [_answer(result, self._column()) for result in results]
        return np.array([fallback if item is None else item for item in items], dtype=DTYPES[self._column().kind])

    def _column(self) -> VectorDomain:
        if not isinstance(self.to.domain, VectorDomain):
            raise WrongTypeError("SampleAndAggregate.to must be a column.")
        return self.to.domain

    def _fallback(self) -> Any:
        """Read the default. It is public, so an unreadable default is refused."""
        domain = self.to.domain
        if isinstance(domain, MatrixDomain):
            if self.default is None:
                return domain.blank()
            row = _row(self.default, domain.columns)
            if row is None:
                raise InvalidError(f"SampleAndAggregate.default must be {domain.columns} numbers, like the results.")
            return domain.coerce(row[None, :])[0]
        column = self._column()
        if self.default is None:
            blank = evolve(column, nullable=False, nan=False)
            return blank.admit([None]).tolist()[0]
        default = _answer(self.default, column)
        if default is None:
            raise InvalidError(
                f"SampleAndAggregate.default must be a result of kind {column.kind.__name__} within `to`."
            )
        return default

    def stability(self, d_in: int, space: Space) -> int:
        """A record is in one part. A replacement takes over its coin, so it is in the same part."""
        swaps = None if isinstance(space.metric, IdentifierDistance) else replaced(space, d_in)
        return min(d_in if swaps is None else swaps, self.parts)


def _together(person: Array, part: Array, parts: int) -> Array:
    """Assign all records of a person to one part: the sum of their coins modulo the parts, which is uniform."""
    sums = np.zeros(len(person) + 2, dtype=np.int64)
    np.add.at(sums, person, part)
    return np.asarray(sums[person] % parts)


def _answer(result: object, domain: VectorDomain) -> Any:
    """Read one result like data; return None if it is of another kind, NaN or not a category."""
    item = quietly(lambda: READERS[domain.kind](_plain(result)))
    if item is None or item != item:
        return None
    values: Array = np.empty(1, dtype=DTYPES[domain.kind])
    values[:] = [item]
    read = evolve(domain, nullable=True, nan=False).coerce(values, None)
    return None if np.ma.getmaskarray(read)[0] else read.tolist()[0]


def _plain(result: object) -> Any:
    if isinstance(result, np.ma.MaskedArray) and np.ma.getmaskarray(result).any():
        return None  # for example the mean of no rows
    return result.item() if isinstance(result, np.generic | np.ndarray) else result


def _row(result: object, columns: int) -> Array | None:
    """Read one result as a row of numbers; return None if it is anything else, or holds a NaN."""
    masked = quietly(lambda: isinstance(result, np.ma.MaskedArray) and bool(np.ma.getmaskarray(result).any()))
    row: Array | None = quietly(lambda: np.array(result, dtype=np.float64).reshape(-1))
    if row is None or masked or len(row) != columns or np.isnan(row).any():
        return None
    return row + 0.0
