"""What users of pandas, polars, SQL, OpenDP and Tumult type, and what to write here instead: one table of hints.

A hint ends the sentence "'Query' has no 'where'; ...", or one with a colon, "'Query' has no 'head': ...". Names that
share a hint stand together, with spaces between them; ``{name}`` stands for the one that was typed.
``privet._lazy`` reads the hints of ``pv``, ``privet.core.Familiar`` those of queries, sessions and releases, and the
reader of SQL those of functions.
"""

from collections.abc import Iterable, Mapping

from privet._model_names import MODELS

Hints = Mapping[str, str]  # by names, with spaces between them

# aggregates by the names that other libraries give them, as calls of pv
AGGREGATES: Hints = {
    "min minimum": 'minimum("spending")',
    "max maximum": 'maximum("spending")',
    "sum total Sum": 'sum("spending")',
    "mean avg average nanmean Mean Average NoisyMean": 'mean("spending")',
    "var variance var_samp nanvar Var Variance": 'variance("spending")',
    "std stdev stddev sd standard_deviation nanstd": 'std("spending")',
    "StandardDeviation": 'std("spending")',
    "corr corrwith correlation corrcoef pearson": 'correlation("minutes", "spending")',
    "cov covar covariance covar_samp Covariance": 'covariance("minutes", "spending")',
    "nunique n_unique count_unique countDistinct": 'count_distinct("restaurant")',
    "count_distinct approx_n_unique CountDistinct": 'count_distinct("restaurant")',
    "size count count_rows n_rows height len Count": "count()",
    "quantile percentile percentile_cont Quantile": 'quantile("spending", 0.9)',
    "quantiles percentiles deciles": 'quantiles("spending", [0.25, 0.5, 0.75])',
    "median": 'median("spending")',
    "hist histogram histogram_bin_edges Histogram": 'histogram("spending", [0, 20, 50, 100])',
    "mode most_common": 'mode("restaurant")',
    "top_k approx_top_k TopK": 'top_k("restaurant", 3)',
    "gmean geomean geometric_mean": 'geometric_mean("spending")',
    "count_ids count_persons count_users": "count_ids()",
}

_OPEN = 'use pv.Session("visits.csv", "visits.yaml", pv.budget(epsilon=1))'
_NOISE = "release(epsilon=1) or release(rho=0.1) chooses the noise"
_NOT_SHOWN = ": rows of a private table are never shown; aggregate them, as in agg(pv.count()).release(epsilon=1)"
_NO_ORDER = ": rows of a query have no order; release first, then sort what to_pandas() gives"
_NO_CODE = ': use an expression, as in derive(euros="spending / 100"), or summarize_with(function, ...) for each person'
_WHICH_VALUES = (
    ': which values occur is private; use private_keys("restaurant"), or agg(pv.count_distinct("restaurant"))'
)
_HOW_MANY = ": how many rows there are is private; columns says what the codebook knows, agg(pv.count()) counts"
_BEFORE_GROUPS = "rows are changed before they are grouped: put {name}(...) before group_by(...)"
_BEFORE_AGG = "rows are changed before they are aggregated: put {name}(...) before agg(...)"
_ONE_ROW = "It would show the value of one row; use MIN, MAX or QUANTILE_CONT, which add noise."
_NO_MODEL = ": there are no models of this kind; pv.models has those that there are"
_METHODS = ("filter", "derive", "bin", "split", "select", "rename", "join", "join_public", "union", "summarize", "cap")
_GROUPS = ("group_by", "rollup", "impute", "private_keys")

PV: Hints = {
    **{name: f"use pv.{call}" for name, call in AGGREGATES.items()},
    **{name: f"a query has it: session.query().{name}(...)" for name in (*_METHODS, *_GROUPS, "agg")},
    "read_csv read_parquet scan_csv scan_parquet DataFrame LazyFrame": _OPEN,
    "from_pandas from_polars read_table Context connect": _OPEN,
    "laplace gaussian add_noise Noise": _NOISE,
    "make_laplace then_laplace LaplaceMechanism": f"{_NOISE}; privet.calculus has Laplace",
    "make_gaussian then_gaussian GaussianMechanism": f"{_NOISE}; privet.calculus has Gaussian",
    **{name: f"use pv.models.{name}" for names in MODELS.values() for name in names if name[:1].isupper()},
    "kmeans": "use pv.models.KMeans",
    "linregress ols OLS": (
        'use pv.models.LinearRegression, or divide pv.covariance("minutes", "spending") by pv.variance("minutes")'
    ),
    "pipeline make_pipeline Pipeline": "use pv.models.pipeline",
    "LinearSVC SVC": "use pv.models.ObjectiveLinearSVC",
    "HuberRegressor": "use pv.models.ObjectiveHuberRegressor",
    "fit predict": "make a model such as pv.models.LinearRegression(...); a query has fit, a fitted model has predict",
    "Ridge Lasso ElasticNet MLPClassifier MLPRegressor KNeighborsClassifier SVR": _NO_MODEL,
    "where query loc": 'use session.query().filter("spending > 20")',
    "groupby GroupBy": 'use session.query().group_by("restaurant")',
    "merge concat": "use session.query().join(other, rows=...) or .union(other)",
    "cut qcut": 'use session.query().bin("spending", width=20)',
    "fillna fill_null": 'use session.query().derive(spending="coalesce(spending, 0)")',
    "dropna drop_nulls": 'use session.query().filter("spending is not null")',
    "value_counts": 'use session.query().group_by("restaurant").agg(pv.count())',
    "sql read_sql SQLContext": 'use session.sql("SELECT count(*) FROM visits")',
    "lit": 'write the value itself, as in pv.col("spending") > 20',
    "when": "use an expression, as in derive(dear=\"case when spending > 20 then 'yes' else 'no' end\")",
    "Column Field ColumnDescriptor": 'use pv.column("integer", bounds=(0, 100))',
    "Schema Metadata describe schema": "use pv.Codebook(columns={...}, unit=...)",
    "Budget epsilon PureDPBudget loss_of BudgetAccountant": "use pv.budget(epsilon=1)",
    "ApproxDPBudget": "use pv.budget(epsilon=1, delta=1e-9)",
    "RhoZCDPBudget": "use pv.budget(rho=0.1)",
    "delta": "use pv.budget(epsilon=1, delta=1e-9)",
    "rho": "use pv.budget(rho=0.1)",
    "AddOneRow": "use unit=pv.Rows()",
    "AddMaxRows": "use unit=pv.Rows(count=10)",
    "AddRowsWithID unit_of Person User": 'use unit=pv.Persons("visitor_id", rows=10)',
    "MaxRowsPerID": "use cap(rows=10)",
    "MaxGroupsPerID": "use cap(groups=3)",
    "MaxRowsPerGroupPerID": "use cap(rows_per_group=2)",
    "Margin": 'state it by column, and it is enforced: cap(by={"month": {"groups": 3, "rows_per_group": 2}})',
    "KeySet": 'list the groups: group_by("restaurant", groups=["Bella", "Roma"])',
    "QueryBuilder": "use session.query()",
    "show display": "use print(release)",
    "plot hist_plot": "a release has it: release.plot()",
}

ROWS: Hints = {
    **{name: f"use agg(pv.{call})" for name, call in AGGREGATES.items()},
    "where query loc filter_rows having": 'use filter("spending > 20")',
    "groupby partition_by groupBy": 'use group_by("restaurant")',
    "fillna fill_null fill_nan replace_null_and_nan replace": 'use derive(spending="coalesce(spending, 0)")',
    "dropna drop_nulls drop_null_and_nan drop_nans": 'use filter("spending is not null")',
    "value_counts": 'use group_by("restaurant").agg(pv.count())',
    "assign with_columns with_column mutate withColumn eval": 'use derive(euros="spending / 100")',
    "apply map map_rows flat_map pipe transform applymap": _NO_CODE,
    "aggregate summarise": 'use agg(pv.count(), pv.mean("spending"))',
    "head tail limit sample take first last show collect fetch": _NOT_SHOWN,
    "iloc at rows row iter_rows iterrows itertuples values glimpse": _NOT_SHOWN,
    "to_pandas to_polars to_arrow to_dict to_csv to_numpy to_list": _NOT_SHOWN,
    "nlargest nsmallest idxmax idxmin plot": _NOT_SHOWN,
    "sort sort_values order_by orderBy sort_by sort_index arrange": _NO_ORDER,
    "merge": 'use join(other, rows=...) for rows of the same person, or join_public(frame, on="restaurant")',
    "concat append union_all vstack": "use union(other)",
    "unique distinct drop_duplicates duplicated get_groups": _WHICH_VALUES,
    "explode flatten": 'use unnest("tags", into="tag"), one row for each item of a list, or split for parts of a text',
    "str_split": 'use split("tags", ",", most=5, into="tag"), one row for each part of a text',
    "cut qcut bin_column resample": 'use bin("spending", width=20) or bin("day", by="month")',
    "drop drop_columns exclude": "use select(...) with the columns to keep",
    "pivot pivot_table crosstab unstack": 'use group_by("restaurant", "weekday").agg(...)',
    "clip clamp": 'use agg(pv.mean("spending", bounds=(0, 100)))',
    "enforce max_rows truncate": "use cap(rows=10)",
    "epsilon_for": "say what to compute first: agg(pv.count()).epsilon_for(count=50)",
    "info shape dtypes schema": _HOW_MANY,
    "laplace gaussian noise": f"say what to compute first; then {_NOISE}",
}

GROUPED: Hints = {
    **{name: f"use agg(pv.{call})" for name, call in AGGREGATES.items()},
    "aggregate summarise summarize": 'use agg(pv.count(), pv.mean("spending"))',
    "filter where derive bin select rename join cap assign with_columns": _BEFORE_GROUPS,
    "having": "release first, then choose the groups from the release; SQL has HAVING",
    "head tail first last nth sample get_group collect show": _NOT_SHOWN,
    "to_pandas to_polars to_dict": _NOT_SHOWN,
    "sort sort_values order_by": _NO_ORDER,
    "apply map map_groups transform pipe": _NO_CODE,
    "value_counts": "use agg(pv.count())",
    "epsilon_for": "say what to compute first: agg(pv.count()).epsilon_for(count=50)",
}

AGGREGATE: Hints = {
    "collect run execute evaluate compute fetch result show value": "use release(epsilon=1)",
    "to_pandas to_polars to_arrow to_dict to_csv to_json plot": "release it first: release(epsilon=1).{name}(...)",
    "head tail": "release it first: print(release(epsilon=1))",
    "sort sort_values order_by limit": _NO_ORDER,
    "filter where derive bin select rename cap group_by groupby join": _BEFORE_AGG,
    "agg aggregate": 'one agg(...) takes all aggregates: agg(pv.count(), pv.mean("spending"))',
    "laplace gaussian noise epsilon": _NOISE,
    "accuracy summarize error": "use describe(epsilon=1)",
}

SESSION: Hints = {
    **{name: f"use query().agg(pv.{call})" for name, call in AGGREGATES.items()},
    **{name: f"begin with query(): query().{name}(...)" for name in (*_METHODS, *_GROUPS, "agg")},
    "where loc": 'use query().filter("spending > 20")',
    "groupby groupBy": 'use query().group_by("restaurant")',
    "value_counts": 'use query().group_by("restaurant").agg(pv.count())',
    "head tail limit sample show collect to_pandas rows iloc": _NOT_SHOWN,
    "execute run read_sql query_sql": 'use sql("SELECT count(*) FROM visits")',
    "evaluate": "a query has release: query().agg(pv.count()).release(epsilon=1)",
    "from_dataframe from_pandas from_csv Builder builder open": _OPEN,
    "remaining_privacy_budget budget epsilon current_loss": "use remaining, spent or loss",
    "private_sources tables columns schema dtypes info shape": "use codebook, or codebooks for several tables",
    "fillna fill_null": 'use query().derive(spending="coalesce(spending, 0)")',
    "dropna drop_nulls": 'use query().filter("spending is not null")',
    "partition_and_create split": 'use partition("restaurant").release(epsilon=1)',
}

RELEASE: Hints = {
    "df frame to_frame to_df dataframe pandas collect table": "use to_pandas()",
    "polars pl": "use to_polars()",
    "arrow pa": "use to_arrow()",
    "head tail limit sort_values sort order_by iloc loc filter where": "use to_pandas(), a frame that has it",
    "value result count mean sum median": 'use release["..."], with a name of release.names',
    "columns aggregates": "use names",
    "error stderr std_error sem standard_error": 'use errors("...")',
    "ci conf_int confidence_interval intervals confidence": "use interval(0.95)",
    "epsilon delta rho cost privacy_loss budget": "use loss",
    "show display": "use print(release)",
    "save dump write to_file": "use to_json()",
    "to_excel to_latex to_markdown to_html to_sql to_parquet": "use to_pandas().{name}(...)",
    "load read": "use from_json(text)",
}

TERM: Hints = {
    "isin": 'use is_in("Bella", "Roma")',
    "isnull isna": "use is_null()",
    "notnull notna is_not_null": 'use ~ and is_null(): ~pv.col("spending").is_null()',
    "mean sum min max std var median count": 'aggregate the column: agg(pv.mean("spending"))',
    "str dt": 'write an expression of SQL instead, such as "year(day)" or "lower(restaurant)"',
    "fillna fill_null": 'write an expression of SQL instead, such as "coalesce(spending, 0)"',
}

SQL: Hints = {
    "mean average nanmean": "Write AVG(spending).",
    "nunique n_unique count_unique countdistinct": "Write COUNT(DISTINCT restaurant).",
    "percentile quantiles percentile_approx approx_percentile": "Write QUANTILE_CONT(spending, 0.9).",
    "sd standard_deviation": "Write STDDEV(spending).",
    "correlation pearson": "Write CORR(minutes, spending).",
    "cov covar covariance": "Write COVAR_SAMP(minutes, spending).",
    "minimum": "Write MIN(spending).",
    "maximum": "Write MAX(spending).",
    "len size n": "Write COUNT(*).",
    "top_k topk": "Write APPROX_TOP_K(restaurant, 3).",
    "value_counts": "Write SELECT restaurant, COUNT(*) FROM visits GROUP BY restaurant.",
    "hist histogram": "Group by bins: GROUP BY FLOOR(x / 20) * 20.",
    "fillna fill_null nvl": "Write COALESCE(spending, 0).",
    "isnull isna is_null": "Write spending IS NULL.",
    "notnull notna": "Write spending IS NOT NULL.",
    "first last any_value first_value last_value nth_value": _ONE_ROW,
    "array_agg list string_agg group_concat listagg arg_max arg_min max_by min_by": _ONE_ROW,
    "laplace gaussian anon_count": f"The noise is added by the release: {_NOISE}.",
}
_LONGEST = 100  # characters of a name that is compared: comparing takes quadratic time
_CLOSE, _CLOSE_ACROSS_SHAPES = 0.74, 0.85  # shares of letters in common


def _by_name(hints: Hints) -> dict[str, str]:
    return {name: hint for names, hint in hints.items() for name in names.split()}


_TABLES: Mapping[str, Hints] = {
    "pv": _by_name(PV),
    "rows": _by_name(ROWS),
    "groups": _by_name(GROUPED),
    "aggregates": _by_name(AGGREGATE),
    "session": _by_name(SESSION),
    "release": _by_name(RELEASE),
    "sql": _by_name(SQL),
    "term": _by_name(TERM),
}


def find_hint(place: str, name: str) -> str | None:
    """Give what to write instead of a name, as the end of a sentence; None where nothing is known of it.

    Args:
        place: Where the name was used: ``pv``, ``rows``, ``groups``, ``aggregates``, ``session``, ``release``, ``sql``,
            ``term``.
        name: The name; that of an SQL function may have capitals.

    >>> find_hint("rows", "where")
    '; use filter("spending > 20").'
    """
    hint = _TABLES[place].get(name.lower() if place == "sql" else name)
    if hint is None or place == "sql":
        return hint
    filled = hint.replace("{name}", name)
    return f"{filled}." if filled.startswith(":") else f"; {filled}."


def find_close(name: str, names: Iterable[str]) -> str | None:
    """Give the one of several names that is probably meant, if there is one: a name of the same shape, nearly equal.

    Names of another shape (``KMeans`` and ``mean``) or with another first letter (``spending`` and ``opening``) must be
    equal except for a letter and for capitals.

    >>> find_close("KMeans", ["mean"]), find_close("sesion", ["Session"]), find_close("groupby", ["group_by"])
    (None, 'Session', 'group_by')
    """
    from difflib import SequenceMatcher  # slow to load, and needed for mistakes only

    best, most = None, 0.0
    for each in names:
        if len(name) > _LONGEST or abs(len(each) - len(name)) > max(1, len(name) // 3):
            continue
        ratio = SequenceMatcher(None, name.lower(), each.lower()).ratio()
        alike = name[:1].isupper() == each[:1].isupper() and name[:1].lower() == each[:1].lower()
        least = _CLOSE if alike else _CLOSE_ACROSS_SHAPES
        if ratio >= least and ratio > most:
            best, most = each, ratio
    return best
