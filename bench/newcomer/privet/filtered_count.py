"""How many visits cost more than 50."""

import privet as pv

book = pv.Codebook(
    columns={"visitor_id": pv.column("integer"), "spending": pv.column("real", bounds=(0, 100))},
    unit=pv.Persons("visitor_id", rows=10),
)
session = pv.Session("visits.csv", book, pv.budget(epsilon=1))
print(session.query().filter("spending > 50").agg(pv.count()).release(epsilon=1))
