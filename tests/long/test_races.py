"""Three hundred races of sixty-four threads for one budget: as much is granted as fits, and never more."""

import sys
import threading
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from typing import Any

import pytest

import privet as pv
import privet.calculus as pc
from privet.errors import BudgetExceededError

RACES, THREADS, FIT = 300, 64, 32
EACH = Fraction(1, FIT)


@pytest.fixture(autouse=True)
def _frequent_switches() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def race(spend: Callable[[], Any]) -> int:
    """Let all threads spend at once; give how many were granted."""
    start, granted, errors = threading.Barrier(THREADS), [], []

    def run() -> None:
        start.wait()
        try:
            spend()
        except BudgetExceededError:
            return
        except BaseException as error:  # noqa: BLE001 - a thread that dies would look like a refusal
            errors.append(error)
            return
        granted.append(1)

    threads = [threading.Thread(target=run) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    return len(granted)


@pytest.mark.long
def test_a_filter_grants_what_fits() -> None:
    for _ in range(RACES):
        cap = pc.PrivacyFilter(pv.budget(epsilon=1))
        assert race(partial(cap.charge, pc.PureLoss(EACH))) == FIT
        assert cap.remaining.point().cost == 0


@pytest.mark.long
def test_a_compositor_answers_what_fits() -> None:
    placed = pc.vector(int, bounds=(0, 1)) >> pc.FilterCompositor(budget=pv.budget(epsilon=1), d_in=1)
    question = pc.Sum() >> pc.Laplace(scale=FIT)
    for _ in range(RACES):
        queryable = placed([1, 0, 1])
        assert race(partial(queryable.ask, question)) == FIT
        assert queryable.ask("remaining").epsilon == 0


@pytest.mark.long
def test_a_session_answers_what_fits() -> None:
    book = pv.Codebook(columns={"ward": pv.column("text", categories=("a", "b"))}, unit=pv.Rows())
    for _ in range(RACES):
        with pv.Session([{"ward": "a"}] * 10, book, pv.budget(epsilon=1), threads=1) as session:
            question = session.query().agg(pv.count())
            assert race(partial(question.release, epsilon=EACH)) == FIT
            assert session.remaining.epsilon == 0
