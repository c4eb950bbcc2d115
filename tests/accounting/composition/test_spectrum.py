"""Products of many spectra, against one transform for each part and against direct convolution."""

import math
from typing import Any

import numpy as np
import pytest

import privet.calculus as pc
from privet.accounting.composition import spectrum
from privet.accounting.composition.spectrum import Factor, multiply, rounding_of
from privet.accounting.numerics.floats import Floats

SIZE = 3 * 2**9


@pytest.fixture(autouse=True)
def _few_parts_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the frequencies be left out from 33 parts on, so that sums stay small enough to be checked by hand."""
    monkeypatch.setattr(spectrum, "_SEVERAL", 32)


def bump(generator: np.random.Generator, length: int, width: float) -> Floats:
    """Masses around the middle."""
    places = np.arange(length)
    masses = np.exp(-((places - length / 2 - generator.uniform(-3, 3)) ** 2) / (2 * width**2))
    masses *= generator.uniform(0.5, 1.5, length)
    return np.asarray(masses / masses.sum())


def two_points(generator: np.random.Generator, length: int) -> Floats:
    masses = np.full(length, 1e-40)
    masses[generator.integers(0, length // 3)] = 0.3
    masses[generator.integers(length // 2, length)] = 0.7
    return masses


def scattered(generator: np.random.Generator, count: int, length: int) -> Factor:
    """Masses at a few places, in no order, some at one place."""
    masses = generator.uniform(0.1, 1.0, count)
    return Factor(masses / masses.sum(), 1, generator.integers(0, length, count))


def convolved(factors: list[Factor], size: int) -> Floats:
    """Convolve on the circle, one by one, without a transform."""
    total = np.zeros(size)
    total[0] = 1.0
    index = np.arange(size)
    for factor in factors:
        folded = np.zeros(size)
        places = range(len(factor.masses)) if factor.places is None else factor.places
        for place, mass in zip(places, factor.masses, strict=True):
            folded[int(place) % size] += mass
        places = np.flatnonzero(folded)
        for _ in range(factor.times):
            total = sum(folded[place] * total[(index - place) % size] for place in places)
    return np.asarray(total)


def mixtures() -> dict[str, list[Factor]]:
    generator = np.random.default_rng(11)
    return {
        "bumps": [Factor(bump(generator, 60, 6.0), 1) for _ in range(80)],
        "two points": [Factor(two_points(generator, 90), 1) for _ in range(120)],
        "both, some often": [Factor(bump(generator, 50, 5.0), 1 + k % 3) for k in range(40)]
        + [Factor(two_points(generator, 40), 2) for _ in range(40)],
        "longer than the circle": [Factor(bump(generator, 2 * SIZE, 30.0), 1) for _ in range(36)],
        "equal places": [Factor(np.array([0.5, 0.0, 0.0, 0.5]), 1) for _ in range(50)],
        "scattered": [scattered(generator, 2 + k % 5, 400) for k in range(80)],
        "scattered, many": [scattered(generator, 40, 200) for _ in range(60)],
        "scattered beyond the circle": [scattered(generator, 6, 5 * SIZE) for _ in range(60)],
        "all kinds": [scattered(generator, 3, 300) for _ in range(20)]
        + [Factor(bump(generator, 60, 6.0), 2) for _ in range(20)]
        + [scattered(generator, 50, 120) for _ in range(20)],
    }


@pytest.mark.parametrize("name", mixtures())
def test_the_error_is_within_its_bound(name: str) -> None:
    factors = mixtures()[name]
    found = multiply(factors, SIZE)
    masses = np.fft.irfft(found.spectrum, SIZE)
    exact = convolved(factors, SIZE)
    allowed = (found.error + found.smallest * rounding_of(SIZE)) * math.exp(found.excess)
    # the reference is itself a float: sums of products without cancellation
    assert float(np.linalg.norm(masses - exact)) <= allowed + 1e-13 * float(np.linalg.norm(exact))
    assert allowed < 1e-9


@pytest.mark.parametrize("name", mixtures())
def test_every_transform_gives_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    factors = mixtures()[name]
    found = multiply(factors, SIZE)
    monkeypatch.setattr(spectrum, "_SEVERAL", 10**6)
    assert np.allclose(multiply(factors, SIZE).spectrum, found.spectrum, atol=1e-11)


def test_frequencies_are_left_out_of_smooth_sums() -> None:
    found = multiply(mixtures()["bumps"], SIZE)
    assert 0 < np.count_nonzero(found.spectrum) < SIZE // 8


def test_a_wrong_bound_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out frequencies that matter without counting them: the error is then larger than stated."""
    monkeypatch.setattr(spectrum, "_NOTHING", 1e-3)
    monkeypatch.setattr(spectrum._Band, "narrow", _silently)
    factors = mixtures()["bumps"]
    found = multiply(factors, SIZE)
    exact = convolved(factors, SIZE)
    allowed = (found.error + found.smallest * rounding_of(SIZE)) * math.exp(found.excess)
    assert float(np.linalg.norm(np.fft.irfft(found.spectrum, SIZE) - exact)) > allowed


def _silently(band: Any) -> None:
    rest = band._largest > spectrum._NOTHING
    band.kept, band._values, band._largest = band.kept[rest], band._values[rest], band._largest[rest]


def test_many_different_parts_cost_what_one_transform_for_each_says(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = [pc.GaussianLoss(distance=1, scale=30 + k, step=1) for k in range(40)]
    loss = sum((part for part in parts[1:]), parts[0]) + pc.PureLoss(0.125)
    low, high = loss.interval(delta=1e-6)
    monkeypatch.setattr(spectrum, "_SEVERAL", 10**6)
    again = sum((part for part in reversed(parts[:-1])), parts[-1]) + pc.PureLoss(0.125)
    below, above = again.interval(delta=1e-6)
    assert abs(float(low / below - 1)) < 1e-7
    assert abs(float(high / above - 1)) < 1e-7


def test_sums_that_are_not_smooth_are_transformed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Short parts leave every frequency: a table of roots for all of them would fill the memory."""
    seen: list[int] = []
    sums = spectrum._Direct.sums

    def counted(direct: Any, parts: Any) -> Any:
        seen.append(len(direct.kept))
        return sums(direct, parts)

    monkeypatch.setattr(spectrum._Direct, "sums", counted)
    size = 3 * 2**12
    multiply([Factor(np.array([0.4, 0.2, 0.0, 0.4]), 1) for _ in range(3)] * 12, size)
    assert all(kept <= spectrum._SMALL for kept in seen)


def test_a_part_without_any_mass_is_nothing() -> None:
    """From below a part may have nothing that is sure; its product is nothing, and does not stop the others."""
    empty = Factor(np.zeros(3), 1, np.array([0, 200, 400]))
    found = multiply([*mixtures()["bumps"], empty], SIZE)
    assert float(np.abs(found.spectrum).max()) < 1e-9
