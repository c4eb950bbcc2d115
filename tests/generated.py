"""What is generated from the list of public names: stubs, the pages of names and of units, and the navigation.

``make names`` writes the files; ``tests/test_generated.py`` compares.
"""

import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import privet as pv
import privet.calculus as pc
from privet._lazy import homes_of
from privet._model_names import MODELS
from privet._names import ANALYST, CALCULUS, Names
from privet.chains.measurement import Measurement
from privet.chains.transformation import Transformation

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "privet"
DOCS = ROOT / "docs"
HOMES = {**homes_of(ANALYST), **homes_of(CALCULUS)}

PACKAGES = {
    "calculus": ("units.md", "The units underneath, which compose: `import privet.calculus as pc`."),
    "errors": ("guides/calculus.md#errors", "The exceptions, with `PrivetError` at the root."),
    "datasets": ("datasets/visits.md", "Made-up data for examples, such as `datasets.visits()`."),
    "models": ("models/index.md", "Private models for users of scikit-learn, such as `models.LogisticRegression`."),
    "noise": ("noise/index.md", "The exact samplers, the only source of randomness."),
}

# Modules and packages whose names are explained on another page. All others follow the rule of ``page_of``.
SHARED_PAGES = {
    "privet.accounting.characteristic.term": "accounting/characteristic/loss.md",
    "privet.accounting.composition.routes": "accounting/losses/sum.md",
    "privet.accounting.sampling.repetitions": "accounting/sampling/selection.md",
    "privet.chains": "core/index.md",
    "privet.tables.codebook.nulls": "tables/nulls.md",
    "privet.tables.columns.key_caps": "tables/caps.md",
    "privet.tables.columns.unit": "tables/unit.md",
    "privet.tables.custodian": "tables/check.md",
    "privet.tables.keys": "tables/private_keys.md",
    "privet.tables.noise": "tables/noise_plan.md",
    "privet.tables.queries.aggregate_query": "tables/session.md",
    "privet.tables.releases": "tables/release.md",
    "privet.tables.session": "tables/session.md",
    "privet.tables.relations.public_table": "tables/nodes/join_public.md",
    "privet.tables.statistics.contribution": "tables/aggregates.md",
    "privet.transforms.smooth_pairs": "mechanisms/smooth_noise.md",
    "privet.transforms.stream_space": "transforms/query_stream.md",
}

UNIT_TABLES = {
    "transforms": "Transformations",
    "mechanisms": "Mechanisms",
    "imputation": "Imputation",
    "tables": "Nodes of table queries",
}

# The tabs of the site. A guide or a recipe that nobody lists here comes last in its tab.
LEARN = (
    "guides/getting-started.md",
    "guides/data-as-they-are.md",
    "guides/choosing-epsilon.md",
    "guides/ledger.md",
    "guides/sizing.md",
    "guides/notebook-first-release.md",
    "guides/notebook-restaurant-visits.md",
    "guides/notebook-models.md",
    "guides/composition.md",
    "guides/students.md",
    "guides/browser_logs.md",
    "guides/imputation.md",
    "guides/which-model.md",
    "guides/regression-with-intervals.md",
    "guides/model-pipeline.md",
    "guides/what-models-refuse.md",
    "guides/adult-models.md",
    "guides/calculus.md",
    "guides/own-unit.md",
    "guides/daily-sales.md",
    "guides/cheat-sheet.md",
    "guides/glossary.md",
    "guides/faq.md",
)
RECIPES = tuple(
    f"recipes/{name}.md"
    for name in (
        "index",
        "count",
        "sum-and-mean",
        "spread",
        "days-hours-bins",
        "quantiles",
        "distinct-people",
        "frequent-visitors",
        "filter",
        "several-statistics",
        "epsilon-for-accuracy",
        "missing-values",
        "unknown-groups",
        "public-table",
        "explain-epsilon",
        "plot",
        "export",
        "notebook",
        "sql",
        "command-line",
        "codebook",
        "models",
        "correlation",
        "every-month",
    )
)
REFERENCE: dict[str, tuple[str, ...]] = {
    "": ("names.md",),
    "Data": (
        "tables/codebook.md",
        "tables/check.md",
        "tables/unit.md",
        "tables/nulls.md",
        "tables/reading.md",
        "tables/limits.md",
        "datasets/visits.md",
    ),
    "Queries": (
        "tables/session.md",
        "tables/expressions.md",
        "tables/bins.md",
        "tables/groups.md",
        "tables/private_keys.md",
        "tables/other_group.md",
        "tables/auto.md",
        "tables/batch.md",
        "tables/partition.md",
        "tables/rollup.md",
        "tables/impute.md",
        "tables/sampling.md",
        "tables/sql.md",
        "tables/familiar.md",
    ),
    "Answers": ("tables/release.md", "tables/bias.md", "tables/files.md", "cli.md"),
}
AGGREGATES = "tables/aggregates"
BUILT = ("architecture.md", "units.md", "errata.md", "benchmarks.md", "licences.md")
# Theory lists every page of these folders that no other tab lists.
LAYERS = {
    "models": "Models",
    "tables": "Tables",
    "ledger": "Ledger",
    "imputation": "Imputation",
    "combinators": "Combinators",
    "mechanisms": "Mechanisms",
    "transforms": "Transformations",
    "accounting": "Accounting",
    "noise": "Noise",
    "core": "Core",
    "datasets": "Datasets",
}


def stub(about: str, names: Names, first: str = "") -> str:
    """Write the imports that a type checker reads in place of lazy names."""
    head = f'"""{about}"""\n\n# Written by make names.\n\n'
    lines = [f"from {module} import {name} as {name}" for module in sorted(names) for name in sorted(names[module])]
    return head + first + "\n".join(lines) + "\n"


def analyst_stub() -> str:
    """Write the stub of ``privet``."""
    packages = "".join(f"from privet import {name} as {name}\n" for name in PACKAGES)
    return stub("The analyst's names.", ANALYST, packages) + "\n__version__: str\n__all__: list[str]\n"


def models_stub() -> str:
    """Write the stub of ``privet.models``."""
    return stub("The names of the models.", MODELS) + "\n__all__: list[str]\n"


def calculus_stub() -> str:
    """Write the stub of ``privet.calculus``."""
    return stub("The names of the calculus.", CALCULUS) + "\n__all__: list[str]\n"


def item_of(name: str) -> Any:
    """Give what a public name stands for."""
    return getattr(pv if name in pv.__all__ else pc, name)


def page_of(module: str) -> str:
    """Find the page that explains a module: its own, that of its package, or that of its name in the layer."""
    shared = SHARED_PAGES.get(module) or SHARED_PAGES.get(module.rpartition(".")[0])
    if shared is not None:
        return shared
    parts = module.split(".")[1:]
    package, own = "/".join(parts[:-1]), "/".join(parts)
    candidates = (
        f"{own}.md",
        f"{package}.md",
        f"{parts[0]}/{parts[-1]}.md",
        f"{package}/index.md",
        f"{parts[0]}/index.md",
    )
    page = next((each for each in candidates if (DOCS / each).is_file()), None)
    assert page is not None, f"no page explains {module}: write docs/{own}.md or add the module to SHARED_PAGES"
    return page


def description_of(item: Any) -> str:
    """Give the first line of a docstring, as a cell of a table."""
    return _cell((inspect.getdoc(item) or "").partition("\n")[0])


def guarantee_of(unit: type) -> str:
    """Give what stands behind "Guarantee:" in a docstring, on one line."""
    stated = re.search(r"Guarantee:\s*(.*?)\n\s*Proof:", inspect.getdoc(unit) or "", flags=re.DOTALL)
    assert stated, f"{unit.__name__} states no guarantee in its docstring"
    return _cell(" ".join(stated[1].split()))


def _cell(text: str) -> str:
    return text.replace("``", "`").replace("|", "\\|")


def names() -> str:
    """Write the tables of public names behind the hand-written part of docs/names.md."""
    rows = {name: (page_of(module), description_of(item_of(name))) for name, module in HOMES.items()} | PACKAGES
    parts = [
        "## The analyst's names\n\n`import privet as pv`, then `pv.<name>`. Names load when first used.",
        _names_table({name: rows[name] for name in pv.__all__}),
        "## The calculus\n\n`import privet.calculus as pc`, then `pc.<name>`.",
        _names_table({name: rows[name] for name in pc.__all__}),
    ]
    return _behind(DOCS / "names.md", "<!-- Written by make names. -->\n\n", "\n\n".join(parts) + "\n")


def _names_table(rows: dict[str, tuple[str, str]]) -> str:
    lines = [f"| [`{name}`]({page}) | {about} |" for name, (page, about) in sorted(rows.items(), key=_ignoring_case)]
    return "\n".join(("| name | what it is |", "|---|---|", *lines))


def _ignoring_case(row: tuple[str, Any]) -> str:
    return row[0].lower()


def units() -> str:
    """Write the guarantee of every unit, one table for each layer, behind the hand-written part of docs/units.md."""
    parts = []
    for layer, title in UNIT_TABLES.items():
        rows = [f"## {title}\n", "| unit | guarantee |", "|---|---|"]
        for name, module in sorted(HOMES.items()):
            unit = item_of(name) if module.startswith(f"privet.{layer}.") else None
            if inspect.isclass(unit) and issubclass(unit, Transformation | Measurement):
                rows.append(f"| [{name}]({page_of(module)}) | {guarantee_of(unit)} |")
        parts.append("\n".join(rows))
    return _behind(DOCS / "units.md", "<!-- Written by make names. -->\n\n", "\n\n".join(parts) + "\n")


def navigation() -> str:
    """Write the navigation behind the hand-written part of mkdocs.yml."""
    listed = {page for pages in REFERENCE.values() for page in pages}
    lines = ["nav:", "  - Home: index.md", "  - Learn:", *_first(LEARN, "guides")]
    lines += ["  - Recipes:", *_first(RECIPES, "recipes")]
    lines += ["  - Exercises:", *_first(("exercises/index.md",), "exercises")]
    lines += ["  - Reference:"]
    for title, pages in REFERENCE.items():
        indent = "          " if title else "      "
        lines += [f"      - {title}:"] if title else []
        lines += [f"{indent}- {_titled(DOCS / page)}" for page in pages]
        if title == "Queries":
            lines += ["      - Aggregates:", *_folder(DOCS / AGGREGATES, "          ", frozenset())]
    lines += ["  - Theory:", *(f"      - {page}" for page in BUILT)]
    for layer, title in LAYERS.items():
        others = _folder(DOCS / layer, "          ", frozenset({*listed, AGGREGATES}))
        lines += [f"      - {title}:", *others] if others else []
    return _behind(ROOT / "mkdocs.yml", "# Written by make names.\n", "\n".join(lines) + "\n")


def _first(pages: tuple[str, ...], folder: str) -> list[str]:
    """List these pages where they exist, then all others of the folder."""
    others = sorted(f"{folder}/{page.name}" for page in (DOCS / folder).glob("*.md"))
    present = [page for page in pages if (DOCS / page).is_file()]
    return [f"      - {page}" for page in (*present, *(page for page in others if page not in pages))]


def _folder(folder: Path, indent: str, elsewhere: frozenset[str]) -> list[str]:
    """List the pages of a folder, its index first, then its folders; leave out what stands elsewhere."""
    pages = sorted(folder.glob("*.md"), key=lambda page: (page.stem != "index", page.stem))
    lines = [f"{indent}- {_titled(page)}" for page in pages if page.relative_to(DOCS).as_posix() not in elsewhere]
    for inner in sorted({page.parent for page in folder.glob("*/*.md")}):
        if inner.relative_to(DOCS).as_posix() not in elsewhere:
            title = inner.name.replace("_", " ").capitalize()
            lines += [f"{indent}- {title}:", *_folder(inner, indent + "    ", elsewhere)]
    return lines


def _titled(page: Path) -> str:
    """Name a page after the one public name of its module; any other page has its own heading."""
    path = page.relative_to(DOCS)
    module = "privet." + ".".join(path.with_suffix("").parts)
    names = (*ANALYST.get(module, ()), *CALCULUS.get(module, ()))
    return f"{names[0]}: {path.as_posix()}" if len(names) == 1 else path.as_posix()


def _behind(path: Path, mark: str, text: str) -> str:
    """Keep what is written by hand, up to the mark."""
    head, found, _ = path.read_text(encoding="utf-8").partition(mark)
    assert found, f"{path.name} has no line {mark.strip()!r}"
    return head + mark + text


GENERATED: dict[Path, Callable[[], str]] = {
    PACKAGE / "__init__.pyi": analyst_stub,
    PACKAGE / "models" / "__init__.pyi": models_stub,
    PACKAGE / "calculus.pyi": calculus_stub,
    DOCS / "names.md": names,
    DOCS / "units.md": units,
    ROOT / "mkdocs.yml": navigation,
}


if __name__ == "__main__":
    for path, write in GENERATED.items():
        path.write_text(write(), encoding="utf-8")
