"""Every figure of the page of figures is what the code beside it computes."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

PAGE = (Path(__file__).parents[1] / "docs" / "guides" / "figures.md").read_text(encoding="utf-8")
ERRATA = (Path(__file__).parents[1] / "docs" / "errata.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| (.+?) \| (.+?) \| (.+?) \| (.+?) \| `(.+)` \|$", re.MULTILINE)
ROWS = ROW.findall(PAGE)
NUMERIC = {f"R{number}" for number in range(1, 5)} | {"K1", "K2", "K3"}
NUMERIC |= {
    f"B{number}" for number in (1, 5, 6, 8, 9, 10, 14, 15, 18, 19, 20, 21, 22, 23, 28, 29, 30, 32, 33, 34, 35, 36)
}


@pytest.fixture(scope="module")
def names() -> dict[str, Any]:
    """Run the lines that the page begins with."""
    space: dict[str, Any] = {}
    for line in re.findall(r"^>>> (.+)$", PAGE, re.MULTILINE):
        exec(line, space)
    return space


def shown(value: Any) -> str:
    """Write a result as the page does: four significant digits."""
    if isinstance(value, list | tuple | np.ndarray):
        return ", ".join(map(shown, value))
    return str(value) if isinstance(value, bool | np.bool_) else f"{float(value):.4g}"


def test_every_line_of_the_tables_is_read() -> None:
    lines = [line for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith("| figure ")]
    assert len(ROWS) == len(lines) > 70


@pytest.mark.parametrize("row", ROWS, ids=[f"{place} {row[0][:50]}" for place, row in enumerate(ROWS)])
def test_the_figure_is_computed(row: tuple[str, ...], names: dict[str, Any]) -> None:
    _, _, right, _, code = row
    assert shown(eval(code, names)) == right


@pytest.mark.parametrize("row", [row for row in ROWS if row[3] == "–"], ids=lambda row: row[0][:50])
def test_what_needs_no_erratum_is_as_stated(row: tuple[str, ...]) -> None:
    """A number that a source states without an erratum is right, up to its own rounding toward more loss."""
    _, stated, right, _, _ = row
    if re.fullmatch(r"-?[\d.e-]+", stated):
        assert float(right) <= float(stated) * 1.01


def test_every_erratum_with_a_number_is_there_and_none_is_made_up() -> None:
    cited = {name for row in ROWS for name in re.findall(r"[RKB]\d+", row[3])}
    assert cited >= NUMERIC
    assert all(re.search(rf"\b{name}\b", ERRATA) for name in cited)
