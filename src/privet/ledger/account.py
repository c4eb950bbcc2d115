"""The account of a data set for one analyst: charges with keys, and the releases that were paid for."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from fractions import Fraction
from hashlib import sha256
from typing import Protocol, final

from attrs import evolve, frozen

from privet.accounting.losses.loss import Loss
from privet.accounting.numerics import Point
from privet.accounting.planning.budget import AdditiveBudget
from privet.accounting.planning.shortfall import describe_shortfall
from privet.errors import BudgetExceededError, InvalidError, LedgerError, MismatchError, WrongTypeError
from privet.ledger.amounts import same_form, stored_cost, write_amount, write_budget
from privet.ledger.books import MOST_ATTEMPTS, NOTHING, Books, BudgetAccount, Charge, Entry, Place, fits, now
from privet.noise import uniform_below

_MORE = "ask whoever keeps the ledger for a larger budget, which privet budget grant sets"
_LONGEST_QUERY = 300  # characters of a query in words


class LedgerFile(Protocol):
    """What an account needs of its ledger."""

    def reading(self) -> AbstractContextManager[Books]:
        """Check everything, and give what the entries say."""

    def writing(self) -> AbstractContextManager[tuple[Books, Callable[..., int]]]:
        """Keep other writers out, check everything, and append."""

    def release_text(self, charge: Charge) -> str | None:
        """Give the stored release of a charge."""


@final
@frozen(kw_only=True)
class Claim:
    """A charge that is durable: the data may be read for it, unless its release is stored already.

    Args:
        number: The entry of the charge.
        key: Its key.
        text: The release that is stored for it, as JSON; None where none is.
    """

    number: int
    key: str
    text: str | None = None


@final
@frozen(kw_only=True)
class Account:
    """The budget of a data set, or of a part of one, as one analyst may spend it. Made by ``ledger.account``.

    Args:
        ledger: Where it is kept.
        place: Which data set, part or periods.
        analyst: Who asks.
        limit: The budget of a part; that of a data set is in the ledger.

    Guarantee: ``charge`` returns only when its charge is durable and within the budget and the analyst's allowance.
    Proof: docs/ledger/ledger.md.
    """

    ledger: LedgerFile
    place: Place
    analyst: str
    limit: AdditiveBudget

    @property
    def budget(self) -> AdditiveBudget:
        """What all charges together may cost."""
        with self.ledger.reading() as books:
            return self._of(books).budget

    @property
    def spent(self) -> AdditiveBudget:
        """What was spent, by all analysts."""
        with self.ledger.reading() as books:
            account = self._of(books)
            return account.budget.like(account.spent)

    @property
    def remaining(self) -> AdditiveBudget:
        """What this analyst may still spend."""
        with self.ledger.reading() as books:
            account = self._of(books)
            return account.budget.like(account.left(self._spender))

    @property
    def charges(self) -> tuple[Charge, ...]:
        """All charges, of all analysts, the oldest first."""
        with self.ledger.reading() as books:
            return tuple(each for each in books.charges.values() if each.place.touches(self.place))

    def find(self, key: str, digest: str = "") -> Charge | None:
        """Give the charge of a key, or a shared one of what is asked; None if there is none.

        Args:
            key: The key.
            digest: The hash of what is asked; with none, only the analyst's own charge is given.
        """
        with self.ledger.reading() as books:
            return books.find(self.place, self.analyst, key) or books.find_shared(self.place, digest)

    def part(self, name: str, limit: AdditiveBudget) -> "Account":
        """Open the account of a part of the data set, with a budget of its own."""
        return evolve(self, place=evolve(self.place, part=name), limit=limit)

    def charge(
        self,
        loss: Loss,
        *,
        key: str | None = None,
        digest: str = "",
        delta: object = None,
        query: str = "",
        result: str = "release",
        again: bool = False,
    ) -> Claim:
        """Charge a loss, or find that it was charged before; when this returns, the data may be read.

        Args:
            loss: The loss of the release.
            key: What the charge is known by: the same key is charged once. Without one, it is charged in any case.
            digest: The hash of what is asked; a key stands for one of them. A shared release of the same is given
                to every analyst.
            delta: For a loss with a curve, the delta at which to read epsilon.
            query: What is asked, in words.
            result: What follows: a ``release`` that will be stored, ``parts``, or something ``unrepeated``.
            again: Whether to charge for a fresh release although there is one for this key.

        Raises:
            BudgetExceededError: The budget, or the analyst's allowance, does not cover it. Nothing was charged.
            LedgerError: The ledger was changed or cannot be written, or the key is closed. Nothing may be read.
        """
        if not isinstance(loss, Loss):
            raise WrongTypeError(f"Account.charge takes a loss, got {type(loss).__name__}.")
        price = self.limit.price(loss, delta)
        cost = Point(stored_cost(Fraction(price.cost)), stored_cost(price.delta))
        own = _key_of_its_own() if key is None else key
        entry = self._entry(cost, digest, query, "unrepeated" if key is None else result)
        with self.ledger.writing() as (books, append):
            own = self._fresh_key(books, own) if again else own
            made = books.find(self.place, self.analyst, own)
            if made is None and not again:
                made = books.find_shared(self.place, digest)
            if made is None:
                self._check_room(self._of(books), cost)
                self._open(books, append)
                return Claim(number=append({**entry, "key": own}), key=own)
            if made.digest != digest:
                raise InvalidError(
                    "the key of this release was used for another request. Use a key of its own, or leave it out."
                )
            made = self._next_attempt(made, append)
        return self._paid(made)

    def note(self, query: str) -> None:
        """Write down a release that reads no row and costs nothing.

        Args:
            query: What was asked, in words.
        """
        with self.ledger.writing() as (books, append):
            self._open(books, append)
            append({**self._entry(NOTHING, "", query, "unrepeated"), "key": _key_of_its_own()})

    def _entry(self, cost: Point, digest: str, query: str, result: str) -> Entry:
        return {
            "kind": "charge",
            **self.place.data,
            "analyst": self.analyst,
            "digest": digest,
            "cost": write_amount(Fraction(cost.cost)),
            "delta": write_amount(cost.delta),
            "query": printable(query)[:_LONGEST_QUERY],
            "result": result,
            "time": now(),
        }

    def _open(self, books: Books, append: Callable[..., int]) -> None:
        """Give a part its budget, with its first charge."""
        if books.account(self.place) is None:
            append({"kind": "grant", **self.place.data, "budget": write_budget(self.limit), "time": now()})

    def store(self, claim: Claim, text: str) -> str:
        """Store the release of a charge durably, and give the stored one: only that may be shown.

        Where two processes released under one charge, the first that is stored is the release of both.

        Args:
            claim: The charge.
            text: The release as its JSON.
        """
        data = text.encode()
        with self.ledger.writing() as (books, append):
            made = books.charges.get(claim.number)
            if made is None:
                raise LedgerError("the ledger has no charge of this release. Nothing is shown.")
            if made.stored is None:
                append(
                    {"kind": "store", "charge": made.number, "sha256": sha256(data).hexdigest(), "time": now()}, data
                )
                return text
        return self._paid(made).text or ""

    def _paid(self, made: Charge) -> Claim:
        if made.closed:
            raise LedgerError(
                f"this release was charged, and data were read for it {MOST_ATTEMPTS} times without a release that was "
                "stored: its charge is spent. Nothing was charged now. If another process is still computing it, ask "
                "again later; otherwise ask with again=True for a fresh release, at its full cost."
            )
        return Claim(number=made.number, key=made.key, text=self.ledger.release_text(made))

    def _next_attempt(self, made: Charge, append: Callable[..., int]) -> Charge:
        """Write down that the data are read once more for a charge, or that it is given up."""
        if made.result != "release" or made.stored is not None or made.closed:
            return made
        given_up = made.attempts >= MOST_ATTEMPTS
        append({"kind": "close" if given_up else "attempt", "charge": made.number, "time": now()})
        return evolve(made, closed=given_up)

    def _fresh_key(self, books: Books, key: str) -> str:
        number = 2
        while books.find(self.place, self.analyst, f"{key} {number}") is not None:
            number += 1
        return f"{key} {number}"

    @property
    def _spender(self) -> str | None:
        """Whose allowance limits charges; that of a part was paid for when it was opened."""
        return None if self.place.part else self.analyst

    def _of(self, books: Books) -> BudgetAccount:
        account = books.account(self.place)
        if account is None:
            return BudgetAccount(budget=self.limit)
        if not same_form(account.budget, self.limit):  # a cost in one form says nothing about a budget in another
            raise MismatchError(
                f"the ledger has a budget of {account.budget} here, and this charge is for {self.limit}."
            )
        return account

    def _check_room(self, account: BudgetAccount, cost: Point) -> None:
        left = account.left(self._spender)
        if not fits(cost, left):
            raise BudgetExceededError(
                describe_shortfall("the release needs", cost, account.budget.like(left), more=_MORE)
            )


def _key_of_its_own() -> str:
    return f"once {uniform_below(2**128):032x}"


def printable(text: str) -> str:
    r"""Write what is no printable character as its code: a terminal would obey it.

    >>> print(printable("ward = '\x1b[2J'"))
    ward = '\x1b[2J'
    """
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in text)
