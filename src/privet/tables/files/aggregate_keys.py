"""The aggregates of a file: ``{mean: age, bounds: [0, 100]}``, or one word such as ``count``."""

from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any, final

from attrs import frozen

from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.aggregates.correlation import ColumnsCorrelation, correlation
from privet.tables.aggregates.count import CountRows, count
from privet.tables.aggregates.count_distinct import DistinctColumn, count_distinct
from privet.tables.aggregates.count_ids import CountIds, count_ids
from privet.tables.aggregates.covariance import ColumnsCovariance, covariance
from privet.tables.aggregates.geometric_mean import GeometricMeanColumn, geometric_mean
from privet.tables.aggregates.histogram import HistogramColumn, histogram
from privet.tables.aggregates.mean import MeanColumn, mean
from privet.tables.aggregates.quantile import QuantilesColumn, maximum, median, minimum, quantile, quantiles
from privet.tables.aggregates.standard_deviation import StandardDeviationColumn, std
from privet.tables.aggregates.sum import SumColumn, sum  # noqa: A004
from privet.tables.aggregates.sum_by_person import SumByPerson, sum_by_person
from privet.tables.aggregates.top_k import TopColumn, mode, top_k
from privet.tables.aggregates.variance import VarianceColumn, variance
from privet.tables.codebook.null_keys import NUMBER, PAIR
from privet.tables.codebook.part import Key, Part, Values
from privet.tables.codebook.reader import TreeReader
from privet.tables.codebook.tree import Mapping as MappingNode
from privet.tables.codebook.tree import Node, Scalar, describe_node
from privet.tables.columns import closest
from privet.tables.files.values import (
    COUNT,
    NAMES,
    NUMBERS,
    Read,
    auto_schema,
    either,
    or_auto,
    read_names,
    read_number_of,
    read_numbers,
    read_whole,
    write_value,
)
from privet.tables.files.written import Unwritable, Words

_BOUNDS = (or_auto(read_numbers), auto_schema(PAIR))
_OPTIONS: dict[str, tuple[Read, dict[str, object]]] = {
    "bounds": _BOUNDS,
    "first_bounds": _BOUNDS,
    "second_bounds": _BOUNDS,
    "ddof": (read_whole, COUNT),
    "count": (read_whole, COUNT),
    "alpha": (read_number_of, {**NUMBER}),
    "alphas": (read_numbers, NUMBERS),
    "bins": (either(read_numbers, read_whole), {"anyOf": [COUNT, NUMBERS]}),
}


@final
@frozen
class Word:
    """How an aggregate is written.

    Args:
        make: The function that an analyst calls.
        kind: The class that it gives.
        columns: The fields that name columns.
        options: The parameters.
        label: Which of several functions gave an object of the class; None where there is one.
    """

    make: Callable[..., Aggregate]
    kind: type[Aggregate]
    columns: tuple[str, ...] = ("column",)
    options: tuple[str, ...] = ("bounds",)
    label: str | None = None


_QUANTILE = ("alpha", "bounds", "bins")
_PAIR = ("first", "second")
AGGREGATES: dict[str, Word] = {
    "count": Word(count, CountRows, options=()),
    "count_distinct": Word(count_distinct, DistinctColumn, options=()),
    "count_ids": Word(count_ids, CountIds, (), ()),
    "sum": Word(sum, SumColumn),
    "sum_by_person": Word(sum_by_person, SumByPerson),
    "mean": Word(mean, MeanColumn),
    "geometric_mean": Word(geometric_mean, GeometricMeanColumn, options=("bounds", "bins")),
    "variance": Word(variance, VarianceColumn, options=("bounds", "ddof")),
    "std": Word(std, StandardDeviationColumn, options=("bounds", "ddof")),
    "covariance": Word(covariance, ColumnsCovariance, _PAIR, ("first_bounds", "second_bounds", "ddof")),
    "correlation": Word(correlation, ColumnsCorrelation, _PAIR, ("first_bounds", "second_bounds")),
    "histogram": Word(histogram, HistogramColumn, options=("bins", "bounds")),
    "quantile": Word(quantile, QuantilesColumn, options=_QUANTILE, label="quantile"),
    "quantiles": Word(quantiles, QuantilesColumn, options=("alphas", "bounds", "bins"), label="quantiles"),
    "median": Word(median, QuantilesColumn, options=_QUANTILE[1:], label="median"),
    "minimum": Word(minimum, QuantilesColumn, options=_QUANTILE, label="min"),
    "maximum": Word(maximum, QuantilesColumn, options=_QUANTILE, label="max"),
    "top_k": Word(top_k, TopColumn, options=("count",), label="top"),
    "mode": Word(mode, TopColumn, options=(), label="mode"),
}


def _part(name: str, word: Word) -> Part[Aggregate]:
    def make(reader: TreeReader, node: MappingNode, values: Values) -> Aggregate | None:
        columns = values[name]
        if len(columns) == len(word.columns):
            options = {option: values[option] for option in values if option != name}
            return reader.attempt(node, lambda: word.make(*columns, **options))
        place = node.items[name].place
        reader.problems.add(place, f"{place.path} must name {len(word.columns)} columns, got {len(columns)}.")
        return None

    needed = [each.name for each in signature(word.make).parameters.values() if each.default is each.empty]
    columns = Key(name=name, read=read_names, schema=NAMES, missing=f"Write {name}: COLUMN.")
    options = [
        Key(name=each, read=read, schema=schema, missing=f"Write {each}: ..." if each in needed else "")
        for each, (read, schema) in _OPTIONS.items()
        if each in word.options
    ]
    return Part(f"the aggregate {name}", (columns, *options), make)


PARTS = {name: _part(name, word) for name, word in AGGREGATES.items()}
_ALONE = ["count", "count_ids"]  # words that need no column
AGGREGATE: dict[str, object] = {"anyOf": [{"enum": _ALONE}, *(part.schema() for part in PARTS.values())]}


def read_aggregate(reader: TreeReader, node: Node, _: Values) -> Aggregate | None:
    """Read one aggregate; None where it has a problem."""
    if reader.nothing_to_read(node):
        return None
    if isinstance(node, Scalar) and node.value in _ALONE:
        return AGGREGATES[node.value].make()
    names = list(node.items) if isinstance(node, MappingNode) else [str(getattr(node, "value", ""))]
    # top_k has an option that is called count
    name = next((each for each in sorted(names, key="count".__eq__) if each in PARTS), None)
    if name is not None and isinstance(node, MappingNode):
        return PARTS[name].read(reader, node)
    message = f"{node.place.path} must be an aggregate such as count or {{mean: COLUMN}}, got {describe_node(node)}."
    hints = [closest(each, PARTS) for each in names] if name is None else [f"Write {{{name}: COLUMN}}."]
    fix = next((hint for hint in hints if hint), f"There are {', '.join(PARTS)}.")
    reader.problems.add(node.place, message, fix=fix)
    return None


def write_aggregates(aggregates: Mapping[str, Aggregate]) -> Words:
    """Write aggregates by name, bound or not, with all of their parameters."""
    return {name: _write(aggregate) for name, aggregate in aggregates.items()}


def _write(aggregate: Aggregate) -> Any:
    held: Any = aggregate.of if isinstance(aggregate, StandardDeviationColumn) else aggregate
    for name, word in AGGREGATES.items():
        if type(aggregate) is word.kind and getattr(aggregate, "label", None) == word.label:
            columns = [getattr(held, each) for each in word.columns if getattr(held, each) is not None]
            options = {each: held.alphas[0] if each == "alpha" else getattr(held, each) for each in word.options}
            given = {each: write_value(value) for each, value in options.items() if value is not None}
            return {name: columns[0] if len(columns) == 1 else columns, **given} if columns else name
    kind = type(aggregate).__name__
    return Unwritable(f"files do not hold the aggregate {kind} yet; they hold {', '.join(AGGREGATES)}.")
