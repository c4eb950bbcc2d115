"""Cluster sampling: refused, with the reason and what to do instead."""

from typing import Any, NoReturn, final

from privet.accounting.losses.loss import Loss, Sampling
from privet.errors import UnavailableError

_REASON = (
    "ClusterSampling gives no amplification. Where whole clusters (schools, households, districts) are drawn, the "
    "release tells which ones, and with it who is in the sample; where strata or sample sizes depend on the data, the "
    "design may even lose more than a release from all data (Bun, Drechsler, Gaboardi, McMillan and Sarathy 2022). "
    "Use the loss as it is, without amplify. If clusters were fixed before the data, hold at most m persons and were "
    "each drawn by a coin of their own, loss.group(m).amplify(Population(rate=...)) is valid and may be less. If "
    "persons were drawn within clusters by coins of their own, amplify with the rate of that stage alone."
)


@final
class ClusterSampling(Sampling):
    """Cluster, stratified and other designs in which persons are not drawn alike and independently: always refused.

    Args:
        design: Anything; nothing is read.

    Raises:
        UnavailableError: always, with the reason and what to do instead.

    Proof: docs/accounting/sampling/cluster_sampling.md.

    >>> ClusterSampling(clusters=100, drawn=10)
    Traceback (most recent call last):
    privet.errors.UnavailableError: ClusterSampling gives no amplification. ...
    """

    def __init__(self, *_: object, **design: Any) -> None:
        raise UnavailableError(_REASON)

    def amplify(self, loss: Loss) -> NoReturn:
        """Refuse."""
        raise UnavailableError(_REASON)
