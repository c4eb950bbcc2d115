"""The text of a real on Spark: the fewest digits that read back as the same double, as Python writes them.

Java writes 1.0E10 for 10000000000.0, at least two digits, and before version 19 sometimes more digits than are needed.
So its digits and its exponent are taken apart. Fifteen digits or fewer are already the fewest, since no two decimals of
so many digits read as the same double. Longer ones are rounded to 1, 2, ... digits until the double is the same.
"""

from sqlglot import exp

from privet.tables.engines.spark.typed import fill

_DIGITS = "TRIM(TRAILING '0' FROM TRIM(LEADING '0' FROM REGEXP_REPLACE(SPLIT_PART(j, 'E', 1), '[.-]', '')))"
_EXPONENT = """CASE WHEN CONTAINS(j, 'E') THEN TRY_CAST(SPLIT_PART(j, 'E', 2) AS INT)
    WHEN STARTSWITH(j, '0.') OR STARTSWITH(j, '-0.')
    THEN LENGTH(TRIM(LEADING '0' FROM SPLIT_PART(j, '.', 2))) - LENGTH(SPLIT_PART(j, '.', 2)) - 1
    ELSE LENGTH(REPLACE(SPLIT_PART(j, '.', 1), '-', '')) - 1 END"""
_HALF = "CAST(RPAD('5', LENGTH(p.d) - k, '0') AS BIGINT)"
_ROUNDED = f"CAST((CAST(p.d AS BIGINT) + {_HALF}) DIV CAST(RPAD('1', LENGTH(p.d) - k + 1, '0') AS BIGINT) AS STRING)"
_SHORTEST = f"""CASE WHEN LENGTH(p.d) < 16 AND ABS(p.v) >= 2.3E-308D THEN CAST(NULL AS INT)
    ELSE GET(FILTER(SEQUENCE(1, GREATEST(LENGTH(p.d) - 1, 1)), k -> k < LENGTH(p.d)
        AND TRY_CAST(CONCAT({_ROUNDED}, 'E', p.x - k + 1) AS DOUBLE) = ABS(p.v)), 0) END"""
_KEPT = f"TRANSFORM(ARRAY(q.k), k -> CASE WHEN k IS NULL THEN q.p.d ELSE {_ROUNDED.replace('p.d', 'q.p.d')} END)[0]"
_PLAIN = """CASE WHEN r.x >= LENGTH(r.d) - 1 THEN CONCAT(r.d, REPEAT('0', r.x - LENGTH(r.d) + 1), '.0')
    WHEN r.x >= 0 THEN CONCAT(LEFT(r.d, r.x + 1), '.', SUBSTRING(r.d, r.x + 2))
    ELSE CONCAT('0.', REPEAT('0', -r.x - 1), r.d) END"""
_SCIENTIFIC = """CONCAT(LEFT(r.d, 1), CASE WHEN LENGTH(r.d) > 1 THEN CONCAT('.', SUBSTRING(r.d, 2)) ELSE '' END,
    CASE WHEN r.x < 0 THEN 'e-' ELSE 'e+' END, LPAD(CAST(ABS(r.x) AS STRING), GREATEST(2, LENGTH(ABS(r.x))), '0'))"""
_WRITTEN = f"""TRANSFORM(TRANSFORM(TRANSFORM(TRANSFORM(ARRAY(CAST(v AS STRING)),
        j -> NAMED_STRUCT('v', TRY_CAST(j AS DOUBLE), 'd', {_DIGITS}, 'x', {_EXPONENT})),
        p -> NAMED_STRUCT('p', p, 'k', {_SHORTEST})),
        q -> NAMED_STRUCT('v', q.p.v, 'c', {_KEPT}, 'd', TRIM(TRAILING '0' FROM {_KEPT}),
            'x', q.p.x + CASE WHEN q.k IS NULL THEN 0 ELSE LENGTH({_KEPT}) - q.k END)),
        r -> CONCAT(CASE WHEN r.v < 0 THEN '-' ELSE '' END,
            CASE WHEN r.x BETWEEN -4 AND 15 THEN {_PLAIN} ELSE {_SCIENTIFIC} END))[0]"""
_TEXT = f"""CASE WHEN v = 0D THEN CASE WHEN CAST(v AS STRING) = '-0.0' THEN '-0.0' ELSE '0.0' END
    WHEN v = CAST('NaN' AS DOUBLE) THEN 'nan' WHEN v = CAST('Infinity' AS DOUBLE) THEN 'inf'
    WHEN v = CAST('-Infinity' AS DOUBLE) THEN '-inf' ELSE {_WRITTEN} END"""


def real_text(value: exp.Expr) -> exp.Expr:
    """Write a real as its text."""
    return fill(f"TRANSFORM(ARRAY(w), v -> {_TEXT})[0]", w=value)
