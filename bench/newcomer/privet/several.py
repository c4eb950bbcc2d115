"""The number of visits, the mean spending and the median stay, in one budget."""

from pyarrow import csv

import privet as pv

session = pv.Session(csv.read_csv("visits.csv"), unit=pv.Persons("visitor_id", rows=10), budget=pv.budget(epsilon=1))
query = session.query().agg(pv.count(), pv.mean("spending", bounds=(0, 100)), pv.median("minutes", bounds=(0, 180)))
print(query.release(epsilon=1))
