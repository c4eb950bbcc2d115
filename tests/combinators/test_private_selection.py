"""Private selection from private candidates."""

import math
import threading
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import frozen
from flint import arb

import privet.calculus as pc
from privet.accounting.losses.loss import Loss
from privet.accounting.sampling.repetitions import GeometricRepetitions, NegativeBinomialRepetitions, PoissonRepetitions
from privet.accounting.sampling.selection import SelectionLoss
from privet.combinators.private_selection import PrivateSelection
from privet.core.queryable import Queryable
from privet.core.space import Space
from privet.errors import MismatchError, WrongTypeError
from tests.accounting.exact_selection import Generating, best_of, negative_binomial, poisson
from tests.laws import Case, Twin, check_loss, check_parity, check_samples, check_twin_samples
from tests.laws.masses import Masses
from tests.mechanisms.twins import TwinOf

LETTERS = ("a", "b", "c")
TRUTH = Fraction(3, 5)
RESPONSE = pc.choice(LETTERS) >> pc.RandomizedResponse(truth=TRUTH)
PAIRS = [("a", "b"), ("b", "a"), ("a", "c"), ("c", "b")]


def scored(release: str) -> int:
    return LETTERS.index(release)


def exactly(generating: Generating) -> Any:
    """The masses of the best response, enumerated."""

    def masses(value: Any, space: Space) -> Masses:
        one = [TRUTH if letter == value else (1 - TRUTH) / 2 for letter in LETTERS]
        *found, none = best_of(one, generating)
        inside = dict(zip(LETTERS, found, strict=True))
        return Masses(inside if none.is_zero() else {**inside, "none": none}, arb(0))

    return masses


def best(repetitions: Any) -> PrivateSelection:
    return PrivateSelection(candidate=RESPONSE, repetitions=repetitions, score=scored, otherwise="none")


def case(name: str, unit: Any, generating: Generating, **more: Any) -> Case:
    chain = pc.choice(LETTERS) >> unit
    return Case(name=name, chain=chain, pairs=PAIRS, masses=exactly(generating), sample=3_000, input="b", **more)


GEOMETRIC = best(GeometricRepetitions(0.25))
QUARTER = negative_binomial(Fraction(1), Fraction(1, 4))
CASES = [
    case("the best of a geometric number", GEOMETRIC, QUARTER),
    case(
        "the best of a logarithmic number",
        best(NegativeBinomialRepetitions(0, 0.1)),
        negative_binomial(Fraction(0), Fraction(1, 10)),
    ),
    case("the best of a Poisson number", best(PoissonRepetitions(2)), poisson(Fraction(2))),
]


@frozen
class OneForAll(TwinOf):
    """Charges one candidate for the best of several."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return RESPONSE.map(d_in)


@frozen
class AtLeastTwo(TwinOf):
    """Draws one candidate more than the stated distribution says."""

    def release(self, value: Any, space: Space) -> Any:
        first, second = self.right.release(value, space), RESPONSE(value)
        return max(first, second, key=scored)


@frozen
class SeesTheData(TwinOf):
    """Stops early where the data are good: the number of repetitions is no longer independent of them."""

    def release(self, value: Any, space: Space) -> Any:
        return RESPONSE(value) if value == "c" else "".join(self.right.release(value, space) for _ in range(3))[:1]


TWINS = [
    Twin(law="loss", case=case("one candidate charged", OneForAll(GEOMETRIC), QUARTER)),
    Twin(law="samples", case=case("one candidate more", AtLeastTwo(GEOMETRIC), QUARTER)),
    Twin(law="parity", case=case("a number that depends on the data", SeesTheData(GEOMETRIC), QUARTER)),
]
LAWS = {"loss": check_loss, "samples": check_samples, "parity": check_parity}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.parametrize("law", LAWS)
def test_the_laws_hold(case: Case, law: str) -> None:
    LAWS[law](case)


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.case.name)
def test_a_broken_twin_is_caught(twin: Twin) -> None:
    with pytest.raises(AssertionError, match=f"^{twin.law} law"):
        {**LAWS, "samples": check_twin_samples}[twin.law](twin.case)


def test_a_pure_candidate_costs_less_than_three_times_epsilon() -> None:
    chain = pc.vector(int) >> pc.Count() >> pc.Laplace(scale=2)
    unit = PrivateSelection(candidate=chain, repetitions=GeometricRepetitions(0.1), score=float)
    loss = unit.map(1)
    assert isinstance(loss, pc.PureLoss)
    assert Fraction(1, 2) < loss.cost < Fraction(3, 2)
    assert loss == SelectionLoss.of(chain.map(1), GeometricRepetitions(0.1))
    assert unit.map(0).epsilon() == 0


def test_a_pipeline_is_placed_where_the_selection_stands() -> None:
    unit = PrivateSelection(
        candidate=pc.Count() >> pc.Gaussian(scale=3), repetitions=PoissonRepetitions(5), score=float
    )
    chain = pc.vector(int) >> unit >> (lambda release: release)
    assert chain.map(1).epsilon(1e-6) < math.inf
    assert chain([1, 2, 3]) is None or isinstance(chain([1, 2, 3]), int)
    with pytest.raises(WrongTypeError, match="PrivateSelection needs an input space"):
        unit([1, 2, 3])


def test_pairs_are_ranked_by_their_first() -> None:
    chain = pc.vector(int) >> pc.Count() >> pc.Laplace(scale=1) >> (lambda release: (-release, "candidate"))
    score, candidate = PrivateSelection(candidate=chain, repetitions=GeometricRepetitions(0.5))([1] * 1000)
    assert score < 0
    assert candidate == "candidate"


def test_more_repetitions_find_better_ones() -> None:
    """The best of about a hundred noises of scale 10 is above zero but for a probability near 1e-2 times 1e-5."""
    chain = pc.scalar(int) >> pc.Laplace(scale=10)
    unit = PrivateSelection(candidate=chain, repetitions=PoissonRepetitions(100), score=int)
    assert unit(0) > 0


@pytest.mark.parametrize("bad", [math.nan, None, "high", [1], object(), 1 + 2j])
def test_results_that_are_not_scores_rank_lowest(bad: Any) -> None:
    releases = iter([bad, bad, -math.inf, bad, bad])
    chain = pc.scalar(int) >> pc.Laplace(scale=1) >> (lambda _: (next(releases), "x"))
    assert _of(chain, 5)(0)[0] == -math.inf


def test_a_score_that_raises_ranks_lowest() -> None:
    releases = iter([0, 4, 0])
    chain = pc.scalar(int) >> pc.Laplace(scale=1) >> (lambda _: next(releases))
    assert _of(chain, 3, score=lambda release: 1 / release)(0) == 4


def test_of_equal_scores_the_first_is_kept() -> None:
    releases = iter("abc")
    chain = pc.scalar(int) >> pc.Laplace(scale=1) >> (lambda _: (1, next(releases)))
    assert _of(chain, 3)(0) == (1, "a")


class _Known:
    def __init__(self, times: int) -> None:
        self.times = times

    def draw(self) -> int:
        return self.times


def _of(chain: Any, times: int, score: Any = None) -> PrivateSelection:
    """A selection from a number that is known, for tests of the ranking only."""

    unit = PrivateSelection(candidate=chain, repetitions=PoissonRepetitions(1), score=score)
    object.__setattr__(unit, "repetitions", _Known(times))
    return unit


def test_interactive_candidates_are_refused() -> None:
    chain = pc.scalar(int) >> pc.Laplace(scale=1) >> (lambda _: Queryable(lambda question: question))
    with pytest.raises(WrongTypeError, match="must make finished releases, got a Queryable"):
        _of(chain, 1)(0)
    with pytest.raises(WrongTypeError, match="must make finished releases, got a Queryable"):
        _of(chain >> (lambda release: (1, {"model": [release]})), 1)(0)


def test_scores_of_every_kind_are_compared_exactly() -> None:
    scores = [Fraction(1, 3), 0.1, Decimal("0.2"), np.float64(0.3), True, np.int64(0), Decimal("nan"), Decimal("sNaN")]
    left = iter(scores)
    chain = pc.scalar(int) >> pc.Laplace(scale=1) >> (lambda _: (next(left), "x"))
    assert _of(chain, len(scores))(0)[0] is True
    left = iter([2**53 + 1, float(2**53), 2**53])
    assert _of(chain, 3)(0)[0] == 2**53 + 1


def test_spaces_that_do_not_fit_are_refused() -> None:
    with pytest.raises(WrongTypeError, match="PrivateSelection.repetitions must be a distribution .* got int"):
        PrivateSelection(candidate=RESPONSE, repetitions=10)  # type: ignore[arg-type]
    with pytest.raises(WrongTypeError, match="PrivateSelection.candidate must be a measurement"):
        PrivateSelection(candidate=lambda data: data, repetitions=GeometricRepetitions(0.5))
    with pytest.raises(WrongTypeError, match="PrivateSelection.score must be a function of a release, got int"):
        PrivateSelection(candidate=RESPONSE, repetitions=GeometricRepetitions(0.5), score=3)  # type: ignore[arg-type]
    with pytest.raises(MismatchError, match="PrivateSelection.candidate reads choice.* but follows scalar"):
        pc.scalar(int) >> GEOMETRIC
    with pytest.raises(MismatchError, match="PrivateSelection.candidate must end in a mechanism"):
        pc.vector(int) >> PrivateSelection(candidate=pc.Count(), repetitions=GeometricRepetitions(0.5))


def test_neither_a_score_nor_a_later_run_writes_into_a_release() -> None:
    def score(release: Any) -> Any:
        release["noise"].append("seen")
        return release["noise"][0]

    chain = pc.scalar(int) >> pc.Laplace(scale=1) >> (lambda release: {"noise": [release]})
    assert len(_of(chain, 5, score=score)(0)["noise"]) == 1
    history: list[Any] = []

    def remembers(release: Any) -> Any:
        history.append(release)
        return (len(history) == 1, history)

    found = _of(pc.scalar(int) >> pc.Laplace(scale=1) >> remembers, 5)(0)
    assert len(found[1]) == 1, "the first run is the best, and holds what it held then"


def test_objects_that_cannot_be_copied_are_released_as_they_are() -> None:
    chain = pc.scalar(int) >> pc.Laplace(scale=1) >> (lambda release: (release, threading.Lock()))
    assert type(_of(chain, 3)(0)[1]) is type(threading.Lock())
