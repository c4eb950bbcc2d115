"""The parity law: on neighbours a unit behaves the same, but for the release itself."""

import contextlib
import io
import logging
import random
import re
import warnings
import zlib
from collections.abc import Iterator
from itertools import cycle, islice
from typing import Any

import numpy as np

from privet.chains.measurement import MeasurementChain
from privet.chains.transformation import RandomTransformation
from privet.core.domain import VectorDomain
from privet.core.frames import MatrixDomain, RecordsDomain
from privet.tables.engines.default import write_query
from privet.tables.relations.table_space import Table, _rows
from tests.laws.cases import Case
from tests.laws.inputs import EXAMPLES, SHARE, TWIN, off_by_one, raw_neighbours
from tests.laws.replay import replayed
from tests.laws.sizes import chooses_rows
from tests.laws.tables import TABLE_PARITY, TABLE_TWIN, admitted, is_table, table_neighbours

NUMBERS: tuple[Any, ...] = (
    0,
    1,
    -1,
    10**30,
    2.5,
    float("nan"),
    float("inf"),
    -float("inf"),
    None,
    np.int64(5),
    np.float32(2),
)
LONG = 1000  # reading the numbers of a longer list one by one takes seconds


def check_parity(case: Case, *, quick: bool = False, examples: int | None = None) -> None:
    """Run neighbours, junk and wrong sizes included, and compare everything that can be observed.

    Compared are: the exception (type and message) or its absence, warnings, printed and logged lines, the type,
    dtype and shape of the result (of a release; a private column may be as long as its input), the query that a step
    writes, the bytes of randomness taken.
    """
    chain = case.chain
    tables = is_table(chain)
    if not tables and not isinstance(chain.input.domain, VectorDomain | MatrixDomain | RecordsDomain):
        inputs = [case.input, *(y for pair in case.pairs for y in pair)] if case.pairs else list(NUMBERS)
        if isinstance(case.input, list | np.ndarray):
            size = len(case.input)
            inputs = [case.input, *([number] * size for number in NUMBERS[3:])]
            if size > LONG:  # all of them in one input
                mixed = list(islice(cycle(NUMBERS), size + 1))
                inputs = [case.input, mixed[1:], mixed[:-1]]
        seen = {_outcome(chain, value) for value in inputs}
        assert len(seen) == 1, f"parity law: inputs can be told apart by {seen}"
        return

    every = 1 if quick or examples is not None else SHARE
    start = zlib.crc32(case.name.encode()) % every
    for one, other in islice(off_by_one(chain), start, None, every):  # a size that was told wrongly by one row
        first, second = _outcome(chain, one), _outcome(chain, other)
        assert first == second, f"parity law: neighbours can be told apart by {first} and {second}"

    often = (TABLE_TWIN if quick else TABLE_PARITY) if tables else (TWIN if quick else EXAMPLES)
    for number in range(often if examples is None else examples):
        source = random.Random(number if tables else f"{number} {case.name}")
        pair = table_neighbours(chain, source, junk=True) if tables else raw_neighbours(chain, source)
        first, second = (_outcome(chain, data) for data in pair)
        assert first == second, f"parity law: neighbours {pair} can be told apart by {first} and {second}"


def _outcome(chain: Any, data: Any) -> tuple[Any, ...]:
    private = not isinstance(chain, MeasurementChain)
    with _watched() as (printed, logged, caught), replayed(seed=7) as source:
        try:
            result = chain(admitted(chain.input.domain, data) if is_table(chain) else data)
            looks = _look(result, private=private and not is_table(chain))
        except Exception as error:  # noqa: BLE001 - whatever is raised is what a caller would see
            return ("raised", type(error).__name__, str(error))
    told = (printed.getvalue(), logged.getvalue(), tuple(str(warning.message) for warning in caught))
    # a coin for each row: how many there are is as private as the number of rows
    coins = any(isinstance(link.unit, RandomTransformation) for link in chain.links)
    coins = coins or chooses_rows(chain.input.domain)  # a key for each row of a table that is too long
    return ("gave", *looks, told, "any" if coins else source.handed_out)


def _look(result: Any, *, private: bool) -> tuple[Any, ...]:
    if isinstance(result, np.ndarray):
        return type(result).__name__, str(result.dtype), "any" if private else result.shape
    if isinstance(result, Table):
        list(_rows(result))  # it can be read
        return (
            "Table",
            re.sub(r"(law|privet public|privet function) \d+", "", write_query(result.relation)),
            str(dict(result.relation.columns)),
        )
    return (type(result).__name__,)


@contextlib.contextmanager
def _watched() -> Iterator[tuple[io.StringIO, io.StringIO, list[Any]]]:
    printed, logged = io.StringIO(), io.StringIO()
    handler = logging.StreamHandler(logged)
    root = logging.getLogger()
    root.addHandler(handler)
    try:
        with warnings.catch_warnings(record=True) as caught, contextlib.redirect_stdout(printed):
            warnings.simplefilter("always")
            with contextlib.redirect_stderr(printed):
                yield printed, logged, caught
    finally:
        root.removeHandler(handler)
