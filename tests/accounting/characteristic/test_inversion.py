"""The inversion: bounds hold for every damping, step and number of nodes, and both error terms are needed."""

import math
from fractions import Fraction

import pytest
from attrs import evolve
from flint import acb, acb_mat, arb
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.accounting.characteristic import nodes as characteristic_nodes
from privet.accounting.characteristic.atomic import ApproximateTerm
from privet.accounting.characteristic.continuous import BoundedRangeTerm, GaussianTerm, LaplaceTerm
from privet.accounting.characteristic.inversion import Inversion, chernoff, saddle
from privet.accounting.characteristic.nodes import Terms, product, whole, without_atoms
from privet.accounting.characteristic.term import Atoms
from privet.core.exact import precision

GAUSSIAN: Terms = ((GaussianTerm(1), 1),)
LAPLACE: Terms = ((LaplaceTerm(1), 1),)
RESPONSE: Terms = ((ApproximateTerm(1, Fraction(1, 100)), 1),)
RANGE: Terms = ((BoundedRangeTerm(1), 1),)


def exactly(terms: Terms, epsilon: float) -> float:
    if terms is GAUSSIAN:
        first = math.erfc((epsilon - 0.5) / math.sqrt(2)) / 2
        return first - math.exp(epsilon) * math.erfc((epsilon + 0.5) / math.sqrt(2)) / 2
    if terms is LAPLACE:
        return 1 - math.exp((epsilon - 1) / 2)
    if terms is RANGE:
        return (math.exp(0.5) - math.exp(epsilon / 2)) ** 2 / (math.e - 1)
    return 0.01 + 0.99 * (math.e - math.exp(epsilon)) / (1 + math.e)


def layout(terms: Terms, theta: float, step: float, share: float = 1e-9) -> Inversion:
    """An inversion with choices of ours, good or bad."""
    with precision(128), pytest.MonkeyPatch.context() as patch:
        patch.setattr(characteristic_nodes, "_MOST", 2**10)  # whether or not that is enough
        nodes, tail = whole(terms, arb(theta), arb(step), math.log(share))
        beyond = arb(2 * theta), product(terms, lambda term: term.moment(acb(arb(2 * theta))).real)
        return Inversion(terms, arb(theta), arb(step), beyond, (), tail, nodes)


def holds(inversion: Inversion, epsilon: float) -> bool:
    low, high = inversion.bounds(Fraction(epsilon))
    value = exactly(inversion.terms, epsilon)
    return float(low) <= value * (1 + 1e-12) and value * (1 - 1e-12) <= float(high)


@given(
    st.sampled_from([GAUSSIAN, LAPLACE, RESPONSE, RANGE]),
    st.floats(0.05, 30),
    st.floats(0.02, 8),
    st.floats(0, 0.99),
    st.sampled_from([1e3, 1e-1, 1e-4]),
)
@settings(deadline=None, max_examples=150)
def test_bounds_hold_whatever_is_chosen(terms: Terms, theta: float, step: float, epsilon: float, share: float) -> None:
    assert holds(layout(terms, theta, step, share), epsilon)


def test_a_sum_that_cancels_is_not_taken_for_a_small_one() -> None:
    # far from the saddle the terms are e^100 and the ball of their sum is wide, and holds zero
    assert holds(layout(GAUSSIAN, 14.0, 0.125), 0)


@pytest.mark.parametrize("terms", [GAUSSIAN, LAPLACE, RESPONSE, RANGE])
@pytest.mark.parametrize("epsilon", [0, 0.3, 0.9])
def test_our_choices_give_narrow_bounds(terms: Terms, epsilon: float) -> None:
    inversion = Inversion.near(terms, epsilon)
    low, high = inversion.bounds(Fraction(epsilon))
    assert holds(inversion, epsilon)
    assert high - low < high * Fraction(1, 10**6)


def test_a_layout_serves_other_epsilons() -> None:
    inversion = Inversion.near(GAUSSIAN, 3.0)
    assert all(holds(inversion, epsilon) for epsilon in (0, 1, 2.5, 4, 6))


def test_the_wrong_sign_of_the_damping_is_noticed() -> None:
    right = layout(GAUSSIAN, 1.5, 0.5)
    assert holds(right, 1)
    assert not holds(evolve(right, theta=-right.theta), 1)


def test_without_aliases_the_bounds_are_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    coarse = layout(GAUSSIAN, 0.25, 2.0)
    assert holds(coarse, 1)
    monkeypatch.setattr(Inversion, "_aliases", lambda self, epsilon: (arb(0), arb(0)))
    assert not holds(coarse, 1)


def test_subtracting_the_whole_alias_from_the_upper_bound_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    coarse = layout(GAUSSIAN, 0.25, 2.0)
    most = coarse._aliases

    def greedy(self: Inversion, epsilon: arb) -> tuple[arb, arb]:
        return most(epsilon)[1], most(epsilon)[1]

    monkeypatch.setattr(Inversion, "_aliases", greedy)
    assert not holds(coarse, 1)


def test_without_the_tail_the_bounds_are_wrong() -> None:
    short = layout(LAPLACE, 2.0, 0.5, share=1e3)
    assert holds(short, 0.5)
    assert not holds(evolve(short, tail=arb(0)), 0.5)


def test_a_missing_node_is_noticed() -> None:
    right = layout(GAUSSIAN, 1.5, 0.5)
    matrix, starts = right.nodes
    entries = [matrix[i, j] for i in range(matrix.nrows()) for j in range(matrix.ncols())]
    entries[2] = acb(0)
    assert not holds(evolve(right, nodes=(acb_mat(matrix.nrows(), matrix.ncols(), entries), starts)), 1)


@pytest.mark.parametrize("count", [1, 3])
def test_atoms_taken_out_give_the_same_delta(count: int) -> None:
    terms: Terms = ((LaplaceTerm(1), count),)
    listed = Inversion.near(terms, 0.5)
    assert len(listed.listed) == count + 1
    kept = layout(terms, 2.0, 0.25, share=1e-4)
    (low, high), (least, most) = listed.bounds(Fraction(1, 2)), kept.bounds(Fraction(1, 2))
    assert max(low, least) <= min(high, most)
    assert high - low < most - least


def test_the_nodes_left_out_are_bounded_by_the_tail() -> None:
    # the same sum with many more nodes differs by less than the tail that was claimed
    with precision(128):
        theta, step = arb(3), arb(0.75)
        terms: Terms = ((LaplaceTerm(Fraction(1, 4)), 3), (LaplaceTerm(Fraction(1, 3)), 4))
        results = [whole(terms, theta, step, math.log(share)) for share in (1, 1e-4)]
        sums = [
            sum((nodes[i, j] for i in range(nodes.nrows()) for j in range(nodes.ncols())), acb(0)).real
            for (nodes, _), _ in results
        ]
        apart = abs(sums[0] - sums[1]) * step / arb.pi()
        assert apart <= results[0][1] + results[1][1]
        assert apart > results[1][1]


def test_the_remainder_and_its_tail() -> None:
    with precision(128):
        (_, _), tail = without_atoms(LAPLACE, arb(2), arb(0.5), math.log(1e-4))
        assert 0 < float(tail) <= 1e-4


def test_the_saddle_of_a_known_function() -> None:
    # s (s + 1) / 2 - ln(s (s + 1)) is least where s (s + 1) = 2
    assert saddle(lambda s: s * (s + 1) / 2 - math.log(s * (s + 1))) == pytest.approx(1, rel=0.02)


def test_the_first_guess_is_enough() -> None:
    guess = chernoff(GAUSSIAN, math.log(1e-6))
    assert exactly(GAUSSIAN, guess) < 1e-6 < exactly(GAUSSIAN, guess - 1)


def test_an_atom_at_epsilon_is_neither_counted_nor_lost() -> None:
    atoms: Atoms = Inversion.near(RESPONSE, 0.5).listed
    assert len(atoms) == 2
    low, high = Inversion.near(RESPONSE, 0.5).bounds(Fraction(1))
    assert low <= Fraction(1, 100) <= high < Fraction(1, 100) + Fraction(1, 2**90)
