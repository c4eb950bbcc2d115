"""Selection of columns of a table."""

from typing import Any, final

from attrs import evolve, field, frozen

from privet.chains.transformation import RowTransformation
from privet.core import (
    Array,
    IdentifierDistance,
    MatrixDomain,
    Norm,
    Records,
    RecordsDomain,
    Space,
    VectorDomain,
    read_whole,
)
from privet.errors import InvalidError, MismatchError, PrivetError, WrongTypeError
from privet.transforms import table_or_persons


def _columns(value: object) -> Any:
    if isinstance(value, tuple | list | range):
        return tuple(map(_columns, value))
    try:
        return value if isinstance(value, str) else read_whole("", value)
    except PrivetError:
        return None


@final
@frozen(kw_only=True)
class Select(RowTransformation):
    """Keep some columns of a matrix or of records, in the given order.

    Args:
        columns: One column, for a vector, or a list of different columns, for a narrower table. Columns of a matrix
            are positions, counted from zero; columns of records are names.

    Guarantee: ``d_out = d_in``, for every metric on rows.
    Proof: docs/transforms/select.md.

    >>> from privet.core.space import records
    >>> (records(id=str, age=int) >> Select(columns="age"))([{"id": "a", "age": 30}, {"id": "b"}]).tolist()
    [30, None]
    """

    columns: Any = field(converter=_columns)

    @columns.validator
    def _check(self, _: object, value: object) -> None:
        columns = value if isinstance(value, tuple) else (value,)
        if not columns or any(not isinstance(item, int | str) for item in columns):
            raise WrongTypeError("Select.columns must be a name or a position, or a list of names or positions.")
        if len(set(columns)) < len(columns):
            raise InvalidError("Select.columns must be different columns.")

    def output(self, space: Space) -> Space:
        """A table, or a vector, of the selected columns."""
        domain = table_or_persons(self, space)
        if isinstance(domain, VectorDomain):
            raise MismatchError("Select reads a matrix or records, got a single column.")
        narrow = self._matrix(domain) if isinstance(domain, MatrixDomain) else self._records(domain, space)
        return Space(narrow, space.metric)

    def apply(self, value: Records | Array, space: Space) -> Any:
        """Select the columns."""
        if not isinstance(value, Records):
            return value[:, list(self.columns)] if isinstance(self.columns, tuple) else value[:, self.columns].copy()
        if isinstance(self.columns, tuple):
            return Records({name: value.columns[name] for name in self.columns})
        return value.columns[self.columns]

    def _matrix(self, domain: MatrixDomain) -> VectorDomain | MatrixDomain:
        positions = self.columns if isinstance(self.columns, tuple) else (self.columns,)
        if not all(isinstance(at, int) and 0 <= at < domain.columns for at in positions):
            raise WrongTypeError(
                f"Select.columns must be positions from 0 to {domain.columns - 1} in this matrix, got {self.columns!r}."
            )
        bounds = None if domain.bounds is None else tuple(domain.bounds[at] for at in positions)
        if not isinstance(self.columns, tuple):
            return VectorDomain(
                kind=float,
                bounds=None if bounds is None else bounds[0],
                size=domain.size,
                nullable=False,
                nan=domain.nan,
                grid=domain.grid,
                ordered=domain.ordered,
            )
        norm = domain.norm
        if norm is not None:
            # a projected row lies in the projected ball; but a row with NaN was in no ball
            centre = tuple(norm.origin[at] for at in positions)
            norm = None if domain.nan else Norm(order=norm.order, radius=norm.radius, origin=centre)
        return evolve(domain, columns=len(positions), bounds=bounds, norm=norm)

    def _records(self, domain: RecordsDomain, space: Space) -> VectorDomain | RecordsDomain:
        domains = dict(domain.columns)
        names = self.columns if isinstance(self.columns, tuple) else (self.columns,)
        unknown = [name for name in names if name not in domains]
        if unknown:
            raise MismatchError(
                f"Select.columns must be columns of the records, {', '.join(domains)}; got {unknown[0]!r}."
            )
        metric = space.metric
        if isinstance(metric, IdentifierDistance) and not (isinstance(self.columns, tuple) and metric.id in names):
            raise MismatchError(
                f"Select.columns must be a list with {metric.id!r}, the identifier that the metric needs."
            )
        if not isinstance(self.columns, tuple):
            return evolve(domains[self.columns], size=domain.size, ordered=domain.ordered)
        return evolve(domain, columns=tuple((name, domains[name]) for name in self.columns))
