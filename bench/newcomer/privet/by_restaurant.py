"""How many visits each restaurant had."""

from pyarrow import csv

import privet as pv

NAMES = ["Bella", "Corner", "Harbour", "Lotus", "Mill", "Olive", "Station"]
session = pv.Session(csv.read_csv("visits.csv"), unit=pv.Persons("visitor_id", rows=10), budget=pv.budget(epsilon=1))
print(session.query().group_by("restaurant", groups=NAMES).agg(pv.count()).release(epsilon=1))
