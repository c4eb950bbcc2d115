"""The documentation builds strictly: no broken link, no page outside the navigation, no request to the network."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("site")
    # in a process of its own: the theme warns in ways that are not ours to mend
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(target)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return target


def test_every_page_is_built(site: Path) -> None:
    pages = {path.relative_to(ROOT / "docs").with_suffix(".html") for path in (ROOT / "docs").rglob("*.md")}
    built = {path.relative_to(site) for path in site.rglob("*.html")}
    assert pages <= built


def test_pages_load_nothing_from_elsewhere(site: Path) -> None:
    loads = re.compile(r"<(?:script|link|img)[^>]+(?:src|href)=\"?(https?://[^\s\">]+)")
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
