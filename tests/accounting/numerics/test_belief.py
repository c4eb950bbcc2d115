"""Beliefs after a release are never bounded too low, and texts round outward."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.accounting.numerics import belief_down, belief_up, factor_text, odds_up, share_down_text, share_up_text

EPSILONS = st.fractions(min_value=0, max_value=30, max_denominator=1000)
PRIORS = st.fractions(min_value=Fraction(1, 10**6), max_value=Fraction(999999, 10**6))


@given(epsilon=EPSILONS, prior=PRIORS)
def test_bounds_hold_the_exact_belief_and_are_tight(epsilon: Fraction, prior: Fraction) -> None:
    """The exact value is enclosed by rational bounds of e^epsilon, whose error is far below 1e-15."""
    factor = odds_up(epsilon)
    below = Fraction(factor) * (1 - Fraction(1, 10**15))
    assert below <= Fraction(math.exp(epsilon)) * (1 + Fraction(1, 10**12))
    exact = prior * below / (prior * below + 1 - prior)
    assert exact <= belief_up(epsilon, prior) <= exact * (1 + Fraction(1, 10**12))
    assert belief_down(epsilon, prior) <= prior <= belief_up(epsilon, prior)
    assert belief_down(epsilon, prior) == 1 - belief_up(epsilon, 1 - prior)


@given(epsilon=EPSILONS, prior=PRIORS)
def test_texts_round_outward(epsilon: Fraction, prior: Fraction) -> None:
    high, low = belief_up(epsilon, prior), belief_down(epsilon, prior)
    assert Fraction(share_up_text(high).removesuffix(" %")) >= high * 100 * (1 - Fraction(1, 10**9))
    assert Fraction(share_down_text(low).removesuffix(" %")) <= low * 100 * (1 + Fraction(1, 10**9))
    assert Fraction(factor_text(epsilon).replace(",", "")) >= Fraction(odds_up(epsilon))


def test_no_loss_changes_nothing_and_a_huge_one_allows_everything() -> None:
    assert belief_up(Fraction(0), Fraction(1, 3)) == belief_down(Fraction(0), Fraction(1, 3)) == Fraction(1, 3)
    assert belief_up(math.inf, Fraction(1, 3)) == 1
    assert belief_down(10**6, Fraction(1, 3)) == 0


@pytest.mark.parametrize(("share", "text"), [(Fraction(1), "100 %"), (Fraction(0), "0 %"), (Fraction(1, 2), "50 %")])
def test_whole_shares_are_short(share: Fraction, text: str) -> None:
    assert share_up_text(share) == share_down_text(share) == text
