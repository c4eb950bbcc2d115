"""Opening the charges of a session in a ledger."""

from privet.accounting.planning.budget import AdditiveBudget
from privet.errors import WrongTypeError
from privet.ledger.ledger import Ledger
from privet.tables.curator.ledger_charges import LedgerCharges
from privet.tables.curator.periods import Periods
from privet.tables.curator.private_tables import PrivateTables
from privet.tables.relations.id_columns import kind_of_unit


def open_charges(
    tables: PrivateTables,
    ledger: object,
    dataset: object,
    analyst: object,
    budget: AdditiveBudget | None,
    periods: Periods | None = None,
) -> LedgerCharges:
    """Open the account of a data set, or say what of it is missing.

    Args:
        tables: The tables of the session.
        ledger: The ledger.
        dataset: The name of the data set.
        analyst: Who asks; None where that does not matter.
        budget: What all releases together may cost, of each period where there are periods; None where the ledger has
            it.
        periods: The calendar periods that the session reads; None where it reads all rows.
    """
    if not isinstance(ledger, Ledger):
        got = "nothing" if ledger is None else type(ledger).__name__
        raise WrongTypeError(f'Session.ledger must be a ledger, such as pv.Ledger("budget.db"), got {got}.')
    if not isinstance(dataset, str):
        raise WrongTypeError("Session.dataset is missing: with a ledger, name the data, such as dataset='visits-2026'.")
    if analyst is not None and not isinstance(analyst, str):
        raise WrongTypeError(f"Session.analyst must be a name, got {type(analyst).__name__}.")
    per, names = ("", ()) if periods is None else (periods.per, periods.names)
    unit = kind_of_unit(next(iter(tables.codebooks.values())).unit)  # of all tables: they were compared
    account = ledger.account(dataset, analyst or "", budget, unit=unit, per=per, periods=names)
    return LedgerCharges(account, tables)
