"""The README keeps its word: every example runs as pasted, and every link within the repository leads somewhere."""

import doctest
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", README, flags=re.MULTILINE | re.DOTALL)
PAGES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"]


def runs(block: str) -> None:
    """Run a script, or examples with prompts."""
    names: dict[str, object] = {"__name__": "__main__"}
    if ">>>" not in block:
        exec(compile(block, "README.md", "exec"), names)
        return
    examples = doctest.DocTestParser().get_doctest(block, names, "README.md", None, 0)
    result = doctest.DocTestRunner(verbose=False).run(examples)
    assert result.attempted > 0
    assert result.failed == 0


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_every_block_runs_when_pasted(block: str) -> None:
    runs(block)


def test_the_first_example_is_short_and_prints_an_interval(capsys: pytest.CaptureFixture[str]) -> None:
    lines = [line for line in BLOCKS[0].splitlines() if line.strip()]
    assert len(lines) <= 18
    runs(BLOCKS[0])
    printed = capsys.readouterr().out
    assert re.search(r"^medicine +[\d,]+ \([\d,]+ to [\d,]+\) ", printed, flags=re.MULTILINE)
    assert "loss:" in printed


def test_the_two_commands_are_named_and_exist() -> None:
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE)
    named = set(re.findall(r"(?:`|\$ )make ([a-z]+)", README))
    assert {"demo", "test"} <= named <= set(targets)


@pytest.mark.parametrize("page", PAGES)
def test_links_within_the_repository_lead_somewhere(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    targets = [target.partition("#")[0] for target in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in target]
    assert [target for target in targets if not (ROOT / target).exists()] == []
