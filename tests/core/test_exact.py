"""Exact numbers and directed rounding."""

import math
import os
import subprocess
import sys
import threading
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

from privet.core import exact as ex
from privet.errors import NotExactError, PrivetError


@pytest.mark.parametrize(
    ("typed", "means"),
    [
        (0.1, Fraction(1, 10)),
        (1e-9, Fraction(1, 10**9)),
        (5, Fraction(5)),
        (Fraction(1, 3), Fraction(1, 3)),
        (Decimal("0.30"), Fraction(3, 10)),
        (np.float64(0.1), Fraction(1, 10)),
        (np.float32(0.1), Fraction(1, 10)),
        (np.float16(0.1), Fraction(1, 10)),
        (np.int8(-3), Fraction(-3)),
        (np.uint64(2**64 - 1), Fraction(2**64 - 1)),
        (1e308, Fraction(10**308)),
        (5e-324, Fraction(5, 10**324)),
        (-0.0, Fraction(0)),
    ],
)
def test_typed_numbers_mean_their_shortest_decimal(typed: Any, means: Fraction) -> None:
    result = ex.exact(typed)
    assert type(result) is Fraction
    assert result == means


def test_data_mean_their_binary_value() -> None:
    assert ex.exact_data(0.1) == Fraction(0.1) != Fraction(1, 10)
    assert ex.exact_data(np.float32(0.1)) == Fraction(float(np.float32(0.1)))
    assert type(ex.exact_data(7)) is Fraction


@pytest.mark.parametrize(
    "wrong",
    [
        math.nan,
        math.inf,
        -math.inf,
        np.float64("nan"),
        Decimal("Infinity"),
        Decimal("NaN"),
        Decimal("sNaN"),
        np.timedelta64(3, "s"),
        True,
        np.True_,
        "1",
        None,
        1j,
        [1],
    ],
)
@pytest.mark.parametrize("read", [ex.exact, ex.exact_data])
def test_only_finite_numbers_are_exact(read: Any, wrong: Any) -> None:
    with pytest.raises(NotExactError, match=r"^expected a (finite )?number") as caught:
        read(wrong)
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, PrivetError)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_typing_a_float_gives_it_back(value: float) -> None:
    assert float(ex.exact(value)) == value


FUNCTIONS: dict[str, tuple[Any, Any, Any, Any]] = {
    "exp": (ex.exp_down, ex.exp_up, arb.exp, st.fractions(-700, 700)),
    "expm1": (ex.expm1_down, ex.expm1_up, arb.expm1, st.fractions(-700, 700)),
    "log": (ex.log_down, ex.log_up, arb.log, st.fractions(Fraction(1, 10**30), 10**30)),
    "log1p": (ex.log1p_down, ex.log1p_up, arb.log1p, st.fractions(Fraction(-999, 1000), 10**9)),
    "sqrt": (ex.sqrt_down, ex.sqrt_up, arb.sqrt, st.fractions(0, 10**30)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@given(data=st.data())
def test_directed_values_enclose_the_truth_tightly(name: str, data: Any) -> None:
    down, up, truth, values = FUNCTIONS[name]
    value = data.draw(values)
    low, high = down(value), up(value)
    with ex.precision(1000):
        exactly = truth(ex.ball(value))
        assert not ex.ball(low) > exactly  # an exact root, such as 1/21, cannot be told from the ball that holds it
        assert not exactly > ex.ball(high)
    assert low <= high
    assert high - low <= abs(high) / 2**70


@pytest.mark.parametrize("tiny", [Fraction(1, 10**40), Fraction(-1, 10**40), Fraction(1, 2**200)])
def test_small_arguments_keep_their_relative_precision(tiny: Fraction) -> None:
    assert ex.expm1_down(tiny) <= tiny + tiny**2
    assert abs(ex.expm1_up(tiny) - tiny) <= abs(tiny) / 2**60
    assert abs(ex.log1p_up(tiny) - tiny) <= abs(tiny) / 2**60


def test_exact_cases_stay_exact() -> None:
    assert ex.exp_up(0) == ex.exp_down(0) == 1
    assert ex.log_up(1) == ex.log_down(1) == 0
    assert ex.expm1_up(0) == 0
    assert ex.sqrt_up(Fraction(9, 4)) == ex.sqrt_down(Fraction(9, 4)) == Fraction(3, 2)


def test_values_too_small_to_write_down_are_rounded_outward() -> None:
    assert ex.exp_down(-(10**9)) == 0
    assert 0 < ex.exp_up(-(10**9)) < Fraction(1, 2**60000)
    assert ex.directed(arb.erfc, 1000, toward="up") > 0


def test_values_too_large_to_write_down_are_refused() -> None:
    with pytest.raises(NotExactError, match="too large"):
        ex.exp_up(10**9)
    with pytest.raises(NotExactError, match="zero or more"):
        ex.sqrt_up(-1)


@given(st.fractions())
def test_floats_are_rounded_in_the_stated_direction(value: Fraction) -> None:
    up, down = ex.to_float_up(value), ex.to_float_down(value)
    assert Fraction(down) <= value <= Fraction(up)
    assert up == down or math.nextafter(down, math.inf) == up


@pytest.mark.parametrize("huge", [Fraction(10**400), Fraction(10**309)])
def test_values_beyond_the_floats_are_rounded_outward(huge: Fraction) -> None:
    largest = float(np.finfo(np.float64).max)
    assert ex.to_float_up(huge) == math.inf
    assert ex.to_float_down(huge) == largest
    assert ex.to_float_up(-huge) == -largest
    assert ex.to_float_down(-huge) == -math.inf
    assert 0 <= ex.to_float_down(1 / huge) < ex.to_float_up(1 / huge) < 1e-300


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_fork_under_the_lock_does_not_hang_the_child() -> None:
    """A program that holds the lock in a thread forks in another; the child must still compute."""
    program = """
import os, threading, warnings
from fractions import Fraction
from privet.core.exact import exp_up, precision
warnings.simplefilter("ignore")  # of the fork itself
held, done = threading.Event(), threading.Event()
def hold():
    with precision(7):
        held.set()
        done.wait()
thread = threading.Thread(target=hold)
thread.start()
held.wait()
child = os.fork()
if child == 0:
    os._exit(0 if exp_up(Fraction(1, 3)) > 1 else 1)
status = os.waitpid(child, 0)[1]
done.set()
thread.join()
raise SystemExit(status)
"""
    assert subprocess.run([sys.executable, "-c", program], timeout=60, check=False).returncode == 0


def test_the_precision_is_restored_and_threads_do_not_disturb_each_other() -> None:
    before = ctx.prec
    wrong: list[Fraction] = []
    exactly = ex.exp_up(Fraction(1, 3))

    def work(bits: int) -> None:
        for _ in range(200):
            with ex.precision(bits):
                pass
            if ex.exp_up(Fraction(1, 3)) != exactly:
                wrong.append(exactly)

    threads = [threading.Thread(target=work, args=(bits,)) for bits in (2, 53, 400, 1000)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert ctx.prec == before
    with pytest.raises(RuntimeError), ex.precision(99):
        raise RuntimeError
    assert ctx.prec == before
