"""JSON that was changed: refused with InvalidError, or read as exactly what it says."""

import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.errors import InvalidError, MismatchError
from privet.tables.impute.release import ImputedRelease
from privet.tables.keys.key_release import KeyRelease
from privet.tables.releases.batch_release import BatchRelease
from privet.tables.releases.json_text import agrees, check, fits, read_fraction, read_json, reading
from privet.tables.releases.release import Release
from privet.tables.rollup.release import RollupRelease
from privet.tables.sql.answer import SqlRelease
from tests.laws.json_text import TEXTS, check_json, check_text, samples, written

KINDS = (Release, RollupRelease, ImputedRelease)


@pytest.mark.parametrize("at", range(len(samples())))
def test_what_is_written_is_read_back(at: int) -> None:
    kind, text = written()[at]
    assert kind.from_json(text) == samples()[at]
    assert kind.from_json(text).to_json() == text


@pytest.mark.parametrize("seed", range(0, 300, 50))
@pytest.mark.share(3)  # the fuzzer changes texts every day too
def test_changed_texts_are_refused_or_read_as_they_are(seed: int) -> None:
    for each in range(seed, seed + 50):
        check_json(each)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1000, 11_000, 1000))
def test_many_changed_texts_are_refused_or_read_as_they_are(seed: int) -> None:
    for each in range(seed, seed + 1000):
        check_json(each)


@pytest.mark.parametrize("text", [*TEXTS, None, 5, [], b"\xff"], ids=lambda text: repr(text)[:30])
@pytest.mark.parametrize("kind", KINDS)
def test_other_texts_are_refused(kind: Any, text: Any) -> None:
    with pytest.raises(InvalidError, match=rf"{kind.__name__}\.from_json"):
        kind.from_json(text)


TREES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@settings(deadline=None, max_examples=60)
@given(at=st.integers(0, 5), part=st.integers(0, 10**6), tree=TREES)
def test_any_part_may_be_anything(at: int, part: int, tree: Any) -> None:
    kind, text = written()[at]
    found = json.loads(text)
    names = sorted(found)
    found[names[part % len(names)]] = tree
    check_text(kind, json.dumps(found))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text.replace('"keys"', '"keys": [], "keys"', 1), "the key 'keys' stands there twice"),
        (lambda text: text.replace('"numbers": [[[', '"numbers": [[[NaN, ', 1), "NaN is no JSON"),
        (lambda text: text.replace('"numbers": [[[', '"numbers": [[[-Infinity, ', 1), "-Infinity is no JSON"),
        (lambda text: text.replace('"numbers": [[[', '"numbers": [[[1e999, ', 1), "1e999 is too large"),
        (lambda text: _with(text, noise=[[["n"], "laplace", "1/0"]]), "changed since"),
        (lambda text: _with(text, noise=[[["n"], "laplace", "1e999999999"]]), "changed since"),
        (lambda text: _with(text, noise=[[["n"], "cauchy", "1"]]), "Noise.kind must be laplace or gaussian"),
        (lambda text: _with(text, numbers=[[[10**30]], [[1]]]), "changed since"),
        (lambda text: _with(text, numbers=[[], []]), "must be those of the plan"),
        (lambda text: _with(text, numbers=[]), "must be those of the plan"),
        (lambda text: _with(text, numbers=[], noise=[], changes=[]), "a release has numbers"),
        (lambda text: _with(text, numbers=[[[True]], [[1]]]), "changed since"),
        (lambda text: _with(text, changes=[["rounded", "other"]]), "there is no column 'other'"),
        (lambda text: _with(text, changes=[["doubled", "n"]]), "changed since"),
        (lambda text: _with(text, more=1), "changed since"),
        (lambda text: _with(text, groups=[[], []]), "changed since|groups of the plan"),
        (lambda text: _with(text, notes=[3]), "changed since"),
        (lambda text: _with(text, keys="k"), "changed since|for each of the keys"),
    ],
)
def test_what_is_wrong_is_said(change: Any, message: str) -> None:
    text = written()[1][1]
    with pytest.raises(InvalidError, match=message) as caught:
        Release.from_json(change(text))
    assert caught.value.__cause__ is None


def _with(text: str, **parts: Any) -> str:
    return json.dumps({**json.loads(text), **parts})


def test_halves_of_characters_are_refused() -> None:
    with pytest.raises(InvalidError, match="this is no JSON"):
        read_json("Release", '"\\ud800"')
    assert read_json("Release", '"\\ud83d\\ude00"') == "\N{GRINNING FACE}"


def test_other_errors_of_ours_become_invalid_too() -> None:
    with pytest.raises(InvalidError, match=r"^Release\.from_json: these do not fit\.$"), reading("Release"):
        raise MismatchError("these do not fit.")
    with pytest.raises(InvalidError, match="changed since") as caught, reading("Release"):
        1 / 0
    assert caught.value.__suppress_context__
    with pytest.raises(KeyboardInterrupt), reading("Release"):
        raise KeyboardInterrupt


@pytest.mark.parametrize("text", ["1e5", " 1", "1_0", "+1", "1/0", "", "1.5", "nan", "9" * 4001, None, 3, "٣"])
def test_fractions_are_read_as_they_are_written(text: Any) -> None:
    with pytest.raises((InvalidError, ZeroDivisionError)):
        read_fraction(text)


def test_plain_fractions() -> None:
    assert [read_fraction(text) for text in ("-7", "0", "400/3")] == [-7, 0, Fraction(400, 3)]
    with pytest.raises(InvalidError):
        check(())


@pytest.mark.parametrize(
    ("found", "same"),
    [
        ({"a": 1}, True),
        ({"a": 1, "b": [2.0, None]}, True),
        ({"a": True}, False),
        ({"a": 1.0}, False),
        ({"a": 1, "c": 1}, False),
        ({"b": [2.0]}, False),
        ({"b": [2.0, 0]}, False),
        ([], False),
    ],
)
def test_what_was_read_is_compared_with_what_is_written(found: Any, same: bool) -> None:
    assert agrees(found, {"a": 1, "b": [2.0, None]}) is same


@pytest.mark.parametrize(
    ("value", "hint", "good"),
    [
        (1, int, True),
        (True, int, False),
        (1.0, int, False),
        (None, int | None, True),
        (None, None, True),
        ("a", int | None, False),
        (True, bool, True),
        ((1, "a"), tuple[int, str], True),
        ((1,), tuple[int, str], False),
        ([1], tuple[int, ...], False),
        ((), tuple[int, ...], True),
        ("a", Literal["a", "b"], True),
        ("c", Literal["a", "b"], False),
        (object(), Any, True),
        (Fraction(1), Fraction, True),
        (1, Fraction, False),
    ],
)
def test_values_fit_their_annotation(value: Any, hint: Any, good: bool) -> None:
    assert fits(value, hint) is good


@pytest.mark.parametrize(("kind", "text"), written(), ids=lambda item: getattr(item, "__name__", "text"))
@pytest.mark.parametrize(
    ("version", "message"),
    [("2", "needs a newer version"), ("10", "needs a newer version"), ("0", "written as"), ("x", "written as")],
)
def test_other_formats_are_refused(kind: Any, text: str, version: str, message: str) -> None:
    changed = re.sub(r'^({"format": "[a-z-]+/)1"', rf'\g<1>{version}"', text, count=1)
    assert changed != text
    with pytest.raises(InvalidError, match=message):
        kind.from_json(changed)


@pytest.mark.parametrize(("kind", "text"), written(), ids=lambda item: getattr(item, "__name__", "text"))
def test_the_format_comes_first_and_is_needed(kind: Any, text: str) -> None:
    assert text.startswith('{"format": "')
    for changed in (re.sub(r'^{"format": "[a-z-]+/1", ', "{", text), re.sub(r'/1"', '/1/"', text, count=1)):
        with pytest.raises(InvalidError, match="begins with the format|written as"):
            kind.from_json(changed)


KEPT = sorted((Path(__file__).parents[2] / "formats").glob("*-release-*.json"))
KEPT_KINDS = {
    "aggregate": Release,
    "rollup": RollupRelease,
    "imputed": ImputedRelease,
    "keys": KeyRelease,
    "batch": BatchRelease,
    "sql": SqlRelease,
}


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.name)
def test_releases_that_were_written_once_are_read_for_ever(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    kind: Any = KEPT_KINDS[path.name.partition("-")[0]]
    release = kind.from_json(text)
    assert release.loss.epsilon(1e-6) > 0
    assert release.to_dict()


def test_there_is_a_kept_file_of_every_kind() -> None:
    assert {path.name.partition("-")[0] for path in KEPT} == set(KEPT_KINDS)
