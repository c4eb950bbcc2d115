"""Keys that a release finds by itself: ``group_by("restaurant", keys=private(delta=1e-7))``."""

from collections.abc import Mapping
from fractions import Fraction
from inspect import signature
from typing import Any, final

from attrs import field, frozen

from privet.core import number, read_number, readable, short
from privet.errors import InvalidError, WrongTypeError
from privet.tables.keys.private_keys import Method
from privet.tables.keys.top_rounds import read_top
from privet.tables.noise.key_round import RoundNoise


@final
@frozen(kw_only=True)
class PrivateKeys:
    """Which groups there are is private: the release finds them first, for a share of what it may lose.

    Args:
        delta: The probability that a key shows which one person alone has.
        share: The part of epsilon that the keys cost, above zero and below one.
        method: As for ``Query.private_keys``.
        noise: As for ``Query.private_keys``.
        rounds: As for ``Query.private_keys``.
        top: As for ``Query.private_keys``.

    Guarantee: the keys cost their share and delta, whatever they are. Proof: docs/tables/private_keys.md.

    >>> private(delta=1e-7)
    PrivateKeys(delta=1e-07, share=0.25, method='plain', noise=None, rounds=1, top=None)
    """

    delta: Fraction = field(converter=number, validator=readable, repr=short)
    share: Fraction = field(default=Fraction(1, 4), converter=number, validator=readable, repr=short)
    method: Method = "plain"
    noise: RoundNoise | None = None
    rounds: int = 1
    top: int | None = field(default=None, converter=read_top)

    @delta.validator
    @share.validator
    def _check(self, attribute: Any, value: Fraction) -> None:
        if not 0 < value < 1:
            raise InvalidError(f"private.{attribute.name} must be above zero and below one, got {short(value)}.")


def read_private(where: str, keys: object) -> PrivateKeys:
    """Read how a release finds its groups: ``private(...)``, or its arguments by name, as files have them."""
    if isinstance(keys, Mapping) and "delta" in keys and set(keys) <= set(signature(private).parameters):
        return private(**keys)
    if not isinstance(keys, PrivateKeys):
        raise WrongTypeError(f"{where}: keys must be pv.private(delta=1e-7), got {type(keys).__name__}.")
    return keys


def private(
    *,
    delta: Any = None,
    share: Any = Fraction(1, 4),
    method: Method = "plain",
    noise: RoundNoise | None = None,
    rounds: int = 1,
    top: int | None = None,
) -> PrivateKeys:
    """Let a release find its groups, those that enough persons have: ``group_by("word", keys=private(delta=1e-7))``.

    Args:
        delta: The probability that a key shows which one person alone has; it must be given.
        share: The part of epsilon that the keys cost; the rest is for the aggregates.
        method: ``"plain"`` counts persons (or rows); ``"weighted"`` releases more keys where persons have several.
        noise: With weights, ``"laplace"`` or ``"gaussian"``; with ``top``, ``"laplace"`` or ``"gumbel"``; None for the
            mechanism whose threshold is lower.
        rounds: With weights, how often to look.
        top: How many keys to release at most, those that most persons have.

    >>> private(delta=1e-7, share=0.1).share
    Fraction(1, 10)
    """
    if delta is None:
        raise InvalidError(
            "private needs delta=..., the probability that a key shows which one person alone has: private(delta=1e-7)."
        )
    return PrivateKeys(
        delta=read_number("private.delta", delta),
        share=read_number("private.share", share),
        method=method,
        noise=noise,
        rounds=rounds,
        top=top,
    )
