"""SQL that must be refused, by family: what the message must name, and the statements."""

_AGGREGATED = "SELECT ward, COUNT(*) AS n FROM visits"
_STATEMENTS = """
INSERT INTO visits VALUES (1)|UPDATE visits SET minutes = 1|DELETE FROM visits|TRUNCATE visits|DROP TABLE visits
CREATE TABLE t AS SELECT ward FROM visits|CREATE VIEW v AS SELECT ward FROM visits|ALTER TABLE visits ADD COLUMN x INT
CREATE MACRO f(x) AS x + 1|CREATE FUNCTION f(x) AS x|CREATE SECRET s (TYPE S3)|CREATE SCHEMA s|CREATE SEQUENCE q
COPY visits TO 'out.csv'|COPY (SELECT ward FROM visits) TO 'out.parquet'|COPY visits FROM 'in.csv'|EXPORT DATABASE 'x'
IMPORT DATABASE 'x'|ATTACH 'x.db'|ATTACH 'x.db' AS x|DETACH x|INSTALL httpfs|LOAD httpfs|FORCE INSTALL httpfs
CALL pragma_version()|CALL duckdb_settings()|PRAGMA database_list|PRAGMA table_info('visits')|PRAGMA show_tables
PREPARE p AS SELECT ward FROM visits|EXECUTE p|DEALLOCATE p|SET memory_limit = '1GB'|SET VARIABLE x = 1|RESET threads
USE memory|BEGIN|COMMIT|ROLLBACK|CHECKPOINT|VACUUM|ANALYZE|EXPLAIN SELECT COUNT(*) FROM visits
EXPLAIN ANALYZE SELECT 1
DESCRIBE visits|SUMMARIZE visits|SHOW TABLES|SHOW ALL TABLES|FROM visits|FROM visits SELECT COUNT(*)|TABLE visits
VALUES (1)|(SELECT COUNT(*) FROM visits)|PIVOT visits ON ward USING COUNT(*)
UNPIVOT visits ON minutes INTO NAME a VALUE b
MERGE INTO visits USING visits ON true|GRANT ALL ON visits TO x|COMMENT ON TABLE visits IS 'x'|KILL 1|DO 1
"""
_TABLES = """
patients|"visits "|" visits"|'visits.csv'|"/etc/passwd"
's3://bucket/x.parquet'
information_schema.tables|information_schema.columns|pg_catalog.pg_tables|pg_catalog.pg_class|pg_tables|sqlite_master
duckdb_settings()|duckdb_tables()|duckdb_columns()|duckdb_secrets()|duckdb_functions()|duckdb_logs()|pragma_version()
read_csv('x.csv')|read_csv_auto('x.csv')|read_parquet('x')|read_json('x')|read_text('/etc/passwd')|read_blob('x')
parquet_metadata('x')|glob('*')|range(10)|generate_series(1, 10)|unnest([1, 2])|query('SELECT 1')
query_table('visits')
sniff_csv('x')|sqlite_scan('x', 'y')|postgres_scan('x', 'y', 'z')|arrow_scan(1, 2, 3)|seq_scan('visits')|repeat(1, 2)
duckdb_settings|visits2|ｖｉｓｉｔｓ|vis\u200bits|"visits;"|"visits""; DROP TABLE x; --"
(VALUES (1)) AS t|(VALUES (1, 'a')) AS t(x, ward)|(visits) AS v(a)|(DESCRIBE visits)
(SHOW TABLES)
visits TABLESAMPLE 10%|visits TABLESAMPLE RESERVOIR(5)|visits AS v(a, b)|visits USING SAMPLE 5
visits AT (VERSION => 1)
visits, visits AS w|visits JOIN visits AS w ON true|visits CROSS JOIN visits AS w|visits NATURAL JOIN visits AS w
visits LEFT JOIN visits AS w USING (ward)|visits ASOF JOIN visits AS w ON true|visits POSITIONAL JOIN visits AS w
visits SEMI JOIN visits AS w USING (patient)|visits ANTI JOIN visits AS w USING (patient)
visits, LATERAL (SELECT 1) AS t
visits JOIN LATERAL (SELECT 1) AS t ON true|visits, unnest([getenv('HOME')]) AS t|visits, read_csv('x') AS t
visits PIVOT (COUNT(*) FOR ward IN ('a'))|visits UNPIVOT (x FOR y IN (minutes))|visits WITH ORDINALITY
main.nosuch|a.b.c.d.nosuch|visits.main|"main.visits".x|information_schema.visits.x|(FROM visits) AS t(a)
"""
_INNER = """
SELECT ward, * FROM visits|SELECT * EXCLUDE (minutes) FROM visits
SELECT COLUMNS('.*') FROM visits|SELECT DISTINCT ward FROM visits|SELECT DISTINCT ON (ward) ward FROM visits
SELECT ward FROM visits LIMIT 1|SELECT ward FROM visits ORDER BY getenv('HOME')|SELECT ward FROM visits OFFSET 3
SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward|SELECT ward, MAX(minutes) AS m FROM visits GROUP BY ward
SELECT COUNT(*) AS n FROM visits|SELECT ward, SUM(minutes) OVER () AS m FROM visits
SELECT ward FROM visits GROUP BY ALL
SELECT ward FROM visits QUALIFY row_number() OVER () = 1|SELECT ward FROM visits HAVING true
SELECT ward FROM visits UNION SELECT ward FROM visits
SELECT ward FROM visits INTERSECT SELECT ward FROM visits|SELECT ward FROM visits EXCEPT SELECT ward FROM visits
SELECT ward, row_number() OVER () AS r FROM visits|SELECT ward, rowid AS r FROM visits
SELECT ward, unnest([1, 2]) AS u FROM visits
SELECT 1 AS patient, ward FROM visits|SELECT minutes AS patient, ward FROM visits
SELECT ward AS patient, minutes FROM visits
SELECT ward AS Patient FROM visits|SELECT ward, minutes AS WARD FROM visits|SELECT ward, ward FROM visits
SELECT ward, minutes + 1 FROM visits|SELECT ward|SELECT ward FROM nosuch|SELECT ward FROM visits USING SAMPLE 10%
SELECT ward, (SELECT MAX(minutes) FROM visits) AS m FROM visits|SELECT ward FROM visits WHERE minutes IN (SELECT 1)
SELECT ward FROM visits FOR UPDATE|SELECT ward INTO x FROM visits
WITH RECURSIVE r AS (SELECT ward FROM visits) SELECT ward FROM r|SELECT ward, random() AS r FROM visits
SELECT nosuch.* FROM visits|SELECT *, 1 AS ward FROM visits|SELECT * REPLACE (1 AS ward) FROM visits
SELECT * FROM visits LIMIT 1|SELECT * RENAME (ward AS w) FROM visits
"""
_SCALARS = """
getenv('HOME') = 'x'|current_setting('threads') = 'x'|current_user = 'x'|current_database() = 'x'|version() = 'x'
random() < 0.5|now() > date '2020-01-01'|current_date = date '2020-01-01'|uuid() = 'x'|gen_random_uuid() = 'x'
nextval('q') = 1|currval('q') = 1|setseed(0.5) IS NULL|error('x')|error(ward)|sleep_ms(100) IS NULL
pg_sleep(10) IS NULL
txid_current() = 1|hash(patient) = 1|md5(ward) = 'x'|sha256(ward) = 'x'|read_text('/etc/passwd') = 'x'|rowid = 1
list_value(ward)[1] = 'a'|[ward][1] = 'a'|{'a': ward}.a = 'a'|struct_pack(a := ward).a = 'a'|map([1], [2])[1] = 2
list_transform([1], x -> x)[1] = 1|[x for x in [1]][1] = 1|regexp_matches(ward, 'a')|ward ~ 'a'|ward SIMILAR TO 'a'
ward GLOB 'a'|ward COLLATE NOCASE = 'a'|$1 = 1|? = 1|:name = 1|@name = 1|$$x$$ = ward|E'\\x41' = ward|#1 = 1
minutes = (SELECT 1)|minutes IN (SELECT minutes FROM visits)|EXISTS (SELECT 1)|NOT EXISTS (SELECT 1 FROM visits)
minutes = ANY (SELECT 1)|minutes > ALL (SELECT 1)|CASE WHEN (SELECT true) THEN true ELSE false END
CASE ward WHEN (SELECT 'a') THEN true END|COALESCE((SELECT 1), minutes) = 1|(SELECT COUNT(*) FROM visits) > 1
COUNT(*) > 1|SUM(minutes) > 1|MAX(minutes) = minutes|row_number() OVER () = 1|lag(minutes) OVER () = 1|minutes
nosuch = 1|w.minutes = 1|main.visits.minutes = 1|visits.nosuch = 1|"minutes;" = 1|"minutes"" OR 1=1 --" = 1|*
COLUMNS(*) > 1
CAST(ward AS BLOB) = 'a'|CAST(minutes AS STRUCT(a INT)) IS NULL|ward::JSON = 'a'|ward -> 'x' = 'a'|minutes & 1 = 1
minutes << 1 = 1|~minutes = 1|xor(minutes, 1) = 1|factorial(20) = 1|try(1 / 0) = 1|query('x') = 1
format('{}', ward) = 'a'
printf('%s', ward) = 'a'|getvariable('x') = 1|in_search_path('a', 'b')|has_table_privilege('visits', 'SELECT')
col_description(1, 1) = 'x'|pg_get_viewdef(1) = 'x'|alias(minutes) = 'x'|typeof(minutes) = 'x'|stats(minutes) = 'x'
ｍｉｎｕｔｅｓ = 1|min\u200butes = 1|minutes\u202e = 1|minutes = 1 AND nosuch|date '2020-13-45' = date '2020-01-01'
INTERVAL 1 DAY IS NULL|TIMESTAMP '2020-01-01' AT TIME ZONE 'UTC' IS NULL|(minutes, ward) = (1, 'a')|ROW(1) = ROW(1)
"""
_ITEMS = """
FIRST(minutes)|LAST(minutes)|ANY_VALUE(minutes)|ARBITRARY(minutes)|STRING_AGG(ward, ',')
GROUP_CONCAT(ward)|LISTAGG(ward, ',')|LIST(minutes)|ARRAY_AGG(minutes)|HISTOGRAM(minutes)|MODE(minutes)
ARG_MAX(ward, minutes)|ARG_MIN(ward, minutes)|MAX_BY(ward, minutes)|BIT_AND(minutes)|BIT_XOR(minutes)
BOOL_OR(minutes > 1)
PRODUCT(minutes)|FSUM(minutes)|FAVG(minutes)|ENTROPY(minutes)|SKEWNESS(minutes)|KURTOSIS(minutes)
CORR(minutes, minutes)
REGR_SLOPE(minutes, minutes)|MAD(minutes)
GROUPING(ward)
COUNT(DISTINCT patient, ward)
COUNT(DISTINCT *)
SUM(DISTINCT minutes)|AVG(DISTINCT minutes)|SUM(patient)|AVG(patient)|STDDEV(patient)|VARIANCE("patient")
SUM(visits.patient)
SUM(SUM(minutes))|AVG(COUNT(*))|COUNT(SUM(minutes))|SUM((SELECT 1))|SUM(MAX(minutes))|COUNT(COUNT(*) OVER ())
SUM(minutes) OVER ()
COUNT(*) OVER (PARTITION BY ward)
SUM(minutes ORDER BY minutes)|SUM(minutes) IGNORE NULLS|COUNT()|COUNT(* EXCLUDE (ward))|COUNT(minutes, ward)|SUM(*)
SUM()
CASE WHEN true THEN (SELECT MAX(minutes) FROM visits) END
(SELECT MAX(minutes) FROM visits)
minutes|patient|visits.minutes|minutes + 1|NULL|*|visits.*|COLUMNS(*)|rowid|SUM(ward)|AVG(ward)
SUM(nosuch)
SUM(getenv('HOME'))|COUNT(read_text('x'))|row_number() OVER ()|rank() OVER (ORDER BY minutes)|ntile(4) OVER ()
unnest([1])
SUM(COLUMNS(*))|COUNT(*) AS ward|COUNT(*) AS count_error, COUNT(*)|COUNT(*) AS a, COUNT(*) AS a
COUNT(*) AS A, SUM(minutes) AS a
COUNT(*) AS "x\u200b"|COUNT(*) AS "\u202ex"|COUNT(*) AS ""|$1|?|@x|getvariable('x')|system('ls')
shell('ls')
COUNT(*) AS a, 1 AS A|COUNT(*), SUM(DISTINCT minutes + 1)|COUNT(*), CURRENT_DATE|COUNT(*), now()
"""
_ENDS = """
GROUP BY ROLLUP (ward)|GROUP BY CUBE (ward)|GROUP BY GROUPING SETS ((ward), ())
GROUP BY ward, ROLLUP (ward)
GROUP BY ()|GROUP BY (ward, minutes)|GROUP BY ward, ward|GROUP BY 1, 1|GROUP BY 2|GROUP BY 3|GROUP BY 0
GROUP BY 'ward'|GROUP BY -1
GROUP BY ward, patient|GROUP BY ward, COUNT(*)|GROUP BY ward, (SELECT 1)
GROUP BY ward, random()|GROUP BY n
GROUP BY minutes|GROUP BY nosuch|GROUP BY ward WITH ROLLUP|GROUP BY ward, row_number() OVER ()
GROUP BY ward, getenv('HOME')
GROUP BY ward HAVING minutes > 1
GROUP BY ward HAVING n > (SELECT 1)|GROUP BY ward HAVING n IN (SELECT 1)
GROUP BY ward HAVING n
GROUP BY ward HAVING random() > 0.5|GROUP BY ward HAVING EXISTS (SELECT 1)
GROUP BY ward HAVING n > 'x'
GROUP BY ward HAVING ward > 1|GROUP BY ward HAVING n > $1|GROUP BY ward HAVING true|GROUP BY ward HAVING 1 = 1
GROUP BY ward HAVING n > getenv('HOME')
GROUP BY ward HAVING n > 1e999|GROUP BY ward HAVING SUM(SUM(minutes)) > 1|GROUP BY ward HAVING count(*) OVER () > 1
GROUP BY ward ORDER BY minutes
GROUP BY ward ORDER BY random()
GROUP BY ward ORDER BY (SELECT 1)|GROUP BY ward ORDER BY 3|GROUP BY ward ORDER BY 0|GROUP BY ward ORDER BY 'n'
GROUP BY ward ORDER BY ALL
GROUP BY ward ORDER BY n COLLATE NOCASE|GROUP BY ward ORDER BY n, patient
GROUP BY ward ORDER BY 00000000010
GROUP BY ward LIMIT 10%|GROUP BY ward LIMIT (SELECT 1)|GROUP BY ward LIMIT -1|GROUP BY ward LIMIT 1.5
GROUP BY ward LIMIT 'x'
GROUP BY ward LIMIT $1|GROUP BY ward LIMIT 1 OFFSET (SELECT 1)|GROUP BY ward LIMIT 1 OFFSET -1
GROUP BY ward LIMIT 1 + 1
GROUP BY ward LIMIT 99999999999999999999
GROUP BY ward QUALIFY row_number() OVER () = 1
GROUP BY ward WINDOW w AS (PARTITION BY ward)|GROUP BY ward USING SAMPLE 10%
GROUP BY ward UNION SELECT ward, minutes FROM visits
GROUP BY ward UNION ALL SELECT 'a', 1|GROUP BY ward EXCEPT SELECT 'a', 1|GROUP BY ward INTERSECT SELECT 'a', 1
GROUP BY ward FOR UPDATE
GROUP BY ward; SELECT 1|GROUP BY ward; DROP TABLE visits|GROUP BY ward;;|; GROUP BY ward
GROUP BY ward /*! x */
GROUP BY ward '|GROUP BY ward "
GROUP BY ward /*|GROUP BY ward (|GROUP BY ward )|GROUP BY ward \\|GROUP BY ward INTO OUTFILE 'x'
GROUP BY ward FORMAT CSV|GROUP BY ward OPTION (x)|GROUP BY|GROUP BY ward ORDER BY
GROUP BY ward HAVING|GROUP BY ward LIMIT
GROUP BY ward HAVING SUM(patient) > 1|GROUP BY ward HAVING FIRST(minutes) > 1|GROUP BY ward ORDER BY ANY_VALUE(minutes)
GROUP BY ward HAVING MAX(getenv('HOME')) > 1|GROUP BY ward ORDER BY SUM((SELECT 1))
GROUP BY ward FETCH FIRST 1 ROWS WITH TIES|GROUP BY ward FETCH FIRST 1 PERCENT ROWS ONLY|GROUP BY ALL, ward
GROUP BY ward /*! HAVING n > 1 */|GROUP BY ward /*!50000 x */|GROUP BY ward /*+ x */|GROUP BY ward --+ x
GROUP BY ward /*M! x */|GROUP BY ward /* a /* b */ c */|GROUP BY ward /* a /* b */|GROUP BY ward -- /* x
GROUP BY ward; /* x */ SELECT 1|GROUP BY ward; -- x\\n SELECT 1
"""
_WITH = """
WITH RECURSIVE r AS (SELECT ward FROM visits) SELECT COUNT(*) FROM r
WITH r(a) AS (SELECT ward FROM visits) SELECT COUNT(*) FROM r
WITH RECURSIVE r AS (SELECT ward FROM visits UNION ALL SELECT ward FROM r) SELECT COUNT(*) FROM r
WITH r AS MATERIALIZED (SELECT ward FROM visits) SELECT COUNT(*) FROM r
WITH r AS (SELECT ward FROM r) SELECT COUNT(*) FROM r
WITH r AS (SELECT ward FROM visits), r AS (SELECT ward FROM visits) SELECT COUNT(*) FROM r
WITH a AS (SELECT ward FROM b), b AS (SELECT ward FROM visits) SELECT COUNT(*) FROM a
WITH r AS (SELECT ward FROM visits) SELECT COUNT(DISTINCT patient) FROM r
WITH r AS (VALUES (1)) SELECT COUNT(*) FROM r
WITH r AS (SELECT ward FROM visits) SELECT AVG(minutes) FROM r
WITH r AS (SELECT ward FROM visits) SELECT COUNT(*) FROM r, visits
WITH r AS (SELECT ward FROM visits) INSERT INTO visits SELECT ward FROM r
WITH r AS (DELETE FROM visits) SELECT COUNT(*) FROM r
WITH r AS (SELECT MAX(minutes) AS m FROM visits) SELECT COUNT(*) FROM r
WITH r AS (SELECT ward FROM visits LIMIT 1) SELECT COUNT(*) FROM r
WITH r AS (SELECT 1 AS x) SELECT COUNT(*) FROM visits
WITH r AS (SELECT ward FROM read_csv('x')) SELECT COUNT(*) FROM visits
WITH r AS (COPY visits TO 'x') SELECT COUNT(*) FROM visits
WITH r AS (SELECT ward FROM visits) FROM r|WITH r AS (SELECT ward FROM visits) TABLE r
WITH visits AS (SELECT ward FROM visits) SELECT SUM(minutes) FROM visits
WITH visits AS (SELECT ward FROM visits), visits AS (SELECT ward FROM visits) SELECT COUNT(*) FROM visits
WITH visits AS (SELECT ward FROM main.r) SELECT COUNT(*) FROM visits
WITH r AS (SELECT ward FROM visits) SELECT COUNT(*) FROM main.r
WITH r AS (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward), s AS (COPY visits TO 'x') SELECT n FROM r
"""
_WHOLE = """
SELECT 1|SELECT|SELECT COUNT(*)|SELECT COUNT(*) FROM visits GROUP BY|SELECT COUNT(*) FROM visits ORDER BY
SELECT FROM visits
SELECT * FROM visits
SELECT ward FROM visits|SELECT ALL COUNT(*) INTO x FROM visits
SELECT TOP 1 ward FROM visits
SELECT /*+ hint */ COUNT(*) FROM visits|SELECT COUNT(*) FROM visits WHERE
SELECT COUNT(* FROM visits
SELECT DISTINCT ON (ward) COUNT(*) FROM visits|SELECT AS STRUCT COUNT(*) FROM visits
SELECT COUNT(*) FROM visits visits2 visits3
SELECT COUNT(*) n, FROM FROM visits|SELECT COUNT(*) FROM visits WHERE 1|SELECT COUNT(*) FROM visits WHERE 'a'
SELECT x'41' FROM visits
SELECT COUNT(*) FROM visits AS OF TIMESTAMP '2020-01-01'|SELECT COUNT(*) FROM visits PREWHERE true
SELECT COUNT(*) FROM ONLY nosuch
SELECT DISTINCT COUNT(*) FROM visits GROUP BY ward|SELECT minutes FROM visits GROUP BY ward
SELECT DISTINCT patient FROM visits|SELECT DISTINCT day FROM visits
SELECT DISTINCT * FROM visits|SELECT 1 FROM visits|SELECT 'x' AS x FROM visits|SELECT TOP ward COUNT(*) FROM visits
SELECT TOP 1 PERCENT COUNT(*) FROM visits|SELECT TOP 1 WITH TIES COUNT(*) FROM visits
"""
_PRIVATE = """
OPTIONS(epsilon=1, privacy_unit_column=minutes)|OPTIONS(epsilon=1, privacy_unit_column=nosuch)
OPTIONS(epsilon=-1)
OPTIONS(epsilon=1, epsilon=2)|OPTIONS(noise='none')|OPTIONS(epsilon=1, max_groups_contributed=x)
OPTIONS(epsilon=(SELECT 1))
OPTIONS(epsilon=1, max_groups_contributed=0)|OPTIONS(epsilon=1, max_groups_contributed=1.5)|OPTIONS(epsilon=1e999)
OPTIONS(epsilon)
OPTIONS(,)|OPTIONS(|OPTIONS epsilon=1|OPTIONS(epsilon=1,)|OPTIONS(epsilon=1) OPTIONS(epsilon=2)
OPTIONS(min_privacy_units_per_group=1)
OPTIONS(epsilon=1) WITH DIFFERENTIAL_PRIVACY|OPTIONS(epsilon=1) * EXCEPT (ward),
OPTIONS(epsilon=1) AS STRUCT
OPTIONS(epsilon=1) ward,
OPTIONS(epsilon=1) AVG(patient, contribution_bounds_per_group => (0, 1)),
OPTIONS(epsilon=1) SESSION_USER(),|OPTIONS(epsilon=1) (SELECT 1),|OPTIONS(epsilon=1) @@error.message,
OPTIONS(epsilon=1) @x,
OPTIONS(epsilon=1) EXTERNAL_QUERY('x', 'y'),
OPTIONS(epsilon=1) SUM(EXTRACT(WEEK FROM day)),
OPTIONS(epsilon='x')|OPTIONS(epsilon='1 + 1')|OPTIONS(epsilon='-1')|OPTIONS(epsilon='inf')|OPTIONS(epsilon='')
/*! x */ OPTIONS(epsilon=1)|/*+ x */ OPTIONS(epsilon=1)|OPTIONS(epsilon=1 /* a /* b */ c */)
OPTIONS(a b c d e f=1)|OPTIONS(epsilon=1, privacy_unit_column=patient.ward)
OPTIONS(epsilon=1) `privet private select`(),|OPTIONS(epsilon=1) DISTINCT ward,
OPTIONS(epsilon=1) SUM(EXTRACT(WEEK(SUNDAY) FROM day)),
"""


def _each(text: str) -> list[str]:
    return [item for line in text.strip().split("\n") for item in line.replace("\\n", "\n").split("|")]


FAMILIES: dict[str, list[str]] = {
    "statements": _each(_STATEMENTS),
    "tables": [f"SELECT COUNT(*) AS n FROM {item}" for item in _each(_TABLES)],
    "sub-queries": [f"SELECT COUNT(*) AS n FROM ({item}) AS s" for item in _each(_INNER)],
    "nested sub-queries": [f"SELECT COUNT(*) FROM (SELECT ward FROM ({item})) AS s" for item in _each(_INNER)],
    "conditions": [f"SELECT COUNT(*) AS n FROM visits WHERE {item}" for item in _each(_SCALARS)],
    "inner conditions": [
        f"WITH s AS (SELECT ward FROM visits WHERE {item}) SELECT COUNT(*) AS n FROM s" for item in _each(_SCALARS)
    ],
    "arguments": [f"SELECT COUNT(CASE WHEN {item} THEN 1 END) AS n FROM visits" for item in _each(_SCALARS)],
    "keys": [f"SELECT COUNT(*) AS n FROM visits GROUP BY CASE WHEN {item} THEN 'a' END" for item in _each(_SCALARS)],
    "items": [f"SELECT ward, {item} FROM visits GROUP BY ward" for item in _each(_ITEMS)],
    "ends": [f"{_AGGREGATED} {item}" for item in _each(_ENDS)],
    "with": _each(_WITH),
    "whole": _each(_WHOLE),
    "private": [f"SELECT WITH DIFFERENTIAL_PRIVACY {item} COUNT(*) AS n FROM visits" for item in _each(_PRIVATE)],
    "texts": [
        "",
        " ",
        ";",
        "\n",
        "\0",
        "SELECT \0",
        "\ud800",
        "'",
        '"',
        "$$",
        "(" * 5000,
        "SELECT " + "(" * 3000,
        "x" * 200_000,
    ],
}
HOSTILE = [(family, text) for family, texts in FAMILIES.items() for text in texts]
