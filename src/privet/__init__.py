"""Privet: a hedge around your data.

Provably private statistics: stable transformations, one mechanism, a loss that adds up. Names load when first used.

>>> import privet as pv
>>> chain = pv.vector(int) >> pv.Clamp(bounds=(0, 10)) >> pv.Sum() >> pv.Laplace(scale=20)
>>> chain.map(2).epsilon()
Fraction(1, 1)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from privet import errors as errors
    from privet import noise as noise
    from privet.accounting.approximate import ApproximateLoss as ApproximateLoss
    from privet.accounting.bounded_range import BoundedRangeLoss as BoundedRangeLoss
    from privet.accounting.budget import budget as budget
    from privet.accounting.concentrated import ConcentratedLoss as ConcentratedLoss
    from privet.accounting.laplace import LaplaceLoss as LaplaceLoss
    from privet.accounting.pure import PureLoss as PureLoss
    from privet.accounting.randomized_response import RandomizedResponseLoss as RandomizedResponseLoss
    from privet.combinators.privacy_filter import PrivacyFilter as PrivacyFilter
    from privet.core.exact import exact as exact
    from privet.core.loss import Loss as Loss
    from privet.core.loss import Poisson as Poisson
    from privet.core.measurement import Measurement as Measurement
    from privet.core.metric import AbsoluteDistance as AbsoluteDistance
    from privet.core.metric import DiscreteDistance as DiscreteDistance
    from privet.core.metric import HammingDistance as HammingDistance
    from privet.core.metric import IdentifierDistance as IdentifierDistance
    from privet.core.metric import InsertDelete as InsertDelete
    from privet.core.metric import PartitionDistance as PartitionDistance
    from privet.core.metric import Parts as Parts
    from privet.core.metric import RangeDistance as RangeDistance
    from privet.core.metric import SymmetricDistance as SymmetricDistance
    from privet.core.metric import VectorDistance as VectorDistance
    from privet.core.queryable import Queryable as Queryable
    from privet.core.space import Space as Space
    from privet.core.space import choice as choice
    from privet.core.space import matrix as matrix
    from privet.core.space import numbers as numbers
    from privet.core.space import records as records
    from privet.core.space import scalar as scalar
    from privet.core.space import vector as vector
    from privet.core.transformation import RandomTransformation as RandomTransformation
    from privet.core.transformation import Transformation as Transformation
    from privet.mechanisms.gaussian import Gaussian as Gaussian
    from privet.mechanisms.laplace import Laplace as Laplace
    from privet.mechanisms.noisy_mean import NoisyMean as NoisyMean
    from privet.mechanisms.randomized_response import RandomizedResponse as RandomizedResponse
    from privet.transforms.clamp import Clamp as Clamp
    from privet.transforms.count import Count as Count
    from privet.transforms.endpoint_sums import EndpointSums as EndpointSums
    from privet.transforms.mean import Mean as Mean
    from privet.transforms.sum import Sum as Sum

__version__ = "0.1.0"

_HOMES = {
    "privet.accounting.approximate": ("ApproximateLoss",),
    "privet.accounting.bounded_range": ("BoundedRangeLoss",),
    "privet.accounting.budget": ("budget",),
    "privet.accounting.concentrated": ("ConcentratedLoss",),
    "privet.accounting.laplace": ("LaplaceLoss",),
    "privet.accounting.pure": ("PureLoss",),
    "privet.accounting.randomized_response": ("RandomizedResponseLoss",),
    "privet.combinators.privacy_filter": ("PrivacyFilter",),
    "privet.core.exact": ("exact",),
    "privet.core.loss": ("Loss", "Poisson"),
    "privet.core.measurement": ("Measurement",),
    "privet.core.metric": (
        "AbsoluteDistance",
        "DiscreteDistance",
        "HammingDistance",
        "IdentifierDistance",
        "InsertDelete",
        "PartitionDistance",
        "Parts",
        "RangeDistance",
        "SymmetricDistance",
        "VectorDistance",
    ),
    "privet.core.queryable": ("Queryable",),
    "privet.core.space": ("Space", "choice", "matrix", "numbers", "records", "scalar", "vector"),
    "privet.core.transformation": ("RandomTransformation", "Transformation"),
    "privet.mechanisms.gaussian": ("Gaussian",),
    "privet.mechanisms.laplace": ("Laplace",),
    "privet.mechanisms.noisy_mean": ("NoisyMean",),
    "privet.mechanisms.randomized_response": ("RandomizedResponse",),
    "privet.transforms.clamp": ("Clamp",),
    "privet.transforms.count": ("Count",),
    "privet.transforms.endpoint_sums": ("EndpointSums",),
    "privet.transforms.mean": ("Mean",),
    "privet.transforms.sum": ("Sum",),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}
_ROOMS = ("errors", "noise")

__all__ = sorted((*_HOME_OF, *_ROOMS))  # noqa: PLE0605 - a list of names, computed once


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f"privet.{name}")
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(_unknown(name))
    found = getattr(import_module(home), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


def _unknown(name: str) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, __all__, n=1, cutoff=0.6) or [
        known for known in __all__ if known.lower() == name.lower()
    ]
    hint = f" Did you mean {close[0]}?" if close else " The public names are listed in dir(privet)."
    return f"privet has no name {name!r}.{hint}"
