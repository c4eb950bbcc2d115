"""The setting in which the queries of each source are run: schemas as an analyst would describe them."""

from collections.abc import Mapping

from tests.sql_corpus.settings_tpc import TPCDS, TPCH
from tests.sql_corpus.tables import Col, Table, day, flag, ids, keys, moment, one_of, real, text, whole

Setting = Mapping[str, Table]

_PUMS = Table(
    id="pid",
    columns={
        "pid": ids(200),
        "age": whole(0, 100),
        "sex": one_of(0, 1),
        "educ": one_of(*range(1, 17)),
        "race": one_of(*range(1, 7)),
        "income": whole(0, 500_000),
        "married": one_of(0, 1),
    },
)
_DEVICE = ids(80)
SMARTNOISE = {
    "PUMS": _PUMS,
    "Crashes": Table(
        id="DeviceID",
        columns={
            "DeviceID": _DEVICE,
            "Crashes": whole(0, 10),
            "Refurbished": one_of(True, False),
            "Temperature": real(20, 80),
            "Building": one_of("1", "2", "A", "B"),
            "Region": one_of("LATAM", "EMEA", "NA", "APAC"),
        },
    ),
    "Census": Table(id="DeviceID", columns={"DeviceID": _DEVICE, "OEM": one_of("Dell", "HP", "Acer")}, rows=80),
    "Rollouts": Table(id="DeviceID", columns={"DeviceID": _DEVICE, "TrialGroup": one_of(0, 1, 2)}, rows=80),
}

_FEW = Col(kind="integer", values=range(25), bounds=(0, 100))  # no person reaches 100 in a group
_REQUESTS = Table(
    id="id",
    columns={"id": ids(), "item": one_of("pencil", "pen", "scissors"), "quantity": _FEW},
)
ZETASQL = {
    "professors": _REQUESTS,
    "students": _REQUESTS,
    "view_on_professors": _REQUESTS,
    "view_on_students": _REQUESTS,
    "table_a": Table(id="id", columns={"id": ids(), "column_a": one_of("x", "y", "z"), "column_b": whole(0, 9)}),
}

_SHOP = {
    "orders": Table(
        id="customer_id",
        columns={
            "customer_id": ids(40),
            "order_id": ids(240),
            "order_date": whole(1, 365),
            "product_id": keys(12),
            "quantity": whole(0, 20),
            "order_cost": real(0, 500),
        },
    ),
    "customers": Table(
        id="customer_id",
        columns={
            "customer_id": ids(40),
            "name": text("Ann", "Bo", "Cy"),
            "address": text("1 Elm St, United States", "Rue 5, France"),
        },
        rows=40,
    ),
    "recommendations": Table(
        id="customer_id", columns={"customer_id": ids(40), "product_id": keys(12), "weight": real(0, 1)}, rows=90
    ),
    "products": Table(
        columns={"product_id": keys(12), "name": text("pot", "pan"), "price": real(1, 90)}, public=True, rows=12
    ),
}

_SMALL = one_of(*range(11))
QRLEW = {
    "table_1": Table(
        columns={
            "a": real(0, 10),
            "b": real(-3, 3),
            "c": day("1980-12-06", "1981-03-06"),
            "d": _SMALL,
        }
    ),
    "table_2": Table(columns={"x": whole(0, 100), "y": text("one", "two"), "z": text("Foo", "Bar")}),
    "census": Table(
        columns={"age": whole(0, 100), "sex": one_of("F", "M"), "education": text("HS", "BA")},
    ),
    "table1": Table(columns={"col1": whole(0, 100)}),
}

CLICKBENCH = {
    "hits": Table(
        id="UserID",
        columns={
            "UserID": ids(70),
            "WatchID": ids(400),
            "Title": text("", "World news", "sport video", "Games and error"),
            "URL": text("", "http://a.example/news/1", "https://b.example/video", "http://c.example/x.html"),
            "Referer": text("", "http://google.example/q", "https://www.d.example/p/1", "http://e.example/"),
            "SearchPhrase": text("", "cheap flights 2013", "cats"),
            "IsMobile": whole(0, 1),
            "IsRefresh": whole(0, 1),
            "BrowserCountry": one_of("", "RU", "DE", "FR"),
            "BrowserLanguage": one_of("", "ru", "de"),
            "ClientTimeZone": whole(-12, 14),
            "ResolutionWidth": whole(0, 4000),
            "URLCategoryID": whole(0, 20),
            "RefererCategoryID": whole(0, 5),
            "RefererRegionID": whole(0, 5),
            "Age": whole(0, 5),
            "Sex": whole(0, 2),
            "Income": whole(0, 3),
            "EventDate": day("2013-07-01", "2013-07-31"),
            "EventTime": moment("2013-07-01", "2013-07-31 23:59:59"),
            "SendTiming": whole(0, 900),
            "DNSTiming": whole(0, 900),
            "ConnectTiming": whole(0, 900),
            "ResponseEndTiming": whole(0, 900),
        },
    )
}

_ALLTYPES = Table(
    columns={
        "a": whole(0, 100),
        "b": whole(0, 50),
        "c": whole(0, 1000),
        "d": whole(0, 9000),
        "e": real(0, 1),
        "f": real(0, 9),
        "g": one_of("foo", "bar"),
        "h": flag(),
        "i": moment("2020-01-01", "2020-12-31"),
        "j": day("2020-01-01", "2020-12-31"),
        "k": whole(0, 5),
    }
)
IBIS = {
    "functional_alltypes": Table(
        columns={
            "id": ids(240),
            "bool_col": flag(),
            "tinyint_col": whole(0, 9),
            "smallint_col": whole(0, 9),
            "int_col": whole(0, 9),
            "bigint_col": whole(0, 90),
            "float_col": real(0, 9),
            "double_col": real(0, 90),
            "date_string_col": text("01/01/09", "02/01/09"),
            "string_col": one_of(*"0123456789"),
            "timestamp_col": moment("2009-01-01", "2010-12-31"),
            "year": one_of(2009, 2010),
            "month": one_of(*range(1, 13)),
        }
    ),
    "alltypes": _ALLTYPES,
    "star1": Table(
        columns={"c": whole(0, 9), "f": real(0, 9), "foo_id": one_of("u", "v", "w"), "bar_id": one_of("p", "q")}
    ),
    "star2": Table(
        columns={"foo_id": text("u", "v", "w"), "value1": real(0, 9), "value3": real(0, 9)}, public=True, rows=3
    ),
    "t": Table(
        columns={
            "a": one_of(1, 2, 3),
            "b": one_of("x", "y"),
            "uuid": text("u1", "u2"),
            "ts": moment("2020-01-01", "2020-12-31"),
            "search_level": whole(0, 3),
        }
    ),
    "t0": Table(columns={"foo": real(0, 9), "key": one_of("x", "y"), "value": real(0, 64)}),
}

_SUSHI_DAY = day("2023-01-01", "2023-01-31")
_COUNTED = Table(
    columns={
        "id": ids(240),
        "item_id": keys(9),
        "date": day("2024-01-01", "2024-01-10"),
        "event_date": _SUSHI_DAY,
        "end_ts": moment("2023-01-01", "2023-01-31"),
        "start_dt": moment("2023-01-01", "2023-01-31"),
        "end_dt": moment("2023-01-01", "2023-01-31"),
        "one": whole(0, 1),
        "ds": text("2020-01-01", "2020-01-02"),
    }
)
_REVENUE = Table(
    id="customer_id",
    columns={"customer_id": ids(), "revenue": real(0, 900), "max_revenue": real(0, 900), "event_date": _SUSHI_DAY},
)
_COUNTED_NAMES = [
    "incremental_model",
    "top_waiters",
    "creating_counter",
    "waiter_revenue_by_day",
    "waiter_as_customer_by_day",
    "downstream_view_b",
    "waiter_names",
    "test_allow_partials",
    "new_model",
    "downstream_of_incremental",
    "external_table",
    "_snapshots",
    "_intervals",
    "weekly_model",
    "daily_model",
    "hourly_model",
    "two_hourly_model",
    "unrelated_monthly_model",
    "hourly",
    "test_model",
]
SQLMESH = {
    **dict.fromkeys(_COUNTED_NAMES, _COUNTED),
    "_intervals": Table(columns={"name": text('"a"', '"b"'), "version": text("a", "b"), "is_removed": flag()}),
    "_snapshots": Table(columns={"name": text("a", "b"), "ttl_ms": whole(0, 90)}),
    "customer_revenue_lifetime": _REVENUE,
    "customer_revenue_lifetime_new": _REVENUE,
    "customer_max_revenue": _REVENUE,
}

BIGQUERY = {
    "natality": Table(columns={"source_year": whole(1969, 2008), "is_male": flag(), "state": text("WA", "NY")}),
    "gsod": Table(columns={"year": whole(1929, 2010), "wban_number": whole(0, 90)}),
    "persons": Table(id="id", columns={"id": ids(), "age": whole(0, 120)}),
    "numbers": Table(columns={"n": whole(0, 9)}),
    "tbl": Table(columns={"name": text("Ann", "Bo"), "number": whole(0, 90)}),
    "usa_1910_2013": Table(
        columns={
            "name": text("Amy", "Bob", "Cy", "Walt"),
            "state": text("WA", "WI", "NY"),
            "gender": one_of("F", "M"),
            "year": whole(1910, 2013),
            "number": whole(0, 9000),
        }
    ),
}

LOMAS = {
    "df": Table(
        columns={
            "species": one_of("Adelie", "Chinstrap", "Gentoo"),
            "island": one_of("Torgersen", "Biscoe", "Dream"),
            "bill_length_mm": real(30, 65),
            "sex": one_of("MALE", "FEMALE"),
        }
    )
}

SETTINGS: Mapping[str, Setting] = {
    "smartnoise": SMARTNOISE,
    "zetasql": ZETASQL,
    "shop": _SHOP,
    "qrlew": QRLEW,
    "clickbench": CLICKBENCH,
    "ibis": IBIS,
    "sqlmesh": SQLMESH,
    "bigquery": BIGQUERY,
    "lomas": LOMAS,
    "tpch": TPCH,
    "tpcds": TPCDS,
}
