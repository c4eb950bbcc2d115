"""Noisy marginal tables that agree: weighted least squares on what has been released."""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import combinations
from math import prod
from typing import Any, final

import numpy as np
from attrs import frozen

from privet.core import Array, read_count, read_positive
from privet.errors import InvalidError, MismatchError, WrongTypeError
from privet.mechanisms.nonnegative_marginals import Columns, nonnegative_marginals

_MOST_CELLS = 10**6
_STEPS = 1000
_SMALLEST, _LARGEST = Fraction(1, 10**100), Fraction(10) ** 100
_RANGE = "between 1e-100 and 1e100"


@final
@frozen(kw_only=True, eq=False)
class ConsistentMarginals:
    """Marginal tables that agree with each other. Made by ``consistent_marginals``.

    Args:
        released: The noisy tables, by their columns in the order of release.
        noise: The variance of the noise in the cells of each table.
        sizes: The number of categories of each column.
        components: For each set of columns, the part of a table that no smaller table has, and its variance.

    Guarantee: post-processing. Proof: docs/mechanisms/consistent_marginals.md.
    """

    released: Mapping[Columns, Array]
    noise: Mapping[Columns, Any]
    sizes: Mapping[str, int]
    components: Mapping[frozenset[str], tuple[Array, Any]]

    @property
    def tables(self) -> dict[Columns, Array]:
        """The consistent tables, by the columns of those that were released."""
        return {names: self.table(names) for names in self.released}

    def table(self, columns: Iterable[str]) -> Array:
        """Give the table of some columns that occur together in a released table.

        Args:
            columns: Their names, in the order of the axes; none for the total.
        """
        names = self._known("table", columns)
        parts = (self._spread(frozenset(part), names) for part in _subsets(names))
        return _array(sum(parts, start=_nothing(names, self.sizes, self._kind)))

    def variance(self, columns: Iterable[str]) -> Any:
        """Give the variance of each cell of that table, for uncorrelated noise of the stated variances."""
        names, total = self._known("variance", columns), 0
        for part in _subsets(names):
            inside = prod((1 - Fraction(1, self.sizes[name]) for name in part), start=Fraction(1))
            share = prod(self.sizes[name] for name in names if name not in part)
            total += self.components[frozenset(part)][1] * _as_kind(inside / share**2, self._kind)
        return total

    def nonnegative(self, steps: int = _STEPS) -> dict[Columns, Array]:
        """Give tables of one common table without negative cells, close to the noisy ones.

        Args:
            steps: How many steps to take at most; more come closer. The tables agree after any number.
        """
        most = read_count("nonnegative.steps", steps, least=1)
        cells = prod(self.sizes.values())
        if cells > _MOST_CELLS:
            raise InvalidError(
                f"nonnegative needs a common table of {cells:,} cells, and {_MOST_CELLS:,} are the most; leave out "
                "columns, or join categories."
            )
        return nonnegative_marginals(self.released, self.noise, self.sizes, most)

    @property
    def _kind(self) -> type:
        return object if next(iter(self.components.values()))[0].dtype == object else float

    def _known(self, where: str, columns: Iterable[str]) -> Columns:
        names = _names(where, columns)
        if frozenset(names) not in self.components:
            raise MismatchError(
                f"ConsistentMarginals.{where}: no released table has the columns {', '.join(names)} together."
            )
        return names

    def _spread(self, part: frozenset[str], names: Columns) -> Array:
        """Spread a component evenly over the cells of a table, in the order of its axes."""
        component = self.components[part][0]
        own = sorted(part)
        order = [own.index(name) for name in names if name in part]
        shape = [self.sizes[name] if name in part else 1 for name in names]
        share = prod(self.sizes[name] for name in names if name not in part)
        return _array(np.transpose(component, order).reshape(shape) / share)


def consistent_marginals(tables: Any, variances: Any) -> ConsistentMarginals:
    """Make noisy marginal tables agree, by weighted least squares on what has been released.

    Args:
        tables: By their columns (a tuple of names, or one name; an empty tuple for a total), the noisy counts: an array
            with one axis for each column.
        variances: The variance of the noise in the cells: one number for all tables, or one for each.

    >>> fit = consistent_marginals({("a",): [6, 5], (): 9}, 1)
    >>> [str(cell) for cell in fit.table(["a"])], str(fit.table([])), str(fit.variance([]))
    (['16/3', '13/3'], '29/3', '2/3')
    """
    if not isinstance(tables, Mapping) or not tables:
        raise WrongTypeError("consistent_marginals.tables must be a dictionary of noisy tables by their columns.")
    named = {_names("tables", columns): values for columns, values in tables.items()}
    if len({frozenset(names) for names in named}) < len(tables):
        raise InvalidError("consistent_marginals.tables: two tables have the same columns; average them first.")
    arrays, noise = _read(named, _variances(named, variances))
    sizes: dict[str, int] = {}
    for names, values in arrays.items():
        for name, size in zip(names, values.shape, strict=True):
            if sizes.setdefault(name, size) != size:
                raise InvalidError(
                    f"consistent_marginals.tables: {name!r} has {sizes[name]} categories in one table and {size} in "
                    "another."
                )
    parts = {frozenset(part) for names in arrays for part in _subsets(names)}
    components = {part: _component(part, arrays, noise, sizes) for part in parts}
    return ConsistentMarginals(released=arrays, noise=noise, sizes=sizes, components=components)


def _component(
    part: frozenset[str], arrays: Mapping[Columns, Array], noise: Mapping[Columns, Any], sizes: Mapping[str, int]
) -> tuple[Array, Any]:
    """Average what all tables say about one component, by inverse variances; give it with its variance."""
    own = sorted(part)
    total: Any = 0
    precision: Any = 0
    for names, values in arrays.items():
        if not part <= set(names):
            continue
        weight = 1 / (noise[names] * prod(sizes[name] for name in names if name not in part))
        margin = _array(values.sum(axis=tuple(at for at, name in enumerate(names) if name not in part)))
        kept = [name for name in names if name in part]
        total = total + weight * _residual(np.transpose(margin, [kept.index(name) for name in own]))
        precision = precision + weight
    return _array(total / precision), 1 / precision


def _residual(values: Array) -> Array:
    """Take the mean away along every axis: what is left is in no smaller table."""
    for axis in range(values.ndim):
        values = values - values.sum(axis=axis, keepdims=True) / values.shape[axis]
    return values


def _names(where: str, columns: Any) -> Columns:
    listed = isinstance(columns, Iterable) and getattr(columns, "ndim", 1) > 0  # an array without axes has no items
    names = (columns,) if isinstance(columns, str) else tuple(columns) if listed else None
    if names is None or not all(isinstance(name, str) for name in names):
        raise WrongTypeError(f"consistent_marginals.{where}: columns must be names, got {type(columns).__name__}.")
    if len(set(names)) < len(names):
        raise InvalidError(f"consistent_marginals.{where}: columns must be different, got {', '.join(names)}.")
    return names


def _variances(named: Mapping[Columns, Any], variances: Any) -> dict[Columns, Fraction]:
    label = "consistent_marginals.variances"
    if not isinstance(variances, Mapping):
        one = read_positive(label, variances)
        return dict.fromkeys(named, one)
    by_names = {_names("variances", columns): value for columns, value in variances.items()}
    if set(by_names) != set(named):
        raise MismatchError(f"{label} must have one number for each table, by the same columns.")
    return {names: read_positive(f"{label}[{names!r}]", by_names[names]) for names in named}


def _read(
    named: Mapping[Columns, Any], variances: Mapping[Columns, Fraction]
) -> tuple[dict[Columns, Array], dict[Columns, Any]]:
    """Read all tables in one kind of numbers: fractions where all are exact, otherwise floats."""
    arrays = {names: _as_array(f"consistent_marginals.tables[{names!r}]", values) for names, values in named.items()}
    for names, values in arrays.items():
        label = f"consistent_marginals.tables[{names!r}]"
        if values.ndim != len(names) or values.size == 0:
            raise MismatchError(f"{label} must have one axis for each of its columns, got {values.ndim}.")
        exact = values.dtype.kind in "iu" or (values.dtype == object and all(_is_exact(item) for item in values.flat))
        if not exact and (values.dtype.kind != "f" or not bool(np.isfinite(values).all())):
            raise WrongTypeError(f"{label} must hold finite numbers.")
    if any(values.dtype.kind == "f" for values in arrays.values()):
        if any(not _SMALLEST <= value <= _LARGEST for value in variances.values()):
            raise InvalidError(f"consistent_marginals.variances must be {_RANGE} where a table holds floats.")
        floats = {names: _as_floats(f"consistent_marginals.tables[{names!r}]", each) for names, each in arrays.items()}
        return floats, {names: float(value) for names, value in variances.items()}
    fractions = {names: _fractions(values) for names, values in arrays.items()}
    return fractions, dict(variances)


def _as_array(label: str, values: Any) -> Array:
    """Make an array of a table; one with rows of different lengths is none."""
    try:
        return np.asarray(values)
    except (ValueError, TypeError, RuntimeError):
        raise WrongTypeError(f"{label} must be an array of numbers, with rows of one length.") from None


def _as_floats(label: str, values: Array) -> Array:
    if any(abs(item) > _LARGEST for item in values.flat):
        raise InvalidError(f"{label} must hold numbers of at most 1e100 in size, where a table holds floats.")
    return np.asarray(values, dtype=np.float64)


def _is_exact(item: object) -> bool:
    return isinstance(item, int | Fraction) and not isinstance(item, bool)


def _fractions(values: Array) -> Array:
    exact = [item if isinstance(item, Fraction) else Fraction(int(item)) for item in values.flat]
    made = np.empty(len(exact), dtype=object)
    made[:] = exact
    return made.reshape(values.shape)


def _nothing(names: Columns, sizes: Mapping[str, int], kind: type) -> Array:
    return np.full([sizes[name] for name in names], Fraction(0) if kind is object else 0.0, dtype=kind)


def _array(values: Any) -> Array:
    """Keep an array an array: numpy turns a sum over all axes into a plain number."""
    if isinstance(values, np.ndarray):
        return values
    made = np.empty((), dtype=object if isinstance(values, int | Fraction) else np.float64)
    made[()] = values
    return made


def _as_kind(value: Fraction, kind: type) -> Any:
    return value if kind is object else float(value)


def _subsets(names: Columns) -> list[Columns]:
    return [part for size in range(len(names) + 1) for part in combinations(names, size)]
