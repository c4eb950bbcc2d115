"""The history of a session: what was asked, when, what it cost and what was left."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any, final, overload

from attrs import asdict, field, frozen

from privet.accounting.planning.budget import AdditiveBudget
from privet.core import count_text, cut_text, html_table, to_float_down, to_float_up
from privet.errors import UnavailableError
from privet.tables.columns import text_table

LONGEST = 300  # characters of the description of a query
_IN_A_TABLE = 60
_IN_A_NOTEBOOK = 200
_SHOWN = 20
_NAMES = {"cost": "renyi"}  # columns by the names that pv.budget(...) takes


def _one_line(text: str) -> str:
    return cut_text(text, LONGEST)


def _now() -> datetime:
    return datetime.now(UTC)


@final
@frozen(kw_only=True)
class HistoryEntry:
    """One charge.

    Args:
        query: What was asked, in words. A query is public.
        cost: What was charged, in the form of the budget.
        left: What was left of the budget after it.
        time: When it was charged, in UTC.
    """

    query: str = field(converter=_one_line)
    cost: AdditiveBudget
    left: AdditiveBudget
    time: datetime = field(factory=_now)


@final
@frozen(repr=False)
class History(Sequence[HistoryEntry]):
    """All charges of a session, the oldest first. A charge stays here even if what followed it failed.

    A release that reads no row, such as that of public groups, is here too, at a cost of zero.

    Args:
        entries: The charges.
    """

    entries: tuple[HistoryEntry, ...] = ()

    @overload
    def __getitem__(self, place: int) -> HistoryEntry: ...

    @overload
    def __getitem__(self, place: slice) -> "History": ...

    def __getitem__(self, place: int | slice) -> "HistoryEntry | History":
        return History(self.entries[place]) if isinstance(place, slice) else self.entries[place]

    def __iter__(self) -> Iterator[HistoryEntry]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def to_dict(self) -> dict[str, list[Any]]:
        """Give the columns: ``number``, ``time``, ``query``, what each charge cost, and what was left after it.

        Amounts are floats by the names of the budget, such as ``epsilon`` and ``epsilon_left``. A cost is rounded up,
        what is left is rounded down. Exact numbers are those of ``entry.cost`` and ``entry.left``.
        """
        table: dict[str, list[Any]] = {
            "number": list(range(1, len(self) + 1)),
            "time": [entry.time for entry in self],
            "query": [entry.query for entry in self],
        }
        names = list(dict.fromkeys(name for entry in self for name in _amounts(entry.cost)))
        for name in names:
            table[name] = [to_float_up(_amounts(entry.cost).get(name, Fraction(0))) for entry in self]
            table[f"{name}_left"] = [to_float_down(_amounts(entry.left).get(name, Fraction(0))) for entry in self]
        return table

    def to_pandas(self) -> Any:
        """Give the same columns as a pandas frame."""
        try:
            import pandas as pd
        except ImportError:
            raise UnavailableError("to_pandas needs pandas: pip install 'privet[pandas]'.") from None
        return pd.DataFrame(self.to_dict())

    def __repr__(self) -> str:
        if not self.entries:
            return "History: nothing was charged yet"
        hidden = len(self) - _SHOWN
        lines = [_HEADS, *_rows(self, _IN_A_TABLE)[-_SHOWN:]]
        return "\n".join([text_table(lines), *([f"{count_text(hidden, 'charge')} before"] if hidden > 0 else [])])

    def __str__(self) -> str:
        return text_table([_HEADS, *_rows(self, _IN_A_TABLE)]) if self.entries else repr(self)

    def _repr_html_(self) -> str:
        notes = () if self.entries else ("nothing was charged yet",)
        return html_table(_HEADS, _rows(self, _IN_A_NOTEBOOK), title="History", notes=notes)


_HEADS = ["number", "time (UTC)", "query", "cost", "left"]


def _rows(history: History, longest: int) -> list[list[str]]:
    return [
        [
            str(number),
            f"{entry.time:%Y-%m-%d %H:%M:%S}",
            cut_text(entry.query, longest),
            entry.cost.describe(),
            entry.left.describe(up=False),
        ]
        for number, entry in enumerate(history, 1)
    ]


def _amounts(budget: AdditiveBudget) -> dict[str, Fraction]:
    """Give the exact amounts of a budget, by name; the order of a divergence is no amount."""
    fields: Any = budget  # every form of budget is made of its amounts
    return {_NAMES.get(name, name): value for name, value in asdict(fields).items() if name != "order"}
