"""Ends of intervals as columns of a SELECT."""

from collections.abc import Iterator

import pytest

from privet.errors import InvalidError
from privet.tables.session.session import Session
from privet.tables.sql.answer import SqlRelease
from tests.tables.hospital import open_hospital


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    opened = open_hospital()
    yield opened
    opened.close()


@pytest.mark.parametrize(
    "text",
    [
        "SELECT ward, COUNT(*) AS n, DP_INTERVAL_LOW(n) AS a, DP_INTERVAL_HIGH(n) AS b FROM visits GROUP BY ward",
        "SELECT DP_INTERVAL_LOW(n) AS a, dp_interval_high('N') AS b, COUNT(*) AS n FROM visits",
        "SELECT 1 + SUM(minutes) AS n, DP_INTERVAL_LOW(n) AS a, DP_INTERVAL_HIGH(n) AS b FROM visits",
        "SELECT ward, AVG(cost) n, DP_INTERVAL_LOW(n) a, DP_INTERVAL_HIGH(n) b FROM visits GROUP BY 1 HAVING n > 1",
        "SELECT ward, AVG(cost) n, DP_INTERVAL_LOW(n) a, DP_INTERVAL_HIGH(n) b FROM visits GROUP BY 1 ORDER BY n",
        "SELECT COUNT(*) AS n, DP_INTERVAL_LOW(n) AS n_low, DP_INTERVAL_HIGH(n) AS n_high FROM visits",
        "SELECT DP_INTERVAL_LOW(n) AS n_low, DP_INTERVAL_HIGH(n) AS n_high, COUNT(*) AS n FROM visits",
    ],
)
@pytest.mark.parametrize("dialect", [None, "snowflake"])
def test_ends_are_those_of_the_interval(session: Session, text: str, dialect: str | None) -> None:
    release = session.sql(text, dialect=dialect).release(epsilon=1)
    low, high = (name for name in release.names if name in ("a", "b", "n_low", "n_high"))
    assert (release.values(low), release.values(high)) == release.interval()["n"]
    assert release.values(low) < release.values("n") < release.values(high)
    assert [each for each in release.to_dict() if each in release.names] == sorted(
        release.names, key=list(release.to_dict()).index
    )
    table = release.to_arrow()
    assert table[low].to_pylist() == release.values(low)
    assert len(str(release).splitlines()) > 3
    again = SqlRelease.from_json(release.to_json())
    assert again.to_dict() == release.to_dict()
    assert release.to_dict(level=0.5)[low][0] > release.values(low)[0]


def test_ends_cost_nothing_and_keep_their_places(session: Session) -> None:
    text = "SELECT ward, COUNT(*) AS n{} FROM visits GROUP BY ward"
    plain, ends = session.sql(text.format("")), session.sql(text.format(", DP_INTERVAL_LOW(n), SUM(minutes) AS s"))
    assert ends.release(epsilon=1).names == ("ward", "n", "dp_interval_low_n", "s")
    alone = session.sql(text.format(", DP_INTERVAL_LOW(n)"))
    assert alone.plan(epsilon=1).loss == plain.plan(epsilon=1).loss
    assert alone.query.aggregates == plain.query.aggregates


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "SELECT ward, COUNT(*) AS n, DP_INTERVAL_LOW(ward) FROM visits GROUP BY ward",
            "'ward', which has no interval",
        ),
        ("SELECT COUNT(*) AS n, DP_INTERVAL_LOW(m) FROM visits", "'m', which has no interval"),
        ("SELECT COUNT(*) AS n, DP_INTERVAL_LOW(COUNT(*)) FROM visits", "anything but the name of a column"),
        ("SELECT COUNT(*) AS n, DP_INTERVAL_LOW() FROM visits", "anything but the name of a column"),
        ("SELECT COUNT(*) AS n, DP_INTERVAL_LOW(n) AS n FROM visits", "two columns of the result would be called 'n'"),
        ("SELECT COUNT(*) AS n, DP_INTERVAL_LOW(n) AS n_high FROM visits", "would be called 'n_high'"),
        ("SELECT DP_INTERVAL_LOW(n) AS a, COUNT(*) AS n, ward FROM visits GROUP BY 3", "Name the column"),
        ("SELECT COUNT(*) AS n FROM visits HAVING DP_INTERVAL_LOW(n) > 3", "Write it in the SELECT list"),
        ("SELECT n FROM (SELECT COUNT(*) AS n, DP_INTERVAL_LOW(n) AS a FROM visits)", "Write it in the SELECT list"),
    ],
)
def test_other_ends_are_refused(session: Session, text: str, message: str) -> None:
    with pytest.raises(InvalidError, match=message):
        session.sql(text)


def test_a_file_with_the_end_of_nothing_is_refused(session: Session) -> None:
    text = session.sql("SELECT COUNT(*) AS n, DP_INTERVAL_LOW(n) AS a FROM visits").release(epsilon=1).to_json()
    for wrong in ('["m", "_low"]', '["n", "_error"]', '["n"]', '"n"', "3"):
        with pytest.raises(InvalidError):
            SqlRelease.from_json(text.replace('["n", "_low"]', wrong))
