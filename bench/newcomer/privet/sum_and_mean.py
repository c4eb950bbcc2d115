"""What was spent, in all and on average."""

from pyarrow import csv

import privet as pv

session = pv.Session(csv.read_csv("visits.csv"), unit=pv.Persons("visitor_id", rows=10), budget=pv.budget(epsilon=1))
print(session.query().agg(pv.sum("spending", bounds=(0, 100)), pv.mean("spending", bounds=(0, 100))).release(epsilon=1))
