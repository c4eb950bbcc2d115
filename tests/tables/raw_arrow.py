"""Arrow arrays that break the rules of their own types, in every layout; Arrow itself would refuse to make them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

TEXTS = [pa.string(), pa.large_string(), pa.string_view(), pa.json_(pa.string()), pa.json_(pa.large_string())]


def texts(items: Sequence[bytes | None], kind: Any) -> Any:
    """Put bytes into texts that need not be UTF-8."""
    if isinstance(kind, pa.JsonType):
        return pa.ExtensionArray.from_storage(kind, texts(items, kind.storage_type))
    as_bytes = {pa.string(): pa.binary(), pa.large_string(): pa.large_binary(), pa.string_view(): pa.binary_view()}
    held = pa.array(items, as_bytes[kind])
    return pa.Array.from_buffers(kind, len(held), held.buffers())


def decimals(numbers: Sequence[int], kind: Any) -> Any:
    """Put whole numbers into decimals that need not have room for them."""
    held = b"".join(each.to_bytes(kind.byte_width, "little", signed=True) for each in numbers)
    return pa.Array.from_buffers(kind, len(numbers), [None, pa.py_buffer(held)])


def plainly(values: Any) -> Any:
    """Leave an array as it is."""
    return values


def in_dictionary(values: Any) -> Any:
    """Make each value an entry of a dictionary."""
    return pa.DictionaryArray.from_arrays(pa.array(range(len(values)), pa.int32()), values)


def in_runs(values: Any) -> Any:
    """Make each value a run."""
    kind = pa.run_end_encoded(pa.int32(), values.type)
    ends = pa.array(np.arange(1, len(values) + 1), pa.int32())
    return pa.Array.from_buffers(kind, len(values), [None], children=[ends, values])


def in_two_dictionaries(values: Any) -> Any:
    """Make each entry of a dictionary a code of another."""
    return in_dictionary(in_dictionary(values))


def in_runs_of_codes(values: Any) -> Any:
    """Make each value of a run a code."""
    return in_runs(in_dictionary(values))


LAYOUTS = [plainly, in_dictionary, in_runs, in_two_dictionaries, in_runs_of_codes]
