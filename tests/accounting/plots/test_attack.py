"""The picture of the demo at any epsilon: the same guesses, by their law instead of by drawing them."""

import numpy as np
import pytest

from privet.accounting.planning.budget import budget
from privet.accounting.plots.attack import guess_lines, guess_shares
from privet.cli import classroom
from privet.combinators.privacy_filter import PrivacyFilter


@pytest.mark.parametrize("epsilon", [1e-6, 0.1, 1.0, 50.0, 1e6])
def test_every_guess_is_in_one_line(epsilon: float) -> None:
    shares = guess_shares(epsilon)
    assert sum(share for _, share in shares) == pytest.approx(1)
    assert all(share >= 0 for _, share in shares)


def test_the_demo_draws_from_this_law() -> None:
    """10,000 guesses: each share is within 0.025, more than five deviations; half the scale would be off by 0.15."""
    cap = PrivacyFilter(budget(epsilon=2))
    before, after = (classroom.release_mean(scores, cap) for scores in (classroom.SCORES, classroom.SCORES[:-1]))
    guesses = classroom.attack(before, after, 10_000)
    edges = [-np.inf, *range(-400, 601, 100), np.inf]
    drawn = np.histogram(guesses, bins=edges)[0] / len(guesses)
    assert np.abs(drawn - [share for _, share in guess_shares(float(classroom.EPSILON))]).max() < 0.025


def test_a_large_epsilon_gives_the_score_away_and_a_small_one_does_not() -> None:
    assert dict(guess_shares(50))["0 to 100"] > 0.999
    assert dict(guess_shares(0.1))["0 to 100"] < 0.06


def test_the_lines_mark_what_is_possible() -> None:
    lines = guess_lines(1.0)
    assert len(lines) == 12
    assert [line.endswith("<- every possible score") for line in lines].count(True) == 1
