"""What estimators without a target share."""

from typing import Any, ClassVar

from privet.core import Array, Bounds
from privet.errors import InvalidError
from privet.models.estimator import PrivateEstimator


class PrivateUnsupervised(PrivateEstimator):
    """A private estimator that learns from features alone; a target is ignored."""

    supervised: ClassVar[bool] = False

    def _read_target(self, target: Any) -> tuple[Array, Array, Bounds]:
        """Refuse: there is no target to read."""
        raise InvalidError(f"{type(self).__name__} reads no target.")
