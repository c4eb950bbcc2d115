"""A ledger for people and for other programs: all charges as JSON or CSV."""

import csv
import io
import json
from typing import Any

from privet.core import to_float_up
from privet.ledger.amounts import write_amount, write_budget
from privet.ledger.books import Books, Charge, Place
from privet.ledger.ledger import Ledger

_COLUMNS = (
    "entry",
    "time",
    "dataset",
    "part",
    "periods",
    "analyst",
    "query",
    "state",
    "attempts",
    "form",
    "cost",
    "delta",
    "cost_exact",
    "delta_exact",
    "key",
)


def charge_data(charge: Charge) -> dict[str, Any]:
    """Give a charge as plain data; costs as floats, rounded up, and exactly."""
    point = charge.point
    values = (
        charge.number,
        charge.time,
        charge.place.dataset,
        charge.place.part,
        " ".join(charge.place.periods),
        charge.analyst,
        charge.query,
        charge.state,
        charge.attempts,
        write_budget(charge.budget)["form"],
        to_float_up(charge.exact_cost),
        to_float_up(point.delta),
        write_amount(charge.exact_cost),
        write_amount(point.delta),
        charge.key,
    )
    return dict(zip(_COLUMNS, values, strict=True))


def to_json(ledger: Ledger) -> str:
    """Write budgets, charges and the head as JSON; stored releases are left out."""
    with ledger.reading() as books:
        accounts = [
            {
                **place.data,
                "budget": write_budget(account.budget),
                "spent": write_budget(account.budget.like((books.account(place) or account).spent)),
                **_of_periods(books, place),
                "analysts": {
                    name: write_budget(account.budget.like(account.allowance(name))) for name in account.allowances
                },
            }
            for place, account in books.accounts.items()
        ]
        data = {
            "format": "ledger-export/1",
            "head": {"number": books.head.number, "hash": books.head.hash},
            "accounts": accounts,
            "charges": [charge_data(each) for each in books.charges.values()],
        }
    return json.dumps(data, indent=2, allow_nan=False) + "\n"


def _of_periods(books: Books, place: Place) -> dict[str, Any]:
    """Give what was spent of each calendar period, where each has the budget."""
    known = {} if place.part else books.periods.get(place.dataset, {})
    spent = {name: write_budget(each.budget.like(each.spent)) for name, each in sorted(known.items())}
    return {"periods": spent} if spent else {}


def to_csv(ledger: Ledger) -> str:
    """Write one line for each charge."""
    text = io.StringIO()
    writer = csv.DictWriter(text, _COLUMNS, lineterminator="\n")
    writer.writeheader()
    for each in ledger.charges():
        writer.writerow({name: _harmless(value) for name, value in charge_data(each).items()})
    return text.getvalue()


def _harmless(value: object) -> object:
    """Keep a spreadsheet from reading a text as a formula."""
    return f"'{value}" if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")) else value
