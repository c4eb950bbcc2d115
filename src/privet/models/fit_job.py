"""One fit: the public facts, the private rows and the account that every release is charged to."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeVar, final

import numpy as np
from attrs import evolve, field, frozen

from privet.core import (
    Array,
    Bounds,
    IdentifierDistance,
    MatrixDomain,
    Space,
    SymmetricDistance,
    read_whole,
    records,
    short,
)
from privet.errors import InvalidError, UnavailableError, WrongTypeError
from privet.models.features import Features
from privet.models.person_ids import read_ids
from privet.models.private_rows import Account, PrivateRows
from privet.models.rows_in_parts import Read, read_parts
from privet.models.tables_of import Columns
from privet.transforms.truncate import Truncate

BROKEN_OFF = (
    "the fit was broken off, and nothing of it is kept. Perhaps it needs more memory than there is: use fewer rows, "
    "columns, categories or clusters, or a budget that is not extreme."
)
_MOST = 1_000
_T = TypeVar("_T")
_WIDEST = 10_000  # encoded columns
GRID = Fraction(1, 2**20)  # of encoded rows, whose numbers lie between -1 and 1


@final
@frozen(kw_only=True)
class FitJob:
    """What an estimator has to work with.

    Args:
        label: The name of the estimator, for messages.
        features: What is public of the columns.
        table: The private columns.
        target: The private target: numbers from -1 to 1, or positions of classes; None where there is none.
        target_bounds: The bounds of the target as it stands here.
        account: What releases are charged to.
        count: Counts rows by class and code in an engine, where the rows stay there; None if they are in ``table``.
        read: Passes the encoded rows on in parts, where an engine gives them; None if they are in ``table``.
    """

    label: str
    features: Features
    table: Columns = field(repr=False)
    target: Array | None = field(repr=False)
    target_bounds: Bounds
    account: Account = field(repr=False)
    count: Any = field(default=None, repr=False)
    read: Read | None = field(default=None, repr=False)

    def encoded(self) -> PrivateRows:
        """Return rows of encoded features, and the target in the last column if there is one."""
        if self.features.width > _WIDEST:
            raise InvalidError(
                f"{self.label} reads at most {_WIDEST:,} encoded columns, and the numbers and categories make "
                f"{self.features.width:,}: list fewer categories, or use CategoricalNB or trees."
            )
        table = self.features.encode(self.table.columns, self.table.rows, self._more)
        rows = self._rows(table, (Fraction(-1), Fraction(1)))
        return rows if self.read is None else evolve(rows, value=read_parts(self.read, rows.value))

    def coded(self, bins: int) -> PrivateRows:
        """Return rows of codes, and the target in the last column if there is one."""
        codes = self.features.codes(self.table.columns, bins)
        table = np.empty((self.table.rows, codes.shape[1] + self._more))
        table[:, : codes.shape[1]] = codes
        return self._rows(table, (Fraction(0), Fraction(max(self.features.sizes(bins)))))

    @property
    def _more(self) -> int:
        return 0 if self.target is None else 1

    def _rows(self, table: Array, bounds: Bounds) -> PrivateRows:
        """Put the target into the last column, if there is one, and round to the grid."""
        sides = (bounds,) * (table.shape[1] - self._more)
        if self.target is not None:
            sides = (*sides, self.target_bounds)
            table[:, -1] = self.target
        domain = MatrixDomain(columns=len(sides), bounds=sides, grid=GRID, nan=False)
        table *= float(1 / GRID)
        np.rint(table, out=table)  # on the grid, inside the bounds: both ends lie on it
        table *= float(GRID)
        return PrivateRows(value=table, space=Space(domain, SymmetricDistance()), account=self.account)


def guarded(label: str, work: Callable[[], _T]) -> _T:
    """Do a part of a fit; an error of numpy, whose message has the number of rows, is replaced and not kept.

    Args:
        label: The estimator, for messages.
        work: The part.
    """
    try:
        with np.errstate(all="ignore"):  # a warning of numpy would reveal the row that caused it
            return work()
    except (MemoryError, ArithmeticError):
        pass
    raise UnavailableError(f"{label}: {BROKEN_OFF}")


def read_limited(label: str, value: Any) -> int:
    """Read a whole number from 1 to 1,000: memory and time grow with it and with the rows."""
    count = read_whole(label, value)
    if not 1 <= count <= _MOST:
        raise InvalidError(f"{label} must be between 1 and {_MOST:,}, got {short(count)}.")
    return count


def rows_of_persons(label: str, persons: Any, rows: int, most: Any) -> tuple[Array, int]:
    """Choose at most a public number of rows of each person at random; return which, and that number.

    Args:
        label: The estimator, for messages.
        persons: The person of each row; a row without one belongs to nobody and is dropped.
        rows: How many rows there are.
        most: The largest number of rows of a person.
    """
    if most is None:
        raise InvalidError(
            f"{label}.rows_per_person must be given with persons=: a person with many rows would not be protected "
            "without a cap."
        )
    if isinstance(persons, str | bytes):
        raise WrongTypeError(
            f'{label}.fit: persons must have one id for each row, such as frame["visitor_id"], got '
            f"{type(persons).__name__}."
        )
    cap = read_whole(f"{label}.rows_per_person", most)
    if cap < 1:
        raise InvalidError(f"{label}.rows_per_person must be one or more, got {cap}.")
    named = read_ids(persons)
    if len(named) != rows:
        raise InvalidError(f"{label}.fit needs persons= with one id for each row.")
    space = Space(records(id=str, row=int).domain, IdentifierDistance("id"))
    chain = space >> Truncate(id="id", rows=cap)
    kept = chain.run(space.domain.admit(list(zip(named, range(rows), strict=True))))
    keep = np.zeros(rows, dtype=bool)
    keep[np.asarray(kept.columns["row"], dtype=np.int64)] = True
    d_in = chain.map(1)
    return keep, d_in if isinstance(d_in, int) else cap
