"""How many visits cost more than 50."""

from pyarrow import csv

import privet as pv

session = pv.Session(csv.read_csv("visits.csv"), unit=pv.Persons("visitor_id", rows=10), budget=pv.budget(epsilon=1))
print(session.query().filter("spending > 50").agg(pv.count()).release(epsilon=1))
