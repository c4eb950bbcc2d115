"""A codebook says what is protected; a fit outside a session must not protect less."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import privet as pv
from privet.errors import InvalidError
from privet.models.pipelines import pipeline
from privet.models.standard_scaler import StandardScaler
from tests.models.test_messages import AGES, BOOK, LOSS, PAY, linear


@pytest.mark.parametrize("unit", [pv.Persons("id", rows=9), pv.Rows(count=3)])
def test_a_fit_that_protects_less_than_its_codebook_says_is_refused(unit: Any) -> None:
    book = pv.Codebook(columns={**BOOK.columns, "id": pv.column("integer")}, unit=unit)
    steps: list[Any] = [
        ("scale", StandardScaler(codebook=book)),
        ("model", linear(bounds=None, epsilon=None, delta=None)),
    ]
    match = "protects persons .*rows_per_person=9 to the model" if isinstance(unit, pv.Persons) else "protects 3 rows"
    fits: list[Callable[..., Any]] = [
        linear(bounds=None, codebook=book).fit,
        linear(codebook=book).fit,
        pipeline(steps, **LOSS).fit,
    ]
    for fit in fits:
        with pytest.raises(InvalidError, match=match):
            fit(AGES, PAY)
    StandardScaler(codebook=book).fit(AGES)  # public facts protect everybody
    ids = np.arange(len(AGES)) // 2
    by_person = linear(bounds=None, codebook=book, rows_per_person=2)
    if isinstance(unit, pv.Rows):
        with pytest.raises(InvalidError, match=match):  # three rows may be of three persons
            by_person.fit(AGES, PAY, persons=ids)
        return
    name = "centre and radius"
    found = by_person.fit(AGES, PAY, persons=ids).noise_scale_[name]
    assert found == pytest.approx(2 * linear().fit(AGES, PAY).noise_scale_[name])
