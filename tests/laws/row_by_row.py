"""The row by row law: a row's result is the same alone, among others, in every layout of memory and in any thread."""

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from privet.chains.transformation import RandomTransformation
from privet.combinators.lloyd import _Nearest
from privet.core.domain import VectorDomain
from privet.core.frames import MatrixDomain, Records, RecordsDomain
from privet.transforms.partition_by_key import PartitionByKey
from privet.transforms.tables import take
from tests.laws.cases import Case
from tests.laws.drawn import drawn_rows
from tests.laws.inputs import bounds_in
from tests.laws.replay import replayed

EXAMPLES = 3
MORE = 24  # rows: enough for loops that treat several at once


def claims_each_row(case: Case) -> bool:
    """Tell whether some unit of a chain claims that the rows out are the rows out of each row, one behind the other."""
    tables = VectorDomain | MatrixDomain | RecordsDomain
    return isinstance(case.chain.input.domain, tables) and any(map(_claims, case.chain.links))


def _claims(link: Any) -> bool:
    right = getattr(link.unit, "right", link.unit)  # what a twin says it is
    return right.inclusive or isinstance(right, PartitionByKey | _Nearest)


def check_row_by_row(case: Case, *, examples: int = EXAMPLES, seed: int = 0) -> None:
    """Compare, bit by bit, what a row becomes alone with what it becomes among others.

    Args:
        case: A placed unit.
        examples: How many data sets are drawn.
        seed: Where they are drawn from.
    """
    domain = case.chain.input.domain
    source = random.Random(f"{seed} {case.name}")
    for number in range(examples):
        rows = drawn_rows(domain, source, bounds_in(case.chain), junk=False)
        while len(rows) < MORE and getattr(domain, "size", None) is None:
            rows += drawn_rows(domain, source, bounds_in(case.chain), junk=False)
        value = domain.admit(rows)
        with np.errstate(all="ignore"), replayed(seed=seed + number):
            for link in case.chain.links:
                if _claims(link) and len(value):
                    _check(link, value, source, case.name)
                if not isinstance(link.output.domain, VectorDomain | MatrixDomain | RecordsDomain):
                    break
                value = link.unit.apply(value, link.input)


def _check(link: Any, value: Any, source: random.Random, name: str) -> None:
    count = len(value)
    coins = link.unit.coins(count, link.input) if isinstance(link.unit, RandomTransformation) else None
    alone = [_alone(link, value, coins, at) for at in range(count)]
    exactly = coins is None and all(found is not None for found in alone)
    for told, order, laid in _layouts(value, source, sized=_size(link) is not None):
        found = keys(_run(link, laid, _picked(coins, order)))
        wanted = [key for at in order for key in alone[at]]
        same = (
            found == wanted
            if exactly and not _in_parts(link)
            else sorted(map(repr, found)) == sorted(map(repr, wanted))
        )
        assert same, f"row by row law: {name}: a row is not what it is alone when rows are {told}"
    whole = keys(_run(link, value, coins))
    with ThreadPoolExecutor(4) as threads:
        together = list(threads.map(lambda _: keys(_run(link, value, coins)), range(4)))
    assert all(found == whole for found in together), f"row by row law: {name}: threads give other results"


def _alone(link: Any, value: Any, coins: Any, at: int) -> list[Any]:
    """What one row becomes where there is no other; where the size is public, where all rows are this one."""
    size = _size(link)
    rows = [at] * (1 if size is None else size)
    found = keys(_run(link, take(value, np.array(rows)), _picked(coins, rows)))
    return found[: len(found) // len(rows)] if not _in_parts(link) else sorted(found)[:: len(rows)]


def _size(link: Any) -> int | None:
    size: int | None = getattr(link.input.domain, "size", None)
    return size


def _in_parts(link: Any) -> bool:
    return not isinstance(link.output.domain, VectorDomain | MatrixDomain | RecordsDomain)


def _run(link: Any, value: Any, coins: Any) -> Any:
    with np.errstate(all="ignore"):
        return link.unit.apply(value, link.input) if coins is None else link.unit.combine(value, coins, link.input)


def _picked(coins: Any, rows: Any) -> Any:
    if coins is None:
        return None
    return tuple(_picked(one, rows) for one in coins) if isinstance(coins, tuple) else np.asarray(coins)[list(rows)]


def _layouts(value: Any, source: random.Random, *, sized: bool) -> Iterator[tuple[str, list[int], Any]]:
    """Give the rows in other orders and other memory: a name, which row stands where, and the data."""
    same = list(range(len(value)))
    mixed = same.copy()
    source.shuffle(mixed)
    yield "as they were", same, value
    yield "mixed", mixed, take(value, np.array(mixed))
    yield "reversed in memory", same[::-1], _viewed(value, lambda array: array[::-1])
    yield "strided", same, _viewed(value, _strided)
    yield "column by column", same, _viewed(value, np.asfortranarray)
    yield "row by row", same, _viewed(value, np.ascontiguousarray)
    yield "beside other columns", same, _viewed(value, _beside)
    if not sized:
        for count in (1, min(2, len(value)), len(value) // 2):
            yield f"only {count}", same[:count], take(value, np.arange(count))
        yield "repeated", same * 3, take(value, np.array(same * 3))


def _viewed(value: Any, view: Any) -> Any:
    if isinstance(value, Records):
        return Records({name: _viewed(column, view) for name, column in value.columns.items()})
    if isinstance(value, np.ma.MaskedArray):
        return np.ma.MaskedArray(view(value.data), mask=view(np.ma.getmaskarray(value)))
    return view(value)


def _strided(array: Any) -> Any:
    wide = np.empty((3 * len(array), *array.shape[1:]), dtype=array.dtype)
    wide[:] = array[:1]
    wide[1::3] = array
    return wide[1::3]


def _beside(array: Any) -> Any:
    if array.ndim == 1:
        wide = np.stack([array[::-1], array], axis=1)
        return wide[:, 1]
    wide = np.concatenate([array[:, ::-1], array], axis=1)
    return wide[:, array.shape[1] :]


def keys(result: Any) -> list[Any]:
    """Give the rows as something that is equal where every bit is; parts are numbered."""
    if isinstance(result, tuple):
        return [(number, key) for number, part in enumerate(result) for key in keys(part)]
    if isinstance(result, Records):
        return list(zip(*map(keys, result.columns.values()), strict=True))
    null = np.ma.getmaskarray(result) if result.ndim == 1 else np.zeros(len(result), dtype=bool)
    plain = np.ma.getdata(result)
    if plain.dtype == object:
        bits = [f"{type(item).__name__} {item!r}" for item in plain.tolist()]
    else:
        bits = [row.tobytes().hex() for row in np.ascontiguousarray(plain)]
    return ["null" if gone else found for found, gone in zip(bits, null.tolist(), strict=True)]
