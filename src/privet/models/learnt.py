"""Which attributes of an estimator a fit has written: scikit-learn keeps notes of its own on the same object."""

from inspect import get_annotations
from typing import Any


def is_learnt(kind: type, name: str) -> bool:
    """Return whether a fit of this class may write an attribute of this name.

    Public names end with an underscore, as scikit-learn has it. Private names are annotated in the class, and so are
    public names that every fit writes.

    Args:
        kind: The class of the estimator.
        name: The attribute.
    """
    if hasattr(kind, name):  # a method or a default of the class
        return False
    if not name.startswith("_"):
        return name.endswith("_")
    return any(name in get_annotations(each) for each in kind.__mro__)


def learnt(model: Any) -> dict[str, Any]:
    """Return what the latest fit has written into an estimator, by attribute.

    Args:
        model: The estimator.
    """
    return {name: value for name, value in vars(model).items() if is_learnt(type(model), name)}
