"""Reading values as another kind, null where that cannot be done."""

import math
import time
from typing import Any

import numpy as np
import pytest
from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st

import privet.calculus as pc
from privet.core.domain import VectorDomain
from privet.core.rows import BLANKS, INT_MAX, INT_MIN
from privet.core.space import Space
from privet.errors import MismatchError, WrongTypeError
from tests.laws import Case, Twin
from tests.transforms.twins import TwinOf

CASES = [
    Case(name="text to integers", chain=pc.vector(str) >> pc.Cast(to=int)),
    Case(name="text to reals", chain=pc.vector(str, size=3, ordered=True) >> pc.Cast(to=float)),
    Case(name="reals to text", chain=pc.vector(float) >> pc.Cast(to=str)),
    Case(name="reals to integers", chain=pc.vector(float) >> pc.Cast(to=int)),
]


@frozen
class Raises(TwinOf):
    """Raises for text that is no number."""

    def apply(self, value: Any, space: Space) -> Any:
        return np.ma.MaskedArray([int(item or 0) for item in value.tolist()], dtype=np.int64)


@frozen
class SignedZeros(TwinOf):
    """Writes both zeros as they are: columns that are equal for every metric become different."""

    def apply(self, value: Any, space: Space) -> Any:
        gone = np.ma.getmaskarray(value) | np.isnan(value.data)
        return np.ma.MaskedArray([repr(item) for item in value.data.tolist()], mask=gone, dtype=object)


@frozen
class AllOrNothing(TwinOf):
    """Gives numbers only if every row is one."""

    def apply(self, value: Any, space: Space) -> Any:
        right = self.right.apply(value, space)
        whole = not np.ma.getmaskarray(right).any()
        return right if whole else np.ma.MaskedArray(right.data, mask=np.ones(len(right), dtype=bool))


@frozen
class Wraps(TwinOf):
    """Gives NaN and infinities as integers without a look: what the machine makes of them."""

    def apply(self, value: Any, space: Space) -> Any:
        return np.ma.MaskedArray(np.ma.filled(value, 0.0), mask=np.isinf(value.data))


TWINS = [
    Twin(law="parity", case=Case(name="a cast that raises", chain=pc.vector(str) >> Raises(pc.Cast(to=int)))),
    Twin(law="map", case=Case(name="two texts for zero", chain=pc.vector(float) >> SignedZeros(pc.Cast(to=str)))),
    Twin(law="map", case=Case(name="all or nothing", chain=pc.vector(float) >> AllOrNothing(pc.Cast(to=int)))),
    Twin(law="map", case=Case(name="not of the kind", chain=pc.vector(float) >> Wraps(pc.Cast(to=int)))),
]


@pytest.mark.parametrize(
    ("text", "whole", "real", "truth"),
    [
        ("12", 12, 12.0, None),
        (" -7\n", -7, -7.0, None),
        ("+0012", 12, 12.0, None),
        ("1", 1, 1.0, True),
        ("0", 0, 0.0, False),
        ("2.5", None, 2.5, None),
        (".5e1", None, 5.0, None),
        ("1e999", None, math.inf, None),
        ("-Infinity", None, -math.inf, None),
        ("9223372036854775808", INT_MAX, 2.0**63, None),
        ("-" + "9" * 10_000, INT_MIN, -math.inf, None),
        ("0" * 10_000 + "5", 5, 5.0, None),
        ("TRUE", None, None, True),
        ("false ", None, None, False),
        ("1_000", None, None, None),
        ("١٢", None, None, None),
        ("0x10", None, None, None),
        ("1,5", None, None, None),
        ("", None, None, None),
        ("12 3", None, None, None),
        ("12\x0b", None, None, None),
    ],
)
def test_the_grammar_of_text(text: str, whole: Any, real: Any, truth: Any) -> None:
    for to, expected in ((int, whole), (float, real), (bool, truth)):
        assert (pc.vector(str) >> pc.Cast(to=to))([text]).tolist() == [expected]


def test_nan_is_read_from_text_as_a_number_and_written_as_null() -> None:
    assert math.isnan((pc.vector(str) >> pc.Cast(to=float))(["NaN"]).data[0])
    assert (pc.vector(float) >> pc.Cast(to=str))([math.nan, math.inf, -0.0, 0.1]).tolist() == [
        None,
        "inf",
        "0.0",
        "0.1",
    ]


@pytest.mark.parametrize(
    ("kind", "to", "rows", "expected"),
    [
        (float, int, [0.5, 1.5, -2.5, math.nan, math.inf, None], [0, 2, -2, None, INT_MAX, None]),
        (int, float, [2**53 + 1, None], [2.0**53, None]),
        (int, bool, [0, 1, 2, -1, None], [False, True, None, None, None]),
        (float, bool, [0.0, -0.0, 1.0, 0.5, math.nan], [False, False, True, None, None]),
        (bool, int, [True, False, None], [1, 0, None]),
        (bool, str, [True, False, None], ["true", "false", None]),
        (int, str, [-5, None], ["-5", None]),
        (int, int, [3, None], [3, None]),
    ],
)
def test_numbers_and_truths(kind: type, to: type, rows: list[Any], expected: list[Any]) -> None:
    assert (pc.vector(kind) >> pc.Cast(to=to))(rows).tolist() == expected


@given(st.integers(INT_MIN, INT_MAX))
def test_integers_survive_text(value: int) -> None:
    assert (pc.vector(int) >> pc.Cast(to=str) >> pc.Cast(to=int))([value]).tolist() == [value]


@given(st.floats(allow_nan=False))
def test_reals_survive_text(value: float) -> None:
    assert (pc.vector(float) >> pc.Cast(to=str) >> pc.Cast(to=float))([value]).tolist() == [value]


@given(st.text())
def test_no_text_raises(text: str) -> None:
    for to in (int, float, bool):
        assert len((pc.vector(str) >> pc.Cast(to=to))([text])) == 1


@pytest.mark.parametrize("to", [int, float, bool])
@pytest.mark.parametrize(
    "text",
    [
        "0" * 10**6 + "x",
        "9" * 10**6,
        "0" * 10**6,
        "-" + "0" * 10**6 + "9" * 10**6,
        "0." + "0" * 10**6 + "1e",
        "1e" + "9" * 10**6,
        "0." + "0" * 10**6 + "1e1000001",
    ],
    ids=["zeros and a letter", "nines", "zeros", "zeros and nines", "half an exponent", "an exponent", "a long one"],
)
def test_a_million_digits_are_read_in_a_moment(text: str, to: type) -> None:
    started = time.process_time()
    assert len((pc.vector(str) >> pc.Cast(to=to))([text])) == 1
    assert time.process_time() - started < 5, "a search that tries every split would take hours"


def test_no_value_stays_under_a_null() -> None:
    cast = (pc.vector(float) >> pc.Cast(to=int))(np.ma.MaskedArray([5.0, 1.0], mask=[True, False]))
    assert cast.data.tolist() == [BLANKS[int], 1]


@pytest.mark.parametrize(
    ("kind", "to", "nullable"), [(int, float, False), (int, str, False), (str, int, True), (float, int, True)]
)
def test_nulls_are_possible_where_reading_may_fail(kind: type, to: type, nullable: bool) -> None:
    domain = (pc.vector(kind, nullable=False) >> pc.Cast(to=to)).output.domain
    assert isinstance(domain, VectorDomain)
    assert domain.nullable is nullable


def test_descriptors_survive_only_if_the_kind_stays() -> None:
    space = pc.vector(int, bounds=(0, 1), size=3)
    assert (space >> pc.Cast(to=int)).output == space
    assert repr((space >> pc.Cast(to=str)).output) == "vector(str, size=3)"


def test_other_kinds_and_other_data_are_refused() -> None:
    with pytest.raises(WrongTypeError, match="Cast.to must be int, float, bool or str"):
        pc.Cast(to=complex)
    with pytest.raises(MismatchError, match="column of records"):
        pc.matrix(2) >> pc.Cast(to=int)
