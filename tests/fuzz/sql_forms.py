# ruff: noqa: E501 - statements are written out
"""Forms of SQL by name, as data: what ``tests.fuzz.statements`` puts together, and a test finds all of.

Each table is one place of a statement. The names say what a form is; a form that nobody draws, or that no session
accepts, fails ``tests/fuzz/test_sql_forms.py``. The tables of a session are those of ``tests.fuzz.queries``.
"""

Forms = dict[str, str]

CONDITIONS: Forms = {
    "comparison": "minutes > 3",
    "number in quotes": "minutes = '30'",
    "IN": "ward IN ('a', 'b')",
    "NOT IN": "ward NOT IN ('a')",
    "truth as a number": "ill = 1",
    "number as a truth": "minutes = TRUE",
    "CONCAT of other kinds": "CONCAT(ward, minutes, ill) <> 'a3true'",
    "date in quotes": "day >= '2024-02-01'",
    "interval": "day < DATE '2024-01-01' + INTERVAL '1' MONTH",
    "interval of a column": "day - INTERVAL '3' DAY > DATE '2024-01-01'",
    "BETWEEN": "day BETWEEN '2024-01-01' AND '2024-03-01'",
    "folded literals": "cost BETWEEN 0.06 - 0.01 AND 0.06 + 0.01",
    "number without a zero": "cost > .25",
    "division": "minutes / 7 = 1",
    "COALESCE": "COALESCE(cost, 1) <> 1.5",
    "CAST": "CAST(cost AS INT) = 0",
    "CASE": "CASE WHEN ill THEN minutes ELSE 0 END > 5",
    "IS NULL": "note IS NULL OR minutes IS NOT NULL",
    "LIKE": "note LIKE 'f%'",
    "EXTRACT": "EXTRACT(month FROM day) = 2",
    "OR of listed values": "ward = 'a' OR ward = 'b'",
    "NOT": "NOT (minutes > 3 AND ill)",
    "text functions": "LOWER(TRIM(note)) = 'flu'",
    "REPLACE, RIGHT and SUBSTRING": "REPLACE(RIGHT(SUBSTRING(note, 1, 6), 5), 'f', 'gg') <> 'y'",
    "SIGN and TRUNC": "SIGN(cost) = 1 OR TRUNC(cost / 2) = 0",
    "CEIL and POWER": "CEIL(POWER(minutes, 2)) > 4",
    "CONCAT": "CONCAT(ward, note) <> 'aflu'",
    "LENGTH": "LENGTH(ward) > 0",
    "LOG": "LOG(10, 1 + ABS(minutes)) > 0.5",
}
AGGREGATES: Forms = {
    "COUNT(*)": "COUNT(*)",
    "COUNT(1)": "COUNT(1)",
    "COUNT(x)": "COUNT(minutes)",
    "COUNT(DISTINCT x)": "COUNT(DISTINCT ward)",
    "SUM": "SUM(minutes)",
    "SUM(1)": "SUM(1)",
    "SUM of CASE": "SUM(CASE WHEN minutes > 5 THEN 1 ELSE 0 END)",
    "SUM of bounds": "SUM(GREATEST(LEAST(minutes, 9), 0))",
    "AVG": "AVG(cost)",
    "MIN": "MIN(minutes)",
    "MAX of dates": "MAX(day)",
    "VAR_POP": "VAR_POP(minutes)",
    "VAR_SAMP": "VAR_SAMP(minutes)",
    "VARIANCE": "VARIANCE(minutes)",
    "STDDEV": "STDDEV(cost)",
    "STDDEV_POP": "STDDEV_POP(cost)",
    "STDDEV_SAMP": "STDDEV_SAMP(cost)",
    "expression of aggregates": "100 * SUM(minutes) / NULLIF(COUNT(*), 0)",
    "rounded aggregate": "ROUND(AVG(minutes), 1)",
    "sum of aggregates": "COUNT(*) + SUM(minutes)",
}
PLAIN_AGGREGATES: Forms = {  # of DuckDB's SQL
    "FILTER": "COUNT(*) FILTER (WHERE ill)",
    "MEDIAN": "MEDIAN(minutes)",
    "MODE": "MODE(ward)",
    "CORR": "CORR(minutes, cost)",
    "COVAR_POP": "COVAR_POP(minutes, cost)",
    "COVAR_SAMP": "COVAR_SAMP(minutes, minutes)",
    "QUANTILE_CONT": "QUANTILE_CONT(minutes, 0.9)",
    "QUANTILE_DISC": "QUANTILE_DISC(minutes, 0.5)",
    "quantiles of a list": "QUANTILE_CONT(minutes, [0.25, 0.75])",
    "WITHIN GROUP": "PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY minutes DESC)",
    "PERCENTILE_DISC": "PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY minutes)",
    "QUANTILE": "QUANTILE(minutes, 0.5)",
    "APPROX_TOP_K": "APPROX_TOP_K(ward, 2)",
    "APPROX_QUANTILE": "APPROX_QUANTILE(minutes, 0.5)",
    "APPROX_COUNT_DISTINCT": "APPROX_COUNT_DISTINCT(ward)",
    "COUNT_IF": "COUNT_IF(ill)",
    "VAR": "VAR(minutes)",
    "STD": "STD(minutes)",
}
KEYS: Forms = {
    "key of categories": "ward",
    "key of truth values": "ill",
    "CASE as a key": "CASE WHEN minutes > 5 THEN 'x' ELSE 'y' END",
    "condition as a key": "minutes > 3",
    "part of a date as a key": "EXTRACT(month FROM day)",
    "key in a function": "UPPER(ward)",
    "rounded number as a key": "ROUND(cost)",
    "steps of a number as a key": "FLOOR(minutes / 3) * 3",
    "CASE of real numbers as a key": "CASE WHEN ill THEN 0.5 ELSE 2 END",
}
TABLES: Forms = {
    "table": "visits",
    "schema": "main.visits",
    "catalog": "a.b.visits",
    "quoted table": '"visits"',
    "alias of a table": "visits AS v",
    "table in parentheses": "(visits) AS v",
    "star in a sub-query": "(SELECT * FROM visits) v",
    "star of a table in a sub-query": "(SELECT v.* FROM visits AS v) w",
    "sub-query": "(SELECT id, ward, minutes, cost, ill, note, day FROM visits WHERE minutes IS NOT NULL) AS s",
    "sub-query in a sub-query": "(SELECT * FROM (SELECT * FROM visits WHERE ill) AS i) AS o",
    "ORDER BY in a sub-query": "(SELECT * FROM visits ORDER BY minutes DESC, 1) AS s",
    "UNNEST of a list": "visits CROSS JOIN UNNEST(marks) AS m(mark)",
    "LEFT JOIN UNNEST of a list": "visits LEFT JOIN UNNEST(marks) AS m(mark) ON TRUE",
    "UNNEST in a sub-query": "(SELECT *, mark * 2 AS d FROM visits, UNNEST(marks) AS m(mark)) v",
    "UNION ALL": "(SELECT id, ward, minutes, cost, ill, note, day FROM visits UNION ALL SELECT id, ward, minutes, "
    "cost, ill, note, day FROM visits WHERE ill) AS u",
}
GROUPS: Forms = {"GROUP BY places": "{places}", "GROUP BY expressions": "{keys}", "GROUP BY names": "{names}"}
GROUPS["GROUP BY ALL"] = "ALL"
ENDS: Forms = {
    "HAVING": " HAVING COUNT(*) > 1",
    "HAVING of an unselected aggregate": " HAVING SUM(minutes) > 0 AND COUNT(*) < 99",
    "ORDER BY a place": " ORDER BY 1",
    "ORDER BY ASC": " ORDER BY 1 ASC NULLS FIRST",
    "ORDER BY an unselected aggregate": " ORDER BY AVG(minutes) DESC",
    "ORDER BY an alias": " ORDER BY a0 DESC NULLS LAST",
    "LIMIT": " LIMIT 2",
    "OFFSET": " LIMIT 2 OFFSET 1",
    "FETCH FIRST": " FETCH FIRST 2 ROWS ONLY",
    "line comment": " -- end",
    "comment": " /* end; DROP TABLE visits */",
    "semicolon": ";",
}
ITEMS: Forms = {"constant number": "1 AS one", "constant text": "'x' AS x"}
WHOLES: Forms = {
    "REGEXP_REPLACE": "SELECT COUNT(*) AS n FROM visits WHERE REGEXP_REPLACE(CAST(minutes AS TEXT), '[0-5]', 'x') <> '7'",
    "REGEXP_REPLACE as a key": "SELECT REGEXP_REPLACE(ward, '(a)|b', '<\\1>') AS k, COUNT(*) AS n FROM visits GROUP BY k",
    "STRPTIME": "SELECT SUM(minutes) AS s FROM visits WHERE STRPTIME(CAST(day AS TEXT), '%Y-%m-%d') >= '2024-02-01'",
    "TOP": "SELECT TOP 2 ward, COUNT(*) AS n FROM visits GROUP BY ward ORDER BY n DESC",
    "DISTINCT": "SELECT DISTINCT ward FROM visits",
    "DISTINCT of two keys": "SELECT DISTINCT ward, ill FROM visits ORDER BY 1",
    "keys without an aggregate": "SELECT ward FROM visits GROUP BY ward",
    "aggregate without a name": "SELECT ward, COUNT(*), SUM(minutes) FROM visits GROUP BY 1",
    "backticks": "SELECT `ward`, COUNT(*) AS `the number` FROM `visits` GROUP BY `ward`",
    "names in capitals": "SELECT WARD, COUNT(*) AS N FROM VISITS WHERE Minutes > 1 GROUP BY Ward ORDER BY n",
    "SELECT around a released SELECT": "SELECT ward, s / NULLIF(n, 0) AS r FROM (SELECT ward, COUNT(*) AS n, SUM(minutes) AS s "
    "FROM visits GROUP BY ward) AS t WHERE n > 1 ORDER BY r",
    "star of a released SELECT": "SELECT * FROM (SELECT n FROM (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward))",
    "WITH of several": "WITH t AS (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward), "
    "final AS (SELECT t.*, n * 2 AS d FROM t) SELECT * FROM final WHERE d > 2",
    "HAVING a key that is a label too": "SELECT ward AS k, ill AS ward, COUNT(*) AS n FROM visits GROUP BY ward, ill "
    "HAVING ward = 'a'",
    "CROSS JOIN of written values": "SELECT x, COUNT(*) AS n, SUM(minutes) AS s FROM visits CROSS JOIN UNNEST([1, 2]) AS x "
    "WHERE minutes > x GROUP BY x",
    "ends of an interval": "SELECT ward, SUM(minutes) AS s, DP_INTERVAL_LOW(s) AS a, DP_INTERVAL_HIGH(s) FROM visits GROUP BY "
    "ward",
    "WITH named like its table": "WITH visits AS (SELECT * FROM visits WHERE ill) SELECT COUNT(*) AS n FROM visits",
    "groups from WHERE": "SELECT note, COUNT(*) AS n FROM visits WHERE note IN ('x', 'yy') GROUP BY note",
    "one group from WHERE": "SELECT note, AVG(minutes) AS n FROM visits WHERE note = 'flu' GROUP BY note",
    "groups by month": "SELECT DATE_TRUNC('month', day) AS m, COUNT(*) AS n FROM visits GROUP BY m ORDER BY m DESC",
    "groups by week": "SELECT DATE_TRUNC('week', day) AS m, COUNT(*) AS n FROM visits GROUP BY m HAVING m > "
    "DATE '2024-01-15'",
    "groups by day": "SELECT day, COUNT(*) AS n, SUM(minutes) AS s FROM visits WHERE minutes > 2 GROUP BY day",
    "groups by year": "SELECT EXTRACT(year FROM day) AS y, COUNT(*) AS n FROM visits GROUP BY y",
    "many aggregates": f"SELECT {', '.join(f'SUM(minutes + {at}) AS s{at}' for at in range(12))} FROM visits",
}
OF_PERSONS: Forms = {
    "COUNT(DISTINCT id)": "SELECT ward, COUNT(DISTINCT id) AS n FROM visits GROUP BY ward",
    "count of each person": "SELECT COUNT(*) AS n, SUM(clip(c, 0, 9)) AS s FROM (SELECT id, COUNT(*) AS c FROM visits "
    "GROUP BY 1)",
    "sum of each person": "WITH visits AS (SELECT id, SUM(minutes) AS c FROM main.visits GROUP BY ALL) SELECT COUNT(*) AS n, "
    "SUM(clip(c, 0, 9)) AS s FROM visits",
    "DISTINCT of the id": "SELECT COUNT(*) AS n FROM (SELECT DISTINCT id, minutes AS c FROM visits)",
    "ANY_VALUE": "SELECT AVG(clip(c, 0, 9)) AS n FROM (SELECT id, ANY_VALUE(minutes) AS c FROM visits GROUP BY id)",
    "MEDIAN of each person": "SELECT SUM(clip(c, 0, 9)) AS s FROM (SELECT id, ward, MEDIAN(minutes) AS c, MODE(ward) AS w FROM visits "
    "GROUP BY id, ward)",
    "quantiles of each person": "SELECT SUM(clip(c - d, 0, 9)) AS s FROM (SELECT id, QUANTILE_DISC(minutes, 0.7) AS c, "
    "PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY cost) AS d, QUANTILE(minutes, 1) AS e FROM visits GROUP BY id)",
    "ARG_MIN and MAX_BY of each person": "SELECT SUM(clip(c, 0, 9)) AS s, COUNT(w) AS n FROM (SELECT id, ARG_MIN(minutes, day) AS c, "
    "MAX_BY(ward, note) AS w, ARG_MAX(minutes, cost) AS d, MIN_BY(cost, day) AS e FROM visits GROUP BY id) WHERE d >= 0 OR e IS NULL",
    "rows of each person and value": "SELECT COUNT(*) AS n FROM (SELECT id, minutes AS c FROM visits GROUP BY id, c)",
    "expression of summaries": "SELECT SUM(clip(c, 0, 9)) AS s FROM (SELECT id, COALESCE(SUM(minutes), 0) / COUNT(*) AS c "
    "FROM visits GROUP BY id)",
    "MIN and MAX of each person": "SELECT SUM(clip(b - a, 0, 9)) AS s FROM (SELECT id, ward, MIN(minutes) AS a, MAX(minutes) "
    "AS b, COUNT(DISTINCT ill) AS k, AVG(cost) AS v FROM visits GROUP BY id, ward)",
    "AVG of counts within the caps": "SELECT AVG(c) AS n, SUM(s) AS s FROM (SELECT id, COUNT(*) AS c, COALESCE(SUM(minutes), 0) AS s "
    "FROM visits GROUP BY id) WHERE c > 1",
    "count of each person as a key": "SELECT c, COUNT(*) AS n FROM (SELECT id, COUNT(*) AS c FROM visits GROUP BY id) GROUP BY c",
    "id with another name": "SELECT COUNT(*) AS n FROM (SELECT id AS who, minutes FROM visits) AS s WHERE minutes > 2",
}
_BY = "contribution_bounds_per"
PRIVATE: Forms = {
    "clause in one word": "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS({caps}) ward, COUNT(*) AS n FROM visits GROUP BY ward",
    "clause in two words": "SELECT WITH DIFFERENTIAL PRIVACY OPTIONS({caps}) COUNT(*) AS n FROM `p.visits`",
    "ANONYMIZATION": "SELECT WITH ANONYMIZATION OPTIONS({caps}) ward, ANON_COUNT(*) AS n, ANON_SUM(minutes CLAMPED BETWEEN 0 AND "
    "9) AS s FROM visits GROUP BY ward",
    "clause in a sub-query": "SELECT n FROM (SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS({caps}) ward, COUNT(*) AS n FROM visits "
    "GROUP BY ward) WHERE n > 0",
    "totals of a released SELECT": "SELECT SUM(n) AS s, MAX(n) AS m, COUNT(*) AS k FROM (SELECT WITH DIFFERENTIAL_PRIVACY "
    "OPTIONS({caps}) ward, COUNT(*) AS n FROM visits GROUP BY ward) WHERE n > 0",
    "clause without options": "SELECT WITH DIFFERENTIAL_PRIVACY ward, COUNT(*) AS n FROM visits GROUP BY ward",
    "bounds per row": f"SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS({{caps}}) SUM(minutes, {_BY}_row => (0, 9)) AS s FROM visits",
    "bounds per group": f"SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS({{caps}}) ward, SUM(minutes, {_BY}_group => (0, .5e1)) AS s, "
    f"COUNT(*, {_BY}_group => (0, 2)) AS n FROM visits GROUP BY ward",
    "AVG of persons": f"SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS({{caps}}) ward, AVG(minutes, {_BY}_group => (0, 9)) AS a, "
    "COUNT(DISTINCT id) AS n FROM visits GROUP BY 1",
    "AVG of persons within the bounds of a column": f"SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS({{caps}}) AVG(cost) AS a, "
    f"SUM(minutes, {_BY}_group => (-3, 9)) AS s FROM visits",
    "AVG of rows under the clause": f"SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS({{caps}}) AVG(minutes, {_BY}_row => (0, 9)) AS a "
    "FROM visits",
    "ANON_AVG": "SELECT WITH ANONYMIZATION OPTIONS({caps}) ward, ANON_AVG(minutes CLAMPED BETWEEN 0 AND 9) AS a FROM visits GROUP "
    "BY ward",
    "ANON_QUANTILES": "SELECT WITH ANONYMIZATION OPTIONS({caps}) ANON_QUANTILES(minutes, 4 CLAMPED BETWEEN 0 AND 9) AS q FROM visits",
    "ZetaSQL's other calls": "SELECT WITH ANONYMIZATION OPTIONS({caps}) ANON_VAR_POP(minutes CLAMPED BETWEEN 0 AND 9) AS v, "
    "ANON_STDDEV_POP(minutes CLAMPED BETWEEN 0 AND 9) AS d, ANON_PERCENTILE_CONT(minutes, 0.5 CLAMPED BETWEEN 0 AND 9) "
    "AS p FROM visits",
    "join_rows": "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS({caps}, join_rows = 2) COUNT(*) AS n FROM visits JOIN visits AS w "
    "USING (id)",
    "empty options": "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS() ward, SUM(minutes) AS s FROM visits GROUP BY ward",
    "k_threshold": "SELECT WITH ANONYMIZATION OPTIONS({caps}, k_threshold = 2) ward, ANON_SUM(minutes CLAMPED BETWEEN 0 AND 9) AS s "
    "FROM visits GROUP BY ward",
    "k_threshold beside an AVG of persons": "SELECT WITH ANONYMIZATION OPTIONS({caps}, k_threshold = 1) ward, ANON_AVG(minutes CLAMPED "
    "BETWEEN 0 AND 9) AS a FROM visits GROUP BY ward HAVING a > 0",
    "delta of one": "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS({caps}, epsilon = 1, delta = 1.0) ward, COUNT(*) AS n FROM visits "
    "GROUP BY ward",
    "epsilon in OPTIONS": "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS({caps}, epsilon = 1) COUNT(*) AS n FROM visits",
    "LAPLACE_THRESHOLD": "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS({caps}, epsilon = 1, delta = 1e-6, "
    "group_selection_strategy = LAPLACE_THRESHOLD) note, COUNT(*) AS n FROM visits GROUP BY note",
    "PUBLIC_GROUPS": "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS({caps}, group_selection_strategy = PUBLIC_GROUPS) ward, COUNT(*) "
    "AS n FROM visits GROUP BY ward",
}
CAPS: Forms = {
    "max_rows_contributed": "max_rows_contributed = 2",
    "kappa": "kappa=1",
    "max_groups_contributed": "max_groups_contributed='2', max_rows_per_group=1",
    "privacy_unit_column": "max_groups_contributed=1, privacy_unit_column=id",
    "privacy unit column": "max_rows_contributed=1, privacy unit column=a.visits.id",
}
FOUND: Forms = {  # with keys=pv.private(...)
    "private keys": "SELECT note, COUNT(*) AS n FROM visits GROUP BY note ORDER BY n DESC",
    "private keys of two columns": "SELECT ward, free, COUNT(*) AS n FROM visits GROUP BY ward, free LIMIT 3",
    "private keys with HAVING": "SELECT free, SUM(minutes) AS s, COUNT(*) AS n FROM visits GROUP BY free HAVING n > 2",
    "private keys of an expression": "SELECT LOWER(note) AS k, COUNT(*) AS n FROM visits WHERE minutes > 0 GROUP BY k",
}
IMPUTED: Forms = {
    "imputed average": "SELECT ward, AVG(minutes) AS a, COUNT(*) AS n FROM visits GROUP BY ward HAVING n > 1 ORDER BY a",
    "imputed sum of a sub-query": "SELECT SUM(minutes) / COUNT(*) AS a FROM (SELECT minutes FROM visits WHERE ill IS NOT NULL) t "
    "WHERE minutes > 3",
    "imputed variance": "SELECT minutes > 5 AS k, COUNT(*) AS n, VAR_POP(minutes) AS v FROM main.visits GROUP BY 1 LIMIT 1",
}
