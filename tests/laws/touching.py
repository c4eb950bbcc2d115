"""The law of no touching: no unit, and no user's function, writes into data or sees what is hidden in their memory."""

from typing import Any

import numpy as np

from privet.chains.measurement import MeasurementChain
from privet.core.queryable import Queryable
from tests.laws.cases import Case
from tests.laws.drawn import SECRET, arrays_in, drawn
from tests.laws.replay import replayed
from tests.laws.spies import SEEN

EXAMPLES = 3


def check_touching(case: Case, *, examples: int = EXAMPLES, seed: int = 0) -> None:
    """Run a chain link by link on data with secrets under masks and beside views, and compare all bits afterwards.

    Args:
        case: A placed unit.
        examples: How many inputs are drawn.
        seed: Where they are drawn from.
    """
    for frozen in (False, True):
        few = 1 + examples // 4 if case.questions else examples  # a queryable is asked many questions
        for number, data in enumerate(drawn(case, examples=few, seed=seed)):
            SEEN.clear()
            before = bits(data)
            if frozen:
                freeze(data)
            with np.errstate(all="ignore"), replayed(seed=seed + number):
                _run_frozen(case, data) if frozen else _run(case, data)
            assert bits(data) == before, f"touching law: {case.name}: the data of the caller were changed"
            assert not hidden(SEEN), f"touching law: {case.name}: a user's function saw what is masked or beside a view"


def _run_frozen(case: Case, data: Any) -> None:
    """Run on data that refuse to be written to; that they did is told as a broken law."""
    refused = False
    try:
        _run(case, data)
    except ValueError as error:
        refused = "read-only" in str(error)
        if not refused:
            raise
    assert not refused, f"touching law: {case.name}: a unit writes into its input"


def _run(case: Case, data: Any) -> None:
    chain: Any = case.chain
    value = chain.input.domain.admit(data)
    for link in chain.links:
        before = bits(value)
        result = link.unit.apply(value, link.input)
        assert bits(value) == before, f"touching law: {case.name}: {type(link.unit).__name__} changed its input"
        value = result
    if not isinstance(chain, MeasurementChain):
        return
    before = bits(value)
    release = chain.mechanism.release(value, chain.place)
    assert bits(value) == before, f"touching law: {case.name}: the mechanism changed its input"
    for array in arrays_in(release):
        shared = any(np.shares_memory(array, other) for other in arrays_in(value))
        assert not shared, f"touching law: {case.name}: the release is a view of the data"
        assert not hidden(array.reshape(-1).tolist()), f"touching law: {case.name}: the release holds what was masked"
    if isinstance(release, Queryable) and case.questions:
        _ask(case, release, data)


def _ask(case: Case, queryable: Queryable, data: Any) -> None:
    exact, *others = case.questions
    first = queryable.ask(exact)
    for array in arrays_in(data):
        if array.flags.writeable:
            kept = array.copy()
            array[...] = array[::-1]
            changed = queryable.ask(exact)
            array[...] = kept
            assert changed == first, f"touching law: {case.name}: answers follow what the caller writes"
    for question in others:
        queryable.ask(question)
        assert queryable.ask(exact) == first, f"touching law: {case.name}: a question changed the data that are kept"


def bits(data: Any) -> Any:
    """Everything that is in an input: the memory of arrays, and what containers hold."""
    arrays = [_bits(array) for array in arrays_in(data)]
    items = [id(item) for item in data] if isinstance(data, list | tuple) else repr(type(data))
    return arrays, items


def _bits(array: Any) -> Any:
    if array.dtype == object:
        return [(id(item), repr(item)) for item in array.reshape(-1).tolist()]
    return str(array.dtype), array.shape, array.tobytes()


def freeze(data: Any) -> None:
    """Make every array of an input refuse to be written to."""
    if isinstance(data, np.ndarray):
        data.flags.writeable = False
    if isinstance(data, dict):
        for item in data.values():
            freeze(item)
    for array in arrays_in(data):
        array.flags.writeable = False


def hidden(values: Any) -> bool:
    return any(value in (SECRET, str(SECRET)) for value in values if isinstance(value, int | float | str))
