"""The oldest versions that pyproject.toml allows, for pip: ``python tests/floors.py`` prints ``name==floor`` for each.

``make test-floor`` installs these, so that no floor is listed twice and none is only hoped for.
"""

import re
import sys
import tomllib
from pathlib import Path

_REQUIREMENT = re.compile(r"([\w.-]+)(?:\[\w+\])?>=([\d.]+)(,<[\d.]+)?")


def floors(project: dict[str, object]) -> list[str]:
    """Give the floor of every dependency, those of extras included."""
    extras = project.get("optional-dependencies", {})
    assert isinstance(extras, dict)
    needed = [*_texts(project["dependencies"]), *(item for extra in extras.values() for item in _texts(extra))]
    found = []
    for item in needed:
        if item.startswith("privet["):  # an extra that brings others
            continue
        read = _REQUIREMENT.fullmatch(item)
        if read is None:
            raise ValueError(f"pyproject.toml: {item!r} states no floor; write name>=version.")
        found.append(f"{read[1]}=={read[2]}")
    return found


def _texts(value: object) -> list[str]:
    assert isinstance(value, list)
    return [str(item) for item in value]


if __name__ == "__main__":
    text = (Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8")
    sys.stdout.write(" ".join(floors(tomllib.loads(text)["project"])) + "\n")
