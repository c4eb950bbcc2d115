"""A fixed share of the fuzzer, and the proof that it finds what was wrong once."""

import pytest

from tests.fuzz.defects import DEFECTS
from tests.fuzz.kinds import KINDS
from tests.fuzz.search import tried

SHARE = {
    "chains": 60,
    "expressions": 4,
    "files": 12,
    "functions": 60,
    "json": 60,
    "losses": 4,
    "limits": 4,
    "persons": 12,
}
SHARE |= {"questions": 3, "words": 2}
MOST = {"chains": 3000, "questions": 30, "limits": 60, "words": 5}  # seeds within which a defect is found


def test_every_kind_has_a_share_and_a_defect() -> None:
    assert SHARE.keys() == KINDS.keys() == {defect.kind for defect in DEFECTS.values()}


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_found(kind: str) -> None:
    for seed in range(SHARE[kind]):
        problem = tried(kind, seed)
        assert problem is None, f"python -m tests.fuzz --kind {kind} --seed {seed}\n{problem}"


@pytest.mark.parametrize("name", DEFECTS)
@pytest.mark.share(2)
def test_a_known_mistake_is_found(name: str) -> None:
    defect = DEFECTS[name]
    with defect.planted():
        found = any(tried(defect.kind, seed) for seed in range(MOST.get(defect.kind, 400)))
    assert found, f"the fuzzer did not find: {name}"
