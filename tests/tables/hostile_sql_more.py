"""SQL over two tables that must be refused: joins, unions, summaries, computed columns, bounds within calls."""

_ASKED = "(SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward)"
_FROM = """
visits JOIN patients ON true|visits JOIN patients ON visits.ward = patients.ward|visits CROSS JOIN patients
visits, patients|visits, patients WHERE visits.minutes = patients.age|visits NATURAL JOIN patients
visits JOIN patients USING (ward)|visits JOIN patients USING ()|visits JOIN patients USING (nosuch)
visits JOIN patients|visits JOIN patients USING (patient, minutes)|visits JOIN patients USING (patients)
visits JOIN patients ON visits.patient = patients.age|visits JOIN patients ON visits.minutes = patients.patient
visits JOIN patients ON visits.patient >= patients.patient|visits JOIN patients ON visits.patient <> patients.patient
visits JOIN patients ON visits.patient = patients.patient OR true
visits JOIN patients ON visits.patient > patients.patient AND minutes > age
visits JOIN patients ON visits.patient = patients.age AND visits.patient = patients.age
visits JOIN patients ON patient = patient|visits JOIN patients ON visits.patient = visits.patient
visits JOIN patients ON visits.patient = 5|visits JOIN patients ON visits.patient + 0 = patients.patient
visits JOIN patients ON visits.patient = (SELECT 1)
visits JOIN patients ON visits.patient IN (SELECT age FROM patients)
visits JOIN patients ON visits.patient = patients.patient AND EXISTS (SELECT 1)
visits JOIN patients ON visits.patient IS NOT DISTINCT FROM patients.patient
visits RIGHT JOIN patients USING (age)|visits FULL JOIN patients USING (patient)
visits FULL OUTER JOIN patients USING (patient)|visits LEFT SEMI JOIN patients USING (patient)
visits SEMI JOIN patients USING (patient)|visits ANTI JOIN patients USING (patient)
visits ASOF JOIN patients USING (patient)|visits POSITIONAL JOIN patients|visits JOIN visits USING (patient)
visits JOIN visits AS w USING (ward)|visits AS v JOIN visits AS w ON v.minutes = w.minutes
visits AS v JOIN visits AS w ON v.ward = w.ward
visits JOIN LATERAL (SELECT patient, age FROM patients) AS p USING (patient)
visits JOIN LATERAL (SELECT age FROM patients WHERE patients.patient = visits.patient) AS p ON true
visits, LATERAL (SELECT age FROM patients) AS p|visits JOIN unnest([1, 2]) AS u(patient) USING (patient)
visits JOIN (VALUES (1, 2)) AS u(patient, x) USING (patient)|visits JOIN read_csv('x') AS p USING (patient)
visits JOIN (SELECT 1 AS patient) AS p USING (patient)|visits JOIN (SELECT age FROM patients) AS p USING (patient)
visits JOIN (SELECT age AS patient FROM patients) AS p USING (patient)
visits JOIN (SELECT patient, MAX(age) AS a FROM patients) AS p USING (patient)
visits JOIN (SELECT patient, age FROM patients LIMIT 1) AS p USING (patient)
visits JOIN (SELECT patient, age FROM patients ORDER BY random()) AS p USING (patient)
visits JOIN (SELECT patient, age FROM patients WHERE age > minutes) AS p USING (patient)
visits JOIN nosuch USING (patient)|visits JOIN main.patients USING (ward)|(visits JOIN patients USING (age))
visits JOIN patients JOIN visits AS w USING (patient) USING (nosuch)
(SELECT patient, ward FROM visits UNION SELECT patient, ward FROM patients)
(SELECT patient, ward FROM visits UNION DISTINCT SELECT patient, ward FROM patients)
(SELECT patient, ward FROM visits UNION ALL BY NAME SELECT patient, ward FROM patients)
(SELECT patient, ward FROM visits UNION ALL SELECT ward, patient FROM patients)
(SELECT patient, ward FROM visits UNION ALL SELECT age, ward FROM patients)
(SELECT patient, ward FROM visits UNION ALL SELECT ward FROM patients)
(SELECT ward FROM visits UNION ALL SELECT age FROM patients)|(SELECT ward FROM visits UNION ALL SELECT 1)
(SELECT ward FROM visits UNION ALL SELECT ward FROM nosuch)|(SELECT ward FROM visits UNION ALL VALUES ('a'))
(SELECT ward FROM visits UNION ALL SELECT ward FROM patients LIMIT 1)
(SELECT ward FROM visits UNION ALL SELECT ward FROM patients ORDER BY ward)
(SELECT ward FROM visits INTERSECT ALL SELECT ward FROM patients)
(SELECT ward FROM visits EXCEPT ALL SELECT ward FROM patients)
(SELECT ward FROM visits UNION ALL SELECT * FROM patients)
(SELECT COUNT(*) AS n FROM visits UNION ALL SELECT COUNT(*) AS n FROM visits)
(visits UNION ALL patients)
visits JOIN (SELECT DISTINCT age FROM patients) AS p USING (patient)|(SELECT DISTINCT ward FROM visits)
"""
_SUMMARIES = """
SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward|SELECT COUNT(*) AS n FROM visits GROUP BY ()
SELECT patient, ward, COUNT(*) AS n FROM visits GROUP BY patient|SELECT patient, COUNT(*) AS n FROM visits
SELECT patient, COUNT(*) AS n FROM visits GROUP BY patient + 1
SELECT patient, COUNT(*) AS n FROM visits GROUP BY patient HAVING COUNT(*) > 1
SELECT patient, COUNT(*) AS n FROM visits GROUP BY patient ORDER BY nosuch
SELECT patient, COUNT(*) AS n FROM visits GROUP BY patient LIMIT 1
SELECT patient, COUNT(*) AS n FROM visits GROUP BY patient, patient
SELECT patient, COUNT(*) AS n FROM visits GROUP BY ROLLUP (patient)
SELECT patient, COUNT(*) AS n FROM visits GROUP BY GROUPING SETS ((patient), ())
SELECT patient, MEDIAN(patient) AS n FROM visits GROUP BY patient
SELECT patient, QUANTILE_CONT(minutes, 0.9) AS n FROM visits GROUP BY patient
SELECT patient, FIRST(ward) AS n FROM visits GROUP BY patient
SELECT patient, LIST(minutes) AS n FROM visits GROUP BY patient
SELECT patient, STRING_AGG(ward, ',') AS n FROM visits GROUP BY patient
SELECT patient, ARG_MAX(ward, patient) AS n FROM visits GROUP BY patient
SELECT patient, ARG_MAX(ward, minutes, 3) AS n FROM visits GROUP BY patient
SELECT patient, COUNT(*) FILTER (WHERE minutes > 1) AS n FROM visits GROUP BY patient
SELECT patient, SUM(minutes) OVER () AS n FROM visits GROUP BY patient
SELECT patient, SUM(COUNT(*)) AS n FROM visits GROUP BY patient
SELECT patient, COUNT(*) + minutes AS n FROM visits GROUP BY patient
SELECT patient, COUNT(*) + patient AS n FROM visits GROUP BY patient
SELECT patient, COUNT(*) + 1 FROM visits GROUP BY patient
SELECT patient, COUNT(*) + (SELECT 1) AS n FROM visits GROUP BY patient
SELECT patient, COUNT(*) + SUM(minutes) OVER () AS n FROM visits GROUP BY patient
SELECT patient, COUNT(*) + STDDEV(minutes) AS n FROM visits GROUP BY patient
SELECT patient, COUNT(*) + SUM(SUM(minutes)) AS n FROM visits GROUP BY patient
SELECT patient, COUNT(*) + random() AS n FROM visits GROUP BY patient
SELECT patient, COUNT(*) + "count" + nosuch AS n FROM visits GROUP BY patient
SELECT patient, COUNT(*) + MAX(patient) AS n FROM visits GROUP BY patient
SELECT patient, SUM(patient) AS n FROM visits GROUP BY patient
SELECT patient, MAX(patient) AS n FROM visits GROUP BY patient
SELECT patient, COUNT(DISTINCT patient) AS n FROM visits GROUP BY patient
SELECT patient, SUM(DISTINCT minutes) AS n FROM visits GROUP BY patient
SELECT patient, COUNT(DISTINCT ward, minutes) AS n FROM visits GROUP BY patient
SELECT patient, COUNT(*) AS patient FROM visits GROUP BY patient
SELECT ward AS patient, COUNT(*) AS n FROM visits GROUP BY patient, ward
SELECT patient, COUNT(*) AS n, COUNT(*) AS N FROM visits GROUP BY patient
SELECT *, COUNT(*) AS n FROM visits GROUP BY patient
SELECT patient, random() AS r, COUNT(*) AS n FROM visits GROUP BY patient
SELECT patient, COUNT(*) AS n FROM visits GROUP BY patient, random()
SELECT patient, COUNT(*) AS n FROM visits GROUP BY patient, (SELECT 1)
SELECT patient, SUM((SELECT 1)) AS n FROM visits GROUP BY patient
SELECT patient, COUNT(*) AS n FROM visits WHERE COUNT(*) > 1 GROUP BY patient
SELECT patient, MAX(getenv('HOME')) AS n FROM visits GROUP BY patient
SELECT patient, SUM(ward) AS n FROM visits GROUP BY patient
SELECT patient, COUNT(*) AS n FROM visits GROUP BY patient QUALIFY row_number() OVER () = 1
SELECT DISTINCT patient, COUNT(*) AS n FROM visits GROUP BY patient
SELECT patient, COUNT(*) AS n FROM visits GROUP BY 2|SELECT patient, COUNT(*) AS n FROM visits GROUP BY 3
SELECT ward, COUNT(*) AS n FROM visits GROUP BY ALL|SELECT ward FROM visits GROUP BY 1|SELECT DISTINCT ward FROM visits
"""
_ITEMS = """
COUNT(*) + minutes|SUM(minutes) / cost|minutes / COUNT(*)|ROUND(minutes)|COUNT(*) + (SELECT 1)
COUNT(*) * (SELECT MAX(minutes) FROM visits)|COALESCE((SELECT 1), COUNT(*))|COUNT(*) + random()
COUNT(*) + nextval('q')|concat(ward, getenv('HOME'))|SUM(minutes) OVER () + 1|COUNT(*) + COUNT(*) OVER ()
COUNT(*) + FIRST(minutes)|COUNT(*) + LIST(minutes)|ANY_VALUE(minutes) + COUNT(*)|COUNT(*) & 1
COUNT(*) + QUANTILE_CONT(minutes, [0.1, 0.2])|concat(APPROX_TOP_K(ward, 2), 'x')|MAX(MIN(minutes))
CASE WHEN COUNT(*) > 1 THEN minutes END|CASE WHEN minutes > 1 THEN COUNT(*) END
CASE WHEN (SELECT true) THEN COUNT(*) END|COUNT(*) IN (SELECT 1)|COUNT(*) > ANY (SELECT 1)|EXISTS (SELECT 1)
concat(error('x'), ward)|CAST(COUNT(*) AS BLOB)|[COUNT(*)]|COUNT(*)[1]|{'a': COUNT(*)}|(COUNT(*), 1)|COUNT(*) -> 'x'
COUNT(*) COLLATE NOCASE|$1 + COUNT(*)|SUM(COUNT(*)) / 2|COUNT(*) FILTER (WHERE COUNT(*) > 1)
COUNT(*) FILTER (WHERE (SELECT true))|COUNT(*) FILTER (WHERE minutes)|COUNT(*) FILTER (WHERE random() < 1)
COUNT(DISTINCT patient) FILTER (WHERE minutes > 1)|SUM(minutes) FILTER (WHERE minutes > 1) OVER ()
MEDIAN(DISTINCT minutes)|MEDIAN(ward)|MEDIAN(patient)|MEDIAN()|MEDIAN(*)|MAX(patient)|MIN(patient)|MODE(patient)
MODE(note)|MAX(minutes, 3)|MIN(DISTINCT minutes)|MAX(ward)|CORR(patient, minutes)|CORR(minutes, minutes)|CORR(minutes)
COVAR_POP(minutes, ward)|COVAR_POP(minutes, SUM(cost))|QUANTILE_CONT(minutes)|QUANTILE_CONT(minutes, 1.5)
QUANTILE_CONT(minutes, -0.5)|QUANTILE_CONT(minutes, cost)|QUANTILE_CONT(minutes, '0.5')|QUANTILE_CONT(minutes, NULL)
QUANTILE_CONT(minutes, 1e999999999)|QUANTILE_CONT(minutes, 0.5 ORDER BY cost)|QUANTILE_CONT(minutes, [])
QUANTILE_CONT(minutes, [0.5, 0.5])|QUANTILE_CONT(minutes, [0.5, (SELECT 1)])|QUANTILE_CONT(patient, 0.5)
QUANTILE_CONT(minutes, 0.5)[1]|QUANTILE_CONT(minutes, [0.5])[1]|QUANTILE_CONT(MAX(minutes), 0.5)
QUANTILE_CONT(DISTINCT minutes, 0.5)|QUANTILE_CONT(minutes, 0.5) OVER ()|PERCENTILE_CONT(0.5)
APPROX_QUANTILES(minutes, 0)|PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY minutes, cost)
PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY patient)|PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY (SELECT 1))
PERCENTILE_CONT(minutes) WITHIN GROUP (ORDER BY minutes)|PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY MAX(minutes))
PERCENTILE_CONT(2) WITHIN GROUP (ORDER BY minutes)|SUM(minutes) WITHIN GROUP (ORDER BY minutes)
MODE(ward) WITHIN GROUP (ORDER BY ward)|APPROX_QUANTILES(minutes, 99999999999)|APPROX_QUANTILES(minutes, x)
APPROX_QUANTILES(minutes, 500)|minutes + APPROX_QUANTILES(minutes, 99999999999)|APPROX_TOP_K(ward, 0)
APPROX_TOP_K(ward, 9)|APPROX_TOP_K(ward, x)|APPROX_TOP_K(note, 1)|MAX_BY(minutes, patient)
RESERVOIR_QUANTILE(minutes, 0.5)|APPROX_QUANTILE(minutes, [2])|MAD(minutes)|STDDEV(ward)|privet_bounds_0(SUM(minutes))
privet_bounds_0(minutes)|"privet_bounds_0"(SUM(minutes))|privet_bounds_x(COUNT(*))
SUM(minutes, contribution_bounds_per_row => (0, 1), 2)|SUM(minutes, contribution_bounds_per_row => (1, 0))
SUM(minutes, contribution_bounds_per_row => (0, (SELECT 1)))|SUM(minutes, contribution_bounds_per_row => (0))
SUM(minutes, contribution_bounds_per_row => (0, 1e999))|SUM(minutes, contribution_bounds_per_row => minutes)
SUM(minutes, contribution_bounds_per_row => (0, cost))|SUM(minutes, contribution_bounds_per_row => (0, 1) => 2)
SUM(minutes, contribution_bounds_per_row => (0, 1), contribution_bounds_per_row => (0, 2))
AVG(patient, contribution_bounds_per_group => (0, 10))|SUM(minutes, bounds => (0, 1))
SUM(contribution_bounds_per_row => (0, 1))|COUNT(*, contribution_bounds_per_row => (0, 1))
COUNT(*, contribution_bounds_per_group => (1, 0))|COUNT(DISTINCT patient, contribution_bounds_per_group => (5, 9))
CORR(minutes, cost, contribution_bounds_per_row => (0, 1))|SUM(minutes CLAMPED BETWEEN 0 AND)
SUM(minutes CLAMPED BETWEEN 0 AND cost)|SUM(minutes CLAMPED BETWEEN 0 AND 1, 2)|(minutes CLAMPED BETWEEN 0 AND 1)
minutes CLAMPED BETWEEN 0 AND 1|ANON_AVG(patient CLAMPED BETWEEN 0 AND 10)|ANON_SUM(patient)|ANON_MAX(minutes)
ANON_SUM(DISTINCT minutes)|SUM(ANON_SUM(minutes))|MODE(ward CLAMPED BETWEEN 0 AND 1)|COUNT(*) AS n_low|ward AS n
ward AS N_HIGH|ward AS w, ward AS W|SUM(minutes) / COUNT(*) AS n_error|COUNT(*) / 2 AS ward
COUNT(*) AS a, SUM(minutes) / COUNT(*) AS A
NULL|1 / 0 + minutes
"""
_ENDS = """
HAVING minutes > 1|HAVING n > minutes|HAVING n > (SELECT 1)|HAVING n IN (SELECT 1)|HAVING n BETWEEN (SELECT 1) AND 2
HAVING EXISTS (SELECT 1)
HAVING n > COUNT(*) OVER ()|HAVING n > random()|HAVING CASE WHEN minutes > 1 THEN n > 1 END|HAVING n = ANY (SELECT 1)
HAVING (n, 1) IN ((1, 2))|HAVING ward LIKE (SELECT 'a')|HAVING getenv('HOME') = ward|HAVING true|HAVING 1 < 2|HAVING n
HAVING ward|HAVING note = 'x'|HAVING n IS NULL AND patient = 1|HAVING patient > 0|HAVING FIRST(ward) = 'a'
HAVING n > 1 AND (SELECT COUNT(*) FROM visits) > 1|HAVING MAX(n) > 1|HAVING SUM(COUNT(*)) > 1
HAVING n FILTER (WHERE true) > 1|HAVING *|HAVING visits.* IS NULL|ORDER BY minutes|ORDER BY n + minutes
ORDER BY (SELECT 1)|ORDER BY n + (SELECT 1)|ORDER BY random()|ORDER BY n * random()|ORDER BY row_number() OVER ()
ORDER BY CASE WHEN patient = 1 THEN n END|ORDER BY 1 + 1|ORDER BY 'n'|ORDER BY -1|ORDER BY 9
ORDER BY nosuch|ORDER BY visits.minutes|ORDER BY n, cost|ORDER BY ALL|ORDER BY n USING >|LIMIT n|LIMIT (SELECT 1)
LIMIT 1 OFFSET n|LIMIT 1 BY ward|LIMIT 1 WITH TIES
HAVING SUM(patient) > 1|HAVING n + MAX(patient) > 1|ORDER BY SUM(ward)|ORDER BY APPROX_TOP_K(ward, 2)
"""
_OPTIONS = """
epsilon=-1|epsilon=0|epsilon=-0.0|epsilon=Infinity|epsilon='inf'|epsilon=NaN|epsilon=1e400|epsilon=1/0
epsilon=1, delta=-1|epsilon=1, delta=2|epsilon=1, delta=1e400|epsilon=NULL|epsilon=true|epsilon=1 + 1|epsilon=@e
delta=0.1|join_rows=1, epsilon=0|epsilon=1, join_rows=0|epsilon=1, join_rows=-1|epsilon=1, join_rows=1.5
epsilon=1, join_rows=x|epsilon=1, join_rows=1e2|epsilon=1, max_rows_per_group=0|epsilon=1, max_rows_contributed=0.5
epsilon=1, max_groups_contributed=99999999999999999999|epsilon=1, kappa=1, max_groups_contributed=1
epsilon=1, group_selection_strategy=LAPLACE_THRESHOLD|epsilon=1, noise=none|epsilon=1, min_privacy_units_per_group=5
epsilon=1, privacy_unit_column=ward
epsilon=1, privacy_unit_column=(patient)|epsilon=1; DROP TABLE visits|epsilon=1) COUNT(*), SUM(patient
epsilon=1, privacy_unit_column=patient.visits
"""
_OUTER = """
minutes FROM @|visits.ward FROM @ AS s|ward, MAX(n) FROM @|SUM(n) FROM @|COUNT(*) FROM @|n FROM @ WHERE minutes > 1
n FROM @ WHERE n > (SELECT 1)|n FROM @ WHERE n IN (SELECT age FROM patients)|n FROM @ WHERE EXISTS (SELECT 1)
n FROM @ WHERE true|n FROM @ WHERE n|n FROM @ WHERE random() < n|n FROM @ WHERE n > 'x'|n FROM @ ORDER BY minutes
n FROM @ ORDER BY (SELECT 1)|n FROM @ ORDER BY 3|n FROM @ ORDER BY 'n'|n FROM @ ORDER BY 1 + 1|n FROM @ LIMIT n
n + random() FROM @|(SELECT 1) + n FROM @|n OVER () FROM @|row_number() OVER () FROM @
n FROM @ QUALIFY row_number() OVER () = 1|DISTINCT n FROM @|n, n FROM @|n AS a, ward AS A FROM @|n AS n_low, n FROM @
* EXCLUDE (n) FROM @|COLUMNS(*) FROM @|t.n FROM @ AS s|n FROM @ AS s(a, b)|n FROM @, visits
n FROM @ AS s JOIN visits USING (ward)|n FROM @ AS s CROSS JOIN visits|n FROM @ TABLESAMPLE 5%
n FROM @ UNION ALL SELECT minutes FROM visits|n FROM @ GROUP BY n|n FROM @ HAVING n > 1|getenv('HOME') FROM @
n FROM (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward LIMIT 1)
n FROM (SELECT DISTINCT ward, COUNT(*) AS n FROM visits)
n FROM (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward ORDER BY n)|n FROM (@)
n FROM (SELECT minutes, COUNT(*) AS n FROM visits GROUP BY ward)
n FROM (SELECT patient, COUNT(*) AS n FROM visits GROUP BY patient)
patient FROM (SELECT patient, COUNT(*) AS n FROM visits GROUP BY patient)|ward FROM (SELECT ward FROM visits)
t.* FROM @ AS s|n FROM (SELECT minutes FROM @)|n FROM (SELECT n FROM @ LIMIT 1)
n FROM (SELECT n, COUNT(*) AS m FROM @ GROUP BY n)|m FROM (SELECT n FROM (SELECT n AS m FROM @))
"""


def _each(text: str) -> list[str]:
    return [item for line in text.strip().split("\n") for item in line.split("|")]


def _deep(inner: str, depth: int) -> list[str]:
    """Nest in every way in which a statement may be."""
    opened, closed = "(" * depth, ")" * depth
    selects = "SELECT COUNT(*) AS n FROM " + "(SELECT patient, ward FROM " * depth + "visits" + ")" * depth
    unions = "SELECT COUNT(*) AS n FROM (" + " UNION ALL ".join(["SELECT ward FROM visits"] * depth) + ")"
    joins = "visits" + "".join(f" JOIN visits AS v{at} USING (patient)" for at in range(depth))
    return [
        f"SELECT {opened}{inner}{closed} AS n FROM visits",
        f"SELECT {'- ' * depth}{inner} AS n FROM visits",
        f"SELECT {'ROUND(' * depth}{inner}{closed} AS n FROM visits",
        f"SELECT {' + '.join([inner] * depth)} AS n FROM visits",
        f"SELECT {inner} AS n FROM visits HAVING {opened}n > 1{closed}",
        f"SELECT {inner} AS n FROM visits HAVING {' OR '.join(['n > 1'] * depth)}",
        f"SELECT {inner} AS n FROM visits ORDER BY {' + '.join(['n'] * depth)}",
        f"SELECT {inner} AS n FROM visits GROUP BY {opened}ward{closed}, {'abs(' * depth}minutes{closed}",
        f"SELECT SUM({'CASE WHEN true THEN ' * depth}minutes{' END' * depth}) AS n FROM visits",
        selects,
        unions,
        f"SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=1, join_rows=1) COUNT(*) AS n FROM {joins}",
        f"SELECT COUNT(*) AS n FROM visits v JOIN patients p ON {' AND '.join(['v.minutes = p.age'] * depth)}",
    ]


MORE: dict[str, list[str]] = {
    "tables": [f"SELECT COUNT(*) AS n FROM {item}" for item in _each(_FROM)],
    "nested tables": [
        f"WITH t AS (SELECT ward FROM {item}) SELECT COUNT(*) AS n FROM t"
        for item in _each(_FROM)
        if " WHERE " not in item
    ],
    "summaries": [f"SELECT COUNT(*) AS n FROM ({item}) AS s" for item in _each(_SUMMARIES)],
    "joined summaries": [
        f"SELECT COUNT(*) AS m FROM patients JOIN ({item}) AS s USING (patient)" for item in _each(_SUMMARIES)
    ],
    "items": [f"SELECT ward, COUNT(*) AS n, {item} FROM visits GROUP BY ward" for item in _each(_ITEMS)],
    "private items": [
        f"SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=1) ward, COUNT(*) AS n, {item} FROM visits GROUP BY ward"
        for item in _each(_ITEMS)
    ],
    "ends": [
        f"SELECT ward, COUNT(*) AS n, SUM(cost) / COUNT(*) AS r FROM visits GROUP BY ward {item}"
        for item in _each(_ENDS)
    ],
    "outer": [f"SELECT {item.replace('@', _ASKED)}" for item in _each(_OUTER)],
    "outer with": [
        f"WITH t AS {_ASKED} SELECT {item.replace('@', 't')}"
        for item in _each(_OUTER)
        if "(SELECT ward, COUNT" not in item and "(SELECT DISTINCT" not in item and "@" in item
    ],
    "options": [
        f"SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS({item}) COUNT(*) AS n FROM visits" for item in _each(_OPTIONS)
    ],
    "deep": [text for depth in (150, 1000) for text in _deep("COUNT(*)", depth)],
}
