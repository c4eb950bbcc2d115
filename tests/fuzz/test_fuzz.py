"""A fixed share of the fuzzer, and the proof that it finds what was wrong once."""

import pytest

from tests.fuzz.defects import DEFECTS
from tests.fuzz.kinds import KINDS
from tests.fuzz.nodes import THEMES
from tests.fuzz.search import tried

SHARE = {  # seeds every day, of four times as many before a release
    "answers": 3,
    "chains": 20,
    "expressions": 2,
    "files": 6,
    "functions": 20,
    "joins": 4,
    "json": 20,
    "losses": 2,
    "limits": 2,
    "messy": 2,
    "nodes": 4,
    "persons": 6,
    "questions": 2,
    "statements": 4,
    "words": 1,
}
MOST = {
    "answers": 60,
    "chains": 3000,
    "joins": 60,
    "questions": 40,
    "statements": 30,
    "limits": 60,
    "messy": 30,
    "nodes": 4 * len(THEMES),
    "words": 5,
}  # seeds within which a defect is found


def test_every_kind_has_a_share_and_a_defect() -> None:
    assert SHARE.keys() == KINDS.keys() == {defect.kind for defect in DEFECTS.values()}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.long) for part in (1, 2, 3))])
def test_nothing_is_found(kind: str, part: int) -> None:
    for seed in range(part * SHARE[kind], (part + 1) * SHARE[kind]):
        problem = tried(kind, seed)
        assert problem is None, f"python -m tests.fuzz --kind {kind} --seed {seed}\n{problem}"


@pytest.mark.parametrize("name", DEFECTS)
@pytest.mark.share(2)
def test_a_known_mistake_is_found(name: str) -> None:
    defect = DEFECTS[name]
    with defect.planted():
        found = any(tried(defect.kind, seed) for seed in range(MOST.get(defect.kind, 400)))
    assert found, f"the fuzzer did not find: {name}"
