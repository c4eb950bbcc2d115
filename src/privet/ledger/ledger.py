"""The ledger: budgets of data sets in a file or on a server, charged before any data are read."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from os import PathLike
from typing import Any, final

from privet.accounting.planning.budget import AdditiveBudget
from privet.core import Displayable, Fact, count_text, read_number, short
from privet.errors import InvalidError, LedgerError, UnavailableError, WrongTypeError
from privet.ledger.account import Account
from privet.ledger.amounts import same_form, write_amount, write_budget
from privet.ledger.books import NOTHING, Books, BudgetAccount, Charge, Entry, Place, check_entry, fits, now
from privet.ledger.chain import FORMAT, NO_ENTRY, Head, link, verify_entries, verify_texts, write_entry
from privet.ledger.fingerprint import Fingerprint
from privet.ledger.names import check_name, check_period, read_anchor
from privet.ledger.opening import open_store
from privet.ledger.store import Store, Transaction
from privet.noise import uniform_below


@final
class Ledger(Displayable):
    """Privacy budgets in a file or on a server: append-only, hash-chained, safe under crashes and under many processes.

    Args:
        path: The file; or, for several hosts, the address of a PostgreSQL server such as
            ``postgresql://user@host/database``. The ledger is made where there is none.
        anchor: A head that was kept elsewhere, as ``head()`` gave it. A ledger that does not contain it is refused:
            it is an older copy, or was rewritten.
        create: Whether to make a ledger that is not there; never with an anchor.

    Guarantee: no data are read before their charge is durable, all charges of a data set together cost no more than
        its budget, and an entry or a stored release that was changed is noticed before the next charge or release.
    Proof: docs/ledger/ledger.md.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from privet.accounting.planning.budget import budget
    >>> ledger = Ledger(Path(tempfile.mkdtemp()) / "budget.db")
    >>> ledger.grant("visits-2026", budget(epsilon=1))
    >>> ledger.allow("visits-2026", "ann", share=0.25)
    >>> ledger.remaining("visits-2026", "ann")
    ApproximateBudget(epsilon=0.25, delta=0)
    >>> ledger.head().number
    3
    """

    def __init__(
        self, path: str | PathLike[str], *, anchor: tuple[int, str] | None = None, create: bool = True
    ) -> None:
        self._anchor = read_anchor(anchor)
        self._store: Store = open_store(path, must_exist=anchor is not None or not create)
        self._books, self._checked_entries = Books(), Fingerprint()
        self._known = NO_ENTRY  # the last entry that was checked: the file must have it for ever
        with self.writing() as (books, append):
            if books.head.number == 0:
                append({"kind": "start", "format": FORMAT, "id": f"{uniform_below(2**128):032x}"})

    def head(self) -> Head:
        """Give the last entry, after all entries were checked; keep it elsewhere, as an anchor."""
        with self.reading() as books:
            return books.head

    def verify(self) -> Head:
        """Check every entry and every stored release, and give the last entry."""
        return self.head()

    @property
    def datasets(self) -> tuple[str, ...]:
        """The data sets that have a budget."""
        with self.reading() as books:
            return tuple(place.dataset for place in books.accounts if not place.part)

    def budget(self, dataset: str) -> AdditiveBudget:
        """Give the budget of a data set."""
        with self.reading() as books:
            return self._account(books, dataset).budget

    def periods(self, dataset: str) -> tuple[str, ...]:
        """Give the calendar periods of a data set of which something was spent; none without budgets for periods."""
        with self.reading() as books:
            self._account(books, dataset)
            return tuple(sorted(books.periods.get(dataset, ())))

    def spent(self, dataset: str, analyst: str | None = None, *, period: str | None = None) -> AdditiveBudget:
        """Give what was spent of the budget of a data set; by one analyst, or by all of them.

        Args:
            dataset: The name of the data set.
            analyst: Whose charges; None for all of them.
            period: Of which calendar period, where each has a budget; by default, of each amount, that of the period
                where most of it was spent.
        """
        with self.reading() as books:
            account = self._account(books, dataset, period)
            by_analyst = account.spent_by.get("" if analyst is None else analyst, NOTHING)
            return account.budget.like(account.spent if analyst is None else by_analyst)

    def remaining(self, dataset: str, analyst: str | None = None, *, period: str | None = None) -> AdditiveBudget:
        """Give what is left of the budget of a data set; or what of it an analyst may still spend.

        Args:
            dataset: The name of the data set.
            analyst: Who may spend it; None for all together.
            period: Of which calendar period, where each has a budget; by default, of each amount, that of the period
                where least of it is left.
        """
        with self.reading() as books:
            account = self._account(books, dataset, period)
            return account.budget.like(account.left(analyst))

    def analysts(self, dataset: str) -> tuple[str, ...]:
        """Give the analysts of a data set: those with an allowance, and those who spent something."""
        with self.reading() as books:
            account = self._account(books, dataset)
            return tuple(dict.fromkeys((*account.allowances, *account.spent_by)))

    def allowance(self, dataset: str, analyst: str) -> AdditiveBudget:
        """Give what an analyst may spend of the budget of a data set in all."""
        with self.reading() as books:
            account = self._account(books, dataset)
            return account.budget.like(account.allowance(analyst))

    def charges(self, dataset: str | None = None) -> tuple[Charge, ...]:
        """Give all charges, the oldest first; those of a data set or all of them. Parts of tables are included."""
        with self.reading() as books:
            return tuple(each for each in books.charges.values() if dataset in (None, each.place.dataset))

    def release_text(self, charge: Charge) -> str | None:
        """Give the stored release of a charge as its JSON; None where none was stored."""
        if charge.stored is None:
            return None
        with self._checked(self._store.reading()) as (transaction, _):
            text: bytes = transaction.text(charge.stored)
            return text.decode()

    def grant(self, dataset: str, budget: AdditiveBudget) -> None:
        """Set the budget of a data set, or change it; never below what was spent.

        Args:
            dataset: The name of the data set.
            budget: What all releases of it may cost, by all analysts together.
        """
        data = write_budget(budget)
        with self.writing() as (books, append):
            account = books.account(Place(dataset=check_name("dataset", dataset)))
            if account is not None and not same_form(account.budget, budget):
                raise InvalidError(
                    f"grant: the budget of {dataset!r} is {account.budget}, and its form cannot change: charges in two "
                    f"forms do not add up. Got {budget}."
                )
            if account is not None and not fits(account.spent, budget.point()):
                spent = account.budget.like(account.spent)
                raise InvalidError(
                    f"grant: {spent} of the budget of {dataset!r} is spent; grant no less. Got {budget}."
                )
            if account is None or account.budget != budget:
                append({"kind": "grant", **Place(dataset=dataset).data, "budget": data, "time": now()})

    def allow(self, dataset: str, analyst: str, *, share: object = None, budget: AdditiveBudget | None = None) -> None:
        """Set what one analyst may spend of the budget of a data set. Without it, an analyst may spend all of it.

        Args:
            dataset: The name of the data set.
            analyst: Who may spend it.
            share: Which share of the budget, between zero and one.
            budget: Or how much, in the form of the budget of the data set.
        """
        check_name("analyst", analyst)
        if (share is None) == (budget is None):
            raise WrongTypeError("allow takes share=... or budget=..., such as share=0.25.")
        entry: Entry = {"kind": "allow", **Place(dataset=dataset).data, "analyst": analyst, "time": now()}
        if share is not None:
            part = read_number("allow.share", share)
            if not 0 <= part <= 1:
                raise InvalidError("allow.share must be between zero and one, such as 0.25.")
            entry["share"] = write_amount(part)
        else:
            entry["budget"] = write_budget(budget)
        with self.writing() as (books, append):
            account = self._account(books, dataset)
            if budget is not None and not same_form(account.budget, budget):
                raise InvalidError(f"allow: the budget of {dataset!r} is {account.budget}; give amounts in its form.")
            append(entry)

    def share(self, dataset: str, *entries: int) -> tuple[int, ...]:
        """Give stored releases of a data set to every analyst who makes the same request, free of charge.

        Args:
            dataset: The name of the data set.
            entries: The entries of their charges, as ``charges`` numbers them; by default all that are stored by now.

        Returns:
            The entries of the charges whose releases are shared from now on and were not before.
        """
        with self.writing() as (books, append):
            self._account(books, dataset)
            stored = {
                each.number: each
                for each in books.charges.values()
                if each.place.dataset == dataset and each.stored is not None
            }
            unknown = [short(each) for each in entries if type(each) is not int or each not in stored]
            if unknown:
                raise InvalidError(
                    f"share: {dataset!r} has no stored release with the entry {', '.join(unknown)}. "
                    "privet budget history shows the entries; those that are stored can be shared."
                )
            fresh = tuple(number for number in stored if not stored[number].shared and number in (entries or stored))
            for number in fresh:
                append({"kind": "share", "charge": number, "time": now()})
        return fresh

    def account(
        self,
        dataset: str,
        analyst: str = "",
        budget: AdditiveBudget | None = None,
        *,
        unit: str = "",
        per: str = "",
        periods: tuple[str, ...] = (),
    ) -> Account:
        """Open the account of a data set for an analyst.

        Args:
            dataset: The name of the data set.
            analyst: Who asks; empty where that does not matter.
            budget: Sets the budget of a data set that has none yet. Later it must be the same, or None.
            unit: Whose loss the budget bounds, as a kind of privacy unit. The first that is given holds for good.
            per: What has this budget for each calendar period: the unit, and how its dates are read. Whoever opens the
                account must let releases read the rows of ``periods`` and no others.
            periods: The calendar periods, each of which a charge is taken from.
        """
        place = Place(dataset=check_name("dataset", dataset), periods=periods)
        if analyst:
            check_name("analyst", analyst)
        if bool(per) != bool(periods) or len(set(periods)) < len(periods):
            raise InvalidError("account takes per=... and periods=... together, with each period once.")
        data = None if budget is None else write_budget(budget)
        with self.writing() as (books, append):
            account = books.account(place)
            if account is None and data is not None:
                more = {"per": per} if per else {}
                more |= {"unit": unit} if unit else {}
                append({"kind": "grant", **Place(dataset=dataset).data, "budget": data, **more, "time": now()})
            elif account is not None and unit and not account.unit:
                append({"kind": "protect", **Place(dataset=dataset).data, "unit": unit, "time": now()})
        known = self._check_per(dataset, per, unit)
        if budget is not None and budget != known:
            raise InvalidError(
                f"the ledger has a budget of {known} for {dataset!r}, and the session asks for {budget}. Leave the "
                "budget out, or change the ledger's with ledger.grant(...) or privet budget grant."
            )
        return Account(ledger=self, place=place, analyst=analyst, limit=known)

    def _account(self, books: Books, dataset: str, period: str | None = None) -> BudgetAccount:
        periods = () if period is None else (check_period(period),)
        account = books.account(Place(dataset=check_name("dataset", dataset), periods=periods))
        if account is None:
            known = ", ".join(repr(place.dataset) for place in books.accounts if not place.part) or "none yet"
            raise UnavailableError(
                f"the ledger has no data set {dataset!r}; it has {known}. Open a session with dataset={dataset!r} and "
                "a budget, or grant one."
            )
        if periods and not account.per:
            raise InvalidError(f"the ledger has one budget for all rows of {dataset!r}; leave period out.")
        return account

    def _check_per(self, dataset: str, per: str, unit: str) -> AdditiveBudget:
        """Give the budget of a data set, or refuse to mix units, or one for all rows with one for each period."""
        with self.reading() as books:
            account = self._account(books, dataset)
        if account.per == per and unit and account.unit != unit:
            raise InvalidError(
                f"the ledger has a budget of {dataset!r} for the loss of {account.unit}, and this session protects "
                f"{unit}. Charges for two kinds of units do not add up to a bound for either. Use the unit of the "
                "ledger, or name the data otherwise; both losses then add up."
            )
        if account.per == per:
            return account.budget
        if not account.per:
            raise InvalidError(
                f"the ledger has one budget for all rows of {dataset!r}, which no period renews. Leave period out, or "
                "name the data otherwise, for a budget of each period beside it; both losses then add up."
            )
        if not per:
            raise InvalidError(
                f"the ledger has a budget of {dataset!r} for each period: give period=..., one or several."
            )
        raise InvalidError(
            f"the ledger has a budget of {dataset!r} for each period of {account.per}. This session has {per}: a row "
            "may lie in other periods. Read dates with the same codebook, or name the data otherwise."
        )

    @contextmanager
    def reading(self) -> Iterator[Books]:
        """Check everything, and give what the entries say."""
        with self._checked(self._store.reading()) as (_, books):
            yield books

    @contextmanager
    def writing(self) -> Iterator[tuple[Books, Callable[..., int]]]:
        """Keep other writers out, check everything, and give what the entries say and a function that appends.

        What is appended is durable when the context ends. The books do not have it before.
        """
        appended: list[tuple[Head, str]] = []
        with self._checked(self._store.writing()) as (transaction, books):

            def append(entry: Entry, stored: bytes | None = None) -> int:
                last = appended[-1][0] if appended else books.head
                check_entry(entry)
                text = write_entry(entry)
                head = Head(last.number + 1, link(last.hash, text))
                transaction.append(head, text, stored)
                appended.append((head, text))
                return head.number

            yield books, append

    @contextmanager
    def _checked(self, opened: Any) -> Iterator[tuple[Transaction, Books]]:
        with opened as transaction:
            books, checked = self._books, self._checked_entries
            self._books, self._checked_entries = Books(), Fingerprint()  # a check after one that failed sees all
            start = books.head if books.head.number and checked.is_kept_by(transaction) else NO_ENTRY
            rows = transaction.entries(after=start.number or None)
            later = verify_entries(rows, transaction.head(), self._known, books.head.number, start)
            for number, text, digest in later:
                books.apply(Head(number, digest), text)
                checked.add(books.head, text)
            self._check_anchor(later)
            verify_texts(transaction.release_digests(), books.texts)
            self._books, self._checked_entries = books, checked
            self._known, self._anchor = books.head, None  # from now on a newer head is known
            yield transaction, books

    def _check_anchor(self, entries: list[tuple[int, str, str]]) -> None:
        """Refuse a ledger without the entry of the anchor; the first check sees all entries."""
        if self._anchor is None:
            return
        number, digest = self._anchor
        if len(entries) < number:
            raise LedgerError(
                f"the ledger {self._store.describe()} ends before the anchor, entry {number}: it is an older copy. "
                "Restore the newest one."
            )
        if entries[number - 1][2] != digest:
            raise LedgerError(
                f"entry {number} of the ledger {self._store.describe()} is not that of the anchor: the ledger was "
                "rewritten, or it is another one."
            )

    def facts(self) -> tuple[Fact, ...]:
        """Say where the ledger is, and what is left of each budget."""
        with self.reading() as books:
            names = [place.dataset for place in books.accounts if not place.part]
            lines = tuple((name, _describe_left(self._account(books, name))) for name in names)
            return (
                ("kept in", self._store.describe()),
                *lines,
                ("entries", count_text(books.head.number, "entry", "entries")),
            )

    def __reduce__(self) -> Any:
        raise WrongTypeError("a ledger cannot be copied or pickled; open it again with pv.Ledger(path).")


def _describe_left(account: BudgetAccount) -> str:
    where = ", in the period where least is left" if account.per else ""
    return f"{account.budget.like(account.left()).describe(up=False)} of {account.budget} left{where}"
