"""Arrow arrays by their memory: numbers and texts in, and which values are present out.

``pyarrow.array`` imports pandas wherever it is installed, and the functions of ``pyarrow.compute`` take as long as a
first session should in all. So what every session does is done here with numpy.
"""

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np
import pyarrow as pa

from privet.core import Array


def number_array(values: Array, kind: Any, null: Array | None = None) -> Any:
    """Lay out numbers or truth values as an Arrow array.

    Args:
        values: The numbers, in the machine type of the Arrow type; or truth values.
        kind: The Arrow type.
        null: Which of them are null, or None where none is.

    >>> number_array(np.array([1, 2, 3]), pa.int64(), np.array([False, True, False])).to_pylist()
    [1, None, 3]
    """
    held = _bits(values) if pa.types.is_boolean(kind) else pa.py_buffer(np.ascontiguousarray(values))
    given = None if null is None else _bits(~null)
    return pa.Array.from_buffers(kind, len(values), [given, held])


def text_array(texts: Sequence[bytes | None]) -> Any:
    """Lay out texts as an Arrow array.

    Args:
        texts: The UTF-8 of each, or None for null.

    >>> text_array([b"a", None, b""]).to_pylist()
    ['a', None, '']
    """
    held = [each or b"" for each in texts]
    ends = np.fromiter(accumulate(map(len, held), initial=0), dtype=np.int64, count=len(held) + 1)
    given = _bits(np.fromiter((each is not None for each in texts), dtype=bool, count=len(held)))
    buffers = [given, pa.py_buffer(ends), pa.py_buffer(b"".join(held))]
    return pa.Array.from_buffers(pa.large_string(), len(held), buffers)


def list_array(items: Any, lengths: Array, given: Array) -> Any:
    """Lay out lists as an Arrow array.

    Args:
        items: The items of all lists, one list behind the other.
        lengths: How many items each list has.
        given: Which of the lists are not null; those that are have no items.

    >>> list_array(text_array([b"a", b"b"]), np.array([1, 0, 1]), np.array([True, False, True])).to_pylist()
    [['a'], None, ['b']]
    """
    ends = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]).astype(np.int64)
    kind = pa.large_list(items.type)
    return pa.Array.from_buffers(kind, len(lengths), [_bits(given), pa.py_buffer(ends)], children=[items])


def is_list(kind: Any) -> bool:
    """Tell whether a type of Arrow is one of its types of lists, by whatever layout."""
    tests = (
        *(pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list),
        *(pa.types.is_list_view, pa.types.is_large_list_view),
    )
    return any(test(kind) for test in tests)


def is_present(values: Any) -> Array:
    """Tell which values of an array of numbers, dates or texts are not null.

    >>> is_present(number_array(np.array([1, 2]), pa.int64(), np.array([True, False]))).tolist()
    [False, True]
    """
    bits = values.buffers()[0]
    if bits is None:
        return np.ones(len(values), dtype=bool)
    end = values.offset + len(values)
    unpacked = np.unpackbits(np.frombuffer(bits, dtype=np.uint8), count=end, bitorder="little")
    return unpacked[values.offset :].astype(bool)


def _bits(truths: Array) -> Any:
    return pa.py_buffer(np.packbits(truths, bitorder="little"))
