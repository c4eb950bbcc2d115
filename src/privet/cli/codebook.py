"""``privet codebook``: start a codebook from a schema, and check one."""

import json
import re
from pathlib import Path
from typing import Annotated

import typer

import privet as pv
from privet.core import count_text
from privet.errors import PrivetError
from privet.tables.codebook.write import flow

commands = typer.Typer(
    name="codebook",
    help="Codebooks: public facts about a table. Start one from a schema, and check it.",
    no_args_is_help=True,
)


@commands.command()
def init(
    file: Annotated[Path, typer.Argument(help="A CSV, Parquet or Arrow file. Only its names and types are read.")],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The file to write; by default FILE with .yaml. - for the screen."),
    ] = None,
    sample: Annotated[
        Path | None,
        typer.Option(help="A PUBLIC file with the same columns, such as made-up rows, whose values show the types."),
    ] = None,
) -> None:
    """Write a template from the names and types of FILE, with ??? where a person has to answer. No data are read."""
    target = file.with_suffix(".yaml") if output is None else output
    try:
        text = pv.template(file, sample=sample)
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
    typer.echo(
        f"{target} is written. Answer its {count_text(questions, 'question')}, then: privet codebook check {target}"
    )
    untyped = len(re.findall(r"^    type: \?\?\?", text, flags=re.MULTILINE))
    if untyped:
        typer.echo(
            f"The type of {count_text(untyped, 'column')} is missing, since {file.name} has no types. Write each type. "
            f"Or delete {target.name} and let a public file of made-up rows show the types: "
            f"privet codebook init {file} --sample PUBLIC.csv"
        )


@commands.command()
def check(
    file: Annotated[Path, typer.Argument(help="A codebook in YAML.")],
    against: Annotated[
        str | None,
        typer.Option(help="The data. The answer is exact, NOT private and NOT for publication."),
    ] = None,
    delimiter: Annotated[
        str | None, typer.Option(help="What parts the columns of the data, where that is no comma.")
    ] = None,
) -> None:
    """Check a codebook and explain its meaning; show every problem with its line.

    With --against FILE, also count exactly what of the data does not fit. That answer is not private.
    """
    try:
        codebook = pv.Codebook.read(file)
    except pv.CodebookError as error:
        still_open = sum(problem.open for problem in error.problems)
        counts = ((len(error.problems) - still_open, "problem"), (still_open, "open question"))
        summary = " and ".join(f"{count} {noun}{'' if count == 1 else 's'}" for count, noun in counts if count)
        raise _failure(f"{error}\n{summary}.") from None
    except PrivetError as error:
        raise _failure(str(error)) from None
    typer.echo(_summary(codebook))
    if against is not None:
        _check_data(against, codebook, delimiter)


def _check_data(source: str, codebook: "pv.Codebook", delimiter: str | None) -> None:
    """Print the custodian's check, and fail where it finds problems."""
    try:
        report = pv.check(source, codebook, delimiter=delimiter)
    except PrivetError as error:
        raise _failure(str(error)) from None
    typer.echo(f"\n{report}")
    if report.problems:
        raise typer.Exit(1)


@commands.command()
def schema() -> None:
    """Print the JSON Schema of codebooks, for editors that check a file while it is written."""
    typer.echo(json.dumps(pv.Codebook.json_schema(), indent=2))


def _summary(codebook: "pv.Codebook") -> str:
    lines = [f"{codebook.table or 'a table'} of {count_text(len(codebook.columns), 'column')}"]
    lines.append(f"protected: {codebook.unit.protects}")
    caps = {name: getattr(codebook.unit, name, None) for name in ("rows", "groups", "rows_per_group")}
    stated = [f"{name}={value}" for name, value in caps.items() if value is not None]
    stated += [each.describe() for each in getattr(codebook.unit, "by", ())]
    lines += [f"caps of a person: {', '.join(stated)}"] if stated else []
    lines.append(f"not protected: {codebook.unit.leaves_open}")
    lines += [f"assumed: {assumption}" for assumption in codebook.assumptions]
    data = codebook.to_dict()
    lines += [f"{key}: {flow(data[key])}" for key in ("file", "missing", "decimal", "thousands") if key in data]
    for name, item in codebook.columns.items():
        lines.append(f"  {name if name.isprintable() and name else repr(name)}: {item.describe()}")
    return "\n".join(lines)


def _failure(message: str) -> typer.Exit:
    typer.echo(message, err=True)
    return typer.Exit(1)
