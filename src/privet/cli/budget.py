"""``privet budget``: show, check, change and export the budgets of a ledger, and share its releases."""

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, final

import typer

import privet as pv
from privet.accounting.planning.budget import read_typed, state_budget
from privet.core import count_text, cut_text
from privet.errors import InvalidError, PrivetError
from privet.ledger.chain import Head
from privet.ledger.export import to_csv, to_json
from privet.tables.columns import text_table

commands = typer.Typer(
    name="budget",
    help="Ledgers: budgets of data sets, in a file or on a server. Show, check, grant, share and export them.",
    no_args_is_help=True,
)
LedgerPath = Annotated[
    str, typer.Argument(help="The file of the ledger, such as budget.db, or postgresql://user@host/database.")
]
Dataset = Annotated[str | None, typer.Option(help="One data set; all of them by default.")]
_IN_A_TABLE = 60


@final
class Format(StrEnum):
    """How an export is written."""

    JSON = "json"
    CSV = "csv"


@commands.command()
def show(ledger: LedgerPath, dataset: Dataset = None) -> None:
    """Show each data set: its budget, what was spent and what is left, and what each analyst may still spend."""
    with _explained():
        opened = pv.Ledger(ledger, create=False)
        names = opened.datasets if dataset is None else (dataset,)
        rows = [["data set", "analyst", "budget", "spent", "left"]]
        for name in names:
            rows += _rows_of(opened, name)
    typer.echo(text_table(rows) if names else "The ledger has no data set yet.")


@commands.command()
def history(ledger: LedgerPath, dataset: Dataset = None) -> None:
    """Show every charge: when, who, what was asked, what it cost, and what became of it."""
    with _explained():
        opened = pv.Ledger(ledger, create=False)
        if dataset is not None:
            opened.budget(dataset)  # one that is not there is refused
        charges = opened.charges(dataset)
    rows = [["entry", "time (UTC)", "data set", "analyst", "query", "cost", "state"]]
    for each in charges:
        part = (f"part {each.place.part}",) if each.place.part else ()
        place = ", ".join((each.place.dataset, *each.place.periods, *part))
        words = [place, each.analyst, cut_text(each.query, _IN_A_TABLE), str(each.cost), each.state]
        rows.append([str(each.number), f"{each.when:%Y-%m-%d %H:%M:%S}", *words])
    typer.echo(text_table(rows) if charges else "Nothing was charged yet.")


@commands.command()
def verify(
    ledger: LedgerPath,
    anchor: Annotated[
        str | None, typer.Option(help="A head that was kept elsewhere, NUMBER:HASH, as this command printed it.")
    ] = None,
) -> None:
    """Check every entry and every stored release, and print the head, to be kept elsewhere."""
    with _explained():
        opened = pv.Ledger(ledger, anchor=None if anchor is None else _read_head(anchor), create=False)
        head = opened.verify()
    against = "" if anchor is None else " The anchor is in it."
    typer.echo(f"{count_text(head.number, 'entry', 'entries')} verified.{against}\nhead: {head.number}:{head.hash}")


@commands.command()
def grant(
    ledger: LedgerPath,
    dataset: Annotated[str, typer.Argument(help="The data set.")],
    epsilon: Annotated[str | None, typer.Option(help="The budget, with or without --delta.")] = None,
    delta: Annotated[str | None, typer.Option(help="The probability of a larger loss.")] = None,
    rho: Annotated[str | None, typer.Option(help="Or the budget in concentrated privacy.")] = None,
    analyst: Annotated[
        str | None, typer.Option(help="What one analyst may spend of it, instead of the budget.")
    ] = None,
    share: Annotated[str | None, typer.Option(help="With --analyst: the share of the budget, such as 0.25.")] = None,
) -> None:
    """Set or change the budget of DATASET, or what one analyst may spend of it. What is spent stays spent."""
    with _explained():
        typed = {"epsilon": epsilon, "delta": delta, "rho": rho}
        given = any(amount is not None for amount in typed.values())
        budget = state_budget("grant", **typed) if given else None
        if share is not None and (analyst is None or budget is not None):
            raise InvalidError("--share is for --analyst, and takes the place of --epsilon, --delta and --rho.")
        opened = pv.Ledger(ledger)
        if analyst is None:
            if budget is None:
                raise InvalidError("give the budget: --epsilon 1, --epsilon 1 --delta 1e-6, or --rho 0.5.")
            opened.grant(dataset, budget)
            typer.echo(f"{dataset}: the budget is {opened.budget(dataset)}, {_left(opened, dataset)} is left.")
            return
        part = None if share is None else read_typed("grant", "share", share)
        opened.allow(dataset, analyst, share=part, budget=budget)
        allowed = opened.allowance(dataset, analyst)
    typer.echo(f"{dataset}: {analyst} may spend {allowed}, {_left(opened, dataset, analyst)} is left.")


@commands.command()
def share(
    ledger: LedgerPath,
    dataset: Annotated[str, typer.Argument(help="The data set.")],
    entry: Annotated[
        list[int] | None, typer.Option(help="One release, by its entry in the history; may be given several times.")
    ] = None,
) -> None:
    """Give the stored releases of DATASET to every analyst who makes the same request. It cannot be taken back."""
    with _explained():
        shared = pv.Ledger(ledger, create=False).share(dataset, *(entry or ()))
    word = "entry" if len(shared) == 1 else "entries"
    which = f" ({word} {', '.join(map(str, shared))})" if shared else ""
    typer.echo(f"{dataset}: {count_text(len(shared), 'release')} shared from now on{which}.")


@commands.command()
def export(
    ledger: LedgerPath,
    form: Annotated[Format, typer.Option("--format", help="json has budgets and charges, csv one line per charge.")] = (
        Format.JSON
    ),
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The file to write; the screen by default.")
    ] = None,
) -> None:
    """Write budgets and charges for other programs. Stored releases are left out."""
    with _explained():
        opened = pv.Ledger(ledger, create=False)
        text = to_json(opened) if form is Format.JSON else to_csv(opened)
        if output is None:
            typer.echo(text, nl=False)
            return
        try:
            with output.open("x", encoding="utf-8", newline="\n") as stream:
                stream.write(text)
        except FileExistsError:
            raise InvalidError(f"{output} exists already; choose another name with --output.") from None
        except OSError as error:
            raise InvalidError(f"{output} cannot be written: {error.strerror or 'no reason given'}.") from None
    typer.echo(f"{output} is written.")


def _rows_of(ledger: "pv.Ledger", dataset: str) -> list[list[str]]:
    """Give the lines of a data set: all analysts and each of them, for each calendar period that has a budget."""
    rows = []
    for period in ledger.periods(dataset) or (None,):
        name = dataset if period is None else f"{dataset}, {period}"
        for analyst in (None, *ledger.analysts(dataset)):
            budget = ledger.budget(dataset) if analyst is None else ledger.allowance(dataset, analyst)
            who = "all" if analyst is None else analyst or "(no name)"
            spent = ledger.spent(dataset, analyst, period=period).describe()
            rows.append([name, who, str(budget), spent, _left(ledger, dataset, analyst, period)])
    return rows


def _left(ledger: "pv.Ledger", dataset: str, analyst: str | None = None, period: str | None = None) -> str:
    return ledger.remaining(dataset, analyst, period=period).describe(up=False)


def _read_head(text: str) -> Head:
    number, _, digest = text.strip().partition(":")
    if not number.isdecimal():
        raise InvalidError("--anchor is written as NUMBER:HASH, as privet budget verify printed it.")
    return Head(int(number), digest)


@contextmanager
def _explained() -> Iterator[None]:
    """Print what is wrong without a traceback, and end with exit code 1."""
    try:
        yield
    except PrivetError as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(1) from None
