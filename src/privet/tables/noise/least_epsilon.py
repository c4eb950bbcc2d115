"""The least epsilon with which intervals are as narrow as an analyst wants; found by planning, without data."""

import difflib
import math
from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta
from fractions import Fraction
from typing import Any

from privet.accounting.numerics import Decimals, Seen, boundary
from privet.accounting.planning.budget import ApproximateBudget, read_typed
from privet.core import number_text, read_number, saturated, short
from privet.errors import InvalidError, UnavailableError, WrongTypeError
from privet.tables.noise.half_width import HalfWidth

Targets = Mapping[str, float]  # half-widths by the name of the column
_DIGITS = 3
_LARGEST = 10_000  # an epsilon that protects nobody
_SMALLEST = Fraction(1, 10**6)
_DAY = 86_400  # seconds
_LEAST = 5e-324  # the smallest float


def read_targets(names: Iterable[str], given: Mapping[str, Any], *, where: str = "epsilon_for") -> dict[str, float]:
    """Read the half-widths that an analyst wants, by the name of the column.

    Args:
        names: The columns of the release.
        given: Numbers above zero by name; for dates and timestamps a ``timedelta``, or a number of days.
        where: The call, for messages.

    >>> read_targets(["count", "average"], {"count": 50})
    {'count': 50.0}
    """
    known = tuple(names)
    if not given:
        raise WrongTypeError(f"{where} needs a half-width of one column or more, such as {where}({known[0]}=50).")
    targets: dict[str, float] = {}
    for name, value in given.items():
        if name not in known:
            near = difflib.get_close_matches(str(name), known, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(map(repr, known))}."
            raise InvalidError(f"{where}: the release has no column {name!r}; {hint}")
        span = isinstance(value, timedelta)
        days = Fraction(value // timedelta(microseconds=1), 10**6 * _DAY) if span else value
        width = read_number(f"{where}.{name}", days)
        if width <= 0:
            raise InvalidError(f"{where}.{name} is a half-width and must be above zero, got {short(width)}.")
        targets[name] = max(saturated(width), _LEAST)
    return targets


def named_targets(half_widths: object, named: Mapping[str, Any]) -> dict[str, Any]:
    """Put half-widths of a dictionary and of arguments together.

    >>> named_targets({"count": 50}, {"average": 2})
    {'count': 50, 'average': 2}
    """
    if half_widths is not None and not isinstance(half_widths, Mapping):
        kind = type(half_widths).__name__
        raise WrongTypeError(
            f"epsilon_for takes half-widths by the name of the column, such as epsilon_for(count=50), got {kind}."
        )
    return {**(half_widths or {}), **named}


def read_targets_by_query(names: Iterable[str], given: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Read the half-widths that an analyst wants of the queries of a batch.

    Args:
        names: The queries.
        given: Half-widths by the name of the column, by the name of the query.
    """
    known = tuple(names)
    example = f"epsilon_for({known[0]}={{'count': 50}})"
    if not given:
        raise WrongTypeError(f"epsilon_for needs half-widths of one query or more, such as {example}.")
    for name, each in given.items():
        if name not in known:
            raise InvalidError(
                f"epsilon_for: the batch has no query {name!r}; there are {', '.join(map(repr, known))}."
            )
        if not isinstance(each, Mapping):
            raise WrongTypeError(f"epsilon_for.{name} must be half-widths by column, such as {example}.")
    return dict(given)


def times_too_wide(targets: Targets, half_width: Callable[[str], HalfWidth], *, where: str = "epsilon_for") -> float:
    """Give by how much the half-width that exceeds its target most does so; at most one where all are met.

    Args:
        targets: The half-widths that an analyst wants.
        half_width: That of a plan, by the name of the column.
        where: The call, for messages.
    """
    worst = 0.0
    for name, target in targets.items():
        wide = half_width(name)
        if wide.per_rows:
            raise InvalidError(
                f"{where}: the half-width of {name!r} depends on how many rows a group has. Give a public guess, "
                "group_size=..."
            )
        if math.isnan(wide.most):
            raise InvalidError(f"{where}: {name!r} has no interval, since its values are no numbers. Leave it out.")
        worst = max(worst, (wide.most / _DAY if wide.spans else wide.most) / target)
    return worst


def least_epsilon(
    excess: Callable[[ApproximateBudget], float], delta: object = None, *, where: str = "epsilon_for"
) -> float:
    """Find the least epsilon, of three digits and 0.000001 or more, at which intervals are narrow enough.

    Args:
        excess: How many times too wide the half-widths of a plan for some budget are; at most one if none is.
        delta: The delta beside every epsilon; none by default.
        where: The call, for messages.

    Raises:
        UnavailableError: No epsilon up to 10,000 is enough.

    >>> least_epsilon(lambda budget: float(2 / budget.epsilon))
    2.0
    """
    share = Fraction(0) if delta is None else read_typed(where, "delta", delta)
    if not 0 <= share < 1:
        raise InvalidError(
            f"{where}: delta is a probability, zero or more and below one, got {short(share)}. Give one such as 1e-6."
        )
    grid = Decimals(_DIGITS)

    def look(index: int) -> Seen:
        epsilon = grid.value(index)
        if epsilon > _LARGEST:
            return Seen(index, math.inf, fits=False, refused=True)
        if epsilon < _SMALLEST:
            return Seen(index, math.inf, fits=False)
        try:
            worst = excess(ApproximateBudget(epsilon=epsilon, delta=share))
        except UnavailableError:  # no noise that can be worked with is large enough
            return Seen(index, math.inf, fits=False)
        return Seen(index, math.log(worst) if worst > 0 else -math.inf, fits=worst <= 1)

    _, inside = boundary(look, grid, grid.near(0.0), 1)
    if inside is None:
        raise UnavailableError(
            f"{where}: no epsilon up to {number_text(_LARGEST)} gives such half-widths. Allow wider ones; for "
            "quantiles and geometric means, more bins=... help as well."
        )
    return float(grid.value(inside.index))  # three digits: it is read as the same decimal again
