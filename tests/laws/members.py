"""A slow and obvious test of membership, which trusts nothing of the domains but their descriptors."""

import math
from fractions import Fraction
from typing import Any

import numpy as np

from privet.core.choices import ChoiceDomain
from privet.core.domain import VectorDomain
from privet.core.frames import MatrixDomain, PartitionDomain, Records, RecordsDomain
from privet.core.grid_domains import NumbersDomain, ScalarDomain
from privet.core.metric import HammingDistance, InsertDelete, ReplacementDistance, SymmetricDistance
from privet.core.space import Space
from privet.transforms.smooth_pairs import SmoothDomain
from privet.transforms.stream_space import Stream, StreamDomain

TYPES: dict[type, Any] = {
    int: np.dtype("int64"),
    float: np.dtype("float64"),
    bool: np.dtype("bool"),
    str: np.dtype("O"),
}


def misfit(value: Any, domain: Any) -> str | None:
    """Say why a value is not a member of a domain, or give None where it is one."""
    tests: dict[type, Any] = {
        VectorDomain: _column,
        MatrixDomain: _matrix,
        RecordsDomain: _records,
        PartitionDomain: _parts,
        ScalarDomain: lambda found, _: None if type(found) is int else "is no whole number of steps",
        NumbersDomain: _numbers,
        ChoiceDomain: _choice,
        StreamDomain: _stream,
        SmoothDomain: _smooth,
    }
    reason: str | None = tests[type(domain)](value, domain)
    return reason


def misplaced(space: Space) -> str | None:
    """Say why a metric cannot measure a domain: positions count for both, or for neither."""
    domain, metric = space.domain, space.metric
    if not isinstance(domain, VectorDomain | MatrixDomain | RecordsDomain):
        return None
    if isinstance(metric, ReplacementDistance) and domain.size is None:
        return "replacements are counted, but the size is private"
    if isinstance(domain, RecordsDomain) and domain.size is None:
        return None
    if isinstance(metric, HammingDistance) and not domain.ordered:
        return "positions are compared, but do not count in the domain"
    if isinstance(metric, SymmetricDistance | ReplacementDistance) and domain.ordered:
        return "positions count in the domain, but are not compared"
    if isinstance(metric, InsertDelete) and domain.size is not None and not domain.ordered:
        return "rows are cut to a public size by their values, but compared in their order"
    return None


def _column(value: Any, domain: VectorDomain) -> str | None:
    wanted = np.ma.MaskedArray if domain.nullable else np.ndarray
    if type(value) is not wanted:
        return f"is of type {type(value).__name__}, where {wanted.__name__} was said"
    if value.ndim != 1 or value.dtype != TYPES[domain.kind]:
        return f"has {value.ndim} dimensions of {value.dtype}"
    if domain.size is not None and len(value) != domain.size:
        return f"has {len(value)} rows, where {domain.size} were said"
    null = np.ma.getmaskarray(value).tolist()
    plain = np.ma.getdata(value).tolist()
    for item, gone in zip(plain, null, strict=True):
        reason = None if gone else _cell(item, domain)
        if reason:
            return reason
    return None


def _cell(item: Any, domain: VectorDomain) -> str | None:
    if type(item) is not domain.kind:
        return f"holds a {type(item).__name__}, where {domain.kind.__name__} was said"
    if domain.categories is not None:
        return None if any(type(c) is type(item) and c == item for c in domain.categories) else "holds no category"
    if isinstance(item, float) and math.isnan(item):
        return None if domain.nan else "holds NaN"
    if domain.sides is not None and not _on_side(item, domain.sides):
        return "lies beyond its one bound"
    return _number(item, domain.bounds, domain.grid) if domain.kind in (int, float) else None


def _on_side(item: Any, sides: Any) -> bool:
    low, high = sides
    if math.isinf(item):
        return bool(high is None if item > 0 else low is None)
    return bool((low is None or Fraction(item) >= low) and (high is None or Fraction(item) <= high))


def _number(item: Any, bounds: Any, grid: Fraction | None) -> str | None:
    if bounds is None and grid is None:
        return None
    if not math.isfinite(item):
        return "holds an infinity within bounds"
    exactly = Fraction(item)
    if bounds is not None and (exactly < bounds[0] or exactly > bounds[1]):
        return "lies out of bounds"
    return None if grid is None or (exactly / grid).denominator == 1 else "lies off the grid"


def _matrix(value: Any, domain: MatrixDomain) -> str | None:
    if type(value) is not np.ndarray or value.ndim != 2 or value.dtype != np.float64:
        return "is no array of rows of reals"
    if value.shape[1] != domain.columns or (domain.size is not None and len(value) != domain.size):
        return f"has the shape {value.shape}"
    for row in value.tolist():
        if any(map(math.isnan, row)) and not domain.nan:
            return "holds NaN"
        for at, item in enumerate(row):
            limit = None if domain.bounds is None else domain.bounds[at]
            if not math.isnan(item) and (math.isfinite(item) or limit is not None):
                reason = _number(item, limit, domain.grid)
                if reason:
                    return reason
        if not any(map(math.isnan, row)) and not _in_ball(row, domain.norm):
            return "lies outside the ball"
    return None


def _in_ball(row: list[float], norm: Any) -> bool:
    if norm is None:
        return True
    if not all(map(math.isfinite, row)):
        return False
    total = Fraction(0)
    for item, centre in zip(row, norm.origin, strict=True):
        gap = abs(Fraction(item) - centre)
        total += gap if norm.order == 1 else gap * gap
    return bool(total <= (norm.radius if norm.order == 1 else norm.radius * norm.radius))


def _records(value: Any, domain: RecordsDomain) -> str | None:
    if type(value) is not Records or list(value.columns) != [name for name, _ in domain.columns]:
        return "does not have the columns that were said"
    if len({len(column) for column in value.columns.values()}) > 1:
        return "has columns of several lengths"
    if domain.size is not None and len(value) != domain.size:
        return f"has {len(value)} records, where {domain.size} were said"
    return next(filter(None, (_column(value.columns[name], known) for name, known in domain.columns)), None)


def _parts(value: Any, domain: PartitionDomain) -> str | None:
    if type(value) is not tuple or len(value) != domain.parts:
        return "does not have the parts that were said"
    return next(filter(None, (misfit(part, domain.inner) for part in value)), None)


def _numbers(value: Any, domain: NumbersDomain) -> str | None:
    if type(value) is not np.ndarray or value.shape != (domain.length,) or value.dtype not in (np.int64, object):
        return "does not have the numbers that were said"
    return None if all(type(item) is int for item in value.tolist()) else "holds what is no whole number of steps"


def _choice(value: Any, domain: ChoiceDomain) -> str | None:
    known = any(type(item) is type(value) and item == value for item in domain.categories)
    return None if known else "is no category"


def _stream(value: Any, domain: StreamDomain) -> str | None:
    if type(value) is not Stream:
        return "is no stream"
    fresh = value.again()
    whole = all(type(fresh.ask(question)) is int for question in value.queries)
    return None if whole else "answers with what is no whole number of steps"


def _smooth(value: Any, domain: SmoothDomain) -> str | None:
    if type(value) is not tuple or len(value) != 2 or type(value[0]) is not int or not isinstance(value[1], Fraction):
        return "is no pair of steps and a bound"
    return None if value[1] >= domain.floor else "has a bound below the floor"
