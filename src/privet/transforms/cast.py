"""Values read as another kind, null where that cannot be done."""

import math
import re
from collections.abc import Callable
from typing import Any, ClassVar, final

import numpy as np
from attrs import evolve, field, frozen

from privet.chains.transformation import Transformation
from privet.core.domain import VectorDomain
from privet.core.rows import BLANKS, DTYPES, INT_MAX, INT_MIN, Array, read_rows
from privet.core.space import Space
from privet.errors import WrongTypeError
from privet.transforms.columns import column, present

_SPACE = " \t\r\n"
_WHOLE = re.compile(r"([+-]?)([0-9]+)", re.ASCII)
_REAL = re.compile(
    r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[+-]?[0-9]+)?|[+-]?inf(?:inity)?|nan", re.ASCII | re.IGNORECASE
)
_TRUTHS = {"true": True, "false": False, "1": True, "0": False}


@final
@frozen(kw_only=True)
class Cast(Transformation):
    """Read every value as another kind; what cannot be read becomes null.

    Args:
        to: ``int``, ``float``, ``bool`` or ``str``.

    Guarantee: ``d_out = d_in``, for every metric on rows.
    Proof: docs/transforms/cast.md.

    >>> from privet.core.space import vector
    >>> (vector(str) >> Cast(to=int))(["12", " -7 ", "many", None]).tolist()
    [12, -7, None, None]
    """

    inclusive: ClassVar[bool] = True

    to: type = field(repr=lambda kind: kind.__name__)

    @to.validator
    def _check(self, _: Any, value: Any) -> None:
        if value not in (int, float, bool, str):
            raise WrongTypeError(f"Cast.to must be int, float, bool or str, got {value!r}.")

    def output(self, space: Space) -> Space:
        """Give up what was known of the values."""
        return Space(self._read_as(column(self, space)), space.metric)

    def apply(self, value: Any, space: Space) -> Array:
        """Read row by row."""
        before = column(self, space)
        if before.kind is self.to:
            return np.asanyarray(value)
        values, null = present(value)
        read, unread = _read(values, before.kind, self.to)
        gone = unread if null is None else null | unread
        read[gone] = BLANKS[self.to]  # nothing of the data stays below a mask
        return self._read_as(before).coerce(read, gone)

    def stability(self, d_in: int, space: Space) -> int:
        """A function of each row by itself changes no more rows than were changed."""
        return d_in

    def _read_as(self, domain: VectorDomain) -> VectorDomain:
        if domain.kind is self.to:
            return domain
        always = domain.kind is bool or (domain.kind is int and self.to is not bool)
        return evolve(
            domain,
            kind=self.to,
            bounds=None,
            grid=None,
            categories=None,
            nan=self.to is float and domain.kind is str,
            nullable=domain.nullable or not always,
        )


def _read(values: Array, before: type, after: type) -> tuple[Array, Array]:
    """Give the values as another kind, and where that failed."""
    if before is not str and after in (int, float):
        read, null = read_rows(values, after)
        return read.copy(), np.zeros(len(values), dtype=bool) if null is None else null
    reader = _READERS[before, after]
    found = [reader(item) for item in values.tolist()]
    unread = np.array([item is None for item in found], dtype=bool)
    read = np.empty(len(found), dtype=DTYPES[after])
    read[:] = [BLANKS[after] if item is None else item for item in found]
    return read, unread


def _whole(text: str) -> int | None:
    match = _WHOLE.fullmatch(text.strip(_SPACE))
    if match is None:
        return None
    sign, digits = match[1], match[2].lstrip("0") or "0"
    if len(digits) > 19:  # before any conversion: Python refuses to read thousands of digits
        return INT_MIN if sign == "-" else INT_MAX
    return min(max(int(sign + digits), INT_MIN), INT_MAX)


def _real(text: str) -> float | None:
    stripped = text.strip(_SPACE)
    return float(stripped) if _REAL.fullmatch(stripped) else None


def _truth(text: str) -> bool | None:
    return _TRUTHS.get(text.strip(_SPACE).lower())


def _zero_or_one(value: float) -> bool | None:
    return bool(value) if value in (0, 1) else None


def _written(value: float) -> str | None:
    # -0.0 and 0.0 are one value for every metric, so they must be one text
    return None if math.isnan(value) else repr(value + 0.0)


_READERS: dict[tuple[type, type], Callable[[Any], Any]] = {
    (str, int): _whole,
    (str, float): _real,
    (str, bool): _truth,
    (int, bool): _zero_or_one,
    (float, bool): _zero_or_one,
    (int, str): str,
    (float, str): _written,
    (bool, str): lambda value: "true" if value else "false",
}
