"""How many visits there were."""

import opendp.prelude as dp
import polars as pl

dp.enable_features("contrib")
context = dp.Context.compositor(
    data=pl.scan_csv("visits.csv"),
    privacy_unit=dp.unit_of(contributions=1, identifier="visitor_id"),
    privacy_loss=dp.loss_of(epsilon=1.0),
    split_evenly_over=1,
)
print(context.query().truncate_per_group(10).select(dp.len()).release().collect())
