"""How far one row moves a total, and the smoothness of its bound."""

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from privet.core.exact import exp_down, exp_up
from privet.errors import InvalidError, NotExactError
from privet.imputation.changes import most_changes
from privet.imputation.feature_grid import FeatureGrid
from privet.imputation.influence import Influence
from tests.imputation.naive import Row
from tests.imputation.test_changes import cells, found, problems

BETAS = (0.001, 0.01, 0.1, 0.3, 0.5, 0.69, 0.6932, 1, 2, 10, 100)
INFLUENCES = (Influence(own=1, donee=1), Influence(own=0, donee=1), Influence(own=50, donee=Fraction(100, 3)))
LAW = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))


@LAW
@given(problems(), st.data())
def test_bounds_of_neighbours_are_within_a_factor(
    problem: tuple[FeatureGrid, list[Row], int, int], data: st.DataObject
) -> None:
    """The law of smoothness, in both directions, on real donors."""
    grid, rows, circle, k = problem
    place = (data.draw(st.integers(0, circle - 1)), Fraction(99))
    more = [*rows, (data.draw(st.sampled_from(cells(grid))), place, data.draw(st.booleans()))]
    facts = [(most_changes(found(grid, each, k)), sum(not row[2] for row in each)) for each in (rows, more)]
    beta = data.draw(st.sampled_from(BETAS))
    for influence in INFLUENCES:
        one, other = (influence.smooth(changes=c, incomplete=n, beta=beta) for c, n in facts)
        factor = exp_down(min(Fraction(str(beta)), Fraction(64)))
        assert one <= factor * other
        assert other <= factor * one


@settings(max_examples=300, deadline=None)
@given(st.integers(1, 1000), st.integers(0, 1000), st.integers(1, 400), st.integers(0, 3))
def test_the_bound_is_the_largest_of_all_distances(changes: int, incomplete: int, percent: int, own: int) -> None:
    changes = min(changes, max(incomplete, 1))
    influence, beta = Influence(own=own, donee=2), percent / 100
    exactly = max(
        math.exp(-beta * k) * float(influence.at(k, changes, incomplete)) for k in range(math.ceil(60 / beta))
    )
    assert math.isclose(
        float(influence.smooth(changes=changes, incomplete=incomplete, beta=beta)), exactly, rel_tol=1e-6
    )


def smooth_of_powers(influence: Influence, changes: int, incomplete: int, beta: Fraction) -> Fraction:
    """The source's bound, 2^k L1 alone, cut off where it stops to be reasonable: not smooth below ln 2."""
    return influence.own + influence.donee * changes


def smooth_of_donees(influence: Influence, changes: int, incomplete: int, beta: Fraction) -> Fraction:
    """With L1 = 0 where no row lacks a value."""
    if not incomplete:
        return influence.own
    return influence.smooth(changes=changes, incomplete=incomplete, beta=beta)


@pytest.mark.parametrize(
    ("wrong", "first", "second", "beta"),
    [(smooth_of_powers, (20, 40), (40, 40), "0.3"), (smooth_of_donees, (1, 0), (1, 1), "0.3")],
)
def test_wrong_bounds_are_not_smooth(wrong: Any, first: Any, second: Any, beta: str) -> None:
    influence, rate = Influence(own=1, donee=1), Fraction(beta)
    one, other = wrong(influence, *first, rate), wrong(influence, *second, rate)
    assert other > exp_up(rate) * one
    right, left = (influence.smooth(changes=c, incomplete=n, beta=rate) for c, n in (first, second))
    assert left <= exp_down(rate) * right


def test_from_ln_2_on_the_bound_is_the_influence_itself() -> None:
    for changes in (1, 7, 1000):
        found_bound = Influence(own=3, donee=2).smooth(changes=changes, incomplete=10**6, beta=0.6932)
        assert found_bound == 3 + 2 * changes


@pytest.mark.parametrize("beta", [Fraction(1, 10**9), Fraction(1, 10**3), 64, 10**400])
@pytest.mark.parametrize("own", [0, 1, 10**400, Fraction(1, 10**400)])
def test_extreme_numbers_are_ordinary(beta: Any, own: Any) -> None:
    influence = Influence(own=own, donee=1)
    for changes, incomplete in ((1, 0), (1, 10**12), (10**12, 10**12)):
        bound = influence.smooth(changes=changes, incomplete=incomplete, beta=beta)
        assert influence.at(0, changes, incomplete) <= bound


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: Influence(own=0, donee=0), InvalidError, "Influence must be above zero"),
        (lambda: Influence(own=-1, donee=1), InvalidError, "Influence.own must be zero or more"),
        (lambda: Influence(own=1, donee="x"), NotExactError, "Influence.donee"),
        (
            lambda: Influence(own=1, donee=1).smooth(changes=1, incomplete=1, beta=0),
            InvalidError,
            "beta must be above zero",
        ),
    ],
)
def test_wrong_parameters_are_refused(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()
