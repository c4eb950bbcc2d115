"""What was spent, in all and on average."""

import opendp.prelude as dp
import polars as pl

dp.enable_features("contrib")
context = dp.Context.compositor(
    data=pl.scan_csv("visits.csv"),
    privacy_unit=dp.unit_of(contributions=1, identifier="visitor_id"),
    privacy_loss=dp.loss_of(epsilon=1.0),
    split_evenly_over=1,
    margins=[dp.polars.Margin(max_length=100_000)],
)
spending = pl.col("spending").fill_null(0.0).fill_nan(0.0)
rows = context.query().truncate_per_group(10)
print(rows.select(spending.dp.sum((0, 100)), spending.alias("mean").dp.mean((0, 100))).release().collect())
