"""Gaussian draws in place of nulls: the stated law, within bounds, a function of the row alone."""

import math
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest

import privet as pv
from privet.tables.codebook.column import column
from privet.tables.codebook.nulls import NullsDrawnFromGaussian
from privet.tables.columns.column import Column
from privet.tables.relations.gaussian_nulls import GaussianDraw
from tests.noise.chi_square import chi_square_upper
from tests.tables.relations.test_filling import fill

LEVEL = 1e-9
WIDE = (-(10**6), 10**6)


def law(draw: GaussianDraw) -> dict[int, float]:
    """The probability of each step: points of the lattice, and two uniform numbers within its spacing."""
    masses: dict[int, float] = {}
    spacing, before = draw.spacing, 0
    for place, end in draw.points():
        for jitter in range(1 - spacing, spacing):
            share = (end - before) / 2**32 * (spacing - abs(jitter)) / spacing**2
            masses[place + jitter] = masses.get(place + jitter, 0.0) + share
        before = end
    return masses


def of(shift: Any, scale: Any, bounds: tuple[int, int] = WIDE) -> GaussianDraw:
    policy = NullsDrawnFromGaussian(shift, scale).fit("x", Column(kind="integer", bounds=bounds))
    assert isinstance(policy, NullsDrawnFromGaussian)
    return GaussianDraw.of("x", Column(kind="integer", bounds=bounds), policy)


def normal(step: int, middle: float, deviation: float) -> float:
    """The probability that a normal number is rounded to this step."""
    low, high = ((step + end - middle) / (deviation * math.sqrt(2)) for end in (-0.5, 0.5))
    return (math.erf(high) - math.erf(low)) / 2


@pytest.mark.parametrize("scale", [0.3, 1, 2.5, 5.3, 5.4, 10.6, 10.7, 21, 100, 1234])
def test_the_law_is_nearly_normal(scale: float) -> None:
    draw = of(40, scale)
    masses = law(draw)
    assert sum(masses.values()) == pytest.approx(1, abs=1e-12)
    assert len(draw.points()) <= 130
    mean = sum(step * mass for step, mass in masses.items())
    assert mean == pytest.approx(40, abs=1e-6 * scale)
    variance = sum((step - 40) ** 2 * mass for step, mass in masses.items())
    assert variance <= scale**2 * 1.006
    if scale < 1:
        return  # a coarse grid: the discrete normal law, which is narrower
    assert variance >= scale**2 * 0.999
    apart = sum(abs(mass - normal(step, 40, scale)) for step, mass in masses.items()) / 2
    assert apart <= 0.0015 or scale < 5, "on a coarse grid, rounding a normal number is not the discrete normal law"
    for step, mass in masses.items():
        exact = math.exp(-((step - 40) ** 2) / (2 * scale**2))
        if draw.spacing == 1:
            assert mass == pytest.approx(masses[40] * exact, abs=1e-9), "on the grid it is the discrete normal law"


def draws(policy: NullsDrawnFromGaussian, rows: int = 20_000, **known: Any) -> list[Any]:
    columns = {"row": column("integer"), "x": column(**{"kind": "integer", "bounds": WIDE, **known}, nulls=policy)}
    return fill([{"row": at} for at in range(rows)], columns)["x"]


def p_value(found: list[int], masses: dict[int, float], rows: int) -> float:
    expected = {step: mass * rows for step, mass in masses.items() if mass * rows >= 20}
    counts = Counter(found)
    statistic = sum((counts[step] - often) ** 2 / often for step, often in expected.items())
    return chi_square_upper(statistic, len(expected) - 1)


@pytest.mark.parametrize(("shift", "scale"), [(3, 2), (-7, 4), (0, 12)])
def test_draws_follow_the_law(shift: int, scale: int) -> None:
    found = draws(NullsDrawnFromGaussian(shift, scale))
    assert p_value(found, law(of(shift, scale)), len(found)) > LEVEL
    wrong = law(of(shift, Fraction(scale) * Fraction(6, 5)))
    assert p_value(found, wrong, len(found)) < LEVEL, "a scale that is off by a fifth is caught"
    assert p_value(found, law(of(shift + 1, scale)), len(found)) < LEVEL, "and so is a shift that is off by one"


def test_draws_beyond_a_bound_are_the_bound() -> None:
    found = draws(NullsDrawnFromGaussian(0, 6), bounds=(0, 6))
    assert set(found) <= set(range(7))
    half = sum(step == 0 for step in found) / len(found)
    expected = sum(mass for step, mass in law(of(0, 6)).items() if step <= 0)
    assert abs(half - expected) < 6 * math.sqrt(0.25 / len(found))


@pytest.mark.parametrize("bounds", [(-(2**63) + 1, 2**63 - 2), (2**63 - 1000, 2**63 - 2), (-(2**63) + 1, -(2**63) + 9)])
def test_bounds_at_the_ends_of_64_bits_hold_every_draw(bounds: tuple[int, int]) -> None:
    middle, width = sum(bounds) // 2, bounds[1] - bounds[0]
    found = draws(NullsDrawnFromGaussian(middle, width), rows=500, bounds=bounds)
    assert all(bounds[0] <= step <= bounds[1] for step in found)
    assert {bounds[0], bounds[1]} <= set(found), "a wide law is censored at both ends"


def test_reals_are_drawn_on_their_grid() -> None:
    book = pv.Codebook(
        columns={"id": pv.column("integer"), "x": pv.column("real", bounds=(0, 2), grid=0.25, nulls=LAW)},
        unit=pv.Rows(),
    )
    session = pv.Session([{"id": n} for n in range(4_000)], book, pv.budget(epsilon=10**6))
    release = session.query().agg(m=pv.mean("x"), s=pv.std("x"), n=pv.count("x")).release(epsilon=10**6)
    assert release.values("n")[0] == pytest.approx(4_000, abs=1)
    assert release.values("m")[0] == pytest.approx(1, abs=0.04)
    assert release.values("s")[0] == pytest.approx(0.41, abs=0.05)


LAW = {"impute": {"gaussian": {"shift": 1, "scale": 0.4}}}


def test_a_draw_depends_on_its_row_alone() -> None:
    few, many = draws(NullsDrawnFromGaussian(0, 10**4), rows=50), draws(NullsDrawnFromGaussian(0, 10**4), rows=200)
    assert few == many[:50]
    assert len(set(few)) > 40


def test_values_that_are_there_stay() -> None:
    columns = {"x": column("integer", bounds=(0, 9), nulls=NullsDrawnFromGaussian(5, 1))}
    assert fill([{"x": 7}, {"x": 99}, {"x": -1}], columns) == {"x": [7, 9, 0]}


def test_two_columns_have_draws_of_their_own() -> None:
    policy = NullsDrawnFromGaussian(0, 1000)
    columns = {"row": column("integer"), **{name: column("integer", bounds=WIDE, nulls=policy) for name in "xy"}}
    found = fill([{"row": at} for at in range(4_000)], columns)
    both = sum(a * b for a, b in zip(found["x"], found["y"], strict=True)) / 4_000 / 10**6
    assert abs(both) < 6.1 / math.sqrt(4_000), "a correlation of six deviations"


def test_columns_may_be_called_anything() -> None:
    policy = NullsDrawnFromGaussian(0, 100)
    names = ["x", "privet draw point x", "PRIVET DRAW first x", 'privet draw second x"', "x "]
    columns = {name: column("integer", bounds=WIDE, nulls=policy) for name in names}
    found = fill([dict.fromkeys(names, 3), {}], columns)
    assert list(found) == names
    assert all(3 in cells and None not in cells for cells in found.values())
