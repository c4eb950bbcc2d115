"""The law of fits: with the same history of releases, neighbouring data give the same chain and near statistics.

A first fit records every measurement: its chain, the exact statistic, and the release. A second fit, of a neighbour,
gets the same releases. Then all that a fit may depend on is equal, so that every chain must be the same, and every
exact statistic may move only as far as the map of its chain says. What was learnt, every warning and every exception
must be equal too, and ``loss_`` must cover every release. Whoever takes a bound, a class or a count from the data fails
one or the other.
"""

import contextlib
import math
import random
import warnings
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any
from unittest import mock

import numpy as np
from attrs import field, frozen

from privet.accounting.losses.loss import Loss
from privet.chains.transformation import TransformationChain
from privet.core import NumbersDomain
from privet.models.fit_job import rows_of_persons
from privet.models.pipelines import Pipeline
from privet.models.private_rows import PrivateRows
from privet.models.rows_in_parts import RowsInParts
from tests.laws.replay import replayed


@frozen
class Step:
    """One measurement of a fit."""

    name: str
    links: Any
    mechanism: Any
    exact: Any
    release: Any
    account: Any = field(default=None, repr=False)


@contextlib.contextmanager
def histories(record: list[Step], given: list[Step] | None) -> Iterator[None]:
    """Record what fits measure; with a given history, answer by it and compare."""

    def measure(self: PrivateRows, name: str, unit: Any) -> Any:
        placed = unit if hasattr(unit, "links") else self.space >> unit
        parts = self.value if isinstance(self.value, RowsInParts) else None
        whole = self.value if parts is None else parts.together()
        assert self.space.domain.member(whole), f"history law: the rows of {name} are not in their domain"
        self.account.charge(name, placed)
        chain = TransformationChain(placed.links)
        with np.errstate(all="ignore"):
            exact = whole if not placed.links else chain.run(whole) if parts is None else parts.result_of(chain)
        at = len(record)
        if given is not None:
            assert at < len(given), "history law: the number of releases depends on the data"
        release = _pseudo(placed, exact, at) if given is None else given[at].release
        record.append(Step(name, placed.links, placed.mechanism, exact, release, self.account))
        if given is not None:
            _compare(given[at], record[at], placed, self.account.d_in)
        return release

    rehearse = mock.patch.object(Pipeline, "_rehearse")  # it reads no rows, and its releases are shown to nobody
    with mock.patch.object(PrivateRows, "measure", measure), rehearse:
        yield


def _pseudo(placed: Any, exact: Any, at: int) -> Any:
    """Make a release whose noise is no secret: fits draw their public coins from the recorded source only."""
    domain = placed.place.domain
    if isinstance(domain, NumbersDomain) and hasattr(placed.mechanism, "scale"):
        source = np.random.default_rng(at)
        steps = float(placed.mechanism.scale / domain.grid)
        noise = [round(item) for item in (source.normal(size=domain.length) * steps).tolist()]
        return domain.release(np.array([int(a) + b for a, b in zip(exact, noise, strict=True)], dtype=object))
    with replayed(seed=1000 + at):
        member = placed.mechanism.release(exact, placed.place)
        return placed.post_process(member)


def _compare(first: Step, second: Step, placed: Any, d_in: int) -> None:
    assert first.name == second.name, f"history law: {first.name} became {second.name}"
    assert first.links == second.links, f"history law: the chain of {first.name} depends on the data"
    assert first.mechanism == second.mechanism, f"history law: the noise of {first.name} depends on the data"
    allowed = TransformationChain(placed.links).map(d_in) if placed.links else d_in
    space = placed.place
    moved = space.metric.distance(first.exact, second.exact, space.domain)
    assert moved <= allowed, f"history law: {first.name} moves by {moved}, and its map says {allowed}"


def check_history(
    make: Callable[[], Any], table: Any, target: Any, *, remove: int, seed: int = 0, persons: Any = None
) -> Loss:
    """Fit data and a neighbour without some rows under one history; return the loss of the fit.

    Args:
        make: Gives a fresh estimator.
        table: The rows.
        target: The target, or None.
        remove: The row, or with persons the person, that the neighbour does not have.
        seed: Of the public coins of a fit.
        persons: The person of each row, where persons are protected.
    """
    keep = np.arange(len(table)) != remove if persons is None else np.asarray(persons) != remove
    first, second = Run(), Run()
    with replayed(seed=seed), histories(first.steps, None), choices(first.chosen, None, keep):
        one = first.fit(make(), table, target, persons)
    with replayed(seed=seed), histories(second.steps, first.steps), choices(second.chosen, first.chosen, keep):
        left = None if target is None else target[keep]
        other = second.fit(make(), table[keep], left, None if persons is None else np.asarray(persons)[keep])
    assert type(one) is type(other), f"history law: {one!r} became {other!r}, so that an exception depends on the data"
    if isinstance(one, Exception):
        raise one
    assert len(first.steps) == len(second.steps), "history law: the number of releases depends on the data"
    assert first.warnings == second.warnings, "history law: a warning depends on the data"
    assert one.to_json() == other.to_json(), "history law: what was learnt depends on the data, not on releases alone"
    losses = [part.loss_ for part in _parts(one) if part.releases_]
    assert losses == _budgets(first.steps), "history law: loss_ leaves out a release"
    return one.loss_  # type: ignore[no-any-return]


@frozen
class Run:
    """What can be seen of a fit."""

    steps: list[Step] = field(factory=list)
    chosen: list[Any] = field(factory=list)  # which rows of persons count, once for each step of a pipeline
    warnings: list[tuple[str, str]] = field(factory=list)

    def fit(self, model: Any, table: Any, target: Any, persons: Any) -> Any:
        """Return a fitted model, or the exception that it raised."""
        more = {} if persons is None else {"persons": persons}
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            try:
                return model.fit(table, **more) if target is None else model.fit(table, target, **more)
            except AssertionError:
                raise
            except Exception as error:  # noqa: BLE001 - whatever it is, the neighbour must raise it too
                return error
            finally:
                self.warnings.extend((each.category.__name__, str(each.message)) for each in seen)


def _parts(model: Any) -> list[Any]:
    return [part for _, part in model.steps_ if hasattr(part, "loss_")] if hasattr(model, "steps_") else [model]


def _budgets(steps: list[Step]) -> list[Loss]:
    """Return the loss of each budget that paid for releases, which must be worth all of them."""
    accounts = {id(step.account): step.account for step in steps}
    for place, account in accounts.items():
        charged = [charge.loss for charge in account.charges]
        assert len(charged) == sum(id(step.account) == place for step in steps), "history law: a release is not charged"
        pure = account.spending.form == "pure"
        spent = sum(Fraction(loss.epsilon(0) if pure else loss.rho()) for loss in charged)
        assert spent <= account.spending.total, "history law: the releases cost more than the budget"
    return [account.loss for account in accounts.values()]


@contextlib.contextmanager
def choices(record: list[Any], given: list[Any] | None, keep: Any) -> Iterator[None]:
    """Choose the rows of a person by coins of their own: all others have the same rows in both fits."""

    def choose(label: str, ids: Any, rows: int, most: Any) -> Any:
        with replayed(seed=2000 + len(record)):
            chosen, d_in = rows_of_persons(label, ids, rows, most)
        record.append(chosen if given is None else given[len(record)][keep])
        return record[-1], d_in

    with mock.patch("privet.models.estimator.rows_of_persons", choose):
        yield


def drawn_table(source: random.Random, rows: int, columns: int) -> Any:
    """Draw rows with the values that break things: ends of bounds, beyond them, missing, infinite, equal rows."""
    odd = [math.nan, math.inf, -math.inf, 1e300, -1e300, 0.0, 1.0, -1.0, 1e-300]
    table = [
        [source.choice(odd) if source.random() < 0.15 else source.gauss(0, 0.7) for _ in range(columns)]
        for _ in range(rows)
    ]
    if rows > 3 and source.random() < 0.3:
        table[1] = list(table[0])
    return np.array(table, dtype=np.float64).reshape(rows, columns)


def drawn_mixture(source: random.Random, rows: int, columns: int) -> Any:
    """Draw rows whose first column has texts, some of them in no list, and anything else."""
    table = np.empty((rows, columns), dtype=object)
    table[:, 1:] = drawn_table(source, rows, columns - 1)
    table[:, 0] = [source.choice(["a", "b", "c", "unknown", None, math.nan, 3]) for _ in range(rows)]
    return table


def drawn_classes(source: random.Random, rows: int, classes: int) -> Any:
    """Draw classes, some of them in no list."""
    return np.array([source.randrange(classes + 1) for _ in range(rows)], dtype=np.int64)


def drawn_numbers(source: random.Random, rows: int) -> Any:
    """Draw targets, some of them missing or beyond all bounds."""
    return drawn_table(source, rows, 1)[:, 0] if rows else np.empty(0)


def spends_within(loss: Loss, epsilon: float, delta: float) -> bool:
    """Tell whether a loss fits a budget."""
    return loss.epsilon(Fraction(delta)) <= Fraction(epsilon)
