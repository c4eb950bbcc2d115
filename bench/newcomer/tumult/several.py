"""The number of visits, the mean spending and the median stay, in one budget."""

from pyspark.sql import SparkSession
from tmlt.analytics import AddRowsWithID, MaxRowsPerID, PureDPBudget, QueryBuilder, Session

spark = SparkSession.builder.getOrCreate()
visits = spark.read.csv("visits.csv", header=True, inferSchema=True)
session = Session.from_dataframe(PureDPBudget(1), "visits", visits, protected_change=AddRowsWithID("visitor_id"))
rows = QueryBuilder("visits").enforce(MaxRowsPerID(10))
session.evaluate(rows.count(), PureDPBudget(1 / 3)).show()
session.evaluate(rows.average("spending", 0, 100), PureDPBudget(1 / 3)).show()
session.evaluate(rows.median("minutes", 0, 180), PureDPBudget(1 / 3)).show()
