"""Private models that scikit-learn users can drop in: regression, classification, clustering.

The names load their modules when first used. They need scikit-learn, the extra ``models``.

>>> import privet as pv
>>> pv.models.LinearRegression(epsilon=1, delta=1e-6, bounds=(0, 1), target_bounds=(0, 1)).epsilon
1
"""

from typing import Any

from privet._lazy import homes_of
from privet._lazy import load as load_name
from privet._model_names import MODELS

_HOMES = homes_of(MODELS)

__all__ = sorted(_HOMES)  # noqa: PLE0605 - a list of names, computed once


def __getattr__(name: str) -> Any:
    value = load_name("privet.models", _HOMES, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
