"""``privet codebook``: start a codebook from a schema, and check one."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from privet.errors import PrivetError

if TYPE_CHECKING:
    from privet.tables.codebook.codebook import Codebook

commands = typer.Typer(
    name="codebook",
    help="Codebooks: what is publicly known of a table. Start one from a schema, and check it.",
    no_args_is_help=True,
)


@commands.command()
def init(
    file: Annotated[Path, typer.Argument(help="A CSV, Parquet or Arrow file. Only its names and types are read.")],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Where to write it; by default FILE with .yaml. - for the screen."),
    ] = None,
) -> None:
    """Write a template from the names and types of FILE, with ??? where a person has to answer. No data are read."""
    from privet.tables.codebook.template import template

    target = file.with_suffix(".yaml") if output is None else output
    try:
        text = template(file)
    except PrivetError as error:
        raise _failure(str(error)) from None
    if str(target) == "-":
        typer.echo(text, nl=False)
        return
    try:
        with target.open("x", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
    except FileExistsError:
        raise _failure(f"{target} exists already; choose another name with --output.") from None
    except OSError as error:
        raise _failure(f"{target} cannot be written: {error.strerror or 'no reason given'}.") from None
    questions = len(re.findall(r": \?\?\?(?:$|  #)", text, flags=re.MULTILINE))
    typer.echo(f"{target} is written. Answer its {questions} questions, then: privet codebook check {target}")


@commands.command()
def check(file: Annotated[Path, typer.Argument(help="A codebook in YAML.")]) -> None:
    """Check a codebook and say what it means; every problem is shown with its line."""
    from privet.tables.codebook.codebook import Codebook
    from privet.tables.codebook.problem import CodebookError

    try:
        codebook = Codebook.read(file)
    except CodebookError as error:
        still_open = sum(problem.open for problem in error.problems)
        wrong = len(error.problems) - still_open
        told = [f"{wrong} {'problem' if wrong == 1 else 'problems'}"] if wrong else []
        told += [f"{still_open} open {'question' if still_open == 1 else 'questions'}"] if still_open else []
        raise _failure(f"{error}\n{' and '.join(told)}.") from None
    except PrivetError as error:
        raise _failure(str(error)) from None
    typer.echo(_summary(codebook))


def _summary(codebook: "Codebook") -> str:
    from privet.tables.codebook.values import value_text

    lines = [f"{codebook.table or 'a table'} of {len(codebook.columns)} columns"]
    lines.append(f"protected: {codebook.unit.protects}")
    caps = {name: getattr(codebook.unit, name, None) for name in ("rows", "groups", "rows_per_group")}
    given = [f"{name}={value}" for name, value in caps.items() if value is not None]
    lines += [f"caps of a person: {', '.join(given)}"] if given else []
    lines.append(f"not protected: {codebook.unit.leaves_open}")
    lines += [f"assumed: {assumption}" for assumption in codebook.assumptions]
    for name, item in codebook.columns.items():
        told: str = item.column.kind
        if item.column.categories is not None:
            told += f", {len(item.column.categories)} categories"
        elif item.column.bounds is not None:
            ends = [value_text(item.column.kind, end) for end in item.column.bounds]
            told += f", from {ends[0]} to {ends[1]}"
        lines.append(
            f"  {name if name.isprintable() and name else repr(name)}: {told}; {item.nulls.meaning(item.column)}"
        )
    return "\n".join(lines)


def _failure(told: str) -> typer.Exit:
    typer.echo(told, err=True)
    return typer.Exit(1)
