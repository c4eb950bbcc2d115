"""Three tables on which intervals are tried: seeded, made here, and with what makes intervals go wrong."""

from typing import Any, final

import numpy as np
import pyarrow as pa
from attrs import frozen

from privet.accounting.planning.budget import budget
from privet.tables.codebook.codebook import Codebook
from privet.tables.codebook.column import column
from privet.tables.columns.unit import Persons, PrivacyUnit, Rows
from privet.tables.session.session import Session

WARDS = ("cardiology", "general", "surgery")
SHOPS = tuple(f"shop {number}" for number in range(1, 9))


@final
@frozen(kw_only=True)
class Sample:
    """A table, what is known of it, and what is asked.

    Args:
        name: What it is called.
        table: The rows.
        columns: Their codebook.
        unit: What is protected.
        keys: The columns that make a group.
        first: The column of which means, variances and quantiles are asked.
        second: The column that goes with it in covariance and correlation.
        epsilon: What is lost under Laplace noise.
        rho: What is lost under Gaussian noise.
        more: Times the epsilon is for the correlation, which is lost in the noise of the others.
        bins: Of quantiles.
    """

    name: str
    table: Any
    columns: dict[str, Any]
    unit: PrivacyUnit
    keys: tuple[str, ...]
    first: str
    second: str
    epsilon: float
    rho: float
    more: int = 10
    bins: int = 1024

    def session(self) -> Session:
        """Open it."""
        return Session(self.table, Codebook(columns=self.columns, unit=self.unit), budget(epsilon=1))


def incomes(rows: int = 40_000) -> Sample:
    """Incomes of a log-normal law, in whole euros, some above the bound; savings rise with them. One group."""
    random = np.random.default_rng(11)
    earned = np.rint(random.lognormal(10.2, 0.7, rows)).astype(np.int64)
    saved = np.rint(random.gamma(2, 2_000, rows) + 0.1 * earned).astype(np.int64)
    bounds = {"income": column("integer", bounds=(0, 150_000)), "savings": column("integer", bounds=(0, 40_000))}
    return Sample(
        name="incomes",
        table=pa.table({"income": earned, "savings": saved}),
        columns=bounds,
        unit=Rows(),
        keys=(),
        first="income",
        second="savings",
        epsilon=0.0114,
        rho=1.63e-5,
    )


def visits(persons: int = 20_000) -> Sample:
    """Visits to three wards: a few persons have dozens of them, so that caps leave out many; durations have heaps."""
    random = np.random.default_rng(12)
    often = np.minimum(random.zipf(1.9, persons), 60)
    who = np.repeat(np.arange(persons), often)
    ward = random.choice(3, len(who), p=[0.37, 0.33, 0.3])
    minutes = random.gamma(3, 12, len(who)) * (1 + ward / 4)
    heaped = np.where(random.random(len(who)) < 0.1, np.rint(minutes / 15) * 15, minutes)
    cost = np.rint(20 + 2.5 * minutes + random.normal(0, 40, len(who))).astype(np.int64)
    columns = {
        "person": column("integer"),
        "ward": column("text", categories=WARDS),
        "minutes": column("real", bounds=(0, 180)),
        "cost": column("integer", bounds=(0, 500)),
    }
    return Sample(
        name="visits",
        table=pa.table({"person": who, "ward": np.array(WARDS)[ward], "minutes": heaped, "cost": cost}),
        columns=columns,
        unit=Persons(id="person", groups=2, rows_per_group=3),
        keys=("ward",),
        first="minutes",
        second="cost",
        epsilon=0.25,
        rho=0.0038,
    )


def receipts(rows: int = 300) -> Sample:
    """Receipts of eight shops, of which three have none and one has four; many of the rest are null."""
    random = np.random.default_rng(13)
    shop = random.choice(5, rows, p=[0.5, 0.3, 0.13, 0.06, 0.01])
    price = np.round(random.exponential(20, rows), 2)
    missing = random.random(rows) < 0.2
    columns = {
        "shop": column("text", categories=SHOPS),
        "price": column("real", bounds=(0, 100)),
        "items": column("integer", bounds=(0, 20)),
    }
    items = np.minimum(1 + random.poisson(price / 6), 20).astype(np.int64)
    return Sample(
        name="receipts",
        table=pa.table({"shop": np.array(SHOPS)[shop], "price": pa.array(price, mask=missing), "items": items}),
        columns=columns,
        unit=Rows(),
        keys=("shop",),
        first="price",
        second="items",
        epsilon=0.5,
        rho=0.05,
        more=1,
        bins=256,
    )


SAMPLES = (incomes, visits, receipts)
