"""In a browser, from files: no page scrolls sideways on a phone, the console is clean, and search finds pages."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.built_site import ROOT, build

pytestmark = pytest.mark.browser

PHONE, DESK = 390, 1280
PICTURES = ROOT / ".pictures"
LOOKED_AT = (
    "index.html",
    "guides/getting-started.html",
    "recipes/count.html",
    "guides/notebook-first-release.html",
    "mechanisms/gaussian.html",
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("site"))


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="make test-browser installs it")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("there is no Chromium here")
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def complaints() -> list[str]:
    """What a page logs, throws or loads from elsewhere."""
    return []


def opened(browser: Any, width: int, complaints: list[str]) -> Any:
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.on("console", lambda message: complaints.append(f"{page.url}: {message.text}"))
    page.on("pageerror", lambda error: complaints.append(f"{page.url}: {error}"))
    page.on("request", lambda request: complaints.extend([request.url] if request.url.startswith("http") else []))
    return page


def test_no_page_scrolls_sideways_on_a_phone(site: Path, browser: Any, complaints: list[str]) -> None:
    page = opened(browser, PHONE, complaints)
    wide = {}
    for path in sorted(site.rglob("*.html")):
        if path.name == "404.html":
            continue  # for servers: its addresses begin at their root
        page.goto(path.as_uri(), wait_until="load")
        width = page.evaluate("document.scrollingElement.scrollWidth")
        if width > PHONE:
            wide[path.relative_to(site).as_posix()] = width
    assert wide == {}
    assert complaints == []


def test_search_finds_a_page_without_a_server(site: Path, browser: Any, complaints: list[str]) -> None:
    page = opened(browser, DESK, complaints)
    page.goto((site / "guides" / "glossary.html").as_uri())
    page.click(".md-search__input")
    page.keyboard.type("median")
    page.wait_for_selector(".md-search-result__item a", timeout=10_000)
    found = page.locator(".md-search-result__item a").evaluate_all("links => links.map(link => link.href)")
    assert any("recipes/quantiles.html" in address for address in found[:3])
    assert complaints == []


@pytest.mark.parametrize("width", [DESK, PHONE])
def test_pictures_are_taken_for_people_to_look_at(site: Path, browser: Any, complaints: list[str], width: int) -> None:
    PICTURES.mkdir(exist_ok=True)
    page = opened(browser, width, complaints)
    for name in LOOKED_AT:
        page.goto((site / name).as_uri())
        assert page.locator("h1").first.is_visible()
        page.screenshot(path=PICTURES / f"{name.replace('/', '_').removesuffix('.html')}-{width}.png")
    assert complaints == []
