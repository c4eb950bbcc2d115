"""Public lists of classes."""

from typing import Any

import numpy as np

from privet.core import Array, short
from privet.errors import InvalidError


def sorted_classes(label: str, values: tuple[Any, ...]) -> Array:
    """Sort classes; refuse those that numpy would turn into one type, such as 0 and "a".

    Args:
        label: The estimator, for messages.
        values: The classes.

    >>> sorted_classes("Model", ("yes", "no")).tolist()
    ['no', 'yes']
    """
    numbers = {type(value) for value in values} <= {int, float}
    if numbers or len({type(value) for value in values}) == 1:
        found = np.unique(np.array(values))
        if sorted(found.tolist()) == sorted(values):
            return found
    raise InvalidError(
        f"{label}.classes must be of one kind, such as whole numbers or texts, so that they have an order; got "
        f"{short(values)}."
    )
