"""Random queries on neighbouring tables: what moves is paid for, and nothing else can be told apart.

The exact numbers that reach each mechanism are recorded on both sides, with the same coins. Their difference gives the
loss of this pair of neighbours, which the charge must cover; all that a caller sees besides must be the same.
"""

import contextlib
import math
import random
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from statistics import NormalDist
from typing import Any
from unittest.mock import patch

import privet as pv
from privet.errors import PrivetError
from privet.mechanisms.gaussian import Gaussian
from privet.mechanisms.laplace import Laplace
from tests.fuzz.found_keys import Rounds, kept_for_aggregates
from tests.fuzz.queries import PERSONS, ROWS, UNITS, Build, codebooks, named_rows, question, row
from tests.laws.replay import replayed

Data = dict[str, list[dict[str, Any]]]
Numbers = list[tuple[str, Fraction, Fraction, list[int]]]
QUESTIONS = 4
DELTA = Fraction(1, 10**6)
SLACK = 1e-9
BUDGETS = (pv.budget(epsilon=100), pv.budget(epsilon=100, delta=1e-3), pv.budget(rho=100))
_ONCE = "has no types"  # of a warning that comes once in a process


@contextlib.contextmanager
def recorded() -> Iterator[Numbers]:
    """Record what Laplace and Gaussian mechanisms are given: kind, scale, step, whole steps."""
    seen: Numbers = []

    def spied(kind: str, release: Any) -> Any:
        def spy(self: Any, value: Any, space: Any) -> Any:
            grid = getattr(space.domain, "grid", None) or Fraction(1)
            seen.append((kind, self.scale, Fraction(grid), [int(item) for item in value]))
            return release(self, value, space)

        return spy

    with (
        patch.object(Laplace, "release", spied("laplace", Laplace.release)),
        patch.object(Gaussian, "release", spied("gaussian", Gaussian.release)),
    ):
        yield seen


def tables(dice: random.Random, unit: str) -> tuple[Data, Data]:
    """Draw two neighbours: one privacy unit more or less, and the rows in another order."""
    persons = [1, 2, 3, None, 2.5, "4"]
    first: Data = {
        name: [row(dice, dice.choice(persons), name) for _ in range(dice.randint(0, 12))]
        for name in ("visits", "people")
    }
    if unit == ROWS:
        name = dice.choice(("visits", "people"))
        second = {**first, name: [*first[name], row(dice, dice.choice(persons), name)]}
    else:
        second = {name: [item for item in rows if item["id"] not in (2, "2")] for name, rows in first.items()}
        if unit != PERSONS:  # one person within one month: all of the person's rows of that month, and no other
            day = {"day": "2024-02-01"}
            second = {
                name: [item for item in rows if item["id"] not in (2, "2") or item.get("day") != day["day"]]
                for name, rows in first.items()
            }
        elif dice.random() < 0.5:
            fresh = {name: [row(dice, 9, name) for _ in range(dice.randint(0, 6))] for name in first}
            second = {name: [*rows, *fresh[name]] for name, rows in first.items()}
    second = {name: dice.sample(rows, len(rows)) for name, rows in second.items()}
    return (first, second) if dice.random() < 0.5 else (second, first)


def moved(first: Numbers, second: Numbers) -> tuple[float, float]:
    """Give the pure loss of what Laplace noise hides and the rho of what Gaussian noise hides, for one pair."""
    assert [item[:3] for item in first] == [item[:3] for item in second], "parity law: other noise for a neighbour"
    pure, rho = Fraction(0), Fraction(0)
    for (kind, scale, grid, ours), (_, _, _, theirs) in zip(first, second, strict=True):
        assert len(ours) == len(theirs), "parity law: other numbers for a neighbour"
        steps = [abs(a - b) * grid / scale for a, b in zip(ours, theirs, strict=True)]
        if kind == "laplace":
            pure += sum(steps, Fraction(0))
        else:
            rho += sum((step * step for step in steps), Fraction(0)) / 2
    return float(pure), float(rho)


def normal_delta(rho: float, epsilon: float) -> float:
    """The delta of two normal laws that far apart, at epsilon."""
    if rho == 0:
        return 0.0
    mu, law = math.sqrt(2 * rho), NormalDist()
    return max(law.cdf(mu / 2 - epsilon / mu) - math.exp(epsilon) * law.cdf(-mu / 2 - epsilon / mu), 0.0)


def released(
    session: pv.Session, build: Any, lost: dict[str, Any], seed: int, rounds: Rounds
) -> tuple[Any, Numbers, Fraction]:
    """Build and release a question.

    Gives all that a caller sees but the numbers, what the mechanisms were given, and the part of epsilon for them.
    """
    with recorded() as seen, replayed(seed), rounds.recorded(), warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            asked = build(session)
            told = asked.describe(**lost)
            answer = asked.release(**lost)
        except PrivetError as error:
            return ("refused", type(error).__name__, str(error), repr(session.spent)), seen, Fraction(1)
    looks = (
        told,
        str([(each.category.__name__, str(each.message)) for each in warned]),
        str([each.layout() for each in (answer.values() if isinstance(answer, Mapping) else [answer])]),
        str(getattr(answer, "notes", "")),
        str(getattr(answer, "groups", "")),
        repr(session.spent),
    )
    return ("answered", *looks), seen, kept_for_aggregates(asked)


def check_questions(seed: int) -> None:
    """Ask several random questions of two neighbouring tables and compare."""
    check_builds(seed, question, tuple(UNITS))


def check_builds(
    seed: int,
    draw: Callable[[int, str], Build],
    units: Sequence[str],
    public: Mapping[str, Any] | None = None,
    neighbours: Callable[[random.Random, str], tuple[Data, Data]] = tables,
    budgets: Sequence[Any] = BUDGETS,
) -> None:
    """Release several random queries of two neighbouring tables, and compare.

    Args:
        seed: Decides everything.
        draw: Gives a query, from a seed and the name of the unit.
        units: The names of the units to choose from.
        public: Public tables of both sessions.
        neighbours: Draws the two tables, for a unit.
        budgets: Budgets of the sessions to choose from.
    """
    dice = random.Random(seed)
    unit = dice.choice(list(units))
    books = codebooks(dice, UNITS[unit](dice))
    pair = neighbours(dice, unit)
    budget = dice.choice(budgets)
    sessions, opened = [], []
    try:
        for data in pair:
            with replayed(seed), warnings.catch_warnings(record=True) as warned:
                warnings.simplefilter("always")
                sessions.append(pv.Session(named_rows(data, books), books, budget, threads=1, public=public))
            opened.append([str(each.message) for each in warned if _ONCE not in str(each.message)])
        assert opened[0] == opened[1], f"parity law: other warnings for a neighbour: {opened}"
        for number in range(QUESTIONS):
            _check(dice, draw(dice.getrandbits(64), unit), unit, sessions, seed + number, pair)
    finally:
        for session in sessions:
            session.close()


def _check(dice: random.Random, build: Build, unit: str, sessions: list[Any], seed: int, pair: Any) -> None:
    spends_rho = hasattr(sessions[0].spent, "rho")
    lost: dict[str, Any] = (
        {"rho": Fraction(1, 10)}
        if spends_rho
        else dice.choice(({"epsilon": 1}, {"epsilon": 1, "delta": DELTA}, {"epsilon": 1, "delta": DELTA}))
    )
    if not spends_rho and getattr(sessions[0].remaining, "delta", 0) == 0:
        lost = {"epsilon": 1}
    before = sessions[0].spent
    rounds = Rounds()
    (one, first, share), (other, second, _) = (released(session, build, lost, seed, rounds) for session in sessions)
    context = f"\nunit: {unit}\nquery: {build}\nseen: {one}\n      {other}\nx = {pair[0]!r}\ny = {pair[1]!r}"
    assert one == other, f"parity law: neighbours can be told apart{context}"
    if one[0] == "refused":
        assert not first or repr(before) != repr(sessions[0].spent), f"parity law: read without a charge{context}"
        return
    try:
        rounds.check()
        pure, rho = moved(first, second)
    except AssertionError as error:
        raise AssertionError(f"{error}{context}") from error
    if "rho" in lost:
        fits = rho <= float(lost["rho"]) + SLACK
    else:
        left = float(lost["epsilon"] * share) - pure
        fits = left >= -SLACK and normal_delta(rho, max(left, 0.0)) <= float(lost.get("delta", 0)) * (1 + 1e-6) + 1e-15
    assert fits, f"map law: the charge {lost} does not cover what moved (epsilon {pure}, rho {rho}){context}"
