"""Composition by Fourier transform against exact composition of the same distributions, in whole numbers."""

import math
from fractions import Fraction

import numpy as np
import pytest
from attrs import evolve
from flint import arb, fmpz_poly
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.accounting.composition import fourier, spectrum
from privet.accounting.composition.fourier import Terms, compose
from privet.accounting.numerics.floats import UNIT
from privet.accounting.pairs.distribution import Distribution
from privet.core.exact import ball, ends, precision
from tests.accounting.exact_losses import BITS

SCALE = 2**40  # masses are whole multiples of one over this


def whole(step: float, first: int, masses: list[int], infinite: int = 0, offset: float = 0.0) -> Distribution:
    """A distribution whose masses are exact, in units of 2^-40."""
    return Distribution(step, first, np.array(masses, dtype=np.float64) / SCALE, infinite / SCALE, 0.0, offset)


class Exact:
    """The composition of such distributions, in whole numbers."""

    def __init__(self, terms: Terms) -> None:
        self.step, self.masses, self.first, self.offset = Fraction(terms[0][0].step), fmpz_poly([1]), 0, Fraction(0)
        self.count, spared = 0, Fraction(1)
        for term, times in terms:
            self.masses *= fmpz_poly([int(mass * SCALE) for mass in term.masses]) ** times
            self.first += times * term.first
            self.offset += times * Fraction(term.offset)
            self.count += times
            spared *= (1 - Fraction(term.infinite)) ** times
        self.infinite = 1 - spared

    def delta(self, epsilon: Fraction) -> tuple[Fraction, Fraction]:
        with precision(BITS):
            total = arb(0)
            for index, mass in enumerate(self.masses):
                gap = epsilon - (self.first + index) * self.step - self.offset
                if gap < 0 and mass != 0:
                    total += arb(mass) * -ball(gap).expm1()
            low, high = ends(total / arb(SCALE) ** self.count)
        return low + self.infinite, high + self.infinite


def spread(count: int, sharpness: float, seed: int) -> list[int]:
    """Give masses that fall off to both sides, a little irregular."""
    weights = [math.exp(-sharpness * (k - count / 3) ** 2) * (1 + (k * 7 + seed) % 5) for k in range(count)]
    total = sum(weights)
    return [int(weight / total * SCALE) for weight in weights]


def faults(terms: Terms, exact: Exact, tilt: float, window: tuple[float, float], epsilon: Fraction) -> list[str]:
    least, most = exact.delta(epsilon)
    above, below = compose(terms, tilt, window, None), compose(terms, tilt, window, tilt)
    found = []
    if above.delta_above(epsilon) < min(least, Fraction(1)):
        found.append("above")
    if below.delta_below(epsilon) > most:
        found.append("below")
    return found


CASES: dict[str, Terms] = {
    "one": [(whole(0.125, -3, spread(9, 0.2, 0)), 1)],
    "many times": [(whole(0.0625, -10, spread(40, 0.03, 1)), 24)],
    "several": [(whole(0.25, -5, spread(12, 0.1, 2)), 7), (whole(0.25, 0, spread(3, 0.5, 3)), 20)],
    "offset": [(whole(0.125, -5, spread(20, 0.1, 4), 0, -0.046875), 16)],
    "infinite": [(whole(0.125, -5, spread(20, 0.1, 4), SCALE // 1000), 16)],
}


@pytest.mark.parametrize("terms", CASES.values(), ids=CASES)
@pytest.mark.parametrize("digits", [2, 6, 12, 30])
def test_deltas_of_all_sizes_are_enclosed_closely(terms: Terms, digits: int) -> None:
    exact = Exact(terms)
    epsilon = Fraction(0)
    while exact.delta(epsilon)[0] > exact.infinite + Fraction(1, 10**digits):
        epsilon += Fraction(1, 4) + Fraction(1, 77)
    least, most = exact.delta(epsilon)

    def bound(log_tilt: float) -> float:
        tilt = math.exp(log_tilt)
        moment = sum(
            times * math.log(float((term.masses * np.exp(tilt * term.losses())).sum())) for term, times in terms
        )
        return moment - tilt * float(epsilon)

    tilt = math.exp(min(np.linspace(-3, 3.5, 60), key=bound))
    window = (float(epsilon) - 90 / tilt, float(epsilon) + 30 / tilt)
    above, below = compose(terms, tilt, window, None), compose(terms, tilt, window, tilt / 2)
    high, low = above.delta_above(epsilon), below.delta_below(epsilon)
    assert low <= most
    assert least <= high
    if least - exact.infinite > Fraction(1, 10 ** (digits + 3)):  # else nothing is left beyond
        assert (high - least) / least < Fraction(1, 10**6)
        assert (most - low) / least < Fraction(1, 100)


@settings(max_examples=60)
@given(
    st.sampled_from(sorted(CASES)),
    st.floats(-4, 4),
    st.floats(-20, 40),
    st.floats(0.1, 60),
    st.floats(0, 30),
)
def test_no_choice_is_wrong(name: str, log_tilt: float, low: float, length: float, epsilon: float) -> None:
    """Tilts, windows and questions that fit nothing give loose bounds, not wrong ones."""
    terms = CASES[name]
    assert faults(terms, EXACT[name], math.exp(log_tilt), (low, low + length), Fraction(epsilon)) == []


EXACT = {name: Exact(terms) for name, terms in CASES.items()}


def test_the_window_does_not_hide_what_lies_below_it() -> None:
    terms = CASES["many times"]
    assert faults(terms, EXACT["many times"], 0.2, (12.0, 40.0), Fraction(1)) == []


@pytest.mark.parametrize("times", [10**6, 10**8])
def test_many_repetitions_stay_bounds(times: int) -> None:
    """Randomised response with next to no loss: the normal law says what comes out."""
    loss = 1 / math.sqrt(times)
    high = 1 / (1 + math.exp(-loss))
    pair = Distribution(loss, -1, np.array([1 - high, 0.0, high]), 0.0, 0.0)
    above, below = (compose([(pair, times)], 3.0, (-8.0, 12.0), rate) for rate in (None, 3.0))
    # mu = 1 in the limit; the error of the limit is of the order of the step
    near = 0.5 * math.erfc((1 - 0.5) / math.sqrt(2)) - math.e * 0.5 * math.erfc(1.5 / math.sqrt(2))
    slack = 10 * loss + 1e-9
    assert float(above.delta_above(Fraction(1))) >= near - slack
    assert float(below.delta_below(Fraction(1))) <= near + slack
    if times == 10**6:
        assert float(above.delta_above(Fraction(1))) <= near + slack
        assert float(below.delta_below(Fraction(1))) >= near - slack


def test_a_dropped_alias_is_caught() -> None:
    """From below, a window too short wraps mass around; without its terms the bound would be wrong."""
    terms, exact = CASES["many times"], EXACT["many times"]
    window, wrong, right = (3.0, 8.0), 0, 0
    for epsilon in (Fraction(3), Fraction(4), Fraction(5), Fraction(6)):
        composed = compose(terms, 1.0, window, 1.0)
        blind = evolve(composed, moment=-math.inf)
        right += composed.delta_below(epsilon) > exact.delta(epsilon)[1]
        wrong += blind.delta_below(epsilon) > exact.delta(epsilon)[1]
    assert right == 0
    assert wrong > 0


@pytest.mark.parametrize("change", [{"growth": -1e-3}, {"infinite": Fraction(0)}, {"slip": -0.01}])
def test_what_is_not_counted_is_caught(change: dict[str, Fraction]) -> None:
    terms, exact = CASES["infinite"], EXACT["infinite"]
    epsilon = Fraction(3)
    composed = compose(terms, 2.0, (-20.0, 40.0), None)
    assert composed.delta_above(epsilon) >= exact.delta(epsilon)[0]
    assert evolve(composed, **change).delta_above(epsilon) < exact.delta(epsilon)[0]  # type: ignore[arg-type]


def test_swapped_roundings_are_caught() -> None:
    terms, exact = CASES["several"], EXACT["several"]
    epsilon = Fraction(2)
    composed = compose(terms, 2.0, (-20.0, 40.0), None)
    assert composed.delta_below(epsilon) < exact.delta(epsilon)[0] <= composed.delta_above(epsilon)


def test_an_error_that_is_forgotten_is_caught() -> None:
    """With a tilt too small a tiny delta is all rounding error; only the bound of that error keeps the answer."""
    terms, exact = CASES["many times"], EXACT["many times"]
    composed, epsilon = compose(terms, 0.5, (-300.0, 100.0), 0.5), Fraction(35)
    assert composed.delta_below(epsilon) <= exact.delta(epsilon)[1]
    assert evolve(composed, error=0.0).delta_below(epsilon) > exact.delta(epsilon)[1]


SIZES = [48, 64, 96, 128, 768, 1024, 3 * 2**10, 2**13, 3 * 2**13, 2**15, 3 * 2**15, 2**17]


@pytest.mark.skipif(bool(np.finfo(np.longdouble).eps > 1e-18), reason="needs longer floats to compare with")
@pytest.mark.parametrize("size", SIZES)
def test_transforms_are_within_the_assumed_error(size: int) -> None:
    """A few masses at odd places have a transform that longer floats give almost exactly."""
    places = [(k * k * 7919 + 13 * k + size // 3) % size for k in range(6)]
    heights = [1.0, 0.7, 0.31, 1e-3, 0.9, 0.013]
    values = np.zeros(size)
    exact = np.zeros(size // 2 + 1, dtype=np.clongdouble)
    turn = 8 * np.arctan(np.longdouble(1)) / size
    index = np.arange(size // 2 + 1)
    for place, height in zip(places, heights, strict=True):
        values[place] += height
    for place in set(places):
        angle = ((index * place) % size).astype(np.longdouble) * turn
        exact += np.longdouble(values[place]) * (np.cos(angle) - 1j * np.sin(angle))
    allowed = spectrum._TRANSFORM * UNIT * math.log2(size)
    weights = np.full(len(index), 2.0)  # each number but the first and the last stands for two
    weights[[0, -1]] = 1.0

    def norm(numbers: "np.ndarray[tuple[int], np.dtype[np.clongdouble]]") -> float:
        return math.sqrt(float((np.abs(numbers) ** 2 * weights).sum()))

    assert norm(np.fft.rfft(values) - exact) < allowed * norm(exact)
    back = np.fft.irfft(exact.astype(np.complex128), size)
    assert np.linalg.norm(back - values) < (allowed + 2 * UNIT) * np.linalg.norm(values)


@pytest.mark.skipif(bool(np.finfo(np.longdouble).eps > 1e-18), reason="needs longer floats to compare with")
@pytest.mark.parametrize("size", [48, 96, 128, 384])
def test_transforms_of_whole_laws_are_within_the_assumed_error(size: int) -> None:
    values = np.exp(-(np.linspace(-5, 6, size) ** 2))
    index = np.arange(size)
    angle = (np.outer(index, index) % size).astype(np.longdouble) * (8 * np.arctan(np.longdouble(1)) / size)
    exact = (np.cos(angle) - 1j * np.sin(angle)) @ values.astype(np.longdouble)
    error = np.abs(np.fft.fft(values) - exact).astype(np.float64)
    size_of = np.abs(exact).astype(np.float64)
    assert np.linalg.norm(error) < spectrum._TRANSFORM * UNIT * math.log2(size) * np.linalg.norm(size_of)


def test_powers_are_those_of_repeated_multiplication() -> None:
    values = np.exp(1j * np.linspace(0, 3, 17)) * 0.999
    for times in (1, 2, 3, 5, 8, 100):
        assert np.allclose(spectrum.power(values, times), values**times, rtol=1e-12)


def test_folding_keeps_totals() -> None:
    assert list(spectrum.fold(np.arange(10.0), 4)) == [0 + 4 + 8, 1 + 5 + 9, 2 + 6, 3 + 7]
    assert list(spectrum.fold(np.ones(2), 4)) == [1, 1, 0, 0]


@pytest.mark.parametrize("count", [1, 48, 49, 64, 65, 96, 97, 10**9])
def test_sizes_are_enough_and_bounded(count: int) -> None:
    size = fourier._size(count)
    assert size == 2**23 or count <= size < 2 * max(count, 64)


def test_nothing_at_all_is_nothing_from_below() -> None:
    nothing = Distribution(0.1, -1, np.zeros(3), 0.5, 0.0)
    assert compose([(nothing, 2)], 1.0, (-1.0, 1.0), 1.0).delta_below(Fraction(0)) == pytest.approx(0.75)


def test_what_may_be_missing_is_taken_off_from_below() -> None:
    less = Distribution(0.1, 0, np.array([0.0, 1.0]), -1e-3, 0.0)
    bound = compose([(less, 3)], 1.0, (-1.0, 1.0), 1.0).delta_below(Fraction(0))
    assert 0 < bound < 1 - math.exp(-0.3) - 2.9e-3
    assert compose([(less, 3)], 1.0, (-1.0, 1.0), 1.0).delta_below(Fraction(5)) == 0
