"""A loss in plain words, for those who decide about it."""

from fractions import Fraction

from attrs import evolve

from privet.accounting.numerics import USUAL_DELTA
from privet.accounting.planning.budget import ApproximateBudget, read_typed, state_budget
from privet.accounting.planning.rules import Facts, advice, facts_of_budget
from privet.accounting.plots.explanation import HALF, Explanation
from privet.core import short
from privet.errors import InvalidError


def explain(
    epsilon: object = None,
    delta: object = None,
    *,
    rho: object = None,
    mu: object = None,
    prior: object = HALF,
    people: object = None,
) -> Explanation:
    """Say in plain words what a privacy loss means for one person: print it, show it in a notebook, or ``plot()`` it.

    Args:
        epsilon: The loss, with or without ``delta``.
        delta: The probability of a larger loss; beside ``rho`` or ``mu``, where epsilon is read: 1e-6 by default.
        rho: Or the loss in concentrated privacy.
        mu: Or the loss in Gaussian privacy.
        prior: How likely somebody thinks it is, before the release, that a person is in the data.
        people: About how many persons are in the data, as far as that is public, to compare ``delta`` with.

    >>> float(explain(epsilon=1, prior=0.5).highest) < 0.7311
    True
    """
    in_epsilon = rho is None and mu is None
    budget = state_budget("explain", epsilon=epsilon, delta=delta if in_epsilon else None, rho=rho, mu=mu)
    facts = evolve(facts_of_budget(budget), people=_read_people(people))
    if isinstance(budget, ApproximateBudget):
        return Explanation(epsilon=budget.epsilon, delta=budget.delta, prior=prior, notes=_notes(facts))
    share = USUAL_DELTA if delta is None else read_typed("explain", "delta", delta)
    if not 0 < share < 1:
        raise InvalidError(f"explain: delta must be above zero and below one for such a loss, got {short(share)}.")
    reached = budget.loss().epsilon(share)
    notes = _notes(evolve(facts, epsilon=reached, delta=share, other_form=""))
    return Explanation(epsilon=reached, delta=share, prior=prior, stated=facts.other_form, notes=notes)


def _notes(facts: Facts) -> tuple[str, ...]:
    """Give the advice of the guard rails as sentences."""
    return tuple(f"{line[:1].upper()}{line[1:]}." for line in advice(facts))


def _read_people(people: object) -> Fraction | None:
    if people is None:
        return None
    count = read_typed("explain", "people", people)
    if count <= 0:
        raise InvalidError(f"explain: people must be above zero, got {short(count)}.")
    return count
