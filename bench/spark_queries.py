"""The plain window queries that releases on Spark are compared with: caps by Spark's own hash, sums of doubles."""

from bench.tables_data import BOUNDS

_SUMS = f"count(*), sum(greatest(least(value, {BOUNDS[1]}D), {BOUNDS[0]}D))"
_ONE = f"""SELECT grp, {_SUMS} FROM (SELECT *, row_number() OVER (PARTITION BY user_id ORDER BY
    xxhash64(grp, value, 42)) AS place FROM visits) WHERE place <= {{rows}} GROUP BY grp"""
_TWO = f"""SELECT grp, {_SUMS} FROM (SELECT *, row_number() OVER (PARTITION BY user_id, grp ORDER BY
    xxhash64(value, 42)) AS place FROM (SELECT *, dense_rank() OVER (PARTITION BY user_id ORDER BY
    xxhash64(user_id, grp, 42), grp) AS part FROM visits)) WHERE part <= 3 AND place <= 10 GROUP BY grp"""
PLAIN = {
    "a person with 1 row": _ONE.format(rows=1),
    "a person with 5 rows": _ONE.format(rows=5),
    "a person with 10 rows in each of 3 groups": _TWO,
}
