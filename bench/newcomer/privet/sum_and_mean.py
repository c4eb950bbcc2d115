"""What was spent, in all and on average."""

import privet as pv

book = pv.Codebook(
    columns={"visitor_id": pv.column("integer"), "spending": pv.column("real", bounds=(0, 100))},
    unit=pv.Persons("visitor_id", rows=10),
)
session = pv.Session("visits.csv", book, pv.budget(epsilon=1))
print(session.query().agg(pv.sum("spending"), pv.mean("spending")).release(epsilon=1))
