"""The worked examples of the note on resizing, and what a target of a chain leaves for the unit that follows."""

import math
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

import privet.calculus as pc
from privet.accounting.losses.approximate import ApproximateLoss
from privet.accounting.sampling.sampling import Poisson
from privet.core.metric import InsertDelete
from privet.core.space import Space

BITS = pc.vector(int, bounds=(0, 1))


def test_the_first_example_of_the_note() -> None:
    """All 100 records and 50 imputed rows; nothing is gained or lost."""
    unit = pc.Resize(n=150, imputation=-1)
    rows = (pc.vector(int) >> unit)(list(range(100))).tolist()
    assert sorted(rows) == [-1] * 50 + list(range(100))
    assert unit.functional(1, 1e-6) == (Fraction(1), Fraction(1, 10**6))


def test_the_second_example_of_the_note() -> None:
    """75 of 100 records and 25 imputed rows: exactly where records are replaced, on average where they come and go."""
    fixed = pc.vector(int, size=100) >> pc.Resize(n=100, p=0.75, neighbours="replace", imputation=-1)
    rows = fixed(list(range(100))).tolist()
    assert rows.count(-1) == 25
    assert len(set(rows)) == 76
    tossed = pc.vector(int) >> pc.Resize(n=100, p=0.75, imputation=-1)
    kept = [100 - tossed(list(range(100))).tolist().count(-1) for _ in range(40)]
    # the mean of 4000 coins over 40: 75 with deviation 0.68, beyond 71 or 79 with probability below 1e-8
    assert 71 < sum(kept) / 40 < 79
    assert len(set(kept)) > 1
    epsilon, delta = pc.Resize(n=100, p=0.75).functional(1, 1e-6)
    assert epsilon > 1
    assert delta > Fraction(1, 10**6)


def test_the_third_example_of_the_note() -> None:
    """90 rows of two copies of 100 records, at a price that depends on p alone."""
    unit = pc.Resize(n=90, p=1.5, imputation=-1)
    rows = (pc.vector(int) >> unit)(list(range(100))).tolist()
    assert len(rows) == 90
    assert -1 not in rows
    assert max(rows.count(row) for row in rows) <= 2
    assert unit.functional(1)[0] < 1
    assert unit.functional(1) == pc.Resize(n=10**6, p=1.5).functional(1)


def test_the_loss_of_the_issue() -> None:
    chain = BITS >> pc.Resize(n=90, p=1.5) >> pc.Sum() >> pc.Laplace(scale=1)
    assert round(float(chain.map(1).epsilon()), 4) == 1.6560
    assert round(float(chain.map(2).epsilon()), 4) == round(2 * 1.65598, 4)
    sized = pc.vector(int, bounds=(0, 1), size=100) >> pc.Resize(n=90, p=1.5, neighbours="replace")
    replaced = (sized >> pc.Sum() >> pc.Laplace(scale=1)).map(2)
    assert replaced.epsilon() == chain.map(1).epsilon(), "one replacement is one step"


def test_the_copies_are_counted_once() -> None:
    """Amplifying the loss of two copies and taking the group of two would count them twice."""
    chain = BITS >> pc.Resize(n=90, p=1.5) >> pc.Sum() >> pc.Laplace(scale=1)
    group_first = math.log(1 + 0.75 * math.expm1(2))
    assert chain.map(1).epsilon() < group_first < 2 * group_first


def test_the_functional_epsilon_of_the_issue() -> None:
    epsilon, delta = pc.Resize(n=90, p=1.5).functional(1)
    assert round(float(epsilon), 4) == 0.6232
    assert delta == 0
    assert epsilon > math.log(1 + math.expm1(1) / 0.75) / 2, "the note's own formula gives 0.5956"


@settings(deadline=None)
@given(
    st.fractions(0, 20, max_denominator=50),
    st.fractions(0, 1, max_denominator=10**6),
    st.fractions(Fraction(1, 20), 6, max_denominator=20),
)
def test_the_functional_loss_stays_within_the_target(epsilon: Fraction, delta: Fraction, p: Fraction) -> None:
    unit = pc.Resize(n=5, p=p)
    behind = ApproximateLoss(*unit.functional(epsilon, delta))
    paid = behind.amplify(Poisson(unit.rate)).group(unit.copies).pure()
    assert paid.cost <= epsilon
    assert paid.delta <= delta
    if delta == 0 and epsilon:
        assert paid.cost >= epsilon * (1 - Fraction(1, 10**9)), "and hardly less"


def test_a_huge_epsilon_has_a_safe_answer() -> None:
    assert pc.Resize(n=5, p=1.5).functional(10**6, 0.5) == (Fraction(500_000), Fraction(0))


def test_whole_copies_are_charged_by_their_map() -> None:
    chain = pc.vector(int, bounds=(0, 1)) >> pc.Resize(n=50, p=2)
    assert chain.map(3) == (Space(BITS.domain, InsertDelete()) >> pc.Resize(n=50, p=2)).map(3) == 12
    assert (chain >> pc.Sum() >> pc.Laplace(scale=1)).map(3) == pc.Laplace(scale=1).map(6)
