"""What a new user types beside the 39 mistakes, and what is printed then: no raw traceback, nothing said twice."""

from collections.abc import Callable
from datetime import date
from fractions import Fraction
from typing import Any

import pytest

import privet as pv
from privet.tables.releases.release import Release

CATEGORIES = ["Bella", "Corner"]
START = "not covered by the intervals: at most 10 rows of each visitor_id are counted, and rows beyond are left out."
LAST = "To leave out fewer rows, use cap(rows=pv.auto()) or sum_by_person(...)."


@pytest.fixture(scope="module")
def session() -> pv.Session:
    book = pv.Codebook.from_frame(
        pv.datasets.visits(500),
        id="visitor_id",
        rows=10,
        table="visits",
        bounds={"spending": (0, 200), "minutes": (0, 300)},
        categories={"restaurant": CATEGORIES},
    )
    return pv.Session(pv.datasets.visits(500), book, pv.budget(epsilon=10**6, delta=0.1))


def message(mistake: Callable[[], Any]) -> str:
    with pytest.raises((pv.errors.PrivetError, AttributeError)) as caught:
        mistake()
    assert caught.value.__suppress_context__ or caught.value.__context__ is None, "one traceback, not two"
    return str(caught.value)


NUMBERS = "needs numbers, got the text column 'restaurant'. Texts have count_distinct, mode and histogram."
THERE = "there are 'visitor_id', 'day', 'entry', 'minutes', 'spending', 'restaurant'."
ZORRO = "there is no column 'Zorro' at character 14 of 'restaurant = Zorro'; "
ZORRO += f"{THERE} Write texts in single quotes: 'Zorro'."
AGG = "agg takes aggregates such as pv.count() or pv.mean('spending'), got "
MESSAGES: dict[str, tuple[Callable[[pv.Session], Any], str]] = {
    "a name of pandas": (lambda s: s.query().agg("count"), f"{AGG}str. Write pv.count()."),  # type: ignore[arg-type]
    "a dictionary": (lambda s: s.query().agg({"minutes": "mean"}), f"{AGG}dict. Write pv.mean('minutes')."),  # type: ignore[arg-type]
    "a text by name": (lambda s: s.query().agg(minutes="sum"), f"{AGG}str. Write pv.sum('minutes')."),  # type: ignore[arg-type]
    "no call": (lambda s: s.query().agg(pv.mean), f"{AGG}function. Call it: pv.mean('spending')."),  # type: ignore[arg-type]
    "a dictionary of new names": (
        lambda s: s.query().rename({"spending": "cost"}),
        "rename takes no dictionary; write the new name first: rename(cost='spending').",
    ),
    "columns=": (
        lambda s: s.query().rename(columns={"spending": "cost"}),  # type: ignore[arg-type]
        "rename takes no dictionary; write the new name first: rename(cost='spending').",
    ),
    "a median of text": (
        lambda s: s.query().agg(pv.median("restaurant")),
        f"median('restaurant') {NUMBERS}",
    ),
    "a maximum of text": (
        lambda s: s.query().agg(pv.maximum("restaurant")),
        f"maximum('restaurant') {NUMBERS}",
    ),
    "an expression as a key": (
        lambda s: s.query().group_by("hour(entry)"),
        "group_by: give what is computed a name: group_by(hour='hour(entry)').",
    ),
    "a text without quotes": (
        lambda s: s.query().filter("restaurant = Zorro"),
        ZORRO,
    ),
    "isin": (lambda s: pv.col("restaurant").isin(["Bella"]), "'Term' has no 'isin'; use is_in(\"Bella\", \"Roma\")."),  # type: ignore[attr-defined]
    "a half-width without a name": (
        lambda s: s.query().agg(pv.count()).epsilon_for(50),  # type: ignore[arg-type]
        "epsilon_for takes half-widths by the name of the column, such as epsilon_for(count=50), got int.",
    ),
    "a batch of a list": (
        lambda s: s.batch([s.query().agg(pv.count())]),  # type: ignore[arg-type]
        "batch takes queries by name, such as batch(visits=query.agg(...)), got list.",
    ),
    "another table": (
        lambda s: s.sql("select count(*) from visit"),
        "SQL: there is no table 'visit'; there are 'visits'. Did you mean visits?",
    ),
    "texts as bounds": (
        lambda s: s.query().agg(pv.mean("spending", bounds=("0", "10"))),
        "mean('spending'): 'spending' is real, and its bounds must be numbers, such as (0, 100).",
    ),
    "dates the wrong way round": (
        lambda s: s.query().agg(pv.mean("day", bounds=("2025-12-31", date(2025, 1, 1)))),
        "mean('day'): the lower bound must be before the upper one, got 2025-12-31 and 2025-01-01.",
    ),
    "no bounds of dates": (
        lambda s: s.query().agg(pv.mean("day")),
        "mean('day') needs bounds of 'day': give bounds=('2025-01-01', '2025-12-31'), or put them in the codebook.",
    ),
    "a column as an attribute": (
        lambda s: s.query().agg(visits=pv.count()).release(epsilon=1).visits,  # type: ignore[attr-defined]
        "'Release' has no 'visits'; use release['visits'].",
    ),
    "Excel": (
        lambda s: s.query().agg(pv.count()).release(epsilon=1).to_excel("a.xlsx"),  # type: ignore[attr-defined]
        "'Release' has no 'to_excel'; use to_pandas().to_excel(...).",
    ),
    "len of polars": (lambda s: pv.len(), "pv has no 'len'; use pv.count()."),  # type: ignore[attr-defined]
    "a number of bins": (
        lambda s: s.query().bin("spending", 4),  # type: ignore[arg-type]
        "bin.edges must be a list of rising numbers, got int. For equal widths write bin('spending', width=20).",
    ),
    "several quantiles": (
        lambda s: pv.quantile("spending", [0.1, 0.9]),
        "quantile takes one share, such as 0.9; for several write quantiles('age', [0.25, 0.75]).",
    ),
    "a join of a public table": (
        lambda s: s.query().join([{"restaurant": "Bella"}], rows=1),  # type: ignore[arg-type]
        "join takes another query of the session, got list. For a public table write join_public(frame, on=...).",
    ),
    "nothing to explain": (
        lambda s: pv.explain(),
        "explain needs epsilon (and optionally delta), rho or mu, e.g. pv.explain(epsilon=1).",
    ),
}


@pytest.mark.parametrize("case", MESSAGES)
def test_a_message_says_what_to_write(case: str, session: pv.Session) -> None:
    mistake, text = MESSAGES[case]
    assert message(lambda: mistake(session)) == text


def test_a_text_as_unit_and_a_wrong_path_say_what_to_do() -> None:
    frame = pv.datasets.visits(10)
    assert message(lambda: pv.Session(frame, unit="visitor_id", budget=pv.budget(1))) == (  # type: ignore[arg-type]
        "Codebook.unit must be Rows(...) or Persons(...), got str. Write unit=pv.Persons('visitor_id', rows=10)."
    )
    unit: Any = {"unit": pv.Persons("visitor_id", rows=10), "budget": pv.budget(1)}
    for path in ("no_such.csv", "no_such.parquet"):
        assert message(lambda path=path: pv.Session(path, **unit)) == f"there is no file {path!r}; check the path."  # type: ignore[misc]
    assert message(lambda: pv.Session(frame, "no_such.yaml", pv.budget(1))) == (
        "there is no file 'no_such.yaml'; check the path."
    )


def test_epsilon_may_come_first(session: pv.Session) -> None:
    query = session.query().agg(pv.count())
    assert query.release(1).loss.pure().cost == query.release(epsilon=1).loss.pure().cost == 1
    assert query.describe(1) == query.describe(epsilon=1)
    assert session.sql("select count(*) from visits").loss(2).pure().cost == 2
    assert query.grouped.query.cap(3).caps.rows == 3


def test_losses_and_budgets_print_what_they_are(session: pv.Session) -> None:
    assert str(session.query().agg(pv.count()).loss(epsilon=1)) == "epsilon = 1"
    assert str(pv.budget(epsilon=1, delta=1e-6)) == "epsilon = 1 and delta = 1e-6"
    assert str(pv.budget(rho=0.1)) == "rho = 0.1"


def test_a_batch_takes_a_dictionary(session: pv.Session) -> None:
    queries = {"all visits": session.query().agg(pv.count()), "dear": session.query().agg(pv.mean("spending"))}
    assert session.batch(queries).describe(epsilon=1) == session.batch(**queries).describe(epsilon=1)


def test_is_in_takes_values_or_a_list() -> None:
    assert str(pv.col("restaurant").is_in(["Bella", "Corner"])) == str(pv.col("restaurant").is_in("Bella", "Corner"))


def test_the_least_epsilon_is_a_plain_number(session: pv.Session) -> None:
    epsilon = session.query().agg(pv.count()).epsilon_for(count=50)
    assert str(epsilon) == "0.594"
    assert session.query().agg(pv.count()).loss(epsilon=epsilon).pure().cost == Fraction(594, 1000)


def test_a_printed_release_is_the_table_and_three_lines(session: pv.Session) -> None:
    release = session.query().group_by("restaurant").agg(pv.count()).release(epsilon=1)
    lines = str(release).splitlines()
    assert [line.split()[0] for line in lines[:3]] == ["restaurant", *CATEGORIES]
    assert lines[3:] == [
        "privacy loss: epsilon = 1",
        "protected: all rows of any one person (column 'visitor_id')",
        f"{START} To measure this, release(..., bias=0.1, most_rows=1000). {LAST}",
    ]
    assert {"rows: visits", "caps of a person: 10 rows"} <= set(release.notes), "notes and JSON keep all facts"


def test_a_filter_is_printed(session: pv.Session) -> None:
    release = session.query().filter("minutes > 30").agg(pv.count()).release(epsilon=1)
    assert "rows: visits; filter minutes > 30" in str(release).splitlines()


def test_what_is_measured_is_not_advised(session: pv.Session) -> None:
    release = session.query().agg(pv.count()).release(epsilon=1, bias=0.1, most_rows=1000)
    assert f"{START} {LAST}" in release.notes


def test_an_estimated_cap_is_not_advised(session: pv.Session) -> None:
    release = session.query().cap(rows=pv.auto()).agg(pv.count()).release(epsilon=1)
    line = next(note for note in release.notes if note.startswith("not covered"))
    assert line.endswith("To leave out fewer rows, use a larger cap(rows=...) or sum_by_person(...).")


def test_a_ratio_without_intervals_names_none(session: pv.Session) -> None:
    text = "select restaurant, avg(spending) / avg(minutes) as r from visits group by restaurant"
    release = session.sql(text).release(epsilon=1)
    assert str(release).splitlines()[0].split() == ["restaurant", "r"]
    assert "interval</th>" not in release._repr_html_()


def test_a_minimum_and_a_maximum_say_what_they_are(session: pv.Session) -> None:
    release = session.sql("select min(spending), max(spending) from visits").release(epsilon=1)
    for line in (
        "the quantile 0.01 stands for the smallest value, which no private release gives",
        "the quantile 0.99 stands for the largest value, which no private release gives",
    ):
        assert str(release).splitlines().count(line) == 1


def test_no_private_group_says_why(session: pv.Session) -> None:
    rows = session.query().filter("minutes > 299").group_by("restaurant", keys=pv.private(delta=1e-9))
    release = rows.agg(pv.count()).release(epsilon=0.1)
    assert release.notes[-1].startswith("no group was found: a key needs about ")
    assert release.notes[-1].endswith("A smaller cap, such as cap(groups=1), or a larger epsilon lowers this")


@pytest.mark.parametrize(
    "ends", [("2025-01-01", "2025-12-31"), (date(2025, 1, 1), date(2025, 12, 31)), (date(2025, 1, 1), "2025-12-31")]
)
def test_dates_are_bounds(ends: tuple[Any, Any], session: pv.Session) -> None:
    query = session.query().agg(middle=pv.mean("day", bounds=ends), last=pv.maximum("day", bounds=ends))
    release = query.release(epsilon=100)
    assert date(2025, 1, 1) <= release["middle"].tolist()[0] <= date(2025, 7, 1)
    assert Release.from_json(release.to_json()) == release
    same = session.query().agg(
        middle=pv.mean("day", bounds=(20089, 20453)), last=pv.maximum("day", bounds=(20089, 20453))
    )
    assert query.describe(epsilon=1, group_size=400) == same.describe(epsilon=1, group_size=400)
    histogram = session.query().agg(pv.histogram("day", 2, bounds=ends)).release(epsilon=1)
    assert histogram.names == ("histogram_day_[2025-01-01, 2025-07-02)", "histogram_day_[2025-07-02, 2025-12-31]")


def test_times_are_shown_as_exactly_as_their_interval(session: pv.Session) -> None:
    query = session.query().agg(middle=pv.mean("entry", bounds=("2025-01-01", "2025-12-31")))
    shown = str(query.release(epsilon=1)).splitlines()[1]
    assert shown.count(":00 ") + shown.count(":00)") == 3
    assert "." not in shown


@pytest.mark.parametrize("amounts", [{"epsilon": 1}, {"epsilon": 1, "delta": 1e-6}, {"rho": 0.1}])
def test_describe_and_loss_say_what_bias_costs(amounts: dict[str, Any], session: pv.Session) -> None:
    measured: Any = {"bias": 0.1, "most_rows": 1000}
    query, select = session.query().agg(n=pv.count()), session.sql("select count(*) as n from visits")
    text = query.describe(**amounts, **measured)
    assert text == select.describe(**amounts, **measured)
    part = "rho = 0.01" if "rho" in amounts else "epsilon = 0.1"
    lines = text.splitlines()
    assert f"also measured, for 10 % of the loss: what caps leave out, up to 1,000 rows of a person ({part})" in lines
    assert f"loss in all: {pv.budget(**amounts)}" in lines
    assert not any("To measure this" in line for line in lines)
    delta = amounts.get("delta", 0) if "rho" not in amounts else 1e-6
    promised = query.loss(**amounts, **measured)
    assert promised.epsilon(delta) == query.release(**amounts, **measured, **_read_at(amounts)).loss.epsilon(delta)
    assert promised.epsilon(delta) == select.loss(**amounts, **measured).epsilon(delta)


def _read_at(amounts: dict[str, Any]) -> dict[str, Any]:
    return {"delta": 1e-3} if "rho" in amounts else {}


def test_describe_with_bias_plans_the_rest(session: pv.Session) -> None:
    query = session.query().agg(n=pv.count())
    assert "n       33" in query.describe(epsilon=1, bias=0.1, most_rows=1000)
    assert "n       33" in query.describe(epsilon=0.9)
    two = session.query().agg(pv.mean("spending", bounds=(0, 50))).describe(epsilon=1, bias=0.1, most_rows=1000)
    assert "and what the bounds of spending change (epsilon = 0.05 each)" in two
    with pytest.raises(pv.errors.InvalidError, match="most_rows"):
        query.describe(epsilon=1, bias=0.1)


def test_describe_with_bias_and_an_estimated_cap(session: pv.Session) -> None:
    lines = (
        session.query().cap(rows=pv.auto()).agg(pv.count()).describe(epsilon=1, bias=0.1, most_rows=1000).splitlines()
    )
    share = "also measured, for 10 % of the loss: what caps leave out, up to 1,000 rows of a person (epsilon = 0.09)"
    assert lines[-4:] == [
        "loss: epsilon = 0.81",
        "noise grows in proportion to an estimated cap",
        share,
        "together with the estimates: epsilon 1",
    ]


def test_an_unknown_key_of_a_codebook_gets_no_nonsense(session: pv.Session) -> None:
    book: Any = {"unit": {"persons": "id"}, "columns": {"id": int}}
    assert message(lambda: pv.Session([], book, pv.budget(1))) == (
        "unit.persons is no key of a privacy unit. The keys are rows, id, caps, period."
    )
