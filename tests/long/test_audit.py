"""A whole session, audited from outside: a million runs on either of two neighbours, and what a test makes of them.

Each group of a table is one run of the same session on one small table: groups have their own rows and their own
noise. In one table every group has ROWS rows, in the other one row more. Whoever sees all releases of a run guesses
which table
it was; by Clopper and Pearson the two error rates bound the loss from below, with confidence 1 - 1e-6. The bound must
not pass what the session charged, and it must come near: an audit that sees nothing shows nothing.
"""

import math
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from flint import arb

import privet as pv
from privet.core.exact import precision

GROUPS, SESSIONS, ROWS = 5_000, 200, 3
BETA = 5e-7  # for each of two bounds


@cache
def book() -> pv.Codebook:
    column = pv.column("integer", categories=tuple(range(1, GROUPS + 1)))
    return pv.Codebook(columns={"run": column, "x": pv.column("integer", bounds=(0, 1))}, unit=pv.Rows())


@cache
def seen(rows: int, sessions: int = SESSIONS) -> tuple[Any, Fraction]:
    """Give every release of every run, runs by releases, and what the session says that it spent."""
    table = {"run": np.repeat(np.arange(1, GROUPS + 1), rows), "x": np.ones(GROUPS * rows, dtype=np.int64)}
    found, spent = [], Fraction(0)
    for _ in range(sessions):
        with pv.Session(pa.table(table), book(), pv.budget(epsilon=1)) as session:
            by_run = session.query().group_by("run")
            first = by_run.agg(pv.count()).release(epsilon=Fraction(1, 2)).values("count")
            second = by_run.agg(pv.sum("x")).release(epsilon=Fraction(1, 2)).values("sum_x")
            found.append(np.stack([first, second], axis=1))
            spent = Fraction(session.loss.epsilon())
    return np.concatenate(found), spent


def clopper_pearson(hits: int, runs: int, beta: float) -> tuple[float, float]:
    """Bounds of a probability that miss it with probability beta each, by the exact binomial tail."""

    def tail(p: float, at_least: int) -> float:
        with precision(128):  # P(X >= k) is the regularised incomplete beta function
            return float(arb(p).beta_lower(at_least, runs - at_least + 1, regularized=1).mid())

    def search(rising: Any) -> float:
        low, high = 0.0, 1.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (low, middle) if rising(middle) else (middle, high)
        return low

    least = 0.0 if hits == 0 else search(lambda p: tail(p, hits) > beta)
    most = 1.0 if hits == runs else search(lambda p: 1 - tail(p, hits + 1) < beta)
    return least, most


def audited(here: Any, there: Any) -> float:
    """The largest certified log-ratio of an event, chosen on one half of the runs and counted on the other."""
    half, best, event = len(here) // 2, -math.inf, (0.0, 0.0)
    middle = (np.median(here, axis=0) + np.median(there, axis=0)) / 2
    for shift in ((0.0, 0.0), (0.5, 0.5), (1.0, 1.0), (2.0, 2.0)):
        limits = middle + shift
        counts = [(part[:half] >= limits).all(axis=1).sum() + 1 for part in (here, there)]
        if (ratio := math.log(counts[1] / counts[0])) > best:
            best, event = ratio, tuple(limits)
    hits = [int((part[half:] >= np.array(event)).all(axis=1).sum()) for part in (here, there)]
    runs = len(here) - half
    return math.log(clopper_pearson(hits[1], runs, BETA)[0] / clopper_pearson(hits[0], runs, BETA)[1])


@pytest.mark.long
def test_no_event_tells_neighbours_better_apart_than_the_charge_allows() -> None:
    (here, spent), (there, _) = seen(ROWS), seen(ROWS + 1)
    assert here.shape == (GROUPS * SESSIONS, 2)
    assert spent == 1
    least = audited(here, there)
    assert 0.9 * float(spent) <= least <= float(spent)


@pytest.mark.long
def test_a_session_that_charged_too_little_would_be_caught() -> None:
    few = SESSIONS // 20
    (here, spent), (two_more, _) = seen(ROWS, few), seen(ROWS + 2, few)
    assert audited(here, two_more) > float(spent) * 1.5  # neighbours that are two rows apart, charged as if by one


def test_the_bounds_are_those_of_the_binomial_law() -> None:
    low, high = clopper_pearson(50, 100, 0.025)
    assert (round(low, 4), round(high, 4)) == (0.3983, 0.6017)  # the textbook's
    assert clopper_pearson(0, 100, 0.025)[0] == 0
    assert clopper_pearson(100, 100, 0.025)[1] == 1
