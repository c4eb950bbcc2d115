"""Resizing."""

import math
from fractions import Fraction
from itertools import product
from operator import mul
from typing import Any

import numpy as np
import pytest
from attrs import frozen

import privet as pv
import privet.calculus as pc
from privet.chains.transformation import Transformation
from privet.core.metric import Distance
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError, NotExactError
from tests.laws import Case, Twin, check_loss, check_map, check_samples
from tests.transforms.resize_twins import (
    ByPosition,
    ByRows,
    FieldsApart,
    FilledFromTheData,
    LargerOfBoth,
    NoCopies,
    NotApplied,
    OneRowForAReplacement,
    RaisesOnWrongSize,
    RateOverCopies,
    RowsStayRows,
    SaysSo,
    SecondSampleCounted,
    SumFromOne,
)
from tests.transforms.sampled import noisy_sum, resized, whole

BITS = pc.vector(int, bounds=(0, 1))
THREE = pc.vector(int, bounds=(0, 1), size=3)


@frozen
class Numbered(Transformation):
    """Imputes every row with its number: a draw that a test can repeat."""

    def output(self, space: Space) -> Space:
        return space

    def apply(self, value: Any, space: Space) -> Any:
        return np.ma.MaskedArray(np.arange(len(value)) * 11, mask=np.ma.nomask)

    def stability(self, d_in: Any, space: Space) -> Distance:
        raise AssertionError("an imputation is never asked for its map: its rows are not the data's")


@frozen
class Tossed(Transformation):
    """Imputes every row by a fair coin."""

    def output(self, space: Space) -> Space:
        return space

    def apply(self, value: Any, space: Space) -> Any:
        return np.ma.MaskedArray(pv.noise.uniform_below(2, len(value)), mask=np.ma.nomask)

    def stability(self, d_in: Any, space: Space) -> Distance:
        raise AssertionError("never asked")


CASES = [
    Case(name="resize reals", chain=pc.vector(float) >> pc.Resize(n=3)),
    Case(name="resize by half", chain=pc.vector(int) >> pc.Resize(n=2, p=0.5, imputation=7)),
    Case(name="resize with copies", chain=pc.vector(int) >> pc.Resize(n=5, p=1.5, imputation=Numbered())),
    Case(name="resize text", chain=pc.vector(str, nullable=False) >> pc.Resize(n=4, imputation="a")),
    Case(name="resize a matrix", chain=pc.matrix(2) >> pc.Resize(n=3, p=1.5, imputation=(0, 1))),
    Case(
        name="resize records",
        chain=pc.records(a=int, b=pc.vector(str, categories=["x", "y"]), c=pc.vector(float, bounds=(0, 1)))
        >> pc.Resize(n=3, p=1.5, imputation={"a": 7, "c": 0.5}),
    ),
    Case(
        name="resize records of a known size",
        chain=pc.records(a=int, b=pc.vector(bool, nullable=False)).of_size(4)
        >> pc.Resize(n=3, neighbours="replace", imputation={"a": Numbered()}),
    ),
    Case(
        name="resize replacements",
        chain=Space(pc.vector(int, size=4).domain, pc.ReplacementDistance()) >> pc.Resize(n=3, imputation=1),
    ),
    Case(
        name="resize a known size",
        chain=pc.vector(int, size=4) >> pc.Resize(n=3, p=1.5, neighbours="replace", imputation=Numbered()),
    ),
    Case(
        name="resize >> laplace",
        chain=BITS >> pc.Resize(n=2, p=1.5, imputation=Tossed()) >> pc.Sum() >> pc.Laplace(scale=1),
    ),
]
PAIRS: list[tuple[list[int], list[int]]] = [
    ([], [1]),
    ([0, 0], [0, 1, 0]),
    ([1, 1], [0, 1, 1]),
    ([], [1, 1]),
    ([0, 0, 1], [1, 0, 1]),
]
SWAPS: list[tuple[list[int], list[int]]] = [([0, 0, 0], [1, 0, 0]), ([0, 1, 1], [1, 1, 1]), ([0, 0, 1], [1, 1, 1])]


def measured(unit: Any, n: int, p: Any, *, name: str = "", **more: Any) -> Case:
    """A noisy sum of resized bits, with the probabilities of everything that may happen."""
    fill, scale = more.pop("fill", {0: 1}), more.pop("scale", 1)
    settled: dict[str, Any] = {"pairs": PAIRS, "tight": "no", "sample": 4_000, "input": [1, 1], "space": BITS}
    settled |= {"masses": noisy_sum(resized(n, p, fill=fill), scale)} | more
    space = settled.pop("space")
    chain = whole(space >> unit >> settled.pop("then", pc.Sum()) >> pc.Laplace(scale=scale))
    return Case(name=name or f"n={n}, p={p}", chain=chain, **settled)


HALF, MORE = pc.Resize(n=1, p=0.5, imputation=0), pc.Resize(n=2, p=1.5, imputation=0)
LINE = pc.vector(int, bounds=(-1, 1))
TWINS = [
    Twin(law="map", case=Case(name="max(m, n) rows", chain=pc.vector(int) >> LargerOfBoth(MORE))),
    Twin(law="loss", case=measured(SumFromOne(HALF), 1, "1/2", name="the sum of deltas from i = 1")),
    Twin(law="loss", case=measured(NoCopies(MORE), 2, "3/2", name="copies not counted")),
    Twin(law="loss", case=measured(RateOverCopies(MORE), 2, "3/2", name="the rate divided twice")),
    Twin(law="loss", case=measured(SecondSampleCounted(HALF), 1, "1/2", name="the second sampling counted")),
    Twin(
        law="loss",
        case=measured(
            OneRowForAReplacement(pc.Resize(n=1, p=0.5, imputation=-1)),
            1,
            "1/2",
            fill={-1: 1},
            space=LINE,
            then=ByRows(pc.Sum()),
            name="map(1) for one replacement",
        ),
    ),
    Twin(
        law="loss",
        case=measured(
            HALF,
            1,
            "1/2",
            masses=noisy_sum(resized(1, "1/2", fill={0: 1}, fixed=True)),
            pairs=[([1], [1, 1])],
            name="floor(p size) copies where the size is private",
        ),
    ),
    Twin(law="samples", case=measured(NotApplied(HALF), 1, "1/2", name="resize samples nothing")),
    Twin(law="map", case=Case(name="one row more is one", chain=pc.vector(int) >> RowsStayRows(pc.Resize(n=3)))),
    Twin(law="map", case=Case(name="cut by position", chain=pc.vector(int) >> ByPosition(pc.Resize(n=2)))),
    Twin(law="map", case=Case(name="filled from the data", chain=pc.vector(int) >> FilledFromTheData(pc.Resize(n=5)))),
    Twin(
        law="map", case=Case(name="fields drawn apart", chain=pc.records(a=int, b=int) >> FieldsApart(pc.Resize(n=4)))
    ),
    Twin(law="parity", case=Case(name="n asserted", chain=pc.vector(int) >> RaisesOnWrongSize(pc.Resize(n=3)))),
    Twin(law="parity", case=Case(name="a warning of imputed rows", chain=pc.vector(int) >> SaysSo(pc.Resize(n=3)))),
]


@pytest.mark.parametrize(
    ("n", "p", "tight"),
    [(2, "1/2", "delta"), (2, "3/2", "epsilon"), (1, "3/2", "no"), (1, "1/2", "delta"), (2, "1", "delta")],
)
@pytest.mark.share(2)
def test_the_exact_loss_is_within_the_claim_for_every_true_size(n: int, p: str, tight: Any) -> None:
    check_loss(measured(pc.Resize(n=n, p=Fraction(p), imputation=0), n, p, tight=tight))


@pytest.mark.parametrize("p", ["1/2", "3/2"])
@pytest.mark.share(2)
def test_the_exact_loss_is_within_the_claim_where_rows_are_drawn(p: str) -> None:
    unit = pc.Resize(n=2, p=Fraction(p), imputation=Tossed())
    check_loss(measured(unit, 2, p, fill={0: "1/2", 1: "1/2"}))


@pytest.mark.parametrize("p", ["1/2", "3/2", "2/3"])
@pytest.mark.parametrize("fixed", [False, True])
@pytest.mark.share(3)
def test_the_exact_loss_of_a_replacement_is_within_the_claim(p: str, fixed: bool) -> None:
    unit = pc.Resize(n=2, p=Fraction(p), neighbours="replace" if fixed else "add/remove", imputation=0)
    masses = noisy_sum(resized(2, p, fill={0: 1}, fixed=fixed))
    check_loss(measured(unit, 2, p, space=THREE, pairs=SWAPS, masses=masses))


@pytest.mark.parametrize(("n", "p"), [(2, "1/2"), (2, "3/2"), (1, "3/2"), (3, "3/2")])
@pytest.mark.parametrize("relation", ["add/remove", "replace, coins", "replace, fixed"])
def test_no_later_mechanism_costs_more(n: int, p: str, relation: str) -> None:
    """Every extreme output probability that doubles, halves or stays per replacement, exactly, on all small columns."""
    unit = pc.Resize(n=n, p=Fraction(p))
    worlds = resized(n, p, fill={0: 1}, fixed=relation == "replace, fixed")
    columns = [(rows - ones, ones) for rows in range(4) for ones in range(rows + 1)]
    sums = {column: _ones(worlds, n, column) for column in columns}
    for exponents in product((-1, 0, 1), repeat=n):
        chances = [Fraction(2) ** sum(exponents[:state]) for state in range(n + 1)]
        for x, y in product(columns, columns):
            steps = abs(x[0] - y[0]) + abs(x[1] - y[1]) if relation == "add/remove" else abs(x[1] - y[1])
            if relation == "add/remove" or sum(x) == sum(y):
                likely, other = (sum(map(mul, sums[column], chances), Fraction(0)) for column in (x, y))
                assert likely <= (1 + unit.rate) ** (unit.copies * steps) * other


def _ones(worlds: Any, n: int, column: tuple[int, int]) -> list[Fraction]:
    """How likely each number of ones is in the resized column of so many zeros and ones."""
    found = [Fraction(0)] * (n + 1)
    for chance, rows in worlds([0] * column[0] + [1] * column[1]):
        found[sum(rows)] += chance
    return found


def test_the_chain_with_a_unit_that_counts_rows_is_within_the_claim() -> None:
    unit = pc.Resize(n=1, p=0.5, imputation=-1)
    check_loss(measured(unit, 1, "1/2", fill={-1: 1}, space=LINE, then=ByRows(pc.Sum()), tight="delta"))


@pytest.mark.parametrize("fixed", [False, True])
def test_releases_are_those_of_resized_data(fixed: bool) -> None:
    unit = pc.Resize(n=2, p=1.5, neighbours="replace" if fixed else "add/remove", imputation=Tossed())
    masses = noisy_sum(resized(2, "3/2", fill={0: "1/2", 1: "1/2"}, fixed=fixed))
    check_samples(measured(unit, 2, "3/2", space=pc.vector(int, bounds=(0, 1), size=2), masses=masses, input=[1, 0]))


@pytest.mark.parametrize("rows", [0, 1, 89, 90, 91, 100, 1000])
def test_there_are_n_rows_for_any_input(rows: int) -> None:
    assert (pc.vector(float) >> pc.Resize(n=90, p=1.5))(np.zeros(rows)).shape == (90,)


def test_nulls_are_records_and_missing_rows_are_added() -> None:
    rows = (pc.vector(float) >> pc.Resize(n=4))([1.5, None])
    assert sorted(rows.compressed().tolist()) == [1.5]
    assert rows.tolist().count(None) == 3
    plain = (pc.vector(int, bounds=(3, 9), nullable=False) >> pc.Resize(n=3))([8])
    assert sorted(plain.tolist()) == [3, 3, 8]


def test_records_are_kept_whole_and_added_field_by_field() -> None:
    space = pc.records(name=str, age=pc.vector(int, bounds=(0, 99)), bit=pc.vector(bool, nullable=False))
    unit = pc.Resize(n=4, imputation={"age": Numbered()})
    rows = (space >> unit)([("a", 1, True), ("b", 2, True)])
    read = sorted(zip(*(rows.columns[name].tolist() for name in ("name", "age", "bit")), strict=True), key=str)
    assert read == [("a", 1, True), ("b", 2, True), (None, 0, False), (None, 11, False)]
    few = (space >> pc.Resize(n=2))([(str(age), age, True) for age in range(50)])
    assert [str(age) for age in few.columns["age"].tolist()] == few.columns["name"].tolist()
    assert (space >> unit).map(1) == 2
    assert (space >> unit >> pc.Select(columns="age") >> pc.Sum() >> pc.Laplace(scale=99)).map(1).epsilon() == 1


def test_added_rows_may_be_drawn_by_a_unit() -> None:
    rows = (pc.vector(int, bounds=(0, 30)) >> pc.Resize(n=4, imputation=Numbered()))([5])
    assert rows.tolist() == [5, 0, 11, 22]


@pytest.mark.parametrize(
    ("space", "unit"),
    [
        (pc.vector(float, bounds=(0, 9)), pc.ImputeUniform(bounds=(1, 2))),
        (pc.vector(float, bounds=(0, 9)), pc.ImputeGaussian(shift=5, scale=2)),
        (pc.vector(str, categories=["a", "b"]), pc.ImputeCategories(categories=["a", "b"], weights=[1, 3])),
        (pc.vector(int, bounds=(0, 9)), pc.ImputeConstant(value=3)),
        (pc.matrix(2, bounds=(0, 9)), pc.ImputeUniform()),
    ],
)
def test_every_imputation_adds_the_missing_rows(space: Space, unit: Any) -> None:
    chain = space >> pc.Resize(n=20, imputation=unit)
    rows = chain([])
    assert chain.output.domain.member(rows)
    assert None not in rows.tolist()
    assert len(rows) == 20


def test_an_imputation_is_read_into_the_bounds() -> None:
    check_map(Case(name="", chain=pc.vector(int, bounds=(0, 9)) >> pc.Resize(n=3, imputation=Numbered())), pairs=300)


@pytest.mark.parametrize(
    ("space", "unit", "message"),
    [
        (pc.scalar(int), pc.Resize(n=3), "start from pc.vector"),
        (pc.matrix(1, bounds=(0, 1)) >> pc.ClampNorm(radius=1), pc.Resize(n=3), "resize first, then use ClampNorm"),
        (pc.persons("a", a=int), pc.Resize(n=3), "IdentifierDistance"),
        (pc.records(a=int), pc.Resize(n=3, imputation=5), "must be a dict"),
        (pc.records(a=int), pc.Resize(n=3, imputation={"b": 5}), "the fields are a"),
        (pc.records(a=int), pc.Resize(n=3, imputation={"a": "x"}), r"imputation\['a'\] must be a value of kind int"),
        (pc.records(a=int), pc.Resize(n=3, imputation={"a": pc.DropNulls()}), "one row for each missing row"),
        (pc.vector(int), pc.Resize(n=3, neighbours="replace"), "neighbours='add/remove' if the size is private"),
        (pc.vector(int), pc.Resize(n=3, imputation="a"), "Resize.imputation must be a value of kind int"),
        (pc.vector(float), pc.Resize(n=3, imputation=math.nan), "must be a value of kind float"),
        (BITS, pc.Resize(n=3, imputation=2), "must lie within the bounds"),
        (pc.vector(str, categories=["a", "b"]), pc.Resize(n=3, imputation="c"), "must be one of the categories"),
        (pc.matrix(2), pc.Resize(n=3, imputation=1), "must be a row of 2 numbers"),
        (pc.matrix(2, bounds=(0, 1)), pc.Resize(n=3, imputation=(0, 2)), r"imputation\[1\] must lie within the bounds"),
        (BITS, pc.Resize(n=3, imputation=pc.Count()), "must produce rows of the same kind"),
        (BITS, pc.Resize(n=3, imputation=pc.DropNulls()), "must produce one row for each missing row"),
        (BITS, pc.Resize(n=3, imputation=pc.Filter(keep=bool)), "must produce one row for each missing row"),
        (BITS, pc.Resize(n=3, imputation=pc.PoissonSample(rate=0.5)), "must produce one row for each missing row"),
        (BITS, pc.Resize(n=3, imputation=pc.Duplicate(times=2)), "must produce one row for each missing row"),
        (BITS, pc.Resize(n=3, imputation=pc.Resize(n=1)), "must produce one row for each missing row"),
        (pc.matrix(1), pc.Resize(n=3, imputation=pc.InsertOnes()), "must produce one row for each missing row"),
    ],
)
def test_spaces_that_do_not_fit_are_refused(space: Space, unit: Any, message: str) -> None:
    with pytest.raises(MismatchError, match=message):
        space >> unit


@pytest.mark.parametrize(
    ("fields", "error", "message"),
    [
        ({"n": 0}, InvalidError, "Resize.n must be above zero, got 0."),
        ({"n": 3, "p": 0}, InvalidError, "Resize.p must be above zero, got 0."),
        ({"n": 3, "p": math.inf}, NotExactError, "Resize.p: expected a finite number"),
        (
            {"n": 3, "neighbours": "replace one"},
            InvalidError,
            "Resize.neighbours must be one of 'add/remove', 'replace'",
        ),
    ],
)
def test_wrong_parameters_are_refused(fields: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        pc.Resize(**fields)


def test_wrong_targets_are_refused() -> None:
    with pytest.raises(InvalidError, match="epsilon of zero or more"):
        pc.Resize(n=3).functional(-1)
    with pytest.raises(InvalidError, match="delta between zero and one"):
        pc.Resize(n=3).functional(1, 2)


def test_a_removed_row_is_replaced_by_another() -> None:
    """A sample after a resizing sees one removed record as a removal and an addition."""
    sampled = pc.vector(int) >> pc.Resize(n=10) >> pc.PoissonSample(rate=0.1) >> pc.Count() >> pc.Laplace(scale=1)
    assert not sampled.map(1)._single().directed
    assert not sampled.map(1).directed
