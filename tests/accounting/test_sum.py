"""Composition."""

import math
from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

import privet as pv
from privet.accounting.loss import Loss


def response_sum(losses: list[tuple[float, int]], epsilon: float) -> float:
    """The exact delta of independent randomised responses, by enumeration."""
    odds = [e for e, often in losses for _ in range(often)]
    total = 0.0
    for signs in product((1, -1), repeat=len(odds)):
        p = math.prod((1 / (1 + math.exp(-s * e))) for s, e in zip(signs, odds, strict=True))
        q = math.prod((1 / (1 + math.exp(s * e))) for s, e in zip(signs, odds, strict=True))
        total += max(p - math.exp(epsilon) * q, 0)
    return total


@settings(deadline=None, max_examples=40)
@given(
    st.lists(st.tuples(st.sampled_from([0.1, 0.3, 1.0, 2.0]), st.integers(1, 2)), min_size=1, max_size=4),
    st.floats(0, 4),
)
def test_no_sum_of_pure_losses_is_below_the_exact_answer(losses: list[tuple[float, int]], epsilon: float) -> None:
    loss: Loss = pv.SumLoss(())
    for cost, often in losses:
        loss = loss + pv.PureLoss(cost) * often
    exactly = response_sum(losses, epsilon)
    assert float(loss.delta(epsilon)) >= exactly - 1e-12
    for delta in (1e-6, 1e-2, 0.3):
        answer = loss.epsilon(delta)
        assert response_sum(losses, float(answer)) <= delta + 1e-12
