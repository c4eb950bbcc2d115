"""Mistakes of new users with releases: each ends in a message that says what to do."""

import sys

import pytest

from privet.errors import UnavailableError
from tests.tables.releases.every_release import MAKERS, batch, release_of

CALLS = {
    "to_pandas": ("pandas", "to_pandas needs pandas: pip install 'privet[pandas]'."),
    "to_polars": ("polars", "to_polars needs polars: pip install 'privet[polars]'."),
    "plot": ("matplotlib", "plot needs matplotlib: pip install 'privet[plot]'."),
}


def _uninstall(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every import of a package fail, as it does where the package is not installed."""
    for name in [package, *(name for name in sys.modules if name.startswith(f"{package}."))]:
        monkeypatch.setitem(sys.modules, name, None)


@pytest.mark.parametrize("method", CALLS)
@pytest.mark.parametrize("name", ["groups", "sql", "rollup", "keys", "imputed"])
def test_mistake_29_a_package_that_is_not_installed(method: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert name in MAKERS
    release = release_of(name)
    if method == "plot" and not release.names:
        pytest.skip("keys have no numbers to draw")
    package, message = CALLS[method]
    _uninstall(package, monkeypatch)
    with pytest.raises(UnavailableError) as caught:
        getattr(release, method)()
    assert str(caught.value) == message


@pytest.mark.parametrize("method", CALLS)
def test_mistake_29_a_package_that_is_not_installed_for_a_batch(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    package, message = CALLS[method]
    _uninstall(package, monkeypatch)
    with pytest.raises(UnavailableError) as caught:
        getattr(batch(), method)()
    assert str(caught.value) == message


@pytest.mark.parametrize("package", ["pandas", "polars", "matplotlib"])
def test_what_needs_no_package_works_without(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _uninstall(package, monkeypatch)
    release = release_of("groups")
    assert str(release)
    assert release._repr_html_()
    assert release.to_csv()
    assert release.to_arrow().num_rows == len(release)
