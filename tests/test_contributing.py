"""CONTRIBUTING.md lists the layers that the contract enforces, in its order."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_layers_are_those_of_the_contract() -> None:
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    contract = next(each for each in tools["importlinter"]["contracts"] if each["name"] == "imports point downward")
    section = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## The layers")[2].partition("\n## ")[0]
    listed = re.findall(r"^\| `(\w+)` \|", section, flags=re.MULTILINE)
    assert listed == [layer.removeprefix("privet.") for layer in contract["layers"]]
