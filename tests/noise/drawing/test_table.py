"""The certified table: exact probabilities for many scales, and every rare path driven on purpose."""

from fractions import Fraction

import numpy as np
import pytest
from flint import arb

from privet.core.exact import ball, ends, precision
from privet.noise.discrete_gaussian import HalfGaussian
from privet.noise.discrete_laplace import LaplaceMagnitude, discrete_laplace_mass
from privet.noise.drawing.lazy import Cumulative
from privet.noise.drawing.table import DrawTable, table_of
from privet.noise.gaussian_sums import discrete_gaussian_mass
from privet.noise.geometric import GeometricLaw, geometric_mass
from tests.noise.doubles import ScriptedEntropy, little

SCALES = [Fraction(s) for s in ("1/1000000", "1/1000", "1/10", "1/3", "1", "7/5", "10", "355/113", "31", "32")]
LAWS: list[Cumulative] = [
    *(GeometricLaw(s) for s in SCALES),
    *(LaplaceMagnitude(s) for s in SCALES),
    *(HalfGaussian(s, 2) for s in [*SCALES, Fraction(64)]),
    *(HalfGaussian(s, 1) for s in [Fraction(32), Fraction(1234567, 20000)]),
]


def mass(law: Cumulative, k: int) -> arb:
    """The true mass, from the closed forms and not from the law's own bounds."""
    if isinstance(law, GeometricLaw):
        return geometric_mass(law.scale, k)
    if isinstance(law, LaplaceMagnitude):
        return (2 if k else 1) * discrete_laplace_mass(law.scale, k)
    assert isinstance(law, HalfGaussian)
    whole = discrete_gaussian_mass(law.scale, k)
    if law.sides == 2:
        return (2 if k else 1) * whole
    return whole / ((1 + discrete_gaussian_mass(law.scale, 0)) / 2)


def exact_faults(subject: DrawTable) -> list[str]:
    """Everything about a table that contradicts its law, found at 300 bits."""
    faults, total = [], arb(0)
    low, high = [int(v) for v in subject.low], [int(v) for v in subject.high]
    values, cells = np.unique(subject.guide, return_counts=True)
    certain = dict(zip(values.tolist(), cells.tolist(), strict=True))
    open_cells = certain.pop(-1, 0)
    with precision(300):
        one = arb(2) ** 64
        for k in range(len(low)):
            p = mass(subject.law, k)
            total += p
            if not arb(low[k]) <= total * one:
                faults.append(f"low[{k}]")
            if k < len(high) and not total * one <= arb(high[k]):
                faults.append(f"high[{k}]")
            # every cell of the guide and every certain word must be paid for by mass
            if not arb(certain.get(k, 0)) <= p * 2**16:
                faults.append(f"guide gives too much to {k}")
            if p * 2**16 > arb(certain.get(k, 0) + open_cells):  # equal, as far as 300 bits tell, at tiny scales
                faults.append(f"guide gives too little to {k}")
        if k + 1 - len(high) != 1 or not (1 - total) * one < arb(4):
            faults.append("the table ends too early")
    for head in range(1 << 16):
        k = int(subject.guide[head])
        if k < 0:
            continue
        if (k and head << 48 < high[k - 1]) or (((head + 1) << 48) - 1 >= low[k]):
            faults.append(f"cell {head} is not certain")
            break
    return faults


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_a_table_is_exact(law: Cumulative) -> None:
    assert exact_faults(table_of(law)) == []


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_brackets_are_narrow_and_ordered(law: Cumulative) -> None:
    subject = table_of(law)
    gaps = [int(h) - int(lo) for lo, h in zip(subject.low, subject.high, strict=False)]
    assert max(gaps, default=0) <= 2
    assert np.all(subject.low[1:] >= subject.low[:-1])
    assert np.all(subject.high[1:] >= subject.high[:-1])


def test_the_exact_check_finds_a_guide_shifted_by_one_cell() -> None:
    good = table_of(GeometricLaw(Fraction(10)))
    for shift in (1, -1):
        bad = DrawTable(good.law, good.low, good.high)
        object.__setattr__(bad, "guide", np.roll(good.guide, shift))
        assert exact_faults(bad)


def test_the_exact_check_finds_a_bracket_off_by_a_few_units() -> None:
    good = table_of(LaplaceMagnitude(Fraction(10)))
    low = good.low.copy()
    low[3] += np.uint64(4)
    assert "low[3]" in exact_faults(DrawTable(good.law, low, good.high))


def script(word: int, more: bytes = b"") -> ScriptedEntropy:
    return ScriptedEntropy(little(word >> 48, 2) + little((word & (2**48 - 1)) << 16, 8) + more)


def truth(law: Cumulative, value: int, bits: int) -> int:
    """The inverse of the distribution function in the cell, or a failure if the cell does not decide it."""
    with precision(bits + 300):
        cell = (ball(Fraction(value, 1 << bits)), ball(Fraction(value + 1, 1 << bits)))
        total, k = arb(0), 0
        while True:
            total += mass(law, k)
            if cell[1] < total:
                return k
            assert cell[0] > total, "undecided"
            k += 1


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_an_open_cell_reads_48_more_bits(law: Cumulative) -> None:
    subject = table_of(law)
    for k in range(min(len(subject.high), 3)):
        boundary = int(subject.high[k])
        for word in (boundary, int(subject.low[k]) - 1):
            if 0 <= word < 2**64 - 16 and subject.guide[word >> 48] < 0:
                source = script(word)
                assert subject.draw(1, source)[0] == truth(law, word, 64)
                assert source.exhausted


@pytest.mark.parametrize("law", [law for law in LAWS if not str(law).count("1000")], ids=str)
@pytest.mark.parametrize("more", [bytes(8), b"\xff" * 7 + b"\xfe", little(1 << 63, 8)])
def test_a_word_inside_a_bracket_is_refined(law: Cumulative, more: bytes) -> None:
    subject = table_of(law)
    tried = 0
    for k in range(min(len(subject.high), 40)):
        word = int(subject.low[k])
        if word < int(subject.high[k]):
            source = script(word, more)
            value = word << 64 | int.from_bytes(more, "little")
            assert subject.draw(1, source)[0] == truth(law, value, 128)
            assert source.exhausted
            tried += 1
    assert tried or len(subject.high) < 3


@pytest.mark.parametrize("scale", ["1/3", "10", "32"])
def test_the_far_tail_is_exact(scale: str) -> None:
    b = Fraction(scale)
    # 64 + 128 ones, then zeros: U = 1 - 2^-192 and a little more, so G = floor(b * 192 ln 2)
    source = script(2**64 - 1, b"\xff" * 16 + bytes(8))
    with precision(300):
        expected = (ball(b) * 192 * arb(2).log()).floor().unique_fmpz()
    assert expected is not None
    assert table_of(GeometricLaw(b)).draw(1, source)[0] == int(expected)


def test_the_far_tail_of_the_gaussian_is_exact() -> None:
    law = HalfGaussian(Fraction(10), 2)
    source = script(2**64 - 1, b"\xff" * 8 + little(12345, 8))
    value = ((2**128 - 1) << 64) | 12345
    assert table_of(law).draw(1, source)[0] == truth(law, value, 192)


def test_a_tiny_scale_needs_many_ones_to_leave_zero() -> None:
    law = GeometricLaw(Fraction(1, 100))  # P(G > 0) = e^-100, about 2^-144.3
    subject = table_of(law)
    assert subject.draw(1, script(2**64 - 1, b"\xff" * 8 + bytes(8)))[0] == 0
    assert subject.draw(1, script(2**64 - 1, b"\xff" * 16 + bytes(8)))[0] == 1


def test_draws_in_bulk_are_the_single_draws() -> None:
    """The vector path maps each head to what the scalar search gives."""
    subject = table_of(LaplaceMagnitude(Fraction(7, 5)))
    heads = np.arange(1 << 16, dtype=np.uint16)
    rest = b"\x5a" * (8 * int((subject.guide < 0).sum()))
    values = subject.draw(1 << 16, ScriptedEntropy(heads.tobytes() + rest))
    fraction = int.from_bytes(b"\x5a" * 8, "little") >> 16
    for head in [*range(0, 1 << 16, 997), *np.flatnonzero(subject.guide < 0).tolist()[:-1]]:
        assert values[head] == truth(subject.law, head << 48 | fraction, 64)


def test_a_table_is_built_once() -> None:
    assert table_of(GeometricLaw(Fraction(5))) is table_of(GeometricLaw(Fraction(10, 2)))


def test_bounds_enclose_at_every_precision() -> None:
    law = HalfGaussian(Fraction(3), 2)
    with precision(600):
        low, high = ends(sum((mass(law, k) for k in range(5)), arb(0)))
    for bits in (8, 64, 128, 400):
        lo, hi = law.bounds(4, bits)
        assert Fraction(lo, 1 << bits) <= high
        assert low <= Fraction(hi, 1 << bits)
        assert hi - lo <= 2
    assert law.bounds(10**6, 64) == (law.bounds(10**6, 64)[0], 2**64)
