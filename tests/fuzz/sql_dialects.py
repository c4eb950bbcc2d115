# ruff: noqa: E501 - statements are written out
"""Statements as other systems write them: for each dialect what only it, or its relatives, would write."""

from tests.fuzz.sql_forms import Forms

DIALECTS: dict[str, Forms] = {
    "duckdb": {
        "duckdb: a cast by colons": "SELECT COUNT(*) AS n FROM visits WHERE minutes::DOUBLE / 2 > 3",
        "duckdb: integer division": "SELECT minutes // 30 AS k, COUNT(*) AS n FROM visits GROUP BY ALL",
    },
    "bigquery": {
        "bigquery: DATE_TRUNC": "SELECT DATE_TRUNC(day, MONTH) AS m, COUNT(*) AS n FROM `p.d.visits` GROUP BY m",
        "bigquery: SAFE_DIVIDE, COUNTIF": "SELECT SAFE_DIVIDE(SUM(minutes), COUNT(*)) AS r, COUNTIF(ill) AS c FROM visits",
        "bigquery: APPROX_QUANTILES": "SELECT APPROX_QUANTILES(minutes, 4)[OFFSET(2)] AS q FROM visits",
        "bigquery: APPROX_TOP_COUNT": "SELECT APPROX_TOP_COUNT(ward, 2) AS t FROM visits",
        "bigquery: DAYOFWEEK": "SELECT COUNT(*) AS n FROM visits WHERE EXTRACT(DAYOFWEEK FROM day) = 1",
        "bigquery: DATE_DIFF": "SELECT COUNT(*) AS n FROM visits WHERE DATE_DIFF(day, DATE '2024-01-01', DAY) > 9",
        "bigquery: DATE_ADD": "SELECT COUNT(*) AS n FROM visits WHERE DATE_ADD(day, INTERVAL 1 MONTH) < '2024-03-01'",
        "bigquery: an alias before a column": "SELECT UPPER(ward) AS ward, COUNT(*) AS n FROM visits GROUP BY ward",
        "bigquery: UNNEST of keys": "SELECT item, COUNT(ward) AS n FROM UNNEST(['a', 'b', 'q']) AS item LEFT JOIN visits "
        "ON item = ward GROUP BY item",
        "bigquery: PARSE_DATE": "SELECT COUNT(*) AS n FROM visits WHERE PARSE_DATE('%d.%m.%Y', ward) IS NULL",
        "bigquery: PARSE_TIMESTAMP": "SELECT COUNT(*) AS n FROM visits WHERE PARSE_TIMESTAMP('%Y-%m-%d %H:%M', note) IS NULL",
        "bigquery: TIMESTAMP": "SELECT COUNT(*) AS n FROM visits WHERE TIMESTAMP(day) >= TIMESTAMP '2024-02-01 00:00:00 UTC'",
        "bigquery: TIME": "SELECT COUNT(*) AS n FROM visits WHERE TIME(CAST(day AS DATETIME)) < '12:00:00'",
        "bigquery: TIME_TRUNC": "SELECT TIME_TRUNC(PARSE_TIME('%H', note), HOUR) AS h, COUNT(*) AS n FROM visits GROUP BY h",
        "bigquery: UNNEST of a list": "SELECT SUM(mark) AS s FROM visits v, UNNEST(v.marks) AS mark",
        "bigquery: a path of a list": "SELECT mark, COUNT(*) AS n FROM visits v, v.marks AS mark GROUP BY mark",
        "bigquery: IF": "SELECT SUM(IF(minutes > 3, 1, 0)) AS n FROM visits",
    },
    "postgres": {
        "postgres: division of whole numbers": "SELECT COUNT(*) AS n FROM public.visits WHERE minutes / 7 = 1",
        "postgres: a cast by colons": "SELECT SUM(minutes::float8) AS n FROM visits WHERE cost::int = 0",
        "postgres: an interval in quotes": "SELECT COUNT(*) AS n FROM visits WHERE day + INTERVAL '1 month' > '2024-02-20'",
        "postgres: WITHIN GROUP": "SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY minutes) AS q FROM visits",
        "postgres: FILTER": "SELECT COUNT(*) FILTER (WHERE ill) AS n, AVG(cost) FILTER (WHERE NOT ill) AS c FROM visits",
        "postgres: date_trunc": "SELECT date_trunc('month', day) AS m, COUNT(*) AS n FROM visits GROUP BY 1",
        "postgres: LATERAL unnest": "SELECT x.item, COUNT(*) AS n FROM visits v CROSS JOIN LATERAL unnest(v.marks) AS x(item) GROUP BY 1",
        "postgres: LEFT JOIN LATERAL": "SELECT COUNT(*) AS n, SUM(item) AS s FROM visits v LEFT JOIN LATERAL unnest(v.marks) AS x(item) ON TRUE",
        "postgres: TO_DATE": "SELECT COUNT(*) AS n FROM visits WHERE TO_DATE(note, 'YYYY-MM-DD') IS NULL",
        "postgres: JOIN LATERAL": "SELECT COUNT(*) AS n FROM visits v JOIN LATERAL unnest(v.marks) AS x(item) ON TRUE WHERE item > 1",
        "postgres: unnest in the list": "SELECT SUM(item) AS s FROM (SELECT id, unnest(marks) AS item FROM visits) t",
        "postgres: UNNEST of an ARRAY": "SELECT k, COUNT(*) AS n FROM UNNEST(ARRAY['a', 'b']) AS t(k) LEFT JOIN visits ON k "
        "= ward GROUP BY k",
    },
    "snowflake": {
        "snowflake: STDDEVP": "SELECT STDDEVP(minutes) AS s FROM visits",
        "snowflake: IFF": "SELECT SUM(IFF(ill, 1, 0)) AS n FROM visits",
        "snowflake: FLATTEN": "SELECT f.value, COUNT(*) AS n FROM visits v, LATERAL FLATTEN(input => v.marks) f GROUP BY f.value",
        "snowflake: TABLE(FLATTEN)": "SELECT SUM(f.value) AS n FROM visits v, TABLE(FLATTEN(v.marks)) f",
        "snowflake: DATEDIFF": "SELECT COUNT(*) AS n FROM visits WHERE DATEDIFF(day, DATE '2024-01-01', day) > 9",
        "snowflake: NVL and DAYOFWEEK": "SELECT COUNT(*) AS n FROM visits WHERE NVL(minutes, 0) > 1 OR DAYOFWEEK(day) = 0",
    },
    "tsql": {
        "tsql: TOP": "SELECT TOP 2 ward, COUNT(*) AS n FROM visits GROUP BY ward ORDER BY n DESC",
        "tsql: brackets": "SELECT [ward], COUNT_BIG(*) AS [n] FROM [dbo].[visits] WHERE [ward] = 'A' GROUP BY [ward]",
        "tsql: ISNULL, STDEV": "SELECT STDEV(minutes) AS s, VARP(minutes) AS v FROM visits WHERE ISNULL(minutes, 0) > 1",
        "tsql: DATEDIFF, DATEADD": "SELECT COUNT(*) AS n FROM visits WHERE DATEDIFF(day, '2024-01-01', day) > 9 AND "
        "DATEADD(month, 1, day) > '2024-02-01'",
        "tsql: STDEVP": "SELECT STDEVP(minutes) AS s FROM visits",
        "tsql: CONVERT": "SELECT SUM(CONVERT(INT, cost)) AS n FROM visits",
    },
    "mysql": {
        "mysql: IFNULL, IF": "SELECT SUM(IF(minutes > 3, 1, 0)) AS n FROM `visits` WHERE IFNULL(minutes, 0) > 1",
        "mysql: WEEKDAY": "SELECT COUNT(*) AS n FROM visits WHERE WEEKDAY(day) = 0",
        "mysql: STR_TO_DATE": "SELECT COUNT(*) AS n FROM visits WHERE STR_TO_DATE(note, '%d.%m.%Y') IS NULL",
        "mysql: texts without case": "SELECT ward, STDDEV(minutes) AS s FROM visits WHERE ward IN ('A', 'b') GROUP BY ward",
    },
    "spark": {
        "spark: NVL": "SELECT SUM(NVL(minutes, 0)) AS n FROM visits WHERE CAST(cost AS INT) = 0",
        "spark: percentile_approx": "SELECT percentile_approx(minutes, 0.5) AS q FROM visits",
        "spark: LATERAL VIEW": "SELECT item, COUNT(*) AS n FROM visits LATERAL VIEW explode(marks) t AS item GROUP BY item",
        "spark: LATERAL VIEW OUTER": "SELECT COUNT(*) AS n, SUM(item) AS s FROM visits LATERAL VIEW OUTER explode(marks) t AS item",
        "spark: explode in the list": "SELECT SUM(item) AS s FROM (SELECT id, explode(marks) AS item FROM visits) t",
        "spark: date_trunc": "SELECT date_trunc('MONTH', day) AS m, COUNT(*) AS n FROM visits GROUP BY 1",
    },
    "databricks": {
        "databricks: colons and count_if": "SELECT count_if(ill) AS n FROM cat.sch.visits WHERE minutes::double > 2",
        "databricks: dayofweek": "SELECT COUNT(*) AS n FROM visits WHERE dayofweek(day) = 1",
    },
    "trino": {
        "trino: approx_percentile": "SELECT approx_percentile(minutes, 0.5) AS q, approx_distinct(ward) AS d FROM visits",
        "trino: date_diff": "SELECT COUNT(*) AS n FROM visits WHERE date_diff('day', DATE '2024-01-01', day) > 9",
        "trino: count_if": "SELECT count_if(ill) AS n FROM visits WHERE day_of_week(day) = 1",
    },
    "presto": {
        "presto: TRY_CAST": "SELECT SUM(clip(TRY_CAST(note AS BIGINT), 0, 9)) AS n FROM visits",
        "presto: date_trunc": "SELECT date_trunc('month', day) AS m, COUNT(*) AS n FROM visits GROUP BY 1",
    },
    "clickhouse": {
        "clickhouse: countIf, sumIf": "SELECT countIf(ill) AS c, sumIf(minutes, ill) AS s, avgIf(cost, ill) AS a FROM visits",
        "clickhouse: minIf, maxIf": "SELECT minIf(minutes, ill) AS c, maxIf(minutes, ill) AS s FROM visits",
        "clickhouse: toStartOfMonth": "SELECT toStartOfMonth(day) AS m, COUNT(*) AS n FROM visits GROUP BY m",
        "clickhouse: ARRAY JOIN": "SELECT item, COUNT(*) AS n FROM visits ARRAY JOIN marks AS item GROUP BY item",
        "clickhouse: LEFT ARRAY JOIN": "SELECT COUNT(*) AS n, SUM(item) AS s FROM visits LEFT ARRAY JOIN marks AS item",
        "clickhouse: toDayOfWeek": "SELECT COUNT(*) AS n FROM visits WHERE toDayOfWeek(day) = 1",
    },
    "sqlite": {
        "sqlite: IFNULL": "SELECT COUNT(*) AS n FROM visits WHERE IFNULL(minutes, 0) / 7 = 1",
        "sqlite: IIF and a pattern without case": "SELECT SUM(IIF(note LIKE 'FL%', 1, 0)) AS n FROM visits",
    },
}
