"""What a release may lose, as an analyst asks for it."""

from typing import Any

from privet.accounting.planning.budget import AdditiveBudget, budget
from privet.errors import WrongTypeError


def read_budget(what: str, *, epsilon: Any = None, delta: Any = None, rho: Any = None) -> AdditiveBudget:
    """Read what may be lost.

    Beside ``rho`` a ``delta`` plans nothing: it is where a session of epsilon and delta reads what the release costs.

    Args:
        what: Who asks, for messages.
        epsilon: What may be lost, with or without ``delta``.
        delta: The probability with which more may be lost.
        rho: Or what may be lost in concentrated privacy.

    >>> read_budget("release", rho=0.5, delta=1e-6)
    ConcentratedBudget(rho=0.5)
    """
    if epsilon is None and rho is None:
        raise WrongTypeError(
            f"{what} needs epsilon=..., with delta=... or without, or rho=...: what may be lost at most."
        )
    return budget(epsilon=epsilon, rho=rho, delta=delta if rho is None or epsilon is not None else None)
