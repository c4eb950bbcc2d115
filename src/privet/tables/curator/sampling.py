"""The loss of the persons of a population, where codebooks assert that the data are a secret sample of it."""

from collections.abc import Mapping

from privet.accounting.losses.loss import Loss
from privet.tables.codebook.codebook import Codebook
from privet.tables.columns import Persons, PrivacyUnit

_REPLACED = 2  # units that differ: one was removed, another added


def for_population(total: Loss, codebooks: Mapping[str, Codebook]) -> Loss:
    """Amplify the loss of all releases together; it does not change where the facts do not apply.

    They apply where every table asserts the same, and where the draw was of whole units: persons with all of their
    rows, or rows that are protected one by one.

    Args:
        total: The privacy loss of all releases, for one unit of the data.
        codebooks: What is known of the tables.

    Guarantee: the loss of one unit of the population: added or removed for a Poisson sample, replaced for a simple
        random sample.
    Proof: docs/tables/sampling.md.

    >>> from privet.accounting.sampling.population import Population
    >>> from privet.accounting.losses.pure import PureLoss
    >>> from privet.tables.codebook.column import column
    >>> from privet.tables.columns.unit import Rows
    >>> book = Codebook(columns={"age": column("integer")}, unit=Rows(), sampling=Population(rate=0.01))
    >>> round(float(for_population(PureLoss(1), {"people": book}).epsilon()), 4)
    0.017
    """
    facts = {book.sampling for book in codebooks.values()}
    sampling = facts.pop()
    if facts or sampling is None or not all(_drawn_whole(book.unit) for book in codebooks.values()):
        return total
    step = total if sampling.rate is not None else total.group(_REPLACED)
    return step.amplify(sampling)


def _drawn_whole(unit: PrivacyUnit) -> bool:
    """Say whether one draw decides about exactly one unit."""
    return unit.period is None if isinstance(unit, Persons) else getattr(unit, "count", 0) == 1
