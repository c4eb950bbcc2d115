"""What is generated from the list of public names: the stubs that type checkers read.

``python -m tests.generated`` writes the files; ``tests/test_generated.py`` compares.
"""

from pathlib import Path

from privet._names import ANALYST, CALCULUS, Names

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "privet"
_HEAD = '"""{about}"""\n\n# Written by python -m tests.generated.\n\n'


def stub(about: str, names: Names, first: str = "") -> str:
    """Write the imports that a type checker reads in place of lazy names."""
    lines = [f"from {module} import {name} as {name}" for module in sorted(names) for name in sorted(names[module])]
    return _HEAD.format(about=about) + first + "\n".join(lines) + "\n"


def generated() -> dict[Path, str]:
    """Give every generated file with its text."""
    packages = "".join(f"from privet import {name} as {name}\n" for name in ("calculus", "errors", "noise"))
    return {
        PACKAGE / "__init__.pyi": stub("The analyst's names.", ANALYST, packages)
        + "\n__version__: str\n__all__: list[str]\n",
        PACKAGE / "calculus.pyi": stub("The names of the calculus.", CALCULUS) + "\n__all__: list[str]\n",
    }


if __name__ == "__main__":
    for path, text in generated().items():
        path.write_text(text, encoding="utf-8")
