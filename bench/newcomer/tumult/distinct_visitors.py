"""How many visitors there were."""

from pyspark.sql import SparkSession
from tmlt.analytics import AddRowsWithID, PureDPBudget, QueryBuilder, Session

spark = SparkSession.builder.getOrCreate()
visits = spark.read.csv("visits.csv", header=True, inferSchema=True)
session = Session.from_dataframe(PureDPBudget(1), "visits", visits, protected_change=AddRowsWithID("visitor_id"))
session.evaluate(QueryBuilder("visits").count_distinct(["visitor_id"]), PureDPBudget(1)).show()
