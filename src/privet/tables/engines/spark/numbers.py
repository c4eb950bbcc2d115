"""Numbers on Spark: arithmetic of IEEE 754, whole numbers in 64 bits or in decimals, rounding from exact parts.

Argument: docs/tables/engines/spark.md.
"""

from sqlglot import exp

from privet.tables.engines.spark.typed import convert, fill, let, literal, refused
from privet.tables.engines.typed_sql.trees import WIDE, Kind, Typed, bare_literal

WHOLE_REAL = "4.503599627370496E15D"  # 2^52: from here on doubles are whole
_TRUNC = f"CASE WHEN ABS(v) < {WHOLE_REAL} THEN CAST(CAST(v AS BIGINT) AS DOUBLE) ELSE v END"
_DOWN = f"CASE WHEN ABS(v) < {WHOLE_REAL} THEN CAST(FLOOR(v) AS DOUBLE) ELSE v END"
_UP = f"CASE WHEN ABS(v) < {WHOLE_REAL} THEN CAST(CEIL(v) AS DOUBLE) ELSE v END"
_PART = f"(v - {_TRUNC})"
_ROUND = f"""CASE WHEN NOT ABS(v) < {WHOLE_REAL} THEN v WHEN ABS({_PART}) < 0.5D THEN {_TRUNC}
    WHEN v < 0D THEN {_TRUNC} - 1D ELSE {_TRUNC} + 1D END"""
# a decimal has no room beyond 38 digits; the least 64-bit integer over -1 is the one quotient that has none in a bigint
_DIVIDE = "CASE WHEN a = -9223372036854775808 AND b = -1 THEN CAST(9223372036854775808 AS DECIMAL(38, 0)) ELSE q END"
_LOW, _SHIFTS = 2**21 - 1, (42, 21)


def plus(left: Typed, right: Typed, sign: type[exp.Binary]) -> Typed:
    """Add or subtract two numbers."""
    if "real" in (left.kind, right.kind):
        return Typed(_plain(sign, as_real(left), as_real(right)), "real")
    return _whole(left, right, sign)


def times(left: Typed, right: Typed) -> Typed:
    """Multiply two numbers."""
    return plus(left, right, exp.Mul)


def fitting_times(left: Typed, factor: Typed) -> Typed | None:
    """Give the integer nearest to a product with a constant, where it is known to fit; else None."""
    if left.kind != "real" or bare_literal(factor.tree) is None:
        return None
    return Typed(fill("TRY_CAST(RINT(p) AS BIGINT)", p=_plain(exp.Mul, left, factor)), "integer")  # raises for no value


def over(left: Typed, right: Typed) -> Typed:
    """Divide two reals; NaN, which becomes null, where the divisor is zero."""
    body = "CASE WHEN b = 0D THEN CAST('NaN' AS DOUBLE) ELSE a / b END"
    return Typed(let(body, a=as_real(left).tree, b=as_real(right).tree), "real")


def _plain(sign: type[exp.Binary], left: Typed, right: Typed) -> exp.Expr:
    return sign(this=exp.Paren(this=left.tree), expression=exp.Paren(this=right.tree))


def _whole(left: Typed, right: Typed, sign: type[exp.Binary]) -> Typed:
    kind: Kind = "int128" if left.kind in WIDE or right.kind in WIDE else "integer"
    sides = [Typed(convert(each.tree, kind), kind) if each.kind != kind else each for each in (left, right)]
    return Typed(_plain(sign, *sides), kind)


def divide(left: Typed, right: Typed) -> Typed:
    """Divide whole numbers, toward zero."""
    if left.kind in WIDE or right.kind in WIDE:
        sides = {"a": convert(left.tree, "int128"), "b": convert(right.tree, "int128")}
        quotient = fill("CAST(a DIV b AS DECIMAL(38, 0))", **sides)
        return Typed(fill(_DIVIDE, q=quotient, **sides), "int128")
    return Typed(fill("a DIV b", a=left.tree, b=right.tree), "integer")


def remainder(left: Typed, right: Typed) -> Typed:
    """Give the remainder of whole numbers, with the sign of the first."""
    wide = left.kind in WIDE or right.kind in WIDE
    kind: Kind = ("uint64" if left.kind == "uint64" else "int128") if wide else "integer"
    sides = [convert(each.tree, "int128" if wide else "integer") for each in (left, right)]
    made = fill("a % b", a=sides[0], b=sides[1])
    return Typed(convert(made, kind) if wide else made, kind)


def total(value: Typed) -> Typed:
    """Add up whole numbers exactly; those of 64 bits in three parts of 21 or 22 bits, each in 64 bits.

    A decimal would be an object for each row. No part overflows below 2^41 rows.
    """
    if value.kind in WIDE:
        return Typed(exp.Sum(this=convert(value.tree, "int128")), "int128")
    number = convert(value.tree, "integer")
    body = f"""CAST(SUM(SHIFTRIGHT(v, {_SHIFTS[0]})) AS DECIMAL(38, 0)) * {2 ** _SHIFTS[0]}
        + CAST(SUM(SHIFTRIGHT(v, {_SHIFTS[1]}) & {_LOW}) AS DECIMAL(38, 0)) * {2 ** _SHIFTS[1]}
        + CAST(SUM(v & {_LOW}) AS DECIMAL(38, 0))"""
    return Typed(convert(fill(body, v=number), "int128"), "int128")


def as_real(value: Typed) -> Typed:
    """Give a number as a double."""
    return value if value.kind == "real" else Typed(convert(value.tree, "real"), "real")


def truncate(value: Typed) -> Typed:
    """Give a number without its fraction."""
    return _by(_TRUNC, value)


def down(value: Typed) -> Typed:
    """Give the largest whole number that is not above a number."""
    return _by(_DOWN, value)


def up(value: Typed) -> Typed:
    """Give the smallest whole number that is not below a number."""
    return _by(_UP, value)


def _by(body: str, value: Typed) -> Typed:
    if value.kind == "decimal":  # it is only compared with the number; another type would round the digits away
        return Typed(let("CASE WHEN v % 1 = 0 THEN v END", v=value.tree), "decimal")
    return Typed(let(body, v=value.tree), "real") if value.kind == "real" else value


def round_to(value: Typed, digits: Typed | None = None) -> Typed:
    """Round to a number of digits that is written out, halves away from zero."""
    if digits is None:
        return _by(_ROUND, value)
    places = _places(digits)
    if value.kind != "real":
        return Typed(convert(fill(f"ROUND(CAST(v AS DECIMAL(38, 0)), {places})", v=value.tree), value.kind), value.kind)
    unit = literal(repr(float(10 ** abs(places))), "real")
    there, back = (over, times) if places < 0 else (times, over)
    name = Typed(exp.column("x"), "real")
    whole = Typed(let(_ROUND, v=there(name, unit).tree), "real")
    kept = let("CASE WHEN ABS(m) < CAST('Infinity' AS DOUBLE) THEN m ELSE w END", m=back(whole, unit).tree, w=name.tree)
    return Typed(let(kept.sql("spark"), x=value.tree), "real")


def _places(digits: Typed) -> int:
    found = bare_literal(digits.tree)
    if found is None:
        raise refused("round takes a number of digits that is written out", "write it as a number.")
    return int(found.name)


def root(value: Typed) -> Typed:
    """Give the square root; NaN below zero."""
    return Typed(fill("SQRT(v)", v=value.tree), "real")
