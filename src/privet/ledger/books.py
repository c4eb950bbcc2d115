"""What the entries of a ledger say: data sets, analysts, charges and what became of them."""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from fractions import Fraction
from functools import reduce
from typing import Any, final

from attrs import define, evolve, field, frozen

from privet.accounting.numerics import Point
from privet.accounting.planning.budget import AdditiveBudget
from privet.accounting.planning.running_total import rounded_up
from privet.core import check_format
from privet.errors import BudgetExceededError, InvalidError, LedgerError
from privet.ledger.amounts import least, most, read_amount, read_budget, rest
from privet.ledger.chain import NO_ENTRY, Head, read_entry

Entry = dict[str, Any]
NOTHING = Point(Fraction(0), Fraction(0))
MOST_ATTEMPTS = 3  # how often data are read for one charge
_RESULTS = ("release", "parts", "unrepeated")


@final
@frozen(kw_only=True)
class Place:
    """Whose budget a charge is for.

    Args:
        dataset: The data set.
        part: Which part of it, behind ``session.partition``; empty for all of it.
        periods: Which calendar periods, where each has a budget of its own; none for all rows.
    """

    dataset: str
    part: str = ""
    periods: tuple[str, ...] = ()

    @property
    def data(self) -> dict[str, Any]:
        """What entries say of it."""
        periods = {"periods": list(self.periods)} if self.periods else {}
        return {"dataset": self.dataset, "part": self.part, **periods}

    def touches(self, other: "Place") -> bool:
        """Say whether charges here are charges there too: of the same part, or of a period of both."""
        if self.part or other.part or not self.periods or not other.periods:
            return self == other
        return self.dataset == other.dataset and not set(self.periods).isdisjoint(other.periods)


@final
@frozen(kw_only=True)
class Charge:
    """One charge, and what became of it.

    Args:
        number: The number of its entry.
        place: Whose budget it was taken from.
        analyst: Who asked.
        key: Under which key.
        digest: The hash of what was asked.
        result: What follows it: a ``release`` that is stored, ``parts`` of a table, or something ``unrepeated``.
        point: What was charged, in the form of the budget.
        rest: What was left of the budget after it.
        budget: The budget at that time.
        query: What was asked, in words.
        time: When, in UTC, as a text of ISO 8601.
        attempts: How often the data were read for it.
        stored: The entry with which the release was stored; None where none was.
        closed: Whether it was given up: spent, with nothing to show.
        shared: Whether its release goes to every analyst who makes the same request.
    """

    number: int
    place: Place
    analyst: str
    key: str
    digest: str
    result: str
    point: Point
    rest: Point
    budget: AdditiveBudget
    query: str
    time: str
    attempts: int = 1
    stored: int | None = None
    closed: bool = False
    shared: bool = False

    @property
    def cost(self) -> AdditiveBudget:
        """What was charged."""
        return self.budget.like(self.point)

    @property
    def exact_cost(self) -> Fraction:
        """What was charged, as the ledger stores it."""
        return Fraction(self.point.cost)

    @property
    def left(self) -> AdditiveBudget:
        """What was left of the budget after it."""
        return self.budget.like(self.rest)

    @property
    def when(self) -> datetime:
        """The time as an object."""
        return datetime.fromisoformat(self.time)

    @property
    def state(self) -> str:
        """In one word: ``charged``, ``stored``, ``shared`` or ``closed``; ``opened`` for parts of a table."""
        if self.result == "parts":
            return "opened"
        if self.stored is None:
            return "closed" if self.closed else "charged"
        return "shared" if self.shared else "stored"


@final
@define(kw_only=True)
class BudgetAccount:
    """The budget of a data set or of a part of one, and what was spent of it.

    Args:
        budget: What all charges together may cost.
        spent: What they cost.
        spent_by: What the charges of each analyst cost.
        allowances: What analysts may spend: a share of the budget, or amounts in its form.
        per: What has this budget for each calendar period; empty where there is one budget for all rows.
        unit: Whose loss the budget bounds, as a kind of privacy unit; empty where no session has said it.
    """

    budget: AdditiveBudget
    spent: Point = NOTHING
    spent_by: dict[str, Point] = field(factory=dict)
    allowances: dict[str, Fraction | AdditiveBudget] = field(factory=dict)
    per: str = ""
    unit: str = ""

    def allowance(self, analyst: str) -> Point:
        """Give what an analyst may spend in all."""
        cap, own = self.budget.point(), self.allowances.get(analyst)
        if own is None:
            return cap
        if isinstance(own, Fraction):
            return Point(Fraction(cap.cost) * own, cap.delta * own)
        return own.point()

    def left(self, analyst: str | None = None) -> Point:
        """Give what is left of the budget; for an analyst, what of it he or she may still spend."""
        whole = rest(self.budget.point(), self.spent)
        if analyst is None:
            return whole
        return least(whole, rest(self.allowance(analyst), self.spent_by.get(analyst, NOTHING)))

    def charge(self, analyst: str, cost: Point) -> None:
        """Add a charge that was granted."""
        cap = self.budget.point()
        self.spent = _sum(self.spent, cost, cap)
        self.spent_by[analyst] = _sum(self.spent_by.get(analyst, NOTHING), cost, self.allowance(analyst))


def _most(accounts: Iterable[BudgetAccount], like: BudgetAccount) -> BudgetAccount:
    """Give one account for those of several periods: of each amount, what was spent where most was.

    What fits what is left of it fits what is left of each of them.
    """
    merged = evolve(like, spent=NOTHING, spent_by={})
    for each in accounts:
        merged.spent = most(merged.spent, each.spent)
        for analyst, spent in each.spent_by.items():
            merged.spent_by[analyst] = most(merged.spent_by.get(analyst, NOTHING), spent)
    return merged


def _sum(one: Point, other: Point, cap: Point) -> Point:
    """Add up exactly; beyond 4,096 bits of a denominator the total is rounded up, never past the cap."""
    total = Point.total([(one, 1), (other, 1)])
    return Point(rounded_up(total.cost, cap.cost), Fraction(rounded_up(total.delta, cap.delta)))


def fits(cost: Point, room: Point) -> bool:
    """Say whether a cost is within what is left."""
    return bool(cost.cost <= room.cost and cost.delta <= room.delta)


@final
class Books:
    """The state that follows from the entries so far. Entries are applied in order, each once."""

    def __init__(self) -> None:
        self.head = NO_ENTRY
        self.accounts: dict[Place, BudgetAccount] = {}
        self.periods: dict[str, dict[str, BudgetAccount]] = {}  # by data set and period, what was spent
        self.charges: dict[int, Charge] = {}
        self.keys: dict[tuple[Place, str, str], int] = {}
        self.texts: dict[int, str] = {}  # the hashes of stored releases, by entry
        self.shared: dict[tuple[Place, str], int] = {}  # the first shared charge of what was asked

    def apply(self, head: Head, text: str) -> None:
        """Take in the next entry, or raise what is wrong with it.

        Args:
            head: Its number and hash; the chain was checked.
            text: The entry.
        """
        entry = read_entry(head.number, text)
        apply = _KINDS.get(entry.get("kind", ""))
        if apply is None:
            raise LedgerError(
                f"entry {head.number} is of a kind that this version of Privet does not know; use a newer."
            )
        try:
            apply(self, head.number, entry)
        except (KeyError, TypeError, ValueError, AttributeError, BudgetExceededError):
            raise LedgerError(
                f"entry {head.number} breaks the rules of the ledger: it was not written by Privet. Nothing was "
                "charged or shown."
            ) from None
        self.head = head

    def account(self, place: Place) -> BudgetAccount | None:
        """Give the account of a data set, of periods of it or of a part; None before its budget is known.

        That of several periods, or of a data set with a budget for each period, is of the one where most was spent.
        """
        whole = self.accounts.get(place if place.part else Place(dataset=place.dataset))
        if whole is None or place.part or not whole.per:
            return whole
        known = self.periods[place.dataset]
        return _most([known[name] for name in place.periods or known if name in known], whole)

    def find(self, place: Place, analyst: str, key: str) -> Charge | None:
        """Give the charge of a key; None if there is none."""
        number = self.keys.get((place, analyst, key))
        return None if number is None else self.charges[number]

    def find_shared(self, place: Place, digest: str) -> Charge | None:
        """Give the charge whose stored release goes to everybody who asks this; None if there is none."""
        number = self.shared.get((place, digest)) if digest else None
        return None if number is None else self.charges[number]

    def _start(self, number: int, entry: Entry) -> None:
        try:
            check_format("ledger", 1, entry["format"])
        except InvalidError as error:
            raise LedgerError(str(error)) from None
        if number != 1:
            raise ValueError

    def _grant(self, _: int, entry: Entry) -> None:
        place, budget = _place(entry), read_budget(entry["budget"])
        account, per = self.account(place), entry.get("per", "")
        if place.periods and not place.part:
            raise ValueError
        if account is None:
            self.accounts[place] = BudgetAccount(budget=budget, per=per, unit=entry.get("unit", ""))
            if per:
                self.periods[place.dataset] = {}
        elif fits(account.spent, budget.point()) and per in ("", account.per):
            for each in (
                self.accounts[place],
                *(self.periods.get(place.dataset, {}).values() if not place.part else ()),
            ):
                each.budget = budget
        else:
            raise ValueError

    def _protect(self, _: int, entry: Entry) -> None:
        account = self.accounts[_place(entry)]
        if account.unit or not isinstance(entry["unit"], str):
            raise ValueError
        account.unit = entry["unit"]

    def _allow(self, _: int, entry: Entry) -> None:
        share = entry.get("share")
        allowance = read_budget(entry["budget"]) if share is None else read_amount(share)
        self.accounts[_place(entry)].allowances[entry["analyst"]] = allowance

    def _charge(self, number: int, entry: Entry) -> None:
        place, analyst, key = _place(entry), entry["analyst"], entry["key"]
        accounts = self._charged(place)
        cost = Point(read_amount(entry["cost"]), read_amount(entry["delta"]))
        if (place, analyst, key) in self.keys or entry["result"] not in _RESULTS:
            raise ValueError
        if not all(fits(cost, each.left(analyst)) for each in accounts):
            raise ValueError
        for each in accounts:
            each.charge(analyst, cost)
        self.keys[place, analyst, key] = number
        self.charges[number] = Charge(
            number=number,
            place=place,
            analyst=analyst,
            key=key,
            digest=entry["digest"],
            result=entry["result"],
            point=cost,
            rest=reduce(least, (each.left() for each in accounts)),
            budget=accounts[0].budget,
            query=entry["query"],
            time=entry["time"],
        )

    def _charged(self, place: Place) -> list[BudgetAccount]:
        """Give the accounts that a charge is taken from: all of its periods, or the one of the data set or part."""
        whole = self.accounts[place if place.part else Place(dataset=place.dataset)]
        if place.part or not (whole.per or place.periods):
            return [whole]
        if not whole.per or not place.periods:  # one budget for all rows, or one for each period; never both
            raise ValueError
        known = self.periods[place.dataset]
        return [known.setdefault(name, evolve(whole, spent=NOTHING, spent_by={})) for name in place.periods]

    def _attempt(self, _: int, entry: Entry) -> None:
        charge = self._open_charge(entry)
        if charge.attempts >= MOST_ATTEMPTS:
            raise ValueError
        self.charges[charge.number] = evolve(charge, attempts=charge.attempts + 1)

    def _store(self, number: int, entry: Entry) -> None:
        charge = self.charges[entry["charge"]]
        if charge.stored is not None or charge.result != "release":
            raise ValueError
        self.charges[charge.number] = evolve(charge, stored=number, closed=False)  # a run that had begun may still end
        self.texts[number] = entry["sha256"]

    def _close(self, _: int, entry: Entry) -> None:
        charge = self._open_charge(entry)
        self.charges[charge.number] = evolve(charge, closed=True)

    def _share(self, _: int, entry: Entry) -> None:
        charge = self.charges[entry["charge"]]
        if charge.stored is None or charge.shared:
            raise ValueError
        self.charges[charge.number] = evolve(charge, shared=True)
        self.shared.setdefault((charge.place, charge.digest), charge.number)

    def _open_charge(self, entry: Entry) -> Charge:
        charge = self.charges[entry["charge"]]
        if charge.closed or charge.stored is not None or charge.result != "release":
            raise ValueError
        return charge


def check_entry(entry: Entry) -> None:
    """Refuse an entry whose amounts could not be read back: it would make the whole ledger unreadable."""
    for name in ("cost", "delta", "share"):
        if name in entry:
            read_amount(entry[name])
    if "budget" in entry:
        read_budget(entry["budget"])


def now() -> str:
    """Give the time as entries write it, in UTC."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _place(entry: Entry) -> Place:
    periods = tuple(entry.get("periods", ()))
    if len(set(periods)) < len(periods) or not all(isinstance(each, str) for each in periods):
        raise ValueError
    return Place(dataset=entry["dataset"], part=entry["part"], periods=periods)


_KINDS: dict[str, Callable[[Books, int, Entry], None]] = {
    "start": Books._start,
    "grant": Books._grant,
    "protect": Books._protect,
    "allow": Books._allow,
    "charge": Books._charge,
    "attempt": Books._attempt,
    "store": Books._store,
    "close": Books._close,
    "share": Books._share,
}
