"""An export says what the ledger holds, exactly, and no stored release."""

import csv
import json
from fractions import Fraction

from privet.ledger.export import to_csv, to_json
from tests.ledger.files import Place, charge, filled


def test_an_export_adds_up_to_what_was_spent(place: Place) -> None:
    ledger = filled(place)
    charge(ledger.account("visits", "bob"), "open")
    data = json.loads(to_json(ledger))
    assert sum(Fraction(each["cost_exact"]) for each in data["charges"]) == Fraction(
        data["accounts"][0]["spent"]["epsilon"]
    )
    assert [each["state"] for each in data["charges"]] == ["stored"] * 3 + ["charged"]
    assert "value" not in to_json(ledger)
    rows = list(csv.DictReader(to_csv(ledger).splitlines()))
    assert [row["key"] for row in rows] == [each["key"] for each in data["charges"]]
