"""Generated files are up to date."""

from pathlib import Path

import pytest

from tests.generated import generated

FILES = generated()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_generated_file_is_up_to_date(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == FILES[path], "run python -m tests.generated"
