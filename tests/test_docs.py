"""The documentation builds strictly: no broken link, no page outside the navigation, no request to the network."""

import json
import re
from pathlib import Path

import pytest

from tests.built_site import ROOT, build


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("site"))


def test_every_page_is_built(site: Path) -> None:
    pages = {path.relative_to(ROOT / "docs").with_suffix(".html") for path in (ROOT / "docs").rglob("*.md")}
    built = {path.relative_to(site) for path in site.rglob("*.html")}
    assert pages <= built


def test_pages_load_nothing_from_elsewhere(site: Path) -> None:
    loads = re.compile(r"<(?:script|link|img|iframe)[^>]+(?:src|href)=\"?((?:https?:)?//[^\s\">]+)")
    found = {
        (page.name, address)
        for page in site.rglob("*.html")
        for address in loads.findall(page.read_text(encoding="utf-8"))
    }
    assert found == set()


def test_formulas_are_drawn_without_a_script(site: Path) -> None:
    page = (site / "mechanisms" / "gaussian.html").read_text(encoding="utf-8")
    assert "<math" in page
    assert 'class="arithmatex"' not in page


def test_no_formula_shows_its_latex(site: Path) -> None:
    escaped = re.compile(r"<m(?:i|o|n|text)[^>]*>[^<]*\\[^<]*<")
    found = {page.name: escaped.findall(page.read_text(encoding="utf-8")) for page in site.rglob("*.html")}
    assert {name: texts for name, texts in found.items() if texts} == {}


def test_search_works_without_a_server(site: Path) -> None:
    index = (site / "search" / "search_index.js").read_text(encoding="utf-8")
    titles = {entry["title"] for entry in json.loads(index.removeprefix("var __index = "))["docs"]}
    assert {"Count", "Glossary", "Getting started"} <= titles
    assert "assets/iframe-worker.js" in (site / "index.html").read_text(encoding="utf-8")


def test_examples_hide_the_remarks_of_the_runner(site: Path) -> None:
    shown = [page.name for page in site.rglob("*.html") if "# doctest:" in page.read_text(encoding="utf-8")]
    assert shown == []


def test_every_reference_and_recipe_is_called_as_users_call_it(site: Path) -> None:
    for name in ("mean", "count", "sum", "std", "variance", "correlation", "count_ids", "histogram"):
        page = "standard_deviation" if name == "std" else name
        text = (site / "tables" / "aggregates" / f"{page}.html").read_text(encoding="utf-8")
        assert re.search(rf'<h1 id="[\w-]+">{name}<', text), name
