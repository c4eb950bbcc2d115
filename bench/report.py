"""Where results go: the terminal, and the tables of docs/benchmarks.md."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from bench.peers import ROOT

PAGE = ROOT / "docs" / "benchmarks.md"


def show(title: str, heading: Sequence[str], rows: Sequence[Sequence[str]], note: str) -> None:
    """Print a table."""
    table = Table(title=title, title_justify="left")
    for position, name in enumerate(heading):
        table.add_column(name, justify="left" if position == 0 else "right", no_wrap=position == 0)
    for row in rows:
        table.add_row(*row)
    console = Console(highlight=False)
    console.print(table)
    console.print(note, style="dim")


def write(title: str, heading: Sequence[str], rows: Sequence[Sequence[str]], note: str) -> None:
    """Replace the table between this benchmark's markers."""
    start, end = f"<!-- {title}: begin -->", f"<!-- {title}: end -->"
    before, found, rest = PAGE.read_text(encoding="utf-8").partition(start)
    _, closed, after = rest.partition(end)
    if not (found and closed):
        raise SystemExit(f"docs/benchmarks.md has no place for {title}: put {start} and {end} there.")
    ruler = ["---", *["---:"] * (len(heading) - 1)]
    lines = [" | ".join(row) for row in (heading, ruler, *rows)]
    table = "\n".join(f"| {line} |" for line in lines)
    PAGE.write_text(f"{before}{start}\n{table}\n\n{note}\n{end}{after}", encoding="utf-8")
