"""dp_accounting's loss distributions of the shared cases; runs in dp_accounting's own environment.

Pessimistic answers connect the dots wherever dp_accounting can; optimistic ones are its privacy buckets, the only
optimistic estimate that it has. A loss of which only epsilon and delta are known has a pessimistic constructor only;
its optimistic answer is made from the two distributions that dominate all such losses.
"""

import math
from typing import Any

from dp_accounting.pld import common
from dp_accounting.pld import privacy_loss_distribution as pld

from bench.dp_accounting_cases import Part


def composed(parts: list[Part], *, grid: float, pessimistic: bool) -> Any:
    """Compose the parts, each with itself first."""
    whole = None
    for part in parts:
        times = int(part["times"])
        one = distribution(part, grid=grid, pessimistic=pessimistic)
        many = one if times == 1 else one.self_compose(times)
        whole = many if whole is None else whole.compose(many)
    return whole


def distribution(part: Part, *, grid: float, pessimistic: bool) -> Any:
    """Make the loss distribution of one use of a part."""
    kind = part["kind"]
    estimate = {"pessimistic_estimate": pessimistic, "value_discretization_interval": grid}
    noise = {**estimate, "sampling_prob": float(part.get("sample", 1)), "use_connect_dots": pessimistic}
    if kind == "gaussian":
        return pld.from_gaussian_mechanism(float(part["scale"]), **noise)
    if kind == "laplace":
        return pld.from_laplace_mechanism(float(part["scale"]), **noise)
    if kind == "discrete_gaussian":
        return pld.from_discrete_gaussian_mechanism(float(part["scale"]), **noise)
    if kind == "discrete_laplace":
        return pld.from_discrete_laplace_mechanism(float(part["rate"]), sensitivity=int(part["distance"]), **noise)
    if kind == "randomized_response":
        return pld.from_randomized_response(float(part["noise"]), int(part["buckets"]), **estimate)
    return _known(float(part["epsilon"]), float(part.get("delta", 0)), grid=grid, pessimistic=pessimistic)


def _known(epsilon: float, delta: float, *, grid: float, pessimistic: bool) -> Any:
    if pessimistic:
        return pld.from_privacy_parameters(common.DifferentialPrivacyParameters(epsilon, delta), grid)
    more, less = (math.log1p(-delta) - math.log1p(math.exp(sign * epsilon)) for sign in (-1, 1))
    upper, lower = {"more": more, "less": less}, {"more": less, "less": more}
    if delta:
        upper["only upper"] = lower["only lower"] = math.log(delta)
    estimate = {"pessimistic_estimate": False, "value_discretization_interval": grid}
    return pld.from_two_probability_mass_functions(lower, upper, **estimate)
