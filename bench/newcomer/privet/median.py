"""How long a visit lasted: the median."""

from pyarrow import csv

import privet as pv

session = pv.Session(csv.read_csv("visits.csv"), unit=pv.Persons("visitor_id", rows=10), budget=pv.budget(epsilon=1))
print(session.query().agg(pv.median("minutes", bounds=(0, 180))).release(epsilon=1))
