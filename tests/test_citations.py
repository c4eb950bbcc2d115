"""The chapters of the book that pages cite are those in which the sections stand."""

import re
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"
CHAPTERS = {
    "Distance Metrics": 3,
    "Domain Descriptors": 3,
    "Transformation: Row-by-Row": 3,
    "Transformation: Data Clipping": 3,
    "Transformation: Resize": 3,
    "Aggregating Data with Bounded Norm": 3,
    "Piecewise-Constant Support Exponential Mechanism": 4,
    "The Privacy Loss Random Variable": 5,
    "Example: B-Tree": 6,
    "Privacy Measure Conversion": 6,
    "Adaptivity": 6,
    "Partitioned Data": 6,
    "Example: Grouping on Asylum Seeker Data": 6,
    "Parallel composition": 6,
    "Sample and aggregate": 6,
    "Private Selection from Private Candidates": 6,
    "Example: k-means": 6,
    "Data Sets with Unbounded Contributions": 7,
    "Data Set Truncation": 7,
    "Reservoir Sampling": 7,
    "Truncation on Partitioned Data": 7,
    "Unknown Domain": 7,
    "Stable Grouping Transformations": 7,
    "Stable Join Transformations": 7,
    "Sufficient Statistics Perturbation": 8,
    "Hyperparameter Tuning": 9,
}
CITED = re.compile(r'chapter (\d+)(?: of the book)?,? \(?(("[^"]+"(?:, )?)+)')


def cited() -> set[tuple[str, int, str]]:
    """Give page, chapter and section of every citation with a section."""
    found = set()
    for page in sorted(DOCS.rglob("*.md")):
        text = re.sub(r"\s+", " ", page.read_text(encoding="utf-8"))
        for chapter, sections, _ in CITED.findall(text):
            found |= {(page.name, int(chapter), title) for title in re.findall(r'"([^"]+)"', sections)}
    return found


def test_sections_stand_in_the_chapters_that_pages_name() -> None:
    found = cited()
    assert not [each for each in found if CHAPTERS.get(each[2].rstrip(",")) != each[1]]
    assert {title.rstrip(",") for _, _, title in found} == set(CHAPTERS)
