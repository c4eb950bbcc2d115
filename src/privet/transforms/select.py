"""Some of the columns of a table."""

from typing import Any, ClassVar, final

from attrs import evolve, field, frozen

from privet.chains.transformation import Transformation
from privet.core.balls import Norm
from privet.core.checks import read_whole
from privet.core.domain import VectorDomain
from privet.core.frames import MatrixDomain, Records, RecordsDomain
from privet.core.metric import IdentifierDistance
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError, PrivetError, WrongTypeError
from privet.transforms.cleaning import table


def _columns(value: Any) -> Any:
    if isinstance(value, tuple | list | range):
        return tuple(map(_columns, value))
    try:
        return value if isinstance(value, str) else read_whole("", value)
    except PrivetError:
        return None


@final
@frozen(kw_only=True)
class Select(Transformation):
    """Keep some columns of a matrix or of records, in the order given.

    Args:
        columns: One column, which gives a vector, or a list of different columns, which gives a narrower table.
            Columns of a matrix are counted from zero, those of records are names.

    Guarantee: ``d_out = d_in``, for every metric on rows.
    Proof: docs/transforms/select.md.

    >>> from privet.core.space import records
    >>> (records(id=str, age=int) >> Select(columns="age"))([{"id": "a", "age": 30}, {"id": "b"}]).tolist()
    [30, None]
    """

    inclusive: ClassVar[bool] = True

    columns: Any = field(converter=_columns)

    @columns.validator
    def _check(self, _: Any, value: Any) -> None:
        listed = value if isinstance(value, tuple) else (value,)
        if not listed or any(not isinstance(item, int | str) for item in listed):
            raise WrongTypeError("Select.columns must be a name or a position, or a list of names or positions.")
        if len(set(listed)) < len(listed):
            raise InvalidError("Select.columns must be different columns.")

    def output(self, space: Space) -> Space:
        """The columns that are left."""
        domain = table(self, space)
        if isinstance(domain, VectorDomain):
            raise MismatchError("Select reads a matrix or records, got a single column.")
        narrow = self._matrix(domain) if isinstance(domain, MatrixDomain) else self._records(domain, space)
        return Space(narrow, space.metric)

    def apply(self, value: Any, space: Space) -> Any:
        """Leave out columns."""
        if not isinstance(value, Records):
            return value[:, list(self.columns)] if isinstance(self.columns, tuple) else value[:, self.columns].copy()
        if isinstance(self.columns, tuple):
            return Records({name: value.columns[name] for name in self.columns})
        return value.columns[self.columns]

    def stability(self, d_in: int, space: Space) -> int:
        """A function of each row by itself changes no more rows than were changed."""
        return d_in

    def _matrix(self, domain: MatrixDomain) -> VectorDomain | MatrixDomain:
        wanted = self.columns if isinstance(self.columns, tuple) else (self.columns,)
        if not all(isinstance(at, int) and 0 <= at < domain.columns for at in wanted):
            raise WrongTypeError(
                f"Select.columns must be positions from 0 to {domain.columns - 1} in this matrix, got {self.columns!r}."
            )
        bounds = None if domain.bounds is None else tuple(domain.bounds[at] for at in wanted)
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
            # the rest of a row lies in the rest of the ball; a row with NaN, though, was in no ball
            left = tuple(norm.origin[at] for at in wanted)
            norm = None if domain.nan else Norm(order=norm.order, radius=norm.radius, origin=left)
        return evolve(domain, columns=len(wanted), bounds=bounds, norm=norm)

    def _records(self, domain: RecordsDomain, space: Space) -> VectorDomain | RecordsDomain:
        named = dict(domain.columns)
        wanted = self.columns if isinstance(self.columns, tuple) else (self.columns,)
        unknown = [name for name in wanted if name not in named]
        if unknown:
            raise MismatchError(
                f"Select.columns must be columns of the records, {', '.join(named)}; got {unknown[0]!r}."
            )
        metric = space.metric
        if isinstance(metric, IdentifierDistance) and not (isinstance(self.columns, tuple) and metric.id in wanted):
            raise MismatchError(
                f"Select.columns must be a list with {metric.id!r}, the identifier that the metric needs."
            )
        if not isinstance(self.columns, tuple):
            return named[self.columns]
        return RecordsDomain(columns=tuple((name, named[name]) for name in self.columns))
