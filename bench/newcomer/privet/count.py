"""How many visits there were."""

from pyarrow import csv

import privet as pv

session = pv.Session(csv.read_csv("visits.csv"), unit=pv.Persons("visitor_id", rows=10), budget=pv.budget(epsilon=1))
print(session.query().agg(pv.count()).release(epsilon=1))
