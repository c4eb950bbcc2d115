"""Totals over completed records, under the laws."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import evolve, frozen

import privet.calculus as pc
from privet.accounting.planning.smooth import GeneralisedCauchy, StudentT
from privet.chains.transformation import TransformationChain
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError, NotExactError, WrongTypeError
from privet.imputation.changes import most_changes
from privet.imputation.completion import CompletedRows, Completion
from privet.imputation.donors import find_donors
from privet.imputation.imputed_total import ImputedTotal
from privet.imputation.influence import Influence
from privet.imputation.queries import PlainSum, Products, RowCount, SquaredDeviations
from privet.imputation.scheme import CustomScheme, MajorityOfNeighbours, MeanOfNeighbours
from tests.imputation.crowds import QUICK, check_crowds
from tests.imputation.test_changes import pairwise_bound
from tests.laws import Case, Twin
from tests.mechanisms.test_smooth_noise import BETA, ClaimOfTheSource, exactly
from tests.transforms.twins import TwinOf

# few cells, few labels and few values: nearly every row is tied with some other
PEOPLE = pc.records(
    id=pc.vector(int, categories=[1, 2, 3, 5]),
    age=pc.vector(int, bounds=(0, 3)),
    income=pc.vector(int, bounds=(-3, 7)),
    town=pc.vector(str, categories=["here", "there"]),
)
NAMED = pc.records(
    name=str,
    age=pc.vector(int, bounds=(0, 2)),
    sex=pc.vector(bool),
    wage=pc.vector(float, bounds=(0, 1), grid=Fraction(1, 4)),
    hours=pc.vector(float, bounds=(-1, 2), grid=Fraction(1, 2)),
)
MAIN: dict[str, Any] = {"features": ["age"], "label": "id", "value": "income"}
NAMELY: dict[str, Any] = {"features": {"age": 1, "sex": 2}, "label": "name", "value": "wage"}


def half(values: Any) -> Any:
    """A function that fails for some rows, warns for others and gives no number for the rest."""
    if values[0, 0] > 5:
        raise ValueError(values)
    return np.array([values[0, 0] // values[0, 1]]) if values[0, 1] else "no number"


CASES = [
    Case(name="imputed total", chain=PEOPLE >> ImputedTotal(**MAIN, beta=0.3)),
    Case(name="imputed total, steep", chain=PEOPLE >> ImputedTotal(**MAIN, beta=2)),
    Case(
        name="imputed total of one town",
        chain=PEOPLE >> ImputedTotal(**MAIN, beta=0.7, query=PlainSum(), where=("town", "here")),
    ),
    Case(
        name="imputed mean of two, reals",
        chain=NAMED >> ImputedTotal(**NAMELY, beta=0.5, scheme=MeanOfNeighbours(k=2)),
    ),
    Case(
        name="imputed count by majority",
        chain=PEOPLE
        >> ImputedTotal(**MAIN, beta=0.4, scheme=MajorityOfNeighbours(k=3), query=RowCount(), within=(1, 6)),
    ),
    Case(
        name="imputed total within a range",
        chain=PEOPLE >> ImputedTotal(**MAIN, beta=0.9, scheme=MeanOfNeighbours(k=3), within=(0, 4)),
    ),
    Case(
        name="imputed squares",
        chain=PEOPLE >> ImputedTotal(**MAIN, beta=0.6, scheme=MeanOfNeighbours(k=2), query=SquaredDeviations(mean=1)),
    ),
    Case(
        name="imputed products",
        chain=NAMED
        >> ImputedTotal(**NAMELY, beta=0.6, query=Products(mean=0.5, other_mean=1), other="hours", within=(0.25, 0.75)),
    ),
    Case(
        name="imputed by a function",
        chain=PEOPLE >> ImputedTotal(**MAIN, beta=0.5, scheme=CustomScheme(k=2, function=half)),
    ),
]


def doubling(length: int) -> tuple[list[Any], list[Any]]:
    """Two donors in one cell share the rows that lack a value; without the second the first has all of them."""
    rows: list[Any] = [(2 * length, 0, 0, None), (4 * length, 0, 7, None)]
    rows += [(2 * at + 1, 0, None, None) for at in range(2 * length)]
    return rows, [rows[0], *rows[2:]]


WIDE = pc.records(id=int, age=pc.vector(int, bounds=(0, 3)), income=pc.vector(int, bounds=(0, 7)), town=pc.vector(str))
RICH = ImputedTotal(**MAIN, beta=BETA, query=RowCount(), within=(5, 8))
STUDENT = StudentT(degrees=3)
CASES += [
    Case(
        name="imputed count >> smooth noise",
        chain=WIDE >> RICH >> pc.SmoothNoise(law=STUDENT, alpha=1),
        pairs=[doubling(30), doubling(1), ([], [(1, 0, 7, None)]), (doubling(4)[0], doubling(4)[0][:-1])],
        masses=exactly(STUDENT, 1, 150),
        sample=1500,
        input=doubling(1)[0],
    ),
]


def completed_by(unit: Any, value: Any, space: Space, **change: Any) -> tuple[Any, Completion]:
    """What the right unit does, with other labels or another count of changes."""
    completion = unit._completion(space)
    return completion.complete(evolve(completion.read(value), **change)), completion


@frozen
class RowNumbers(TwinOf):
    """Takes the position of a row for its label: the same rows in another order have other donors."""

    def apply(self, value: Any, space: Space) -> Any:
        completed, _ = completed_by(self.right, value, space, labels=np.arange(len(value)))
        return self.right.summarize(value, completed, space)  # type: ignore[attr-defined]


@frozen
class PresentRowsOnly(TwinOf):
    """Orders the rows that are there: the label is the rank among complete, or among incomplete, rows."""

    def apply(self, value: Any, space: Space) -> Any:
        rows = self.right._completion(space).read(value)  # type: ignore[attr-defined]
        labels = np.zeros(len(value), dtype=np.int64)
        for part in (rows.missing, ~rows.missing):
            labels[part] = np.argsort(np.argsort(rows.labels[part], kind="stable"), kind="stable")
        completed, _ = completed_by(self.right, value, space, labels=labels)
        return self.right.summarize(value, completed, space)  # type: ignore[attr-defined]


@frozen
class NothingMissing(TwinOf):
    """Takes L1 for zero where no row lacks a value: S is then what a row counts by itself."""

    def apply(self, value: Any, space: Space) -> Any:
        completed, _ = completed_by(self.right, value, space)
        total, bound = self.right.summarize(value, completed, space)  # type: ignore[attr-defined]
        own = self.right.influence(space).own  # type: ignore[attr-defined]
        return total, bound if completed.incomplete else own


@frozen
class DonorsOfTheGroup(TwinOf):
    """Counts the donees of donors inside the group alone: others, it says, have nothing to show."""

    def apply(self, value: Any, space: Space) -> Any:
        completed, completion = completed_by(self.right, value, space)
        rows = completion.read(value)
        inside = value.columns["town"].filled("") == "here"
        kept = inside | rows.missing
        donors = find_donors(completion.grid, rows.cells[kept], rows.labels[kept], ~rows.missing[kept], k=1)
        group = np.isin(np.flatnonzero(kept)[donors.incomplete], np.flatnonzero(inside))
        given = donors.given[group]
        changes = max(1, int(np.bincount(given[given >= 0]).max(initial=0)))
        return self.right.summarize(value, evolve(completed, changes=changes), space)  # type: ignore[attr-defined]


@frozen
class PairwiseBound(TwinOf):
    """Takes an upper bound of L1 that one removal can grow without limit."""

    def apply(self, value: Any, space: Space) -> Any:
        completed, completion = completed_by(self.right, value, space)
        rows = completion.read(value)
        donors = find_donors(completion.grid, rows.cells, rows.labels, ~rows.missing, k=1, ties=[rows.steps])
        changes = max(pairwise_bound(donors), most_changes(donors))
        return self.right.summarize(value, evolve(completed, changes=changes), space)  # type: ignore[attr-defined]


@frozen
class AveragesThosePresent(TwinOf):
    """Divides by the number of donors that there are, so that with one of three donors one row moves all of it."""

    def apply(self, value: Any, space: Space) -> Any:
        completed, completion = completed_by(self.right, value, space)
        rows = completion.read(value)
        donors = find_donors(completion.grid, rows.cells, rows.labels, ~rows.missing, k=3, ties=[rows.steps])
        values = completed.values.copy()
        for at, given in zip(donors.incomplete, donors.rows, strict=True):
            there = rows.steps[given[given >= 0]]
            values[at] = 3 * there.sum() // len(there) if len(there) else 3 * completion.default
        return self.right.summarize(value, evolve(completed, values=values), space)  # type: ignore[attr-defined]


@frozen
class LocalOnly(TwinOf):
    """Takes the influence on these data for a smooth bound where beta is below ln 2."""

    def apply(self, value: Any, space: Space) -> Any:
        completed, _ = completed_by(self.right, value, space)
        total, _ = self.right.summarize(value, completed, space)  # type: ignore[attr-defined]
        influence = self.right.influence(space)  # type: ignore[attr-defined]
        return total, influence.at(0, completed.changes, completed.incomplete)


@frozen
class RefusesWithoutDonors(TwinOf):
    """Raises where there is nobody to give."""

    def apply(self, value: Any, space: Space) -> Any:
        completed, _ = completed_by(self.right, value, space)
        if len(value) and completed.incomplete == len(value):
            raise InvalidError("there are no donors.")
        return self.right.summarize(value, completed, space)  # type: ignore[attr-defined]


def twin(name: str, unit: Any, law: Any = "map", **more: Any) -> Twin:
    return Twin(law=law, case=Case(name=name, chain=PEOPLE >> unit, **more))


WRONG: Any = "mean"
RIGHT = ImputedTotal(**MAIN, beta=0.3)
AT_HALF = GeneralisedCauchy(gamma=1 + Fraction(1, 2) / (2 * Fraction(str(BETA))))
TWINS = [
    twin("row numbers as labels", RowNumbers(RIGHT)),
    twin("an order on present rows", PresentRowsOnly(RIGHT)),
    twin("nothing missing, nothing changes", NothingMissing(RIGHT)),
    twin("local influence", LocalOnly(RIGHT)),
    twin("no donors refused", RefusesWithoutDonors(RIGHT), law="parity"),
    Twin(
        law="loss",
        case=Case(
            name="the source's mechanism at one half",
            chain=WIDE >> RICH >> ClaimOfTheSource(pc.SmoothNoise(law=AT_HALF, alpha=BETA)),
            pairs=[doubling(60)],
            masses=exactly(AT_HALF, BETA, 200),
        ),
    ),
]

CROWDED = [
    PEOPLE >> DonorsOfTheGroup(ImputedTotal(**MAIN, beta=1, query=PlainSum(), where=("town", "here"))),
    PEOPLE >> AveragesThosePresent(ImputedTotal(**MAIN, beta=1, scheme=MeanOfNeighbours(k=3))),
]


@pytest.mark.parametrize("case", [case for case in CASES if not case.pairs], ids=lambda case: case.name)
@pytest.mark.share(2)
def test_neighbours_with_many_missing_values_come_out_one_step_apart(case: Case) -> None:
    assert isinstance(case.chain, TransformationChain)
    check_crowds(case.chain)


@pytest.mark.parametrize("chain", CROWDED, ids=lambda chain: type(chain.links[0].unit).__name__)
def test_wrong_versions_are_caught(chain: TransformationChain) -> None:
    with pytest.raises(AssertionError, match="^map law"):
        check_crowds(chain, QUICK)


def test_worked_example() -> None:
    rows = [(1, 0, 2, "here"), (2, 0, 6, "there"), (3, 1, None, "here"), (5, 3, -3, "here")]
    assert (PEOPLE >> ImputedTotal(**MAIN, beta=5))(rows) == (2 + 6 + 2 - 3 - 4 * 2, 5.0 + 10)  # 3 passes 5 and meets 1
    assert (PEOPLE >> ImputedTotal(**MAIN, beta=5, query=PlainSum(), where=("town", "there")))(rows)[0] == 6
    assert (PEOPLE >> ImputedTotal(**MAIN, beta=5, query=RowCount(), within=(2, 3)))(rows) == (2, 2.0)
    twice = ImputedTotal(**MAIN, beta=5, query=PlainSum(), scheme=MeanOfNeighbours(k=2))
    assert (PEOPLE >> twice)(rows) == (2 + 6 + 4 - 3, 7.0 + 5)


def test_the_order_of_rows_does_not_count() -> None:
    rows = [(at % 4, at % 3, None if at % 5 else at % 7, "here") for at in range(24)]
    chain = PEOPLE >> RIGHT
    assert chain(rows) == chain(rows[::-1]) == chain(rows[7:] + rows[:7])


def test_equal_labels_are_told_apart_by_content() -> None:
    """Two donors equally near with one label: the smaller value gives, wherever it stands."""
    rows = [(1, 0, 7, None), (1, 2, -3, None), (1, 1, None, None)]
    chain = PEOPLE >> ImputedTotal(**MAIN, beta=5, query=PlainSum())
    assert chain(rows)[0] == chain(rows[::-1])[0] == 7 - 3 - 3


def test_extreme_data_are_ordinary() -> None:
    chain = WIDE >> RICH
    assert chain([])[0] == 0
    assert chain([(None, None, None, None)])[0] == 0
    ends = [2**63 - 1, -(2**63), 0, None]
    assert chain([(end, 0, 7, None) for end in ends] + [(end, 0, None, None) for end in ends])[0] == 8


def test_a_million_weights_do_not_overflow() -> None:
    heavy = ImputedTotal(features={"age": 2**55}, label="id", value="income", beta=1)
    assert (PEOPLE >> heavy)([(1, 0, 2, "here"), (2, 3, None, "here")])[0] == 0
    with pytest.raises(InvalidError, match="squared distances must stay below"):
        PEOPLE >> ImputedTotal(features={"age": 2**62}, label="id", value="income", beta=1)


def test_planning_reads_public_facts_alone() -> None:
    assert RIGHT.influence(PEOPLE) == Influence(own=5, donee=10)
    assert RIGHT.terms(PEOPLE).centre == 2
    narrow = ImputedTotal(**MAIN, beta=1, within=(0, 4))
    assert narrow.influence(PEOPLE) == Influence(own=2, donee=3)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: ImputedTotal(**MAIN, beta=0), InvalidError, "ImputedTotal.beta must be above zero"),
        (lambda: ImputedTotal(**MAIN, beta="x"), NotExactError, "ImputedTotal.beta"),
        (lambda: ImputedTotal(features="age", label="id", value="income", beta=1), WrongTypeError, "a list of names"),
        (lambda: ImputedTotal(features=[], label="id", value="income", beta=1), WrongTypeError, "a list of names"),
        (lambda: ImputedTotal(features=["age", "age"], label="id", value="income", beta=1), InvalidError, "different"),
        (lambda: ImputedTotal(features={"age": 0}, label="id", value="income", beta=1), InvalidError, "one or more"),
        (lambda: ImputedTotal(**MAIN, beta=1, scheme=WRONG), WrongTypeError, "such as NearestNeighbour"),
        (lambda: ImputedTotal(**MAIN, beta=1, query=WRONG), WrongTypeError, "such as CentredSum"),
        (lambda: ImputedTotal(**MAIN, beta=1, within=(3, 3)), InvalidError, "lower must be below upper"),
        (lambda: ImputedTotal(**MAIN, beta=1, where=WRONG), WrongTypeError, "a pair"),
        (lambda: PEOPLE >> ImputedTotal(**MAIN, beta=1, within=(30, 40)), MismatchError, "within the bounds"),
        (lambda: PEOPLE >> ImputedTotal(**MAIN, beta=1, where=("town", "moon")), MismatchError, "public categories"),
        (lambda: PEOPLE >> ImputedTotal(**MAIN, beta=1, where=("income", 3)), MismatchError, "use within"),
        (
            lambda: PEOPLE >> ImputedTotal(**MAIN, beta=1, query=Products(mean=0, other_mean=0)),
            InvalidError,
            "second column",
        ),
        (
            lambda: PEOPLE >> ImputedTotal(features=["rooms"], label="id", value="income", beta=1),
            MismatchError,
            "not one of",
        ),
        (
            lambda: WIDE >> ImputedTotal(features=["town"], label="id", value="income", beta=1),
            MismatchError,
            "categories or",
        ),
        (
            lambda: NAMED >> ImputedTotal(features=["age"], label="wage", value="hours", beta=1),
            MismatchError,
            "label must",
        ),
        (
            lambda: WIDE >> ImputedTotal(features=["age"], label="town", value="id", beta=1),
            MismatchError,
            "needs bounds",
        ),
        (lambda: pc.vector(int) >> RIGHT, MismatchError, "reads records"),
        (lambda: pc.persons("id", id=int, age=int) >> RIGHT, MismatchError, "reads records under SymmetricDistance"),
    ],
)
def test_wrong_parameters_are_refused(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


def test_what_is_completed_says_nothing_of_the_rows() -> None:
    assert (
        repr(CompletedRows(values=np.array([7]), changes=3, incomplete=1)) == "CompletedRows(changes=3, incomplete=1)"
    )
