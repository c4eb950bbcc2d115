"""The most frequent keys: exact probabilities of small tables, the choice of the noise, and sessions."""

import itertools
from fractions import Fraction
from typing import Any

import pytest
from attrs import evolve
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

import privet as pv
import privet.calculus as pc
from privet.core.exact import ball
from privet.errors import InvalidError, MismatchError
from privet.mechanisms.tails import laplace_reaches
from privet.tables.keys.top_rounds import top_round
from privet.tables.noise.key_round import KeyRound, KeyWeights, RoundNoise, RowsOfKeys
from privet.tables.statistics import Contribution
from tests.laws.loss import divergence
from tests.laws.masses import Masses

KEYS = "abcd"
MOST = 3
WEIGHTS = KeyWeights(rule="one", most=MOST)
Lists = list[frozenset[str]]
SETS = [frozenset(each) for size in range(1, MOST + 1) for each in itertools.combinations(KEYS, size)]


def drawn(lists: Lists, each: KeyRound) -> Masses:
    """The exact law of the released set by Gumbel noise, over all orders of draws."""
    counts = {key: sum(key in one for one in lists) for key in KEYS}
    weights = {key: ball(count / each.scale).exp() for key, count in counts.items() if count}
    nothing = ball(Fraction(each.threshold) / each.scale).exp()
    found: dict[frozenset[str], arb] = {}

    def peel(shown: tuple[str, ...], mass: arb) -> None:
        left = {key: weight for key, weight in weights.items() if key not in shown}
        if each.draws is not None and len(shown) == each.draws:
            found[frozenset(shown)] = found.get(frozenset(shown), arb(0)) + mass
            return
        whole = sum(left.values(), nothing)
        found[frozenset(shown)] = found.get(frozenset(shown), arb(0)) + mass * nothing / whole
        for key, weight in left.items():
            peel((*shown, key), mass * weight / whole)

    peel((), arb(1))
    return Masses(found, arb(0))


def made(noise: RoundNoise | None, top: int, epsilon: Any = 2, delta: Any = 0.01) -> KeyRound:
    return top_round(WEIGHTS, Fraction(epsilon), Fraction(delta), top, noise)[0]


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.sampled_from(SETS), max_size=4),
    st.sampled_from(SETS),
    st.integers(0, 9),
    st.sampled_from([1, 2, 3]),
)
def test_draws_lose_no_more_than_they_claim(lists: Lists, more: frozenset[str], times: int, top: int) -> None:
    """One more person, whose keys others may or may not have; a low threshold, so that new keys do show."""
    others = [*lists] * times
    for each in (made("gumbel", top), KeyRound(noise="gumbel", scale=1, threshold=4, moved=WEIGHTS, draws=top)):
        first, second = drawn(others, each), drawn([*others, more], each)
        for epsilon in (Fraction(0), Fraction(1, 2), Fraction(2)):
            worst = max(divergence(first, second, epsilon), divergence(second, first, epsilon))
            assert worst <= each.loss.delta(epsilon)


def test_a_person_with_several_keys_counts_for_delta() -> None:
    """A wrong round, which counts one key of a person: new keys show more often than it claims."""
    each = KeyRound(noise="gumbel", scale=1, threshold=4, moved=WEIGHTS, draws=1)
    one = evolve(each, moved=KeyWeights(rule="one", most=1))
    first, second = drawn([], each), drawn([frozenset("abc")], each)
    shows = divergence(second, first, Fraction(20))
    assert one.slack < shows <= each.slack
    assert shows == pytest.approx(float(each.slack), rel=1e-9), "attained by an empty table"


def test_the_best_of_released_numbers_are_kept() -> None:
    """With a threshold far below, Laplace noise of a small scale keeps the right keys."""
    each = KeyRound(noise="laplace", scale=Fraction(1, 100), threshold=1, moved=WEIGHTS)
    assert each.choose([("a",), ("b",), ("c",)], [5, 9, 7], top=2) == [("b",), ("c",)]
    assert each.choose([("a",), ("b",), ("c",)], [5, 9, 7]) == [("a",), ("b",), ("c",)]
    assert each.loss.pure().cost == 300, "keeping a few of them is free, and no cheaper"
    assert laplace_reaches(each.scale, 0) > 0


@pytest.mark.parametrize(("most", "top", "noise"), [(1, 10, "laplace"), (50, 5, "gumbel"), (10, 1, "gumbel")])
def test_the_lower_threshold_is_chosen(most: int, top: int, noise: str) -> None:
    moved = KeyWeights(rule="one", most=most)
    rounds = {
        name: top_round(moved, Fraction(1), Fraction(1, 10**6), top, name)[0].threshold
        for name in ("laplace", "gumbel", None)
    }
    chosen = top_round(moved, Fraction(1), Fraction(1, 10**6), top, None)[0]
    assert chosen.noise == noise
    assert rounds[None] == min(rounds.values())


@pytest.mark.parametrize("top", [1, 3, 40])
@pytest.mark.parametrize("moved", [WEIGHTS, RowsOfKeys(distance=Contribution(l0=4, l1=4, linf=4).rows(2**62))])
@pytest.mark.parametrize("noise", ["laplace", "gumbel"])
def test_the_loss_is_within_what_was_asked(top: int, moved: Any, noise: RoundNoise) -> None:
    epsilon, delta = Fraction(1, 2), Fraction(1, 10**7)
    each, read_at = top_round(moved, epsilon, delta, top, noise)
    assert each.loss.epsilon(delta) <= epsilon
    assert read_at is not None or (each.loss.pure().cost <= epsilon and each.loss.pure().delta <= delta)
    assert each.slack <= delta
    assert evolve(each, threshold=each.threshold - 1).slack > delta / 2, "a threshold that is not too high"


def test_rounds_are_checked() -> None:
    with pytest.raises(InvalidError, match="draws must be a number above zero for Gumbel noise"):
        KeyRound(noise="gumbel", scale=1, threshold=4, moved=WEIGHTS)
    with pytest.raises(InvalidError, match="draws must be a number above zero for Gumbel noise"):
        KeyRound(noise="laplace", scale=1, threshold=4, moved=WEIGHTS, draws=3)
    with pytest.raises(InvalidError, match="Gumbel noise is for counts, not for weights"):
        KeyRound(noise="gumbel", scale=1, threshold=4, moved=KeyWeights(rule="share", most=2), draws=3)
    with pytest.raises(InvalidError, match="Gumbel noise is drawn for the largest numbers"):
        KeyRound(noise="gumbel", scale=1, threshold=4, moved=WEIGHTS, draws=3).draw(4)


ROWS = [{"person": n, "key": f"k{min(n % 16, n % 7)}", "size": n % 5} for n in range(7000)]
ROWS += [{"person": 9000, "key": f"only {n}", "size": 1} for n in range(50)]
COUNTS = sorted(
    {row["key"]: sum(each["key"] == row["key"] for each in ROWS) for row in ROWS}.items(), key=lambda x: -x[1]
)
BEST = tuple(sorted((key,) for key, _ in COUNTS[:3]))


def opened(unit: Any = None, epsilon: Any = 8) -> pv.Session:
    columns = {"person": pv.column("integer"), "key": pv.column("text"), "size": pv.column("integer", bounds=(0, 4))}
    unit = pv.Persons("person", groups=20, rows_per_group=1) if unit is None else unit
    return pv.Session(ROWS, pv.Codebook(columns=columns, unit=unit), pv.budget(epsilon=epsilon, delta=1e-6))


@pytest.mark.parametrize("unit", [None, pv.Rows(), pv.Rows(count=3)])
@pytest.mark.parametrize("noise", [None, "laplace", "gumbel"])
def test_a_session_releases_and_charges_the_most_frequent_keys(unit: Any, noise: Any) -> None:
    session = opened(unit)
    keys = session.query().private_keys("key", top=3, noise=noise).release(epsilon=4, delta=1e-7)
    assert keys.groups == BEST
    spent: Any = session.spent
    assert spent.epsilon <= 4
    assert spent.delta <= Fraction(1, 10**7)
    assert keys.loss.epsilon(Fraction(1, 10**7)) <= 4
    again = pv.KeyRelease.from_json(keys.to_json())
    assert again == keys


def test_keys_and_aggregates_in_one_call() -> None:
    session = opened()
    private = pv.private(delta=1e-7, share=0.5, top=3)
    query = session.query().group_by("key", keys=private).agg(pv.count())
    assert "at most 3 keys: those with the largest noisy numbers" in query.describe(epsilon=6)
    release = query.release(epsilon=6)
    assert release.groups == BEST
    assert release.key_rounds[0].draws == 3
    spent: Any = session.spent
    assert spent.epsilon <= 6
    # a person has at most three of three groups: the noise is for three, not for twenty
    assert release.errors("count")[0] < 3
    assert pv.Release.from_json(release.to_json()).loss == release.loss


def test_more_keys_than_there_are() -> None:
    keys = opened().query().private_keys("key", top=100, noise="laplace").release(epsilon=5, delta=1e-7)
    assert 3 <= len(keys) <= 12
    assert not any(str(key[0]).startswith("only") for key in keys)


def test_a_plan_of_another_number_of_keys_is_refused() -> None:
    session = opened()
    three, two = (session.query().private_keys("key", top=top, noise="gumbel") for top in (3, 2))
    plan = three.plan(epsilon=1, delta=1e-7)
    with pytest.raises(MismatchError, match="the plan is for another query"):
        two.release_plan(plan)
    with pytest.raises(MismatchError, match="the plan is for another query"):
        two.release_plan(evolve(plan, top=2))
    assert session.spent.epsilon == 0  # type: ignore[attr-defined]


def test_plans_of_files_keep_their_draws() -> None:
    session = opened()
    plan = session.query().private_keys("key", top=3).plan(epsilon=1, delta=1e-7)
    text = plan.to_yaml()
    assert "gumbel" in text
    assert "top: 3" in text
    again = session.read_plan(text)
    assert again.loss.epsilon(Fraction(1, 10**7)) == plan.loss.epsilon(Fraction(1, 10**7))
    lower = text.replace(f"threshold: {plan.rounds[0].threshold}", "threshold: 2")
    assert lower != text
    with pytest.raises(pv.errors.PrivetError, match="costs more than the budget of the plan allows"):
        session.read_plan(lower)
    more = text.replace("top: 3", "top: 30")
    with pytest.raises(pv.errors.PrivetError, match="costs more than the budget"):
        session.read_plan(more)


def test_aggregates_have_no_gumbel_noise() -> None:
    text = opened().query().agg(pv.count()).plan(epsilon=1).to_yaml().replace("noise: laplace", "noise: gumbel")
    with pytest.raises(pv.errors.PrivetError, match="gumbel noise is for private keys"):
        opened().read_plan(text)


def test_the_loss_is_that_of_the_mechanism() -> None:
    each = made("gumbel", 2)
    unit = pc.TopKeys(count=2, temperature=each.scale, threshold=each.threshold)
    assert each.loss == unit.loss_of(WEIGHTS.distance)


def test_a_planner_describes_the_most_frequent_keys() -> None:
    columns = {"person": pv.column("integer"), "key": pv.column("text")}
    book = pv.Codebook(columns=columns, unit=pv.Persons("person", groups=50, rows_per_group=1))
    query = pv.Planner(book, pv.budget(epsilon=1, delta=1e-5)).query().private_keys("key", top=5)
    lines = query.describe(epsilon=1, delta=1e-6).splitlines()
    assert any(line.startswith("round 1: gumbel noise of scale 4.43") for line in lines)
    assert any(line.endswith("threshold 90; a key needs about 90 persons") for line in lines)
    assert "at most 5 keys: those with the largest noisy numbers" in lines
    facts = dict(query.facts())
    assert facts["at most"] == "5 keys"


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 12), min_size=0, max_size=8), st.integers(1, 4))
def test_draws_never_repeat_and_never_exceed_the_number(counts: list[int], top: int) -> None:
    each = KeyRound(noise="gumbel", scale=3, threshold=4, moved=WEIGHTS, draws=top)
    keys = [(f"k{at}",) for at in range(len(counts))]
    chosen = each.choose(keys, counts)
    assert len(chosen) == len(set(chosen)) <= top
    assert set(chosen) <= set(keys)
