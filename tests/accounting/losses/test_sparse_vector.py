"""The loss of comparisons with one noisy threshold: exact transcripts, random protocols, and wrong versions."""

import math
from fractions import Fraction

import numpy as np
import pytest

import privet.calculus as pc
from privet.accounting.losses.sparse_vector import SparseVectorLoss, comparisons_loss
from privet.accounting.numerics.floats import Floats
from privet.accounting.pairs.pair import AtomPair
from privet.errors import InvalidError, WrongTypeError
from tests.accounting.exact_losses import distribution_delta

CLOSE = 1e-11  # of sums of floats


def made(rise: int, spread: int, scale: Fraction, count: int) -> SparseVectorLoss:
    noise = pc.LaplaceLoss(distance=rise, scale=scale, step=1)
    return SparseVectorLoss(threshold=noise, cost=spread / (2 * count * scale), count=count)


def transcripts(answers: list[int], scale: Fraction, count: int, gap: int = 0) -> Floats:
    """The probability of every sequence of outcomes, summed over the threshold's noise.

    Args:
        answers: The answers that are compared with a threshold of zero, in steps.
        scale: Of the threshold's noise; each answer has 2 count times as much.
        count: After how many above the rest is silent.
        gap: How many sizes of "above by so much" are told apart.
    """
    reach = int(45 * scale) + 10
    bars = np.arange(-reach, reach + 1, dtype=np.float64)
    start = np.exp(-np.abs(bars) / float(scale))
    ratio = math.exp(-1 / float(2 * count * scale))

    def at_least(least: Floats) -> Floats:
        high = ratio ** np.maximum(least, 0) / (1 + ratio)
        return np.where(least >= 1, high, 1 - ratio ** np.maximum(1 - least, 0) / (1 + ratio))

    states: dict[tuple[int, ...], Floats] = {(): start / start.sum()}
    for answer in answers:
        following: dict[tuple[int, ...], Floats] = {}
        for past, weights in states.items():
            if sum(outcome > 0 for outcome in past) == count:
                following[past] = weights
                continue
            for size in range(gap + 1):
                more = at_least(bars - answer + size)
                exactly = more if size == gap else more - at_least(bars - answer + size + 1)
                following[(*past, size + 1)] = weights * exactly
            following[(*past, 0)] = weights * (1 - at_least(bars - answer))
        states = following
    return np.array([states[past].sum() for past in sorted(states)])


def divergence(p: Floats, q: Floats, epsilon: float) -> float:
    return float(np.maximum(p - math.exp(epsilon) * q, 0.0).sum())


def neighbours(generator: np.random.Generator, rise: int, monotone: bool, length: int) -> tuple[list[int], list[int]]:
    level, spread = int(generator.integers(-9, 7)), int(generator.integers(0, 4))
    answers = level + generator.integers(-spread, spread + 1, length)
    low = 0 if monotone else -rise
    changes = generator.integers(low, rise + 1, length)
    if generator.random() < 0.6:
        changes = np.where(generator.random(length) < 0.5, rise, low)
    return answers.tolist(), (answers + changes).tolist()


def largest_share(count: int, gap: int, tries: int, weaker: Fraction = Fraction(1)) -> float:
    """How much of the claimed delta, at most, random neighbours have."""
    generator, found = np.random.default_rng(count + 10 * gap), 0.0
    for _ in range(tries):
        rise, scale = int(generator.integers(1, 4)), Fraction(int(generator.choice([1, 2, 4, 10])), 2)
        monotone, length = (
            bool(generator.random() < 0.4),
            int(generator.integers(1, 11 if count == 1 and not gap else 6)),
        )
        one, other = neighbours(generator, rise, monotone, length)
        loss = made(rise, rise if monotone else 2 * rise, scale / weaker, count)
        p, q = (transcripts(answers, scale, count, gap) for answers in (one, other))
        for epsilon in generator.uniform(0, float(loss.pure().cost), 3):
            claimed = float(loss.delta(Fraction(float(epsilon))))
            for true in (divergence(p, q, epsilon), divergence(q, p, epsilon)):
                if true > CLOSE:
                    found = max(found, true / (claimed + CLOSE))
    return found


@pytest.mark.parametrize(("count", "gap"), [(1, 0), (2, 0), (3, 0), (1, 3)])
def test_no_transcript_tells_more_than_the_curve(count: int, gap: int) -> None:
    assert largest_share(count, gap, 60) <= 1


def test_a_curve_for_half_the_noise_would_be_caught() -> None:
    assert largest_share(1, 0, 120, weaker=Fraction(1, 2)) > 1


def geometric(epsilon: float, count: int, terms: int = 400) -> tuple[Floats, Floats]:
    """The pair of the proof: how often randomised response says no before it says yes so many times."""
    no = np.arange(terms)
    choose = np.array([float(math.comb(count + int(m) - 1, int(m))) for m in no])
    up = math.exp(epsilon) / (1 + math.exp(epsilon))
    return choose * up**count * (1 - up) ** no, choose * (1 - up) ** count * up**no


def protocol(
    generator: np.random.Generator, epsilon: float, rounds: int, count: int, *, one_sided: bool = True
) -> tuple[list[float], list[float]]:
    """Random comparisons that obey the two conditions of the proof (or only the first), with their transcripts."""
    if rounds == 0 or count == 0:
        return [1.0], [1.0]
    big = math.exp(epsilon)
    while True:
        # weights of (E, 1) and (1, E) above, and of (1, 1) and (1, E) or (E, 1) below, scaled so that both sum to one
        weights = generator.random(4) * (generator.random(4) < 0.6)
        below = (1.0, big) if one_sided or generator.random() < 0.5 else (big, 1.0)
        sides = [(big, 1.0), (1.0, big), (1.0, 1.0), below]
        p = float(sum(weight * side[0] for weight, side in zip(weights, sides, strict=True)))
        q = float(sum(weight * side[1] for weight, side in zip(weights, sides, strict=True)))
        if p > q:  # make up for the rest by what is more likely under the second law
            weights[3 if below[0] < below[1] else 1] += (p - q) / (big - 1)
        elif q > p:
            weights[0] += (q - p) / (big - 1)
        total = float(sum(weight * side[0] for weight, side in zip(weights, sides, strict=True)))
        if total > 0:
            weights = weights / total
            break
    outcomes = [(weights[0] * big, weights[0], True), (weights[1], weights[1] * big, True)]
    outcomes.append((weights[2] + weights[3] * below[0], weights[2] + weights[3] * below[1], False))
    first, second = [], []
    for in_p, in_q, above in outcomes:
        if in_p + in_q > 0:
            rest = protocol(generator, epsilon, rounds - 1, count - above, one_sided=one_sided)
            first += [in_p * value for value in rest[0]]
            second += [in_q * value for value in rest[1]]
    return first, second


@pytest.mark.parametrize("count", [1, 2])
def test_the_geometric_pair_dominates_random_protocols(count: int) -> None:
    generator = np.random.default_rng(3)
    for _ in range(150):
        epsilon = float(generator.choice([0.2, 0.7, 1.5]))
        p, q = (np.array(law) for law in protocol(generator, epsilon, 5, count))
        assert abs(p.sum() - 1) < 1e-9
        assert abs(q.sum() - 1) < 1e-9
        most = geometric(epsilon, count)
        for x in np.linspace(-4 * epsilon, 2 * epsilon, 13):
            assert divergence(p, q, x) <= divergence(*most, x) + CLOSE


def exceeds(one_sided: bool, most: tuple[Floats, Floats], epsilon: float) -> bool:
    generator = np.random.default_rng(4)
    for _ in range(150):
        p, q = (np.array(law) for law in protocol(generator, epsilon, 5, 1, one_sided=one_sided))
        if any(divergence(p, q, x) > divergence(*most, x) + 1e-6 for x in np.linspace(-4 * epsilon, 2 * epsilon, 13)):
            return True
    return False


def test_without_the_second_condition_it_does_not() -> None:
    """Where "below" may be more likely under the first law, every round may lose again."""
    assert exceeds(False, geometric(0.7, 1), 0.7)
    assert not exceeds(True, geometric(0.7, 1), 0.7)


def test_one_randomised_response_does_not_dominate() -> None:
    up = math.exp(0.7) / (1 + math.exp(0.7))
    assert exceeds(True, (np.array([up, 1 - up]), np.array([1 - up, up])), 0.7)


def test_delta_is_that_of_the_product() -> None:
    """Against sums over all pairs of losses."""
    loss = made(2, 3, Fraction(2), 3)
    noise = loss.threshold.pair().atoms()
    assert noise is not None
    p, q = geometric(float(loss.cost), 3)
    all_p = np.outer(noise.masses, p).ravel()
    all_q = np.outer(noise.masses * np.exp(-noise.losses), q).ravel()
    for epsilon in (0.0, 0.1, 0.5, 1.0, 1.7):
        assert math.isclose(float(loss.delta(epsilon)), divergence(all_p, all_q, epsilon), rel_tol=1e-9)


@pytest.mark.parametrize(("cost", "count"), [(Fraction(1, 2), 1), (Fraction(1, 40), 20), (Fraction(3), 2)])
def test_divergences_are_those_of_the_geometric_pair(cost: Fraction, count: int) -> None:
    loss = SparseVectorLoss(threshold=pc.LaplaceLoss(distance=0, scale=1, step=1), cost=cost, count=count)
    p, q = geometric(float(cost), count, 2_000 if cost < 1 else 400)
    for order in (1.01, 1.5, 2, 5, 30):
        logs = order * np.log(p[p > 0]) + (1 - order) * np.log(q[p > 0])
        exact = (float(logs.max()) + math.log(float(np.exp(logs - logs.max()).sum()))) / (order - 1)
        claimed = float(loss.renyi(order))
        assert claimed >= min(exact, float(pc.PureLoss(count * cost).renyi(order))) - 1e-9
        assert claimed <= exact + 1e-9
        assert order * count * float(cost) * -math.expm1(-float(cost)) >= exact - 1e-9  # rho


def test_blocks_are_rounded_up() -> None:
    """Many answers above: a few numbers stand for all."""
    loss = made(1, 2, Fraction(1), 200)
    assert len(loss._weights) <= 50
    noise = loss.threshold.pair().atoms()
    assert noise is not None
    p, q = geometric(float(loss.cost), 200, 800)
    all_p = np.outer(noise.masses, p).ravel()
    all_q = np.outer(noise.masses * np.exp(-noise.losses), q).ravel()
    for epsilon in (0.0, 0.3, 1.0):
        exact = divergence(all_p, all_q, epsilon)
        assert exact - CLOSE <= float(loss.delta(epsilon)) <= exact * 1.02


def test_the_pair_covers_the_curve_and_the_lower_bound_lies_below() -> None:
    for count in (1, 4, 2_000):
        loss = made(1, 2, Fraction(3), count)
        for times in (1, 6):
            low, high = (loss * times).interval(delta=1e-5)
            assert 0 <= low <= high <= loss.pure().cost * times
    loss = made(1, 2, Fraction(3), 4)
    read = loss.distribution(Fraction(1, 500))
    for epsilon in (Fraction(0), Fraction(1, 10), Fraction(1, 2)):
        assert distribution_delta(read, epsilon, 1) >= loss.delta(epsilon)


def test_it_costs_less_than_its_epsilon_says() -> None:
    for count in (1, 10):
        loss = made(1, 2, Fraction(4), count)
        plain = pc.PureLoss(loss.pure().cost)
        assert loss.epsilon() == plain.epsilon()
        assert loss.rho() < plain.rho()
        assert loss.delta(0) < plain.delta(0)
        assert (loss * 20).epsilon(1e-6) < (plain * 20).epsilon(1e-6)


def test_more_answers_above_lose_less_at_the_same_epsilon() -> None:
    deltas = [made(1, 2, Fraction(4), count).delta(Fraction(1, 4)) for count in (1, 2, 4, 16)]
    assert deltas == sorted(deltas, reverse=True)


def test_very_many_answers_above_are_known_by_epsilon_and_rho() -> None:
    loss = made(1, 2, Fraction(4), 10**6)
    assert loss._attained() is None
    assert loss.delta(Fraction(1, 4)) <= pc.PureLoss(Fraction(1, 2)).delta(Fraction(1, 4))


def test_answers_that_do_not_move_cost_nothing() -> None:
    nothing = comparisons_loss(pc.LaplaceLoss(distance=0, scale=1, step=1), Fraction(0), 3)
    assert nothing.epsilon() == 0
    with pytest.raises(InvalidError):
        SparseVectorLoss(threshold=pc.LaplaceLoss(distance=0, scale=1), cost=0, count=1)


def test_only_laplace_noise_of_the_threshold_is_known() -> None:
    for wrong in (pc.ApproximateLoss(1, Fraction(1, 10)), pc.PureLoss(1), 3):
        with pytest.raises(WrongTypeError, match="must be a LaplaceLoss"):
            SparseVectorLoss(threshold=wrong, cost=1, count=1)  # type: ignore[arg-type]


@pytest.mark.parametrize("scale", [Fraction(1, 400), Fraction(1, 10**12), Fraction(1, 10**400)])
def test_losses_beyond_every_float_are_answered(scale: Fraction) -> None:
    loss = made(1, 2, scale, 1)
    assert 0.999 < loss.interval(epsilon=1)[1] <= 1
    assert loss.epsilon(Fraction(1, 10**6)) > 0
    assert (loss * 3).delta(1) > 0


def test_probabilities_of_the_lower_bound_are_as_exact_as_they_say() -> None:
    """Powers of a thousand, where roundings of each factor would add up."""
    loss = made(1, 2, Fraction(3), 1_000)
    pair = loss._attained()
    assert isinstance(pair, AtomPair)
    up = Fraction(math.exp(float(loss.cost))) / (1 + Fraction(math.exp(float(loss.cost))))  # only to name the middle
    middle = math.comb(1_000, 500) * up**500 * (1 - up) ** 500
    halves = pair.masses[np.isclose(pair.losses, float(loss.threshold.pure().cost), atol=1e-9)]
    noise = loss.threshold._attained().atoms()
    assert noise is not None
    assert math.isclose(float(halves[0]), float(middle) * float(noise.masses[-1]), rel_tol=1e-12)
    assert abs(math.fsum(pair.masses.tolist()) - 1) < 2.0**-44
