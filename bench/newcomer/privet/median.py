"""How long a visit lasted: the median."""

import privet as pv

book = pv.Codebook(
    columns={"visitor_id": pv.column("integer"), "minutes": pv.column("integer", bounds=(0, 180))},
    unit=pv.Persons("visitor_id", rows=10),
)
session = pv.Session("visits.csv", book, pv.budget(epsilon=1))
print(session.query().agg(pv.median("minutes")).release(epsilon=1))
