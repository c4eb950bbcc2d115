"""Sessions and planners in words: their tables, the privacy unit, what was spent and what is left; all public."""

from privet.core import Fact, count_text, facts_html
from privet.tables.codebook.codebook import Codebook
from privet.tables.codebook.describe_codebook import column_lines, unit_lines
from privet.tables.columns import text_table
from privet.tables.curator.curator import Curator


def facts_of_tables(curator: Curator) -> tuple[Fact, ...]:
    """Say which tables there are, whom they protect, what was spent and what is left.

    Args:
        curator: Who holds the tables and the budget.
    """
    tables = [f"{name} ({count_text(len(book.columns), 'column')})" for name, book in curator.codebooks.items()]
    part = tuple(("part", line.removeprefix("part: ")) for line in curator.tables.part)
    return (("tables", ", ".join(tables)), *part, ("protected", curator.tables.protected), *facts_of_budget(curator))


def facts_of_budget(curator: Curator) -> tuple[Fact, ...]:
    """Say what all releases together may cost, what was spent and what is left."""
    budget = ("budget", curator.budget.describe())
    if curator.endless:
        return (("budget", "no limit: NOT PRIVATE, for tests on public data only"),)
    if not curator.at_home:  # a forked copy must not know what its parent spends
        return (budget, ("spent", "known to the process that opened the session"))
    spent, left = curator.spent, curator.remaining
    points = [entry.cost.point() for entry in curator.history]
    paid = sum(_some(point.cost, point.delta) for point in points)  # releases of public groups cost nothing
    charges = f" in {count_text(paid, 'charge')}" if paid else ""
    return (
        budget,
        ("spent", f"{spent.describe() if _some(spent.point().cost, spent.point().delta) else 'nothing'}{charges}"),
        ("left", left.describe(up=False) if _some(left.point().cost, left.point().delta) else "nothing"),
    )


def describe_tables(title: str, curator: Curator) -> str:
    """Write the budget, and each table with its columns.

    Args:
        title: Whose tables they are.
        curator: Who holds the tables and the budget.
    """
    lines = [title, *(f"{name}: {text}" for name, text in facts_of_budget(curator)), *curator.tables.part]
    together = curator.tables.protected
    if all(together != book.unit.protects for book in curator.codebooks.values()):  # the id columns have several names
        lines.append(f"protected in all tables together: {together}")
    return "\n\n".join(["\n".join(lines), *(_describe_table(name, book) for name, book in curator.codebooks.items())])


def tables_html(title: str, curator: Curator) -> str:
    """Write the same for a notebook: the budget, and below it each codebook."""
    books = "".join(book._repr_html_() for book in curator.codebooks.values())
    return f"<div>{facts_html(title, facts_of_tables(curator))}{books}</div>"


def _describe_table(name: str, book: Codebook) -> str:
    about = f": {book.description}" if book.description else ""
    facts = [f"{label}: {text}" for label, text in unit_lines(book.unit)]
    known = [each for each, item in book.columns.items() if item.column.categories is not None]
    groups = f"public groups: by {', '.join(known)}, from their categories" if known else "public groups: none"
    table = text_table(column_lines(book.columns, book.unit))
    assumed = [f"assumed: {line}" for line in book.assumptions]
    return "\n".join([f"table {name}{about}", *facts, groups, *assumed, "", table])


def _some(*amounts: object) -> bool:
    return any(amount != 0 for amount in amounts)
