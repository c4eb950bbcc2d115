"""docs/units.md lists every unit with its guarantee, word for word as the unit states it."""

import inspect
import re
from pathlib import Path

import privet as pv
from privet.chains.measurement import Measurement
from privet.chains.transformation import Transformation

PAGE = Path(__file__).parents[1] / "docs" / "units.md"
ROOMS = {
    "transforms": "Transformations",
    "mechanisms": "Mechanisms",
    "imputation": "Imputation",
    "tables": "Steps of table queries",
}


def guarantee(unit: type) -> str:
    """The sentence behind "Guarantee:" in a docstring, on one line."""
    found = re.search(r"Guarantee:\s*(.*?)\n\s*Proof:", inspect.getdoc(unit) or "", flags=re.DOTALL)
    assert found, f"{unit.__name__} states no guarantee in its docstring"
    return " ".join(found[1].split()).replace("``", "`").replace("|", "\\|")


def table() -> str:
    """The page as it must read: one table for each room, in alphabetical order."""
    parts = []
    for room, title in ROOMS.items():
        rows = [f"## {title}\n", "| unit | guarantee |", "|---|---|"]
        for name in sorted(pv.__all__):
            item = getattr(pv, name)
            if inspect.isclass(item) and item.__module__.startswith(f"privet.{room}.") and is_unit(item):
                page = item.__module__.removeprefix("privet.").replace(".", "/")
                rows.append(f"| [{name}]({page}.md) | {guarantee(item)} |")
        parts.append("\n".join(rows))
    return "\n\n".join(parts) + "\n"


def is_unit(item: type) -> bool:
    return issubclass(item, Transformation | Measurement)


def test_the_page_lists_every_unit_with_its_guarantee() -> None:
    text = PAGE.read_text(encoding="utf-8")
    head, mark, found = text.partition("<!-- units -->\n\n")
    assert mark, "docs/units.md has no place for the tables"
    if found != table():
        wanted = PAGE.with_suffix(".md.new")
        wanted.write_text(head + mark + table(), encoding="utf-8")
        raise AssertionError(f"docs/units.md is out of date; what it must say is in {wanted.name} beside it")
