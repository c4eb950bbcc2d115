"""What a curator serves: any object that knows its price, and how to measure once that is paid.

Models, synthesizers and reports in later layers hand such objects in; nothing here names them.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Protocol, TypeVar

from privet.accounting.losses.loss import Loss
from privet.tables.curator.private_tables import PrivateTables

Answer = TypeVar("Answer")
Answer_co = TypeVar("Answer_co", covariant=True)


class Plan(Protocol):
    """How a release is made; data-free."""

    @property
    def loss(self) -> Loss:
        """What the release costs."""


class Request(Protocol[Answer_co]):
    """A release that is planned and not yet paid for."""

    @property
    def plan(self) -> Plan:
        """How the release is made, with its loss."""

    @property
    def delta(self) -> Fraction | None:
        """The delta at which a budget of epsilon and delta reads the loss; None for the loss's own point."""

    def measure(self, tables: PrivateTables) -> Callable[[], Answer_co]:
        """Write and rehearse every query, reading no row; return the function that reads and adds noise.

        The curator calls this function once, after the charge.
        """


class Releasable(Protocol):
    """What an analyst can ask of a session: three verbs, each with the same words for what may be lost."""

    @property
    def describe(self) -> Callable[..., str]:
        """Write the plan in words; read no data and spend nothing."""

    @property
    def plan(self) -> Callable[..., Plan]:
        """Choose the noise; read no data and spend nothing."""

    @property
    def release(self) -> Callable[..., object]:
        """Charge the budget, read the data and release noisy values."""
