"""The algebra of influence against brute force: all small ranges, all reaches, all steps of the grid."""

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from privet.errors import InvalidError
from privet.imputation.influence import ROW, Addend, steps_moved

Function = Callable[[int], int]
Square = Callable[[Addend], Addend]
Times = Callable[[Addend, Addend], Addend]
Steps = Callable[[Fraction, Fraction, Fraction | None], int]


def addends(largest: int = 4, reaches: tuple[Fraction, ...] = ()) -> list[Addend]:
    """All ranges with ends up to a size, and all reaches up to more than the width."""
    ranges = [(low, high) for low in range(-largest, largest + 1) for high in range(low, largest + 1)]
    return [
        Addend(low=low, high=high, reach=reach) for low, high in ranges for reach in (*range(high - low + 2), *reaches)
    ]


def values(addend: Addend) -> range:
    return range(addend.low, addend.high + 1)


def moves(addend: Addend) -> Iterator[tuple[int, int]]:
    """All pairs of values between which one donor may move a row."""
    return ((a, b) for a in values(addend) for b in values(addend) if abs(a - b) <= addend.reach)


def moved(addend: Addend, function: Function) -> int:
    return max(abs(function(a) - function(b)) for a, b in moves(addend))


def check_square(square: Square) -> None:
    """The ends and the reach of a square are those of brute force, and no larger."""
    for each in addends(5, reaches=(Fraction(1, 2), Fraction(7, 3))):
        found, squares = square(each), [value**2 for value in values(each)]
        assert (found.low, found.high) == (min(squares), max(squares)), each
        whole = Addend(low=each.low, high=each.high, reach=math.floor(each.reach))
        assert square(whole).swing == moved(each, lambda value: value**2), each
        assert found.swing >= square(whole).swing, each


def check_times(times: Times) -> None:
    """The ends of a product are those of brute force, and no pair of moves goes further than its reach."""
    for one, two in product(addends(2), addends(2)):
        found = times(one, two)
        corners = [a * b for a in values(one) for b in values(two)]
        assert (found.low, found.high) == (min(corners), max(corners)), (one, two)
        apart = max(abs(a * c - b * d) for a, b in moves(one) for c, d in moves(two))
        assert apart <= found.swing, (one, two)
        observed = one.reach == 0 or two.reach == 0
        around_zero = all(each.low == -each.high for each in (one, two))
        assert apart == found.swing or not (observed or around_zero), (one, two)


ROUNDINGS: list[Callable[[Fraction], int]] = [
    round,  # half to even
    lambda value: math.floor(value + Fraction(1, 2)),
    lambda value: int(math.copysign(math.floor(abs(value) + Fraction(1, 2)), value)),  # half away from zero
]


def check_steps(steps: Steps) -> None:
    """Whatever way ties go, two rounded values are no more steps apart; some way they are just as many."""
    for values_grid, grid, quarters in product((1, 2, 4), (1, 2, 4, 8), range(13)):
        finer, step, reach = Fraction(values_grid, 4), Fraction(grid, 4), Fraction(quarters, 4)
        points = [at * finer for at in range(-40, 41)]
        far = math.floor(reach / finer)
        apart = max(
            abs(rounding(points[at] / step) - rounding(points[at + far] / step))
            for rounding in ROUNDINGS
            for at in range(len(points) - far)
        )
        assert apart <= steps(reach, step, finer), (values_grid, grid, quarters)
        assert apart <= steps(reach, step, None)
        if (finer / step).denominator == 1 and (reach / finer).denominator == 1:
            assert apart == steps(reach, step, finer)
        elif grid == 4 and values_grid == 1:  # values fine enough to show every tie
            assert apart == steps(reach, step, finer) or quarters == 0


def test_squares() -> None:
    check_square(Addend.square)


def test_products() -> None:
    check_times(Addend.times)


def test_products_of_three() -> None:
    for three in product(addends(1), repeat=3):
        one, two, other = three
        apart = max(abs(a * c * e - b * d * f) for (a, b), (c, d), (e, f) in product(*map(moves, three)))
        assert apart <= one.times(two).times(other).swing


def test_steps() -> None:
    check_steps(steps_moved)


def half(addend: Addend) -> Addend:
    found = addend.square()
    return Addend(low=found.low, high=found.high, reach=Fraction(found.reach) / 2)


def still(addend: Addend) -> Addend:
    return Addend(low=addend.square().low, high=addend.square().high)


def linear(addend: Addend) -> Addend:
    """As if the square moved as fast as it does around zero."""
    found = addend.square()
    return Addend(low=found.low, high=found.high, reach=addend.swing**2)


def independent(addend: Addend) -> Addend:
    """A square as a product of two columns that move by themselves."""
    return addend.times(addend)


@pytest.mark.parametrize("wrong", [half, still, linear, independent])
def test_wrong_squares_are_caught(wrong: Square) -> None:
    with pytest.raises(AssertionError):
        check_square(wrong)


def with_reach(one: Addend, two: Addend, reach: Any) -> Addend:
    found = one.times(two)
    return Addend(low=found.low, high=found.high, reach=reach)


WRONG_PRODUCTS: dict[str, Times] = {
    "a square": lambda one, two: one.square(),
    "half": lambda one, two: with_reach(one, two, Fraction(one.times(two).reach) / 2),
    "the second stands still": lambda one, two: with_reach(one, two, one.swing * two.size),
    "one after the other": lambda one, two: with_reach(one, two, one.swing * two.size + two.swing * one.size),
    "both inward only": lambda one, two: with_reach(
        one, two, max(one.swing * two.size + two.swing * one.size - one.swing * two.swing, 0)
    ),
    "unsigned": lambda one, two: Addend(low=0, high=one.size * two.size, reach=one.times(two).reach),
}


@pytest.mark.parametrize("wrong", WRONG_PRODUCTS.values(), ids=WRONG_PRODUCTS)
def test_wrong_products_are_caught(wrong: Times) -> None:
    with pytest.raises(AssertionError):
        check_times(wrong)


WRONG_STEPS: dict[str, Steps] = {
    "rounding forgotten": lambda reach, grid, values: math.floor(reach / grid),
    "rounded up": lambda reach, grid, values: math.ceil(reach / grid),
    "reach ignored": lambda reach, grid, values: 1,
    "always one more": lambda reach, grid, values: math.floor(reach / grid) + 1,
}


@pytest.mark.parametrize("wrong", WRONG_STEPS.values(), ids=WRONG_STEPS)
def test_wrong_steps_are_caught(wrong: Steps) -> None:
    with pytest.raises(AssertionError):
        check_steps(wrong)


# Two statements about squares: a plain square adds up to far^2, a square less half of the largest up to far^2 / 2.
# Both are true of what they add up, and neither can be smaller.
@pytest.mark.parametrize("entering", [False, True])
def test_both_statements_about_squares_are_attained(entering: bool) -> None:
    for each in addends(5):
        for origin in {0, each.middle, each.low}:
            deviation = each.minus(origin)
            plain = deviation.square()
            for addend, shift in ((plain, 0), (plain.centred(), plain.middle)):
                influence = addend.influence("imputed" if entering else "fixed") if addend.size else None
                terms = {value: (value - origin) ** 2 - shift for value in values(each)}
                own = max(map(abs, terms.values()))
                far = max(abs(terms[a] - terms[b]) for a, b in moves(each))
                if influence is not None:
                    assert influence.own == own
                    assert influence.donee == (max(own, far) if entering else far)


def test_half_of_the_largest_square_bounds_no_plain_square() -> None:
    plain = Addend(low=-5, high=5, reach=10).square()
    assert plain.centred().size == 13 < max(value**2 for value in range(-5, 6))
    assert plain.centred().swing == plain.swing == 25


def test_a_row_enters_an_imputed_group_with_all_that_it_adds() -> None:
    for each in addends(3):
        if not each.size:
            continue
        groups = [{value for value in values(each) if threshold <= value} for threshold in range(-4, 5)]
        apart = max(abs(a * (a in group) - b * (b in group)) for group in groups for a, b in moves(each))
        assert apart <= each.influence("imputed").donee
    assert ROW.influence("imputed").donee == 1
    assert ROW.influence("fixed").donee == 0


def test_a_donee_of_an_imputed_group_is_needed() -> None:
    """The twin that forgets who enters: a value above zero leaves a group of values above zero."""
    each = Addend(low=-5, high=5, reach=1)
    assert each.influence("fixed").donee == 1 < each.influence("imputed").donee == 5


def test_the_centre_is_public_and_moves_nothing() -> None:
    for each in addends(4):
        assert each.centred().swing == each.swing
        assert each.centred().size == -(-each.width // 2)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Addend(low=2, high=1), "Addend.low must not exceed Addend.high"),
        (lambda: Addend(low=0, high=1, reach=-1), "Addend.reach must be zero or more"),
    ],
)
def test_impossible_addends_are_refused(call: Any, message: str) -> None:
    with pytest.raises(InvalidError, match=message):
        call()
