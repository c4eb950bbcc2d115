"""How many visits cost more than 50."""

from pyspark.sql import SparkSession
from tmlt.analytics import AddRowsWithID, MaxRowsPerID, PureDPBudget, QueryBuilder, Session

spark = SparkSession.builder.getOrCreate()
visits = spark.read.csv("visits.csv", header=True, inferSchema=True)
session = Session.from_dataframe(PureDPBudget(1), "visits", visits, protected_change=AddRowsWithID("visitor_id"))
rows = QueryBuilder("visits").enforce(MaxRowsPerID(10))
session.evaluate(rows.filter("spending > 50").count(), PureDPBudget(1)).show()
