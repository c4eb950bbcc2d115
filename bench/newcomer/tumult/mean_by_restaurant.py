"""What a visit cost on average, by restaurant."""

from pyspark.sql import SparkSession
from tmlt.analytics import AddRowsWithID, KeySet, MaxRowsPerID, PureDPBudget, QueryBuilder, Session

spark = SparkSession.builder.getOrCreate()
visits = spark.read.csv("visits.csv", header=True, inferSchema=True)
session = Session.from_dataframe(PureDPBudget(1), "visits", visits, protected_change=AddRowsWithID("visitor_id"))
rows = QueryBuilder("visits").enforce(MaxRowsPerID(10))
keys = KeySet.from_dict({"restaurant": ["Bella", "Corner", "Harbour", "Lotus", "Mill", "Olive", "Station"]})
session.evaluate(rows.groupby(keys).average("spending", 0, 100), PureDPBudget(1)).show()
