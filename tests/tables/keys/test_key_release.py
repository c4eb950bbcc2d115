"""Released keys: a sequence of groups, with a loss that a file cannot make smaller."""

import json
from fractions import Fraction
from typing import Any

import pytest

from privet.core.metric import Parts
from privet.errors import InvalidError
from privet.tables.keys.key_release import KeyRelease
from privet.tables.keys.private_keys import laplace_rounds
from privet.tables.noise.key_round import ANY_NUMBER, RowsOfKeys, make_round
from privet.tables.statistics.contribution import Contribution

DELTA = Fraction(1, 10**6)
MOVED = RowsOfKeys(distance=Contribution(l0=2, l1=3, linf=2).rows(ANY_NUMBER))
RELEASE = KeyRelease(
    keys=("town",), groups=(("a",), ("b",)), rounds=(make_round("laplace", Fraction(3), MOVED, DELTA),), notes=("x",)
)


def test_keys_are_a_sequence_of_groups() -> None:
    assert list(RELEASE) == [("a",), ("b",)]
    assert (len(RELEASE), RELEASE[0], ("b",) in RELEASE) == (2, ("a",), True)
    assert RELEASE.values("town") == ["a", "b"]
    assert RELEASE.to_pandas()["town"].tolist() == ["a", "b"]
    assert (RELEASE.names, RELEASE.interval()) == ((), {})
    lines = str(RELEASE).splitlines()
    assert (lines[:3], lines[4:]) == (["town", "a", "b"], ["x"])
    assert lines[3].startswith("privacy loss: epsilon = ")
    assert RELEASE["town"].tolist() == ["a", "b"]
    for wrong in (RELEASE.values, RELEASE.errors):
        with pytest.raises(InvalidError):
            wrong("city")


def test_a_round_trip_keeps_the_loss() -> None:
    weighted = KeyRelease(keys=("n",), groups=((1,), (2,)), rounds=laplace_rounds(3, Fraction(1), DELTA, 2))
    for release in (RELEASE, weighted):
        again = KeyRelease.from_json(release.to_json())
        assert again == release
        assert again.loss.pure() == release.loss.pure()


@pytest.mark.parametrize(
    "moved",
    [
        {"l1": "1/1000000"},
        {"l0": "0"},
        {"linf": "1/10"},
        {"l0": "0", "l1": "0", "linf": "0"},
        {"l1": "5"},
        {"l2_squared": "0"},
        {"l0": "4"},
    ],
)
def test_distances_that_no_unit_has_are_refused(moved: dict[str, str]) -> None:
    data: Any = json.loads(RELEASE.to_json())
    data["rounds"][0][3] |= moved
    with pytest.raises(InvalidError):
        KeyRelease.from_json(json.dumps(data))


@pytest.mark.parametrize("groups", [[[None]], [[0], [True]], [["b"], ["a"]], [["a"], ["a"]], [[1.5]], [["a", "b"]]])
def test_groups_that_are_no_keys_are_refused(groups: Any) -> None:
    data: Any = json.loads(RELEASE.to_json())
    data["groups"] = groups
    with pytest.raises(InvalidError):
        KeyRelease.from_json(json.dumps(data))


def test_the_squares_follow_from_the_rows() -> None:
    assert isinstance(MOVED.distance, Parts)
    assert "l2_squared" not in RELEASE.to_json()
