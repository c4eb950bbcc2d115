"""How many visitors there were."""

import privet as pv

book = pv.Codebook(columns={"visitor_id": pv.column("integer")}, unit=pv.Persons("visitor_id", rows=10))
session = pv.Session("visits.csv", book, pv.budget(epsilon=1))
print(session.query().agg(pv.count_ids()).release(epsilon=1))
