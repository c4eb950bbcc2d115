"""The number of visits, the mean spending and the median stay, in one budget."""

import privet as pv

book = pv.Codebook(
    columns={
        "visitor_id": pv.column("integer"),
        "spending": pv.column("real", bounds=(0, 100)),
        "minutes": pv.column("integer", bounds=(0, 180)),
    },
    unit=pv.Persons("visitor_id", rows=10),
)
session = pv.Session("visits.csv", book, pv.budget(epsilon=1))
print(session.query().agg(pv.count(), pv.mean("spending"), pv.median("minutes")).release(epsilon=1))
