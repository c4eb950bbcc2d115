"""``privet explain``: a privacy loss in plain words."""

from typing import Annotated

import typer

import privet as pv
from privet.errors import PrivetError


def explain(
    epsilon: Annotated[str | None, typer.Option(help="The loss, such as 0.5 or 1/3.")] = None,
    delta: Annotated[str | None, typer.Option(help="The probability of a larger loss, such as 1e-6.")] = None,
    rho: Annotated[str | None, typer.Option(help="Or the loss in concentrated privacy.")] = None,
    prior: Annotated[float, typer.Option(help="How likely somebody thinks it is that a person is in the data.")] = 0.5,
    people: Annotated[int | None, typer.Option(help="About how many persons are in the data.")] = None,
) -> None:
    """Say in plain words what a privacy loss means for one person."""
    try:
        text = str(pv.explain(epsilon=epsilon, delta=delta, rho=rho, prior=prior, people=people))
    except PrivetError as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(1) from None
    typer.echo(text)
