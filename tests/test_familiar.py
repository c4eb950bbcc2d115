"""What users of other tools type is answered with what to write here, and nothing is suggested that is nonsense."""

import re

import pytest

import privet as pv
import privet.calculus as pc
from privet._familiar import _TABLES, AGGREGATES, find_close, find_hint
from privet._names import ANALYST, CALCULUS
from privet.tables.expressions import Term
from privet.tables.queries.aggregate_query import AggregateQuery
from privet.tables.session.query import GroupedQuery, Query


def words(text: str) -> list[str]:
    return text.split()


TYPED = words(
    """
    min max var stdev avg average corr cov nunique n_unique count_unique where groupby fillna fill_null dropna
    drop_nulls value_counts read_csv DataFrame percentile hist cut laplace gaussian KMeans LinearRegression merge
    concat
    """
)
ON_QUERIES = words(
    """
    min max var stdev avg average corr cov nunique n_unique count_unique where groupby fillna fill_null dropna
    drop_nulls value_counts head limit sort_values order_by assign with_columns mutate aggregate merge concat
    epsilon_for info shape quantile percentile median mode hist cut laplace gaussian
    """
)
CLASSES = {
    "rows": Query,
    "groups": GroupedQuery,
    "aggregates": AggregateQuery,
    "session": pv.Session,
    "release": pv.Release,
    "term": Term,
}
# methods that hints may name: of queries, sessions and releases, and of others that a hint speaks of
METHODS = {name for kind in CLASSES.values() for name in dir(kind)} | {
    "print",
    "coalesce",
    "to_csv",
    "plot",
    "epsilon_for",
}


@pytest.mark.parametrize("name", TYPED)
def test_pv_says_what_to_write(name: str) -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(pv, name)
    assert str(caught.value) == f"pv has no {name!r}{find_hint('pv', name)}"


@pytest.mark.parametrize("name", ["KMeans", "LinearRegression", "PCA", "RandomForestClassifier", "pipeline"])
def test_pv_names_the_room_of_a_model(name: str) -> None:
    with pytest.raises(AttributeError, match=f"use pv.models.{name}"):
        getattr(pv, name)


@pytest.mark.parametrize("name", ON_QUERIES)
def test_queries_have_a_hint(name: str) -> None:
    assert find_hint("rows", name)
    assert name not in dir(Query)


@pytest.mark.parametrize("place", _TABLES)
def test_hints_name_what_exists(place: str) -> None:
    public = {each for names in (ANALYST, CALCULUS) for several in names.values() for each in several}
    for name, hint in _TABLES[place].items():
        for mentioned in re.findall(r"(?:pv|privet\.calculus)\.(\w+)", hint):
            assert mentioned in public | {"calculus", "models"}, (name, hint)
        for model in re.findall(r"pv\.models\.(\w+)", hint):
            assert model in dir(pv.models), (name, hint)
        plain = re.sub(r'"[^"]*"', '""', hint)  # without texts, such as statements of SQL
        for method in re.findall(r"(?<!pv\.)\b([a-z_]+)\(", plain):
            assert method in METHODS or place == "sql", (name, hint, method)


def test_hints_of_pv_are_for_names_that_it_does_not_have() -> None:
    """An aggregate stands in the table under its own name, too: queries do not have it, and pv has."""
    aggregates = {name for names in AGGREGATES for name in names.split()}
    assert {name for name in _TABLES["pv"] if name in dir(pv)} <= aggregates


@pytest.mark.parametrize(
    ("name", "names", "close"),
    [
        ("KMeans", ["mean", "median"], None),
        ("foo", ["floor", "col"], None),
        ("min", ["median", "mean"], None),
        ("stack", ["datasets", "std"], None),
        ("pivot", ["private", "Poisson"], None),
        ("x" * 1000, ["x" * 999], None),
        ("sesion", ["Session"], "Session"),
        ("codebook", ["Codebook"], "Codebook"),
        ("Sesion", ["Session"], "Session"),
        ("fliter", ["filter"], "filter"),
        ("group", ["group_by", "groups"], "groups"),
        ("groupby", ["group_by", "groups"], "group_by"),
        ("cuont", ["count", "column"], "count"),
    ],
)
def test_only_names_that_are_nearly_equal_are_suggested(name: str, names: list[str], close: str | None) -> None:
    assert find_close(name, names) == close


PANDAS = words(
    """
    ArrowDtype BooleanDtype Categorical CategoricalDtype Categorical DateOffset Float32Dtype Float64Dtype Grouper
    Index Int16Dtype Interval IntervalIndex MultiIndex NA NaT NamedAgg Period PeriodIndex RangeIndex Series
    SparseDtype StringDtype Timedelta TimedeltaIndex Timestamp api array arrays bdate_range crosstab date_range
    factorize get_dummies get_option infer_freq interval_range isna isnull json_normalize lreshape melt notna
    notnull offsets option_context options period_range pivot pivot_table read_excel read_json read_pickle
    reset_option set_eng_float_format show_versions test testing timedelta_range to_datetime to_numeric to_pickle
    to_timedelta tseries unique util wide_to_long SGDClassifier XGBoost numpy sqrt log exp zeros ones arange
    linspace random seed
    """
)


def test_nothing_of_pandas_is_taken_for_a_name_of_ours() -> None:
    suggested: dict[str, str] = {}
    for name in PANDAS:
        if find_hint("pv", name) is None:
            close = find_close(name, [*pv.__all__])
            suggested |= {name: close} if close else {}
    assert suggested == {}


def test_a_unit_of_the_calculus_is_named_beside_the_aggregate() -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(pv, "Mean")  # noqa: B009 - a type checker knows that there is none
    assert str(caught.value) == (
        "pv has no 'Mean'; use pv.mean(\"spending\"). A unit of the calculus has this name: privet.calculus.Mean."
    )
    with pytest.raises(AttributeError, match="from privet import mean"):
        getattr(pc, "mean")  # noqa: B009 - a type checker knows that there is none


@pytest.mark.parametrize("name", ["__path_of__", "__wrapped__", "_ipython_display_"])
def test_names_that_tools_look_for_are_plain(name: str) -> None:
    assert not hasattr(pv, name)
