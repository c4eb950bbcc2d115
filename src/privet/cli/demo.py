"""``privet demo``: a classroom, an attack, and a private release that withstands it."""

from typing import Any

import numpy as np
from rich import box
from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

import privet as pv
import privet.calculus as pc
from privet.cli import classroom
from privet.cli.classroom import EPSILON, SCORES, TOLERANCE, Guesses, PrivateMean
from privet.cli.histogram import histogram

REPETITIONS = 1000
_WIDTH = 80


def demo() -> None:
    """Show that two exact means reveal a score, and that two private means do not."""
    console = Console(highlight=False)
    console.width = min(console.width, _WIDTH)
    cap = pc.PrivacyFilter(pv.budget(epsilon=2 * EPSILON))
    before = classroom.release_mean(SCORES, cap)
    after = classroom.release_mean(SCORES[:-1], cap)
    guesses = classroom.attack(before, after, REPETITIONS)
    console.print(_part("1  Two exact means", _exact_means()))
    console.print(_part("2  The same means, private", _private_means(before, after, cap)))
    console.print(_part(f"3  The attack, {REPETITIONS:,} times", _attack(guesses, console)))
    console.print(
        "Every run draws fresh noise: run it again, and all parts but the first change.\n"
        "Next: pv.datasets.visits() gives made-up data for a first release of your own.",
        style="dim",
    )


def _part(title: str, *content: RenderableType) -> Panel:
    return Panel(Group(*content), title=f"[bold]{title}[/bold]", title_align="left", box=box.ROUNDED, padding=(1, 2))


def _exact_means() -> RenderableType:
    size = len(SCORES)
    first, second = classroom.exact_mean(SCORES), classroom.exact_mean(SCORES[:-1])
    score = classroom.recover_score(first, second, size)
    table = _table("", "students", "mean")
    table.add_row("the class", f"{size}", f"{first:g}")
    table.add_row("after one student left", f"{size - 1}", f"{second:g}")
    return Group(
        Text("Scores: " + " ".join(map(str, SCORES))),
        table,
        Text.assemble(
            f"{size} x {first:g} - {size - 1} x {second:g} = ",
            (f"{score:g}", "bold red"),
            ": exactly the score of the student who left.\nNobody published it, but the two averages reveal it.",
        ),
    )


def _private_means(before: PrivateMean, after: PrivateMean, cap: pc.PrivacyFilter) -> RenderableType:
    table = _table("students", "one score\nmoves it by", "scale of\nthe noise", "released\nmean", "95 % interval")
    for mean in (before, after):
        low, high = mean.interval
        table.add_row(
            f"{mean.size}",
            f"{float(mean.sensitivity):.1f}",
            f"{float(mean.scale):.1f}",
            Text(f"{mean.release:.1f}", "bold green"),
            f"{low:.1f} to {high:.1f}",
        )
    large = 1000
    chain, _, _ = classroom.mean_chain(large)
    half = float(chain.accuracy(0.05))
    return Group(
        table,
        Text(
            "Scores lie between 0 and 100, so one score moves a mean by 100 / students at most; noise of that size "
            f"costs epsilon = {EPSILON}. The interval contains the exact mean in 95 of 100 releases; because of the "
            "noise it may extend beyond 100."
        ),
        Text(),
        Text(_spending(cap)),
        Text(),
        Text(f"Ten scores are few. With {large:,} students the same epsilon leaves the mean within {half:.2f} points."),
    )


def _spending(cap: pc.PrivacyFilter) -> str:
    spent: Any = cap.spent
    remaining: Any = cap.remaining
    return (
        f"Charged before the scores were read: epsilon {EPSILON} + {EPSILON} = {spent.epsilon}, {remaining.epsilon} "
        "left. That bounds what both numbers reveal about a student in both means; for the student who left, who is in "
        f"the first only, the bound is {EPSILON}."
    )


def _attack(guesses: Guesses, console: Console) -> RenderableType:
    truth = SCORES[-1]
    size = len(SCORES)
    leaked = classroom.recover_score(classroom.exact_mean(SCORES), classroom.exact_mean(SCORES[:-1]), size)
    low, middle, high = np.quantile(guesses, (0.05, 0.5, 0.95))
    odds = _table(f"within {TOLERANCE} points of {truth}", "how often")
    odds.add_row("from the exact means", _percent(classroom.hits(np.array([leaked]))))
    odds.add_row("from the private means, this attack", _percent(classroom.hits(guesses)))
    odds.add_row("without any release: a random score", _percent(float(classroom.blind_hits())))
    odds.add_row("any attack at all: at most", _percent(classroom.best_hits()))
    return Group(
        Text(f"{size} x first mean - {size - 1} x second mean, from {REPETITIONS:,} simulated pairs of releases:"),
        Text(),
        histogram(guesses, console),
        Text(),
        Text(
            f"Half of the guesses lie below {middle:.0f}, 9 in 10 between {low:.0f} and {high:.0f}. "
            f"The score is {truth}."
        ),
        odds,
        Text(
            f"The last line is the guarantee: e^{EPSILON} times blind guessing, on average over all possible scores, "
            "whatever else the attacker knows about the class. (A simulation may repeat a release; a teacher would be "
            "charged for each one.)"
        ),
    )


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _table(*headings: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False, header_style="bold")
    for position, heading in enumerate(headings):
        table.add_column(heading, justify="left" if position == 0 and len(headings) < 4 else "right")
    return table
