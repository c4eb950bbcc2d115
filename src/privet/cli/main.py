"""The ``privet`` command and its subcommands."""

from typing import Annotated

import typer

from privet import __version__
from privet.cli.budget import commands as budget
from privet.cli.codebook import commands as codebook
from privet.cli.demo import demo
from privet.cli.explain import explain

app = typer.Typer(
    name="privet",
    help="Provably private statistics, with error bars and a record of the privacy loss.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,  # a decorated traceback prints local variables, and those may be data
)
app.command()(demo)
app.command()(explain)
app.add_typer(codebook)
app.add_typer(budget)


def _show_version(show: bool) -> None:  # noqa: FBT001 - the form of a typer callback
    if show:
        typer.echo(f"privet {__version__}")
        raise typer.Exit


@app.callback()
def main(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Provably private statistics, with error bars and a record of the privacy loss."""
