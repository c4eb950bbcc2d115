"""Which classes a file may name: Privet's own aggregates and those that the caller hands over. It loads nothing."""

import json
import sys
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, final

import pytest
from attrs import field, frozen

import privet as pv
from privet.core.rows import Array
from privet.errors import InvalidError, WrongTypeError
from privet.tables.aggregates.aggregate import Aggregate, Estimate, Expected, linear_estimate, linear_interval
from privet.tables.aggregates.count import count
from privet.tables.aggregates.noise import Noise
from privet.tables.columns.column import Column
from privet.tables.noise.plan import add_noise
from privet.tables.noise.planner import plan_noise
from privet.tables.releases.release import Release
from privet.tables.releases.value_json import class_name, own_classes
from privet.tables.statistics.contribution import Contribution
from privet.tables.statistics.numbers_spec import NumbersSpec
from tests.tables.aggregates.cases import aggregate_modules
from tests.tables.opened import released


@final
@frozen(kw_only=True)
class Dozens(Aggregate):
    """An aggregate of one's own: the number of rows, twelve at a time."""

    size: int = field(default=12)

    @property
    def name(self) -> str:
        return "dozens"

    def bind(self, columns: Mapping[str, Column]) -> "Dozens":
        return self

    def measured(self) -> NumbersSpec:
        return count().measured()

    def estimate(self, numbers: Array, noise: Noise) -> Estimate:
        found = linear_estimate(numbers, noise)
        return Estimate(value=found.value / self.size, error=found.error / self.size)

    def interval(self, numbers: Array, noise: Noise, level: Fraction) -> tuple[Array, Array]:
        low, high = linear_interval(numbers, noise, level)
        return low / self.size, high / self.size

    def expected(self, noise: Noise, rows: Fraction) -> Expected:
        return Expected(error=noise.deviation / self.size, size=float(rows) / self.size)


class CountRows(Aggregate):
    """A class with the name of one of Privet's own that is abstract."""


def release(aggregate: Aggregate) -> Release:
    once = Contribution(l0=1, l1=1, linf=1)
    plan = plan_noise({"it": aggregate}, contribution=once, groups=1, budget=pv.budget(epsilon=1))
    return released(plan, add_noise(plan, {plan.statistics[0]: [240]}))


def test_an_aggregate_of_ones_own_is_read_where_its_class_is_handed_over() -> None:
    found = release(Dozens(size=10))
    assert Release.from_json(found.to_json(), aggregates=[Dozens]) == found
    with pytest.raises(InvalidError, match=r"there is no aggregate '.*:Dozens'. Hand the class"):
        Release.from_json(found.to_json())


def test_privets_own_are_found_without_a_list() -> None:
    every = {each for classes in aggregate_modules().values() for each in classes}
    assert every <= set(own_classes().values())
    assert all(class_name(each) == each.__name__ for each in every)
    assert len({each.__name__ for each in every}) == len(every)


def test_a_class_of_another_module_is_never_taken_for_privets_own() -> None:
    assert class_name(CountRows) == f"{__name__}:CountRows"
    assert own_classes()["CountRows"] is type(count())


@pytest.mark.parametrize(
    "name",
    [
        "os:system",
        "subprocess:Popen",
        "this:Zen",
        "antigravity:fly",
        "privet.tables.session.session:Session",
        "Session",
    ],
)
def test_a_file_loads_and_makes_nothing_else(name: str) -> None:
    written = json.loads(release(count()).to_json())
    written["aggregates"][0][1]["class"] = name
    before = set(sys.modules)
    with pytest.raises(InvalidError, match="there is no aggregate"):
        Release.from_json(json.dumps(written), aggregates=[Dozens])
    assert {"this", "antigravity"}.isdisjoint(set(sys.modules) - before)


@pytest.mark.parametrize("wrong", [int, "Dozens", Aggregate, CountRows, Dozens()])
def test_only_concrete_aggregates_may_be_handed_over(wrong: Any) -> None:
    with pytest.raises(WrongTypeError, match="must be concrete attrs classes derived from Aggregate"):
        Release.from_json(release(count()).to_json(), aggregates=[wrong])


def test_fields_of_ones_own_are_checked_too() -> None:
    written = json.loads(release(Dozens()).to_json())
    written["aggregates"][0][1]["size"] = "twelve"
    with pytest.raises(InvalidError, match="from_json"):
        Release.from_json(json.dumps(written), aggregates=[Dozens])


def test_bins_that_are_a_sum_in_disguise_are_refused() -> None:
    """A histogram moves by one row, a sum by its bounds: a file must not call the one the other."""
    book = pv.Codebook(columns={"x": pv.column("integer", bounds=(0, 10**6))}, unit=pv.Rows())
    release: Any = pv.Session([], book, pv.budget(epsilon=1)).query().agg(pv.histogram("x", bins=2)).release(epsilon=1)
    data = json.loads(release.to_json())
    bins = data["aggregates"][0][1]["bound_bins"]
    wrongs: list[dict[str, Any]] = [
        {"kind": "sum", "edges": []},
        {"edges": [0, 0, 10**6 + 1]},
        {"kind": "present", "edges": []},
    ]
    for wrong in wrongs:
        changed = json.loads(json.dumps(data))
        changed["aggregates"][0][1]["bound_bins"]["statistic"] = {**bins["statistic"], **wrong}
        if not wrong["edges"]:
            changed["aggregates"][0][1]["bound_bins"]["labels"] = bins["labels"][:1]
            changed["numbers"] = [[row[:1] for row in numbers] for numbers in data["numbers"]]
        with pytest.raises(InvalidError):
            Release.from_json(json.dumps(changed))
    assert Release.from_json(json.dumps(data)) == release
