"""The number of visits, the mean spending and the median stay, in one budget."""

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
minutes = pl.col("minutes").fill_null(0).dp.median(candidates=list(range(181)))
print(context.query().truncate_per_group(10).select(dp.len(), spending.dp.mean((0, 100)), minutes).release().collect())
