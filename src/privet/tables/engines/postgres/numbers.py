"""Numbers on PostgreSQL: arithmetic and rounding that give what IEEE 754 says where PostgreSQL raises an error.

PostgreSQL refuses a product or quotient of doubles that overflows, or that is rounded to zero. Whether one does is
decided beforehand, by operations on values that were moved away from the ends by powers of two, which is exact.
Argument: docs/tables/engines/postgres.md.
"""

from sqlglot import exp

from privet.tables.engines.postgres.typed import convert, fill, let, literal, refused
from privet.tables.engines.typed_sql.trees import WIDE, Kind, Typed

_EASY = "ABS({0}) BETWEEN 1e-150::float8 AND 1e150::float8"


def _power(exponent: int) -> str:
    return f"'{float(2.0**exponent)!r}'::float8"


_PLUS = f"""CASE WHEN a IS NULL OR b IS NULL THEN NULL WHEN ABS(a) < 8e307::float8 AND ABS(b) < 8e307::float8 THEN a + b
    WHEN ABS(a) < 1 OR ABS(b) < 1 THEN a + b
    WHEN ABS(a * 0.5::float8 + b * 0.5::float8) < {_power(1023)} THEN a + b
    ELSE CASE WHEN a > 0 THEN 'Infinity'::float8 ELSE '-Infinity'::float8 END END"""
# the sign of g * h - 1 exactly, where g * h is rounded to 1: both are cut into halves, whose products are exact
_ABOVE = f"""SELECT (g - g1) * (h - h1) - (((1 - g1 * h1) - (g - g1) * h1) - g1 * (h - h1)) > 0 FROM
    (SELECT g, h, 134217729 * g - (134217729 * g - g) AS g1, 134217729 * h - (134217729 * h - h) AS h1 FROM
        (SELECT GREATEST(ABS(a), ABS(b)) * {_power(540)} AS g, LEAST(ABS(a), ABS(b)) * {_power(535)} AS h) AS s) AS t"""  # noqa: S608 - all of it is written here
_TIMES = f"""CASE WHEN {_EASY.format("a")} AND {_EASY.format("b")} THEN a * b
    WHEN a = 0 OR b = 0 THEN a * b
    WHEN ABS(a) > 1 AND ABS(b) > 1 THEN
        CASE WHEN ABS((a * {_power(-512)}) * (b * {_power(-512)})) < 1 THEN a * b
            WHEN (a > 0) = (b > 0) THEN 'Infinity'::float8 ELSE '-Infinity'::float8 END
    WHEN ABS(a) < 1 AND ABS(b) < 1 THEN
        CASE WHEN GREATEST(ABS(a), ABS(b)) < {_power(-540)} THEN 0::float8
            WHEN (GREATEST(ABS(a), ABS(b)) * {_power(540)}) * LEAST(ABS(a), ABS(b)) < {_power(-535)} THEN 0::float8
            WHEN (GREATEST(ABS(a), ABS(b)) * {_power(540)}) * LEAST(ABS(a), ABS(b)) = {_power(-535)} AND NOT ({_ABOVE})
            THEN 0::float8
            ELSE a * b END
    ELSE a * b END"""
_OVER = f"""CASE WHEN b = 0 THEN 'NaN'::float8
    WHEN a = 0 OR ({_EASY.format("a")} AND {_EASY.format("b")}) THEN a / b
    WHEN ABS(b) < 1 AND ABS(a) > {_power(-50)} THEN
        CASE WHEN (ABS(b) >= {_power(-600)} OR ABS(a) <= {_power(424)})
                AND ABS((a * {_power(-512)}) / (b * {_power(512)})) < 1 THEN a / b
            WHEN (a > 0) = (b > 0) THEN 'Infinity'::float8 ELSE '-Infinity'::float8 END
    WHEN ABS(b) > 1 AND ABS(a) < {_power(-50)} THEN
        CASE WHEN ABS(b) >= {_power(540)} AND ABS(a) <= {_power(-540)} THEN 0::float8
            WHEN ABS((a * {_power(600)}) / b) <= {_power(-475)} THEN 0::float8
            ELSE a / b END
    ELSE a / b END"""
_ROUND = f"""CASE WHEN ABS(v) >= {_power(52)} THEN v
    WHEN ABS(v - TRUNC(v)) < 0.5::float8 THEN TRUNC(v)
    WHEN v < 0 THEN TRUNC(v) - 1 ELSE TRUNC(v) + 1 END"""
_SMALL = 1e290  # a sum with a constant below this overflows for no double


def constant(tree: exp.Expr) -> float | None:
    """Give the double that a tree writes out; None for anything else."""
    while isinstance(tree, exp.Paren):
        tree = tree.this
    if isinstance(tree, exp.Cast) and isinstance(tree.this, exp.Literal) and tree.this.is_string:
        return float(tree.this.this) if tree.to.is_type("double") else None
    return None


def plus(left: Typed, right: Typed, sign: type[exp.Binary]) -> Typed:
    """Add or subtract two numbers."""
    if "real" not in (left.kind, right.kind):
        return _whole(left, right, sign)
    known = [abs(each) for each in (constant(left.tree), constant(right.tree)) if each is not None]
    if known and min(known) <= _SMALL:
        return Typed(_plain(sign, left, right), "real")
    other = exp.Neg(this=exp.Paren(this=right.tree)) if sign is exp.Sub else right.tree
    return Typed(let(_PLUS, a=left.tree, b=other), "real")


def times(left: Typed, right: Typed) -> Typed:
    """Multiply two numbers."""
    if "real" not in (left.kind, right.kind):
        return _whole(left, right, exp.Mul)
    return Typed(let(_TIMES, a=left.tree, b=right.tree), "real")


def fitting_times(left: Typed, factor: Typed) -> Typed | None:
    """Give the integer nearest to a product with a constant, where it is known to fit; else None."""
    value = constant(factor.tree)
    if left.kind != "real" or value is None or value <= 0:
        return None
    product = _plain(exp.Mul, left, factor)
    if value >= 1:
        return Typed(convert(product, "integer"), "integer")
    tiny = fill("CASE WHEN ABS(v) < 1e-150::float8 THEN 0::float8 ELSE p END", v=left.tree, p=product)
    return Typed(convert(tiny, "integer"), "integer") if value > 1e-150 else None


def over(left: Typed, right: Typed) -> Typed:
    """Divide two reals."""
    return Typed(let(_OVER, a=as_real(left).tree, b=as_real(right).tree), "real")


def _plain(sign: type[exp.Binary], left: Typed, right: Typed) -> exp.Expr:
    return sign(this=exp.Paren(this=left.tree), expression=exp.Paren(this=right.tree))


def _whole(left: Typed, right: Typed, sign: type[exp.Binary]) -> Typed:
    kind: Kind = "int128" if left.kind in WIDE or right.kind in WIDE else "integer"
    sides = [
        Typed(convert(each.tree, "integer"), "integer") if each.kind == "int32" else each for each in (left, right)
    ]
    return Typed(_plain(sign, *sides), kind)


def divide(left: Typed, right: Typed) -> Typed:
    """Divide whole numbers, toward zero."""
    if left.kind in WIDE or right.kind in WIDE:
        return Typed(fill("DIV(a, b)", a=convert(left.tree, "int128"), b=convert(right.tree, "int128")), "int128")
    return Typed(fill("a / b", a=left.tree, b=right.tree), "integer")


def remainder(left: Typed, right: Typed) -> Typed:
    """Give the remainder of whole numbers, with the sign of the first."""
    wide = left.kind in WIDE or right.kind in WIDE
    kind: Kind = ("uint64" if left.kind == "uint64" else "int128") if wide else "integer"
    sides = [convert(each.tree, "int128") if wide else each.tree for each in (left, right)]
    return Typed(fill("MOD(a, b)", a=sides[0], b=sides[1]), kind)


def as_real(value: Typed) -> Typed:
    """Give a number as a double."""
    return value if value.kind == "real" else Typed(convert(value.tree, "real"), "real")


def round_to(value: Typed, digits: Typed | None = None) -> Typed:
    """Round to a number of digits that is written out, halves away from zero."""
    if digits is None:
        if value.kind != "real":
            return value
        return Typed(let(_ROUND, v=value.tree), "real")
    places = _places(digits)
    if value.kind != "real":
        tree = fill("ROUND(v::numeric, p)", v=value.tree, p=exp.Literal.number(places))
        return Typed(convert(tree, "integer") if value.kind == "integer" else tree, value.kind)
    unit = literal(repr(float(10 ** abs(places))), "real")
    there, back = (over, times) if places < 0 else (times, over)
    name = Typed(exp.column("x"), "real")
    whole = Typed(let(_ROUND, v=there(name, unit).tree), "real")
    kept = let("CASE WHEN ABS(m) < 'Infinity'::float8 THEN m ELSE w END", m=back(whole, unit).tree, w=name.tree)
    inner = exp.Select(expressions=[exp.alias_(value.tree, "x")]).offset(0)
    table = exp.Subquery(this=inner, alias=exp.TableAlias(this=exp.to_identifier("l")))
    return Typed(exp.Subquery(this=exp.Select(expressions=[kept]).from_(table)), "real")


def _places(digits: Typed) -> int:
    tree = digits.tree
    while isinstance(tree, exp.Paren | exp.Cast):
        tree = tree.this
    if not isinstance(tree, exp.Literal):
        raise refused("round takes a number of digits that is written out", "write it as a number.")
    return int(tree.this)


def root(value: Typed) -> Typed:
    """Give the square root; NaN below zero."""
    return Typed(fill("CASE WHEN v < 0 THEN 'NaN'::float8 ELSE SQRT(v) END", v=value.tree), "real")
