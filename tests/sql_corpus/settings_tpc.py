"""The settings of the two TPC benchmarks: few private tables, and many public lookup tables."""

from datetime import date

from tests.sql_corpus.tables import Col, Table, day, ids, keys, one_of, real, text, whole

_DAYS = ("1993-01-01", "1998-12-31")
TPCH = {
    "lineitem": Table(
        id="l_orderkey",
        columns={
            "l_orderkey": ids(100),
            "l_partkey": keys(40),
            "l_suppkey": keys(10),
            "l_quantity": whole(0, 50),
            "l_extendedprice": real(0, 10_000),
            "l_discount": Col(kind="real", values=(0.02, 0.05, 0.06, 0.07), bounds=(0, 0.1)),
            "l_tax": real(0, 0.125),
            "l_returnflag": one_of("A", "N", "R"),
            "l_linestatus": one_of("F", "O"),
            "l_shipdate": day(*_DAYS),
            "l_commitdate": day(*_DAYS),
            "l_receiptdate": day(*_DAYS),
            "l_shipinstruct": one_of("DELIVER IN PERSON", "COLLECT COD", "NONE", "TAKE BACK RETURN"),
            "l_shipmode": one_of("AIR", "AIR REG", "MAIL", "SHIP", "RAIL", "TRUCK", "FOB"),
        },
        rows=900,
    ),
    "orders": Table(
        id="o_orderkey",
        columns={
            "o_orderkey": ids(100),
            "o_custkey": keys(30),
            "o_orderdate": day(*_DAYS),
            "o_orderpriority": one_of("1-URGENT", "2-HIGH", "3-MEDIUM", "4-NOT SPECIFIED", "5-LOW"),
            "o_shippriority": one_of(0, 1),
        },
        rows=100,
    ),
    "customer": Table(
        columns={
            "c_custkey": keys(30),
            "c_name": text("Customer#1", "Customer#2"),
            "c_address": text("x", "y"),
            "c_nationkey": keys(5),
            "c_phone": text("25-1", "13-2"),
            "c_acctbal": real(-999, 9999),
            "c_mktsegment": one_of("BUILDING", "MACHINERY"),
            "c_comment": text("none"),
        },
        public=True,
        rows=30,
    ),
    "supplier": Table(columns={"s_suppkey": keys(10), "s_nationkey": keys(5)}, public=True, rows=10),
    "nation": Table(
        columns={
            "n_nationkey": keys(5),
            "n_name": text("FRANCE", "GERMANY", "BRAZIL", "INDIA", "CHINA"),
            "n_regionkey": keys(3),
        },
        public=True,
        rows=5,
    ),
    "region": Table(columns={"r_regionkey": keys(3), "r_name": text("ASIA", "AMERICA", "EUROPE")}, public=True, rows=3),
    "part": Table(
        columns={
            "p_partkey": keys(40),
            "p_name": text("dark green metal", "pale rose"),
            "p_brand": one_of("Brand#12", "Brand#23", "Brand#34"),
            "p_type": one_of("PROMO BURNISHED COPPER", "ECONOMY ANODIZED STEEL"),
            "p_size": whole(1, 50),
            "p_container": one_of("SM CASE", "MED BAG", "LG BOX", "JUMBO JAR"),
        },
        public=True,
        rows=40,
    ),
    "partsupp": Table(
        columns={"ps_partkey": keys(40), "ps_suppkey": keys(10), "ps_supplycost": real(1, 1000)}, public=True, rows=40
    ),
}

_MONEY = real(0, 300)
_DATES = [
    *(date(2000, 2, 15), date(2000, 6, 1), date(2000, 11, 20), date(2001, 4, 10), date(2001, 8, 5), date(2001, 1, 9)),
    *(date(1999, 9, 9), date(1999, 11, 11), date(1998, 11, 11), date(2001, 4, 20), date(2002, 1, 1), date(2000, 3, 8)),
]
_DEGREES = ("Advanced  Degree", "College", "2  yr  Degree", "4  yr  Degree", "Unknown", "Secondary")


def _sales(prefix: str, customer: str, more: str, measures: str) -> Table:
    """A table of sales: the customer, keys of lookup tables, and amounts."""
    columns = {customer: ids(50)}
    columns |= {f"{prefix}_{name}": keys(_SIZES.get(name.split("_")[-2], 6)) for name in more.split()}
    columns |= {f"{prefix}_{name}": whole(0, 100) if "quantity" in name else _MONEY for name in measures.split()}
    return Table(id=customer, columns=columns, rows=900)


_SIZES = {"date": 12, "time": 8, "item": 8, "store": 4, "cdemo": 12, "hdemo": 6, "addr": 15, "promo": 3, "reason": 3}
TPCDS = {
    "store_sales": _sales(
        "ss",
        "ss_customer_sk",
        "sold_date_sk sold_time_sk item_sk store_sk cdemo_sk hdemo_sk addr_sk promo_sk ticket_number",
        "quantity coupon_amt ext_sales_price ext_wholesale_cost list_price net_profit sales_price",
    ),
    "store_returns": _sales(
        "sr", "sr_customer_sk", "returned_date_sk item_sk reason_sk ticket_number", "return_quantity net_loss"
    ),
    "catalog_sales": _sales(
        "cs",
        "cs_bill_customer_sk",
        "bill_cdemo_sk bill_hdemo_sk call_center_sk item_sk order_number promo_sk ship_date_sk ship_mode_sk "
        "sold_date_sk warehouse_sk",
        "quantity coupon_amt list_price net_profit sales_price",
    ),
    "catalog_returns": _sales(
        "cr",
        "cr_returning_customer_sk",
        "call_center_sk item_sk order_number returned_date_sk",
        "net_loss refunded_cash",
    ),
    "web_sales": _sales(
        "ws",
        "ws_bill_customer_sk",
        "item_sk order_number ship_date_sk ship_mode_sk sold_date_sk warehouse_sk web_page_sk web_site_sk",
        "quantity net_profit sales_price",
    ),
    "web_returns": _sales(
        "wr",
        "wr_refunded_customer_sk",
        "item_sk order_number reason_sk refunded_addr_sk refunded_cdemo_sk returning_cdemo_sk",
        "fee refunded_cash",
    ),
    "customer": Table(
        id="c_customer_sk",
        columns={
            "c_customer_sk": ids(50),
            "c_birth_month": whole(1, 12),
            "c_birth_year": whole(1920, 2000),
            "c_current_addr_sk": keys(15),
            "c_current_cdemo_sk": keys(12),
            "c_current_hdemo_sk": keys(6),
        },
        rows=50,
    ),
    "customer_address": Table(
        columns={
            "ca_address_sk": keys(15),
            "ca_country": one_of("United  States"),
            "ca_county": text("Rush County", "Toole County"),
            "ca_gmt_offset": Col(kind="real", values=(-7, -5), bounds=(-8, -5)),
            "ca_state": one_of("TX", "OH", "CA", "GA", "WA"),
            "ca_zip": text("85669", "86197", "10001"),
        },
        public=True,
        rows=15,
    ),
    "customer_demographics": Table(
        columns={
            "cd_demo_sk": keys(12),
            "cd_dep_count": whole(0, 6),
            "cd_education_status": Col(
                kind="text",
                values=(
                    *_DEGREES,
                    "4  yr  Degree",
                    "College",
                    "Advanced  Degree",
                    "College",
                    "Unknown",
                    "2  yr  Degree",
                ),
                categories=_DEGREES,
            ),
            "cd_gender": Col(kind="text", values=tuple("MMF"), categories=("M", "F")),
            "cd_marital_status": Col(kind="text", values=tuple("MSWDMMWSMSMS"), categories=tuple("MSWDU")),
        },
        public=True,
        rows=12,
    ),
    "household_demographics": Table(
        columns={
            "hd_demo_sk": keys(6),
            "hd_buy_potential": one_of(">10000", "Unknown", "501-1000"),
            "hd_dep_count": Col(kind="integer", values=(3, 1, 7, 1, 3, 7), bounds=(0, 9)),
        },
        public=True,
        rows=6,
    ),
    "date_dim": Table(
        columns={
            "d_date_sk": keys(12),
            "d_date": Col(kind="date", values=_DATES, bounds=(date(1998, 1, 1), date(2002, 12, 31))),
            "d_day_name": one_of("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"),
            "d_month_seq": Col(kind="integer", values=range(1196, 1208), bounds=(1176, 1235)),
            "d_moy": Col(kind="integer", values=[each.month for each in _DATES], categories=tuple(range(1, 13))),
            "d_qoy": Col(kind="integer", values=[(each.month + 2) // 3 for each in _DATES], categories=(1, 2, 3, 4)),
            "d_quarter_name": Col(
                kind="text",
                values=[f"{each.year}Q{(each.month + 2) // 3}" for each in _DATES],
                categories=tuple(f"{year}Q{quarter}" for year in range(1998, 2003) for quarter in range(1, 5)),
            ),
            "d_week_seq": Col(kind="integer", values=(5001, 5001, 5002), bounds=(5000, 5300)),
            "d_year": Col(
                kind="integer", values=[each.year for each in _DATES], categories=(1998, 1999, 2000, 2001, 2002)
            ),
        },
        public=True,
        rows=12,
    ),
    "time_dim": Table(
        columns={
            "t_time_sk": keys(8),
            "t_hour": Col(kind="integer", values=(20, 8, 9, 20, 10, 11, 20, 12), bounds=(0, 23)),
            "t_minute": Col(kind="integer", values=(45, 15, 30, 35), bounds=(0, 59)),
        },
        public=True,
        rows=8,
    ),
    "item": Table(
        columns={
            "i_item_sk": keys(8),
            "i_item_id": text("AAAA", "BBBB", "CCCC"),
            "i_item_desc": text("red", "blue"),
            "i_brand": text("brand a", "brand b"),
            "i_brand_id": whole(1, 9),
            "i_category": one_of("Music", "Books", "Sports", "Women", "Jewelry"),
            "i_category_id": whole(1, 10),
            "i_class": text("pop", "rock"),
            "i_current_price": Col(kind="real", values=(75, 80, 1.25, 70, 85, 90, 1, 65), bounds=(0, 99)),
            "i_manager_id": one_of(1, 8, 28),
            "i_manufact": text("ought", "able"),
            "i_manufact_id": one_of(677, 129, 128, 436),
            "i_product_name": text("p1", "p2"),
        },
        public=True,
        rows=8,
    ),
    "store": Table(
        columns={
            "s_store_sk": keys(4),
            "s_store_id": text("S1", "S2"),
            "s_store_name": text("ese", "ought"),
            "s_city": one_of("Midway", "Fairview"),
            "s_company_id": whole(1, 3),
            "s_county": text("Williamson County"),
            "s_gmt_offset": Col(kind="real", values=(-5, -6), bounds=(-8, -5)),
            "s_state": one_of("TN", "SD"),
            "s_street_name": text("Main"),
            "s_street_number": text("1", "2"),
            "s_street_type": text("St"),
            "s_suite_number": text("A"),
            "s_zip": text("35709", "38371"),
        },
        public=True,
        rows=4,
    ),
    "promotion": Table(
        columns={"p_promo_sk": keys(3), "p_channel_email": one_of("N", "Y"), "p_channel_event": one_of("N", "Y")},
        public=True,
        rows=3,
    ),
    "reason": Table(
        columns={"r_reason_sk": keys(3), "r_reason_desc": text("reason  28", "other", "late")}, public=True, rows=3
    ),
    "warehouse": Table(
        columns={"w_warehouse_sk": keys(6), "w_warehouse_name": text("Bad cards", "Doors"), "w_state": text("TN")},
        public=True,
        rows=6,
    ),
    "ship_mode": Table(
        columns={"sm_ship_mode_sk": keys(6), "sm_type": one_of("EXPRESS", "OVERNIGHT")}, public=True, rows=6
    ),
    "call_center": Table(
        columns={
            "cc_call_center_sk": keys(6),
            "cc_call_center_id": text("CC1", "CC2"),
            "cc_name": text("NY Metro", "Mid Atlantic"),
            "cc_manager": text("Bob", "Ann"),
        },
        public=True,
        rows=6,
    ),
    "web_site": Table(columns={"web_site_sk": keys(6), "web_name": text("site_0", "site_1")}, public=True, rows=6),
    "web_page": Table(columns={"wp_web_page_sk": keys(6)}, public=True, rows=6),
    "inventory": Table(
        columns={
            "inv_item_sk": keys(8),
            "inv_date_sk": Col(kind="integer", values=(1, 2, 3, 4, 5, 12, 1), bounds=(1, 12)),
            "inv_warehouse_sk": keys(6),
            "inv_quantity_on_hand": Col(kind="integer", values=(5, 200, 450), bounds=(0, 900)),
        },
        public=True,
        rows=60,
    ),
}
