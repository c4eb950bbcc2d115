"""How the budget of a pipeline is divided between its steps, and what they cost together."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from privet.accounting.losses.concentrated import ConcentratedLoss
from privet.accounting.losses.loss import Loss
from privet.accounting.losses.pure import PureLoss
from privet.accounting.planning.budget import AdditiveBudget
from privet.accounting.planning.budget import budget as make_budget
from privet.core import read_number
from privet.errors import InvalidError, WrongTypeError
from privet.models.estimator import PrivateEstimator
from privet.models.preprocessor import BUDGET, PrivatePreprocessor
from privet.models.spending import Spending, read_spending

_SMALL = Fraction(1, 10)  # of the budget, for each step that spends before the last


def read_shares(steps: Any, given: Any) -> dict[str, Fraction]:
    """Return the share of every step that spends.

    Args:
        steps: Pairs of a name and a step.
        given: The shares as they were stated, or None for a tenth for each but the last.
    """
    if given is not None and not isinstance(given, Mapping):
        raise WrongTypeError(f"pipeline.shares must be a dictionary by step, got {type(given).__name__}.")
    named = (
        {} if given is None else {name: read_number(f"pipeline.shares[{name!r}]", each) for name, each in given.items()}
    )
    needing = [name for name, step in steps if _needs(step)]
    if given is None:
        early = dict.fromkeys(needing[:-1], _SMALL)
        return early | {name: 1 - sum(early.values(), Fraction(0)) for name in needing[-1:]}
    able = [
        name for name, step in steps if isinstance(step, PrivateEstimator) and "epsilon" in step.get_params(deep=False)
    ]
    strange = [name for name in named if name not in able]
    missing = [name for name in needing if name not in named]
    if strange or missing:
        problem = f"names {strange[0]!r}, which spends nothing" if strange else f"must have a share for {missing[0]!r}"
        raise InvalidError(f"pipeline.shares {problem}.")
    if any(share <= 0 for share in named.values()) or sum(named.values()) > 1:
        raise InvalidError("pipeline.shares must be above zero and add up to at most one.")
    return {name: named[name] for name, _ in steps if name in named}


def _needs(step: Any) -> bool:
    return step.needs_budget() if isinstance(step, PrivatePreprocessor) else isinstance(step, PrivateEstimator)


def split_budget(
    made: Any, steps: dict[str, Any], shares: Mapping[str, Fraction]
) -> tuple[Any, dict[str, AdditiveBudget]]:
    """Return the whole budget in a form that all steps can spend, and the part of each.

    Args:
        made: The pipeline, which has the privacy arguments.
        steps: The steps by name.
        shares: The share of every step that spends.
    """
    if not shares:
        if any(getattr(made, each) is not None for each in BUDGET):
            raise InvalidError("pipeline: no step spends a budget; leave epsilon, delta, rho and budget out.")
        return None, {}
    if list(shares.values()) == [1]:  # one step: the budget as it was stated
        (name,) = shares
        spending = read_spending("pipeline", made, steps[name].forms)
        return spending, {name: spending.stated}
    forms = tuple(form for form in ("concentrated", "pure") if all(form in steps[name].forms for name in shares))
    if not forms:
        raise InvalidError("pipeline: the steps share no form of budget; fit them one by one.")
    spending = read_spending("pipeline", made, forms)  # type: ignore[arg-type]
    form = "epsilon" if spending.form == "pure" else "rho"
    return spending, {name: make_budget(**{form: share * spending.total}) for name, share in shares.items()}


def sum_of_losses(spending: Spending | None, losses: list[Loss]) -> Loss:
    """Return what all steps cost together.

    Args:
        spending: The whole budget, or None where no step spends.
        losses: Those of the steps that spend.
    """
    if spending is None:
        return PureLoss(0)
    if len(losses) == 1:
        return losses[0]
    if spending.form == "pure":
        return PureLoss(sum((Fraction(loss.epsilon(0)) for loss in losses), Fraction(0)))
    return ConcentratedLoss(sum((Fraction(loss.rho()) for loss in losses), Fraction(0)))
