"""What a curator says about unusual losses and units: warnings, each once, and lines for descriptions and releases."""

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import final

from attrs import evolve

from privet.accounting.losses.loss import Budget
from privet.accounting.planning.rules import Facts, advice, applying, facts_of_budget
from privet.core import warn_caller
from privet.tables.codebook.codebook import Codebook
from privet.tables.columns import Persons, Rows
from privet.tables.relations.id_columns import describe_protected

_LIKE_AN_ID = re.compile(r".*[a-z0-9](_id|_uuid|_guid|-id| id|Id|ID)", re.DOTALL)
_OF_ROWS = re.compile(r"(row|record|entry|line|visit|event|order|transaction)([_ -]?)(id|uuid|guid)", re.IGNORECASE)


@final
class Advisor:
    """The guard rails of one session. It knows what is public of the tables, and what it warned of already.

    Args:
        codebooks: What is publicly known of each table.
        warned: The rules that this session, or the one that it is a part of, warned of already.
    """

    def __init__(self, codebooks: Mapping[str, Codebook], warned: set[str] | None = None) -> None:
        self.warned: set[str] = set() if warned is None else warned
        self._unit = unit_facts(codebooks)

    @property
    def unit_lines(self) -> tuple[str, ...]:
        """Say what the privacy unit leaves open, where it is narrower than a person."""
        return advice(self._unit)

    def lines(self, budget: Budget | None, rows: Fraction | None = None) -> tuple[str, ...]:
        """Say what is unusual about a loss.

        Args:
            budget: The loss; None where none is stated.
            rows: About how many rows there are, as far as that is public.
        """
        return advice(evolve(facts_of_budget(budget), people=rows))

    def warn_of_opening(self, where: str, budget: Budget) -> None:
        """Warn of the budget and the privacy unit of a session."""
        self._warn(f"{where}.budget", facts_of_budget(budget))
        self._warn(where, self._unit)

    def warn_of_loss(self, where: str, budget: Budget, delta: Fraction | None, rows: Fraction | None) -> None:
        """Warn of what one release may lose.

        Args:
            where: The call.
            budget: What it may lose.
            delta: The delta at which a loss in another form is read.
            rows: About how many rows there are, as far as that is public.
        """
        facts = facts_of_budget(budget)
        self._warn(where, evolve(facts, delta=max(facts.delta, delta or Fraction(0)), people=rows))

    def _warn(self, where: str, facts: Facts) -> None:
        for rule in applying(facts):
            if rule.level == "warning" and rule.name not in self.warned:
                self.warned.add(rule.name)
                warn_caller(f"{where}: {rule.line(facts)}. (Rule: {rule.name}.)")


def unit_facts(codebooks: Mapping[str, Codebook]) -> Facts:
    """Say what the narrowest privacy unit of some tables protects, and what it leaves open.

    Args:
        codebooks: What is publicly known of each table.

    >>> from privet.tables.codebook.column import column
    >>> book = Codebook(columns={"visitor_id": column("integer"), "row_id": column("integer")}, unit=Rows())
    >>> unit_facts({"visits": book}).id_column
    'visitor_id'
    """
    for book in codebooks.values():
        unit = book.unit
        if isinstance(unit, Rows):
            names = [name for each in codebooks.values() for name in each.columns if _is_like_an_id(name)]
            return Facts(unit="row", protects=unit.protects, leaves_open=unit.leaves_open, id_column=(*names, "")[0])
        if isinstance(unit, Persons) and unit.period is not None:
            protected = describe_protected(codebooks)
            return Facts(unit="period", protects=protected, leaves_open=unit.leaves_open)
    return Facts(unit="person")


def _is_like_an_id(name: str) -> bool:
    return _LIKE_AN_ID.fullmatch(name) is not None and _OF_ROWS.fullmatch(name) is None
