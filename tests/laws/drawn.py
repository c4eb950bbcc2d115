"""Inputs drawn from a seed: special rows, ordinary ones and junk, in every container and layout of memory."""

import math
import random
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from privet.core.choices import ChoiceDomain
from privet.core.domain import VectorDomain
from privet.core.frames import MatrixDomain, PartitionDomain, Records, RecordsDomain
from privet.core.grid_domains import NumbersDomain, ScalarDomain
from privet.transforms.smooth_pairs import SmoothDomain
from privet.transforms.stream_space import StreamDomain
from tests.laws.cases import Case
from tests.laws.inputs import JUNK, bounds_in, specials

SECRET = 987_654_321
"""What stands under masks and between the rows of views: nobody may see it."""


class Raises:
    """A value whose every method raises."""

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError("no array")

    def __float__(self) -> float:
        raise SystemExit(3)

    def __index__(self) -> int:
        raise RuntimeError("no index")

    __int__ = __index__


class Lies(float):
    """A number that says it is another."""

    def __float__(self) -> float:
        raise RuntimeError("no float")

    def as_integer_ratio(self) -> tuple[int, int]:
        raise SystemExit(4)


HOSTILE: tuple[Any, ...] = (
    *JUNK,
    Raises(),
    Lies(2.5),
    Decimal("1e999999999"),
    Decimal("-1e-999999999"),
    Decimal("NaN"),
    Decimal("sNaN"),
    Fraction(10**5000, 3),
    Fraction(1, 10**5000),
    10**400,
    np.longdouble(2) ** 63,
    np.timedelta64(3, "D"),
    np.array([1, 2]),
    np.array(5),
    np.ma.masked,
    {1, 2},
)


def drawn(case: Case, *, examples: int, seed: int) -> Iterator[Any]:
    """Give inputs of a case: anything that a caller may hand over."""
    source = random.Random(f"{seed} {case.name}")
    for number in range(examples):
        yield drawn_input(case.chain, source, number) if not _known(case) else source.choice(_known(case))


def _known(case: Case) -> list[Any]:
    """Inputs that a case brings along, where its domain is none that inputs are drawn for."""
    if isinstance(case.chain.input.domain, VectorDomain | MatrixDomain | RecordsDomain | ScalarDomain | NumbersDomain):
        return []
    if isinstance(case.chain.input.domain, StreamDomain | ChoiceDomain | SmoothDomain | PartitionDomain):
        return []
    return [case.input, *(data for pair in case.pairs for data in pair)]


def drawn_input(chain: Any, source: random.Random, number: int = 0) -> Any:
    """Draw one input of a chain's domain."""
    domain = chain.input.domain
    if isinstance(domain, ScalarDomain):
        return source.choice([item for item in _NUMBERS if not hasattr(type(item), "__iter__")])
    if isinstance(domain, NumbersDomain):
        if domain.length > 1000:  # as arrays come
            return np.full(domain.length, source.randint(-9, 9))
        return [source.choice(_NUMBERS) for _ in range(domain.length)]
    if isinstance(domain, StreamDomain):
        return [source.choice(_NUMBERS) for _ in range(source.randrange(6))]
    if isinstance(domain, SmoothDomain):
        return source.choice(_NUMBERS), source.choice(_NUMBERS)
    if isinstance(domain, ChoiceDomain):
        return source.choice([*domain.categories, *HOSTILE])
    if isinstance(domain, PartitionDomain):
        return [drawn_rows(domain.inner, source, []) for _ in range(domain.parts)]
    rows = drawn_rows(domain, source, bounds_in(chain))
    return rows if number % 2 else spread(rows, domain, source)


_NUMBERS: tuple[Any, ...] = (0, 1, -1, 2.5, -0.0, 10**30, math.inf, -math.inf, math.nan, np.int64(5), *HOSTILE)


def drawn_rows(domain: Any, source: random.Random, ends: list[Any], *, junk: bool = True) -> list[Any]:
    """Draw rows: the special ones of the domain, ordinary ones and, now and then, junk."""
    known = [*specials(domain), *ends]
    size = getattr(domain, "size", None)
    count = source.choice([0, 1, 2, 3, 8, 17]) if size is None else size + source.choice([0, 0, 0, 1, -1])
    found = []
    for _ in range(max(count, 0)):
        chance = source.random()
        if junk and chance < 0.15:
            found.append(source.choice(HOSTILE))
        elif chance < 0.5:
            found.append(source.choice(known))
        else:
            found.append(ordinary(domain, source))
    return found


def ordinary(domain: Any, source: random.Random) -> Any:
    """Draw a row as data have them."""
    if isinstance(domain, VectorDomain):
        return _ordinary(domain, source)
    if isinstance(domain, MatrixDomain):
        return tuple(source.gauss(0, 10.0 ** source.randint(-2, 3)) for _ in range(domain.columns))
    return tuple(_ordinary(column, source) for _, column in domain.columns)


def _ordinary(domain: VectorDomain, source: random.Random) -> Any:
    if domain.categories is not None:
        return source.choice(domain.categories)
    makers: dict[type, Any] = {
        int: lambda: source.randint(-20, 200),
        float: lambda: source.gauss(0, 10.0 ** source.randint(-2, 3)),
        bool: lambda: source.random() < 0.5,
        str: lambda: source.choice("abcdeäß") * source.randint(1, 2),
    }
    return makers[domain.kind]()


def spread(rows: list[Any], domain: Any, source: random.Random) -> Any:
    """Put rows into arrays of the right type that are views of larger ones, with secrets under masks and between."""
    if isinstance(domain, MatrixDomain):
        plain = np.full((2 * len(rows) + 1, domain.columns), float(SECRET))
        plain[1::2] = [_row(row, domain.columns) for row in rows] if rows else plain[1::2]
        return np.asfortranarray(plain)[1::2] if source.random() < 0.5 else plain[1::2]
    if isinstance(domain, RecordsDomain):
        names = [name for name, _ in domain.columns]
        columns = [[_cell(row, at) for row in rows] for at in range(len(names))]
        return {
            name: _column(column, known, source)
            for name, column, (_, known) in zip(names, columns, domain.columns, strict=True)
        }
    return _column(rows, domain, source)


def _row(row: Any, columns: int) -> list[float]:
    cells = [_cell(row, at) for at in range(columns)]
    return [cell if isinstance(cell, float) else math.nan for cell in cells]


def _cell(row: Any, at: int) -> Any:
    try:
        return row[at]
    except Exception:  # noqa: BLE001 - junk where a row should be
        return None


def _column(rows: list[Any], domain: VectorDomain, source: random.Random) -> Any:
    secret: Any = {int: SECRET, float: float(SECRET), bool: True, str: str(SECRET)}[domain.kind]
    fits = [type(row) is domain.kind and not (type(row) is int and abs(row) >= 2**63) for row in rows]
    dtype = object if domain.kind is str else domain.kind
    wide: Any = np.full(2 * len(rows) + 1, secret, dtype=dtype)
    for at, (row, good) in enumerate(zip(rows, fits, strict=True)):
        wide[2 * at + 1] = row if good else secret
    mask = np.array([not good for good in fits], dtype=bool)
    column = wide[1::2]
    if source.random() < 0.3:
        column, mask = wide[::-1][1::2], mask[::-1]
    return np.ma.MaskedArray(column, mask=mask.copy())


def arrays_in(data: Any) -> list[np.ndarray[Any, Any]]:
    """Every array in an input: the whole memory behind views, and masks."""
    if isinstance(data, np.ndarray):
        plain = np.ma.getdata(data)
        behind = plain
        while isinstance(behind.base, np.ndarray):
            behind = behind.base
        mask = np.ma.getmask(data)
        return [plain, behind] + ([] if mask is np.ma.nomask else [np.asarray(mask)])
    if isinstance(data, Records):
        data = data.columns
    if isinstance(data, dict):
        return [array for item in data.values() for array in arrays_in(item)]
    return [array for item in data for array in arrays_in(item)] if isinstance(data, list | tuple) else []
