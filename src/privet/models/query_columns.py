"""Columns of a query as a model reads them: public facts from the codebook or the model, and whole numbers."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from sqlglot import exp

from privet.core import INT_MAX, INT_MIN, Array, quietly, short
from privet.errors import InvalidError
from privet.models.features import Coded, read_categories
from privet.models.tables_of import Columns
from privet.tables.columns import Column
from privet.tables.queries.row_query import RowQuery
from privet.tables.vocabulary import case, column, grid_of, literal, number, steps, whole

Lists = dict[str, list[Any] | None]


def columns_of(model: Any, query: RowQuery) -> list[str]:
    """Name the columns that a fit reads: all but the id columns."""
    without = (*query.id_columns, *(() if model.supervised else (model.target,)))
    names = [name for name in query.columns if name not in without]
    if model.supervised and model.target not in names:
        raise InvalidError(f"{type(model).__name__}.target names {model.target!r}; the query has {', '.join(names)}.")
    return names


def write_facts(model: Any, query: RowQuery) -> None:
    """Give a model the public facts of the query's columns; those that it states itself stand.

    What is missing or contradicts is refused, before anything is charged.
    """
    known = {name: query.columns[name] for name in columns_of(model, query)}
    listed = {name: _codebook_list(item) for name, item in known.items()}
    target = known.pop(model.target, None) if model.supervised else None
    if not known:
        raise InvalidError(
            f"{type(model).__name__} has no column to learn from: the query has {', '.join(query.columns)}. Select one "
            "more, besides the target and the id."
        )
    parameters = model.get_params(deep=False)
    own = {name: parameters.get(name) for name in ("bounds", "categories")}
    bounds = {name: item.bounds for name, item in known.items() if listed[name] is None and item.bounds is not None}
    lists = {name: listed[name] for name in known if listed[name] is not None}
    if lists and "categories" not in parameters:
        raise InvalidError(
            f"{type(model).__name__} reads columns of numbers only, and {min(lists)!r} has a list of categories: "
            "leave it out with .select(...)."
        )
    stated = _stated(model, "categories", own["categories"], lists)
    for name, values in stated.items():
        _refuse_others(f"{type(model).__name__}.categories", name, values, known[name])
    public = {
        "bounds": bounds | _stated(model, "bounds", own["bounds"], bounds),
        "categories": lists | stated,
        "codebook": None,
    }
    model.set_params(**{name: value for name, value in public.items() if name in parameters})
    for name, item in known.items():
        whole_of(name, item, listed[name])
    if target is not None:
        _write_target(model, target, listed[model.target])
    model._known_columns(type(model).__name__, Columns(names=tuple(known), columns=(None,) * len(known), rows=0))


def _stated(model: Any, argument: str, given: Any, known: Mapping[str, Any]) -> dict[str, Any]:
    """Read what a model states of columns by name; the codebook must know the column in the same way."""
    if given is None:
        return {}
    label = f"{type(model).__name__}.{argument}"
    if not isinstance(given, Mapping):
        raise InvalidError(f"{label} must be a dictionary by the name of a column in a session, got {given!r}.")
    strange = [name for name in given if name not in known]
    if strange:
        kind = "numbers with bounds" if argument == "bounds" else "columns with a list of categories"
        raise InvalidError(
            f"{label} names {strange[0]!r}; the {kind} of the query are {', '.join(map(repr, known)) or 'none'}."
        )
    if argument == "bounds":
        return dict(given)
    lists = {
        name: list(read_categories(f"{label}[{name!r}]", value, "a list of values").values)
        for name, value in given.items()
    }
    for name, values in lists.items():
        _refuse_unlisted(label, name, values, known[name])
    return lists


def _refuse_others(label: str, name: str, values: list[Any], known: Column) -> None:
    """Refuse values that a column cannot hold: no row would have them."""
    others = [item for item in values if _held(known, item) is None]
    if others:
        raise InvalidError(
            f"{label} has {short(others[0])} for {name!r}, which is of kind {known.kind}: give values that a "
            "column of this kind can hold."
        )


def _held(known: Column, item: Any) -> Any:
    """Return the value of a column that equals an item, such as True for 1; None if there is none."""
    if known.kind == "text":
        return item if isinstance(item, str) else None
    if not isinstance(item, bool | int | float):
        return None
    if known.kind == "boolean":
        return bool(item) if item in (0, 1) else None
    if known.kind == "integer":
        return int(item) if item == item // 1 and INT_MIN <= item <= INT_MAX else None
    held = quietly(float, item) if known.kind == "real" else None
    return held if held == item else None


def _refuse_unlisted(label: str, name: str, values: list[Any], known: list[Any]) -> None:
    unlisted = [item for item in values if item not in known]
    if unlisted:
        raise InvalidError(f"{label} has {unlisted[0]!r} for {name!r}, which the codebook does not list.")


def _write_target(model: Any, target: Column, listed: list[Any] | None) -> None:
    if hasattr(model, "classes"):
        model.classes = listed if model.classes is None else model.classes
        values, label = model._known_classes().tolist(), f"{type(model).__name__}.classes"
        if listed is not None:
            _refuse_unlisted(label, model.target, values, listed)
        _refuse_others(label, model.target, values, target)
        return
    if listed is not None or target.bounds is None:
        raise InvalidError(
            f"{type(model).__name__}.target names {model.target!r}, which must be a number with bounds in the codebook."
        )
    model.target_bounds = target.bounds if model.target_bounds is None else model.target_bounds
    model._target_column()


def lists_of(model: Any, names: list[str]) -> Lists:
    """Return the list of each column of a model that has its facts: categories, and the sorted classes."""
    lists: Lists = {name: (getattr(model, "categories", None) or {}).get(name) for name in names}
    if model.supervised and hasattr(model, "classes"):
        lists[model.target] = model._known_classes().tolist()
    return lists


def _codebook_list(known: Column) -> list[Any] | None:
    """Return the public list of a column, if it has one."""
    if known.kind == "boolean":
        return [False, True]
    return None if known.categories is None else list(known.categories)


def whole_of(name: str, known: Column, listed: list[Any] | None) -> exp.Expr:
    """Build a whole number from a column: grid steps, days, or the position in a list.

    Args:
        name: The column.
        known: What the codebook knows of it.
        listed: The list of its categories or classes, or None.
    """
    value = column(name, "r")
    if listed is not None:
        return case([(_equals(value, known, item), whole(at)) for at, item in enumerate(listed)], whole(len(listed)))
    if known.kind in ("date", "timestamp"):
        return number(value, known)
    if known.bounds is None:
        raise InvalidError(
            f"fit reads numbers with bounds and columns with categories; {name!r} has neither: bound it in the "
            "codebook, or leave it out with .select(...)."
        )
    return steps(name, value, known)


def _equals(value: exp.Expr, known: Column, item: Any) -> exp.Expr:
    """Compare a column with a value, which a model may write in another type: 1 for True."""
    held = _held(known, item)
    if known.kind == "boolean":
        return value.copy() if held else exp.Not(this=value.copy())
    return exp.EQ(this=value.copy(), expression=literal(known, held))


def values_of(known: Column, listed: list[Any] | None, values: Array, null: Array) -> Any:
    """Return what an engine gave as a model reads it: positions in a list, or numbers with NaN for null."""
    if listed is not None:
        return Coded(values)
    grid = grid_of("fit", known) if known.kind in ("integer", "real") else Fraction(1)
    return np.where(null, np.nan, values * float(grid))
