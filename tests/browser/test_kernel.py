"""The notebooks run in a kernel of Jupyter, which shows releases as tables and plots as pictures."""

from pathlib import Path

import pytest

from tests.built_site import ROOT

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("path", sorted((ROOT / "notebooks").glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_notebook_runs_in_a_kernel(path: Path) -> None:
    nbformat = pytest.importorskip("nbformat", reason="make test-browser installs it")
    nbclient = pytest.importorskip("nbclient", reason="make test-browser installs it")
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": path.parent}}).execute()
    kinds = {kind for cell in notebook.cells for output in cell.get("outputs", ()) for kind in output.get("data", ())}
    assert {"text/html", "image/png"} <= kinds
