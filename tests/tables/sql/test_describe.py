"""Descriptions of statements, before anything is spent."""

import privet as pv


def test_the_description_speaks_of_the_columns_of_the_statement() -> None:
    book = pv.Codebook(
        columns={"ward": pv.column("text", categories=("a", "b")), "age": pv.column("integer", bounds=(0, 100))},
        unit=pv.Rows(),
    )
    planner = pv.Planner(book, pv.budget(epsilon=1))
    query = planner.sql("SELECT ward, COUNT(*) AS n, SUM(age) / COUNT(*) AS per FROM data GROUP BY ward ORDER BY n")
    lines = query.describe(epsilon=1, typical={"n": 100}).split("\n\n")[1].splitlines()
    assert lines[0].split() == ["column", "95", "%", "half-width", "relative"]
    assert [line.split()[0] for line in lines[1:]] == ["sum_age", "n", "per"]
    assert lines[-1].startswith("per      computed from sum_age, n")
    assert query.describe(epsilon=1) == planner.read_plan(query.plan(epsilon=1).to_yaml()).describe()
