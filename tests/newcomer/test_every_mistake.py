"""Each of the 39 mistakes of new users has a test of its own beside this file."""

import re
from pathlib import Path

MISTAKES = range(1, 40)
NAME = re.compile(r"^def test_mistake_(\d\d)_\w+\(", re.MULTILINE)


def test_every_mistake_has_a_test() -> None:
    texts = [path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_mistakes_*.py")]
    tested = {int(number) for text in texts for number in NAME.findall(text)}
    assert tested == set(MISTAKES), f"without a test: {sorted(set(MISTAKES) - tested)}"
