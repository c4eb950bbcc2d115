"""Requests: objects that know their privacy loss, and how to measure after it is charged.

Models, synthesizers and reports in later layers bring requests of their own; nothing here names them.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Protocol, TypeVar, final

from attrs import frozen

from privet.accounting.losses.loss import Loss
from privet.tables.curator.private_tables import PrivateTables

Answer = TypeVar("Answer")
Answer_co = TypeVar("Answer_co", covariant=True)


class Plan(Protocol):
    """How a release is made; it holds no data."""

    @property
    def loss(self) -> Loss:
        """The privacy loss of the release."""


@final
@frozen
class CostliestPlan:
    """A plan whose noise is not known yet: it may cost all that its budget allows.

    Args:
        loss: That of the whole budget.
    """

    loss: Loss


class Request(Protocol[Answer_co]):
    """A release that is planned and not yet paid for.

    A request may have a ``title`` too: what it releases, in one line, for the history of the session. It must not
    depend on the data. With ``words()``, which gives its query as plain data, and ``read_back(text)``, which reads what
    ``to_json`` of its release wrote, a ledger gives its release again without another charge.
    """

    @property
    def plan(self) -> Plan:
        """How the release is made, with its loss."""

    @property
    def tables(self) -> PrivateTables:
        """The tables that it was planned for: no other curator serves it, since its loss holds for these alone."""

    @property
    def delta(self) -> Fraction | None:
        """The delta at which a budget of epsilon and delta reads the loss; None for the loss's own point."""

    def measure(self, tables: PrivateTables) -> Callable[[], Answer_co]:
        """Write and rehearse every query, reading no row; return the function that reads and adds noise.

        The curator calls this function once, after the charge.
        """


def title_of(request: object) -> str:
    """Say in one line what a request releases: its own ``title``, if it has one."""
    title = getattr(request, "title", None)
    plain = str.__str__(title) if isinstance(title, str) else ""  # a text of its own class might fail after the charge
    return plain or f"a release of {type(request).__name__}"


class Releasable(Protocol):
    """What can be released: three verbs, with the same arguments for what a release may lose."""

    @property
    def describe(self) -> Callable[..., str]:
        """Write the plan in words; read no data and spend nothing."""

    @property
    def plan(self) -> Callable[..., Plan]:
        """Choose the noise; read no data and spend nothing."""

    @property
    def release(self) -> Callable[..., object]:
        """Charge the budget, read the data and release noisy values."""
