"""How many visits each restaurant had."""

import privet as pv

book = pv.Codebook(
    columns={
        "visitor_id": pv.column("integer"),
        "restaurant": pv.column("text", categories=["Bella", "Corner", "Harbour", "Lotus", "Mill", "Olive", "Station"]),
    },
    unit=pv.Persons("visitor_id", rows=10),
)
session = pv.Session("visits.csv", book, pv.budget(epsilon=1))
print(session.query().group_by("restaurant").agg(pv.count()).release(epsilon=1))
