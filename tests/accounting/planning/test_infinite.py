"""A budget without an end grants everything, claims nothing, and says that it is none."""

from typing import Any

import numpy as np
import pytest

import privet as pv
import privet.calculus as pc
from privet.accounting.planning.infinite import InfiniteBudget
from privet.combinators.privacy_filter import FilterCompositor, PrivacyFilter
from privet.core.space import choice
from privet.errors import BudgetExceededError, UnavailableError
from privet.mechanisms.randomized_response import RandomizedResponse
from privet.tables.aggregates.count import count
from privet.tables.codebook.codebook import Codebook
from privet.tables.codebook.column import column
from privet.tables.columns.unit import Rows
from privet.tables.session.session import Session


@pytest.mark.parametrize("loss", [pc.PureLoss(10**9), pc.ConcentratedLoss(10**9), pc.ApproximateLoss(1, 0.5)])
def test_every_form_of_loss_is_granted_as_often_as_asked(loss: pv.Loss) -> None:
    cap = PrivacyFilter(InfiniteBudget())
    for _ in range(3):
        cap.charge(loss)
    assert loss <= InfiniteBudget()
    assert cap.spent == cap.remaining == InfiniteBudget()


def test_no_loss_is_claimed() -> None:
    with pytest.raises(UnavailableError, match="bounds nothing"):
        InfiniteBudget().loss()
    chain = choice((False, True)) >> FilterCompositor(budget=InfiniteBudget(), d_in=1)
    with pytest.raises(UnavailableError, match="bounds nothing"):
        chain.map(1)


def test_a_rule_may_still_say_stop() -> None:
    cap = PrivacyFilter(InfiniteBudget(), go_on=lambda spent, asked: False)
    with pytest.raises(BudgetExceededError):
        cap.charge(pc.PureLoss(1))


def test_questions_are_answered_with_their_noise() -> None:
    queryable = (choice((False, True)) >> FilterCompositor(budget=InfiniteBudget(), d_in=1))(True)
    answers = {queryable.ask(RandomizedResponse(truth=0.5)) for _ in range(64)}
    assert answers == {False, True}  # one of them is missing with probability 2^-63


def opened(budget: Any) -> Session:
    book = Codebook(columns={"age": column("integer", bounds=(0, 9))}, unit=Rows())
    return Session([{"age": n % 10} for n in range(50)], book, budget)


def test_a_session_without_a_budget_says_so_in_every_release() -> None:
    session = opened(InfiniteBudget())
    answers = [
        session.query().agg(count()).release(epsilon=10**9),
        session.query().agg(count()).release(rho=10**9),
        session.batch(n=session.query().agg(count())).release(epsilon=1, delta=1e-6)["n"],
    ]
    assert [int(np.ravel(each.values("count"))[0]) for each in answers[:2]] == [50, 50]
    assert all(each.notes[0].startswith("NOT PRIVATE") for each in answers)
    with pytest.raises(UnavailableError):
        _ = session.loss


def test_a_session_with_a_budget_says_nothing_of_the_kind() -> None:
    answer = opened(pv.budget(epsilon=1)).query().agg(count()).release(epsilon=1)
    assert not any("NOT PRIVATE" in note for note in answer.notes)
