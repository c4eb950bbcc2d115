"""Floors are read from pyproject.toml, every dependency has one, and what is pinned for development is allowed."""

import re
import tomllib
from pathlib import Path

import pytest

from tests.floors import floors

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def version(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(".")))


def test_every_dependency_has_a_floor() -> None:
    found = floors(PROJECT)
    assert len(found) == len(set(found)) >= len(PROJECT["dependencies"])
    assert all(re.fullmatch(r"[\w-]+==[\d.]+", item) for item in found)


def test_a_dependency_without_a_floor_is_named() -> None:
    with pytest.raises(ValueError, match="'numpy' states no floor"):
        floors({"dependencies": ["attrs>=1", "numpy"]})


def test_no_extra_is_empty() -> None:
    assert [name for name, needed in PROJECT["optional-dependencies"].items() if not needed] == []


def test_what_is_pinned_is_within_the_range() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").split()
    pinned = {name.lower(): value for name, value in (line.split("==") for line in lines)}
    for item in PROJECT["dependencies"]:
        name, floor, cap = re.fullmatch(r"([\w-]+)>=([\d.]+)(?:,<([\d.]+))?", item).groups()  # type: ignore[union-attr]
        assert version(pinned[name]) >= version(floor)
        assert cap is None or version(pinned[name]) < version(cap)


def test_the_page_on_licences_lists_every_dependency() -> None:
    page = (ROOT / "docs" / "licences.md").read_text(encoding="utf-8")
    for item in floors(PROJECT):
        assert f"| {item.partition('==')[0]} |" in page
