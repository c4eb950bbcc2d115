"""How many visits each restaurant had."""

import opendp.prelude as dp
import polars as pl

dp.enable_features("contrib")
keys = pl.LazyFrame({"restaurant": ["Bella", "Corner", "Harbour", "Lotus", "Mill", "Olive", "Station"]})
context = dp.Context.compositor(
    data=pl.scan_csv("visits.csv"),
    privacy_unit=dp.unit_of(contributions=1, identifier="visitor_id"),
    privacy_loss=dp.loss_of(epsilon=1.0),
    split_evenly_over=1,
)
print(context.query().truncate_per_group(10).group_by("restaurant").agg(dp.len()).with_keys(keys).release().collect())
