"""Private keys: the groups of a table that are not publicly known, released where enough persons have them."""

import json
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal, final

from attrs import evolve, field, frozen
from sqlglot import exp

from privet.accounting.losses.approximate import ApproximateLoss
from privet.accounting.losses.gaussian import GaussianLoss
from privet.accounting.losses.loss import Loss, SumLoss
from privet.accounting.planning.budget import AdditiveBudget, budget
from privet.accounting.planning.calibrate import calibrate
from privet.core import Fact, count_text, read_number, read_whole, short, sqrt_up
from privet.errors import InvalidError
from privet.tables.columns import Column
from privet.tables.engines.engine import Result
from privet.tables.files.written import NoiseWords, PlanFile, Words, moved_by
from privet.tables.keys.top_rounds import read_top, top_round
from privet.tables.noise.key_round import (
    ANY_NUMBER,
    KeyRound,
    KeyWeights,
    Moved,
    RoundNoise,
    RowsOfKeys,
    make_round,
    total_loss,
)
from privet.tables.noise.plan import describe_loss
from privet.tables.relations.caps import Caps, cap
from privet.tables.statistics import Contribution
from privet.tables.vocabulary import Relation, call, column, derived, exact_sum, named, rows, selection, type_named

Key = tuple[Any, ...]
COUNT = "privet count"
_KEYS, _RELEASED = "privet keys", "privet released"
Method = Literal["plain", "weighted"]
Run = Callable[[Relation], Result]
_METHODS: tuple[Method, ...] = ("plain", "weighted")
_NOISES: tuple[RoundNoise, ...] = ("laplace", "gaussian", "gumbel")
_WHOLE = Column(kind="integer", nullable=False)
_GROWTH = 3  # each round has so many times the budget of the one before
_MOST_ROUNDS = 10


def keys_of_persons(
    relation: Relation, keys: Sequence[str], id_columns: Sequence[str], most: int, secret: int, released: Sequence[Key]
) -> Relation:
    """Build one row for each person and key: at most so many of each person, without the keys of earlier rounds."""
    names = list(dict.fromkeys((*id_columns, *keys)))
    several = relation.select(*names).filter(present_keys(names))
    grouped = [column(name, "r") for name in names]
    query = selection(grouped, several.derived(), group_by=grouped)
    lists = Relation(query=query, columns={name: relation[name] for name in names})
    if released:
        marked = lists.join(_listed(lists, keys, released), on=list(keys), how="left")
        lists = marked.filter(exp.Is(this=column(_RELEASED, "r"), expression=exp.null())).select(*names)
    return cap(lists, Caps(groups=most), person=id_columns, groups=keys, used=(), key=secret)


def weighted_keys(kept: Relation, keys: Sequence[str], id_columns: Sequence[str], weights: KeyWeights) -> Relation:
    """Build the query that adds up weights by key, from one row for each person and key."""
    grouped = [column(name, "r") for name in keys]
    number = exp.Window(this=rows(), partition_by=[column(name, "r") for name in id_columns], over="OVER")
    known = {name: kept[name] for name in keys}
    inner = selection([*grouped, named(number, _KEYS)], kept.derived())
    lists = Relation(query=inner, columns={**known, _KEYS: _WHOLE}) if weights.rule != "one" else kept
    total = rows() if weights.rule == "one" else exact_sum(weights.sql(column(_KEYS, "r")))
    outputs = [*(each.copy() for each in grouped), named(total, COUNT)]
    query = selection(outputs, lists.derived(), group_by=grouped)
    return Relation(query=query, columns={**known, COUNT: _WHOLE})


def _listed(relation: Relation, keys: Sequence[str], released: Sequence[Key]) -> Relation:
    """Build a relation of released keys; one literal each column, since there may be very many."""
    outputs: list[exp.Expr] = []
    for place, name in enumerate(keys):
        values = exp.Literal.string(json.dumps([key[place] for key in released]))
        outputs.append(named(call("each_listed", values, type_named(relation[name].kind)), name))
    inner = exp.Select(expressions=outputs)
    query = exp.Select(expressions=[*(column(name, "f") for name in keys), named(exp.true(), _RELEASED)])
    known = {name: relation[name] for name in keys}
    return Relation(query=query.from_(derived(inner, "f")), columns={**known, _RELEASED: Column(kind="boolean")})


def present_keys(names: Sequence[str]) -> exp.Expr:
    """Build the condition that no column of a key is null."""
    missing = [exp.Is(this=column(name, "r"), expression=exp.null()) for name in names]
    return exp.Not(this=exp.Paren(this=exp.or_(*missing)))


@final
@frozen(kw_only=True, repr=False)
class KeyPlan(PlanFile):
    """The noise and the thresholds of private keys; it holds no data.

    Args:
        relation: The rows.
        keys: The columns that make a key; null is no key.
        id_columns: The id columns; none where the unit is rows.
        secret: A secret number of 63 bits, which decides which keys of a person the caps keep.
        rounds: Noise and threshold of each round; keys of one round are taken off every list before the next.
        delta: The delta at which to read the epsilon of ``loss``; None for the loss's own point.
        top: How many keys are released at most; None for all that reach the threshold.
        source: The query and its budget as plain data, for files; None where no query made the plan.
        stated: What the release may lose, as an analyst stated it; None where nobody did.

    Guarantee: ``loss``, which must be charged before ``release``. Proof: docs/tables/private_keys.md.
    """

    relation: Relation
    keys: tuple[str, ...]
    id_columns: tuple[str, ...]
    secret: int = field(repr=False)
    rounds: tuple[KeyRound, ...]
    delta: Fraction | None
    top: int | None = None
    source: Words | None = field(default=None, eq=False, repr=False)
    stated: AdditiveBudget | None = field(default=None, eq=False, repr=False)

    def facts(self) -> tuple[Fact, ...]:
        """Say how noisy each round is, and what all of them cost together."""
        rounds = (
            (
                f"round {place}",
                f"{each.noise.capitalize()} noise of scale {_in_weights(each, each.scale)}; {describe_needed(each)}",
            )
            for place, each in enumerate(self.rounds, 1)
        )
        most = () if self.top is None else (("at most", count_text(self.top, "key")),)
        return (("private keys", ", ".join(self.keys)), *rounds, *most, ("privacy loss", self.loss.describe()))

    def noise_words(self) -> list[NoiseWords]:
        """Give the noise of all rounds, as a file holds it."""
        return [
            NoiseWords(
                kind=each.noise,
                scale=each.scale,
                threshold=each.threshold,
                **moved_by(each.noise, each.moved.distance),
            )
            for each in self.rounds
        ]

    def with_noise(self, noise: Iterator[NoiseWords]) -> "KeyPlan":
        """Take the scales and the thresholds of all rounds from a file; which noise it is follows from the query."""
        rounds = zip(self.rounds, noise, strict=True)
        return evolve(self, rounds=tuple(evolve(each, scale=w.scale, threshold=w.threshold) for each, w in rounds))

    @property
    def loss(self) -> Loss:
        """The sum over the rounds, whose parameters are all fixed before the first."""
        return total_loss(self.rounds)

    def release(self, run: Run) -> tuple[Key, ...]:
        """Read, add noise, and release the keys that reach the threshold, in sorted order."""
        released: list[Key] = []
        for each in self.rounds:
            released += release_keys(run(self.query(each, released)), self.keys, each, self.top)
        return tuple(sorted(released))

    def query(self, each: KeyRound, released: Sequence[Key]) -> Relation:
        """Build the query of one round: the number of every key, without the keys of earlier rounds."""
        if not isinstance(each.moved, KeyWeights):
            return counted_keys(self.relation, self.keys)
        kept = keys_of_persons(self.relation, self.keys, self.id_columns, each.moved.most, self.secret, released)
        return weighted_keys(kept, self.keys, self.id_columns, each.moved)

    def describe(self) -> str:
        """Write down the rounds, and how many persons a key needs to be released half of the time; read no data."""
        lines = []
        for place, each in enumerate(self.rounds, 1):
            noise = f"{each.noise} noise of scale {_in_weights(each, each.scale)}"
            threshold = f"threshold {_in_weights(each, Fraction(each.threshold))}"
            lines.append(f"round {place}: {noise}, {threshold}; {describe_needed(each)}")
        if self.top is not None:
            lines.append(f"at most {count_text(self.top, 'key')}: those with the largest noisy numbers")
        return "\n".join([*lines, describe_loss(self.loss, self.stated)])


def plan_private_keys(
    relation: Relation,
    keys: Sequence[str],
    *,
    id_columns: Sequence[str],
    contribution: Contribution,
    secret: int,
    epsilon: object,
    delta: object,
    method: Method = "plain",
    noise: RoundNoise | None = None,
    rounds: object = 1,
    top: object = None,
) -> KeyPlan:
    """Choose noise and thresholds, and write the queries; read no data.

    Args:
        relation: The rows.
        keys: The columns that make a key.
        id_columns: The id columns; none where the unit is rows.
        contribution: What one privacy unit adds at most.
        secret: A secret number of 63 bits.
        epsilon: What the release may lose about keys that many persons have.
        delta: The probability of a larger loss, in all rounds together.
        method: ``plain`` counts persons (or rows); ``weighted`` spreads one weight of a person over the person's keys.
        noise: With weights, ``laplace`` or ``gaussian``; for the most frequent keys, ``laplace`` or ``gumbel``; None
            for the mechanism whose threshold is lower.
        rounds: With weights, how often to look: keys of one round are taken off all lists before the next.
        top: How many keys to release at most, those that most persons have; None for all.
    """
    cost, slack = _read_loss(epsilon, delta)
    often, best = _read_rounds(rounds), read_top(top)
    _check_method(method, noise, often, id_columns)
    _check_top(method, noise, often, best)
    if method == "plain":
        counted = moved_by_unit(method, "laplace", contribution, id_columns)
        chosen, read_at = _plain_round(counted, cost, slack, best, noise)
    else:
        chosen, read_at = _weighted_rounds(min(contribution.l0, contribution.l1), cost, slack, often, noise)
    made = KeyPlan(
        relation=relation,
        keys=tuple(keys),
        id_columns=tuple(id_columns),
        secret=secret,
        rounds=chosen,
        delta=read_at,
        top=best,
    )
    made.query(made.rounds[0], [])  # a mistake in the query shows before anything is spent
    return made


def _plain_round(
    counted: Moved, epsilon: Fraction, delta: Fraction, top: int | None, noise: RoundNoise | None
) -> tuple[tuple[KeyRound, ...], Fraction | None]:
    """Give the one round of counts, and the delta at which to read epsilon."""
    if top is None:
        return (make_round("laplace", counted.distance.l1 / epsilon, counted, delta),), None
    one, read_at = top_round(counted, epsilon, delta, top, noise)
    return (one,), read_at


def moved_by_unit(method: Method, noise: RoundNoise, contribution: Contribution, id_columns: Sequence[str]) -> Moved:
    """Say how far one privacy unit moves the numbers of the keys.

    Args:
        method: ``plain`` or ``weighted``.
        noise: The noise of the round: it decides which weights are used.
        contribution: What one privacy unit adds at most.
        id_columns: The id columns; none where the unit is rows.
    """
    most = min(contribution.l0, contribution.l1)
    if method == "weighted":
        return KeyWeights(rule="share" if noise == "laplace" else "root", most=most)
    return KeyWeights(rule="one", most=most) if id_columns else RowsOfKeys(distance=contribution.rows(ANY_NUMBER))


def _check_method(method: object, noise: object, rounds: int, id_columns: Sequence[str]) -> None:
    if method not in _METHODS:
        raise InvalidError(f"private_keys.method must be one of {', '.join(_METHODS)}, got {method!r}.")
    if noise is not None and noise not in _NOISES:
        raise InvalidError(f"private_keys.noise must be one of {', '.join(_NOISES)}, or None to choose, got {noise!r}.")
    if method == "plain" and rounds > 1:
        raise InvalidError("private_keys: rounds are for weights; give method='weighted' too.")
    if method == "weighted" and not id_columns:
        raise InvalidError(
            "private_keys: method='weighted' spreads the weight of a person over keys, but the unit is rows, which "
            "have one key each; use method='plain', or a codebook with unit=Persons(id=...)."
        )


def _check_top(method: Method, noise: RoundNoise | None, rounds: int, top: int | None) -> None:
    """Refuse noise that the method does not have, and rounds of the most frequent keys."""
    if top is None and method == "plain" and noise is not None:
        raise InvalidError("private_keys: noise is for weights and for top; give method='weighted' or top=10 too.")
    if top is not None and rounds > 1:
        raise InvalidError("private_keys: top takes one round, as numbers of different rounds cannot be compared.")
    if noise == ("gumbel" if method == "weighted" else "gaussian"):
        fits = "gaussian for method='weighted'" if method == "weighted" else "gumbel for method='plain' with top"
        raise InvalidError(f"private_keys.noise must be laplace or {fits}, got {noise!r}.")


def _weighted_rounds(
    most: int, epsilon: Fraction, delta: Fraction, rounds: int, noise: RoundNoise | None
) -> tuple[tuple[KeyRound, ...], Fraction | None]:
    """Give the rounds, and the delta at which to read epsilon; without ``noise``, those with the lower threshold."""
    choices: list[tuple[tuple[KeyRound, ...], Fraction | None]] = []
    if noise != "gaussian":
        choices.append((laplace_rounds(most, epsilon, delta, rounds), None))
    if noise != "laplace":
        choices.append((gaussian_rounds(most, epsilon, delta, rounds), delta))
    return min(choices, key=lambda choice: persons_needed(choice[0][-1]))


@lru_cache(maxsize=64)
def laplace_rounds(most: int, epsilon: Fraction, delta: Fraction, rounds: int) -> tuple[KeyRound, ...]:
    """Give each round its share of epsilon and delta, on weights that add up to one."""
    weights = KeyWeights(rule="share", most=most)
    return tuple(
        make_round("laplace", weights.distance.l1 / (epsilon * share), weights, delta * share)
        for share in _shares(rounds)
    )


@lru_cache(maxsize=64)
def gaussian_rounds(most: int, epsilon: Fraction, delta: Fraction, rounds: int) -> tuple[KeyRound, ...]:
    """Give each round its share, on weights whose squares add up to one: half of delta is for the thresholds."""
    weights, shares = KeyWeights(rule="root", most=most), _shares(rounds)
    together = sqrt_up(sum((share**2 for share in shares), Fraction(0)))
    half = budget(epsilon=epsilon, delta=delta / 2)
    base = Fraction(calibrate(lambda scale: GaussianLoss(distance=together, scale=scale), budget=half).value)
    hidden, more = ApproximateLoss(0, delta / 2), Fraction(1, 2**17)
    while True:
        scales = [Fraction(-(-base * weights.unit // share)) for share in shares]
        noise = [_noise_loss(weights, scale) for scale in scales]
        if SumLoss.of(tuple((part, 1) for part in (*noise, hidden))).epsilon(delta) <= epsilon:
            thresholds = zip(scales, shares, strict=True)
            made = tuple(make_round("gaussian", scale, weights, delta / 2 * share) for scale, share in thresholds)
            if total_loss(made).epsilon(delta) <= epsilon:
                return made
        base, more = base * (1 + more), 2 * more  # noise on a grid may cost a little more than continuous noise


def _noise_loss(weights: KeyWeights, scale: Fraction) -> Loss:
    return GaussianLoss(squared=weights.distance.l2_squared, scale=scale, step=1, coordinates=weights.most)


def persons_needed(each: KeyRound) -> Fraction:
    """Give how many persons with full lists bring a key to the threshold."""
    moved = each.moved
    return Fraction(each.threshold, moved.of(moved.most) if isinstance(moved, KeyWeights) else 1)


def _shares(rounds: int) -> list[Fraction]:
    """Give the shares of the rounds, growing: keys of early rounds are cheap, and leave more weight to the others."""
    parts = [Fraction(_GROWTH**place) for place in range(rounds)]
    return [part / sum(parts) for part in parts]


def _read_loss(epsilon: object, delta: object) -> tuple[Fraction, Fraction]:
    cost, slack = read_number("private_keys.epsilon", epsilon), read_number("private_keys.delta", delta)
    if cost <= 0:
        raise InvalidError(f"private_keys.epsilon must be above zero, got {short(cost)}.")
    if not 0 < slack < 1:
        raise InvalidError(f"private_keys.delta must be above zero and below one, got {short(slack)}.")
    return cost, slack


def _read_rounds(rounds: object) -> int:
    often = read_whole("private_keys.rounds", rounds)
    if not 1 <= often <= _MOST_ROUNDS:
        raise InvalidError(f"private_keys.rounds must be between 1 and {_MOST_ROUNDS}, got {often}.")
    return often


def _in_weights(each: KeyRound, value: Fraction) -> str:
    unit = each.moved.unit if isinstance(each.moved, KeyWeights) else 1
    return f"{float(value / unit):.4g}"


def describe_needed(each: KeyRound) -> str:
    """Say about how many persons a key needs."""
    needed = f"{float(persons_needed(each)):.4g}"
    if not isinstance(each.moved, KeyWeights):
        return f"a key needs about {needed} rows"
    alone = f"{each.threshold / each.moved.of(1):.4g}"
    if alone == needed:
        return f"a key needs about {needed} persons"
    return f"a key needs about {alone} persons who have no other, or {needed} with {each.moved.most}"


def counted_keys(relation: Relation, keys: Sequence[str]) -> Relation:
    """Build the query that counts the rows of each key; null is no key."""
    present = relation.filter(present_keys(keys))
    grouped = [column(name, "r") for name in keys]
    query = selection([*grouped, named(rows(), COUNT)], present.derived(), group_by=grouped)
    return Relation(query=query, columns={**{name: relation[name] for name in keys}, COUNT: _WHOLE})


def release_keys(result: Result, keys: Sequence[str], plan: KeyRound, top: int | None = None) -> tuple[Key, ...]:
    """Add noise to every number and release the keys that reach the threshold, in sorted order."""
    numbers = sorted(zip(zip(*(result[name] for name in keys), strict=True), result[COUNT], strict=True))
    names, counts = [key for key, _ in numbers], [count for _, count in numbers]
    return tuple(sorted(plan.choose(names, counts, top)))
