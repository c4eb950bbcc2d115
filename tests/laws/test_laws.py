"""Every law over every unit, and every twin caught."""

from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, get_args

import pytest

from privet.chains.measurement import MeasurementChain
from tests.laws import (
    Case,
    Twin,
    check_loss,
    check_map,
    check_membership,
    check_parity,
    check_row_by_row,
    check_samples,
    check_touching,
    check_twin_samples,
    users,
    wide,
)
from tests.laws.cases import Law
from tests.laws.row_by_row import claims_each_row
from tests.laws.tables import is_table

TESTS = Path(__file__).parents[1]
ROOMS = ("transforms", "mechanisms", "tables.nodes", "imputation", "models")
MODULES = [
    import_module(f"tests.{room}.{path.stem}")
    for room in ROOMS
    for path in sorted((TESTS / room.replace(".", "/")).glob("test_*.py"))
]
COMBINATORS = [
    import_module(f"tests.combinators.{path.stem}") for path in sorted((TESTS / "combinators").glob("test_*.py"))
]
CASES: list[Case] = [case for module in MODULES for case in getattr(module, "CASES", [])]
TWINS: list[Twin] = [twin for module in (*MODULES, users, wide) for twin in getattr(module, "TWINS", [])]
# steps of table queries read no arrays: their laws are in tests/tables
ARRAYS: list[Case] = [
    *(case for case in CASES if not is_table(case.chain)),
    *(case for module in (*COMBINATORS, users, wide) for case in getattr(module, "CASES", [])),
]
MEASUREMENTS = [case for case in CASES if isinstance(case.chain, MeasurementChain)]


def by_name(item: Case | Twin) -> str:
    return f"{item.law}: {item.case.name}" if isinstance(item, Twin) else item.name


@pytest.mark.parametrize("case", [case for case in CASES if case not in MEASUREMENTS], ids=by_name)
def test_no_transformation_moves_further_than_its_map(case: Case) -> None:
    check_map(case)


@pytest.mark.parametrize("case", [case for case in MEASUREMENTS if case.pairs], ids=by_name)
def test_no_measurement_loses_more_than_it_claims(case: Case) -> None:
    check_loss(case)


@pytest.mark.parametrize("case", [case for case in MEASUREMENTS if case.sample], ids=by_name)
def test_releases_follow_their_mass_function(case: Case) -> None:
    check_samples(case)


@pytest.mark.long
@pytest.mark.parametrize("case", [case for case in MEASUREMENTS if case.sample > case.fewest], ids=by_name)
def test_many_releases_follow_their_mass_function(case: Case) -> None:
    check_samples(case, draws=case.sample)


@pytest.mark.parametrize("case", CASES, ids=by_name)
def test_neighbours_behave_the_same(case: Case) -> None:
    check_parity(case)


@pytest.mark.parametrize("case", users.CASES, ids=by_name)
def test_neighbours_behave_the_same_whatever_users_functions_do(case: Case) -> None:
    check_parity(case, examples=25)


@pytest.mark.parametrize("case", ARRAYS, ids=by_name)
def test_what_a_unit_gives_lies_in_its_domain(case: Case) -> None:
    check_membership(case)


@pytest.mark.parametrize("case", ARRAYS, ids=by_name)
def test_nobody_touches_the_data(case: Case) -> None:
    check_touching(case)


@pytest.mark.parametrize("case", [case for case in ARRAYS if claims_each_row(case)], ids=by_name)
def test_a_row_is_the_same_alone_and_among_others(case: Case) -> None:
    check_row_by_row(case)


@pytest.mark.parametrize("twin", TWINS, ids=by_name)
@pytest.mark.share(2)
def test_a_broken_twin_is_caught(twin: Twin) -> None:
    laws: dict[str, Any] = {
        "map": partial(check_map, quick=True),
        "loss": check_loss,
        "samples": check_twin_samples,
        "parity": partial(check_parity, quick=True),
        "membership": partial(check_membership, examples=60),
        "touching": partial(check_touching, examples=60),
        "row by row": partial(check_row_by_row, examples=20),
    }
    with pytest.raises(AssertionError, match=f"^{twin.law} law"):
        laws[twin.law](twin.case)


def test_every_measurement_is_under_every_law() -> None:
    units = {type(case.chain.mechanism) for case in MEASUREMENTS if isinstance(case.chain, MeasurementChain)}
    for needed in ("pairs", "sample"):
        covered = {
            type(case.chain.mechanism)
            for case in MEASUREMENTS
            if isinstance(case.chain, MeasurementChain) and getattr(case, needed)
        }
        assert covered == units, "every mechanism needs a case with pairs (loss law) and one with samples"


def test_there_are_enough_twins() -> None:
    assert len(TWINS) >= 20
    assert {twin.law for twin in TWINS} == set(get_args(Law))
