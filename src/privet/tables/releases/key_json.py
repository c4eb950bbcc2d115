"""Rounds of private keys as plain values, and back."""

from typing import Any

import attrs

from privet.tables.noise.key_round import ANY_NUMBER, KeyRound, KeyWeights, Moved, RowsOfKeys
from privet.tables.releases.json_text import check, read_fraction
from privet.tables.statistics import Contribution

Rounds = tuple[KeyRound, ...]


def encode_rounds(rounds: Rounds) -> list[list[Any]]:
    """Write the noise and the threshold of each round, and how far one unit moves the numbers."""
    return [
        [
            each.noise,
            str(each.scale),
            each.threshold,
            _encode_moved(each.moved),
            *(() if each.draws is None else (each.draws,)),
        ]
        for each in rounds
    ]


def decode_rounds(data: list[list[Any]]) -> Rounds:
    """Read what ``encode_rounds`` wrote."""
    return tuple(_decode_round(*parts) for parts in data)


def _encode_moved(moved: Moved) -> dict[str, Any]:
    if isinstance(moved, KeyWeights):
        return {"rule": moved.rule, "most": moved.most}
    return {name: str(value) for name, value in attrs.asdict(moved.distance).items() if name != "l2_squared"}


def _decode_round(noise: Any, scale: Any, threshold: Any, moved: dict[str, Any], draws: Any = None) -> KeyRound:
    check(type(threshold) is int)
    how: dict[str, Any] = {"scale": read_fraction(scale), "threshold": threshold, "draws": draws}
    return KeyRound(noise=noise, moved=_decode_moved(moved), **how)


def _decode_moved(data: dict[str, Any]) -> Moved:
    """Read how far one unit moves the counts. Sizes that no unit has come out as others, and the comparison refuses."""
    if set(data) == {"rule", "most"}:
        return KeyWeights(**data)
    l0, l1, linf = (read_fraction(data[name]) for name in ("l0", "l1", "linf"))
    return RowsOfKeys(distance=Contribution(l0=int(l0), l1=int(l1), linf=int(linf)).rows(ANY_NUMBER))
