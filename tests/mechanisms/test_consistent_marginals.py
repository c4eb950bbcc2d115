"""Noisy marginals that agree."""

import random
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

import privet.calculus as pc
from privet.errors import InvalidError, MismatchError, PrivetError, WrongTypeError
from privet.mechanisms.consistent_tree import ConsistentTree

SIZES = {"a": 2, "b": 3, "c": 2}
SETS: list[list[tuple[str, ...]]] = [
    [("a", "b"), ("b", "c"), ("a",), ()],
    [("b", "a"), ("c", "a"), ("c", "b")],
    [("a", "b", "c"), ("c",), ("b", "a")],
    [("a",), ("b",), ("c",)],
    [()],
]


def drawn(names: list[tuple[str, ...]], seed: int) -> tuple[dict[Any, Any], dict[Any, Any]]:
    dice = random.Random(seed)
    tables = {
        each: np.array([dice.randint(-5, 30) for _ in range(int(np.prod([SIZES[name] for name in each], dtype=int)))])
        .reshape([SIZES[name] for name in each])
        for each in names
    }  # fmt: skip
    return tables, {each: Fraction(dice.randint(1, 9), dice.randint(1, 4)) for each in names}


def as_array(values: Any) -> Any:
    """Numpy turns arrays without axes into plain numbers."""
    return np.array(values, dtype=object)


def margin(table: Any, names: tuple[str, ...], kept: tuple[str, ...]) -> Any:
    summed = table.sum(axis=tuple(at for at, name in enumerate(names) if name not in kept))
    left = [name for name in names if name in kept]
    return np.transpose(np.asarray(summed), [left.index(name) for name in kept]).tolist()


@pytest.mark.parametrize("names", SETS)
@pytest.mark.parametrize("seed", [1, 2])
def test_tables_agree_exactly(names: list[tuple[str, ...]], seed: int) -> None:
    fit = pc.consistent_marginals(*drawn(names, seed))
    for one, other in product(fit.tables, repeat=2):
        shared = tuple(name for name in one if name in other)
        assert margin(fit.table(one), one, shared) == margin(fit.table(other), other, shared)


@pytest.mark.parametrize("names", SETS)
@pytest.mark.parametrize("seed", [3, 4])
def test_no_consistent_tables_are_closer(names: list[tuple[str, ...]], seed: int) -> None:
    """The normal equations: what is left is orthogonal to the marginals of every single cell of a common table."""
    tables, variances = drawn(names, seed)
    assert is_closest(pc.consistent_marginals(tables, variances), tables, variances)


def is_closest(fit: Any, tables: dict[Any, Any], variances: dict[Any, Any]) -> bool:
    left = {each: as_array((tables[each] - fit.table(each)) / variances[each]) for each in tables}
    places = (dict(zip(SIZES, cell, strict=True)) for cell in product(*(range(size) for size in SIZES.values())))
    return all(
        sum(Fraction(left[each][tuple(place[name] for name in each)]) for each in tables) == 0 for place in places
    )


def test_other_weights_are_caught() -> None:
    """Twins: all tables alike, precisions for variances, and standard deviations for variances."""
    tables, variances = drawn(SETS[0], 3)
    for twin in (
        dict.fromkeys(variances, Fraction(1)),
        {each: 1 / variance for each, variance in variances.items()},
        {each: Fraction(float(variance) ** 0.5) for each, variance in variances.items()},
    ):
        assert not is_closest(pc.consistent_marginals(tables, twin), tables, variances)


@pytest.mark.parametrize("names", SETS)
def test_variances_are_those_of_a_linear_function(names: list[tuple[str, ...]]) -> None:
    """Feed every unit vector through the fit: squares of its coefficients, weighted by variances, add up exactly."""
    tables, variances = drawn(names, 5)
    zero = {each: np.zeros_like(values) for each, values in tables.items()}
    totals = {each: np.zeros(values.shape, dtype=object) for each, values in tables.items()}
    for each, values in tables.items():
        for cell in np.ndindex(values.shape):
            unit = {**zero, each: np.zeros_like(values)}
            unit[each][cell] = 1
            fit = pc.consistent_marginals(unit, variances)
            for other in tables:
                totals[other] = as_array(totals[other] + fit.table(other) ** 2 * variances[each])
    fit = pc.consistent_marginals(tables, variances)
    for each in tables:
        assert set(np.ravel(totals[each]).tolist()) == {fit.variance(each)}
        assert fit.variance(each) <= variances[each]


def test_consistent_tables_stay() -> None:
    joint = np.arange(12).reshape(2, 3, 2)
    tables = {("a", "b"): joint.sum(axis=2), ("c",): joint.sum(axis=(0, 1)), (): joint.sum()}
    fit = pc.consistent_marginals(tables, {("a", "b"): 1, ("c",): 5, (): 2})
    assert all((fit.table(each) == tables[each]).all() for each in tables)
    assert fit.table(("b",)).tolist() == joint.sum(axis=(0, 2)).tolist()
    assert fit.table(("b", "a")).tolist() == joint.sum(axis=2).T.tolist()


def test_nested_tables_are_those_of_a_tree() -> None:
    tables, variances = drawn([(), ("a",), ("a", "b")], 6)
    fit = pc.consistent_marginals(tables, variances)
    tree = ConsistentTree(parents=([0, 0], [0, 0, 0, 1, 1, 1]), variances=tuple(variances.values()))
    levels = tree.fit([[Fraction(int(item)) for item in np.ravel(table)] for table in tables.values()])
    for each, level in zip(tables, levels, strict=True):
        assert np.ravel(fit.table(each)).tolist() == level.tolist()


def test_floats_give_nearly_the_same() -> None:
    tables, variances = drawn(SETS[0], 7)
    exact = pc.consistent_marginals(tables, variances)
    floats = pc.consistent_marginals({each: values * 1.0 for each, values in tables.items()}, variances)
    for each in tables:
        assert floats.table(each).dtype == np.float64
        assert floats.table(each) == pytest.approx(exact.table(each).astype(float), abs=1e-9)
        assert floats.variance(each) == pytest.approx(float(exact.variance(each)))


@pytest.mark.parametrize("names", SETS[:4])
@pytest.mark.parametrize("seed", [8, 9])
def test_nonnegative_tables_agree_and_are_the_closest(names: list[tuple[str, ...]], seed: int) -> None:
    tables, variances = drawn(names, seed)
    fit = pc.consistent_marginals(tables, variances)
    close = fit.nonnegative(5000)
    assert all(float(table.min()) >= 0 for table in close.values())
    for one, other in product(close, repeat=2):
        shared = tuple(name for name in one if name in other)
        assert margin(close[one], one, shared) == pytest.approx(np.array(margin(close[other], other, shared)), abs=1e-7)
    # at the smallest distance no cell of the common table can grow with a gain: the slope of each is zero or more
    slopes = [
        sum(
            float(close[each][tuple(place[name] for name in each)] - tables[each][tuple(place[name] for name in each)])
            / float(variances[each])
            for each in names
        )
        for place in (dict(zip(SIZES, cell, strict=True)) for cell in product(*(range(n) for n in SIZES.values())))
    ]
    assert min(slopes) > -1e-3
    best = sum(float(as_array((fit.table(e) - tables[e]) ** 2).sum() / variances[e]) for e in names)
    mine = sum(float(np.sum((close[e] - tables[e].astype(float)) ** 2) / float(variances[e])) for e in names)
    assert mine >= best - 1e-6, "no consistent tables are closer than the least squares"


def test_nonnegative_tables_that_need_no_change() -> None:
    joint = np.arange(1, 13).reshape(2, 3, 2)
    tables = {("a", "b"): joint.sum(axis=2), ("b", "c"): joint.sum(axis=0)}
    close = pc.consistent_marginals(tables, 1).nonnegative()
    for each in tables:
        assert close[each] == pytest.approx(tables[each].astype(float), abs=1e-4)
    assert pc.consistent_marginals(tables, 1).nonnegative(1)[("a", "b")].min() >= 0


def test_a_release_becomes_more_accurate() -> None:
    """Power: 400 surveys; the mean squared error has a standard error of about 4 %, and the gain is 36 %."""
    people = pc.records(a=pc.vector(int, categories=[0, 1]), b=pc.vector(int, categories=[0, 1, 2]))
    unit = pc.Marginals(columns=["a", "b"], ways=(0, 1, 2))
    rows = [(n % 2, n % 3) for n in range(60)]
    chain = people >> unit >> pc.Gaussian(scale=4)
    truth = unit.split((people >> unit)(rows), people)
    squares, fitted = 0.0, 0.0
    for _ in range(400):
        noisy = unit.split(chain(rows), people)
        fit = pc.consistent_marginals(noisy, 16)
        squares += float(((noisy["a", "b"] - truth["a", "b"]) ** 2).mean())
        fitted += float(((fit.table(("a", "b")) - truth["a", "b"]) ** 2).mean())
    assert fitted / 400 == pytest.approx(float(fit.variance(("a", "b"))), rel=0.2)
    assert fitted < squares * 0.8


@pytest.mark.parametrize(
    ("tables", "variances", "error", "message"),
    [
        ({}, 1, WrongTypeError, "must be a dictionary of noisy tables"),
        ([1], 1, WrongTypeError, "must be a dictionary of noisy tables"),
        ({("a",): [1, 2], "a": [1, 2]}, 1, InvalidError, "two tables have the same columns"),
        ({("a", "b"): [[1]], ("b", "a"): [[1]]}, 1, InvalidError, "two tables have the same columns"),
        ({("a", "a"): [[1]]}, 1, InvalidError, "columns must be different, got a, a"),
        ({(1,): [1]}, 1, WrongTypeError, "columns must be names"),
        ({3: [1]}, 1, WrongTypeError, "columns must be names, got int"),
        ({("a",): [[1]]}, 1, MismatchError, "one axis for each of its columns, got 2"),
        ({("a",): []}, 1, MismatchError, "one axis for each of its columns"),
        ({("a",): ["x"]}, 1, WrongTypeError, "must hold finite numbers"),
        ({("a",): [True, False]}, 1, WrongTypeError, "must hold finite numbers"),
        ({("a",): [1.0, float("nan")]}, 1, WrongTypeError, "must hold finite numbers"),
        ({("a",): [1, 2], ("a", "b"): [[1], [2], [3]]}, 1, InvalidError, "'a' has 2 categories in one table and 3 in"),
        ({("a",): [1, 2]}, 0, InvalidError, "variances must be above zero, got 0"),
        ({("a",): [1, 2]}, {("b",): 1}, MismatchError, "variances must have one number for each table"),
    ],
)
def test_wrong_tables_are_refused(tables: Any, variances: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        pc.consistent_marginals(tables, variances)


def test_tables_that_were_not_released_together() -> None:
    fit = pc.consistent_marginals({("a",): [1, 2], ("b",): [1, 2]}, 1)
    with pytest.raises(MismatchError, match="no released table has the columns a, b together"):
        fit.table(("a", "b"))
    with pytest.raises(MismatchError, match="no released table has the columns c together"):
        fit.variance("c")


def test_a_common_table_that_is_too_large() -> None:
    wide = pc.consistent_marginals({("a",): [1] * 2000, ("b",): [1] * 2000}, 1)
    with pytest.raises(InvalidError, match="a common table of 4,000,000 cells, and 1,000,000 are the most"):
        wide.nonnegative()


@pytest.mark.parametrize(
    ("tables", "variances"),
    [
        ({("a", "b"): [[1, 2], [3]]}, 1),
        ({("a",): [1.0, 2.0]}, Fraction(1, 10**400)),
        ({("a",): [1.0, 2.0]}, 10**400),
        ({("a",): [1.0, 2.0], (): 10**400}, 1),
        ({np.array(3).tobytes(): [1, 2]}, 1),
    ],
)
def test_tables_and_variances_beyond_the_floats_are_refused_by_an_error_of_ours(tables: Any, variances: Any) -> None:
    with pytest.raises(PrivetError):
        pc.consistent_marginals(tables, variances)


def test_exact_tables_take_any_variance() -> None:
    fit = pc.consistent_marginals({("a",): [6, 5], (): 9}, Fraction(1, 10**400))
    assert fit.variance([]) == Fraction(2, 3 * 10**400)
    with pytest.raises(PrivetError):
        fit.table(np.array(3))
